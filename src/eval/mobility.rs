//! A simple evaluation that needs no weights: mobility, room to move, corners and stable discs,
//! turning into disc difference as the board fills.

use std::sync::Arc;

use super::registry::EvaluationSpec;
use super::{Evaluation, Evaluator, UNIT};
use crate::othello::mobility::{empty_neighbours, legal_moves};
use crate::othello::stability::stable_count;
use crate::othello::{Bitboard, Position};

pub(super) const EVALUATIONS: &[EvaluationSpec] = &[EvaluationSpec {
    name: "mobility",
    help: "mobility, corners and stable discs; no weights",
    options: &[],
    build: |_| Ok(Evaluation::Other(Arc::new(Mobility))),
}];

/// Hand-weighted mobility evaluation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mobility;

/// Squares diagonally next to a corner.
const X_SQUARES: u64 = 0x0042_0000_0000_4200;

/// Weights in discs, chosen by hand: rough, meant only to play sensibly without trained weights.
const PER_MOVE: f32 = 0.9;
const PER_FRONTIER: f32 = 0.35;
const PER_CORNER: f32 = 6.0;
const PER_X_SQUARE: f32 = -3.0;
const PER_STABLE: f32 = 0.8;

impl Evaluator for Mobility {
    fn evaluate(&self, position: Position) -> i32 {
        let (mover, opponent) = (position.mover().0, position.opponent().0);
        let empty = position.empties().0;
        let difference = |own: u64, other: u64| own.count_ones() as f32 - other.count_ones() as f32;
        let corners = Bitboard::CORNERS.0;
        // An X-square only hurts while its corner is empty; any empty corner counts for all four.
        let risky = if empty & corners == 0 { 0 } else { X_SQUARES };
        let shape = PER_MOVE
            * difference(legal_moves(mover, opponent), legal_moves(opponent, mover))
            + PER_FRONTIER
                * difference(empty_neighbours(opponent, empty), empty_neighbours(mover, empty))
            + PER_CORNER * difference(mover & corners, opponent & corners)
            + PER_X_SQUARE * difference(mover & risky, opponent & risky)
            + PER_STABLE
                * (stable_count(mover, opponent) as f32 - stable_count(opponent, mover) as f32);
        let filled = (1.0 - empty.count_ones() as f32 / 20.0).max(0.0);
        let discs = shape * (1.0 - filled) + position.disc_difference() as f32 * filled;
        (discs.clamp(-64.0, 64.0) * UNIT as f32) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_position, seeded};

    #[test]
    fn both_sides_agree_up_to_sign() {
        let mut rng = seeded(8);
        for empties in 0..=60 {
            let position = random_position(empties, &mut rng);
            assert_eq!(Mobility.evaluate(position), -Mobility.evaluate(position.pass()));
        }
    }
}
