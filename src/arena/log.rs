//! The match log: JSON lines that are also the way to resume.
//!
//! The first line holds the settings, every other line one finished game; [`crate::record::append`]
//! adds checksums and the lock. A game counts when its line is on the disk. When a log is read, the
//! result of every game that ended on the board is worked out again from its moves; other endings
//! (time, faults, adjudication) rest on the checksum.

use std::collections::BTreeMap;
use std::path::Path;

use super::logged::LoggedGame;
use super::plan::Plan;
use crate::record::append::{AppendError, Appender, Framing, Kind, Resumed};

/// Match logs as they are written.
pub const LOG: Kind = Kind {
    name: "kitai match log",
    version: 2,
    framing: Framing::JsonLines,
    what: "match log",
    longest: 1 << 20,
};

/// An open log.
pub struct Log {
    appender: Appender,
}

impl Log {
    /// Opens or begins the log of this plan and gives the games it already holds, by number.
    ///
    /// # Errors
    /// If the file cannot be used, is in use, belongs to other settings or is damaged.
    pub fn open(
        path: &Path,
        plan: &Plan,
    ) -> Result<(Log, BTreeMap<usize, LoggedGame>, Resumed), AppendError> {
        let mut games = BTreeMap::new();
        let (appender, resumed) = Appender::open(path, LOG, &plan.settings(), |line| {
            let game: LoggedGame =
                serde_json::from_slice(line).map_err(|error| error.to_string())?;
            game.check(plan)?;
            match games.insert(game.game, game) {
                None => Ok(()),
                Some(game) => Err(format!("game {} stands in the log twice", game.game)),
            }
        })?;
        Ok((Log { appender }, games, resumed))
    }

