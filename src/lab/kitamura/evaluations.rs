//! W0 to W9 without any game: how they scatter around W0 (figures 5 to 13), the range of ±5000 that
//! makes win rates of them, and how right they are about solved endgames.

use rand::Rng;
use rand::seq::IndexedRandom;
use rayon::prelude::*;
use std::sync::Arc;

use crate::eval::{self, Evaluator, UNIT};
use crate::lab::bench::{Bench, LabError, WTHOR_LATER};
use crate::lab::outcome::{Column, Outcome, Table};
use crate::lab::verdict::Figure;
use crate::options::Options;
use crate::othello::Position;
use crate::othello::random::random_position;
use crate::plot::{self, Axes, Series};
use crate::random::{seeded, seeded_part};
use crate::record::History;
use crate::search::endgame;
use crate::statistics::Moments;
use crate::training::recorded::sample;

const SEED: u64 = 2017;
/// The range that the paper's win rates are cut at, evaluation units.
const RANGE: i32 = 5000;
/// Empties of the solved endgames.
const SOLVED_EMPTIES: u32 = 12;
/// Figures begin with W1.
const FIRST_FIGURE: usize = 5;

/// A straight line through pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Correlation.
    pub correlation: f64,
    /// Slope of y on x.
    pub slope: f64,
    /// Deviation of y from the line.
    pub residual: f64,
}

/// The line of least squares; all zero for fewer than two different x.
pub fn line(pairs: &[(f64, f64)]) -> Line {
    let count = pairs.len().max(1) as f64;
    let mean = |value: fn(&(f64, f64)) -> f64| pairs.iter().map(value).sum::<f64>() / count;
    let (x, y) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for pair in pairs {
        let (dx, dy) = (pair.0 - x, pair.1 - y);
        xx += dx * dx;
        xy += dx * dy;
        yy += dy * dy;
    }
    if xx <= 0.0 || yy <= 0.0 {
        return Line { correlation: 0.0, slope: 0.0, residual: (yy / count).sqrt() };
    }
    let residual = ((yy - xy * xy / xx).max(0.0) / count).sqrt();
    Line { correlation: xy / (xx * yy).sqrt(), slope: xy / xx, residual }
}

fn evaluator(settings: &[(&str, &str)]) -> Result<Arc<dyn Evaluator>, LabError> {
    let mut options = Options::new();
    for (name, value) in settings {
        options.set(name, value)?;
    }
    Ok(eval::build(&options)?)
}

/// Positions of games at random moments with a legal move, from the fifth move on.
fn positions(games: &[History], count: usize) -> Vec<Position> {
    let mut rng = seeded(SEED);
    let mut found = Vec::new();
    while found.len() < count {
        let Some(game) = games.choose(&mut rng) else { break };
        let boards = game.boards();
        if boards.len() > 6 {
            let position = boards[rng.random_range(5..boards.len() - 1)].position;
            if position.has_move() {
                found.push(position);
            }
        }
    }
    found
}

/// All three.
///
/// # Errors
/// If games or coefficients are not there.
pub fn scatter(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let zebra = bench.zebra()?.to_string_lossy().into_owned();
    let games = bench.games(WTHOR_LATER)?;
    let ablation = |number: usize| {
        evaluator(&[("eval", &format!("zebra-w{number}")), ("zebra-coeffs", &zebra)])
    };
    let evaluators = (0..=9).map(ablation).collect::<Result<Vec<_>, _>>()?;
    let found = positions(&games, bench.size(500, 3_000));
    let mut outcome = Outcome {
        seed: SEED,
        reading:
            "The paper does not say where its 3,000 positions come from; these are WTHOR games at \
            random moments. It reports in words: W4 almost equals W0, W1 and W6 scatter widely, W9 \
            has another slope."
                .to_owned(),
        ..Outcome::default()
    };
    let columns = vec![
        Column::new("correlation", 4),
        Column::new("slope", 3),
        Column::new("residual, discs", 2),
    ];
    let mut table = Table::new("Figures 5 to 13: W0 against W1 to W9", &[], "evaluation", columns);
    let discs = |evaluator: &Arc<dyn Evaluator>, position: Position| {
        f64::from(evaluator.evaluate(position)) / f64::from(UNIT)
    };
    for (number, evaluator) in evaluators.iter().enumerate().skip(1) {
        let pairs: Vec<(f64, f64)> = found
            .iter()
            .map(|&position| (discs(&evaluators[0], position), discs(evaluator, position)))
            .collect();
        let Line { correlation, slope, residual } = line(&pairs);
        let figures = [correlation, slope, residual].map(|value| Figure::ours(value, None));
        table.row(format!("W{number}"), figures.to_vec());
        let axes = Axes { x: "W0, discs", y: "discs", ..Axes::default() };
        let series = [
            Series::marks(&format!("W{number}"), pairs),
            Series::line("equal", [(-64.0, -64.0), (64.0, 64.0)]),
        ];
        let title = format!("Figure {}: W0 against W{number}", FIRST_FIGURE + number - 1);
        outcome.chart(&title, Some(plot::lines(&axes, &series)));
    }
    outcome.tables.push(table);
    outcome.tables.push(range(bench, &evaluators[0]));
    outcome.tables.push(correctness(bench, &games, &evaluators)?);
    outcome.settings = format!("{} positions of games", found.len());
    Ok(outcome)
}

