//! Clocks as the game servers write them: `init/increment/extension`, each a time with optional
//! details.
//!
//! `15:00//02:00` is fifteen minutes, no increment, two minutes of extension. A part may carry
//! `,[N]M` — a number of moves and a flag whose meaning is the server's — which is kept as it is.

use std::fmt;
use std::time::Duration;

use nom::branch::alt;
use nom::bytes::complete::tag_no_case;
use nom::character::complete::{char, digit1};
use nom::combinator::{all_consuming, map, opt, recognize, value};
use nom::multi::separated_list1;
use nom::sequence::{pair, preceded};
use nom::{IResult, Parser};
use thiserror::Error;

/// One part of a clock: a time, and after a comma its number of moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Period {
    /// How long.
    pub time: Duration,
    /// For how many moves, if the clock says so.
    pub moves: Option<u32>,
    /// Whether the flag `N` stands before the moves.
    pub flag: bool,
}

/// A player's clock at the start of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClockSettings {
    /// Main time.
    pub main: Period,
    /// Added as moves are made.
    pub increment: Option<Period>,
    /// What is left after the main time has run out.
    pub extension: Option<Period>,
}

/// What a number without a colon means: the game server says minutes, its records say seconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BareNumber {
    /// As in records.
    Seconds,
    /// As in commands to the game server.
    Minutes,
}

/// A text that is no clock.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is no clock: expected init/increment/extension such as 15:00//02:00")]
pub struct ClockError(String);

/// Longest time a clock may show: a hundred years, well inside every arithmetic.
const LONGEST_SECONDS: f64 = 100.0 * 366.0 * 86_400.0;

impl ClockSettings {
    /// A clock of main time only.
    pub fn of(main: Duration) -> ClockSettings {
        ClockSettings {
            main: Period { time: main, ..Period::default() },
            ..ClockSettings::default()
        }
    }

    /// Reads `init[/increment[/extension]]`.
    ///
    /// # Errors
    /// If the text is something else.
    pub fn parse(text: &str, bare: BareNumber) -> Result<ClockSettings, ClockError> {
        let wrong = || ClockError(super::error::excerpt(text));
        let parts: Vec<&str> = text.split('/').map(str::trim).collect();
        if parts.len() > 3 {
            return Err(wrong());
        }
        let part = |index: usize| -> Result<Option<Period>, ClockError> {
            match parts.get(index) {
                None | Some(&"") => Ok(None),
                Some(part) => all_consuming(|input| period(input, bare))
                    .parse(part)
                    .ok()
                    .and_then(|(_, period)| period)
                    .map(Some)
                    .ok_or_else(wrong),
            }
        };
        let main = part(0)?;
        let (increment, extension) = (part(1)?, part(2)?);
        if main.is_none() && parts.len() == 1 {
            return Err(wrong());
        }
        Ok(ClockSettings { main: main.unwrap_or_default(), increment, extension })
    }
}

/// `[D.]HH:MM:SS`, `MM:SS` or a bare number, then `,[N]moves`. The inner `None` is a number out of
/// range.
fn period(input: &str, bare: BareNumber) -> IResult<&str, Option<Period>> {
    let number = || recognize((digit1, opt(pair(char('.'), digit1))));
    let colons = pair(
        opt((digit1, char('.'))),
        (digit1, preceded(char(':'), separated_list1(char(':'), number()))),
    );
    let with_colons =
        map(colons, |(days, (first, rest)): (Option<(&str, _)>, (&str, Vec<&str>))| {
            if rest.len() > 2 {
                return None;
            }
            let day_seconds =
                days.map_or(Some(0.0), |(d, _)| Some(d.parse::<f64>().ok()? * 86_400.0));
            let mut seconds = first.parse::<f64>().ok()?;
            for part in rest {
                seconds = seconds * 60.0 + part.parse::<f64>().ok()?;
            }
            Some(seconds + day_seconds?)
        });
    let plain = map(number(), |text: &str| {
        let unit = if bare == BareNumber::Minutes { 60.0 } else { 1.0 };
        Some(text.parse::<f64>().ok()? * unit)
    });
    let details =
        opt(preceded(char(','), pair(opt(value((), tag_no_case("N"))), opt(digit1::<&str, _>))));
    map((alt((with_colons, plain)), details), |(seconds, details)| {
        let seconds = seconds.filter(|&s: &f64| s <= LONGEST_SECONDS)?;
        let (flag, moves) = match details {
            None => (false, None),
            Some((flag, None)) => (flag.is_some(), None),
            Some((flag, Some(moves))) => (flag.is_some(), Some(moves.parse().ok()?)),
        };
        // Milliseconds are as fine as any server counts; rounding keeps writing and reading equal.
        let time = Duration::from_millis((seconds * 1000.0).round() as u64);
        Some(Period { time, moves, flag })
    })
    .parse(input)
}

