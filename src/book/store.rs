//! The book itself: records in a sorted block, usually a mapped file, and what changed since.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::entry::{Entry, RECORD, key_of};
use super::{BookMove, Lookup};
use crate::othello::symmetry::{Symmetry, canonical};
use crate::othello::{Move, Position};
use crate::record::History;

/// The block of sorted records a book began with.
pub(super) trait Block: Send + Sync {
    /// Its records, one after the other.
    fn records(&self) -> &[u8];
}

impl Block for Vec<u8> {
    fn records(&self) -> &[u8] {
        self
    }
}

/// A game that was learnt, as it is listed and taken back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearntGame {
    /// Its number in this book.
    pub number: u32,
    /// Where it came from: `NBoard`, `play`, a file, …
    pub source: String,
    /// When it was learnt, seconds since 1970.
    pub learnt_at: u64,
    /// Start and moves.
    pub history: History,
    /// Final disc difference from Black's view, if the game was played out or scored.
    pub result: Option<i32>,
    /// How many of its positions, from the last, are in the book with their values.
    pub done: usize,
    /// The first ply that was not needed: the value there was already the game's result.
    pub end: Option<usize>,
}

/// What may happen to a book; each is absolute, so that doing it twice is doing it once.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A position, in canonical form, has this entry.
    Put(Position, Entry),
    /// A position, in canonical form, is not in the book.
    Remove(Position),
    /// A learnt game stands so.
    Game(Box<LearntGame>),
    /// The learnt game of this number is taken back.
    Forget(u32),
}

/// Positions with their values and the games that were learnt.
#[derive(Default)]
pub struct Book {
    base: Option<Box<dyn Block>>,
    changed: HashMap<Position, Option<Entry>>,
    games: BTreeMap<u32, LearntGame>,
    count: usize,
}

impl Book {
    /// A book without positions.
    pub fn new() -> Book {
        Book::default()
    }

    /// A book over sorted, checked records.
    pub(super) fn of_block(base: Box<dyn Block>, games: BTreeMap<u32, LearntGame>) -> Book {
        let count = base.records().len() / RECORD;
        Book { base: Some(base), changed: HashMap::new(), games, count }
    }

    /// How many positions it holds.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The learnt games by number.
    pub fn games(&self) -> &BTreeMap<u32, LearntGame> {
        &self.games
    }

    /// The entry of a position in canonical form.
    pub fn entry(&self, form: Position) -> Option<Entry> {
        match self.changed.get(&form) {
            Some(changed) => *changed,
            None => self.base_entry(form),
        }
    }

    /// The entry of a position in any orientation, and the symmetry that leads to its form.
    pub fn find(&self, position: Position) -> Option<(Entry, Symmetry)> {
        let (form, symmetry) = canonical(position);
        self.entry(form).map(|entry| (entry, symmetry))
    }

    /// Whether a position is in the book.
    pub fn contains(&self, position: Position) -> bool {
        self.find(position).is_some()
    }

    /// Whether the book knows what a position is worth. One that is only counted says nothing about
    /// the move that leads to it.
    pub fn values(&self, position: Position) -> bool {
        self.find(position).is_some_and(|(entry, _)| entry.value.is_some())
    }

    fn base_entry(&self, form: Position) -> Option<Entry> {
        let (records, _) = self.base.as_ref()?.records().as_chunks::<RECORD>();
        let key = (form.mover().0, form.opponent().0);
        let index = records.binary_search_by_key(&key, key_of).ok()?;
        Entry::of_record(&records[index]).ok().map(|(_, entry)| entry)
    }

    /// Every position with its entry, in no particular order.
    pub fn entries(&self) -> impl Iterator<Item = (Position, Entry)> + '_ {
        let records = self.base.as_ref().map_or(&[][..], |base| base.records());
        let old = records
            .as_chunks::<RECORD>()
            .0
            .iter()
            .filter_map(|record| Entry::of_record(record).ok())
            .filter(|(position, _)| !self.changed.contains_key(position));
        old.chain(self.changed.iter().filter_map(|(form, entry)| entry.map(|e| (*form, e))))
    }

    /// Every position with its entry, sorted.
    pub fn sorted_entries(&self) -> Vec<(Position, Entry)> {
        let mut entries: Vec<_> = self.entries().collect();
        entries.sort_unstable_by_key(|(position, _)| *position);
        entries
    }

    /// How many positions differ from the block the book began with.
    pub fn changed_positions(&self) -> usize {
        self.changed.len()
    }

    /// Makes one change.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::Put(form, entry) => self.put(*form, *entry),
            Change::Remove(form) => self.remove(*form),
            Change::Game(game) => {
                self.games.insert(game.number, (**game).clone());
            }
            Change::Forget(number) => {
                self.games.remove(number);
            }
        }
    }

    /// Sets the entry of a position in canonical form.
    pub fn put(&mut self, form: Position, entry: Entry) {
        debug_assert_eq!(canonical(form).0, form);
        if self.entry(form).is_none() {
            self.count += 1;
        }
        self.changed.insert(form, Some(entry));
    }

    fn remove(&mut self, form: Position) {
        if self.entry(form).is_some() {
            self.count -= 1;
            self.changed.insert(form, None);
        }
    }

    /// What the book says about a position: its value, the moves it knows with theirs, best first,
    /// and the results of games. `None` if the position is not in the book.
    pub fn lookup(&self, position: Position) -> Option<Lookup> {
        let (entry, symmetry) = self.find(position)?;
        let mut moves: Vec<BookMove> = position
            .children()
            .filter_map(|(played, child)| {
                let (child, _) = self.find(child)?;
                let value = child.value?.one_ply_up();
                let games = child.results.games();
                Some(BookMove { played, value, games, leaves: false })
            })
            .collect();
        if let Some(alternative) = entry.alternative {
            let played = turned(alternative.played, symmetry.inverse());
            let legal = position.after(played).is_some();
            if legal && moves.iter().all(|known| known.played != played) {
                let value = alternative.value;
                moves.push(BookMove { played, value, games: 0, leaves: true });
            }
        }
        moves.sort_by_key(|known| std::cmp::Reverse(known.value.rank()));
        let Entry { value, searched, results, lines, learnt, .. } = entry;
        Some(Lookup { value, searched, results, lines, learnt, moves })
    }
}

/// A move as it looks after the board was turned.
pub(super) fn turned(played: Move, symmetry: Symmetry) -> Move {
    match played {
        Move::Place(square) => Move::Place(symmetry.apply_square(square)),
        Move::Pass => Move::Pass,
    }
}
