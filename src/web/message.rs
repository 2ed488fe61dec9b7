//! What page and server say to each other: JSON texts over one WebSocket.
//!
//! A game travels as one text, as people write it: moves from the usual start (`f5d6c3`), or 64
//! squares with the side to move and then moves. Scores are discs from the mover's view.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::book::BookView;
use super::house::{Method, Preset, Slider};
use crate::engine::review::MoveReview;
use crate::lab::ours::disagreements::Exhibit;
use crate::search::{Behind, Line, Origin};

/// What a page asks.
#[derive(Deserialize, Debug)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Ask {
    /// The move that a preset plays.
    Move {
        id: u64,
        game: String,
        preset: String,
        #[serde(default)]
        set: BTreeMap<String, String>,
        clock: Option<ClockLeft>,
    },
    /// The values of the best moves, better and better until told to stop.
    Analyze {
        id: u64,
        game: String,
        #[serde(default)]
        set: BTreeMap<String, String>,
        lines: u8,
        /// Milliseconds; without, as long as anybody may look at one position.
        time: Option<u64>,
    },
    /// What each move of a game gave away, the last first, back to move number `from` (from 0).
    Review { id: u64, game: String, from: usize },
    /// What a method says about a position, with what lies behind it.
    Compare {
        id: u64,
        column: u8,
        game: String,
        #[serde(default)]
        set: BTreeMap<String, String>,
    },
    /// End searches.
    Stop { what: What },
    /// The game as a file of this format.
    Write { id: u64, format: FileFormat, game: GameToWrite },
    /// What the book knows of a position, and the name of the opening.
    Book { id: u64, game: String },
    /// Tell about the watched match from now on, or no more.
    Watch { on: bool },
    /// A game of the watched match.
    Watched { id: u64, number: usize },
    /// Nothing: shows that the page is alive.
    Ping { id: u64 },
}

/// The time a player has left.
#[derive(Deserialize, Debug, Clone, Copy)]
#[serde(deny_unknown_fields)]
pub(super) struct ClockLeft {
    pub left_ms: u64,
    #[serde(default)]
    pub increment_ms: u64,
}

/// Which searches to end.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum What {
    Move,
    Analyze,
    Review,
    Compare,
    All,
}

/// Formats that pages write.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum FileFormat {
    Ggf,
    Sgf,
    Transcript,
}

/// A game with what is known about it.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct GameToWrite {
    pub game: String,
    #[serde(default)]
    pub black: String,
    #[serde(default)]
    pub white: String,
    #[serde(default)]
    pub date: String,
    /// The colour that gave up, if one did.
    pub resigned: Option<String>,
    /// For each move the mover's opinion, discs.
    #[serde(default)]
    pub evals: Vec<Option<f64>>,
    /// For each move the time used, seconds.
    #[serde(default)]
    pub times: Vec<Option<f64>>,
}

/// What the server says.
#[derive(Serialize, Debug, Clone)]
#[serde(tag = "say", rename_all = "kebab-case")]
pub(super) enum Say {
    /// The first word: what there is.
    Hello {
        version: &'static str,
        preset: String,
        presets: Vec<Preset>,
        methods: Vec<Method>,
        sliders: Vec<Slider>,
        gallery: Vec<Exhibit>,
        book: bool,
        watch: bool,
    },
    /// All places are taken; the connection ends.
    Busy { tabs: usize },
    /// How far a search is.
    Progress { id: u64, report: Report },
    /// Nothing new, but the search goes on.
    Tick { id: u64, seconds: f64 },
    /// The end of a search.
    Done { id: u64, report: Report, stopped: bool },
    /// What lies behind the value that comes next; told to columns of a comparison.
    Behind { id: u64, behind: Behind },
    /// The command line that gives the same answer as a column.
    Command { id: u64, command: String },
    /// One move of a game under review.
    Reviewed { id: u64, review: MoveReview },
    /// The whole game is reviewed.
    ReviewDone { id: u64 },
    /// A game as text.
    Written { id: u64, name: String, text: String },
    /// What the book knows.
    Book { id: u64, view: BookView },
    /// The state of the watched match.
    Match { state: serde_json::Value },
    /// A game of the watched match.
    Game { id: u64, game: serde_json::Value },
    /// The answer to a ping.
    Pong { id: u64 },
    /// A question that cannot be answered, and why.
    Refused { id: Option<u64>, reason: String },
}

/// What a search found so far.
#[derive(Serialize, Debug, Clone, PartialEq)]
pub(super) struct Report {
    /// Whether the moves come from a search or from the opening book.
    pub origin: Origin,
    pub depth: u32,
    pub lines: Vec<Line>,
    pub nodes: u64,
    pub playouts: u64,
    pub seconds: f64,
}
