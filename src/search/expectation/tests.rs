//! The searches against the literal definitions, on synthetic trees and on Othello, and the methods
//! through their public face.

use std::ops::ControlFlow;

use super::alpha_beta::AlphaBeta;
use super::backup::Backup;
use super::deepening::deepen;
use super::definition::Definition;
use super::deviation::Deviation;
use super::node_counter::NodeCounter;
use super::opponent_model::OpponentModel;
use super::settings::{ExpectationSettings, Finished, Passes, Spread, Spreads};
use super::table::Table;
use super::tree::{Expansion, GameTree, OthelloTree, Tree};
use crate::eval::Evaluator;
use crate::eval::discs::Discs;
use crate::game::othello::OthelloState;
use crate::game::{Game, Othello, Side, Synthetic};
use crate::othello::hash::hash_discs;
use crate::othello::random::{random_position, scattered_position};
use crate::random::{Random, seeded, seeded_part};
use crate::search::{Limits, StopFlag};
use rand::Rng;

fn sigma(value: f64) -> Deviation {
    Deviation::new(value).unwrap()
}

/// All root moves with their values, ranked by the search, `best` of them exact.
fn ranked<T: Tree, B: Backup<T>>(
    tree: &T,
    root: &T::Node,
    depth: u32,
    best: usize,
    rule: &mut B,
) -> Vec<(T::Action, f64)> {
    let mut moves = Vec::new();
    if let Expansion::Pass(action, next) = tree.expand(root, &mut moves) {
        moves.push((action, next));
    }
    let stop = StopFlag::new();
    let mut counter = NodeCounter::new(&Limits::default(), &stop);
    let ranking = deepen(tree, moves, best, depth, rule, &mut counter, &mut |_, _| true);
    assert_eq!(ranking.depth, depth);
    let ranked: Vec<_> = ranking.moves.iter().take(best).collect();
    assert!(ranked.iter().all(|root_move| root_move.is_exact));
    ranked.iter().map(|root_move| (root_move.action, root_move.value)).collect()
}

/// Best first, the first of equal ones first.
fn sorted<A>(mut values: Vec<(A, f64)>, best: usize) -> Vec<(A, f64)> {
    values.sort_by(|a, b| b.1.total_cmp(&a.1));
    values.truncate(best);
    values
}

fn described(settings: &ExpectationSettings) -> String {
    let ExpectationSettings { spreads, samples, seed, passes, finished } = settings;
    format!("{:?} m={samples} seed {seed} {passes:?} {finished:?}", spreads.at(0))
}

fn random_settings(rng: &mut Random, samples: usize) -> ExpectationSettings {
    let mut settings = ExpectationSettings::with_sigma(sigma(rng.random_range(0.0..6.0)));
    settings.samples = samples;
    settings.seed = rng.random_range(0..100);
    if rng.random() {
        settings.passes = Passes::Ply;
    }
    if rng.random() {
        settings.finished = Finished::Static;
    }
    if rng.random_range(0..4) == 0 {
        let spread = Spread { slope: 0.9, shift: 1.5, ..*settings.spreads.at(0) };
        settings.spreads = Spreads::constant(spread);
    }
    settings
}

/// Checks both searches on one synthetic tree.
fn check_synthetic(game: &Synthetic, settings: &ExpectationSettings, depth: u32, best: usize) {
    let evaluate = |node: &_| game.static_value(node);
    let tree = GameTree { game, evaluate, most_moves: game.most_moves as usize };
    let estimates = |node: &_| {
        let key = tree.key(node);
        seeded_part(settings.seed, hash_discs(key.0, key.1))
    };
    let root = game.start();
    let definition = Definition {
        game,
        evaluate: &evaluate,
        stage: &|_| 0,
        estimates: &estimates,
        settings: settings.clone(),
        root: game.to_move(&root),
    };
    let actions = game.actions(&root);
    let literal = |value: &dyn Fn(&_) -> f64| {
        let values = actions.iter().map(|&action| (action, value(&game.apply(&root, action))));
        sorted(values.collect(), best)
    };
    let mut expectation = AlphaBeta::new(settings.clone(), Table::new(4096).unwrap());
    assert_eq!(
        ranked(&tree, &root, depth, best, &mut expectation),
        literal(&|child| definition.expectation_value(child, depth - 1)),
        "expectation, depth {depth}, {game:?}, {}",
        described(settings)
    );
    let mut expected_value = OpponentModel::new(settings.clone(), Table::new(4096).unwrap());
    assert_eq!(
        ranked(&tree, &root, depth, best, &mut expected_value),
        literal(&|child| definition.opponent_model_value(child, depth - 1).k),
        "expected value, depth {depth}, {game:?}, {}",
        described(settings)
    );
}

#[test]
fn pruned_searches_of_synthetic_trees_equal_the_definitions() {
    let mut rng = seeded(11);
    for seed in 0..600 {
        let game = Synthetic {
            seed,
            most_moves: rng.random_range(2..=8),
            plies: rng.random_range(2..=8),
            values: rng.random_range(1..=20),
            pass_one_in: [0, 5, 12][rng.random_range(0..3)],
            end_one_in: [0, 6, 20][rng.random_range(0..3)],
        };
        let samples = if seed % 3 == 0 { 10 } else { 0 };
        let settings = random_settings(&mut rng, samples);
        let depth = rng.random_range(1..=if game.most_moves > 5 { 4 } else { 6 });
        check_synthetic(&game, &settings, depth, [1, 2, 64][rng.random_range(0..3)]);
    }
}

