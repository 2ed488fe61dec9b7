//! The network that gives the value: pattern vectors, their sum, and a read-out for every ply.
//!
//! Where a pattern sum looks up one number for each placement, the network looks up a row of
//! [`WIDTH`] numbers: its shares of the hidden units. The rows of all placements, of discs
//! ([`SHAPES`]) and of moves ([`reach`]), are added up; a unit counts by one weight
//! where its sum is above zero and by another where it is below, and these weights belong to the ply.
//! Rows are the same for all plies, so every position of a game teaches them, and a row is half a
//! cache line, which a single number would have fetched as well.
//!
//! All of it is whole numbers. Sums saturate instead of wrapping around and are made in one order, so
//! that vectors and plain integers, and every machine, find the same value.

use rayon::prelude::*;

use super::rough::BEGINS;
use super::{SHAPES, Weights, packings};
use crate::eval::geometry::Indices;
use crate::eval::linear::PLIES;
use crate::eval::reach::{self, Reach};
use crate::memory::prefer_huge_pages;

/// Hidden units.
pub const WIDTH: usize = 16;

/// A value in evaluation units is the weighted sum of the units divided by two to this power.
pub const READ_OUT_SHIFT: u32 = 10;

/// Greatest weight of a unit: 32 of them times the greatest sums stay inside 32 bits.
pub const READ_OUT_MOST: i16 = 1023;

/// What one content of one placement adds to the hidden units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(32))]
pub struct Row(pub [i16; WIDTH]);

/// How the hidden units of a ply make a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadOut {
    /// Weight of each unit where it is above zero.
    pub above: [i16; WIDTH],
    /// Weight of each unit where it is below zero.
    pub below: [i16; WIDTH],
    /// Added at last, in [`UNIT`](crate::eval::UNIT)ths of a disc.
    pub constant: i16,
}

impl ReadOut {
    /// Every position is even.
    pub const ZERO: ReadOut = ReadOut { above: [0; WIDTH], below: [0; WIDTH], constant: 0 };
}

/// The form that needs nothing but plain integers.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx2"))))]
mod portable {
    use super::{ReadOut, Row, WIDTH};

    /// The hidden units while rows are added up.
    #[derive(Clone, Copy)]
    pub(super) struct Units([i16; WIDTH]);

    impl Units {
        pub(super) fn new() -> Units {
            Units([0; WIDTH])
        }

        pub(super) fn add(&mut self, row: &Row) {
            for (unit, share) in self.0.iter_mut().zip(row.0) {
                *unit = unit.saturating_add(share);
            }
        }

        /// The units weighed and added up.
        pub(super) fn weigh(&self, read_out: &ReadOut) -> i32 {
            let weights = read_out.above.iter().zip(&read_out.below);
            let parts = self.0.iter().zip(weights).map(|(&unit, (&above, &below))| {
                let weight = if unit > 0 { above } else { below };
                i32::from(unit) * i32::from(weight)
            });
            parts.sum()
        }
    }
}

/// The form for vectors of 256 bits; the compiler makes a poor one of the plain form.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod simd {
    use super::{ReadOut, Row, WIDTH};
    use std::arch::x86_64::*;

    /// The hidden units while rows are added up.
    #[derive(Clone, Copy)]
    pub(super) struct Units(__m256i);

    const _: () = assert!(WIDTH * 16 == 256);

    impl Units {
        #[inline(always)]
        pub(super) fn new() -> Units {
            // SAFETY: the target has AVX2.
            Units(unsafe { _mm256_setzero_si256() })
        }

        #[inline(always)]
        pub(super) fn add(&mut self, row: &Row) {
            // SAFETY: the target has AVX2, and a row is 256 bits, so aligned.
            self.0 =
                unsafe { _mm256_adds_epi16(self.0, _mm256_load_si256((&raw const *row).cast())) };
        }

        /// The units weighed and added up.
        #[inline(always)]
        pub(super) fn weigh(&self, read_out: &ReadOut) -> i32 {
            // SAFETY: the target has AVX2, and both lists of weights are 256 bits.
            unsafe {
                let zero = _mm256_setzero_si256();
                let above = _mm256_loadu_si256(read_out.above.as_ptr().cast());
                let below = _mm256_loadu_si256(read_out.below.as_ptr().cast());
                let sums = _mm256_add_epi32(
                    _mm256_madd_epi16(_mm256_max_epi16(self.0, zero), above),
                    _mm256_madd_epi16(_mm256_min_epi16(self.0, zero), below),
                );
                let sums = _mm_add_epi32(
                    _mm256_castsi256_si128(sums),
                    _mm256_extracti128_si256::<1>(sums),
                );
                let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b01_00_11_10>(sums));
                let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b10_11_00_01>(sums));
                _mm_cvtsi128_si32(sums)
            }
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
use portable::Units;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
use simd::Units;

