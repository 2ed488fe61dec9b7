//! Which move to try first.
//!
//! Alpha-beta lives from good order. The stored best move is tried before this list is even made;
//! the others are scored by a shallow search or the evaluation of the position after the move, less
//! a price for every reply it leaves the opponent: fewer replies are cheaper to refute (*fastest
//! first*), which matters most when solving.

use super::SCORE_MAX;
use super::Value;
use super::parameters::{
    CORNER_REPLY_PRICE, ORDER_DEPTHS, ORDER_DEPTHS_END, ORDER_DEPTHS_SELECTIVE, PARITY_BONUS,
    REPLY_PRICE, REPLY_PRICE_END,
};
use super::probcut::Selectivity;
use super::pvs::{Node, Worker};
use crate::eval::Incremental;
use crate::othello::{Bitboard, Square};
use crate::search::endgame;

/// A move waiting to be searched.
#[derive(Clone, Copy)]
pub(super) struct Candidate<S> {
    /// The square.
    pub square: u8,
    /// Higher is tried earlier.
    pub score: i32,
    /// The position after the move.
    pub node: Node<S>,
}

/// Puts the best-looking of these moves first. Often one or two are tried: picking them costs less than
/// sorting all.
#[inline]
pub(super) fn bring_best_forward<S>(list: &mut [Candidate<S>]) {
    let best = (0..list.len()).rev().max_by_key(|&index| list[index].score);
    if let Some(best) = best {
        list.swap(0, best);
    }
}

/// Adds these moves to the list, with their scores, in no order.
pub(super) fn candidates<E: Incremental>(
    worker: &mut Worker<'_, E>,
    node: &Node<E::State>,
    moves: u64,
    depth: u32,
    alpha: Value,
    second: u8,
    list: &mut Vec<Candidate<E::State>>,
) {
    let solving = depth >= node.empties;
    let depths = match (solving, worker.selectivity) {
        (false, _) => &ORDER_DEPTHS,
        (true, Selectivity::NONE) => &ORDER_DEPTHS_END,
        (true, _) => &ORDER_DEPTHS_SELECTIVE,
    };
    let look_ahead = depths.iter().filter(|&&from| depth >= from).count() as u32;
    let price = if solving { REPLY_PRICE_END } else { REPLY_PRICE };
    let parity = endgame::parity(node.position.empties().0);
    // Beyond the window all moves are alike: a little slack keeps the order of near misses.
    let (floor, ceiling) = (alpha - 8 * crate::eval::UNIT, SCORE_MAX);
    for square in Bitboard(moves) {
        let flips = node.position.flips(square);
        let child = worker.child(node, square, flips.0);
        let score = if flips == node.position.opponent() {
            i32::MAX
        } else if square.index() == usize::from(second) {
            i32::MAX - 1
        } else {
            let value = if look_ahead == 0 {
                worker.nodes += 1;
                -worker.evaluate_near(&child, -alpha - 1, -alpha)
            } else {
                -worker.shallow(&child, look_ahead - 1, -ceiling, -floor)
            };
            value - replies(&child, price) + if is_odd(square, parity) { PARITY_BONUS } else { 0 }
        };
        list.push(Candidate { square: square.index() as u8, score, node: child });
    }
}

fn is_odd(square: Square, parity: u32) -> bool {
    endgame::quadrant(square.index()) & parity != 0
}

/// What the opponent's replies cost, in evaluation units.
fn replies<S>(child: &Node<S>, price: i32) -> i32 {
    let moves = child.position.legal_moves();
    moves.count() as i32 * price + (moves & Bitboard::CORNERS).count() as i32 * CORNER_REPLY_PRICE
}
