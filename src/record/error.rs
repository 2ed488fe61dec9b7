//! What can be wrong with a record, and where: file, line and column, or the number of a binary
//! record.

use std::fmt;
use std::io;

use thiserror::Error;

use super::board::BoardError;
use super::history::IllegalMove;
use crate::othello::Color;

/// Something wrong with a record, and where it stood.
#[derive(Debug, Error)]
pub struct RecordError {
    /// The file, when there is one.
    pub file: Option<String>,
    /// Where in the text or file.
    pub place: Place,
    /// What is wrong.
    #[source]
    pub fault: Fault,
}

/// Where in a text or file something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In a text; both count from 1, columns in characters.
    Text {
        /// Line number.
        line: usize,
        /// Character in the line.
        column: usize,
    },
    /// The so-many-th record of a binary file, from 1.
    Record(usize),
    /// The header of a binary file, or the file as a whole.
    Header,
}

/// What is wrong with a record.
#[derive(Debug, Error)]
pub enum Fault {
    /// The grammar wanted something else here.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What was wanted.
        expected: &'static str,
        /// The first characters of what stood there.
        found: String,
    },
    /// A value of a tag or field that cannot be used.
    #[error("{tag}[{value}]: expected {expected}")]
    BadValue {
        /// The tag or field.
        tag: String,
        /// What it held, shortened.
        value: String,
        /// What was wanted.
        expected: &'static str,
    },
    /// A board that is none.
    #[error("{0}")]
    Board(#[from] BoardError),
    /// A move that the rules forbid.
    #[error("{0}")]
    Illegal(#[from] IllegalMove),
    /// A move recorded for the side that is not to move.
    #[error("move {number} is recorded for {recorded}, but {} is to move and can", !*recorded)]
    WrongTurn {
        /// Number of the move, from 1, passes counted.
        number: usize,
        /// Whose move the record says it is.
        recorded: Color,
    },
    /// More bytes in one game or line than any sane file has.
    #[error("longer than {limit} bytes")]
    TooLong {
        /// The limit.
        limit: usize,
    },
    /// A binary file of the wrong size.
    #[error("{what}: expected {expected} bytes, found {found}")]
    WrongSize {
        /// What part.
        what: &'static str,
        /// Bytes wanted.
        expected: u64,
        /// Bytes there.
        found: u64,
    },
    /// The game cannot be kept in this format.
    #[error("{format} cannot hold {what}")]
    CannotHold {
        /// The format.
        format: &'static str,
        /// What it has no room for.
        what: String,
    },
    /// Reading or writing failed.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// How many characters of bad text an error repeats.
const EXCERPT: usize = 24;

/// The first characters of a text, for an error message: control characters made visible.
pub(super) fn excerpt(text: &str) -> String {
    let mut chars = text.chars();
    let mut short: String = chars.by_ref().take(EXCERPT).flat_map(char::escape_debug).collect();
    if chars.next().is_some() {
        short.push('…');
    }
    short
}

/// Where in `whole` its part `rest` begins, both from 1.
fn line_and_column(rest: &str, whole: &str) -> (usize, usize) {
    // `rest` is a part of `whole` in every caller; anything else counts as its beginning.
    let offset = (rest.as_ptr() as usize).wrapping_sub(whole.as_ptr() as usize);
    let read = whole.get(..offset).unwrap_or("");
    let line_start = read.rfind('\n').map_or(0, |newline| newline + 1);
    let line = 1 + read.bytes().filter(|&byte| byte == b'\n').count();
    (line, 1 + read[line_start..].chars().count())
}

impl Fault {
    /// A tag or field with a value that cannot be used.
    pub(super) fn bad_value(tag: &str, value: &str, expected: &'static str) -> Fault {
        Fault::BadValue { tag: excerpt(tag), value: excerpt(value), expected }
    }

    /// The grammar wanted something else than this.
    pub(super) fn expected(expected: &'static str, rest: &str) -> Fault {
        let found =
            if rest.is_empty() { "the end".to_owned() } else { format!("`{}`", excerpt(rest)) };
        Fault::Expected { expected, found }
    }

    /// The fault at the place in `whole` where its part `rest` begins.
    pub(super) fn before(self, rest: &str, whole: &str) -> RecordError {
        let (line, column) = line_and_column(rest, whole);
        self.at(Place::Text { line, column })
    }

    /// The fault in a binary record or header.
    pub(super) fn at(self, place: Place) -> RecordError {
        RecordError { file: None, place, fault: self }
    }
}

impl RecordError {
    /// The same error with the name of its file.
    #[must_use]
    pub fn in_file(mut self, file: &str) -> RecordError {
        self.file = Some(file.to_owned());
        self
    }

    /// An error in the text `part` as an error in the `whole` it is a part of.
    #[must_use]
    pub(super) fn within(self, part: &str, whole: &str) -> RecordError {
        let (line, column) = line_and_column(part, whole);
        self.shifted(line, column)
    }

    /// The same error in a text that begins at this place of a larger one.
    #[must_use]
    pub(super) fn shifted(mut self, start_line: usize, start_column: usize) -> RecordError {
        if let Place::Text { line, column } = &mut self.place {
            if *line == 1 {
                *column += start_column - 1;
            }
            *line += start_line - 1;
        }
        self
    }
}

/// `file:line:column: what`, or `file: game 12: what`.
impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = self.file.as_deref();
        match (self.place, file) {
            (Place::Text { line, column }, Some(file)) => write!(f, "{file}:{line}:{column}: ")?,
            (Place::Text { line, column }, None) => write!(f, "line {line}, column {column}: ")?,
            (Place::Record(number), Some(file)) => write!(f, "{file}: record {number}: ")?,
            (Place::Record(number), None) => write!(f, "record {number}: ")?,
            (Place::Header, Some(file)) => write!(f, "{file}: ")?,
            (Place::Header, None) => {}
        }
        self.fault.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_knows_its_line_and_column_in_characters() {
        let whole = "ab\nçdé?f";
        let rest = &whole[whole.find('?').unwrap()..];
        let error = Fault::expected("a letter", rest).before(rest, whole);
        assert_eq!(error.to_string(), "line 2, column 4: expected a letter, found `?f`");
        let error = error.in_file("x.ggf").shifted(10, 5);
        assert_eq!(error.to_string(), "x.ggf:11:4: expected a letter, found `?f`");
    }

    #[test]
    fn excerpts_are_short_and_printable() {
        assert_eq!(excerpt("a\0b\n"), "a\\0b\\n");
        assert_eq!(excerpt(&"x".repeat(1_000_000)).chars().count(), EXCERPT + 1);
    }
}
