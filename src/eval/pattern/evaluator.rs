//! The evaluator: a rough value settles most leaves of a search, the network judges the rest.

use super::Weights;
use super::network::Network;
use super::rough::Rough;
use crate::eval::geometry::{Geometry, Indices};
use crate::eval::linear::{PatternSum, ply_of};
use crate::eval::reach::Reach;
use crate::othello::Position;

/// The evaluator.
pub struct Pattern {
    geometry: Geometry,
    rough: Rough,
    network: Network,
}

impl Pattern {
    /// The evaluator with these weights.
    pub fn new(weights: &Weights) -> Pattern {
        let (rough, network) = rayon::join(|| Rough::new(weights), || Network::new(weights));
        Pattern { geometry: super::geometry(), rough, network }
    }
}

impl PatternSum for Pattern {
    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    #[inline]
    fn sum(&self, indices: &Indices, position: Position) -> i32 {
        self.network.value(indices, &Reach::new(position), ply_of(position))
    }

    /// Rough where the rough value lies a margin outside the window.
    #[inline]
    fn sum_near(&self, indices: &Indices, position: Position, alpha: i32, beta: i32) -> i32 {
        let ply = ply_of(position);
        let reach = Reach::new(position);
        let rough = self.rough.value(indices, &reach, ply);
        if self.rough.settles(rough, ply, alpha, beta) {
            return rough;
        }
        self.network.value(indices, &reach, ply)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::linear::PLIES;
    use crate::eval::pattern::network::{READ_OUT_SHIFT, ReadOut, WIDTH};
    use crate::eval::pattern::rough::{BEGINS, ENDS};
    use crate::eval::pattern::{
        SHAPES, anchors_around, embedded, packings, rough_packings, shape_count,
    };
    use crate::eval::{Evaluator, Incremental, UNIT, reach};
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
        for row in &mut weights.rows {
            row.0.fill_with(|| rng.random_range(-100..100));
        }
        weights.read_outs = std::array::from_fn(|_| ReadOut {
            above: std::array::from_fn(|_| rng.random_range(-400..400)),
            below: std::array::from_fn(|_| rng.random_range(-400..400)),
            constant: rng.random_range(-100..100),
        });
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

    /// The canonical content of each lane, numbered over all tables, and its table.
    fn contents(position: Position) -> Vec<(usize, usize)> {
        let geometry = crate::eval::pattern::geometry();
        let shapes = geometry.indices(position).0;
        let lanes = SHAPES.map(|(_, _, lanes)| lanes).into_iter();
        let lanes = lanes.chain(reach::TABLES.map(|(lanes, _)| lanes));
        let mut indices =
            shapes[..geometry.lanes()].iter().copied().chain(reach::indices(position));
        let (mut found, mut first) = (Vec::new(), 0);
        for (table, ((packing, count), lanes)) in packings().iter().zip(lanes).enumerate() {
            for index in indices.by_ref().take(lanes) {
                found.push((table, first + packing[usize::from(index)] as usize));
            }
            first += count;
        }
        found
    }

    fn bounded(value: i32) -> i32 {
        value.clamp(-64 * UNIT, 64 * UNIT)
    }

    /// The rough value from its definition: weights by name of content, mixed, rounded and added
    /// one by one.
    fn slow_rough(weights: &Weights, position: Position) -> i32 {
        let ply = ply_of(position);
        let (before, after, share) = anchors_around(ply);
        let tables = rough_packings().len();
        let mut sum = i32::from(weights.constants[ply]);
        for (_, content) in contents(position).into_iter().filter(|&(table, _)| table < tables) {
            let [b, a] = [before, after].map(|anchor| f64::from(weights.anchors[anchor][content]));
            let mixed = b * (1.0 - f64::from(share)) + a * f64::from(share);
            sum += 4 * (mixed / 4.0).round() as i32;
        }
        bounded(sum)
    }

    /// The network's value from its definition.
    fn slow_value(weights: &Weights, position: Position) -> i32 {
        let mut units = [0i32; WIDTH];
        for (_, content) in contents(position) {
            for (unit, share) in units.iter_mut().zip(weights.rows[content].0) {
                *unit += i32::from(share);
            }
        }
        let ReadOut { above, below, constant } = weights.read_outs[ply_of(position)];
        let weighed = (0..WIDTH).map(|unit| {
            units[unit] * i32::from(if units[unit] > 0 { above[unit] } else { below[unit] })
        });
        bounded((weighed.sum::<i32>() >> READ_OUT_SHIFT) + i32::from(constant))
    }

    #[test]
    fn the_value_is_what_the_weights_say() {
        assert_eq!(shape_count(), SHAPES.len());
        let weights = random_weights(5);
        let pattern = Pattern::new(&weights);
        let mut rng = seeded(8);
        for empties in 0..=60 {
            let position = random_position(empties, &mut rng);
            if position.mover().is_empty() || position.opponent().is_empty() {
                continue;
            }
            assert_eq!(pattern.evaluate(position), slow_value(&weights, position));
        }
    }

    #[test]
    fn near_its_window_the_value_is_exact_and_a_rough_one_is_a_margin_outside() {
        let mut weights = random_weights(6);
        weights.spreads = [150; PLIES];
        let pattern = Pattern::new(&weights);
        let mut rng = seeded(12);
        let (mut exact, mut rough) = (0, 0);
        for round in 0..3000 {
            let position = random_position(4 + round % 50, &mut rng);
            if position.mover().is_empty() || position.opponent().is_empty() {
                continue;
            }
            let rough_value = slow_rough(&weights, position);
            let alpha = rough_value + rng.random_range(-1500..1500);
            let beta = alpha + rng.random_range(1..300);
            let found = pattern.value_near(&pattern.root(position), position, alpha, beta);
            if rough_value - 300 >= beta || rough_value + 300 <= alpha {
                assert_eq!(found, rough_value);
                rough += 1;
            } else {
                assert_eq!(found, slow_value(&weights, position));
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
        assert!(wrong < outside / 50, "{wrong} of {outside} on the wrong side");
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
