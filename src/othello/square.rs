//! Squares and moves: `a1` is the top-left corner, columns go right, rows go down.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// One of the 64 squares; index 0 is a1, 7 is h1, 63 is h8.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

/// A text that names neither a square nor a pass.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("expected a square from a1 to h8 or a pass (pa, ps, pass, --, @@), got `{0}`")]
pub struct ParseMoveError(pub String);

impl Square {
    /// All squares in index order.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator {
        (0..64u8).map(Square)
    }

    /// The square with this index, or `None` from 64 up.
    pub const fn new(index: u8) -> Option<Square> {
        if index < 64 { Some(Square(index)) } else { None }
    }

    /// The square of the lowest set bit.
    ///
    /// `bits` must not be empty; an empty set gives a1 after the wrap to six bits.
    #[inline]
    pub const fn lowest_of(bits: u64) -> Square {
        Square((bits.trailing_zeros() & 63) as u8)
    }

    /// The square in this column (0 = a) and row (0 = row 1), or `None` off the board.
    pub const fn at(column: u8, row: u8) -> Option<Square> {
        if column < 8 && row < 8 { Some(Square(row * 8 + column)) } else { None }
    }

    /// Index 0–63 in the order a1, b1, … h8.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Column 0–7 for a–h.
    pub const fn column(self) -> u8 {
        self.0 & 7
    }

    /// Row 0–7 for rows 1–8.
    pub const fn row(self) -> u8 {
        self.0 >> 3
    }

    /// The set with just this square.
    #[inline]
    pub const fn bit(self) -> u64 {
        1 << self.0
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.column()) as char, self.row() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Square {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.as_bytes() {
            [column, row] => {
                let column = column.to_ascii_lowercase().wrapping_sub(b'a');
                Square::at(column, row.wrapping_sub(b'1'))
            }
            _ => None,
        }
        .ok_or_else(|| ParseMoveError(text.to_owned()))
    }
}

/// What a player does in one turn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Move {
    /// A disc on this square.
    Place(Square),
    /// No legal move: the turn goes over.
    Pass,
}

impl Move {
    /// The square played, or `None` for a pass.
    pub const fn square(self) -> Option<Square> {
        match self {
            Move::Place(square) => Some(square),
            Move::Pass => None,
        }
    }
}

impl From<Square> for Move {
    fn from(square: Square) -> Self {
        Move::Place(square)
    }
}

/// Lower-case square, or `pa` for a pass.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Place(square) => square.fmt(f),
            Move::Pass => f.write_str("pa"),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

crate::text::travels_as_text!(Move);

impl FromStr for Move {
    type Err = ParseMoveError;

    /// Reads a square or any of the usual spellings of a pass, in any case.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let lower = text.to_ascii_lowercase();
        match lower.as_str() {
            "pa" | "ps" | "pass" | "--" | "@@" => Ok(Move::Pass),
            _ => text.parse().map(Move::Place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_square_prints_and_parses_to_itself() {
        for square in Square::all() {
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(square.to_string().to_uppercase().parse(), Ok(square));
        }
    }

    #[test]
    fn text_off_the_board_is_refused_with_its_own_words() {
        for bad in ["", "i1", "a9", "a0", "a", "a11", "é1", "`1"] {
            assert_eq!(bad.parse::<Square>(), Err(ParseMoveError(bad.to_owned())));
        }
    }

    #[test]
    fn every_spelling_of_a_pass_is_a_pass() {
        for pass in ["pa", "PA", "ps", "Pass", "--", "@@"] {
            assert_eq!(pass.parse(), Ok(Move::Pass));
        }
    }
}
