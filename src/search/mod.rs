//! The methods: every idea of how to choose a move, behind one small trait.
//!
//! A [`Method`] gets a [`Request`] (position, limits, how many moves to report), looks at a
//! [`StopFlag`] often enough to stop within milliseconds, reports progress as [`Event`]s and
//! returns an [`Outcome`]. It never prints. Adding a method is one folder here, which also declares its
//! options, and one line in [`registry`]; every protocol, config, match and lab command then has
//! it.

pub mod alpha_beta;
pub mod behind;
pub mod budget;
#[cfg(test)]
mod dummy;
pub mod endgame;
pub mod expectation;
#[cfg(test)]
mod extremes;
pub mod limits;
pub mod mcts;
pub mod minimax;
pub mod opponent;
pub mod registry;
pub mod report;
pub mod shared;
pub mod suite;
pub mod uncertainty;
pub mod view;
pub mod win_rate;

pub use behind::Behind;
pub use limits::{Limits, StopFlag, TimeLimit};
pub use registry::{METHOD, MethodSpec, build, chosen, methods};
pub use report::{Bound, Certainty, Event, Line, Origin, Outcome};

use crate::othello::{Bitboard, Position};

/// What a method is asked to do.
#[derive(Clone, Debug)]
pub struct Request {
    /// The position to search; if the mover must pass the outcome is a pass, if the game is over
    /// its final score.
    pub position: Position,
    /// When to stop.
    pub limits: Limits,
    /// How many of the best moves to report with their own scores and lines; at least 1, more than
    /// the position has is fine (then every move is reported).
    pub multi_pv: usize,
    /// If given, only these root moves are considered.
    pub only: Option<Bitboard>,
}

impl Request {
    /// A request for the single best move.
    pub fn new(position: Position, limits: Limits) -> Request {
        Request { position, limits, multi_pv: 1, only: None }
    }

    /// The root moves to consider: the legal ones, restricted to `only` if that leaves any.
    pub fn root_moves(&self) -> Bitboard {
        let legal = self.position.legal_moves();
        match self.only {
            Some(only) if !(legal & only).is_empty() => legal & only,
            _ => legal,
        }
    }
}

/// One idea of how to choose a move.
///
/// The same seed, options, limits by depth, nodes or playouts, and one thread give the same
/// outcome after [`Method::clear`].
pub trait Method: Send {
    /// Searches until done, out of limits or stopped; always returns a legal answer. `report` is
    /// called from the calling thread only.
    fn search(
        &mut self,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome;

    /// What lies behind the value of a line that the search of this position found `depth` plies
    /// deep, if the method can tell. Asked between searches; takes about as long as a shallow one.
    fn behind(&mut self, _position: Position, _line: &Line, _depth: u32) -> Option<Behind> {
        None
    }

    /// Forgets everything learnt in earlier searches (hash tables, trees, generator state).
    fn clear(&mut self);

    /// Has the system hand out the memory of the tables now, so that no search waits for it.
    fn make_ready(&mut self) {}
}
