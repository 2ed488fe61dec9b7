//! `kitai selfplay`: games against itself, kept as scored positions to learn from.

use std::path::PathBuf;
use std::sync::Arc;

use indicatif::ProgressBar;
use serde::Serialize;

use super::common::{EngineArgs, check_output, stop_on_interrupt};
#[cfg(feature = "fleet")]
use super::nats::{FleetArgs, FleetView, failed};
use super::{CliError, Output, progress};
#[cfg(feature = "fleet")]
use crate::fleet::{coordinator::conduct, work::selfplay::SelfPlayWork};
use crate::search::StopFlag;
use crate::text;
use crate::training::beginnings::Beginnings;
use crate::training::selfplay::{SelfPlaySettings, selfplay};
#[cfg(feature = "fleet")]
use crate::training::{Progress, selfplay::SelfPlayFile};

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
    /// Moves at the start that are random or of a game of --like: at least
    #[arg(long, default_value_t = 6, value_name = "PLIES")]
    opening_min: u32,
    /// The same: at most
    #[arg(long, default_value_t = 20, value_name = "PLIES")]
    opening_max: u32,
    /// Begin like one of the games in this file, drawn anew for each game, instead of at random; may be
    /// repeated (any format of games)
    #[arg(long, value_name = "FILE")]
    like: Vec<PathBuf>,
    /// Begin with at most so many discs between the sides, as the search sees it
    #[arg(long, default_value_t = 64.0, value_name = "DISCS")]
    balance: f64,
    /// Chance of a random move instead of the best
    #[arg(long, default_value_t = 0.02, value_name = "CHANCE")]
    strays: f64,
    /// The same where positions are solved
    #[arg(long, default_value_t = 0.0, value_name = "CHANCE")]
    exact_strays: f64,
    /// Seed of openings and strays
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    engine: EngineArgs,
    #[cfg(feature = "fleet")]
    #[command(flatten)]
    fleet: FleetArgs,
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
        return Err(CliError::usage(format!(
            "--opening-min {} is above --opening-max {}",
            args.opening_min, args.opening_max
        )));
    }
    #[cfg(feature = "fleet")]
    if !args.like.is_empty() && args.fleet.access().is_some() {
        return Err(CliError::usage("games of --like cannot be sent to workers".to_owned()));
    }
    check_output(&args.output)?;
    let beginnings = match args.like.as_slice() {
        [] => None,
        files => Some(Arc::new(Beginnings::read(files).map_err(CliError::input)?)),
    };
    let settings = SelfPlaySettings {
        options: args.engine.training_options()?,
        games: args.games,
        depth: args.depth,
        exact_from: args.exact_from,
        opening: args.opening_min..=args.opening_max,
        beginnings,
        balance: args.balance,
        strays: args.strays,
        exact_strays: args.exact_strays,
        seed: args.seed,
    };
    let bar = progress::steps(args.games.into(), "games");
    let stop = stop_on_interrupt();
    let games = play(args, &settings, &bar, &stop)?;
    bar.finish_and_clear();
    let name = args.output.display().to_string();
    output.line(format_args!("{name}: {}", text::count(games.into(), "game")))?;
    output.object(&Report { output: name, games, wanted: args.games })?;
    if games < args.games {
        return Err(CliError::Found("interrupted; the same command goes on".to_owned()));
    }
    Ok(())
}

/// Plays here, or on the workers of a fleet.
fn play(
    args: &Args,
    settings: &SelfPlaySettings,
    bar: &ProgressBar,
    stop: &StopFlag,
) -> Result<u32, CliError> {
    #[cfg(feature = "fleet")]
    if let Some(access) = args.fleet.access() {
        let (file, resumed) =
            SelfPlayFile::open(&args.output, settings).map_err(CliError::input)?;
        progress::resumable(bar, &args.output, Progress::Resumed(resumed));
        progress::resumable(bar, &args.output, Progress::Done(file.games().into()));
        bar.reset_eta();
        let shown = bar.clone();
        let on_games = Box::new(move |games: u32| shown.set_position(games.into()));
        let mut work = SelfPlayWork::new(settings.clone(), file, on_games).map_err(failed)?;
        let mut view = FleetView::new(bar);
        let how = args.fleet.settings();
        let ended = conduct(&access, how, &mut work, stop, &mut |news| view.show(news));
        view.finish();
        let games = work.close().map_err(failed)?;
        return ended.map(|()| games).map_err(failed);
    }
    selfplay(&args.output, settings, stop, |news| progress::resumable(bar, &args.output, news))
        .map_err(CliError::input)
}
