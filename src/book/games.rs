//! Games of any record format as material for a book: which positions were frequent and how they
//! ended, and lines that carry a score.

use std::collections::HashMap;

use super::entry::{Entry, Results, Value};
use super::store::{Book, Change};
use super::study::form_of;
use crate::othello::{Color, Position};
use crate::record::{GameRecord, Margin};
use crate::score::Score;

/// Positions of many games, counted.
#[derive(Default)]
pub struct Tally {
    counts: HashMap<Position, Results>,
    values: Vec<(Position, Value)>,
    games: u64,
}

/// The final disc difference of a game from Black's view, if it is known: as recorded, or by a
/// board on which nobody can move.
pub(super) fn result_for_black(record: &GameRecord) -> Option<i32> {
    match record.result_or_score()?.margin {
        Margin::Discs(discs) => Some(discs.round() as i32),
        Margin::WonBy(Color::Black) => Some(1),
        Margin::WonBy(Color::White) => Some(-1),
    }
}

impl Tally {
    /// Counts the first `plies` positions of a game. Games without a known result count only their
    /// last position's value, if they carry one.
    pub fn add(&mut self, record: &GameRecord, plies: usize) {
        self.games += 1;
        let boards = record.history.boards();
        if let Some(result) = result_for_black(record) {
            let mut last = None;
            for board in boards.iter().take(plies + 1) {
                let form = form_of(board.position);
                // Positions that are symmetric to the one before are still two.
                if last.replace(form) != Some(form) {
                    self.counts.entry(form).or_default().add(result * board.turn.sign());
                }
            }
        }
        let (Some(score), Some(board)) = (record.value, boards.last()) else { return };
        let value = Value { score, depth: 0, confidence: 0 };
        self.values.push((form_of(board.position), value));
        for board in boards {
            self.counts.entry(form_of(board.position)).or_default();
        }
    }

    /// Games counted.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// What makes a book hold every position of at least so many games, its results added to those
    /// it had, and every line that carries a score.
    pub fn changes(&self, book: &Book, least_games: u32) -> Vec<Change> {
        let scored: HashMap<Position, Value> = self.values.iter().copied().collect();
        let mut changes: Vec<Change> = self
            .counts
            .iter()
            .filter(|(_, results)| results.games() >= least_games || results.games() == 0)
            .map(|(&form, results)| {
                let mut entry = book.entry(form).unwrap_or_default();
                let old = entry.results;
                entry.results = Results {
                    wins: old.wins.saturating_add(results.wins),
                    draws: old.draws.saturating_add(results.draws),
                    losses: old.losses.saturating_add(results.losses),
                };
                if let Some(value) = scored.get(&form) {
                    entry = Entry { searched: entry.searched.or(Some(*value)), ..entry };
                }
                Change::Put(form, entry)
            })
            .collect();
        changes.sort_unstable_by_key(|change| match change {
            Change::Put(form, _) | Change::Remove(form) => Some(*form),
            _ => None,
        });
        changes
    }
}

/// A line of a transcript with a score behind it, from Black's view: `f5d6c3 +2.5`, or as
/// Logistello wrote them, `+f5-d6+c3: +04 10`. `None` if it is neither.
pub fn scored_line(line: &str) -> Option<GameRecord> {
    let line = line.trim();
    let (moves, rest) = match line.split_once(':') {
        Some(parts) => parts,
        None => line.split_once(char::is_whitespace)?,
    };
    let moves: String = moves.chars().filter(char::is_ascii_alphanumeric).collect();
    let history = crate::record::transcript::parse(&moves).ok()?;
    let discs: f64 = rest.split_whitespace().next()?.parse().ok()?;
    let score = Score::from_discs(discs * f64::from(history.board().turn.sign()));
    (discs.abs() <= 64.0).then(|| GameRecord { value: Some(score), ..GameRecord::of(history) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{GameResult, transcript};

    fn game(moves: &str, result: i32) -> GameRecord {
        let history = transcript::parse(moves).unwrap();
        GameRecord { result: Some(GameResult::scored(result)), ..GameRecord::of(history) }
    }

    #[test]
    fn frequent_positions_are_counted_from_their_movers_view() {
        let mut tally = Tally::default();
        // One opening in two orientations, and another.
        tally.add(&game("f5d6c3", 10), 60);
        tally.add(&game("d3c5f6", -4), 60);
        tally.add(&game("f5f6e6", 0), 60);
        let mut book = Book::new();
        tally.changes(&book, 2).iter().for_each(|change| book.apply(change));
        let results = |moves: &str| {
            let history = transcript::parse(moves).unwrap();
            book.find(history.board().position).map(|(entry, _)| entry.results)
        };
        let start = book.find(Position::START).unwrap().0.results;
        assert_eq!(start, Results { wins: 1, draws: 1, losses: 1 });
        assert_eq!(results("f5"), Some(Results { wins: 1, draws: 1, losses: 1 }));
        assert_eq!(results("c4e3f6"), Some(Results { wins: 1, draws: 0, losses: 1 }));
        assert_eq!(results("f5f6"), None);
        assert_eq!(book.len(), 4);
        let again = tally.changes(&book, 2);
        let Change::Put(_, entry) = again[0].clone() else { panic!() };
        assert!(entry.results.games() >= 4);
    }

    #[test]
    fn scored_lines_are_read_in_both_forms() {
        let plain = scored_line("f5d6c3 +2.5").unwrap();
        assert_eq!(plain.history.moves().len(), 3);
        assert_eq!(plain.value, Some(Score::from_discs(-2.5)));
        let old = scored_line("+f5-d6+c3-d3: +04 10").unwrap();
        assert_eq!(old.value, Some(Score::whole(4)));
        for bad in ["", "f5d6c3", "f5d6c3 x", "f5a1 3", "f5 99"] {
            assert!(scored_line(bad).is_none(), "{bad}");
        }
        let mut tally = Tally::default();
        tally.add(&plain, 60);
        let mut book = Book::new();
        tally.changes(&book, 1).iter().for_each(|change| book.apply(change));
        super::super::negamax::negamax(&mut book);
        assert_eq!(book.len(), 4);
        let start = book.lookup(Position::START).unwrap();
        assert_eq!(start.value.map(|value| value.score), Some(Score::from_discs(2.5)));
    }
}
