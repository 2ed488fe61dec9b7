//! Counting nodes, with a look at the budget every few of them: one cheap question per node.

use crate::search::budget::Budget;
use crate::search::{Limits, StopFlag};

/// Nodes between two looks at the clock and the flag: well under a millisecond.
const CHECK_EVERY: u64 = 256;

/// Counts nodes and says when to give up.
pub struct NodeCounter<'s> {
    /// The limits and the time used so far.
    pub budget: Budget<'s>,
    next_check: u64,
    /// Nodes visited so far.
    pub nodes: u64,
    exhausted: bool,
    binding: bool,
}

impl<'s> NodeCounter<'s> {
    /// Counts from now on what these limits allow.
    pub fn new(limits: &Limits, stop: &'s StopFlag) -> NodeCounter<'s> {
        NodeCounter {
            budget: Budget::new(limits, stop),
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
            self.exhausted |= self.binding && self.budget.must_end(self.nodes);
        }
        !self.exhausted
    }

    /// Whether the search had to end.
    #[inline]
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }
}
