//! Playing below strength without playing stupidly: a choice among good moves by chance.
//!
//! With softness *s* discs, a move whose score is *d* discs below the best is chosen with
//! probability proportional to exp(−*d*/*s*). Small softness varies between equals; large softness
//! plays like a beginner who sees the board but not far. The chance is seeded by the option `seed`
//! and the position, so the same seed plays the same game.

use rand::Rng;

use crate::othello::Position;
use crate::random;
use crate::search::Line;

/// The index of the line to play; 0 if there is nothing to choose from.
pub(super) fn soft_choice(lines: &[Line], softness: f64, seed: u64, position: Position) -> usize {
    let Some(best) = lines.iter().map(|line| line.score).max() else { return 0 };
    let weights: Vec<f64> =
        lines.iter().map(|line| ((line.score.discs() - best.discs()) / softness).exp()).collect();
    let place = position.mover().0 ^ position.opponent().0.rotate_left(32);
    let mut point = random::seeded_part(seed, place).random::<f64>() * weights.iter().sum::<f64>();
    for (index, weight) in weights.iter().enumerate() {
        point -= weight;
        if point < 0.0 {
            return index;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Score;
    use crate::search::{Bound, Certainty};

    fn line(discs: i32) -> Line {
        Line {
            score: Score::whole(discs),
            bound: Bound::Exact,
            certainty: Certainty::Estimate,
            pv: Vec::new(),
            visits: 0,
            uncertainty: None,
        }
    }

    fn frequency_of_best(lines: &[Line], softness: f64) -> f64 {
        let chosen =
            (0..4000).filter(|&seed| soft_choice(lines, softness, seed, Position::START) == 0);
        chosen.count() as f64 / 4000.0
    }

    #[test]
    fn moves_are_chosen_as_often_as_their_weights_say() {
        // Weights 1 and exp(-2/4).
        let expected = 1.0 / (1.0 + (-0.5f64).exp());
        let seen = frequency_of_best(&[line(6), line(4)], 4.0);
        assert!((seen - expected).abs() < 0.04, "{seen} {expected}");
        assert!(frequency_of_best(&[line(6), line(-30)], 1.0) > 0.999);
    }

    #[test]
    fn nothing_to_choose_is_no_trouble() {
        assert_eq!(soft_choice(&[], 3.0, 1, Position::START), 0);
        assert_eq!(soft_choice(&[line(-64)], 3.0, 1, Position::START), 0);
    }
}
