//! Shioda's evaluation, which the 2017 Monte Carlo paper uses for its rating anchors: square
//! values, stable discs on the edges and numbers of moves, each with some random noise.
//!
//! The paper prints neither table nor weights. The ones here are the reconstruction found in public
//! programs; the scale to discs is Kitai's.

use std::sync::Arc;

use rand::Rng;

use super::registry::EvaluationSpec;
use super::{Evaluation, Evaluator, UNIT};
use crate::options::TypedOption;
use crate::othello::hash::hash;
use crate::othello::mobility::legal_moves;
use crate::othello::stability::stable_discs;
use crate::othello::{Bitboard, Position, Square, Symmetry};
use crate::random::{SEED, seeded_part};

static NOISE: TypedOption<f64> = TypedOption::number(
    "shioda-noise",
    0.0,
    1.0,
    0.0,
    "Random part of each term of the shioda evaluation; fixed by seed and position.",
);
static NOISE_KIND: TypedOption<String> = TypedOption::choice(
    "shioda-noise-kind",
    &["relative", "additive"],
    "relative",
    "What shioda-noise measures: a share of each term's size, or numbers added to it (1 is up to 3 \
     points of the square table, 3 stable discs and 2 moves).",
);

/// What is added to a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoiseKind {
    /// A share of its size.
    Relative,
    /// A number: a bare term of 0 is noisy too.
    Additive,
}

pub(super) const EVALUATIONS: &[EvaluationSpec] = &[EvaluationSpec {
    name: "shioda",
    help: "square values, stable edges and moves, as the anchors of the 2017 paper",
    options: &[&NOISE.spec, &NOISE_KIND.spec, &SEED.spec],
    build: |options| {
        let kind = match options.get(&NOISE_KIND).as_str() {
            "additive" => NoiseKind::Additive,
            _ => NoiseKind::Relative,
        };
        let shioda = Shioda::new(options.get(&NOISE), kind, options.get(&SEED) as u64);
        Ok(Evaluation::Other(Arc::new(shioda)))
    },
}];

/// Values of the top-left quadrant, row by row; the other quadrants mirror it.
const QUADRANT: [[i32; 4]; 4] =
    [[45, -11, 4, -1], [-11, -16, -1, -3], [4, -1, 2, -1], [-1, -3, -1, 0]];
/// A stable edge disc and a legal move in points of the square table.
const POINTS_PER_STABLE: f64 = 11.0;
const POINTS_PER_MOVE: f64 = 10.0;
/// Weights of position, edge stability and mobility.
const POSITION_WEIGHT: f64 = 2.0;
const STABLE_WEIGHT: f64 = 5.0;
const MOVES_WEIGHT: f64 = 1.0;
/// Points that are worth one disc; only the scale shown to people depends on it.
const POINTS_PER_DISC: f64 = 12.0;

/// What additive noise of 1 adds to the terms at most: 3 points of the square table, 3 stable discs, 2
/// moves, each with its weight, as the public programs do.
const ADDED: [f64; 3] = [
    POSITION_WEIGHT * 3.0,
    STABLE_WEIGHT * POINTS_PER_STABLE * 3.0,
    MOVES_WEIGHT * POINTS_PER_MOVE * 2.0,
];

const EDGES: u64 = 0xff81_8181_8181_81ff;

/// Positional weights, edge-stable discs and candidate moves.
#[derive(Clone, Debug)]
pub struct Shioda {
    /// Squares with the same value, and the value.
    classes: Vec<(u64, i32)>,
    noise: f64,
    kind: NoiseKind,
    seed: u64,
}

