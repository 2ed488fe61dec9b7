//! `kitai bench`: how fast the parts are. Figures compare only within one machine.

mod mcts;
mod opponent;
mod rules;
mod search;

use std::time::Instant;

use super::common::EngineArgs;
use super::{CliError, Output};

/// Measure speed, one suite at a time; without a suite, a fixed set of searches.
///
/// With one thread the node count of the searches is the same on every run: a signature of the
/// search that changes only when the search does.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  kitai bench\n  kitai bench --set eval=discs\n  kitai bench rules\n  kitai bench rules --depth 12 --json\n  kitai bench mcts\n  kitai bench opponent"
)]
pub(super) struct Args {
    #[command(subcommand)]
    suite: Option<Suite>,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(clap::Subcommand, Debug)]
enum Suite {
    Rules(rules::Args),
    Mcts(mcts::Args),
    Opponent(opponent::Args),
}

/// Runs the command.
///
/// # Errors
/// If standard output cannot be written or a checked figure is wrong.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    match &args.suite {
        Some(Suite::Rules(args)) => rules::run(args, output),
        Some(Suite::Mcts(args)) => mcts::run(args, output),
        Some(Suite::Opponent(args)) => opponent::run(args, output),
        None => search::run(&args.engine, output),
    }
}

/// What the work gave and how many seconds it took: time on the CPU where the system tells it, so
/// that other programs do not count, else time on the wall.
fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let (began, cpu_began) = (Instant::now(), cpu_seconds());
    let done = work();
    let seconds = match (cpu_began, cpu_seconds()) {
        (Some(from), Some(to)) if to > from => to - from,
        _ => began.elapsed().as_secs_f64(),
    };
    (done, seconds.max(1e-9))
}

/// Seconds this thread has been running, as Linux counts them.
fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: u64 = text.split_whitespace().next()?.parse().ok()?;
    Some(nanoseconds as f64 / 1e9)
}
