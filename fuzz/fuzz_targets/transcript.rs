//! Any bytes as transcripts: a value or an error; what was read and written reads back the same.
#![no_main]

use kitai::record::{Format, transcript};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for record in Format::Transcript.read(bytes, Default::default()).flatten() {
        let text = transcript::write(&record.history);
        let again = transcript::parse(&text).expect("what was written reads");
        assert_eq!(transcript::write(&again), text);
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = transcript::parse(text);
    }
});
