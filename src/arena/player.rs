//! What the referee asks of a player, whatever it is made of, and what may go wrong.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::referee::Rules;
use crate::engine::GameState;
use crate::othello::{Color, Move};
use crate::record::History;
use crate::score::Score;
use crate::search::StopFlag;

/// Someone who can play a game: a search of our own or a process.
pub trait Contestant: Send {
    /// A new game begins from the given opening.
    ///
    /// # Errors
    /// If the engine cannot be started or refuses the position.
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Fault>;

    /// Chooses a move in a position where the mover has at least one.
    ///
    /// # Errors
    /// If no move came: the player loses.
    fn choose(&mut self, turn: &Turn<'_>) -> Result<Reply, Fault>;

    /// Throws away whatever runs, so that the next game starts afresh; called after every fault.
    fn discard(&mut self);
}

/// The circumstances of a new game.
pub struct GameStart<'a> {
    /// Start board and opening moves.
    pub opening: &'a History,
    /// Clock, margin and patience.
    pub rules: &'a Rules,
    /// Seed for everything random in this player's play.
    pub seed: u64,
    /// Raised when the whole match shall stop.
    pub stop: &'a StopFlag,
}

/// The circumstances of a move.
pub struct Turn<'a> {
    /// The game so far, with the time of every move after the opening, and the clocks before this
    /// move; its last board is to be moved on.
    pub game: &'a GameState,
    /// Clock, margin and patience.
    pub rules: &'a Rules,
    /// The mover's colour.
    pub color: Color,
    /// Raised when the whole match shall stop.
    pub stop: &'a StopFlag,
}

/// What a player answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reply {
    /// The move, or giving up.
    pub choice: Choice,
    /// The player's opinion of the position, mover's view, if it told.
    pub score: Option<Score>,
    /// Time from the question to the answer.
    pub elapsed: Duration,
}

/// A move or the end of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Choice {
    /// This move; the referee checks it.
    Play(Move),
    /// The player gives up.
    Resign,
}

/// Why a player lost without the game being over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// The kind of failure.
    pub kind: FaultKind,
    /// What exactly happened.
    pub detail: String,
    /// How long the answer took that came too late, milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_ms: Option<f64>,
}

/// Kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// The process could not be started, ended or closed its input or output.
    Crash,
    /// No answer, long after any clock had run out.
    Hang,
    /// The answer came too late.
    TimeOut,
    /// A move against the rules.
    IllegalMove,
    /// An answer that is no answer, an error for a correct command, or a flood of output.
    Garbage,
}

impl FaultKind {
    /// The word used in logs and reports.
    pub const fn name(self) -> &'static str {
        match self {
            FaultKind::Crash => "crash",
            FaultKind::Hang => "hang",
            FaultKind::TimeOut => "time-out",
            FaultKind::IllegalMove => "illegal move",
            FaultKind::Garbage => "garbage",
        }
    }
}

impl Fault {
    /// A fault with its story.
    pub fn new(kind: FaultKind, detail: impl Into<String>) -> Fault {
        Fault { kind, detail: detail.into(), late_ms: None }
    }

    /// An answer that took so long.
    pub fn late(elapsed: Duration, detail: impl Into<String>) -> Fault {
        // Hundredths of a millisecond, as the log keeps other times.
        let late_ms = Some((elapsed.as_secs_f64() * 1e5).round() / 100.0);
        Fault { late_ms, ..Fault::new(FaultKind::TimeOut, detail) }
    }
}
