//! Dates and times of day, all in UTC.

use std::time::{SystemTime, UNIX_EPOCH};

/// Year, month and day so many days after 1970-01-01.
pub fn of_days(mut days: u64) -> (u64, u64, u64) {
    let every = |year: u64, years| year.is_multiple_of(years);
    let leap = |year| every(year, 4) && (!every(year, 100) || every(year, 400));
    let mut year = 1970;
    while days >= 365 + u64::from(leap(year)) {
        days -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    (year, month as u64 + 1, days + 1)
}

/// Seconds since 1970-01-01.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// A time as the game server writes it in records: `2026.11.16_02:01:46.UTC`.
pub fn stamp(seconds: u64) -> String {
    let (year, month, day) = of_days(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3_600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year}.{month:02}.{day:02}_{hour:02}:{minute:02}:{second:02}.UTC")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_become_dates() {
        assert_eq!(of_days(0), (1970, 1, 1));
        assert_eq!(of_days(59), (1970, 3, 1));
        assert_eq!(of_days(11_016), (2000, 2, 29));
        assert_eq!(of_days(20_774), (2026, 11, 17));
        assert_eq!(stamp(20_774 * 86_400 + 3_661), "2026.11.17_01:01:01.UTC");
    }
}
