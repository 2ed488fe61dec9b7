//! Disc difference, the evaluation of the 2002 expectation paper.

use std::sync::Arc;

use super::registry::EvaluationSpec;
use super::{Evaluation, Evaluator, UNIT};
use crate::othello::Position;

pub(super) const EVALUATIONS: &[EvaluationSpec] = &[EvaluationSpec {
    name: "discs",
    help: "disc difference",
    options: &[],
    build: |_| Ok(Evaluation::Other(Arc::new(Discs))),
}];

/// Own discs minus the opponent's.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discs;

impl Evaluator for Discs {
    fn evaluate(&self, position: Position) -> i32 {
        position.disc_difference() * UNIT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disc_more_is_one_unit_more() {
        let after = Position::START.play("f5".parse().unwrap()).unwrap();
        assert_eq!(Discs.evaluate(after), -3 * UNIT);
        assert_eq!(Discs.evaluate(after.pass()), 3 * UNIT);
    }
}
