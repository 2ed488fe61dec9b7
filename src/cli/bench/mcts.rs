//! `kitai bench mcts`: playouts and simulations per second, on one thread.

use std::hint::black_box;

use serde::Serialize;

use super::timed;
use crate::cli::common::EngineArgs;
use crate::cli::{CliError, Output};
use crate::eval;
use crate::eval::EVAL;
use crate::options::Options;
use crate::othello::Position;
use crate::othello::random::random_position;
use crate::random::seeded;
use crate::search::mcts::playout::PlayoutPolicy;
use crate::search::view::View;
use crate::search::{self, Limits, Request, StopFlag};

/// Speed of Monte Carlo tree search on one thread.
///
/// Playouts run from the start and from random positions after 30 plies: with uniform moves, and
/// ranked by the evaluation that `eval` names. Simulations are those of the method `mcts`, with a
/// signature that changes only when the search does. Seconds are time on the CPU where the system
/// tells it (Linux), else time on the wall.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  kitai bench mcts\n  kitai bench mcts --set eval=zebra --set \
zebra-coeffs=coeffs2.bin --json\n\nWith --json one object: eval, start and after_30_plies (each \
with uniform_playouts_per_second,\nranked_playouts_per_second, simulations_per_second), signature.")]
pub(super) struct Args {
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Serialize)]
struct Rates {
    uniform_playouts_per_second: f64,
    ranked_playouts_per_second: f64,
    simulations_per_second: f64,
}

#[derive(Serialize)]
struct Report {
    eval: String,
    start: Rates,
    after_30_plies: Rates,
    signature: u64,
}

/// Playouts and simulations of each figure: a second or less.
const UNIFORM_PLAYOUTS: usize = 300_000;
const RANKED_PLAYOUTS: usize = 10_000;
const SIMULATIONS: u64 = 30_000;
/// Random positions that the later figures run over.
const POSITIONS: usize = 10;
/// Seed of the positions and of the playouts.
const SEED: u64 = 6;

/// Runs the command.
///
/// # Errors
/// If an option cannot be used or standard output not be written.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let mut options = args.engine.options()?;
    for (name, value) in [("method", "mcts"), ("threads", "1"), ("early-stop", "false")] {
        options.set(name, value).map_err(CliError::usage)?;
    }
    let mut rng = seeded(SEED);
    let later: Vec<Position> = (0..POSITIONS).map(|_| random_position(30, &mut rng)).collect();
    output.line(format_args!("evaluation        {}", options.get(&EVAL)))?;
    let (start, first) = measure("start", &[Position::START], &options, output)?;
    let (after_30_plies, second) = measure("after 30 plies", &later, &options, output)?;
    let signature = first + second;
    output.line(format_args!("signature         {signature} nodes"))?;
    output.object(&Report { eval: options.get(&EVAL), start, after_30_plies, signature })
}

/// The rates from these positions, and the nodes of the simulations.
fn measure(
    name: &str,
    positions: &[Position],
    options: &Options,
    output: &mut Output,
) -> Result<(Rates, u64), CliError> {
    let ranked =
        PlayoutPolicy::Ranked(eval::choose(options).map_err(CliError::usage)?, View::Mover);
    let uniform_rate = playout_rate(&PlayoutPolicy::Uniform, positions, UNIFORM_PLAYOUTS);
    let ranked_rate = playout_rate(&ranked, positions, RANKED_PLAYOUTS);
    let mut method = search::build(options).map_err(CliError::usage)?;
    let limits = Limits::playouts(SIMULATIONS / positions.len() as u64);
    let (nodes, seconds) = timed(|| {
        let search = |&position| {
            let request = Request::new(position, limits);
            method.search(&request, &StopFlag::new(), &mut |_| {}).nodes
        };
        positions.iter().map(search).sum::<u64>()
    });
    let rates = Rates {
        uniform_playouts_per_second: uniform_rate,
        ranked_playouts_per_second: ranked_rate,
        simulations_per_second: SIMULATIONS as f64 / seconds,
    };
    output.line(format_args!(
        "{name:<17} {:.1} k uniform playouts/s, {:.1} k ranked playouts/s, {:.1} k simulations/s",
        uniform_rate / 1e3,
        ranked_rate / 1e3,
        rates.simulations_per_second / 1e3
    ))?;
    Ok((rates, nodes))
}

fn playout_rate(policy: &PlayoutPolicy, positions: &[Position], count: usize) -> f64 {
    let mut rng = seeded(SEED);
    let mut play = |count: usize| {
        let scores = positions.iter().cycle().take(count).map(|&p| policy.play(p, &mut rng));
        black_box(scores.sum::<i32>())
    };
    // The first playouts make the tables of the stages they meet.
    play(count / 10);
    let (_, seconds) = timed(|| play(count));
    count as f64 / seconds
}
