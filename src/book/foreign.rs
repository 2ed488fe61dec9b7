//! What the books of other programs have in common: whole discs, plain negamax, no checksums.

use std::collections::HashMap;
use std::path::Path;

use thiserror::Error;

use super::entry::{Alternative, DEEPEST, Entry, Value, move_of_number};
use super::negamax::{leaves_book, negamax};
use super::store::{Book, Change, turned};
use super::study::form_of;
use super::{edax, egaroucid};
use crate::files::{self, FileError};
use crate::othello::symmetry::canonical;
use crate::othello::{Bitboard, Move, Position};
use crate::score::Score;

/// Bytes that a book may have.
const LARGEST: u64 = 16 << 30;

/// Why a book of another program cannot be read.
#[derive(Debug, Error)]
pub enum ForeignError {
    /// The file cannot be read.
    #[error("{0}")]
    File(#[from] FileError),
    /// Neither extension nor content is known.
    #[error("no book of a known program: Edax .dat or Egaroucid .egbk3 is expected")]
    Unknown,
    /// It does not begin as such a book does.
    #[error("no {0} book")]
    Magic(&'static str),
    /// Another version.
    #[error("an {program} book of version {found}; version {expected} can be read")]
    Version {
        /// Whose.
        program: &'static str,
        /// What the file says.
        found: u8,
        /// What can be read.
        expected: u8,
    },
    /// The file ends too early or too late.
    #[error("{found} positions where the header speaks of {expected}")]
    Count {
        /// In the header.
        expected: i64,
        /// In the file.
        found: usize,
    },
    /// Something in a position is impossible.
    #[error("position {number}: {reason}")]
    Position {
        /// Its number, from 1.
        number: usize,
        /// What is wrong.
        reason: String,
    },
}

/// A format of another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// Edax `book.dat`, version 4.
    Edax,
    /// Egaroucid `.egbk3`.
    Egaroucid,
}

impl Foreign {
    /// The format that a file name's extension stands for.
    pub fn of_path(path: &Path) -> Option<Foreign> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "dat" => Some(Foreign::Edax),
            "egbk3" => Some(Foreign::Egaroucid),
            _ => None,
        }
    }

    /// Reads a book.
    ///
    /// # Errors
    /// What is wrong with it and where.
    pub fn parse(self, bytes: &[u8]) -> Result<Book, ForeignError> {
        match self {
            Foreign::Edax => edax::read(bytes),
            Foreign::Egaroucid => egaroucid::read(bytes),
        }
    }

    /// Reads a book file.
    ///
    /// # Errors
    /// If it cannot be read, or what is wrong with it.
    pub fn open(self, path: &Path) -> Result<Book, ForeignError> {
        self.parse(&files::read(path, LARGEST)?)
    }

    /// The file of a book.
    pub fn write(self, book: &Book) -> Vec<u8> {
        match self {
            Foreign::Edax => edax::write(book),
            Foreign::Egaroucid => egaroucid::write(book),
        }
    }
}

/// Bytes read one after the other.
pub(super) struct Cursor<'a>(pub(super) &'a [u8]);

impl Cursor<'_> {
    pub(super) fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }
}

/// One position as other programs write it, in any orientation.
pub(super) struct Raw {
    pub(super) mover: u64,
    pub(super) opponent: u64,
    pub(super) value: Option<i32>,
    pub(super) level: u8,
    /// The best move out of the book, numbered from a1 = 0, with its score and level.
    pub(super) leaf: Option<(u8, i32, u8)>,
    pub(super) entry: Entry,
}

/// A book in the making.
#[derive(Default)]
pub(super) struct Collector {
    book: Book,
    count: usize,
}

impl Collector {
    /// Takes a position in.
    pub(super) fn add(&mut self, raw: Raw) -> Result<(Position, Position), ForeignError> {
        self.count += 1;
        let bad = |reason: String| ForeignError::Position { number: self.count, reason };
        let position = Position::new(Bitboard(raw.mover), Bitboard(raw.opponent))
            .map_err(|error| bad(error.to_string()))?;
        let (form, symmetry) = canonical(position);
        let value = |discs: i32, level: u8| {
            let depth = level.min(DEEPEST);
            Value { score: Score::whole(discs), depth, confidence: 0 }
        };
        let alternative = match raw.leaf {
            None => None,
            Some((number, discs, level)) => {
                let played = move_of_number(number)
                    .ok()
                    .flatten()
                    .filter(|&played| position.after(played).is_some())
                    .ok_or_else(|| bad(format!("move {number} is not legal there")))?;
                let played = turned(played, symmetry);
                Some(Alternative { played, value: value(discs, level) })
            }
        };
        let searched = raw.value.map(|discs| value(discs, raw.level));
        self.book.put(form, Entry { searched, alternative, ..raw.entry });
        Ok((position, form))
    }

