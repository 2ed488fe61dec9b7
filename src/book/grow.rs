//! Making a book larger and better by search.
//!
//! The way to a position costs what its moves give away against the best, both sides together, and
//! a little for every ply. The cheapest thing to do is done next, so the book grows where good play
//! leads (drop-out expansion: M. Buro, "Toward Opening Book Learning", 1999; the cost per ply after
//! T. Lincke, "Strategies for the Automatic Construction of Opening Books", 2001):
//!
//! - *value*: search the best move out of the book where it is missing, or was searched less deep;
//! - *extend*: take that move into the book, if it gives away little enough;
//! - *join*: take in a position that lies between two of the book.
//!
//! Every step is one batch of the journal. What to do next is read off the book itself, so work
//! that was interrupted goes on where it stood.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::entry::{Alternative, Entry, Value};
use super::error::BookError;
use super::file::BookFile;
use super::negamax::{leaves_book, value_of};
use super::store::{Book, Change};
use super::study::{Answers, Judge, Question, form_of, lacks_alternative, moves_left};
use crate::othello::{Move, Position};
use crate::score::Score;

/// How far a book may grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// Discs that one move may give away against the best.
    pub move_error: f64,
    /// Discs that all moves on the way to a position may give away together.
    pub line_error: f64,
    /// Least number of empty squares of a position that is taken in.
    pub least_empties: u32,
    /// Values from shallower searches are searched again.
    pub depth: u8,
    /// Discs that a ply counts for.
    pub ply_cost: f64,
    /// Whether to join transpositions.
    pub fill: bool,
}

/// Jobs that are planned at once: values are carried back after as many.
pub const BATCH: usize = 48;
/// What a position that no good play leads to waits behind, discs.
const OFF_THE_WAY: f64 = 1000.0;

/// One thing to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Job {
    /// Search this position's best move out of the book.
    Value(Position),
    /// Take in what the best move out of the book leads to.
    Extend(Position),
    /// Take in this position.
    Join(Position),
}

/// What was done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Positions that were valued or valued anew.
    pub valued: u64,
    /// Positions that were taken in.
    pub added: u64,
    /// Positions in the book.
    pub positions: usize,
    /// Things that are left to do within the bounds, as far as can be seen now.
    pub waiting: usize,
}

/// Hundredths of a disc, so that costs can be ordered.
fn cents(discs: f64) -> i64 {
    (discs * 100.0).round() as i64
}

/// What the cheapest way to each position costs that is reached within the bounds, hundredths of a
/// disc.
fn reached(book: &Book, growth: &Growth) -> HashMap<Position, i64> {
    let mut costs: HashMap<Position, i64> = HashMap::new();
    let mut open = BinaryHeap::from([(Reverse(0), form_of(Position::START))]);
    while let Some((Reverse(cost), form)) = open.pop() {
        let Some(entry) = book.entry(form).filter(|_| !costs.contains_key(&form)) else { continue };
        costs.insert(form, cost);
        let Some(best) = entry.value else { continue };
        for (_, child) in form.children() {
            let Some((found, _)) = book.find(child) else { continue };
            let error = found.value.map_or(0, |value| given_away(best, value.one_ply_up()));
            if within(growth, cost, error) {
                open.push((Reverse(cost + error), form_of(child)));
            }
        }
    }
    costs
}

/// What is to be done within the bounds, the cheapest first.
pub fn plan(book: &Book, growth: &Growth) -> Vec<Job> {
    if book.find(Position::START).is_none() {
        return vec![Job::Join(form_of(Position::START))];
    }
    let costs = reached(book, growth);
    let mut jobs: Vec<(i64, Job)> = Vec::new();
    for (form, entry) in book.entries().filter(|(form, _)| !form.is_over()) {
        let ply = i64::from(60u32.saturating_sub(form.empty_count())) * cents(growth.ply_cost);
        match costs.get(&form) {
            Some(&cost) => add_jobs(book, growth, form, &entry, (cost, ply), &mut jobs),
            None if entry.value.is_none() => {
                jobs.push((cents(OFF_THE_WAY) + ply, Job::Value(form)));
            }
            None => {}
        }
    }
    jobs.sort_by_key(|(cost, job)| {
        let (new, form) = match *job {
            Job::Value(form) => (false, form),
            Job::Extend(form) | Job::Join(form) => (true, form),
        };
        (*cost, new, form)
    });
    jobs.into_iter().map(|(_, job)| job).collect()
}

