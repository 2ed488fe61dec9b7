//! The normal distribution: an accurate Φ and φ.

/// How many standard deviations on both sides of the mean hold 95 %.
pub const Z95: f64 = 1.959_963_984_540_054;

/// The density φ of the standard normal.
pub fn density(x: f64) -> f64 {
    const ROOT_OF_TWO_PI: f64 = 2.506_628_274_631_000_7;
    (-0.5 * x * x).exp() / ROOT_OF_TWO_PI
}

/// The distribution function Φ of the standard normal, to the last digits of a double.
pub fn distribution(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_values_come_out() {
        for (x, expected) in [(0.0, 0.5), (1.0, 0.841_344_746), (-1.0, 0.158_655_254), (Z95, 0.975)]
        {
            assert!((distribution(x) - expected).abs() < 1e-9, "{x}");
        }
    }

    #[test]
    fn known_values_of_the_normal_distribution() {
        for (x, value) in
            [(0.0, 0.5), (1.959_963_984_540_054, 0.975), (-1.0, 0.158_655_253_931_457)]
        {
            assert!((distribution(x) - value).abs() < 1e-14, "{x}");
        }
        assert!((density(0.0) - 0.398_942_280_401_433).abs() < 1e-14);
        assert_eq!(distribution(f64::NEG_INFINITY), 0.0);
        assert_eq!(distribution(f64::INFINITY), 1.0);
    }
}
