//! `kitai siblings`: measure how much of their errors sibling leaves share, and write the table
//! that `backup=expectation` uses.

use std::fmt::Write;
use std::path::PathBuf;

use serde::Serialize;

use super::common::{EngineArgs, check_output, stop_on_interrupt};
use super::{CliError, Output, progress};
use crate::eval::EVAL;
use crate::record::whole_file;
use crate::training::calibration::siblings::{Group, SiblingPlan, measure};

/// Measure how much of their errors the leaves below one position share.
///
/// For every stage, leaves of parents that a search would meet are searched some plies deeper. What
/// the errors of siblings have in common is told from what they have not; only that makes the
/// expected maximum of uncertain leaves grow.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  kitai siblings --set eval=discs\n  \
kitai siblings --set eval=zebra --set zebra-coeffs=coeffs2.bin --parents 400 --out zebra.csv")]
pub(super) struct Args {
    /// Parents of leaves for each stage
    #[arg(long, default_value_t = 200)]
    parents: u32,
    /// How many plies below a leaf the deeper value is
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=20))]
    ahead: u32,
    /// Stages are so many empty squares apart
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=20))]
    step: u32,
    /// Seed of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the table here
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Serialize)]
struct Grouped<'g> {
    by: &'static str,
    #[serde(flatten)]
    group: &'g Group,
}

/// Runs the command.
///
/// # Errors
/// If an option or the output cannot be used, or the work was interrupted.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    args.out.as_deref().map_or(Ok(()), check_output)?;
    let options = args.engine.options()?;
    let plan = SiblingPlan { parents: args.parents, ahead: args.ahead, seed: args.seed };
    let stages: Vec<u32> = (8..=54).step_by(args.step as usize).collect();
    let bar = progress::steps(u64::from(args.parents) * stages.len() as u64, "parents");
    let found = measure(&plan, &stages, &options, &stop_on_interrupt(), &|| bar.inc(1));
    bar.finish_and_clear();
    let found = found.map_err(CliError::usage)?;
    let mut table = format!(
        "# kitai siblings --set eval={} --parents {} --ahead {} --seed {}\n\
         empties,sigma,spread,moves,exponent,total,correlation,rise,leaves\n",
        options.get(&EVAL),
        args.parents,
        args.ahead,
        args.seed
    );
    output.line("empties   sigma  spread   total  correlation    rise  leaves")?;
    for stage in &found.stages {
        output.line(format_args!(
            "{:>7} {:>7.3} {:>7.3} {:>7.3} {:>12.3} {:>7.3} {:>7}",
            stage.empties,
            stage.sigma,
            stage.spread,
            stage.total,
            stage.correlation,
            stage.rise,
            stage.leaves
        ))?;
        output.object(stage)?;
        let _ = writeln!(
            table,
            "{},{:.4},{:.4},{:.2},{:.3},{:.4},{:.4},{:.4},{}",
            stage.empties,
            stage.sigma,
            stage.spread,
            stage.moves,
            found.exponent,
            stage.total,
            stage.correlation,
            stage.rise,
            stage.leaves
        );
    }
    if found.stages.len() < stages.len() {
        return Err(CliError::Found("interrupted".to_owned()));
    }
    output.line("σ beside that of its stage, quarters of the parents, by:")?;
    for (name, groups) in [
        ("own moves", &found.by_moves),
        ("opponent's moves", &found.by_opponent),
        ("spread of the leaves, discs", &found.by_spread),
    ] {
        for group in groups {
            let Group { mean, ratio, leaves } = group;
            output.line(format_args!("{name:>27} {mean:>6.2}: {ratio:.3} ({leaves} leaves)"))?;
            output.object(&Grouped { by: name, group })?;
        }
    }
    let Some(path) = &args.out else { return Ok(()) };
    whole_file::write(path, table.as_bytes()).map_err(CliError::input)
}
