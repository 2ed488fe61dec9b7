//! What the threads of one search have in common.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::expected::Expectation;
use super::split::Pool;
use super::table::Table;
use crate::eval::Incremental;
use crate::search::budget::Budget;
use crate::search::{Limits, StopFlag};

/// One search: its evaluation, table, limits and counters.
pub(super) struct SearchRun<'s, E: Incremental> {
    pub evaluator: &'s E,
    pub table: &'s Table,
    /// What the parents of the leaves are worth, if not their best leaf.
    pub expectation: Option<&'s Expectation>,
    pub pool: Pool<E::State>,
    /// Raised when the search must end; every thread watches it.
    pub halt: AtomicBool,
    /// Whether the choice seems settled: then the soft limit of the time ends the search.
    pub settled: AtomicBool,
    /// Nodes handed over by the threads so far.
    pub nodes: AtomicU64,
    pub budget: Budget<'s>,
}

impl<'s, E: Incremental> SearchRun<'s, E> {
    pub(super) fn new(
        evaluator: &'s E,
        table: &'s Table,
        limits: &Limits,
        stop: &'s StopFlag,
    ) -> SearchRun<'s, E> {
        SearchRun {
            evaluator,
            table,
            expectation: None,
            pool: Pool::new(),
            halt: AtomicBool::new(false),
            settled: AtomicBool::new(false),
            nodes: AtomicU64::new(0),
            budget: Budget::new(limits, stop),
        }
    }

    /// Time since the search began.
    pub(super) fn elapsed(&self) -> Duration {
        self.budget.elapsed()
    }

    /// Raises [`SearchRun::halt`] if a limit is reached or a stop was asked for.
    pub(super) fn check_limits(&self) {
        let settled = self.settled.load(Ordering::Relaxed);
        if self.budget.must_end(self.nodes.load(Ordering::Relaxed))
            || settled && self.budget.is_timed_out(true)
        {
            self.halt.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the search was told to end.
    pub(super) fn halted(&self) -> bool {
        self.halt.load(Ordering::Relaxed)
    }

    /// Whether some thread waits for work.
    #[inline]
    pub(super) fn has_idle_workers(&self) -> bool {
        self.pool.has_idle_workers()
    }
}
