//! How far an evaluation is from the truth, in discs.

use serde::Serialize;

/// Pairs of what was said and what is true, summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Accuracy {
    count: f64,
    said: f64,
    truth: f64,
    said_squared: f64,
    truth_squared: f64,
    product: f64,
    absolute: f64,
}

/// What people want to know about an [`Accuracy`]; 0 where there is nothing to say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// How many positions.
    pub count: u64,
    /// Root mean square error.
    pub rmse: f64,
    /// Mean absolute error.
    pub mae: f64,
    /// Mean of said minus true.
    pub bias: f64,
    /// Pearson's coefficient.
    pub correlation: f64,
    /// Root mean square error after the best straight line through the pairs: what is left when
    /// scale and offset are forgiven.
    pub fitted_rmse: f64,
}

impl Accuracy {
    /// Adds a pair, in discs.
    pub fn add(&mut self, said: f64, truth: f64) {
        self.count += 1.0;
        self.said += said;
        self.truth += truth;
        self.said_squared += said * said;
        self.truth_squared += truth * truth;
        self.product += said * truth;
        self.absolute += (said - truth).abs();
    }

    /// The figures.
    pub fn summary(&self) -> Summary {
        let count = self.count.max(1.0);
        let square_error = self.said_squared - 2.0 * self.product + self.truth_squared;
        let variance_said = self.said_squared / count - (self.said / count).powi(2);
        let variance_truth = self.truth_squared / count - (self.truth / count).powi(2);
        let covariance = self.product / count - self.said * self.truth / count.powi(2);
        let spread = (variance_said * variance_truth).sqrt();
        let correlation = if spread > 0.0 { covariance / spread } else { 0.0 };
        let unexplained = variance_truth * (1.0 - correlation * correlation);
        Summary {
            count: self.count as u64,
            rmse: (square_error.max(0.0) / count).sqrt(),
            mae: self.absolute / count,
            bias: (self.said - self.truth) / count,
            correlation,
            fitted_rmse: unexplained.max(0.0).sqrt(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(pairs: &[(f64, f64)]) -> Summary {
        let mut accuracy = Accuracy::default();
        for &(said, truth) in pairs {
            accuracy.add(said, truth);
        }
        accuracy.summary()
    }

    #[test]
    fn figures_agree_with_a_calculation_by_hand() {
        let summary = of(&[(1.0, 2.0), (2.0, 4.0), (3.0, 9.0)]);
        assert_eq!(summary.count, 3);
        assert!((summary.rmse - (41.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!((summary.mae - 3.0).abs() < 1e-12);
        assert!((summary.bias + 3.0).abs() < 1e-12);
        // Covariance 7/3, variances 2/3 and 26/3.
        assert!((summary.correlation - 7.0 / 52.0f64.sqrt()).abs() < 1e-12);
        assert!((summary.fitted_rmse - 0.5f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_straight_line_is_forgiven_and_nothing_gives_zeros() {
        let summary = of(&[(0.0, 5.0), (1.0, 7.0), (2.0, 9.0)]);
        assert!((summary.correlation - 1.0).abs() < 1e-12 && summary.fitted_rmse < 1e-6);
        assert_eq!(of(&[]).rmse, 0.0);
        assert_eq!(of(&[(1.0, 1.0)]).correlation, 0.0);
    }
}
