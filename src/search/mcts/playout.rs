//! Playouts: games played to their end in a blink, and the policies that choose their moves.
//!
//! The uniform policy costs two bitboard kernels and a handful of instructions per move. The
//! ranked policy is the 2017 paper's: legal moves sorted by the evaluation of the position after
//! them, each twice as likely as the next worse one.

use rand::RngCore;

use crate::eval::{Evaluation, Incremental, with_evaluator};
use crate::othello::flips::flips;
use crate::othello::mobility::legal_moves;
use crate::othello::{Bitboard, Position, Square};
use crate::random::Random;
use crate::search::view::View;

/// More moves than any Othello position has (the greatest known number is 33).
const MOST_MOVES: usize = 64;

/// How the moves of a playout are chosen.
#[derive(Clone)]
pub enum PlayoutPolicy {
    /// Every legal move is equally likely.
    Uniform,
    /// The better by evaluation, the likelier: ratios 2 : 1 from rank to rank.
    Ranked(Evaluation, View),
}

impl PlayoutPolicy {
    /// Plays from `position` to the end of the game; the final score for its mover.
    pub fn play(&self, position: Position, rng: &mut Random) -> i32 {
        match self {
            PlayoutPolicy::Uniform => uniform(position, rng),
            PlayoutPolicy::Ranked(evaluation, view) => {
                with_evaluator!(evaluation, |evaluator| ranked(position, evaluator, *view, rng))
            }
        }
    }
}

/// A playout of uniformly random moves; the final score for the mover of `position`.
pub fn uniform(position: Position, rng: &mut Random) -> i32 {
    let mut bits = RandomBits::new(rng);
    let (mut mover, mut opponent) = (position.mover().0, position.opponent().0);
    let (mut sign, mut passed) = (1, false);
    loop {
        let moves = legal_moves(mover, opponent);
        if moves == 0 {
            if passed || mover | opponent == !0 {
                return sign * Position::from_disjoint(mover, opponent).final_score();
            }
            passed = true;
            (mover, opponent) = (opponent, mover);
        } else {
            passed = false;
            let square = nth_square(moves, bits.below(moves.count_ones()));
            let flipped = flips(square.index(), mover, opponent);
            (mover, opponent) = (opponent ^ flipped, mover | flipped | square.bit());
        }
        sign = -sign;
    }
}

/// A playout of ranked moves; the final score for the mover of `position`.
pub fn ranked<E: Incremental>(
    mut position: Position,
    evaluator: &E,
    view: View,
    rng: &mut Random,
) -> i32 {
    let mut state = evaluator.root(position);
    let mut sign = 1;
    loop {
        let moves = position.legal_moves();
        if moves.is_empty() {
            if !position.pass().has_move() {
                return sign * position.final_score();
            }
            (position, state) = (position.pass(), evaluator.passed(&state));
        } else {
            let square = ranked_move(position, &state, moves, evaluator, view, rng);
            let flipped = position.flips(square);
            state = evaluator.child(&state, square, flipped.0);
            position = position.play_flipping(square, flipped);
        }
        sign = -sign;
    }
}

/// One move of the ranked policy: rank r of n is chosen with probability 2^(n−r) / (2^n − 1).
///
/// `state` is the evaluator's for `position`; `moves` are the legal moves, at least one. Moves of
/// equal evaluation keep the order of their squares.
pub fn ranked_move<E: Incremental>(
    position: Position,
    state: &E::State,
    moves: Bitboard,
    evaluator: &E,
    view: View,
    rng: &mut Random,
) -> Square {
    let count = moves.count() as usize;
    if count == 1 {
        return Square::lowest_of(moves.0);
    }
    let mut keys = [0; MOST_MOVES];
    for (key, square) in keys.iter_mut().zip(moves) {
        let flipped = position.flips(square);
        let after = evaluator.child(state, square, flipped.0);
        let position = position.play_flipping(square, flipped);
        let value = match view {
            View::Mover => -evaluator.value(&after, position),
            View::Own => evaluator.value(&evaluator.passed(&after), position.pass()),
        };
        // Evaluation first, then the earlier square: distinct keys make the order stable.
        *key = i64::from(value) << 8 | (63 - square.index()) as i64;
    }
    let rank = random_rank(count as u32, rng) as usize;
    let (_, chosen, _) = keys[..count].select_nth_unstable_by(rank - 1, |a, b| b.cmp(a));
    Square::lowest_of(1 << (63 - (*chosen & 63)))
}

