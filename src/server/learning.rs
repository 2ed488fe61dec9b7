//! The file of games that clients want learnt: one line of GGF each, with a checksum
//! ([`crate::record::append`]), safely on disk before it is said.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use thiserror::Error;

use crate::record::append::{AppendError, Appender, GGF_GAMES};

/// What the checksum and the end of the line add to a game, bytes.
const SEAL: u64 = 16;

/// Why a game was not kept.
#[derive(Debug, Error)]
pub(super) enum LearnError {
    /// The file cannot be used.
    #[error("{0}")]
    File(#[from] AppendError),
    /// The clients together have had what they may.
    #[error("this server has taken in as many games as it may")]
    Full,
}

/// A file to add lines to, shared by all clients of a server.
#[derive(Debug)]
pub(super) struct LearnFile {
    path: PathBuf,
    /// Bytes that may still be added; `None` without a bound.
    room: Mutex<Option<u64>>,
}

impl LearnFile {
    /// Lines go to the end of this file, at most `room` bytes of them in all.
    pub(super) fn new(path: &Path, room: Option<u64>) -> LearnFile {
        LearnFile { path: path.to_owned(), room: Mutex::new(room) }
    }

    /// Adds a line and waits until the disk has it. What could not be written whole is cut off
    /// again, so that the next game does not continue a torn line.
    ///
    /// # Errors
    /// If the file cannot be written or has taken in enough.
    pub(super) fn add(&self, line: &str) -> Result<(), LearnError> {
        // One at a time: lines of two clients must not mix.
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = line.len() as u64 + SEAL;
        if room.is_some_and(|room| room < bytes) {
            return Err(LearnError::Full);
        }
        self.append(line)?;
        *room = room.map(|room| room - bytes);
        Ok(())
    }

    /// Opened for each game, so that several engines can share one file.
    fn append(&self, line: &str) -> Result<(), AppendError> {
        let (mut appender, resumed) = Appender::open(&self.path, GGF_GAMES, &(), |_| Ok(()))?;
        if resumed.torn > 0 {
            tracing::warn!("{}: {resumed}", self.path.display());
        }
        appender.append(line.as_bytes())?;
        appender.sync()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_added_until_the_room_is_used_up() {
        let path = std::env::temp_dir().join(format!("kitai-learn-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let file = LearnFile::new(&path, Some(60));
        file.add("1 (;GM[Othello];)").unwrap();
        assert!(matches!(file.add("1 (;GM[Othello]PB[a];)"), Err(LearnError::Full)));
        file.add("1 (;PB[b];)").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.len(), 60);
        let begins: Vec<&str> = text.lines().map(|line| &line[..9]).collect();
        assert_eq!(begins, ["1 (;GM[Ot", "1 (;PB[b]"]);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_file_that_cannot_be_written_is_told() {
        let file = LearnFile::new(Path::new("/dev/full"), None);
        assert!(matches!(file.add("1 (;GM[Othello];)"), Err(LearnError::File(_))));
    }
}
