//! Position files (`.kpos`): scored positions to learn from.
//!
//! Version 2 holds games ([`super::games`] says how they are coded), appended by
//! [`crate::record::append`] with the settings they were made with, a checksum per game and a lock.
//! [`GameReader`] replays them one after the other; [`read`] gives their scored positions.
//!
//! Version 1, still read, had 24 bytes for each position, little-endian, after the eight bytes
//! `KITAIPOS`, the version and the record size (4 bytes each):
//!
//! | bytes | content |
//! |---|---|
//! | 0–7 | the mover's discs, bit 0 = a1 |
//! | 8–15 | the opponent's discs |
//! | 16–17 | score for the mover in 1/128 disc |
//! | 18 | where the score comes from: 0 search, 1 exact, 2 game result |
//! | 19 | depth of the search, 0 if none |
//! | 20–23 | number of the game, so that a split never parts one game's positions |

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use serde::Serialize;
use thiserror::Error;

use super::games::{Game, GameError};
use crate::othello::Position;
use crate::record::append::{AppendError, Appender, Framing, Kind, Resumed};
use crate::record::sealed::{Damage, Records};

/// Position files as they are written.
pub const GAMES: Kind = Kind {
    name: "KITAIPOS",
    version: 2,
    framing: Framing::Frames,
    what: "position file",
    longest: 640,
};

/// What a file of version 1 begins with: name, version and record size.
const HEADER_1: &[u8; 16] = b"KITAIPOS\x01\0\0\0\x18\0\0\0";
/// Bytes of a record of version 1.
const RECORD_1: usize = 24;

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
    /// Whether the move that followed was drawn at random, as far as the file tells.
    pub random: bool,
}

/// Why a position file cannot be used.
#[derive(Debug, Error)]
pub enum PositionsError {
    /// The file cannot be read or written.
    #[error("{}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is no position file, or damaged.
    #[error("{}: {damage}", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What is wrong and where.
        damage: Damage,
    },
    /// It cannot be appended to.
    #[error("{0}")]
    Append(#[from] AppendError),
    /// A game that cannot be written.
    #[error("game {number}: {error}")]
    Game {
        /// Its number.
        number: u32,
        /// What is wrong with it.
        error: GameError,
    },
}

/// Reads the games of a file of version 2 one after the other.
pub struct GameReader {
    records: Records<BufReader<File>>,
    settings: serde_json::Value,
    file: PathBuf,
    length: u64,
    game: Game,
    next_number: u32,
}

impl GameReader {
    /// Opens a file.
    ///
    /// # Errors
    /// If it cannot be read or is no position file of version 2.
    pub fn open(file: &Path) -> Result<GameReader, PositionsError> {
        let io = |source| PositionsError::Io { file: file.to_owned(), source };
        let opened = File::open(file).map_err(io)?;
        let length = opened.metadata().map_err(io)?.len();
        let input = BufReader::with_capacity(1 << 18, opened);
        let (records, settings) = Records::open(input, GAMES)
            .map_err(|damage| PositionsError::Damaged { file: file.to_owned(), damage })?;
        let file = file.to_owned();
        Ok(GameReader { records, settings, file, length, game: Game::default(), next_number: 0 })
    }

    /// The settings that the games were made with.
    pub fn settings(&self) -> &serde_json::Value {
        &self.settings
    }

    /// The next game; `None` at the end, and where an interrupted write broke off.
    ///
    /// # Errors
    /// If the game is damaged.
    pub fn next_game(&mut self) -> Result<Option<&Game>, PositionsError> {
        let damaged = |damage| PositionsError::Damaged { file: self.file.clone(), damage };
        let Some(record) = self.records.next_record().map_err(damaged)? else {
            let torn = self.length.saturating_sub(self.records.end());
            if torn > 0 {
                tracing::warn!("{}: left out {torn} bytes of half a game", self.file.display());
            }
            return Ok(None);
        };
        if let Err(error) = self.game.decode(record, self.next_number) {
            let damage = self.records.refused(error.to_string());
            return Err(PositionsError::Damaged { file: self.file.clone(), damage });
        }
        self.next_number = self.game.number.wrapping_add(1);
        Ok(Some(&self.game))
    }
}

