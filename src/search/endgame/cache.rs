//! A small private table of proven bounds for the lean solver.
//!
//! Direct mapped, one per thread, sized to stay in the second-level cache. Every number of empties has
//! a part of its own, so that the many small nodes do not push out the few large ones. The shared
//! transposition table is for expensive nodes; here a miss costs microseconds.

use crate::othello::hash::hash_discs;

/// log2 of the number of entries of one part.
const BITS: u32 = 10;
/// The least number of empties that has a part.
const LEAST_EMPTIES: u32 = 6;
/// How many parts there are; the last is for all greater numbers of empties.
const PARTS: u32 = 8;

/// Proven bounds of a position's exact score, and the best move known (64 if none).
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub lower: i32,
    pub upper: i32,
    pub best: u32,
}

#[derive(Clone, Copy)]
struct Entry {
    mover: u64,
    opponent: u64,
    lower: i8,
    upper: i8,
    best: u8,
}

/// Has no memory until something is kept: most searches of few plies solve nothing.
pub(super) struct Cache(Box<[Entry]>);

impl Cache {
    pub(super) fn new() -> Cache {
        Cache(Box::default())
    }

    #[cold]
    #[inline(never)]
    fn allocate(&mut self) {
        // Both sets full: no real position, so an unused entry never matches.
        let unused = Entry { mover: !0, opponent: !0, lower: -64, upper: 64, best: 64 };
        self.0 = vec![unused; (PARTS as usize) << BITS].into_boxed_slice();
    }

    #[inline(always)]
    pub(super) fn slot(&self, mover: u64, opponent: u64, empties: u32) -> usize {
        let part = empties.saturating_sub(LEAST_EMPTIES).min(PARTS - 1) as usize;
        part << BITS | (hash_discs(mover, opponent) >> (64 - BITS)) as usize
    }

    #[inline(always)]
    pub(super) fn probe(&self, slot: usize, mover: u64, opponent: u64) -> Option<Bounds> {
        let entry = self.0.get(slot)?;
        (entry.mover == mover && entry.opponent == opponent).then_some(Bounds {
            lower: i32::from(entry.lower),
            upper: i32::from(entry.upper),
            best: u32::from(entry.best),
        })
    }

    /// Keeps the result `score` of a null-window search above `alpha`.
    #[inline(always)]
    pub(super) fn store(
        &mut self,
        slot: usize,
        mover: u64,
        opponent: u64,
        alpha: i32,
        score: i32,
        best: u32,
    ) {
        if self.0.is_empty() {
            self.allocate();
        }
        let entry = &mut self.0[slot];
        if entry.mover != mover || entry.opponent != opponent {
            *entry = Entry { mover, opponent, lower: -64, upper: 64, best: 64 };
        }
        if score > alpha {
            entry.lower = entry.lower.max(score as i8);
            entry.best = best as u8;
        } else {
            entry.upper = entry.upper.min(score as i8);
        }
    }
}
