//! Any text as a clock: a value or an error; what was read and written reads back the same.
#![no_main]

use kitai::record::{BareNumber, Clock};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = Clock::parse(text, BareNumber::Minutes);
    if let Ok(clock) = Clock::parse(text, BareNumber::Seconds) {
        assert_eq!(Clock::parse(&clock.to_string(), BareNumber::Seconds), Ok(clock));
    }
});
