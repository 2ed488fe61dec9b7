//! `kitai solve`: endgame problems, solved and compared with the file's answers.

use indicatif::ProgressBar;
use serde::Serialize;

use super::common::{EngineArgs, stop_on_interrupt};
use super::input::Source;
#[cfg(feature = "fleet")]
use super::nats::{FleetArgs, FleetView, failed};
use super::{CliError, Output, progress};
#[cfg(feature = "fleet")]
use crate::fleet::{coordinator::conduct, work::solve::SolveWork};
use crate::options::Options;
use crate::othello::Move;
use crate::record::obf::Problem;
use crate::score::Score;
use crate::search::report::DepthLabel;
use crate::search::{Limits, Outcome, Request, build};
use crate::text;

/// Solve positions and check a problem file's answers
///
/// Scores are exact unless --confidence says otherwise. The exit code is 1 if an answer differs.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
kitai solve fforum-40-59.obf --first 1 --last 10\n  \
kitai solve hard-20.obf --threads 2 --hash 512 --json\n  \
kitai solve hard-25.obf --last 20 --wld\n  \
kitai solve hard-25.obf --depth 15\n  \
kitai solve '-XXXXXX-XOOXXOOXXOXOOXOXXXOXXOXXXXXOXOXXXOXXXOOXXOOOOOX--OOOOX-- X'")]
pub(super) struct Args {
    /// A position, a file of problems, boards or games (their last positions), or - for standard
    /// input
    #[arg(allow_hyphen_values = true)]
    positions: String,
    /// Number of the first problem to solve, from 1
    #[arg(long, default_value_t = 1)]
    first: usize,
    /// Number of the last problem to solve [default: the last in the file]
    #[arg(long)]
    last: Option<usize>,
    /// Search threads
    #[arg(long)]
    threads: Option<u32>,
    /// Transposition table in MiB [default: 256]
    #[arg(long, value_name = "MIB")]
    hash: Option<u32>,
    /// Prove win, loss or draw only
    #[arg(long)]
    wld: bool,
    /// Search to the end with forward pruning at this confidence, per cent
    #[arg(long, value_name = "PERCENT")]
    confidence: Option<u32>,
    /// Search only so deep instead of solving, and report how far off that is
    #[arg(long, value_name = "PLIES")]
    depth: Option<u32>,
    #[command(flatten)]
    engine: EngineArgs,
    #[cfg(feature = "fleet")]
    #[command(flatten)]
    fleet: FleetArgs,
}

/// One solved problem; also the JSON line.
#[derive(Serialize)]
struct Row {
    number: usize,
    empties: u32,
    depth: String,
    score: Score,
    expected: Option<Score>,
    best: String,
    nodes: u64,
    seconds: f64,
    nodes_per_second: f64,
    pv: String,
    /// Whether score and move agree with the file; absent if it has no answer or none was proven.
    right: Option<bool>,
    /// How much the chosen move gives away by the file's scores, in discs.
    loss: Option<f64>,
}

/// Runs the command.
///
/// # Errors
/// If the file cannot be read, an option is wrong or an answer differs.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let problems = read(args)?;
    let mut options = args.engine.options_with_hash(256)?;
    let mut set = |name, value: Option<u32>| match value {
        Some(value) => options.set(name, &value.to_string()).map_err(CliError::usage),
        None => Ok(()),
    };
    set("threads", args.threads)?;
    set("hash", args.hash)?;
    set("end-confidence", args.confidence)?;
    let limits = Limits {
        depth: args.depth,
        exact: args.depth.is_none() && !args.wld,
        outcome: args.wld,
        ..Limits::default()
    };
    let bar = progress::steps(problems.len() as u64, "problems");
    output.line("  # empties  depth   score  answer  best         nodes   seconds   Mn/s  line")?;
    let mut rows = Vec::new();
    let mut on_solved = |index: usize, outcome: &Outcome| -> Result<(), CliError> {
        let (number, problem) = &problems[index];
        let Some(row) = row(*number, problem, limits, outcome) else { return Ok(()) };
        bar.suspend(|| output.line(row.text()))?;
        output.object(&row)?;
        rows.push(row);
        bar.inc(1);
        Ok(())
    };
    solve_all(args, &problems, &options, limits, &bar, &mut on_solved)?;
    bar.finish_and_clear();
    summary(&rows, problems.len(), output)
}

/// Solves here, or on the workers of a fleet, and tells of each problem in order.
fn solve_all(
    #[cfg_attr(not(feature = "fleet"), allow(unused))] args: &Args,
    problems: &[(usize, Problem)],
    options: &Options,
    limits: Limits,
    bar: &ProgressBar,
    on_solved: &mut dyn FnMut(usize, &Outcome) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let stop = stop_on_interrupt();
    #[cfg(feature = "fleet")]
    if let Some(access) = args.fleet.access() {
        let boards = problems.iter().map(|(_, problem)| problem.board).collect();
        let mut on_solved = |index: usize, outcome: &Outcome| {
            on_solved(index, outcome).map_err(|error| error.to_string())
        };
        let mut work = SolveWork::new(boards, options, limits, &mut on_solved).map_err(failed)?;
        let mut view = FleetView::new(bar);
        let how = args.fleet.settings();
        let ended = conduct(&access, how, &mut work, &stop, &mut |news| view.show(news));
        bar.finish_and_clear();
        view.finish();
        return ended.map_err(failed);
    }
    let mut method = build(options).map_err(CliError::usage)?;
    for (index, (_, problem)) in problems.iter().enumerate() {
        // Each problem stands alone: times and nodes do not depend on the ones before it.
        method.clear();
        let request = Request::new(problem.board.position, limits);
        let outcome = method.search(&request, &stop, &mut |event| progress::thinking(bar, event));
        if stop.is_stopped() {
            break;
        }
        on_solved(index, &outcome)?;
    }
    Ok(())
}

