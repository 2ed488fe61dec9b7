//! Which protocol a client speaks, from its first line.
//!
//! NBoard's first line is `nboard N`; clients that leave it out begin with `ping` or `set`, which
//! GTP does not have. Everything else is GTP.

use super::gtp::GtpSession;
use super::nboard::NBoardSession;
use super::{InputLine, Permissions, Phase, Session};
use crate::engine::{Engine, EngineEvent};

/// What only NBoard clients begin with.
const NBOARD_WORDS: [&str; 3] = ["nboard", "ping", "set"];

/// A session that becomes NBoard or GTP with the first line that says something.
pub struct AutoSession {
    state: State,
    permissions: Permissions,
}

enum State {
    Undecided(Option<Engine>),
    Decided(Box<dyn Session>),
}

impl AutoSession {
    /// A session that has not heard anything yet.
    pub fn new(engine: Engine, permissions: Permissions) -> AutoSession {
        AutoSession { state: State::Undecided(Some(engine)), permissions }
    }

    fn decide(&mut self, line: InputLine<'_>) {
        let State::Undecided(engine) = &mut self.state else { return };
        let first_word = match line {
            InputLine::Text(text) => text.split_whitespace().next(),
            InputLine::TooLong => Some(""),
        };
        let Some(first_word) = first_word else { return };
        let Some(engine) = engine.take() else { return };
        let permissions = std::mem::take(&mut self.permissions);
        self.state = State::Decided(if NBOARD_WORDS.contains(&first_word) {
            Box::new(NBoardSession::new(engine, permissions.learn_file))
        } else {
            Box::new(GtpSession::new(engine, permissions.files))
        });
    }

    fn decided(&mut self) -> Option<&mut Box<dyn Session>> {
        match &mut self.state {
            State::Undecided(_) => None,
            State::Decided(session) => Some(session),
        }
    }
}

impl Session for AutoSession {
    fn line(&mut self, line: InputLine<'_>, out: &mut String) {
        self.decide(line);
        if let Some(session) = self.decided() {
            session.line(line, out);
        }
    }

    fn event(&mut self, event: EngineEvent, out: &mut String) {
        if let Some(session) = self.decided() {
            session.event(event, out);
        }
    }

    fn end_of_input(&mut self, out: &mut String) {
        match &mut self.state {
            State::Undecided(engine) => *engine = None,
            State::Decided(session) => session.end_of_input(out),
        }
    }

    fn hurry(&mut self) {
        if let Some(session) = self.decided() {
            session.hurry();
        }
    }

    fn wants_input(&self) -> bool {
        match &self.state {
            State::Undecided(_) => true,
            State::Decided(session) => session.wants_input(),
        }
    }

    fn phase(&self) -> Phase {
        match &self.state {
            State::Undecided(Some(_)) => Phase::Open,
            State::Undecided(None) => Phase::Finished,
            State::Decided(session) => session.phase(),
        }
    }
}