/// Appends games to a file of version 2.
pub struct GameWriter {
    appender: Appender,
    next_number: u32,
}

impl GameWriter {
    /// Opens a file to append to, or begins it. Each game that it holds is shown to `each`, which
    /// may refuse it with a reason.
    ///
    /// # Errors
    /// If it cannot be used, is in use, was made with other settings or is damaged.
    pub fn open(
        file: &Path,
        settings: &impl Serialize,
        mut each: impl FnMut(&Game) -> Result<(), String>,
    ) -> Result<(GameWriter, Resumed), PositionsError> {
        let (mut game, mut next_number) = (Game::default(), 0);
        let check = |record: &[u8]| {
            game.decode(record, next_number).map_err(|error| error.to_string())?;
            next_number = game.number.wrapping_add(1);
            each(&game)
        };
        let (appender, resumed) = Appender::open(file, GAMES, settings, check)?;
        Ok((GameWriter { appender, next_number }, resumed))
    }

    /// Adds a game.
    ///
    /// # Errors
    /// If it is none or the system takes no more.
    pub fn write(&mut self, game: &Game) -> Result<(), PositionsError> {
        let record = game
            .encode(self.next_number)
            .map_err(|error| PositionsError::Game { number: game.number, error })?;
        self.appender.append(&record)?;
        self.next_number = game.number.wrapping_add(1);
        Ok(())
    }

    /// Hands everything over to the system.
    ///
    /// # Errors
    /// If the system takes no more.
    pub fn flush(&mut self) -> Result<(), PositionsError> {
        Ok(self.appender.flush()?)
    }

    /// As [`GameWriter::flush`], and waits until it is on the disk.
    ///
    /// # Errors
    /// If the system takes no more.
    pub fn sync(&mut self) -> Result<(), PositionsError> {
        Ok(self.appender.sync()?)
    }
}

/// All scored positions of a file of either version.
///
/// # Errors
/// If it cannot be read or is no position file.
pub fn read(file: &Path) -> Result<Vec<Scored>, PositionsError> {
    if is_version_1(file)? {
        return read_version_1(file);
    }
    let mut reader = GameReader::open(file)?;
    let mut scored = Vec::new();
    while let Some(game) = reader.next_game()? {
        scored.extend(game.scored());
    }
    Ok(scored)
}

pub(super) fn is_version_1(file: &Path) -> Result<bool, PositionsError> {
    let mut begin = Vec::new();
    File::open(file)
        .and_then(|opened| opened.take(HEADER_1.len() as u64).read_to_end(&mut begin))
        .map_err(|source| PositionsError::Io { file: file.to_owned(), source })?;
    Ok(begin == HEADER_1)
}

pub(super) fn read_version_1(file: &Path) -> Result<Vec<Scored>, PositionsError> {
    let bytes = std::fs::read(file)
        .map_err(|source| PositionsError::Io { file: file.to_owned(), source })?;
    let damaged = |damage| PositionsError::Damaged { file: file.to_owned(), damage };
    let body = bytes.strip_prefix(HEADER_1).ok_or_else(|| damaged(Damage::Foreign(GAMES.what)))?;
    let (records, _half_record) = body.as_chunks::<RECORD_1>();
    let read = |(index, record): (usize, &[u8; RECORD_1])| {
        Scored::from_bytes(record).map_err(|reason| {
            damaged(Damage::Record {
                record: index as u64 + 1,
                at: (HEADER_1.len() + index * RECORD_1) as u64,
                reason: reason.to_owned(),
            })
        })
    };
    records.iter().enumerate().map(read).collect()
}

