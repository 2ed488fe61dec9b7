//! The line of play that belongs to a score.
//!
//! After a midgame step the line is read from the table, as far as it reaches. After an exact
//! solve it is proven move by move to the end of the game: at each position a move is on the line if
//! a null-window search shows that it keeps the score, which the table makes cheap.

use super::Value;
use super::iterate::Step;
use super::pvs::{Node, Worker};
use super::table::NO_MOVE;
use crate::eval::Incremental;
use crate::othello::{Bitboard, Move, Square};
use crate::search::report::Certainty;

/// The line that begins with this root move, whose score is `score`.
pub(super) fn from_root<E: Incremental>(
    worker: &mut Worker<'_, E>,
    root: &Node<E::State>,
    square: Square,
    score: Value,
    step: Step,
    certainty: Certainty,
) -> Vec<Move> {
    let mut pv = vec![Move::Place(square)];
    let child = worker.child(root, square, root.position.flips(square).0);
    if certainty == Certainty::Exact {
        exact(worker, child, -score, &mut pv);
    } else {
        from_table(worker, child, step.depth.saturating_sub(1), &mut pv);
    }
    pv
}

/// Follows the table's best moves.
fn from_table<E: Incremental>(
    worker: &Worker<'_, E>,
    mut node: Node<E::State>,
    mut depth: u32,
    pv: &mut Vec<Move>,
) {
    while depth > 0 {
        if node.position.must_pass() {
            pv.push(Move::Pass);
            node = worker.passed(&node);
            continue;
        }
        let Some(entry) = worker.run.table.probe(node.position) else { return };
        let Some(square) = legal_hint(&node, entry.moves[0]) else { return };
        pv.push(Move::Place(square));
        node = worker.child(&node, square, node.position.flips(square).0);
        depth -= 1;
    }
}

fn legal_hint<S>(node: &Node<S>, hint: u8) -> Option<Square> {
    if hint == NO_MOVE {
        return None;
    }
    Square::new(hint).filter(|&square| node.position.is_legal(square))
}

/// Appends perfect play to the end of the game from a node whose exact score is `score`. A stop
/// ends the line early; what is there stays right.
fn exact<E: Incremental>(
    worker: &mut Worker<'_, E>,
    mut node: Node<E::State>,
    mut score: Value,
    pv: &mut Vec<Move>,
) {
    loop {
        let moves = node.position.legal_moves();
        if moves.is_empty() {
            if !node.position.pass().has_move() {
                return;
            }
            pv.push(Move::Pass);
            node = worker.passed(&node);
            score = -score;
            continue;
        }
        let hint = worker.run.table.probe(node.position);
        let first = hint.and_then(|entry| legal_hint(&node, entry.moves[0]));
        let order = first.into_iter().chain(moves - first.map_or(Bitboard::EMPTY, Bitboard::from));
        let mut next = None;
        for square in order {
            let child = worker.child(&node, square, node.position.flips(square).0);
            // The move keeps the score if the opponent gets no more than its negative.
            let kept = worker.null_window(&child, child.empties, -score) <= -score;
            if worker.aborted() {
                return;
            }
            if kept {
                next = Some((square, child));
                break;
            }
        }
        let Some((square, child)) = next else { return };
        pv.push(Move::Place(square));
        node = child;
        score = -score;
    }
}
