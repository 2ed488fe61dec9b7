//! The expected-value search (Tebika, Koide, Kobayashi): the opponent sees only static values.
//!
//! Two values go together: g, plain minimax on static values, and K, the expectation. The root side
//! takes the greatest K; the opponent, who knows nothing of K, takes the least g, and K of *that*
//! child is passed up. Parents of leaves have K = E of the greatest leaf (root side) or of the least
//! (opponent, which the authors left for later).
//!
//! So the opponent's choice is a minimax search of its own, here alpha-beta on g, which contains the
//! pruning of section 3.5: a child is left as soon as one of its leaves shows that its g cannot be
//! the least. K is computed for the chosen child only. Since K ≤ g + σ·m_k at leaf parents and both
//! back-ups preserve that, an opponent node whose g is too low for the best K so far is skipped.

use super::alpha_beta::{AlphaBeta, Window};
use super::backup::Backup;
use super::exact::{self, standard_expected_max};
use super::node_counter::NodeCounter;
use super::settings::{ExpectationSettings, Finished, Passes};
use super::table::Table;
use super::tree::{Expansion, Tree};

/// The search of K guided by the opponent's g.
pub struct OpponentModel<T: Tree> {
    settings: ExpectationSettings,
    minimax: AlphaBeta<T>,
    expectation: AlphaBeta<T>,
    line: Vec<T::Action>,
}

/// Most that K can exceed g by, in discs; infinite if there is no such bound (values not centred on
/// h, or estimates of E, which can be anything).
fn margin(settings: &ExpectationSettings, most_moves: usize) -> f64 {
    if settings.samples > 0 || !settings.spreads.is_centred() {
        return f64::INFINITY;
    }
    settings.spreads.widest().get() * (standard_expected_max(most_moves) + exact::ERROR)
}

impl<T: Tree> OpponentModel<T> {
    /// A search with these settings and this table for g, as in [`AlphaBeta::new`].
    pub fn new(settings: ExpectationSettings, table: Table) -> OpponentModel<T> {
        OpponentModel {
            minimax: AlphaBeta::new(settings.without_spread(), table),
            // Never looks deeper than one ply, where no table is used.
            expectation: AlphaBeta::new(settings.clone(), Table::tiny()),
            settings,
            line: Vec::new(),
        }
    }

    /// The table, for the next search with the same settings.
    pub fn into_table(self) -> Table {
        self.minimax.into_table()
    }

    /// K of a node for the root side, with the line leading to it put in `line`; exact if above
    /// `floor`, otherwise a bound at most `floor`.
    #[allow(clippy::too_many_arguments)] // One node's whole situation.
    fn value(
        &mut self,
        tree: &T,
        node: &T::Node,
        depth: u32,
        is_own: bool,
        floor: f64,
        line: &mut Vec<T::Action>,
        counter: &mut NodeCounter,
    ) -> f64 {
        line.clear();
        let sign = if is_own { 1.0 } else { -1.0 };
        if depth <= 1 {
            let value = sign * self.expectation.value(tree, node, depth, 0, Window::FULL, counter);
            line.extend_from_slice(self.expectation.line());
            return value;
        }
        if !counter.spend(1) {
            return 0.0;
        }
        let mut children = Vec::new();
        match tree.expand(node, &mut children) {
            Expansion::Over(score) => match self.settings.finished {
                Finished::Exact => sign * score,
                Finished::Static => sign * tree.evaluate(node),
            },
            Expansion::Pass(action, next) => {
                let depth = if self.settings.passes == Passes::Free { depth } else { depth - 1 };
                let value = self.value(tree, &next, depth, !is_own, floor, line, counter);
                line.insert(0, action);
                value
            }
            Expansion::Moves if is_own => self.best(tree, &children, depth, floor, line, counter),
            Expansion::Moves => {
                match self.opponent_choice(tree, &children, depth, floor, counter) {
                    Choice::Reply(index) => {
                        let (action, child) = &children[index];
                        let value = self.value(tree, child, depth - 1, true, floor, line, counter);
                        line.insert(0, *action);
                        value
                    }
                    Choice::TooLow(bound) => bound,
                }
            }
        }
    }

    /// The greatest K of the root side's moves.
    fn best(
        &mut self,
        tree: &T,
        children: &[(T::Action, T::Node)],
        depth: u32,
        floor: f64,
        line: &mut Vec<T::Action>,
        counter: &mut NodeCounter,
    ) -> f64 {
        let mut best = f64::NEG_INFINITY;
        let mut below = Vec::new();
        for index in by_promise(tree, children) {
            let (action, child) = &children[index];
            let value =
                self.value(tree, child, depth - 1, false, floor.max(best), &mut below, counter);
            if counter.is_exhausted() {
                break;
            }
            if value > best {
                best = value;
                line.clear();
                line.push(*action);
                line.append(&mut below);
            }
        }
        best
    }

    /// The child with the least g, the first of equal ones.
    fn opponent_choice(
        &mut self,
        tree: &T,
        children: &[(T::Action, T::Node)],
        depth: u32,
        floor: f64,
        counter: &mut NodeCounter,
    ) -> Choice {
        let mut chosen: Option<(f64, usize)> = None;
        for index in by_promise(tree, children) {
            let child = &children[index].1;
            let margin = margin(&self.settings, tree.most_moves(child));
            let alpha = floor - margin;
            let alpha = if alpha.is_nan() { f64::NEG_INFINITY } else { alpha };
            let beta = match chosen {
                None => f64::INFINITY,
                Some((least, first)) if index < first => least.next_up(),
                Some((least, _)) => least,
            };
            if alpha >= beta {
                continue;
            }
            if beta < f64::INFINITY {
                // Section 3.5: most children show quickly that they are not the least.
                let narrow = Window { alpha: alpha.max(beta.next_down()), beta };
                let value = self.minimax.value(tree, child, depth - 1, 0, narrow, counter);
                if value >= beta {
                    continue;
                }
            }
            let window = Window { alpha, beta };
            let value = self.minimax.value(tree, child, depth - 1, 0, window, counter);
            if value <= alpha {
                return Choice::TooLow((value + margin).min(floor));
            }
            if value < beta {
                chosen = Some((value, index));
            }
        }
        chosen.map_or(Choice::TooLow(floor), |(_, index)| Choice::Reply(index))
    }
}

/// What the opponent does.
enum Choice {
    /// This child.
    Reply(usize),
    /// Whatever it is, K is at most this and at most the floor.
    TooLow(f64),
}

fn by_promise<T: Tree>(tree: &T, children: &[(T::Action, T::Node)]) -> Vec<usize> {
    let mut order: Vec<(f64, usize)> =
        children.iter().enumerate().map(|(i, (_, child))| (tree.promise(child), i)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    order.into_iter().map(|(_, index)| index).collect()
}

impl<T: Tree> Backup<T> for OpponentModel<T> {
    fn child_value(
        &mut self,
        tree: &T,
        child: &T::Node,
        depth: u32,
        floor: f64,
        counter: &mut NodeCounter,
    ) -> f64 {
        let mut line = std::mem::take(&mut self.line);
        let value = self.value(tree, child, depth, false, floor, &mut line, counter);
        self.line = line;
        value
    }

    fn reply_line(&self) -> &[T::Action] {
        &self.line
    }
}
