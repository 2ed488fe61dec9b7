//! Discs that can never be flipped again, counted from below.
//!
//! Three sources, each sound on its own: discs stable along an edge whatever is played there (a
//! table over all edge configurations), discs whose four lines are all full, and inner discs that
//! in each of the four directions stand on a full line or beside a stable disc of their own colour,
//! repeated until nothing is added. The result never over-counts, which is all the search's
//! stability cut-off needs.

use super::Bitboard;
use super::symmetry::transpose;

/// The inner 6×6 squares.
const INNER: u64 = 0x007e_7e7e_7e7e_7e00;

/// `EDGE[mover | opponent << 8]`: the mover's discs on one edge that no play on that edge can flip.
static EDGE: [u8; 1 << 16] = edge_table();

#[allow(long_running_const_eval)]
const fn edge_table() -> [u8; 1 << 16] {
    let mut table = [0u8; 1 << 16];
    // Fewer empties first: a configuration looks one placement ahead.
    let mut empties = 0;
    while empties <= 8 {
        let mut mover = 0usize;
        while mover < 256 {
            let mut opponent = 0usize;
            while opponent < 256 {
                if mover & opponent == 0 && (mover | opponent).count_ones() == 8 - empties {
                    table[mover | opponent << 8] = edge_stable(&table, mover, opponent);
                }
                opponent += 1;
            }
            mover += 1;
        }
        empties += 1;
    }
    table
}

/// The mover's discs that survive every placement by either side on every empty edge square. A
/// placement need not flip anything on the edge: it may be legal through another line.
const fn edge_stable(table: &[u8; 1 << 16], mover: usize, opponent: usize) -> u8 {
    let mut stable = mover;
    let mut square = 0;
    while square < 8 {
        if (mover | opponent) >> square & 1 == 0 && stable != 0 {
            let gained = edge_flips(mover, opponent, square);
            let (m, o) = (mover | gained | 1 << square, opponent & !gained);
            stable &= table[m | o << 8] as usize;
            let lost = edge_flips(opponent, mover, square);
            let (m, o) = (mover & !lost, opponent | lost | 1 << square);
            stable &= table[m | o << 8] as usize;
        }
        square += 1;
    }
    stable as u8
}

const fn edge_flips(mover: usize, opponent: usize, square: usize) -> usize {
    let mut flipped = 0;
    let mut run = 0;
    let mut s = square + 1;
    while s < 8 && opponent >> s & 1 == 1 {
        run |= 1 << s;
        s += 1;
    }
    if s < 8 && mover >> s & 1 == 1 {
        flipped |= run;
    }
    run = 0;
    s = square;
    while s > 0 && opponent >> (s - 1) & 1 == 1 {
        s -= 1;
        run |= 1 << s;
    }
    if s > 0 && mover >> (s - 1) & 1 == 1 {
        flipped |= run;
    }
    flipped
}

/// The mover's discs on the four edges that are stable by the edge table.
#[inline]
fn edge_stable_discs(mover: u64, opponent: u64) -> u64 {
    let lookup = |m: u64, o: u64| u64::from(EDGE[(m & 0xff | (o & 0xff) << 8) as usize]);
    let rows = lookup(mover, opponent) | lookup(mover >> 56, opponent >> 56) << 56;
    let (tm, to) = (transpose(mover), transpose(opponent));
    let columns = lookup(tm, to) | lookup(tm >> 56, to >> 56) << 56;
    rows | transpose(columns)
}

/// Squares on lines without an empty square: [rows, columns, diagonals of step 9, of step 7].
#[inline]
fn full_lines(occupied: u64) -> [u64; 4] {
    let empty = !occupied;
    // Empties reach every square of their line; what they do not reach is on a full line.
    let mut rows = empty | (empty >> 1 & 0x7f7f_7f7f_7f7f_7f7f);
    rows |= rows >> 2 & 0x3f3f_3f3f_3f3f_3f3f;
    rows |= rows >> 4 & 0x0f0f_0f0f_0f0f_0f0f;
    let rows = (rows & 0x0101_0101_0101_0101).wrapping_mul(0xff);
    let mut columns = empty | empty.rotate_left(8);
    columns |= columns.rotate_left(16);
    columns |= columns.rotate_left(32);
    [!rows, !columns, !reach(empty, 9), !reach(empty, 7)]
}

