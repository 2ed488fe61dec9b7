//! A book that several players and servers of this process use at once, and the thread that learns
//! into it.
//!
//! Looking something up never waits for learning: the learning thread searches while nobody else
//! does, stops its search when somebody begins ([`thinking`]), and takes the book for itself only to
//! write down what it found.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError, RwLock, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use super::choice::{Rules, choose};
use super::error::BookError;
use super::file::{BookFile, open_to_read};
use super::learn;
use super::negamax::negamax_changes;
use super::options::BookSource;
use super::store::Book;
use super::study::Judge;
use super::{BookMove, Lookup, builtin};
use crate::options::{OptionError, Options};
use crate::othello::{Move, Position};
use crate::record::GameRecord;
use crate::search::minimax::{EXACT_FROM, HASH, THREADS};
use crate::search::{Limits, Method, StopFlag, build};

/// Depth of the searches that learn, plies: some hundredths of a second each.
pub const LEARN_DEPTH: u32 = 14;

/// Numbers of learning in the background.
mod parameters {
    /// Positions with so few empty squares are solved: about a tenth of a second each.
    pub(super) const EXACT_FROM: u32 = 18;
    /// Table of the search, MiB.
    pub(super) const HASH: i64 = 16;
    /// Longest line of book moves that is shown, plies.
    pub(super) const LONGEST_LINE: usize = 20;
}

enum State {
    Fixed(Book),
    File(BookFile),
}

/// A book in use.
pub struct SharedBook {
    state: RwLock<State>,
}

static BUILTIN: LazyLock<Arc<SharedBook>> =
    LazyLock::new(|| Arc::new(SharedBook::fixed(builtin::book())));

/// The books of files in use, so that all users of one see what is learnt.
static OPEN: LazyLock<Mutex<HashMap<PathBuf, Weak<SharedBook>>>> = LazyLock::new(Mutex::default);

impl SharedBook {
    fn fixed(book: Book) -> SharedBook {
        SharedBook { state: RwLock::new(State::Fixed(book)) }
    }

    /// The book that comes with the program.
    pub fn builtin() -> Arc<SharedBook> {
        BUILTIN.clone()
    }

    /// A book to look things up in.
    ///
    /// # Errors
    /// If a file is no book or damaged.
    pub fn open(source: &BookSource) -> Result<Arc<SharedBook>, BookError> {
        match source {
            BookSource::Builtin => Ok(SharedBook::builtin()),
            BookSource::File(path) => registered(path, || Ok(State::Fixed(open_to_read(path)?))),
        }
    }

    /// A book to learn into, begun as a copy of the built-in one if there is none; every user of
    /// the file in this process sees what it learns.
    ///
    /// # Errors
    /// If the file is no book, damaged, or another process writes it.
    pub fn open_to_learn(path: &Path) -> Result<Arc<SharedBook>, BookError> {
        let open = || Ok(State::File(BookFile::open_or_create(path, builtin::book)?));
        let shared = registered(path, open)?;
        let is_fixed = matches!(*shared.read(), State::Fixed(_));
        if is_fixed {
            *shared.write() = open()?;
        }
        Ok(shared)
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the book says about a position.
    pub fn lookup(&self, position: Position) -> Option<Lookup> {
        self.with(|book| book.lookup(position))
    }

    /// The move to play in a position, and the line of best book moves behind it.
    pub fn choose(&self, position: Position, rules: &Rules) -> Option<(BookMove, Vec<Move>)> {
        self.with(|book| {
            let chosen = choose(book, position, rules)?;
            let mut line = vec![chosen.played];
            let mut next = position.after(chosen.played);
            while let Some(best) = next.and_then(|p| book.lookup(p)?.moves.first().copied())
                && line.len() < parameters::LONGEST_LINE
            {
                line.push(best.played);
                next = next.and_then(|position| position.after(best.played));
            }
            Some((chosen, line))
        })
    }

    /// Looks at the whole book.
    pub fn with<T>(&self, look: impl FnOnce(&Book) -> T) -> T {
        match &*self.read() {
            State::Fixed(book) => look(book),
            State::File(file) => look(file.book()),
        }
    }

    fn change<T>(
        &self,
        change: impl FnOnce(&mut BookFile) -> Result<T, BookError>,
    ) -> Result<T, BookError> {
        match &mut *self.write() {
            State::File(file) => change(file),
            State::Fixed(_) => unreachable!("only books opened to learn are learnt into"),
        }
    }
}

fn registered(
    path: &Path,
    open: impl FnOnce() -> Result<State, BookError>,
) -> Result<Arc<SharedBook>, BookError> {
    let mut books = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    books.retain(|_, book| book.strong_count() > 0);
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if let Some(known) = books.get(&absolute).and_then(Weak::upgrade) {
        return Ok(known);
    }
    let shared = Arc::new(SharedBook { state: RwLock::new(open()?) });
    books.insert(absolute, Arc::downgrade(&shared));
    Ok(shared)
}

/// Who is thinking about a move now, and the searches that give way.
#[derive(Default)]
struct Gate {
    thinking: usize,
    learning: Vec<StopFlag>,
}

static GATE: LazyLock<(Mutex<Gate>, Condvar)> = LazyLock::new(Default::default);

fn gate() -> MutexGuard<'static, Gate> {
    GATE.0.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While it lives nothing is learnt in this process.
pub struct Thinking(());

/// Somebody thinks about a move: learning stops within milliseconds and waits.
pub fn thinking() -> Thinking {
    let mut gate = gate();
    gate.thinking += 1;
    gate.learning.iter().for_each(StopFlag::stop);
    Thinking(())
}

impl Drop for Thinking {
    fn drop(&mut self) {
        gate().thinking -= 1;
        GATE.1.notify_all();
    }
}

/// Waits until nobody thinks, and lowers the flag that will tell when somebody does.
fn wait_for_quiet(stop: &StopFlag) {
    let mut gate = gate();
    while gate.thinking > 0 {
        gate = GATE.1.wait(gate).unwrap_or_else(PoisonError::into_inner);
    }
    stop.reset();
}

enum Order {
    /// There is something to learn.
    Work,
    /// Say so when nothing is left.
    Tell(Sender<()>),
}

/// A thread that learns games into a book while nobody thinks.
pub struct Learner {
    book: Arc<SharedBook>,
    orders: Sender<Order>,
}

impl Learner {
    /// Learns into a book opened with [`SharedBook::open_to_learn`], by searches of this depth with
    /// the evaluation that the options choose. Games that an earlier process left unfinished come first.
    ///
    /// # Errors
    /// If the search cannot be made from the options, or the system refuses a thread.
    pub fn start(
        book: Arc<SharedBook>,
        options: &Options,
        depth: u32,
    ) -> Result<Learner, OptionError> {
        let mut own = Options::new();
        own.overlay(options);
        own.reset("method")?;
        own.put(&THREADS, 1)?;
        own.put(&HASH, parameters::HASH)?;
        own.put(&EXACT_FROM, i64::from(parameters::EXACT_FROM))?;
        let method = build(&own)?;
        let (orders, coming) = channel();
        let shared = book.clone();
        std::thread::Builder::new()
            .name("learning".to_owned())
            .stack_size(32 << 20)
            .spawn(move || run(&shared, method, depth, &coming))
            .map_err(|error| super::options::BOOK.spec.unusable(error))?;
        let learner = Learner { book, orders };
        learner.order(Order::Work);
        Ok(learner)
    }

