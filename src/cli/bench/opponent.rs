//! `kitai bench opponent`: what it costs to watch an opponent, and to search with a model of it.

use serde::Serialize;

use super::timed;
use crate::cli::{CliError, Output};
use crate::eval::registry::by_name;
use crate::options::Options;
use crate::othello::random::{random_move, random_position};
use crate::othello::{Move, Position};
use crate::random::seeded;
use crate::search::opponent::estimate::{Estimate, Suspect};
use crate::search::{self, Limits, Request, StopFlag};

/// Cost of the estimate of the opponent per move, and of OM search beside minimax.
///
/// One thread; seconds are time on the CPU where the system tells it (Linux).
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  kitai bench opponent")]
pub(super) struct Args {
    /// Random positions of each figure
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    positions: u32,
}

#[derive(Serialize)]
struct Estimating {
    depth: u32,
    milliseconds_a_move: f64,
    longest: f64,
}

#[derive(Serialize)]
struct Searching {
    player: String,
    milliseconds_a_move: f64,
    nodes_a_move: f64,
}

/// Deepest models of the family that are timed.
const MOST_DEPTH: u32 = 4;
/// Plies of the searches that are timed.
const SEARCH_DEPTH: u32 = 4;
/// Players whose search is timed.
const PLAYERS: [&str; 5] = [
    "method=minimax",
    "method=om,opponent-eval=discs",
    "method=om,opponent-eval=pattern",
    "method=om,opponent-eval=pattern,opponent-softness=4",
    "method=om,opponent-model=semi-random",
];

/// Runs the command.
///
/// # Errors
/// If standard output cannot be written.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let mut rng = seeded(15);
    let choices: Vec<(Position, Move)> = (0..args.positions)
        .filter_map(|index| {
            let position = random_position(8 + index % 48, &mut rng);
            random_move(position, &mut rng).map(|played| (position, played))
        })
        .collect();
    output.line("estimate, models up to   ms a move   longest")?;
    for depth in 1..=MOST_DEPTH {
        let report = estimating(depth, &choices)?;
        output.line(format_args!(
            "{:>16} plies  {:>10.3} {:>9.3}",
            depth, report.milliseconds_a_move, report.longest
        ))?;
        output.object(&report)?;
    }
    output
        .line(format_args!("\n{SEARCH_DEPTH} plies deep       ms a move   nodes a move  player"))?;
    for player in PLAYERS {
        let report = searching(player, &choices)?;
        output.line(format_args!(
            "{:>22.3} {:>14.0}  {player}",
            report.milliseconds_a_move, report.nodes_a_move
        ))?;
        output.object(&report)?;
    }
    Ok(())
}

fn estimating(depth: u32, choices: &[(Position, Move)]) -> Result<Estimating, CliError> {
    let options = Options::new();
    let names = ["discs", "mobility", "shioda", "pattern"].into_iter();
    let suspects =
        names.map(|name| by_name(name, &options).map(|evaluation| Suspect { name, evaluation }));
    let suspects = suspects.collect::<Result<Vec<_>, _>>().map_err(CliError::usage)?;
    let mut estimate = Estimate::new(suspects, depth);
    let (mut sum, mut longest) = (0.0, 0.0f64);
    for (position, played) in choices {
        let ((), seconds) = timed(|| estimate.observe(*position, *played));
        sum += seconds;
        longest = longest.max(seconds);
    }
    let milliseconds_a_move = 1e3 * sum / choices.len().max(1) as f64;
    Ok(Estimating { depth, milliseconds_a_move, longest: 1e3 * longest })
}

fn searching(player: &str, choices: &[(Position, Move)]) -> Result<Searching, CliError> {
    let mut options = Options::new();
    let settings = player.split(',').filter_map(|setting| setting.split_once('='));
    for (name, value) in settings.chain([("hash", "1"), ("selectivity", "100")]) {
        options.set(name, value).map_err(CliError::usage)?;
    }
    let mut method = search::build(&options).map_err(CliError::usage)?;
    let (mut sum, mut nodes) = (0.0, 0);
    for (position, _) in choices {
        method.clear();
        let request = Request::new(*position, Limits::depth(SEARCH_DEPTH));
        let (outcome, seconds) = timed(|| method.search(&request, &StopFlag::new(), &mut |_| ()));
        sum += seconds;
        nodes += outcome.nodes;
    }
    let count = choices.len().max(1) as f64;
    Ok(Searching {
        player: player.to_owned(),
        milliseconds_a_move: 1e3 * sum / count,
        nodes_a_move: nodes as f64 / count,
    })
}
