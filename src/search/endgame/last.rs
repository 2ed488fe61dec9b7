//! The last four empties, one routine each.
//!
//! These are most of the nodes of a solve, so nothing general happens here: no move lists, no
//! tables, no legal-move generation. Each routine tries its empty squares in the order given and
//! asks the flip kernel whether the move exists. All are null-window searches: they answer whether
//! the exact score is above `alpha`, with a bound on the right side of it (fail soft).
//!
//! Scores are whole discs for the side to move, empties to the winner.

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

/// One empty square `x`: the exact score, or when the mover cannot move there a bound on the
/// right side of `alpha`.
#[inline(always)]
pub fn one(mover: u64, opponent: u64, x: usize, alpha: i32) -> i32 {
    let own = mover.count_ones() as i32;
    let flipped = flips(x, mover, opponent);
    if flipped != 0 {
        return 2 * (own + 1 + flipped.count_ones() as i32) - 64;
    }
    // The mover passes. Without a reply the empty square goes to the winner.
    let unfilled = if 2 * own > 63 { 2 * own - 62 } else { 2 * own - 64 };
    if unfilled <= alpha {
        // A reply can only lower the score.
        return unfilled;
    }
    let flipped = flips(x, opponent, mover);
    if flipped != 0 { 2 * (own - flipped.count_ones() as i32) - 64 } else { unfilled }
}

/// The mover's best of two empty squares, or [`NONE`] if neither can be played.
#[inline(always)]
fn best_of_two(mover: u64, opponent: u64, x: [usize; 2], alpha: i32) -> i32 {
    let mut best = NONE;
    if NEIGHBOURS[x[0]] & opponent != 0 {
        let flipped = flips(x[0], mover, opponent);
        if flipped != 0 {
            best = -one(opponent ^ flipped, mover | flipped | 1 << x[0], x[1], -alpha - 1);
            if best > alpha {
                return best;
            }
        }
    }
    if NEIGHBOURS[x[1]] & opponent != 0 {
        let flipped = flips(x[1], mover, opponent);
        if flipped != 0 {
            let score = -one(opponent ^ flipped, mover | flipped | 1 << x[1], x[0], -alpha - 1);
            best = best.max(score);
        }
    }
    best
}

/// Two empty squares.
#[inline]
pub fn two(mover: u64, opponent: u64, x: [usize; 2], alpha: i32, nodes: &mut u64) -> i32 {
    *nodes += 1;
    let best = best_of_two(mover, opponent, x, alpha);
    if best != NONE {
        return best;
    }
    let reply = best_of_two(opponent, mover, x, -alpha - 1);
    if reply != NONE { -reply } else { finished(mover, 2) }
}

/// Three empty squares.
#[inline]
pub fn three(mover: u64, opponent: u64, x: [usize; 3], alpha: i32, nodes: &mut u64) -> i32 {
    *nodes += 1;
    let best = best_of_three(mover, opponent, x, alpha, nodes);
    if best != NONE {
        return best;
    }
    let reply = best_of_three(opponent, mover, x, -alpha - 1, nodes);
    if reply != NONE { -reply } else { finished(mover, 3) }
}

#[inline(always)]
fn best_of_three(mover: u64, opponent: u64, x: [usize; 3], alpha: i32, nodes: &mut u64) -> i32 {
    let mut best = NONE;
    for (i, rest) in [(0, [1, 2]), (1, [0, 2]), (2, [0, 1])] {
        if NEIGHBOURS[x[i]] & opponent == 0 {
            continue;
        }
        let flipped = flips(x[i], mover, opponent);
        if flipped != 0 {
            let rest = [x[rest[0]], x[rest[1]]];
            let score =
                -two(opponent ^ flipped, mover | flipped | 1 << x[i], rest, -alpha - 1, nodes);
            best = best.max(score);
            if best > alpha {
                return best;
            }
        }
    }
    best
}

/// Four empty squares, in parity order (squares of odd regions first).
#[inline]
pub fn four(mover: u64, opponent: u64, x: [usize; 4], alpha: i32, nodes: &mut u64) -> i32 {
    *nodes += 1;
    let best = best_of_four(mover, opponent, x, alpha, nodes);
    if best != NONE {
        return best;
    }
    let reply = best_of_four(opponent, mover, x, -alpha - 1, nodes);
    if reply != NONE { -reply } else { finished(mover, 4) }
}

#[inline(always)]
fn best_of_four(mover: u64, opponent: u64, x: [usize; 4], alpha: i32, nodes: &mut u64) -> i32 {
    let mut best = NONE;
    for (i, rest) in [(0, [1, 2, 3]), (1, [0, 2, 3]), (2, [0, 1, 3]), (3, [0, 1, 2])] {
        if NEIGHBOURS[x[i]] & opponent == 0 {
            continue;
        }
        let flipped = flips(x[i], mover, opponent);
        if flipped != 0 {
            let rest = rest.map(|r| x[r]);
            let rest = odd_region_first(rest);
            let score =
                -three(opponent ^ flipped, mover | flipped | 1 << x[i], rest, -alpha - 1, nodes);
            best = best.max(score);
            if best > alpha {
                return best;
            }
        }
    }
    best
}

/// Puts a square alone in its quadrant before two that share one.
#[inline(always)]
fn odd_region_first(x: [usize; 3]) -> [usize; 3] {
    let [a, b, c] = x.map(super::quadrant);
    if a == b && b != c {
        [x[2], x[0], x[1]]
    } else if a == c && b != c {
        [x[1], x[0], x[2]]
    } else {
        x
    }
}
