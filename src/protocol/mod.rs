//! The languages Kitai speaks. Each protocol is a grammar (text to typed commands), a session
//! (commands and engine events to replies) and a writer (the exact words of the replies).
//!
//! A [`Session`] is a plain state machine: lines and events go in, text comes out. It never reads,
//! writes, waits or searches, so whole conversations run in tests without a process.

pub mod auto;
pub mod gtp;
pub mod nboard;

use std::path::PathBuf;

use crate::engine::EngineEvent;

/// A line from the client, without its line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputLine<'a> {
    /// The text; bytes that are no UTF-8 were read as Latin-1.
    Text(&'a str),
    /// Longer than the server takes; its text is gone.
    TooLong,
}

/// How far a session has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Serving.
    Open,
    /// The client is leaving: the running work may finish if it is quick.
    Closing,
    /// Nothing more will be said.
    Finished,
}

/// What a client may touch besides the engine.
#[derive(Clone, Debug, Default)]
pub struct Permissions {
    /// Whether it may name files to read.
    pub files: bool,
    /// Where the games go that it asks to learn.
    pub learn_file: Option<PathBuf>,
}

/// One client's conversation.
pub trait Session: Send {
    /// Takes a line and appends the replies it has at once.
    fn line(&mut self, line: InputLine<'_>, out: &mut String);

    /// Takes an event of the search thread.
    fn event(&mut self, event: EngineEvent, out: &mut String);

    /// The client will send nothing more.
    fn end_of_input(&mut self, out: &mut String);

    /// The time for finishing is over: stop searching now, and every search from now on.
    fn hurry(&mut self);

    /// Whether another line may be sent in. False while too many wait: the server then leaves them
    /// in the pipe.
    fn wants_input(&self) -> bool {
        true
    }

    /// How far the session has come.
    fn phase(&self) -> Phase;
}