    fn order(&self, order: Order) {
        // The thread ends only after this sender is gone.
        let _ = self.orders.send(order);
    }

    /// Lists a game as learnt, safely on disk, and learns it as soon as nobody thinks.
    ///
    /// # Errors
    /// If the book cannot be written.
    pub fn learn(&self, record: &GameRecord, source: &str) -> Result<u32, BookError> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let quiet = thinking();
        let number = self.book.change(|file| learn::enter(file, record, source, now));
        drop(quiet);
        self.order(Order::Work);
        number
    }

    /// Waits until everything is learnt.
    pub fn finish(&self) {
        let (done, wait) = channel();
        self.order(Order::Tell(done));
        let _ = wait.recv();
    }
}

fn run(book: &SharedBook, mut method: Box<dyn Method>, depth: u32, orders: &Receiver<Order>) {
    let stop = StopFlag::new();
    gate().learning.push(stop.clone());
    while let Ok(order) = orders.recv() {
        if let Err(problem) = work(book, method.as_mut(), depth, &stop) {
            tracing::error!(%problem, "a game could not be learnt");
        }
        if let Order::Tell(done) = order {
            let _ = done.send(());
        }
    }
}

/// Learns until nothing is left.
fn work(
    book: &SharedBook,
    method: &mut dyn Method,
    depth: u32,
    stop: &StopFlag,
) -> Result<(), BookError> {
    let limits = Limits::depth(depth);
    let mut learnt = false;
    loop {
        wait_for_quiet(stop);
        let changes = book.with(|book| {
            let game = learn::unfinished(book)?;
            let mut judge = Judge { method, limits, stop };
            Some(learn::step(book, game, &mut judge, parameters::EXACT_FROM))
        });
        match changes {
            None => break,
            Some(None) if !stop.is_stopped() => break,
            // Somebody began to think: the same again when they are done.
            Some(None) => {}
            Some(Some(changes)) => {
                learnt = true;
                book.change(|file| file.commit(&changes))?;
            }
        }
    }
    if learnt {
        let changes = book.with(negamax_changes);
        book.change(|file| {
            file.commit_each(&changes)?;
            file.sync()
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::testing::TempBook;
    use crate::record::transcript;

    #[test]
    fn learning_gives_way_to_thinking() {
        let flag = StopFlag::new();
        gate().learning.push(flag.clone());
        let first = thinking();
        assert!(flag.is_stopped());
        let second = thinking();
        drop(first);
        assert!(gate().thinking >= 1);
        drop(second);
        gate().learning.pop();
    }

    #[test]
    fn players_of_a_file_see_what_is_learnt_into_it() {
        let temp = TempBook::new("shared");
        // A book of its own, so that the test does not depend on the built-in one.
        drop(BookFile::create(&temp.path, &Book::new()).unwrap());
        let reader = SharedBook::open(&BookSource::File(temp.path.clone())).unwrap();
        assert!(reader.lookup(Position::START).is_none());
        let book = SharedBook::open_to_learn(&temp.path).unwrap();
        let learner = Learner::start(book, &Options::new(), 2).unwrap();
        let game = GameRecord::of(transcript::parse("f5d6c3d3c4").unwrap());
        assert_eq!(learner.learn(&game, "test").unwrap(), 1);
        learner.finish();
        let found = reader.lookup(Position::START).unwrap();
        assert!(found.moves.iter().any(|known| known.played.to_string() == "f5"));
        assert!(reader.with(|book| book.games()[&1].is_done()));
        let rules = Rules { margin: 64.0, least_depth: 0, seed: 3 };
        let (chosen, line) = reader.choose(Position::START, &rules).unwrap();
        assert_eq!(line[0], chosen.played);
    }
}
