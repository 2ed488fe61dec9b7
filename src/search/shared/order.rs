//! Orderings: the moves of a position by a short search, to a depth or within a number of nodes.

use crate::game::Game;
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::expectation::tree::{GameTree, Tree};

/// The deepest ordering in plies, however many nodes there are.
const MOST_PLIES: u32 = 6;

/// A move of an ordering.
pub struct Ordered<G: Game> {
    /// The move.
    pub action: G::Action,
    /// The position after it.
    pub after: G::State,
    /// Its value for the side that makes it.
    pub value: f64,
}

/// The moves of a position, best first by a search of so many plies (at least 1); equal ones in the
/// game's own order. None if the game is over.
pub fn order<G: Game, F: Fn(&G::State) -> f64>(
    tree: &GameTree<'_, G, F>,
    state: &G::State,
    plies: u32,
    counter: &mut NodeCounter,
) -> Vec<Ordered<G>> {
    let mut ordered = Vec::new();
    for action in tree.game.actions(state) {
        let after = tree.game.apply(state, action);
        let below = look_ahead(tree, &after, plies.saturating_sub(1), u64::MAX, counter);
        ordered.push(Ordered { action, after, value: -below.unwrap_or(0.0) });
    }
    sort(&mut ordered);
    ordered
}

/// The same within so many nodes: one ply for every move, then a ply more as long as the nodes last,
/// the first moves first. Moves searched deeper stay in front of the others.
pub fn order_within<G: Game, F: Fn(&G::State) -> f64>(
    tree: &GameTree<'_, G, F>,
    state: &G::State,
    nodes: u64,
    counter: &mut NodeCounter,
) -> Vec<Ordered<G>> {
    let end = counter.nodes + nodes;
    let mut ordered = order(tree, state, 1, counter);
    for plies in 2..=MOST_PLIES {
        for index in 0..ordered.len() {
            let below = look_ahead(tree, &ordered[index].after, plies - 1, end, counter);
            match below {
                Some(value) => ordered[index].value = -value,
                None => {
                    sort(&mut ordered[..index]);
                    return ordered;
                }
            }
        }
        sort(&mut ordered);
    }
    ordered
}

fn sort<G: Game>(ordered: &mut [Ordered<G>]) {
    ordered.sort_by(|a, b| b.value.total_cmp(&a.value));
}

/// Plain minimax of a few plies, mover's view; `None` once the counter has reached `end`.
fn look_ahead<G: Game, F: Fn(&G::State) -> f64>(
    tree: &GameTree<'_, G, F>,
    state: &G::State,
    plies: u32,
    end: u64,
    counter: &mut NodeCounter,
) -> Option<f64> {
    if counter.nodes >= end || !counter.spend(1) {
        return None;
    }
    if let Some(value) = tree.final_value(state) {
        return Some(value);
    }
    if plies == 0 {
        return Some(tree.evaluate(state));
    }
    let mut best = f64::NEG_INFINITY;
    for action in tree.game.actions(state) {
        let after = tree.game.apply(state, action);
        best = best.max(-look_ahead(tree, &after, plies - 1, end, counter)?);
    }
    Some(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Synthetic, solve};
    use crate::search::{Limits, StopFlag};

    #[test]
    fn an_ordering_with_nodes_enough_is_by_the_value_of_the_game() {
        let stop = StopFlag::new();
        for seed in 0..100 {
            let game = Synthetic {
                seed,
                most_moves: 5,
                plies: 4,
                values: 9,
                pass_one_in: 0,
                end_one_in: 7,
            };
            let evaluate = |node: &_| game.static_value(node);
            let tree = GameTree { game: &game, evaluate, most_moves: 5 };
            let mut counter = NodeCounter::new(&Limits::default(), &stop);
            let ordered = order_within(&tree, &game.start(), 1_000_000, &mut counter);
            for pair in ordered.windows(2) {
                assert!(pair[0].value >= pair[1].value);
            }
            for entry in &ordered {
                assert_eq!(entry.value, -solve(&game, &entry.after));
            }
            // With no nodes to spend it is the ordering of one ply.
            let few = order_within(&tree, &game.start(), 0, &mut counter);
            let one = order(&tree, &game.start(), 1, &mut counter);
            let actions =
                |list: &[Ordered<_>]| -> Vec<_> { list.iter().map(|entry| entry.action).collect() };
            assert_eq!(actions(&few), actions(&one));
        }
    }
}
