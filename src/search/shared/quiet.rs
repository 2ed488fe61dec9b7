//! Is a position quiet? The paper asks for a reliable test as future work: candidates are to be looked
//! for in quiet positions, and its types do better in them.
//!
//! Two signs of unrest, both from short orderings: the best move changes when the search looks one
//! ply further, or the moves differ much in value, so that one of them is forced.

use super::order::{Ordered, order};
use crate::game::Game;
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::expectation::tree::GameTree;
use crate::statistics::Moments;

/// How far the best move may stand above the second in a quiet position, in standard deviations of
/// the values of all moves; beyond that it is as good as forced. Not tuned.
const MOST_LEAD: f64 = 1.0;

/// How settled a position is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Quietness {
    /// Whether the move that is best by one ply is best by two.
    pub same_best: bool,
    /// How far the best move stands above the second, in standard deviations of all moves.
    pub lead: f64,
}

/// Looks at a position one and two plies deep.
pub fn quietness<G: Game, F: Fn(&G::State) -> f64>(
    tree: &GameTree<'_, G, F>,
    state: &G::State,
    counter: &mut NodeCounter,
) -> Quietness {
    let (one, two) = (order(tree, state, 1, counter), order(tree, state, 2, counter));
    let mut moments = Moments::default();
    two.iter().for_each(|entry| moments.add(entry.value));
    let lead = match two.as_slice() {
        [first, second, ..] if moments.deviation() > 0.0 => {
            (first.value - second.value) / moments.deviation()
        }
        _ => 0.0,
    };
    let best = |list: &[Ordered<G>]| list.first().map(|entry| entry.action);
    Quietness { same_best: best(&one) == best(&two), lead }
}

/// Whether neither sign of unrest shows.
pub fn is_quiet<G: Game, F: Fn(&G::State) -> f64>(
    tree: &GameTree<'_, G, F>,
    state: &G::State,
    counter: &mut NodeCounter,
) -> bool {
    let found = quietness(tree, state, counter);
    found.same_best && found.lead <= MOST_LEAD
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::TicTacToe;
    use crate::game::tictactoe::Grid;
    use crate::search::{Limits, StopFlag};

    fn quiet(evaluate: impl Fn(&Grid) -> f64) -> Quietness {
        let stop = StopFlag::new();
        let mut counter = NodeCounter::new(&Limits::default(), &stop);
        let tree = GameTree { game: &TicTacToe, evaluate, most_moves: 9 };
        quietness(&tree, &TicTacToe.start(), &mut counter)
    }

    #[test]
    fn a_board_without_differences_is_quiet_and_one_good_move_makes_it_violent() {
        let flat = quiet(|_| 0.0);
        assert_eq!(flat, Quietness { same_best: true, lead: 0.0 });
        // The centre is worth much to whoever holds it.
        let centre = |grid: &Grid| {
            let side = |cells: u16| f64::from(cells >> 4 & 1);
            side(grid.mover) - side(grid.opponent)
        };
        let found = quiet(centre);
        assert!(found.same_best && found.lead > MOST_LEAD, "{found:?}");
    }

    #[test]
    fn a_best_move_that_changes_with_depth_makes_a_position_violent() {
        // After one disc the low cells look best to their owner; after two the high ones.
        let evaluate = |grid: &Grid| {
            let sign = if grid.mover == 0 { 1.0 } else { -1.0 };
            sign * f64::from(grid.opponent) - sign * f64::from(grid.mover)
        };
        assert!(!quiet(evaluate).same_best);
    }
}
