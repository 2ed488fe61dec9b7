//! A book on disk: the file, and beside it a journal of what changed since it was written.
//!
//! One process at a time writes: whoever has the journal's lock. A change is first in the journal
//! and handed over to the system, then in the book; a killed process loses at most the batch it was
//! writing. When the journal has grown long the book is written anew, with the next generation
//! number, renamed into place, and the journal begun again. A journal that names an older generation
//! is one whose changes the book file already holds: the process ended between the two steps.
//! Readers need no lock: they take the file, the journal as far as it is whole, and look whether the
//! file is still the same.

use std::ffi::OsString;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use super::error::BookError;
use super::journal::{self, Batch, JOURNAL, LONGEST};
use super::snapshot;
use super::store::{Book, Change};
use crate::files;
use crate::record::append::Appender;
use crate::record::sealed::{Damage, Records};

/// Changes in the journal from which on opening and closing write the book anew.
const LONG_JOURNAL: usize = 20_000;
/// How often a reader begins again when a writer replaces the file meanwhile.
const ATTEMPTS: usize = 20;

/// The name of the journal of a book.
pub fn journal_path(path: &Path) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(".journal");
    PathBuf::from(name)
}

/// A book that this process alone may change.
pub struct BookFile {
    path: PathBuf,
    book: Book,
    journal: Appender,
    generation: u64,
    /// Changes in the journal.
    journalled: usize,
}

/// What a journal held.
#[derive(Default)]
struct Replay {
    generation: Option<u64>,
    changes: Vec<Change>,
}

impl Replay {
    fn take(&mut self, record: &[u8]) -> Result<(), String> {
        match journal::decode(record)? {
            Batch::Generation(number) if self.generation.is_none() && self.changes.is_empty() => {
                self.generation = Some(number);
            }
            Batch::Generation(_) => return Err("a second generation".to_owned()),
            Batch::Changes(_) if self.generation.is_none() => {
                return Err("a change before the generation".to_owned());
            }
            Batch::Changes(changes) => self.changes.extend(changes),
        }
        Ok(())
    }
}

impl BookFile {
    /// Opens a book for writing and replays its journal.
    ///
    /// # Errors
    /// If it is no book, damaged, or another process writes it.
    pub fn open(path: &Path) -> Result<BookFile, BookError> {
        // No journal beside something that is no book.
        snapshot::open(path).map_err(|source| BookError::file(path, source))?;
        BookFile::locked(path)
    }

    /// Opens a book for writing, or makes it from `begin` if there is none.
    ///
    /// # Errors
    /// As [`BookFile::open`], and if it cannot be made.
    pub fn open_or_create(
        path: &Path,
        begin: impl FnOnce() -> Book,
    ) -> Result<BookFile, BookError> {
        if path.exists() {
            return BookFile::open(path);
        }
        BookFile::create(path, &begin())
    }

    /// Writes a new book.
    ///
    /// # Errors
    /// If there is a file of this name, or it cannot be written.
    pub fn create(path: &Path, book: &Book) -> Result<BookFile, BookError> {
        if path.exists() {
            return Err(BookError::Exists(path.to_owned()));
        }
        // A journal that was left without its book belongs to nothing any more.
        let (mut journal, _) = Appender::open(&journal_path(path), JOURNAL, &(), |_| Ok(()))?;
        journal.restart()?;
        drop(journal);
        snapshot::save(book, 1, path).map_err(|source| BookError::io(path, source))?;
        BookFile::locked(path)
    }

    fn locked(path: &Path) -> Result<BookFile, BookError> {
        let mut replay = Replay::default();
        let name = journal_path(path);
        let (journal, resumed) = Appender::open(&name, JOURNAL, &(), |record| replay.take(record))?;
        if resumed.torn > 0 {
            tracing::warn!("{}: {resumed}", name.display());
        }
        // Read after the lock was had: nobody replaces it now.
        let (book, generation) =
            snapshot::open(path).map_err(|source| BookError::file(path, source))?;
        let mut file = BookFile { path: path.to_owned(), book, journal, generation, journalled: 0 };
        match replay.generation {
            Some(journal) if journal > generation => {
                return Err(BookError::NewerJournal { file: path.to_owned(), journal, generation });
            }
            Some(journal) if journal == generation => {
                file.journalled = replay.changes.len();
                replay.changes.iter().for_each(|change| file.book.apply(change));
            }
            _ => file.begin_journal()?,
        }
        if file.journalled > LONG_JOURNAL {
            file.compact()?;
        }
        Ok(file)
    }

    fn begin_journal(&mut self) -> Result<(), BookError> {
        self.journal.restart()?;
        self.journal.append(&journal::generation(self.generation))?;
        self.journal.sync()?;
        self.journalled = 0;
        Ok(())
    }

