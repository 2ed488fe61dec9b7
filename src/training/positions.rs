//! Position files: scored positions, 24 bytes each.
//!
//! Layout, little-endian: the eight bytes `KITAIPOS`, a format version and the record size (4 bytes
//! each), then records:
//!
//! | bytes | content |
//! |---|---|
//! | 0–7 | the mover's discs, bit 0 = a1 |
//! | 8–15 | the opponent's discs |
//! | 16–17 | score for the mover in 1/128 disc |
//! | 18 | where the score comes from: 0 search, 1 exact, 2 game result |
//! | 19 | depth of the search, 0 if none |
//! | 20–23 | number of the game, so that a split never parts one game's positions |
//!
//! Files are only ever appended to, so an interrupted writer loses at most a half record, which the
//! reader and the next writer leave out.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::othello::Position;

const MAGIC: &[u8; 8] = b"KITAIPOS";
const VERSION: u32 = 1;
const HEADER: u64 = 16;
/// Bytes of a record.
pub const RECORD: usize = 24;

/// Where a score comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A midgame search of this depth.
    Search,
    /// The game was solved.
    Exact,
    /// The result of the game the position was met in.
    Result,
}

/// A position and what it is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scored {
    /// The position.
    pub position: Position,
    /// For the mover in 1/128 disc.
    pub score: i16,
    /// Where the score comes from.
    pub source: Source,
    /// Depth of the search that gave it, 0 if none.
    pub depth: u8,
    /// The game it was met in.
    pub game: u32,
}

/// Why a position file cannot be used.
#[derive(Debug, Error)]
pub enum PositionsError {
    /// The file cannot be read or written.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Not a position file, or of another version.
    #[error("{file}: no Kitai position file of version {VERSION}")]
    Header {
        /// The file.
        file: String,
    },
    /// A record that no position has.
    #[error("{file}: record {record}: {reason}")]
    Record {
        /// The file.
        file: String,
        /// Its number, from 1.
        record: usize,
        /// What is wrong.
        reason: &'static str,
    },
}

impl Scored {
    fn to_bytes(self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        bytes[..8].copy_from_slice(&self.position.mover().0.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.position.opponent().0.to_le_bytes());
        bytes[16..18].copy_from_slice(&self.score.to_le_bytes());
        bytes[18] = match self.source {
            Source::Search => 0,
            Source::Exact => 1,
            Source::Result => 2,
        };
        bytes[19] = self.depth;
        bytes[20..].copy_from_slice(&self.game.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: &[u8; RECORD]) -> Result<Scored, &'static str> {
        let word = |at: usize| {
            bytes[at..].first_chunk().map_or(0, |chunk: &[u8; 8]| u64::from_le_bytes(*chunk))
        };
        let (mover, opponent) = (word(0), word(8));
        if mover & opponent != 0 {
            return Err("a square holds a disc of both sides");
        }
        let source = match bytes[18] {
            0 => Source::Search,
            1 => Source::Exact,
            2 => Source::Result,
            _ => return Err("unknown kind of score"),
        };
        let score = i16::from_le_bytes([bytes[16], bytes[17]]);
        if score.unsigned_abs() > 64 * 128 {
            return Err("score beyond 64 discs");
        }
        Ok(Scored {
            position: Position::from_disjoint(mover, opponent),
            score,
            source,
            depth: bytes[19],
            game: u32::from_le_bytes([bytes[20], bytes[21], bytes[22], bytes[23]]),
        })
    }
}

fn header() -> [u8; HEADER as usize] {
    let mut bytes = [0; HEADER as usize];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
    bytes[12..].copy_from_slice(&(RECORD as u32).to_le_bytes());
    bytes
}

