//! `kitai sigma`: measure how far deeper values stray from static ones, and write the table that
//! the expectation methods load.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use serde::Serialize;

use super::common::{EngineArgs, check_output, stop_on_interrupt};
use super::{CliError, Output, progress};
use crate::eval::{self, EVAL};
use crate::search::expectation::Deviation;
use crate::search::expectation::method::passes_and_ends;
use crate::search::expectation::settings::{ExpectationSettings, Spread};
use crate::statistics::normal;
use crate::training::calibration::sigma_run::{SigmaPlan, SigmaRun};
use crate::training::calibration::spread::{Differences, EDGE, Measure, Model};
use crate::training::recorded::read_games;

/// Measure how far the value some plies deeper strays from a static value
///
/// From recorded positions after S discs the whole tree of three plies is built; at every leaf the
/// static value h is compared with g, minimax the given number of plies deeper. Sigma squared is
/// the mean of (h - g) squared. With --out the table grows stage by stage, and the same command
/// again goes on where it was interrupted.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  kitai sigma --eval discs --after 50-54 --set exact-ends=false --games \
WTH_198?.wtb\n  kitai sigma --eval pattern --ahead 3 --model shift --out my-sigma.csv --games \
*.wtb\n  kitai match method=expectation,sigma-table=my-sigma.csv,depth=5 method=minimax,depth=5"
)]
pub(super) struct Args {
    /// The evaluation, as the option eval names it [default: that of the preset]
    #[arg(long)]
    eval: Option<String>,
    /// How many plies below the leaf the deeper value is
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=60))]
    ahead: u32,
    /// Files of recorded games (.wtb, .ggf, .sgf, .txt)
    #[arg(long, required = true, num_args = 1.., value_name = "FILE")]
    games: Vec<PathBuf>,
    /// Discs played at the root, one number or a range
    #[arg(long, default_value = "1-57", value_name = "S[-T]", value_parser = stages)]
    after: RangeInclusive<u32>,
    /// Positions per stage
    #[arg(long, default_value_t = 100)]
    positions: usize,
    /// Plies from the root to the leaves
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=12))]
    depth: u32,
    /// Take at most so many leaves of each position, at random [default: all]
    #[arg(long, value_name = "N")]
    leaves: Option<usize>,
    /// What the table's rows describe
    #[arg(long, value_enum, default_value = "paper")]
    model: ModelName,
    /// Seed of the choice of positions and leaves
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    engine: EngineArgs,
    /// Write the table here, keeping the rows that are there already
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print no histogram
    #[arg(long)]
    no_histogram: bool,
}

/// [`Model`] as a word of the command line.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum ModelName {
    /// N(h, σ²), the mean not subtracted, as in the paper
    Paper,
    /// N(h + shift, σ²): for an odd number of plies ahead, when the side to move gains
    Shift,
    /// N(slope·h + shift, σ²), the regression line
    Line,
}

impl From<ModelName> for Model {
    fn from(name: ModelName) -> Model {
        match name {
            ModelName::Paper => Model::Paper,
            ModelName::Shift => Model::Shift,
            ModelName::Line => Model::Line,
        }
    }
}

#[derive(Serialize)]
struct Row {
    ahead: u32,
    leaf_move: u32,
    positions: usize,
    leaves: u64,
    slope: f64,
    shift: f64,
    sigma: f64,
    mean: f64,
    deviation: f64,
    skewness: f64,
    excess_kurtosis: f64,
    within_one_sigma: f64,
    within_two_sigma: f64,
    histogram: Vec<u64>,
}

fn stages(text: &str) -> Result<RangeInclusive<u32>, String> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let bound = |text: &str| text.trim().parse::<u32>().ok().filter(|&discs| discs <= 59);
    match (bound(from), bound(to)) {
        (Some(from), Some(to)) if from <= to => Ok(from..=to),
        _ => Err(format!("`{text}` is no number of discs from 0 to 59 or range of them")),
    }
}

