//! A player: options, and the method they choose, kept with what it has learnt.
//!
//! The search thread, the command line and `kitai play` all choose their moves through
//! [`Player::search`], which is why they choose the same ones.

use std::sync::Arc;
use std::time::Instant;

use super::budget::{Budget, Reservation};
use super::catalogue;
use super::choice;
use super::limits::Task;
use crate::book::options::BOOK;
use crate::book::{self, BookSource, SharedBook, shared};
use crate::options::{OptionError, Options};
use crate::search::limits::PLAYOUT_LIMITS;
use crate::search::{self, Behind, Bound, Event, Line, Method, Origin, Outcome, Request, StopFlag};

/// Chooses moves with the method its options name.
pub struct Player {
    options: Options,
    /// `None` until it is first needed, and after a change that asks for another.
    method: Option<Built>,
    /// The opening book of a file that the options name.
    book: Option<(BookSource, Arc<SharedBook>)>,
    budget: Budget,
}

/// A method and what it was built from.
struct Built {
    options: Options,
    method: Box<dyn Method>,
    /// What it may use; given back after the method is gone.
    _reservation: Reservation,
}

impl Player {
    /// A player with these options; the method is built at the first search, unless
    /// [`Player::prepare`] did it before.
    pub fn new(options: Options) -> Player {
        Player::with_budget(options, Budget::unlimited())
    }

    /// The same within a budget that others share.
    pub fn with_budget(options: Options, budget: Budget) -> Player {
        Player { options, method: None, book: None, budget }
    }

    /// A player with the default options and a method of the test's own.
    #[cfg(test)]
    pub(super) fn with_method(method: Box<dyn Method>) -> Player {
        let mut player = Player::new(Options::new());
        let options = method_options(&player.options);
        let reservation = player.budget.reserve(&options).unwrap();
        player.method = Some(Built { options, method, _reservation: reservation });
        player
    }

    /// The options now.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Takes these options, and builds the method they choose unless it is there already: it keeps
    /// what it has learnt unless one of its own options changed.
    ///
    /// # Errors
    /// If the method cannot be built from them (too much memory, a weights file that cannot be
    /// read, …); the player then goes on with the options it had.
    pub fn configure(&mut self, options: Options) -> Result<(), OptionError> {
        let had_method = self.method.is_some();
        let old = std::mem::replace(&mut self.options, options);
        self.prepare().inspect_err(|_| {
            self.options = old;
            if had_method && let Err(problem) = self.prepare() {
                // It was built from them before; the next search will say what is wrong.
                tracing::error!(%problem, "the options before cannot be used any more");
            }
        })
    }

    /// Forgets everything learnt in earlier searches.
    pub fn clear(&mut self) {
        if let Some(built) = &mut self.method {
            built.method.clear();
        }
    }

    /// Has the system hand out the memory of the method's tables now: the first search of a player
    /// that waits for its opponent must not.
    pub fn make_ready(&mut self) {
        if let Some(built) = &mut self.method {
            built.method.make_ready();
        }
    }

    /// Gives the method up altogether (after it failed); the next search builds a new one.
    pub fn discard_method(&mut self) {
        self.method = None;
    }

    /// Builds the method now, so that the first search need not.
    ///
    /// # Errors
    /// If it cannot be built from the options (a weights file that cannot be read, …).
    pub fn prepare(&mut self) -> Result<(), OptionError> {
        self.open_book()?;
        self.method().map(|_| ())
    }

    /// Opens the book that the options name, unless it is open already.
    fn open_book(&mut self) -> Result<(), OptionError> {
        match BookSource::of(&self.options) {
            None => self.book = None,
            Some(source) if self.book.as_ref().is_some_and(|(open, _)| *open == source) => {}
            Some(source) => {
                let book = SharedBook::open(&source).map_err(|error| BOOK.spec.unusable(error))?;
                self.book = Some((source, book));
            }
        }
        Ok(())
    }

