//! The one scale for everything shown to people: discs from the mover's point of view.

use std::fmt;
use std::ops::Neg;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A score in hundredths of a disc from the mover's point of view, within ±64 discs (methods that
/// speak of win rates map them to discs before they report).
///
/// ```
/// use kitai::score::Score;
/// assert_eq!(Score::from_discs(3.456).to_string(), "+3.46");
/// assert_eq!((-Score::whole(12)).to_string(), "-12.00");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Score(i32);

impl Score {
    /// Loss with every disc.
    pub const MIN: Score = Score(-6400);
    /// Win with every disc.
    pub const MAX: Score = Score(6400);

    /// A score of so many whole discs, held within ±64.
    pub const fn whole(discs: i32) -> Score {
        Score::from_hundredths(discs.saturating_mul(100))
    }

    /// A score in discs, rounded to hundredths and held within ±64; not-a-number becomes 0.
    pub fn from_discs(discs: f64) -> Score {
        Score::from_hundredths((discs * 100.0).round() as i32)
    }

    /// A score in hundredths of a disc, held within ±64 discs.
    pub const fn from_hundredths(hundredths: i32) -> Score {
        if hundredths > 6400 {
            Score::MAX
        } else if hundredths < -6400 {
            Score::MIN
        } else {
            Score(hundredths)
        }
    }

    /// The score in discs.
    pub fn discs(self) -> f64 {
        f64::from(self.0) / 100.0
    }

    /// The score in hundredths of a disc.
    pub const fn hundredths(self) -> i32 {
        self.0
    }

    /// The nearest whole number of discs (halves away from zero).
    pub fn rounded(self) -> i32 {
        self.discs().round() as i32
    }
}

impl Neg for Score {
    type Output = Score;

    fn neg(self) -> Score {
        Score(-self.0)
    }
}

/// Signed, two decimals: `+3.46`, `-12.00`, `+0.00`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { '-' } else { '+' };
        write!(f, "{sign}{}.{:02}", self.0.abs() / 100, self.0.abs() % 100)
    }
}

/// A number in discs.
impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.discs())
    }
}

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Score, D::Error> {
        f64::deserialize(deserializer).map(Score::from_discs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_print_with_sign_and_two_decimals() {
        let printed: Vec<String> = [0.0, -0.004, -0.5, 63.999, 99.0, f64::NAN]
            .iter()
            .map(|&discs| Score::from_discs(discs).to_string())
            .collect();
        assert_eq!(printed, ["+0.00", "+0.00", "-0.50", "+64.00", "+64.00", "+0.00"]);
    }
}
