//! `kitai label`: score the positions of games and files by search or solution.

use std::path::PathBuf;

use indicatif::ProgressBar;
use serde::Serialize;

use super::common::{EngineArgs, check_output, stop_on_interrupt};
#[cfg(feature = "fleet")]
use super::nats::{FleetArgs, FleetView, failed};
use super::{CliError, Output, progress};
#[cfg(feature = "fleet")]
use crate::fleet::{coordinator::conduct, work::label::LabelWork};
use crate::search::StopFlag;
use crate::text;
use crate::training::label::{LabelSettings, label};
use crate::training::sources::{Candidate, Selection, candidates};
#[cfg(feature = "fleet")]
use crate::training::{Progress, label::LabelFile};

/// Score positions of games, problems or position files, anew and deeper.
///
/// Exact scores that a file gives (problem answers, the stored score of tournament games) are
/// kept. The same command again goes on where it was interrupted.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
kitai label WTH_2019.wtb --output 2019.kpos --depth 6 --exact-from 12 --strays 0.5\n  \
kitai label WTH_*.wtb --output start.kpos --results --exact-from 10\n  \
kitai label games.kpos --output deeper.kpos --depth 10 --share 0.1")]
pub(super) struct Args {
    /// Files: kpos, wtb, obf, ggf, sgf, txt (transcripts), pos (boards)
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Position file to append to
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Plies to search
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=60))]
    depth: u32,
    /// Solve positions with at most so many empties
    #[arg(long, default_value_t = 12, value_name = "EMPTIES",
          value_parser = clap::value_parser!(u32).range(0..=60))]
    exact_from: u32,
    /// Take positions with at least so many empties
    #[arg(long, default_value_t = 4, value_name = "EMPTIES")]
    empties_min: u32,
    /// Take positions with at most so many empties
    #[arg(long, default_value_t = 54, value_name = "EMPTIES")]
    empties_max: u32,
    /// Chance of each position to be taken
    #[arg(long, default_value_t = 1.0, value_name = "CHANCE")]
    share: f64,
    /// Chance that a position a random move or two away is taken too
    #[arg(long, default_value_t = 0.0, value_name = "CHANCE")]
    strays: f64,
    /// Keep the results that tournament files give instead of searching, and take no position
    /// that has none and is not solved
    #[arg(long)]
    results: bool,
    /// Seed of the choice
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
    positions: u64,
    wanted: usize,
}

/// Runs the command.
///
/// # Errors
/// If a file or option cannot be used, or the run was interrupted.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    check_output(&args.output)?;
    let selection = Selection {
        empties: args.empties_min..=args.empties_max,
        share: args.share,
        strays: args.strays,
        seed: args.seed,
    };
    let settings = LabelSettings {
        options: args.engine.training_options()?,
        depth: args.depth,
        exact_from: args.exact_from,
        keep_results: args.results,
    };
    let mut candidates = candidates(&args.files, &selection).map_err(CliError::input)?;
    if args.results {
        candidates.retain(|c| c.known.is_some() || c.position.empty_count() <= args.exact_from);
    }
    let bar = progress::steps(candidates.len() as u64, "positions");
    let stop = stop_on_interrupt();
    let count = score(args, &candidates, &settings, &bar, &stop)?;
    bar.finish_and_clear();
    let name = args.output.display().to_string();
    output.line(format_args!("{name}: {}", text::count(count, "position")))?;
    output.object(&Report { output: name, positions: count, wanted: candidates.len() })?;
    if count < candidates.len() as u64 {
        return Err(CliError::Found("interrupted; the same command goes on".to_owned()));
    }
    Ok(())
}

/// Scores here, or on the workers of a fleet.
fn score(
    args: &Args,
    candidates: &[Candidate],
    settings: &LabelSettings,
    bar: &ProgressBar,
    stop: &StopFlag,
) -> Result<u64, CliError> {
    #[cfg(feature = "fleet")]
    if let Some(access) = args.fleet.access() {
        let (file, resumed) =
            LabelFile::open(candidates, &args.output, settings).map_err(CliError::input)?;
        progress::resumable(bar, &args.output, Progress::Resumed(resumed));
        progress::resumable(bar, &args.output, Progress::Done(file.done() as u64));
        bar.reset_eta();
        let shown = bar.clone();
        let on_positions = Box::new(move |positions| shown.set_position(positions));
        let mut work =
            LabelWork::new(candidates, settings.clone(), file, on_positions).map_err(failed)?;
        let mut view = FleetView::new(bar);
        let how = args.fleet.settings();
        let ended = conduct(&access, how, &mut work, stop, &mut |news| view.show(news));
        view.finish();
        return ended.map(|()| work.written()).map_err(failed);
    }
    label(candidates, &args.output, settings, stop, |news| {
        progress::resumable(bar, &args.output, news)
    })
    .map_err(CliError::input)
}