    /// The answer of the opening book, if the task asks for one and it has a move.
    fn book_answer(&self, task: &Task) -> Option<Outcome> {
        let asked = task.book.as_ref()?;
        let began = Instant::now();
        let book = match &self.book {
            Some((source, book)) if *source == asked.source => book.clone(),
            _ if asked.source == BookSource::Builtin => SharedBook::builtin(),
            _ => return None,
        };
        let position = task.request.position;
        let (chosen, pv) = book.choose(position, &asked.rules)?;
        let line = Line {
            score: chosen.value.score,
            bound: Bound::Exact,
            certainty: chosen.value.certainty(),
            pv,
            visits: chosen.games.into(),
            uncertainty: None,
        };
        Some(Outcome {
            origin: Origin::Book,
            lines: vec![line],
            depth: chosen.value.depth.into(),
            nodes: 0,
            playouts: 0,
            elapsed: began.elapsed(),
        })
    }

    fn method(&mut self) -> Result<&mut Box<dyn Method>, OptionError> {
        let own = method_options(&self.options);
        if self.method.as_ref().is_none_or(|built| built.options != own) {
            // The old tables go before the new ones come.
            self.method = None;
        }
        match &mut self.method {
            Some(built) => Ok(&mut built.method),
            none => {
                let reservation = self.budget.reserve(&own)?;
                let method = search::build(&self.options)?;
                let built = Built { options: own, method, _reservation: reservation };
                Ok(&mut none.insert(built).method)
            }
        }
    }

