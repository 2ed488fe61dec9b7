//! Games that others played, for self-play to begin like them: positions after random moves teach little
//! about those that real games lead to.

use std::path::PathBuf;

use super::sources::SourceError;
use crate::othello::Move;
use crate::record::{self, Board, History};

/// The moves of games from the usual start on.
#[derive(Debug, PartialEq)]
pub struct Beginnings {
    games: Vec<Box<[Move]>>,
    checksum: u32,
}

impl Beginnings {
    /// All games of the files, in any format Kitai reads, but those from another start.
    ///
    /// # Errors
    /// If a file cannot be read, or there is no game in any of them.
    pub fn read(files: &[PathBuf]) -> Result<Beginnings, SourceError> {
        let mut beginnings = Beginnings { games: Vec::new(), checksum: 0 };
        let mut hasher = crc32fast::Hasher::new();
        for file in files {
            for record in record::open(file)? {
                let record = record.map_err(|error| error.in_file(&file.display().to_string()))?;
                beginnings.add(&record.history, &mut hasher);
            }
        }
        if beginnings.games.is_empty() {
            return Err(SourceError::NoGames);
        }
        beginnings.checksum = hasher.finalize();
        Ok(beginnings)
    }

    fn add(&mut self, game: &History, hasher: &mut crc32fast::Hasher) {
        if game.start() == Board::START && !game.moves().is_empty() {
            game.moves().iter().for_each(|played| hasher.update(played.to_string().as_bytes()));
            hasher.update(b"\n");
            self.games.push(game.moves().into());
        }
    }

    /// The games, at least one.
    pub fn games(&self) -> &[Box<[Move]>] {
        &self.games
    }

    /// A sum over all moves, by which the games are known again.
    pub fn checksum(&self) -> u32 {
        self.checksum
    }
}
