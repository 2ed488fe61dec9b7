//! The fuzz targets on their corpus: valid samples must be found valid, and inputs that once broke
//! something (`crash-…`) must not break anything again.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../fuzz/bodies.rs"]
mod bodies;

use std::path::{Path, PathBuf};

use kitai::record::Format;
use kitai::record::wthor::Names;

fn corpus(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The files that are no past crashes.
fn samples(target: &str) -> Vec<PathBuf> {
    let is_sample =
        |file: &PathBuf| !file.file_name().unwrap().to_string_lossy().starts_with("crash-");
    corpus(target).into_iter().filter(is_sample).collect()
}

#[test]
fn every_target_accepts_its_samples_and_survives_its_past_crashes() {
    for (target, body) in bodies::ALL {
        for file in corpus(target) {
            body(&std::fs::read(&file).unwrap());
        }
        let samples = samples(target);
        assert!(!samples.is_empty(), "{target} has no valid sample");
        for file in samples {
            let found = body(&std::fs::read(&file).unwrap());
            assert!(found > 0, "{} holds nothing that {target} accepts", file.display());
        }
    }
}

/// A sample with a bad game in it would leave the fuzzer to begin from an error.
#[test]
fn every_record_of_the_samples_is_good() {
    for (target, format) in [
        ("board", Format::Board),
        ("ggf", Format::Ggf),
        ("obf", Format::Obf),
        ("sgf", Format::Sgf),
        ("transcript", Format::Transcript),
        ("wthor", Format::Wthor),
    ] {
        for file in samples(target) {
            let bytes = std::fs::read(&file).unwrap();
            for record in format.read(bytes.as_slice(), Names::default()) {
                assert!(record.is_ok(), "{}: {record:?}", file.display());
            }
        }
    }
}

#[test]
fn every_target_survives_its_samples_cut_and_changed() {
    for (target, body) in bodies::ALL {
        for file in corpus(target) {
            let bytes = std::fs::read(&file).unwrap();
            let step = bytes.len() / 50 + 1;
            for place in (0..bytes.len()).step_by(step) {
                body(&bytes[..place]);
                let mut changed = bytes.clone();
                changed[place] = changed[place].wrapping_add(1 + (place % 254) as u8);
                body(&changed);
            }
        }
    }
}
