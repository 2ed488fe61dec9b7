//! Which book move to play.
//!
//! Among the moves whose value is at most the margin below the best, one is drawn, the better the
//! likelier: a move *d* discs below the best of a margin of *m* weighs exp(−2*d*/*m*). With a margin
//! of 0 only moves of equal value compete. A known loss is never played while there is another move.

use rand::Rng;

use super::store::Book;
use super::{BookMove, Lookup};
use crate::othello::Position;
use crate::random;

/// How a move is chosen from the book.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// Discs that a move may be worse than the best and still be played.
    pub margin: f64,
    /// Plies that a move must have been searched to be played.
    pub least_depth: u8,
    /// Seed of the choice.
    pub seed: u64,
}

/// The move to play in a position, if the book has one.
pub fn choose(book: &Book, position: Position, rules: &Rules) -> Option<BookMove> {
    draw(book.lookup(position)?, position, rules)
}

fn draw(lookup: Lookup, position: Position, rules: &Rules) -> Option<BookMove> {
    let deep = |known: &BookMove| known.value.is_exact() || known.value.depth >= rules.least_depth;
    let moves: Vec<BookMove> = lookup.moves.into_iter().filter(deep).collect();
    let best = moves.first()?.value;
    let lost = best.is_known_loss();
    let weight = |known: &BookMove| {
        let below = best.score.discs() - known.value.score.discs();
        let playable = known.value.rank() == best.rank()
            || below <= rules.margin && known.value.is_known_loss() == lost;
        let steep = if rules.margin > 0.0 { 2.0 / rules.margin } else { 0.0 };
        if playable { (-below.max(0.0) * steep).exp() } else { 0.0 }
    };
    let weights: Vec<f64> = moves.iter().map(weight).collect();
    let place = position.mover().0 ^ position.opponent().0.rotate_left(32);
    let sum: f64 = weights.iter().sum();
    let mut point = random::seeded_part(rules.seed, place).random::<f64>() * sum;
    for (known, weight) in moves.iter().zip(weights) {
        point -= weight;
        if point < 0.0 {
            return Some(*known);
        }
    }
    moves.first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::entry::{Results, Value};
    use crate::othello::Move;
    use crate::score::Score;

    fn lookup(values: &[(&str, f64, u8, u8)]) -> Lookup {
        let mut moves: Vec<BookMove> = values
            .iter()
            .map(|&(played, discs, depth, confidence)| BookMove {
                played: played.parse::<Move>().unwrap(),
                value: Value { score: Score::from_discs(discs), depth, confidence },
                games: 0,
                leaves: false,
            })
            .collect();
        moves.sort_by_key(|known| std::cmp::Reverse(known.value.rank()));
        Lookup {
            value: None,
            searched: None,
            results: Results::default(),
            lines: 0,
            learnt: false,
            moves,
        }
    }

    fn frequencies(values: &[(&str, f64, u8, u8)], margin: f64, least_depth: u8) -> Vec<f64> {
        let draws = 4000;
        let mut counts = vec![0.0; values.len()];
        for seed in 0..draws {
            let rules = Rules { margin, least_depth, seed };
            if let Some(chosen) = draw(lookup(values), Position::START, &rules) {
                let index =
                    values.iter().position(|(played, ..)| *played == chosen.played.to_string());
                counts[index.unwrap()] += 1.0 / draws as f64;
            }
        }
        counts
    }

    #[test]
    fn better_moves_are_likelier_and_those_beyond_the_margin_are_never_played() {
        let moves = [("f5", 2.0, 14, 0), ("d3", 1.0, 14, 0), ("c4", -1.5, 14, 0)];
        let seen = frequencies(&moves, 2.0, 0);
        let expected = 1.0 / (1.0 + (-1.0f64).exp());
        assert!((seen[0] - expected).abs() < 0.03, "{seen:?}");
        assert_eq!(seen[2], 0.0);
        let strict = frequencies(&moves, 0.0, 0);
        assert!(strict[0] > 0.999 && strict[1..] == [0.0, 0.0], "{strict:?}");
    }

    #[test]
    fn equals_share_and_shallow_moves_stay_out() {
        let seen = frequencies(&[("f5", 1.0, 14, 0), ("d3", 1.0, 14, 0)], 0.0, 0);
        assert!((seen[0] - 0.5).abs() < 0.05, "{seen:?}");
        let seen = frequencies(&[("f5", 1.0, 6, 0), ("d3", 0.5, 14, 0)], 0.0, 10);
        assert_eq!(seen[0], 0.0);
        assert!(frequencies(&[("f5", 1.0, 6, 0)], 0.0, 10) == [0.0]);
    }

    #[test]
    fn a_known_loss_is_the_last_resort() {
        let moves = [("f5", -2.0, 60, 100), ("d3", -9.0, 14, 0)];
        let seen = frequencies(&moves, 10.0, 0);
        assert_eq!(seen[0], 0.0);
        let seen = frequencies(&[("f5", -2.0, 60, 100), ("d3", -4.0, 60, 100)], 0.0, 0);
        assert_eq!(seen[1], 0.0);
        assert!(seen[0] > 0.99);
    }
}
