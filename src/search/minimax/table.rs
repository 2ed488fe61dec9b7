//! The transposition table all threads share, without locks.
//!
//! A slot is three 64-bit words: both disc sets, each XORed with the data word, and the data. A
//! reader undoes the XOR and compares the whole position, so a slot torn by two writers at once
//! simply does not match: no false hits, no locks. Two slots fill a cache line.
//!
//! An entry keeps a lower and an upper bound, the depth and confidence level they were searched
//! with, and two good moves. Bounds may be used only by searches that ask for no more depth and no
//! more confidence.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use zerocopy::FromZeros;

use super::probcut::Selectivity;
use super::{SCORE_MAX, Value};
use crate::memory::{OutOfMemory, make_resident, zeroed};
use crate::othello::{Position, hash};

/// No move, in an entry.
pub(super) const NO_MOVE: u8 = 64;

/// What the table knows about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The score is at least this, at this depth and confidence.
    pub lower: Value,
    /// The score is at most this.
    pub upper: Value,
    /// Plies searched.
    pub depth: u32,
    /// Confidence of the forward pruning used.
    pub selectivity: Selectivity,
    /// Best move and second best, squares or [`NO_MOVE`].
    pub moves: [u8; 2],
    generation: u8,
}

/// The result of one search, to be stored.
pub(super) struct Stored {
    /// Window and score: fail soft.
    pub alpha: Value,
    pub beta: Value,
    pub score: Value,
    pub depth: u32,
    pub selectivity: Selectivity,
    /// Best move found, or [`NO_MOVE`].
    pub best: u8,
}

#[derive(Default, FromZeros)]
struct Slot {
    mover: AtomicU64,
    opponent: AtomicU64,
    data: AtomicU64,
}

/// Two slots and what fills up a cache line. No alignment is asked for: the allocator clears
/// over-aligned memory by hand, which costs every new table all its pages; big blocks begin 16
/// bytes into a page, where the slots of every bucket lie within one line.
#[derive(Default, FromZeros)]
#[repr(C)]
struct Bucket([Slot; 2], [AtomicU64; 2]);

/// A fixed-size table of positions.
pub(super) struct Table {
    buckets: Box<[Bucket]>,
    generation: AtomicU8,
}

/// Generations wrap at this.
const GENERATIONS: u8 = 32;

impl Entry {
    fn pack(self) -> u64 {
        u64::from(self.lower as i16 as u16)
            | u64::from(self.upper as i16 as u16) << 16
            | u64::from(self.depth as u8) << 32
            | u64::from(self.selectivity.0) << 40
            | u64::from(self.generation) << 43
            | u64::from(self.moves[0]) << 48
            | u64::from(self.moves[1]) << 56
    }

    fn unpack(data: u64) -> Entry {
        Entry {
            lower: Value::from(data as u16 as i16),
            upper: Value::from((data >> 16) as u16 as i16),
            depth: (data >> 32 & 0xff) as u32,
            selectivity: Selectivity((data >> 40 & 7) as u8),
            generation: (data >> 43 & 31) as u8,
            moves: [(data >> 48) as u8, (data >> 56) as u8],
        }
    }

    /// Whether the bounds may be used by a search of this depth and confidence.
    #[inline]
    pub(super) fn serves(&self, depth: u32, selectivity: Selectivity) -> bool {
        self.depth >= depth && self.selectivity >= selectivity
    }

    /// A score at or outside the window proven by the bounds, if any.
    #[inline]
    pub(super) fn cut(&self, alpha: Value, beta: Value) -> Option<Value> {
        if self.lower >= beta || self.lower == self.upper {
            Some(self.lower)
        } else if self.upper <= alpha {
            Some(self.upper)
        } else {
            None
        }
    }

    fn updated(mut self, result: &Stored) -> Entry {
        if result.score < result.beta {
            self.upper = self.upper.min(result.score);
        }
        if result.score > result.alpha {
            self.lower = self.lower.max(result.score);
        }
        // Bounds of one depth can contradict each other (reductions, pruning): trust the newer.
        if self.lower > self.upper {
            (self.lower, self.upper) = bounds(result);
        }
        self.add_move(result);
        self
    }

    /// A best move is only known when the search raised alpha; otherwise keep the old one.
    fn add_move(&mut self, result: &Stored) {
        let known = result.score > result.alpha || self.moves[0] == NO_MOVE;
        if known && result.best != NO_MOVE && result.best != self.moves[0] {
            self.moves = [result.best, self.moves[0]];
        }
    }
}

fn bounds(result: &Stored) -> (Value, Value) {
    (
        if result.score > result.alpha { result.score } else { -SCORE_MAX },
        if result.score < result.beta { result.score } else { SCORE_MAX },
    )
}

impl Slot {
    /// The slot's position and data, if it was not torn; a slot never written reads as the empty
    /// board, which no search asks for.
    #[inline]
    fn read(&self) -> (u64, u64, u64) {
        let data = self.data.load(Ordering::Relaxed);
        let mover = self.mover.load(Ordering::Relaxed) ^ data;
        let opponent = self.opponent.load(Ordering::Relaxed) ^ data;
        (mover, opponent, data)
    }

    fn write(&self, position: Position, entry: Entry) {
        let data = entry.pack();
        self.mover.store(position.mover().0 ^ data, Ordering::Relaxed);
        self.opponent.store(position.opponent().0 ^ data, Ordering::Relaxed);
        self.data.store(data, Ordering::Relaxed);
    }
}

