//! `kitai probcut`: refit the noise model of forward pruning to the search as it is.

use serde::Serialize;

use super::common::{EngineArgs, stop_on_interrupt};
use super::{CliError, Output, progress};
use crate::training::calibration::probcut::{Sampling, sample};
use crate::training::calibration::probcut_fit::{Fit, FittedCell, fit_endgame, fit_midgame};

/// Measure how shallow searches differ from deep ones and fit ProbCut's noise model.
///
/// Plays games with some random moves, searches positions of every stage without pruning to
/// every depth, solves late ones, and prints the coefficients for `parameters.rs` together with
/// the deviations they were fitted to.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  kitai probcut\n  kitai probcut --positions 1000 --depth 11 --seed 7"
)]
pub(super) struct Args {
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
    cells: Vec<FittedCell>,
}

/// Runs the command.
///
/// # Errors
/// If an option is wrong, there is too little data, or the work was interrupted.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let Args { positions, depth, solve, seed, .. } = *args;
    let options = args.engine.options()?;
    let bar = progress::steps(positions, "positions");
    let sampling = Sampling { positions, depth, solve, seed };
    let samples = sample(&sampling, &options, &stop_on_interrupt(), &mut || bar.inc(1));
    bar.finish_and_clear();
    let samples = samples.map_err(CliError::input)?;
    let missing = || CliError::Input(format!("{} positions are too few to fit", samples.len()));
    let midgame = fit_midgame(&samples).ok_or_else(missing)?;
    let endgame = fit_endgame(&samples).ok_or_else(missing)?;
    print("PROBCUT_MID_SIGMA", midgame, output)?;
    print("PROBCUT_END_SIGMA", endgame, output)
}

fn print(stage: &'static str, fit: Fit, output: &mut Output) -> Result<(), CliError> {
    output.line("empties  deep  shallow  pairs  deviation  mean (discs)")?;
    for FittedCell { empties, deep, shallow, pairs, deviation, mean } in &fit.cells {
        output.line(format_args!(
            "{empties:>7} {deep:>5} {shallow:>8} {pairs:>6} {deviation:>10.2} {mean:>+13.2}"
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
