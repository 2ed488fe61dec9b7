//! The moves of a sorting node, most promising first.
//!
//! All of a node's moves are flipped, and the replies they leave counted, eight at a time
//! ([`crate::othello::lanes`]): in nearly every node that is cut the first move cuts it, so what costs
//! is finding that move. A move is put to the front by few replies for the opponent (those into corners
//! count double), safe corners, little room, an odd region.

use super::{Node, ODD_SQUARES};
use crate::othello::Bitboard;
use crate::othello::lanes::{
    Keys, Lanes, Runs, WIDTH, empty_neighbours_of_boards, flips_of_moves, legal_moves_of_boards,
    stable_corners_of_boards,
};

/// What [`Ordered::fill`] found.
pub(super) enum Found {
    /// A move that leaves the opponent without a disc.
    WipeOut,
    /// No legal move.
    Nothing,
    /// Legal moves.
    Moves,
}

/// Up to 8 · `BATCHES` moves with their flips.
pub(super) struct Ordered<const BATCHES: usize> {
    flipped: [[u64; WIDTH]; BATCHES],
    squares: [[u8; WIDTH]; BATCHES],
    keys: [Keys; BATCHES],
}

impl<const BATCHES: usize> Ordered<BATCHES> {
    /// No moves.
    #[inline(always)]
    pub(super) fn new() -> Ordered<BATCHES> {
        Ordered {
            flipped: [[0; WIDTH]; BATCHES],
            squares: [[0; WIDTH]; BATCHES],
            keys: [Keys::NONE; BATCHES],
        }
    }

    /// Takes in the legal moves among `squares`. The move on `first`, if there, comes first.
    #[inline(always)]
    pub(super) fn fill(&mut self, node: &Node, runs: Runs, squares: u64, first: u32) -> Found {
        let first = 1u64.checked_shl(first).unwrap_or(0);
        let mut rest = squares;
        for batch in 0..BATCHES {
            let (squares, numbers) = Lanes::lowest_squares(rest);
            let flipped = flips_of_moves(squares, runs);
            if flipped.has(node.opponent) {
                return Found::WipeOut;
            }
            // With more batches than one the squares are legal moves.
            if BATCHES == 1 && flipped.is_empty() {
                return Found::Nothing;
            }
            self.flipped[batch] = flipped.to_array();
            self.squares[batch] = numbers;
            self.keys[batch] = keys(node, squares, flipped, first);
            if batch + 1 < BATCHES {
                for _ in 0..WIDTH {
                    rest &= rest.wrapping_sub(1);
                }
                if rest == 0 {
                    break;
                }
            }
        }
        Found::Moves
    }

    /// The best move left, with its flips.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<(usize, u64)> {
        let mut batch = 0;
        let (mut key, mut lane) = self.keys[0].least();
        for other in 1..BATCHES {
            let (k, l) = self.keys[other].least();
            if k < key {
                (key, lane, batch) = (k, l, other);
            }
        }
        if key == 0xffff {
            return None;
        }
        self.keys[batch] = self.keys[batch].without(lane);
        Some((usize::from(self.squares[batch][lane]), self.flipped[batch][lane]))
    }
}

/// The price of each move, least first: 128 for a reply and again if it is into a corner, 2 for a square
/// of room, less 16 for a safe disc about the corners, 32 for playing into a corner and 3 for an odd region.
#[inline(always)]
fn keys(node: &Node, squares: Lanes, flipped: Lanes, first: u64) -> Keys {
    let (mover, opponent) = (node.mover, node.opponent);
    let odd = ODD_SQUARES[node.parity as usize & 15];
    let corners = Lanes::splat(Bitboard::CORNERS.0);
    let to_move = Lanes::splat(opponent).xor(flipped);
    let moved = Lanes::splat(mover).or(flipped).or(squares);
    let replies = legal_moves_of_boards(to_move, moved);
    let room =
        empty_neighbours_of_boards(moved, Lanes::splat(!(mover | opponent)).and_not(squares));
    let safe = stable_corners_of_boards(moved);
    let into_odd = squares.and(Lanes::splat(odd)).count();
    // Everything but the replies, which are known last; far below the others for the chosen first move.
    let price =
        Lanes::splat(FAR + 256).minus(Lanes::splat(FAR).where_meet(squares, Lanes::splat(first)));
    let price = price.plus(room.count().up::<1>());
    let price = price.minus(safe.count().up::<4>()).minus(squares.and(corners).count().up::<5>());
    let price = price.minus(into_odd.up::<1>().plus(into_odd));
    let price = price.where_any(flipped, Lanes::splat(NO_MOVE));
    replies.count().plus(replies.and(corners).count()).up::<7>().plus(price).keys()
}

/// More than all prices: 64 replies cost 8192.
const FAR: u64 = 1 << 14;
/// Too large for a key.
const NO_MOVE: u64 = 1 << 16;
