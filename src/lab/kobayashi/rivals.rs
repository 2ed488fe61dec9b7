//! The rules that the 2002 paper sets itself against, in the frame of its own tables: one move at
//! three plies with disc difference, on the same positions, each against minimax.

use std::sync::atomic::AtomicU64;

use super::one_move::{OneMove, Rule, Verdict};
use super::published::{self, POSITIONS};
use super::tables::Judging;
use crate::lab::bench::{Bench, LabError, WTHOR_LATER};
use crate::lab::outcome::{Column, Outcome, Table};
use crate::lab::verdict::Figure;
use crate::plot::{self, Interval};
use crate::search::expectation::Deviation;
use crate::search::expectation::older_rules::OlderRule;
use crate::statistics::normal::Z95;
use crate::training::recorded::sample;

const SEED: u64 = 2002;
/// Discs played, S: the middle of tables 6 and 7.
const DISCS: u32 = 52;

/// The rules by name.
fn rules(sigma: Deviation) -> Vec<(String, Rule)> {
    let older = |rule| Rule::Older { rule, sigma };
    let mut rules = vec![
        ("expectation, m = 100".to_owned(), Rule::Expectation { sigma, samples: 100, seed: SEED }),
        ("expectation, exact".to_owned(), Rule::Expectation { sigma, samples: 0, seed: SEED }),
        ("expected value (opponent model)".to_owned(), Rule::OpponentModel { sigma }),
    ];
    for power in [8.0, 32.0, 128.0] {
        let rule = OlderRule::GeneralizedMean { power };
        rules.push((format!("generalised mean, p = {power}"), older(rule)));
    }
    for few in [2, 3] {
        let rule = OlderRule::BestFew { own: few, opponent: few };
        rules.push((format!("M & N, {few} and {few}"), older(rule)));
    }
    for scale in [2.0, 8.0] {
        rules.push((format!("product, scale {scale}"), older(OlderRule::Product { scale })));
        rules.push((format!("average, scale {scale}"), older(OlderRule::Average { scale })));
    }
    for margin in [4, 8, 16] {
        rules.push((format!("singular extensions, {margin} discs"), Rule::Singular { margin }));
    }
    rules
}

fn figures(verdict: &Verdict) -> Vec<Figure> {
    let of = f64::from(verdict.positions);
    let error = if verdict.paired.t == 0.0 {
        None
    } else {
        Some((verdict.cell.mean / verdict.paired.t).abs())
    };
    vec![
        Figure::count(f64::from(verdict.cell.k_better), of, None),
        Figure::count(f64::from(verdict.cell.m_better), of, None),
        Figure::ours(verdict.cell.mean, error),
        Figure::ours(verdict.index2, None),
        Figure::ours(verdict.unpaired.t, None),
        Figure::ours(verdict.paired.t, None),
    ]
}

/// Runs all of them.
///
/// # Errors
/// If there are no games, or the work was interrupted.
pub fn rivals(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let games = bench.games(WTHOR_LATER)?;
    let count = bench.size(300, POSITIONS as usize);
    let positions = sample(&games, DISCS, count, SEED);
    let rules = rules(Deviation::clamped(published::sigma(DISCS).unwrap_or_default()));
    let total = (rules.len() * positions.len()) as u64;
    let judging = Judging { bench, total, done: AtomicU64::new(0) };
    let columns = || {
        vec![
            Column::new("rule better", 0),
            Column::new("minimax better", 0),
            Column::new("mean difference", 3),
            Column::new("index 2", 1),
            Column::new("unpaired t", 2),
            Column::new("paired t", 2),
        ]
    };
    let title = format!("One move against minimax, S = {DISCS}");
    let mut deeper =
        Table::new(&format!("{title}, judged two plies deeper"), &[], "rule", columns());
    let mut solved =
        Table::new(&format!("{title}, judged by the solved game"), &[], "rule", columns());
    let mut intervals = Vec::new();
    for (name, rule) in rules {
        let judged = judging
            .run(&positions, |positions, tick| OneMove { rule }.run(positions, bench.stop, tick))?;
        let found = figures(&judged.solved);
        let margin = Z95 * found[2].error.unwrap_or(0.0);
        let middle = judged.solved.cell.mean;
        intervals.push(Interval {
            name: name.clone(),
            low: middle - margin,
            middle,
            high: middle + margin,
            color: usize::from(middle - margin <= 0.0),
        });
        deeper.row(name.clone(), figures(&judged.deeper));
        solved.row(name, found);
    }
    let mut outcome = Outcome {
        seed: SEED,
        settings: format!("{} positions, σ of table 5 where a rule has one", positions.len()),
        reading:
            "The paper names these rules as comparisons to be made and has no figures for them. \
            Singular extensions: a move better than all others of its node by so many discs is \
            looked at one ply deeper, twice in a line at most."
                .to_owned(),
        tables: vec![deeper, solved],
        ..Outcome::default()
    };
    let chart = plot::intervals(&intervals, "discs gained over minimax by the solved game, 95 %");
    outcome.chart("Discs gained over minimax", chart);
    Ok(outcome)
}
