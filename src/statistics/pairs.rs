//! Pentanomial counts: the five possible scores of a pair of games.

use serde::{Deserialize, Serialize};

/// How many pairs a player scored 0, ½, 1, 1½ and 2 points in, and the single games without a
/// partner yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairs {
    /// Pairs by score in half points, 0 to 4.
    pub counts: [u64; 5],
}

impl Pairs {
    /// From counts by score: two losses, loss and draw, even, win and draw, two wins.
    pub const fn new(counts: [u64; 5]) -> Pairs {
        Pairs { counts }
    }

    /// Adds a pair by its score in half points.
    ///
    /// # Panics
    /// If `half_points` exceeds 4: two games have no more.
    pub fn add(&mut self, half_points: usize) {
        self.counts[half_points] += 1;
    }

    /// Number of pairs.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Mean score per game, 0 to 1; ½ without pairs.
    pub fn score(&self) -> f64 {
        if self.total() == 0 {
            return 0.5;
        }
        self.weighted(|score| score)
    }

    /// Variance of the mean score per game of one pair (population variance, as every published
    /// pentanomial tool takes it).
    pub fn variance(&self) -> f64 {
        let mean = self.score();
        if self.total() == 0 { 0.0 } else { self.weighted(|score| (score - mean).powi(2)) }
    }

    /// Standard error of [`Pairs::score`].
    pub fn standard_error(&self) -> f64 {
        match self.total() {
            0 => 0.0,
            pairs => (self.variance() / pairs as f64).sqrt(),
        }
    }

    fn weighted(&self, value: impl Fn(f64) -> f64) -> f64 {
        let sum: f64 = (0..5).map(|i| self.counts[i] as f64 * value(i as f64 / 4.0)).sum();
        sum / self.total() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_and_variance_match_the_definition() {
        let pairs = Pairs::new([1, 0, 2, 0, 1]);
        assert_eq!((pairs.total(), pairs.score(), pairs.variance()), (4, 0.5, 0.125));
        assert_eq!(Pairs::default().score(), 0.5);
        assert_eq!(Pairs::default().standard_error(), 0.0);
    }
}
