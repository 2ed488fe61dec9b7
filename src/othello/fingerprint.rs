//! One number that stands for the answers of both kernels on many random boards.
//!
//! A build for the native CPU and a build for a plain one use different kernels. If both give the
//! recorded fingerprint, they agree on every board that went into it.

use super::random::{random_discs, seeded};
use super::{flips, mobility};

/// Which kernels this build uses.
pub const KERNELS: &str = if cfg!(all(target_arch = "x86_64", target_feature = "avx2")) {
    if cfg!(all(target_feature = "avx512cd", target_feature = "avx512vl")) {
        "AVX-512"
    } else {
        "AVX2"
    }
} else {
    "portable"
};

/// Seed of the boards in the recorded fingerprint.
pub const SEED: u64 = 64;
/// How many boards are in the recorded fingerprint.
pub const BOARDS: u64 = 10_000_000;
/// What every build must get for [`BOARDS`] boards from [`SEED`]. Recorded from the portable
/// kernels, which the tests check against a walker over the squares.
pub const RECORDED: u64 = 14_431_310_168_500_306_201;

/// Mixes the legal moves of `boards` random boards and the flips of each of those moves into
/// one number, using the kernels of this build.
pub fn fingerprint(boards: u64, seed: u64) -> u64 {
    mixed(boards, seed, mobility::legal_moves, flips::flips)
}

/// The same with the portable kernels, whatever the build.
pub fn fingerprint_portable(boards: u64, seed: u64) -> u64 {
    mixed(boards, seed, mobility::legal_moves_portable, flips::flips_portable)
}

fn mixed(
    boards: u64,
    seed: u64,
    legal_moves: impl Fn(u64, u64) -> u64,
    flips: impl Fn(usize, u64, u64) -> u64,
) -> u64 {
    let mut rng = seeded(seed);
    let mut mix = 0u64;
    // Multiplying by an odd number and rotating keep the order of the answers in the result.
    let mut add = |answer: u64| {
        mix = (mix ^ answer).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    };
    for _ in 0..boards {
        let (mover, opponent) = random_discs(&mut rng);
        let mut moves = legal_moves(mover, opponent);
        add(moves);
        while moves != 0 {
            add(flips(moves.trailing_zeros() as usize, mover, opponent));
            moves &= moves - 1;
        }
    }
    mix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_build_and_the_portable_kernels_agree_on_ten_million_random_boards() {
        assert_eq!(fingerprint(BOARDS, SEED), RECORDED);
        assert_eq!(fingerprint_portable(BOARDS, SEED), RECORDED);
    }

    #[test]
    fn one_wrong_answer_changes_the_fingerprint() {
        let broken = |mover, opponent| {
            let moves = mobility::legal_moves_portable(mover, opponent);
            if moves.count_ones() == 5 { moves & (moves - 1) } else { moves }
        };
        assert_ne!(mixed(1_000, SEED, broken, flips::flips), fingerprint(1_000, SEED));
    }
}
