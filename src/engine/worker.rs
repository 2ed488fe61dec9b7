//! The thread that thinks about one game: a queue of commands in, events out, a stop flag for each
//! search.
//!
//! The thread never does protocol I/O and never waits for a slow client while it searches:
//! progress that nobody fetches is dropped, only the end of a search is always delivered. A method
//! that panics costs its own search, not the engine. A search that ignores its stop flag is given
//! up: another thread takes over the queue, and the old one ends, unheard, whenever it can.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tracing::{error, info};

use super::budget::Budget;
use super::limits::Task;
use super::player::Player;
use super::{EngineEvent, EventSink, GameId, SearchId, SearchUpdate};
use crate::options::{OptionError, Options};
use crate::search::report::DepthLabel;
use crate::search::{Event, Outcome, StopFlag, TimeLimit};

/// How long a search may go on after it was told to stop; then it is given up.
pub(super) const STOP_PATIENCE: Duration = Duration::from_secs(2);
/// Stack of a search thread, bytes: room for the deepest recursive search.
const STACK: usize = 32 << 20;
/// Thinking time left to a search that began too late: enough to name a legal move.
const INSTANT: Duration = Duration::from_millis(1);

/// What the thread is told.
enum Command {
    /// Make the method that these options choose; `fresh` even if it is there already.
    Configure { search: SearchId, options: Options, fresh: bool },
    /// Think; what passed since it was asked for is taken off the time.
    Search { search: SearchId, task: Task, stop: StopFlag, asked: Instant },
    /// Forget what earlier searches learnt.
    Clear,
    /// After a thread was given up: what it was configured with.
    Restore { options: Options },
}

/// What the handle and its thread share.
struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
}

struct Queue {
    commands: VecDeque<Command>,
    /// The thread that may take commands; an earlier one ends when it next looks.
    owner: u64,
    /// The search that is being worked on.
    running: Option<(SearchId, StopFlag)>,
    /// What the method was last made from.
    configured: Option<Options>,
    closed: bool,
}

/// A handle on the thread of one game.
pub(super) struct Worker {
    game: GameId,
    shared: Arc<Shared>,
    sink: EventSink,
    budget: Budget,
    /// The running search that was told to stop, and when.
    stopped: Option<(SearchId, Instant)>,
}

impl Worker {
    /// Starts the thread; it ends when the handle is dropped.
    pub(super) fn start(game: GameId, sink: EventSink, budget: Budget) -> std::io::Result<Worker> {
        let queue = Queue {
            commands: VecDeque::new(),
            owner: 0,
            running: None,
            configured: None,
            closed: false,
        };
        let shared = Arc::new(Shared { queue: Mutex::new(queue), wake: Condvar::new() });
        let worker = Worker { game, shared, sink, budget, stopped: None };
        worker.spawn(0)?;
        Ok(worker)
    }

    fn spawn(&self, owner: u64) -> std::io::Result<()> {
        let thread = Thread {
            game: self.game,
            shared: self.shared.clone(),
            sink: self.sink.clone(),
            player: Player::with_budget(Options::new(), self.budget.clone()),
            owner,
        };
        std::thread::Builder::new()
            .name(format!("search {}", self.game.0))
            .stack_size(STACK)
            .spawn(move || thread.run())
            .map(|_| ())
    }

    pub(super) fn configure(&mut self, search: SearchId, options: Options, fresh: bool) {
        self.shared.push(Command::Configure { search, options, fresh });
    }

    pub(super) fn think(&mut self, search: SearchId, task: Task, now: Instant) {
        self.abandon(now);
        self.shared.push(Command::Search { search, task, stop: StopFlag::new(), asked: now });
    }

    /// Asks the running search and those that wait to end; each still sends its last event.
    pub(super) fn stop(&mut self, now: Instant) {
        let queue = self.shared.lock();
        for command in &queue.commands {
            if let Command::Search { stop, .. } = command {
                stop.stop();
            }
        }
        if let Some((search, stop)) = &queue.running {
            stop.stop();
            if self.stopped.is_none_or(|(earlier, _)| earlier != *search) {
                self.stopped = Some((*search, now));
            }
        }
    }

    /// Stops the running search and forgets those that wait.
    pub(super) fn abandon(&mut self, now: Instant) {
        self.stop(now);
        self.shared.lock().commands.retain(|command| !matches!(command, Command::Search { .. }));
    }

    pub(super) fn clear(&mut self) {
        self.shared.push(Command::Clear);
    }

    /// Whether something is being worked on or waits.
    pub(super) fn is_busy(&self) -> bool {
        let queue = self.shared.lock();
        queue.running.is_some() || !queue.commands.is_empty()
    }

