//! The languages Kitai speaks: GTP and NBoard as a server, GGS as a bot. Each protocol is a grammar (text to typed commands), a session
//! (inputs to actions) and a writer (the exact words of the replies).
//!
//! A [`Session`] is a plain state machine: an [`Input`] goes in (a line, an engine event, a timer,
//! a file that was read), [`Action`]s come out (send, think, stop, read, save, …), and the server
//! carries them out. It never reads, writes, waits or searches, and it is told what time it is, so
//! whole conversations run in tests without a process. One session may play many games at once;
//! each search names its game and itself.

pub mod auto;
pub mod ggs;
pub mod gtp;
pub mod nboard;
#[cfg(test)]
mod testing;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::engine::{EngineEvent, GameId, SearchId, Task};
use crate::options::{OptionError, Options, Wire};

/// A line from the client, without its line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputLine<'a> {
    /// The text; bytes that are no UTF-8 were read as Latin-1.
    Text(&'a str),
    /// Longer than the server takes; its text is gone.
    TooLong,
}

/// Names something that a session asked for and will hear of again: a file, a timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestId(pub u64);

/// What a session is told.
#[derive(Debug)]
pub enum Input<'a> {
    /// The client said this.
    Line(InputLine<'a>),
    /// A search thread said this.
    Event(EngineEvent),
    /// The time asked for with [`Action::Later`] has come.
    Timer(RequestId),
    /// What an [`Action::Load`] read, or why it could not.
    Loaded(RequestId, Result<Vec<u8>, String>),
    /// Whether an [`Action::Save`] is safely on disk, or why not.
    Saved(RequestId, Result<(), String>),
    /// The client will send nothing more.
    EndOfInput,
}

/// What a session wants done.
#[derive(Clone, Debug)]
pub enum Action {
    /// Send this text to the client.
    Send(String),
    /// Send this text, which no log may show.
    Secret(String),
    /// Tell those who keep records and show the state of things.
    Report(Box<ggs::Report>),
    /// Make the method of a game from these options; a new game begins with it. The answer is
    /// [`crate::engine::SearchUpdate::Ready`] or a failure, and then the old options still hold.
    Configure {
        /// Which game.
        game: GameId,
        /// What the answer will be called.
        search: SearchId,
        /// The options.
        options: Box<Options>,
    },
    /// Think about a game, ending what ran for it.
    Think {
        /// Which game.
        game: GameId,
        /// What the events will be called.
        search: SearchId,
        /// What to think about, and how long.
        task: Box<Task>,
    },
    /// End the search of a game; its last event still comes.
    Stop {
        /// Which game.
        game: GameId,
    },
    /// End the search of a game and forget those that wait; what still comes is dropped by its id.
    Abandon {
        /// Which game.
        game: GameId,
    },
    /// Forget what the searches of a game learnt, ending the one that runs.
    Clear {
        /// Which game.
        game: GameId,
    },
    /// A game is over for good: end its thread.
    Close {
        /// Which game.
        game: GameId,
    },
    /// Read a file of the server's machine.
    Load {
        /// What the answer will be called.
        request: RequestId,
        /// The file.
        file: PathBuf,
    },
    /// Add a line to the file of learnt games.
    Save {
        /// What the answer will be called.
        request: RequestId,
        /// The line, without its end.
        line: String,
    },
    /// Say so when this much time has passed.
    Later {
        /// What the timer will be called.
        request: RequestId,
        /// How long from now.
        after: Duration,
    },
}

/// The actions of one step, in order.
#[derive(Debug, Default)]
pub struct Actions(Vec<Action>);

impl Actions {
    /// Adds an action.
    pub fn push(&mut self, action: Action) {
        self.0.push(action);
    }

    /// The text being sent, to append to.
    pub fn text(&mut self) -> &mut String {
        if !matches!(self.0.last(), Some(Action::Send(_))) {
            self.0.push(Action::Send(String::new()));
        }
        match self.0.last_mut() {
            Some(Action::Send(text)) => text,
            _ => unreachable!("a text was just added"),
        }
    }

    /// Takes the actions out.
    pub fn drain(&mut self) -> impl Iterator<Item = Action> + '_ {
        self.0.drain(..)
    }

    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// How far a session has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Serving.
    Open,
    /// The client sends nothing more: what it asked for is being finished.
    Closing,
    /// Nothing more will be said.
    Finished,
}

/// What a client may do besides playing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permissions {
    /// Whether it may name files to read: not over the network.
    pub files: bool,
    /// Whether there is a file for the games it wants learnt.
    pub learn: bool,
}

impl Permissions {
    /// The options with this one changed, if the client may change it.
    ///
    /// # Errors
    /// An unknown option, a bad value, or one that names a file over the network.
    pub fn with_option(
        self,
        options: &Options,
        name: &str,
        value: &str,
    ) -> Result<Options, OptionError> {
        let spec = Options::spec(name)?;
        if spec.wire == Wire::No && !self.files {
            return Err(OptionError::Unusable {
                name: spec.name,
                reason: "names a file, which clients on the network may not".to_owned(),
            });
        }
        let mut changed = options.clone();
        changed.set(name, value)?;
        Ok(changed)
    }
}

/// Numbers for searches and requests, each used once.
#[derive(Debug, Default)]
pub(crate) struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }

    pub(crate) fn search(&mut self) -> SearchId {
        SearchId(self.next())
    }

    pub(crate) fn request(&mut self) -> RequestId {
        RequestId(self.next())
    }
}

/// One client's conversation. Its games must be configured before they are thought about; the
/// server does that for [`GameId`] 0, with the options the session was made with and the
/// [`SearchId`] 0, before the first line is sent in.
pub trait Session: Send {
    /// Takes what happened at `now` and adds what is to be done.
    fn take(&mut self, input: Input<'_>, now: Instant, actions: &mut Actions);

    /// Whether another line may be sent in. False while too many wait: the server then leaves them
    /// in the pipe.
    fn wants_input(&self) -> bool {
        true
    }

    /// How far the session has come.
    fn phase(&self) -> Phase;
}
