//! The transposition table of the expectation searches: values are real numbers and belong to one
//! exact depth, so it is not the minimax table.

/// What is known of a position at one depth.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    key: (u64, u64),
    /// The value is at least this.
    pub lower: f64,
    /// The value is at most this.
    pub upper: f64,
    /// For a search of this depth and no other.
    pub depth: u8,
    /// Index of the best move in the tree's own order.
    pub best: u8,
}

/// A table of fixed size, newest entry wins.
pub struct Table {
    slots: Vec<Option<Entry>>,
}

impl Table {
    /// A table of about this many bytes (at least one slot).
    ///
    /// # Panics
    /// If there is not so much memory; [`Table::try_new`] says so instead.
    pub fn new(bytes: usize) -> Table {
        Table::try_new(bytes).expect("a size chosen by the program")
    }

    /// The same for a size that a user chose; `None` if there is not so much memory.
    pub fn try_new(bytes: usize) -> Option<Table> {
        let slots = (bytes / size_of::<Option<Entry>>()).max(1);
        // The largest power of two that fits.
        let slots = 1 << slots.ilog2();
        if bytes as u64 >> 20 > crate::memory::physical_mebibytes() {
            return None;
        }
        let mut table = Vec::new();
        table.try_reserve_exact(slots).ok()?;
        table.resize(slots, None);
        Some(Table { slots: table })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.slots.fill(None);
    }

    fn slot(&self, key: (u64, u64)) -> usize {
        crate::othello::hash::hash_discs(key.0, key.1) as usize & (self.slots.len() - 1)
    }

    /// The entry of a position, of whatever depth.
    pub fn get(&self, key: (u64, u64)) -> Option<Entry> {
        self.slots[self.slot(key)].filter(|entry| entry.key == key)
    }

    /// Keeps the result of a search with window `alpha`–`beta`.
    pub fn put(&mut self, key: (u64, u64), depth: u32, value: f64, window: (f64, f64), best: u8) {
        let slot = self.slot(key);
        let mut entry = match self.slots[slot] {
            Some(entry) if entry.key == key && u32::from(entry.depth) == depth => entry,
            _ => Entry {
                key,
                lower: f64::NEG_INFINITY,
                upper: f64::INFINITY,
                depth: depth as u8,
                best,
            },
        };
        if value > window.0 {
            entry.lower = entry.lower.max(value);
            entry.best = best;
        }
        if value < window.1 {
            entry.upper = entry.upper.min(value);
        }
        self.slots[slot] = Some(entry);
    }
}
