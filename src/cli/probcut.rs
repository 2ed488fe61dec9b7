//! `kitai probcut`: refit the noise model of forward pruning to the search as it is.

use rand::Rng;
use serde::Serialize;

use super::common::{EngineArgs, stop_on_interrupt};
use super::{CliError, Output, progress};
use crate::eval;
use crate::options::Options;
use crate::othello::random::random_move;
use crate::othello::{Move, Position};
use crate::random::{Random, seeded_part};
use crate::search::METHOD;
use crate::search::minimax::SELECTIVITY;
use crate::search::minimax::fit::{Fit, Sample, fit_endgame, fit_midgame};
use crate::search::{Certainty, Limits, Method, Request, StopFlag, build};

/// Measure how shallow searches differ from deep ones and fit ProbCut's noise model.
///
/// Plays games with some random moves, searches positions of every stage without pruning to
/// every depth, solves late ones, and prints the coefficients for `parameters.rs` together with
/// the deviations they were fitted to.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  kitai probcut\n  kitai probcut --positions 1000 --depth 11 --seed 7"
)]
pub struct Args {
    /// How many positions to search
    #[arg(long, default_value_t = 300)]
    positions: u64,
    /// Greatest midgame depth, plies
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(4..=16))]
    depth: u32,
    /// Solve positions with at most this many empties
    #[arg(long, default_value_t = 19, value_parser = clap::value_parser!(u32).range(13..=26))]
    solve: u32,
    /// Seed of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Serialize)]
struct Report {
    stage: &'static str,
    coefficients: [f32; 5],
    pairs: usize,
    log_error: f64,
    cells: Vec<((u32, u32, u32), usize, f64)>,
}

/// Share of random moves in the games, so that unbalanced positions occur too.
const RANDOM_SHARE: f64 = 0.2;
/// Plies of purely random opening.
const OPENING_PLIES: u32 = 8;

/// Runs the command.
///
/// # Errors
/// If an option is wrong, there is too little data, or the work was interrupted.
pub fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let mut options = args.engine.options()?;
    options.put(&METHOD, "minimax".to_owned()).map_err(CliError::input)?;
    options.put(&SELECTIVITY, 100).map_err(CliError::input)?;
    let stop = stop_on_interrupt();
    let bar = progress::steps(args.positions, "positions");
    let mut method = build(&options).map_err(CliError::input)?;
    let mut samples = Vec::new();
    for index in 0..args.positions {
        let mut rng = seeded_part(args.seed, index);
        samples.push(sample(method.as_mut(), &options, args, &mut rng, &stop)?);
        if stop.is_stopped() {
            samples.pop();
            break;
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let missing = || CliError::Input(format!("{} positions are too few to fit", samples.len()));
    let midgame = fit_midgame(&samples).ok_or_else(missing)?;
    let endgame = fit_endgame(&samples).ok_or_else(missing)?;
    print("PROBCUT_MID_SIGMA", midgame, output)?;
    print("PROBCUT_END_SIGMA", endgame, output)
}

fn print(stage: &'static str, fit: Fit, output: &mut Output) -> Result<(), CliError> {
    output.line("empties  deep  shallow  pairs  deviation (discs)")?;
    for ((empties, deep, shallow), pairs, deviation) in &fit.cells {
        output.line(format_args!(
            "{empties:>7} {deep:>5} {shallow:>8} {pairs:>6} {deviation:>10.2}"
        ))?;
    }
    output.line(format_args!(
        "{stage} = {:?} ({} pairs, error of ln σ {:.3})",
        fit.model, fit.pairs, fit.log_error
    ))?;
    output.object(&Report {
        stage,
        coefficients: fit.model,
        pairs: fit.pairs,
        log_error: fit.log_error,
        cells: fit.cells,
    })
}

fn sample(
    method: &mut dyn Method,
    options: &Options,
    args: &Args,
    rng: &mut Random,
    stop: &StopFlag,
) -> Result<Sample, CliError> {
    // Half of the positions are late enough to be solved.
    let empties = if rng.random() {
        rng.random_range(12..=args.solve)
    } else {
        rng.random_range(args.solve + 1..=52)
    };
    let position = played_position(method, empties, rng, stop);
    let evaluator = eval::build(options).map_err(CliError::input)?;
    let unit = f64::from(eval::UNIT);
    let mut by_depth = vec![None; args.depth as usize + 1];
    by_depth[0] = Some(f64::from(evaluator.evaluate(position)) / unit);
    method.clear();
    let limits = Limits::depth(args.depth.min(empties - 1));
    method.search(&Request::new(position, limits), stop, &mut |event| {
        if let (Some(line), Some(slot)) =
            (event.lines.first(), by_depth.get_mut(event.depth as usize))
        {
            *slot = Some(line.score.discs());
        }
    });
    let exact = (empties <= args.solve).then(|| {
        let outcome = method.search(&Request::new(position, Limits::solve()), stop, &mut |_| {});
        let proven = outcome.lines.first().is_some_and(|l| l.certainty == Certainty::Exact);
        proven.then(|| outcome.score().discs())
    });
    Ok(Sample { empties, by_depth, exact: exact.flatten() })
}

/// A position with this many empties from a game of shallow search and some random moves.
fn played_position(
    method: &mut dyn Method,
    empties: u32,
    rng: &mut Random,
    stop: &StopFlag,
) -> Position {
    'game: loop {
        let mut position = Position::START;
        while position.empty_count() > empties || position.must_pass() {
            let opening = 60 - position.empty_count() < OPENING_PLIES;
            let chosen: Option<Move> = if opening || rng.random_bool(RANDOM_SHARE) {
                random_move(position, rng)
            } else {
                let request = Request::new(position, Limits::depth(2));
                method.search(&request, stop, &mut |_| {}).best_move()
            };
            match chosen.and_then(|chosen| position.after(chosen)) {
                Some(next) => position = next,
                None => continue 'game,
            }
        }
        if position.has_move() {
            return position;
        }
    }
}
