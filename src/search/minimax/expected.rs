//! Expectation at the parents of the leaves, inside the ordinary search (`backup=expectation`).
//!
//! The parent of the leaves is worth E, the mean of the greatest of its uncertain leaves, instead of
//! the greatest of their means (Kobayashi et al. 2002). Everything above it is the search as it is.
//! Two things make that fit:
//!
//! - σ is the deviation of a leaf's error that its siblings do *not* share: what they share moves all
//!   of them and makes no maximum grow. `kitai siblings` measures it by stage.
//! - The rise of E over the maximum is taken out on average, by stage and number of moves, so that
//!   values of different depths stay comparable and ProbCut unbiased: leaves that lie apart like
//!   normals of deviation δ rise by eₙ·(√(δ² + σ²) − δ), where eₙ is the mean of the greatest of n
//!   standard normals. What remains is what the *position* says: many good moves are worth more than
//!   one.
//!
//! σ belongs to the stage, or (`backup-sigma=moves`) to the stage and the number of moves: where there
//! are few, leaves differ more.
//!
//! E itself is folded up from the best leaf down, each step the exact mean and variance of the
//! greater of two normals, taken for a normal again (C. E. Clark, "The Greatest of a Finite Set of
//! Random Variables", 1961). Two leaves are exact, many are off by a hundredth of σ; leaves more
//! than [`REACH`] deviations below the best add less than that and are left out.
//!
//! **Cuts.** E is at least the E of the two best leaves seen so far, and at most the best leaf plus
//! eₙ·σ. So a node is cut from above as soon as two leaves are good enough, and leaves matter only
//! from [`Stage::floor`] on; below it the evaluation may be rough.

use std::sync::LazyLock;

use super::{SCORE_MAX, Value};
use crate::eval::{EVAL, UNIT};
use crate::options::{OptionError, Options, TypedOption};
use crate::search::expectation::{Deviation, exact};
use crate::statistics::normal;

/// What the parent of the leaves is worth.
pub(super) static BACKUP: TypedOption<String> = TypedOption::choice(
    "backup",
    &["max", "expectation", "distributions"],
    "max",
    "What the parent of the leaves is worth: its best leaf, the mean of the best of its uncertain \
     leaves, or the same with the uncertainty carried one ply further up.",
);
/// How uncertain the leaves are.
pub(super) static BACKUP_SCALE: TypedOption<f64> = TypedOption::number(
    "backup-scale",
    0.0,
    4.0,
    0.3,
    "With backup=expectation or distributions: the leaves' deviations as a multiple of the measured ones.",
);

/// What the deviation of a leaf depends on.
pub(super) static BACKUP_SIGMA: TypedOption<String> = TypedOption::choice(
    "backup-sigma",
    &["stage", "moves"],
    "stage",
    "With backup=expectation: the leaves' deviations by the stage of the game alone, or also by the \
     number of moves.",
);

/// Most moves that a position can have, rounded up.
pub(super) const MOST_MOVES: usize = 40;
/// Deviations below the best from which on a leaf does not count.
const REACH: f32 = 3.0;
/// σ by number of moves is at most so many times that of the stage, and at least its inverse share.
const MOST_RATIO: f64 = 1.5;

/// The measured tables: evaluation and text.
const SHIPPED: &[(&str, &str)] = &[
    ("discs", include_str!("siblings/discs.csv")),
    ("mobility", include_str!("siblings/mobility.csv")),
    ("pattern", include_str!("siblings/pattern.csv")),
    ("shioda", include_str!("siblings/shioda.csv")),
    ("zebra", include_str!("siblings/zebra.csv")),
];

/// What the options say; `None` for the plain maximum.
///
/// # Errors
/// If no deviations were measured for the evaluation.
pub(super) fn chosen(options: &Options) -> Result<Option<Expectation>, OptionError> {
    let scale = options.get(&BACKUP_SCALE);
    let backup = options.get(&BACKUP);
    let by_moves = options.get(&BACKUP_SIGMA) == "moves";
    if backup == "max" {
        return Ok(None);
    }
    let evaluation = options.get(&EVAL);
    let known: Vec<&str> = SHIPPED.iter().map(|(name, _)| *name).collect();
    let found = Expectation::shipped(&evaluation, scale);
    let missing = || {
        BACKUP.spec.unusable(format!(
            "no deviations of siblings were measured for eval={evaluation}, only for {}",
            known.join(", ")
        ))
    };
    let found = found.ok_or_else(missing)?;
    Ok(Some(if backup == "distributions" {
        found.with_two_levels()
    } else if by_moves {
        found.with_sigma_by_moves(scale)
    } else {
        found
    }))
}

