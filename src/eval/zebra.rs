//! Zebra's evaluation, read from a user's `coeffs2.bin`, and the nine ablations of it that the 2017
//! Monte Carlo paper plays with.
//!
//! The file is a gzip stream of big-endian 16-bit words: two magic words, the number of stages, the
//! tuned stages (moves played), then for each tuned stage a constant, a parity term and eleven
//! tables. A table holds only the least of the indices that are mirror images. Stored values are
//! quarters of 1/128 disc. Stages between tuned ones are interpolated; the end of the game (stage
//! 60) counts discs, each square shared out among the placements that cover it.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use thiserror::Error;

use super::Evaluation;
use super::file;
use super::geometry::{Geometry, Shape};
use super::linear::{Linear, PLIES};
use super::registry::{EVAL, EvaluationSpec};
use crate::options::{OptionError, OptionSpec, Options, TypedOption};

/// Zebra's eleven shapes in file order, one placement each, most significant square first.
const SHAPES: [(&str, &str); 11] = [
    ("afile2x", "b7 b2 a8 a7 a6 a5 a4 a3 a2 a1"),
    ("bfile", "b8 b7 b6 b5 b4 b3 b2 b1"),
    ("cfile", "c8 c7 c6 c5 c4 c3 c2 c1"),
    ("dfile", "d8 d7 d6 d5 d4 d3 d2 d1"),
    ("diag8", "h8 g7 f6 e5 d4 c3 b2 a1"),
    ("diag7", "h7 g6 f5 e4 d3 c2 b1"),
    ("diag6", "h6 g5 f4 e3 d2 c1"),
    ("diag5", "h5 g4 f3 e2 d1"),
    ("diag4", "h4 g3 f2 e1"),
    ("corner33", "c3 b3 a3 c2 b2 a2 c1 b1 a1"),
    ("corner52", "e2 d2 c2 b2 a2 e1 d1 c1 b1 a1"),
];

/// The shapes that each ablation W0 … W9 leaves out (table 1 of the paper).
const LEFT_OUT: [&[&str]; 10] = [
    &[],
    &["afile2x", "diag8", "corner33", "corner52"],
    &["afile2x", "corner52"],
    &["afile2x", "corner33"],
    &["bfile", "cfile"],
    &["diag5", "diag4"],
    &["afile2x", "diag8"],
    &["afile2x", "bfile", "cfile", "dfile"],
    &["diag7", "diag6", "diag5", "diag4"],
    &["bfile", "diag8", "corner33", "corner52"],
];

const MAGIC: [i16; 2] = [5358, 9793];
/// Words in the one published file; any other length is a damaged file.
const WORDS: usize = 1_252_683;
/// Bytes that the compressed file may have; the published one has about 0.9 MB.
const MAX_FILE_BYTES: u64 = 8 << 20;
/// The stage that counts discs.
const LAST_STAGE: i32 = 60;
/// Stages below the first tuned one use it.
const FIRST_STAGE: i32 = 8;

pub(crate) static COEFFICIENTS: TypedOption<String> = TypedOption::file(
    "zebra-coeffs",
    "File with Zebra's coefficients (coeffs2.bin) for the zebra evaluations.",
);

pub(super) const EVALUATIONS: &[EvaluationSpec] = &[
    evaluation("zebra"),
    evaluation("zebra-w0"),
    evaluation("zebra-w1"),
    evaluation("zebra-w2"),
    evaluation("zebra-w3"),
    evaluation("zebra-w4"),
    evaluation("zebra-w5"),
    evaluation("zebra-w6"),
    evaluation("zebra-w7"),
    evaluation("zebra-w8"),
    evaluation("zebra-w9"),
];

const OPTIONS: &[&OptionSpec] = &[&COEFFICIENTS.spec];

const fn evaluation(name: &'static str) -> EvaluationSpec {
    let help = "Zebra's patterns from a coefficient file; w1 to w9 leave some out";
    EvaluationSpec { name, help, options: OPTIONS, build }
}

fn build(options: &Options) -> Result<Evaluation, OptionError> {
    let (name, file) = (options.get(&EVAL), options.get(&COEFFICIENTS));
    let ablation = Ablation::from_name(&name)
        .ok_or_else(|| EVAL.spec.unusable(format_args!("no evaluation `{name}`")))?;
    if file.is_empty() {
        let reason = "the zebra evaluation needs a file like coeffs2.bin";
        return Err(COEFFICIENTS.spec.unusable(reason));
    }
    let make =
        |bytes: &[u8]| parse(bytes, ablation).map(|linear| Evaluation::Linear(Arc::new(linear)));
    file::shared(&name, Path::new(&file), MAX_FILE_BYTES, make)
        .map_err(|reason| COEFFICIENTS.spec.unusable(reason))
}

