//! `kitai move`: the move Kitai would play, from the command line.

use serde::Serialize;

use super::common::{EngineArgs, stop_on_interrupt};
use super::input::GameArgs;
use super::{CliError, Output, progress};
use crate::engine::{Player, Task};
use crate::score::Score;
use crate::search::report::{Certainty, DepthLabel, Line};
use crate::search::{Behind, Outcome};
use crate::text;

/// The move to play in a position, with score and main line
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  kitai move f5d6c3\n  \
kitai move '---------------------------OX------XO--------------------------- X' --set depth=12\n  \
kitai move game.ggf --at 20\n  kitai move '' --config level-1 --json")]
pub(super) struct Args {
    #[command(flatten)]
    game: GameArgs,
    /// Also tell the next best moves, so many in all; 64 are all there can be
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=64))]
    lines: u8,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Serialize)]
struct Report {
    position: String,
    r#move: Option<String>,
    score: Score,
    certainty: Certainty,
    depth: u32,
    pv: String,
    nodes: u64,
    playouts: u64,
    seconds: f64,
    /// The best moves, as many as were asked for.
    lines: Vec<Line>,
    /// What lies behind the score, if the method can tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    behind: Option<Behind>,
}

/// Runs the command.
///
/// # Errors
/// If the position or an option cannot be used.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let board = args.game.read()?.history.board();
    let mut player = Player::new(args.engine.options_for_play()?);
    let mut task = Task::play(player.options(), board.position, None);
    task.request.multi_pv = usize::from(args.lines);
    let stop = stop_on_interrupt();
    let bar = progress::spinner("thinking");
    let outcome = player.search(&task, &stop, &mut |event| progress::thinking(&bar, event));
    bar.finish_and_clear();
    let outcome = outcome.map_err(CliError::usage)?;
    let behind = player.behind(&task, &outcome);
    let seconds = outcome.elapsed.as_secs_f64();
    let Some(line) = outcome.lines.first() else {
        return Err(CliError::Input("the search gave no answer".to_owned()));
    };
    let chosen = outcome.best_move();
    output.line(match chosen {
        None => format!("the game is over, {} for {}", line.score, board.turn),
        Some(chosen) => format!(
            "{chosen} {} for {} at depth {} ({}, {seconds:.3} s) {}",
            line.score,
            board.turn,
            DepthLabel(outcome.depth, line.certainty),
            effort(&outcome),
            line.pv_text()
        ),
    })?;
    for line in outcome.lines.iter().skip(1) {
        output.line(format_args!("  {} {}", line.score, line.pv_text()))?;
    }
    output.object(&Report {
        position: board.to_string(),
        r#move: chosen.map(|chosen| chosen.to_string()),
        score: line.score,
        certainty: line.certainty,
        depth: outcome.depth,
        pv: line.pv_text(),
        nodes: outcome.nodes,
        playouts: outcome.playouts,
        seconds,
        lines: outcome.lines,
        behind,
    })
}

/// What a search took, in what its method counts: `5120 nodes`, `1000 playouts, 30 nodes`.
fn effort(outcome: &Outcome) -> String {
    let nodes = text::count(outcome.nodes, "node");
    match outcome.playouts {
        0 => nodes,
        playouts => format!("{}, {nodes}", text::count(playouts, "playout")),
    }
}
