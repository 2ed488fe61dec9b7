//! Hashing a position for tables: two multiplications and a fold.
//!
//! Tables store the whole position beside the hash, so quality only decides how evenly slots fill,
//! never correctness.

use super::Position;

/// A 64-bit hash of both disc sets.
#[inline(always)]
pub const fn hash(position: Position) -> u64 {
    hash_discs(position.mover().0, position.opponent().0)
}

/// [`hash`] of raw disc sets.
#[inline(always)]
pub const fn hash_discs(mover: u64, opponent: u64) -> u64 {
    // Odd multipliers from the fractional parts of the golden ratio and of the square root of 2.
    let a = mover.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let b = opponent.wrapping_mul(0x6a09_e667_f3bc_c909).rotate_left(32);
    let mixed = (a ^ b ^ (a >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_position, seeded};
    use std::collections::HashSet;

    #[test]
    fn slots_of_a_small_table_fill_evenly() {
        let mut rng = seeded(3);
        let positions: HashSet<_> =
            (0..20_000).map(|i| random_position(10 + i % 40, &mut rng)).collect();
        let mut slots = vec![0u32; 256];
        for &position in &positions {
            slots[(hash(position) & 255) as usize] += 1;
        }
        let mean = positions.len() as f64 / 256.0;
        let chi: f64 = slots.iter().map(|&n| (f64::from(n) - mean).powi(2) / mean).sum();
        // 255 degrees of freedom: mean 255, deviation 22.6; six deviations either way.
        assert!((120.0..390.0).contains(&chi), "chi-square {chi}");
    }
}
