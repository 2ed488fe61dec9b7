//! The match log: JSON lines that are also the way to resume.
//!
//! The first line holds the settings, every other line one finished game; a line is written whole
//! and flushed to the disk before the game counts. A torn last line (the process was killed while
//! writing) is cut off on resuming. Two runs cannot write to one log: the file is locked.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::logged::LoggedGame;
use super::plan::{Plan, Settings};

/// An open log.
pub struct Log {
    file: File,
    path: PathBuf,
}

/// Why a log cannot be used.
#[derive(Debug, Error)]
pub enum LogError {
    /// Reading or writing failed.
    #[error("{path}: {source}")]
    Io {
        /// The log.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another run has it open.
    #[error("{0}: another match is writing this log")]
    Locked(PathBuf),
    /// It belongs to a different match.
    #[error("{path}: this log belongs to another match: {difference}; choose another --out")]
    OtherSettings {
        /// The log.
        path: PathBuf,
        /// The settings that differ.
        difference: String,
    },
    /// A line that is not the last is damaged, or does not belong.
    #[error("{path}, line {line}: {reason}")]
    BadLine {
        /// The log.
        path: PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

#[derive(Serialize, Deserialize)]
struct Header {
    settings: Settings,
}

impl Log {
    /// Opens or begins the log of this plan and gives the games it already holds, by number.
    ///
    /// # Errors
    /// If the file cannot be used, is in use, belongs to other settings or is damaged.
    pub fn open(path: &Path, plan: &Plan) -> Result<(Log, BTreeMap<usize, LoggedGame>), LogError> {
        let io = |source| LogError::Io { path: path.to_owned(), source };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LogError::Locked(path.to_owned())),
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        // Everything after the last line break is torn.
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let text = std::str::from_utf8(&bytes[..whole]).map_err(|error| LogError::BadLine {
            path: path.to_owned(),
            line: bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() + 1,
            reason: "not text".to_owned(),
        })?;
        let games = read_games(path, text, plan)?;
        file.set_len(whole as u64).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        let mut log = Log { file, path: path.to_owned() };
        if whole == 0 {
            log.write_line(&Header { settings: plan.settings() })?;
        }
        Ok((log, games))
    }

    /// Adds a finished game; it is on the disk when this returns.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn append(&mut self, game: &LoggedGame) -> Result<(), LogError> {
        self.write_line(game)
    }

    fn write_line(&mut self, value: &impl Serialize) -> Result<(), LogError> {
        let io = |source| LogError::Io { path: self.path.clone(), source };
        let mut line = serde_json::to_vec(value).map_err(|error| io(error.into()))?;
        line.push(b'\n');
        self.file.write_all(&line).map_err(io)?;
        self.file.sync_data().map_err(io)
    }
}

fn read_games(
    path: &Path,
    text: &str,
    plan: &Plan,
) -> Result<BTreeMap<usize, LoggedGame>, LogError> {
    let mut games = BTreeMap::new();
    for (index, line) in text.lines().enumerate() {
        let bad =
            |reason: String| LogError::BadLine { path: path.to_owned(), line: index + 1, reason };
        if index == 0 {
            let header: Header = serde_json::from_str(line)
                .map_err(|error| bad(format!("not the head of a match log: {error}")))?;
            compare(path, &header.settings, &plan.settings())?;
            continue;
        }
        let game: LoggedGame =
            serde_json::from_str(line).map_err(|error| bad(error.to_string()))?;
        if !game.belongs_to(plan) {
            return Err(bad(format!("game {} is not in the plan", game.game)));
        }
        if games.insert(game.game, game).is_some() {
            return Err(bad("this game stands in the log twice".to_owned()));
        }
    }
    Ok(games)
}

fn compare(path: &Path, logged: &Settings, wanted: &Settings) -> Result<(), LogError> {
    let fields = |settings: &Settings| match serde_json::to_value(settings) {
        Ok(serde_json::Value::Object(map)) => map,
        _ => serde_json::Map::new(),
    };
    let (logged, wanted) = (fields(logged), fields(wanted));
    let difference: Vec<String> = logged
        .iter()
        .filter(|(key, value)| wanted.get(*key) != Some(value))
        .map(|(key, value)| {
            let now = wanted.get(key).unwrap_or(&serde_json::Value::Null);
            format!("`{key}` was {value} and is now {now}")
        })
        .collect();
    if difference.is_empty() {
        return Ok(());
    }
    let difference = difference.join(", ");
    Err(LogError::OtherSettings { path: path.to_owned(), difference })
}