/// E by stage.
#[derive(Clone, Debug)]
pub(super) struct Expectation {
    /// The rows of the table by empty squares at the parent.
    rows: Vec<Row>,
    /// By empty squares at the parent.
    stages: Vec<Stage>,
    /// The same by number of moves, if σ depends on it.
    by_moves: Vec<Vec<Stage>>,
    /// Whether the parents of the leaves' parents take distributions too.
    two_levels: bool,
}

/// E at one stage; everything in evaluation units.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    /// Deviation of a leaf.
    sigma: f32,
    /// What E rises above the maximum on average, by number of moves.
    rise: [Value; MOST_MOVES],
    /// The same one ply further up, where the deviations are smaller.
    upper_rise: [Value; MOST_MOVES],
    /// Bound of E above the best leaf, by number of moves.
    most: [Value; MOST_MOVES],
}

/// A row of a table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Row {
    /// Empty squares at the parent.
    pub empties: u32,
    /// σ in discs.
    pub sigma: f64,
    /// δ in discs.
    pub spread: f64,
    /// Moves of a typical parent.
    pub moves: f64,
    /// With which power of the number of moves σ goes.
    pub exponent: f64,
}

impl Row {
    /// σ with so many moves; few positions have numbers of moves far from the typical one, so that
    /// there the power is not to be trusted.
    fn sigma_with(&self, moves: usize) -> f64 {
        let ratio = (moves.max(1) as f64 / self.moves).powf(self.exponent);
        self.sigma * ratio.clamp(1.0 / MOST_RATIO, MOST_RATIO)
    }
}

/// Rows of a table; `None` if a line has not the right numbers. Columns beyond the fifth are for
/// people.
pub(super) fn rows(text: &str) -> Option<Vec<Row>> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines
        .skip(1)
        .map(|line| {
            let mut fields = line.split(',').map(str::trim);
            let empties = fields.next()?.parse().ok()?;
            let mut number = || fields.next()?.parse::<f64>().ok().filter(|n| n.is_finite());
            Some(Row {
                empties,
                sigma: number()?,
                spread: number()?,
                moves: number()?,
                exponent: number()?,
            })
        })
        .collect()
}

impl Expectation {
    /// The table of an evaluation, its deviations multiplied; `None` if none was measured.
    pub(super) fn shipped(evaluation: &str, scale: f64) -> Option<Expectation> {
        let name = evaluation.split('-').next().unwrap_or(evaluation);
        let (_, text) = SHIPPED.iter().find(|(shipped, _)| *shipped == name)?;
        Expectation::new(&rows(text)?, scale)
    }

    /// E with these rows; a stage without one takes the nearest.
    pub(super) fn new(rows: &[Row], scale: f64) -> Option<Expectation> {
        let nearest = |empties: u32| rows.iter().min_by_key(|row| row.empties.abs_diff(empties));
        let rows: Vec<Row> =
            (0..=60).map(|empties| nearest(empties).copied()).collect::<Option<_>>()?;
        let stages = rows
            .iter()
            .map(|row| Stage::new((row.sigma * scale).max(0.0), row.spread.max(0.0)))
            .collect();
        Some(Expectation { rows, stages, by_moves: Vec::new(), two_levels: false })
    }

    /// The same with deviations that depend on the number of moves, multiplied by `scale`.
    pub(super) fn with_sigma_by_moves(self, scale: f64) -> Expectation {
        let stages_of = |row: &Row| -> Vec<Stage> {
            (0..MOST_MOVES)
                .map(|moves| {
                    Stage::new((row.sigma_with(moves) * scale).max(0.0), row.spread.max(0.0))
                })
                .collect()
        };
        let by_moves = self.rows.iter().map(stages_of).collect();
        Expectation { by_moves, ..self }
    }

    /// The same with distributions at two levels, see [`super::distributions`].
    pub(super) fn with_two_levels(self) -> Expectation {
        Expectation { two_levels: true, ..self }
    }

    /// Whether the parents of the leaves' parents take distributions too.
    #[inline]
    pub(super) fn has_two_levels(&self) -> bool {
        self.two_levels
    }

    /// E at any parent with so many empty squares.
    #[inline]
    pub(super) fn at(&self, empties: u32) -> &Stage {
        &self.stages[empties.min(60) as usize]
    }

