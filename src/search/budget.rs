//! When a search ends: the one place where limits, clock and stop flag are looked at, for every
//! method. How often to look is the method's business.

use std::time::{Duration, Instant};

use super::{Limits, StopFlag};

/// The limits of one search, counted from its beginning.
pub struct Budget<'a> {
    began: Instant,
    playouts: u64,
    nodes: u64,
    soft: Option<Duration>,
    hard: Option<Duration>,
    stop: &'a StopFlag,
}

impl<'a> Budget<'a> {
    /// Begins to count now; no limit at all means until stopped.
    pub fn new(limits: &Limits, stop: &'a StopFlag) -> Budget<'a> {
        Budget {
            began: Instant::now(),
            playouts: limits.playouts.unwrap_or(u64::MAX).max(1),
            nodes: limits.nodes.unwrap_or(u64::MAX).max(1),
            soft: limits.time.map(|time| time.soft),
            hard: limits.time.map(|time| time.hard),
            stop,
        }
    }

    /// Time since the search began.
    pub fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// The flag that anyone may raise.
    pub fn stop(&self) -> &'a StopFlag {
        self.stop
    }

    /// Whether the search must end after so many nodes, whatever its choice.
    pub fn must_end(&self, nodes: u64) -> bool {
        self.is_stopped() || nodes >= self.nodes || self.is_timed_out(false)
    }

    /// Whether someone asked for an end; cheap enough for every playout.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.is_stopped()
    }

    /// Whether playouts or nodes are used up.
    pub fn is_counted_out(&self, playouts: u64, nodes: u64) -> bool {
        playouts >= self.playouts || nodes >= self.nodes
    }

    /// Whether the time is up: the soft limit if the choice is `settled`, else the hard one.
    pub fn is_timed_out(&self, settled: bool) -> bool {
        let limit = if settled { self.soft } else { self.hard };
        limit.is_some_and(|limit| self.began.elapsed() >= limit)
    }

    /// How many playouts are still to come if the pace stays what it was; `None` if nothing
    /// bounds them.
    pub fn playouts_left(&self, playouts: u64, nodes: u64) -> Option<u64> {
        let done = playouts.max(1) as f64;
        let by_count = (self.playouts != u64::MAX).then(|| self.playouts.saturating_sub(playouts));
        let by_nodes = (self.nodes != u64::MAX).then(|| {
            (self.nodes.saturating_sub(nodes) as f64 * done / nodes.max(1) as f64).ceil() as u64
        });
        let by_time = self.hard.map(|hard| {
            let elapsed = self.began.elapsed();
            let share = hard.saturating_sub(elapsed).as_secs_f64() / elapsed.as_secs_f64();
            (share * done).ceil() as u64
        });
        [by_count, by_nodes, by_time].into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whichever_limit_comes_first_counts() {
        let stop = StopFlag::new();
        let limits = Limits { nodes: Some(500), depth: Some(1), ..Limits::playouts(100) };
        let budget = Budget::new(&limits, &stop);
        assert!(budget.is_counted_out(100, 5) && budget.is_counted_out(5, 500));
        assert!(!budget.is_counted_out(99, 499));
        // 50 playouts used 400 nodes: the last 100 nodes are worth 13 more, fewer than 50.
        assert_eq!(budget.playouts_left(50, 400), Some(13));
        assert_eq!(Budget::new(&Limits::default(), &stop).playouts_left(50, 400), None);
    }
}
