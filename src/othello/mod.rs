//! The rules of Othello, and nothing else.
//!
//! A [`Position`] is two 64-bit sets, the mover's discs and the opponent's: colour belongs to the
//! game record (see [`crate::record`]), not to the rules. Bit 0 is a1 (top left), bit 7 is h1,
//! bit 63 is h8.
//!
//! The two kernels everything else stands on, [`flips`] and [`mobility`], exist in a SIMD form and
//! in a portable form chosen at compile time by target feature; tests compare both with a slow
//! walker over the squares.

pub mod bitboard;
pub mod color;
pub mod fingerprint;
pub mod flips;
pub mod hash;
pub mod lanes;
pub mod mobility;
pub mod perft;
pub mod position;
pub mod random;
pub mod square;
pub mod stability;
pub mod symmetry;

#[cfg(test)]
pub(crate) mod slow;

pub use bitboard::Bitboard;
pub use color::Color;
pub use position::{Position, PositionError};
pub use square::{Move, ParseMoveError, Square};
pub use symmetry::Symmetry;
