//! The sequential probability ratio test: stop a match as soon as it has said enough.
//!
//! The generalised test on pentanomial counts: the likelihoods compared are those of the
//! distributions nearest to the one seen (in likelihood) whose mean score is the one each
//! hypothesis expects. With counts N_i of pair scores a_i and a hypothesis' mean s, that
//! distribution is p_i ∝ N_i / (1 + θ(a_i − s)) for the one θ that makes its mean s.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Pairs;
use super::elo::expected_score;

/// The question a match shall answer: is the first player `elo1` stronger, or only `elo0`?
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    /// Elo difference of the null hypothesis.
    pub elo0: f64,
    /// Elo difference of the alternative.
    pub elo1: f64,
    /// Probability of accepting `elo1` when `elo0` is true.
    pub alpha: f64,
    /// Probability of accepting `elo0` when `elo1` is true.
    pub beta: f64,
}

/// Numbers that make no test.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SprtError {
    /// The hypotheses must differ in the right order.
    #[error("SPRT needs elo0 < elo1, got {elo0} and {elo1}")]
    Order {
        /// As given.
        elo0: f64,
        /// As given.
        elo1: f64,
    },
    /// Error rates are probabilities below one half.
    #[error("SPRT error rate `{name}` must be between 0 and 0.5, got {value}")]
    Rate {
        /// `alpha` or `beta`.
        name: &'static str,
        /// As given.
        value: f64,
    },
}

/// What the test says so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Keep playing.
    Continue,
    /// `elo0` accepted.
    AcceptElo0,
    /// `elo1` accepted.
    AcceptElo1,
}

impl Sprt {
    /// A test of these hypotheses.
    ///
    /// # Errors
    /// If the hypotheses or error rates make no test.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Sprt, SprtError> {
        // Written so that not-a-number fails too.
        if !(elo0 < elo1 && elo0.is_finite() && elo1.is_finite()) {
            return Err(SprtError::Order { elo0, elo1 });
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(SprtError::Rate { name, value });
            }
        }
        Ok(Sprt { elo0, elo1, alpha, beta })
    }

    /// The log-likelihood ratio at which `elo0` is accepted.
    pub fn lower(&self) -> f64 {
        (self.beta / (1.0 - self.alpha)).ln()
    }

    /// The log-likelihood ratio at which `elo1` is accepted.
    pub fn upper(&self) -> f64 {
        ((1.0 - self.beta) / self.alpha).ln()
    }

    /// Log-likelihood ratio of `elo1` against `elo0` on these pairs.
    pub fn log_likelihood_ratio(&self, pairs: &Pairs) -> f64 {
        if pairs.total() == 0 {
            return 0.0;
        }
        // A score never seen still gets a trace, so that both hypotheses stay possible.
        let counts = pairs.counts.map(|count| if count == 0 { NEVER_SEEN } else { count as f64 });
        let likelihood = |elo| constrained_likelihood(&counts, expected_score(elo));
        likelihood(self.elo1) - likelihood(self.elo0)
    }

    /// Whether the pairs have decided the question.
    pub fn decide(&self, pairs: &Pairs) -> Decision {
        match self.log_likelihood_ratio(pairs) {
            ratio if ratio >= self.upper() => Decision::AcceptElo1,
            ratio if ratio <= self.lower() => Decision::AcceptElo0,
            _ => Decision::Continue,
        }
    }
}

/// Weight of a pair score that did not occur, in pairs; the value public tools use.
const NEVER_SEEN: f64 = 1e-3;

/// Bisection steps for θ: halves its interval to below the rounding of `f64`.
const BISECTIONS: u32 = 60;

