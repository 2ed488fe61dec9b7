//! A process that is killed while it writes a book loses nothing that it had acknowledged.
//!
//! The test starts itself as a writer, which says a number whenever a change is committed, and kills
//! it after a random number of them, fifty times over one book.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kitai::book::{Book, BookFile, Change, Entry, open_to_read};
use kitai::othello::Position;
use kitai::othello::random::random_position;
use kitai::othello::symmetry::canonical;
use kitai::random::{seeded, seeded_part};
use rand::Rng;

/// Names the book to the writer, and the first number it shall write.
const BOOK: &str = "KITAI_TEST_BOOK";
const FIRST: &str = "KITAI_TEST_FIRST";
const ROUNDS: usize = 50;
/// Changes after which the writer writes the book anew.
const COMPACT_EVERY: u64 = 37;

/// The change of this number.
fn change(number: u64) -> (Position, Entry) {
    let mut rng = seeded_part(22, number);
    let position = canonical(random_position(rng.random_range(5..50), &mut rng)).0;
    (position, Entry { lines: number as u32, ..Entry::default() })
}

/// Does nothing unless it was started by the other test.
#[test]
fn writer() {
    let (Ok(path), Ok(first)) = (std::env::var(BOOK), std::env::var(FIRST)) else { return };
    let mut file = BookFile::open(Path::new(&path)).unwrap();
    let mut out = std::io::stdout();
    for number in first.parse::<u64>().unwrap().. {
        let (position, entry) = change(number);
        file.commit(&[Change::Put(position, entry)]).unwrap();
        // The test's own output may stand in front of the first.
        writeln!(out, "\ncommitted {number}").unwrap();
        out.flush().unwrap();
        if number % COMPACT_EVERY == 0 {
            file.compact().unwrap();
        }
    }
}

/// The last number that the writer said, after it was killed having said at least `wanted` more.
fn write_and_kill(path: &Path, first: u64, wanted: usize) -> u64 {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["writer", "--exact", "--nocapture"])
        .env(BOOK, path)
        .env(FIRST, first.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut last = first - 1;
    let mut said = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        // A line that was cut short was not said.
        let line = line.unwrap();
        if let Some(number) = line.strip_prefix("committed ").and_then(|n| n.parse().ok())
            && number == last + 1
        {
            (last, said) = (number, said + 1);
        }
        if said == wanted {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    assert!(said >= wanted, "the writer ended by itself");
    last
}

#[test]
fn nothing_acknowledged_is_lost_when_the_writer_is_killed() {
    let folder = std::env::temp_dir();
    let path: PathBuf = folder.join(format!("kitai-crash-{}.kbook", std::process::id()));
    let journal = kitai::book::file::journal_path(&path);
    let _ = (std::fs::remove_file(&path), std::fs::remove_file(&journal));
    drop(BookFile::create(&path, &Book::new()).unwrap());
    let mut rng = seeded(9);
    let mut next = 1;
    for round in 0..ROUNDS {
        let last = write_and_kill(&path, next, rng.random_range(1..60));
        let book = open_to_read(&path).unwrap();
        for number in 1..=last {
            let (position, entry) = change(number);
            assert_eq!(book.entry(position), Some(entry), "round {round}, number {number}");
        }
        let expected = last as usize;
        assert!((expected..=expected + 1).contains(&book.len()), "round {round}");
        next = last + 1;
    }
    let _ =
        std::fs::remove_file(folder.join(format!("kitai-crash-{}.kbook.part", std::process::id())));
    let _ = (std::fs::remove_file(&path), std::fs::remove_file(&journal));
    assert!(next > ROUNDS as u64);
}
