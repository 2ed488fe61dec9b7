//! Small nom pieces that the text formats share, with errors that say what was expected and where.

use nom::error::{ErrorKind, ParseError};
use nom::{Err, IResult, Parser};

use super::{Fault, RecordError};

/// Where a grammar failed and what it wanted there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Unexpected<'a> {
    rest: &'a str,
    expected: Option<&'static str>,
}

/// What the grammars of this room return.
pub(super) type Parsed<'a, T> = IResult<&'a str, T, Unexpected<'a>>;

impl<'a> ParseError<&'a str> for Unexpected<'a> {
    fn from_error_kind(rest: &'a str, _: ErrorKind) -> Self {
        Unexpected { rest, expected: None }
    }

    fn append(_: &'a str, _: ErrorKind, other: Self) -> Self {
        other
    }
}

/// Names what `parser` reads, for the error when it fails at its first character.
pub(super) fn named<'a, T>(
    expected: &'static str,
    mut parser: impl Parser<&'a str, Output = T, Error = Unexpected<'a>>,
) -> impl Parser<&'a str, Output = T, Error = Unexpected<'a>> {
    move |input: &'a str| {
        let name = |found: Unexpected<'a>| match found.expected {
            Some(_) => found,
            None => Unexpected { rest: found.rest, expected: Some(expected) },
        };
        parser.parse(input).map_err(|error| error.map(name))
    }
}

/// Runs a grammar on a text, keeping what it left over.
pub(super) fn run<'a, T>(
    mut parser: impl Parser<&'a str, Output = T, Error = Unexpected<'a>>,
    text: &'a str,
) -> Result<(&'a str, T), RecordError> {
    parser.parse(text).map_err(|error| match error {
        Err::Error(found) | Err::Failure(found) => {
            Fault::expected(found.expected.unwrap_or("something else"), found.rest)
                .before(found.rest, text)
        }
        Err::Incomplete(_) => Fault::expected("more text", "").before("", text),
    })
}

/// A finite decimal number, blanks around it allowed.
pub(super) fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|value: &f64| value.is_finite())
}

/// A number written with at least two decimals and as many more as it needs.
pub(super) fn decimal(value: f64) -> String {
    let short = format!("{value:.2}");
    if short.parse() == Ok(value) { short } else { value.to_string() }
}

/// A byte-order mark, blanks and NULs at both ends are never part of a record.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}' || c == '\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_finite_and_print_back_to_themselves() {
        for text in ["inf", "NaN", "", "1e999", "x"] {
            assert_eq!(number(text), None);
        }
        assert_eq!(number(" 1.5E1 "), Some(15.0));
        for (value, text) in [(1.5, "1.50"), (-3.0, "-3.00"), (0.125, "0.125")] {
            assert_eq!(decimal(value), text);
        }
    }
}
