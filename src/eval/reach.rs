//! What discs alone do not tell: where each side can move at once.
//!
//! A square is in one of four states for a side: the mover's disc, the opponent's, empty, or empty
//! and open to that side's next move. Sixteen bits hold eight squares, so the lines of the board and
//! the blocks of four by two squares in its corners are looked up whole, once for each side. One
//! more table takes the two numbers of moves. Nothing of this is kept from move to move: legal moves
//! change all over the board, and four bitboards give all indices in a few vector operations.
//!
//! The numbers of moves and the edges tell most and cost least. They belong to the rough value that
//! settles most leaves of a search ([`Reach::rough`]); the value itself looks up all of them
//! ([`Reach::each`]).

use crate::othello::Position;

/// Numbers of moves from here on are one.
const MOST: u32 = 20;

/// Entries of the table of the two numbers of moves.
const COUNTS: usize = (MOST as usize + 1) * (MOST as usize + 1);

/// Entries of a table of eight squares.
const EIGHT: usize = 1 << 16;

/// How many lanes share each table, and its entries: the numbers of moves and each side's edges; then
/// for each side the other three kinds of lines, from the edge inward, and the blocks.
pub const TABLES: [(usize, usize); 11] = [
    (1, COUNTS),
    (4, EIGHT),
    (4, EIGHT),
    (4, EIGHT),
    (4, EIGHT),
    (4, EIGHT),
    (8, EIGHT),
    (4, EIGHT),
    (4, EIGHT),
    (4, EIGHT),
    (8, EIGHT),
];

/// How many of [`TABLES`], from the first, belong to the rough value.
pub const ROUGH_TABLES: usize = 3;

/// Indices per position in those.
pub const ROUGH_LANES: usize = TABLES[0].0 + TABLES[1].0 + TABLES[2].0;

/// Indices per position.
pub const LANES: usize = 49;

/// Entries of all tables.
pub const TABLE_SIZE: usize = COUNTS + 10 * EIGHT;

/// Entries of the tables that belong to the rough value.
pub const ROUGH_SIZE: usize = COUNTS + 2 * EIGHT;

/// The low bits of the squares' states for the mover's moves, then the high bits; the same for the
/// opponent's moves.
type Planes = [u64; 4];

/// Indices as they come out of the vectors: the eight rows of a view of the board for the mover's
/// moves, then for the opponent's.
type Rows = [u16; 16];

/// What is to be looked up for a position.
pub struct Reach {
    planes: Planes,
    /// Index of the two numbers of moves.
    counts: usize,
}

/// The indices beyond the edges, not yet by table.
struct Parts {
    /// Rows and columns.
    lines: [Rows; 2],
    /// At the places of the first and the last row, the blocks that begin there: of the board, its
    /// mirror image, the board with rows and columns exchanged and that one's mirror image.
    blocks: [Rows; 4],
}

/// The form that needs nothing but 64-bit integers.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx2"))))]
mod portable {
    use super::{Planes, Rows};
    use crate::othello::symmetry::{mirror_columns, transpose};

    /// Rows and blocks of all views.
    #[inline]
    pub(super) fn rows_and_blocks(planes: Planes) -> ([Rows; 2], [Rows; 4]) {
        let turned = planes.map(transpose);
        let views = [planes, planes.map(mirror_columns), turned, turned.map(mirror_columns)];
        let views = views.map(rows);
        ([views[0], views[2]], views.map(blocks))
    }

    /// The rows of the board for both sides.
    #[inline]
    fn rows(planes: Planes) -> Rows {
        let byte = |plane: u64, row: usize| (plane >> (8 * row) & 0xff) as u16;
        std::array::from_fn(|place| {
            let (side, row) = (place / 8, place % 8);
            byte(planes[2 * side + 1], row) << 8 | byte(planes[2 * side], row)
        })
    }

    /// The blocks at the left end of each first and last row.
    #[inline]
    fn blocks(rows: Rows) -> Rows {
        std::array::from_fn(|place| match place % 8 {
            0 => rows[place] & 0x0f0f | (rows[place + 1] & 0x0f0f) << 4,
            7 => rows[place] & 0x0f0f | (rows[place - 1] & 0x0f0f) << 4,
            _ => 0,
        })
    }
}