/// One of W0 (the whole evaluation) to W9.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ablation(usize);

impl Ablation {
    /// The whole evaluation.
    pub const W0: Ablation = Ablation(0);

    /// The ablation named `zebra-w0` … `zebra-w9`, or `zebra` for W0.
    pub fn from_name(name: &str) -> Option<Ablation> {
        if name == "zebra" {
            return Some(Ablation::W0);
        }
        let number: usize = name.strip_prefix("zebra-w")?.parse().ok()?;
        (number < LEFT_OUT.len()).then_some(Ablation(number))
    }
}

/// Why a coefficient file cannot be used.
#[derive(Debug, Error)]
pub enum ZebraError {
    /// Not a whole gzip stream.
    #[error("not a whole gzip stream: {0}")]
    Gzip(std::io::Error),
    /// The first words are wrong.
    #[error("no Zebra coefficients: the file does not begin with their magic words")]
    Magic,
    /// Truncated or too long.
    #[error("{found} words of 16 bits, expected {WORDS}")]
    Length {
        /// How many there are (counting stops a little above the right number).
        found: usize,
    },
    /// The list of stages makes no sense.
    #[error("the stages are not increasing even numbers from {FIRST_STAGE} to below {LAST_STAGE}")]
    Stages,
}

/// The coefficients of one tuned stage.
struct Stage {
    moves: i32,
    constant: i16,
    parity: i16,
    tables: Vec<i16>,
}

/// Makes the evaluator from the bytes of a coefficient file.
///
/// # Errors
/// If they are not exactly those of such a file.
pub fn parse(bytes: &[u8], ablation: Ablation) -> Result<Linear, ZebraError> {
    let words = unpack(bytes)?;
    let geometry =
        Geometry::new(SHAPES.iter().map(|(name, list)| Shape::new(name, list)).collect());
    let mut stages = read_stages(&words, &geometry)?;
    stages.push(last_stage(&geometry));
    for stage in &mut stages {
        leave_out(&mut stage.tables, &geometry, LEFT_OUT[ablation.0]);
    }
    let mut stage_of_ply = [0; PLIES];
    let mut constant_of_ply = [0; PLIES];
    for ply in 0..PLIES {
        let moves = ((ply as i32 + 1) / 2 * 2).max(FIRST_STAGE);
        stage_of_ply[ply] = ((moves - FIRST_STAGE) / 2) as u8;
        let (before, after) = neighbours(&stages, moves);
        constant_of_ply[ply] = mix(before, after, moves, before.constant, after.constant).into();
        if ply % 2 == 1 {
            constant_of_ply[ply] +=
                i32::from(mix(before, after, moves, before.parity, after.parity));
        }
    }
    let fill = |stage: usize, room: &mut [i16]| {
        let moves = FIRST_STAGE + 2 * stage as i32;
        let (before, after) = neighbours(&stages, moves);
        let pairs = before.tables.iter().zip(&after.tables);
        for (entry, (&b, &a)) in room.iter_mut().zip(pairs) {
            *entry = mix(before, after, moves, b, a);
        }
    };
    Ok(Linear::new(geometry, stage_of_ply, constant_of_ply, fill))
}

/// The words of the gzip stream, whose own checksum finds altered bytes.
fn unpack(bytes: &[u8]) -> Result<Vec<i16>, ZebraError> {
    let mut raw = Vec::with_capacity(2 * WORDS);
    // A little more than the right length is enough to see that it is wrong.
    flate2::read::GzDecoder::new(bytes)
        .take(2 * WORDS as u64 + 2)
        .read_to_end(&mut raw)
        .map_err(ZebraError::Gzip)?;
    let words: Vec<i16> =
        raw.chunks_exact(2).map(|pair| i16::from_be_bytes([pair[0], pair[1]])).collect();
    if words.get(..2) != Some(&MAGIC) {
        return Err(ZebraError::Magic);
    }
    if raw.len() != 2 * WORDS {
        return Err(ZebraError::Length { found: raw.len() / 2 });
    }
    Ok(words)
}

