//! The server as its clients see it: the real binary over pipes.
//!
//! [`scripts`] plays the conversations in `protocol-tests/`; the other modules need more than a
//! script can say.

// Tests may unwrap; clippy knows only of those inside `#[test]` functions.
#![allow(clippy::unwrap_used)]

mod bad_input;
mod client;
mod leaving;
mod ping;
mod rhino;
mod same_move;
mod script;
mod scripts;
mod tcp;
