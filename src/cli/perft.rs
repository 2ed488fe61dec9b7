//! `kitai perft`: count lines of play, the standard check of a rules engine.

use std::time::Instant;

use serde::Serialize;

use super::{CliError, Output, progress};
use crate::othello::perft::{PassRule, divide};
use crate::record::Board;

/// Count the lines of play from a position.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  kitai perft 11\n  kitai perft 8 --split --position \
'---------------------------OX------XO--------------------------- X'")]
pub(super) struct Args {
    /// How many plies deep
    #[arg(value_parser = clap::value_parser!(u32).range(0..=60))]
    depth: u32,
    /// The position: 64 squares and the side to move [default: the usual start]
    #[arg(long, value_name = "BOARD", allow_hyphen_values = true)]
    position: Option<Board>,
    /// Let a pass use up no ply (the published table counts it as one)
    #[arg(long)]
    free_pass: bool,
    /// Print the count below each move
    #[arg(long)]
    split: bool,
}

#[derive(Serialize)]
struct Report {
    depth: u32,
    leaves: u64,
    pass_counts_as_ply: bool,
    seconds: f64,
    split: Vec<(String, u64)>,
}

/// Runs the command.
///
/// # Errors
/// If standard output cannot be written.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let position = args.position.unwrap_or(Board::START).position;
    let rule = if args.free_pass { PassRule::Free } else { PassRule::CountsAsPly };
    let began = Instant::now();
    let sign_of_life = progress::spinner(&format!("perft {}", args.depth));
    let split: Vec<(String, u64)> = divide(position, args.depth, rule)
        .into_iter()
        .map(|(square, leaves)| (square.map_or("pass".to_owned(), |s| s.to_string()), leaves))
        .collect();
    sign_of_life.finish_and_clear();
    // Depth 0 and a finished game are one leaf with nothing to split.
    let leaves = if split.is_empty() { 1 } else { split.iter().map(|entry| entry.1).sum() };
    let seconds = began.elapsed().as_secs_f64();
    if args.split {
        for (name, count) in &split {
            output.line(format_args!("{name:>5} {count:>18}"))?;
        }
    }
    let rule_text = if args.free_pass { "passes are free" } else { "a pass counts as a ply" };
    output.line(format_args!(
        "perft {} = {leaves} ({rule_text}; {seconds:.3} s, {:.0} M leaves/s)",
        args.depth,
        leaves as f64 / seconds.max(1e-9) / 1e6
    ))?;
    output.object(&Report {
        depth: args.depth,
        leaves,
        pass_counts_as_ply: !args.free_pass,
        seconds,
        split,
    })
}
