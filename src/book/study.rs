//! Searching for the book: what a position is worth and the best move that leads out of the book.

use super::entry::{Alternative, Entry, Value};
use super::negamax::{leaves_book, value_of};
use super::store::Book;
use crate::othello::symmetry::canonical;
use crate::othello::{Bitboard, Move, Position};
use crate::search::{Limits, Method, Request, StopFlag};

/// A search as the book uses it.
pub struct Judge<'a> {
    /// Who searches.
    pub method: &'a mut dyn Method,
    /// How far.
    pub limits: Limits,
    /// Raised to end it.
    pub stop: &'a StopFlag,
}

/// What a search is asked: the best of these moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The position, in canonical form.
    pub form: Position,
    /// Moves of it, at least one; a pass stands alone.
    pub moves: Vec<Move>,
}

/// Whoever knows the best of some moves: a search, or somebody who has searched already.
pub(super) trait Answers {
    /// The best of these moves and its value; `None` if there will be no answer.
    fn best_of(&mut self, form: Position, moves: &[Move]) -> Option<Option<Alternative>>;

    /// The entry with its best move out of the book searched anew, and its value; `None` if there
    /// is no answer. A position without a search of its own is worth what is known now.
    fn with_alternative(&mut self, book: &Book, form: Position, entry: Entry) -> Option<Entry> {
        let alternative = self.best_of(form, &moves_left(book, form))?;
        let entry = Entry { alternative, ..entry };
        let value = value_of(book, form, &entry);
        Some(Entry { value, searched: entry.searched.or(value), ..entry })
    }
}

/// The moves of a position that lead out of what the book has a value for; a pass is no square.
pub(super) fn moves_left(book: &Book, form: Position) -> Vec<Move> {
    form.children().filter(|(_, child)| !book.values(*child)).map(|(played, _)| played).collect()
}

/// Whether the best move out of the book is to be searched: it is not known, or has come into it.
pub(super) fn lacks_alternative(book: &Book, form: Position, entry: &Entry) -> bool {
    let known = entry.alternative.is_some_and(|a| leaves_book(book, form, a.played));
    !known && !moves_left(book, form).is_empty()
}

impl Judge<'_> {
    /// The answer to a question; `None` if the search was stopped.
    pub fn answer(&mut self, question: &Question) -> Option<Option<Alternative>> {
        self.best_of(question.form, &question.moves)
    }
}

impl Answers for Judge<'_> {
    fn best_of(&mut self, form: Position, moves: &[Move]) -> Option<Option<Alternative>> {
        if moves.is_empty() {
            return Some(None);
        }
        let only: Bitboard = moves.iter().filter_map(|played| played.square()).collect();
        let only = (!only.is_empty()).then_some(only);
        let request = Request { only, ..Request::new(form, self.limits) };
        let outcome = self.method.search(&request, self.stop, &mut |_| {});
        if self.stop.is_stopped() {
            return None;
        }
        let line = outcome.lines.first()?;
        let played = *line.pv.first()?;
        Some(Some(Alternative { played, value: Value::of_line(line, outcome.depth) }))
    }
}

/// The canonical form.
pub(super) fn form_of(position: Position) -> Position {
    canonical(position).0
}
