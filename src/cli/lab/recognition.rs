//! `kitai lab opponent-estimate`: are known players recognised by their moves?

use std::path::PathBuf;

use crate::cli::common::stop_on_interrupt;
use crate::cli::{CliError, Output, progress};
use crate::lab::recognition::Recognition;
use crate::options::Options;

/// Are players recognised by their moves? Games between known players, with the confusion table
///
/// The players: discs, mobility, shioda, pattern (and zebra, if its file is given) at depths 1 to
/// --depth, and a random one.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  kitai lab opponent-estimate --zebra-coeffs coeffs2.bin")]
pub(super) struct Args {
    /// Games; both players of each are judged
    #[arg(long, short = 'n', default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    games: u32,
    /// Own moves of a player that the estimate sees
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..=60))]
    moves: u32,
    /// Depths of the players and of the estimate, plies
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=6))]
    depth: u32,
    /// Zebra's coefficients (coeffs2.bin), to have its evaluation among the players
    #[arg(long, value_name = "FILE")]
    zebra_coeffs: Option<PathBuf>,
    /// Seed of openings and pairings
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the command.
///
/// # Errors
/// If the coefficients cannot be used, or the work was interrupted.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let mut options = Options::new();
    let mut evaluations = vec!["discs", "mobility", "shioda"];
    if let Some(file) = &args.zebra_coeffs {
        options.set("zebra-coeffs", &file.to_string_lossy()).map_err(CliError::usage)?;
        evaluations.push("zebra");
    }
    evaluations.push("pattern");
    let experiment = Recognition {
        evaluations,
        most_depth: args.depth,
        games: args.games,
        moves: args.moves as usize,
        opening_plies: 8,
        seed: args.seed,
        options,
    };
    let bar = progress::steps(u64::from(args.games), "games");
    let found = experiment.run(&stop_on_interrupt(), &|| bar.inc(1)).map_err(CliError::input)?;
    bar.finish_and_clear();
    let found = found.ok_or_else(|| CliError::Found("interrupted".to_owned()))?;
    let header: String = found.names.iter().map(|name| format!("{name:>10}")).collect();
    output.line(format_args!(
        "{} games, each player judged by {} of its moves, depths 1 to {}, seed {}\n\n{:<10}{header}  \
         depth right too",
        args.games, args.moves, args.depth, args.seed, "player"
    ))?;
    for (index, name) in found.names.iter().enumerate() {
        let row: String = found.named[index].iter().map(|count| format!("{count:>10}")).collect();
        output.line(format_args!("{name:<10}{row}  {:>15}", found.depth_right[index]))?;
    }
    let [all, evaluation, depth] = found.totals();
    let percent = |count: u32| 100.0 * f64::from(count) / f64::from(all.max(1));
    output.line(format_args!(
        "\nevaluation right {evaluation} of {all}, {:.1} %; evaluation and depth {depth}, {:.1} %",
        percent(evaluation),
        percent(depth)
    ))?;
    output.object(&found)
}