fn read_stages(words: &[i16], geometry: &Geometry) -> Result<Vec<Stage>, ZebraError> {
    let tuned = usize::try_from(words[2]).unwrap_or(0).saturating_sub(1);
    let list: Vec<i16> = words.iter().skip(3).take(tuned).copied().collect();
    let sensible = list.first() == Some(&(FIRST_STAGE as i16))
        && list.is_sorted_by(|a, b| a < b)
        && list.iter().all(|&moves| moves % 2 == 0 && i32::from(moves) < LAST_STAGE);
    if !sensible {
        return Err(ZebraError::Stages);
    }
    let packings: Vec<(Vec<u32>, usize)> = geometry.shapes().iter().map(Shape::packing).collect();
    let per_stage = 2 + packings.iter().map(|(_, count)| count).sum::<usize>();
    if words.len() != 3 + tuned + tuned * per_stage {
        return Err(ZebraError::Stages);
    }
    // Stored values are quarters of the unit.
    let read_stage = |(&moves, stored): (&i16, &[i16])| {
        let mut tables = Vec::with_capacity(geometry.table_size());
        let mut rest = &stored[2..];
        for (packed, count) in &packings {
            tables.extend(packed.iter().map(|&number| rest[number as usize] / 4));
            rest = &rest[*count..];
        }
        Stage { moves: moves.into(), constant: stored[0] / 4, parity: stored[1] / 4, tables }
    };
    Ok(list.iter().zip(words[3 + tuned..].chunks_exact(per_stage)).map(read_stage).collect())
}

/// The end of the game: disc difference, each square shared out among the placements covering it.
fn last_stage(geometry: &Geometry) -> Stage {
    let mut covered = [0u32; 64];
    for square in geometry.shapes().iter().flat_map(|shape| shape.placements.iter().flatten()) {
        covered[square.index()] += 1;
    }
    let mut tables = Vec::with_capacity(geometry.table_size());
    for shape in geometry.shapes() {
        for index in 0..shape.size() {
            let mut rest = index;
            let mut discs = 0.0;
            for square in shape.placements[0].iter().rev() {
                discs += (1.0 - (rest % 3) as f64) / f64::from(covered[square.index()]);
                rest /= 3;
            }
            tables.push((128.0 * discs + 0.5).floor() as i16);
        }
    }
    Stage { moves: LAST_STAGE, constant: 0, parity: 0, tables }
}

fn leave_out(tables: &mut [i16], geometry: &Geometry, names: &[&str]) {
    let mut begin = 0;
    for shape in geometry.shapes() {
        if names.contains(&shape.name) {
            tables[begin..begin + shape.size()].fill(0);
        }
        begin += shape.size();
    }
}

/// The tuned stages at or around a number of moves.
fn neighbours(stages: &[Stage], moves: i32) -> (&Stage, &Stage) {
    let after = stages.partition_point(|stage| stage.moves < moves).min(stages.len() - 1);
    let before = if stages[after].moves == moves { after } else { after.saturating_sub(1) };
    (&stages[before], &stages[after])
}

