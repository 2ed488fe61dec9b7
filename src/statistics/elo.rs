//! Elo differences from paired games, with their 95 % interval.

use serde::Serialize;

use super::Pairs;
use super::normal::{Z95, distribution};

/// Expected score per game of a player who is this much stronger (logistic Elo).
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo difference at which this score per game is expected; infinite at 0 and 1.
pub fn from_score(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (score / (1.0 - score)).log10()
    }
}

/// What a match says about the strength of its first player.
///
/// Infinite ends (a player that won or lost everything) are `null` in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EloEstimate {
    /// Elo difference at the score seen.
    pub elo: f64,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// Likelihood of superiority: the probability that the first player is the stronger, 0 to 1.
    pub superiority: f64,
    /// Normalised Elo: the difference in units of the spread of one game, which does not depend
    /// on how drawish or one-sided the openings are.
    pub normalized: f64,
    /// Half the width of the 95 % interval of `normalized`.
    pub normalized_margin: f64,
}

impl EloEstimate {
    /// The estimate from pairs; no pairs give an interval without ends.
    pub fn of(pairs: &Pairs) -> EloEstimate {
        let (score, error) = (pairs.score(), pairs.standard_error());
        let total = pairs.total();
        let (low, high) = if total == 0 {
            (0.0, 1.0)
        } else if error == 0.0 {
            unanimous_interval(score, total)
        } else {
            interval(score, error)
        };
        let superiority = match () {
            () if error > 0.0 => distribution((score - 0.5) / error),
            // All pairs alike: each is a fair coin's face under equality.
            () if total > 0 && score > 0.5 => 1.0 - 0.5f64.powi(total.min(1000) as i32),
            () if total > 0 && score < 0.5 => 0.5f64.powi(total.min(1000) as i32),
            () => 0.5,
        };
        // 800 / ln 10: Elo per unit of score slope at equality; a game has twice a pair's variance.
        let unit = 800.0 / std::f64::consts::LN_10 / 2f64.sqrt();
        let spread = pairs.variance().sqrt();
        let (normalized, normalized_margin) = if error > 0.0 {
            (unit * (score - 0.5) / spread, unit * Z95 / (total as f64).sqrt())
        } else {
            (0.0, f64::INFINITY)
        };
        EloEstimate {
            elo: from_score(score),
            low: from_score(low),
            high: from_score(high),
            superiority,
            normalized,
            normalized_margin,
        }
    }

    /// Half the width of the 95 % interval.
    pub fn margin(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// 95 % interval of the score. The usual one, symmetric about the score; where that leaves 0 to 1
/// (few pairs, lopsided), Wilson's, with the pairs counted as so many independent wins and losses
/// of the same variance.
fn interval(score: f64, error: f64) -> (f64, f64) {
    let usual = (score - Z95 * error, score + Z95 * error);
    if usual.0 > 0.0 && usual.1 < 1.0 {
        return usual;
    }
    let games = score * (1.0 - score) / (error * error);
    let squared = Z95 * Z95 / games;
    let middle = (score + squared / 2.0) / (1.0 + squared);
    let half =
        Z95 / (1.0 + squared) * (score * (1.0 - score) / games + squared / (4.0 * games)).sqrt();
    (middle - half, middle + half)
}

/// 95 % interval of the score when every pair had the same one, where the sample variance is 0 and
/// says nothing: the probability of another outcome is at most 1 − 0.05^(1/n) ("rule of three").
fn unanimous_interval(score: f64, pairs: u64) -> (f64, f64) {
    let other = 1.0 - 0.05f64.powf(1.0 / pairs as f64);
    (score * (1.0 - other), score + (1.0 - score) * other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::seeded_part;
    use rand::Rng;

    fn close(value: f64, expected: f64) {
        assert!((value - expected).abs() < 0.01, "{value} is not {expected}");
    }

    #[test]
    fn the_2017_papers_worked_ratings_come_out() {
        assert!((from_score(0.66) - 115.2).abs() < 0.05);
        assert!((from_score(0.08) + 424.3).abs() < 0.05);
        for elo in [-300.0, 0.0, 12.5, 700.0] {
            assert!((from_score(expected_score(elo)) - elo).abs() < 1e-9);
        }
    }

    /// Counts and results published in the tests of the fastchess match runner.
    #[test]
    fn published_pentanomial_examples_come_out() {
        let first = EloEstimate::of(&Pairs::new([34, 54, 31 + 32, 64, 75]));
        close(first.elo, 55.58);
        close(first.margin(), 27.65);
        close(first.normalized, 57.94);
        close(first.normalized_margin, 28.28);
        let second = EloEstimate::of(&Pairs::new([332, 433, 457 + 41, 333, 334]));
        close(second.normalized, -9.17);
        let third = EloEstimate::of(&Pairs::new([223, 9863, 21279, 10037, 246]));
        close(third.normalized, 1.7948);
        close(third.normalized_margin, 2.3594);
    }

    #[test]
    fn a_clean_sweep_has_a_finite_lower_end_that_grows_with_the_pairs() {
        let few = EloEstimate::of(&Pairs::new([0, 0, 0, 0, 5]));
        let many = EloEstimate::of(&Pairs::new([0, 0, 0, 0, 50]));
        assert_eq!(few.elo, f64::INFINITY);
        assert!(few.low.is_finite() && few.low < many.low);
        assert!(few.superiority < many.superiority && many.superiority <= 1.0);
        let none = EloEstimate::of(&Pairs::default());
        assert_eq!((none.elo, none.superiority), (0.0, 0.5));
        let even = EloEstimate::of(&Pairs::new([0, 0, 9, 0, 0]));
        assert!(even.low < 0.0 && even.high > 0.0);
    }

    /// How often the interval holds the truth over simulated matches with these probabilities of
    /// the five pair scores.
    fn coverage(truth: [f64; 5], pairs_each: usize, matches: u64) -> f64 {
        let score: f64 = truth.iter().enumerate().map(|(i, p)| p * i as f64 / 4.0).sum();
        let mut held = 0;
        for index in 0..matches {
            let mut rng = seeded_part(95, index);
            let mut pairs = Pairs::default();
            for _ in 0..pairs_each {
                let mut draw: f64 = rng.random();
                let outcome = truth.iter().position(|p| {
                    draw -= p;
                    draw < 0.0
                });
                pairs.add(outcome.unwrap_or(4));
            }
            let estimate = EloEstimate::of(&pairs);
            let elo = from_score(score);
            held += u32::from(estimate.low <= elo && elo <= estimate.high);
        }
        f64::from(held) / matches as f64
    }

    #[test]
    fn the_interval_holds_the_truth_at_the_nominal_rate() {
        // Far from even and correlated within the pair.
        let rate = coverage([0.15, 0.05, 0.35, 0.05, 0.40], 200, 2000);
        // Three standard errors of a 95 % rate over 2000 matches are 1.5 %.
        assert!((rate - 0.95).abs() < 0.015, "{rate}");
    }

    #[test]
    fn few_lopsided_pairs_still_give_finite_intervals_that_mostly_hold() {
        let estimate = EloEstimate::of(&Pairs::new([0, 0, 2, 0, 8]));
        assert!(estimate.low.is_finite() && estimate.high.is_finite(), "{estimate:?}");
        assert!(estimate.low < estimate.elo && estimate.elo < estimate.high);
        let rate = coverage([0.0, 0.0, 0.2, 0.0, 0.8], 10, 2000);
        assert!(rate > 0.9, "{rate}");
    }
}