/// The form for vectors of 256 bits: a quarter more nodes a second in the whole midgame search.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod simd {
    use super::{Planes, Rows};
    use std::arch::x86_64::*;

    /// Rows and blocks of all views; each 128-bit half holds one side.
    #[inline(always)]
    pub(super) fn rows_and_blocks(planes: Planes) -> ([Rows; 2], [Rows; 4]) {
        // SAFETY: the target has AVX2, and `Planes` and `Rows` are plain integers of 256 bits.
        unsafe {
            let planes: __m256i = std::mem::transmute(planes);
            let turned = transposed(planes);
            let views = [planes, mirrored(planes), turned, mirrored(turned)].map(|view| rows(view));
            let lines = std::mem::transmute::<[__m256i; 2], [Rows; 2]>([views[0], views[2]]);
            let blocks = views.map(|view| blocks(view));
            (lines, std::mem::transmute::<[__m256i; 4], [Rows; 4]>(blocks))
        }
    }

    /// Low and high bytes of each row beside each other.
    #[inline(always)]
    unsafe fn rows(view: __m256i) -> __m256i {
        // SAFETY: as the caller.
        unsafe {
            let order = _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
            _mm256_shuffle_epi8(view, _mm256_broadcastsi128_si256(order))
        }
    }

    /// The left half of each row with that of the row next to it toward the middle: of use at the
    /// first and the last row.
    #[inline(always)]
    unsafe fn blocks(rows: __m256i) -> __m256i {
        // SAFETY: as the caller.
        unsafe {
            let left = _mm256_and_si256(rows, _mm256_set1_epi16(0x0f0f));
            let order = _mm_setr_epi8(2, 3, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 12, 13);
            let next = _mm256_shuffle_epi8(left, _mm256_broadcastsi128_si256(order));
            _mm256_or_si256(left, _mm256_slli_epi16::<4>(next))
        }
    }

    /// Rows and columns exchanged.
    #[inline(always)]
    unsafe fn transposed(planes: __m256i) -> __m256i {
        macro_rules! exchange {
            ($planes:expr, $step:literal, $mask:literal) => {{
                let shifted = _mm256_srli_epi64::<$step>($planes);
                let differ =
                    _mm256_and_si256(_mm256_xor_si256($planes, shifted), _mm256_set1_epi64x($mask));
                _mm256_xor_si256(
                    _mm256_xor_si256($planes, differ),
                    _mm256_slli_epi64::<$step>(differ),
                )
            }};
        }
        // SAFETY: as the caller.
        unsafe {
            let planes = exchange!(planes, 7, 0x00aa_00aa_00aa_00aa);
            let planes = exchange!(planes, 14, 0x0000_cccc_0000_cccc);
            exchange!(planes, 28, 0x0000_0000_f0f0_f0f0)
        }
    }

    /// The bits of every byte in reverse order, half a byte at a time.
    #[inline(always)]
    unsafe fn mirrored(planes: __m256i) -> __m256i {
        // SAFETY: as the caller.
        unsafe {
            let reversed = _mm256_broadcastsi128_si256(_mm_setr_epi8(
                0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15,
            ));
            let half = _mm256_set1_epi8(0x0f);
            let low = _mm256_shuffle_epi8(reversed, _mm256_and_si256(planes, half));
            let high = _mm256_and_si256(_mm256_srli_epi64::<4>(planes), half);
            let high = _mm256_shuffle_epi8(reversed, high);
            _mm256_or_si256(_mm256_slli_epi64::<4>(low), high)
        }
    }
}

/// The index of each lane within its table, in the order of [`TABLES`].
pub fn indices(position: Position) -> [u16; LANES] {
    let mut lanes = [0; LANES];
    let mut lane = 0;
    Reach::new(position).each(|_, index| {
        lanes[lane] = index;
        lane += 1;
    });
    lanes
}

impl Reach {
    /// Finds the moves of both sides.
    #[inline]
    pub fn new(position: Position) -> Reach {
        let (mover, opponent) = (position.mover().0, position.opponent().0);
        let (to_mover, to_opponent) = (position.legal_moves().0, position.pass().legal_moves().0);
        let count = |moves: u64| moves.count_ones().min(MOST);
        Reach {
            planes: [
                mover | to_mover,
                opponent | to_mover,
                mover | to_opponent,
                opponent | to_opponent,
            ],
            counts: (count(to_mover) * (MOST + 1) + count(to_opponent)) as usize,
        }
    }

