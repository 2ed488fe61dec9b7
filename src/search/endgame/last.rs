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

/// One empty square `x`, all others without a disc of the mover being the opponent's: the exact
/// score, or when the mover cannot move there a bound on the
/// right side of `alpha`.
#[inline(always)]
pub fn one(mover: u64, x: usize, alpha: i32) -> i32 {
    let own = mover.count_ones() as i32;
    let flipped = last_flips(x, mover);
    if flipped != 0 {
        return 2 * (own + 1 + flipped) - 64;
    }
    // The mover passes. Without a reply the empty square goes to the winner.
    let unfilled = if 2 * own > 63 { 2 * own - 62 } else { 2 * own - 64 };
    if unfilled <= alpha {
        // A reply can only lower the score.
        return unfilled;
    }
    let flipped = last_flips(x, !mover & !(1 << x));
    if flipped != 0 { 2 * (own - flipped) - 64 } else { unfilled }
}

/// How many discs the owner of `discs` flips by filling the last empty square of the board.
///
/// All other squares are the opponent's, so a line's occupation by `discs` says everything; it is
/// gathered into a byte by one multiplication and looked up.
#[inline(always)]
fn last_flips(x: usize, discs: u64) -> i32 {
    const COLUMN: u64 = 0x0101_0101_0101_0101;
    let x = x & 63;
    let (column, row) = (x & 7, x >> 3);
    let [falling, rising] = DIAGONALS[x];
    let count = |place: usize, line: u64| i32::from(LINE_FLIPS[place][(line & 0xff) as usize]);
    count(column, discs >> (8 * row))
        + count(row, ((discs >> column) & COLUMN).wrapping_mul(0x0102_0408_1020_4080) >> 56)
        + count(column, (discs & falling).wrapping_mul(COLUMN) >> 56)
        + count(column, (discs & rising).wrapping_mul(COLUMN) >> 56)
}

/// `LINE_FLIPS[place][discs]`: what filling this place of a full line of eight flips, if these are
/// the own discs on it.
static LINE_FLIPS: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut place = 0;
    while place < 8 {
        let mut discs = 0;
        while discs < 256usize {
            let below = discs & ((1 << place) - 1);
            let above = discs >> place >> 1;
            if below != 0 {
                table[place][discs] += (place as u32 - 1 - below.ilog2()) as u8;
            }
            if above != 0 {
                table[place][discs] += above.trailing_zeros() as u8;
            }
            discs += 1;
        }
        place += 1;
    }
    table
};

/// By square: the other squares of its two diagonals, the one of step 9 first.
static DIAGONALS: [[u64; 2]; 64] = {
    let mut table = [[0; 2]; 64];
    let mut x = 0;
    while x < 64 {
        let mut y = 0;
        while y < 64 {
            let (columns, rows) = (y % 8 - x as i32 % 8, y / 8 - x as i32 / 8);
            if columns != 0 && columns == rows {
                table[x][0] |= 1 << y;
            }
            if columns != 0 && columns == -rows {
                table[x][1] |= 1 << y;
            }
            y += 1;
        }
        x += 1;
    }
    table
};

/// The mover's best of two empty squares, or [`NONE`] if neither can be played.
#[inline(always)]
fn best_of_two(mover: u64, opponent: u64, x: [usize; 2], alpha: i32) -> i32 {
    let mut best = NONE;
    if NEIGHBOURS[x[0]] & opponent != 0 {
        let flipped = flips(x[0], mover, opponent);
        if flipped != 0 {
            best = -one(opponent ^ flipped, x[1], -alpha - 1);
            if best > alpha {
                return best;
            }
        }
    }
    if NEIGHBOURS[x[1]] & opponent != 0 {
        let flipped = flips(x[1], mover, opponent);
        if flipped != 0 {
            let score = -one(opponent ^ flipped, x[0], -alpha - 1);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_discs, seeded};
    use crate::othello::slow;

    #[test]
    fn flips_of_the_last_square_are_counted_as_the_walker_counts_them() {
        let mut rng = seeded(51);
        for _ in 0..5_000 {
            let (some, others) = random_discs(&mut rng);
            for discs in [some, others, some | others, some & others.rotate_left(9)] {
                for x in 0..64 {
                    let discs = discs & !(1 << x);
                    let flipped = slow::flips(x, discs, !discs & !(1 << x));
                    assert_eq!(last_flips(x, discs), flipped.count_ones() as i32);
                }
            }
        }
    }
}
