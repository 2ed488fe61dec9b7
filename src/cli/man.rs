//! `kitai man`: manual pages, made from the same descriptions as `--help`.

use std::path::PathBuf;

use super::CliError;

/// Write the manual pages of kitai and its subcommands into a directory
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  kitai man ~/.local/share/man/man1\n  man kitai-play")]
pub(super) struct Args {
    /// The directory
    directory: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// If a page cannot be written.
pub(super) fn run(args: &Args, command: clap::Command) -> Result<(), CliError> {
    clap_mangen::generate_to(command, &args.directory)
        .map_err(|error| CliError::io(args.directory.display().to_string(), error))
}
