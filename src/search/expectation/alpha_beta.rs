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
use std::ops::ControlFlow;

use super::backup::Backup;
use super::exact::{self, expected_max, expected_max_with_certain, standard_expected_max};
use super::node_counter::NodeCounter;
use super::sampled::Tuples;
use super::settings::{ExpectationSettings, Finished, Passes, Spread};
use super::table::Table;
use super::tree::{Expansion, Tree};
use crate::random::seeded_part;

/// No line is longer, passes included.
const MOST_PLIES: usize = 130;

/// Numbers of leaves after which a partial E is tried as a cut, and how many must be left for it
/// to be worth its cost; a guess, not tuned.
const PARTIAL_AFTER: [usize; 3] = [3, 6, 12];
const PARTIAL_LEFT: usize = 3;

/// Alpha-beta on expectations.
pub struct AlphaBeta<T: Tree> {
    settings: ExpectationSettings,
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

    fn null(alpha: f64) -> Window {
        Window { alpha, beta: alpha.next_up() }
    }

    fn is_wide(self) -> bool {
        self.beta > self.alpha.next_up()
    }
}

impl<T: Tree> AlphaBeta<T> {
    /// A search with these settings and this table, which must come from a search with the same
    /// settings or be empty.
    pub fn new(settings: ExpectationSettings, table: Table) -> AlphaBeta<T> {
        AlphaBeta {
            tuples: Tuples::new(settings.samples),
            settings,
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
        counter: &mut NodeCounter,
    ) -> f64 {
        self.lines[ply].clear();
        if !counter.spend(1) {
            return 0.0;
        }
        if depth == 0 {
            return self.leaf(tree, node, self.settings.spreads.at(tree.stage(node))).0;
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
        if depth == 1 {
            return self.leaf_parent(tree, node, ply, window, counter);
        }
        let mut children = take(&mut self.lists[ply]);
        children.clear();
        let value = match tree.expand(node, &mut children) {
            Expansion::Over(score) => self.finished(tree, node, score),
            Expansion::Pass(action, next) => {
                self.passed(tree, &next, action, depth, ply, window, counter)
            }
            Expansion::Moves => {
                let hint = known.map(|entry| usize::from(entry.best));
                let (value, best) = self.inner(tree, &children, depth, ply, window, hint, counter);
                if !counter.is_exhausted() {
                    self.table.put(key, depth, value, (window.alpha, window.beta), best as u8);
                }
                value
            }
        };
        self.lists[ply] = children;
        value
    }

    /// The value of a node whose mover must pass.
    #[allow(clippy::too_many_arguments)] // One node's whole situation, used in two places.
    fn passed(
        &mut self,
        tree: &T,
        next: &T::Node,
        action: T::Action,
        depth: u32,
        ply: usize,
        window: Window,
        counter: &mut NodeCounter,
    ) -> f64 {
        let depth = if self.settings.passes == Passes::Free { depth } else { depth - 1 };
        let value = -self.value(tree, next, depth, ply + 1, window.flipped(), counter);
        self.extend_line(ply, action);
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
        counter: &mut NodeCounter,
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
            let narrow = if turn == 0 { rest } else { Window::null(alpha) };
            let mut value = -self.value(tree, child, depth - 1, ply + 1, narrow.flipped(), counter);
            if turn > 0 && value > alpha && value < window.beta {
                value = -self.value(tree, child, depth - 1, ply + 1, rest.flipped(), counter);
            }
            if counter.is_exhausted() {
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

    /// The value of a node one ply above the leaves.
    fn leaf_parent(
        &mut self,
        tree: &T,
        node: &T::Node,
        ply: usize,
        window: Window,
        counter: &mut NodeCounter,
    ) -> f64 {
        let spread = *self.settings.spreads.at(tree.stage(node) + 1);
        let is_sampled = self.settings.samples > 0 && spread.sigma.get() > 0.0;
        let mut seen = LeavesSeen {
            leaves: take(&mut self.leaves),
            certain: f64::NEG_INFINITY,
            best: f64::NEG_INFINITY,
            best_action: None,
            count: 0,
            looked_at: 0,
            value: None,
        };
        seen.leaves.clear();
        let turn = if is_sampled {
            self.sample_leaves(tree, node, &spread, window, &mut seen)
        } else {
            self.look_at_leaves(tree, node, &spread, window, &mut seen)
        };
        // Draws cost far more than a node: count them, so that stopping stays prompt.
        let draws = if is_sampled { self.settings.samples as u64 / SAMPLES_PER_NODE } else { 0 };
        counter.spend(seen.looked_at * (1 + draws));
        self.lines[ply].extend(seen.best_action);
        let value = match turn {
            Expansion::Over(score) => self.finished(tree, node, score),
            Expansion::Pass(action, next) => {
                self.passed(tree, &next, action, 1, ply, window, counter)
            }
            Expansion::Moves if is_sampled => self.tuples.mean(),
            Expansion::Moves => seen.expectation(&spread, window),
        };
        self.leaves = seen.leaves;
        value
    }

    /// Collects the leaves below a node until a lower bound of E reaches beta.
    fn look_at_leaves(
        &self,
        tree: &T,
        node: &T::Node,
        spread: &Spread,
        window: Window,
        seen: &mut LeavesSeen<T::Action>,
    ) -> Expansion<T::Action, T::Node> {
        let sigma = spread.sigma.get();
        tree.visit(node, |count, action, child| {
            let (leaf, is_certain) = self.leaf(tree, &child, spread);
            seen.add(-leaf, is_certain, action, count);
            if seen.best >= window.beta {
                seen.value = Some(seen.best);
                return ControlFlow::Break(());
            }
            let worth_trying = sigma > 0.0
                && PARTIAL_AFTER.contains(&seen.leaves.len())
                && count - seen.looked_at as usize >= PARTIAL_LEFT
                && seen.best + most_gain(sigma, seen.leaves.len()) >= window.beta;
            if worth_trying {
                let partial = expected_max(spread.sigma, &seen.leaves);
                if partial >= window.beta + sigma * exact::ERROR {
                    seen.value = Some(partial);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })
    }

    /// Draws for the leaves below a node until the estimate, which only grows, reaches beta.
    fn sample_leaves(
        &mut self,
        tree: &T,
        node: &T::Node,
        spread: &Spread,
        window: Window,
        seen: &mut LeavesSeen<T::Action>,
    ) -> Expansion<T::Action, T::Node> {
        let key = tree.key(node);
        let mut rng =
            seeded_part(self.settings.seed, crate::othello::hash::hash_discs(key.0, key.1));
        let mut tuples = take(&mut self.tuples);
        tuples.clear();
        let turn = tree.visit(node, |count, action, child| {
            let (leaf, is_certain) = self.leaf(tree, &child, spread);
            seen.add(-leaf, is_certain, action, count);
            if is_certain {
                tuples.raise(-leaf);
            } else {
                tuples.add(spread.sigma, -leaf, &mut rng);
            }
            if tuples.mean() >= window.beta {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        self.tuples = tuples;
        turn
    }

    /// The mean value of a leaf for its mover, and whether it is certain.
    #[inline]
    fn leaf(&self, tree: &T, node: &T::Node, spread: &Spread) -> (f64, bool) {
        if self.settings.finished == Finished::Exact
            && let Some(score) = tree.final_value(node)
        {
            return (score, true);
        }
        (spread.mean(tree.evaluate(node)), false)
    }

    fn finished(&self, tree: &T, node: &T::Node, score: f64) -> f64 {
        match self.settings.finished {
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

/// What is known of a leaf parent's children.
struct LeavesSeen<A> {
    leaves: Vec<f64>,
    certain: f64,
    best: f64,
    best_action: Option<A>,
    count: usize,
    looked_at: u64,
    /// A lower bound at beta or above, if looking ended early.
    value: Option<f64>,
}

impl<A> LeavesSeen<A> {
    fn add(&mut self, leaf: f64, is_certain: bool, action: A, count: usize) {
        self.count = count;
        self.looked_at += 1;
        if is_certain {
            self.certain = self.certain.max(leaf);
        } else {
            self.leaves.push(leaf);
        }
        if leaf > self.best {
            self.best = leaf;
            self.best_action = Some(action);
        }
    }

    /// E of all leaves, or a bound of it where the window allows.
    fn expectation(&self, spread: &Spread, window: Window) -> f64 {
        let sigma = spread.sigma.get();
        let most = self.best + most_gain(sigma, self.count);
        match self.value {
            Some(bound) => bound,
            None if sigma == 0.0 => self.best,
            None if most <= window.alpha => most,
            None if self.certain == f64::NEG_INFINITY => expected_max(spread.sigma, &self.leaves),
            None => expected_max_with_certain(spread.sigma, &self.leaves, self.certain),
        }
    }
}

/// An upper bound of what E of so many leaves exceeds the best of them by, rounding included.
fn most_gain(sigma: f64, leaves: usize) -> f64 {
    sigma * (standard_expected_max(leaves) + exact::ERROR)
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
        counter: &mut NodeCounter,
    ) -> f64 {
        let window = Window { alpha: floor, beta: f64::INFINITY };
        if floor > f64::NEG_INFINITY {
            let narrow = Window::null(floor);
            let value = -self.value(tree, child, depth, 0, narrow.flipped(), counter);
            if value <= floor || counter.is_exhausted() {
                return value;
            }
        }
        -self.value(tree, child, depth, 0, window.flipped(), counter)
    }

    fn reply_line(&self) -> &[T::Action] {
        self.line()
    }
}
