//! The sum of pattern tables: the evaluation that both `pattern` and `zebra` are.
//!
//! A position's value is a constant for the number of discs plus one table entry per placement of
//! each shape, and, if asked for, per index of [`reach`]. Tables belong to stages of the game and stand one
//! after the other in one block.

use rayon::prelude::*;

use super::geometry::{Geometry, Indices};
use super::{Evaluator, Incremental, UNIT, reach};
use crate::memory::prefer_huge_pages;
use crate::othello::{Position, Square};

/// Plies of a game, the start included: discs on the board minus four, 0 to 60.
pub const PLIES: usize = 61;

/// A sum of pattern tables by stage.
pub struct Linear {
    geometry: Geometry,
    /// Whether the tables of [`reach`] count too.
    reach: bool,
    /// The stage whose tables serve each ply.
    stage_of_ply: [u8; PLIES],
    /// Added at each ply, in [`UNIT`]ths of a disc.
    constant_of_ply: [i32; PLIES],
    /// Entries of one stage.
    stage_size: usize,
    /// The tables of all stages: those of the shapes, then those of [`reach`].
    tables: Vec<i16>,
}

impl Linear {
    /// An evaluator with these tables. `fill` is given a stage that `stage_of_ply` names and room
    /// for its tables: [`Geometry::table_size`] entries, and [`reach::TABLE_SIZE`] more if `reach`
    /// is set.
    pub fn new(
        geometry: Geometry,
        reach: bool,
        stage_of_ply: [u8; PLIES],
        constant_of_ply: [i32; PLIES],
        fill: impl Fn(usize, &mut [i16]) + Sync,
    ) -> Linear {
        let count = 1 + usize::from(stage_of_ply.iter().copied().max().unwrap_or(0));
        let stage_size = geometry.table_size() + if reach { reach::TABLE_SIZE } else { 0 };
        let mut tables = vec![0; count * stage_size];
        prefer_huge_pages(&tables);
        let stages = tables.par_chunks_mut(stage_size).enumerate();
        stages.for_each(|(stage, tables)| fill(stage, tables));
        Linear { geometry, reach, stage_of_ply, constant_of_ply, stage_size, tables }
    }

    /// The shapes and their placements.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// The sum in [`UNIT`]ths of a disc, not held within ±64 discs.
    #[inline]
    pub fn sum(&self, indices: &Indices, position: Position) -> i32 {
        let ply = ply_of(position);
        let tables = self.tables(usize::from(self.stage_of_ply[ply]));
        let entry = |lane: usize| {
            let offset = self.geometry.offsets()[lane] as usize;
            let index = usize::from(indices.0[lane]);
            debug_assert!(offset + index < tables.len());
            // SAFETY: `tables` has at least `table_size` entries, and a lane's index is below the
            // size of the table that begins at its offset: it is a sum of digits 0 to 2 times the
            // powers of three of its shape.
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
        if self.reach {
            odd += reach::sum(position, &tables[self.geometry.table_size()..]);
        }
        even + odd
    }

    /// What the placement with this lane adds to [`Linear::sum`].
    pub fn entry(&self, lane: usize, indices: &Indices, position: Position) -> i32 {
        let tables = self.tables(usize::from(self.stage_of_ply[ply_of(position)]));
        let offset = self.geometry.offsets()[lane] as usize;
        i32::from(tables[offset + usize::from(indices.0[lane])])
    }

    #[inline]
    fn tables(&self, stage: usize) -> &[i16] {
        &self.tables[stage * self.stage_size..][..self.stage_size]
    }
}

/// Discs minus four, held within 0 to 60.
#[inline]
pub fn ply_of(position: Position) -> usize {
    60usize.saturating_sub(position.empty_count() as usize)
}

impl Incremental for Linear {
    type State = Indices;

    fn root(&self, position: Position) -> Indices {
        self.geometry.indices(position)
    }

    #[inline]
    fn child(&self, state: &Indices, square: Square, flips: u64) -> Indices {
        self.geometry.child(state, square, flips)
    }

    #[inline]
    fn passed(&self, state: &Indices) -> Indices {
        self.geometry.passed(state)
    }

    #[inline]
    fn value(&self, state: &Indices, position: Position) -> i32 {
        // A side without discs has lost, whatever the tables say.
        if position.mover().is_empty() {
            return -64 * UNIT;
        }
        if position.opponent().is_empty() {
            return 64 * UNIT;
        }
        self.sum(state, position).clamp(-64 * UNIT, 64 * UNIT)
    }
}

impl Evaluator for Linear {
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
        let linear =
            Linear::new(Geometry::new(vec![edge]), false, [0; PLIES], constants, |_, room| {
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
        let linear =
            Linear::new(Geometry::new(vec![shape]), false, [0; PLIES], [0; PLIES], |_, room| {
                room.copy_from_slice(&[1, 0, -1])
            });
        let wiped = Position::from_disjoint(0, 0xff);
        assert_eq!(linear.evaluate(wiped), -64 * UNIT);
        assert_eq!(linear.evaluate(wiped.pass()), 64 * UNIT);
    }
}
