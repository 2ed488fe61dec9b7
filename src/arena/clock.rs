//! Time controls, as people write them.
//!
//! The referee measures; what an engine reports of its own time is not believed. A move is late
//! when it took more than the time left plus the margin, which stands for the way through pipes
//! and schedulers; the margin is not added to the clock.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::engine::Clock;

/// How thinking time is given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// No clock: players stop by their own limits.
    None,
    /// So long for every move.
    PerMove(Duration),
    /// So long for the whole game, and an increment after each own move.
    PerGame {
        /// Time at the start.
        main: Duration,
        /// Added after each own move.
        increment: Duration,
    },
}

/// A text that is no time control.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{0}` is no time control: none, SECONDS/move, SECONDS or SECONDS+INCREMENT for a game \
     (0.1/move, 60, 60+0.5)"
)]
pub struct TimeControlError(String);

/// Longest time a control may name, seconds: a year, so that sums never overflow.
const LONGEST: f64 = 31_536_000.0;

impl TimeControl {
    /// A clock at the start of a game; `None` without one.
    pub fn clock(self) -> Option<Clock> {
        match self {
            TimeControl::None => None,
            TimeControl::PerMove(time) => Some(Clock::with_overtime(Duration::ZERO, time, 1)),
            TimeControl::PerGame { main, increment } => Some(Clock::fischer(main, increment)),
        }
    }
}

crate::text::travels_as_text!(TimeControl);

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, TimeControlError> {
        let bad = || TimeControlError(text.to_owned());
        let seconds = |part: &str| {
            let value: f64 = part.trim().parse().map_err(|_| bad())?;
            if (0.0..=LONGEST).contains(&value) {
                Ok(Duration::from_secs_f64(value))
            } else {
                Err(bad())
            }
        };
        let text_trimmed = text.trim();
        let control = if text_trimmed == "none" {
            TimeControl::None
        } else if let Some(per_move) = text_trimmed.strip_suffix("/move") {
            TimeControl::PerMove(seconds(per_move)?)
        } else {
            let (main, increment) = text_trimmed.split_once('+').unwrap_or((text_trimmed, "0"));
            TimeControl::PerGame { main: seconds(main)?, increment: seconds(increment)? }
        };
        match control {
            TimeControl::PerMove(Duration::ZERO) => Err(bad()),
            TimeControl::PerGame { main: Duration::ZERO, .. } => Err(bad()),
            good => Ok(good),
        }
    }
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeControl::None => f.write_str("none"),
            TimeControl::PerMove(time) => write!(f, "{}/move", time.as_secs_f64()),
            TimeControl::PerGame { main, increment } if increment.is_zero() => {
                write!(f, "{}", main.as_secs_f64())
            }
            TimeControl::PerGame { main, increment } => {
                write!(f, "{}+{}", main.as_secs_f64(), increment.as_secs_f64())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_print_as_they_are_written() {
        for text in ["none", "0.1/move", "60", "60+0.5"] {
            assert_eq!(text.parse::<TimeControl>().unwrap().to_string(), text);
        }
        for bad in ["", "fast", "-1", "0", "0/move", "1e99", "NaN", "5+x", "1/game"] {
            let error = bad.parse::<TimeControl>().unwrap_err().to_string();
            assert!(error.contains(&format!("`{bad}` is no time control")), "{error}");
        }
    }

    #[test]
    fn controls_start_the_clocks_they_name() {
        let clock = |text: &str| text.parse::<TimeControl>().unwrap().clock();
        let seconds = Duration::from_secs;
        assert_eq!(clock("none"), None);
        assert_eq!(clock("10+2"), Some(Clock::fischer(seconds(10), seconds(2))));
        let mut each = clock("1/move").unwrap();
        for _ in 0..3 {
            assert_eq!(each.left, seconds(1));
            assert!(each.charge(seconds(1), Duration::ZERO));
        }
        assert!(!each.charge(Duration::from_millis(1001), Duration::ZERO));
    }
}
