//! Values carried back: a position is worth the best of its moves, those in the book by the value
//! of the position they lead to, and one that leads out of it by its own search.
//!
//! Every move adds a disc, a pass hands the same discs over; so going through the positions from
//! the fullest board to the emptiest, and through those that pass after those that do not, sees
//! every position after all that follow it, whatever the transpositions.

use std::collections::HashMap;

use super::entry::{Entry, Value};
use super::store::{Book, Change};
use super::study::form_of;
use crate::othello::{Move, Position};
use crate::score::Score;

/// The value of a position from the values of what follows it in the book.
pub(super) fn value_of(book: &Book, form: Position, entry: &Entry) -> Option<Value> {
    value_by(form, entry, |child| book.find(child)?.0.value)
}

/// The same with another way to find the value of what follows.
fn value_by(
    form: Position,
    entry: &Entry,
    find: impl Fn(Position) -> Option<Value>,
) -> Option<Value> {
    if form.is_over() {
        return Some(Value::exact(Score::whole(form.final_score())));
    }
    let children = form.children().filter_map(|(_, child)| find(child));
    let leaves = |played| form.after(played).is_some_and(|child| find(child).is_none());
    let leaving = entry.alternative.filter(|a| leaves(a.played)).map(|a| a.value);
    let known = children.map(Value::one_ply_up).chain(leaving).max_by_key(|value| value.rank());
    known.or(entry.searched)
}

/// Whether a move leads out of what the book has a value for; one that did so once need not any
/// more.
pub(super) fn leaves_book(book: &Book, form: Position, played: Move) -> bool {
    form.after(played).is_some_and(|child| !book.values(child))
}

/// The positions whose value is not that of what follows them, with the right one.
pub(super) fn negamax_changes(book: &Book) -> Vec<Change> {
    let mut order: Vec<(u32, bool, Position)> = book
        .entries()
        .map(|(form, _)| (form.empty_count(), !form.has_move() && !form.is_over(), form))
        .collect();
    order.sort_unstable();
    let mut right: HashMap<Position, Option<Value>> = HashMap::new();
    let mut changes = Vec::new();
    for (_, _, form) in order {
        let Some(entry) = book.entry(form) else { continue };
        let value = value_by(form, &entry, |child| {
            let child = form_of(child);
            let old = book.entry(child)?.value;
            right.get(&child).copied().unwrap_or(old)
        });
        if value != entry.value {
            right.insert(form, value);
            changes.push(Change::Put(form, Entry { value, ..entry }));
        }
    }
    changes
}

/// Makes every value that of what follows its position; gives what changed.
pub fn negamax(book: &mut Book) -> Vec<Change> {
    let changes = negamax_changes(book);
    changes.iter().for_each(|change| book.apply(change));
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::entry::{Alternative, Results};
    use crate::othello::symmetry::canonical;
    use crate::random::{Random, seeded};
    use rand::Rng;

    /// Random positions near the start, joined by many transpositions.
    pub(in crate::book) fn random_book(rng: &mut Random, walks: usize, plies: usize) -> Book {
        let mut book = Book::new();
        for _ in 0..walks {
            let mut position = Position::START;
            for _ in 0..plies {
                let children: Vec<_> = position.children().collect();
                let Some(&(_, next)) = children.get(rng.random_range(0..children.len().max(1)))
                else {
                    break;
                };
                let form = canonical(position).0;
                let mut estimate = || Value {
                    score: Score::from_hundredths(rng.random_range(-1000..=1000)),
                    depth: 8,
                    confidence: 0,
                };
                let left = form.children().find(|(_, child)| !book.contains(*child));
                let alternative = left.map(|(played, _)| Alternative { played, value: estimate() });
                let searched = Some(estimate());
                let entry = Entry { searched, alternative, ..Entry::default() };
                book.put(form, Entry { results: Results::default(), ..entry });
                position = next;
            }
        }
        book
    }

    /// By the definition: the whole tree below, again and again.
    fn slow(book: &Book, position: Position) -> Option<Value> {
        let (entry, _) = book.find(position)?;
        if position.is_over() {
            return Some(Value::exact(Score::whole(position.final_score())));
        }
        let leaving = entry.alternative.filter(|alternative| {
            let (form, _) = canonical(position);
            slow(book, form.after(alternative.played).unwrap()).is_none()
        });
        let mut best: Option<Value> = leaving.map(|alternative| alternative.value);
        for (_, child) in position.children() {
            if let Some(value) = slow(book, child).map(Value::one_ply_up)
                && best.is_none_or(|best| value.rank() >= best.rank())
            {
                best = Some(value);
            }
        }
        best.or(entry.searched)
    }

    #[test]
    fn values_agree_with_the_definition_through_all_transpositions() {
        let mut rng = seeded(22);
        let mut book = random_book(&mut rng, 60, 9);
        let changes = negamax(&mut book);
        assert!(changes.len() > 100);
        for (position, entry) in book.entries() {
            let wanted = slow(&book, position).unwrap();
            assert_eq!(entry.value.map(Value::rank), Some(wanted.rank()), "{position:?}");
        }
        assert_eq!(negamax(&mut book), []);
    }
}
