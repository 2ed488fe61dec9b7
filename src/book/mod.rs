//! What is known about openings: positions with values that a search found and games confirmed.
//!
//! A [`Book`] holds positions by their canonical form. Each has a value that is negamaxed over
//! everything in the book ([`mod@negamax`]), what a search of the position itself found, the best
//! move that leads out of the book, and the results of games. On disk it is one file and a journal
//! ([`mod@file`]); a small book comes with the program ([`builtin`]). [`grow`](mod@grow) makes a book
//! larger by search, [`learn`](mod@learn) takes games in, [`foreign`] other
//! programs' books. [`SharedBook`] is what players and
//! servers hold.

pub mod builtin;
mod choice;
mod edax;
mod egaroucid;
mod entry;
mod error;
pub mod file;
pub mod foreign;
pub mod games;
pub mod grow;
mod journal;
pub mod learn;
mod negamax;
mod openings;
pub mod options;
pub mod shared;
pub mod snapshot;
mod store;
pub mod study;
#[cfg(test)]
mod testing;

pub use choice::{Rules, choose};
pub use entry::{Alternative, Entry, Results, Value};
pub use error::BookError;
pub use file::{BookFile, open_to_read};
pub use journal::JOURNAL;
pub use negamax::negamax;
pub use openings::{opening_name, position_name};
pub use options::{BookSource, BookTask};
pub use shared::{Learner, SharedBook};
pub use store::{Book, Change, LearntGame};

use serde::Serialize;

use crate::othello::Move;

/// What the book says about a position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Lookup {
    /// Its value over everything in the book, mover's view.
    pub value: Option<Value>,
    /// What a search of the position itself found.
    pub searched: Option<Value>,
    /// Results of games that passed here, mover's view.
    pub results: Results,
    /// Lines through it as other programs count them.
    pub lines: u32,
    /// Whether a learnt game brought it in.
    pub learnt: bool,
    /// The moves with known values, best first.
    pub moves: Vec<BookMove>,
}

/// A move that the book knows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BookMove {
    /// The move.
    #[serde(serialize_with = "as_text")]
    pub played: Move,
    /// Its value for the mover.
    pub value: Value,
    /// Games in which it was played.
    pub games: u32,
    /// Whether it leads out of the book.
    pub leaves: bool,
}

fn as_text<S: serde::Serializer>(played: &Move, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(played)
}
