//! The eight symmetries of the board and a canonical form.

use super::{Bitboard, Position, Square};

/// One of the eight ways to turn or mirror the board.
///
/// Bits of the number: 1 mirrors left–right, 2 mirrors top–bottom, 4 then swaps rows and columns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Symmetry(u8);

impl Symmetry {
    /// Leaves the board as it is.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// All eight, identity first.
    pub fn all() -> impl Iterator<Item = Symmetry> {
        (0..8).map(Symmetry)
    }

    /// The image of a set.
    pub const fn apply(self, set: Bitboard) -> Bitboard {
        let mut bits = set.0;
        if self.0 & 1 != 0 {
            bits = mirror_columns(bits);
        }
        if self.0 & 2 != 0 {
            bits = bits.swap_bytes();
        }
        if self.0 & 4 != 0 {
            bits = transpose(bits);
        }
        Bitboard(bits)
    }

    /// The image of a square.
    pub const fn apply_square(self, square: Square) -> Square {
        Square::lowest_of(self.apply(Bitboard(square.bit())).0)
    }

    /// The image of a position.
    pub const fn apply_position(self, position: Position) -> Position {
        Position::from_disjoint(self.apply(position.mover()).0, self.apply(position.opponent()).0)
    }

    /// The symmetry that undoes this one.
    pub const fn inverse(self) -> Symmetry {
        match self.0 {
            // Mirror one axis, then transpose: a quarter turn; its inverse mirrors the other axis.
            5 => Symmetry(6),
            6 => Symmetry(5),
            same => Symmetry(same),
        }
    }
}

/// The least of the eight images, with the symmetry that leads to it.
pub fn canonical(position: Position) -> (Position, Symmetry) {
    Symmetry::all()
        .map(|symmetry| (symmetry.apply_position(position), symmetry))
        .min()
        .unwrap_or((position, Symmetry::IDENTITY))
}

/// Swaps columns a↔h, b↔g, c↔f, d↔e.
pub const fn mirror_columns(bits: u64) -> u64 {
    bits.reverse_bits().swap_bytes()
}

/// Swaps rows and columns: b1 ↔ a2.
pub const fn transpose(bits: u64) -> u64 {
    let mut x = bits;
    let mut t = (x ^ (x >> 7)) & 0x00aa_00aa_00aa_00aa;
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & 0x0000_cccc_0000_cccc;
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & 0x0000_0000_f0f0_f0f0;
    x ^ t ^ (t << 28)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_position, seeded};

    #[test]
    fn transpose_and_mirror_move_squares_as_named() {
        for square in Square::all() {
            let swapped = Square::at(square.row(), square.column()).unwrap();
            assert_eq!(transpose(square.bit()), swapped.bit());
            let mirrored = Square::at(7 - square.column(), square.row()).unwrap();
            assert_eq!(mirror_columns(square.bit()), mirrored.bit());
        }
    }

    #[test]
    fn every_symmetry_is_undone_by_its_inverse_and_all_eight_differ() {
        let odd = Bitboard(0b1011);
        let images: std::collections::BTreeSet<_> = Symmetry::all().map(|s| s.apply(odd)).collect();
        assert_eq!(images.len(), 8);
        for symmetry in Symmetry::all() {
            assert_eq!(symmetry.inverse().apply(symmetry.apply(odd)), odd);
        }
    }

    #[test]
    fn legal_moves_turn_with_the_board() {
        let mut rng = seeded(11);
        for empties in 1..60 {
            let position = random_position(empties, &mut rng);
            for symmetry in Symmetry::all() {
                let turned = symmetry.apply_position(position);
                assert_eq!(turned.legal_moves(), symmetry.apply(position.legal_moves()));
                for square in position.legal_moves() {
                    let image = symmetry.apply_square(square);
                    assert_eq!(turned.flips(image), symmetry.apply(position.flips(square)));
                }
                assert_eq!(canonical(turned).0, canonical(position).0);
            }
            let (form, symmetry) = canonical(position);
            assert_eq!(symmetry.apply_position(position), form);
        }
    }
}
