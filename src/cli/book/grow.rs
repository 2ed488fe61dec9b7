//! `kitai book grow`: a book made larger and better by search.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use serde::Serialize;

use super::open_to_write;
use crate::book::BookFile;
use crate::book::grow::{Growth, Progress, grow};
use crate::book::study::Judge;
use crate::cli::common::{EngineArgs, stop_on_interrupt};
#[cfg(feature = "fleet")]
use crate::cli::nats::{FleetArgs, FleetView, failed};
use crate::cli::{CliError, Output, progress};
#[cfg(feature = "fleet")]
use crate::fleet::{coordinator::conduct, work::book::GrowWork};
use crate::options::Options;
use crate::search::{Limits, build};
use crate::text;

/// Grow a book by search: where good play leaves it, values first, the cheapest way next
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Ctrl-C ends it at any time and nothing is lost; the same command goes on.\n\n\
Examples:\n  kitai book grow my.kbook --hours 8 --depth 18 --move-error 2 --line-error 4\n  \
kitai book grow my.kbook --hours 8 --depth 24 --nats nats://localhost:4222"
)]
pub(in crate::cli) struct Args {
    /// The book; begun if there is none
    book: PathBuf,
    /// How long
    #[arg(long, default_value_t = 1.0)]
    hours: f64,
    /// Depth of the searches, plies; values from shallower ones are searched again
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: u8,
    /// Solve positions with so few empty squares
    #[arg(long, value_name = "N", default_value_t = 20)]
    exact_from: u32,
    /// Discs that one move may give away against the best
    #[arg(long, value_name = "DISCS", default_value_t = 2.0)]
    move_error: f64,
    /// Discs that all moves on the way to a position may give away
    #[arg(long, value_name = "DISCS", default_value_t = 4.0)]
    line_error: f64,
    /// Discs that a ply counts for when the next thing to do is chosen
    #[arg(long, value_name = "DISCS", default_value_t = 0.5)]
    ply_cost: f64,
    /// Do not take in positions with fewer empty squares
    #[arg(long, value_name = "N", default_value_t = 24)]
    min_empties: u32,
    /// Stop at so many positions
    #[arg(long, value_name = "N")]
    positions: Option<usize>,
    /// Also take in positions that join two of the book
    #[arg(long)]
    fill: bool,
    #[command(flatten)]
    engine: EngineArgs,
    #[cfg(feature = "fleet")]
    #[command(flatten)]
    fleet: FleetArgs,
}

#[derive(Serialize)]
struct Report {
    positions: usize,
    valued: u64,
    added: u64,
    waiting: usize,
    seconds: f64,
}

/// Runs the command.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let time = Duration::try_from_secs_f64(args.hours * 3600.0)
        .map_err(|_| CliError::usage(format!("--hours {} is no time", args.hours)))?;
    let growth = Growth {
        move_error: args.move_error,
        line_error: args.line_error,
        least_empties: args.min_empties,
        depth: args.depth,
        ply_cost: args.ply_cost,
        fill: args.fill,
    };
    let mut options = args.engine.options()?;
    options.set("exact-from", &args.exact_from.to_string()).map_err(CliError::usage)?;
    let mut file = open_to_write(&args.book)?;
    let bar = progress::steps(time.as_secs(), "s");
    let began = Instant::now();
    let show = |now: Progress| {
        bar.set_position(began.elapsed().as_secs());
        bar.set_message(format!(
            "{}, {} added, {} valued, {} to do",
            text::count(now.positions as u64, "position"),
            now.added,
            now.valued,
            now.waiting
        ));
    };
    let until = began + time;
    let done = work(args, &mut file, (growth, &options), (until, &bar), &show)?;
    bar.finish_and_clear();
    file.compact()?;
    let seconds = began.elapsed().as_secs_f64();
    output.line(format_args!(
        "{}: {}; {} added and {} valued in {seconds:.0} s; {} more to do within the bounds",
        args.book.display(),
        text::count(done.positions as u64, "position"),
        done.added,
        done.valued,
        done.waiting
    ))?;
    output.object(&Report {
        positions: done.positions,
        valued: done.valued,
        added: done.added,
        waiting: done.waiting,
        seconds,
    })
}

/// Grows here, or on the workers of a fleet.
fn work(
    args: &Args,
    file: &mut BookFile,
    (growth, options): (Growth, &Options),
    (until, bar): (Instant, &ProgressBar),
    show: &dyn Fn(Progress),
) -> Result<Progress, CliError> {
    let most = args.positions.unwrap_or(usize::MAX);
    let stop = stop_on_interrupt();
    #[cfg(feature = "fleet")]
    if let Some(access) = args.fleet.access() {
        let ends = (until, most);
        let mut work =
            GrowWork::new(file, growth, options, ends, Box::new(show)).map_err(failed)?;
        let mut view = FleetView::new(bar);
        let how = args.fleet.settings();
        let ended = conduct(&access, how, &mut work, &stop, &mut |news| view.show(news));
        view.finish();
        let done = work.close()?;
        return ended.map(|()| done).map_err(failed);
    }
    let _ = bar;
    let mut method = build(options).map_err(CliError::usage)?;
    let limits = Limits::depth(args.depth.into());
    let mut judge = Judge { method: method.as_mut(), limits, stop: &stop };
    let mut go_on = |now: Progress| {
        show(now);
        Instant::now() < until && now.positions < most
    };
    Ok(grow(file, &growth, &mut judge, &mut go_on)?)
}
