//! Moments of a sample, and its mean with the 95 % interval.

use serde::Serialize;

use super::normal::Z95;

/// The mean of a sample and how far off it may be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MeanEstimate {
    /// Size of the sample.
    pub count: usize,
    /// The mean; 0 for an empty sample.
    pub mean: f64,
    /// Half the width of the 95 % interval; 0 with fewer than two values.
    pub margin: f64,
}

/// Running moments of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    /// How many.
    pub count: f64,
    /// Sums of the first four powers.
    sums: [f64; 4],
}

impl Moments {
    /// Adds one value.
    pub fn add(&mut self, value: f64) {
        self.count += 1.0;
        let mut power = 1.0;
        for sum in &mut self.sums {
            power *= value;
            *sum += power;
        }
    }

    /// Adds another sample.
    pub fn merge(&mut self, other: &Moments) {
        self.count += other.count;
        for (sum, more) in self.sums.iter_mut().zip(other.sums) {
            *sum += more;
        }
    }

    /// The mean with its 95 % interval, by the unbiased variance of independent values.
    pub fn mean_estimate(&self) -> MeanEstimate {
        let margin = Z95 * self.standard_error();
        MeanEstimate { count: self.count as usize, mean: self.mean(), margin }
    }

    /// Standard error of the mean of independent values; 0 with fewer than two.
    pub fn standard_error(&self) -> f64 {
        if self.count < 2.0 { 0.0 } else { (self.variance() / (self.count - 1.0)).sqrt() }
    }

    fn raw(&self, power: usize) -> f64 {
        self.sums[power - 1] / self.count.max(1.0)
    }

    /// The mean; 0 of nothing.
    pub fn mean(&self) -> f64 {
        self.raw(1)
    }

    /// Root of the mean square, the papers' σ: the mean is *not* subtracted.
    pub fn root_mean_square(&self) -> f64 {
        self.raw(2).sqrt()
    }

    /// Variance around the mean (divided by n).
    pub fn variance(&self) -> f64 {
        (self.raw(2) - self.mean().powi(2)).max(0.0)
    }

    /// Standard deviation around the mean.
    pub fn deviation(&self) -> f64 {
        self.variance().sqrt()
    }

    /// Third standardised moment: 0 for a normal distribution.
    pub fn skewness(&self) -> f64 {
        let mean = self.mean();
        let third = self.raw(3) - 3.0 * mean * self.raw(2) + 2.0 * mean.powi(3);
        standardised(third, self.variance().powf(1.5))
    }

    /// Fourth standardised moment less 3: 0 for a normal distribution.
    pub fn excess_kurtosis(&self) -> f64 {
        let mean = self.mean();
        let fourth = self.raw(4) - 4.0 * mean * self.raw(3) + 6.0 * mean.powi(2) * self.raw(2)
            - 3.0 * mean.powi(4);
        if self.variance() > 0.0 {
            standardised(fourth, self.variance().powi(2)) - 3.0
        } else {
            0.0
        }
    }
}

fn standardised(moment: f64, scale: f64) -> f64 {
    if scale > 0.0 { moment / scale } else { 0.0 }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Moments {
        let mut moments = Moments::default();
        values.into_iter().for_each(|value| moments.add(value));
        moments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(values: &[f64]) -> Moments {
        values.iter().copied().collect()
    }

    #[test]
    fn moments_of_a_small_sample_are_those_worked_out_by_hand() {
        let sample = moments(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!((sample.mean(), sample.deviation()), (5.0, 2.0));
        assert!((sample.skewness() - 0.65625).abs() < 1e-12);
        assert!((sample.excess_kurtosis() + 0.21875).abs() < 1e-12);
        assert_eq!(sample.root_mean_square(), 29f64.sqrt());
        let mut parts = moments(&[2.0, 4.0, 4.0]);
        parts.merge(&moments(&[4.0, 5.0, 5.0, 7.0, 9.0]));
        assert_eq!(parts, sample);
    }

    #[test]
    fn a_small_sample_gives_the_textbook_interval() {
        let estimate = |values: &[f64]| moments(values).mean_estimate();
        let found = estimate(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!((found.count, found.mean), (8, 5.0));
        // Sample variance 32/7, standard error sqrt(32/56).
        assert!((found.margin - Z95 * (32.0f64 / 56.0).sqrt()).abs() < 1e-12);
        assert_eq!(estimate(&[3.0]).margin, 0.0);
        assert_eq!(estimate(&[]).mean, 0.0);
    }
}