/// Removes every position that is not reached within the bounds, or has too few empty squares, and
/// carries the values back; how many.
pub fn prune(book: &mut Book, move_error: f64, line_error: f64, least_empties: u32) -> usize {
    let growth =
        Growth { move_error, line_error, least_empties, depth: 0, ply_cost: 0.0, fill: false };
    let kept = reached(book, &growth);
    let (stay, gone): (Vec<_>, Vec<_>) = book
        .sorted_entries()
        .into_iter()
        .partition(|(form, _)| kept.contains_key(form) && form.empty_count() >= least_empties);
    let values: HashMap<Position, Option<Value>> =
        gone.iter().map(|(form, entry)| (*form, entry.value)).collect();
    for (form, entry) in stay {
        // What leads to a removed position leads out of the book again, by the value it had.
        let again = form.children().filter_map(|(played, child)| {
            let value = (*values.get(&form_of(child))?)?.one_ply_up();
            Some(Alternative { played, value })
        });
        let old = entry.alternative.filter(|a| leaves_book(book, form, a.played));
        let alternative = again.chain(old).max_by_key(|alternative| alternative.value.rank());
        book.put(form, Entry { alternative, ..entry });
    }
    for (form, _) in &gone {
        book.apply(&Change::Remove(*form));
    }
    super::negamax::negamax(book);
    gone.len()
}

/// Hundredths of a disc between the best and another move.
fn given_away(best: Value, value: Value) -> i64 {
    i64::from((best.score.hundredths() - value.score.hundredths()).max(0))
}

fn within(growth: &Growth, cost: i64, error: i64) -> bool {
    error <= cents(growth.move_error) && cost + error <= cents(growth.line_error)
}

fn add_jobs(
    book: &Book,
    growth: &Growth,
    form: Position,
    entry: &Entry,
    (cost, ply): (i64, i64),
    jobs: &mut Vec<(i64, Job)>,
) {
    if form.is_over() {
        return;
    }
    let shallow = |value: Value| {
        !value.is_exact()
            && u32::from(value.depth) < u32::from(growth.depth).min(form.empty_count())
    };
    let leaving = entry.alternative.filter(|a| leaves_book(book, form, a.played));
    if lacks_alternative(book, form, entry) || leaving.is_some_and(|a| shallow(a.value)) {
        jobs.push((cost + ply, Job::Value(form)));
        return;
    }
    let deeper = form.empty_count() > growth.least_empties;
    if let (Some(best), Some(leaving), true) = (entry.value, leaving, deeper) {
        let error = given_away(best, leaving.value);
        if within(growth, cost, error) {
            jobs.push((cost + error + ply + cents(growth.ply_cost), Job::Extend(form)));
        }
    }
    if growth.fill && deeper {
        for (_, child) in form.children().filter(|(_, child)| !book.contains(*child)) {
            if child.children().any(|(_, next)| book.contains(next)) {
                // As dear as a move that gives away what one move may.
                let error = cents(growth.move_error);
                if within(growth, cost, error) {
                    jobs.push((cost + error + ply, Job::Join(form_of(child))));
                }
            }
        }
    }
}

