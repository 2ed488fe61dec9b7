//! The obvious twins of the clever routines, for tests only: walk the board square by square.

use super::{Bitboard, Position};

const DIRECTIONS: [(i32, i32); 8] =
    [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

fn step(square: usize, (dx, dy): (i32, i32)) -> Option<usize> {
    let (x, y) = ((square % 8) as i32 + dx, (square / 8) as i32 + dy);
    ((0..8).contains(&x) && (0..8).contains(&y)).then_some((y * 8 + x) as usize)
}

fn has(set: u64, square: usize) -> bool {
    set >> square & 1 == 1
}

pub(crate) fn flips(square: usize, mover: u64, opponent: u64) -> u64 {
    let mut all = 0;
    for direction in DIRECTIONS {
        let mut run = 0;
        let mut here = step(square, direction);
        while let Some(s) = here {
            if has(opponent, s) {
                run |= 1 << s;
                here = step(s, direction);
            } else {
                if has(mover, s) {
                    all |= run;
                }
                break;
            }
        }
    }
    all
}

pub(crate) fn legal_moves(mover: u64, opponent: u64) -> u64 {
    (0..64)
        .filter(|&s| !has(mover | opponent, s) && flips(s, mover, opponent) != 0)
        .fold(0, |set, s| set | 1 << s)
}

pub(crate) fn empty_neighbours(discs: u64, empty: u64) -> u64 {
    (0..64)
        .filter(|&s| {
            has(empty, s) && DIRECTIONS.iter().any(|&d| step(s, d).is_some_and(|n| has(discs, n)))
        })
        .fold(0, |set, s| set | 1 << s)
}

/// Perft by the walker, passes counted as a ply or not.
pub(crate) fn perft(mover: u64, opponent: u64, depth: u32, pass_is_ply: bool) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = legal_moves(mover, opponent);
    if moves == 0 {
        if legal_moves(opponent, mover) == 0 {
            return 1;
        }
        return perft(opponent, mover, depth - u32::from(pass_is_ply), pass_is_ply);
    }
    (0..64)
        .filter(|&s| has(moves, s))
        .map(|s| {
            let flipped = flips(s, mover, opponent);
            perft(opponent & !flipped, mover | flipped | 1 << s, depth - 1, pass_is_ply)
        })
        .sum()
}

/// The discs of either side that no continuation of legal play ever flips, by trying them all; only
/// for positions with few empties.
pub(crate) fn never_flipped(position: Position) -> (Bitboard, Bitboard) {
    fn visit(mover: u64, opponent: u64, kept: &mut u64, kept_other: &mut u64) {
        let moves = legal_moves(mover, opponent);
        if moves == 0 {
            if legal_moves(opponent, mover) != 0 {
                visit(opponent, mover, kept_other, kept);
            }
            return;
        }
        for s in (0..64).filter(|&s| has(moves, s)) {
            let flipped = flips(s, mover, opponent);
            *kept_other &= !flipped;
            visit(opponent & !flipped, mover | flipped | 1 << s, kept_other, kept);
        }
    }
    let (mover, opponent) = (position.mover().0, position.opponent().0);
    let (mut kept, mut kept_other) = (mover, opponent);
    visit(mover, opponent, &mut kept, &mut kept_other);
    (Bitboard(kept), Bitboard(kept_other))
}
