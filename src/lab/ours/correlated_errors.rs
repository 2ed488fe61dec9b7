//! Correlated errors: how uncertain should the expectation method take its leaves to be?
//!
//! The expected maximum of uncertain leaves grows only by the part of their errors that they do not
//! share. So the σ that plays best should be that part, the *effective* σ, and not the whole error.
//! Here both are measured: the effective σ from the errors of sibling leaves, and the best σ from
//! games of minimax with `backup=expectation` against itself without, at equal depth, with the
//! measured σ multiplied by several factors.

use std::sync::atomic::{AtomicU64, Ordering};

use rand::Rng;
use rand_distr::StandardNormal;

use crate::lab::bench::{Bench, LabError};
use crate::lab::matches::{Pairings, plan};
use crate::lab::outcome::{Column, Outcome, Table};
use crate::lab::printed::table as printed_table;
use crate::lab::verdict::Figure;
use crate::options::Options;
use crate::plot::{self, Axes, Interval, Look, Series};
use crate::random::seeded;
use crate::statistics::normal::Z95;
use crate::training::calibration::siblings::{SiblingPlan, Siblings, measure};

const SEED: u64 = 2002;
/// Evaluations that come with Kitai, the crudest first.
const EVALUATIONS: [&str; 3] = ["discs", "mobility", "pattern"];
/// Factors of the effective σ.
const SCALES: [f64; 5] = [0.25, 0.5, 1.0, 1.5, 2.0];
/// Plies of the games' searches.
const DEPTH: u32 = 4;
/// How many plies below a leaf its deeper value is.
const AHEAD: u32 = 4;
/// Repetitions that the interval of the best factor is taken from.
const REPETITIONS: usize = 2_000;

/// Gain over minimax at one factor of σ.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Gain {
    scale: f64,
    elo: f64,
    error: f64,
}

/// The factor with the greatest gain by the parabola through no gain at zero, the weights those of
/// the errors; within zero and the greatest factor tried.
fn best_scale(gains: &[Gain]) -> f64 {
    let (mut s2, mut s3, mut s4, mut y1, mut y2) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for &Gain { scale, elo, error } in gains {
        let weight = 1.0 / error.max(1e-9).powi(2);
        s2 += weight * scale.powi(2);
        s3 += weight * scale.powi(3);
        s4 += weight * scale.powi(4);
        y1 += weight * scale * elo;
        y2 += weight * scale.powi(2) * elo;
    }
    let most = gains.iter().map(|gain| gain.scale).fold(0.0, f64::max);
    let determinant = s2 * s4 - s3 * s3;
    if determinant <= 0.0 {
        return 0.0;
    }
    let slope = (y1 * s4 - y2 * s3) / determinant;
    let bend = (s2 * y2 - s3 * y1) / determinant;
    let value = |scale: f64| slope * scale + bend * scale * scale;
    if bend < 0.0 {
        (-slope / (2.0 * bend)).clamp(0.0, most)
    } else if value(most) > 0.0 {
        most
    } else {
        0.0
    }
}

/// The best factor with its 95 % interval: the same fit to gains strewn by their errors.
fn best_with_interval(gains: &[Gain]) -> [f64; 3] {
    let mut rng = seeded(SEED);
    let mut found: Vec<f64> = (0..REPETITIONS)
        .map(|_| {
            let strewn: Vec<Gain> = gains
                .iter()
                .map(|gain| {
                    let normal: f64 = rng.sample(StandardNormal);
                    Gain { elo: gain.elo + gain.error * normal, ..*gain }
                })
                .collect();
            best_scale(&strewn)
        })
        .collect();
    found.sort_by(f64::total_cmp);
    let tail = REPETITIONS / 40;
    [found[tail], best_scale(gains), found[REPETITIONS - 1 - tail]]
}