    /// Adds a finished game; it is on the disk when this returns.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn append(&mut self, game: &LoggedGame) -> Result<(), AppendError> {
        self.appender.append_json(game)?;
        self.appender.sync()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::adjudicate::Adjudicator;
    use crate::arena::plan::Kind as Pairings;
    use crate::arena::plan::tests::small_plan;
    use crate::arena::referee::{self, PlayedGame};
    use crate::random::seeded;
    use crate::search::StopFlag;
    use rand::Rng;
    use std::path::PathBuf;

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
        let mut black = plan.players[scheduled.black].build(None).unwrap();
        let mut white = plan.players[scheduled.white].build(None).unwrap();
        let game: PlayedGame = referee::play(
            [black.as_mut(), white.as_mut()],
            &plan.openings[scheduled.opening],
            &plan.rules_of(&scheduled),
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
        let plan = small_plan(&["depth=1", "depth=1"], Pairings::HeadToHead, 2);
        let games: Vec<LoggedGame> = (0..3).map(|number| play(&plan, number)).collect();
        let (mut log, empty, _) = Log::open(&file.0, &plan).unwrap();
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
            let (mut log, kept, resumed) = Log::open(&file.0, &plan).unwrap();
            assert_eq!(resumed.torn as usize, cut - second);
            assert_eq!(kept.values().collect::<Vec<_>>(), [&games[0]]);
            log.append(&games[2]).unwrap();
            drop(log);
            let (_, kept, _) = Log::open(&file.0, &plan).unwrap();
            assert_eq!(kept.values().collect::<Vec<_>>(), [&games[0], &games[2]]);
        }
    }

    #[test]
    fn a_log_of_other_settings_is_refused_with_the_difference() {
        let file = TempFile::new("other");
        let plan = small_plan(&["depth=1", "depth=1"], Pairings::HeadToHead, 2);
        drop(Log::open(&file.0, &plan).unwrap());
        let mut other = plan.clone();
        other.seed = 7;
        let error = Log::open(&file.0, &other).err().unwrap().to_string();
        assert!(error.contains("`seed` was 1 and is now 7"), "{error}");
    }

    #[test]
    fn two_matches_cannot_write_one_log() {
        let file = TempFile::new("locked");
        let plan = small_plan(&["depth=1", "depth=1"], Pairings::HeadToHead, 1);
        let first = Log::open(&file.0, &plan).unwrap();
        let error = Log::open(&file.0, &plan).err().unwrap().to_string();
        assert!(error.contains("another process is writing"), "{error}");
        drop(first);
        Log::open(&file.0, &plan).unwrap();
    }

    /// The log's own seal around lines that it would not write itself.
    fn refused(file: &TempFile, plan: &Plan, games: &[&LoggedGame]) -> String {
        let _ = std::fs::remove_file(&file.0);
        let (mut log, ..) = Log::open(&file.0, plan).unwrap();
        for game in games {
            log.append(game).unwrap();
        }
        drop(log);
        Log::open(&file.0, plan).err().unwrap().to_string()
    }

    #[test]
    fn foreign_doubled_and_impossible_games_are_refused_whatever_their_checksum() {
        let file = TempFile::new("foreign");
        let plan = small_plan(&["depth=1", "depth=1"], Pairings::HeadToHead, 1);
        let game = play(&plan, 0);
        assert_eq!(game.ending, crate::arena::Ending::Finished);
        let error = refused(&file, &plan, &[&game, &game]);
        assert!(error.contains("record 2, at byte ") && error.contains("twice"), "{error}");
        let foreign = LoggedGame { game: 1, ..game.clone() };
        assert!(refused(&file, &plan, &[&foreign]).contains("game 1 is not in the plan"));
        let won = LoggedGame { half_points: 2 - game.half_points, ..game.clone() };
        let error = refused(&file, &plan, &[&won]);
        assert!(error.contains("is not the result of its moves"), "{error}");
        let higher = LoggedGame { discs: game.discs.map(|discs| discs + 2), ..game.clone() };
        assert!(refused(&file, &plan, &[&higher]).contains("is not the result of its moves"));
        let moves = game.moves[..game.moves.len() - 2].to_owned();
        let shorter = LoggedGame { moves, ..game.clone() };
        assert!(refused(&file, &plan, &[&shorter]).contains("did not end on the board"));
        let illegal = LoggedGame { moves: "a1".to_owned(), ..game };
        assert!(refused(&file, &plan, &[&illegal]).contains("illegal"));
    }

    /// Two hundred lines changed in every way: a byte, a digit of the result, a line lost, doubled
    /// or moved.
    #[test]
    fn two_hundred_altered_lines_are_all_noticed() {
        let file = TempFile::new("altered");
        let plan = small_plan(&["depth=1", "depth=1"], Pairings::HeadToHead, 5);
        let (mut log, ..) = Log::open(&file.0, &plan).unwrap();
        for number in 0..10 {
            log.append(&play(&plan, number)).unwrap();
        }
        drop(log);
        let whole = std::fs::read_to_string(&file.0).unwrap();
        let lines: Vec<&str> = whole.lines().collect();
        let mut rng = seeded(9);
        let mut noticed = 0;
        for alteration in 0..200 {
            let mut altered: Vec<String> = lines.iter().map(|&line| line.to_owned()).collect();
            // The last line may be lost like an interrupted write; the others may not.
            let line = rng.random_range(0..lines.len() - 1);
            match alteration % 5 {
                0 | 1 => {
                    let at = rng.random_range(0..altered[line].len());
                    let with = if altered[line].as_bytes()[at] == b'7' { "8" } else { "7" };
                    altered[line].replace_range(at..=at, with);
                }
                2 => {
                    let line = line.max(1);
                    let at = altered[line].find("\"half_points\":").unwrap() + 14;
                    let old = altered[line].as_bytes()[at];
                    altered[line].replace_range(at..=at, if old == b'2' { "0" } else { "2" });
                }
                3 => drop(altered.remove(line)),
                _ => altered.swap(line, line + 1),
            }
            assert_ne!(altered, lines);
            std::fs::write(&file.0, altered.join("\n") + "\n").unwrap();
            noticed += usize::from(Log::open(&file.0, &plan).is_err());
        }
        assert_eq!(noticed, 200);
    }

    #[test]
    fn files_that_are_no_logs_are_refused() {
        let file = TempFile::new("no-log");
        let plan = small_plan(&["depth=1", "depth=1"], Pairings::HeadToHead, 1);
        for text in ["{}\n", "\u{ff}\n", "{\"settings\":{}}\n{\"game\":0}\n"] {
            std::fs::write(&file.0, text).unwrap();
            let error = Log::open(&file.0, &plan).err().unwrap().to_string();
            assert!(error.contains("no Kitai match log"), "{error}");
            assert_eq!(std::fs::read_to_string(&file.0).unwrap(), text);
        }
    }
}