/// Does what is to be done until nothing is left within the bounds, the judge is stopped or
/// `go_on`, which is told of every step, says no. Values are carried back before it returns.
///
/// # Errors
/// If the book cannot be written.
pub fn grow(
    file: &mut BookFile,
    growth: &Growth,
    judge: &mut Judge<'_>,
    go_on: &mut dyn FnMut(Progress) -> bool,
) -> Result<Progress, BookError> {
    let mut progress = Progress { positions: file.book().len(), ..Progress::default() };
    file.negamax()?;
    'all: loop {
        let jobs = plan(file.book(), growth);
        progress.waiting = jobs.len();
        if jobs.is_empty() {
            break;
        }
        for job in jobs.into_iter().take(BATCH) {
            let Some(changes) = carry_out(job, file.book(), judge) else { break 'all };
            match job {
                Job::Value(_) => progress.valued += 1,
                Job::Extend(_) | Job::Join(_) => progress.added += 1,
            }
            file.commit(&changes)?;
            progress.positions = file.book().len();
            progress.waiting = progress.waiting.saturating_sub(1);
            if !go_on(progress) {
                break 'all;
            }
        }
        file.negamax()?;
    }
    file.negamax()?;
    file.sync()?;
    Ok(progress)
}

/// The changes that a job makes; `None` if its search was stopped.
fn carry_out(job: Job, book: &Book, judge: &mut dyn Answers) -> Option<Vec<Change>> {
    match job {
        Job::Value(form) => {
            let entry = judge.with_alternative(book, form, book.entry(form)?)?;
            Some(vec![Change::Put(form, Entry { searched: deepest(&entry), ..entry })])
        }
        Job::Join(form) if book.entry(form).is_some() => Some(Vec::new()),
        Job::Join(form) => {
            let entry = judge.with_alternative(book, form, Entry::default())?;
            Some(vec![Change::Put(form, entry)])
        }
        Job::Extend(form) => {
            let entry = book.entry(form)?;
            let leaving = entry.alternative.filter(|a| leaves_book(book, form, a.played));
            // What was planned may have been done by another step meanwhile.
            let Some(leaving) = leaving else { return Some(Vec::new()) };
            let child = form_of(form.after(leaving.played)?);
            let new = added(book, child, Some(leaving.value.one_ply_down()), judge)?;
            let left: Vec<_> = moves_left(book, form)
                .into_iter()
                .filter(|&played| form.after(played).map(form_of) != Some(child))
                .collect();
            let alternative = judge.best_of(form, &left)?;
            let changed = Entry { alternative, ..entry };
            Some(vec![Change::Put(child, new), Change::Put(form, changed)])
        }
    }
}

/// What must be searched to do a job with the book as it is.
pub fn questions(job: Job, book: &Book) -> Vec<Question> {
    struct Asked(Vec<Question>);
    impl Answers for Asked {
        fn best_of(&mut self, form: Position, moves: &[Move]) -> Option<Option<Alternative>> {
            if !moves.is_empty() {
                self.0.push(Question { form, moves: moves.to_vec() });
            }
            Some(None)
        }
    }
    let mut asked = Asked(Vec::new());
    carry_out(job, book, &mut asked);
    asked.0
}

/// The changes that a job makes, with answers to its [`questions`] that were found elsewhere;
/// `None` if the book has changed so that they are not the questions any more.
pub fn changes(job: Job, book: &Book, answered: &[(Question, Alternative)]) -> Option<Vec<Change>> {
    struct Answered<'a>(std::slice::Iter<'a, (Question, Alternative)>);
    impl Answers for Answered<'_> {
        fn best_of(&mut self, form: Position, moves: &[Move]) -> Option<Option<Alternative>> {
            if moves.is_empty() {
                return Some(None);
            }
            let (question, answer) = self.0.next()?;
            (question.form == form && question.moves == moves).then_some(Some(*answer))
        }
    }
    let mut answers = Answered(answered.iter());
    let changes = carry_out(job, book, &mut answers)?;
    answers.0.next().is_none().then_some(changes)
}

/// The better founded of an entry's searches.
fn deepest(entry: &Entry) -> Option<Value> {
    let alternative = entry.alternative.map(|alternative| alternative.value);
    [entry.searched, alternative, entry.value].into_iter().flatten().max_by_key(|value| value.depth)
}