/// Measures siblings' errors and plays the games.
///
/// # Errors
/// If the games cannot be played, or the work was interrupted.
pub fn correlated_errors(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let (parents, rounds) = (bench.size(12, 300) as u32, bench.size(2, 200));
    let scales: &[f64] = if bench.quick { &[0.5, 1.0] } else { &SCALES };
    let stages: Vec<u32> = (12..=52).step_by(bench.size(20, 4)).collect();
    let siblings = siblings(bench, parents, &stages)?;
    let gains = games(bench, rounds, scales)?;
    let mut outcome = Outcome {
        seed: SEED,
        settings: format!(
            "{parents} parents a stage, deeper values {AHEAD} plies ahead; {} games a pairing of {DEPTH} \
             plies, random:8",
            2 * rounds
        ),
        reading: "Minimax without forward pruning; only the parents of the leaves are worth E instead of \
                  the maximum. The factor multiplies the part of σ that siblings do not share, as \
                  measured by stage with `kitai siblings` (the tables that come with Kitai). The best \
                  factor is the peak of the parabola through no gain at factor 0; its interval comes \
                  from gains strewn by their standard errors, and ends at the factors tried."
            .to_owned(),
        ..Outcome::default()
    };
    let mut best = Table::new(
        "The effective σ against the best σ found in games",
        &[],
        "evaluation",
        vec![
            Column::new("correlation", 2),
            Column::new("effective / whole σ", 2),
            Column::new("best / effective σ", 2),
            Column::new("from", 2),
            Column::new("to (95 %)", 2),
            Column::new("best / whole σ", 2),
        ],
    );
    let mut intervals = Vec::new();
    for (index, name) in EVALUATIONS.iter().enumerate() {
        let measured = &siblings[index];
        let count = measured.len().max(1) as f64;
        let correlation = measured.iter().map(|stage| stage.correlation).sum::<f64>() / count;
        let share = measured.iter().map(|stage| stage.sigma / stage.total).sum::<f64>() / count;
        let [low, middle, high] = best_with_interval(&gains[index]);
        let figures = [correlation, share, middle, low, high, middle * share];
        best.row(*name, figures.map(|value| Figure::ours(value, None)).to_vec());
        let most = scales.last().copied().unwrap_or_default();
        let found = match [low, middle, high] {
            [low, _, high] if low <= 0.0 && high >= most => {
                "where the best σ lies cannot be told".to_owned()
            }
            [_, 0.0, _] => {
                format!("in games no σ gains (the best between 0 and {high:.2} of that)")
            }
            _ => format!("the best σ in games is {middle:.2} of that ({low:.2} to {high:.2})"),
        };
        outcome.findings.push(format!(
            "{name}: siblings share errors with a correlation of {correlation:.2}, which leaves {share:.2} of \
             σ; {found}."
        ));
        let name = (*name).to_owned();
        intervals.push(Interval { name, low, middle, high, color: index });
    }
    outcome.tables = vec![best, gain_table(scales, &gains), sibling_table(&siblings), earlier()];
    draw(&mut outcome, &siblings, &gains, &intervals);
    Ok(outcome)
}

/// Siblings' errors by evaluation and stage.
fn siblings(
    bench: &Bench<'_>,
    parents: u32,
    stages: &[u32],
) -> Result<Vec<Vec<Siblings>>, LabError> {
    let plan = SiblingPlan { parents, ahead: AHEAD, seed: SEED };
    let all = u64::from(parents) * (stages.len() * EVALUATIONS.len()) as u64;
    let done = AtomicU64::new(0);
    let tick = || (bench.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, all);
    let mut found = Vec::new();
    for name in EVALUATIONS {
        let mut options = Options::new();
        options.set("eval", name)?;
        found.push(measure(&plan, stages, &options, bench.stop, &tick)?.stages);
    }
    bench.finished(Some(found))
}

/// Gains by evaluation and factor.
fn games(bench: &Bench<'_>, rounds: usize, scales: &[f64]) -> Result<Vec<Vec<Gain>>, LabError> {
    let (mut specs, mut pairings) = (Vec::new(), Vec::new());
    for name in EVALUATIONS {
        let shared = format!("method=minimax,eval={name},depth={DEPTH},selectivity=100,hash=1");
        let plain = specs.len();
        specs.push(format!("{shared},name={name}"));
        for scale in scales {
            pairings.push((specs.len(), plain));
            specs.push(format!(
                "{shared},name={name} {scale},backup=expectation,backup-scale={scale}"
            ));
        }
    }
    let plan = plan(&specs, Pairings::Listed(pairings), "random:8", rounds, SEED)?;
    let (_, standing) = bench.play(&plan, "")?;
    let gains: Vec<Gain> = standing
        .pairings
        .iter()
        .zip(scales.iter().cycle())
        .map(|(result, &scale)| {
            let error = (result.elo.high - result.elo.low) / 2.0 / Z95;
            Gain { scale, elo: result.elo.elo, error }
        })
        .collect();
    Ok(gains.chunks(scales.len()).map(<[Gain]>::to_vec).collect())
}

fn gain_table(scales: &[f64], gains: &[Vec<Gain>]) -> Table {
    let columns = scales.iter().map(|scale| Column::new(&format!("σ × {scale}"), 0)).collect();
    let title = "Elo over minimax of equal depth by σ in multiples of the effective σ";
    let mut table = Table::new(title, &[], "evaluation", columns);
    for (name, gains) in EVALUATIONS.iter().zip(gains) {
        let figures = gains.iter().map(|gain| Figure::ours(gain.elo, gain.error)).collect();
        table.row(*name, figures);
    }
    table
}