/// `MM:SS`, from an hour `HH:MM:SS`, from a day `D.HH:MM:SS`; a bare number of seconds when there
/// are fractions.
impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.time.as_secs();
        if self.time.subsec_millis() != 0 {
            write!(f, "{}.{:03}", total, self.time.subsec_millis())?;
        } else {
            let (days, hours) = (total / 86_400, total / 3_600 % 24);
            if days > 0 {
                write!(f, "{days}.")?;
            }
            if total >= 3_600 {
                write!(f, "{hours:02}:")?;
            }
            write!(f, "{:02}:{:02}", total / 60 % 60, total % 60)?;
        }
        if self.flag || self.moves.is_some() {
            f.write_str(if self.flag { ",N" } else { "," })?;
            if let Some(moves) = self.moves {
                write!(f, "{moves}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for ClockSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.main.fmt(f)?;
        if self.increment.is_some() || self.extension.is_some() {
            f.write_str("/")?;
            if let Some(increment) = self.increment {
                increment.fmt(f)?;
            }
        }
        if let Some(extension) = self.extension {
            write!(f, "/{extension}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seconds(text: &str, bare: BareNumber) -> u64 {
        ClockSettings::parse(text, bare).unwrap().main.time.as_secs()
    }

    #[test]
    fn times_read_in_all_their_lengths() {
        assert_eq!(seconds("15:00//02:00", BareNumber::Seconds), 900);
        assert_eq!(seconds("1:00:00", BareNumber::Seconds), 3_600);
        assert_eq!(seconds("2.01:00:05", BareNumber::Seconds), 2 * 86_400 + 3_605);
        assert_eq!(seconds("5", BareNumber::Seconds), 5);
        assert_eq!(seconds("5", BareNumber::Minutes), 300);
        let clock = ClockSettings::parse("30:00,N0//5:00,N10", BareNumber::Seconds).unwrap();
        assert_eq!(clock.extension.unwrap().moves, Some(10));
        assert_eq!(clock.to_string(), "30:00,N0//05:00,N10");
    }

    #[test]
    fn other_texts_are_refused_with_their_own_words() {
        for bad in ["", "x", "1:2:3:4", "1/2/3/4", "-5", "1:", ":1", "9999999999999", "1,Nx"] {
            let error = ClockSettings::parse(bad, BareNumber::Seconds).unwrap_err().to_string();
            assert!(error.starts_with(&format!("`{bad}` is no clock")), "{error}");
        }
    }

    pub(crate) fn any_clock() -> impl Strategy<Value = ClockSettings> {
        let period =
            (0u64..400_000_000, any::<bool>(), proptest::option::of(0u32..99), any::<bool>())
                .prop_map(|(time, whole, moves, flag)| {
                    let time = if whole { time / 1000 * 1000 } else { time };
                    Period { time: Duration::from_millis(time), moves, flag }
                });
        (period.clone(), proptest::option::of(period.clone()), proptest::option::of(period))
            .prop_map(|(main, increment, extension)| ClockSettings { main, increment, extension })
    }

    proptest! {
        #[test]
        fn writing_and_reading_is_the_identity(clock in any_clock()) {
            prop_assert_eq!(ClockSettings::parse(&clock.to_string(), BareNumber::Seconds), Ok(clock));
        }
    }
}