/// The share of random-play positions whose W0 lies within ±5000.
fn range(bench: &Bench<'_>, evaluator: &Arc<dyn Evaluator>) -> Table {
    let count = bench.size(2_000, 10_000);
    let columns = vec![Column::new("per cent within ±5000", 2), Column::new("deviation, units", 0)];
    let title = "The range of ±5000: W0 of positions of random play from move 5 on";
    let mut table = Table::new(title, &[], "moves played", columns);
    for (from, to) in [(5, 59), (5, 19), (20, 39), (40, 59)] {
        let values: Vec<i32> = (0..count)
            .into_par_iter()
            .map(|index| {
                let mut rng = seeded_part(SEED, index as u64);
                let empties = 60 - rng.random_range(from..=to);
                evaluator.evaluate(random_position(empties, &mut rng))
            })
            .collect();
        let inside = values.iter().filter(|value| value.abs() <= RANGE).count() as f64;
        let moments: Moments = values.iter().map(|&value| f64::from(value)).collect();
        let share = Figure::count(inside, count as f64, None);
        let percent = |value: Option<f64>| value.map(|value| value / 100.0);
        let share = Figure { ours: percent(share.ours), error: percent(share.error), ..share };
        table.row(format!("{from}–{to}"), vec![share, Figure::ours(moments.deviation(), None)]);
    }
    table
}

/// How far evaluations are from the scores of solved endgames.
fn correctness(
    bench: &Bench<'_>,
    games: &[History],
    ablations: &[Arc<dyn Evaluator>],
) -> Result<Table, LabError> {
    let positions = sample(games, 60 - SOLVED_EMPTIES, bench.size(100, 2_000), SEED);
    let solved: Vec<f64> =
        positions.par_iter().map(|&position| f64::from(endgame::solve(position))).collect();
    let mut named: Vec<(String, Arc<dyn Evaluator>)> =
        ablations.iter().enumerate().map(|(i, e)| (format!("W{i}"), e.clone())).collect();
    for name in ["pattern", "shioda", "discs"] {
        named.push((name.to_owned(), evaluator(&[("eval", name)])?));
    }
    let columns = vec![
        Column::new("mean absolute error, discs", 2),
        Column::new("correlation", 3),
        Column::new("right side ahead, %", 1),
    ];
    let title = format!("Correctness against solved games with {SOLVED_EMPTIES} empties");
    let mut table = Table::new(&title, &[], "evaluation", columns);
    for (name, evaluator) in named {
        let value =
            |&position: &Position| f64::from(evaluator.evaluate(position)) / f64::from(UNIT);
        let pairs: Vec<(f64, f64)> =
            positions.iter().map(value).zip(solved.iter().copied()).collect();
        let errors: Moments = pairs.iter().map(|pair| (pair.0 - pair.1).abs()).collect();
        let decided = pairs.iter().filter(|pair| pair.1 != 0.0);
        let right: Moments =
            decided.map(|pair| f64::from(u8::from(pair.0 * pair.1 > 0.0))).collect();
        table.row(
            name,
            vec![
                Figure::ours(errors.mean(), errors.standard_error()),
                Figure::ours(line(&pairs).correlation, None),
                Figure::ours(100.0 * right.mean(), 100.0 * right.standard_error()),
            ],
        );
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_least_squares_is_the_textbook_one() {
        let Line { correlation, slope, residual } =
            line(&[(1.0, 2.0), (2.0, 4.0), (3.0, 5.0), (4.0, 4.0), (5.0, 5.0)]);
        assert!((slope - 0.6).abs() < 1e-12);
        assert!((correlation - 0.774_596_669).abs() < 1e-9);
        // Residuals −0.8, 0.6, 1.0, −0.6, −0.2.
        assert!((residual - (2.4f64 / 5.0).sqrt()).abs() < 1e-12);
        assert_eq!(line(&[(1.0, 2.0)]).slope, 0.0);
        assert_eq!(line(&[]).correlation, 0.0);
    }
}
