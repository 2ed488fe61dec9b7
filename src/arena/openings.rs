//! Where games begin: lists of transcripts (XOT), boards and games, or random balanced starts.
//!
//! Every opening is played twice with the colours swapped, so an opening need not be fair; but a
//! lost one tells nothing, and two deterministic players repeat themselves on a repeated one.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::options::Options;
use crate::othello::random::random_move;
use crate::random::seeded_part;
use crate::record::{Board, Format, History, RecordError, Records};
use crate::search::limits::DEPTH;
use crate::search::{self, Limits, Request, StopFlag};

/// A start board and the moves already made from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opening {
    /// Board and moves; the game is not over.
    pub history: History,
}

/// Where openings come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpeningSource {
    /// The usual start alone.
    Start,
    /// Random play of this many plies, kept if a shallow search finds it balanced.
    Random {
        /// Plies from the usual start.
        plies: u32,
    },
    /// A file of games or boards in any format Kitai reads, known by its extension (transcripts if
    /// that says nothing).
    File {
        /// The file.
        path: PathBuf,
        /// Only this many plies of each game.
        plies: Option<u32>,
    },
}

/// Why there are no openings.
#[derive(Debug, Error)]
pub enum OpeningError {
    /// `random:` without a usable number.
    #[error("`{0}`: random openings have 1 to {MAX_RANDOM_PLIES} plies, e.g. random:8")]
    BadPlies(String),
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Something in the file is no game or board.
    #[error("{0}")]
    Record(#[from] RecordError),
    /// A game leaves nothing to play.
    #[error(
        "{}: game {number} is over; use only its opening, e.g. {}:10", path.display(), path.display()
    )]
    Over {
        /// The file.
        path: PathBuf,
        /// Its place among the games, from 1.
        number: usize,
    },
    /// Nothing in the file.
    #[error("{}: no openings in this file", .0.display())]
    Empty(PathBuf),
}

/// Longest random opening: half a game.
pub const MAX_RANDOM_PLIES: u32 = 30;
/// A random opening is kept if a shallow search values it within so many discs of even.
const BALANCE_DISCS: f64 = 4.0;
/// Depth of that search in plies.
const BALANCE_DEPTH: u32 = 5;
/// Random openings tried for each one wanted before a less balanced or repeated one is taken.
const TRIES: u64 = 200;

impl OpeningSource {
    /// Reads `start`, `random:PLIES`, `FILE` or `FILE:PLIES`.
    ///
    /// # Errors
    /// If the number of plies makes no sense.
    pub fn parse(text: &str) -> Result<OpeningSource, OpeningError> {
        if text == "start" {
            return Ok(OpeningSource::Start);
        }
        match text.rsplit_once(':') {
            Some(("random", plies)) => match plies.parse() {
                Ok(plies) if (1..=MAX_RANDOM_PLIES).contains(&plies) => {
                    Ok(OpeningSource::Random { plies })
                }
                _ => Err(OpeningError::BadPlies(text.to_owned())),
            },
            Some((path, plies)) if plies.parse::<u32>().is_ok() => {
                Ok(OpeningSource::File { path: path.into(), plies: plies.parse().ok() })
            }
            _ => Ok(OpeningSource::File { path: text.into(), plies: None }),
        }
    }

    /// The openings for `wanted` pairs of games, in an order fixed by the seed. A file with fewer
    /// gives what it has, each position once; the caller goes round.
    ///
    /// # Errors
    /// If the file cannot be read or holds something else.
    pub fn openings(&self, wanted: usize, seed: u64) -> Result<Vec<Opening>, OpeningError> {
        match self {
            OpeningSource::Start => Ok(vec![Opening { history: History::default() }]),
            OpeningSource::Random { plies } => Ok(random_openings(*plies, wanted, seed)),
            OpeningSource::File { path, plies } => {
                let format = Format::of_path(path).unwrap_or(Format::Transcript);
                let records = format
                    .open(path)
                    .map_err(|source| OpeningError::Io { path: path.clone(), source })?;
                let mut openings = read_list(path, records, *plies)?;
                openings.shuffle(&mut seeded_part(seed, SHUFFLE_PART));
                openings.truncate(wanted.max(1));
                Ok(openings)
            }
        }
    }
}

impl Opening {
    /// The opening in a few characters: its moves, or its board if it has none.
    pub fn label(&self) -> String {
        let moves: String = self.history.moves().iter().map(|played| played.to_string()).collect();
        match (self.history.start() == Board::START, moves.is_empty()) {
            (true, true) => "start".to_owned(),
            (true, false) => moves,
            (false, true) => self.history.start().to_string(),
            (false, false) => format!("{} {moves}", self.history.start()),
        }
    }
}

/// Part of a seed's stream reserved for the order of openings.
const SHUFFLE_PART: u64 = u64::MAX;

