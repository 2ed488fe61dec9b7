//! Any bytes as WTHOR files: values or errors; a game that was read is written as the same bytes.
#![no_main]

use kitai::record::wthor::{self, Collector, Names};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = Names::read_players(bytes);
    let _ = Names::read_tournaments(bytes);
    let Ok(games) = wthor::read(bytes, Names::default()) else { return };
    for (index, record) in games.enumerate() {
        let Ok(record) = record else { continue };
        let mut collector = Collector::default();
        collector.add(&record).expect("what was read can be written");
        let written = collector.files([0; 4]).expect("one game fits").games;
        assert_eq!(written[16..], bytes[16 + 68 * index..][..68]);
    }
});
