//! Where games begin: lists of transcripts (XOT), boards and games, or random balanced starts.
//!
//! Every opening is played twice with the colours swapped, so an opening need not be fair; but a
//! lost one tells nothing, and two deterministic players repeat themselves on a repeated one.

use std::collections::HashSet;
use std::path::Path;

use thiserror::Error;

use crate::options::Options;
use crate::othello::random::random_move;
use crate::random::seeded_part;
use crate::record::{Board, History};
use crate::search::{self, Limits, Request, StopFlag};

/// A start board and the moves already made from it.
#[derive(Clone, Debug, PartialEq)]
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
    /// A file of transcripts, boards (OBF) or games (GGF), one per line.
    File(String),
}

/// Why there are no openings.
#[derive(Debug, Error)]
pub enum OpeningError {
    /// `random:` without a usable number.
    #[error("`{0}`: random openings have 1 to {MAX_RANDOM_PLIES} plies, e.g. random:8")]
    BadPlies(String),
    /// The file cannot be read.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A line is no opening.
    #[error("{file}, line {line}: {reason}")]
    BadLine {
        /// The file.
        file: String,
        /// From 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// Nothing in the file.
    #[error("{0}: no openings in this file")]
    Empty(String),
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
    /// Reads `start`, `random:PLIES` or a file name.
    ///
    /// # Errors
    /// If the number of plies makes no sense.
    pub fn parse(text: &str) -> Result<OpeningSource, OpeningError> {
        match text.split_once(':') {
            _ if text == "start" => Ok(OpeningSource::Start),
            Some(("random", plies)) => match plies.parse() {
                Ok(plies) if (1..=MAX_RANDOM_PLIES).contains(&plies) => {
                    Ok(OpeningSource::Random { plies })
                }
                _ => Err(OpeningError::BadPlies(text.to_owned())),
            },
            _ => Ok(OpeningSource::File(text.to_owned())),
        }
    }

    /// The openings for `wanted` pairs of games, in an order fixed by the seed. A file with fewer
    /// gives what it has; the caller goes round.
    ///
    /// # Errors
    /// If the file cannot be read or holds something else.
    pub fn openings(&self, wanted: usize, seed: u64) -> Result<Vec<Opening>, OpeningError> {
        match self {
            OpeningSource::Start => Ok(vec![Opening { history: History::default() }]),
            OpeningSource::Random { plies } => Ok(random_openings(*plies, wanted, seed)),
            OpeningSource::File(file) => {
                let text = std::fs::read_to_string(Path::new(file))
                    .map_err(|source| OpeningError::Io { file: file.clone(), source })?;
                let mut openings = parse_list(file, &text)?;
                shuffle(&mut openings, seed);
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

fn shuffle(openings: &mut [Opening], seed: u64) {
    use rand::seq::SliceRandom;
    openings.shuffle(&mut seeded_part(seed, SHUFFLE_PART));
}

fn parse_list(file: &str, text: &str) -> Result<Vec<Opening>, OpeningError> {
    let mut openings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split(['#', '%']).next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let bad = |reason: String| OpeningError::BadLine {
            file: file.to_owned(),
            line: index + 1,
            reason,
        };
        let history = parse_line(line).map_err(bad)?;
        if history.is_over() {
            return Err(bad("the game is over after this opening".to_owned()));
        }
        openings.push(Opening { history });
    }
    if openings.is_empty() {
        return Err(OpeningError::Empty(file.to_owned()));
    }
    Ok(openings)
}

fn parse_line(line: &str) -> Result<History, String> {
    if line.chars().filter(|c| matches!(c, '-' | '.' | '_')).count() > 3 || line.len() > 64 {
        let board = line.split(';').next().unwrap_or_default();
        return board
            .parse()
            .map(History::new)
            .map_err(|e: crate::record::BoardError| e.to_string());
    }
    let mut history = History::default();
    let characters: Vec<char> = line.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
    for pair in characters.chunks(2) {
        let text: String = pair.iter().collect();
        let played = text.parse().map_err(|e: crate::othello::ParseMoveError| e.to_string())?;
        history.play_passing(played).map_err(|e| e.to_string())?;
    }
    Ok(history)
}

fn random_openings(plies: u32, wanted: usize, seed: u64) -> Vec<Opening> {
    let mut options = Options::new();
    let mut judge = options
        .set("depth", &BALANCE_DEPTH.to_string())
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

    #[test]
    fn lists_of_transcripts_and_boards_are_read_with_comments() {
        let text = "# XOT\nf5d6c4d3\n\nF5 F6 e6 f4 # fine\n\
            ---------------------------OX------XO--------------------------- X; f5:+0; % first\n";
        let openings = parse_list("list", text).unwrap();
        let labels: Vec<_> = openings.iter().map(Opening::label).collect();
        assert_eq!(labels, ["f5d6c4d3", "f5f6e6f4", "start"]);
    }

    #[test]
    fn errors_name_file_and_line() {
        let error = |text: &str| parse_list("xot.txt", text).unwrap_err().to_string();
        assert!(error("f5d6\nf5a1").starts_with("xot.txt, line 2: move 2: white cannot play a1"));
        assert!(error("f5z9").contains("line 1: expected a square"));
        assert_eq!(error("# nothing\n"), "xot.txt: no openings in this file");
        let over = format!("{} X", "X".repeat(64));
        assert!(error(&over).contains("over after this opening"));
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
