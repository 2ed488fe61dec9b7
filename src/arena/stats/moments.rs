//! A mean with its 95 % interval, for disc differences and times.

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

impl MeanEstimate {
    /// From independent values, by the unbiased variance.
    pub fn of(values: impl IntoIterator<Item = f64>) -> MeanEstimate {
        // Welford's running sums: exact enough for any order and size.
        let (mut count, mut mean, mut squares) = (0usize, 0.0, 0.0);
        for value in values {
            count += 1;
            let before = value - mean;
            mean += before / count as f64;
            squares += before * (value - mean);
        }
        let margin = if count < 2 {
            0.0
        } else {
            Z95 * (squares / (count - 1) as f64 / count as f64).sqrt()
        };
        MeanEstimate { count, mean, margin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_sample_gives_the_textbook_interval() {
        let estimate = MeanEstimate::of([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
        assert_eq!((estimate.count, estimate.mean), (8, 5.0));
        // Sample variance 32/7, standard error sqrt(32/56).
        assert!((estimate.margin - Z95 * (32.0f64 / 56.0).sqrt()).abs() < 1e-12);
        assert_eq!(MeanEstimate::of([3.0]).margin, 0.0);
        assert_eq!(MeanEstimate::of([]).mean, 0.0);
    }
}
