//! How long a search may go on: nodes, clock and the stop flag behind one cheap question per node.

use std::time::Instant;

use crate::search::{Limits, StopFlag};

/// Nodes between two looks at the clock and the flag: well under a millisecond.
const CHECK_EVERY: u64 = 256;

/// Counts nodes and says when to give up.
pub struct Budget<'s> {
    stop: &'s StopFlag,
    deadline: Option<Instant>,
    most_nodes: u64,
    next_check: u64,
    /// Nodes visited so far.
    pub nodes: u64,
    exhausted: bool,
    binding: bool,
}

impl<'s> Budget<'s> {
    /// The budget that these limits allow from `began` on.
    pub fn new(limits: &Limits, began: Instant, stop: &'s StopFlag) -> Budget<'s> {
        Budget {
            stop,
            deadline: limits.time.and_then(|time| began.checked_add(time.hard)),
            most_nodes: limits.nodes.unwrap_or(u64::MAX),
            next_check: 0,
            nodes: 0,
            exhausted: false,
            binding: true,
        }
    }

    /// Whether the limits count now; nodes are counted always.
    pub fn set_binding(&mut self, binding: bool) {
        self.binding = binding;
        self.next_check = self.nodes;
    }

    /// Counts `nodes` more; whether the search may go on. Once it may not, it never may again, and
    /// values computed since mean nothing.
    #[inline]
    pub fn spend(&mut self, nodes: u64) -> bool {
        self.nodes += nodes;
        if self.nodes >= self.next_check {
            self.next_check = self.nodes + CHECK_EVERY;
            self.exhausted |= self.binding
                && (self.nodes >= self.most_nodes
                    || self.stop.is_stopped()
                    || self.deadline.is_some_and(|deadline| Instant::now() >= deadline));
        }
        !self.exhausted
    }

    /// Whether the search had to end.
    #[inline]
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }
}
