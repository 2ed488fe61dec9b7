//! The sum of pattern tables: the evaluation that both `pattern` and `zebra` are.
//!
//! A position's value is a constant for the number of discs plus one table entry per placement of
//! each shape. Tables belong to stages of the game and are made when a stage is first met, so
//! opening an evaluator costs little and a search pays only for the stages it reaches.

use std::sync::OnceLock;

use super::geometry::{Geometry, Indices};
use super::{Evaluator, Incremental, UNIT};
use crate::othello::{Position, Square};

/// Plies of a game, the start included: discs on the board minus four, 0 to 60.
pub const PLIES: usize = 61;

/// Makes the tables of a stage, those of all shapes one after the other.
pub type MakeTables = Box<dyn Fn(usize) -> Vec<i16> + Send + Sync>;

/// A sum of pattern tables by stage.
pub struct Linear {
    geometry: Geometry,
    /// The stage whose tables serve each ply.
    stage_of_ply: [u8; PLIES],
    /// Added at each ply, in [`UNIT`]ths of a disc.
    constant_of_ply: [i32; PLIES],
    stages: Vec<OnceLock<Vec<i16>>>,
    make: MakeTables,
}

impl Linear {
    /// An evaluator with these tables. `make` must give [`Geometry::table_size`] entries for every
    /// stage that `stage_of_ply` names.
    pub fn new(
        geometry: Geometry,
        stage_of_ply: [u8; PLIES],
        constant_of_ply: [i32; PLIES],
        make: MakeTables,
    ) -> Linear {
        let count = 1 + usize::from(stage_of_ply.iter().copied().max().unwrap_or(0));
        let stages = std::iter::repeat_with(OnceLock::new).take(count).collect();
        Linear { geometry, stage_of_ply, constant_of_ply, stages, make }
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
        let lanes = self.geometry.lanes();
        let mut sums = [self.constant_of_ply[ply], 0, 0, 0];
        for lane in 0..lanes {
            let offset = self.geometry.offsets()[lane] as usize;
            let index = usize::from(indices.0[lane]);
            debug_assert!(offset + index < tables.len());
            // SAFETY: `tables` has `table_size` entries (checked when it was made), and a lane's
            // index is below the size of the table that begins at its offset: it is a sum of
            // digits 0 to 2 times the powers of three of its shape.
            sums[lane % 4] += i32::from(unsafe { *tables.get_unchecked(offset + index) });
        }
        sums.iter().sum()
    }

    /// What the placement with this lane adds to [`Linear::sum`].
    pub fn entry(&self, lane: usize, indices: &Indices, position: Position) -> i32 {
        let tables = self.tables(usize::from(self.stage_of_ply[ply_of(position)]));
        let offset = self.geometry.offsets()[lane] as usize;
        i32::from(tables[offset + usize::from(indices.0[lane])])
    }

    #[inline]
    fn tables(&self, stage: usize) -> &[i16] {
        self.stages[stage].get_or_init(|| {
            let tables = (self.make)(stage);
            assert_eq!(tables.len(), self.geometry.table_size());
            tables
        })
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
        let linear = Linear::new(
            Geometry::new(vec![edge]),
            [0; PLIES],
            constants,
            Box::new(move |_| tables.clone()),
        );
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
        let linear = Linear::new(
            Geometry::new(vec![shape]),
            [0; PLIES],
            [0; PLIES],
            Box::new(|_| vec![1, 0, -1]),
        );
        let wiped = Position::from_disjoint(0, 0xff);
        assert_eq!(linear.evaluate(wiped), -64 * UNIT);
        assert_eq!(linear.evaluate(wiped.pass()), 64 * UNIT);
    }
}
