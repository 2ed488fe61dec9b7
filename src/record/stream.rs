//! Cutting long files into single games without ever holding more than one of them.
//!
//! A line or a game longer than the limit is an error of its own; reading goes on behind it. Bytes
//! that are no UTF-8 are taken as Latin-1, which old archives use.

use std::io::BufRead;

use super::lines::{LONGEST_LINE, RawLine, decoded, next_line};
use super::{Fault, Place, RecordError};

/// Longest game of a GGF or SGF file, in bytes; leaves room for an analysed game with comments.
pub const MAX_GAME: usize = 1024 * 1024;

/// Puts an error that stood in a single line where that line is in its file.
pub(super) fn located<T>(result: Result<T, RecordError>, line: usize) -> Result<T, RecordError> {
    result.map_err(|error| error.shifted(line, 1))
}

/// The lines of a file with their numbers, line ends removed.
pub(super) struct Lines<R> {
    input: R,
    line: usize,
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Lines<R> {
        Lines { input, line: 0, ended: false }
    }
}

impl<R: BufRead> Iterator for Lines<R> {
    type Item = Result<(usize, String), RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        self.line += 1;
        let place = Place::Text { line: self.line, column: 1 };
        match next_line(&mut self.input, LONGEST_LINE).transpose()? {
            Ok(RawLine::Text(text)) => Some(Ok((self.line, text))),
            Ok(RawLine::TooLong(_)) => Some(Err(Fault::TooLong { limit: LONGEST_LINE }.at(place))),
            Err(error) => {
                // After a failed read there is nothing more to get.
                self.ended = true;
                Some(Err(Fault::Io(error).at(place)))
            }
        }
    }
}

/// How a game ends in a bracketed format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Brackets {
    /// At the first `)` outside a value; values have no escapes.
    Flat,
    /// When all parentheses are closed; `\` escapes in values.
    Nested,
}

/// One game's text and where it began.
pub(super) struct Chunk {
    pub(super) text: String,
    pub(super) line: usize,
    pub(super) column: usize,
    /// Digits that stood before the game.
    pub(super) count: String,
}

/// The games of a bracketed file. An unfinished game ends where the next one visibly begins, so
/// that one broken game costs no other.
pub(super) struct Games<R> {
    input: R,
    brackets: Brackets,
    line: usize,
    column: usize,
    ended: bool,
    /// The beginning of a game that cut its unfinished predecessor short.
    begun: Option<Begun>,
}

/// A game being collected.
struct Begun {
    bytes: Vec<u8>,
    line: usize,
    column: usize,
    count: String,
    depth: usize,
    in_value: bool,
    escaped: bool,
    too_long: bool,
}

/// What begins a game and hardly anything else.
const OPENINGS: [&[u8]; 2] = [b"(;GM[", b"(;FF["];

impl Begun {
    fn new(line: usize, column: usize, count: String) -> Begun {
        Begun {
            bytes: vec![b'('],
            line,
            column,
            count,
            depth: 1,
            in_value: false,
            escaped: false,
            too_long: false,
        }
    }

    fn finish(self) -> Result<Chunk, RecordError> {
        let Begun { bytes, line, column, count, too_long, .. } = self;
        if too_long {
            let place = Place::Text { line, column };
            return Err(Fault::TooLong { limit: MAX_GAME }.at(place));
        }
        Ok(Chunk { text: decoded(bytes), line, column, count })
    }

    /// Takes one byte; true if the game ended with it.
    fn take(&mut self, byte: u8, brackets: Brackets) -> bool {
        self.bytes.push(byte);
        if self.bytes.len() > MAX_GAME {
            // Keep only what is needed to see the next game begin.
            self.too_long = true;
            self.bytes.drain(..MAX_GAME - OPENINGS[0].len());
        }
        if self.escaped {
            self.escaped = false;
        } else if self.in_value {
            match byte {
                b']' => self.in_value = false,
                b'\\' if brackets == Brackets::Nested => self.escaped = true,
                _ => {}
            }
        } else {
            match byte {
                b'[' => self.in_value = true,
                b'(' if brackets == Brackets::Nested => self.depth += 1,
                b')' => self.depth -= 1,
                _ => {}
            }
        }
        self.depth == 0
    }