    /// The sum of the entries of the numbers of moves and of the edges.
    ///
    /// # Panics
    /// If there are fewer than [`ROUGH_SIZE`] entries.
    #[inline]
    pub fn rough(&self, tables: &[i8]) -> i32 {
        /// The sum of these entries. Tables of known size need no checks for sixteen-bit indices.
        #[inline(always)]
        fn sum<const N: usize>(table: &[i8; EIGHT], lanes: [u16; N]) -> i32 {
            lanes.iter().map(|&lane| i32::from(table[usize::from(lane)])).sum()
        }
        let (counts, tables) = tables[..ROUGH_SIZE].split_at(COUNTS);
        let [mover, opponent]: &[[i8; EIGHT]; 2] =
            tables.as_chunks().0.try_into().expect("two tables, by their size");
        i32::from(counts[self.counts]) + sum(mover, self.edges(0)) + sum(opponent, self.edges(1))
    }

    /// Hands over, lane by lane in the order of [`TABLES`], where the lane's table begins among the
    /// [`TABLE_SIZE`] entries of all and the index within it.
    #[inline(always)]
    pub fn each(&self, mut take: impl FnMut(usize, u16)) {
        take(0, self.counts as u16);
        let mut begin = COUNTS;
        let mut table = |lanes: &[u16]| {
            for &lane in lanes {
                take(begin, lane);
            }
            begin += EIGHT;
        };
        for side in 0..2 {
            table(&self.edges(side));
        }
        let parts = self.parts();
        for side in 0..2 {
            for from_edge in 1..4 {
                table(&parts.line(side, from_edge));
            }
            table(&parts.blocks(side));
        }
    }

    /// The two rows and two columns at the edges.
    #[inline(always)]
    fn edges(&self, side: usize) -> [u16; 4] {
        /// The bits of the first column, gathered in a byte.
        const fn column(bits: u64) -> u8 {
            ((bits & 0x0101_0101_0101_0101).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
        }
        let [low, high] = [self.planes[2 * side], self.planes[2 * side + 1]]
            .map(|plane| [plane as u8, (plane >> 56) as u8, column(plane), column(plane >> 7)]);
        std::array::from_fn(|edge| u16::from_le_bytes([low[edge], high[edge]]))
    }

    #[inline(always)]
    fn parts(&self) -> Parts {
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
        let (lines, blocks) = simd::rows_and_blocks(self.planes);
        #[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
        let (lines, blocks) = portable::rows_and_blocks(self.planes);
        Parts { lines, blocks }
    }
}

impl Parts {
    /// The two rows and two columns this far from the edges.
    #[inline(always)]
    fn line(&self, side: usize, from_edge: usize) -> [u16; 4] {
        let (first, last) = (8 * side + from_edge, 8 * side + 7 - from_edge);
        let [rows, columns] = &self.lines;
        [rows[first], rows[last], columns[first], columns[last]]
    }

