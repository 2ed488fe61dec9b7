//! What every protocol and every match talks to: games, and threads that think about them.
//!
//! An [`Engine`] serves any number of games, each with a thread, a method and tables of its own;
//! the events of all of them come through one channel and name their game and search. Starting and
//! stopping a search never waits: a stopped search may still send an event or two, which whoever
//! asked for it knows by its [`SearchId`] and drops. Before its first search a game is configured:
//! method, tables and memory are made then, so that no search pays for them. Choosing a move
//! without a thread (command line) is [`Player`]'s work; a [`GameState`] is the game itself.

pub mod budget;
pub mod catalogue;
mod choice;
pub mod clock;
mod game_state;
mod limits;
pub mod player;
pub mod review;
pub mod time;
mod worker;

pub use budget::Budget;
pub use clock::{Clock, Overtime};
pub use game_state::{GameState, Illegal, TurnState};
pub use limits::{Task, move_limits, unforced_limits};
pub use player::{Player, changes_method};

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc::{Receiver, channel};

use crate::options::Options;
use crate::search::{Behind, Event, Outcome};
use worker::Worker;

/// Events that may wait for a slow session; further progress is dropped.
const EVENT_ROOM: usize = 64;

/// Names a game of a session; the session chooses the number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct GameId(pub u32);

/// Names a search (or a configuration), so that late events of a stopped one can be told from
/// those of the next; whoever asks for it chooses a number that was not used before.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SearchId(pub u64);

/// What a search thread says.
#[derive(Clone, Debug)]
pub struct EngineEvent {
    /// Which game this is about.
    pub game: GameId,
    /// Which search.
    pub search: SearchId,
    /// What happened.
    pub update: SearchUpdate,
}

/// What can happen to a search.
#[derive(Clone, Debug)]
pub enum SearchUpdate {
    /// A better or deeper answer; more may come.
    Progress(Event),
    /// What lies behind the answer that comes next, if the task asked for it and the method can
    /// tell.
    Behind(Behind),
    /// The search is over, by itself or stopped.
    Done(Outcome),
    /// The game is configured as asked.
    Ready,
    /// The search could not be made, or the configuration was refused and the old one stays; the
    /// text says why.
    Failed(String),
}

/// Where events go. Called from search threads.
pub type EventSink = Arc<dyn Fn(EngineEvent) + Send + Sync>;

/// The search threads of some games.
pub struct Engine {
    games: BTreeMap<GameId, Worker>,
    sink: EventSink,
    budget: Budget,
}

impl Engine {
    /// An engine without games, whose events go to `sink`.
    pub fn new(budget: Budget, sink: EventSink) -> Engine {
        Engine { games: BTreeMap::new(), sink, budget }
    }

    /// An engine without games, whose events come through the returned channel. Progress that
    /// finds the channel full is dropped; whatever ends a search waits.
    pub fn with_channel(budget: Budget) -> (Engine, Receiver<EngineEvent>) {
        let (sender, events) = channel(EVENT_ROOM);
        let sink: EventSink = Arc::new(move |event: EngineEvent| {
            // Nobody listening means that the engine is gone too.
            if matches!(event.update, SearchUpdate::Progress(_)) {
                let _ = sender.try_send(event);
            } else {
                let _ = sender.blocking_send(event);
            }
        });
        (Engine::new(budget, sink), events)
    }

