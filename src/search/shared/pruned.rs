//! Forward-pruned alpha-beta: full width below the candidates of the root, or candidates only in the
//! upper part of the tree as well.
//!
//! Two things that the paper leaves to others, both inside the tree: **sideways sharing**, where the
//! best move found in a position is a candidate in its brothers, the positions after the other moves
//! of the parent; and **widening**, where a position that all candidates leave worse than it looked
//! has its other moves searched too.

use super::candidates::{Candidates, DOWN_PLIES, shared_move};
use super::order::order;
use crate::game::MoveIdentity;
use crate::search::expectation::backup::Backup;
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::expectation::tree::{GameTree, Tree};

/// Least depth at which a node's moves are ordered by their static values, plies.
const ORDER_FROM: u32 = 2;
/// Least depth at which a node has candidates of its own, plies: a list costs some hundred nodes.
const CANDIDATES_FROM: u32 = 3;

/// Alpha and beta.
type Window = (f64, f64);

/// The best value of a node so far, with what is left of its window.
struct Best {
    value: f64,
    window: Window,
}

/// The search. A forced pass uses up no depth.
pub struct Pruned<A> {
    /// Candidates of the nodes inside the tree; every legal move if absent.
    pub inside: Option<Candidates>,
    /// Whether the best move of a brother is a candidate.
    pub sideways: bool,
    /// How much worse than its static value a position must turn out for its other moves to be
    /// searched too, in the evaluation's unit; `None` for never.
    pub widen: Option<f64>,
    line: Vec<A>,
}

impl<A: Copy + Eq> Pruned<A> {
    /// A search with these candidates inside the tree.
    pub fn new(inside: Option<Candidates>) -> Pruned<A> {
        Pruned { inside, sideways: false, widen: None, line: Vec::new() }
    }

    /// Fail-soft alpha-beta, mover's view; `line` becomes the play expected. `brother` is the last
    /// brother searched, with its best move.
    #[allow(clippy::too_many_arguments)]
    fn value<G: MoveIdentity<Action = A>, F: Fn(&G::State) -> f64>(
        &self,
        tree: &GameTree<'_, G, F>,
        state: &G::State,
        depth: u32,
        window: Window,
        brother: Option<&(G::State, A)>,
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
        let legal = tree.game.actions(state);
        let moves = self.moves(tree, state, &legal, depth, brother, counter);
        let mut best = Best { value: f64::NEG_INFINITY, window };
        self.search(tree, state, &moves, depth, &mut best, line, counter);
        if let Some(margin) = self.widen
            && moves.len() < legal.len()
            && best.value < best.window.1
            && best.value < tree.evaluate(state) - margin
        {
            let others: Vec<A> = legal.into_iter().filter(|other| !moves.contains(other)).collect();
            self.search(tree, state, &others, depth, &mut best, line, counter);
        }
        if counter.is_exhausted() { 0.0 } else { best.value }
    }

    /// Searches some moves of a node and keeps the best of all so far.
    #[allow(clippy::too_many_arguments)]
    fn search<G: MoveIdentity<Action = A>, F: Fn(&G::State) -> f64>(
        &self,
        tree: &GameTree<'_, G, F>,
        state: &G::State,
        moves: &[A],
        depth: u32,
        best: &mut Best,
        line: &mut Vec<A>,
        counter: &mut NodeCounter,
    ) {
        let mut below = Vec::new();
        let mut brother = None;
        for &action in moves {
            let after = tree.game.apply(state, action);
            let left = if tree.game.is_pass(action) { depth } else { depth - 1 };
            let (alpha, beta) = best.window;
            let window = (-beta, -alpha);
            let value =
                -self.value(tree, &after, left, window, brother.as_ref(), &mut below, counter);
            if counter.is_exhausted() {
                return;
            }
            if self.sideways {
                brother = below.first().map(|&reply| (after, reply)).or(brother);
            }
            if value > best.value {
                best.value = value;
                line.clear();
                line.push(action);
                line.append(&mut below);
                best.window.0 = best.window.0.max(value);
                if value >= beta {
                    return;
                }
            }
        }
    }

    /// The moves to look at, in the order to do so.
    fn moves<G: MoveIdentity<Action = A>, F: Fn(&G::State) -> f64>(
        &self,
        tree: &GameTree<'_, G, F>,
        state: &G::State,
        legal: &[A],
        depth: u32,
        brother: Option<&(G::State, A)>,
        counter: &mut NodeCounter,
    ) -> Vec<A> {
        match &self.inside {
            _ if legal.len() == 1 || depth < ORDER_FROM => legal.to_vec(),
            Some(candidates) if depth >= CANDIDATES_FROM => {
                let mut moves = candidates.list(tree, state, legal, counter).moves;
                let shared = brother.and_then(|(elsewhere, action)| {
                    shared_move(tree.game, elsewhere, *action, state, legal)
                });
                if let Some(action) = shared {
                    moves.retain(|known| *known != action);
                    moves.insert(0, action);
                    moves.truncate(candidates.count.max(1));
                }
                moves
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
        let window = (f64::NEG_INFINITY, -floor);
        let value = -self.value(tree, child, depth, window, None, &mut line, counter);
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

    const ALL: Window = (f64::NEG_INFINITY, f64::INFINITY);

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
                let value = rule.value(&tree, &start, depth, ALL, None, &mut line, &mut counter);
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
            let rule = Pruned::new(inside);
            rule.value(&tree, &game.start(), 6, ALL, None, &mut Vec::new(), &mut counter);
            counter.nodes
        };
        assert!(nodes(Some(Candidates::standard(2))) < nodes(None));
    }

    /// Widening whatever the candidates say is searching everything.
    #[test]
    fn widening_everywhere_gives_the_value_of_the_full_search_and_sideways_moves_find_more() {
        let stop = StopFlag::new();
        let mut counter = NodeCounter::new(&Limits::default(), &stop);
        let mut changed = 0;
        for seed in 0..60 {
            let game = Synthetic {
                seed,
                most_moves: 6,
                plies: 9,
                values: 20,
                pass_one_in: 9,
                end_one_in: 15,
            };
            let evaluate = |node: &_| game.static_value(node);
            let tree = GameTree { game: &game, evaluate, most_moves: 6 };
            let start = game.start();
            let mut value = |rule: &Pruned<_>| {
                rule.value(&tree, &start, 6, ALL, None, &mut Vec::new(), &mut counter)
            };
            let narrow = Pruned::new(Some(Candidates::standard(2)));
            let wide = Pruned { widen: Some(f64::NEG_INFINITY), ..Pruned::new(narrow.inside) };
            assert_eq!(value(&wide), value(&Pruned::new(None)), "seed {seed}");
            let sideways = Pruned { sideways: true, ..Pruned::new(narrow.inside) };
            changed += usize::from(value(&sideways) != value(&narrow));
        }
        assert!(changed > 5, "{changed}");
    }
}
