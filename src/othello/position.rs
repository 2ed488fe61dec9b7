//! A position: the mover's discs and the opponent's, with the rules as methods.

use std::fmt;

use thiserror::Error;

use super::{Bitboard, Move, Square, flips, mobility};

/// Discs of the side to move and of the other side. Copying is the way to undo: playing a move
/// gives a new position and leaves the old one untouched.
///
/// ```
/// use kitai::othello::Position;
/// let start = Position::START;
/// let f5 = "f5".parse()?;
/// let after = start.play(f5).expect("f5 is legal at the start");
/// assert_eq!(after.mover().count(), 1);
/// assert_eq!(after.opponent().count(), 4);
/// # Ok::<(), kitai::othello::ParseMoveError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    mover: u64,
    opponent: u64,
}

/// Two sets of discs that cannot be a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PositionError {
    /// Some square holds a disc of both sides.
    #[error("square {0} holds a disc of both sides")]
    Overlap(Square),
}

impl Position {
    /// The usual start, Black to move: mover d5 e4, opponent d4 e5.
    pub const START: Position =
        Position { mover: 0x0000_0008_1000_0000, opponent: 0x0000_0010_0800_0000 };

    /// A position from two sets of discs.
    ///
    /// # Errors
    /// If the sets share a square.
    pub fn new(mover: Bitboard, opponent: Bitboard) -> Result<Position, PositionError> {
        match (mover & opponent).first() {
            Some(square) => Err(PositionError::Overlap(square)),
            None => Ok(Position { mover: mover.0, opponent: opponent.0 }),
        }
    }

    /// A position from two sets known to be disjoint (search code, where they are by construction).
    #[inline]
    pub const fn from_disjoint(mover: u64, opponent: u64) -> Position {
        debug_assert!(mover & opponent == 0);
        Position { mover, opponent }
    }

    /// Discs of the side to move.
    #[inline]
    pub const fn mover(self) -> Bitboard {
        Bitboard(self.mover)
    }

    /// Discs of the other side.
    #[inline]
    pub const fn opponent(self) -> Bitboard {
        Bitboard(self.opponent)
    }

    /// Squares without a disc.
    #[inline]
    pub const fn empties(self) -> Bitboard {
        Bitboard(!(self.mover | self.opponent))
    }

    /// How many squares have no disc.
    #[inline]
    pub const fn empty_count(self) -> u32 {
        (!(self.mover | self.opponent)).count_ones()
    }

    /// All legal moves of the side to move.
    #[inline]
    pub fn legal_moves(self) -> Bitboard {
        Bitboard(mobility::legal_moves(self.mover, self.opponent))
    }

    /// Whether the side to move has a legal move.
    #[inline]
    pub fn has_move(self) -> bool {
        mobility::legal_moves(self.mover, self.opponent) != 0
    }

    /// Whether the side to move has no move but the other side has.
    pub fn must_pass(self) -> bool {
        !self.has_move() && self.pass().has_move()
    }

    /// Whether neither side has a move.
    pub fn is_over(self) -> bool {
        !self.has_move() && !self.pass().has_move()
    }

    /// The discs a move on this square flips; empty if the square is taken or the move illegal.
    #[inline]
    pub fn flips(self, square: Square) -> Bitboard {
        if (self.mover | self.opponent) & square.bit() != 0 {
            return Bitboard::EMPTY;
        }
        Bitboard(flips::flips(square.index(), self.mover, self.opponent))
    }

    /// Whether a disc may be placed there.
    pub fn is_legal(self, square: Square) -> bool {
        !self.flips(square).is_empty()
    }

    /// The position after a disc on this square, or `None` if that is not legal.
    pub fn play(self, square: Square) -> Option<Position> {
        let flipped = self.flips(square);
        (!flipped.is_empty()).then(|| self.play_flipping(square, flipped))
    }

    /// The position after a disc on `square` that flips `flipped`, both known to be right.
    #[inline]
    pub const fn play_flipping(self, square: Square, flipped: Bitboard) -> Position {
        Position {
            mover: self.opponent ^ flipped.0,
            opponent: self.mover | flipped.0 | square.bit(),
        }
    }

