//! Any bytes as GGF: a value or an error; what was read and written reads back the same.
#![no_main]

use kitai::record::{Format, ggf};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for record in Format::Ggf.read(bytes, Default::default()).flatten() {
        let text = ggf::write(&record);
        let again = ggf::parse(&text).expect("what was written reads");
        assert_eq!(ggf::write(&again), text);
        assert_eq!(again.history, record.history);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = ggf::parse(text);
        let _ = ggf::parse_line(text);
    }
});
