//! The expectation search of 2002: E at the parents of the leaves, minimax above them, by
//! alpha-beta.
//!
//! In the mover's view both kinds of node are one: the mover takes the best child, and at a leaf
//! parent the mean of the best. What alpha-beta may cut:
//!
//! - above the leaf parents everything minimax may: with principal variation search, a table and
//!   ordering by the shallower iterations;
//! - at a leaf parent, E of the children seen so far is a lower bound (another child only raises
//!   it), and so is the best child alone: at beta or above, the rest need not be looked at;
//! - max h + σ·m_k is an upper bound: at alpha or below, E need not be computed.
//!
//! Cuts keep a margin for the rounding of E, so that the result is exactly that of the uncut search
//! (tested against a transcription of the definition). With σ = 0 this is plain minimax.

use std::mem::take;

use super::backup::Backup;
use super::budget::Budget;
use super::exact::{self, expected_max, expected_max_with_certain, standard_expected_max};
use super::frame::{Finished, Frame, Passes, Spread};
use super::sampled::Tuples;
use super::table::Table;
use super::tree::{Tree, Turn};
use crate::random::seeded_part;

/// No line is longer, passes included.
const MOST_PLIES: usize = 130;

/// Numbers of leaves after which a partial E is tried as a cut, and how many must be left for it
/// to be worth its cost; chosen by timing.
const PARTIAL_AFTER: [usize; 3] = [3, 6, 12];
const PARTIAL_LEFT: usize = 3;

/// Alpha-beta on expectations.
pub struct AlphaBeta<T: Tree> {
    frame: Frame,
    table: Table,
    lists: Vec<Vec<(T::Action, T::Node)>>,
    lines: Vec<Vec<T::Action>>,
    leaves: Vec<f64>,
    tuples: Tuples,
}

/// The open interval of values that matter.
#[derive(Clone, Copy)]
pub struct Window {
    /// At or below it, any upper bound will do.
    pub alpha: f64,
    /// At or above it, any lower bound will do.
    pub beta: f64,
}

impl Window {
    /// Every value matters.
    pub const FULL: Window = Window { alpha: f64::NEG_INFINITY, beta: f64::INFINITY };

    fn flipped(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }

    fn above(alpha: f64) -> Window {
        Window { alpha, beta: alpha.next_up() }
    }

    fn is_wide(self) -> bool {
        self.beta > self.alpha.next_up()
    }
}

impl<T: Tree> AlphaBeta<T> {
    /// A search with these settings and this table, which must come from a search with the same
    /// settings or be empty.
    pub fn new(frame: Frame, table: Table) -> AlphaBeta<T> {
        AlphaBeta {
            tuples: Tuples::new(frame.samples),
            frame,
            table,
            lists: (0..MOST_PLIES).map(|_| Vec::new()).collect(),
            lines: (0..=MOST_PLIES).map(|_| Vec::new()).collect(),
            leaves: Vec::new(),
        }
    }

    /// The table, for the next search with the same settings.
    pub fn into_table(self) -> Table {
        self.table
    }

    /// Best play after the node last valued with a full window at ply 0.
    pub fn line(&self) -> &[T::Action] {
        &self.lines[0]
    }