    /// The position before a disc on `square` that flipped `flipped`: the inverse of
    /// [`Position::play_flipping`].
    pub const fn unplay_flipping(self, square: Square, flipped: Bitboard) -> Position {
        Position {
            mover: self.opponent & !(flipped.0 | square.bit()),
            opponent: self.mover ^ flipped.0,
        }
    }

    /// The same discs with the turn handed over.
    #[inline]
    pub const fn pass(self) -> Position {
        Position { mover: self.opponent, opponent: self.mover }
    }

    /// The position after a legal move or a forced pass, or `None` if it is neither.
    pub fn after(self, chosen: Move) -> Option<Position> {
        match chosen {
            Move::Place(square) => self.play(square),
            Move::Pass => self.must_pass().then(|| self.pass()),
        }
    }

    /// The position after a move known to be legal.
    #[inline]
    pub fn after_unchecked(self, chosen: Move) -> Position {
        match chosen {
            Move::Place(square) => self.play_flipping(square, self.flips(square)),
            Move::Pass => self.pass(),
        }
    }

    /// Every legal move with the position after it; a forced pass is the one entry of its list; a
    /// finished game has none.
    pub fn children(self) -> impl Iterator<Item = (Move, Position)> {
        let moves = self.legal_moves();
        let pass = (moves.is_empty() && self.pass().has_move()).then(|| (Move::Pass, self.pass()));
        let placed = moves.into_iter().map(move |square| {
            (Move::Place(square), self.play_flipping(square, self.flips(square)))
        });
        placed.chain(pass)
    }

    /// Own discs minus the other side's, empties not counted.
    #[inline]
    pub const fn disc_difference(self) -> i32 {
        self.mover.count_ones() as i32 - self.opponent.count_ones() as i32
    }

    /// The score of a finished game for the side to move, −64 to 64: empties go to the winner, a
    /// draw stays 0.
    #[inline]
    pub const fn final_score(self) -> i32 {
        let difference = self.disc_difference();
        let empties = self.empty_count() as i32;
        if difference > 0 {
            difference + empties
        } else if difference < 0 {
            difference - empties
        } else {
            0
        }
    }
}

/// Eight rows: `X` the mover, `O` the opponent, `-` empty.
impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for square in Square::all() {
            if square.column() == 0 {
                writeln!(f)?;
            }
            f.write_str(if self.mover().contains(square) {
                "X"
            } else if self.opponent().contains(square) {
                "O"
            } else {
                "-"
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_position, seeded};
    use proptest::prelude::*;

    fn any_position() -> impl Strategy<Value = Position> {
        (any::<u64>(), 0u32..=60)
            .prop_map(|(seed, empties)| random_position(empties, &mut seeded(seed)))
    }

    #[test]
    fn the_start_has_four_moves() {
        let moves: Vec<String> =
            Position::START.legal_moves().into_iter().map(|s| s.to_string()).collect();
        assert_eq!(moves, ["d3", "c4", "f5", "e6"]);
    }

    #[test]
    fn overlapping_sets_are_refused_by_name() {
        let both = Bitboard(1 << 9);
        assert_eq!(
            Position::new(both, both).unwrap_err().to_string(),
            "square b2 holds a disc of both sides"
        );
    }

    #[test]
    fn final_scores_give_the_empties_to_the_winner() {
        let won = Position::from_disjoint(0b111, 0b1000);
        assert_eq!(won.final_score(), 62);
        assert_eq!(won.pass().final_score(), -62);
        assert_eq!(Position::from_disjoint(1, 2).final_score(), 0);
        assert_eq!(won.disc_difference(), 2);
    }

    proptest! {
        #[test]
        fn undoing_a_move_gives_the_position_back(position in any_position()) {
            for square in position.legal_moves() {
                let flipped = position.flips(square);
                let after = position.play_flipping(square, flipped);
                prop_assert_eq!(after.unplay_flipping(square, flipped), position);
                prop_assert_eq!(after.empty_count(), position.empty_count() - 1);
            }
            prop_assert_eq!(position.pass().pass(), position);
        }

        #[test]
        fn a_square_is_legal_exactly_when_it_is_in_the_set(position in any_position()) {
            for square in Square::all() {
                prop_assert_eq!(position.is_legal(square), position.legal_moves().contains(square));
                prop_assert_eq!(position.play(square).is_some(), position.is_legal(square));
            }
        }
    }
}
