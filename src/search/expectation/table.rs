//! The transposition table of the expectation searches: values are real numbers and belong to one
//! exact depth, so it is not the minimax table.

use zerocopy::FromZeros;

use crate::memory::{OutOfMemory, make_resident, zeroed};

/// What is known of a position at one depth.
#[derive(Clone, Copy, Debug, FromZeros)]
pub struct Entry {
    key: [u64; 2],
    /// The value is at least this.
    pub lower: f64,
    /// The value is at most this.
    pub upper: f64,
    /// For a search of this depth and no other.
    pub depth: u8,
    /// Index of the best move in the tree's own order.
    pub best: u8,
    /// Whether there is anything.
    used: bool,
}

/// A table of fixed size, newest entry wins.
pub struct Table {
    slots: Box<[Entry]>,
}

impl Table {
    /// A table of about this many bytes (at least one slot): the largest power of two of slots that
    /// fits. The system hands the memory out when it is first used.
    ///
    /// # Errors
    /// If there is not so much memory.
    pub fn new(bytes: usize) -> Result<Table, OutOfMemory> {
        let slots = 1 << (bytes / size_of::<Entry>()).max(1).ilog2();
        Ok(Table { slots: zeroed(slots)? })
    }

    /// Has the system hand out the memory now.
    pub fn make_resident(&self) {
        make_resident(&self.slots);
    }

    /// Room for a single position: next to none.
    pub fn tiny() -> Table {
        Table { slots: vec![Entry::new_zeroed()].into_boxed_slice() }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.iter_mut().for_each(|entry| entry.used = false);
    }

    fn slot(&self, key: (u64, u64)) -> usize {
        crate::othello::hash::hash_discs(key.0, key.1) as usize & (self.slots.len() - 1)
    }

    /// The entry of a position, of whatever depth.
    pub fn get(&self, key: (u64, u64)) -> Option<Entry> {
        let entry = self.slots[self.slot(key)];
        (entry.used && entry.key == [key.0, key.1]).then_some(entry)
    }

    /// Keeps the result of a search with window `alpha`–`beta`.
    pub fn put(&mut self, key: (u64, u64), depth: u32, value: f64, window: (f64, f64), best: u8) {
        let mut entry = match self.get(key) {
            Some(entry) if u32::from(entry.depth) == depth => entry,
            _ => Entry {
                key: [key.0, key.1],
                lower: f64::NEG_INFINITY,
                upper: f64::INFINITY,
                depth: depth as u8,
                best,
                used: true,
            },
        };
        if value > window.0 {
            entry.lower = entry.lower.max(value);
            entry.best = best;
        }
        if value < window.1 {
            entry.upper = entry.upper.min(value);
        }
        let slot = self.slot(key);
        self.slots[slot] = entry;
    }
}