/// The entry of a position that is new in the book, or was only counted in it.
pub(super) fn added(
    book: &Book,
    form: Position,
    searched: Option<Value>,
    judge: &mut dyn Answers,
) -> Option<Entry> {
    let counted = book.entry(form).unwrap_or_default();
    if form.is_over() {
        let value = Some(Value::exact(Score::whole(form.final_score())));
        return Some(Entry { value, searched: value, ..counted });
    }
    judge.with_alternative(book, form, Entry { searched, ..counted })
}

/// Values that are wrong by what follows their position, for `kitai book check`.
pub fn wrong_values(book: &Book) -> usize {
    book.entries().filter(|(form, entry)| value_of(book, *form, entry) != entry.value).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Results;
    use crate::book::testing::{TempBook, judge_options};
    use crate::search::{Limits, StopFlag, build};

    const BOUNDS: Growth = Growth {
        move_error: 6.0,
        line_error: 12.0,
        least_empties: 40,
        depth: 2,
        ply_cost: 0.5,
        fill: true,
    };

    fn grow_to(file: &mut BookFile, growth: &Growth, positions: usize) -> Progress {
        let mut method = build(&judge_options(8)).unwrap();
        let stop = StopFlag::new();
        let limits = Limits::depth(growth.depth.into());
        let mut judge = Judge { method: method.as_mut(), limits, stop: &stop };
        grow(file, growth, &mut judge, &mut |now| now.positions < positions).unwrap()
    }

    /// The cheapest way to a position, by trying all of them.
    fn slow_cost(book: &Book, from: Position, to: Position, left: i64) -> Option<i64> {
        if form_of(from) == to {
            return Some(0);
        }
        if from.empty_count() <= to.empty_count() {
            return None;
        }
        let best = book.find(from)?.0.value?;
        from.children()
            .filter_map(|(_, child)| {
                let value = book.find(child)?.0.value?;
                let error = given_away(best, value.one_ply_up());
                let allowed = error <= cents(BOUNDS.move_error) && error <= left;
                allowed
                    .then(|| slow_cost(book, child, to, left - error).map(|cost| cost + error))?
            })
            .min()
    }

    #[test]
    fn a_book_grows_within_its_bounds_and_every_value_is_right() {
        let temp = TempBook::new("grow");
        let mut file = BookFile::create(&temp.path, &Book::new()).unwrap();
        grow_to(&mut file, &BOUNDS, 60);
        assert!(file.book().len() >= 60);
        assert_eq!(wrong_values(file.book()), 0);
        let costs = reached(file.book(), &BOUNDS);
        for (form, entry) in file.book().sorted_entries() {
            assert!(entry.value.is_some() && entry.searched.is_some());
            let slow = slow_cost(file.book(), Position::START, form, cents(BOUNDS.line_error));
            assert_eq!(costs.get(&form).copied(), slow, "{form:?}");
        }
    }

    #[test]
    fn interrupted_work_goes_on_and_ends_when_nothing_is_left() {
        let temp = TempBook::new("resume");
        let narrow = Growth { move_error: 0.0, line_error: 0.0, least_empties: 54, ..BOUNDS };
        let mut file = BookFile::create(&temp.path, &Book::new()).unwrap();
        grow_to(&mut file, &narrow, 3);
        drop(file);
        let mut file = BookFile::open(&temp.path).unwrap();
        let before = file.book().len();
        let done = grow_to(&mut file, &narrow, usize::MAX);
        assert!(file.book().len() > before);
        assert_eq!(done.waiting, 0);
        assert_eq!(plan(file.book(), &narrow), []);
        // Deeper searches are something to do again.
        let deeper = Growth { depth: 4, ..narrow };
        assert!(matches!(plan(file.book(), &deeper)[0], Job::Value(_)));
        grow_to(&mut file, &deeper, usize::MAX);
        assert_eq!(plan(file.book(), &deeper), []);
        for form in reached(file.book(), &deeper).into_keys() {
            let leaving = file.book().entry(form).unwrap().alternative;
            let leaving = leaving.filter(|a| leaves_book(file.book(), form, a.played));
            assert!(leaving.is_none_or(|a| a.value.depth >= 4), "{form:?}");
        }
    }

    #[test]
    fn answers_found_elsewhere_make_the_same_changes_until_the_questions_are_others() {
        let temp = TempBook::new("elsewhere");
        let mut file = BookFile::create(&temp.path, &Book::new()).unwrap();
        grow_to(&mut file, &BOUNDS, 20);
        let book = file.book();
        let mut method = build(&judge_options(8)).unwrap();
        let stop = StopFlag::new();
        let mut judge = Judge { method: method.as_mut(), limits: Limits::depth(2), stop: &stop };
        let jobs = plan(book, &BOUNDS);
        assert!(jobs.iter().any(|job| matches!(job, Job::Extend(_))));
        for &job in &jobs {
            let asked = questions(job, book);
            let answered: Vec<_> = asked
                .into_iter()
                .map(|question| {
                    judge.method.clear();
                    let answer = judge.answer(&question).unwrap().unwrap();
                    (question, answer)
                })
                .collect();
            judge.method.clear();
            assert_eq!(changes(job, book, &answered), carry_out(job, book, &mut judge));
            if let [.., (last, _)] = &answered[..] {
                let mut other = answered.clone();
                other.last_mut().unwrap().0.moves = last.moves.iter().rev().copied().collect();
                other.last_mut().unwrap().0.moves.push(Move::Pass);
                assert_eq!(changes(job, book, &other), None);
                assert_eq!(changes(job, book, &answered[1..]), None);
            }
        }
    }

    #[test]
    fn a_position_that_is_only_counted_hides_no_move() {
        let counted =
            Entry { results: Results { wins: 3, ..Results::default() }, ..Entry::default() };
        let child = Position::START.children().next().unwrap().1;
        let mut book = Book::new();
        book.put(form_of(Position::START), Entry::default());
        book.put(form_of(child), counted);
        let start = form_of(Position::START);
        let asked = questions(Job::Value(start), &book);
        assert_eq!(asked[0].moves.len(), 4, "all four first moves are compared");
        let mut method = build(&judge_options(8)).unwrap();
        let stop = StopFlag::new();
        let mut judge = Judge { method: method.as_mut(), limits: Limits::depth(2), stop: &stop };
        for job in [Job::Value(start), Job::Extend(start)] {
            for change in carry_out(job, &book, &mut judge).unwrap() {
                book.apply(&change);
            }
        }
        let known = book.find(child).unwrap().0;
        assert!(known.value.is_some() && known.results == counted.results);
        assert_eq!(book.entry(start).unwrap().alternative, None, "the four are one by symmetry");
    }

    #[test]
    fn a_stopped_search_ends_the_work_at_once() {
        let temp = TempBook::new("stop");
        let mut file = BookFile::create(&temp.path, &Book::new()).unwrap();
        let mut method = build(&judge_options(8)).unwrap();
        let stop = StopFlag::new();
        stop.stop();
        let mut judge = Judge { method: method.as_mut(), limits: Limits::depth(9), stop: &stop };
        let done = grow(&mut file, &BOUNDS, &mut judge, &mut |_| true).unwrap();
        assert_eq!((done.added, file.book().len()), (0, 0));
    }

    #[test]
    fn pruning_keeps_what_good_play_reaches_and_the_values() {
        let temp = TempBook::new("prune");
        let mut file = BookFile::create(&temp.path, &Book::new()).unwrap();
        grow_to(&mut file, &BOUNDS, 80);
        let before = file.book().find(Position::START).unwrap().0.value;
        let book = file.book_mut();
        let removed = prune(book, 0.0, 0.0, 0);
        assert!(removed > 0 && !book.is_empty());
        assert_eq!(wrong_values(book), 0);
        let after = book.find(Position::START).unwrap().0.value;
        assert_eq!(after.map(|v| v.score), before.map(|v| v.score));
        assert_eq!(prune(book, 0.0, 0.0, 0), 0);
    }
}
