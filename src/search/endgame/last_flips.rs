//! How much the disc on the last empty square flips, for either side.
//!
//! All other squares are taken, so a line's occupation by one side says everything: it is gathered into
//! a small number and looked up. Nothing is flipped on the board.

/// What filling the last empty square `x` of the board flips: by the owner of `discs`, and by the
/// other side.
#[inline(always)]
pub(super) fn last_flips(x: usize, discs: u64) -> (i32, i32) {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2", target_feature = "avx512f"))]
    {
        gathered::last_flips(x, discs)
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2", target_feature = "avx512f")))]
    {
        portable::last_flips(x, discs)
    }
}

#[cfg(any(
    test,
    not(all(target_arch = "x86_64", target_feature = "bmi2", target_feature = "avx512f"))
))]
mod portable {
    //! The form that needs nothing but 64-bit integers.

    /// [`super::last_flips`].
    #[inline(always)]
    pub(super) fn last_flips(x: usize, discs: u64) -> (i32, i32) {
        (flips_of(x, discs), flips_of(x, !discs & !(1 << (x & 63))))
    }

    /// How many discs the owner of `discs` flips by filling the last empty square of the board.
    ///
    /// All other squares are the opponent's, so a line's occupation by `discs` says everything; it is
    /// gathered into a byte by one multiplication and looked up.
    #[inline(always)]
    fn flips_of(x: usize, discs: u64) -> i32 {
        const COLUMN: u64 = 0x0101_0101_0101_0101;
        let x = x & 63;
        let (column, row) = (x & 7, x >> 3);
        let [falling, rising] = DIAGONALS[x];
        let count = |place: usize, line: u64| i32::from(LINE_FLIPS[place][(line & 0xff) as usize]);
        count(column, discs >> (8 * row))
            + count(row, ((discs >> column) & COLUMN).wrapping_mul(0x0102_0408_1020_4080) >> 56)
            + count(column, (discs & falling).wrapping_mul(COLUMN) >> 56)
            + count(column, (discs & rising).wrapping_mul(COLUMN) >> 56)
    }

    /// `LINE_FLIPS[place][discs]`: what filling this place of a full line of eight flips, if these are
    /// the own discs on it.
    static LINE_FLIPS: [[u8; 256]; 8] = {
        let mut table = [[0; 256]; 8];
        let mut place = 0;
        while place < 8 {
            let mut discs = 0;
            while discs < 256usize {
                let below = discs & ((1 << place) - 1);
                let above = discs >> place >> 1;
                if below != 0 {
                    table[place][discs] += (place as u32 - 1 - below.ilog2()) as u8;
                }
                if above != 0 {
                    table[place][discs] += above.trailing_zeros() as u8;
                }
                discs += 1;
            }
            place += 1;
        }
        table
    };

    /// By square: the other squares of its two diagonals, the one of step 9 first.
    static DIAGONALS: [[u64; 2]; 64] = {
        let mut table = [[0; 2]; 64];
        let mut x = 0;
        while x < 64 {
            let mut y = 0;
            while y < 64 {
                let (columns, rows) = (y % 8 - x as i32 % 8, y / 8 - x as i32 / 8);
                if columns != 0 && columns == rows {
                    table[x][0] |= 1 << y;
                }
                if columns != 0 && columns == -rows {
                    table[x][1] |= 1 << y;
                }
                y += 1;
            }
            x += 1;
        }
        table
    };
}

/// Both sides' flips at once, where bits are gathered by an instruction that is fast (it is not on
/// processors before AVX-512).
#[cfg(all(target_arch = "x86_64", target_feature = "bmi2", target_feature = "avx512f"))]
mod gathered {
    use std::arch::x86_64::_pext_u64;

    /// Lengths and places of lines, and their occupations by one side.
    const ENTRIES: usize = 2048;

    /// By line (see [`START`]) and occupation: the owner's flips, and the other side's in the high byte.
    static BOTH: [u16; ENTRIES] = both();
    /// By square: its four lines without the square itself.
    static LINES: [[u64; 4]; 64] = lines();
    /// By square: where each line's part of [`BOTH`] begins.
    static START: [[u16; 4]; 64] = starts();

