//! The general search: principal variation search over null windows, midgame and endgame alike.
//!
//! There is one search. A node whose remaining depth reaches the end of the game is *solving*: its
//! score is exact up to the forward pruning in use, and near the end it is handed to the lean
//! solver. Every other node ends in the evaluation. Scores are [`Value`]s, 1/128 disc; exact
//! scores are whole even discs in the same unit, so both kinds share windows, table and code.
//!
//! In a node, in this order, each step hoping to make the rest unnecessary: stability bound, moves,
//! transposition table, the children's table entries (enhanced transposition cut-off), ProbCut, then
//! the moves, best-looking first. A pass uses up no depth.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::ordering::{Candidate, bring_best_forward, candidates};
use super::parameters::{
    ETC_MIN_DEPTH, LEAN_EMPTIES, LEAN_EMPTIES_SELECTIVE, SHALLOW_DEPTH, SPLIT_MIN_DEPTH,
};
use super::probcut::{self, Selectivity};
use super::run::SearchRun;
use super::split::SplitPoint;
use super::table::{self, Entry, NO_MOVE};
use super::{SCORE_MAX, Value};
use crate::eval::{Incremental, UNIT};
use crate::othello::mobility::legal_moves;
use crate::othello::{Bitboard, Position, Square};
use crate::search::endgame::{Solver, stability_cut};

/// A position with the evaluation's state for it.
#[derive(Clone, Copy)]
pub(super) struct Node<S> {
    /// The position.
    pub position: Position,
    /// What the evaluation carries along.
    pub state: S,
    /// Empty squares.
    pub empties: u32,
}

/// One thread's searcher.
pub(super) struct Worker<'s, E: Incremental> {
    pub(super) run: &'s SearchRun<'s, E>,
    pub(super) solver: Solver<'s>,
    /// Nodes of the general search since the last count went to [`SearchRun`].
    pub(super) nodes: u64,
    /// Confidence level of the search under way.
    pub(super) selectivity: Selectivity,
    /// How many ProbCut verification searches we are inside of.
    pub(super) probcut_level: u32,
    /// The split point we work for, if any; its cut-off ends our work.
    pub(super) split: Option<Arc<SplitPoint<E::State>>>,
    /// The square, as a bit, that last refuted a shallow node, by depth.
    pub(super) killers: [u64; SHALLOW_DEPTH as usize + 1],
    /// Lists of moves not in use: their memory serves the next nodes.
    spare_lists: Vec<Vec<Candidate<E::State>>>,
    polls: u32,
}

/// The best move of a node with its score.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    pub score: Value,
    pub square: u8,
}

/// Greatest whole number of discs not above this value.
#[inline]
pub(super) const fn floor_discs(value: Value) -> i32 {
    value.div_euclid(UNIT)
}

