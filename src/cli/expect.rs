//! `kitai expect`: the mean of the greatest or least of independent normals.

use clap::ValueEnum;
use serde::Serialize;

use super::{CliError, Output};
use crate::random::seeded;
use crate::search::expectation::sampled::estimate_max;
use crate::search::expectation::{Deviation, expected_max};

/// The mean of the greatest (or least) of independent normals around the given values
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  kitai expect max --sigma 8 3 4\n  kitai expect min --sigma 8 \
10 21 29 32\n  kitai expect max --sigma 8 --samples 100 --seed 7 -- -3 4.5"
)]
pub(super) struct Args {
    /// Whose node it is: the greatest or the least value is taken
    #[arg(value_enum)]
    node: Node,
    /// Standard deviation of every value
    #[arg(long, value_name = "S")]
    sigma: Deviation,
    /// Estimate with this many tuples, as the papers do [default: exact]
    #[arg(long, value_name = "M", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    samples: Option<u64>,
    /// Seed of the estimate
    #[arg(long, default_value_t = 1, requires = "samples")]
    seed: u64,
    /// The values h₁ h₂ …
    #[arg(required = true, num_args = 1.., value_name = "H", allow_negative_numbers = true,
          value_parser = finite)]
    leaves: Vec<f64>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Node {
    Max,
    Min,
}

#[derive(Serialize)]
struct Report<'a> {
    node: Node,
    sigma: f64,
    leaves: &'a [f64],
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    standard_error: Option<f64>,
}

fn finite(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("`{text}` is not a finite number")),
    }
}

/// Runs the command.
///
/// # Errors
/// If standard output cannot be written.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let sign = if args.node == Node::Max { 1.0 } else { -1.0 };
    let mirrored: Vec<f64> = args.leaves.iter().map(|leaf| sign * leaf).collect();
    let estimate = args
        .samples
        .map(|samples| estimate_max(args.sigma, &mirrored, samples, &mut seeded(args.seed)));
    let value = sign * estimate.map_or_else(|| expected_max(args.sigma, &mirrored), |e| e.mean);
    match estimate {
        Some(estimate) => output.line(format_args!(
            "{value:.9} ± {:.9} ({} samples, seed {})",
            estimate.standard_error,
            args.samples.unwrap_or_default(),
            args.seed
        ))?,
        None => output.line(format_args!("{value:.9}"))?,
    }
    output.object(&Report {
        node: args.node,
        sigma: args.sigma.get(),
        leaves: &args.leaves,
        value,
        samples: args.samples,
        standard_error: estimate.map(|estimate| estimate.standard_error),
    })
}
