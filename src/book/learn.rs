//! Learning from games (M. Buro, "Toward Opening Book Learning", 1999).
//!
//! Every position of a game comes into the book with the best move that was not played, and the
//! values are carried back: the value of a lost game stands at its end, and at the first position
//! above it where another move is better, that move is the book's from now on. So a loss is avoided
//! at the move that lost it and nowhere else.
//!
//! A game is taken in from its end to its start, one search and one batch of the journal at a time,
//! so that the work can be put off at any moment. It need not be taken in to its last move: where
//! the rest is solved and the result was what perfect play gives, the exact value says it all.
//!
//! A game can be taken back: its results are subtracted, and positions that only it brought in leave
//! the book.

use std::collections::{HashMap, HashSet};

use thiserror::Error;

use super::entry::{Alternative, Entry, Value};
use super::error::BookError;
use super::file::BookFile;
use super::games::result_for_black;
use super::grow::added;
use super::negamax::{leaves_book, value_of};
use super::store::{Book, Change, LearntGame, turned};
use super::study::{Answers, Judge, form_of, lacks_alternative};
use crate::othello::Position;
use crate::othello::symmetry::canonical;
use crate::record::GameRecord;

/// No learnt game has this number.
#[derive(Debug, Error)]
#[error("there is no learnt game {0}")]
pub struct UnknownGame(pub u32);

/// Lists a game as learnt, safely on disk; its positions follow by [`step`]. Gives its number.
///
/// # Errors
/// If the book cannot be written.
pub fn enter(
    file: &mut BookFile,
    record: &GameRecord,
    source: &str,
    learnt_at: u64,
) -> Result<u32, BookError> {
    let number = file.book().games().last_key_value().map_or(1, |(last, _)| last + 1);
    let game = LearntGame {
        number,
        source: source.to_owned(),
        learnt_at,
        history: record.history.clone(),
        result: result_for_black(record),
        done: 0,
        end: None,
    };
    file.commit(&[Change::Game(Box::new(game))])?;
    file.sync()?;
    Ok(number)
}

impl LearntGame {
    /// Whether all of it is in the book.
    pub fn is_done(&self) -> bool {
        self.end.is_some_and(|end| self.done > end)
    }

    /// Positions that have been taken in, in canonical form.
    fn forms(&self) -> impl Iterator<Item = Position> + '_ {
        let end = self.end.map_or(0, |end| end + 1);
        self.history.boards()[end - self.done.min(end)..end]
            .iter()
            .map(|board| form_of(board.position))
    }
}

/// The first game that is not all in the book.
pub fn unfinished(book: &Book) -> Option<&LearntGame> {
    book.games().values().find(|game| !game.is_done())
}

/// Takes one more position of a game in: the changes it makes, or `None` if the search was stopped.
/// Positions with at most `exact_from` empty squares are those that the judge solves.
pub fn step(
    book: &Book,
    game: &LearntGame,
    judge: &mut Judge<'_>,
    exact_from: u32,
) -> Option<Vec<Change>> {
    let Some(end) = game.end else {
        let end = Some(last_needed(game, judge, exact_from)?);
        return Some(vec![Change::Game(Box::new(LearntGame { end, ..game.clone() }))]);
    };
    let ply = end.checked_sub(game.done)?;
    let board = game.history.boards()[ply];
    let form = form_of(board.position);
    let mut entry = match book.entry(form) {
        Some(entry) if lacks_alternative(book, form, &entry) => {
            judge.with_alternative(book, form, entry)?
        }
        Some(entry) => entry,
        None => {
            let searched = expected(book, game, ply);
            Entry { learnt: true, ..added(book, form, searched, judge)? }
        }
    };
    if let Some(result) = game.result {
        entry.results.add(result * board.turn.sign());
    }
    entry.value = value_of(book, form, &entry);
    let game = LearntGame { done: game.done + 1, ..game.clone() };
    Some(vec![Change::Put(form, entry), Change::Game(Box::new(game))])
}

/// The ply from which on the game is no news: the value there is exact and was its result.
fn last_needed(game: &LearntGame, judge: &mut Judge<'_>, exact_from: u32) -> Option<usize> {
    let boards = game.history.boards();
    let last = boards.len() - 1;
    let Some(result) = game.result.filter(|_| boards[last].position.is_over()) else {
        return Some(last);
    };
    for (ply, board) in boards.iter().enumerate().take(last) {
        if board.position.empty_count() > exact_from {
            continue;
        }
        let all: Vec<_> = board.position.children().map(|(played, _)| played).collect();
        let best = judge.best_of(board.position, &all)?;
        let value = best.map(|best| best.value).filter(|value| value.is_exact());
        if value.is_some_and(|value| value.score.rounded() * board.turn.sign() == result) {
            return Some(ply);
        }
    }
    Some(last)
}

