//! Sums of pattern tables: what `zebra` and `pattern` have in common ([`PatternSum`]), and the plain
//! one, for any shapes, that `zebra` is ([`Linear`]).
//!
//! A position's value is a constant for the number of discs plus one table entry per placement of
//! each shape. Tables belong to stages of the game and stand one after the other in one block.

use rayon::prelude::*;

use super::geometry::{Geometry, Indices};
use super::{Evaluator, Incremental, UNIT};
use crate::memory::prefer_huge_pages;
use crate::othello::{Position, Square};

/// Plies of a game, the start included: discs on the board minus four, 0 to 60.
pub const PLIES: usize = 61;

/// A sum of pattern tables by stage.
pub struct Linear {
    geometry: Geometry,
    /// The stage whose tables serve each ply.
    stage_of_ply: [u8; PLIES],
    /// Added at each ply, in [`UNIT`]ths of a disc.
    constant_of_ply: [i32; PLIES],
    /// The tables of all stages, and [`BEYOND`] entries more.
    tables: Vec<i16>,
}

/// Entries after the last table: whatever a sixteen-bit index says, it stays inside.
const BEYOND: usize = 1 << 16;

impl Linear {
    /// An evaluator with these tables. `fill` is given a stage that `stage_of_ply` names and room
    /// for its tables: [`Geometry::table_size`] entries.
    pub fn new(
        geometry: Geometry,
        stage_of_ply: [u8; PLIES],
        constant_of_ply: [i32; PLIES],
        fill: impl Fn(usize, &mut [i16]) + Sync,
    ) -> Linear {
        let count = 1 + usize::from(stage_of_ply.iter().copied().max().unwrap_or(0));
        let stage_size = geometry.table_size();
        let mut tables = vec![0; count * stage_size + BEYOND];
        prefer_huge_pages(&tables);
        let stages = tables[..count * stage_size].par_chunks_mut(stage_size).enumerate();
        stages.for_each(|(stage, tables)| fill(stage, tables));
        Linear { geometry, stage_of_ply, constant_of_ply, tables }
    }

    /// What the placement with this lane adds to [`Linear::sum`].
    pub fn entry(&self, lane: usize, indices: &Indices, position: Position) -> i32 {
        let tables = self.tables(usize::from(self.stage_of_ply[ply_of(position)]));
        let offset = self.geometry.offsets()[lane] as usize;
        i32::from(tables[offset + usize::from(indices.0[lane])])
    }

    /// The tables of a stage, and [`BEYOND`] entries more.
    #[inline]
    fn tables(&self, stage: usize) -> &[i16] {
        let size = self.geometry.table_size();
        &self.tables[stage * size..][..size + BEYOND]
    }
}

/// Discs minus four, held within 0 to 60.
#[inline]
pub fn ply_of(position: Position) -> usize {
    60usize.saturating_sub(position.empty_count() as usize)
}

impl PatternSum for Linear {
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    #[inline]
    fn sum(&self, indices: &Indices, position: Position) -> i32 {
        let ply = ply_of(position);
        let tables = self.tables(usize::from(self.stage_of_ply[ply]));
        let entry = |lane: usize| {
            let offset = self.geometry.offsets()[lane] as usize;
            let index = usize::from(indices.0[lane]);
            // SAFETY: a lane's table begins before `table_size`, and `tables` goes on for every
            // sixteen-bit index from there.
            i32::from(unsafe { *tables.get_unchecked(offset + index) })
        };
        // Two sums that do not wait for each other.
        let (mut even, mut odd) = (self.constant_of_ply[ply], 0);
        let lanes = self.geometry.lanes();
        for pair in 0..lanes / 2 {
            even += entry(2 * pair);
            odd += entry(2 * pair + 1);
        }
        if lanes % 2 == 1 {
            even += entry(lanes - 1);
        }
        even + odd
    }
}

