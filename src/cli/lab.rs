//! `kitai lab`: the papers' experiments, ours beside theirs.

mod all;
mod disagreements;
mod iida;
mod kajihara;
mod kitamura;
mod recognition;

use std::path::PathBuf;

use clap::Subcommand;
use serde::Serialize;

use super::common::stop_on_interrupt;
use super::{CliError, Output, progress};
use crate::lab::kobayashi::one_move::{OneMove, Result as OneMoveResult, Rule, Verdict};
use crate::lab::kobayashi::published::{self, Cell};
use crate::lab::kobayashi::values;
use crate::search::expectation::Deviation;
use crate::training::recorded::{read_games, sample};

/// Run the experiments of the papers and compare them with the published figures
///
/// Without a command, lists the experiments that `all` runs; the others run one of them with settings
/// of one's own.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    #[command(subcommand)]
    experiment: Option<Experiment>,
}

#[derive(Subcommand, Debug)]
enum Experiment {
    All(all::AllArgs),
    Report(all::ReportArgs),
    Disagreements(disagreements::Args),
    IidaCandidates(iida::CandidatesArgs),
    IidaCorrection(iida::CorrectionArgs),
    IidaGames(iida::GamesArgs),
    KajiharaMixed(kajihara::MixedArgs),
    KajiharaSemiRandom(kajihara::SemiRandomArgs),
    KitamuraRatings(kitamura::RatingsArgs),
    KitamuraWins(kitamura::WinsArgs),
    KobayashiOneMove(OneMoveArgs),
    KobayashiValues(ValuesArgs),
    OpponentEstimate(recognition::Args),
}

/// Kobayashi et al. 2002, tables 6 and 7: one move by expectation against one move by minimax
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  kitai lab kobayashi-one-move --games WTH_199?.wtb \
WTH_200[01].wtb\n  kitai lab kobayashi-one-move --after 50 --samples 0 --games WTH_1990.wtb")]
struct OneMoveArgs {
    /// Files of recorded games (.wtb, .ggf, .sgf, .txt)
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    games: Vec<PathBuf>,
    /// Discs played, S
    #[arg(long, default_value_t = 54, value_name = "S",
          value_parser = clap::value_parser!(u32).range(40..=58))]
    after: u32,
    /// Positions
    #[arg(long, default_value_t = 10_000)]
    positions: usize,
    /// Tuples of the Monte Carlo estimate; 0 for the exact expectation
    #[arg(long, default_value_t = 100, value_name = "M",
          value_parser = clap::value_parser!(u64).range(0..=10_000))]
    samples: u64,
    /// Standard deviation [default: table 5]
    #[arg(long)]
    sigma: Option<Deviation>,
    /// Seed of the choice of positions and of the estimates
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Kobayashi et al. 2002, tables 1 to 4: expectations and generalised means
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  kitai lab kobayashi-values --samples 10000")]
struct ValuesArgs {
    /// Repeat the estimates of table 1 up to this many tuples (a million take minutes)
    #[arg(long, default_value_t = 10_000)]
    samples: u64,
    /// Seed of the estimates
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Runs the command.
///
/// # Errors
/// If a file cannot be used, or the work was interrupted.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let Some(experiment) = &args.experiment else { return all::list(output) };
    match experiment {
        Experiment::All(args) => all::all(args, output),
        Experiment::Report(args) => all::report(args, output),
        Experiment::Disagreements(args) => disagreements::run(args, output),
        Experiment::IidaCandidates(args) => iida::candidates(args, output),
        Experiment::IidaCorrection(args) => iida::correction(args, output),
        Experiment::IidaGames(args) => iida::games(args, output),
        Experiment::KajiharaMixed(args) => kajihara::mixed(args, output),
        Experiment::KajiharaSemiRandom(args) => kajihara::semi_random(args, output),
        Experiment::KitamuraRatings(args) => kitamura::ratings(args, output),
        Experiment::KitamuraWins(args) => kitamura::wins(args, output),
        Experiment::KobayashiOneMove(args) => one_move(args, output),
        Experiment::KobayashiValues(args) => kobayashi_values(args, output),
        Experiment::OpponentEstimate(args) => recognition::run(args, output),
    }
}

