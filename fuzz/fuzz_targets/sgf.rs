//! Any bytes as SGF: a value or an error; what was read and written reads back the same.
#![no_main]

use kitai::record::{Format, sgf};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for record in Format::Sgf.read(bytes, Default::default()).flatten() {
        let text = sgf::write(&record);
        let again = sgf::parse(&text).expect("what was written reads");
        assert_eq!(sgf::write(&again), text);
        assert_eq!(again.history, record.history);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = sgf::parse(text);
    }
});
