//! Numbers and boards as rows of bits: what a recorded game ([`super::games`]) is made of.

use super::bits::{BitReader, BitWriter};
use crate::othello::Position;

/// Ones after which a score follows in plain bits.
pub(super) const ESCAPE: u32 = 24;
/// Wide enough for the difference of any two scores.
const PLAIN: u32 = 16;

pub(super) fn put_position(out: &mut BitWriter, position: Position) {
    let mover = position.mover().0;
    let discs = mover | position.opponent().0;
    out.put(discs as u32, 32);
    out.put((discs >> 32) as u32, 32);
    let mut left = discs;
    while left != 0 {
        out.put(u32::from(mover & left & left.wrapping_neg() != 0), 1);
        left &= left - 1;
    }
}

pub(super) fn take_position(input: &mut BitReader<'_>) -> Position {
    let discs = u64::from(input.take(32)) | u64::from(input.take(32)) << 32;
    let (mut left, mut mover) = (discs, 0);
    while left != 0 {
        if input.take(1) == 1 {
            mover |= left & left.wrapping_neg();
        }
        left &= left - 1;
    }
    Position::from_disjoint(mover, discs & !mover)
}

/// Bits that tell so many moves apart.
#[inline]
pub(super) fn width(moves: u32) -> u32 {
    32 - moves.saturating_sub(1).leading_zeros()
}

/// The bits without the lowest `place` ones.
#[inline]
pub(super) fn from_nth_bit(mut bits: u64, place: u32) -> u64 {
    for _ in 0..place {
        bits &= bits - 1;
    }
    bits
}

pub(super) fn fold(difference: i32) -> u32 {
    ((difference << 1) ^ (difference >> 31)) as u32
}

#[inline]
pub(super) fn unfold(folded: u32) -> i32 {
    (folded >> 1) as i32 ^ -((folded & 1) as i32)
}

pub(super) fn rice_length(folded: u32, parameter: u32) -> u32 {
    match folded >> parameter {
        ones if ones < ESCAPE => ones + 1 + parameter,
        _ => ESCAPE + PLAIN,
    }
}

pub(super) fn put_rice(out: &mut BitWriter, folded: u32, parameter: u32) {
    let ones = folded >> parameter;
    if ones < ESCAPE {
        out.put((1 << ones) - 1, ones + 1);
        out.put(folded & ((1 << parameter) - 1), parameter);
    } else {
        out.put((1 << ESCAPE) - 1, ESCAPE);
        out.put(folded, PLAIN);
    }
}

#[inline]
pub(super) fn take_rice(input: &mut BitReader<'_>, parameter: u32) -> u32 {
    match input.take_ones(ESCAPE) {
        ESCAPE => input.take(PLAIN),
        ones => ones << parameter | input.take(parameter),
    }
}
