//! Any text as a board: a value or an error; what was read and written reads back the same.
#![no_main]

use kitai::record::{Board, Format};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for record in Format::Board.read(bytes, Default::default()).flatten() {
        let board = record.history.board();
        assert_eq!(board.to_string().parse::<Board>(), Ok(board));
    }
});
