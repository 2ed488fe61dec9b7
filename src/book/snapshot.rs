//! A book as a file: sorted records behind a header, then the learnt games as JSON.
//!
//! | bytes | content |
//! |---|---|
//! | 0–7 | `KITAIBOK` |
//! | 8–11 | format version |
//! | 12–15 | CRC-32 of everything after byte 15 |
//! | 16–23 | generation: one more each time the file is written |
//! | 24–31 | number of records |
//! | 32–39 | bytes of the learnt games |
//! | 40–… | records ([`entry`](super::entry)), ascending by mover, then opponent |
//! | … | the learnt games, a JSON array |
//!
//! All numbers are little-endian. A file is replaced as a whole and never changed in place; what is
//! new stands in the journal beside it ([`file`](super::file)). Opening checks everything.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;

use memmap2::Mmap;
use thiserror::Error;

use super::entry::{Entry, RECORD};
use super::store::{Block, Book, LearntGame};
use crate::files::{self, FileError};
use crate::othello::Position;

const MAGIC: &[u8; 8] = b"KITAIBOK";
/// The version of the format.
pub const VERSION: u32 = 1;
const HEADER: usize = 40;

/// Why bytes are no book.
#[derive(Debug, Error)]
pub enum SnapshotError {
    /// The file cannot be read.
    #[error("{0}")]
    File(#[from] FileError),
    /// Not a book.
    #[error("no Kitai book: the file does not begin with KITAIBOK")]
    Magic,
    /// Of another version.
    #[error("a book of format version {0}; this program reads version {VERSION}")]
    Version(u32),
    /// Shorter or longer than its header says.
    #[error("damaged book: {found} bytes where the header speaks of {expected}")]
    Length {
        /// Bytes there are.
        found: u64,
        /// Bytes there should be.
        expected: u64,
    },
    /// Changed after it was written.
    #[error("damaged book: checksum {found:08x}, expected {expected:08x}")]
    Checksum {
        /// Of the bytes present.
        found: u32,
        /// As written.
        expected: u32,
    },
    /// A record that is none, or out of order.
    #[error("damaged book: record {0} is no position with values, or out of order")]
    Record(usize),
    /// The learnt games cannot be read.
    #[error("damaged book: the learnt games: {0}")]
    Games(String),
}

/// A file in memory, its header checked.
enum Bytes {
    Mapped(Mmap),
    Owned(Vec<u8>),
}

impl Bytes {
    fn all(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }
}

struct Checked {
    bytes: Bytes,
    records: usize,
}

impl Block for Checked {
    fn records(&self) -> &[u8] {
        &self.bytes.all()[HEADER..HEADER + self.records]
    }
}

/// Maps a book file and checks it; its generation too.
///
/// # Errors
/// If it cannot be read, is no book, or is damaged.
pub(super) fn open(path: &Path) -> Result<(Book, u64), SnapshotError> {
    let file = files::open(path)?;
    let length = file.metadata().map_err(FileError::Io)?.len();
    if length < HEADER as u64 {
        return check(Bytes::Owned(files::read(path, HEADER as u64)?));
    }
    // SAFETY: the map is only read, and Kitai never changes such a file in place: it writes another
    // and renames it (`write`), which leaves the mapped one as it is. That nobody else cuts the file
    // short while it is in use is the same trust as that nobody changes the program's own file.
    let map = unsafe { Mmap::map(&file) }.map_err(FileError::Io)?;
    check(Bytes::Mapped(map))
}

/// Reads a book from memory.
///
/// # Errors
/// If it is no book or damaged.
pub fn read(bytes: Vec<u8>) -> Result<(Book, u64), SnapshotError> {
    check(Bytes::Owned(bytes))
}

fn check(bytes: Bytes) -> Result<(Book, u64), SnapshotError> {
    let all = bytes.all();
    let header: &[u8; HEADER] = all.first_chunk().ok_or(SnapshotError::Magic)?;
    if &header[..8] != MAGIC {
        return Err(SnapshotError::Magic);
    }
    let word = |at: usize| {
        header[at..].first_chunk().map_or(0, |word: &[u8; 8]| u64::from_le_bytes(*word))
    };
    let (version, expected) = (word(8) as u32, (word(8) >> 32) as u32);
    if version != VERSION {
        return Err(SnapshotError::Version(version));
    }
    let (generation, count, games) = (word(16), word(24), word(32));
    let length = count
        .checked_mul(RECORD as u64)
        .and_then(|records| records.checked_add(HEADER as u64)?.checked_add(games))
        .unwrap_or(u64::MAX);
    if length != all.len() as u64 {
        return Err(SnapshotError::Length { found: all.len() as u64, expected: length });
    }
    let found = crc32fast::hash(&all[16..]);
    if found != expected {
        return Err(SnapshotError::Checksum { found, expected });
    }
    let end = HEADER + count as usize * RECORD;
    check_records(&all[HEADER..end])?;
    let list: Vec<LearntGame> = serde_json::from_slice(&all[end..])
        .map_err(|error| SnapshotError::Games(error.to_string()))?;
    let games: BTreeMap<u32, LearntGame> =
        list.into_iter().map(|game| (game.number, game)).collect();
    let block = Checked { bytes, records: end - HEADER };
    Ok((Book::of_block(Box::new(block), games), generation))
}

/// Whether every record can be read and they ascend.
fn check_records(records: &[u8]) -> Result<(), SnapshotError> {
    let mut last: Option<Position> = None;
    for (number, record) in records.as_chunks::<RECORD>().0.iter().enumerate() {
        match Entry::of_record(record) {
            Ok((position, _)) if last.is_none_or(|last| last < position) => last = Some(position),
            _ => return Err(SnapshotError::Record(number + 1)),
        }
    }
    Ok(())
}

/// The generation of the file as it is now, without looking at the rest.
pub(super) fn generation(path: &Path) -> Result<u64, FileError> {
    use std::io::Read;
    let mut header = [0; HEADER];
    files::open(path)?.read_exact(&mut header)?;
    Ok(header[16..].first_chunk().map_or(0, |word: &[u8; 8]| u64::from_le_bytes(*word)))
}

/// Writes a book, checksum included.
pub fn write(book: &Book, generation: u64, out: &mut impl Write) -> std::io::Result<()> {
    let entries = book.sorted_entries();
    let games = serde_json::to_vec(&book.games().values().collect::<Vec<_>>())?;
    let mut header = Vec::with_capacity(HEADER);
    header.extend(MAGIC);
    header.extend(VERSION.to_le_bytes());
    let numbers = [generation, entries.len() as u64, games.len() as u64];
    let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut sum = crc32fast::Hasher::new();
    sum.update(&numbers);
    for (position, entry) in &entries {
        sum.update(&entry.record(*position));
    }
    sum.update(&games);
    header.extend(sum.finalize().to_le_bytes());
    header.extend(numbers);
    out.write_all(&header)?;
    for (position, entry) in &entries {
        out.write_all(&entry.record(*position))?;
    }
    out.write_all(&games)
}

/// Writes a book to a file as a whole: until it is complete the old one stays.
///
/// # Errors
/// What the system says.
pub(super) fn save(book: &Book, generation: u64, path: &Path) -> std::io::Result<()> {
    crate::record::whole_file::written_by(
        path,
        |partial| {
            let mut out = std::io::BufWriter::new(File::create(partial)?);
            write(book, generation, &mut out)?;
            out.flush()
        },
        |error| error,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::entry::tests::any_entry;
    use crate::random::seeded;
    use rand::Rng;

    fn sample(count: usize) -> Book {
        let mut rng = seeded(count as u64);
        let mut book = Book::new();
        while book.len() < count {
            let (position, entry) = any_entry(&mut rng);
            book.put(position, entry);
        }
        book.apply(&super::super::store::Change::Game(Box::new(LearntGame {
            number: 3,
            source: "test".to_owned(),
            learnt_at: 5,
            history: crate::record::transcript::parse("f5d6c3").unwrap(),
            result: Some(-4),
            done: 2,
            end: None,
        })));
        book
    }

    fn bytes(book: &Book) -> Vec<u8> {
        let mut out = Vec::new();
        write(book, 7, &mut out).unwrap();
        out
    }

    #[test]
    fn a_book_survives_its_file() {
        for count in [0, 1, 200] {
            let book = sample(count);
            let (again, generation) = read(bytes(&book)).unwrap();
            assert_eq!((again.len(), generation), (count, 7));
            assert_eq!(again.sorted_entries(), book.sorted_entries());
            assert_eq!(again.games(), book.games());
            for (position, entry) in book.entries() {
                assert_eq!(again.entry(position), Some(entry));
            }
        }
    }

    #[test]
    fn a_file_damaged_at_any_byte_is_refused() {
        let good = bytes(&sample(12));
        let mut rng = seeded(1);
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= rng.random_range(1..=255u8);
            assert!(read(bad).is_err(), "byte {at}");
            assert!(read(good[..at].to_vec()).is_err(), "cut at {at}");
        }
        let mut longer = good;
        longer.push(0);
        assert!(read(longer).is_err());
    }

    #[test]
    fn what_is_wrong_is_named() {
        let message = |bytes: &[u8]| read(bytes.to_vec()).err().unwrap().to_string();
        let good = bytes(&sample(2));
        assert!(message(b"GGF").contains("does not begin with KITAIBOK"));
        let mut newer = good.clone();
        newer[8] = 9;
        assert!(message(&newer).contains("version 9"));
        let mut changed = good.clone();
        changed[60] ^= 1;
        assert!(message(&changed).contains("checksum"));
        assert!(message(&good[..70]).contains("70 bytes"));
    }

    #[test]
    fn a_well_sealed_file_of_nonsense_is_refused_too() {
        let mut book = bytes(&sample(2));
        // The second record before the first, and the checksum right.
        let (first, second) = (HEADER, HEADER + RECORD);
        for at in 0..RECORD {
            book.swap(first + at, second + at);
        }
        let sum = crc32fast::hash(&book[16..]).to_le_bytes();
        book[12..16].copy_from_slice(&sum);
        assert!(matches!(read(book), Err(SnapshotError::Record(2))));
    }
}
