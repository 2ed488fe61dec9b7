//! NBoard, protocols 1 and 2: the GUI owns the game, the engine comments and suggests.
//!
//! Kitai's own extension: `set option NAME VALUE` sets an engine option for the next search; the
//! answer is a status line.

pub mod grammar;
mod session;
#[cfg(test)]
mod tests;
mod writer;

pub use session::NBoardSession;
