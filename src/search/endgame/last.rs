//! The last four empties, one routine each.
//!
//! These are most of the nodes of a solve, so nothing general happens here: no move lists, no
//! tables, no legal-move generation. Each routine tries its empty squares in the order given and
//! asks the flip kernel whether the move exists. All are null-window searches: they answer whether
//! the exact score is above `alpha`, with a bound on the right side of it (fail soft).
//!
//! Scores are whole discs for the side to move, empties to the winner.

use super::last_flips::last_flips;
use crate::othello::flips::flips;
use crate::othello::mobility::NEIGHBOURS;

/// Below every score.
const NONE: i32 = -127;

/// Score of a finished game with `empties` empty squares, the mover owning `mover`.
#[inline(always)]
pub fn finished(mover: u64, empties: i32) -> i32 {
    let own = mover.count_ones() as i32;
    let difference = 2 * own - (64 - empties);
    match difference.signum() {
        1 => difference + empties,
        -1 => difference - empties,
        _ => 0,
    }
}

/// One empty square `x`, all others without a disc of the mover being the opponent's: the exact
/// score, or when the mover cannot move there a bound on the right side of `alpha`.
#[inline(always)]
pub fn one(mover: u64, x: usize, alpha: i32) -> i32 {
    let own = mover.count_ones() as i32;
    let (gained, lost) = last_flips(x, mover);
    if gained != 0 {
        return 2 * (own + 1 + gained) - 64;
    }
    // The mover passes. Without a reply the empty square goes to the winner.
    let unfilled = 2 * own - if own > 31 { 62 } else { 64 };
    if unfilled <= alpha {
        // A reply can only lower the score.
        return unfilled;
    }
    if lost != 0 { 2 * (own - lost) - 64 } else { unfilled }
}

/// Up to four squares, one to a byte, the first to be tried lowest: they fit into one register.
pub type Squares = u32;

/// The `i`-th of the squares.
#[inline(always)]
const fn nth(squares: Squares, i: u32) -> usize {
    (squares >> (8 * i) & 63) as usize
}

/// The squares without the `i`-th.
#[inline(always)]
const fn without(squares: Squares, i: u32) -> Squares {
    let below = (1 << (8 * i)) - 1;
    squares & below | squares >> 8 & !below
}

/// What a move on this square flips: nothing, mostly known without looking further than the neighbours.
#[inline(always)]
fn flips_if_near(x: usize, mover: u64, opponent: u64) -> u64 {
    if NEIGHBOURS[x & 63] & opponent != 0 { flips(x, mover, opponent) } else { 0 }
}

/// The best of the moves on some of the squares, or [`NONE`] if none of them can be played. `search`
/// gives the opponent's score after the move: opponent's discs, mover's, and which square was filled.
#[inline(always)]
fn best_of<const COUNT: u32>(
    mover: u64,
    opponent: u64,
    x: Squares,
    alpha: i32,
    mut search: impl FnMut(u64, u64, u32) -> i32,
) -> i32 {
    let mut best = NONE;
    let mut attempt = |i: u32| {
        let square = nth(x, i);
        let flipped = flips_if_near(square, mover, opponent);
        if flipped != 0 {
            let score = -search(opponent ^ flipped, mover | flipped | 1 << square, i);
            best = best.max(score);
        }
        best > alpha
    };
    // Written out: the compiler would keep a loop.
    let _ = attempt(0) || attempt(1) || COUNT > 2 && attempt(2) || COUNT > 3 && attempt(3);
    best
}

/// Two empty squares.
#[inline]
pub fn two(mover: u64, opponent: u64, x: Squares, alpha: i32, nodes: &mut u64) -> i32 {
    *nodes += 1;
    let other = |i: u32| nth(x, 1 - i);
    let best = best_of::<2>(mover, opponent, x, alpha, |m, _, i| one(m, other(i), -alpha - 1));
    if best != NONE {
        return best;
    }
    let reply = best_of::<2>(opponent, mover, x, -alpha - 1, |m, _, i| one(m, other(i), alpha));
    if reply != NONE { -reply } else { finished(mover, 2) }
}

/// Three empty squares.
#[inline]
pub fn three(mover: u64, opponent: u64, x: Squares, alpha: i32, nodes: &mut u64) -> i32 {
    *nodes += 1;
    let best = best_of::<3>(mover, opponent, x, alpha, |m, o, i| {
        two(m, o, without(x, i), -alpha - 1, nodes)
    });
    if best != NONE {
        return best;
    }
    let reply = best_of::<3>(opponent, mover, x, -alpha - 1, |m, o, i| {
        two(m, o, without(x, i), alpha, nodes)
    });
    if reply != NONE { -reply } else { finished(mover, 3) }
}

/// Four empty squares, in parity order (squares of odd regions first).
#[inline]
pub fn four(mover: u64, opponent: u64, x: Squares, alpha: i32, nodes: &mut u64) -> i32 {
    *nodes += 1;
    let best = best_of::<4>(mover, opponent, x, alpha, |m, o, i| {
        three(m, o, odd_region_first(without(x, i)), -alpha - 1, nodes)
    });
    if best != NONE {
        return best;
    }
    let reply = best_of::<4>(opponent, mover, x, -alpha - 1, |m, o, i| {
        three(m, o, odd_region_first(without(x, i)), alpha, nodes)
    });
    if reply != NONE { -reply } else { finished(mover, 4) }
}

/// Puts a square alone in its quadrant before two that share one.
#[inline(always)]
fn odd_region_first(x: Squares) -> Squares {
    // Of a square's number, the bits 2 and 5 name its quadrant.
    let differ = |i: u32, j: u32| (nth(x, i) ^ nth(x, j)) & 0b10_0100 != 0;
    let (ab, ac, bc) = (differ(0, 1), differ(0, 2), differ(1, 2));
    if !ab && bc {
        x >> 16 & 0xff | x << 8 & 0xffff00
    } else if !ac && bc {
        x & 0xff0000 | x >> 8 & 0xff | x << 8 & 0xff00
    } else {
        x
    }
}
