//! The bot's records on disk.
//!
//! - `unfinished/`: one file of GGF for each match that is running or adjourned, written whole after
//!   every move, so that whatever happens at most the move on its way is lost;
//! - `games.ggf`: every finished match, one line each;
//! - `history.jsonl`: results and ratings, one line each.
//!
//! The last two are appended to in the one safe way ([`crate::record::append`]) and are on the disk
//! before the unfinished file goes. The history is locked while the bot runs: two bots cannot share
//! a folder.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::files;
use crate::protocol::ggs::report::{RatingLine, Report, ResultLine, continues};
use crate::record::append::{AppendError, Appender, Framing, GGF_GAMES, Kind};
use crate::record::{GameRecord, date, ggf, whole_file};

/// The history of a bot.
pub const HISTORY: Kind = Kind {
    name: "kitai ggs history",
    version: 1,
    framing: Framing::JsonLines,
    what: "history of a bot",
    longest: 1 << 16,
};

/// Largest file of an unfinished match taken for one, bytes.
const LARGEST_MATCH: u64 = 1 << 20;

/// One line of the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub enum HistoryLine {
    /// A match ended.
    Result {
        /// Seconds since 1970.
        time: u64,
        /// What came of it.
        #[serde(flatten)]
        line: ResultLine,
    },
    /// The bot's rating changed.
    Rating {
        /// Seconds since 1970.
        time: u64,
        /// The rating.
        #[serde(flatten)]
        line: RatingLine,
    },
}

