//! Which protocol a client speaks, from its first line.
//!
//! NBoard's first line is `nboard N`; clients that leave it out begin with `ping` or `set`, which
//! GTP does not have. Everything else is GTP.

use std::time::Instant;

use super::gtp::GtpSession;
use super::nboard::NBoardSession;
use super::{Actions, Input, InputLine, Permissions, Phase, Session};
use crate::options::Options;

/// What only NBoard clients begin with.
const NBOARD_WORDS: [&str; 3] = ["nboard", "ping", "set"];

/// A session that becomes NBoard or GTP with the first line that says something.
pub struct AutoSession {
    state: State,
}

enum State {
    Undecided(Options, Permissions),
    Decided(Box<dyn Session>),
    LeftUnsaid,
}

impl AutoSession {
    /// A session that has not heard anything yet.
    pub fn new(options: Options, permissions: Permissions) -> AutoSession {
        AutoSession { state: State::Undecided(options, permissions) }
    }

    fn decide(&mut self, line: InputLine<'_>) {
        let State::Undecided(options, permissions) = &mut self.state else { return };
        let first_word = match line {
            InputLine::Text(text) => text.split_whitespace().next(),
            InputLine::TooLong => Some(""),
        };
        let Some(first_word) = first_word else { return };
        let options = std::mem::take(options);
        self.state = State::Decided(if NBOARD_WORDS.contains(&first_word) {
            Box::new(NBoardSession::new(options, *permissions))
        } else {
            Box::new(GtpSession::new(options, *permissions))
        });
    }
}

impl Session for AutoSession {
    fn take(&mut self, input: Input<'_>, now: Instant, actions: &mut Actions) {
        if let Input::Line(line) = &input {
            self.decide(*line);
        }
        match &mut self.state {
            State::Decided(session) => session.take(input, now, actions),
            State::Undecided(..) if matches!(input, Input::EndOfInput) => {
                self.state = State::LeftUnsaid;
            }
            State::Undecided(..) | State::LeftUnsaid => {}
        }
    }

    fn wants_input(&self) -> bool {
        match &self.state {
            State::Decided(session) => session.wants_input(),
            State::Undecided(..) | State::LeftUnsaid => true,
        }
    }

    fn phase(&self) -> Phase {
        match &self.state {
            State::Undecided(..) => Phase::Open,
            State::LeftUnsaid => Phase::Finished,
            State::Decided(session) => session.phase(),
        }
    }
}