/// The rows, one for every content of every table, and the read-outs.
pub struct Network {
    /// The tables of the shapes, then those of [`reach`].
    rows: Vec<Row>,
    read_outs: [ReadOut; PLIES],
}

impl Network {
    /// The network with these weights.
    pub fn new(weights: &Weights) -> Network {
        let size = packings().iter().map(|(packing, _)| packing.len()).sum();
        let mut rows = vec![Row([0; WIDTH]); size];
        prefer_huge_pages(&rows);
        let mut parts = Vec::new();
        let (mut room, mut given) = (&mut rows[..], &weights.rows[..]);
        for (packing, count) in packings() {
            let (table, rest) = room.split_at_mut(packing.len());
            let (packed, others) = given.split_at(*count);
            parts.push((table, packing, packed));
            (room, given) = (rest, others);
        }
        parts.into_par_iter().for_each(|(table, packing, packed)| {
            for (row, &number) in table.iter_mut().zip(packing) {
                *row = packed[number as usize];
            }
        });
        Network { rows, read_outs: weights.read_outs }
    }

    /// The value in [`UNIT`](crate::eval::UNIT)ths of a disc.
    #[inline]
    pub fn value(&self, indices: &Indices, reach: &Reach, ply: usize) -> i32 {
        let mut units = Units::new();
        let rows = &self.rows[..];
        assert!(rows.len() == ROWS);
        for shape in 0..SHAPES.len() {
            let (first, offset) = BEGINS[shape];
            for lane in first..first + SHAPES[shape].2 {
                // SAFETY: tables of shapes begin before the tables of `reach`, which have room for
                // more than every sixteen-bit index from there (checked below).
                let row = unsafe { rows.get_unchecked(offset + usize::from(indices.0[lane])) };
                units.add(row);
            }
        }
        let rows = &rows[REACH..];
        reach.each(|begin, index| {
            // SAFETY: `Reach::each` gives the beginning of a table of `reach` and an index inside
            // that table; `rows` holds all of them.
            units.add(unsafe { rows.get_unchecked(begin + usize::from(index)) });
        });
        let read_out = &self.read_outs[ply];
        (units.weigh(read_out) >> READ_OUT_SHIFT) + i32::from(read_out.constant)
    }
}

/// Where the rows of [`reach`] begin.
const REACH: usize = BEGINS[SHAPES.len()].1;

/// Rows of all tables.
const ROWS: usize = REACH + reach::TABLE_SIZE;

const _: () = assert!(reach::TABLE_SIZE > u16::MAX as usize);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::seeded;
    use rand::Rng;

    #[test]
    fn vectors_and_plain_integers_give_the_same_sums_also_when_they_saturate() {
        let mut rng = seeded(41);
        for round in 0..200 {
            let most = if round % 2 == 0 { 300 } else { i16::MAX };
            let (mut fast, mut plain) = (Units::new(), portable::Units::new());
            for _ in 0..91 {
                let row = Row(std::array::from_fn(|_| rng.random_range(-most..=most)));
                fast.add(&row);
                plain.add(&row);
            }
            let mut weights =
                || std::array::from_fn(|_| rng.random_range(-READ_OUT_MOST..=READ_OUT_MOST));
            let read_out = ReadOut { above: weights(), below: weights(), constant: 0 };
            assert_eq!(fast.weigh(&read_out), plain.weigh(&read_out));
        }
    }

    #[test]
    fn the_greatest_sums_and_weights_stay_inside_32_bits() {
        let row = Row([i16::MIN; WIDTH]);
        let read_out =
            ReadOut { above: [READ_OUT_MOST; WIDTH], below: [-READ_OUT_MOST; WIDTH], constant: 0 };
        let mut units = Units::new();
        units.add(&row);
        let expected = i64::from(i16::MIN) * i64::from(-READ_OUT_MOST) * WIDTH as i64;
        assert_eq!(i64::from(units.weigh(&read_out)), expected);
    }
}