    /// Thinks about a task.
    ///
    /// # Errors
    /// If the method cannot be built from the options (a weights file that cannot be read, …).
    pub fn search(
        &mut self,
        task: &Task,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Result<Outcome, OptionError> {
        let _quiet = shared::thinking();
        if let Some(known) = self.book_answer(task) {
            return Ok(known);
        }
        let method = self.method()?;
        if task.softness <= 0.0 {
            return Ok(method.search(&task.request, stop, report));
        }
        let every_move = Request { multi_pv: 64, ..task.request.clone() };
        let mut outcome = method.search(&every_move, stop, report);
        let chosen =
            choice::soft_choice(&outcome.lines, task.softness, task.seed, task.request.position);
        outcome.lines.swap(0, chosen);
        outcome.lines.truncate(task.request.multi_pv.max(1));
        Ok(outcome)
    }

    /// What lies behind the first line of the last search, if the method can tell.
    pub fn behind(&mut self, task: &Task, outcome: &Outcome) -> Option<Behind> {
        let built = self.method.as_mut()?;
        built.method.behind(task.request.position, outcome.lines.first()?, outcome.depth)
    }
}

/// Whether going from one set of options to the other asks for another method, other tables or
/// another book.
pub fn changes_method(from: &Options, to: &Options) -> bool {
    method_options(from) != method_options(to) || from.get(&BOOK) != to.get(&BOOK)
}

/// Without limits and what belongs to the engine: changing those keeps the method and its tables.
fn method_options(options: &Options) -> Options {
    let mut own = options.clone();
    let others = PLAYOUT_LIMITS.iter().chain(catalogue::OWN).chain(book::options::OPTIONS);
    others.for_each(|option| own.unset(option));
    own
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Position;

    fn options(settings: &[(&str, &str)]) -> Options {
        let mut options = Options::new();
        for (name, value) in settings {
            options.set(name, value).unwrap();
        }
        options
    }

    #[test]
    fn the_engines_options_are_registered() {
        assert_eq!(method_options(&options(&[("depth", "3"), ("softness", "2")])), Options::new());
    }

    #[test]
    fn the_method_is_kept_when_only_limits_change() {
        let mut player = Player::new(options(&[("depth", "2")]));
        let task = |player: &Player| Task::play(player.options(), Position::START, None);
        let search = |player: &mut Player| {
            let task = task(player);
            player.search(&task, &StopFlag::new(), &mut |_| {}).unwrap();
            let built = player.method.as_ref().unwrap();
            std::ptr::from_ref::<dyn Method>(&*built.method).cast::<()>()
        };
        let first = search(&mut player);
        player.configure(options(&[("depth", "3")])).unwrap();
        assert_eq!(search(&mut player), first);
        player.configure(options(&[("depth", "3"), ("eval", "discs")])).unwrap();
        search(&mut player);
        assert_eq!(player.method.as_ref().unwrap().options, options(&[("eval", "discs")]));
    }

    #[test]
    fn options_that_cannot_be_used_change_nothing() {
        let small = options(&[("hash", "1")]);
        let budget = Budget::shared(&small, 1, 4, 1).unwrap();
        let mut player = Player::with_budget(small.clone(), budget);
        player.prepare().unwrap();
        let refused = player.configure(options(&[("hash", "65536")])).unwrap_err().to_string();
        assert!(refused.starts_with("option `hash`: "), "{refused}");
        assert_eq!(player.options(), &small);
        assert!(player.method.is_some(), "it is ready to go on");
        assert!(player.configure(options(&[("hash", "4")])).is_ok());
    }

    #[test]
    fn softness_repeats_with_the_seed_and_varies_without() {
        let chosen = |softness: &str, seed: &str| {
            let mut player =
                Player::new(options(&[("depth", "2"), ("softness", softness), ("seed", seed)]));
            let position = Position::START.play("f5".parse().unwrap()).unwrap();
            let task = Task::play(player.options(), position, None);
            let outcome = player.search(&task, &StopFlag::new(), &mut |_| {}).unwrap();
            assert_eq!(outcome.lines.len(), 1);
            outcome.best_move().unwrap()
        };
        let seeds: Vec<String> = (0..40).map(|seed| seed.to_string()).collect();
        let hard: Vec<_> = seeds.iter().map(|seed| chosen("0", seed)).collect();
        let soft: Vec<_> = seeds.iter().map(|seed| chosen("20", seed)).collect();
        let again: Vec<_> = seeds.iter().map(|seed| chosen("20", seed)).collect();
        assert!(hard.iter().all(|m| *m == hard[0]));
        assert!(soft.iter().any(|m| *m != soft[0]));
        assert_eq!(soft, again);
    }

    #[test]
    fn the_book_answers_a_move_at_once_and_a_hint_is_searched() {
        let mut player =
            Player::new(options(&[("book", "builtin"), ("depth", "1"), ("hash", "1")]));
        let mut search = |task: &Task| player.search(task, &StopFlag::new(), &mut |_| {}).unwrap();
        let task = Task::play(&options(&[("book", "builtin")]), Position::START, None);
        let known = search(&task);
        assert_eq!((known.origin, known.nodes), (Origin::Book, 0));
        assert!(Position::START.after(known.best_move().unwrap()).is_some());
        let hint = search(&Task::hint(Position::START, crate::search::Limits::depth(1), 1));
        assert_eq!(hint.origin, Origin::Search);
        for off in [&[][..], &[("book", "none")], &[("book", "builtin"), ("softness", "1")]] {
            let task = Task::play(&options(off), Position::START, None);
            assert_eq!(search(&task).origin, Origin::Search, "{off:?}");
        }
    }

    #[test]
    fn a_seed_repeats_the_book_move_and_without_one_it_varies() {
        let mut player = Player::new(options(&[("book", "builtin"), ("hash", "1")]));
        let mut moves = |settings: &[(&str, &str)]| -> std::collections::BTreeSet<String> {
            (0..40)
                .map(|_| {
                    let task = Task::play(&options(settings), Position::START, None);
                    let outcome = player.search(&task, &StopFlag::new(), &mut |_| {}).unwrap();
                    outcome.best_move().unwrap().to_string()
                })
                .collect()
        };
        assert!(moves(&[("book", "builtin")]).len() > 1);
        assert_eq!(moves(&[("book", "builtin"), ("seed", "5")]).len(), 1);
    }

    #[test]
    fn a_book_that_cannot_be_read_is_an_error_of_the_option() {
        let mut player = Player::new(options(&[("hash", "1")]));
        let refused = player.configure(options(&[("book", "/nonexistent.kbook"), ("hash", "1")]));
        let refused = refused.unwrap_err().to_string();
        assert!(refused.starts_with("option `book`: /nonexistent.kbook: "), "{refused}");
    }
}
