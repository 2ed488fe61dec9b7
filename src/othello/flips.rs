//! Which discs a move turns over: the hottest routine of the engine.
//!
//! From a square, eight rays leave: four towards higher bits (right, down-left, down, down-right)
//! and four towards lower bits. On each ray look for the nearest square that is *not* the
//! opponent's. If it is the mover's, everything before it is flipped; otherwise nothing is.
//!
//! * Towards higher bits the nearest square is the lowest set bit of `ray & !opponent`.
//! * Towards lower bits it is the highest set bit, found by leading-zero count (portable and
//!   AVX-512) or by smearing the bits down the ray (AVX2).
//!
//! Both forms use the same two ray tables.

/// For each square: the four rays towards higher bits, step 1, 7, 8, 9.
static RAYS_UP: RayTable = RayTable(rays(true));
/// For each square: the four rays towards lower bits, step 1, 7, 8, 9.
static RAYS_DOWN: RayTable = RayTable(rays(false));

#[repr(align(64))]
struct RayTable([[u64; 4]; 64]);

const fn rays(up: bool) -> [[u64; 4]; 64] {
    // (column, row) steps in the order of bit distances 1, 7, 8, 9.
    const STEPS: [(i32, i32); 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];
    let mut table = [[0; 4]; 64];
    let mut square = 0;
    while square < 64 {
        let mut direction = 0;
        while direction < 4 {
            let sign = if up { 1 } else { -1 };
            let (dx, dy) = (STEPS[direction].0 * sign, STEPS[direction].1 * sign);
            let (mut x, mut y) = (square % 8 + dx, square / 8 + dy);
            while x >= 0 && x < 8 && y >= 0 && y < 8 {
                table[square as usize][direction] |= 1 << (y * 8 + x);
                x += dx;
                y += dy;
            }
            direction += 1;
        }
        square += 1;
    }
    table
}

/// Discs flipped by the mover's move on `square` (0–63), empty if the move is illegal.
///
/// `square` itself must be empty; the two sets must not overlap.
#[inline(always)]
pub fn flips(square: usize, mover: u64, opponent: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
    {
        simd::flips(square, mover, opponent)
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
    {
        flips_portable(square, mover, opponent)
    }
}

/// The form of [`flips`] that needs nothing but 64-bit integers.
#[inline]
pub fn flips_portable(square: usize, mover: u64, opponent: u64) -> u64 {
    let mut flipped = 0;
    let (up, down) = (&RAYS_UP.0[square & 63], &RAYS_DOWN.0[square & 63]);
    for ray in up {
        let blockers = ray & !opponent;
        let outflank = blockers & blockers.wrapping_neg() & mover;
        // All bits below the outflanking disc, or none when there is no such disc.
        flipped |= outflank.wrapping_sub(u64::from(outflank != 0)) & ray;
    }
    for ray in down {
        let blockers = ray & !opponent;
        let nearest = (1u64 << 63) >> (blockers | 1).leading_zeros();
        let outflank = nearest & blockers & mover;
        // All bits above the outflanking disc, or none: −0 is 0.
        flipped |= (outflank << 1).wrapping_neg() & ray;
    }
    flipped
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod simd {
    use std::arch::x86_64::*;

    use super::{RAYS_DOWN, RAYS_UP};

    #[inline(always)]
    pub(super) fn flips(square: usize, mover: u64, opponent: u64) -> u64 {
        // SAFETY: this module is compiled only where AVX2 is part of the target; the tables are
        // aligned to 64 bytes and `square & 63` is inside them.
        unsafe {
            let p = _mm256_set1_epi64x(mover as i64);
            let o = _mm256_set1_epi64x(opponent as i64);
            let up = _mm256_load_si256(RAYS_UP.0[square & 63].as_ptr().cast());
            let down = _mm256_load_si256(RAYS_DOWN.0[square & 63].as_ptr().cast());
            let all = _mm256_or_si256(flips_up(p, o, up), flips_down(p, o, down));
            let half = _mm_or_si128(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
            let folded = _mm_or_si128(half, _mm_unpackhi_epi64(half, half));
            _mm_cvtsi128_si64(folded) as u64
        }
    }

    #[inline(always)]
    fn flips_up(p: __m256i, o: __m256i, ray: __m256i) -> __m256i {
        // SAFETY: register-only AVX2 arithmetic, available wherever this module is compiled.
        unsafe {
            let zero = _mm256_setzero_si256();
            let blockers = _mm256_andnot_si256(o, ray);
            let nearest = _mm256_and_si256(blockers, _mm256_sub_epi64(zero, blockers));
            let outflank = _mm256_and_si256(nearest, p);
            // outflank − 1 where there is one, else 0: the comparison gives −1 where there is none.
            let missing = _mm256_cmpeq_epi64(outflank, zero);
            let below = _mm256_add_epi64(outflank, _mm256_set1_epi64x(-1));
            _mm256_and_si256(_mm256_andnot_si256(missing, below), ray)
        }
    }

    #[cfg(all(target_feature = "avx512cd", target_feature = "avx512vl"))]
    #[inline(always)]
    fn flips_down(p: __m256i, o: __m256i, ray: __m256i) -> __m256i {
        // SAFETY: register-only AVX-512VL/CD arithmetic, compiled only where both are present.
        unsafe {
            let blockers = _mm256_andnot_si256(o, ray);
            // The lowest bit stands for "no blocker": it is then not one of the blockers.
            let some = _mm256_or_si256(blockers, _mm256_set1_epi64x(1));
            let nearest = _mm256_srlv_epi64(_mm256_set1_epi64x(i64::MIN), _mm256_lzcnt_epi64(some));
            let outflank = _mm256_and_si256(_mm256_and_si256(nearest, blockers), p);
            let above =
                _mm256_sub_epi64(_mm256_setzero_si256(), _mm256_add_epi64(outflank, outflank));
            _mm256_and_si256(above, ray)
        }
    }

    #[cfg(not(all(target_feature = "avx512cd", target_feature = "avx512vl")))]
    #[inline(always)]
    fn flips_down(p: __m256i, o: __m256i, ray: __m256i) -> __m256i {
        // SAFETY: register-only AVX2 arithmetic, available wherever this module is compiled.
        unsafe {
            let step = _mm256_set_epi64x(9, 8, 7, 1);
            let blockers = _mm256_andnot_si256(o, ray);
            // Smear each blocker down its ray; the one bit with no neighbour above is the nearest.
            let mut smear = _mm256_or_si256(blockers, _mm256_srlv_epi64(blockers, step));
            let step2 = _mm256_add_epi64(step, step);
            smear = _mm256_or_si256(smear, _mm256_srlv_epi64(smear, step2));
            let step4 = _mm256_add_epi64(step2, step2);
            smear = _mm256_or_si256(smear, _mm256_srlv_epi64(smear, step4));
            let nearest = _mm256_andnot_si256(_mm256_srlv_epi64(smear, step), smear);
            let outflank = _mm256_and_si256(_mm256_and_si256(nearest, p), ray);
            let above =
                _mm256_sub_epi64(_mm256_setzero_si256(), _mm256_add_epi64(outflank, outflank));
            _mm256_and_si256(above, ray)
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
        let mut rng = crate::othello::random::seeded(1);
        for _ in 0..20_000 {
            let (mover, opponent) = random_discs(&mut rng);
            for square in (0..64).filter(|s| (mover | opponent) >> s & 1 == 0) {
                let expected = slow::flips(square, mover, opponent);
                assert_eq!(flips_portable(square, mover, opponent), expected);
                assert_eq!(flips(square, mover, opponent), expected);
            }
        }
    }
}
