//! `pattern`: Kitai's own evaluation, a small network whose inputs are patterns, trained by `kitai
//! train` and embedded in the binary.
//!
//! Every placement of a shape ([`SHAPES`]) and of the tables of [`reach`], which add what the discs
//! alone do not tell, gives a row of numbers; [`network`] makes a value of their sum. Most leaves of a
//! search need none of that: [`rough`] is a plain sum of tables that says when a position lies far
//! outside the window. [`evaluator`] puts the two together; where the weights come from is told in
//! `weights.md` beside this file.

pub mod evaluator;
pub mod network;
mod rough;
pub mod weights;

use std::path::Path;
use std::sync::{Arc, OnceLock};

use super::geometry::{Geometry, Shape};
use super::registry::EvaluationSpec;
use super::{Evaluation, file, reach};
use crate::options::{OptionError, Options, TypedOption};
pub use evaluator::Pattern;
pub use weights::{Weights, WeightsError};

/// Where the weights come from.
pub(crate) static WEIGHTS: TypedOption<String> = TypedOption::file(
    "weights",
    "Weights file for the pattern evaluation; empty means the ones in the program.",
);

pub(super) const EVALUATIONS: &[EvaluationSpec] = &[EvaluationSpec {
    name: "pattern",
    help: "trained tables of patterns",
    options: &[&WEIGHTS.spec],
    build,
}];

fn build(options: &Options) -> Result<Evaluation, OptionError> {
    let file = options.get(&WEIGHTS);
    if file.is_empty() {
        return Ok(Evaluation::Pattern(embedded()));
    }
    let make = |bytes: &[u8]| {
        let weights = Weights::parse(bytes)?;
        Ok::<_, WeightsError>(Evaluation::Pattern(Arc::new(Pattern::new(&weights))))
    };
    file::shared("pattern", Path::new(&file), weights::MAX_FILE_BYTES, make)
        .map_err(|reason| WEIGHTS.spec.unusable(reason))
}

/// The shapes, by one placement and the number of all: the regions at edge and corner where what is
/// around a disc decides its worth, and the diagonals of length four and more. Rows and columns are
/// looked up by [`reach`].
const SHAPES: [(&str, &str, usize); 10] = [
    ("edge2x", "b7 b2 a8 a7 a6 a5 a4 a3 a2 a1", 4),
    ("diagonal8", "h8 g7 f6 e5 d4 c3 b2 a1", 2),
    ("diagonal7", "h7 g6 f5 e4 d3 c2 b1", 4),
    ("diagonal6", "h6 g5 f4 e3 d2 c1", 4),
    ("diagonal5", "h5 g4 f3 e2 d1", 4),
    ("diagonal4", "h4 g3 f2 e1", 4),
    ("corner5x2", "e2 d2 c2 b2 a2 e1 d1 c1 b1 a1", 8),
    ("triangle", "a4 b3 a3 c2 b2 a2 d1 c1 b1 a1", 4),
    ("edgeblock", "f2 e2 d2 c2 h1 f1 e1 d1 c1 a1", 4),
    ("spear", "c4 d3 d4 b3 c2 c3 a2 b1 b2 a1", 4),
];

/// Plies whose tables of the rough value are stored; others are mixed from their neighbours.
pub const ANCHORS: [usize; 13] = [8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56];

/// The geometry of the evaluation.
pub fn geometry() -> Geometry {
    Geometry::new(SHAPES.iter().map(|(name, squares, _)| Shape::new(name, squares)).collect())
}

/// Placements of all shapes.
pub const SHAPE_LANES: usize = rough::ENDS.0;

/// How many shapes there are.
pub fn shape_count() -> usize {
    SHAPES.len()
}

/// For each table, shapes first, the number of the weight that serves each entry, and how many
/// weights there are.
pub fn packings() -> &'static [(Vec<u32>, usize)] {
    static PACKINGS: OnceLock<Vec<(Vec<u32>, usize)>> = OnceLock::new();
    PACKINGS.get_or_init(|| {
        geometry().shapes().iter().map(Shape::packing).chain(reach::packings()).collect()
    })
}

/// Those of the tables that the rough value knows.
pub fn rough_packings() -> &'static [(Vec<u32>, usize)] {
    &packings()[..SHAPES.len() + reach::ROUGH_TABLES]
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
pub fn embedded() -> Arc<Pattern> {
    static SHARED: OnceLock<Arc<Pattern>> = OnceLock::new();
    let unpack = || {
        let weights = Weights::parse(EMBEDDED).expect("the embedded weights are valid (tested)");
        Arc::new(Pattern::new(&weights))
    };
    SHARED.get_or_init(unpack).clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_between_anchors_are_shared_out_in_proportion() {
        assert_eq!(anchors_around(0), (0, 1, 0.0));
        assert_eq!(anchors_around(8), (0, 1, 0.0));
        assert_eq!(anchors_around(11), (0, 1, 0.5));
        assert_eq!(anchors_around(56), (12, 12, 0.0));
        assert_eq!(anchors_around(60), (12, 12, 0.0));
    }
}