    /// The eight blocks.
    #[inline(always)]
    fn blocks(&self, side: usize) -> [u16; 8] {
        let (first, last) = (8 * side, 8 * side + 7);
        let [a, b, c, d] = &self.blocks;
        [a[first], a[last], b[first], b[last], c[first], c[last], d[first], d[last]]
    }
}

/// For each table the number of the weight that serves each entry, and how many weights there are:
/// a line read from its other end shares its weight.
pub fn packings() -> Vec<(Vec<u32>, usize)> {
    let mut line = vec![0; EIGHT];
    let mut count = 0;
    for index in 0..EIGHT {
        let [low, high] = (index as u16).to_le_bytes().map(u8::reverse_bits);
        let other_end = usize::from(u16::from_le_bytes([low, high]));
        line[index] = if other_end < index { line[other_end] } else { count };
        count += u32::from(other_end >= index);
    }
    let own = |size: usize| ((0..size as u32).collect(), size);
    let line = || (line.clone(), count as usize);
    let inner = || [line(), line(), line(), own(EIGHT)];
    [own(COUNTS), line(), line()].into_iter().chain(inner()).chain(inner()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_position, seeded};
    use crate::othello::{Square, Symmetry};

    /// Sixteen bits of eight squares given by name, the first in the lowest bits.
    fn slow_eight(position: Position, side: Position, squares: &[String]) -> u16 {
        let mut index = 0;
        for (bit, name) in squares.iter().enumerate() {
            let square: Square = name.parse().unwrap();
            let (high, low) = if position.mover().contains(square) {
                (0, 1)
            } else if position.opponent().contains(square) {
                (1, 0)
            } else if side.is_legal(square) {
                (1, 1)
            } else {
                (0, 0)
            };
            index |= high << (8 + bit) | low << bit;
        }
        index
    }

    /// The indices by reading the board square by square.
    fn slow_indices(position: Position) -> Vec<u16> {
        let count = |side: Position| side.legal_moves().count().min(20) as u16;
        let mut found = vec![count(position) * 21 + count(position.pass())];
        let (files, ranks) = ("abcdefgh".as_bytes(), "12345678".as_bytes());
        let name =
            |file: usize, rank: usize| format!("{}{}", files[file] as char, ranks[rank] as char);
        let line = |side: Position, line: usize| {
            let mut lanes = Vec::new();
            for turned in [false, true] {
                for at in [line, 7 - line] {
                    let square = |i| if turned { name(at, i) } else { name(i, at) };
                    let squares: Vec<String> = (0..8).map(square).collect();
                    lanes.push(slow_eight(position, side, &squares));
                }
            }
            lanes
        };
        let sides = [position, position.pass()];
        found.extend(sides.into_iter().flat_map(|side| line(side, 0)));
        for side in sides {
            found.extend((1..4).flat_map(|at| line(side, at)));
            // The long side along the rank, then along the file; left or upper end first.
            for turned in [false, true] {
                for far_along in [false, true] {
                    for far_across in [false, true] {
                        let at = |far: bool, i: usize| if far { 7 - i } else { i };
                        let square = |i: usize| {
                            let (along, across) = (at(far_along, i % 4), at(far_across, i / 4));
                            if turned { name(across, along) } else { name(along, across) }
                        };
                        let squares: Vec<String> = (0..8).map(square).collect();
                        found.push(slow_eight(position, side, &squares));
                    }
                }
            }
        }
        found
    }

    #[test]
    fn vectors_and_plain_integers_give_the_same_rows_and_blocks() {
        #[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
        {
            let mut rng = seeded(33);
            for _ in 0..500 {
                let planes: Planes = rand::Rng::random(&mut rng);
                let (lines, blocks) = simd::rows_and_blocks(planes);
                let (slow_lines, slow_blocks) = portable::rows_and_blocks(planes);
                assert_eq!(lines, slow_lines);
                for (block, slow) in blocks.iter().zip(slow_blocks) {
                    for place in [0, 7, 8, 15] {
                        assert_eq!(block[place], slow[place]);
                    }
                }
            }
        }
    }

    #[test]
    fn indices_are_what_one_reads_off_the_board() {
        let mut rng = seeded(31);
        for round in 0..600 {
            let position = random_position(round % 61, &mut rng);
            assert_eq!(indices(position).to_vec(), slow_indices(position));
        }
    }

    #[test]
    fn all_eight_views_of_a_position_use_the_same_weights() {
        let packings = packings();
        assert_eq!(TABLES.iter().map(|(lanes, _)| lanes).sum::<usize>(), LANES);
        assert_eq!(TABLES.iter().map(|(_, size)| size).sum::<usize>(), TABLE_SIZE);
        for ((table, count), (_, size)) in packings.iter().zip(TABLES) {
            assert_eq!(table.len(), size);
            assert_eq!(table.iter().max(), Some(&(*count as u32 - 1)));
        }
        let used = |position: Position| {
            let mut lanes = indices(position).into_iter();
            let mut used = Vec::new();
            for ((table, _), (count, _)) in packings.iter().zip(TABLES) {
                let mut of_table: Vec<u32> =
                    lanes.by_ref().take(count).map(|lane| table[usize::from(lane)]).collect();
                of_table.sort_unstable();
                used.push(of_table);
            }
            used
        };
        let mut rng = seeded(32);
        for empties in 1..50 {
            let position = random_position(empties, &mut rng);
            for symmetry in Symmetry::all() {
                assert_eq!(used(symmetry.apply_position(position)), used(position));
            }
        }
    }
}