impl Shioda {
    /// `noise` is the greatest change of each term, 0 to 1, in what `kind` says. The change depends
    /// on seed and position only, so a search meets one and the same evaluation everywhere.
    pub fn new(noise: f64, kind: NoiseKind, seed: u64) -> Shioda {
        let mut classes: Vec<(u64, i32)> = Vec::new();
        for (row, values) in (0..).zip(QUADRANT) {
            for (column, value) in (0..).zip(values) {
                let square = Square::at(column, row).expect("the quadrant lies on the board");
                let images = Symmetry::all()
                    .fold(0, |set, symmetry| set | symmetry.apply(Bitboard(square.bit())).0);
                if !classes.iter().any(|&(set, _)| set == images) {
                    classes.push((images, value));
                }
            }
        }
        Shioda { classes, noise, kind, seed }
    }
}

impl Evaluator for Shioda {
    fn evaluate(&self, position: Position) -> i32 {
        let (mover, opponent) = (position.mover().0, position.opponent().0);
        let difference =
            |own: u64, other: u64| f64::from(own.count_ones()) - f64::from(other.count_ones());
        let squares: f64 = self
            .classes
            .iter()
            .map(|&(set, value)| f64::from(value) * difference(mover & set, opponent & set))
            .sum();
        let stable = difference(
            stable_discs(mover, opponent).0 & EDGES,
            stable_discs(opponent, mover).0 & EDGES,
        );
        let moves = difference(legal_moves(mover, opponent), legal_moves(opponent, mover));
        let mut terms = [
            POSITION_WEIGHT * squares,
            STABLE_WEIGHT * POINTS_PER_STABLE * stable,
            MOVES_WEIGHT * POINTS_PER_MOVE * moves,
        ];
        if self.noise > 0.0 {
            let mut rng = seeded_part(self.seed, hash(position));
            let sizes = match self.kind {
                NoiseKind::Relative => terms,
                NoiseKind::Additive => ADDED,
            };
            for (term, size) in terms.iter_mut().zip(sizes) {
                *term += self.noise * size * rng.random_range(-1.0..=1.0);
            }
        }
        let discs = terms.iter().sum::<f64>() / POINTS_PER_DISC;
        (discs.clamp(-64.0, 64.0) * f64::from(UNIT)) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_position, seeded};

    #[test]
    fn the_square_classes_cover_the_board_once() {
        let sets: Vec<u64> =
            Shioda::new(0.0, NoiseKind::Relative, 1).classes.iter().map(|&(set, _)| set).collect();
        assert_eq!(sets.iter().map(|set| set.count_ones()).sum::<u32>(), 64);
        assert_eq!(sets.iter().fold(0, |all, set| all | set), u64::MAX);
    }

    #[test]
    fn a_corner_and_what_it_makes_stable_are_counted_as_written() {
        // The mover holds a1 alone: table value and one stable disc; no moves for either side.
        let position = Position::from_disjoint(1, 1 << 27);
        let points = 2.0 * 45.0 + 5.0 * 11.0;
        assert_eq!(
            Shioda::new(0.0, NoiseKind::Relative, 1).evaluate(position),
            (points / 12.0 * 128.0) as i32
        );
    }

    #[test]
    fn both_sides_agree_up_to_sign_and_noise_is_fixed_by_seed_and_position() {
        for kind in [NoiseKind::Relative, NoiseKind::Additive] {
            let mut rng = seeded(5);
            let (plain, noisy) =
                (Shioda::new(0.0, NoiseKind::Relative, 1), Shioda::new(0.2, kind, 7));
            let mut changed = 0;
            for empties in 0..=60 {
                let position = random_position(empties, &mut rng);
                assert_eq!(plain.evaluate(position), -plain.evaluate(position.pass()));
                assert_eq!(noisy.evaluate(position), Shioda::new(0.2, kind, 7).evaluate(position));
                changed += usize::from(noisy.evaluate(position) != plain.evaluate(position));
            }
            assert!(changed > 40, "{changed}");
            // At the start every term is 0, so that only added noise shows.
            let differs = noisy.evaluate(Position::START) != 0;
            assert_eq!(differs, kind == NoiseKind::Additive);
        }
    }
}
