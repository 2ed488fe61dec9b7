//! `kitai selfplay`: games against itself, kept as scored positions to learn from.

use std::path::PathBuf;

use serde::Serialize;

use super::common::{EngineArgs, stop_on_interrupt};
use super::{CliError, Output, progress};
use crate::training::selfplay::{SelfPlaySettings, selfplay};

/// Play games against itself and write their positions with searched scores.
///
/// The same command again goes on where it was interrupted.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
kitai selfplay --output games.kpos --games 10000 --depth 6 --exact-from 14\n  \
kitai selfplay --output mine.kpos --games 500 --depth 4 --set weights=my.bin --seed 7")]
pub(super) struct Args {
    /// Position file to append to
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// How many games the file shall have
    #[arg(long, short = 'n', default_value_t = 1000)]
    games: u32,
    /// Plies to search
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// Play perfectly from so many empties on
    #[arg(long, default_value_t = 14, value_name = "EMPTIES",
          value_parser = clap::value_parser!(u32).range(0..=24))]
    exact_from: u32,
    /// Random moves at the start: at least
    #[arg(long, default_value_t = 6, value_name = "PLIES")]
    opening_min: u32,
    /// Random moves at the start: at most
    #[arg(long, default_value_t = 20, value_name = "PLIES")]
    opening_max: u32,
    /// Chance of a random move instead of the best
    #[arg(long, default_value_t = 0.02, value_name = "CHANCE")]
    strays: f64,
    /// Seed of openings and strays
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Serialize)]
struct Report {
    output: String,
    games: u32,
    wanted: u32,
}

/// Runs the command.
///
/// # Errors
/// If an option or the output cannot be used, or the run was interrupted.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    if args.opening_min > args.opening_max {
        return Err(CliError::Input(format!(
            "--opening-min {} is above --opening-max {}",
            args.opening_min, args.opening_max
        )));
    }
    let settings = SelfPlaySettings {
        options: args.engine.training_options()?,
        games: args.games,
        depth: args.depth,
        exact_from: args.exact_from,
        opening: args.opening_min..=args.opening_max,
        strays: args.strays,
        seed: args.seed,
    };
    let bar = progress::steps(args.games.into(), "games");
    let stop = stop_on_interrupt();
    let games = selfplay(&args.output, &settings, &stop, |news| {
        progress::resumable(&bar, &args.output, news)
    })
    .map_err(CliError::input)?;
    bar.finish_and_clear();
    let name = args.output.display().to_string();
    output.line(format_args!("{name}: {games} games"))?;
    output.object(&Report { output: name, games, wanted: args.games })?;
    if games < args.games {
        return Err(CliError::Found("interrupted; the same command goes on".to_owned()));
    }
    Ok(())
}