#[test]
fn pruned_searches_of_othello_equal_the_definitions() {
    let mut rng = seeded(12);
    let discs: &dyn Evaluator = &Discs;
    let tree = OthelloTree { evaluation: &discs };
    let evaluate = |state: &OthelloState| f64::from(state.position.disc_difference());
    for round in 0..200 {
        let position = match round % 3 {
            0 => scattered_position(rng.random_range(2..8), &mut rng),
            1 => random_position(rng.random_range(2..12), &mut rng),
            _ => random_position(rng.random_range(12..60), &mut rng),
        };
        let settings = random_settings(&mut rng, if round % 4 == 0 { 5 } else { 0 });
        let depth = rng.random_range(1..=if position.empty_count() > 11 { 3 } else { 4 });
        let best = [1, 3, 64][rng.random_range(0..3)];
        let estimates = |state: &OthelloState| {
            seeded_part(settings.seed, crate::othello::hash::hash(state.position))
        };
        let root = OthelloState { position, player: Side::First };
        let definition = Definition {
            game: &Othello,
            evaluate: &evaluate,
            stage: &|state| 60 - state.position.empty_count() as usize,
            estimates: &estimates,
            settings: settings.clone(),
            root: Side::First,
        };
        let literal = |value: &dyn Fn(&_) -> f64| {
            let actions = Othello.actions(&root);
            let values =
                actions.iter().map(|&action| (action, value(&Othello.apply(&root, action))));
            sorted(values.collect(), best)
        };
        let node = tree.root(position);
        let mut expectation = AlphaBeta::new(settings.clone(), Table::new(1 << 16).unwrap());
        assert_eq!(
            ranked(&tree, &node, depth, best, &mut expectation),
            literal(&|child| definition.expectation_value(child, depth - 1)),
            "{position:?} {} depth {depth}",
            described(&settings)
        );
        let mut expected_value = OpponentModel::new(settings.clone(), Table::new(1 << 16).unwrap());
        assert_eq!(
            ranked(&tree, &node, depth, best, &mut expected_value),
            literal(&|child| definition.opponent_model_value(child, depth - 1).k),
            "{position:?} {} depth {depth}",
            described(&settings)
        );
    }
}

#[test]
fn the_worked_tree_makes_minimax_and_expectation_disagree() {
    // R max; A, B min; C to F max; leaves in brackets: A{C(3,4), D(9,2)}, B{E(5,−10), F(7,−20)}.
    let tree = Worked;
    let settings = |s| ExpectationSettings::with_sigma(sigma(s));
    let plain = ranked(&tree, &1, 3, 2, &mut AlphaBeta::new(settings(0.0), Table::tiny()));
    assert_eq!(plain, [(3, 5.0), (2, 4.0)]);
    let close = |a: f64, b: f64| (a - b).abs() < 2e-6;
    let expectation = ranked(&tree, &1, 3, 2, &mut AlphaBeta::new(settings(8.0), Table::tiny()));
    assert_eq!(expectation[0].0, 2);
    assert!(close(expectation[0].1, 8.031136) && close(expectation[1].1, 5.487446));
    // The opponent, who knows static values only, goes to C (4 < 9) and to E (5 < 7).
    let model = ranked(&tree, &1, 3, 2, &mut OpponentModel::new(settings(8.0), Table::tiny()));
    assert_eq!(model, expectation);
}

/// The binary tree above: node n has the children 2n and 2n + 1, the leaves are 8 to 15.
struct Worked;

impl Tree for Worked {
    type Node = u32;
    type Action = u32;

    fn visit(
        &self,
        node: &u32,
        mut visitor: impl FnMut(usize, u32, u32) -> ControlFlow<()>,
    ) -> Expansion<u32, u32> {
        let children = [2 * node, 2 * node + 1];
        let _ = children.into_iter().try_for_each(|child| visitor(2, child, child));
        Expansion::Moves
    }

    fn final_value(&self, _node: &u32) -> Option<f64> {
        None
    }

    fn evaluate(&self, node: &u32) -> f64 {
        const LEAVES: [f64; 8] = [3.0, 4.0, 9.0, 2.0, 5.0, -10.0, 7.0, -20.0];
        // Leaves are below max nodes: their mover is the opponent.
        node.checked_sub(8).map_or(0.0, |leaf| -LEAVES[leaf as usize])
    }

    fn stage(&self, _node: &u32) -> usize {
        0
    }

    fn key(&self, node: &u32) -> (u64, u64) {
        (u64::from(*node), 0)
    }

    fn most_moves(&self, _node: &u32) -> usize {
        2
    }
}

#[test]
fn cuts_save_most_of_the_work() {
    let game =
        Synthetic { seed: 5, most_moves: 8, plies: 9, values: 20, pass_one_in: 0, end_one_in: 0 };
    let evaluate = |node: &_| game.static_value(node);
    let tree = GameTree { game: &game, evaluate, most_moves: 8 };
    let stop = StopFlag::new();
    let nodes = |best: usize| {
        let mut moves = Vec::new();
        tree.expand(&game.start(), &mut moves);
        let mut counter = NodeCounter::new(&Limits::default(), &stop);
        let mut rule = AlphaBeta::new(
            ExpectationSettings::with_sigma(sigma(4.0)),
            Table::new(1 << 20).unwrap(),
        );
        deepen(&tree, moves, best, 7, &mut rule, &mut counter, &mut |_, _| true);
        counter.nodes
    };
    assert!(nodes(1) < nodes(64), "fewer exact moves must cost less: {} {}", nodes(1), nodes(64));
    assert!(nodes(1) < count_nodes(&game, &game.start(), 7) / 4);
}

fn count_nodes(game: &Synthetic, state: &<Synthetic as Game>::State, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let actions = game.actions(state);
    1 + actions.iter().map(|&a| count_nodes(game, &game.apply(state, a), depth - 1)).sum::<u64>()
}
