//! `kitai tournament`: many players, from a file ([`TournamentFile`]).

use std::path::{Path, PathBuf};

use super::conduct::{Conduct, conduct};
use super::{CliError, Output};
use crate::arena::tournament::{Overrides, TournamentFile};

/// Play a tournament described in a file: round-robin, gauntlet or head-to-head.
///
/// The file names the players as `kitai match` does, and the same terms; flags override the file.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
kitai tournament configs/tournaments/methods.toml\n  \
kitai tournament configs/tournaments/methods.toml --games 20 --out runs/methods -c 2")]
pub(super) struct Args {
    /// The tournament file (TOML)
    file: PathBuf,
    /// Games in each pairing, instead of the file's
    #[arg(long, short = 'n')]
    games: Option<usize>,
    /// Openings, instead of the file's
    #[arg(long, value_name = "SOURCE")]
    openings: Option<String>,
    /// Seed, instead of the file's
    #[arg(long)]
    seed: Option<u64>,
    #[command(flatten)]
    conduct: Conduct,
}

/// Runs the command.
///
/// # Errors
/// If the file, a player or an opening cannot be used, or the tournament was interrupted.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let bad = |reason| CliError::usage(format!("{}: {reason}", args.file.display()));
    let file = TournamentFile::parse(&read(&args.file)?).map_err(bad)?;
    let Args { games, openings, seed, .. } = args;
    let over = Overrides { games: *games, openings: openings.clone(), seed: *seed };
    let plan = file.plan(&over).map_err(bad)?;
    let how = Conduct {
        out: args.conduct.out.clone().or(file.out),
        concurrency: args.conduct.concurrency.or(file.concurrency),
        ..args.conduct.clone()
    };
    conduct(&plan, &how, output)
}

fn read(path: &Path) -> Result<String, CliError> {
    std::fs::read_to_string(path).map_err(|error| CliError::io(path.display().to_string(), error))
}
