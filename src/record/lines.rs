//! The one way to read lines of bounded length from any stream of bytes.
//!
//! [`LineCollector`] puts a line together from the pieces that come, whoever fetches them: files
//! and engines through [`next_line`], sockets through the server's asynchronous reader. However
//! long a line is, no more of it than the limit is kept. Bytes that are no UTF-8 are taken as
//! Latin-1, which old archives and old programs use.

use std::io::BufRead;

/// Longest line taken whole, in bytes: a GGF record of a full game is a few thousand.
pub const LONGEST_LINE: usize = 1 << 16;

/// A line without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawLine {
    /// All of it.
    Text(String),
    /// The beginning of one that is longer than the limit; the rest was thrown away.
    TooLong(String),
}

impl RawLine {
    /// The text, of a long line its beginning.
    pub fn into_text(self) -> String {
        match self {
            RawLine::Text(text) | RawLine::TooLong(text) => text,
        }
    }
}

/// Puts one line together.
pub struct LineCollector {
    bytes: Vec<u8>,
    limit: usize,
    has_begun: bool,
    is_too_long: bool,
}

impl LineCollector {
    /// For a line of at most `limit` bytes.
    pub fn new(limit: usize) -> LineCollector {
        LineCollector { bytes: Vec::new(), limit, has_begun: false, is_too_long: false }
    }

    /// Takes what belongs to the line from the front of `available`, its end included: how many
    /// bytes that were, and whether the line is complete.
    pub fn take(&mut self, available: &[u8]) -> (usize, bool) {
        let end = available.iter().position(|&byte| byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        let kept = part.len().min(self.limit - self.bytes.len());
        self.bytes.extend_from_slice(&part[..kept]);
        self.is_too_long |= kept < part.len();
        self.has_begun |= !available.is_empty();
        (part.len() + usize::from(end.is_some()), end.is_some())
    }

    /// The line; `None` if the input ended before it began.
    pub fn finish(mut self) -> Option<RawLine> {
        if !self.has_begun {
            return None;
        }
        if self.is_too_long {
            return Some(RawLine::TooLong(decoded(self.bytes)));
        }
        if self.bytes.last() == Some(&b'\r') {
            self.bytes.pop();
        }
        Some(RawLine::Text(decoded(self.bytes)))
    }
}

/// Reads the next line; `None` at the end of input.
///
/// # Errors
/// If reading fails.
pub fn next_line(input: &mut impl BufRead, limit: usize) -> std::io::Result<Option<RawLine>> {
    let mut line = LineCollector::new(limit);
    loop {
        let available = match input.fill_buf() {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            available => available?,
        };
        let at_end = available.is_empty();
        let (used, is_complete) = line.take(available);
        input.consume(used);
        if is_complete || at_end {
            return Ok(line.finish());
        }
    }
}

/// Text of any bytes: UTF-8 if they are, else Latin-1.
pub fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|&byte| char::from(byte)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::BufReader;

    fn lines(bytes: &[u8], capacity: usize, limit: usize) -> Vec<RawLine> {
        let mut input = BufReader::with_capacity(capacity, bytes);
        std::iter::from_fn(|| next_line(&mut input, limit).unwrap()).collect()
    }

    fn text(text: &str) -> RawLine {
        RawLine::Text(text.to_owned())
    }

    #[test]
    fn line_ends_of_both_kinds_and_a_missing_last_one_are_understood() {
        assert_eq!(
            lines(b"one\r\n\ntwo and more\nlast", 7, 100),
            [text("one"), text(""), text("two and more"), text("last")]
        );
        assert_eq!(lines(b"", 7, 100), []);
        assert_eq!(lines(b"\n", 7, 100), [text("")]);
    }

    #[test]
    fn other_bytes_than_utf_8_become_latin_1() {
        assert_eq!(lines(b"caf\xe9\ncaf\xc3\xa9\n", 7, 100), [text("café"), text("café")]);
    }

    #[test]
    fn of_a_line_that_is_too_long_the_beginning_is_kept_and_the_next_one_read() {
        let mut bytes = vec![b'x'; LONGEST_LINE + 1];
        bytes.extend_from_slice(b"\nname\n");
        let found = lines(&bytes, 7, LONGEST_LINE);
        assert_eq!(found, [RawLine::TooLong("x".repeat(LONGEST_LINE)), text("name")]);
        let mut bytes = vec![b'x'; LONGEST_LINE];
        bytes.push(b'\n');
        assert_eq!(lines(&bytes, 4096, LONGEST_LINE), [text(&"x".repeat(LONGEST_LINE))]);
    }

    proptest! {
        /// The obvious twin: split the whole text at line ends.
        #[test]
        fn pieces_of_any_size_give_the_lines_of_the_whole(
            bytes in proptest::collection::vec(prop_oneof![Just(b'\n'), Just(b'\r'), any::<u8>()], 0..200),
            capacity in 1usize..9,
            limit in 0usize..30,
        ) {
            let mut parts: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
            if parts.last() == Some(&&b""[..]) {
                parts.pop();
            }
            let expected: Vec<RawLine> = parts
                .into_iter()
                .map(|part| match part {
                    long if long.len() > limit => RawLine::TooLong(decoded(long[..limit].to_vec())),
                    [whole @ .., b'\r'] => RawLine::Text(decoded(whole.to_vec())),
                    whole => RawLine::Text(decoded(whole.to_vec())),
                })
                .collect();
            prop_assert_eq!(lines(&bytes, capacity, limit), expected);
        }
    }
}
