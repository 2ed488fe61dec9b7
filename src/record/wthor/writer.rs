//! Writing a database: games are collected, names get their indices at the end.

use std::collections::HashMap;

use super::{GAME, Header, MOVES, PLAYER, TOURNAMENT, UNKNOWN, USUAL_EMPTIES};
use crate::record::{Board, Fault, GameRecord, Margin};

/// A name to be written: an index that was one, or a text that will get one.
#[derive(Clone, Copy)]
enum NameKey {
    Index(u16),
    Text(usize),
}

/// The names of one name file, collected while games come in.
#[derive(Default)]
struct NameTable {
    texts: Vec<String>,
    known: HashMap<String, usize>,
    highest_index: u16,
}

impl NameTable {
    fn key(&mut self, name: &str) -> NameKey {
        let index = match name {
            "" | UNKNOWN => Some(0),
            _ => name.strip_prefix('#').and_then(|digits| digits.parse().ok()),
        };
        if let Some(index) = index {
            self.highest_index = self.highest_index.max(index);
            return NameKey::Index(index);
        }
        let texts = &mut self.texts;
        NameKey::Text(*self.known.entry(name.to_owned()).or_insert_with(|| {
            texts.push(name.to_owned());
            texts.len() - 1
        }))
    }

    /// Texts get the indices after the highest one in use.
    fn index(&self, key: NameKey) -> usize {
        match key {
            NameKey::Index(index) => usize::from(index),
            NameKey::Text(place) => usize::from(self.highest_index) + 1 + place,
        }
    }

    fn file(&self, created: [u8; 4], width: usize) -> Option<Vec<u8>> {
        if self.texts.is_empty() {
            return None;
        }
        let numbered = (1..=self.highest_index).map(|index| format!("#{index}"));
        let all = std::iter::once(UNKNOWN.to_owned()).chain(numbered).chain(self.texts.clone());
        let names = (usize::from(self.highest_index) + 1 + self.texts.len()) as u16;
        let mut out = Header { created, names, ..Header::default() }.bytes();
        for name in all {
            let mut bytes: Vec<u8> =
                name.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect();
            // One byte stays for the zero at the end.
            bytes.truncate(width - 1);
            bytes.resize(width, 0);
            out.extend(bytes);
        }
        Some(out)
    }
}

/// Collects games and turns them into the files of a database. Each costs about a hundred bytes.
#[derive(Default)]
pub struct Collector {
    games: Vec<CollectedGame>,
    players: NameTable,
    tournaments: NameTable,
    year: u16,
    empties: Option<u8>,
}

struct CollectedGame {
    tournament: NameKey,
    black: NameKey,
    white: NameKey,
    real: u8,
    perfect: u8,
    moves: [u8; MOVES],
}

/// The bytes of a database's files; the name files are there only if some name needs them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Files {
    /// `.wtb`.
    pub games: Vec<u8>,
    /// `.jou`.
    pub players: Option<Vec<u8>>,
    /// `.trn`.
    pub tournaments: Option<Vec<u8>>,
}

fn cannot(what: impl Into<String>) -> Fault {
    Fault::CannotHold { format: "WTHOR", what: what.into() }
}

impl Collector {
    /// Adds a game. Without a theoretical score the real one stands in for it; the year of the
    /// file is that of the first game that has one.
    ///
    /// # Errors
    /// If the format has no room for it: another start, no result, a score that is no whole number
    /// of discs, or a theoretical score of another depth than the games before.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), Fault> {
        if record.history.start() != Board::START {
            return Err(cannot("a game from another start board"));
        }
        let result = record
            .result_or_score()
            .ok_or_else(|| cannot("an unfinished game without a result"))?;
        let Margin::Discs(discs) = result.margin else {
            return Err(cannot("a result without a score"));
        };
        let real = black_discs(discs)?;
        let perfect = match record.theory {
            None => real,
            Some(theory) => {
                if *self.empties.get_or_insert(theory.empties) != theory.empties {
                    return Err(cannot("theoretical scores of different depths"));
                }
                black_discs(f64::from(theory.score))?
            }
        };
        if self.year == 0 {
            self.year = year_of(&record.date).unwrap_or(0);
        }
        let mut moves = [0; MOVES];
        let placed = record.history.moves().iter().filter_map(|played| played.square());
        for (slot, square) in moves.iter_mut().zip(placed) {
            *slot = 10 * (square.row() + 1) + square.column() + 1;
        }
        let tournament = self.tournaments.key(&record.event);
        let (black, white) =
            (self.players.key(&record.black.name), self.players.key(&record.white.name));
        self.games.push(CollectedGame { tournament, black, white, real, perfect, moves });
        Ok(())
    }

    /// The files, dated with century, year in it, month and day.
    ///
    /// # Errors
    /// If there are more games or names than the format can count.
    pub fn files(&self, created: [u8; 4]) -> Result<Files, Fault> {
        let games = u32::try_from(self.games.len()).map_err(|_| cannot("so many games"))?;
        for table in [&self.players, &self.tournaments] {
            let names = usize::from(table.highest_index) + 1 + table.texts.len();
            if !table.texts.is_empty() && names > usize::from(u16::MAX) {
                return Err(cannot("more than 65,535 names"));
            }
        }
        let empties = self.empties.unwrap_or(USUAL_EMPTIES);
        let header =
            Header { created, games, year: self.year, size: 8, empties, ..Header::default() };
        let mut out = header.bytes();
        out.reserve(self.games.len() * GAME);
        for game in &self.games {
            let indices = [
                self.tournaments.index(game.tournament),
                self.players.index(game.black),
                self.players.index(game.white),
            ];
            for index in indices {
                out.extend((index as u16).to_le_bytes());
            }
            out.extend([game.real, game.perfect]);
            out.extend(game.moves);
        }
        Ok(Files {
            games: out,
            players: self.players.file(created, PLAYER),
            tournaments: self.tournaments.file(created, TOURNAMENT),
        })
    }
}

/// A disc difference as Black's discs.
fn black_discs(difference: f64) -> Result<u8, Fault> {
    let discs = (difference + 64.0) / 2.0;
    if discs.fract() == 0.0 && (0.0..=64.0).contains(&discs) {
        Ok(discs as u8)
    } else {
        Err(cannot(format!("the score {difference}")))
    }
}

/// The first run of exactly four digits in a date.
fn year_of(date: &str) -> Option<u16> {
    date.split(|c: char| !c.is_ascii_digit()).find(|run| run.len() == 4)?.parse().ok()
}
