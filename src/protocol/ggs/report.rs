//! What the session tells those who keep records and show the state of things.

use serde::{Deserialize, Serialize};

use super::event::Flag;
use crate::record::GameRecord;

/// Something worth keeping or showing.
#[derive(Clone, Debug)]
pub enum Report {
    /// A match as it stands after a move: kept until it is finished.
    Unfinished {
        /// Which match of this session; never used twice.
        tag: u64,
        /// Its game, or two.
        records: Vec<GameRecord>,
    },
    /// A match that is over.
    Finished {
        /// Which match of this session.
        tag: u64,
        /// Its game, or two; none if nothing was played.
        records: Vec<GameRecord>,
        /// What came of it.
        result: Box<ResultLine>,
    },
    /// A new rating of the bot.
    Rating(RatingLine),
    /// How a game stands.
    State(StateLine),
    /// A match is no longer played: its line of state can go.
    Gone {
        /// Its id on the server.
        number: u32,
    },
    /// Anything else that an operator may want to know.
    News(String),
}

/// The result of a match, as the history keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultLine {
    /// Who.
    pub opponent: String,
    /// The opponent's rating.
    pub opponent_rating: f64,
    /// The bot's own.
    pub own_rating: f64,
    /// `8`, `s8r20`.
    pub game_type: String,
    /// What it counted for.
    pub flag: Option<Flag>,
    /// The bot's colour; none in synchro matches.
    pub color: Option<String>,
    /// Discs from the bot's view; none if there is no result.
    pub result: Option<f64>,
    /// `played`, `aborted`, `left`; `unknown` if its end was not heard and the server does not tell it.
    pub ending: String,
    /// Number in the server's archive.
    pub archive: Option<u32>,
    /// The bot's moves and the seconds they took.
    pub moves: usize,
    /// Seconds of thinking.
    pub seconds: f64,
    /// Whether the bot's main time ran out.
    pub time_out: bool,
}

impl ResultLine {
    /// Of a match whose end was not heard.
    pub fn unknown(
        opponent: String,
        opponent_rating: f64,
        own_rating: f64,
        game_type: String,
    ) -> ResultLine {
        ResultLine {
            opponent,
            opponent_rating,
            own_rating,
            game_type,
            flag: None,
            color: None,
            result: None,
            ending: "unknown".to_owned(),
            archive: None,
            moves: 0,
            seconds: 0.0,
            time_out: false,
        }
    }
}

/// Whether every game of `old` is the beginning of one of `new`: same players, same start. The last
/// move may be missing: a half-move of a synchro match is taken back when a player leaves.
pub fn continues(old: &[GameRecord], new: &[GameRecord]) -> bool {
    let follows = |old: &GameRecord, new: &GameRecord| {
        let (before, after) = (old.history.moves(), new.history.moves());
        let common = before.iter().zip(after).take_while(|(one, other)| one == other).count();
        old.black.name == new.black.name
            && old.white.name == new.white.name
            && old.history.start() == new.history.start()
            && common + 1 >= before.len()
            // Two games of two moves may begin alike by chance.
            && (common > 0 || before.is_empty())
    };
    !old.is_empty() && old.iter().all(|old| new.iter().any(|new| follows(old, new)))
}

/// A rating, as the history keeps it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingLine {
    /// `8` or `8r`.
    pub pool: String,
    /// The rating.
    pub rating: f64,
    /// How unsure it is.
    pub deviation: f64,
    /// What the last match changed.
    pub change: f64,
}

/// How a game stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StateLine {
    /// `.5`, `.5.0`.
    pub game: String,
    /// The id of its match.
    pub number: u32,
    /// `8`, `s8`.
    pub game_type: String,
    /// Who plays Black and White, as far as it is known.
    pub players: [String; 2],
    /// Moves made.
    pub made: usize,
    /// `thinking`, `waiting`, `over`.
    pub doing: &'static str,
    /// The bot's last value, discs.
    pub value: Option<f64>,
    /// Seconds left on the clocks of Black and White.
    pub left: [f64; 2],
}

impl std::fmt::Display for StateLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let StateLine { game, game_type, players, made, doing, left, .. } = self;
        write!(
            f,
            "{game:<6} {game_type:<6} {} (*, {:.0} s) – {} (O, {:.0} s), move {made}, {doing}",
            players[0], left[0], players[1], left[1]
        )?;
        self.value.map_or(Ok(()), |value| write!(f, ", {value:+.2}"))
    }
}
