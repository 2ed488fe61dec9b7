//! The last plies before the evaluation: no table, no forward pruning, and an order of moves that
//! costs less than the evaluations it saves.

use super::expected::{MOST_MOVES, Stage};
use super::parameters::{
    KILLER_BONUS, SHALLOW_CORNER, SHALLOW_CORNER_REPLY, SHALLOW_NEXT_TO_CORNER,
};
use super::pvs::{Node, Worker};
use super::{SCORE_MAX, Value};
use crate::eval::Incremental;
use crate::othello::{Bitboard, Square};

/// Squares by how often they are good: corners, the middle and edges, then next to corners.
const SQUARE_CLASSES: [u64; 3] =
    [0x8100_0000_0000_0081, 0x3c3c_ffff_ffff_3c3c, 0x42c3_0000_0000_c342];

/// What is known of a node while its moves are tried.
struct Trial {
    alpha: Value,
    beta: Value,
    best: Value,
}

/// Moves with their ranks, handed out from the best on.
pub(super) struct RankedMoves {
    /// The square in the low byte of its rank, so that the highest number is the move to try.
    ranks: [u16; 64],
    first: usize,
    count: usize,
}

impl RankedMoves {
    /// The best of those left. Often one move is enough: picking it costs less than sorting all.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<Square> {
        let first = self.first;
        let best = (first..self.count).max_by_key(|&index| self.ranks[index])?;
        self.ranks.swap(first, best);
        self.first += 1;
        Some(Square::lowest_of(1 << (self.ranks[first] & 63)))
    }
}

