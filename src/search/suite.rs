//! A fixed suite of searches whose node count is the same on every run and every machine: the
//! signature of the search.

use std::time::Duration;

use super::{Limits, Method, Outcome, Request, StopFlag};
use crate::record::Board;

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

/// Nodes and time of the whole suite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Total {
    /// With one thread: the signature.
    pub nodes: u64,
    /// Time that the searches took.
    pub elapsed: Duration,
}

/// Runs the suite and shows each position with its outcome to `each`, which may end it.
///
/// # Errors
/// What `each` returns.
pub fn run<E>(
    method: &mut dyn Method,
    mut each: impl FnMut(&Board, &Outcome) -> Result<(), E>,
) -> Result<Total, E> {
    let midgame = MIDGAME.iter().map(|text| (*text, Limits::depth(MIDGAME_DEPTH)));
    let endgame = ENDGAME.iter().map(|text| (*text, Limits::solve()));
    let mut total = Total::default();
    for (text, limits) in midgame.chain(endgame) {
        let board: Board = text.parse().expect("the suite's positions are valid (tested)");
        method.clear();
        let outcome =
            method.search(&Request::new(board.position, limits), &StopFlag::new(), &mut |_| {});
        each(&board, &outcome)?;
        total.nodes += outcome.nodes;
        total.elapsed += outcome.elapsed;
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_the_one_written_down() {
        // A change of the search changes the number; it is written down anew by hand, on purpose.
        let wanted: u64 = include_str!("../../.ci/bench-signature").trim().parse().unwrap();
        let mut method = crate::search::build(&crate::options::Options::new()).unwrap();
        let total = run(method.as_mut(), |_, _| Ok::<(), ()>(())).unwrap();
        assert_eq!(total.nodes, wanted, "nodes of `kitai bench`");
    }

    #[test]
    fn every_position_of_the_suite_is_valid_and_has_a_move() {
        for text in MIDGAME.iter().chain(&ENDGAME) {
            assert!(text.parse::<Board>().unwrap().position.has_move(), "{text}");
        }
    }
}