/// Why something was not kept.
#[derive(Debug, Error)]
pub enum KeeperError {
    /// A file of games or the history.
    #[error("{0}")]
    Append(#[from] AppendError),
    /// The folder or an unfinished match.
    #[error("{}: {source}", file.display())]
    Io {
        /// Which.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// The folder of a bot's records.
pub struct Keeper {
    unfinished: PathBuf,
    games: Appender,
    history: Appender,
    /// When the bot began, which makes names of files unique.
    began: u64,
    /// Unfinished matches of earlier runs and of this one, by file.
    left: BTreeMap<PathBuf, Vec<GameRecord>>,
    /// Archive numbers of the matches whose results are in the history.
    recorded: BTreeSet<u32>,
    /// When each match of this run began.
    dates: BTreeMap<u64, String>,
}

impl Keeper {
    /// Opens the folder or makes it.
    ///
    /// # Errors
    /// If it cannot be used, or another bot uses it.
    pub fn open(folder: &Path) -> Result<Keeper, KeeperError> {
        let unfinished = folder.join("unfinished");
        let io = |source| KeeperError::Io { file: unfinished.clone(), source };
        std::fs::create_dir_all(&unfinished).map_err(io)?;
        let open = |name: &str, kind, each: &mut dyn FnMut(&[u8])| {
            let (appender, resumed) = Appender::open(&folder.join(name), kind, &(), |record| {
                each(record);
                Ok(())
            })?;
            if resumed.torn > 0 {
                tracing::warn!("{name}: {resumed}");
            }
            Ok::<_, AppendError>(appender)
        };
        let mut recorded = BTreeSet::new();
        let history = open("history.jsonl", HISTORY, &mut |record| {
            if let Ok(HistoryLine::Result { line, .. }) = serde_json::from_slice(record) {
                recorded.extend(line.archive.filter(|_| line.result.is_some()));
            }
        })?;
        let games = open("games.ggf", GGF_GAMES, &mut |_| {})?;
        let mut left = BTreeMap::new();
        for entry in std::fs::read_dir(&unfinished).map_err(io)? {
            let path = entry.map_err(io)?.path();
            let records = files::read(&path, LARGEST_MATCH).ok();
            let records = records
                .and_then(|text| ggf::parse_line(String::from_utf8_lossy(&text).trim()).ok());
            // A bot that was killed while it wrote a file leaves a newer one beside it, whole or not.
            let is_new = path.extension().is_some_and(|extension| extension == "part");
            match records {
                Some(records) if is_new => {
                    let place = path.with_extension("");
                    std::fs::rename(&path, &place).map_err(io)?;
                    left.insert(place, records);
                }
                Some(records) => {
                    left.entry(path).or_insert(records);
                }
                None if is_new => std::fs::remove_file(&path).map_err(io)?,
                None => {}
            }
        }
        let began = date::now();
        let dates = BTreeMap::new();
        Ok(Keeper { unfinished, games, history, began, left, recorded, dates })
    }

    /// The matches that are not finished, as far as they are known.
    pub fn left(&self) -> Vec<Vec<GameRecord>> {
        self.left.values().cloned().collect()
    }

    /// The archive numbers of the matches whose results are kept.
    pub fn recorded(&self) -> &BTreeSet<u32> {
        &self.recorded
    }

    /// Keeps what a report tells.
    ///
    /// # Errors
    /// If the disk does not take it.
    pub fn keep(&mut self, report: &Report) -> Result<(), KeeperError> {
        match report {
            Report::Unfinished { tag, records } => self.keep_unfinished(*tag, records.clone()),
            Report::Finished { tag, records, result } => {
                let records = self.dated(*tag, records.clone());
                self.dates.remove(tag);
                let number = result.archive.filter(|_| result.result.is_some());
                // The bot may have been killed when a result was kept but its file not yet removed.
                if number.is_none_or(|number| !self.recorded.contains(&number)) {
                    self.keep_result(&records, result)?;
                    self.recorded.extend(number);
                }
                let path = self.path(*tag);
                self.forget_earlier(&path, &records)?;
                self.remove(&path)
            }
            Report::Rating(line) => {
                let line = HistoryLine::Rating { time: date::now(), line: line.clone() };
                self.history.append_json(&line)?;
                Ok(self.history.flush()?)
            }
            Report::State(_) | Report::Gone { .. } | Report::News(_) => Ok(()),
        }
    }

    fn keep_result(
        &mut self,
        records: &[GameRecord],
        result: &ResultLine,
    ) -> Result<(), KeeperError> {
        if !records.is_empty() {
            let line = ggf::write_line(&records.iter().collect::<Vec<_>>());
            self.games.append(line.trim_end().as_bytes())?;
            self.games.sync()?;
        }
        let line = HistoryLine::Result { time: date::now(), line: result.clone() };
        self.history.append_json(&line)?;
        Ok(self.history.sync()?)
    }

    fn path(&self, tag: u64) -> PathBuf {
        self.unfinished.join(format!("{}-{tag}.ggf", self.began))
    }

    fn dated(&mut self, tag: u64, mut records: Vec<GameRecord>) -> Vec<GameRecord> {
        let began = self.dates.entry(tag).or_insert_with(|| date::stamp(date::now()));
        for record in records.iter_mut().filter(|record| record.date.is_empty()) {
            record.date.clone_from(began);
        }
        records
    }

    fn keep_unfinished(&mut self, tag: u64, records: Vec<GameRecord>) -> Result<(), KeeperError> {
        let path = self.path(tag);
        let records = self.dated(tag, records);
        let text = ggf::write_line(&records.iter().collect::<Vec<_>>());
        let io = |source| KeeperError::Io { file: path.clone(), source };
        whole_file::write(&path, text.as_bytes()).map_err(io)?;
        if self.left.insert(path.clone(), records.clone()).is_none() {
            self.forget_earlier(&path, &records)?;
        }
        Ok(())
    }

    /// A match that goes on has a file of this run; that of an earlier connection is not needed.
    fn forget_earlier(&mut self, path: &Path, records: &[GameRecord]) -> Result<(), KeeperError> {
        let earlier: Vec<PathBuf> = self
            .left
            .iter()
            .filter(|(other, old)| *other != path && continues(old, records))
            .map(|(other, _)| other.clone())
            .collect();
        earlier.iter().try_for_each(|other| self.remove(other))
    }

    fn remove(&mut self, path: &Path) -> Result<(), KeeperError> {
        self.left.remove(path);
        match std::fs::remove_file(path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(KeeperError::Io { file: path.to_owned(), source })
            }
            _ => Ok(()),
        }
    }
}
