//! `kitai train`: fit the pattern evaluation's weights to scored positions.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::common::{check_output, stop_on_interrupt};
use super::{CliError, Output, progress};
use crate::eval::pattern::{Pattern, Weights};
use crate::eval::{Evaluator, UNIT};
use crate::record::whole_file;
use crate::statistics::accuracy::{Accuracy, Summary};
use crate::training::collection::{Collection, Samples};
use crate::training::curve;
use crate::training::fit::{Epoch, FitSettings, Progress, fit};
use crate::training::network::{FOLLOW, Sample};

/// Fit the weights of the pattern evaluation to scored positions.
///
/// A position that occurs several times, up to symmetry, counts once, as it was met first; those of
/// the --often files count --times times. One game in --split is kept back for validation. An
/// interrupted run writes what it has learnt so far.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
kitai train games.kpos wthor.kpos --output my.bin --curve my\n  \
kitai train deeper.kpos --output better.bin --passes 6 --follow 0")]
pub(super) struct Args {
    /// Position files
    #[arg(required_unless_present = "often")]
    files: Vec<PathBuf>,
    /// Position files that count --times times: those most like what will be played
    #[arg(long, value_name = "FILE")]
    often: Vec<PathBuf>,
    /// How many times each position of the --often files is learnt from in a pass
    #[arg(long, default_value_t = 4, value_name = "N")]
    times: usize,
    /// Weights file to write
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Validate on these position files instead of every so-many-th game
    #[arg(long, value_name = "FILE")]
    validation: Vec<PathBuf>,
    /// Keep back one game in so many for validation
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(2..))]
    split: u32,
    /// Write the learning curve to NAME.csv and NAME.svg
    #[arg(long, value_name = "NAME")]
    curve: Option<PathBuf>,
    /// Passes over the positions
    #[arg(long, default_value_t = FitSettings::default().network.passes)]
    passes: usize,
    /// First step size
    #[arg(long, default_value_t = FitSettings::default().network.rate)]
    rate: f32,
    /// How much the target of the next position of a game counts beside a position's own score
    #[arg(long, default_value_t = FOLLOW)]
    follow: f32,
    /// Most positions that the rough value, which settles most leaves of a search, learns from
    #[arg(long, value_name = "POSITIONS", default_value_t = FitSettings::default().rough_positions)]
    rough_positions: usize,
    /// Seed of the order
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(Serialize)]
struct Phase {
    empties: u32,
    #[serde(flatten)]
    summary: Summary,
}

#[derive(Serialize)]
struct Report {
    output: String,
    bytes: usize,
    training: usize,
    validation: usize,
    repeated: usize,
    curve: Vec<Epoch>,
    rough_rmse: f64,
    phases: Vec<Phase>,
}

/// Runs the command.
///
/// # Errors
/// If a file cannot be read or written.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    check_output(&args.output)?;
    args.curve.as_deref().map_or(Ok(()), check_output)?;
    let Samples { mut train, validation, repeated } = read(args)?;
    output.line(format_args!(
        "{} positions to learn from, {} to validate on, {repeated} met before",
        train.len(),
        validation.len()
    ))?;
    let mut settings =
        FitSettings { rough_positions: args.rough_positions, ..FitSettings::default() };
    settings.network.passes = args.passes.max(1);
    settings.network.rate = args.rate;
    settings.network.seed = args.seed;
    settings.rough.seed = args.seed;
    let stop = stop_on_interrupt();
    let bar = progress::steps((settings.network.passes * train.len()) as u64, "positions");
    let mut failure = None;
    let fitted = fit(&mut train, &validation, &settings, |progress| {
        match progress {
            Progress::Seen(count) => bar.inc(count as u64),
            Progress::Pass(epoch) => {
                let line = bar.suspend(|| {
                    output.line(format_args!(
                        "pass {:>3}: training {:.3}, validation {:.3}",
                        epoch.number, epoch.train_rmse, epoch.validation_rmse
                    ))
                });
                failure = line.err();
            }
            Progress::RoughPass(_) => {}
        }
        failure.is_none() && !stop.is_stopped()
    });
    bar.finish_and_clear();
    if let Some(error) = failure {
        return Err(error);
    }
    output.line(format_args!("rough value: {:.3} from the network's", fitted.rough_rmse))?;
    let bytes = fitted.weights.to_bytes();
    write(&args.output, &bytes)?;
    if let Some(name) = &args.curve {
        write(&name.with_extension("csv"), curve::csv(&fitted.curve).as_bytes())?;
        write(&name.with_extension("svg"), curve::svg(&fitted.curve).as_bytes())?;
    }
    let phases = phases(fitted.weights, &validation);
    output.line("empties  positions    rmse     mae    bias")?;
    for Phase { empties, summary } in &phases {
        output.line(format_args!(
            "{:>2} – {:>2} {:>10} {:>7.3} {:>7.3} {:>+7.3}",
            empties,
            empties + 3,
            summary.count,
            summary.rmse,
            summary.mae,
            summary.bias
        ))?;
    }
    output.line(format_args!("{}: {} bytes", args.output.display(), bytes.len()))?;
    output.object(&Report {
        output: args.output.display().to_string(),
        bytes: bytes.len(),
        training: train.len(),
        validation: validation.len(),
        repeated,
        curve: fitted.curve,
        rough_rmse: fitted.rough_rmse,
        phases,
    })
}

/// Positions to learn from and to validate on.
fn read(args: &Args) -> Result<Samples, CliError> {
    let collection = Collection {
        once: args.files.clone(),
        often: args.often.clone(),
        times: args.times,
        validation: args.validation.clone(),
        split: args.split,
        follow: args.follow,
    };
    let samples = collection.read().map_err(CliError::input)?;
    if samples.train.is_empty() || samples.validation.is_empty() {
        return Err(CliError::Input(format!(
            "{} positions to learn from and {} to validate on: both must be some",
            samples.train.len(),
            samples.validation.len()
        )));
    }
    Ok(samples)
}

/// Errors of the finished weights by number of empties, four together.
fn phases(weights: Weights, validation: &[Sample]) -> Vec<Phase> {
    let evaluator = Pattern::new(&weights);
    let mut accuracies = [Accuracy::default(); 16];
    for sample in validation {
        let said = f64::from(evaluator.evaluate(sample.position)) / f64::from(UNIT);
        let truth = f64::from(sample.target);
        accuracies[sample.position.empty_count() as usize / 4].add(said, truth);
    }
    (0..)
        .zip(&accuracies)
        .map(|(phase, accuracy)| Phase { empties: 4 * phase, summary: accuracy.summary() })
        .filter(|phase| phase.summary.count > 0)
        .collect()
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), CliError> {
    whole_file::write(file, bytes).map_err(|error| CliError::io(file.display().to_string(), error))
}