    /// The book now.
    pub fn book(&self) -> &Book {
        &self.book
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes these changes together: after a crash all of them are there or none. When it returns,
    /// they survive the end of the process; [`BookFile::sync`] makes them survive a power cut.
    ///
    /// # Errors
    /// If the journal cannot be written; nothing is changed then.
    pub fn commit(&mut self, changes: &[Change]) -> Result<(), BookError> {
        let mut record = Vec::new();
        changes.iter().for_each(|change| journal::encode(change, &mut record));
        if record.is_empty() {
            return Ok(());
        }
        if record.len() > LONGEST {
            return Err(BookError::LargeBatch(record.len()));
        }
        self.journal.append(&record)?;
        self.journal.flush()?;
        changes.iter().for_each(|change| self.book.apply(change));
        self.journalled += changes.len();
        Ok(())
    }

    /// Makes any number of changes, in several batches.
    ///
    /// # Errors
    /// As [`BookFile::commit`].
    pub fn commit_each(&mut self, changes: &[Change]) -> Result<(), BookError> {
        /// Well below the longest batch.
        const BATCH: usize = 4096;
        changes.chunks(BATCH).try_for_each(|batch| self.commit(batch))
    }

    /// Changes the book in memory only, for work that ends with [`BookFile::compact`].
    pub fn book_mut(&mut self) -> &mut Book {
        &mut self.book
    }

    /// Carries all values back, and keeps those that changed.
    ///
    /// # Errors
    /// As [`BookFile::commit`].
    pub fn negamax(&mut self) -> Result<usize, BookError> {
        let changes = super::negamax::negamax(&mut self.book);
        self.commit_each(&changes)?;
        Ok(changes.len())
    }

    /// Waits until the disk has everything.
    ///
    /// # Errors
    /// What the system says.
    pub fn sync(&mut self) -> Result<(), BookError> {
        Ok(self.journal.sync()?)
    }

    /// Writes the book anew and begins the journal again.
    ///
    /// # Errors
    /// What the system says; the old file and the journal then still hold everything committed.
    pub fn compact(&mut self) -> Result<(), BookError> {
        let next = self.generation + 1;
        snapshot::save(&self.book, next, &self.path)
            .map_err(|source| BookError::io(&self.path, source))?;
        self.generation = next;
        let (book, _) =
            snapshot::open(&self.path).map_err(|source| BookError::file(&self.path, source))?;
        self.book = book;
        self.begin_journal()
    }

    /// Leaves the book in good order: values carried back, a long journal taken in.
    ///
    /// # Errors
    /// What the system says.
    pub fn close(mut self) -> Result<(), BookError> {
        if self.journalled > LONG_JOURNAL { self.compact() } else { self.sync() }
    }
}

/// Reads a book, its journal included, whether or not another process writes it.
///
/// # Errors
/// If it is no book or damaged.
pub fn open_to_read(path: &Path) -> Result<Book, BookError> {
    let name = journal_path(path);
    for _ in 0..ATTEMPTS {
        let (mut book, generation) =
            snapshot::open(path).map_err(|source| BookError::file(path, source))?;
        let replay = read_journal(&name)?;
        let now =
            snapshot::generation(path).map_err(|source| BookError::file(path, source.into()))?;
        if now != generation || replay.generation.is_some_and(|journal| journal > generation) {
            continue;
        }
        if replay.generation == Some(generation) {
            replay.changes.iter().for_each(|change| book.apply(change));
        }
        return Ok(book);
    }
    Err(BookError::Changing(path.to_owned()))
}

fn read_journal(name: &Path) -> Result<Replay, BookError> {
    let mut replay = Replay::default();
    let file = match files::open(name) {
        Ok(file) => file,
        Err(files::FileError::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(replay);
        }
        Err(error) => return Err(BookError::file(name, error.into())),
    };
    let damaged = |damage| BookError::Journal { file: name.to_owned(), damage };
    // A journal that is being begun has not all of its header yet.
    let begun = file.metadata().is_ok_and(|data| data.len() >= 24);
    if !begun {
        return Ok(replay);
    }
    let (mut records, _) = Records::open(BufReader::new(file), JOURNAL).map_err(damaged)?;
    loop {
        let reason = match records.next_record().map_err(damaged)? {
            None => return Ok(replay),
            Some(record) => replay.take(record),
        };
        if let Err(reason) = reason {
            let damage: Damage = records.refused(reason);
            return Err(damaged(damage));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::entry::tests::any_entry;
    use crate::book::testing::TempBook;
    use crate::random::seeded;
    use rand::Rng;

    fn puts(count: usize, seed: u64) -> Vec<Change> {
        let mut rng = seeded(seed);
        (0..count)
            .map(|_| any_entry(&mut rng))
            .map(|(position, entry)| Change::Put(position, entry))
            .collect()
    }

    #[test]
    fn changes_are_there_after_reopening_with_and_without_writing_the_book_anew() {
        let temp = TempBook::new("reopen");
        let mut file = BookFile::create(&temp.path, &Book::new()).unwrap();
        file.commit(&puts(30, 1)).unwrap();
        let wanted = file.book().sorted_entries();
        assert_eq!(open_to_read(&temp.path).unwrap().sorted_entries(), wanted);
        drop(file);
        let mut file = BookFile::open(&temp.path).unwrap();
        assert_eq!(file.book().sorted_entries(), wanted);
        file.compact().unwrap();
        let Change::Put(gone, _) = puts(30, 1)[4] else { unreachable!() };
        file.commit(&[Change::Remove(gone)]).unwrap();
        drop(file);
        let file = BookFile::open(&temp.path).unwrap();
        let wanted: Vec<_> = wanted.into_iter().filter(|(form, _)| *form != gone).collect();
        assert_eq!(file.book().sorted_entries(), wanted);
        assert_eq!(file.book().len(), wanted.len());
    }

    #[test]
    fn only_one_process_writes_and_others_may_read() {
        let temp = TempBook::new("lock");
        let file = BookFile::create(&temp.path, &Book::new()).unwrap();
        let refused = BookFile::open(&temp.path).err().unwrap().to_string();
        assert!(refused.contains("another process is writing"), "{refused}");
        assert!(open_to_read(&temp.path).is_ok());
        assert!(matches!(BookFile::create(&temp.path, &Book::new()), Err(BookError::Exists(_))));
        drop(file);
        assert!(BookFile::open(&temp.path).is_ok());
    }

    /// A process may end at any byte it writes: what is left is a state it had acknowledged, or the
    /// one it was about to.
    #[test]
    fn a_journal_cut_anywhere_holds_everything_before_the_cut() {
        let temp = TempBook::new("cut");
        let mut file = BookFile::create(&temp.path, &Book::new()).unwrap();
        let name = journal_path(&temp.path);
        let length = || std::fs::metadata(&name).unwrap().len();
        let mut states = vec![(length(), file.book().sorted_entries())];
        for batch in puts(24, 2).chunks(3) {
            file.commit(batch).unwrap();
            states.push((length(), file.book().sorted_entries()));
        }
        drop(file);
        let whole = std::fs::read(&name).unwrap();
        for cut in states[0].0 as usize..=whole.len() {
            std::fs::write(&name, &whole[..cut]).unwrap();
            let wanted = &states.iter().rfind(|(end, _)| *end <= cut as u64).unwrap().1;
            assert_eq!(&open_to_read(&temp.path).unwrap().sorted_entries(), wanted, "cut {cut}");
            let file = BookFile::open(&temp.path).unwrap();
            assert_eq!(&file.book().sorted_entries(), wanted, "cut {cut}");
        }
    }

    #[test]
    fn a_damaged_journal_is_refused_or_ends_early_and_never_invents_anything() {
        let temp = TempBook::new("damage");
        let mut file = BookFile::create(&temp.path, &Book::new()).unwrap();
        let mut states = vec![file.book().sorted_entries()];
        for batch in puts(8, 3).chunks(2) {
            file.commit(batch).unwrap();
            states.push(file.book().sorted_entries());
        }
        drop(file);
        let name = journal_path(&temp.path);
        let whole = std::fs::read(&name).unwrap();
        let mut rng = seeded(4);
        for at in 0..whole.len() {
            let mut bad = whole.clone();
            bad[at] ^= rng.random_range(1..=255u8);
            std::fs::write(&name, &bad).unwrap();
            if let Ok(book) = open_to_read(&temp.path) {
                assert!(states.contains(&book.sorted_entries()), "byte {at}");
            }
        }
    }

    #[test]
    fn a_process_that_ended_between_the_book_and_its_journal_loses_and_doubles_nothing() {
        let temp = TempBook::new("between");
        let mut file = BookFile::create(&temp.path, &Book::new()).unwrap();
        file.commit(&puts(10, 5)).unwrap();
        let old_journal = std::fs::read(journal_path(&temp.path)).unwrap();
        let wanted = file.book().sorted_entries();
        file.compact().unwrap();
        drop(file);
        // The book is new, the journal still the old one.
        std::fs::write(journal_path(&temp.path), &old_journal).unwrap();
        assert_eq!(open_to_read(&temp.path).unwrap().sorted_entries(), wanted);
        let file = BookFile::open(&temp.path).unwrap();
        assert_eq!(file.book().sorted_entries(), wanted);
        assert_eq!(file.journalled, 0);
    }

    #[test]
    fn a_journal_of_a_later_book_is_refused() {
        let temp = TempBook::new("later");
        let mut file = BookFile::create(&temp.path, &Book::new()).unwrap();
        let old = std::fs::read(&temp.path).unwrap();
        file.compact().unwrap();
        drop(file);
        std::fs::write(&temp.path, old).unwrap();
        assert!(matches!(BookFile::open(&temp.path), Err(BookError::NewerJournal { .. })));
    }
}