    /// The value K of a node searched `depth` plies deep: exact inside the window, otherwise a bound
    /// on the window's side. Meaningless once the budget is exhausted.
    pub fn value(
        &mut self,
        tree: &T,
        node: &T::Node,
        depth: u32,
        ply: usize,
        window: Window,
        budget: &mut Budget,
    ) -> f64 {
        self.lines[ply].clear();
        if !budget.spend(1) {
            return 0.0;
        }
        if depth == 0 {
            return self.leaf(tree, node, self.frame.spreads.at(tree.stage(node))).0;
        }
        let key = tree.key(node);
        let known = if depth > 1 { self.table.get(key) } else { None };
        if let Some(entry) = known
            && u32::from(entry.depth) == depth
            && !window.is_wide()
        {
            if entry.lower >= window.beta {
                return entry.lower;
            }
            if entry.upper <= window.alpha {
                return entry.upper;
            }
        }
        let mut children = take(&mut self.lists[ply]);
        children.clear();
        let value = match tree.expand(node, &mut children) {
            Turn::Over(score) => self.finished(tree, node, score),
            Turn::Pass(action, next) => {
                let depth = if self.frame.passes == Passes::Free { depth } else { depth - 1 };
                let value = -self.value(tree, &next, depth, ply + 1, window.flipped(), budget);
                self.extend_line(ply, action);
                value
            }
            Turn::Moves if depth == 1 => {
                let (value, best) = self.leaf_parent(tree, node, &children, window, budget);
                self.lines[ply].push(children[best].0);
                value
            }
            Turn::Moves => {
                let hint = known.map(|entry| usize::from(entry.best));
                let (value, best) = self.inner(tree, &children, depth, ply, window, hint, budget);
                if !budget.is_exhausted() {
                    self.table.put(key, depth, value, (window.alpha, window.beta), best as u8);
                }
                value
            }
        };
        self.lists[ply] = children;
        value
    }

    /// The best child's value and index.
    #[allow(clippy::too_many_arguments)] // One node's whole situation, used in one place.
    fn inner(
        &mut self,
        tree: &T,
        children: &[(T::Action, T::Node)],
        depth: u32,
        ply: usize,
        window: Window,
        hint: Option<usize>,
        budget: &mut Budget,
    ) -> (f64, usize) {
        let mut order: Vec<(f64, usize)> = children
            .iter()
            .enumerate()
            .map(|(index, (_, child))| {
                let first = hint == Some(index);
                (if first { f64::INFINITY } else { tree.promise(child) }, index)
            })
            .collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut best = (f64::NEG_INFINITY, order[0].1);
        let mut alpha = window.alpha;
        for (turn, &(_, index)) in order.iter().enumerate() {
            let child = &children[index].1;
            let rest = Window { alpha, beta: window.beta };
            let narrow = if turn == 0 { rest } else { Window::above(alpha) };
            let mut value = -self.value(tree, child, depth - 1, ply + 1, narrow.flipped(), budget);
            if turn > 0 && value > alpha && value < window.beta {
                value = -self.value(tree, child, depth - 1, ply + 1, rest.flipped(), budget);
            }
            if budget.is_exhausted() {
                return best;
            }
            if value > best.0 {
                best = (value, index);
                if value > alpha {
                    alpha = value;
                    self.extend_line(ply, children[index].0);
                }
            }
            if alpha >= window.beta {
                break;
            }
        }
        best
    }

    /// E of a leaf parent and the index of its best child.
    fn leaf_parent(
        &mut self,
        tree: &T,
        node: &T::Node,
        children: &[(T::Action, T::Node)],
        window: Window,
        budget: &mut Budget,
    ) -> (f64, usize) {
        let spread = *self.frame.spreads.at(tree.stage(node) + 1);
        budget.spend(children.len() as u64);
        if self.frame.samples > 0 && spread.sigma.get() > 0.0 {
            return self.sampled_leaf_parent(tree, node, children, &spread, window, budget);
        }
        let sigma = spread.sigma.get();
        // An upper bound of the gain over the best leaf, rounding included.
        let margin = sigma * (standard_expected_max(children.len()) + exact::ERROR);
        let mut leaves = take(&mut self.leaves);
        leaves.clear();
        let mut certain = f64::NEG_INFINITY;
        let mut best = (f64::NEG_INFINITY, 0);
        let mut value = None;
        for (index, (_, child)) in children.iter().enumerate() {
            let (leaf, is_certain) = self.leaf(tree, child, &spread);
            let leaf = -leaf;
            if is_certain {
                certain = certain.max(leaf);
            } else {
                leaves.push(leaf);
            }
            if leaf > best.0 {
                best = (leaf, index);
            }
            if best.0 >= window.beta {
                value = Some(best.0);
                break;
            }
            let worth_trying = PARTIAL_AFTER.contains(&leaves.len())
                && children.len() - index > PARTIAL_LEFT
                && best.0 + margin >= window.beta;
            if worth_trying {
                let partial = expected_max(spread.sigma, &leaves);
                if partial >= window.beta + sigma * exact::ERROR {
                    value = Some(partial);
                    break;
                }
            }
        }
        let value = value.unwrap_or_else(|| {
            if sigma == 0.0 {
                best.0
            } else if best.0 + margin <= window.alpha {
                best.0 + margin
            } else if certain == f64::NEG_INFINITY {
                expected_max(spread.sigma, &leaves)
            } else {
                expected_max_with_certain(spread.sigma, &leaves, certain)
            }
        });
        self.leaves = leaves;
        (value, best.1)
    }