/// Runs the command.
///
/// # Errors
/// If an option, a file of games or the table cannot be used, or the work was interrupted.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    args.out.as_deref().map_or(Ok(()), check_output)?;
    let mut options = args.engine.options()?;
    if let Some(name) = &args.eval {
        options.set("eval", name).map_err(CliError::usage)?;
    }
    let evaluation = eval::choose(&options).map_err(CliError::usage)?;
    let games = read_games(&args.games).map_err(CliError::input)?;
    let (passes, finished) = passes_and_ends(&options);
    let settings = ExpectationSettings {
        passes,
        finished,
        ..ExpectationSettings::with_sigma(Deviation::ZERO)
    };
    let plan = SigmaPlan {
        measure: Measure {
            tree_depth: args.depth,
            ahead: args.ahead,
            most_leaves: args.leaves,
            seed: args.seed,
            settings,
        },
        model: args.model.into(),
        after: args.after.clone(),
        positions: args.positions,
        evaluation: options.get(&EVAL),
    };
    let mut run = SigmaRun::open(plan, args.out.as_deref()).map_err(CliError::input)?;
    output.line(format_args!(
        "{} games ({} bad records left out); {} against minimax {} deeper, {} positions a stage",
        games.games.len(),
        games.bad,
        options.get(&EVAL),
        args.ahead,
        args.positions
    ))?;
    output.line(
        "move  leaves      slope   shift   sigma     mean      sd   skew  kurtosis  <1σ   <2σ",
    )?;
    let stop = stop_on_interrupt();
    let mut whole: Option<Differences> = None;
    for stage in run.stages(&games.games) {
        let bar = progress::steps(stage.positions.len() as u64, "positions");
        bar.set_message(format!("after {} discs", stage.discs));
        let measured = run.measure(&stage, &evaluation, &stop, &|| bar.inc(1));
        bar.finish_and_clear();
        let (found, spread) = measured.map_err(|error| CliError::Found(error.to_string()))?;
        print_row(&row(args.ahead, stage.leaf_move, &found, &spread), output)?;
        whole = Some(match whole {
            None => found,
            Some(sum) => sum.merge(found),
        });
    }
    match whole {
        Some(whole) if !args.no_histogram => print_histogram(&whole, output),
        _ => Ok(()),
    }
}

fn row(ahead: u32, leaf_move: u32, found: &Differences, spread: &Spread) -> Row {
    Row {
        ahead,
        leaf_move,
        positions: found.positions,
        leaves: found.moments.count as u64,
        slope: spread.slope,
        shift: spread.shift,
        sigma: spread.sigma.get(),
        mean: found.moments.mean(),
        deviation: found.moments.deviation(),
        skewness: found.moments.skewness(),
        excess_kurtosis: found.moments.excess_kurtosis(),
        within_one_sigma: found.share_within(1.0),
        within_two_sigma: found.share_within(2.0),
        histogram: found.histogram.clone(),
    }
}

fn print_row(row: &Row, output: &mut Output) -> Result<(), CliError> {
    output.line(format_args!(
        "{:>4} {:>8}  {:>8.4} {:>7.3} {:>7.3}  {:>7.3} {:>7.3} {:>6.2} {:>8.2} {:>5.1} {:>5.1}",
        row.leaf_move,
        row.leaves,
        row.slope,
        row.shift,
        row.sigma,
        row.mean,
        row.deviation,
        row.skewness,
        row.excess_kurtosis,
        100.0 * row.within_one_sigma,
        100.0 * row.within_two_sigma,
    ))?;
    output.object(row)
}

/// Bars of all stages together, in steps of half a root mean square, beside the normal's.
fn print_histogram(whole: &Differences, output: &mut Output) -> Result<(), CliError> {
    let sigma = whole.moments.root_mean_square();
    if sigma == 0.0 {
        return output.line("every static value equals its deeper value");
    }
    output.line(format_args!(
        "\nh − g over all stages (σ = {sigma:.2}; normal: skewness 0, kurtosis 0, 68.3 % within σ, \
         95.4 % within 2σ)"
    ))?;
    let total = whole.moments.count;
    // An odd number of discs, so that the bars' edges lie between whole differences.
    let width = (sigma / 2.0).round().max(1.0) as i32 | 1;
    for centre in (-8..=8).map(|step| step * width) {
        let (from, to) = (centre - width / 2, centre + width / 2);
        let bins = (from + EDGE).max(0)..=(to + EDGE).min(2 * EDGE);
        let share = bins.map(|bin| whole.histogram[bin as usize] as f64).sum::<f64>() / total;
        let below = |edge: f64| normal::distribution(edge / sigma);
        let normal = below(f64::from(to) + 0.5) - below(f64::from(from) - 0.5);
        output.line(format_args!(
            "{centre:>5} {:>6.2} % (normal {:>5.2} %) {}",
            100.0 * share,
            100.0 * normal,
            "#".repeat((200.0 * share).round() as usize)
        ))?;
    }
    Ok(())
}
