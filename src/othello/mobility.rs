//! All legal moves at once, by parallel prefix over four directions and their opposites.
//!
//! A run of opponent discs that starts next to one of the mover's is followed along each
//! direction; the empty square behind the run is a move. Horizontal and diagonal steps mask out
//! the a- and h-files so that nothing wraps around the edge.

/// Opponent discs that a horizontal or diagonal step may pass over: columns b–g.
const INNER_COLUMNS: u64 = 0x7e7e_7e7e_7e7e_7e7e;

/// The set of legal moves of `mover`.
#[inline(always)]
pub fn legal_moves(mover: u64, opponent: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    {
        simd::legal_moves(mover, opponent)
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    {
        legal_moves_portable(mover, opponent)
    }
}

/// The form of [`legal_moves`] that needs nothing but 64-bit integers.
#[inline]
pub fn legal_moves_portable(mover: u64, opponent: u64) -> u64 {
    let inner = opponent & INNER_COLUMNS;
    let found = along(mover, inner, 1)
        | along(mover, inner, 7)
        | along(mover, opponent, 8)
        | along(mover, inner, 9);
    found & !(mover | opponent)
}

/// Squares just behind a run of `passable` discs, both ways along one bit distance.
#[inline(always)]
fn along(mover: u64, passable: u64, step: u32) -> u64 {
    let mut up = passable & (mover << step);
    let mut down = passable & (mover >> step);
    up |= passable & (up << step);
    down |= passable & (down >> step);
    let pairs_up = passable & (passable << step);
    let pairs_down = passable & (passable >> step);
    up |= pairs_up & (up << (2 * step));
    down |= pairs_down & (down >> (2 * step));
    up |= pairs_up & (up << (2 * step));
    down |= pairs_down & (down >> (2 * step));
    (up << step) | (down >> step)
}

/// Empty squares next to at least one of `discs` (eight neighbours).
///
/// Counts how much room the owner of the *other* discs may get: the potential mobility used for
/// move ordering and evaluation.
#[inline]
pub const fn empty_neighbours(discs: u64, empty: u64) -> u64 {
    const NOT_H: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    const NOT_A: u64 = 0xfefe_fefe_fefe_fefe;
    let row = discs | (discs & NOT_H) << 1 | (discs & NOT_A) >> 1;
    let spread = row | row << 8 | row >> 8;
    spread & empty
}

/// For each square, its up to eight neighbours: a move needs an opponent's disc among them.
pub static NEIGHBOURS: [u64; 64] = {
    let mut table = [0; 64];
    let mut square = 0;
    while square < 64 {
        table[square] = empty_neighbours(1 << square, !(1 << square));
        square += 1;
    }
    table
};

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod simd {
    use std::arch::x86_64::*;

    use super::INNER_COLUMNS;

    #[inline(always)]
    pub(super) fn legal_moves(mover: u64, opponent: u64) -> u64 {
        // SAFETY: register-only AVX2 arithmetic, compiled only where AVX2 is part of the target.
        unsafe {
            let step = _mm256_set_epi64x(9, 8, 7, 1);
            let step2 = _mm256_set_epi64x(18, 16, 14, 2);
            let p = _mm256_set1_epi64x(mover as i64);
            let columns = _mm256_set_epi64x(
                INNER_COLUMNS as i64,
                -1,
                INNER_COLUMNS as i64,
                INNER_COLUMNS as i64,
            );
            let passable = _mm256_and_si256(_mm256_set1_epi64x(opponent as i64), columns);
            let mut up = _mm256_and_si256(passable, _mm256_sllv_epi64(p, step));
            let mut down = _mm256_and_si256(passable, _mm256_srlv_epi64(p, step));
            up = _mm256_or_si256(up, _mm256_and_si256(passable, _mm256_sllv_epi64(up, step)));
            down = _mm256_or_si256(down, _mm256_and_si256(passable, _mm256_srlv_epi64(down, step)));
            let pairs_up = _mm256_and_si256(passable, _mm256_sllv_epi64(passable, step));
            let pairs_down = _mm256_srlv_epi64(pairs_up, step);
            up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, step2)));
            down =
                _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, step2)));
            up = _mm256_or_si256(up, _mm256_and_si256(pairs_up, _mm256_sllv_epi64(up, step2)));
            down =
                _mm256_or_si256(down, _mm256_and_si256(pairs_down, _mm256_srlv_epi64(down, step2)));
            let behind =
                _mm256_or_si256(_mm256_sllv_epi64(up, step), _mm256_srlv_epi64(down, step));
            let half =
                _mm_or_si128(_mm256_castsi256_si128(behind), _mm256_extracti128_si256(behind, 1));
            let folded = _mm_or_si128(half, _mm_unpackhi_epi64(half, half));
            _mm_cvtsi128_si64(folded) as u64 & !(mover | opponent)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::random_discs;
    use crate::othello::slow;

    #[test]
    fn both_forms_match_the_walker_on_random_boards() {
        let mut rng = crate::othello::random::seeded(2);
        for _ in 0..50_000 {
            let (mover, opponent) = random_discs(&mut rng);
            let expected = slow::legal_moves(mover, opponent);
            assert_eq!(legal_moves_portable(mover, opponent), expected);
            assert_eq!(legal_moves(mover, opponent), expected);
        }
    }

    #[test]
    fn empty_neighbours_match_the_walker() {
        let mut rng = crate::othello::random::seeded(3);
        for _ in 0..5_000 {
            let (mover, opponent) = random_discs(&mut rng);
            let empty = !(mover | opponent);
            assert_eq!(empty_neighbours(opponent, empty), slow::empty_neighbours(opponent, empty));
        }
    }
}
