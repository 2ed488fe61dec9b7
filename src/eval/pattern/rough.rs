//! The rough value: a plain sum of pattern tables that settles most leaves of a search.
//!
//! Three leaves in four lie so far outside the search's window that the shapes, the numbers of moves
//! and the edges are enough to say so
//! ([`Incremental::value_near`](crate::eval::Incremental::value_near)). Tables stand at a few anchors
//! of the game ([`ANCHORS`]) and are mixed linearly between them, stage by stage. Entries are single
//! bytes, in steps of about a sixth of a disc, so that the tables of a stage fit the cache.

use rayon::prelude::*;

use super::{ANCHORS, PLIES_PER_STAGE, SHAPES, Weights, anchors_around, rough_packings, stage_of};
use crate::eval::geometry::Indices;
use crate::eval::linear::PLIES;
use crate::eval::reach::{self, Reach};
use crate::memory::prefer_huge_pages;

/// How far outside a window the rough value must lie to settle a leaf, in deviations of the value
/// from it.
const ROUGH_MARGIN: f32 = 2.0;

/// Where each shape's lanes and its table begin, and at last where all end. Known when the program is
/// built, they need not be looked up.
pub(super) const BEGINS: [(usize, usize); SHAPES.len() + 1] = {
    let mut begins = [(0, 0); SHAPES.len() + 1];
    let mut shape = 0;
    while shape < SHAPES.len() {
        let (_, squares, placements) = SHAPES[shape];
        let (lane, offset) = begins[shape];
        // Two letters and a blank for each square.
        let size = 3usize.pow(squares.len().div_ceil(3) as u32);
        shape += 1;
        begins[shape] = (lane + placements, offset + size);
    }
    begins
};

/// Placements of all shapes, and entries of their tables.
pub(super) const ENDS: (usize, usize) = BEGINS[SHAPES.len()];

/// Entries of a stage: the tables of the shapes, then those of [`reach`].
const STAGE_SIZE: usize = ENDS.1 + reach::ROUGH_SIZE;

/// The tables and what goes with them.
pub(super) struct Rough {
    /// Added at each ply, in [`UNIT`](crate::eval::UNIT)ths of a disc.
    constants: [i32; PLIES],
    /// How far outside a window the rough value must lie to be good enough, by ply.
    margins: [i32; PLIES],
    /// What an entry of one counts, in [`UNIT`](crate::eval::UNIT)ths of a disc.
    step: i32,
    /// The tables of all stages.
    tables: Vec<i8>,
}

impl Rough {
    /// The rough value with these weights.
    pub(super) fn new(weights: &Weights) -> Rough {
        // The finest step in which the largest weight fits a byte.
        let weights_of_all = weights.anchors.par_iter().flatten();
        let largest = weights_of_all.map(|weight| weight.unsigned_abs()).max().unwrap_or(0);
        let step = i32::from(largest.div_ceil(127).max(1));
        let stages = 1 + stage_of(PLIES - 1);
        let mut tables = vec![0; stages * STAGE_SIZE];
        prefer_huge_pages(&tables);
        tables
            .par_chunks_mut(STAGE_SIZE)
            .enumerate()
            .for_each(|(stage, tables)| expand(weights, stage, step, tables));
        Rough {
            constants: weights.constants.map(i32::from),
            margins: weights.spreads.map(|spread| (f32::from(spread) * ROUGH_MARGIN) as i32),
            step,
            tables,
        }
    }

    /// The rough value in [`UNIT`](crate::eval::UNIT)ths of a disc.
    #[inline]
    pub(super) fn value(&self, indices: &Indices, reach: &Reach, ply: usize) -> i32 {
        let tables = &self.tables[stage_of(ply) * STAGE_SIZE..][..STAGE_SIZE];
        let steps = sum_of_shapes(indices, tables) + reach.rough(&tables[ENDS.1..]);
        self.constants[ply] + self.step * steps
    }

    /// Whether a rough value lies so far outside a window that it will do.
    #[inline]
    pub(super) fn settles(&self, value: i32, ply: usize, alpha: i32, beta: i32) -> bool {
        value - self.margins[ply] >= beta || value + self.margins[ply] <= alpha
    }
}

/// The sum of the entries of all placements, given the tables of a stage.
#[inline(always)]
fn sum_of_shapes(indices: &Indices, tables: &[i8]) -> i32 {
    assert!(tables.len() >= STAGE_SIZE);
    const { assert!(ENDS.1 + (u16::MAX as usize) < STAGE_SIZE) };
    /// That of one shape.
    #[inline(always)]
    fn of<const SHAPE: usize>(indices: &Indices, tables: &[i8]) -> i32 {
        let (first, offset) = BEGINS[SHAPE];
        let mut sum = 0;
        for lane in first..first + SHAPES[SHAPE].2 {
            // SAFETY: tables of shapes begin before `ENDS`, and from there any sixteen-bit index
            // stays inside the stage. The volatile read, of a plain reference, keeps the compiler
            // from reading many indices as a vector only to take it apart again.
            sum += i32::from(unsafe {
                let index = std::ptr::read_volatile(&indices.0[lane]);
                *tables.get_unchecked(offset + usize::from(index))
            });
        }
        sum
    }
    const { assert!(SHAPES.len() == 10) };
    of::<0>(indices, tables)
        + of::<1>(indices, tables)
        + of::<2>(indices, tables)
        + of::<3>(indices, tables)
        + of::<4>(indices, tables)
        + of::<5>(indices, tables)
        + of::<6>(indices, tables)
        + of::<7>(indices, tables)
        + of::<8>(indices, tables)
        + of::<9>(indices, tables)
}

/// Writes the full tables of a stage.
fn expand(weights: &Weights, stage: usize, step: i32, mut room: &mut [i8]) {
    let (before, after, share) = anchors_around(ANCHORS[0] + stage * PLIES_PER_STAGE);
    let mixed: Vec<i8> = weights.anchors[before]
        .iter()
        .zip(&weights.anchors[after])
        .map(|(&b, &a)| {
            let weight = f32::from(b) + (f32::from(a) - f32::from(b)) * share;
            (weight / step as f32).round() as i8
        })
        .collect();
    let mut rest = &mixed[..];
    for (packing, count) in rough_packings() {
        let (table, after) = room.split_at_mut(packing.len());
        for (entry, &number) in table.iter_mut().zip(packing) {
            *entry = rest[number as usize];
        }
        room = after;
        rest = &rest[*count..];
    }
}
