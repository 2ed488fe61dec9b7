//! `kitai lab iida-candidates`: the shared-search paper's comparison of candidate lists.

use crate::cli::common::stop_on_interrupt;
use crate::cli::{CliError, Output, progress};
use crate::lab::iida::{CandidateLists, Class, LISTS, published};
use crate::options::Options;

/// Iida and Kotani 1992, tables 1 and 2: which of four lists of candidate moves is the best
///
/// A deep search judges instead of people. Positions come from random play.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  kitai lab iida-candidates --positions 2000 --judge-depth 8")]
pub(super) struct CandidatesArgs {
    /// The game
    #[arg(long, default_value = "othello", value_parser = ["othello"])]
    game: String,
    /// Positions
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Candidates of a list, K
    #[arg(long, default_value_t = 6, value_name = "K",
          value_parser = clap::value_parser!(u32).range(1..=10))]
    candidates: u32,
    /// Plies that the judge looks ahead
    #[arg(long, default_value_t = 8, value_name = "D",
          value_parser = clap::value_parser!(u32).range(1..=60))]
    judge_depth: u32,
    /// The evaluation of the lists and of the judge
    #[arg(long, default_value = "pattern")]
    eval: String,
    /// Seed of the positions
    #[arg(long, default_value_t = 1992)]
    seed: u64,
}

/// Runs the command.
///
/// # Errors
/// If an option cannot be used, or the work was interrupted.
pub(super) fn candidates(args: &CandidatesArgs, output: &mut Output) -> Result<(), CliError> {
    let mut options = Options::new();
    options.set("eval", &args.eval).map_err(CliError::input)?;
    options.set("hash", "4").map_err(CliError::input)?;
    let experiment = CandidateLists {
        positions: args.positions,
        empties: (20, 40),
        count: args.candidates as usize,
        judge_depth: args.judge_depth,
        seed: args.seed,
        options,
    };
    let bar = progress::steps(u64::from(args.positions), "positions");
    let result = experiment.run(&stop_on_interrupt(), &|| bar.inc(1)).map_err(CliError::input)?;
    bar.finish_and_clear();
    let result = result.ok_or_else(|| CliError::Found("interrupted".to_owned()))?;
    output.line(format_args!(
        "{}, {} positions of 20 to 40 empties with more than {} moves, eval={}, judge {} plies, seed {}",
        args.game, args.positions, args.candidates, args.eval, args.judge_depth, args.seed
    ))?;
    let classes = [
        ("all", result.quiet.merge(result.violent)),
        ("quiet", result.quiet),
        ("violent", result.violent),
    ];
    for (column, (name, class)) in classes.iter().enumerate() {
        print_class(name, class, column, output)?;
    }
    output.line("\nnodes a list")?;
    for (list, nodes) in LISTS.iter().zip(result.nodes) {
        let mean = nodes as f64 / f64::from(args.positions);
        output.line(format_args!("{list:<12} {mean:>8.1}"))?;
    }
    output.line("\nply  looks for a shared move  found (type 1)")?;
    for (ply, (looks, found)) in result.looks.iter().enumerate().filter(|(_, look)| look.0 > 0) {
        let share = 100.0 * f64::from(*found) / f64::from(*looks);
        output.line(format_args!("{ply:>3}  {looks:>23}  {share:>5.1} %"))?;
    }
    output.object(&result)
}

fn print_class(
    name: &str,
    class: &Class,
    column: usize,
    output: &mut Output,
) -> Result<(), CliError> {
    let positions = f64::from(class.positions.max(1));
    output.line(format_args!(
        "\n{name}: {} positions\n{:<12} {:>12} {:>8} {:>14} {:>10} {:>14}",
        class.positions, "", "first places", "share", "best included", "discs lost", "paper, share"
    ))?;
    let paper = LISTS.map(|list| published(list).map_or(0.0, |places| places[column]));
    let paper_sum: f64 = paper.iter().sum();
    for ((list, tally), places) in LISTS.iter().zip(&class.lists).zip(paper) {
        output.line(format_args!(
            "{list:<12} {:>12.1} {:>6.1} % {:>12.1} % {:>10.3} {places:>5.1} {:>6.1} %",
            tally.first_places,
            100.0 * tally.first_places / positions,
            100.0 * f64::from(tally.best_included) / positions,
            tally.lost / positions,
            100.0 * places / paper_sum,
        ))?;
    }
    Ok(())
}