    /// Takes these options for a game, which begins with it if it is new, and makes the method
    /// they choose; what ran is abandoned. The end is [`SearchUpdate::Ready`] or a failure.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub fn configure(
        &mut self,
        game: GameId,
        search: SearchId,
        options: Options,
        now: Instant,
    ) -> std::io::Result<()> {
        self.configure_worker(game, search, options, false, now)
    }

    /// As [`Engine::configure`], but the method is made anew even if nothing changed: a game that
    /// depends on nothing played before.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub fn configure_afresh(
        &mut self,
        game: GameId,
        search: SearchId,
        options: Options,
        now: Instant,
    ) -> std::io::Result<()> {
        self.configure_worker(game, search, options, true, now)
    }

    fn configure_worker(
        &mut self,
        game: GameId,
        search: SearchId,
        options: Options,
        fresh: bool,
        now: Instant,
    ) -> std::io::Result<()> {
        let worker = match self.games.entry(game) {
            std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::btree_map::Entry::Vacant(new) => {
                new.insert(Worker::start(game, self.sink.clone(), self.budget.clone())?)
            }
        };
        worker.abandon(now);
        worker.configure(search, options, fresh);
        Ok(())
    }

    /// Starts thinking about a game that was configured, abandoning what ran for it before. Time
    /// counts from `now`, when the question was asked.
    pub fn think(&mut self, game: GameId, search: SearchId, task: Task, now: Instant) {
        if let Some(worker) = self.games.get_mut(&game) {
            worker.think(search, task, now);
        }
    }

    /// Asks the running search of a game, if any, to end; it still sends its last event.
    pub fn stop(&mut self, game: GameId, now: Instant) {
        if let Some(worker) = self.games.get_mut(&game) {
            worker.stop(now);
        }
    }

    /// Stops the searches of a game and forgets those that have not begun.
    pub fn abandon(&mut self, game: GameId, now: Instant) {
        if let Some(worker) = self.games.get_mut(&game) {
            worker.abandon(now);
        }
    }

    /// Forgets everything earlier searches of a game learnt.
    pub fn clear(&mut self, game: GameId, now: Instant) {
        if let Some(worker) = self.games.get_mut(&game) {
            worker.abandon(now);
            worker.clear();
        }
    }

    /// Ends a game's thread and gives back what it used.
    pub fn close(&mut self, game: GameId) {
        self.games.remove(&game);
    }

    /// Whether any game is being thought about.
    pub fn is_busy(&self) -> bool {
        self.games.values().any(Worker::is_busy)
    }

    /// When a search that was told to stop must have stopped: the time for
    /// [`Engine::give_up_overdue`].
    pub fn next_deadline(&self) -> Option<Instant> {
        self.games.values().filter_map(Worker::deadline).min()
    }

    /// Gives up searches that were told to stop two seconds ago and still run: other threads take
    /// over their games. Returns their last events.
    pub fn give_up_overdue(&mut self, now: Instant) -> Vec<EngineEvent> {
        self.games.values_mut().filter_map(|worker| worker.give_up_overdue(now)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Position;
    use crate::search::Limits;

    const GAME: GameId = GameId(0);

    fn options(settings: &[(&str, &str)]) -> Options {
        let mut options = Options::new();
        for (name, value) in [("hash", "1")].iter().chain(settings) {
            options.set(name, value).unwrap();
        }
        options
    }

    fn configured(settings: &[(&str, &str)]) -> (Engine, Receiver<EngineEvent>) {
        let (mut engine, mut events) = Engine::with_channel(Budget::unlimited());
        engine.configure(GAME, SearchId(0), options(settings), Instant::now()).unwrap();
        assert!(matches!(end(&mut events, SearchId(0)), SearchUpdate::Ready));
        (engine, events)
    }

    /// The end of a search.
    fn end(events: &mut Receiver<EngineEvent>, search: SearchId) -> SearchUpdate {
        loop {
            let event = events.blocking_recv().unwrap();
            if event.search == search && !matches!(event.update, SearchUpdate::Progress(_)) {
                return event.update;
            }
        }
    }

    fn deep() -> Task {
        Task::hint(Position::START, Limits::depth(60), 1)
    }

    fn shallow() -> Task {
        Task::hint(Position::START, Limits::depth(3), 1)
    }

    #[test]
    fn a_search_reports_progress_and_its_end() {
        let (mut engine, mut events) = configured(&[]);
        engine.think(GAME, SearchId(1), shallow(), Instant::now());
        let mut progress = 0;
        loop {
            let event = events.blocking_recv().unwrap();
            assert_eq!((event.game, event.search), (GAME, SearchId(1)));
            match event.update {
                SearchUpdate::Progress(_) => progress += 1,
                SearchUpdate::Done(outcome) => {
                    assert!(outcome.best_move().is_some());
                    break;
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(progress > 0);
    }

    #[test]
    fn the_last_of_many_searches_ends() {
        let (mut engine, mut events) = configured(&[]);
        for number in 1..=500 {
            engine.think(GAME, SearchId(number), shallow(), Instant::now());
        }
        assert!(matches!(end(&mut events, SearchId(500)), SearchUpdate::Done(_)));
    }

    #[test]
    fn a_stopped_search_still_answers() {
        let (mut engine, mut events) = configured(&[]);
        engine.think(GAME, SearchId(1), deep(), Instant::now());
        engine.abandon(GAME, Instant::now());
        engine.think(GAME, SearchId(2), deep(), Instant::now());
        engine.stop(GAME, Instant::now());
        assert!(matches!(end(&mut events, SearchId(2)), SearchUpdate::Done(_)));
    }

    #[test]
    fn games_think_side_by_side_and_end_one_by_one() {
        let (mut engine, mut events) = configured(&[]);
        let (first, second) = (GAME, GameId(7));
        engine.configure(second, SearchId(1), options(&[]), Instant::now()).unwrap();
        assert!(matches!(end(&mut events, SearchId(1)), SearchUpdate::Ready));
        // The first game ponders without end while the second is searched.
        engine.think(first, SearchId(2), deep(), Instant::now());
        engine.think(second, SearchId(3), shallow(), Instant::now());
        assert!(matches!(end(&mut events, SearchId(3)), SearchUpdate::Done(_)));
        engine.close(second);
        engine.stop(first, Instant::now());
        assert!(matches!(end(&mut events, SearchId(2)), SearchUpdate::Done(_)));
    }

    #[test]
    fn an_engine_nobody_listens_to_does_not_pile_up_events() {
        let (mut engine, mut events) = configured(&[("depth", "1")]);
        for number in 1..=10_000 {
            engine.think(GAME, SearchId(number), shallow(), Instant::now());
        }
        assert!(events.len() <= events.max_capacity());
        assert!(matches!(end(&mut events, SearchId(10_000)), SearchUpdate::Done(_)));
    }

    #[test]
    fn a_refused_configuration_leaves_the_one_before() {
        let (mut engine, mut events) = configured(&[]);
        let missing = options(&[("weights", "/nonexistent/weights.bin")]);
        engine.configure(GAME, SearchId(1), missing, Instant::now()).unwrap();
        assert!(matches!(end(&mut events, SearchId(1)), SearchUpdate::Failed(_)));
        engine.think(GAME, SearchId(2), shallow(), Instant::now());
        assert!(matches!(end(&mut events, SearchId(2)), SearchUpdate::Done(_)));
    }
}
