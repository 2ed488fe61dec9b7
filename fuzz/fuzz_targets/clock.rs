//! Any text as a clock: a value or an error; what was read and written reads back the same.
#![no_main]

use kitai::record::{BareNumber, ClockSettings};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = ClockSettings::parse(text, BareNumber::Minutes);
    if let Ok(clock) = ClockSettings::parse(text, BareNumber::Seconds) {
        assert_eq!(ClockSettings::parse(&clock.to_string(), BareNumber::Seconds), Ok(clock));
    }
});