    fn sampled_leaf_parent(
        &mut self,
        tree: &T,
        node: &T::Node,
        children: &[(T::Action, T::Node)],
        spread: &Spread,
        window: Window,
        budget: &mut Budget,
    ) -> (f64, usize) {
        let key = tree.key(node);
        let mut rng = seeded_part(self.frame.seed, crate::othello::hash::hash_discs(key.0, key.1));
        self.tuples.clear();
        let mut best = (f64::NEG_INFINITY, 0);
        for (index, (_, child)) in children.iter().enumerate() {
            let (leaf, is_certain) = self.leaf(tree, child, spread);
            if is_certain {
                self.tuples.raise(-leaf);
            } else {
                self.tuples.add(spread.sigma, -leaf, &mut rng);
            }
            if -leaf > best.0 {
                best = (-leaf, index);
            }
            // Draws cost far more than a node: count them, so that stopping stays prompt.
            budget.spend(self.frame.samples as u64 / SAMPLES_PER_NODE);
            if self.tuples.mean() >= window.beta {
                break;
            }
        }
        (self.tuples.mean(), best.1)
    }

    /// The mean value of a leaf for its mover, and whether it is certain.
    #[inline]
    fn leaf(&self, tree: &T, node: &T::Node, spread: &Spread) -> (f64, bool) {
        if self.frame.finished == Finished::Exact
            && let Some(score) = tree.final_value(node)
        {
            return (score, true);
        }
        (spread.mean(tree.evaluate(node)), false)
    }

    fn finished(&self, tree: &T, node: &T::Node, score: f64) -> f64 {
        match self.frame.finished {
            Finished::Exact => score,
            Finished::Static => tree.evaluate(node),
        }
    }

    /// The line at `ply` becomes `action` followed by the line one ply below.
    fn extend_line(&mut self, ply: usize, action: T::Action) {
        let (above, below) = self.lines.split_at_mut(ply + 1);
        above[ply].clear();
        above[ply].push(action);
        above[ply].extend_from_slice(&below[0]);
    }
}

/// Normal draws that take about as long as visiting a node.
const SAMPLES_PER_NODE: u64 = 50;

impl<T: Tree> Backup<T> for AlphaBeta<T> {
    fn child_value(
        &mut self,
        tree: &T,
        child: &T::Node,
        depth: u32,
        floor: f64,
        budget: &mut Budget,
    ) -> f64 {
        let window = Window { alpha: floor, beta: f64::INFINITY };
        if floor > f64::NEG_INFINITY {
            let narrow = Window::above(floor);
            let value = -self.value(tree, child, depth, 0, narrow.flipped(), budget);
            if value <= floor || budget.is_exhausted() {
                return value;
            }
        }
        -self.value(tree, child, depth, 0, window.flipped(), budget)
    }

    fn reply_line(&self) -> &[T::Action] {
        self.line()
    }
}
