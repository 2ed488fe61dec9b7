//! One thing that a page has thought about: which job, how far.
//!
//! A game of the engine is configured before it thinks, and a page may change its mind at any
//! moment. At most one configuration is under way for each slot, whatever a page sends.

use std::time::{Duration, Instant};

use super::house::Size;
use super::message::Report;
use crate::engine::{Engine, GameId};
use crate::engine::{EngineEvent, SearchId, SearchUpdate, Task};
use crate::options::Options;
use crate::search::{Behind, Event, Origin, Outcome};

/// Something to think about.
#[derive(Debug, Clone)]
pub(super) struct Job {
    /// The page's number for it.
    pub id: u64,
    /// Options as the page wants them.
    pub options: Options,
    /// The same for a machine that has no more; used if the first are refused.
    pub lean: Option<Options>,
    /// The task.
    pub task: Task,
    /// Whether nothing learnt before may have a say.
    pub fresh: bool,
    /// When to stop it, from the beginning of the search.
    pub longest: Duration,
}

/// What a slot is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    Configuring(SearchId),
    Searching(SearchId),
}

/// What a slot has to say.
#[derive(Debug)]
pub(super) enum News {
    Behind(Behind),
    Done { outcome: Outcome, stopped: bool },
    Failed(String),
}

/// A game of the engine and what it is used for now.
pub(super) struct Slot {
    game: GameId,
    state: State,
    job: Option<Job>,
    /// Whether the job came after the configuration that is under way.
    is_new: bool,
    size: Size,
    began: Instant,
    latest: Option<Event>,
    stopped: bool,
}

impl Slot {
    pub(super) fn new(game: GameId) -> Slot {
        Slot {
            game,
            state: State::Idle,
            job: None,
            is_new: false,
            size: Size::Roomy,
            began: Instant::now(),
            latest: None,
            stopped: false,
        }
    }

    /// Takes up a job in the place of what was there.
    pub(super) fn begin(
        &mut self,
        job: Job,
        engine: &mut Engine,
        next: &mut u64,
        now: Instant,
    ) -> Result<(), String> {
        self.job = Some(job);
        self.latest = None;
        self.stopped = false;
        self.size = Size::Roomy;
        if matches!(self.state, State::Configuring(_)) {
            self.is_new = true;
            return Ok(());
        }
        self.configure(engine, next, now)
    }

    fn configure(
        &mut self,
        engine: &mut Engine,
        next: &mut u64,
        now: Instant,
    ) -> Result<(), String> {
        let Some(job) = &self.job else { return Ok(()) };
        let lean = job.lean.as_ref().filter(|_| self.size == Size::Lean);
        let options = lean.unwrap_or(&job.options).clone();
        *next += 1;
        let search = SearchId(*next);
        let started = if job.fresh {
            engine.configure_afresh(self.game, search, options, now)
        } else {
            engine.configure(self.game, search, options, now)
        };
        started.map_err(|error| {
            self.job = None;
            format!("no search thread: {error}")
        })?;
        self.state = State::Configuring(search);
        self.is_new = false;
        Ok(())
    }

    /// Ends what runs. The end is still told if the search has begun.
    pub(super) fn stop(&mut self, engine: &mut Engine, now: Instant) {
        match self.state {
            State::Searching(_) => {
                self.stopped = true;
                engine.stop(self.game, now);
            }
            _ => self.job = None,
        }
    }

    /// Ends what runs and says no more about it.
    pub(super) fn drop_job(&mut self, engine: &mut Engine, now: Instant) {
        self.job = None;
        if matches!(self.state, State::Searching(_)) {
            engine.abandon(self.game, now);
            self.state = State::Idle;
        }
    }

    /// Stops a search that has had its time.
    pub(super) fn stop_overdue(&mut self, engine: &mut Engine, now: Instant) {
        let longest = self.job.as_ref().map(|job| job.longest);
        let is_over = longest.is_some_and(|longest| now.duration_since(self.began) > longest);
        if matches!(self.state, State::Searching(_)) && is_over && !self.stopped {
            self.stop(engine, now);
        }
    }

    /// The job's number.
    pub(super) fn id(&self) -> Option<u64> {
        self.job.as_ref().map(|job| job.id)
    }

    /// What was found since this was last asked, and how long the search runs; `None` if none does.
    pub(super) fn progress(&mut self, now: Instant) -> Option<(u64, Option<Report>, f64)> {
        let State::Searching(_) = self.state else { return None };
        let seconds = now.duration_since(self.began).as_secs_f64();
        let report = self.latest.take().map(report_of_event);
        Some((self.job.as_ref()?.id, report, seconds))
    }

    /// Takes an event of the slot's game; what the page should hear of it.
    pub(super) fn event(
        &mut self,
        event: EngineEvent,
        engine: &mut Engine,
        next: &mut u64,
        now: Instant,
    ) -> Option<News> {
        match self.state {
            State::Configuring(search) if search == event.search => {
                self.configured(event.update, engine, next, now)
            }
            State::Searching(search) if search == event.search => self.searched(event.update),
            _ => None,
        }
    }

    fn configured(
        &mut self,
        update: SearchUpdate,
        engine: &mut Engine,
        next: &mut u64,
        now: Instant,
    ) -> Option<News> {
        self.state = State::Idle;
        let job = self.job.as_ref()?;
        if self.is_new {
            return self.configure(engine, next, now).err().map(News::Failed);
        }
        match update {
            SearchUpdate::Ready => {
                *next += 1;
                let search = SearchId(*next);
                engine.think(self.game, search, job.task.clone(), now);
                self.state = State::Searching(search);
                self.began = now;
                None
            }
            SearchUpdate::Failed(_) if self.size == Size::Roomy && job.lean.is_some() => {
                self.size = Size::Lean;
                self.configure(engine, next, now).err().map(News::Failed)
            }
            SearchUpdate::Failed(reason) => {
                self.job = None;
                Some(News::Failed(reason))
            }
            _ => None,
        }
    }

    fn searched(&mut self, update: SearchUpdate) -> Option<News> {
        match update {
            SearchUpdate::Progress(event) => {
                self.latest = Some(event);
                None
            }
            SearchUpdate::Behind(behind) => Some(News::Behind(behind)),
            SearchUpdate::Done(outcome) => {
                self.state = State::Idle;
                self.latest = None;
                Some(News::Done { outcome, stopped: self.stopped })
            }
            SearchUpdate::Failed(reason) => {
                self.state = State::Idle;
                self.job = None;
                Some(News::Failed(reason))
            }
            SearchUpdate::Ready => None,
        }
    }
}

fn report_of_event(event: Event) -> Report {
    Report {
        origin: Origin::Search,
        depth: event.depth,
        lines: event.lines,
        nodes: event.nodes,
        playouts: event.playouts,
        seconds: event.elapsed.as_secs_f64(),
    }
}

/// What a search found in the end.
pub(super) fn report_of_outcome(outcome: Outcome) -> Report {
    Report {
        origin: outcome.origin,
        depth: outcome.depth,
        lines: outcome.lines,
        nodes: outcome.nodes,
        playouts: outcome.playouts,
        seconds: outcome.elapsed.as_secs_f64(),
    }
}