    /// How many positions were taken in.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// An error about the position taken in last.
    pub(super) fn bad(&self, reason: impl Into<String>) -> ForeignError {
        ForeignError::Position { number: self.count, reason: reason.into() }
    }

    /// A move that should lead to a position of the book. Where that is missing, the move is one
    /// out of the book.
    pub(super) fn link(&mut self, position: Position, played: Move, discs: i32, level: u8) {
        let missing = position.after(played).is_some_and(|child| !self.book.contains(child));
        let (form, symmetry) = canonical(position);
        let Some(entry) = self.book.entry(form).filter(|_| missing) else { return };
        let value = Value { score: Score::whole(discs), depth: level.min(DEEPEST), confidence: 0 };
        if entry.alternative.is_none_or(|known| known.value.rank() < value.rank()) {
            let alternative = Some(Alternative { played: turned(played, symmetry), value });
            self.book.put(form, Entry { alternative, ..entry });
        }
    }

    /// The book, its values carried back.
    pub(super) fn finish(mut self) -> Book {
        negamax(&mut self.book);
        self.book
    }
}

/// A score that is one.
pub(super) fn discs(score: i32) -> Option<i32> {
    (-64..=64).contains(&score).then_some(score)
}

/// What can be told to a program that knows whole discs and plain negamax only: every position
/// whose value follows from moves, with that value; if `searched`, also those whose own search is
/// all that is known.
pub(super) fn whole_values(book: &Book, searched: bool) -> HashMap<Position, i32> {
    let mut order: Vec<(u32, bool, Position)> = book
        .entries()
        .map(|(form, _)| (form.empty_count(), !form.has_move() && !form.is_over(), form))
        .collect();
    order.sort_unstable();
    let mut values: HashMap<Position, i32> = HashMap::new();
    for (_, _, form) in order {
        let Some(entry) = book.entry(form) else { continue };
        if form.is_over() {
            values.insert(form, form.final_score());
            continue;
        }
        let children =
            form.children().filter_map(|(_, child)| values.get(&form_of(child)).map(|v| -v));
        let leaving = leaf(book, form, &entry).map(|(_, discs)| discs);
        let own = entry.searched.filter(|_| searched).map(|value| value.score.rounded());
        if let Some(value) = children.chain(leaving).max().or(own) {
            values.insert(form, value);
        }
    }
    values
}

/// The best move out of the book with its whole score.
pub(super) fn leaf(book: &Book, form: Position, entry: &Entry) -> Option<(Move, i32)> {
    let leaving = entry.alternative.filter(|a| leaves_book(book, form, a.played))?;
    Some((leaving.played, leaving.value.score.rounded()))
}

/// The depth that an entry's own search had, as a level.
pub(super) fn level(entry: &Entry) -> u8 {
    let alternative = entry.alternative.map(|a| a.value.depth);
    alternative.or(entry.searched.map(|value| value.depth)).unwrap_or(0)
}