/// All positions of a file.
///
/// # Errors
/// If it cannot be read or is no position file.
pub fn read(file: &Path) -> Result<Vec<Scored>, PositionsError> {
    let name = || file.display().to_string();
    let mut bytes = Vec::new();
    File::open(file)
        .and_then(|mut opened| opened.read_to_end(&mut bytes))
        .map_err(|source| PositionsError::Io { file: name(), source })?;
    let body =
        bytes.strip_prefix(&header()).ok_or_else(|| PositionsError::Header { file: name() })?;
    let (records, _half_record) = body.as_chunks::<RECORD>();
    let read = |(index, record): (usize, &[u8; RECORD])| {
        Scored::from_bytes(record).map_err(|reason| PositionsError::Record {
            file: name(),
            record: index + 1,
            reason,
        })
    };
    records.iter().enumerate().map(read).collect()
}

/// Appends positions to a file.
pub struct Writer {
    file: PathBuf,
    out: BufWriter<File>,
    count: u64,
}

impl Writer {
    /// Opens a file to append to, making it if it is not there and cutting off a half record.
    ///
    /// # Errors
    /// If it cannot be opened or is no position file.
    pub fn append(file: &Path) -> Result<Writer, PositionsError> {
        let io = |source| PositionsError::Io { file: file.display().to_string(), source };
        let mut opened = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(file)
            .map_err(io)?;
        let length = opened.metadata().map_err(io)?.len();
        let count = if length == 0 {
            opened.write_all(&header()).map_err(io)?;
            0
        } else {
            let mut found = [0; HEADER as usize];
            let whole = opened.read_exact(&mut found);
            if whole.is_err() || found != header() {
                return Err(PositionsError::Header { file: file.display().to_string() });
            }
            (length - HEADER) / RECORD as u64
        };
        let end = HEADER + count * RECORD as u64;
        opened.set_len(end).and_then(|()| opened.seek(SeekFrom::Start(end))).map_err(io)?;
        Ok(Writer { file: file.to_owned(), out: BufWriter::new(opened), count })
    }

    /// How many positions the file has.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Appends positions and hands them to the system.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn write(&mut self, positions: &[Scored]) -> Result<(), PositionsError> {
        let io = |source| PositionsError::Io { file: self.file.display().to_string(), source };
        for scored in positions {
            self.out.write_all(&scored.to_bytes()).map_err(io)?;
        }
        self.out.flush().map_err(io)?;
        self.count += positions.len() as u64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_position, seeded};

    fn temporary(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("kitai-{}-{name}.pos", std::process::id()));
        let _ = std::fs::remove_file(&path);
        path
    }

    fn samples() -> Vec<Scored> {
        let mut rng = seeded(2);
        (0..60)
            .map(|empties| Scored {
                position: random_position(empties, &mut rng),
                score: empties as i16 * 100 - 3000,
                source: [Source::Search, Source::Exact, Source::Result][empties as usize % 3],
                depth: empties as u8,
                game: empties * 1000,
            })
            .collect()
    }

    #[test]
    fn writing_in_two_goes_after_an_interruption_loses_nothing() {
        let file = temporary("resume");
        let samples = samples();
        Writer::append(&file).unwrap().write(&samples[..20]).unwrap();
        // An interrupted writer left half a record.
        OpenOptions::new().append(true).open(&file).unwrap().write_all(&[1; 11]).unwrap();
        assert_eq!(read(&file).unwrap(), samples[..20]);
        let mut writer = Writer::append(&file).unwrap();
        assert_eq!(writer.count(), 20);
        writer.write(&samples[20..]).unwrap();
        assert_eq!(writer.count(), 60);
        assert_eq!(read(&file).unwrap(), samples);
        std::fs::remove_file(&file).unwrap();
    }

    #[test]
    fn foreign_files_and_impossible_records_are_refused() {
        let file = temporary("bad");
        std::fs::write(&file, b"something else entirely").unwrap();
        assert!(read(&file).unwrap_err().to_string().contains("no Kitai position file"));
        assert!(Writer::append(&file).is_err());
        let mut bytes = header().to_vec();
        bytes.extend([1; RECORD]);
        std::fs::write(&file, &bytes).unwrap();
        let error = read(&file).unwrap_err().to_string();
        assert!(error.contains("record 1: a square holds"), "{error}");
        std::fs::remove_file(&file).unwrap();
    }
}