impl<E: Incremental> Worker<'_, E> {
    /// The score at this depth, at most [`super::parameters::SHALLOW_DEPTH`], if it lies inside the
    /// window, a bound otherwise; fail soft.
    pub(super) fn shallow(
        &mut self,
        node: &Node<E::State>,
        depth: u32,
        alpha: Value,
        beta: Value,
    ) -> Value {
        self.nodes += 1;
        if depth == 0 {
            return self.evaluate_near(node, alpha, beta);
        }
        let moves = node.position.legal_moves().0;
        if moves == 0 {
            return self
                .pass_or_end(node, |worker, passed| worker.shallow(passed, depth, -beta, -alpha));
        }
        if let Some(expectation) = self.run.expectation {
            if depth == 1 {
                let stage = expectation.at_parent(node.empties, moves.count_ones());
                return self.expected(node, moves, stage, (alpha, beta));
            }
            if depth == 2 && expectation.has_two_levels() {
                let stage = expectation.at(node.empties);
                return self.two_levels(node, moves, stage, (alpha, beta));
            }
        }
        let mut trial = Trial { alpha, beta, best: -SCORE_MAX - 1 };
        if depth == 1 {
            self.try_by_square(node, moves, &mut trial);
        } else {
            self.try_by_mobility(node, moves, depth, &mut trial);
        }
        trial.best
    }

    /// The last move: corners, the move that refuted the last such node, then by kind of square.
    pub(super) fn by_square(&self, moves: u64) -> impl Iterator<Item = Square> + use<E> {
        let [corners, middle, next_to_corner] = SQUARE_CLASSES;
        let killer = self.killers[1];
        [corners, killer & !corners, middle & !killer, next_to_corner & !killer]
            .into_iter()
            .flat_map(move |part| Bitboard(moves & part))
    }

    fn try_by_square(&mut self, node: &Node<E::State>, moves: u64, trial: &mut Trial) {
        for square in self.by_square(moves) {
            if self.refutes(node, square, 1, trial) {
                return;
            }
        }
    }

    /// E of the leaves below a node, its mean rise taken out, if it lies inside the window, a bound
    /// otherwise. See [`super::expected`] for the cuts.
    fn expected(
        &mut self,
        node: &Node<E::State>,
        moves: u64,
        stage: &Stage,
        (alpha, beta): (Value, Value),
    ) -> Value {
        let count = moves.count_ones();
        let (rise, most) = (stage.rise(count), stage.most(count));
        let (bar, enough) = (alpha + rise, beta + rise);
        let floor = stage.floor(bar, count);
        let mut leaves = [0; MOST_MOVES];
        let mut seen = 0;
        let (mut best, mut second) = (-SCORE_MAX - 1, -SCORE_MAX - 1);
        for square in self.by_square(moves) {
            let flips = node.position.flips(square);
            if flips == node.position.opponent() {
                return SCORE_MAX;
            }
            let child = self.child(node, square, flips.0);
            self.nodes += 1;
            let value = -self.evaluate_near(&child, -enough, -floor);
            leaves[seen] = value;
            seen += 1;
            if value > best {
                (best, second) = (value, best);
            } else {
                second = second.max(value);
            }
            let at_least = if best < enough && best + most >= enough {
                stage.of_two(best, second)
            } else {
                best
            };
            if at_least >= enough {
                self.remember_refutation(square, 1);
                return (at_least - rise).min(SCORE_MAX - 1);
            }
        }
        // Leaves at or below the floor may be rough; then this bound is what is sure.
        let known = if best + most <= bar {
            best.max(floor) + most
        } else {
            stage.of_all(&mut leaves[..seen])
        };
        (known - rise).clamp(1 - SCORE_MAX, SCORE_MAX - 1)
    }

    /// A move before the last: those that leave few replies first.
    fn try_by_mobility(
        &mut self,
        node: &Node<E::State>,
        moves: u64,
        depth: u32,
        trial: &mut Trial,
    ) {
        let mut ranked = self.rank_by_mobility(node, moves, depth);
        while let Some(square) = ranked.next() {
            if self.refutes(node, square, depth, trial) {
                return;
            }
        }
    }

    /// The moves of a node, those that leave few replies first.
    #[inline(always)]
    pub(super) fn rank_by_mobility(
        &self,
        node: &Node<E::State>,
        moves: u64,
        depth: u32,
    ) -> RankedMoves {
        let [corners, _, next_to_corner] = SQUARE_CLASSES;
        let killer = self.killers[depth as usize];
        let mut ranked = RankedMoves { ranks: [0; 64], first: 0, count: 0 };
        for square in Bitboard(moves) {
            let child = node.position.play_flipping(square, node.position.flips(square));
            let replies = child.legal_moves();
            let is_in = |squares: u64| u32::from(square.bit() & squares != 0);
            let good = is_in(corners) * SHALLOW_CORNER + is_in(killer) * KILLER_BONUS;
            let bad = replies.count()
                + (replies & Bitboard::CORNERS).count() * SHALLOW_CORNER_REPLY
                + is_in(next_to_corner) * SHALLOW_NEXT_TO_CORNER;
            let rank = ((128 + good - bad) << 8) as u16 | square.index() as u16;
            ranked.ranks[ranked.count] = rank;
            ranked.count += 1;
        }
        ranked
    }

    /// Keeps a move that refuted a node of this depth for the next such node; corners come first
    /// anyway.
    #[inline(always)]
    pub(super) fn remember_refutation(&mut self, square: Square, depth: u32) {
        if square.bit() & SQUARE_CLASSES[0] == 0 {
            self.killers[depth as usize] = square.bit();
        }
    }

    /// Tries a move; whether it settles the node.
    #[inline(always)]
    fn refutes(
        &mut self,
        node: &Node<E::State>,
        square: Square,
        depth: u32,
        trial: &mut Trial,
    ) -> bool {
        let flips = node.position.flips(square);
        if flips == node.position.opponent() {
            trial.best = SCORE_MAX;
            return true;
        }
        let child = self.child(node, square, flips.0);
        let score = -self.shallow(&child, depth - 1, -trial.beta, -trial.alpha);
        trial.best = trial.best.max(score);
        trial.alpha = trial.alpha.max(score);
        let refutes = trial.alpha >= trial.beta;
        if refutes {
            self.remember_refutation(square, depth);
        }
        refutes
    }
}
