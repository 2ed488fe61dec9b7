//! A position with colours: what people, files and protocols call a board.
//!
//! Text form: 64 squares in the order a1, b1, … h8, then the side to move. Read leniently, written
//! canonically (`X` black, `O` white, `-` empty, one blank, `X` or `O`). This is the one way Kitai
//! reads a position, on the command line and inside other formats.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::othello::{Bitboard, Color, Position, Square};

/// A position and the colour of its mover.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    /// Discs of the mover and of the other side.
    pub position: Position,
    /// Who the mover is.
    pub turn: Color,
}

/// Why a text is not a board.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BoardError {
    /// A character that is no square.
    #[error(
        "character {column}: `{found}` is no square (black X x * B b @, white O o W w 0, empty - . _)"
    )]
    BadSquare {
        /// The character.
        found: char,
        /// Its place in the text, from 1.
        column: usize,
    },
    /// The text ended early.
    #[error("a board has 64 squares, this text has {0}")]
    TooShort(usize),
    /// No side to move after the squares.
    #[error("the side to move is missing after the 64 squares (X or O)")]
    MissingSide,
    /// Something after the 64 squares that is no side.
    #[error("`{0}` is no side to move (black: X * B, white: O W)")]
    BadSide(String),
}

impl Board {
    /// The usual start with Black to move.
    pub const START: Board = Board { position: Position::START, turn: Color::Black };

    /// Discs of one colour.
    pub const fn discs(self, color: Color) -> Bitboard {
        if color as u8 == self.turn as u8 {
            self.position.mover()
        } else {
            self.position.opponent()
        }
    }

    /// The board from two sets of discs known to be disjoint.
    pub const fn from_colors(black: Bitboard, white: Bitboard, turn: Color) -> Board {
        let position = match turn {
            Color::Black => Position::from_disjoint(black.0, white.0),
            Color::White => Position::from_disjoint(white.0, black.0),
        };
        Board { position, turn }
    }

    /// What stands on a square.
    pub const fn at(self, square: Square) -> Option<Color> {
        if self.discs(Color::Black).contains(square) {
            Some(Color::Black)
        } else if self.discs(Color::White).contains(square) {
            Some(Color::White)
        } else {
            None
        }
    }

    /// The score of a finished game for Black, empties to the winner.
    pub const fn final_score_for_black(self) -> i32 {
        self.position.final_score() * self.turn.sign()
    }

    /// The 64 squares as `X`, `O`, `-`.
    pub fn squares(self) -> String {
        Square::all().map(|square| self.at(square).map_or('-', Color::symbol)).collect()
    }
}

/// The colour a board character stands for: outer `None` if it is no square, inner `None` if empty.
pub fn square_symbol(character: char) -> Option<Option<Color>> {
    match character {
        'X' | 'x' | '*' | 'B' | 'b' | '@' => Some(Some(Color::Black)),
        'O' | 'o' | 'W' | 'w' | '0' => Some(Some(Color::White)),
        '-' | '.' | '_' => Some(None),
        _ => None,
    }
}

crate::text::travels_as_text!(Board);

impl FromStr for Board {
    type Err = BoardError;

    fn from_str(text: &str) -> Result<Board, BoardError> {
        let (mut black, mut white, mut index) = (0u64, 0u64, 0usize);
        let mut rest = text.char_indices();
        while index < 64 {
            let Some((_, character)) = rest.next() else {
                return Err(BoardError::TooShort(index));
            };
            if character.is_whitespace() || character == '/' {
                continue;
            }
            match square_symbol(character) {
                Some(Some(Color::Black)) => black |= 1 << index,
                Some(Some(Color::White)) => white |= 1 << index,
                Some(None) => {}
                None => {
                    let column = text.chars().count() - rest.as_str().chars().count();
                    return Err(BoardError::BadSquare { found: character, column });
                }
            }
            index += 1;
        }
        let side = rest.as_str().trim_matches(|c: char| c.is_whitespace() || c == ';');
        let turn = match side.to_ascii_lowercase().as_str() {
            "" => return Err(BoardError::MissingSide),
            "black" => Color::Black,
            "white" => Color::White,
            one if one.chars().count() == 1 => one
                .chars()
                .next()
                .and_then(square_symbol)
                .flatten()
                .ok_or_else(|| BoardError::BadSide(side.to_owned()))?,
            _ => return Err(BoardError::BadSide(side.chars().take(20).collect())),
        };
        Ok(Board::from_colors(Bitboard(black), Bitboard(white), turn))
    }
}

/// The canonical text: 64 squares, a blank, the side.
impl fmt::Display for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.squares(), self.turn.symbol())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_position, seeded};

    const START: &str = "---------------------------OX------XO--------------------------- X";

    #[test]
    fn the_start_prints_as_everyone_writes_it() {
        assert_eq!(Board::START.to_string(), START);
        assert_eq!(START.parse(), Ok(Board::START));
    }

    #[test]
    fn other_clothes_are_the_same_board() {
        let rows = "........ ........ ......../...o*... ...bW...\n________ -------- -------- black";
        assert_eq!(rows.parse(), Ok(Board::START));
    }

    #[test]
    fn errors_say_what_and_where() {
        let error = |text: &str| text.parse::<Board>().unwrap_err().to_string();
        assert!(error("--?").starts_with("character 3: `?` is no square"));
        assert_eq!(error("---"), "a board has 64 squares, this text has 3");
        assert!(error(&START[..64]).contains("side to move is missing"));
        assert!(error(&format!("{} Z", &START[..64])).contains("`Z` is no side"));
        assert!(error(&format!("{} XO", &START[..64])).contains("`XO` is no side"));
    }

    #[test]
    fn writing_and_reading_is_the_identity() {
        let mut rng = seeded(9);
        for empties in 0..=60 {
            for turn in [Color::Black, Color::White] {
                let board = Board { position: random_position(empties, &mut rng), turn };
                assert_eq!(board.to_string().parse(), Ok(board));
                assert_eq!(
                    Board::from_colors(board.discs(Color::Black), board.discs(Color::White), turn),
                    board
                );
            }
        }
    }
}
