//! Black and White. The rules never ask; records, protocols and players do.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Not;

/// A player's colour; Black moves first from the usual start.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Color {
    /// The first player of the usual start, `X` or `*` in text.
    Black,
    /// The second player of the usual start, `O` in text.
    White,
}

impl Color {
    /// `X` for Black, `O` for White.
    pub const fn symbol(self) -> char {
        match self {
            Color::Black => 'X',
            Color::White => 'O',
        }
    }

    /// 1 for Black, −1 for White: turns a Black-view score into this colour's view and back.
    pub const fn sign(self) -> i32 {
        match self {
            Color::Black => 1,
            Color::White => -1,
        }
    }
}

impl Not for Color {
    type Output = Color;

    fn not(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Color::Black => "black",
            Color::White => "white",
        })
    }
}
