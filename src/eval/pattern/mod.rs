//! `pattern`: Kitai's own evaluation, a sum of pattern tables trained by `kitai train` and embedded
//! in the binary.
//!
//! Tables stand at a few anchors of the game and are mixed linearly between them, ply by ply, so
//! that the value changes smoothly from move to move. A small constant per ply takes up what
//! depends on who will move last, and the tables of [`reach`] add what the discs alone do not tell. Where the weights come from is told in `weights.md` beside this
//! file.

pub mod weights;

use std::sync::{Arc, OnceLock};

use super::geometry::{Geometry, Shape};
use super::linear::{Linear, PLIES};
use super::reach;
pub use weights::{Weights, WeightsError};

/// The shapes, one placement each: diagonals of length four and more, and the regions at edge and
/// corner where what is around a disc decides its worth. Rows and columns are looked up by [`reach`].
const SHAPES: [(&str, &str); 10] = [
    ("edge2x", "b7 b2 a8 a7 a6 a5 a4 a3 a2 a1"),
    ("diagonal8", "h8 g7 f6 e5 d4 c3 b2 a1"),
    ("diagonal7", "h7 g6 f5 e4 d3 c2 b1"),
    ("diagonal6", "h6 g5 f4 e3 d2 c1"),
    ("diagonal5", "h5 g4 f3 e2 d1"),
    ("diagonal4", "h4 g3 f2 e1"),
    ("corner5x2", "e2 d2 c2 b2 a2 e1 d1 c1 b1 a1"),
    ("triangle", "a4 b3 a3 c2 b2 a2 d1 c1 b1 a1"),
    ("edgeblock", "f2 e2 d2 c2 h1 f1 e1 d1 c1 a1"),
    ("spear", "c4 d3 d4 b3 c2 c3 a2 b1 b2 a1"),
];

/// Plies whose tables are stored; others are mixed from their neighbours.
pub const ANCHORS: [usize; 13] = [8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56];

/// The geometry of the evaluation.
pub fn geometry() -> Geometry {
    Geometry::new(SHAPES.iter().map(|(name, squares)| Shape::new(name, squares)).collect())
}

/// For each table, shapes first, the number of the weight that serves each entry, and how many
/// weights there are.
pub fn packings() -> &'static [(Vec<u32>, usize)] {
    static PACKINGS: OnceLock<Vec<(Vec<u32>, usize)>> = OnceLock::new();
    PACKINGS.get_or_init(|| {
        geometry().shapes().iter().map(Shape::packing).chain(reach::packings()).collect()
    })
}

/// Plies that share their tables: more would cost memory and cache for little.
const PLIES_PER_STAGE: usize = 2;

/// The stage of a ply.
fn stage_of(ply: usize) -> usize {
    (ply.clamp(ANCHORS[0], ANCHORS[ANCHORS.len() - 1]) - ANCHORS[0]) / PLIES_PER_STAGE
}

/// The anchor at or before a ply, the one after it, and the share of the latter, the same for all
/// plies of a stage.
pub fn anchors_around(ply: usize) -> (usize, usize, f32) {
    let last = ANCHORS.len() - 1;
    let ply = ANCHORS[0] + stage_of(ply) * PLIES_PER_STAGE;
    let before = ANCHORS.partition_point(|&anchor| anchor <= ply) - 1;
    let after = (before + 1).min(last);
    let span = (ANCHORS[after] - ANCHORS[before]).max(1);
    (before, after, (ply - ANCHORS[before]) as f32 / span as f32)
}

/// What `kitai train` made; see `weights.md`.
static EMBEDDED: &[u8] = include_bytes!("weights.bin");

/// The evaluator with the embedded weights, unpacked at the first call and shared from then on.
pub fn embedded() -> Arc<Linear> {
    static SHARED: OnceLock<Arc<Linear>> = OnceLock::new();
    let unpack = || {
        let weights = Weights::parse(EMBEDDED).expect("the embedded weights are valid (tested)");
        Arc::new(evaluator(&weights))
    };
    SHARED.get_or_init(unpack).clone()
}

/// The evaluator with these weights.
pub fn evaluator(weights: &Weights) -> Linear {
    let stage_of_ply = std::array::from_fn(|ply| stage_of(ply) as u8);
    let constant_of_ply: [i32; PLIES] =
        std::array::from_fn(|ply| i32::from(weights.constants[ply]));
    let fill = |stage: usize, room: &mut [i16]| {
        expand(weights, ANCHORS[0] + stage * PLIES_PER_STAGE, room);
    };
    Linear::new(geometry(), true, stage_of_ply, constant_of_ply, fill)
}

/// Writes the full tables of a ply.
fn expand(weights: &Weights, ply: usize, mut room: &mut [i16]) {
    let (before, after, share) = anchors_around(ply);
    let mixed: Vec<i16> = weights.anchors[before]
        .iter()
        .zip(&weights.anchors[after])
        .map(|(&b, &a)| (f32::from(b) + (f32::from(a) - f32::from(b)) * share).round() as i16)
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
    use crate::eval::Evaluator;
    use crate::othello::random::{random_position, seeded};
    use crate::othello::{Position, Symmetry};
    use rand::Rng;

    fn random_weights(seed: u64) -> Weights {
        let mut rng = seeded(seed);
        let mut weights = Weights::zero();
        for anchor in &mut weights.anchors {
            anchor.fill_with(|| rng.random_range(-60..60));
        }
        weights
    }

    #[test]
    fn the_embedded_weights_prefer_the_side_with_the_corners() {
        let evaluator = embedded();
        let corners = 0x8100_0000_0000_0081;
        let mut rng = seeded(9);
        for empties in [12, 24, 36] {
            let before = random_position(empties, &mut rng);
            let discs = (before.mover().0 | before.opponent().0) & !corners;
            let with = Position::from_disjoint(
                discs & before.mover().0 | corners,
                discs & before.opponent().0,
            );
            let without = Position::from_disjoint(
                discs & before.mover().0,
                discs & before.opponent().0 | corners,
            );
            assert!(evaluator.evaluate(with) > evaluator.evaluate(without));
        }
    }

    #[test]
    fn the_value_is_the_same_for_all_eight_views_of_a_position() {
        let evaluator = evaluator(&random_weights(4));
        let mut rng = seeded(6);
        for empties in [4, 7, 20, 33, 50] {
            let position = random_position(empties, &mut rng);
            for symmetry in Symmetry::all() {
                let image = symmetry.apply_position(position);
                assert_eq!(evaluator.evaluate(image), evaluator.evaluate(position));
            }
        }
    }

    #[test]
    fn tables_between_anchors_are_mixed_in_proportion() {
        assert_eq!(anchors_around(0), (0, 1, 0.0));
        assert_eq!(anchors_around(8), (0, 1, 0.0));
        assert_eq!(anchors_around(11), (0, 1, 0.5));
        assert_eq!(anchors_around(56), (12, 12, 0.0));
        assert_eq!(anchors_around(60), (12, 12, 0.0));
        let mut weights = Weights::zero();
        weights.anchors[0].fill(100);
        weights.anchors[1].fill(200);
        let mut tables = vec![0; packings().iter().map(|(packing, _)| packing.len()).sum()];
        expand(&weights, 11, &mut tables);
        assert!(tables.iter().all(|&weight| weight == 150));
    }
}