/// What the position before expected of the move that was played, if that was its best out of the
/// book: the value this position has as long as nothing else is known.
fn expected(book: &Book, game: &LearntGame, ply: usize) -> Option<Value> {
    let before = game.history.boards()[ply.checked_sub(1)?].position;
    let (form, symmetry) = canonical(before);
    let played = turned(game.history.moves()[ply - 1], symmetry);
    let alternative = book.entry(form)?.alternative.filter(|a| a.played == played)?;
    leaves_book(book, form, played).then(|| alternative.value.one_ply_down())
}

/// The changes that take a game back. Values are carried back afterwards
/// ([`BookFile::negamax`]).
///
/// # Errors
/// If there is no such game.
pub fn take_back(book: &Book, number: u32) -> Result<Vec<Change>, UnknownGame> {
    let game = book.games().get(&number).ok_or(UnknownGame(number))?;
    let others: HashSet<Position> = book
        .games()
        .values()
        .filter(|other| other.number != number)
        .flat_map(LearntGame::forms)
        .collect();
    let mut changed: HashMap<Position, Option<Entry>> = HashMap::new();
    let first = game.end.map_or(0, |end| end + 1) - game.forms().count();
    for (form, board) in game.forms().zip(&game.history.boards()[first..]) {
        let Some(mut entry) = book.entry(form) else { continue };
        if let Some(result) = game.result {
            entry.results.subtract(result * board.turn.sign());
        }
        changed.insert(form, (!entry.learnt || others.contains(&form)).then_some(entry));
    }
    for ply in (first..first + game.forms().count()).filter(|ply| *ply > 0) {
        let form = form_of(game.history.boards()[ply].position);
        let gone = changed.get(&form).is_some_and(Option::is_none);
        let searched = book.entry(form).and_then(|entry| entry.searched);
        let (before, symmetry) = canonical(game.history.boards()[ply - 1].position);
        let known = changed.get(&before).copied().unwrap_or_else(|| book.entry(before));
        let (true, Some(searched), Some(entry)) = (gone, searched, known) else { continue };
        let played = turned(game.history.moves()[ply - 1], symmetry);
        let again = Alternative { played, value: searched.one_ply_up() };
        let kept = entry.alternative.filter(|a| leaves_book(book, before, a.played));
        let alternative = match kept {
            Some(kept) if kept.value.rank() > again.value.rank() => kept,
            _ => again,
        };
        changed.insert(before, Some(Entry { alternative: Some(alternative), ..entry }));
    }
    let changes = changed.into_iter().map(|(form, entry)| match entry {
        Some(entry) => Change::Put(form, entry),
        None => Change::Remove(form),
    });
    Ok(changes.chain([Change::Forget(number)]).collect())
}

