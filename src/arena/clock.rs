//! Time controls and the clocks the referee keeps.
//!
//! The referee measures; what an engine reports of its own time is not believed. A move is late
//! when it took more than the time left plus the margin, which stands for the way through pipes
//! and schedulers; the margin is not added to the clock.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::othello::Color;

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

/// Both players' clocks during one game.
#[derive(Clone, Copy, Debug)]
pub struct Clocks {
    control: TimeControl,
    left: [Duration; 2],
}

impl Clocks {
    /// Clocks at the start of a game.
    pub fn new(control: TimeControl) -> Clocks {
        let each = match control {
            TimeControl::None => Duration::ZERO,
            TimeControl::PerMove(time) => time,
            TimeControl::PerGame { main, .. } => main,
        };
        Clocks { control, left: [each; 2] }
    }

    /// The control these clocks follow.
    pub fn control(&self) -> TimeControl {
        self.control
    }

    /// How long the coming move of this colour may take; `None` without a clock.
    pub fn left(&self, color: Color) -> Option<Duration> {
        (self.control != TimeControl::None).then_some(self.left[color as usize])
    }

    /// Charges a move; `false` if it took longer than was left plus the margin.
    pub fn charge(&mut self, color: Color, used: Duration, margin: Duration) -> bool {
        let left = &mut self.left[color as usize];
        match self.control {
            TimeControl::None => true,
            TimeControl::PerMove(time) => used <= time + margin,
            TimeControl::PerGame { increment, .. } => {
                let in_time = used <= *left + margin;
                *left = left.saturating_sub(used) + increment;
                in_time
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
    fn a_game_clock_runs_down_and_gains_the_increment() {
        let seconds = Duration::from_secs;
        let mut clocks = Clocks::new("10+2".parse().unwrap());
        assert!(clocks.charge(Color::Black, seconds(4), seconds(1)));
        assert_eq!(clocks.left(Color::Black), Some(seconds(8)));
        assert_eq!(clocks.left(Color::White), Some(seconds(10)));
        assert!(clocks.charge(Color::Black, seconds(9), seconds(1)), "the margin saves it");
        assert_eq!(clocks.left(Color::Black), Some(seconds(2)), "but is not given as time");
        assert!(!clocks.charge(Color::Black, Duration::from_millis(3001), seconds(1)));
    }

    #[test]
    fn move_clocks_start_afresh_and_no_clock_never_ends() {
        let mut clocks = Clocks::new("1/move".parse().unwrap());
        for _ in 0..3 {
            assert!(clocks.charge(Color::White, Duration::from_secs(1), Duration::ZERO));
        }
        assert!(!clocks.charge(Color::White, Duration::from_millis(1001), Duration::ZERO));
        let mut free = Clocks::new(TimeControl::None);
        assert_eq!(free.left(Color::Black), None);
        assert!(free.charge(Color::Black, Duration::from_secs(9999), Duration::ZERO));
    }
}