    #[inline(always)]
    pub(super) fn last_flips(x: usize, discs: u64) -> (i32, i32) {
        let x = x & 63;
        let mut sum = 0;
        for line in 0..4 {
            // SAFETY: compiled only where BMI2 is part of the target.
            let occupied = unsafe { _pext_u64(discs, LINES[x][line]) } as usize;
            sum += u32::from(BOTH[(usize::from(START[x][line]) + occupied) & (ENTRIES - 1)]);
        }
        ((sum & 0xff) as i32, (sum >> 8) as i32)
    }

    const STEPS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];

    /// How many squares a line has below this one, and above it.
    const fn extent(x: usize, line: usize) -> (usize, usize) {
        let mut counts = [0, 0];
        let mut side = 0;
        while side < 2 {
            let sign = if side == 0 { -1 } else { 1 };
            let (dx, dy) = (STEPS[line].0 * sign, STEPS[line].1 * sign);
            let (mut column, mut row) = (x as i32 % 8 + dx, x as i32 / 8 + dy);
            while column >= 0 && column < 8 && row >= 0 && row < 8 {
                counts[side] += 1;
                column += dx;
                row += dy;
            }
            side += 1;
        }
        (counts[0], counts[1])
    }

    const fn lines() -> [[u64; 4]; 64] {
        let mut table = [[0; 4]; 64];
        let mut x = 0;
        while x < 64 {
            let mut line = 0;
            while line < 4 {
                let step = STEPS[line].0 + 8 * STEPS[line].1;
                let (below, above) = extent(x, line);
                let mut i = -(below as i32);
                while i <= above as i32 {
                    if i != 0 {
                        table[x][line] |= 1 << (x as i32 + i * step);
                    }
                    i += 1;
                }
                line += 1;
            }
            x += 1;
        }
        table
    }

    /// Where the part of a line with so many squares below and above the empty one begins: lines of
    /// one length follow each other, the longest first.
    const fn start(below: usize, above: usize) -> usize {
        let mut start = 0;
        let mut others = 7;
        while others > below + above {
            start += (others + 1) << others;
            others -= 1;
        }
        start + (below << (below + above))
    }

    const fn starts() -> [[u16; 4]; 64] {
        let mut table = [[0; 4]; 64];
        let mut x = 0;
        while x < 64 {
            let mut line = 0;
            while line < 4 {
                let (below, above) = extent(x, line);
                table[x][line] = start(below, above) as u16;
                line += 1;
            }
            x += 1;
        }
        table
    }

    const fn both() -> [u16; ENTRIES] {
        let mut table = [0; ENTRIES];
        let mut others = 0;
        while others < 8 {
            let mut below = 0;
            while below <= others {
                let mut discs = 0;
                while discs < 1usize << others {
                    let rest = (1 << others) - 1 - discs;
                    table[start(below, others - below) + discs] =
                        flips(below, discs) | flips(below, rest) << 8;
                    discs += 1;
                }
                below += 1;
            }
            others += 1;
        }
        table
    }

    /// Squares between the empty one, which has `below` of the bits below it, and the nearest discs.
    const fn flips(below: usize, discs: usize) -> u16 {
        let (low, high) = (discs & ((1 << below) - 1), discs >> below);
        let mut count = 0;
        if low != 0 {
            count += below as u32 - 1 - low.ilog2();
        }
        if high != 0 {
            count += high.trailing_zeros();
        }
        count as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_discs, seeded};
    use crate::othello::slow;

    #[test]
    fn flips_of_the_last_square_are_counted_as_the_walker_counts_them() {
        let mut rng = seeded(51);
        for _ in 0..5_000 {
            let (some, others) = random_discs(&mut rng);
            for discs in [some, others, some | others, some & others.rotate_left(9)] {
                for x in 0..64 {
                    let discs = discs & !(1 << x);
                    let rest = !discs & !(1 << x);
                    let count = |discs, others| slow::flips(x, discs, others).count_ones() as i32;
                    let expected = (count(discs, rest), count(rest, discs));
                    assert_eq!(portable::last_flips(x, discs), expected);
                    assert_eq!(last_flips(x, discs), expected);
                }
            }
        }
    }
}
