//! E(σ²; h₁…h_k) as the papers estimate it: the average over m tuples of the tuple's maximum.
//!
//! The draws go leaf by leaf, so that the running maxima (and their mean) only grow as leaves are
//! added: with one generator per node a search may cut on a partial estimate and still return
//! exactly what the uncut search returns.

use rand::Rng;
use rand_distr::StandardNormal;

use super::deviation::Deviation;
use crate::random::Random;
use crate::statistics::Moments;

/// The running maxima of m tuples.
#[derive(Clone, Debug, Default)]
pub struct Tuples {
    maxima: Vec<f64>,
}

impl Tuples {
    /// `samples` (at least 1) empty tuples.
    pub fn new(samples: usize) -> Tuples {
        Tuples { maxima: vec![f64::NEG_INFINITY; samples.max(1)] }
    }

    /// Empties the tuples, keeping their number.
    pub fn clear(&mut self) {
        self.maxima.fill(f64::NEG_INFINITY);
    }

    /// Draws one more component N(leaf, σ²) for every tuple.
    pub fn add(&mut self, sigma: Deviation, leaf: f64, rng: &mut Random) {
        for maximum in &mut self.maxima {
            let deviate: f64 = rng.sample(StandardNormal);
            *maximum = maximum.max(leaf + sigma.get() * deviate);
        }
    }

    /// Adds a component that is certain.
    pub fn raise(&mut self, certain: f64) {
        for maximum in &mut self.maxima {
            *maximum = maximum.max(certain);
        }
    }

    /// The mean of the tuples' maxima.
    pub fn mean(&self) -> f64 {
        self.maxima.iter().sum::<f64>() / self.maxima.len() as f64
    }

    /// The standard error of [`Tuples::mean`], 0 for a single tuple.
    pub fn standard_error(&self) -> f64 {
        self.maxima.iter().copied().collect::<Moments>().standard_error()
    }
}

/// An estimate and how far to trust it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean of the tuples' maxima.
    pub mean: f64,
    /// Its standard error.
    pub standard_error: f64,
}

/// Tuples held in memory at a time by [`estimate_max`].
const BATCH: u64 = 100_000;

/// [`sampled_max`] for any number of samples in bounded memory, with its standard error.
pub fn estimate_max(sigma: Deviation, leaves: &[f64], samples: u64, rng: &mut Random) -> Estimate {
    let (mut mean, mut variance, mut left) = (0.0, 0.0, samples.max(1));
    while left > 0 {
        let batch = left.min(BATCH);
        let mut tuples = Tuples::new(batch as usize);
        for &leaf in leaves {
            tuples.add(sigma, leaf, rng);
        }
        let share = batch as f64 / samples.max(1) as f64;
        mean += share * tuples.mean();
        variance += (share * tuples.standard_error()).powi(2);
        left -= batch;
    }
    Estimate { mean, standard_error: variance.sqrt() }
}

/// The papers' Monte Carlo estimate of the mean maximum with `samples` tuples.
pub fn sampled_max(sigma: Deviation, leaves: &[f64], samples: usize, rng: &mut Random) -> f64 {
    if sigma == Deviation::ZERO {
        return leaves.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    }
    let mut tuples = Tuples::new(samples);
    for &leaf in leaves {
        tuples.add(sigma, leaf, rng);
    }
    tuples.mean()
}

#[cfg(test)]
mod tests {
    use super::super::exact::expected_max;
    use super::*;
    use crate::random::seeded;

    #[test]
    fn adding_a_leaf_never_lowers_the_estimate() {
        let mut rng = seeded(5);
        let sigma = Deviation::new(8.0).unwrap();
        let mut tuples = Tuples::new(20);
        let mut last = f64::NEG_INFINITY;
        for leaf in [3.0, -60.0, 4.0, 4.0, -9.0] {
            tuples.add(sigma, leaf, &mut rng);
            assert!(tuples.mean() >= last);
            last = tuples.mean();
        }
    }

    #[test]
    fn the_spread_of_estimates_is_the_theoretical_one() {
        // Table 1 of the 2002 paper: E(8²; 0 × 10) estimated 100 times with m = 100. The deviation
        // of one maximum of ten standard normals is 0.58681, so an estimate spreads by 0.46945.
        let sigma = Deviation::new(8.0).unwrap();
        let (leaves, trials) = ([0.0; 10], 100);
        let mut rng = seeded(2002);
        let estimates: Vec<f64> =
            (0..trials).map(|_| sampled_max(sigma, &leaves, 100, &mut rng)).collect();
        let mean = estimates.iter().sum::<f64>() / f64::from(trials);
        let squares: f64 = estimates.iter().map(|e| (e - mean).powi(2)).sum();
        let spread = (squares / f64::from(trials - 1)).sqrt();
        let theory = 0.469_448;
        let exact = expected_max(sigma, &leaves);
        assert!((mean - exact).abs() < 4.0 * theory / f64::from(trials).sqrt(), "{mean} {exact}");
        // The standard error of a sample deviation is 1/√(2(n − 1)) of it.
        let tolerance = 4.0 * theory / f64::from(2 * (trials - 1)).sqrt();
        assert!((spread - theory).abs() < tolerance, "{spread}");
    }

    #[test]
    fn ten_million_samples_agree_with_the_exact_value() {
        let leaves = [1.5, -7.0, 2.25, 0.0];
        let sigma = Deviation::new(5.0).unwrap();
        let estimate = estimate_max(sigma, &leaves, 10_000_000, &mut seeded(77));
        let difference = estimate.mean - expected_max(sigma, &leaves);
        assert!(difference.abs() < 4.0 * estimate.standard_error, "{difference} {estimate:?}");
        assert!(estimate.standard_error < 0.002);
    }
}