    /// Whether another game just began inside this one.
    fn overtaken(&self) -> bool {
        let opening = OPENINGS[0].len();
        (self.bytes.len() > opening || self.too_long)
            && OPENINGS.iter().any(|opening| self.bytes.ends_with(opening))
    }
}

impl<R: BufRead> Games<R> {
    pub(super) fn new(input: R, brackets: Brackets) -> Games<R> {
        Games { input, brackets, line: 1, column: 0, ended: false, begun: None }
    }

    /// The next byte, counting lines and characters.
    fn next_byte(&mut self) -> Result<Option<u8>, std::io::Error> {
        let Some(&byte) = self.input.fill_buf()?.first() else {
            return Ok(None);
        };
        self.input.consume(1);
        // Continuation bytes of UTF-8 belong to the character before.
        if byte & 0xc0 != 0x80 {
            self.column += 1;
        }
        Ok(Some(byte))
    }

    /// Moves the counters past a byte that was just used.
    fn pass_line_end(&mut self, byte: u8) {
        if byte == b'\n' {
            self.line += 1;
            self.column = 0;
        }
    }

    /// Finds the next `(`; digits before it are the archive's count, anything else is an error.
    fn find_begin(&mut self) -> Result<Option<Begun>, RecordError> {
        let mut count = String::new();
        let mut junk: Option<(Place, Vec<u8>)> = None;
        loop {
            let byte = self.next_byte().map_err(|error| self.io(error))?;
            let here = Place::Text { line: self.line, column: self.column };
            let ends_junk = matches!(byte, None | Some(b'(' | b'\n'));
            if ends_junk && let Some((place, bytes)) = junk.take() {
                if byte == Some(b'(') {
                    self.begun = Some(Begun::new(self.line, self.column, String::new()));
                }
                if let Some(byte) = byte {
                    self.pass_line_end(byte);
                }
                return Err(Fault::expected("a game `(;…`", &decoded(bytes)).at(place));
            }
            match byte {
                None => return Ok(None),
                Some(b'(') => return Ok(Some(Begun::new(self.line, self.column, count))),
                Some(byte) => {
                    match &mut junk {
                        Some((_, bytes)) if bytes.len() < LONGEST_LINE => bytes.push(byte),
                        Some(_) => {}
                        None if byte.is_ascii_digit() && count.len() < 9 => {
                            count.push(char::from(byte));
                        }
                        // Blanks, NULs and the three bytes of a byte-order mark.
                        None if byte.is_ascii_whitespace()
                            || matches!(byte, 0 | 0xef | 0xbb | 0xbf) => {}
                        None => junk = Some((here, vec![byte])),
                    }
                    self.pass_line_end(byte);
                }
            }
        }
    }

    fn io(&mut self, error: std::io::Error) -> RecordError {
        self.ended = true;
        Fault::Io(error).at(Place::Text { line: self.line, column: self.column })
    }
}

