//! What a position is worth: evaluators, by name.
//!
//! An [`Evaluator`] gives a value in [`UNIT`]ths of a disc from the mover's point of view. The
//! names are the values of the `eval` option, so every method, config and protocol can use each.

pub mod discs;
pub mod mobility;

use std::sync::Arc;

use crate::options::{OptionError, Options};
use crate::othello::Position;

/// Evaluation units per disc.
pub const UNIT: i32 = 128;

/// Judges positions without searching.
pub trait Evaluator: Send + Sync {
    /// The value in [`UNIT`]ths of a disc from the mover's point of view, within ±64 discs. The
    /// position need not have a legal move.
    fn evaluate(&self, position: Position) -> i32;
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
