//! The fuzz targets of `bodies.rs` under libFuzzer, in one program because they share all the code
//! they watch; the variable `KITAI_FUZZ` names the one to run.
#![no_main]

mod bodies;

use std::sync::OnceLock;

static BODY: OnceLock<bodies::Body> = OnceLock::new();

libfuzzer_sys::fuzz_target!(
    init: {
        let name = std::env::var("KITAI_FUZZ").expect("KITAI_FUZZ names a target");
        BODY.set(bodies::named(&name)).expect("set once");
    },
    |bytes: &[u8]| {
        BODY.get().expect("set at the start")(bytes);
    }
);
