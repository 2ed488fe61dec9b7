//! The sum itself, as fast as it goes: it is most of what a midgame search does.
//!
//! Two things make it fast. Entries are single bytes, in steps of about a sixth of a disc, so that
//! the tables of a stage fit the cache. And there is a rough value, from the shapes and the first tables of [`reach`]:
//! three leaves in four lie so far outside the search's window that it settles them
//! ([`Incremental::value_near`](crate::eval::Incremental::value_near)).

use rayon::prelude::*;

use super::{ANCHORS, PLIES_PER_STAGE, SHAPES, Weights, anchors_around, packings, stage_of};
use crate::eval::geometry::{Geometry, Indices};
use crate::eval::linear::{PLIES, PatternSum, ply_of};
use crate::eval::reach::{self, Reach};
use crate::memory::prefer_huge_pages;
use crate::othello::Position;

/// How far outside a window the rough value must lie to settle a leaf, in deviations of the value
/// from it.
const ROUGH_MARGIN: f32 = 2.0;

/// Where each shape's lanes and its table begin, and at last where all end. Known when the program is
/// built, they need not be looked up.
const BEGINS: [(usize, usize); SHAPES.len() + 1] = {
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
const ENDS: (usize, usize) = BEGINS[SHAPES.len()];

/// Entries of a stage: the tables of the shapes, then those of [`reach`].
const STAGE_SIZE: usize = ENDS.1 + reach::TABLE_SIZE;

/// The evaluator.
pub struct Pattern {
    geometry: Geometry,
    /// Added at each ply, in [`UNIT`](crate::eval::UNIT)ths of a disc.
    constants: [i32; PLIES],
    /// How far outside a window the rough value must lie to be good enough, by ply.
    margins: [i32; PLIES],
    /// What an entry of one counts, in [`UNIT`](crate::eval::UNIT)ths of a disc.
    step: i32,
    /// The tables of all stages.
    tables: Vec<i8>,
}

impl Pattern {
    /// The evaluator with these weights.
    pub fn new(weights: &Weights) -> Pattern {
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
        Pattern {
            geometry: super::geometry(),
            constants: weights.constants.map(i32::from),
            margins: weights.spreads.map(|spread| (f32::from(spread) * ROUGH_MARGIN) as i32),
            step,
            tables,
        }
    }
}

impl PatternSum for Pattern {
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Rough where the rough value lies a margin outside the window.
    #[inline]
    fn sum_near(&self, indices: &Indices, position: Position, alpha: i32, beta: i32) -> i32 {
        let ply = ply_of(position);
        let tables = &self.tables[stage_of(ply) * STAGE_SIZE..][..STAGE_SIZE];
        let reach_tables = &tables[ENDS.1..];
        let reach = Reach::new(position);
        let steps = sum_of_shapes(indices, tables) + reach.rough(reach_tables);
        let rough = self.constants[ply] + self.step * steps;
        if rough - self.margins[ply] >= beta || rough + self.margins[ply] <= alpha {
            return rough;
        }
        rough + self.step * reach.rest(reach_tables)
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
    for (packing, count) in packings() {
        let (table, after) = room.split_at_mut(packing.len());
        for (entry, &number) in table.iter_mut().zip(packing) {
            *entry = rest[number as usize];
        }
        room = after;
        rest = &rest[*count..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::pattern::embedded;
    use crate::eval::{Evaluator, Incremental, UNIT};
    use crate::othello::Symmetry;
    use crate::othello::random::{random_position, seeded};
    use rand::Rng;

    fn random_weights(seed: u64) -> Weights {
        let mut rng = seeded(seed);
        let mut weights = Weights::zero();
        for anchor in &mut weights.anchors {
            anchor.fill_with(|| rng.random_range(-60..60));
        }
        weights.constants.fill_with(|| rng.random_range(-60..60));
        // The largest is 500, so a step is 4.
        weights.anchors[3][77] = -500;
        weights
    }

    #[test]
    fn lanes_and_tables_begin_where_the_geometry_has_them() {
        let geometry = crate::eval::pattern::geometry();
        assert_eq!((geometry.lanes(), geometry.table_size()), ENDS);
        for lane in 0..geometry.lanes() {
            let shape = geometry.shape_of_lane(lane);
            assert!((BEGINS[shape].0..BEGINS[shape + 1].0).contains(&lane));
            assert_eq!(geometry.offsets()[lane] as usize, BEGINS[shape].1);
        }
    }

    /// The value from its definition: weights by name of content, mixed, rounded and added one by
    /// one; and the rough value, without the tables that are not in it.
    fn slow_values(weights: &Weights, position: Position) -> (i32, i32) {
        let ply = ply_of(position);
        let (before, after, share) = anchors_around(ply);
        let geometry = crate::eval::pattern::geometry();
        let shapes = geometry.indices(position).0;
        let lanes_of_shapes = geometry.shapes().iter().map(|shape| shape.placements.len());
        let lanes_of_reach = reach::TABLES.map(|(lanes, _)| lanes);
        let mut indices =
            shapes[..geometry.lanes()].iter().copied().chain(reach::indices(position));
        let (mut steps, mut first_weight) = (Vec::new(), 0);
        for ((packing, count), lanes) in
            packings().iter().zip(lanes_of_shapes.chain(lanes_of_reach))
        {
            let mut sum = 0;
            for index in indices.by_ref().take(lanes) {
                let number = first_weight + packing[usize::from(index)] as usize;
                let [b, a] =
                    [before, after].map(|anchor| f64::from(weights.anchors[anchor][number]));
                let mixed = b * (1.0 - f64::from(share)) + a * f64::from(share);
                sum += (mixed / 4.0).round() as i32;
            }
            steps.push(sum);
            first_weight += count;
        }
        let value = |tables: &[i32]| {
            let sum = i32::from(weights.constants[ply]) + 4 * tables.iter().sum::<i32>();
            sum.clamp(-64 * UNIT, 64 * UNIT)
        };
        (value(&steps), value(&steps[..geometry.shapes().len() + reach::ROUGH_TABLES]))
    }

    #[test]
    fn the_value_is_what_the_weights_say() {
        let weights = random_weights(5);
        let pattern = Pattern::new(&weights);
        let mut rng = seeded(8);
        for empties in 0..=60 {
            let position = random_position(empties, &mut rng);
            if position.mover().is_empty() || position.opponent().is_empty() {
                continue;
            }
            assert_eq!(pattern.evaluate(position), slow_values(&weights, position).0);
        }
    }

    #[test]
    fn near_its_window_the_value_is_exact_and_a_rough_one_is_a_margin_outside() {
        let mut weights = random_weights(6);
        weights.spreads.fill(150);
        let pattern = Pattern::new(&weights);
        let mut rng = seeded(12);
        let (mut exact, mut rough) = (0, 0);
        for round in 0..3000 {
            let position = random_position(4 + round % 50, &mut rng);
            if position.mover().is_empty() || position.opponent().is_empty() {
                continue;
            }
            let (value, rough_value) = slow_values(&weights, position);
            let alpha = value + rng.random_range(-1500..1500);
            let beta = alpha + rng.random_range(1..300);
            let found = pattern.value_near(&pattern.root(position), position, alpha, beta);
            if rough_value - 300 >= beta || rough_value + 300 <= alpha {
                assert_eq!(found, rough_value);
                rough += 1;
            } else {
                assert_eq!(found, value);
                exact += 1;
            }
        }
        assert!(exact > 500 && rough > 500, "{exact} exact, {rough} rough");
    }

    #[test]
    fn the_embedded_weights_seldom_put_a_rough_value_on_the_wrong_side() {
        let pattern = embedded();
        let mut rng = seeded(14);
        let (mut outside, mut wrong) = (0, 0);
        for round in 0..20_000 {
            let position = random_position(12 + round % 36, &mut rng);
            let state = pattern.root(position);
            let value = pattern.value(&state, position);
            let alpha = rng.random_range(-30 * UNIT..30 * UNIT);
            let found = pattern.value_near(&state, position, alpha, alpha + 1);
            outside += usize::from(found != value);
            wrong += usize::from((found > alpha) != (value > alpha));
        }
        assert!(outside > 10_000, "rough for {outside} of 20000");
        assert!(wrong < outside / 100, "{wrong} of {outside} on the wrong side");
    }

    #[test]
    fn the_embedded_weights_prefer_the_side_with_the_corner() {
        let evaluator = embedded();
        let corner = 1;
        let mut rng = seeded(9);
        for empties in [12, 24, 36] {
            let better = (0..200).filter(|_| {
                let before = random_position(empties, &mut rng);
                let (mover, opponent) = (before.mover().0 & !corner, before.opponent().0 & !corner);
                let with = Position::from_disjoint(mover | corner, opponent);
                let without = Position::from_disjoint(mover, opponent | corner);
                evaluator.evaluate(with) > evaluator.evaluate(without)
            });
            let better = better.count();
            assert!(better >= 170, "{better} of 200 with {empties} empties");
        }
    }

    #[test]
    fn the_value_is_the_same_for_all_eight_views_of_a_position() {
        let evaluator = Pattern::new(&random_weights(4));
        let mut rng = seeded(6);
        for empties in [4, 7, 20, 33, 50] {
            let position = random_position(empties, &mut rng);
            for symmetry in Symmetry::all() {
                let image = symmetry.apply_position(position);
                assert_eq!(evaluator.evaluate(image), evaluator.evaluate(position));
            }
        }
    }
}