/// Learns every game that waits, to its start, and carries the values back; fewer if stopped.
///
/// # Errors
/// If the book cannot be written.
pub fn learn_all(
    file: &mut BookFile,
    judge: &mut Judge<'_>,
    exact_from: u32,
    progress: &mut dyn FnMut(&LearntGame),
) -> Result<(), BookError> {
    let mut learnt = false;
    while let Some(game) = unfinished(file.book()).cloned() {
        let Some(changes) = step(file.book(), &game, judge, exact_from) else { break };
        file.commit(&changes)?;
        learnt = true;
        progress(&game);
    }
    if learnt {
        file.negamax()?;
    }
    file.sync()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::choice::{Rules, choose};
    use crate::book::grow::wrong_values;
    use crate::book::testing::{TempBook, judge_options};
    use crate::othello::{Color, Move};
    use crate::record::{Board, History};
    use crate::search::{Limits, Method, Request, StopFlag, build};

    const EXACT_FROM: u32 = 8;

    struct Table {
        method: Box<dyn Method>,
        stop: StopFlag,
    }

    impl Table {
        fn new() -> Table {
            Table { method: build(&judge_options(EXACT_FROM)).unwrap(), stop: StopFlag::new() }
        }

        fn judge(&mut self, depth: u32) -> Judge<'_> {
            self.method.clear();
            Judge { method: self.method.as_mut(), limits: Limits::depth(depth), stop: &self.stop }
        }

        fn best(&mut self, position: Position, depth: u32) -> Move {
            self.method.clear();
            let request = Request::new(position, Limits::depth(depth));
            let outcome = self.method.search(&request, &self.stop, &mut |_| {});
            outcome.best_move().unwrap()
        }

        /// Black looks one ply ahead but plays from the book; White looks two and is a machine.
        fn play(&mut self, book: &Book) -> GameRecord {
            let rules = Rules { margin: 0.0, least_depth: 0, seed: 1 };
            let mut history = History::default();
            while !history.is_over() {
                let Board { position, turn } = history.board();
                let known = choose(book, position, &rules).filter(|_| turn == Color::Black);
                let depth = if turn == Color::Black { 1 } else { 2 };
                let played = known.map_or_else(|| self.best(position, depth), |known| known.played);
                history.play(played).unwrap();
            }
            GameRecord::of(history)
        }
    }

    fn learn(file: &mut BookFile, table: &mut Table, game: &GameRecord) -> u32 {
        let number = enter(file, game, "test", 0).unwrap();
        while let Some(game) = unfinished(file.book()).cloned() {
            let changes = step(file.book(), &game, &mut table.judge(3), EXACT_FROM).unwrap();
            file.commit(&changes).unwrap();
        }
        file.negamax().unwrap();
        number
    }

    #[test]
    fn a_lost_game_is_never_played_twice() {
        let mut table = Table::new();
        let temp = TempBook::new("twice");
        let mut file = BookFile::create(&temp.path, &Book::new()).unwrap();
        let first = table.play(file.book());
        assert_eq!(table.play(file.book()).history, first.history);
        let mut lost: Vec<History> = Vec::new();
        let mut won = 0;
        for number in 0..25 {
            let game = table.play(file.book());
            if result_for_black(&game).unwrap() < 0 {
                assert!(!lost.contains(&game.history), "game {number} again");
                lost.push(game.history.clone());
            } else {
                won += 1;
            }
            learn(&mut file, &mut table, &game);
            assert_eq!(wrong_values(file.book()), 0);
        }
        assert!(!lost.is_empty() && won > 0, "{} lost, {won} not", lost.len());
    }

    #[test]
    fn games_are_taken_back_without_a_trace() {
        let mut table = Table::new();
        let temp = TempBook::new("back");
        let mut file = BookFile::create(&temp.path, &Book::new()).unwrap();
        let mut numbers = Vec::new();
        let mut states = vec![(file.book().sorted_entries(), file.book().len())];
        for _ in 0..4 {
            let game = table.play(file.book());
            numbers.push(learn(&mut file, &mut table, &game));
            states.push((file.book().sorted_entries(), file.book().len()));
        }
        assert_eq!(file.book().games().len(), 4);
        assert!(take_back(file.book(), 99).is_err());
        // The last first: each state comes back.
        for (number, (entries, count)) in numbers.iter().zip(&states).rev() {
            let changes = take_back(file.book(), *number).unwrap();
            file.commit(&changes).unwrap();
            file.negamax().unwrap();
            assert_eq!(file.book().len(), *count);
            let now = file.book().sorted_entries();
            let results = |list: &[(Position, Entry)]| -> Vec<_> {
                list.iter().map(|(form, entry)| (*form, entry.results, entry.learnt)).collect()
            };
            assert_eq!(results(&now), results(entries));
        }
        assert!(file.book().is_empty() && file.book().games().is_empty());
    }

    #[test]
    fn a_game_in_the_middle_can_be_taken_back_and_the_others_stay() {
        let mut table = Table::new();
        let temp = TempBook::new("middle");
        let mut file = BookFile::create(&temp.path, &Book::new()).unwrap();
        let games: Vec<GameRecord> = (0..3)
            .map(|_| {
                let game = table.play(file.book());
                learn(&mut file, &mut table, &game);
                game
            })
            .collect();
        let changes = take_back(file.book(), 2).unwrap();
        file.commit(&changes).unwrap();
        file.negamax().unwrap();
        assert_eq!(wrong_values(file.book()), 0);
        assert_eq!(file.book().find(Position::START).unwrap().0.results.games(), 2);
        for game in [&games[0], &games[2]] {
            let learnt = file.book().games().values().find(|g| g.history == game.history).unwrap();
            assert!(learnt.is_done());
            assert!(learnt.forms().all(|form| file.book().entry(form).is_some()));
        }
        let kept: HashSet<Position> =
            file.book().games().values().flat_map(LearntGame::forms).collect();
        assert!(file.book().entries().all(|(form, _)| kept.contains(&form)));
    }

    #[test]
    fn a_stopped_search_changes_nothing_and_the_rest_is_learnt_later() {
        let mut table = Table::new();
        let temp = TempBook::new("stopped");
        let mut file = BookFile::create(&temp.path, &Book::new()).unwrap();
        let game = table.play(file.book());
        enter(&mut file, &game, "test", 0).unwrap();
        table.stop.stop();
        let waiting = unfinished(file.book()).unwrap().clone();
        assert!(step(file.book(), &waiting, &mut table.judge(3), EXACT_FROM).is_none());
        table.stop.reset();
        drop(file);
        let mut file = BookFile::open(&temp.path).unwrap();
        let stop = StopFlag::new();
        let mut judge =
            Judge { method: table.method.as_mut(), limits: Limits::depth(3), stop: &stop };
        learn_all(&mut file, &mut judge, EXACT_FROM, &mut |_| {}).unwrap();
        assert!(unfinished(file.book()).is_none());
        assert!(file.book().len() > 30);
    }
}
