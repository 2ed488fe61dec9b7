//! `kitai lab disagreements`: the gallery of positions in which methods differ.

use std::path::PathBuf;

use crate::cli::common::stop_on_interrupt;
use crate::cli::{CliError, Output, progress};
use crate::lab::ours::disagreements::gallery;
use crate::record::whole_file;
use crate::training::recorded::read_games;

/// Find positions in which methods choose moves of different worth, for the gallery of `kitai web`
///
/// The positions come from recorded games, with 14 empties; the solver says who was right. `kitai lab
/// all --only disagreements` counts how often each method is.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Example:\n  kitai lab disagreements --games WTH_199?.wtb -o src/web/gallery.json"
)]
pub(super) struct Args {
    /// Files of recorded games (.wtb, .ggf, .sgf, .txt)
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    games: Vec<PathBuf>,
    /// Positions looked at
    #[arg(long, default_value_t = 600)]
    positions: usize,
    /// Positions shown
    #[arg(long, default_value_t = 16)]
    count: usize,
    /// The gallery (JSON)
    #[arg(long, short, value_name = "FILE", default_value = "gallery.json")]
    out: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// If a file cannot be used, or the work was interrupted.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let games = read_games(&args.games).map_err(CliError::input)?.games;
    let bar = progress::steps(args.positions as u64, "positions");
    let step = |done, total| {
        bar.set_length(total);
        bar.set_position(done);
    };
    let found = gallery(&games, args.positions, args.count, &stop_on_interrupt(), &step);
    bar.finish_and_clear();
    let found =
        found.map_err(CliError::input)?.ok_or_else(|| CliError::Found("interrupted".to_owned()))?;
    let mut text = serde_json::to_string_pretty(&found).map_err(CliError::input)?;
    text.push('\n');
    whole_file::write(&args.out, text.as_bytes())
        .map_err(|error| CliError::io(args.out.display().to_string(), error))?;
    output.line(format_args!("{}: {} positions", args.out.display(), found.len()))?;
    for exhibit in &found {
        let right = exhibit.answers.iter().filter(|answer| answer.truth == exhibit.best);
        let right: Vec<&str> = right.map(|answer| answer.set["method"].as_str()).collect();
        output.line(format_args!("{} {:+}: {}", exhibit.board, exhibit.best, right.join(", ")))?;
    }
    output.object(&found)
}
