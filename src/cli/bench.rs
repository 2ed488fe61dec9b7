//! `kitai bench`: how fast the parts are. Figures compare only within one machine.

mod rules;
mod search;

use super::common::EngineArgs;
use super::{CliError, Output};

/// Measure speed, one suite at a time; without a suite, a fixed set of searches.
///
/// With one thread the node count of the searches is the same on every run: a signature of the
/// search that changes only when the search does.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  kitai bench\n  kitai bench --set eval=discs\n  kitai bench rules\n  kitai bench rules --depth 12 --json"
)]
pub struct Args {
    #[command(subcommand)]
    suite: Option<Suite>,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(clap::Subcommand, Debug)]
enum Suite {
    Rules(rules::Args),
}

/// Runs the command.
///
/// # Errors
/// If standard output cannot be written or a checked figure is wrong.
pub fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    match &args.suite {
        Some(Suite::Rules(args)) => rules::run(args, output),
        None => search::run(&args.engine, output),
    }
}
