//! What a position is worth: evaluators, by name.
//!
//! An [`Evaluator`] gives a value in [`UNIT`]ths of a disc from the mover's point of view. Each
//! declares its names and options beside its code and has one line in [`registry`]; every method,
//! config and protocol can then use it.
//!
//! The minimax hot path asks through [`Incremental`] instead, which carries what changes little from
//! a position to its child (pattern indices) along the line; evaluators without such a state take
//! part through the implementation for `&dyn Evaluator`.

pub mod discs;
#[cfg(test)]
mod dummy;
mod file;
pub mod geometry;
pub mod linear;
pub mod mobility;
pub mod pattern;
pub mod reach;
pub mod registry;
pub mod shioda;
pub mod zebra;

use std::sync::Arc;

pub use registry::{EVAL, EvaluationSpec, build, choose};

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
    type State: Copy + Send + Sync;

    /// The state of any position.
    fn root(&self, position: Position) -> Self::State;

    /// The state after a disc on `square` that flips `flips`, from the state before it.
    fn child(&self, state: &Self::State, square: Square, flips: u64) -> Self::State;

    /// The state after a pass.
    fn passed(&self, state: &Self::State) -> Self::State;

    /// The value of the position that `state` belongs to, as [`Evaluator::evaluate`] gives it.
    fn value(&self, state: &Self::State, position: Position) -> i32;

    /// The same where it matters to a search with this window: a value that lies outside may be a
    /// rougher one, on the same side of the window.
    #[inline]
    fn value_near(&self, state: &Self::State, position: Position, alpha: i32, beta: i32) -> i32 {
        let _ = (alpha, beta);
        self.value(state, position)
    }
}

/// Any evaluator, asked afresh at every position, however it is held.
macro_rules! asked_afresh {
    ($held:ty) => {
        impl Incremental for $held {
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
    };
}
asked_afresh!(&dyn Evaluator);
asked_afresh!(Arc<dyn Evaluator>);

/// An evaluator together with how the search can best ask it.
#[derive(Clone)]
pub enum Evaluation {
    /// `pattern`. Searches should be monomorphic for it and the next.
    Pattern(Arc<pattern::Pattern>),
    /// A plain sum of pattern tables: `zebra`.
    Linear(Arc<linear::Linear>),
    /// Anything else, asked afresh at every position.
    Other(Arc<dyn Evaluator>),
}

impl Evaluation {
    /// The plain view that every method understands.
    pub fn evaluator(&self) -> Arc<dyn Evaluator> {
        match self {
            Evaluation::Pattern(pattern) => pattern.clone(),
            Evaluation::Linear(linear) => linear.clone(),
            Evaluation::Other(other) => other.clone(),
        }
    }
}

/// Runs `$body` with `$evaluator` bound to what [`Evaluation`] holds, as a reference of a type that
/// is [`Incremental`]: one copy of the code for each kind. The only place that tells the kinds
/// apart for a search.
macro_rules! with_evaluator {
    ($evaluation:expr, |$evaluator:ident| $body:expr) => {
        match $evaluation {
            $crate::eval::Evaluation::Pattern(pattern) => {
                let $evaluator = &**pattern;
                $body
            }
            $crate::eval::Evaluation::Linear(linear) => {
                let $evaluator = &**linear;
                $body
            }
            $crate::eval::Evaluation::Other(other) => {
                let $evaluator = other;
                $body
            }
        }
    };
}
pub(crate) use with_evaluator;
