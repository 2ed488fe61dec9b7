//! One comparison and one rule for all experiments: is a printed figure reproduced?
//!
//! A figure of ours and the paper's differ by so many *combined standard errors*. More than
//! [`MOST_ERRORS`] is a difference. Less is agreement only if the comparison could have told: where
//! the errors are so wide that even a difference that matters would hide in them, nothing can be
//! said. The verdict of a table follows from its figures'.

use serde::{Deserialize, Serialize};

/// Combined standard errors from which on two figures differ.
pub const MOST_ERRORS: f64 = 3.0;
/// The share of a table's decided figures that must agree for the table to be reproduced.
const MOST_AGREE: f64 = 0.95;

/// A figure of ours beside the paper's, each with its standard error if it has one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Ours; absent if it was not run.
    pub ours: Option<f64>,
    /// Its standard error.
    pub error: Option<f64>,
    /// The paper's; absent if it prints none.
    pub theirs: Option<f64>,
    /// Its standard error, worked out from what the paper says of its size; at least its rounding.
    pub their_error: Option<f64>,
    /// Run, but without a number: a player that won or lost every game has no rating.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub beyond_measure: bool,
}

/// What a comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Ours and theirs agree, and a difference that matters would have shown.
    Reproduced,
    /// They differ.
    Differs,
    /// Not run, nothing printed, no standard errors, or errors too wide.
    Undecided,
}

impl Verdict {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
            Verdict::Differs => "differs",
            Verdict::Undecided => "cannot be told",
        }
    }
}

impl Figure {
    /// One of ours that has no counterpart. What is no finite number is none.
    pub fn ours(value: f64, error: impl Into<Option<f64>>) -> Figure {
        let finite = |value: f64| value.is_finite().then_some(value);
        let error = error.into().and_then(finite);
        Figure { ours: finite(value), error, ..Figure::default() }
    }

    /// One of the paper's that was not run.
    pub fn not_run(theirs: f64) -> Figure {
        Figure { theirs: Some(theirs), ..Figure::default() }
    }

    /// One of the paper's that was run here and has no number.
    pub fn beyond_measure(theirs: f64) -> Figure {
        Figure { theirs: Some(theirs), beyond_measure: true, ..Figure::default() }
    }

    /// Puts the paper's figure and its standard error beside ours.
    pub fn beside(self, theirs: f64, their_error: impl Into<Option<f64>>) -> Figure {
        Figure { theirs: Some(theirs), their_error: their_error.into(), ..self }
    }

    /// A count out of so many beside a printed count out of 10,000, both per 10,000.
    pub fn count(count: f64, of: f64, theirs: Option<f64>) -> Figure {
        const PRINTED_OF: f64 = 10_000.0;
        let error = |count: f64, of: f64| {
            // One more of each kind keeps the error of an empty or full count above zero.
            let share = (count + 1.0) / (of + 2.0);
            PRINTED_OF * (share * (1.0 - share) / of).sqrt()
        };
        let ours = Figure::ours(PRINTED_OF * count / of.max(1.0), error(count, of.max(1.0)));
        match theirs {
            Some(theirs) => ours.beside(theirs, error(theirs, PRINTED_OF)),
            None => ours,
        }
    }

    /// The standard error of the difference. A side without an error of its own is exact.
    fn combined_error(&self) -> f64 {
        self.error.unwrap_or(0.0).hypot(self.their_error.unwrap_or(0.0))
    }

    /// Ours less theirs in combined standard errors, if both are there and one has an error.
    pub fn errors_apart(&self) -> Option<f64> {
        let difference = self.ours? - self.theirs?;
        let error = self.combined_error();
        (error > 0.0).then(|| difference / error)
    }

