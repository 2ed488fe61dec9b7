//! The pruned OM search against a transcription of its definition without any pruning.

use super::om::*;
use crate::eval::mobility::Mobility;
use crate::eval::{Evaluator, UNIT, discs::Discs};
use crate::game::{Game, Synthetic};
use crate::othello::random::{random_position, seeded};
use crate::othello::{Move, Position};
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::expectation::table::Table;
use crate::search::expectation::tree::{GameTree, OthelloTree, Tree};
use crate::search::{Limits, StopFlag};

/// The definition's view of a game: children, an end, both evaluations for the side to move.
trait Definition {
    type Node: Clone;
    fn children(&self, node: &Self::Node) -> Vec<Self::Node>;
    fn is_pass(&self, node: &Self::Node) -> bool;
    fn end(&self, node: &Self::Node) -> Option<f64>;
    fn own(&self, node: &Self::Node) -> f64;
    fn model(&self, node: &Self::Node) -> f64;

    fn after(&self, node: &Self::Node, depth: u32) -> u32 {
        if self.is_pass(node) { depth } else { depth - 1 }
    }

    /// Full-width minimax on one evaluation, mover's view.
    fn minimax(&self, node: &Self::Node, depth: u32, value: &dyn Fn(&Self::Node) -> f64) -> f64 {
        if let Some(end) = self.end(node) {
            return end;
        }
        if depth == 0 {
            return value(node);
        }
        let below = self.after(node, depth);
        let children = self.children(node);
        let values = children.iter().map(|child| -self.minimax(child, below, value));
        values.fold(f64::NEG_INFINITY, f64::max)
    }

    /// F, root side's view; every g and every F is computed in full.
    fn f(&self, node: &Self::Node, depth: u32, is_own: bool, model: ModelDepth) -> f64 {
        let sign = if is_own { 1.0 } else { -1.0 };
        if let Some(end) = self.end(node) {
            return sign * end;
        }
        if depth == 0 {
            return sign * self.own(node);
        }
        let below = self.after(node, depth);
        let children = self.children(node);
        let f: Vec<f64> =
            children.iter().map(|child| self.f(child, below, !is_own, model)).collect();
        if is_own {
            return f.into_iter().fold(f64::NEG_INFINITY, f64::max);
        }
        let model_below = match model {
            ModelDepth::ToLeaves => below,
            ModelDepth::Plies(plies) => plies - 1,
        };
        let g: Vec<f64> = children
            .iter()
            .map(|child| self.minimax(child, model_below, &|leaf| self.model(leaf)))
            .collect();
        // The reply's g is for the side that moves next, us: the opponent takes the least.
        let least = g.iter().copied().fold(f64::INFINITY, f64::min);
        let chosen = || f.iter().zip(&g).filter(|(_, g)| **g == least);
        let share = 1.0 / chosen().count() as f64;
        chosen().map(|(f, _)| share * f).sum()
    }
}

fn other_value(tree: &Synthetic, node: &<Synthetic as Game>::State) -> f64 {
    Synthetic { seed: tree.seed ^ 0x55, ..*tree }.static_value(node)
}

impl Definition for Synthetic {
    type Node = <Synthetic as Game>::State;

    fn children(&self, node: &Self::Node) -> Vec<Self::Node> {
        self.actions(node).into_iter().map(|action| self.apply(node, action)).collect()
    }
    fn is_pass(&self, node: &Self::Node) -> bool {
        matches!(self.actions(node).as_slice(), [only] if Game::is_pass(self, *only))
    }
    fn end(&self, node: &Self::Node) -> Option<f64> {
        self.terminal_value(node)
    }
    fn own(&self, node: &Self::Node) -> f64 {
        self.static_value(node)
    }
    fn model(&self, node: &Self::Node) -> f64 {
        other_value(self, node)
    }
}

/// Own evaluation discs, the opponent's mobility.
struct Boards;

fn discs_of(evaluator: &dyn Evaluator, position: Position) -> f64 {
    f64::from(evaluator.evaluate(position)) / f64::from(UNIT)
}

impl Definition for Boards {
    type Node = Position;

    fn children(&self, node: &Position) -> Vec<Position> {
        node.children().map(|(_, child)| child).collect()
    }
    fn is_pass(&self, node: &Position) -> bool {
        node.must_pass()
    }
    fn end(&self, node: &Position) -> Option<f64> {
        node.is_over().then(|| f64::from(node.final_score()))
    }
    fn own(&self, node: &Position) -> f64 {
        discs_of(&Discs, *node)
    }
    fn model(&self, node: &Position) -> f64 {
        discs_of(&Mobility, *node)
    }
}