fn read_list(
    path: &Path,
    records: Records,
    plies: Option<u32>,
) -> Result<Vec<Opening>, OpeningError> {
    let mut seen = HashSet::new();
    let mut openings = Vec::new();
    for (index, record) in records.enumerate() {
        let mut history =
            record.map_err(|error| error.in_file(&path.display().to_string()))?.history;
        while plies.is_some_and(|plies| history.moves().len() > plies as usize) {
            history.undo();
        }
        if history.is_over() {
            return Err(OpeningError::Over { path: path.to_owned(), number: index + 1 });
        }
        if seen.insert(history.board()) {
            openings.push(Opening { history });
        }
    }
    if openings.is_empty() {
        return Err(OpeningError::Empty(path.to_owned()));
    }
    Ok(openings)
}

fn random_openings(plies: u32, wanted: usize, seed: u64) -> Vec<Opening> {
    let mut options = Options::new();
    let mut judge = options
        .put(&DEPTH, i64::from(BALANCE_DEPTH))
        .and_then(|()| search::build(&options))
        .expect("the default options make a search");
    let mut seen = HashSet::new();
    let mut openings = Vec::with_capacity(wanted);
    for index in 0..wanted as u64 {
        let mut chosen = None;
        for attempt in 0..TRIES {
            let mut rng = seeded_part(seed, index * TRIES + attempt);
            let mut history = History::default();
            while history.moves().len() < plies as usize || history.board().position.must_pass() {
                let Some(played) = random_move(history.board().position, &mut rng) else { break };
                history.play(played).expect("a random move is legal");
            }
            if history.is_over() {
                continue;
            }
            let position = history.board().position;
            let limits = Limits::depth(BALANCE_DEPTH);
            let outcome =
                judge.search(&Request::new(position, limits), &StopFlag::new(), &mut |_| {});
            let fresh = !seen.contains(&position);
            chosen = Some(history);
            if fresh && outcome.score().discs().abs() <= BALANCE_DISCS {
                break;
            }
        }
        if let Some(history) = chosen {
            seen.insert(history.board().position);
            openings.push(Opening { history });
        }
    }
    openings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str, plies: Option<u32>) -> Result<Vec<String>, String> {
        let path = Path::new(name);
        let format = Format::of_path(path).unwrap_or(Format::Transcript);
        read_list(path, format.read(text.as_bytes(), Default::default()), plies)
            .map(|openings| openings.iter().map(Opening::label).collect())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn lists_of_transcripts_boards_and_games_are_read_once_each() {
        let xot = read("xot.txt", "# XOT\nf5d6c4d3\n\nF5F6e6f4\nf5d6c4d3\n", None).unwrap();
        assert_eq!(xot, ["f5d6c4d3", "f5f6e6f4"]);
        assert_eq!(read("list", "f5d6c4d3\n", Some(2)).unwrap(), ["f5d6"]);
        let start = "---------------------------OX------XO--------------------------- X";
        assert_eq!(read("a.obf", &format!("{start}; f5:+0; % first\n"), None).unwrap(), ["start"]);
        let games = "1 (;GM[Othello]TY[8]BO[8 ---------------------------O*------*O----------\
            ----------------- *]B[F5//1]W[D6];)\n";
        assert_eq!(read("a.ggf", games, None).unwrap(), ["f5d6"]);
    }

    #[test]
    fn errors_name_the_file_and_what_is_wrong() {
        let error = |text: &str| read("xot.txt", text, None).unwrap_err();
        assert!(error("f5d6\nf5a1").contains("xot.txt"), "{}", error("f5d6\nf5a1"));
        assert!(error("f5d6\nf5a1").contains("a1"), "{}", error("f5d6\nf5a1"));
        assert_eq!(error("# nothing\n"), "xot.txt: no openings in this file");
        let over = format!("{} X\n", "X".repeat(64));
        assert!(read("over.pos", &over, None).unwrap_err().contains("game 1 is over"));
        let plies = |text| OpeningSource::parse(text).unwrap_err().to_string();
        assert!(plies("random:99").contains("1 to 30 plies"));
        assert!(OpeningSource::parse("no-such-file").unwrap().openings(1, 1).is_err());
    }

    #[test]
    fn random_openings_repeat_by_seed_and_are_distinct() {
        let make = |seed| OpeningSource::Random { plies: 8 }.openings(20, seed).unwrap();
        assert_eq!(make(3), make(3));
        assert_ne!(make(3), make(4));
        let labels: HashSet<_> = make(3).iter().map(Opening::label).collect();
        assert_eq!(labels.len(), 20);
        assert!(make(3).iter().all(|o| o.history.moves().len() >= 8));
        assert_eq!(make(3)[..5], OpeningSource::Random { plies: 8 }.openings(5, 3).unwrap()[..]);
    }
}