fn read(args: &Args) -> Result<Vec<(usize, Problem)>, CliError> {
    let opened = Source::of(&args.positions)?.open(None)?;
    let (name, typed) = (opened.name.clone(), opened.length.is_none());
    let last = args.last.unwrap_or(usize::MAX);
    let problems: Vec<(usize, Problem)> = opened
        .records()
        .enumerate()
        .take(last)
        .skip(args.first.saturating_sub(1))
        .map(|(index, record)| record.map(|record| (index + 1, Problem::from(&record))))
        .collect::<Result<_, _>>()
        .map_err(|error| {
            let error = error.in_file(&name);
            if typed { CliError::usage(error) } else { CliError::input(error) }
        })?;
    if problems.is_empty() {
        return Err(CliError::Input(format!("{name}: no problem in the range asked for")));
    }
    Ok(problems)
}

fn row(number: usize, problem: &Problem, limits: Limits, outcome: &Outcome) -> Option<Row> {
    let line = outcome.lines.first()?;
    let chosen = outcome.best_move();
    let best = chosen.map_or("--".to_owned(), |best| best.to_string());
    let expected = problem.best_score();
    let seconds = outcome.elapsed.as_secs_f64();
    let proven = limits.depth.is_none();
    let right = expected.filter(|_| proven).map(|expected| {
        let same = if limits.outcome {
            line.score.hundredths().signum() == expected.hundredths().signum()
        } else {
            line.score == expected
        };
        same && (limits.outcome || agrees(problem, chosen))
    });
    Some(Row {
        number,
        empties: problem.board.position.empty_count(),
        depth: DepthLabel(outcome.depth, line.certainty).to_string(),
        score: line.score,
        expected,
        best,
        nodes: outcome.nodes,
        seconds,
        nodes_per_second: outcome.nodes as f64 / seconds.max(1e-9),
        pv: line.pv_text(),
        right,
        loss: chosen.and_then(|chosen| loss(problem, chosen)),
    })
}

/// Whether the move is one of the file's best; a file without moves accepts any.
fn agrees(problem: &Problem, chosen: Option<Move>) -> bool {
    let best = problem.best_moves();
    best.is_empty() || chosen.is_some_and(|chosen| best.contains(&chosen))
}

fn loss(problem: &Problem, chosen: Move) -> Option<f64> {
    let (_, score) = problem.answers.iter().find(|(played, _)| *played == chosen)?;
    Some(problem.best_score()?.discs() - score.discs())
}

impl Row {
    fn text(&self) -> String {
        format!(
            "{:>3} {:>7} {:>6} {:>7} {:>7} {:>5} {:>12} {:>9.3} {:>6.1}  {}{}",
            self.number,
            self.empties,
            self.depth,
            self.score.to_string(),
            self.expected.map_or(String::new(), |score| score.to_string()),
            self.best,
            self.nodes,
            self.seconds,
            self.nodes_per_second / 1e6,
            self.pv,
            if self.right == Some(false) { "   WRONG" } else { "" }
        )
    }
}

/// What all problems took together.
fn totals(rows: &[Row]) -> String {
    let nodes: u64 = rows.iter().map(|row| row.nodes).sum();
    // `sum` would make minus nothing of no rows.
    let seconds = rows.iter().fold(0.0, |sum, row| sum + row.seconds);
    format!(
        "{}, {:.1} M nodes, {seconds:.2} s, {:.1} Mn/s",
        text::count(rows.len() as u64, "problem"),
        nodes as f64 / 1e6,
        nodes as f64 / seconds.max(1e-9) / 1e6
    )
}

fn summary(rows: &[Row], wanted: usize, output: &mut Output) -> Result<(), CliError> {
    output.line(totals(rows))?;
    let judged: Vec<(f64, f64)> = rows
        .iter()
        .filter(|row| row.right.is_none())
        .filter_map(|row| Some((row.loss?, row.score.discs() - row.expected?.discs())))
        .collect();
    if !judged.is_empty() {
        let count = judged.len() as f64;
        let hits = judged.iter().filter(|(loss, _)| *loss == 0.0).count() as f64;
        output.line(format_args!(
            "best move {:.1} %, mean loss {:.2} discs, mean absolute error {:.2} discs",
            100.0 * hits / count,
            judged.iter().map(|j| j.0).sum::<f64>() / count,
            judged.iter().map(|j| j.1.abs()).sum::<f64>() / count
        ))?;
    }
    let wrong = rows.iter().filter(|row| row.right == Some(false)).count();
    let checked = rows.iter().filter(|row| row.right.is_some()).count();
    if checked > 0 {
        output.line(format_args!("{} of {checked} answers right", checked - wrong))?;
    }
    if wrong > 0 {
        return Err(CliError::Found(format!("{wrong} of {checked} answers differ from the file")));
    }
    if rows.len() < wanted {
        return Err(CliError::Found(format!("stopped after {} of {wanted} problems", rows.len())));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_problems_take_no_time_rather_than_minus_nothing() {
        assert_eq!(totals(&[]), "0 problems, 0.0 M nodes, 0.00 s, 0.0 Mn/s");
    }
}
