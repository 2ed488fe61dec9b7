//! `kitai completions`: the script that teaches a shell to complete Kitai's command line.

use std::io::{self, Write};

use clap_complete::Shell;

use super::CliError;

/// Print a completion script for a shell.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  kitai completions bash > ~/.local/share/bash-completion/completions/kitai\n  \
kitai completions zsh > ~/.zfunc/_kitai\n  \
kitai completions fish > ~/.config/fish/completions/kitai.fish"
)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

/// Runs the command.
///
/// # Errors
/// If standard output cannot be written.
pub(super) fn run(args: &Args, mut command: clap::Command) -> Result<(), CliError> {
    // Written to memory first: the generator panics if its output goes away.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "kitai", &mut script);
    io::stdout().lock().write_all(&script).map_err(|e| CliError::io("standard output", e))
}
