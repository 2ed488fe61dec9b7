//! `kitai train`: fit the pattern evaluation's weights to scored positions.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::common::stop_on_interrupt;
use super::{CliError, Output, progress};
use crate::eval::pattern::{Pattern, Weights};
use crate::eval::{Evaluator, UNIT};
use crate::record::whole_file;
use crate::statistics::accuracy::{Accuracy, Summary};
use crate::training::curve;
use crate::training::fit::{Epoch, FitSettings, fit};
use crate::training::positions::{self, Scored};

/// Fit the weights of the pattern evaluation to scored positions.
///
/// One game in --split is kept back for validation; the weights with the lowest error there are
/// written after each pass. --start takes up earlier weights, such as those of an interrupted run.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
kitai train games.kpos wthor.kpos --output my.bin --curve my\n  \
kitai train deeper.kpos --start my.bin --output better.bin --epochs 5")]
pub(super) struct Args {
    /// Position files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Weights file to write
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,
    /// Weights to begin from [default: zero]
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    /// Validate on these position files instead of every so-many-th game
    #[arg(long, value_name = "FILE")]
    validation: Vec<PathBuf>,
    /// Keep back one game in so many for validation
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(2..))]
    split: u32,
    /// Write the learning curve to NAME.csv and NAME.svg
    #[arg(long, value_name = "NAME")]
    curve: Option<PathBuf>,
    /// Most passes over the positions
    #[arg(long, default_value_t = FitSettings::default().epochs)]
    epochs: usize,
    /// Positions per step
    #[arg(long, default_value_t = FitSettings::default().batch)]
    batch: usize,
    /// First step size
    #[arg(long, default_value_t = FitSettings::default().rate)]
    rate: f32,
    /// Pull toward zero
    #[arg(long, default_value_t = FitSettings::default().ridge)]
    ridge: f32,
    /// Sightings per step that count as little evidence
    #[arg(long, default_value_t = FitSettings::default().prior)]
    prior: f32,
    /// How much the error of the rough value, which settles most leaves, counts beside the value's
    #[arg(long, default_value_t = FitSettings::default().rough)]
    rough: f32,
    /// Stop after so many passes without gain
    #[arg(long, default_value_t = FitSettings::default().patience)]
    patience: usize,
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
    curve: Vec<Epoch>,
    phases: Vec<Phase>,
}

/// Runs the command.
///
/// # Errors
/// If a file cannot be read or written.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let start = args.start.as_deref().map(Weights::load).transpose().map_err(CliError::input)?;
    let (train, validation) = split(args)?;
    output.line(format_args!(
        "{} positions to learn from, {} to validate on",
        train.len(),
        validation.len()
    ))?;
    let settings = FitSettings {
        epochs: args.epochs,
        batch: args.batch.max(1),
        rate: args.rate,
        ridge: args.ridge,
        prior: args.prior,
        rough: args.rough,
        patience: args.patience.max(1),
        seed: args.seed,
        ..FitSettings::default()
    };
    let stop = stop_on_interrupt();
    let bar = progress::steps(args.epochs as u64, "passes");
    let mut lowest = f64::INFINITY;
    let mut failure = None;
    let fitted = fit(&train, &validation, start.as_ref(), &settings, |epoch, weights| {
        bar.set_position(epoch.number as u64);
        let mut save = || {
            bar.suspend(|| {
                output.line(format_args!(
                    "pass {:>3}: training {:.3}, validation {:.3} (rough value {:.3})",
                    epoch.number, epoch.train_rmse, epoch.validation_rmse, epoch.rough_rmse
                ))
            })?;
            if epoch.validation_rmse < lowest {
                lowest = epoch.validation_rmse;
                write(&args.output, &weights().to_bytes())?;
            }
            Ok(())
        };
        failure = save().err();
        failure.is_none() && !stop.is_stopped()
    });
    bar.finish_and_clear();
    if let Some(error) = failure {
        return Err(error);
    }
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
        curve: fitted.curve,
        phases,
    })
}

fn read(files: &[PathBuf]) -> Result<Vec<Scored>, CliError> {
    let mut all = Vec::new();
    for file in files {
        all.extend(positions::read(file).map_err(CliError::input)?);
    }
    Ok(all)
}

/// Positions to learn from and to validate on.
fn split(args: &Args) -> Result<(Vec<Scored>, Vec<Scored>), CliError> {
    let all = read(&args.files)?;
    let (train, validation): (Vec<_>, Vec<_>) = if args.validation.is_empty() {
        all.into_iter().partition(|scored| scored.game % args.split != 0)
    } else {
        (all, read(&args.validation)?)
    };
    if train.is_empty() || validation.is_empty() {
        return Err(CliError::Input(format!(
            "{} positions to learn from and {} to validate on: both must be some",
            train.len(),
            validation.len()
        )));
    }
    Ok((train, validation))
}

/// Errors of the finished weights by number of empties, four together.
fn phases(weights: Weights, validation: &[Scored]) -> Vec<Phase> {
    let evaluator = Pattern::new(&weights);
    let mut accuracies = [Accuracy::default(); 16];
    for scored in validation {
        let said = f64::from(evaluator.evaluate(scored.position)) / f64::from(UNIT);
        let truth = f64::from(scored.score) / f64::from(UNIT);
        accuracies[scored.position.empty_count() as usize / 4].add(said, truth);
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
