//! The thread that thinks: one command channel in, one event channel out, one stop flag per
//! search.
//!
//! The thread never does I/O and never waits for a slow client while it searches: progress that
//! nobody fetches is dropped, only the end of a search is always delivered. A method that panics
//! costs its own search, not the engine.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tokio::sync::mpsc as events;
use tracing::{error, info};

use super::limits::Task;
use super::player::Player;
use crate::options::Options;
use crate::search::report::DepthLabel;
use crate::search::{Event, Outcome, StopFlag};

/// Events that may wait for a slow session; further progress is dropped.
const EVENT_ROOM: usize = 64;

/// Names a search, so that late events of a stopped one can be told from those of the next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SearchId(pub(super) u64);

/// What the search thread says.
#[derive(Clone, Debug)]
pub struct EngineEvent {
    /// Which search this is about.
    pub search: SearchId,
    /// What happened.
    pub update: SearchUpdate,
}

/// What can happen to a search.
#[derive(Clone, Debug)]
pub enum SearchUpdate {
    /// A better or deeper answer; more may come.
    Progress(Event),
    /// The search is over, by itself or stopped.
    Done(Outcome),
    /// The search could not be made; the text says why.
    Failed(String),
}

/// What the search thread is told.
pub(super) enum Command {
    /// Think, unless another search has been asked for since.
    Search { search: SearchId, task: Task, options: Options, stop: StopFlag },
    /// Forget what earlier searches learnt.
    Clear,
}

/// The search that is wanted now; tasks of any other are skipped without an event.
pub(super) type Wanted = Arc<AtomicU64>;

/// Starts the thread; it ends when the returned sender is dropped.
pub(super) fn start(
    wanted: Wanted,
) -> std::io::Result<(Sender<Command>, events::Receiver<EngineEvent>)> {
    let (commands, command_queue) = channel();
    let (event_queue, events) = events::channel(EVENT_ROOM);
    thread::Builder::new().name("search".to_owned()).spawn(move || {
        run(&command_queue, &event_queue, &wanted);
    })?;
    Ok((commands, events))
}

fn run(commands: &Receiver<Command>, events: &events::Sender<EngineEvent>, wanted: &Wanted) {
    let mut player = Player::new(Options::new());
    for command in commands {
        match command {
            Command::Clear => player.clear(),
            Command::Search { search, .. } if wanted.load(Ordering::Relaxed) != search.0 => {}
            Command::Search { search, task, options, stop } => {
                player.set_options(options);
                let update = think(&mut player, search, &task, &stop, events);
                // Nobody listening means the engine is gone and the channel will close next.
                let _ = events.blocking_send(EngineEvent { search, update });
            }
        }
    }
}

fn think(
    player: &mut Player,
    search: SearchId,
    task: &Task,
    stop: &StopFlag,
    events: &events::Sender<EngineEvent>,
) -> SearchUpdate {
    let mut report = |event: &Event| {
        // A full channel means that the client does not read: later progress will do.
        let _ =
            events.try_send(EngineEvent { search, update: SearchUpdate::Progress(event.clone()) });
    };
    let result = catch_unwind(AssertUnwindSafe(|| player.search(task, stop, &mut report)));
    match result {
        Ok(Ok(outcome)) => {
            summarize(&outcome);
            SearchUpdate::Done(outcome)
        }
        Ok(Err(unusable)) => SearchUpdate::Failed(unusable.to_string()),
        Err(panic) => {
            player.discard_method();
            let text = panic
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
                .or_else(|| panic.downcast_ref::<String>().cloned())
                .unwrap_or_default();
            error!(position = ?task.request.position, "the search panicked: {text}");
            SearchUpdate::Failed(format!("the search failed: {text}"))
        }
    }
}

fn summarize(outcome: &Outcome) {
    if let Some(line) = outcome.lines.first() {
        info!(
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
