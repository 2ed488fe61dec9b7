//! Boards with a side to move, games with a history, and the text and binary formats they are
//! kept in.

pub mod board;
pub mod history;

pub use board::{Board, BoardError};
pub use history::{History, IllegalMove};