#[derive(Serialize)]
struct OneMoveReport {
    after: u32,
    sigma: f64,
    samples: u64,
    seed: u64,
    seconds: f64,
    #[serde(flatten)]
    result: OneMoveResult,
}

fn one_move(args: &OneMoveArgs, output: &mut Output) -> Result<(), CliError> {
    let sigma = args
        .sigma
        .or_else(|| published::sigma(args.after).map(Deviation::clamped))
        .ok_or_else(|| CliError::usage(format!("S = {} needs --sigma", args.after)))?;
    let games = read_games(&args.games).map_err(CliError::input)?;
    let positions = sample(&games.games, args.after, args.positions, args.seed);
    if positions.is_empty() {
        return Err(CliError::Input("no game in these files is long enough".to_owned()));
    }
    let began = std::time::Instant::now();
    let stop = stop_on_interrupt();
    let bar = progress::steps(positions.len() as u64, "positions");
    let rule = Rule::Expectation { sigma, samples: args.samples as usize, seed: args.seed };
    let experiment = OneMove { rule };
    let result = experiment.run(&positions, &stop, &|| bar.inc(1));
    bar.finish_and_clear();
    let result = result.ok_or_else(|| CliError::Found("interrupted".to_owned()))?;
    let seconds = began.elapsed().as_secs_f64();
    output.line(format_args!(
        "S = {}, σ = {sigma}, {}, {} positions of {} games, seed {}; the methods chose differently \
         in {}; {seconds:.1} s",
        args.after,
        if args.samples > 0 { format!("m = {}", args.samples) } else { "exact E".to_owned() },
        positions.len(),
        games.games.len(),
        args.seed,
        result.different
    ))?;
    let beside = |table| published::one_move_beside(table, args.after, args.samples);
    print_verdict("judged two plies deeper (table 6)", &result.deeper, &beside(6), output)?;
    print_verdict("judged by the solved game (table 7)", &result.solved, &beside(7), output)?;
    let (after, samples, seed) = (args.after, args.samples, args.seed);
    output.object(&OneMoveReport { after, sigma: sigma.get(), samples, seed, seconds, result })
}

fn print_verdict(
    title: &str,
    verdict: &Verdict,
    beside: &[(String, Cell)],
    output: &mut Output,
) -> Result<(), CliError> {
    output.line(format_args!(
        "\n{title}\n{:<22} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "", "K better", "M better", "index 1", "index 2", "mean"
    ))?;
    let cells = beside.iter().map(|(name, cell)| (&**name, *cell, published::POSITIONS));
    for (name, cell, positions) in cells.chain([("ours", verdict.cell, verdict.positions)]) {
        let Cell { k_better, m_better, mean } = cell;
        let (k, m) = (f64::from(k_better), f64::from(m_better));
        output.line(format_args!(
            "{name:<22} {k_better:>8} {m_better:>8} {:>8.2} {:>8.1} {mean:>+8.3}",
            (k - m) / f64::from(positions) * 100.0,
            k / (k + m).max(1.0) * 100.0,
        ))?;
    }
    for (name, test) in [("unpaired", verdict.unpaired), ("paired", verdict.paired)] {
        output.line(format_args!(
            "{name:>10} t-test of ours: t = {:.2}, p = {:.2e} {}",
            test.t,
            test.p,
            if test.mark().is_empty() {
                "(not significant)".to_owned()
            } else {
                format!("(significant at {})", test.mark())
            }
        ))?;
    }
    Ok(())
}

fn kobayashi_values(args: &ValuesArgs, output: &mut Output) -> Result<(), CliError> {
    output.line("table cell                 published       exact   difference   standard error   our estimate")?;
    for figure in values::figures(args.samples, args.seed) {
        let optional = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v:.5}"));
        output.line(format_args!(
            "{:>5} {:<20} {:>9} {:>11.5} {:>12.5} {:>16} {:>14}",
            figure.table,
            figure.cell,
            figure.published,
            figure.exact,
            figure.published - figure.exact,
            optional(figure.error),
            optional(figure.estimated),
        ))?;
        output.object(&figure)?;
    }
    Ok(())
}
