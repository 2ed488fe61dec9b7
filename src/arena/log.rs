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
use super::plan::{MatchSettings, Plan};

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
    settings: MatchSettings,
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

fn compare(path: &Path, logged: &MatchSettings, wanted: &MatchSettings) -> Result<(), LogError> {
    let fields = |settings: &MatchSettings| match serde_json::to_value(settings) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::adjudicate::Adjudicator;
    use crate::arena::plan::Kind;
    use crate::arena::plan::tests::small_plan;
    use crate::arena::referee::{self, PlayedGame};
    use crate::search::StopFlag;

    struct TempFile(PathBuf);

    impl TempFile {
        fn new(name: &str) -> TempFile {
            let name = format!("kitai-log-{}-{name}", std::process::id());
            TempFile(std::env::temp_dir().join(name))
        }
    }

    impl Drop for TempFile {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    fn play(plan: &Plan, number: usize) -> LoggedGame {
        let scheduled = plan.game(number);
        let mut black = plan.players[scheduled.black].build().unwrap();
        let mut white = plan.players[scheduled.white].build().unwrap();
        let game: PlayedGame = referee::play(
            [black.as_mut(), white.as_mut()],
            &plan.openings[scheduled.opening],
            &plan.rules,
            scheduled.seeds,
            &mut Adjudicator::default(),
            &StopFlag::new(),
        )
        .unwrap();
        LoggedGame::new(plan, &scheduled, &game)
    }

    #[test]
    fn games_come_back_from_the_log_and_a_torn_line_is_cut_off() {
        let file = TempFile::new("torn");
        let plan = small_plan(&["depth=1", "depth=1"], Kind::HeadToHead, 2);
        let games: Vec<LoggedGame> = (0..3).map(|number| play(&plan, number)).collect();
        let (mut log, empty) = Log::open(&file.0, &plan).unwrap();
        assert!(empty.is_empty());
        for game in &games[..2] {
            log.append(game).unwrap();
        }
        drop(log);
        let whole = std::fs::read(&file.0).unwrap();
        // Cut anywhere within the last line: the game before it survives.
        let second = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
        for cut in [second, second + 1, (second + whole.len()) / 2, whole.len() - 1] {
            std::fs::write(&file.0, &whole[..cut]).unwrap();
            let (mut log, kept) = Log::open(&file.0, &plan).unwrap();
            assert_eq!(kept.values().collect::<Vec<_>>(), [&games[0]]);
            log.append(&games[2]).unwrap();
            drop(log);
            let (_, kept) = Log::open(&file.0, &plan).unwrap();
            assert_eq!(kept.values().collect::<Vec<_>>(), [&games[0], &games[2]]);
        }
    }

    #[test]
    fn a_log_of_other_settings_is_refused_with_the_difference() {
        let file = TempFile::new("other");
        let plan = small_plan(&["depth=1", "depth=1"], Kind::HeadToHead, 2);
        drop(Log::open(&file.0, &plan).unwrap());
        let mut other = plan.clone();
        other.seed = 7;
        let error = Log::open(&file.0, &other).err().unwrap().to_string();
        assert!(error.contains("`seed` was 1 and is now 7"), "{error}");
    }

    #[test]
    fn two_matches_cannot_write_one_log() {
        let file = TempFile::new("locked");
        let plan = small_plan(&["depth=1", "depth=1"], Kind::HeadToHead, 1);
        let first = Log::open(&file.0, &plan).unwrap();
        let error = Log::open(&file.0, &plan).err().unwrap().to_string();
        assert!(error.contains("another match is writing"), "{error}");
        drop(first);
        Log::open(&file.0, &plan).unwrap();
    }

    #[test]
    fn damage_and_foreign_games_are_named_by_line() {
        let file = TempFile::new("damage");
        let plan = small_plan(&["depth=1", "depth=1"], Kind::HeadToHead, 1);
        let game = play(&plan, 0);
        let write = |extra: &str| {
            let _ = std::fs::remove_file(&file.0);
            let (mut log, _) = Log::open(&file.0, &plan).unwrap();
            log.append(&game).unwrap();
            drop(log);
            let text = std::fs::read_to_string(&file.0).unwrap();
            std::fs::write(&file.0, text + extra).unwrap();
            Log::open(&file.0, &plan).err().unwrap().to_string()
        };
        assert!(write("nonsense\n").contains("line 3: "));
        let again = serde_json::to_string(&game).unwrap() + "\n";
        assert!(write(&again).contains("line 3: this game stands in the log twice"));
        let foreign = LoggedGame { game: 1, ..game.clone() };
        let foreign = serde_json::to_string(&foreign).unwrap() + "\n";
        assert!(write(&foreign).contains("line 3: game 1 is not in the plan"));
        std::fs::write(&file.0, b"\xff\xfe\n").unwrap();
        assert!(Log::open(&file.0, &plan).err().unwrap().to_string().contains("line 1: not text"));
        std::fs::write(&file.0, "{}\n").unwrap();
        let error = Log::open(&file.0, &plan).err().unwrap().to_string();
        assert!(error.contains("not the head of a match log"), "{error}");
    }
}
