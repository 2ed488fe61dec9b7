//! Tests for a difference of means.

use serde::Serialize;

use super::Moments;
use super::normal;

/// A test for a difference of means.
#[derive(Clone, Copy, Debug, Serialize, PartialEq)]
pub struct Test {
    /// Difference over its standard error.
    pub t: f64,
    /// Two-sided probability under no difference (normal, for the large samples used here).
    pub p: f64,
}

impl Test {
    fn new(difference: f64, error: f64) -> Test {
        let t = if error > 0.0 { difference / error } else { 0.0 };
        Test { t, p: 2.0 * normal::distribution(-t.abs()) }
    }

    /// Two samples as if they were independent (the papers' test).
    pub fn unpaired(a: &Moments, b: &Moments) -> Test {
        Test::new(a.mean() - b.mean(), a.standard_error().hypot(b.standard_error()))
    }

    /// Differences of pairs.
    pub fn paired(differences: &Moments) -> Test {
        Test::new(differences.mean(), differences.standard_error())
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
        values.iter().copied().collect()
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