/// Takes the positions of one book into another: what is searched deeper stays, games are added.
pub fn merge(into: &mut Book, from: &Book) -> usize {
    let mut taken = 0;
    for (form, other) in from.entries() {
        let Some(own) = into.entry(form) else {
            into.apply(&Change::Put(form, other));
            taken += 1;
            continue;
        };
        let deeper = |own: Option<Value>, other: Option<Value>| match (own, other) {
            (Some(own), Some(other))
                if (own.confidence, own.depth) >= (other.confidence, other.depth) =>
            {
                Some(own)
            }
            (own, other) => other.or(own),
        };
        let alternative = match (own.alternative, other.alternative) {
            (Some(a), Some(b))
                if (a.value.confidence, a.value.depth) >= (b.value.confidence, b.value.depth) =>
            {
                Some(a)
            }
            (a, b) => b.or(a),
        };
        let sum = |a: u32, b: u32| a.saturating_add(b);
        let results = super::entry::Results {
            wins: sum(own.results.wins, other.results.wins),
            draws: sum(own.results.draws, other.results.draws),
            losses: sum(own.results.losses, other.results.losses),
        };
        let entry = Entry {
            value: own.value,
            searched: deeper(own.searched, other.searched),
            alternative,
            results,
            lines: sum(own.lines, other.lines),
            learnt: own.learnt && other.learnt,
        };
        into.apply(&Change::Put(form, entry));
    }
    negamax(into);
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Color;
    use crate::othello::symmetry::Symmetry;
    use crate::random::{Random, seeded};
    use crate::record::{Board, transcript};
    use rand::Rng;

    /// White must pass after it, and then Black plays g8: the end of a game, as whole games that
    /// were learnt bring into a book.
    const BEFORE_A_PASS: &str = "e6f4d3c4c3d6e3c2b3d2c5f5f3f6g4e2f2g5e1c1f1h4d1g1e7b1g3h3h6g6f7f8\
                                 b2a1b4c7a2b6b5c6d7a6a5a4a3b7h7c8d8e8a8h5a7h8b8";

    /// A position of a book as the tests know it, in no program's layout.
    #[derive(Clone, Debug, PartialEq)]
    struct Plain {
        position: Position,
        counts: [u32; 4],
        value: i32,
        level: u8,
        links: Vec<(Move, i32)>,
        leaf: Option<(Move, i32)>,
    }

    /// A consistent book from random walks and the pass, built without the code under test: values
    /// from the definition, orientations at random.
    fn plain_book(rng: &mut Random) -> Vec<Plain> {
        let mut found: Vec<Position> = Vec::new();
        let known = |found: &[Position], position: Position| {
            Symmetry::all().any(|symmetry| found.contains(&symmetry.apply_position(position)))
        };
        for _ in 0..12 {
            let mut position = Position::START;
            for _ in 0..rng.random_range(3..8) {
                let children: Vec<_> = position.children().collect();
                if !known(&found, position) {
                    found.push(position);
                }
                position = children[rng.random_range(0..children.len())].1;
            }
        }
        let end = transcript::parse(BEFORE_A_PASS).unwrap();
        assert!(end.board().position.must_pass());
        assert_eq!(end.board().turn, Color::White);
        found.push(end.board().position);
        found.push(end.board().position.pass());
        let leaves: Vec<Option<(Move, i32)>> = found
            .iter()
            .map(|position| {
                let mut left = position.children().filter(|(_, child)| !known(&found, *child));
                left.next().map(|(played, _)| (played, rng.random_range(-30..=30)))
            })
            .collect();
        fn value(
            position: Position,
            found: &[Position],
            leaves: &[Option<(Move, i32)>],
        ) -> Option<i32> {
            let index = found.iter().position(|known| {
                Symmetry::all().any(|symmetry| symmetry.apply_position(*known) == position)
            })?;
            let moves = position.children().filter_map(|(_, next)| value(next, found, leaves));
            moves.map(|value| -value).chain(leaves[index].map(|leaf| leaf.1)).max()
        }
        let plain = found.iter().zip(&leaves).map(|(&position, &leaf)| Plain {
            position,
            counts: [rng.random_range(0..90), 2, 7, rng.random_range(0..9)],
            value: value(position, &found, &leaves).unwrap(),
            level: rng.random_range(6..30),
            links: position
                .children()
                .filter_map(|(played, next)| Some((played, -value(next, &found, &leaves)?)))
                .collect(),
            leaf,
        });
        plain.collect()
    }

    /// The move number of Edax.
    fn edax_move(played: Move) -> u8 {
        played.square().map_or(64, |square| square.row() * 8 + square.column())
    }

    /// The bytes that Edax would write, by the layout alone.
    fn edax_bytes(book: &[Plain], rng: &mut Random) -> Vec<u8> {
        let mut out = b"XADEKOOB".to_vec();
        out.extend([4, 6, 0xea, 7, 11, 18, 2, 40, 0, 0]);
        for number in [21, 24, 0, 0, 1, book.len() as i32] {
            out.extend(number.to_le_bytes());
        }
        for plain in book {
            // Edax turns a position to its least form; readers take any.
            let symmetry = Symmetry::all().nth(rng.random_range(0..8)).unwrap();
            let shown = symmetry.apply_position(plain.position);
            let turn = |played: Move| {
                played.square().map_or(Move::Pass, |s| symmetry.apply_square(s).into())
            };
            out.extend(shown.mover().0.to_le_bytes());
            out.extend(shown.opponent().0.to_le_bytes());
            plain.counts.iter().for_each(|count| out.extend(count.to_le_bytes()));
            for score in [plain.value, -64, 64] {
                out.extend((score as i16).to_le_bytes());
            }
            out.extend([plain.links.len() as u8, plain.level]);
            for (played, score) in &plain.links {
                out.extend([*score as i8 as u8, edax_move(turn(*played))]);
            }
            match plain.leaf {
                Some((played, score)) => out.extend([score as i8 as u8, edax_move(turn(played))]),
                None => out.extend([129, 65]),
            }
        }
        out
    }

    /// The bytes that Egaroucid would write.
    fn egaroucid_bytes(book: &[Plain], rng: &mut Random) -> Vec<u8> {
        let mut out = b"DICUORAGE\x03".to_vec();
        out.extend((book.len() as i32).to_le_bytes());
        for plain in book {
            let symmetry = Symmetry::all().nth(rng.random_range(0..8)).unwrap();
            let shown = symmetry.apply_position(plain.position);
            for set in [shown.mover(), shown.opponent()] {
                let mut bits = 0u64;
                set.into_iter().for_each(|square| bits |= 1 << (63 - square.index()));
                out.extend(bits.to_le_bytes());
            }
            out.extend([plain.value as i8 as u8, plain.level]);
            out.extend(plain.counts[3].to_le_bytes());
            match plain.leaf {
                Some((played, score)) => {
                    let number = played
                        .square()
                        .map_or(64, |square| 63 - symmetry.apply_square(square).index() as u8);
                    out.extend([score as i8 as u8, number, plain.level]);
                }
                None => out.extend([0x81, 65, 0]),
            }
        }
        out
    }

    /// Compares a book with what was written, field by field.
    fn check(book: &Book, plain: &[Plain], with_results: bool) {
        assert_eq!(book.len(), plain.len());
        for wanted in plain {
            let found = book.lookup(wanted.position).unwrap();
            let value = found.value.unwrap();
            assert_eq!(value.score, Score::whole(wanted.value), "{:?}", wanted.position);
            assert_eq!(found.lines, wanted.counts[3]);
            if with_results {
                let results = [found.results.wins, found.results.draws, found.results.losses];
                assert_eq!(results, wanted.counts[..3]);
            }
            let mut links: Vec<(Move, i32)> = found
                .moves
                .iter()
                .filter(|known| !known.leaves)
                .map(|known| (known.played, known.value.score.rounded()))
                .collect();
            let mut expected = wanted.links.clone();
            let number = |link: &(Move, i32)| edax_move(link.0);
            links.sort_by_key(number);
            expected.sort_by_key(number);
            assert_eq!(links, expected);
            let leaf: Vec<_> = found.moves.iter().filter(|known| known.leaves).collect();
            match wanted.leaf {
                None => assert!(leaf.is_empty()),
                Some((played, score)) => {
                    assert_eq!(leaf.len(), 1);
                    assert_eq!(leaf[0].value.score, Score::whole(score));
                    assert_eq!(leaf[0].value.depth, wanted.level);
                    // A symmetric position has several moves that are one.
                    let after = wanted.position.after(leaf[0].played).unwrap();
                    assert_eq!(form_of(after), form_of(wanted.position.after(played).unwrap()));
                }
            }
        }
    }

    #[test]
    fn books_of_both_programs_are_read_as_they_were_written_passes_included() {
        let mut rng = seeded(22);
        for _ in 0..20 {
            let plain = plain_book(&mut rng);
            check(&Foreign::Edax.parse(&edax_bytes(&plain, &mut rng)).unwrap(), &plain, true);
            let book = Foreign::Egaroucid.parse(&egaroucid_bytes(&plain, &mut rng)).unwrap();
            check(&book, &plain, false);
        }
    }

    #[test]
    fn what_is_written_reads_back_the_same() {
        let mut rng = seeded(23);
        for _ in 0..20 {
            let plain = plain_book(&mut rng);
            let edax = Foreign::Edax.parse(&edax_bytes(&plain, &mut rng)).unwrap();
            for (format, results) in [(Foreign::Edax, true), (Foreign::Egaroucid, false)] {
                let bytes = format.write(&edax);
                let again = format.parse(&bytes).unwrap();
                check(&again, &plain, results);
                assert_eq!(format.write(&again), bytes);
            }
        }
        for format in [Foreign::Edax, Foreign::Egaroucid] {
            let empty = format.write(&Book::new());
            assert_eq!(format.parse(&empty).unwrap().len(), 0);
        }
        assert_eq!(Foreign::Egaroucid.write(&Book::new()).len(), 14);
    }

    /// What the other programs ask of a book: canonical forms, links with targets, values that are
    /// the best of links and leaf.
    #[test]
    fn a_written_edax_book_is_consistent() {
        let mut rng = seeded(24);
        let mut book = Foreign::Edax.parse(&edax_bytes(&plain_book(&mut rng), &mut rng)).unwrap();
        // Fractions, and a position that nothing is known about.
        for (form, mut entry) in book.sorted_entries() {
            if let Some(alternative) = &mut entry.alternative {
                alternative.value.score = Score::from_hundredths(rng.random_range(-2500..2500));
                book.put(form, entry);
            }
        }
        let lonely: Board = format!("OX{} O", "-".repeat(62)).parse().unwrap();
        book.put(form_of(lonely.position), Entry::default());
        let bytes = Foreign::Edax.write(&book);
        let mut rest = &bytes[42..];
        let mut positions = HashMap::new();
        while !rest.is_empty() {
            let word = |at: usize| u64::from_le_bytes(rest[at..at + 8].try_into().unwrap());
            let position = Position::new(Bitboard(word(0)), Bitboard(word(8))).unwrap();
            assert_eq!(canonical(position).0, position);
            let value = i16::from_le_bytes([rest[32], rest[33]]);
            let links = rest[38] as usize;
            let pairs: Vec<(i8, u8)> =
                rest[40..42 + 2 * links].chunks(2).map(|pair| (pair[0] as i8, pair[1])).collect();
            positions.insert(position, (value, pairs));
            rest = &rest[42 + 2 * links..];
        }
        assert_eq!(positions.len(), book.len() - 1);
        for (position, (value, pairs)) in &positions {
            let (leaf, links) = pairs.split_last().unwrap();
            for (score, number) in links {
                let played = move_of_number(*number).unwrap().unwrap();
                let target = canonical(position.after(played).unwrap()).0;
                assert_eq!(i16::from(*score), -positions[&target].0);
            }
            let best = pairs.iter().map(|(score, _)| i16::from(*score)).max().unwrap();
            assert_eq!(*value, best, "{position:?}");
            assert!(leaf.1 < 65 || leaf.0 == -127);
        }
    }

    #[test]
    fn damaged_files_give_an_error_or_a_legal_book() {
        let mut rng = seeded(25);
        let plain = plain_book(&mut rng);
        for (format, bytes) in [
            (Foreign::Edax, edax_bytes(&plain, &mut rng)),
            (Foreign::Egaroucid, egaroucid_bytes(&plain, &mut rng)),
        ] {
            let (mut refused, mut read) = (0, 0);
            for at in 0..bytes.len() {
                for change in [1u8, 0x80, rng.random_range(1..=255)] {
                    let mut bad = bytes.clone();
                    bad[at] ^= change;
                    match format.parse(&bad) {
                        Err(_) => refused += 1,
                        Ok(book) => {
                            read += 1;
                            for (form, entry) in book.entries() {
                                assert_eq!(canonical(form).0, form);
                                if let Some(alternative) = entry.alternative {
                                    assert!(form.after(alternative.played).is_some());
                                }
                            }
                        }
                    }
                }
                assert!(format.parse(&bytes[..at]).is_err(), "cut at {at}");
            }
            assert!(refused > 100 && read > 100, "{refused} {read}");
        }
        let name = |bytes: &[u8]| Foreign::Edax.parse(bytes).err().unwrap().to_string();
        assert_eq!(name(b"EDAXBOOK"), "no Edax book");
    }

    #[test]
    fn merging_keeps_the_deeper_search_and_adds_the_games() {
        let mut rng = seeded(26);
        let plain = plain_book(&mut rng);
        let one = Foreign::Edax.parse(&edax_bytes(&plain, &mut rng)).unwrap();
        let deeper: Vec<Plain> =
            plain.iter().cloned().map(|p| Plain { level: p.level + 5, ..p }).collect();
        let mut both = Foreign::Edax.parse(&edax_bytes(&deeper[..20], &mut rng)).unwrap();
        let before = both.len();
        assert_eq!(merge(&mut both, &one), one.len() - before);
        assert_eq!(both.len(), one.len());
        for (index, wanted) in plain.iter().enumerate() {
            let (entry, _) = both.find(wanted.position).unwrap();
            let times = if index < 20 { 2 } else { 1 };
            assert_eq!(entry.results.wins, times * wanted.counts[0]);
            let extra = if index < 20 { 5 } else { 0 };
            assert_eq!(entry.searched.unwrap().depth, wanted.level + extra);
        }
    }
}
