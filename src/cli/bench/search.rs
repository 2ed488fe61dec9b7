//! `kitai bench`: a fixed suite of searches whose node count is the same on every run.

use serde::Serialize;

use crate::cli::common::EngineArgs;
use crate::cli::{CliError, Output};
use crate::record::Board;
use crate::search::report::DepthLabel;
use crate::search::{Limits, Request, StopFlag, build};

/// Midgame positions, searched to [`MIDGAME_DEPTH`]: the start and five of various stages.
const MIDGAME: [&str; 6] = [
    "---------------------------OX------XO--------------------------- X",
    "-----------O------OOO------OXO-----XOO------XO------------------ X",
    "-----------X------XX-O----XXOO----XXXOO---XXOOOO---OXO----O-X--- X",
    "-----O----XOO-----OXX----OXXXO-OOO-XXOO-----OO-----O-O-------O-- X",
    "-----------O-----XXOO-----XOOO----OOXXXX-OOOXX-----XXX----X----- X",
    "---XX-----XXX----XOXOO---XXOOOO-XXOOOXXXXXOOXXX---OOOX----XXXXX- X",
];
/// Plies.
const MIDGAME_DEPTH: u32 = 12;

/// Endgame positions, solved: FFO test positions #1–#3, #20 and #40.
const ENDGAME: [&str; 5] = [
    "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X",
    "-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X",
    "----OX----OOXX---OOOXX-XOOXXOOOOOXXOXXOOOXXXOOOOOXXXXOXO--OOOOOX X",
    "XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X",
    "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X",
];

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
    let mut method = build(&engine.options()?).map_err(CliError::input)?;
    let midgame = MIDGAME.iter().map(|text| (*text, Limits::depth(MIDGAME_DEPTH)));
    let endgame = ENDGAME.iter().map(|text| (*text, Limits::solve()));
    let (mut nodes, mut seconds) = (0, 0.0);
    output.line("empties  depth   score        nodes  seconds   Mn/s")?;
    for (text, limits) in midgame.chain(endgame) {
        let board: Board = text.parse().expect("the suite's positions are valid (tested)");
        method.clear();
        let outcome =
            method.search(&Request::new(board.position, limits), &StopFlag::new(), &mut |_| {});
        let Some(line) = outcome.lines.first() else { continue };
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
            position: text.to_owned(),
            depth,
            score: line.score.discs(),
            nodes: outcome.nodes,
            seconds: elapsed,
        })?;
        nodes += outcome.nodes;
        seconds += elapsed;
    }
    let nodes_per_second = nodes as f64 / seconds.max(1e-9);
    output.line(format_args!(
        "total {nodes} nodes, {seconds:.3} s, {:.2} Mn/s (a node is a position entered with two \
         or more empties, or evaluated to order moves)",
        nodes_per_second / 1e6
    ))?;
    output.object(&Total { nodes, seconds, nodes_per_second })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_position_of_the_suite_is_valid_and_has_a_move() {
        for text in MIDGAME.iter().chain(&ENDGAME) {
            assert!(text.parse::<Board>().unwrap().position.has_move(), "{text}");
        }
    }
}
