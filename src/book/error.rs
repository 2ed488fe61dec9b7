//! Why a book cannot be used.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::snapshot::SnapshotError;
use crate::record::append::AppendError;
use crate::record::sealed::Damage;

/// Why a book cannot be read, written or made.
#[derive(Debug, Error)]
pub enum BookError {
    /// The book file cannot be used.
    #[error("{}: {source}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// Why.
        source: SnapshotError,
    },
    /// The journal is damaged.
    #[error("{}: {damage}", file.display())]
    Journal {
        /// The journal.
        file: PathBuf,
        /// What and where.
        damage: Damage,
    },
    /// The journal cannot be written, or another process does.
    #[error("{0}")]
    Append(#[from] AppendError),
    /// The journal continues a later state of the file than the one that is there.
    #[error(
        "{}: generation {generation}, but its journal continues generation {journal}: an old copy \
         was put in place of the book; bring the book back, or remove the journal to lose what it \
         holds", file.display()
    )]
    NewerJournal {
        /// The book.
        file: PathBuf,
        /// What the journal continues.
        journal: u64,
        /// What the book is.
        generation: u64,
    },
    /// The file was replaced each time it was read.
    #[error("{}: another process keeps replacing this book", .0.display())]
    Changing(PathBuf),
    /// A new book was asked for where a file is.
    #[error("{}: there is a file of this name already", .0.display())]
    Exists(PathBuf),
    /// Too much at once.
    #[error("{0} bytes of changes are too many for one step")]
    LargeBatch(usize),
    /// The system says no.
    #[error("{}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl BookError {
    pub(super) fn file(file: &Path, source: SnapshotError) -> BookError {
        BookError::File { file: file.to_owned(), source }
    }

    pub(super) fn io(file: &Path, source: std::io::Error) -> BookError {
        BookError::Io { file: file.to_owned(), source }
    }
}
