//! What an engine and the referee said to each other, in files for whoever looks for a fault.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The two files of one engine of one worker: the conversation and what it wrote to standard error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineLog {
    conversation: PathBuf,
    errors: PathBuf,
}

impl EngineLog {
    /// `NAME-WORKER.log` and `NAME-WORKER.stderr` in this directory; workers count from 1.
    pub fn new(directory: &Path, name: &str, worker: usize) -> EngineLog {
        let plain = |c: char| if c.is_alphanumeric() || "-_.+=,".contains(c) { c } else { '_' };
        let name: String = name.chars().map(plain).take(LONGEST_NAME).collect();
        let file = |ending: &str| directory.join(format!("{name}-{worker}.{ending}"));
        EngineLog { conversation: file("log"), errors: file("stderr") }
    }

    /// Opens both files to add to them.
    ///
    /// # Errors
    /// What the system says, with the file's name.
    pub(super) fn open(&self) -> std::io::Result<(Conversation, File)> {
        let open = |path: &Path| {
            let named = |error: std::io::Error| {
                std::io::Error::new(error.kind(), format!("{}: {error}", path.display()))
            };
            OpenOptions::new().create(true).append(true).open(path).map_err(named)
        };
        Ok((Conversation(open(&self.conversation)?), open(&self.errors)?))
    }
}

/// Longest part of a file's name that comes from the player's, characters.
const LONGEST_NAME: usize = 80;

/// The lines in both directions.
#[derive(Debug)]
pub(super) struct Conversation(File);

impl Conversation {
    /// A line to the engine.
    pub(super) fn sent(&mut self, line: &str) {
        self.note('>', line);
    }

    /// A line from it.
    pub(super) fn received(&mut self, line: &str) {
        self.note('<', line);
    }

    fn note(&mut self, direction: char, line: &str) {
        if let Err(problem) = writeln!(self.0, "{direction} {line}") {
            tracing::warn!(%problem, "the conversation of an engine cannot be kept");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_are_kept_under_a_plain_name() {
        let folder = std::env::temp_dir().join(format!("kitai-{}-engine-log", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let log = EngineLog::new(&folder, "a/b c", 2);
        for _ in 0..2 {
            let (mut conversation, _) = log.open().unwrap();
            conversation.sent("name");
            conversation.received("= x");
        }
        let kept = std::fs::read_to_string(folder.join("a_b_c-2.log")).unwrap();
        assert_eq!(kept, "> name\n< = x\n> name\n< = x\n");
        assert!(folder.join("a_b_c-2.stderr").exists());
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(log.open().unwrap_err().to_string().contains("a_b_c-2.log"));
    }
}
