//! The statistics the experiments report: moments, a histogram, and tests for a difference of means.

use serde::Serialize;

use crate::search::expectation::normal;

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

/// A test for a difference of means.
#[derive(Clone, Copy, Debug, Serialize, PartialEq)]
pub struct Test {
    /// Difference over its standard error.
    pub t: f64,
    /// Two-sided probability under no difference (normal, for the large samples used here).
    pub p: f64,
}

impl Test {
    fn new(difference: f64, variance: f64) -> Test {
        let t = if variance > 0.0 { difference / variance.sqrt() } else { 0.0 };
        Test { t, p: 2.0 * normal::distribution(-t.abs()) }
    }

    /// Two samples as if they were independent (the papers' test).
    pub fn unpaired(a: &Moments, b: &Moments) -> Test {
        let variance =
            a.variance() / (a.count - 1.0).max(1.0) + b.variance() / (b.count - 1.0).max(1.0);
        Test::new(a.mean() - b.mean(), variance)
    }

    /// Differences of pairs.
    pub fn paired(differences: &Moments) -> Test {
        Test::new(differences.mean(), differences.variance() / (differences.count - 1.0).max(1.0))
    }

    /// `1 %`, `5 %` or nothing, as the papers mark it.
    pub fn mark(&self) -> &'static str {
        match self.p {
            p if p < 0.01 => "1 %",
            p if p < 0.05 => "5 %",
            _ => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(values: &[f64]) -> Moments {
        let mut moments = Moments::default();
        values.iter().for_each(|&value| moments.add(value));
        moments
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
    fn the_paired_test_sees_what_the_unpaired_one_cannot() {
        let a: Vec<f64> = (0..1000).map(|i| f64::from(i % 50)).collect();
        let b: Vec<f64> = a.iter().enumerate().map(|(i, x)| x - f64::from(i as u32 % 2)).collect();
        let differences: Vec<f64> = a.iter().zip(&b).map(|(x, y)| x - y).collect();
        let unpaired = Test::unpaired(&moments(&a), &moments(&b));
        let paired = Test::paired(&moments(&differences));
        assert!(unpaired.p > 0.3 && paired.p < 1e-6, "{unpaired:?} {paired:?}");
        assert_eq!((unpaired.mark(), paired.mark()), ("", "1 %"));
        assert_eq!(Test::paired(&moments(&[0.0, 0.0])).mark(), "");
    }
}
