//! `kitai eval-test`: how far evaluations are from known scores.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rayon::prelude::*;
use serde::Serialize;

use super::common::{EngineArgs, stop_on_interrupt};
use super::{CliError, Output, progress};
use crate::eval::{self, UNIT};
use crate::search::StopFlag;
use crate::statistics::accuracy::{Accuracy, Summary};
use crate::training::positions::Source;
use crate::training::scorer::Scorer;
use crate::training::sources::{Candidate, Selection, candidates};

/// Compare evaluations with known scores: problem answers, the exact score stored in tournament
/// files at their number of empties, or the scores of position files.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
kitai eval-test WTH_2021.wtb WTH_2022.wtb --eval pattern,zebra,discs --set zebra-coeffs=coeffs2.bin\n  \
kitai eval-test hard-25.obf --depth 9\n  \
kitai eval-test validation.kpos --by-empties --json")]
pub(super) struct Args {
    /// Files: obf, wtb, kpos
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Evaluations to compare, separated by commas
    #[arg(long, default_value = "pattern", value_delimiter = ',', value_name = "NAME,…")]
    eval: Vec<String>,
    /// Search so many plies instead of evaluating the position itself
    #[arg(long, default_value_t = 0, value_name = "PLIES",
          value_parser = clap::value_parser!(u32).range(0..=30))]
    depth: u32,
    /// One row for every four numbers of empties
    #[arg(long)]
    by_empties: bool,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Serialize)]
struct Row {
    eval: String,
    depth: u32,
    /// The greatest number of empties of the row; absent if all are together.
    empties: Option<u32>,
    #[serde(flatten)]
    summary: Summary,
}

/// Runs the command.
///
/// # Errors
/// If a file or evaluation cannot be used.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let known: Vec<(Candidate, f64)> = candidates(&args.files, &Selection::all())
        .map_err(CliError::input)?
        .into_iter()
        .filter_map(|candidate| {
            let (score, _) = candidate.known.filter(|&(_, source)| source != Source::Result)?;
            Some((candidate, f64::from(score) / f64::from(UNIT)))
        })
        .collect();
    if known.is_empty() {
        return Err(CliError::Input("no position with a known score in these files".to_owned()));
    }
    let stop = stop_on_interrupt();
    output.line("eval       depth  empties  positions    rmse     mae    bias  correl.  fitted")?;
    for name in &args.eval {
        for row in rows(args, name, &known, &stop)? {
            let empties =
                row.empties.map_or("all".to_owned(), |most| format!("{}-{most}", most - 3));
            let Summary { count, rmse, mae, bias, correlation, fitted_rmse } = row.summary;
            output.line(format_args!(
                "{name:<10} {:>5} {empties:>8} {count:>10} {rmse:>7.3} {mae:>7.3} {bias:>+7.3} \
                 {correlation:>8.4} {fitted_rmse:>7.3}",
                row.depth
            ))?;
            output.object(&row)?;
        }
    }
    Ok(())
}

fn rows(
    args: &Args,
    name: &str,
    known: &[(Candidate, f64)],
    stop: &StopFlag,
) -> Result<Vec<Row>, CliError> {
    let mut options = args.engine.training_options()?;
    options.set("eval", name).map_err(CliError::usage)?;
    let evaluator = eval::build(&options).map_err(CliError::usage)?;
    let bar = progress::steps(known.len() as u64, "positions");
    let said: Option<Vec<f64>> = known
        .par_iter()
        .map_init(
            || Scorer::new(&options, args.depth, 0),
            |scorer, (candidate, _)| {
                let units = if args.depth == 0 {
                    evaluator.evaluate(candidate.position)
                } else {
                    let scorer = scorer.as_mut().ok()?;
                    i32::from(scorer.score(candidate.position, stop)?.score)
                };
                bar.inc(1);
                Some(f64::from(units) / f64::from(UNIT))
            },
        )
        .collect();
    bar.finish_and_clear();
    let said = said.ok_or_else(|| CliError::Found("interrupted".to_owned()))?;
    let mut accuracies: BTreeMap<Option<u32>, Accuracy> = BTreeMap::new();
    for ((candidate, truth), said) in known.iter().zip(said) {
        // Rows end at multiples of four, so that 24 stands for 21 to 24.
        let row = args.by_empties.then(|| candidate.position.empty_count().div_ceil(4).max(1) * 4);
        accuracies.entry(row).or_default().add(said, *truth);
    }
    Ok(accuracies
        .into_iter()
        .rev()
        .map(|(empties, accuracy)| Row {
            eval: name.to_owned(),
            depth: args.depth,
            empties,
            summary: accuracy.summary(),
        })
        .collect())
}