/// Every square on the same diagonal (bit distance 9 or 7) as a square of the set.
#[inline]
fn reach(set: u64, step: u32) -> u64 {
    // Squares whose neighbour one step down (lower bits) is on the board in the same diagonal.
    let (from_below, from_above) = if step == 9 {
        (0xfefe_fefe_fefe_fe00, 0x007f_7f7f_7f7f_7f7f)
    } else {
        (0x7f7f_7f7f_7f7f_7f00, 0x00fe_fefe_fefe_fefe)
    };
    let (mut up, mut down) = (set, set);
    let (mut up_mask, mut down_mask): (u64, u64) = (from_below, from_above);
    let mut distance = step;
    for _ in 0..3 {
        up |= up << distance & up_mask;
        down |= down >> distance & down_mask;
        up_mask &= up_mask << distance;
        down_mask &= down_mask >> distance;
        distance *= 2;
    }
    up | down
}

/// A lower bound of the mover's stable discs.
pub fn stable_discs(mover: u64, opponent: u64) -> Bitboard {
    let [rows, columns, diagonals, antidiagonals] = full_lines(mover | opponent);
    let inner = mover & INNER;
    let mut stable =
        edge_stable_discs(mover, opponent) | inner & rows & columns & diagonals & antidiagonals;
    if stable == 0 {
        return Bitboard::EMPTY;
    }
    loop {
        let held = (stable << 1 | stable >> 1 | rows)
            & (stable << 8 | stable >> 8 | columns)
            & (stable << 9 | stable >> 9 | diagonals)
            & (stable << 7 | stable >> 7 | antidiagonals);
        // Only inner squares are added, so shifts that wrap around an edge add nothing.
        let added = held & inner & !stable;
        if added == 0 {
            return Bitboard(stable);
        }
        stable |= added;
    }
}

/// How many of these discs are corners, or stand next to an own corner on its edge: a cheap
/// measure of safety for move ordering.
#[inline]
pub fn stable_corner_count(discs: u64) -> u32 {
    let a = discs & 0x0100_0000_0000_0001;
    let h = discs & 0x8000_0000_0000_0080;
    let beside =
        (a << 1) | (h >> 1) | ((a | h) & 0xff) << 8 | ((a | h) >> 8 & 0x00ff_0000_0000_0000);
    (a | h | beside & discs).count_ones()
}

/// How many of the mover's discs are certainly stable.
#[inline]
pub fn stable_count(mover: u64, opponent: u64) -> u32 {
    stable_discs(mover, opponent).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_discs, random_position, scattered_position, seeded};
    use crate::othello::{Position, Square, slow};

    #[test]
    fn diagonals_reach_exactly_their_own_squares() {
        for square in Square::all() {
            let same = |pick: fn(Square) -> i32| {
                Square::all().filter(|&s| pick(s) == pick(square)).map(Square::bit).sum::<u64>()
            };
            assert_eq!(reach(square.bit(), 9), same(|s| s.row() as i32 - s.column() as i32));
            assert_eq!(reach(square.bit(), 7), same(|s| s.row() as i32 + s.column() as i32));
        }
    }

    #[test]
    fn full_lines_match_a_count_of_every_line() {
        let mut rng = seeded(31);
        for _ in 0..2_000 {
            let (a, b) = random_discs(&mut rng);
            let occupied = a | b | random_discs(&mut rng).0;
            let keys: [fn(Square) -> i32; 4] = [
                |s| s.row() as i32,
                |s| s.column() as i32,
                |s| s.row() as i32 - s.column() as i32,
                |s| s.row() as i32 + s.column() as i32,
            ];
            for (lines, key) in full_lines(occupied).into_iter().zip(keys) {
                for square in Square::all() {
                    let full = Square::all()
                        .filter(|&s| key(s) == key(square))
                        .all(|s| occupied & s.bit() != 0);
                    assert_eq!(lines & square.bit() != 0, full);
                }
            }
        }
    }

    #[test]
    fn no_continuation_ever_flips_a_disc_called_stable() {
        let mut rng = seeded(32);
        for round in 0..600 {
            let position = if round % 2 == 0 {
                random_position(7, &mut rng)
            } else {
                scattered_position(6, &mut rng)
            };
            let (own, other) = slow::never_flipped(position);
            let (m, o) = (position.mover().0, position.opponent().0);
            assert_eq!(stable_discs(m, o) - own, Bitboard::EMPTY, "{position:?}");
            assert_eq!(stable_discs(o, m) - other, Bitboard::EMPTY, "{position:?}");
        }
    }

    #[test]
    fn a_full_board_is_all_stable_and_the_start_has_none() {
        assert_eq!(stable_count(!0, 0), 64);
        let start = Position::START;
        assert_eq!(stable_count(start.mover().0, start.opponent().0), 0);
        assert_eq!(stable_count(0b11, 0b100), 2);
    }
}
