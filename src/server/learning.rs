//! The file of games that clients want learnt: one line each, safely on disk before it is said.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use thiserror::Error;

/// Why a game was not kept.
#[derive(Debug, Error)]
pub(super) enum LearnError {
    /// The system says no.
    #[error("{file}: {source}")]
    Io { file: String, source: std::io::Error },
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
        let bytes = line.len() as u64 + 1;
        if room.is_some_and(|room| room < bytes) {
            return Err(LearnError::Full);
        }
        self.append(line)
            .map_err(|source| LearnError::Io { file: self.path.display().to_string(), source })?;
        *room = room.map(|room| room - bytes);
        Ok(())
    }

    fn append(&self, line: &str) -> std::io::Result<()> {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.path)?;
        let before = file.metadata()?.len();
        let written =
            file.write_all(format!("{line}\n").as_bytes()).and_then(|()| file.sync_data());
        written.inspect_err(|_| cut_back(&file, before))
    }
}

fn cut_back(file: &File, length: u64) {
    // A device has no length; the write's own error is what matters.
    let _ = file.set_len(length);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_added_until_the_room_is_used_up() {
        let path = std::env::temp_dir().join(format!("kitai-learn-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let file = LearnFile::new(&path, Some(10));
        file.add("first").unwrap();
        assert!(matches!(file.add("four"), Err(LearnError::Full)));
        file.add("two").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "first\ntwo\n");
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_told() {
        let file = LearnFile::new(Path::new("/dev/full"), None);
        assert!(matches!(file.add("a game"), Err(LearnError::Io { .. })));
    }
}
