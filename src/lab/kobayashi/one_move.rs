//! The one-move experiment (section 4.2, tables 6 to 8): on recorded positions, is the move of the
//! expectation method better than that of minimax?
//!
//! Both search three plies with disc difference as the only evaluation; a finished game is a leaf
//! like any other. The two moves are then valued by minimax two plies deeper and by solving the game.

use rayon::prelude::*;
use serde::Serialize;

use super::published::Cell;
use super::singular;
use crate::eval::Evaluator;
use crate::eval::discs::Discs;
use crate::othello::{Move, Position};
use crate::search::endgame;
use crate::search::expectation::Deviation;
use crate::search::expectation::alpha_beta::{AlphaBeta, Window};
use crate::search::expectation::backup::Backup;
use crate::search::expectation::deepening::deepen;
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::expectation::older_rules::{FullWidth, OlderRule};
use crate::search::expectation::opponent_model::OpponentModel;
use crate::search::expectation::settings::{ExpectationSettings, Finished};
use crate::search::expectation::table::Table;
use crate::search::expectation::tree::{OthelloTree, Tree};
use crate::search::{Limits, StopFlag};
use crate::statistics::{Moments, Test};

/// Depth of both players in plies, D.
pub(super) const DEPTH: u32 = 3;
/// Depth of the first judge, D + 2.
const JUDGE_DEPTH: u32 = 5;
/// Bytes for a tree of five plies.
const TABLE_BYTES: usize = 1 << 18;

/// What one judge found.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Verdict {
    /// Counts and mean difference, for as many positions as there were.
    #[serde(flatten)]
    pub cell: Cell,
    /// Positions looked at.
    pub positions: u32,
    /// (K − M) / positions · 100.
    pub index1: f64,
    /// K / (K + M) · 100.
    pub index2: f64,
    /// The paper's test: both groups of values as if independent.
    pub unpaired: Test,
    /// The sharper test on the differences.
    pub paired: Test,
}

/// Both judges' verdicts.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Result {
    /// Judged by minimax two plies deeper (table 6).
    pub deeper: Verdict,
    /// Judged by solving the game (table 7).
    pub solved: Verdict,
    /// Positions in which the two methods chose differently.
    pub different: u32,
}

#[derive(Clone, Copy, Default)]
struct Tally {
    k_better: u32,
    m_better: u32,
    k: Moments,
    m: Moments,
    difference: Moments,
}

impl Tally {
    fn add(&mut self, k: i32, m: i32) {
        self.k_better += u32::from(k > m);
        self.m_better += u32::from(k < m);
        self.k.add(f64::from(k));
        self.m.add(f64::from(m));
        self.difference.add(f64::from(k - m));
    }

    fn verdict(&self) -> Verdict {
        let positions = self.difference.count.max(1.0);
        let (k, m) = (f64::from(self.k_better), f64::from(self.m_better));
        Verdict {
            cell: Cell {
                k_better: self.k_better,
                m_better: self.m_better,
                mean: self.difference.mean(),
            },
            positions: self.difference.count as u32,
            index1: (k - m) / positions * 100.0,
            index2: if k + m > 0.0 { k / (k + m) * 100.0 } else { 50.0 },
            unpaired: Test::unpaired(&self.k, &self.m),
            paired: Test::paired(&self.difference),
        }
    }
}

/// A way to choose a move by looking [`DEPTH`] plies ahead, with disc difference as the evaluation.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    /// Plain minimax.
    Minimax,
    /// The expectation method.
    Expectation {
        /// σ.
        sigma: Deviation,
        /// m of the Monte Carlo estimates; 0 for exact E.
        samples: usize,
        /// Seed of the estimates.
        seed: u64,
    },
    /// The expected-value method: the opponent chooses by static minimax.
    OpponentModel {
        /// σ.
        sigma: Deviation,
    },
    /// One of the rules that the paper sets itself against.
    Older {
        /// Which.
        rule: OlderRule,
        /// σ of those that use E.
        sigma: Deviation,
    },
    /// Minimax with singular extensions.
    Singular {
        /// Discs by which a move must stand out.
        margin: i32,
    },
}

impl Rule {
    /// The first of the best moves of a position that has one.
    pub fn choose(&self, position: Position) -> Move {
        let (sigma, samples, seed) = match *self {
            Rule::Minimax => (Deviation::ZERO, 0, 0),
            Rule::Expectation { sigma, samples, seed } => (sigma, samples, seed),
            Rule::OpponentModel { sigma } | Rule::Older { sigma, .. } => (sigma, 0, 0),
            Rule::Singular { margin } => return singular::choose(position, DEPTH, margin),
        };
        let mut settings = ExpectationSettings::with_sigma(sigma);
        settings.finished = Finished::Static;
        settings.samples = samples;
        settings.seed = seed;
        let discs: &dyn Evaluator = &Discs;
        let tree = OthelloTree { evaluation: &discs };
        let moves = tree.children(&tree.root(position), position.legal_moves());
        match *self {
            Rule::OpponentModel { .. } => {
                first_best(&tree, moves, OpponentModel::new(settings, small_table()))
            }
            Rule::Older { rule, .. } => first_best(&tree, moves, FullWidth::new(rule, settings)),
            _ => first_best(&tree, moves, AlphaBeta::new(settings, small_table())),
        }
    }
}

/// Room for a tree of five plies.
fn small_table() -> Table {
    Table::new(TABLE_BYTES).unwrap_or_else(|_| Table::tiny())
}

