//! What a position is worth: evaluators, by name.
//!
//! An [`Evaluator`] gives a value in [`UNIT`]ths of a disc from the mover's point of view. The
//! names are the values of the `eval` option, so every method, config and protocol can use each.
//!
//! The minimax hot path asks through [`Incremental`] instead, which carries what changes little from
//! a position to its child (pattern indices) along the line; evaluators without such a state take
//! part through the implementation for `&dyn Evaluator`.

pub mod discs;
pub mod mobility;

use std::sync::Arc;

use crate::options::{OptionError, Options};
use crate::othello::{Position, Square};

/// Evaluation units per disc.
pub const UNIT: i32 = 128;

/// Judges positions without searching.
pub trait Evaluator: Send + Sync {
    /// The value in [`UNIT`]ths of a disc from the mover's point of view, within ±64 discs. The
    /// position need not have a legal move.
    fn evaluate(&self, position: Position) -> i32;
}

/// Judges positions along a line of play, keeping what changes little from move to move.
pub trait Incremental: Send + Sync {
    /// What is carried along; belongs to one position.
    type State: Copy + Send;

    /// The state of any position.
    fn root(&self, position: Position) -> Self::State;

    /// The state after a disc on `square` that flips `flips`, from the state before it.
    fn child(&self, state: &Self::State, square: Square, flips: u64) -> Self::State;

    /// The state after a pass.
    fn passed(&self, state: &Self::State) -> Self::State;

    /// The value of the position that `state` belongs to, as [`Evaluator::evaluate`] gives it.
    fn value(&self, state: &Self::State, position: Position) -> i32;
}

/// Any evaluator, asked afresh at every position.
impl Incremental for &dyn Evaluator {
    type State = ();

    fn root(&self, _position: Position) {}

    #[inline]
    fn child(&self, _state: &(), _square: Square, _flips: u64) {}

    #[inline]
    fn passed(&self, _state: &()) {}

    #[inline]
    fn value(&self, _state: &(), position: Position) -> i32 {
        self.evaluate(position)
    }
}

/// The evaluator that the options choose.
///
/// # Errors
/// If it needs a file that cannot be read.
pub fn build(options: &Options) -> Result<Arc<dyn Evaluator>, OptionError> {
    Ok(match options.text("eval").as_str() {
        "discs" => Arc::new(discs::Discs),
        _ => Arc::new(mobility::Mobility),
    })
}