    /// E at a parent with so many empty squares and moves.
    #[inline]
    pub(super) fn at_parent(&self, empties: u32, moves: u32) -> &Stage {
        match self.by_moves.get(empties as usize) {
            Some(stages) => &stages[(moves as usize).min(MOST_MOVES - 1)],
            None => self.at(empties),
        }
    }
}

/// The mean of the greatest of so many standard normals.
static GREATEST: LazyLock<[f64; MOST_MOVES]> = LazyLock::new(|| {
    std::array::from_fn(|count| match count {
        0 => 0.0,
        _ => exact::expected_max(Deviation::ONE, &vec![0.0; count]),
    })
});

/// What E rises on average above the greatest of `count` leaves, in the unit of σ and δ.
pub fn mean_rise(count: usize, sigma: f64, spread: f64) -> f64 {
    GREATEST[count.min(MOST_MOVES - 1)] * (spread.hypot(sigma) - spread)
}

/// The middles of eight equal parts of the standard normal distribution: where the leaves of a typical
/// position lie, in deviations.
const TYPICAL_PLACES: [f64; 8] =
    [1.5341, 0.8871, 0.4888, 0.1573, -0.1573, -0.4888, -0.8871, -1.5341];

/// The deviation of the greatest of the leaves of a typical position, which lie apart like normals of
/// deviation `spread`.
fn deviation_of_greatest(sigma: f64, spread: f64) -> f64 {
    let unit = f64::from(UNIT);
    let variance = (sigma * unit).powi(2) as f32;
    let mut leaves = TYPICAL_PLACES
        .map(|place| Normal { mean: (place * spread * unit).round() as Value, variance });
    f64::from(greatest(&mut leaves, SCORE_MAX).variance).sqrt() / unit
}

impl Stage {
    fn new(sigma: f64, spread: f64) -> Stage {
        let units = |discs: f64| (discs * f64::from(UNIT)).round() as Value;
        let sigma_units = (sigma * f64::from(UNIT)) as f32;
        Stage {
            sigma: sigma_units,
            rise: std::array::from_fn(|count| units(mean_rise(count, sigma, spread))),
            upper_rise: std::array::from_fn(|count| {
                units(mean_rise(count, deviation_of_greatest(sigma, spread), spread))
            }),
            most: std::array::from_fn(|count| {
                // The fold of equal leaves, so that the bound is one of the fold and not only of E.
                let equal = vec![0; count.max(1)];
                let folded = fold(sigma_units, &equal).max(units(GREATEST[count] * sigma));
                folded + 1
            }),
        }
    }

    /// What E rises above the maximum on average with so many moves.
    #[inline]
    pub(super) fn rise(&self, moves: u32) -> Value {
        self.rise[(moves as usize).min(MOST_MOVES - 1)]
    }

    /// What the mean of the greatest of leaf parents rises above the best of them on average.
    #[inline]
    pub(super) fn upper_rise(&self, moves: u32) -> Value {
        self.upper_rise[(moves as usize).min(MOST_MOVES - 1)]
    }

    /// Variance of a leaf, in squared evaluation units.
    #[inline]
    pub(super) fn variance(&self) -> f32 {
        self.sigma * self.sigma
    }

    /// The most that E can be above the best leaf with so many moves.
    #[inline]
    pub(super) fn most(&self, moves: u32) -> Value {
        self.most[(moves as usize).min(MOST_MOVES - 1)]
    }

    /// A leaf at or below this cannot matter to whether E exceeds `bar`: if the best leaf is so low
    /// that E cannot reach the bar, none does, and otherwise the leaf is out of [`REACH`].
    #[inline]
    pub(super) fn floor(&self, bar: Value, moves: u32) -> Value {
        bar - self.most(moves) - self.reach()
    }

    /// Units below the best from which on a leaf does not count.
    #[inline]
    pub(super) fn reach(&self) -> Value {
        (REACH * self.sigma) as Value
    }

    /// E of the two best leaves.
    #[inline]
    pub(super) fn of_two(&self, best: Value, second: Value) -> Value {
        let gap = best - second;
        if gap >= self.reach() { best } else { best + fold(self.sigma, &[0, -gap]) }
    }

    /// E of all leaves, which are put in order.
    #[inline]
    pub(super) fn of_all(&self, leaves: &mut [Value]) -> Value {
        leaves.sort_unstable_by(|a, b| b.cmp(a));
        let Some(&best) = leaves.first() else { return -SCORE_MAX - 1 };
        let reach = self.reach();
        let near = leaves.iter().take_while(|&&leaf| best - leaf < reach).count().max(1);
        for leaf in &mut leaves[..near] {
            *leaf -= best;
        }
        best + fold(self.sigma, &leaves[..near])
    }
}