    /// When the stopped search, if it still runs, will have had its time.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let (search, at) = self.stopped?;
        let still_runs = self.shared.lock().running.as_ref().is_some_and(|(id, _)| *id == search);
        still_runs.then_some(at + STOP_PATIENCE)
    }

    /// Gives up a search that was told to stop and has not by now; the event to pass on.
    pub(super) fn give_up_overdue(&mut self, now: Instant) -> Option<EngineEvent> {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return None;
        }
        let (search, _) = self.stopped.take()?;
        let owner = {
            let mut queue = self.shared.lock();
            queue.owner += 1;
            queue.running = None;
            if let Some(options) = queue.configured.clone() {
                queue.commands.push_front(Command::Restore { options });
            }
            queue.owner
        };
        error!(
            game = self.game.0,
            search = search.0,
            "a search did not stop within {STOP_PATIENCE:?}: its thread is given up and replaced"
        );
        let mut reason = "the search did not stop when told to and was given up".to_owned();
        if let Err(problem) = self.spawn(owner) {
            reason = format!("{reason}; no other thread can be had: {problem}");
        }
        Some(EngineEvent { game: self.game, search, update: SearchUpdate::Failed(reason) })
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.abandon(Instant::now());
        self.shared.lock().closed = true;
        self.shared.wake.notify_all();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, command: Command) {
        self.lock().commands.push_back(command);
        self.wake.notify_all();
    }

    /// The next command for this thread; `None` when it shall end.
    fn next(&self, owner: u64) -> Option<Command> {
        let mut queue = self.lock();
        loop {
            if queue.closed || queue.owner != owner {
                return None;
            }
            if let Some(command) = queue.commands.pop_front() {
                queue.running = match &command {
                    Command::Search { search, stop, .. } => Some((*search, stop.clone())),
                    _ => None,
                };
                return Some(command);
            }
            queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Marks the running command as done; false if the thread was given up meanwhile.
    fn finish(&self, owner: u64) -> bool {
        let mut queue = self.lock();
        let wanted = queue.owner == owner && !queue.closed;
        if wanted {
            queue.running = None;
        }
        wanted
    }
}

/// The thread's own side.
struct Thread {
    game: GameId,
    shared: Arc<Shared>,
    sink: EventSink,
    player: Player,
    owner: u64,
}

impl Thread {
    fn run(mut self) {
        while let Some(command) = self.shared.next(self.owner) {
            let (search, update) = match command {
                Command::Clear => {
                    self.player.clear();
                    continue;
                }
                Command::Restore { options } => {
                    if let Err(problem) = self.player.configure(options) {
                        error!(%problem, "the options of a search that was given up");
                    }
                    continue;
                }
                Command::Configure { search, options, fresh } => {
                    (search, self.configure(options, fresh))
                }
                Command::Search { search, task, stop, asked } => {
                    (search, self.think(search, late(task, asked.elapsed()), &stop))
                }
            };
            if !self.shared.finish(self.owner) {
                return;
            }
            (self.sink)(EngineEvent { game: self.game, search, update });
        }
    }

    fn configure(&mut self, options: Options, fresh: bool) -> SearchUpdate {
        if fresh {
            self.player.discard_method();
        }
        match guarded(|| self.player.configure(options)) {
            Ok(Ok(())) => {
                // A method for a single game uses little of its tables.
                if !fresh {
                    self.player.make_ready();
                }
                self.shared.lock().configured = Some(self.player.options().clone());
                SearchUpdate::Ready
            }
            Ok(Err(refused)) => SearchUpdate::Failed(refused.to_string()),
            Err(panic) => {
                self.player.discard_method();
                SearchUpdate::Failed(format!("the method cannot be made: {panic}"))
            }
        }
    }

    fn think(&mut self, search: SearchId, task: Task, stop: &StopFlag) -> SearchUpdate {
        let (game, sink) = (self.game, &self.sink);
        let mut report = |event: &Event| {
            sink(EngineEvent { game, search, update: SearchUpdate::Progress(event.clone()) });
        };
        let answer = guarded(|| {
            let outcome = self.player.search(&task, stop, &mut report)?;
            let explain = task.explain && !stop.is_stopped();
            let behind = explain.then(|| self.player.behind(&task, &outcome)).flatten();
            Ok::<_, OptionError>((outcome, behind))
        });
        match answer {
            Ok(Ok((outcome, behind))) => {
                summarize(&outcome);
                if let Some(behind) = behind {
                    sink(EngineEvent { game, search, update: SearchUpdate::Behind(behind) });
                }
                SearchUpdate::Done(outcome)
            }
            Ok(Err(unusable)) => SearchUpdate::Failed(unusable.to_string()),
            Err(panic) => {
                self.player.discard_method();
                error!(position = ?task.request.position, "the search panicked: {panic}");
                SearchUpdate::Failed(format!("the search failed: {panic}"))
            }
        }
    }
}

/// The task with so much less time: it was lost on the way here.
fn late(mut task: Task, lost: Duration) -> Task {
    let less = |time: Duration| time.saturating_sub(lost).max(INSTANT.min(time));
    let time = task.request.limits.time;
    task.request.limits.time =
        time.map(|time| TimeLimit { soft: less(time.soft), hard: less(time.hard) });
    task
}

/// Runs something that may panic; the panic's message as an error.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "unknown panic".to_owned())
    })
}