/// Greatest log-likelihood of the counts, up to a constant, over distributions with this mean.
fn constrained_likelihood(counts: &[f64; 5], mean: f64) -> f64 {
    let deviation = |i: usize| i as f64 / 4.0 - mean;
    // The slope of the likelihood in θ falls from +∞ to −∞ between the poles.
    let (mut low, mut high) = (-1.0 / deviation(4), -1.0 / deviation(0));
    for _ in 0..BISECTIONS {
        let theta = (low + high) / 2.0;
        let slope: f64 =
            (0..5).map(|i| counts[i] * deviation(i) / (1.0 + theta * deviation(i))).sum();
        if slope > 0.0 { low = theta } else { high = theta }
    }
    let theta = (low + high) / 2.0;
    -(0..5).map(|i| counts[i] * (1.0 + theta * deviation(i)).ln()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::seeded_part;
    use rand::Rng;

    fn test(elo0: f64, elo1: f64) -> Sprt {
        Sprt::new(elo0, elo1, 0.05, 0.05).unwrap()
    }

    /// Counts and ratios published in the tests of the fastchess match runner.
    #[test]
    fn published_ratios_come_out() {
        for (counts, elo0, elo1, expected) in [
            ([223, 9863, 20279 + 1000, 10037, 246], 0.5, 2.5, -3.07),
            ([871, 26175, 55003 + 980, 26678, 821], 0.0, 2.0, -4.98),
        ] {
            let ratio = test(elo0, elo1).log_likelihood_ratio(&Pairs::new(counts));
            assert!((ratio - expected).abs() < 0.01, "{ratio} is not {expected}");
        }
        assert!((test(0.0, 5.0).upper() - 2.944).abs() < 0.001);
        assert!((test(0.0, 5.0).lower() + 2.944).abs() < 0.001);
    }

    /// The θ form against the plain definition: maximise Σ N ln p over distributions with the
    /// given mean by a fine search over the two free probabilities of three outcomes.
    #[test]
    fn the_constrained_likelihood_is_the_maximum_found_by_brute_force() {
        let counts = [30.0, 1e-12, 50.0, 1e-12, 20.0];
        for mean in [0.4, 0.5, 0.57] {
            let fit = |mean: f64| {
                // p0 + p2 + p4 = 1 and p2/2 + p4 = mean leave one free value, p4.
                (1..100_000)
                    .map(|i| f64::from(i) / 100_000.0)
                    .filter_map(|p4| {
                        let p2 = 2.0 * (mean - p4);
                        let p0 = 1.0 - p2 - p4;
                        (p2 > 0.0 && p0 > 0.0)
                            .then(|| 30.0 * p0.ln() + 50.0 * p2.ln() + 20.0 * p4.ln())
                    })
                    .fold(f64::NEG_INFINITY, f64::max)
            };
            let constant: f64 = [30.0f64, 50.0, 20.0].iter().map(|n| n * (n / 100.0).ln()).sum();
            let value = constrained_likelihood(&counts, mean) + constant;
            assert!((value - fit(mean)).abs() < 1e-4, "{mean}: {value} {}", fit(mean));
        }
    }

    #[test]
    fn nonsense_is_refused_by_name() {
        let error = |a, b, c, d| Sprt::new(a, b, c, d).unwrap_err().to_string();
        assert_eq!(error(5.0, 0.0, 0.05, 0.05), "SPRT needs elo0 < elo1, got 5 and 0");
        assert!(error(f64::NAN, 0.0, 0.05, 0.05).contains("NaN"));
        assert!(error(0.0, 5.0, 0.0, 0.05).contains("`alpha`"));
        assert!(error(0.0, 5.0, 0.05, 0.7).contains("`beta` must be between 0 and 0.5, got 0.7"));
    }

    /// Plays simulated matches of a player that is truly `elo` stronger; how often each end was
    /// reached and the mean number of pairs.
    fn simulate(sprt: &Sprt, elo: f64, matches: u64, seed: u64) -> (f64, f64, f64) {
        // Othello-like games: 4 % draws, and openings that favour one side by up to 200 Elo.
        const DRAWS: f64 = 0.04;
        let (mut accept0, mut accept1, mut pairs_played) = (0u64, 0u64, 0u64);
        for index in 0..matches {
            let mut rng = seeded_part(seed, index);
            let mut pairs = Pairs::default();
            loop {
                let bias = rng.random_range(-200.0..200.0);
                let mut half_points = 0;
                for side in [bias, -bias] {
                    // Shrinking both tails by the draws keeps the expected score.
                    let win = win_probability(elo, side, DRAWS);
                    let draw: f64 = rng.random();
                    half_points += if draw < win {
                        2
                    } else if draw < win + DRAWS {
                        1
                    } else {
                        0
                    };
                }
                pairs.add(half_points);
                match sprt.decide(&pairs) {
                    Decision::Continue => continue,
                    Decision::AcceptElo0 => accept0 += 1,
                    Decision::AcceptElo1 => accept1 += 1,
                }
                break;
            }
            pairs_played += pairs.total();
        }
        let share = |count: u64| count as f64 / matches as f64;
        (share(accept0), share(accept1), share(pairs_played))
    }

    fn win_probability(elo: f64, side: f64, draws: f64) -> f64 {
        // The mean of E(elo+side) and E(elo−side) is not E(elo); correct for it so that the true
        // score of a pair is exactly the one the Elo difference promises.
        let pair = (expected_score(elo + side) + expected_score(elo - side)) / 2.0;
        expected_score(elo + side) + (expected_score(elo) - pair) - draws / 2.0
    }

    #[test]
    fn false_positives_and_negatives_stay_at_the_nominal_rate() {
        let sprt = test(0.0, 30.0);
        let matches = 1000;
        let (_, false_positive, _) = simulate(&sprt, 0.0, matches, 7);
        let (false_negative, _, _) = simulate(&sprt, 30.0, matches, 8);
        // Overshoot makes the true rates a little smaller than nominal; three standard errors of
        // 5 % over 1000 matches are 2.1 %.
        assert!((0.015..0.071).contains(&false_positive), "{false_positive}");
        assert!((0.015..0.071).contains(&false_negative), "{false_negative}");
    }

    /// A bigger run with its figures printed: `cargo test --release -- --ignored --nocapture sprt`.
    #[test]
    #[ignore = "several minutes"]
    fn many_simulated_sprt_matches() {
        for (elo0, elo1) in [(0.0, 10.0), (0.0, 30.0), (-10.0, 10.0)] {
            for truth in [elo0, (elo0 + elo1) / 2.0, elo1] {
                let (accept0, accept1, pairs) = simulate(&test(elo0, elo1), truth, 5000, 11);
                println!(
                    "elo0 {elo0} elo1 {elo1} truth {truth}: accepted elo0 {:.2} %, elo1 {:.2} %, \
                     mean {pairs:.0} pairs",
                    100.0 * accept0,
                    100.0 * accept1
                );
                assert!(truth != elo0 || accept1 < 0.06);
                assert!(truth != elo1 || accept0 < 0.06);
            }
        }
    }
}
