//! The one map between evaluations in discs and chances to win.
//!
//! Monte Carlo tree search averages chances to win, product propagation multiplies them, and
//! people are shown discs; all of them go this way and back.

/// How an evaluation in discs becomes a win rate and back.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum WinRateMap {
    /// Straight from certain loss at −`range` discs to certain win at `range` (equation 3 of
    /// Kitamura and Matsuzaki 2017: 0.5 + P / range / 2, held within 0 and 1).
    Linear {
        /// Discs that make a win certain.
        range: f64,
    },
    /// A logistic curve.
    Logistic {
        /// Discs that make the odds e to one; half a linear range has the same slope at 0.
        scale: f64,
    },
}

impl WinRateMap {
    /// The win rate of the side that is ahead by so many discs.
    #[inline]
    pub fn win_rate(self, discs: f64) -> f64 {
        match self {
            WinRateMap::Linear { range } => (0.5 + discs / range / 2.0).clamp(0.0, 1.0),
            WinRateMap::Logistic { scale } => 1.0 / (1.0 + (-discs / scale).exp()),
        }
    }

    /// The discs this win rate stands for, ±64 at most: the inverse of [`WinRateMap::win_rate`].
    pub fn discs(self, win_rate: f64) -> f64 {
        let discs = match self {
            WinRateMap::Linear { range } => (win_rate - 0.5) * 2.0 * range,
            WinRateMap::Logistic { scale } => (win_rate / (1.0 - win_rate)).ln() * scale,
        };
        discs.clamp(-64.0, 64.0)
    }

    /// The standard error in discs of a win rate that so many games showed. One win and one loss are
    /// added (Laplace's rule of succession): a few games that all ended alike prove nothing.
    pub fn standard_error(self, win_rate: f64, games: f64) -> f64 {
        let count = games + 2.0;
        let rate = (win_rate.clamp(0.0, 1.0) * games + 1.0) / count;
        let error = (rate * (1.0 - rate) / count).sqrt();
        (self.discs(rate + error) - self.discs(rate - error)) / 2.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 5e-7, "{found} is not {expected}");
    }

    #[test]
    fn the_linear_map_gives_the_worked_numbers() {
        // The paper's range of 5000 is in units of 1/128 disc.
        let map = WinRateMap::Linear { range: 5000.0 / 128.0 };
        for (units, rate) in [(0.0, 0.5), (1280.0, 0.628), (-5000.0, 0.0), (6000.0, 1.0)] {
            close(map.win_rate(units / 128.0), rate);
        }
        close(map.discs(0.628), 10.0);
    }

    #[test]
    fn the_logistic_map_has_the_slope_of_the_linear_one_and_an_inverse() {
        let (linear, logistic) =
            (WinRateMap::Linear { range: 40.0 }, WinRateMap::Logistic { scale: 20.0 });
        close(logistic.win_rate(0.05) - 0.5, linear.win_rate(0.05) - 0.5);
        close(logistic.win_rate(40.0), 1.0 / (1.0 + (-2.0f64).exp()));
        close(logistic.discs(logistic.win_rate(15.0)), 15.0);
        assert_eq!(logistic.discs(1.0), 64.0);
        assert_eq!(logistic.discs(0.0), -64.0);
    }
}