const DEPTHS: [ModelDepth; 4] =
    [ModelDepth::ToLeaves, ModelDepth::Plies(1), ModelDepth::Plies(2), ModelDepth::Plies(3)];

fn close(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() < 1e-9, "{found} {expected}: {what}");
}

fn synthetic(seed: u64) -> Synthetic {
    Synthetic { seed, most_moves: 4, plies: 8, values: 4, pass_one_in: 8, end_one_in: 12 }
}

#[test]
fn pruned_om_search_is_the_unpruned_one_on_synthetic_trees() {
    let stop = StopFlag::new();
    let mut counter = NodeCounter::new(&Limits::default(), &stop);
    let mut above = 0;
    for seed in 0..400 {
        let game = synthetic(seed);
        let start = game.start();
        let own = GameTree { game: &game, evaluate: |n: &_| game.static_value(n), most_moves: 4 };
        let other =
            GameTree { game: &game, evaluate: |n: &_| other_value(&game, n), most_moves: 4 };
        for depth in DEPTHS {
            let model = MinimaxModel::new(&other, depth, 0.0, Table::new(1 << 14).unwrap());
            let mut search = OmSearch::new(&own, Box::new(model));
            for plies in 1..=5 {
                let found = search.value(&start, plies, true, &mut Vec::new(), &mut counter);
                let expected = game.f(&start, plies, true, depth);
                close(found, expected, &format!("seed {seed}, {plies} plies, {depth:?}"));
                let minimax = game.minimax(&start, plies, &|leaf| game.static_value(leaf));
                assert!(found >= minimax - 1e-9, "F is never below minimax");
                above += usize::from(found > minimax + 1e-9);
            }
        }
    }
    assert!(above > 500, "mistakes are common in these trees: {above}");
}

#[test]
fn pruned_om_search_is_the_unpruned_one_on_othello() {
    let stop = StopFlag::new();
    let mut counter = NodeCounter::new(&Limits::default(), &stop);
    let (own, other): (&dyn Evaluator, &dyn Evaluator) = (&Discs, &Mobility);
    let (own, other) = (OthelloTree { evaluation: &own }, OthelloTree { evaluation: &other });
    let mut rng = seeded(31);
    for case in 0..200 {
        let position = random_position(2 + case % 50, &mut rng);
        for depth in DEPTHS {
            let model = MinimaxModel::new(&other, depth, 0.0, Table::new(1 << 14).unwrap());
            let mut search = OmSearch::new(&own, Box::new(model));
            for plies in 1..=3 {
                let root = own.root(position);
                let found = search.value(&root, plies, true, &mut Vec::new(), &mut counter);
                let expected = Boards.f(&position, plies, true, depth);
                close(found, expected, &format!("{position:?} {plies} plies, {depth:?}"));
            }
        }
    }
}

#[test]
fn an_opponent_with_our_own_evaluation_is_minimax() {
    let stop = StopFlag::new();
    let mut counter = NodeCounter::new(&Limits::default(), &stop);
    for seed in 0..100 {
        let game = synthetic(seed);
        let own = GameTree { game: &game, evaluate: |n: &_| game.static_value(n), most_moves: 4 };
        let table = Table::new(1 << 14).unwrap();
        let model = MinimaxModel::new(&own, ModelDepth::ToLeaves, 0.0, table);
        let mut search = OmSearch::new(&own, Box::new(model));
        let found = search.value(&game.start(), 5, true, &mut Vec::new(), &mut counter);
        close(found, game.minimax(&game.start(), 5, &|leaf| game.static_value(leaf)), "minimax");
    }
}

#[test]
fn a_recursive_model_of_the_same_evaluation_is_minimax_too() {
    let stop = StopFlag::new();
    let mut counter = NodeCounter::new(&Limits::default(), &stop);
    for seed in 0..100 {
        let game = synthetic(seed);
        let own = GameTree { game: &game, evaluate: |n: &_| game.static_value(n), most_moves: 4 };
        let table = Table::new(1 << 14).unwrap();
        let of_us = MinimaxModel::new(&own, ModelDepth::ToLeaves, 0.0, table);
        let opponent = OmSearch::new(&own, Box::new(of_us));
        let model = RecursiveModel { search: opponent, depth: ModelDepth::ToLeaves };
        let mut search = OmSearch::new(&own, Box::new(model));
        let found = search.value(&game.start(), 4, true, &mut Vec::new(), &mut counter);
        close(found, game.minimax(&game.start(), 4, &|leaf| game.static_value(leaf)), "minimax");
    }
}

/// The digest's example: a second node with children (F, g) = (7, 3) and (2, 5) has F = 7.
struct Worked;