/// Linear in the number of moves between two stages, truncated toward zero.
fn mix(before: &Stage, after: &Stage, moves: i32, value_before: i16, value_after: i16) -> i16 {
    if before.moves == after.moves {
        return value_before;
    }
    let sum = (after.moves - moves) * i32::from(value_before)
        + (moves - before.moves) * i32::from(value_after);
    (sum / (after.moves - before.moves)) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::linear::PatternSum;
    use crate::eval::{Evaluator, Incremental};
    use crate::othello::Position;
    use crate::record::Board;
    use crate::testdata::shared_data;

    /// Board, moves played, raw score of the mover: the vectors published with the format.
    const VECTORS: [(&str, usize, i32); 13] = [
        ("-----------O------OOO------OXO-----XOO------XO------------------ X", 8, 1695),
        ("-----O----XOO-----OXX----OXXXO-OOO-XXOO-----OO-----O-O-------O-- X", 20, 4506),
        ("XXXXXO----OOOOO-OOOOXO--OOOXOO-OOOXXOOO--XOOOO----OO-O-------O-- O", 36, -8977),
        ("XXXXXXXXXXXXXXXOOXXXXXOOOOXXXO-OOOXXOOO-OOOOOO----OO-O-------O-- X", 44, 8367),
        ("-------------------XO------XOO----XXOX-----OOX------------------ X", 8, -1207),
        ("-----------O-----XXOO-----XOOO----OOXXXX-OOOXX-----XXX----X----- X", 20, -1878),
        ("---XX-----XXX----XOXOO---XXOOOO-XXOOOXXXXXOOXXX---OOOX----XXXXX- X", 36, -4052),
        ("---XXO----XXOO--OXXOXOXXOXOXOOXXOOOOOXXXOOOOXXX-O-OOOX----XXXXX- X", 44, -2642),
        ("XOOXXXXXXOOOOOX-XOXOOXXXXOOXXOXXXOOXXXOXXOOOOOOOXXOOOX--XXXXXXX- X", 56, -216),
        ("------------------XO-O----XXOO-----OXX-----O-X------------------ X", 8, 271),
        ("-----------X------XX-O----XXOO----XXXOO---XXOOOO---OXO----O-X--- X", 20, -166),
        ("----XO----XXO----OXXXOO--OXXXOOXOOXOXOO--OXOXXOO--OOXX----OOX-X- X", 36, 1216),
        ("----XXX--OXXXX-O-OOXXXO--OXOXOOXOOXXOXO--OXOXXOOOOOOXX--XXXXX-X- X", 44, 605),
    ];

    fn coefficients() -> Vec<u8> {
        std::fs::read(shared_data("zebra/coeffs2.bin")).unwrap()
    }

    fn compress(raw: &[u8]) -> Vec<u8> {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(raw).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    #[ignore = "needs shared data (KITAI_DATA)"]
    fn every_published_vector_is_reproduced_exactly_with_shared_data() {
        let bytes = coefficients();
        let zebra = parse(&bytes, Ablation::W0).unwrap();
        for (text, moves, score) in VECTORS {
            let position = text.parse::<Board>().unwrap().position;
            assert_eq!(60 - position.empty_count() as usize, moves);
            assert_eq!(zebra.sum(&zebra.root(position), position), score, "{text}");
            assert_eq!(zebra.evaluate(position), score.clamp(-8192, 8192), "{text}");
        }
    }

    #[test]
    #[ignore = "needs shared data (KITAI_DATA)"]
    fn ablations_leave_their_shapes_out_and_keep_the_rest_with_shared_data() {
        let bytes = coefficients();
        let position = VECTORS[1].0.parse::<Board>().unwrap().position;
        let whole = parse(&bytes, Ablation::W0).unwrap();
        for (number, names) in LEFT_OUT.iter().enumerate() {
            let ablated = parse(&bytes, Ablation(number)).unwrap();
            let indices = whole.root(position);
            // Leaving out a list of shapes equals the whole minus what only those shapes add.
            let only_those: i32 = (0..whole.geometry().lanes())
                .filter(|&lane| {
                    let shape = &whole.geometry().shapes()[whole.geometry().shape_of_lane(lane)];
                    names.contains(&shape.name)
                })
                .map(|lane| whole.entry(lane, &indices, position))
                .sum();
            let sum = |evaluator: &Linear| evaluator.sum(&indices, position);
            assert_eq!(sum(&ablated), sum(&whole) - only_those, "W{number}");
        }
    }

    #[test]
    fn truncated_altered_long_and_foreign_files_are_refused() {
        let error = |bytes: &[u8]| parse(bytes, Ablation::W0).err().unwrap().to_string();
        assert!(error(b"not gzip at all").contains("gzip"));
        assert!(error(&compress(&[0x14, 0xee, 0, 1])).contains("magic words"));
        assert!(error(&compress(&[0x14, 0xee, 0x26, 0x41, 0, 12])).contains("3 words"));
        assert!(error(&compress(&[])).contains("magic words"));
        let mut raw = vec![0; 2 * WORDS];
        raw[..6].copy_from_slice(&[0x14, 0xee, 0x26, 0x41, 0, 12]);
        assert!(error(&compress(&raw)).contains("stages are not increasing"));
        raw.extend([0, 0]);
        assert!(error(&compress(&raw)).contains("1252684 words"));
    }

    #[test]
    #[ignore = "needs shared data (KITAI_DATA)"]
    fn a_cut_or_altered_file_of_coefficients_is_refused_with_shared_data() {
        let error = |bytes: &[u8]| parse(bytes, Ablation::W0).err().unwrap().to_string();
        let bytes = coefficients();
        assert!(error(&bytes[..bytes.len() / 2]).contains("gzip"));
        let mut altered = bytes.clone();
        altered[bytes.len() / 2] ^= 0x10;
        assert!(error(&altered).contains("gzip"));
    }

    #[test]
    #[ignore = "needs shared data (KITAI_DATA)"]
    fn the_end_of_the_game_is_nearly_the_disc_difference_with_shared_data() {
        let bytes = coefficients();
        let zebra = parse(&bytes, Ablation::W0).unwrap();
        let full = Position::from_disjoint(0x0000_00ff_ffff_ffff, 0xffff_ff00_0000_0000);
        let discs = f64::from(zebra.evaluate(full)) / 128.0;
        assert!((discs - 16.0).abs() < 0.3, "{discs}");
    }

    #[test]
    fn names_of_ablations_are_zebra_and_w0_to_w9() {
        assert_eq!(Ablation::from_name("zebra"), Some(Ablation(0)));
        assert_eq!(Ablation::from_name("zebra-w9"), Some(Ablation(9)));
        assert_eq!(Ablation::from_name("zebra-w10"), None);
        assert_eq!(Ablation::from_name("pattern"), None);
    }
}
