//! GGS, the server where Othello programs and people play: a bot that can be left alone.
//!
//! The way of a line: [`framing`] puts lines together into messages, [`grammar`] makes an
//! [`event::Event`] of each, the session ([`GgsSession`]) decides, and [`writer`] knows the words of
//! the commands. [`settings`] is what the operator wants, [`report`] what is kept and shown.

mod boards;
pub mod event;
pub mod framing;
mod game;
pub mod grammar;
#[cfg(test)]
mod grammar_tests;
mod policy;
pub mod report;
mod session;
pub mod settings;
pub mod words;
pub mod writer;

pub use report::Report;
pub use session::{GgsSession, NextStep};
pub use settings::Settings;