impl Scored {
    fn from_bytes(bytes: &[u8; RECORD_1]) -> Result<Scored, &'static str> {
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
            random: false,
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::random::seeded;
    use crate::training::games::tests::any_game;

    /// A file that is gone at the end of its test.
    pub(in crate::training) struct TempFile(pub PathBuf);

    impl TempFile {
        pub(in crate::training) fn new(name: &str) -> TempFile {
            let name = format!("kitai-{}-{name}.kpos", std::process::id());
            let path = std::env::temp_dir().join(name);
            let _ = std::fs::remove_file(&path);
            TempFile(path)
        }
    }

    impl Drop for TempFile {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    /// Positions of some games as version 1 can tell them: it does not mark random moves.
    pub(in crate::training) fn unmarked(games: impl Iterator<Item = Game>) -> Vec<Scored> {
        let scored = |game: Game| game.scored().collect::<Vec<_>>();
        games.flat_map(scored).map(|one| Scored { random: false, ..one }).collect()
    }

    /// The file as version 1 had it.
    pub(in crate::training) fn version_1(scored: &[Scored]) -> Vec<u8> {
        let mut bytes = HEADER_1.to_vec();
        for one in scored {
            bytes.extend(one.position.mover().0.to_le_bytes());
            bytes.extend(one.position.opponent().0.to_le_bytes());
            bytes.extend(one.score.to_le_bytes());
            bytes.extend([one.source as u8, one.depth]);
            bytes.extend(one.game.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn games_are_read_back_with_their_settings_and_an_empty_file_has_none() {
        let file = TempFile::new("games");
        let mut rng = seeded(2);
        let games: Vec<Game> =
            (0..50).map(|_| any_game(&mut rng)).filter(|game| !game.plies.is_empty()).collect();
        let (writer, _) = GameWriter::open(&file.0, &"settings", |_| Ok(())).unwrap();
        drop(writer);
        assert_eq!(read(&file.0).unwrap(), []);
        let (mut writer, _) = GameWriter::open(&file.0, &"settings", |_| Ok(())).unwrap();
        for game in &games {
            writer.write(game).unwrap();
        }
        writer.sync().unwrap();
        let mut reader = GameReader::open(&file.0).unwrap();
        assert_eq!(reader.settings(), "settings");
        for game in &games {
            assert_eq!(reader.next_game().unwrap(), Some(game));
        }
        assert!(reader.next_game().unwrap().is_none());
        let scored: Vec<Scored> = games.iter().flat_map(Game::scored).collect();
        assert_eq!(read(&file.0).unwrap(), scored);
    }

    #[test]
    fn version_1_is_read_up_to_its_last_whole_record() {
        let file = TempFile::new("version-1");
        let mut rng = seeded(3);
        let scored = unmarked(std::iter::once(any_game(&mut rng)));
        let mut bytes = version_1(&scored);
        bytes.extend([1; 11]);
        std::fs::write(&file.0, &bytes).unwrap();
        assert_eq!(read(&file.0).unwrap(), scored);
        std::fs::write(&file.0, HEADER_1).unwrap();
        assert_eq!(read(&file.0).unwrap(), []);
        let refused = GameWriter::open(&file.0, &"settings", |_| Ok(())).err().unwrap();
        assert!(refused.to_string().contains("position file of version 1, not 2"), "{refused}");
    }

    #[test]
    fn foreign_files_and_impossible_records_are_refused() {
        let file = TempFile::new("foreign");
        std::fs::write(&file.0, b"something else entirely").unwrap();
        assert!(read(&file.0).unwrap_err().to_string().contains("no Kitai position file"));
        assert!(GameWriter::open(&file.0, &"settings", |_| Ok(())).is_err());
        let mut bytes = HEADER_1.to_vec();
        bytes.extend([1; RECORD_1]);
        std::fs::write(&file.0, &bytes).unwrap();
        let error = read(&file.0).unwrap_err().to_string();
        assert!(error.contains("record 1, at byte 16: a square holds"), "{error}");
    }
}