/// What a sum of pattern tables has to tell to be an evaluator.
pub trait PatternSum: Send + Sync {
    /// The shapes and their placements.
    fn geometry(&self) -> &Geometry;

    /// The sum in [`UNIT`]ths of a disc, not held within ±64 discs.
    fn sum(&self, indices: &Indices, position: Position) -> i32;

    /// The same; outside the window it may be rough, as in [`Incremental::value_near`].
    #[inline]
    fn sum_near(&self, indices: &Indices, position: Position, alpha: i32, beta: i32) -> i32 {
        let _ = (alpha, beta);
        self.sum(indices, position)
    }
}

/// The value of a position if a side has no discs, and has therefore lost, whatever the tables say.
#[inline]
fn wiped_out(position: Position) -> Option<i32> {
    if position.mover().is_empty() {
        Some(-64 * UNIT)
    } else {
        position.opponent().is_empty().then_some(64 * UNIT)
    }
}

impl<S: PatternSum> Incremental for S {
    type State = Indices;

    fn root(&self, position: Position) -> Indices {
        self.geometry().indices(position)
    }

    #[inline]
    fn child(&self, state: &Indices, square: Square, flips: u64) -> Indices {
        self.geometry().child(state, square, flips)
    }

    #[inline]
    fn passed(&self, state: &Indices) -> Indices {
        self.geometry().passed(state)
    }

    #[inline]
    fn value(&self, state: &Indices, position: Position) -> i32 {
        let sum = || self.sum(state, position).clamp(-64 * UNIT, 64 * UNIT);
        wiped_out(position).unwrap_or_else(sum)
    }

    #[inline]
    fn value_near(&self, state: &Indices, position: Position, alpha: i32, beta: i32) -> i32 {
        let sum = || self.sum_near(state, position, alpha, beta).clamp(-64 * UNIT, 64 * UNIT);
        wiped_out(position).unwrap_or_else(sum)
    }
}

impl<S: PatternSum> Evaluator for S {
    fn evaluate(&self, position: Position) -> i32 {
        self.value(&self.root(position), position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::geometry::Shape;
    use crate::othello::random::{random_position, seeded};

    #[test]
    fn a_table_of_disc_counts_gives_the_disc_difference_of_the_edges() {
        let edge = Shape::new("row", "h1 g1 f1 e1 d1 c1 b1 a1");
        let tables: Vec<i16> = (0..edge.size())
            .map(|index| {
                let digits = (0..8).map(|place| index / 3usize.pow(place) % 3);
                digits.map(|digit| 1 - digit as i16).sum()
            })
            .collect();
        let mut constants = [0; PLIES];
        constants[30] = 1000;
        let linear = Linear::new(Geometry::new(vec![edge]), [0; PLIES], constants, |_, room| {
            room.copy_from_slice(&tables)
        });
        let mut rng = seeded(3);
        for empties in 0..=60 {
            let position = random_position(empties, &mut rng);
            if position.mover().is_empty() || position.opponent().is_empty() {
                continue;
            }
            let rows = [0xff, 0xff << 56, 0x0101_0101_0101_0101, 0x8080_8080_8080_8080];
            let expected: i32 = rows
                .iter()
                .map(|row: &u64| {
                    (position.mover().0 & row).count_ones() as i32
                        - (position.opponent().0 & row).count_ones() as i32
                })
                .sum();
            let constant = if empties == 30 { 1000 } else { 0 };
            assert_eq!(linear.evaluate(position), expected + constant);
        }
    }

    #[test]
    fn a_side_without_discs_has_lost() {
        let shape = Shape::new("corner", "a1");
        let linear = Linear::new(Geometry::new(vec![shape]), [0; PLIES], [0; PLIES], |_, room| {
            room.copy_from_slice(&[1, 0, -1])
        });
        let wiped = Position::from_disjoint(0, 0xff);
        assert_eq!(linear.evaluate(wiped), -64 * UNIT);
        assert_eq!(linear.evaluate(wiped.pass()), 64 * UNIT);
    }
}