fn sibling_table(siblings: &[Vec<Siblings>]) -> Table {
    let columns = vec![
        Column::new("whole σ, discs", 2),
        Column::new("effective σ, discs", 2),
        Column::new("correlation", 2),
        Column::new("leaves", 0),
    ];
    let mut table = Table::new("Errors of sibling leaves", &[], "evaluation, empties", columns);
    for (name, stages) in EVALUATIONS.iter().zip(siblings) {
        for stage in stages {
            let figures = [stage.total, stage.sigma, stage.correlation, stage.leaves as f64];
            table.row(
                format!("{name}, {}", stage.empties),
                figures.map(|value| Figure::ours(value, None)).to_vec(),
            );
        }
    }
    table
}

/// Games played before, with other limits.
fn earlier() -> Table {
    let title = "Games played before, in multiples of the whole or the effective σ";
    let file = "digest-expectation-scale";
    let mut table = Table::new(title, &[file], "games", vec![Column::new("Elo", 0)]);
    for row in printed_table(file).rows() {
        let error = (row.figure("high") - row.figure("low")) / 2.0 / Z95;
        let name = format!(
            "{}, {}, {} σ × {}",
            row.text("evaluation"),
            row.text("limit"),
            row.text("of"),
            row.text("scale")
        );
        table.row(name, vec![Figure::ours(row.figure("elo"), error)]);
    }
    table
}

fn draw(
    outcome: &mut Outcome,
    siblings: &[Vec<Siblings>],
    gains: &[Vec<Gain>],
    intervals: &[Interval],
) {
    let band = |gain: &Gain| {
        let margin = Z95 * gain.error;
        (gain.scale, gain.elo - margin, gain.elo, gain.elo + margin)
    };
    let series: Vec<Series> = EVALUATIONS
        .iter()
        .zip(gains)
        .map(|(name, gains)| {
            let mut points = vec![(0.0, 0.0, 0.0, 0.0)];
            points.extend(gains.iter().map(band));
            Series { name: (*name).to_owned(), points, look: Look::Line }
        })
        .collect();
    let axes = Axes { x: "σ / effective σ", y: "Elo, 95 %", ..Axes::default() };
    outcome.chart("Gain over minimax of equal depth by σ", Some(plot::lines(&axes, &series)));
    outcome.chart(
        "The best σ found in games; 1 is the effective σ",
        plot::intervals(intervals, "σ / effective σ, 95 %"),
    );
    let series: Vec<Series> = EVALUATIONS
        .iter()
        .zip(siblings)
        .map(|(name, stages)| {
            Series::line(name, stages.iter().map(|s| (f64::from(s.empties), s.correlation)))
        })
        .collect();
    let axes =
        Axes { x: "empty squares", y: "correlation", whole: (true, false), ..Axes::default() };
    outcome.chart("How much of their errors siblings share", Some(plot::lines(&axes, &series)));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gains(of: impl Fn(f64) -> f64, error: f64) -> Vec<Gain> {
        SCALES.map(|scale| Gain { scale, elo: of(scale), error }).to_vec()
    }

    #[test]
    fn the_peak_of_a_parabola_is_found_and_held_inside_what_was_tried() {
        let best = best_scale(&gains(|s| 40.0 * s - 25.0 * s * s, 10.0));
        assert!((best - 0.8).abs() < 1e-9, "{best}");
        assert_eq!(best_scale(&gains(|s| 10.0 * s + s * s, 10.0)), 2.0);
        assert_eq!(best_scale(&gains(|s| -10.0 * s - s * s, 10.0)), 0.0);
        assert_eq!(best_scale(&[]), 0.0);
    }

    #[test]
    fn the_peak_is_where_a_search_over_factors_finds_the_least_squares() {
        // Slow twin: try slopes and bends on a grid and keep the pair with the least sum.
        let noisy = gains(|s| 30.0 * s - 20.0 * s * s + if s == 1.0 { 4.0 } else { -1.0 }, 10.0);
        let mut least = (f64::INFINITY, 0.0);
        for slope in 0..=800 {
            for bend in 1..=800 {
                let (slope, bend) = (f64::from(slope) / 10.0, f64::from(bend) / 10.0);
                let sum: f64 = noisy
                    .iter()
                    .map(|g| (g.elo - slope * g.scale + bend * g.scale * g.scale).powi(2))
                    .sum();
                if sum < least.0 {
                    least = (sum, slope / (2.0 * bend));
                }
            }
        }
        assert!((best_scale(&noisy) - least.1).abs() < 0.01, "{least:?}");
    }

    #[test]
    fn the_interval_holds_the_best_and_narrows_with_the_errors() {
        let parabola = |s: f64| 40.0 * s - 25.0 * s * s;
        let [low, middle, high] = best_with_interval(&gains(parabola, 10.0));
        let [nearer, _, far] = best_with_interval(&gains(parabola, 1.0));
        assert!(low <= nearer && nearer < middle && middle < far && far <= high);
    }

    #[test]
    fn games_played_before_can_be_read() {
        assert!(earlier().rows.len() > 10);
    }
}
