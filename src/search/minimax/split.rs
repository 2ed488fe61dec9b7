//! Sharing a node's moves between threads: young brothers wait.
//!
//! A thread that has searched the first move of a node and sees an idle thread turns the remaining
//! moves into a *split point*: whoever comes takes the next move, searches it, and reports under the
//! split point's lock. A score that reaches beta cuts the split point, and everyone below it notices
//! at the next node. The thread that made the split point works on it too; when the moves run out it
//! does not idle but helps the threads still busy below its own split point, and only there, so that
//! it is free again as soon as its node is done.
//!
//! With one thread there is never an idle one, so no split point is ever made and the search is
//! deterministic.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::Value;
use super::ordering::Candidate;
use super::probcut::Selectivity;
use super::pvs::{Best, Worker};
use crate::eval::Incremental;

/// The moves of a node that several threads search together.
pub(super) struct SplitPoint<S> {
    candidates: Vec<Candidate<S>>,
    depth: u32,
    alpha: Value,
    beta: Value,
    selectivity: Selectivity,
    probcut_level: u32,
    parent: Option<Arc<SplitPoint<S>>>,
    cut: AtomicBool,
    /// Whether the thread that made it has nothing to do but wait for the others.
    awaited: AtomicBool,
    progress: Mutex<Progress>,
}

struct Progress {
    next: usize,
    best: Best,
    /// Threads searching a move of this split point now.
    working: usize,
}

/// The open split points of a search and the threads waiting for one.
pub(super) struct Pool<S> {
    open: Mutex<Open<S>>,
    wake: Condvar,
    idle: AtomicUsize,
}

struct Open<S> {
    splits: Vec<Arc<SplitPoint<S>>>,
    closed: bool,
}

/// A thread that panicked has already doomed the search; the data behind its lock is still sound.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<S> SplitPoint<S> {
    /// Whether this split point or one above it was cut off.
    #[inline]
    pub(super) fn is_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed) || self.parent.as_ref().is_some_and(|up| up.is_cut())
    }

    /// Whether somebody waits for this split point or one above it.
    fn is_awaited(&self) -> bool {
        self.awaited.load(Ordering::Relaxed)
            || self.parent.as_ref().is_some_and(|up| up.is_awaited())
    }

    fn is_below(&self, ancestor: &Arc<SplitPoint<S>>) -> bool {
        let mut above = self.parent.as_ref();
        while let Some(split) = above {
            if Arc::ptr_eq(split, ancestor) {
                return true;
            }
            above = split.parent.as_ref();
        }
        false
    }

    fn has_moves(&self) -> bool {
        !self.is_cut() && lock(&self.progress).next < self.candidates.len()
    }
}

impl<S> Pool<S> {
    pub(super) fn new() -> Pool<S> {
        Pool {
            open: Mutex::new(Open { splits: Vec::new(), closed: false }),
            wake: Condvar::new(),
            idle: AtomicUsize::new(0),
        }
    }

    #[inline]
    pub(super) fn has_idle_workers(&self) -> bool {
        self.idle.load(Ordering::Relaxed) > 0
    }

    /// Ends the wait of every thread.
    pub(super) fn close(&self) {
        lock(&self.open).closed = true;
        self.wake.notify_all();
    }

    fn publish(&self, split: &Arc<SplitPoint<S>>) {
        lock(&self.open).splits.push(Arc::clone(split));
        self.wake.notify_all();
    }

    fn withdraw(&self, split: &Arc<SplitPoint<S>>) {
        lock(&self.open).splits.retain(|open| !Arc::ptr_eq(open, split));
    }

    /// An open split point with moves left, below `ancestor` if one is given; the deepest search
    /// first, since it keeps a thread busy longest.
    fn find(&self, ancestor: Option<&Arc<SplitPoint<S>>>) -> Option<Arc<SplitPoint<S>>> {
        pick(&lock(&self.open), ancestor)
    }
}

