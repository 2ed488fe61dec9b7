//! `kitai train`: fit the pattern evaluation's weights to scored positions.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;

use super::common::{check_output, stop_on_interrupt};
use super::{CliError, Output, progress};
use crate::eval::pattern::{Pattern, Weights};
use crate::eval::{Evaluator, UNIT};
use crate::othello::hash::hash;
use crate::othello::symmetry::canonical;
use crate::record::whole_file;
use crate::statistics::accuracy::{Accuracy, Summary};
use crate::training::curve;
use crate::training::fit::{Epoch, FitSettings, Progress, fit};
use crate::training::network::{FOLLOW, Sample, targets};
use crate::training::positions;

/// Position files that are read together.
const FILES_AT_ONCE: usize = 4;

/// Fit the weights of the pattern evaluation to scored positions.
///
/// A position that occurs several times, up to symmetry, counts once, as it was met first; those of
/// the --often files count --times times. One game in --split is kept back for validation. An interrupted run writes what it has learnt so
/// far.
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
    let Split { mut train, validation, repeated } = split(args)?;
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

/// What a position file is there for.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Validation,
    Often,
    Once,
}

/// A position of a file, ready for the choice of what to learn from.
struct Prepared {
    sample: Sample,
    /// Of the position up to symmetry.
    hash: u64,
    kept_back: bool,
    /// How many times it is learnt from in a pass.
    times: usize,
}

/// Positions to learn from and to validate on.
struct Split {
    train: Vec<Sample>,
    validation: Vec<Sample>,
    /// Positions left out because an earlier one is the same up to symmetry.
    repeated: usize,
}

/// Positions to learn from and to validate on, with their targets, each once up to symmetry: none is
/// both learnt from and validated on.
fn split(args: &Args) -> Result<Split, CliError> {
    // What is met first counts: the files that matter most come first.
    let with = |role: Role| move |file| (file, role);
    let files: Vec<(&PathBuf, Role)> = (args.validation.iter().map(with(Role::Validation)))
        .chain(args.often.iter().map(with(Role::Often)))
        .chain(args.files.iter().map(with(Role::Once)))
        .collect();
    let (mut train, mut validation) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    let mut repeated = 0;
    // A few files at a time: all positions of all files at once would need twice the memory.
    for some in files.chunks(FILES_AT_ONCE) {
        let prepared: Result<Vec<Vec<Prepared>>, CliError> =
            some.par_iter().map(|&(file, role)| prepare(args, file, role)).collect();
        for Prepared { sample, hash, kept_back, times } in prepared?.into_iter().flatten() {
            if !seen.insert(hash) {
                repeated += 1;
            } else if kept_back {
                validation.push(sample);
            } else {
                train.extend(std::iter::repeat_n(sample, times));
            }
        }
    }
    if train.is_empty() || validation.is_empty() {
        return Err(CliError::Input(format!(
            "{} positions to learn from and {} to validate on: both must be some",
            train.len(),
            validation.len()
        )));
    }
    Ok(Split { train, validation, repeated })
}

/// The positions of a file with their targets.
fn prepare(args: &Args, file: &Path, role: Role) -> Result<Vec<Prepared>, CliError> {
    let scored = positions::read(file).map_err(CliError::input)?;
    let by_games = args.validation.is_empty();
    let prepared = targets(&scored, args.follow).into_par_iter().zip(&scored);
    let prepared = prepared.map(|(sample, scored)| Prepared {
        sample,
        hash: hash(canonical(sample.position).0),
        kept_back: role == Role::Validation || by_games && scored.game.is_multiple_of(args.split),
        times: if role == Role::Often { args.times } else { 1 },
    });
    Ok(prepared.collect())
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
