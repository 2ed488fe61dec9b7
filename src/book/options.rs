//! The options of the book: which one, and how its moves are chosen.

use std::path::PathBuf;

use super::choice::Rules;
use crate::options::{OptionSpec, Options, TypedOption};
use crate::random::SEED;

/// Which book.
pub static BOOK: TypedOption<String> = TypedOption::file(
    "book",
    "Opening book: a file, builtin, or none; empty leaves it to the command (play, web, NBoard and \
     GGS use builtin, GTP and matches none).",
);
/// How much worse than the best a book move may be.
pub static BOOK_MARGIN: TypedOption<f64> = TypedOption::number(
    "book-margin",
    0.0,
    64.0,
    0.5,
    "Discs: book moves so much below the best are played too, the better the likelier.",
);
/// How well founded a book move must be.
pub static BOOK_DEPTH_MIN: TypedOption<i64> = TypedOption::integer(
    "book-depth-min",
    0,
    60,
    0,
    "Plies: book moves whose value rests on a shallower search are not played.",
);

/// All of them.
pub const OPTIONS: &[&OptionSpec] = &[&BOOK.spec, &BOOK_MARGIN.spec, &BOOK_DEPTH_MIN.spec];

/// The word for the book that comes with the program.
pub const BUILTIN: &str = "builtin";
/// The word for no book.
pub const NONE: &str = "none";

/// Where a book is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BookSource {
    /// In the program.
    Builtin,
    /// In a file.
    File(PathBuf),
}

impl BookSource {
    /// The book that the options ask for.
    pub fn of(options: &Options) -> Option<BookSource> {
        match options.get(&BOOK).as_str() {
            "" | NONE => None,
            BUILTIN => Some(BookSource::Builtin),
            file => Some(BookSource::File(file.into())),
        }
    }
}

/// The choice of a move from a book.
#[derive(Clone, Debug, PartialEq)]
pub struct BookTask {
    /// Which book.
    pub source: BookSource,
    /// How to choose.
    pub rules: Rules,
}

impl BookTask {
    /// What the options ask for. Unless `seed` is set the choice is another one every time.
    pub fn of(options: &Options) -> Option<BookTask> {
        let source = BookSource::of(options)?;
        let seed = options.get(&SEED) as u64;
        let is_set = options.changed().any(|(name, _)| name == SEED.spec.name);
        let rules = Rules {
            margin: options.get(&BOOK_MARGIN),
            least_depth: options.get(&BOOK_DEPTH_MIN) as u8,
            seed: if is_set { seed } else { rand::random() },
        };
        Some(BookTask { source, rules })
    }
}

/// Uses the built-in book unless something was said about books.
pub fn use_builtin_by_default(options: &mut Options) {
    if options.get(&BOOK).is_empty() {
        options.put(&BOOK, BUILTIN.to_owned()).expect("the option takes any text");
    }
}