/// The first of the best moves by a back-up rule.
fn first_best<T: Tree<Action = Move>, B: Backup<T>>(
    tree: &T,
    moves: Vec<(Move, T::Node)>,
    mut rule: B,
) -> Move {
    let stop = StopFlag::new();
    let mut counter = NodeCounter::new(&Limits::default(), &stop);
    let ranking = deepen(tree, moves, 1, DEPTH, &mut rule, &mut counter, &mut |_, _| true);
    ranking.moves[0].action
}

/// The experiment: one move by a rule against one move by minimax.
#[derive(Clone, Copy, Debug)]
pub struct OneMove {
    /// The rule.
    pub rule: Rule,
}

impl OneMove {
    /// Runs it on all cores; `None` if stopped. `progress` is told of every position done.
    pub fn run(
        &self,
        positions: &[Position],
        stop: &StopFlag,
        progress: &(dyn Fn() + Sync),
    ) -> Option<Result> {
        judge_all(positions, stop, progress, |position| {
            let (k, m) = (self.rule.choose(position), Rule::Minimax.choose(position));
            let value = |chosen| [Judge::Deeper, Judge::Solved].map(|j| j.value(position, chosen));
            Pair { k: value(k), m: value(m), different: k != m }
        })
    }
}

/// What the two players got out of a position, judged two plies deeper and by the solved game.
pub(super) struct Pair {
    pub k: [i32; 2],
    pub m: [i32; 2],
    pub different: bool,
}

/// Judges all positions on all cores; `None` if stopped.
pub(super) fn judge_all(
    positions: &[Position],
    stop: &StopFlag,
    progress: &(dyn Fn() + Sync),
    play: impl Fn(Position) -> Pair + Sync,
) -> Option<Result> {
    let judged: Vec<Option<Pair>> = positions
        .par_iter()
        .map(|&position| {
            let pair = (!stop.is_stopped()).then(|| play(position));
            progress();
            pair
        })
        .collect();
    let (mut deeper, mut solved, mut different) = (Tally::default(), Tally::default(), 0);
    for pair in judged {
        let pair = pair?;
        deeper.add(pair.k[0], pair.m[0]);
        solved.add(pair.k[1], pair.m[1]);
        different += u32::from(pair.different);
    }
    Some(Result { deeper: deeper.verdict(), solved: solved.verdict(), different })
}

/// Who values the chosen moves.
#[derive(Clone, Copy)]
pub(super) enum Judge {
    Deeper,
    Solved,
}

impl Judge {
    /// The value of a move for the side that makes it, in discs.
    pub(super) fn value(self, position: Position, chosen: Move) -> i32 {
        let child = position.after_unchecked(chosen);
        match self {
            Judge::Solved => -endgame::solve(child),
            Judge::Deeper => {
                let mut settings = ExpectationSettings::with_sigma(Deviation::ZERO);
                settings.finished = Finished::Static;
                let discs: &dyn Evaluator = &Discs;
                let tree = OthelloTree { evaluation: &discs };
                let mut minimax = AlphaBeta::new(settings, small_table());
                let stop = StopFlag::new();
                let mut counter = NodeCounter::new(&Limits::default(), &stop);
                let node = tree.root(child);
                let depth = JUDGE_DEPTH - 1;
                -minimax.value(&tree, &node, depth, 0, Window::FULL, &mut counter) as i32
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::kobayashi::published;
    use crate::testdata::shared_data;
    use crate::training::recorded::{read_games, sample};

    #[test]
    #[ignore = "needs shared data (KITAI_DATA)"]
    fn a_small_run_agrees_with_the_published_rates_with_shared_data() {
        let file = shared_data("wthor/WTH_1995.wtb");
        let games = read_games(&[file]).unwrap().games;
        let positions = sample(&games, 54, 2_000, 1);
        let sigma = Deviation::new(published::sigma(54).unwrap()).unwrap();
        let experiment = OneMove { rule: Rule::Expectation { sigma, samples: 100, seed: 1 } };
        let result = experiment.run(&positions, &StopFlag::new(), &|| ()).unwrap();
        let rate = |count: u32| f64::from(count) / f64::from(result.deeper.positions) * 10_000.0;
        // Four deviations of a count of about 250 out of 2,000 are 300 per 10,000.
        assert!((rate(result.deeper.cell.k_better) - 1196.0).abs() < 420.0, "{result:?}");
        assert!((rate(result.deeper.cell.m_better) - 746.0).abs() < 350.0, "{result:?}");
        assert!(result.deeper.cell.mean > 0.0 && result.deeper.paired.t > 2.0, "{result:?}");
        assert!(result.different >= result.deeper.cell.k_better + result.deeper.cell.m_better);
    }

    #[test]
    fn with_sigma_zero_both_methods_are_one() {
        let mut rng = crate::random::seeded(4);
        let positions: Vec<_> =
            (0..50).map(|_| crate::othello::random::random_position(7, &mut rng)).collect();
        let positions: Vec<_> = positions.into_iter().filter(|p| p.has_move()).collect();
        let experiment = OneMove { rule: Rule::OpponentModel { sigma: Deviation::ZERO } };
        let result = experiment.run(&positions, &StopFlag::new(), &|| ()).unwrap();
        assert_eq!((result.different, result.deeper.cell.mean), (0, 0.0));
        let stopped = StopFlag::new();
        stopped.stop();
        assert!(experiment.run(&positions, &stopped, &|| ()).is_none());
    }
}
