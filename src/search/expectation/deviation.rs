//! A standard deviation σ: finite and not negative, checked once.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A standard deviation in discs: finite, at least 0.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Default)]
pub struct Deviation(f64);

/// A number that is no standard deviation.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("`{0}` is no standard deviation: it must be a finite number, 0 or more")]
pub struct BadDeviation(pub String);

impl Deviation {
    /// Certainty: every expectation becomes a plain maximum or minimum.
    pub const ZERO: Deviation = Deviation(0.0);
    /// The standard normal's.
    pub const ONE: Deviation = Deviation(1.0);

    /// A checked deviation.
    ///
    /// # Errors
    /// If the number is negative, infinite or not a number.
    pub fn new(sigma: f64) -> Result<Deviation, BadDeviation> {
        if sigma.is_finite() && sigma >= 0.0 {
            Ok(Deviation(sigma))
        } else {
            Err(BadDeviation(sigma.to_string()))
        }
    }

    /// The nearest deviation: negative numbers and not-a-number become 0.
    pub fn clamped(sigma: f64) -> Deviation {
        if sigma > 0.0 { Deviation(sigma.min(f64::MAX)) } else { Deviation::ZERO }
    }

    /// The number, in discs.
    #[inline]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl FromStr for Deviation {
    type Err = BadDeviation;

    fn from_str(text: &str) -> Result<Deviation, BadDeviation> {
        text.parse()
            .ok()
            .and_then(|sigma| Deviation::new(sigma).ok())
            .ok_or_else(|| BadDeviation(text.to_owned()))
    }
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
