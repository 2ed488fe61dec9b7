//! Takes jobs, as many at once as there are slots, and reports what became of them.
//!
//! One task per job holds its message: it tells the broker that the job is in hand, waits for a
//! slot, and lets go of the message only when the report is in the results stream. Asked to end, a
//! worker takes no more jobs, finishes those that are running within a grace, and gives the others
//! back.

mod holding;
mod slots;
mod taking;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use serde_json::Value;
use tokio::sync::{Semaphore, watch};

use super::FleetError;
use super::connect::{Access, Connection, describe};
use super::exclusions::{self, Excluded};
use super::files::{Cache, Fetched};
use super::status::{self, Running, WorkerStatus};
use super::streams::{Streams, Timing};
use super::wire::{self, Cancel, Name, RunId};
use crate::othello::fingerprint::KERNELS;
use crate::search::StopFlag;
use slots::Slots;

/// Cancelled runs that are remembered.
const CANCELLED: usize = 1000;

/// Does jobs on one thread, one after the other, and may keep things ready between them.
pub trait Performer {
    /// Does a job of this kind; `None` if stopped.
    ///
    /// # Errors
    /// Why it cannot be done.
    fn perform(
        &mut self,
        kind: &str,
        body: Value,
        at: &Circumstances,
    ) -> Result<Option<Value>, String>;
}

/// What a job finds here.
#[derive(Clone, Debug, Default)]
pub struct Circumstances {
    /// The files that it names.
    pub files: Fetched,
    /// Raised when it shall end.
    pub stop: StopFlag,
}

/// Makes a performer for each slot.
pub type Factory = Arc<dyn Fn() -> Box<dyn Performer> + Send + Sync>;

/// How a worker works.
#[derive(Clone, Debug)]
pub struct WorkerSettings {
    /// Its name.
    pub name: Name,
    /// Jobs at once.
    pub slots: usize,
    /// External engines it has.
    pub engines: Vec<Name>,
    /// Folder for files.
    pub cache: PathBuf,
    /// The longest that a job may take.
    pub longest_job: Duration,
    /// How long running jobs may go on after the worker was asked to end.
    pub grace: Duration,
    /// Leases and message ids, if this worker makes the streams.
    pub timing: Timing,
    /// Nodes of the bench suite, and nodes per second.
    pub bench: Option<(u64, f64)>,
}

/// What happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Jobs done.
    pub done: u64,
    /// Jobs that failed.
    pub failed: u64,
    /// Messages that were no jobs to do.
    pub refused: u64,
    /// Jobs given back.
    pub given_back: u64,
}

/// A job on a slot.
struct OnSlot {
    run: RunId,
    session: u64,
    kind: String,
    began: Instant,
    stop: StopFlag,
}

#[derive(Default)]
struct State {
    running: HashMap<u64, OnSlot>,
    next_id: u64,
    cancelled: BTreeMap<RunId, u64>,
    counts: Counts,
    busy: Duration,
}

/// What the tasks of a worker share.
struct Shared {
    settings: WorkerSettings,
    connection: Connection,
    streams: Streams,
    cache: Cache,
    slots: Slots,
    /// Threads of the slots that are free.
    free: Arc<Semaphore>,
    /// Jobs that may be held: those on slots and one that is ready.
    room: Arc<Semaphore>,
    state: Mutex<State>,
    excluded: watch::Receiver<Excluded>,
    /// 0 at work, 1 draining, 2 giving back.
    ending: watch::Receiver<u8>,
    began: Instant,
}

