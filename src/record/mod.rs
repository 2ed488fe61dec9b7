//! Boards with a side to move, games with a history, and the text and binary formats they are
//! kept in.
//!
//! Every format reads into and writes from one type, [`GameRecord`]; [`mod@format`] is the door to all
//! of them and says what each keeps. Parsers are total: any bytes give a value or a
//! [`RecordError`] that says what was expected and where.

pub mod append;
pub mod board;
pub mod clock;
pub mod date;
pub mod error;
pub mod format;
pub mod game_record;
pub mod ggf;
mod grammar;
pub mod history;
pub mod lines;
pub mod obf;
pub mod sealed;
pub mod sgf;
pub mod stream;
pub mod transcript;
pub mod whole_file;
pub mod wthor;

pub use board::{Board, BoardError};
pub use clock::{BareNumber, ClockError, ClockSettings, Period};
pub use error::{Fault, Place, RecordError};
pub use format::{Format, OpenError, Records, open};
pub use game_record::{
    Bid, Ending, GameRecord, GameResult, Komi, Margin, Note, PairHalf, PlayerInfo, Theory,
};
pub use history::{History, IllegalMove};