impl<R: BufRead> Iterator for Games<R> {
    type Item = Result<Chunk, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let mut game = match self.begun.take() {
            Some(begun) => begun,
            None => match self.find_begin() {
                Ok(begun) => begun?,
                Err(error) => return Some(Err(error)),
            },
        };
        loop {
            let byte = match self.next_byte() {
                Ok(Some(byte)) => byte,
                Ok(None) => {
                    self.ended = true;
                    return Some(game.finish());
                }
                Err(error) => return Some(Err(self.io(error))),
            };
            let over = game.take(byte, self.brackets);
            self.pass_line_end(byte);
            if over {
                return Some(game.finish());
            }
            if game.overtaken() {
                let opening = OPENINGS[0].len();
                let begins = game.bytes.len() - opening;
                let mut next = Begun::new(self.line, self.column + 1 - opening, String::new());
                next.bytes = game.bytes.split_off(begins);
                next.in_value = true;
                self.begun = Some(next);
                return Some(game.finish());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, BufReader, Read};

    fn texts(input: &[u8], brackets: Brackets) -> Vec<Result<String, String>> {
        // A tiny buffer shows mistakes at the seams.
        Games::new(BufReader::with_capacity(3, input), brackets)
            .map(|chunk| chunk.map(|c| c.text).map_err(|error| error.to_string()))
            .collect()
    }

    /// So many copies of a byte, without holding them.
    fn many(byte: u8, count: u64) -> impl Read {
        io::repeat(byte).take(count)
    }

    #[test]
    fn lines_lose_their_ends_and_keep_their_numbers() {
        let lines: Vec<_> = Lines::new(&b"a\r\n\nb\0c\xe9"[..]).map(Result::unwrap).collect();
        assert_eq!(lines, [(1, "a".into()), (2, String::new()), (3, "b\0cé".into())]);
        assert_eq!(Lines::new(&b""[..]).count(), 0);
    }

    #[test]
    fn a_line_of_a_hundred_megabytes_is_one_error_and_the_next_line_is_read() {
        let input = many(b'x', 100_000_000).chain(&b"\nok"[..]);
        let lines: Vec<_> = Lines::new(BufReader::new(input)).collect();
        assert_eq!(lines.len(), 2);
        let error = lines[0].as_ref().unwrap_err().to_string();
        assert_eq!(error, "line 1, column 1: longer than 65536 bytes");
        assert_eq!(lines[1].as_ref().unwrap(), &(2, "ok".to_owned()));
    }

    #[test]
    fn a_game_of_a_hundred_megabytes_is_one_error_and_the_next_game_is_read() {
        for brackets in [Brackets::Flat, Brackets::Nested] {
            let input = (&b"(;GM[Othello]PB["[..])
                .chain(many(b'x', 100_000_000))
                .chain(&b"\n(;GM[Othello];)"[..]);
            let games: Vec<_> = Games::new(BufReader::new(input), brackets).collect();
            assert_eq!(games.len(), 2);
            let error = games[0].as_ref().err().unwrap().to_string();
            assert_eq!(error, "line 1, column 1: longer than 1048576 bytes");
            let chunk = games[1].as_ref().ok().unwrap();
            assert_eq!((chunk.line, chunk.column), (2, 1));
            assert_eq!(chunk.text, "(;GM[Othello];)");
        }
    }

    #[test]
    fn games_are_cut_at_their_ends_whatever_their_values_hold() {
        let flat = texts(b"\xef\xbb\xbf1 (;GM[a;)(b];)\r\n2 (;A[1];)(;B[2];)\0", Brackets::Flat);
        assert_eq!(
            flat,
            [Ok("(;GM[a;)(b];)".into()), Ok("(;A[1];)".into()), Ok("(;B[2];)".into())]
        );
        let nested = texts(b"(;C[\\])](;B[a])(;B[b]))(;C[x])", Brackets::Nested);
        assert_eq!(nested, [Ok("(;C[\\])](;B[a])(;B[b]))".into()), Ok("(;C[x])".into())]);
    }

    #[test]
    fn an_unfinished_game_ends_where_the_next_begins() {
        let games = texts(b"(;GM[Othello]PB[x\n(;GM[Othello];)", Brackets::Flat);
        assert_eq!(games, [Ok("(;GM[Othello]PB[x\n".into()), Ok("(;GM[Othello];)".into())]);
    }

    #[test]
    fn junk_between_games_is_an_error_of_its_own() {
        let games = texts(b"hello (;A[1];)\nworld\n(;B[2];)", Brackets::Flat);
        assert_eq!(games.len(), 4);
        assert!(games[0].as_ref().unwrap_err().starts_with("line 1, column 1: expected a game"));
        assert_eq!(games[1], Ok("(;A[1];)".into()));
        assert!(games[2].as_ref().unwrap_err().starts_with("line 2, column 1: expected a game"));
        assert_eq!(games[3], Ok("(;B[2];)".into()));
    }
}