impl Table {
    /// A table of about this many MiB (a power of two of buckets, at least one). The system hands the
    /// memory out only when it is first used, or by [`Table::make_resident`]: a match builds a table
    /// for every game, and most games touch little of it.
    ///
    /// # Errors
    /// If there is not so much memory.
    pub(super) fn new(mebibytes: usize) -> Result<Table, OutOfMemory> {
        let wanted = mebibytes.saturating_mul(1 << 20) / size_of::<Bucket>();
        let buckets = (wanted + 1).next_power_of_two() / 2;
        let buckets = zeroed(buckets.max(1))?;
        Ok(Table { buckets, generation: AtomicU8::new(1) })
    }

    /// Has the system hand out the memory now.
    pub(super) fn make_resident(&self) {
        make_resident(&self.buckets);
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.buckets.zero();
        self.generation = AtomicU8::new(1);
    }

    /// Marks what is there as old: entries of earlier searches give way first.
    pub(super) fn new_search(&self) {
        let next = (self.generation.load(Ordering::Relaxed) + 1) % GENERATIONS;
        self.generation.store(next, Ordering::Relaxed);
    }

    #[inline]
    fn bucket(&self, position: Position) -> &Bucket {
        &self.buckets[hash::hash(position) as usize & (self.buckets.len() - 1)]
    }

    /// What is known about a position.
    #[inline]
    pub(super) fn probe(&self, position: Position) -> Option<Entry> {
        for slot in &self.bucket(position).0 {
            let (mover, opponent, data) = slot.read();
            if mover == position.mover().0 && opponent == position.opponent().0 {
                return Some(Entry::unpack(data));
            }
        }
        None
    }

    /// Keeps a result: merged with what the same depth and confidence found before, otherwise over
    /// the slot that is worth less. A deeper and surer entry of the same position stays.
    pub(super) fn store(&self, position: Position, result: &Stored) {
        let generation = self.generation.load(Ordering::Relaxed);
        let bucket = self.bucket(position);
        let mut victim = &bucket.0[0];
        let mut least = u32::MAX;
        for slot in &bucket.0 {
            let (mover, opponent, data) = slot.read();
            let old = Entry::unpack(data);
            if mover == position.mover().0 && opponent == position.opponent().0 {
                let same = old.depth == result.depth && old.selectivity == result.selectivity;
                let new = if same {
                    Entry { generation, ..old }.updated(result)
                } else if old.serves(result.depth, result.selectivity) {
                    Entry { generation, ..old }
                } else {
                    let (lower, upper) = bounds(result);
                    let mut new = Entry {
                        lower,
                        upper,
                        depth: result.depth,
                        selectivity: result.selectivity,
                        generation,
                        moves: old.moves,
                    };
                    new.add_move(result);
                    new
                };
                slot.write(position, new);
                return;
            }
            let current = u32::from(old.generation == generation) * 256;
            if current + old.depth < least {
                least = current + old.depth;
                victim = slot;
            }
        }
        let (lower, upper) = bounds(result);
        victim.write(
            position,
            Entry {
                lower,
                upper,
                depth: result.depth,
                selectivity: result.selectivity,
                generation,
                moves: [result.best, NO_MOVE],
            },
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_position, seeded};

    fn result(alpha: Value, score: Value, depth: u32, selectivity: u8) -> Stored {
        Stored {
            alpha,
            beta: alpha + 1,
            score,
            depth,
            selectivity: Selectivity(selectivity),
            best: 19,
        }
    }

    #[test]
    fn what_was_stored_is_found_with_both_bounds_merged() {
        let table = Table::new(1).unwrap();
        let position = random_position(30, &mut seeded(1));
        assert_eq!(table.probe(position), None);
        table.store(position, &result(100, 140, 8, 2));
        table.store(position, &result(300, 260, 8, 2));
        let entry = table.probe(position).unwrap();
        assert_eq!((entry.lower, entry.upper), (140, 260));
        assert_eq!((entry.depth, entry.selectivity, entry.moves[0]), (8, Selectivity(2), 19));
        assert_eq!(entry.cut(139, 140), Some(140));
        assert_eq!(entry.cut(260, 261), Some(260));
        assert_eq!(entry.cut(200, 201), None);
        assert!(entry.serves(8, Selectivity(2)) && entry.serves(7, Selectivity(1)));
        assert!(!entry.serves(9, Selectivity(2)) && !entry.serves(8, Selectivity(3)));
    }

    #[test]
    fn a_shallower_result_does_not_replace_a_deeper_one_of_the_same_position() {
        let table = Table::new(1).unwrap();
        let position = random_position(30, &mut seeded(2));
        table.store(position, &result(0, 10, 12, 5));
        table.store(position, &result(0, -10, 3, 1));
        assert_eq!(table.probe(position).unwrap().depth, 12);
        table.store(position, &result(0, -10, 13, 5));
        assert_eq!(table.probe(position).unwrap().upper, -10);
    }

    #[test]
    fn entries_survive_packing_at_the_extremes() {
        for (lower, upper) in [(-SCORE_MAX, SCORE_MAX), (-1, 0), (SCORE_MAX, SCORE_MAX)] {
            let entry = Entry {
                lower,
                upper,
                depth: 60,
                selectivity: Selectivity::NONE,
                generation: 31,
                moves: [63, NO_MOVE],
            };
            assert_eq!(Entry::unpack(entry.pack()), entry);
        }
    }

    #[test]
    fn a_full_small_table_keeps_answering_only_what_it_was_told() {
        let mut table = Table::new(1).unwrap();
        let mut rng = seeded(5);
        for i in 0..60_000 {
            let position = random_position(20 + i % 30, &mut rng);
            table.store(position, &result(0, position.disc_difference() + 1, 4, 0));
            if let Some(entry) = table.probe(position) {
                let score = position.disc_difference() + 1;
                assert!(entry.lower == score || entry.upper == score);
            }
        }
        table.clear();
        assert_eq!(table.probe(Position::START), None);
    }
}
