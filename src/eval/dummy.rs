//! The smallest evaluation there can be: what a new one needs, kept true by the tests.

use std::sync::Arc;

use super::registry::EvaluationSpec;
use super::{Evaluation, Evaluator};
use crate::options::TypedOption;
use crate::othello::Position;

static VALUE: TypedOption<i64> =
    TypedOption::integer("dummy-value", -64, 64, 0, "What every position is worth, in units.");

pub(super) const EVALUATIONS: &[EvaluationSpec] = &[EvaluationSpec {
    name: "dummy",
    help: "every position is worth the same",
    options: &[&VALUE.spec],
    build: |options| Ok(Evaluation::Other(Arc::new(Dummy(options.get(&VALUE) as i32)))),
}];

struct Dummy(i32);

impl Evaluator for Dummy {
    fn evaluate(&self, _position: Position) -> i32 {
        self.0
    }
}
