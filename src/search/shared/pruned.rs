//! Forward-pruned alpha-beta: full width below the candidates of the root, or candidates only in the
//! upper part of the tree as well.

use super::candidates::{Candidates, DOWN_PLIES, order};
use crate::game::MoveIdentity;
use crate::search::expectation::backup::Backup;
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::expectation::tree::{GameTree, Tree};

/// Least depth at which a node's moves are ordered by their static values, plies.
const ORDER_FROM: u32 = 2;
/// Least depth at which a node has candidates of its own, plies: a list costs some hundred nodes.
const CANDIDATES_FROM: u32 = 3;

/// The search. A forced pass uses up no depth.
pub struct Pruned<A> {
    /// Candidates of the nodes inside the tree; every legal move if absent.
    pub inside: Option<Candidates>,
    line: Vec<A>,
}

impl<A: Copy + Eq> Pruned<A> {
    /// A search with these candidates inside the tree.
    pub fn new(inside: Option<Candidates>) -> Pruned<A> {
        Pruned { inside, line: Vec::new() }
    }

    /// Fail-soft alpha-beta, mover's view; `line` becomes the play expected.
    #[allow(clippy::too_many_arguments)]
    fn value<G: MoveIdentity<Action = A>, F: Fn(&G::State) -> f64>(
        &self,
        tree: &GameTree<'_, G, F>,
        state: &G::State,
        depth: u32,
        mut alpha: f64,
        beta: f64,
        line: &mut Vec<A>,
        counter: &mut NodeCounter,
    ) -> f64 {
        line.clear();
        if !counter.spend(1) {
            return 0.0;
        }
        if let Some(value) = tree.final_value(state) {
            return value;
        }
        if depth == 0 {
            return tree.evaluate(state);
        }
        let mut best = f64::NEG_INFINITY;
        let mut below = Vec::new();
        for action in self.moves(tree, state, depth, counter) {
            let after = tree.game.apply(state, action);
            let left = if tree.game.is_pass(action) { depth } else { depth - 1 };
            let value = -self.value(tree, &after, left, -beta, -alpha, &mut below, counter);
            if counter.is_exhausted() {
                return 0.0;
            }
            if value > best {
                best = value;
                line.clear();
                line.push(action);
                line.append(&mut below);
                alpha = alpha.max(value);
                if alpha >= beta {
                    break;
                }
            }
        }
        best
    }

    /// The moves to look at, in the order to do so.
    fn moves<G: MoveIdentity<Action = A>, F: Fn(&G::State) -> f64>(
        &self,
        tree: &GameTree<'_, G, F>,
        state: &G::State,
        depth: u32,
        counter: &mut NodeCounter,
    ) -> Vec<A> {
        let legal = tree.game.actions(state);
        match &self.inside {
            _ if legal.len() == 1 || depth < ORDER_FROM => legal,
            Some(candidates) if depth >= CANDIDATES_FROM => {
                candidates.list(tree, state, &legal, counter).moves
            }
            _ => {
                let ordered = order(tree, state, DOWN_PLIES, counter);
                ordered.into_iter().map(|entry| entry.action).collect()
            }
        }
    }
}

impl<G: MoveIdentity, F: Fn(&G::State) -> f64> Backup<GameTree<'_, G, F>> for Pruned<G::Action> {
    fn child_value(
        &mut self,
        tree: &GameTree<'_, G, F>,
        child: &G::State,
        depth: u32,
        floor: f64,
        counter: &mut NodeCounter,
    ) -> f64 {
        let mut line = Vec::new();
        let beta = -floor;
        let value = -self.value(tree, child, depth, f64::NEG_INFINITY, beta, &mut line, counter);
        if value > floor {
            self.line = line;
        }
        value
    }

    fn reply_line(&self) -> &[G::Action] {
        &self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Synthetic, solve};
    use crate::search::{Limits, StopFlag};

    /// Depth-limited minimax over the same moves, without a window.
    fn obvious<G: Game, F: Fn(&G::State) -> f64>(
        tree: &GameTree<'_, G, F>,
        state: &G::State,
        depth: u32,
    ) -> f64 {
        if let Some(value) = tree.final_value(state) {
            return value;
        }
        if depth == 0 {
            return tree.evaluate(state);
        }
        let actions = tree.game.actions(state).into_iter();
        let values = actions.map(|action| {
            let left = if tree.game.is_pass(action) { depth } else { depth - 1 };
            -obvious(tree, &tree.game.apply(state, action), left)
        });
        values.fold(f64::NEG_INFINITY, f64::max)
    }

    #[test]
    fn without_pruning_the_value_is_minimax_and_the_line_leads_to_it() {
        let stop = StopFlag::new();
        let mut counter = NodeCounter::new(&Limits::default(), &stop);
        for seed in 0..200 {
            let game = Synthetic {
                seed,
                most_moves: 4,
                plies: 7,
                values: 5,
                pass_one_in: 6,
                end_one_in: 9,
            };
            let evaluate = |node: &_| game.static_value(node);
            let tree = GameTree { game: &game, evaluate, most_moves: 4 };
            let rule = Pruned::new(None);
            let start = game.start();
            for depth in 0..=7 {
                let mut line = Vec::new();
                let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
                let value = rule.value(&tree, &start, depth, low, high, &mut line, &mut counter);
                assert_eq!(value, obvious(&tree, &start, depth));
                let (mut state, mut sign) = (start, 1.0);
                for action in line {
                    state = game.apply(&state, action);
                    sign = -sign;
                }
                assert_eq!(sign * game.static_value(&state), value);
                if depth == 7 {
                    assert_eq!(value, solve(&game, &start));
                }
            }
        }
    }

    #[test]
    fn candidates_inside_the_tree_search_fewer_nodes() {
        let game = Synthetic {
            seed: 4,
            most_moves: 12,
            plies: 9,
            values: 50,
            pass_one_in: 0,
            end_one_in: 0,
        };
        let evaluate = |node: &_| game.static_value(node);
        let tree = GameTree { game: &game, evaluate, most_moves: 12 };
        let nodes = |inside| {
            let stop = StopFlag::new();
            let mut counter = NodeCounter::new(&Limits::default(), &stop);
            let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
            let rule = Pruned::new(inside);
            rule.value(&tree, &game.start(), 6, low, high, &mut Vec::new(), &mut counter);
            counter.nodes
        };
        assert!(nodes(Some(Candidates::standard(2))) < nodes(None));
    }
}
