//! The moves of a sorting node, most promising first.
//!
//! All of a node's moves are flipped, and the replies they leave counted, eight at a time
//! ([`crate::othello::lanes`]): in nearly every node that is cut the first move cuts it, so what costs
//! is finding that move. A move is put to the front by few replies for the opponent (those into corners
//! count double), safe corners, little room, an odd region.

use super::{Node, ODD_SQUARES};
use crate::othello::Bitboard;
use crate::othello::flips::flips;
use crate::othello::lanes::{
    self, Keys, Lanes, Runs, WIDTH, empty_neighbours_of_boards, flips_of_moves,
    legal_moves_of_boards, stable_corners_of_boards,
};
use crate::othello::mobility::{empty_neighbours, legal_moves};
use crate::othello::stability::stable_corner_count;

const CORNERS: u64 = Bitboard::CORNERS.0;

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
        if lanes::FAST {
            self.fill_by_lanes(node, runs, squares, first)
        } else {
            self.fill_one_by_one(node, squares, first)
        }
    }

    /// [`Ordered::fill`] where eight boards are not one register: the same order, one move after the
    /// other.
    #[inline(always)]
    fn fill_one_by_one(&mut self, node: &Node, squares: u64, first: u32) -> Found {
        let Node { mover, opponent, parity, .. } = *node;
        let odd = ODD_SQUARES[parity as usize & 15];
        let mut found = Found::Nothing;
        let mut keys = [[0xffff; WIDTH]; BATCHES];
        for (number, square) in Bitboard(squares).into_iter().enumerate().take(WIDTH * BATCHES) {
            let (x, bit) = (square.index(), square.bit());
            let flipped = flips(x, mover, opponent);
            if flipped == opponent {
                return Found::WipeOut;
            }
            if flipped == 0 {
                continue;
            }
            found = Found::Moves;
            let moved = mover | flipped | bit;
            let replies = legal_moves(opponent ^ flipped, moved);
            let room = empty_neighbours(moved, !(mover | opponent | bit));
            let is_in = |squares: u64| u64::from(squares & bit != 0);
            let price = 256
                + u64::from(x as u32 != first) * FAR
                + u64::from(replies.count_ones() + (replies & CORNERS).count_ones()) * 128
                + u64::from(room.count_ones()) * 2
                - u64::from(stable_corner_count(moved)) * 16
                - is_in(CORNERS) * 32
                - is_in(odd) * 3;
            let (batch, lane) = (number / WIDTH, number % WIDTH);
            keys[batch][lane] = price.min(0xffff) as u16;
            self.flipped[batch][lane] = flipped;
            self.squares[batch][lane] = x as u8;
        }
        self.keys = keys.map(Keys::from_array);
        found
    }

    #[inline(always)]
    fn fill_by_lanes(&mut self, node: &Node, runs: Runs, squares: u64, first: u32) -> Found {
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

/// Up to eight moves in no order but that those of odd regions come first.
pub(super) struct Unordered {
    flipped: [u64; WIDTH],
    squares: [u8; WIDTH],
    /// Which of them are moves of odd regions still to come …
    odd: u32,
    /// … and of others.
    even: u32,
}

impl Unordered {
    /// The legal moves among at most eight squares.
    #[inline(always)]
    pub(super) fn new(node: &Node, runs: Runs, squares: u64) -> Unordered {
        if lanes::FAST {
            Unordered::by_lanes(node, runs, squares)
        } else {
            Unordered::one_by_one(node, squares)
        }
    }

    #[inline(always)]
    fn by_lanes(node: &Node, runs: Runs, squares: u64) -> Unordered {
        let (squares, numbers) = Lanes::lowest_squares(squares);
        let flipped = flips_of_moves(squares, runs);
        let moves = flipped.meet(Lanes::splat(!0));
        let odd = moves & squares.meet(Lanes::splat(ODD_SQUARES[node.parity as usize & 15]));
        Unordered { flipped: flipped.to_array(), squares: numbers, odd, even: moves & !odd }
    }

    /// The same where eight boards are not one register.
    #[inline(always)]
    fn one_by_one(node: &Node, squares: u64) -> Unordered {
        let odd_squares = ODD_SQUARES[node.parity as usize & 15];
        let mut moves = Unordered { flipped: [0; WIDTH], squares: [0; WIDTH], odd: 0, even: 0 };
        for (lane, square) in Bitboard(squares).into_iter().enumerate().take(WIDTH) {
            let flipped = flips(square.index(), node.mover, node.opponent);
            moves.flipped[lane] = flipped;
            moves.squares[lane] = square.index() as u8;
            let odd = square.bit() & odd_squares != 0;
            moves.odd |= u32::from(flipped != 0 && odd) << lane;
            moves.even |= u32::from(flipped != 0 && !odd) << lane;
        }
        moves
    }

    /// A move that is left, with its flips.
    #[inline(always)]
    pub(super) fn next(&mut self) -> Option<(usize, u64)> {
        let odd = self.odd != 0;
        let from = if odd { self.odd } else { self.even };
        if from == 0 {
            return None;
        }
        let lane = from.trailing_zeros() as usize & 7;
        self.odd &= self.odd.wrapping_sub(1);
        self.even = if odd { self.even } else { self.even & (self.even - 1) };
        Some((usize::from(self.squares[lane]), self.flipped[lane]))
    }
}

/// The price of each move, least first: 128 for a reply and again if it is into a corner, 2 for a square
/// of room, less 16 for a safe disc about the corners, 32 for playing into a corner and 3 for an odd region.
#[inline(always)]
fn keys(node: &Node, squares: Lanes, flipped: Lanes, first: u64) -> Keys {
    let (mover, opponent) = (node.mover, node.opponent);
    let odd = ODD_SQUARES[node.parity as usize & 15];
    let corners = Lanes::splat(CORNERS);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_position, seeded};
    use crate::search::endgame::parity;

    /// The moves of a list in order, and what was said when it was filled.
    fn drained<const BATCHES: usize>(fill: impl Fn(&mut Ordered<BATCHES>) -> Found) -> String {
        let mut list = Ordered::new();
        let mut text = match fill(&mut list) {
            Found::WipeOut => return "wipe-out".to_owned(),
            Found::Nothing => "none".to_owned(),
            Found::Moves => String::new(),
        };
        while let Some((square, flipped)) = list.next() {
            text += &format!("{square}:{flipped:x} ");
        }
        text
    }

    #[test]
    fn moves_come_in_the_same_order_eight_at_once_and_one_by_one() {
        let mut rng = seeded(31);
        for round in 0..4000 {
            let position = random_position(6 + round % 20, &mut rng);
            let (mover, opponent) = (position.mover().0, position.opponent().0);
            let empty = !(mover | opponent);
            let (alpha, empties) = (0, empty.count_ones());
            let node = Node { mover, opponent, alpha, empties, parity: parity(empty), low: false };
            let runs = Runs::new(mover, opponent);
            let moves = legal_moves(mover, opponent);
            let first = [64, moves.trailing_zeros(), 63 - moves.leading_zeros().min(63)];
            let first = first[round as usize % 3];
            if moves != 0 {
                let by_lanes = drained::<8>(|list| list.fill_by_lanes(&node, runs, moves, first));
                let plain = drained::<8>(|list| list.fill_one_by_one(&node, moves, first));
                assert_eq!(by_lanes, plain, "{position:?}");
            }
            let near = empty_neighbours(opponent, empty);
            if near.count_ones() <= 8 {
                let by_lanes = drained::<1>(|list| list.fill_by_lanes(&node, runs, near, first));
                let plain = drained::<1>(|list| list.fill_one_by_one(&node, moves, first));
                assert_eq!(by_lanes, plain, "{position:?}");
                let mut by_lanes = Unordered::by_lanes(&node, runs, near);
                let mut plain = Unordered::one_by_one(&node, moves);
                let mut last = None;
                for _ in 0..=moves.count_ones() {
                    last = by_lanes.next();
                    assert_eq!(last, plain.next(), "{position:?}");
                }
                assert_eq!(last, None);
            }
        }
    }
}