/// Works until `ending` says so, and says what was done.
///
/// # Errors
/// If the broker cannot be reached at the start, or the cache not be made.
pub async fn work(
    access: &Access,
    settings: WorkerSettings,
    factory: Factory,
    ending: watch::Receiver<u8>,
) -> Result<Counts, FleetError> {
    let connection = access.connect(&format!("kitai worker {}", settings.name)).await?;
    let streams = Streams::open(&connection.jetstream, settings.timing).await?;
    let cancels = connection.client.subscribe(wire::passing("cancel", "*")).await;
    let mut cancels =
        cancels.map_err(|error| FleetError::Broker { what: "listen", reason: describe(&error) })?;
    let shared = Arc::new(Shared {
        cache: Cache::open(&settings.cache)?,
        slots: Slots::start(settings.slots, factory)?,
        free: Arc::new(Semaphore::new(settings.slots)),
        room: Arc::new(Semaphore::new(settings.slots + 1)),
        excluded: exclusions::follow(streams.excluded.clone()),
        settings,
        connection,
        streams,
        state: Mutex::default(),
        ending,
        began: Instant::now(),
    });
    let teller = tokio::spawn(Arc::clone(&shared).tell());
    let canceller = tokio::spawn({
        let shared = Arc::clone(&shared);
        async move {
            while let Some(message) = cancels.next().await {
                if let Ok(cancel) = serde_json::from_slice::<Cancel>(&message.payload) {
                    shared.cancel(&cancel);
                }
            }
        }
    });
    taking::take_jobs(&shared).await;
    shared.drain().await;
    teller.abort();
    canceller.abort();
    // What is lost here comes again.
    let _ = tokio::time::timeout(Duration::from_secs(2), shared.connection.client.flush()).await;
    Ok(shared.state().counts)
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing is left half done in it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_ending(&self) -> bool {
        *self.ending.borrow() > 0
    }

    fn is_excluded(&self) -> bool {
        self.excluded.borrow().contains_key(&self.settings.name)
    }

    fn is_cancelled(&self, run: &RunId, session: u64) -> bool {
        self.state().cancelled.get(run).is_some_and(|&until| session <= until)
    }

    fn cancel(&self, cancel: &Cancel) {
        let mut state = self.state();
        if state.cancelled.len() >= CANCELLED {
            state.cancelled.pop_first();
        }
        let until = state.cancelled.entry(cancel.run.clone()).or_default();
        *until = (*until).max(cancel.session);
        let of_run = |job: &&OnSlot| job.run == cancel.run && job.session <= cancel.session;
        state.running.values().filter(of_run).for_each(|job| job.stop.stop());
    }

    /// Waits for the jobs that are held; those that are running may go on for the grace.
    async fn drain(&self) {
        let mut ending = self.ending.clone();
        let all = self.settings.slots as u32 + 1;
        let finished = self.room.acquire_many(all);
        tokio::select! {
            _ = finished => return,
            () = tokio::time::sleep(self.settings.grace) => {}
            _ = ending.wait_for(|ending| *ending > 1) => {}
        }
        self.state().running.values().for_each(|job| job.stop.stop());
        let _ = tokio::time::timeout(Duration::from_secs(5), self.room.acquire_many(all)).await;
    }

    /// Says every few seconds how it goes.
    async fn tell(self: Arc<Self>) {
        let subject = wire::passing("workers", self.settings.name.as_str());
        loop {
            let payload = serde_json::to_vec(&self.status()).unwrap_or_default();
            // Nobody hears it while the broker is gone.
            let _ = self.connection.client.publish(subject.clone(), payload.into()).await;
            tokio::time::sleep(Duration::from_secs(status::EVERY)).await;
        }
    }

    fn status(&self) -> WorkerStatus {
        let settings = &self.settings;
        let state = self.state();
        let mut running: BTreeMap<(&RunId, &str), Running> = BTreeMap::new();
        for job in state.running.values() {
            let entry = running.entry((&job.run, &job.kind)).or_insert_with(|| Running {
                run: job.run.clone(),
                kind: job.kind.clone(),
                jobs: 0,
                longest: 0.0,
            });
            entry.jobs += 1;
            entry.longest = entry.longest.max(job.began.elapsed().as_secs_f64());
        }
        let now: Duration = state.running.values().map(|job| job.began.elapsed()).sum();
        WorkerStatus {
            name: settings.name.clone(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            signature: settings.bench.map(|bench| bench.0),
            nodes_per_second: settings.bench.map(|bench| bench.1),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            slots: settings.slots,
            kernels: KERNELS.to_owned(),
            engines: settings.engines.clone(),
            running: running.into_values().collect(),
            done: state.counts.done,
            failed: state.counts.failed,
            refused: state.counts.refused,
            given_back: state.counts.given_back,
            busy_seconds: (state.busy + now).as_secs_f64(),
            uptime: self.began.elapsed().as_secs_f64(),
            draining: self.is_ending(),
            excluded: self.is_excluded(),
        }
    }
}