/// A rank from 1 (best) to `count` (at most 64): each half as likely as the one before it.
///
/// Of the numbers 1 … 2^n − 1, exactly 2^(n−r) have r − 1 leading zeros in n bits.
fn random_rank(count: u32, rng: &mut Random) -> u32 {
    loop {
        let number = rng.next_u64() >> (64 - count);
        if number != 0 {
            return number.leading_zeros() + count - 63;
        }
    }
}

/// The square of the `n`-th lowest set bit of `bits`, counted from 0; `bits` must have more.
///
/// Halves the word by counting bits, then looks the last byte up: no loop for the branch predictor
/// to miss, which the playout would feel.
#[inline(always)]
fn nth_square(mut bits: u64, mut n: u32) -> Square {
    let mut index = 0;
    let low = (bits as u32).count_ones();
    if n >= low {
        (n, bits, index) = (n - low, bits >> 32, 32);
    }
    let low = (bits as u16).count_ones();
    if n >= low {
        (n, bits, index) = (n - low, bits >> 16, index + 16);
    }
    let low = (bits as u8).count_ones();
    if n >= low {
        (n, bits, index) = (n - low, bits >> 8, index + 8);
    }
    let in_byte = NTH_BIT_OF_BYTE[(bits & 0xff) as usize][(n & 7) as usize];
    Square::lowest_of(1 << ((index + u32::from(in_byte)) & 63))
}

/// For each byte and n: the index of its n-th lowest set bit.
static NTH_BIT_OF_BYTE: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut n) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[byte][n] = bit as u8;
                n += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Random numbers of 32 bits, two from each word of the generator.
struct RandomBits<'a> {
    rng: &'a mut Random,
    word: u64,
    half_left: bool,
}