impl<T: Tree> ReplyModel<T> for Worked {
    fn replies(
        &mut self,
        tree: &T,
        node: &T::Node,
        _: u32,
        _: &mut NodeCounter<'_>,
    ) -> Replies<T::Action> {
        let mut children = Vec::new();
        tree.expand(node, &mut children);
        vec![(children[0].0, 0.25), (children[1].0, 0.75)]
    }
}

#[test]
fn f_is_the_mean_over_the_replies_that_the_model_expects() {
    let stop = StopFlag::new();
    let mut counter = NodeCounter::new(&Limits::default(), &stop);
    let discs: &dyn Evaluator = &Discs;
    let tree = OthelloTree { evaluation: &discs };
    let mut search = OmSearch::new(&tree, Box::new(Worked));
    let after = Position::START.play("f5".parse().unwrap()).unwrap();
    let children: Vec<(Move, Position)> = after.children().collect();
    let value = |index: usize| discs_of(&Discs, children[index].1);
    let mut line = Vec::new();
    let found = search.value(&tree.root(after), 1, false, &mut line, &mut counter);
    close(found, 0.25 * value(0) + 0.75 * value(1), "the mean");
    assert_eq!(line, [children[1].0]);
}

#[test]
fn a_move_beyond_the_risk_is_not_considered() {
    let stop = StopFlag::new();
    let mut counter = NodeCounter::new(&Limits::default(), &stop);
    let (own, other): (&dyn Evaluator, &dyn Evaluator) = (&Mobility, &Discs);
    let (own, other) = (OthelloTree { evaluation: &own }, OthelloTree { evaluation: &other });
    let mut rng = seeded(32);
    let mut restrained = 0;
    for _ in 0..40 {
        let position = random_position(30, &mut rng);
        let moves = own.children(&own.root(position), position.legal_moves());
        let mut ranked = |risk: f64| {
            let table = Table::new(1 << 14).unwrap();
            let model = MinimaxModel::new(&other, ModelDepth::Plies(1), 0.0, table);
            let mut search = OmSearch::new(&own, Box::new(model));
            let mut safe = super::om::minimax(Table::new(1 << 14).unwrap());
            search.rank(&moves, 3, risk, &mut safe, &mut counter).unwrap().moves
        };
        let (free, safe) = (ranked(f64::INFINITY), ranked(0.0));
        let value = |leaf: &Position| discs_of(&Mobility, *leaf);
        let minimax = |action: Move| -Boards.minimax(&position.after(action).unwrap(), 2, &value);
        let best = moves.iter().map(|(action, _)| minimax(*action)).fold(f64::MIN, f64::max);
        assert_eq!(minimax(safe[0].action), best);
        assert!(free[0].value >= safe[0].value);
        restrained += usize::from(free[0].action != safe[0].action);
    }
    assert!(restrained > 5, "the risk matters in few positions: {restrained}");
}

/// Without the likelihood bound a soft opponent plays every move; the bound takes little weight away.
#[test]
fn a_soft_opponents_likely_replies_are_weighed_by_their_values() {
    let stop = StopFlag::new();
    let mut counter = NodeCounter::new(&Limits::default(), &stop);
    let evaluator: &dyn Evaluator = &Mobility;
    let tree = OthelloTree { evaluation: &evaluator };
    let mut rng = seeded(33);
    let mut left_out = 0;
    for _ in 0..60 {
        let position = random_position(34, &mut rng);
        for softness in [0.5, 1.0, 4.0] {
            let table = Table::new(1 << 14).unwrap();
            let mut model = MinimaxModel::new(&tree, ModelDepth::Plies(2), softness, table);
            let found = model.replies(&tree, &tree.root(position), 9, &mut counter);
            let again = model.replies(&tree, &tree.root(position), 3, &mut counter);
            assert_eq!(found, again, "what is remembered");
            let values: Vec<(Move, f64)> = position
                .children()
                .map(|(action, child)| {
                    let value = |leaf: &Position| discs_of(&Mobility, *leaf);
                    (action, -Boards.minimax(&child, 1, &value))
                })
                .collect();
            let best = values.iter().map(|(_, value)| *value).fold(f64::MIN, f64::max);
            let weight = |value: f64| ((value - best) / softness).exp();
            let likely = values.iter().filter(|(_, value)| weight(*value) * LEAST_LIKELY >= 1.0);
            let sum: f64 = likely.clone().map(|(_, value)| weight(*value)).sum();
            assert_eq!(found.len(), likely.clone().count());
            for (action, value) in likely {
                let share = found.iter().find(|(known, _)| known == action).unwrap().1;
                close(share, weight(*value) / sum, "a reply's share");
            }
            left_out += values.len() - found.len();
        }
    }
    assert!(left_out > 20, "{left_out}");
}
