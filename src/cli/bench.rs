//! `kitai bench`: how fast the parts are. Figures compare only within one machine.

mod rules;

use super::{CliError, Output};

/// Measure speed, one suite at a time.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  kitai bench rules\n  kitai bench rules --depth 12 --json")]
pub struct Args {
    /// [default: rules]
    #[command(subcommand)]
    suite: Option<Suite>,
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
        None => rules::run(&rules::Args::default(), output),
    }
}
