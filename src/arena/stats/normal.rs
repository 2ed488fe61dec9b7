//! The normal distribution, as far as matches need it.

/// How many standard deviations on both sides of the mean hold 95 %.
pub const Z95: f64 = 1.959_963_984_540_054;

/// Probability that a standard normal variable is at most `x` (Φ).
pub fn cumulative(x: f64) -> f64 {
    0.5 * libm::erfc(-x / std::f64::consts::SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_values_come_out() {
        for (x, expected) in [(0.0, 0.5), (1.0, 0.841_344_746), (-1.0, 0.158_655_254), (Z95, 0.975)]
        {
            assert!((cumulative(x) - expected).abs() < 1e-9, "{x}");
        }
    }
}