impl<'a> RandomBits<'a> {
    fn new(rng: &'a mut Random) -> RandomBits<'a> {
        RandomBits { rng, word: 0, half_left: false }
    }

    /// A number below `bound` (1–64): multiply and shift, biased by less than 2^−26.
    #[inline(always)]
    fn below(&mut self, bound: u32) -> u32 {
        if self.half_left {
            self.word >>= 32;
        } else {
            self.word = self.rng.next_u64();
        }
        self.half_left = !self.half_left;
        (((self.word & 0xffff_ffff) * u64::from(bound)) >> 32) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluator;
    use crate::eval::mobility::Mobility;
    use crate::eval::shioda::{NoiseKind, Shioda};
    use crate::othello::random::{random_move, random_position};
    use crate::random::seeded;

    /// Chi-square of observed counts against expected probabilities.
    fn chi_square(counts: &[u32], probabilities: &[f64]) -> f64 {
        let total = f64::from(counts.iter().sum::<u32>());
        counts
            .iter()
            .zip(probabilities)
            .map(|(&count, p)| (f64::from(count) - total * p).powi(2) / (total * p))
            .sum()
    }

    #[test]
    fn ranks_have_the_worked_probabilities() {
        let mut rng = seeded(1);
        for (count, expected) in [
            (1, vec![1.0]),
            (3, vec![4.0 / 7.0, 2.0 / 7.0, 1.0 / 7.0]),
            (4, vec![8.0 / 15.0, 4.0 / 15.0, 2.0 / 15.0, 1.0 / 15.0]),
        ] {
            let mut counts = vec![0; count];
            for _ in 0..60_000 {
                counts[random_rank(count as u32, &mut rng) as usize - 1] += 1;
            }
            // Three degrees of freedom at most: 16.3 is passed once in a thousand seeds.
            assert!(chi_square(&counts, &expected) < 16.3, "{count}: {counts:?}");
        }
    }

    #[test]
    fn ranked_moves_are_chosen_two_to_one_from_rank_to_rank() {
        let mut rng = seeded(2);
        // Noise tells the two views apart.
        let noisy = Shioda::new(0.5, NoiseKind::Additive, 1);
        let evaluator: &dyn Evaluator = &noisy;
        for view in [View::Mover, View::Own, View::Mover, View::Own] {
            let position = random_position(40, &mut rng);
            let moves = position.legal_moves();
            let mut order: Vec<Square> = moves.into_iter().collect();
            order.sort_by_key(|&square| {
                -view.value(evaluator, position.play(square).unwrap(), false)
            });
            let n = order.len() as i32;
            let expected: Vec<f64> =
                (1..=n).map(|r| 2f64.powi(n - r) / (2f64.powi(n) - 1.0)).collect();
            let mut counts = vec![0; order.len()];
            for _ in 0..20_000 {
                let chosen = ranked_move(position, &(), moves, &evaluator, view, &mut rng);
                counts[order.iter().position(|&square| square == chosen).unwrap()] += 1;
            }
            // Only ranks expected at least ten times, the others in one class.
            let split = order.len().min(10);
            let fold_counts = |c: &[u32]| [&c[..split], &[c[split..].iter().sum()]].concat();
            let fold = |p: &[f64]| [&p[..split], &[p[split..].iter().sum()]].concat();
            let (mut counts, mut expected) = (fold_counts(&counts), fold(&expected));
            if expected[split] == 0.0 {
                counts.pop();
                expected.pop();
            }
            // Ten degrees of freedom at most: 29.6 is passed once in a thousand seeds.
            assert!(chi_square(&counts, &expected) < 29.6, "{counts:?} {expected:?}");
        }
    }

    #[test]
    fn uniform_moves_are_uniform() {
        let mut rng = seeded(3);
        let moves = random_position(40, &mut rng).legal_moves().0;
        let count = moves.count_ones();
        let mut counts = vec![0; count as usize];
        let mut bits = RandomBits::new(&mut rng);
        for _ in 0..50_000 {
            let square = nth_square(moves, bits.below(count));
            counts[(moves & (square.bit() - 1)).count_ones() as usize] += 1;
        }
        let expected = vec![1.0 / f64::from(count); count as usize];
        assert!(chi_square(&counts, &expected) < 40.0, "{counts:?}");
    }

    #[test]
    fn the_nth_square_is_the_nth_of_the_iterator() {
        let mut rng = seeded(8);
        for _ in 0..2_000 {
            let bits = rng.next_u64() & rng.next_u64();
            for (n, square) in Bitboard(bits).into_iter().enumerate() {
                assert_eq!(nth_square(bits, n as u32), square);
            }
        }
    }

    #[test]
    fn fast_playouts_average_what_slow_random_games_average() {
        let mut rng = seeded(4);
        let position = random_position(12, &mut rng);
        let slow = |rng: &mut Random| {
            let (mut now, mut sign) = (position, 1);
            while let Some(chosen) = random_move(now, rng) {
                now = now.after_unchecked(chosen);
                sign = -sign;
            }
            sign * now.final_score()
        };
        let games = 20_000;
        let mean = |sum: i32| f64::from(sum) / f64::from(games);
        let fast_mean = mean((0..games).map(|_| uniform(position, &mut rng)).sum());
        let slow_mean = mean((0..games).map(|_| slow(&mut rng)).sum());
        // Final scores deviate by about 20 discs: the means by 0.2 of each other.
        assert!((fast_mean - slow_mean).abs() < 1.0, "{fast_mean} against {slow_mean}");
    }

    #[test]
    fn a_finished_game_is_its_own_playout() {
        let over = random_position(0, &mut seeded(5));
        let mut rng = seeded(6);
        assert_eq!(uniform(over, &mut rng), over.final_score());
        let evaluator: &dyn Evaluator = &Mobility;
        assert_eq!(ranked(over, &evaluator, View::Mover, &mut rng), over.final_score());
        assert_eq!(PlayoutPolicy::Uniform.play(over.pass(), &mut rng), over.pass().final_score());
    }
}