/// Steps of the table of the normal distribution per deviation.
const STEPS: f32 = 64.0;
/// The density and the upper tail at 0, 1/64 … of a deviation.
static NORMAL: LazyLock<Vec<(f32, f32)>> = LazyLock::new(|| {
    (0..=(STEPS * (REACH + 1.0)) as usize)
        .map(|step| {
            let x = f64::from(step as u32) / f64::from(STEPS);
            (normal::density(x) as f32, normal::distribution(-x) as f32)
        })
        .collect()
});

/// How far the mean of the greatest lies above the first of these leaves, which is 0 and the best;
/// the others follow in falling order.
#[inline]
fn fold(sigma: f32, leaves: &[Value]) -> Value {
    if sigma <= 0.0 || leaves.len() < 2 {
        return 0;
    }
    let table = &**NORMAL;
    let (mut mean, mut variance) = (0.0f32, 1.0f32);
    for &leaf in &leaves[1..] {
        // In deviations, from the mean so far, which is not below the leaf.
        let behind = mean - leaf as f32 / sigma;
        let scale = (variance + 1.0).sqrt();
        let x = behind / scale * STEPS;
        let Some(&[(d0, t0), (d1, t1)]) =
            table.get(x as usize..x as usize + 2).and_then(|pair| pair.first_chunk())
        else {
            break;
        };
        let share = x - x.floor();
        let (density, tail) = (d0 + (d1 - d0) * share, t0 + (t1 - t0) * share);
        let gain = (scale * density - behind * tail).max(0.0);
        let square =
            variance * (1.0 - tail) + (behind * behind + 1.0) * tail - behind * scale * density;
        mean += gain;
        variance = (square - gain * gain).max(0.0);
    }
    (mean * sigma).round() as Value
}

/// An uncertain value, in evaluation units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Normal {
    pub mean: Value,
    /// In squared units; 0 for what is certain.
    pub variance: f32,
}

