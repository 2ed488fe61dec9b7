//! Where the games go that clients want learnt: an opening book, which learns them while nobody
//! thinks ([`crate::book::shared`]), or a file with one line of GGF each and a checksum
//! ([`crate::record::append`]). Either way the game is safely on disk before it is said.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use thiserror::Error;

use super::ServeError;
use crate::book::shared::LEARN_DEPTH;
use crate::book::{BookError, Learner, SharedBook};
use crate::options::Options;
use crate::record::append::{AppendError, Appender, GGF_GAMES};
use crate::record::{RecordError, ggf};

/// What the checksum and the end of the line add to a game, bytes.
const SEAL: u64 = 16;

/// Why a game was not kept.
#[derive(Debug, Error)]
pub(super) enum LearnError {
    /// The file cannot be used.
    #[error("{0}")]
    File(#[from] AppendError),
    /// The book cannot be written.
    #[error("{0}")]
    Book(#[from] BookError),
    /// The game cannot be read.
    #[error("{0}")]
    Game(#[from] RecordError),
    /// The clients together have had what they may.
    #[error("this server has taken in as many games as it may")]
    Full,
}

/// Whether games for this file are learnt into an opening book.
pub fn is_book(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("kbook"))
}

/// A book, or a file to add lines to, shared by all clients of a server.
pub(super) struct LearnFile {
    path: PathBuf,
    learner: Option<Learner>,
    /// Bytes that may still be added; `None` without a bound.
    room: Mutex<Option<u64>>,
}

impl LearnFile {
    /// Games go to this book or to the end of this file, at most `room` bytes of them in all.
    ///
    /// # Errors
    /// If the book cannot be used.
    pub(super) fn open(
        path: &Path,
        room: Option<u64>,
        options: &Options,
    ) -> Result<LearnFile, ServeError> {
        let learner = match is_book(path) {
            true => {
                let book = SharedBook::open_to_learn(path).map_err(std::io::Error::other)?;
                Some(Learner::start(book, options, LEARN_DEPTH)?)
            }
            false => None,
        };
        Ok(LearnFile { path: path.to_owned(), learner, room: Mutex::new(room) })
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
        match &self.learner {
            None => self.append(line)?,
            Some(learner) => {
                for game in ggf::parse_line(line)? {
                    learner.learn(&game, "server")?;
                }
            }
        }
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
        let file = LearnFile::open(&path, Some(60), &Options::new()).unwrap();
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
        let file = LearnFile::open(Path::new("/dev/full"), None, &Options::new()).unwrap();
        assert!(matches!(file.add("1 (;GM[Othello];)"), Err(LearnError::File(_))));
    }
}