fn pick<S>(open: &Open<S>, ancestor: Option<&Arc<SplitPoint<S>>>) -> Option<Arc<SplitPoint<S>>> {
    open.splits
        .iter()
        .filter(|split| ancestor.is_none_or(|above| split.is_below(above)))
        .filter(|split| split.has_moves())
        .max_by_key(|split| split.depth)
        .cloned()
}

impl<E: Incremental> Worker<'_, E> {
    /// Shares these moves with the idle threads and returns the node's best move.
    pub(super) fn split(
        &mut self,
        candidates: Vec<Candidate<E::State>>,
        depth: u32,
        alpha: Value,
        beta: Value,
        best: Best,
    ) -> Best {
        let split = Arc::new(SplitPoint {
            candidates,
            depth,
            alpha,
            beta,
            selectivity: self.selectivity,
            probcut_level: self.probcut_level,
            parent: self.split.clone(),
            cut: AtomicBool::new(false),
            awaited: AtomicBool::new(false),
            progress: Mutex::new(Progress { next: 0, best, working: 0 }),
        });
        self.run.pool.publish(&split);
        self.work_on(&split);
        self.run.pool.withdraw(&split);
        self.help_below(&split);
        lock(&split.progress).best
    }

    /// Waits until nobody works on a split point any more. Meanwhile those who do share their nodes with
    /// this thread.
    fn help_below(&mut self, split: &Arc<SplitPoint<E::State>>) {
        split.awaited.store(true, Ordering::Relaxed);
        while lock(&split.progress).working > 0 {
            match self.run.pool.find(Some(split)) {
                Some(below) => {
                    split.awaited.store(false, Ordering::Relaxed);
                    self.work_on(&below);
                    split.awaited.store(true, Ordering::Relaxed);
                }
                None => std::thread::yield_now(),
            }
        }
    }

    /// Whether somebody could search moves of the node at hand: a thread without work, or one that waits
    /// for the work on a split point that this thread is part of.
    #[inline]
    pub(super) fn has_help(&self) -> bool {
        self.run.has_idle_workers() || self.split.as_ref().is_some_and(|split| split.is_awaited())
    }

    /// Searches moves of a split point until none is left or it is cut.
    fn work_on(&mut self, split: &Arc<SplitPoint<E::State>>) {
        let own = (self.split.replace(Arc::clone(split)), self.selectivity, self.probcut_level);
        self.selectivity = split.selectivity;
        self.probcut_level = split.probcut_level;
        lock(&split.progress).working += 1;
        loop {
            let (index, best) = {
                let mut progress = lock(&split.progress);
                if progress.next >= split.candidates.len() || self.aborted() {
                    break;
                }
                progress.next += 1;
                (progress.next - 1, progress.best.score)
            };
            let candidate = &split.candidates[index];
            let alpha = split.alpha.max(best);
            let score = self.search_candidate(candidate, split.depth, alpha, split.beta, false);
            if self.aborted() {
                break;
            }
            let mut progress = lock(&split.progress);
            if score > progress.best.score {
                progress.best = Best { score, square: candidate.square };
                if score >= split.beta {
                    split.cut.store(true, Ordering::Relaxed);
                }
            }
        }
        self.flush_nodes();
        (self.split, self.selectivity, self.probcut_level) = own;
        lock(&split.progress).working -= 1;
    }

    /// The life of a helping thread: wait for a split point, work on it, until the pool closes.
    pub(super) fn help(&mut self) {
        let pool = &self.run.pool;
        loop {
            let found = {
                let mut open = lock(&pool.open);
                pool.idle.fetch_add(1, Ordering::Relaxed);
                loop {
                    if open.closed {
                        pool.idle.fetch_sub(1, Ordering::Relaxed);
                        return;
                    }
                    if let Some(split) = pick(&open, None) {
                        break split;
                    }
                    open = pool.wake.wait(open).unwrap_or_else(PoisonError::into_inner);
                }
            };
            pool.idle.fetch_sub(1, Ordering::Relaxed);
            self.work_on(&found);
        }
    }
}