/// The greatest of these values, which are put in order, as a normal of the same mean and variance;
/// values `reach` units below the best are left out.
pub(super) fn greatest(values: &mut [Normal], reach: Value) -> Normal {
    // Among equal means the widest first, so that the order they came in does not matter.
    values.sort_unstable_by_key(|value| std::cmp::Reverse((value.mean, value.variance.to_bits())));
    let Some(&best) = values.first() else {
        return Normal { mean: -SCORE_MAX - 1, variance: 0.0 };
    };
    let table = &**NORMAL;
    let (mut above, mut variance) = (0.0f32, best.variance);
    for value in values[1..].iter().take_while(|value| best.mean - value.mean < reach) {
        let behind = above + (best.mean - value.mean) as f32;
        let scale = (variance + value.variance).sqrt();
        let x = behind / scale * STEPS;
        // Both certain (not a number or infinite), or too far apart.
        let Some(&[(d0, t0), (d1, t1)]) = (x < STEPS * REACH + STEPS)
            .then(|| table.get(x as usize..x as usize + 2))
            .flatten()
            .and_then(|pair| pair.first_chunk())
        else {
            continue;
        };
        let share = x - x.floor();
        let (density, tail) = (d0 + (d1 - d0) * share, t0 + (t1 - t0) * share);
        let gain = (scale * density - behind * tail).max(0.0);
        let square = variance * (1.0 - tail) + (behind * behind + value.variance) * tail
            - behind * scale * density;
        above += gain;
        variance = (square - gain * gain).max(0.0);
    }
    Normal { mean: best.mean + above.round() as Value, variance }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::seeded;
    use rand::Rng;

    /// E of the definition, the mean rise taken out.
    fn slow(stage: &Stage, leaves: &[Value]) -> f64 {
        let discs: Vec<f64> = leaves.iter().map(|&leaf| f64::from(leaf)).collect();
        exact::expected_max(Deviation::clamped(f64::from(stage.sigma)), &discs)
    }

    #[test]
    fn folded_expectations_are_close_to_exact_ones() {
        let mut rng = seeded(19);
        let stage = Stage::new(1.0, 2.0);
        let (mut squares, mut worst, rounds) = (0.0, 0.0f64, 20_000);
        for _ in 0..rounds {
            let count = rng.random_range(1..=16);
            let spread = rng.random_range(1..6) * UNIT;
            let mut leaves: Vec<Value> =
                (0..count).map(|_| rng.random_range(-spread..=spread)).collect();
            let wanted = slow(&stage, &leaves);
            let error = (f64::from(stage.of_all(&mut leaves)) - wanted) / f64::from(UNIT);
            squares += error * error;
            worst = worst.max(error.abs());
        }
        let rms = (squares / f64::from(rounds)).sqrt();
        assert!(rms < 0.015 && worst < 0.08, "rms {rms}, worst {worst}");
    }

    #[test]
    fn two_leaves_are_exact_and_never_more_than_all() {
        let mut rng = seeded(20);
        for sigma in [0.0, 0.3, 1.0, 4.0] {
            let stage = Stage::new(sigma, 1.0);
            for _ in 0..2000 {
                let count = rng.random_range(2..=20);
                let mut leaves: Vec<Value> =
                    (0..count).map(|_| rng.random_range(-600..600)).collect();
                let folded = stage.of_all(&mut leaves.clone());
                leaves.sort_unstable_by(|a, b| b.cmp(a));
                let two = stage.of_two(leaves[0], leaves[1]);
                assert!(two <= folded && folded <= leaves[0] + stage.most(count), "{leaves:?}");
                let error = f64::from(two) - slow(&stage, &leaves[..2]);
                assert!(error.abs() < 1.0 + 0.01 * sigma * f64::from(UNIT), "{error}");
            }
        }
    }

    #[test]
    fn the_greatest_of_normals_has_the_mean_and_variance_of_drawn_ones() {
        let mut rng = seeded(21);
        for round in 0..30 {
            let count = rng.random_range(2..=6);
            let mut values: Vec<Normal> = (0..count)
                .map(|number| {
                    let certain = round % 3 == 0 && number == 0;
                    let deviation: f32 = if certain { 0.0 } else { rng.random_range(50.0..300.0) };
                    Normal { mean: rng.random_range(-400..400), variance: deviation * deviation }
                })
                .collect();
            let drawn: Vec<f64> = (0..20_000)
                .map(|_| {
                    let one = |value: &Normal| {
                        let deviation = f64::from(value.variance).sqrt();
                        let normal = rand_distr::Normal::new(f64::from(value.mean), deviation);
                        rng.sample(normal.unwrap())
                    };
                    values.iter().map(one).fold(f64::NEG_INFINITY, f64::max)
                })
                .collect();
            let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
            let variance =
                drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / drawn.len() as f64;
            let found = greatest(&mut values, SCORE_MAX);
            assert!((f64::from(found.mean) - mean).abs() < 12.0, "{values:?} {found:?} {mean}");
            let ratio = f64::from(found.variance).sqrt() / variance.sqrt();
            assert!((0.8..1.2).contains(&ratio), "{values:?} {found:?} {variance}");
        }
        let certain = |mean| Normal { mean, variance: 0.0 };
        assert_eq!(greatest(&mut [certain(3), certain(9), certain(9)], 50), certain(9));
    }

    #[test]
    fn without_deviation_nothing_rises() {
        let stage = Stage::new(0.0, 2.0);
        assert_eq!((stage.rise(8), stage.of_all(&mut [3, 9, 9, -4])), (0, 9));
        assert_eq!(stage.floor(100, 8), 99);
    }

    #[test]
    fn every_shipped_table_is_read_and_others_are_an_error() {
        for (name, text) in SHIPPED {
            let rows = rows(text).unwrap();
            assert!(rows.len() >= 20 && rows.iter().all(|row| row.sigma > 0.0), "{name}");
            assert!(Expectation::shipped(name, 1.0).is_some());
        }
        assert!(Expectation::shipped("zebra-w3", 0.5).is_some());
        let mut options = Options::new();
        options.set("backup", "expectation").unwrap();
        assert!(chosen(&options).unwrap().is_some_and(|found| !found.has_two_levels()));
        options.set("backup", "distributions").unwrap();
        assert!(chosen(&options).unwrap().is_some_and(|found| found.has_two_levels()));
        options.set("backup", "expectation").unwrap();
        options.set("backup-sigma", "moves").unwrap();
        let found = chosen(&options).unwrap().unwrap();
        let sigmas = [4, 9, 16].map(|moves| found.at_parent(30, moves).sigma);
        assert!(sigmas[0] > sigmas[1] && sigmas[1] > sigmas[2], "{sigmas:?}");
        assert_eq!(rows("empties,sigma,spread,moves,exponent\n3,x,1,2,0\n"), None);
        assert!(Expectation::new(&[], 1.0).is_none());
    }
}
