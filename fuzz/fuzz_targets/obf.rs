//! Any bytes as OBF: a value or an error; what was read and written reads back the same.
#![no_main]

use kitai::record::obf;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for problem in obf::read(bytes).flatten() {
        let text = obf::write(&problem);
        let again = obf::parse(&text).expect("what was written reads").expect("is a problem");
        assert_eq!(obf::write(&again), text);
        assert_eq!((again.board, &again.answers), (problem.board, &problem.answers));
    }
});
