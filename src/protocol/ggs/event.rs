//! What messages mean: one type for everything the game server may say. What nobody here
//! understands is an event too.

use crate::othello::{Color, Move};
use crate::record::{Board, GameRecord, Note};

use super::words::{GameKey, GameType, GgsClock};

/// A message, understood.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// `: + /os 1`, `: - /os 1`: someone came or went.
    Presence {
        /// Who.
        login: String,
        /// Whether they are there now.
        present: bool,
    },
    /// Another word of the central server, such as `ERR user '/os' not found.`.
    Central(Vec<String>),
    /// A challenge is there.
    Request(Box<Request>),
    /// A challenge is gone: taken up, declined, cancelled.
    RequestGone(Box<Request>),
    /// A match begins.
    MatchBegins(Box<MatchLine>),
    /// A match is over.
    MatchEnds {
        /// Its line.
        line: Box<MatchLine>,
        /// How it ended.
        ending: MatchEnding,
        /// The number of the game in the server's archive.
        archive: Option<u32>,
    },
    /// A whole game: at its start, or asked for, or after it was changed.
    Join(Box<GameView>),
    /// A move was made.
    Update(Box<GameView>),
    /// A whole game in compact form.
    CompactJoin {
        /// Which.
        game: GameKey,
        /// The game.
        record: Box<GameRecord>,
    },
    /// A move in compact form.
    CompactUpdate {
        /// Which game.
        game: GameKey,
        /// The move.
        played: PlayedMove,
    },
    /// One game of a synchro match is over.
    GameEnds {
        /// Which.
        game: GameKey,
        /// The player who asked for the match.
        first: String,
        /// The result from that player's view, unless it was aborted or left.
        result: Option<f64>,
    },
    /// A board that cannot be read: the game is to be asked for again.
    BadBoard(GameKey),
    /// New ratings after a match.
    Ratings {
        /// Which match.
        number: u32,
        /// One of each player.
        changes: Vec<RatingChange>,
    },
    /// A player's main time (or, `fatal`, all time) is gone.
    TimeOut {
        /// Which game.
        game: GameKey,
        /// Whose.
        login: String,
        /// Whether the game is over with it.
        fatal: bool,
    },
    /// A player sent less thinking time than can be.
    TrustViolation {
        /// Which game.
        game: GameKey,
        /// Who.
        login: String,
    },
    /// A player asks something that needs the other's consent.
    Question {
        /// What.
        question: Question,
        /// In which game.
        game: GameKey,
        /// Who.
        login: String,
    },
    /// `error .5 illegal move`: about what we sent for a game.
    GameError {
        /// Which game.
        game: GameKey,
        /// What is wrong.
        text: String,
    },
    /// `ERR …`, or the bare text about a wrong type: about what we sent otherwise.
    ServiceError(String),
    /// The games a player has stored.
    Stored(Vec<StoredGame>),
    /// The matches of a player that ended lately.
    History(Vec<HistoryEntry>),
    /// An opponent with stored games has come.
    StoredOpponent(String),
    /// The server's own record of a match: one game, or the two of a synchro match.
    Archive {
        /// Its number, if the server says it.
        archive: Option<u32>,
        /// The games.
        records: Vec<GameRecord>,
    },
    /// Text from a user to us.
    Tell {
        /// Who.
        from: String,
        /// The lines.
        lines: Vec<String>,
    },
    /// Something said to others or beside a game, lists nobody asked for, whatever is not
    /// understood. Logged, never acted on.
    Other(String),
}

/// What a player may ask the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// Take the last move back.
    Undo,
    /// End the match without a result.
    Abort,
    /// End the game with a score both agree on.
    Score,
}

/// What kind of match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flag {
    /// For ratings.
    Rated,
    /// Not for ratings.
    Unrated,
    /// A stored game goes on.
    Stored,
    /// Of a tournament.
    Tournament,
}

/// A challenge.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Its id, of a pool of its own.
    pub number: u32,
    /// Who asks.
    pub asker: String,
    /// The asker's rating.
    pub asker_rating: f64,
    /// The asker's clock.
    pub asker_clock: GgsClock,
    /// What to play.
    pub game_type: GameType,
    /// What it counts for.
    pub flag: Flag,
    /// Whom: nobody in particular if `None`.
    pub opponent: Option<String>,
    /// The opponent's rating.
    pub opponent_rating: Option<f64>,
    /// The opponent's clock.
    pub opponent_clock: GgsClock,
    /// Number of the stored game.
    pub archive: Option<u32>,
}

/// The line about a match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchLine {
    /// Its id, of a pool of its own.
    pub number: u32,
    /// The one who asked, and the other: names and ratings.
    pub players: [(String, f64); 2],
    /// What is played.
    pub game_type: GameType,
    /// What it counts for.
    pub flag: Flag,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq)]
pub enum MatchEnding {
    /// With this result from the first player's view.
    Result(f64),
    /// By consent.
    Aborted,
    /// Someone left; if it was rated, it is stored.
    Left(String),
}

/// A game as the server shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct GameView {
    /// Which.
    pub game: GameKey,
    /// What is played.
    pub game_type: GameType,
    /// Black's handicap, once the bids are in.
    pub komi: Option<f64>,
    /// Moves made so far; passes count.
    pub made: usize,
    /// Board and clocks the game began with, where they are shown.
    pub start: Option<(Board, [GgsClock; 2])>,
    /// The moves shown: all of a joined game, the last one of an update.
    pub moves: Vec<PlayedMove>,
    /// The players, in the order shown.
    pub players: [PlayerLine; 2],
    /// The board now.
    pub board: Board,
}

/// A player's line above a board.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerLine {
    /// Who.
    pub login: String,
    /// Rating.
    pub rating: f64,
    /// Colour; `None` while bids are awaited.
    pub color: Option<Color>,
    /// Clock.
    pub clock: GgsClock,
}

/// A move as the server repeats it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayedMove {
    /// The move.
    pub played: Move,
    /// The evaluation and time that the player sent.
    pub note: Note,
}

/// What a match did to a rating.
#[derive(Clone, Debug, PartialEq)]
pub struct RatingChange {
    /// Whose.
    pub login: String,
    /// Before.
    pub old: f64,
    /// After.
    pub new: f64,
    /// How unsure the new rating is.
    pub deviation: f64,
}

/// A stored game as lists show it.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredGame {
    /// Its number in the archive.
    pub archive: u32,
    /// The players.
    pub players: [String; 2],
    /// What is played, with the way it ended.
    pub game_type: String,
}

/// A match that ended, as lists show it.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryEntry {
    /// Its number in the archive.
    pub archive: u32,
    /// The one who asked, and the other.
    pub players: [String; 2],
    /// The result from the first player's view.
    pub result: f64,
    /// What was played.
    pub game_type: GameType,
}