fn summarize(outcome: &Outcome) {
    if let Some(line) = outcome.lines.first() {
        info!(
            origin = ?outcome.origin,
            chosen = %line.pv.first().map(ToString::to_string).unwrap_or_default(),
            score = %line.score,
            depth = %DepthLabel(outcome.depth, line.certainty),
            nodes = outcome.nodes,
            playouts = outcome.playouts,
            seconds = outcome.elapsed.as_secs_f64(),
            pv = %line.pv_text(),
            "search"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Position;
    use crate::search::{Limits, Method, Request};
    use std::sync::mpsc::{Receiver, channel};

    /// A method that looks at its stop flag only when the test allows it to end.
    struct Deaf {
        began: std::sync::mpsc::Sender<()>,
        release: Receiver<()>,
    }

    impl Method for Deaf {
        fn search(&mut self, _: &Request, _: &StopFlag, _: &mut dyn FnMut(&Event)) -> Outcome {
            self.began.send(()).unwrap();
            let _ = self.release.recv();
            panic!("the test let it go");
        }

        fn clear(&mut self) {}
    }

    #[test]
    fn a_search_that_ignores_its_stop_is_given_up_and_its_game_goes_on() {
        let (events, received) = channel();
        let sink: EventSink = Arc::new(move |event| drop(events.send(event)));
        let budget = Budget::unlimited();
        let mut worker = Worker::start(GameId(3), sink.clone(), budget.clone()).unwrap();
        // The deaf thread in place of the ordinary one.
        let (began, has_begun) = channel();
        let (release, released) = channel();
        let player = Player::with_method(Box::new(Deaf { began, release: released }));
        worker.shared.lock().owner = 7;
        let shared = worker.shared.clone();
        let thread = Thread { game: GameId(3), shared, sink, player, owner: 7 };
        let deaf = std::thread::spawn(move || thread.run());

        let now = Instant::now();
        let task = Task::hint(Position::START, Limits::depth(1), 1);
        worker.think(SearchId(1), task.clone(), now);
        has_begun.recv().unwrap();
        worker.stop(now);
        worker.think(SearchId(2), task, now);
        assert!(worker.give_up_overdue(now + STOP_PATIENCE / 2).is_none());
        let event = worker.give_up_overdue(now + STOP_PATIENCE).unwrap();
        assert_eq!(event.search, SearchId(1));
        assert!(matches!(event.update, SearchUpdate::Failed(text) if text.contains("given up")));
        assert_eq!(worker.deadline(), None);
        // The search that waited is made by another thread.
        let end = std::iter::from_fn(|| received.recv().ok())
            .find(|event| !matches!(event.update, SearchUpdate::Progress(_)));
        let end = end.unwrap();
        assert_eq!(end.search, SearchId(2));
        assert!(matches!(end.update, SearchUpdate::Done(_)), "{end:?}");
        // The deaf one ends without a word when it can.
        release.send(()).unwrap();
        deaf.join().unwrap();
        drop(worker);
        assert!(received.recv().is_err());
    }

    #[test]
    fn time_lost_on_the_way_is_taken_off() {
        let ms = Duration::from_millis;
        let limits = |soft, hard| Limits {
            time: Some(TimeLimit { soft: ms(soft), hard: ms(hard) }),
            ..Limits::default()
        };
        let after =
            |lost| late(Task::hint(Position::START, limits(40, 100), 1), ms(lost)).request.limits;
        assert_eq!(after(0), limits(40, 100));
        assert_eq!(after(30), limits(10, 70));
        assert_eq!(after(500), limits(1, 1));
        let timeless = Task::hint(Position::START, Limits::depth(3), 1);
        assert_eq!(late(timeless, ms(500)).request.limits, Limits::depth(3));
    }
}