impl<'s, E: Incremental> Worker<'s, E> {
    pub(super) fn new(run: &'s SearchRun<'s, E>) -> Worker<'s, E> {
        Worker {
            run,
            solver: Solver::watching(&run.halt, run.budget.stop()),
            nodes: 0,
            selectivity: Selectivity::NONE,
            probcut_level: 0,
            split: None,
            killers: [0; SHALLOW_DEPTH as usize + 1],
            spare_lists: Vec::new(),
            polls: 0,
        }
    }

    pub(super) fn root_node(&self, position: Position) -> Node<E::State> {
        Node { position, state: self.run.evaluator.root(position), empties: position.empty_count() }
    }

    /// The node after a legal move.
    #[inline]
    pub(super) fn child(
        &self,
        node: &Node<E::State>,
        square: Square,
        flips: u64,
    ) -> Node<E::State> {
        Node {
            position: node.position.play_flipping(square, Bitboard(flips)),
            state: self.run.evaluator.child(&node.state, square, flips),
            empties: node.empties - 1,
        }
    }

    pub(super) fn passed(&self, node: &Node<E::State>) -> Node<E::State> {
        Node {
            position: node.position.pass(),
            state: self.run.evaluator.passed(&node.state),
            empties: node.empties,
        }
    }

    #[inline]
    pub(super) fn evaluate(&self, node: &Node<E::State>) -> Value {
        // Strictly inside the range of exact scores: an estimate never claims a wipe-out.
        self.run.evaluator.value(&node.state, node.position).clamp(1 - SCORE_MAX, SCORE_MAX - 1)
    }

    /// The same, possibly rougher outside the window.
    #[inline]
    pub(super) fn evaluate_near(&self, node: &Node<E::State>, alpha: Value, beta: Value) -> Value {
        let value = self.run.evaluator.value_near(&node.state, node.position, alpha, beta);
        value.clamp(1 - SCORE_MAX, SCORE_MAX - 1)
    }

    /// Whether to give up: limits reached, stop asked for, or the split point we serve was cut.
    /// Scores computed since then mean nothing.
    #[inline]
    pub(super) fn aborted(&self) -> bool {
        self.run.halt.load(Ordering::Relaxed)
            || self.run.budget.is_stopped()
            || self.split.as_ref().is_some_and(|split| split.is_cut())
    }

    /// Hands the node count over and looks at the limits now and then.
    #[inline]
    fn poll(&mut self, solving: bool) {
        self.polls += 1;
        // A solving node may stand for milliseconds of lean search, a midgame node for microseconds.
        if solving || self.polls.is_multiple_of(64) {
            self.flush_nodes();
            self.run.check_limits();
        }
    }

    pub(super) fn flush_nodes(&mut self) {
        let nodes = std::mem::take(&mut self.nodes) + std::mem::take(&mut self.solver.nodes);
        self.run.nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    /// Whether the score at this depth is above `alpha`; fail soft.
    pub(super) fn null_window(&mut self, node: &Node<E::State>, depth: u32, alpha: Value) -> Value {
        let depth = depth.min(node.empties);
        let solving = depth == node.empties;
        if solving && node.empties <= self.lean_empties() {
            return self.lean(node, alpha);
        }
        if !solving && depth <= SHALLOW_DEPTH {
            return self.shallow(node, depth, alpha, alpha + 1);
        }
        self.nodes += 1;
        self.poll(solving);
        if self.aborted() {
            return alpha;
        }
        let beta = alpha + 1;
        let (mover, opponent) = (node.position.mover().0, node.position.opponent().0);
        if let Some(bound) = stability_cut(mover, opponent, floor_discs(alpha), node.empties) {
            return bound * UNIT;
        }
        let moves = legal_moves(mover, opponent);
        if moves == 0 {
            return self
                .pass_or_end(node, |worker, passed| worker.null_window(passed, depth, -beta));
        }
        let entry = self.run.table.probe(node.position);
        if let Some(entry) = &entry
            && entry.serves(depth, self.selectivity)
            && let Some(score) = entry.cut(alpha, beta)
        {
            return score;
        }
        if depth >= ETC_MIN_DEPTH
            && let Some(score) = self.children_cut(node, moves, depth, beta)
        {
            return score;
        }
        if let Some(score) = self.probcut(node, depth, alpha) {
            return score;
        }
        let best = self.search_moves(node, moves, depth, alpha, beta, entry);
        if !self.aborted() {
            self.store(node, depth, alpha, beta, best);
        }
        best.score
    }

    /// How many empties are few enough for the lean solver.
    #[inline]
    fn lean_empties(&self) -> u32 {
        if self.selectivity == Selectivity::NONE { LEAN_EMPTIES } else { LEAN_EMPTIES_SELECTIVE }
    }

    /// [`Worker::null_window`] to the end of the game by the lean solver. The table keeps the bounds of a
    /// search without forward pruning, whose lean nodes are large enough to be worth an entry.
    fn lean(&mut self, node: &Node<E::State>, alpha: Value) -> Value {
        if self.selectivity != Selectivity::NONE {
            return self.solver.null_window(node.position, floor_discs(alpha)) * UNIT;
        }
        if let Some(entry) = self.run.table.probe(node.position)
            && entry.serves(node.empties, Selectivity::NONE)
            && let Some(score) = entry.cut(alpha, alpha + 1)
        {
            // The solver counts the positions that it enters; this one it does not.
            self.nodes += 1;
            return score;
        }
        let score = self.solver.null_window(node.position, floor_discs(alpha)) * UNIT;
        if !self.solver.stopped() {
            self.run.table.store(
                node.position,
                &table::Stored {
                    alpha,
                    beta: alpha + 1,
                    score,
                    depth: node.empties,
                    selectivity: Selectivity::NONE,
                    best: NO_MOVE,
                },
            );
        }
        score
    }

    /// The score at this depth if it lies inside the window, a bound otherwise; fail soft.
    pub(super) fn principal(
        &mut self,
        node: &Node<E::State>,
        depth: u32,
        alpha: Value,
        beta: Value,
    ) -> Value {
        let depth = depth.min(node.empties);
        let solving = depth == node.empties;
        if solving && node.empties <= self.lean_empties() {
            let (low, high) = (floor_discs(alpha), -floor_discs(-beta));
            return self.solver.solve(node.position, low, high) * UNIT;
        }
        if !solving && depth <= SHALLOW_DEPTH {
            return self.shallow(node, depth, alpha, beta);
        }
        self.nodes += 1;
        self.poll(solving);
        if self.aborted() {
            return alpha;
        }
        let moves = node.position.legal_moves().0;
        if moves == 0 {
            return self.pass_or_end(node, |worker, passed| {
                worker.principal(passed, depth, -beta, -alpha)
            });
        }
        let entry = self.run.table.probe(node.position);
        if let Some(entry) = &entry
            && entry.serves(depth, self.selectivity)
            && let Some(score) = entry.cut(alpha, beta)
        {
            return score;
        }
        let best = self.search_moves(node, moves, depth, alpha, beta, entry);
        if !self.aborted() {
            self.store(node, depth, alpha, beta, best);
        }
        best.score
    }

    /// The best of these root moves: like [`Worker::principal`], but always searching and, when
    /// some moves are left out, without storing what would be a lie about the position.
    pub(super) fn root(
        &mut self,
        node: &Node<E::State>,
        moves: Bitboard,
        depth: u32,
        alpha: Value,
        beta: Value,
    ) -> Best {
        self.nodes += 1;
        let depth = depth.min(node.empties);
        let entry = self.run.table.probe(node.position);
        let best = self.search_moves(node, moves.0, depth, alpha, beta, entry);
        if moves == node.position.legal_moves() && !self.aborted() {
            self.store(node, depth, alpha, beta, best);
        }
        best
    }

    fn store(&self, node: &Node<E::State>, depth: u32, alpha: Value, beta: Value, best: Best) {
        self.run.table.store(
            node.position,
            &table::Stored {
                alpha,
                beta,
                score: best.score,
                depth,
                selectivity: self.selectivity,
                best: best.square,
            },
        );
    }

    /// No legal move: the game is over, or the search goes on with the other side.
    pub(super) fn pass_or_end(
        &mut self,
        node: &Node<E::State>,
        search: impl FnOnce(&mut Self, &Node<E::State>) -> Value,
    ) -> Value {
        if node.position.pass().has_move() {
            let passed = self.passed(node);
            -search(self, &passed)
        } else {
            node.position.final_score() * UNIT
        }
    }

    /// Tries the moves in order until one reaches `beta`. When aborted, the best of the moves
    /// searched to the end so far, if any.
    fn search_moves(
        &mut self,
        node: &Node<E::State>,
        moves: u64,
        depth: u32,
        alpha: Value,
        beta: Value,
        entry: Option<Entry>,
    ) -> Best {
        let hash_moves = entry.map_or([NO_MOVE; 2], |entry| entry.moves);
        let mut best = Best { score: -SCORE_MAX - 1, square: NO_MOVE };
        let mut rest = moves;
        // The stored best move goes first, before the others are even looked at: when it refutes,
        // all ordering work is saved.
        if hash_moves[0] < 64 && moves >> hash_moves[0] & 1 == 1 {
            let square = Square::lowest_of(1 << hash_moves[0]);
            rest ^= square.bit();
            let child = self.child(node, square, node.position.flips(square).0);
            let score = if beta - alpha > 1 {
                -self.principal(&child, depth - 1, -beta, -alpha)
            } else {
                -self.null_window(&child, depth - 1, -beta)
            };
            if self.aborted() {
                return best;
            }
            best = Best { score, square: hash_moves[0] };
            if score >= beta || rest == 0 {
                return best;
            }
        }
        let mut list = self.spare_lists.pop().unwrap_or_default();
        candidates(self, node, rest, depth, alpha, hash_moves[1], &mut list);
        for index in 0..list.len() {
            bring_best_forward(&mut list[index..]);
            let first = best.square == NO_MOVE;
            if !first && depth >= SPLIT_MIN_DEPTH && self.has_help() {
                let mut rest = list[index..].to_vec();
                rest.sort_by_key(|candidate| std::cmp::Reverse(candidate.score));
                best = self.split(rest, depth, alpha, beta, best);
                break;
            }
            let candidate = &list[index];
            let score = self.search_candidate(candidate, depth, alpha.max(best.score), beta, first);
            if self.aborted() {
                break;
            }
            if score > best.score {
                best = Best { score, square: candidate.square };
                if score >= beta {
                    break;
                }
            }
        }
        list.clear();
        self.spare_lists.push(list);
        best
    }

    /// One move: the full window if it is the first, otherwise a null window and, if that says the
    /// move is better, the full window after all.
    pub(super) fn search_candidate(
        &mut self,
        candidate: &Candidate<E::State>,
        depth: u32,
        alpha: Value,
        beta: Value,
        first: bool,
    ) -> Value {
        let child = &candidate.node;
        if beta - alpha <= 1 {
            return -self.null_window(child, depth - 1, -beta);
        }
        if !first {
            let score = -self.null_window(child, depth - 1, -alpha - 1);
            if score <= alpha || score >= beta || self.aborted() {
                return score;
            }
        }
        -self.principal(child, depth - 1, -beta, -alpha)
    }

    /// A child whose stored upper bound already refutes this node.
    fn children_cut(
        &mut self,
        node: &Node<E::State>,
        moves: u64,
        depth: u32,
        beta: Value,
    ) -> Option<Value> {
        for square in Bitboard(moves) {
            let flips = node.position.flips(square);
            if flips == node.position.opponent() {
                return Some(SCORE_MAX);
            }
            let child = node.position.play_flipping(square, flips);
            if let Some(entry) = self.run.table.probe(child)
                && entry.serves(depth - 1, self.selectivity)
                && -entry.upper >= beta
            {
                return Some(-entry.upper);
            }
        }
        None
    }

    /// A bound from a shallow search, where that is safe enough at this confidence level.
    fn probcut(&mut self, node: &Node<E::State>, depth: u32, alpha: Value) -> Option<Value> {
        if self.probcut_level >= 2 {
            return None;
        }
        let probe = probcut::probe(self.selectivity, node.empties, depth)?;
        let beta = alpha + 1;
        let guess = self.evaluate(node);
        self.probcut_level += 1;
        let mut cut = None;
        let high = beta + probe.margin;
        if high < SCORE_MAX && guess >= beta - probe.static_deviation {
            let score = self.null_window(node, probe.depth, high - 1);
            if score >= high {
                cut = Some(beta);
            }
        }
        let low = alpha - probe.margin;
        if cut.is_none() && low > -SCORE_MAX && guess <= alpha + probe.static_deviation {
            let score = self.null_window(node, probe.depth, low);
            if score <= low {
                cut = Some(alpha);
            }
        }
        self.probcut_level -= 1;
        if self.aborted() { None } else { cut }
    }
}
