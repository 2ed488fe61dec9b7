//! GTP 2, the Go Text Protocol in its Othello flavour: rows count from the top, passes may or may
//! not be sent.
//!
//! Private commands begin with `kitai-`:
//! - `kitai-options` lists every option with its value, type and range;
//! - `kitai-set NAME VALUE` sets one for the next search, `kitai-set_level N` takes a preset
//!   `level-N`;
//! - `kitai-setup_board BOARD` starts from 64 squares and a side (`X` black, `O` white, `-` empty);
//! - `kitai-analyze [COLOR] [CENTISECONDS]` streams one line of `info move …` per report until the
//!   analysis is complete or anything else is sent.

mod analysis;
mod answers;
pub mod grammar;
mod session;
#[cfg(test)]
mod tests;
mod writer;

pub use session::GtpSession;