    /// What the comparison says if a difference of `matters` would change what one thinks.
    pub fn verdict(&self, matters: Option<f64>) -> Verdict {
        match self.errors_apart() {
            None => Verdict::Undecided,
            Some(apart) if apart.abs() > MOST_ERRORS => Verdict::Differs,
            Some(_) => match matters {
                Some(matters) if MOST_ERRORS * self.combined_error() > matters => {
                    Verdict::Undecided
                }
                _ => Verdict::Reproduced,
            },
        }
    }
}

/// How the figures of a table came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Figures reproduced.
    pub reproduced: usize,
    /// Figures that differ.
    pub differs: usize,
    /// Figures that nothing can be said of.
    pub undecided: usize,
}

impl Tally {
    /// Counts one figure.
    pub fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Reproduced => self.reproduced += 1,
            Verdict::Differs => self.differs += 1,
            Verdict::Undecided => self.undecided += 1,
        }
    }

    /// All printed figures.
    pub fn all(&self) -> usize {
        self.reproduced + self.differs + self.undecided
    }

    /// The verdict on the table: it differs if more than one decided figure in twenty does, and is
    /// reproduced if besides at least half of its figures could be decided.
    pub fn verdict(&self) -> Verdict {
        let decided = self.reproduced + self.differs;
        if decided > 0 && (self.reproduced as f64) < MOST_AGREE * decided as f64 {
            Verdict::Differs
        } else if decided == 0 || 2 * decided < self.all() {
            Verdict::Undecided
        } else {
            Verdict::Reproduced
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_combined_errors_part_agreement_from_difference() {
        let figure = |ours: f64| Figure::ours(ours, 3.0).beside(100.0, 4.0);
        assert_eq!(figure(115.0).errors_apart(), Some(3.0));
        assert_eq!(figure(115.0).verdict(None), Verdict::Reproduced);
        assert_eq!(figure(84.9).verdict(None), Verdict::Differs);
    }

    #[test]
    fn agreement_within_errors_too_wide_to_tell_is_none() {
        let figure = Figure::ours(101.0, 3.0).beside(100.0, 4.0);
        assert_eq!(figure.verdict(Some(14.0)), Verdict::Undecided);
        assert_eq!(figure.verdict(Some(15.0)), Verdict::Reproduced);
        // A difference is one however wide the errors are.
        assert_eq!(
            Figure::ours(200.0, 30.0).beside(0.0, None).verdict(Some(1.0)),
            Verdict::Differs
        );
    }

    #[test]
    fn what_was_not_run_or_printed_or_has_no_error_cannot_be_told() {
        assert_eq!(Figure::not_run(5.0).verdict(None), Verdict::Undecided);
        assert_eq!(Figure::ours(5.0, 1.0).verdict(None), Verdict::Undecided);
        assert_eq!(Figure::ours(5.0, None).beside(5.0, None).verdict(None), Verdict::Undecided);
    }

    #[test]
    fn counts_are_compared_per_ten_thousand() {
        let figure = Figure::count(250.0, 2_000.0, Some(1_200.0));
        assert_eq!(figure.ours, Some(1_250.0));
        // Four by the textbook: √(2000 · ⅛ · ⅞) of 2000.
        let textbook = 10_000.0 * (0.125f64 * 0.875 / 2_000.0).sqrt();
        assert!((figure.error.unwrap() - textbook).abs() < 0.2, "{figure:?}");
        assert!(Figure::count(0.0, 100.0, Some(0.0)).error.unwrap() > 0.0);
    }

    #[test]
    fn one_figure_in_twenty_may_differ_and_half_must_be_decided() {
        let tally =
            |reproduced, differs, undecided| Tally { reproduced, differs, undecided }.verdict();
        assert_eq!(tally(19, 1, 0), Verdict::Reproduced);
        assert_eq!(tally(18, 1, 0), Verdict::Differs);
        assert_eq!(tally(5, 0, 5), Verdict::Reproduced);
        assert_eq!(tally(5, 0, 6), Verdict::Undecided);
        assert_eq!(tally(0, 1, 30), Verdict::Differs);
        assert_eq!(tally(0, 0, 0), Verdict::Undecided);
    }
}
