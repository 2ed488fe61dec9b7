//! The one object every protocol talks to: options, and a thread that thinks with them.
//!
//! A session owns an [`Engine`] and its game; the server hands the session the [`EngineEvent`]s
//! that the search thread sends. Starting and stopping a search never waits: a stopped search may
//! still send an event or two, which the session knows by their [`SearchId`] and drops. Choosing
//! a move without a thread (command line, matches) is [`Player`]'s work.

mod choice;
pub mod clock;
mod game_state;
mod limits;
pub mod player;
mod thread;
pub mod time;

pub use clock::{Clock, Overtime};
pub use game_state::{GameState, Illegal, TurnState};
pub use limits::{Task, move_limits, unforced_limits};
pub use player::Player;
pub use thread::{EngineEvent, SearchId, SearchUpdate};

use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;

use tokio::sync::mpsc::Receiver;

use crate::options::{OptionError, Options};
use crate::search::StopFlag;
use thread::{Command, Wanted};

/// The number of no search; the first is 1.
const NONE_WANTED: u64 = 0;

/// A handle on the search thread, with the options of its next search.
pub struct Engine {
    options: Options,
    commands: Sender<Command>,
    running: Option<(SearchId, StopFlag)>,
    wanted: Wanted,
    next: u64,
}

impl Engine {
    /// Starts a search thread. Its events come through the returned channel, which the caller must
    /// keep reading.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub fn start(options: Options) -> std::io::Result<(Engine, Receiver<EngineEvent>)> {
        let wanted = Wanted::default();
        let (commands, events) = thread::start(wanted.clone())?;
        Ok((Engine { options, commands, running: None, wanted, next: 1 }, events))
    }

    /// The options that the next search will use.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Sets an option for the next search; on an error nothing changes.
    ///
    /// # Errors
    /// An unknown name or a value out of range.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.options.set(name, value)
    }

    /// Takes over every option that a preset sets; the others stay.
    pub fn overlay_options(&mut self, preset: &Options) {
        self.options.overlay(preset);
    }

    /// Starts thinking about a task, stopping what ran before.
    pub fn think(&mut self, task: Task) -> SearchId {
        self.stop();
        let search = SearchId(self.next);
        self.next += 1;
        self.wanted.store(search.0, Ordering::Relaxed);
        let stop = StopFlag::new();
        self.running = Some((search, stop.clone()));
        self.send(Command::Search { search, task, options: self.options.clone(), stop });
        search
    }

    /// Whether this is the search started last.
    pub fn is_current(&self, search: SearchId) -> bool {
        self.running.as_ref().is_some_and(|(current, _)| *current == search)
    }

    /// Asks the running search, if any, to end; it still sends its last event.
    pub fn stop(&self) {
        if let Some((_, stop)) = &self.running {
            stop.stop();
        }
    }

    /// Stops the running search and disowns it: none of its events is current any more.
    pub fn abandon(&mut self) {
        self.stop();
        self.running = None;
        self.wanted.store(NONE_WANTED, Ordering::Relaxed);
    }

    /// Forgets everything earlier searches learnt.
    pub fn clear(&mut self) {
        self.abandon();
        self.send(Command::Clear);
    }

    fn send(&self, command: Command) {
        // The thread lives as long as the sender; if it died the events' channel closes, and the
        // server ends the session.
        let _ = self.commands.send(command);
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Position;
    use crate::search::Limits;

    fn engine(settings: &[(&str, &str)]) -> (Engine, Receiver<EngineEvent>) {
        let mut options = Options::new();
        for (name, value) in settings {
            options.set(name, value).unwrap();
        }
        Engine::start(options).unwrap()
    }

    /// The end of the current search.
    fn end(engine: &Engine, events: &mut Receiver<EngineEvent>) -> SearchUpdate {
        loop {
            let event = events.blocking_recv().unwrap();
            if engine.is_current(event.search) && !matches!(event.update, SearchUpdate::Progress(_))
            {
                return event.update;
            }
        }
    }

    #[test]
    fn a_search_reports_progress_and_its_end() {
        let (mut engine, mut events) = engine(&[("depth", "3")]);
        let search = engine.think(Task::play(engine.options(), Position::START, None));
        let mut progress = 0;
        loop {
            let event = events.blocking_recv().unwrap();
            assert_eq!(event.search, search);
            match event.update {
                SearchUpdate::Progress(_) => progress += 1,
                SearchUpdate::Done(outcome) => {
                    assert!(outcome.best_move().is_some());
                    break;
                }
                SearchUpdate::Failed(text) => panic!("{text}"),
            }
        }
        assert!(progress > 0);
    }

    #[test]
    fn only_the_last_of_many_searches_is_current_and_it_ends() {
        let (mut engine, mut events) = engine(&[("depth", "3")]);
        for _ in 0..500 {
            engine.think(Task::play(engine.options(), Position::START, None));
        }
        assert!(matches!(end(&engine, &mut events), SearchUpdate::Done(_)));
    }

    #[test]
    fn a_stopped_search_still_answers_and_an_abandoned_one_is_never_current() {
        let (mut engine, mut events) = engine(&[]);
        let limits = Limits::depth(60);
        let abandoned = engine.think(Task::hint(Position::START, limits, 1));
        engine.abandon();
        assert!(!engine.is_current(abandoned));
        engine.think(Task::hint(Position::START, limits, 1));
        engine.stop();
        assert!(matches!(end(&engine, &mut events), SearchUpdate::Done(_)));
    }

    #[test]
    fn an_engine_nobody_listens_to_does_not_pile_up_events() {
        let (mut engine, mut events) = engine(&[("depth", "1")]);
        for _ in 0..10_000 {
            engine.think(Task::play(engine.options(), Position::START, None));
        }
        assert!(events.len() <= events.max_capacity());
        assert!(matches!(end(&engine, &mut events), SearchUpdate::Done(_)));
    }
}
