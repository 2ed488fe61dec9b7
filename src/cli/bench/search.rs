//! `kitai bench`: a fixed suite of searches whose node count is the same on every run.

use serde::Serialize;

use crate::cli::common::EngineArgs;
use crate::cli::{CliError, Output};
use crate::search::report::DepthLabel;
use crate::search::{build, suite};

#[derive(Serialize)]
struct Row {
    position: String,
    depth: String,
    score: f64,
    nodes: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct Total {
    nodes: u64,
    seconds: f64,
    nodes_per_second: f64,
}

/// Runs the suite with one thread unless the options say otherwise.
///
/// # Errors
/// If an option is wrong or standard output cannot be written.
pub(super) fn run(engine: &EngineArgs, output: &mut Output) -> Result<(), CliError> {
    let mut method = build(&engine.options()?).map_err(CliError::usage)?;
    output.line("empties  depth   score        nodes  seconds   Mn/s")?;
    let total = suite::run(method.as_mut(), |board, outcome| {
        let Some(line) = outcome.lines.first() else { return Ok(()) };
        let elapsed = outcome.elapsed.as_secs_f64();
        let depth = DepthLabel(outcome.depth, line.certainty).to_string();
        output.line(format_args!(
            "{:>7} {depth:>6} {:>7} {:>12} {elapsed:>8.3} {:>6.1}",
            board.position.empty_count(),
            line.score.to_string(),
            outcome.nodes,
            outcome.nodes as f64 / elapsed.max(1e-9) / 1e6
        ))?;
        output.object(&Row {
            position: board.to_string(),
            depth,
            score: line.score.discs(),
            nodes: outcome.nodes,
            seconds: elapsed,
        })
    })?;
    let (nodes, seconds) = (total.nodes, total.elapsed.as_secs_f64());
    let nodes_per_second = nodes as f64 / seconds.max(1e-9);
    output.line(format_args!(
        "total {nodes} nodes, {seconds:.3} s, {:.2} Mn/s (a node is a position entered with two \
         or more empties, or evaluated to order moves)",
        nodes_per_second / 1e6
    ))?;
    output.object(&Total { nodes, seconds, nodes_per_second })
}
