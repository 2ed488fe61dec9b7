//! The operations of [`super`] on one AVX-512 register of eight 64-bit lanes.

use std::arch::x86_64::*;

routines!();

/// Eight sets of squares, or eight numbers.
#[derive(Clone, Copy)]
pub struct Lanes(__m512i);

/// Eight 16-bit numbers to choose the least of.
#[derive(Clone, Copy)]
pub struct Keys(__m128i);

/// The opponent's discs that stand in an unbroken run behind one of the mover's, by the bit
/// distances 1, 7, 8 and 9 and by whether the run goes towards higher or lower bits.
#[derive(Clone, Copy)]
pub struct Runs {
    up: __m256i,
    down: __m256i,
}

impl Runs {
    /// The runs of a position.
    #[inline(always)]
    pub fn new(mover: u64, opponent: u64) -> Runs {
        // SAFETY: register-only AVX2, part of every target with AVX-512.
        unsafe {
            let step = _mm256_set_epi64x(9, 8, 7, 1);
            let twice = _mm256_set_epi64x(18, 16, 14, 2);
            let inner = INNER_COLUMNS as i64;
            let columns = _mm256_set_epi64x(inner, -1, inner, inner);
            let p = _mm256_set1_epi64x(mover as i64);
            let passable = _mm256_and_si256(_mm256_set1_epi64x(opponent as i64), columns);
            let pairs_up = _mm256_and_si256(passable, _mm256_sllv_epi64(passable, step));
            let pairs_down = _mm256_srlv_epi64(pairs_up, step);
            let further_up = |set, by, through| {
                _mm256_or_si256(set, _mm256_and_si256(through, _mm256_sllv_epi64(set, by)))
            };
            let further_down = |set, by, through| {
                _mm256_or_si256(set, _mm256_and_si256(through, _mm256_srlv_epi64(set, by)))
            };
            let up = _mm256_and_si256(passable, _mm256_sllv_epi64(p, step));
            let down = _mm256_and_si256(passable, _mm256_srlv_epi64(p, step));
            let up = further_up(up, step, passable);
            let down = further_down(down, step, passable);
            let up = further_up(further_up(up, twice, pairs_up), twice, pairs_up);
            let down = further_down(further_down(down, twice, pairs_down), twice, pairs_down);
            Runs { up, down }
        }
    }

    /// The squares right behind a run: the legal moves among them are those without a disc.
    #[inline(always)]
    pub fn ends(self) -> u64 {
        // SAFETY: register-only AVX2, part of every target with AVX-512.
        unsafe {
            let step = _mm256_set_epi64x(9, 8, 7, 1);
            let (up, down) = (_mm256_sllv_epi64(self.up, step), _mm256_srlv_epi64(self.down, step));
            let all = _mm256_or_si256(up, down);
            let (low, high) = (_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
            let half = _mm_or_si128(low, high);
            _mm_cvtsi128_si64(_mm_or_si128(half, _mm_unpackhi_epi64(half, half))) as u64
        }
    }

    /// The runs that a move meets towards higher bits, for each bit distance in every lane, and
    /// their discs with a predecessor in the run.
    #[inline(always)]
    fn met_going_up(self) -> ([Lanes; 4], [Lanes; 4]) {
        // SAFETY: register-only AVX2, part of every target with AVX-512.
        let pairs = unsafe {
            let step = _mm256_set_epi64x(9, 8, 7, 1);
            _mm256_and_si256(self.down, _mm256_sllv_epi64(self.down, step))
        };
        (each_in_all_lanes(self.down), each_in_all_lanes(pairs))
    }

    /// The same towards lower bits.
    #[inline(always)]
    fn met_going_down(self) -> ([Lanes; 4], [Lanes; 4]) {
        // SAFETY: register-only AVX2, part of every target with AVX-512.
        let pairs = unsafe {
            let step = _mm256_set_epi64x(9, 8, 7, 1);
            _mm256_and_si256(self.up, _mm256_srlv_epi64(self.up, step))
        };
        (each_in_all_lanes(self.up), each_in_all_lanes(pairs))
    }
}

#[inline(always)]
fn each_in_all_lanes(four: __m256i) -> [Lanes; 4] {
    // SAFETY: register-only AVX-512, compiled only where it is part of the target.
    unsafe {
        let four = _mm512_castsi256_si512(four);
        [0, 1, 2, 3].map(|i| Lanes(_mm512_permutexvar_epi64(_mm512_set1_epi64(i), four)))
    }
}

/// Which square each byte stands for.
const INDEX: [u8; 64] = {
    let mut index = [0; 64];
    let mut i = 0;
    while i < 64 {
        index[i] = i as u8;
        i += 1;
    }
    index
};

impl Lanes {
    /// The same set in every lane.
    #[inline(always)]
    pub fn splat(set: u64) -> Lanes {
        // SAFETY: register-only AVX-512, compiled only where it is part of the target.
        Lanes(unsafe { _mm512_set1_epi64(set as i64) })
    }

    /// The lowest squares of a set, one to a lane, the lowest first; and their numbers.
    #[inline(always)]
    pub fn lowest_squares(set: u64) -> (Lanes, [u8; 8]) {
        // SAFETY: register-only AVX-512 and one load of 64 bytes from an array of 64 bytes.
        unsafe {
            let index = _mm512_loadu_si512(INDEX.as_ptr().cast());
            let packed = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(set, index));
            // Lanes beyond the last square stay empty.
            let used = ((1u32 << set.count_ones().min(8)) - 1) as __mmask8;
            let number = _mm512_cvtepu8_epi64(packed);
            let bits = _mm512_maskz_sllv_epi64(used, _mm512_set1_epi64(1), number);
            (Lanes(bits), (_mm_cvtsi128_si64(packed) as u64).to_le_bytes())
        }
    }

    /// The lanes in order.
    #[inline(always)]
    pub fn to_array(self) -> [u64; 8] {
        // SAFETY: both are 64 bytes of plain numbers.
        unsafe { std::mem::transmute(self.0) }
    }

    /// Both.
    #[inline(always)]
    pub fn and(self, other: Lanes) -> Lanes {
        // SAFETY: register-only AVX-512, compiled only where it is part of the target.
        Lanes(unsafe { _mm512_and_si512(self.0, other.0) })
    }

    /// This without the other.
    #[inline(always)]
    pub fn and_not(self, other: Lanes) -> Lanes {
        // SAFETY: register-only AVX-512, compiled only where it is part of the target.
        Lanes(unsafe { _mm512_andnot_si512(other.0, self.0) })
    }

    /// Either.
    #[inline(always)]
    pub fn or(self, other: Lanes) -> Lanes {
        // SAFETY: register-only AVX-512, compiled only where it is part of the target.
        Lanes(unsafe { _mm512_or_si512(self.0, other.0) })
    }

    /// One of the two.
    #[inline(always)]
    pub fn xor(self, other: Lanes) -> Lanes {
        // SAFETY: register-only AVX-512, compiled only where it is part of the target.
        Lanes(unsafe { _mm512_xor_si512(self.0, other.0) })
    }

    /// Towards higher bits.
    #[inline(always)]
    pub fn up<const STEP: u32>(self) -> Lanes {
        // SAFETY: register-only AVX-512, compiled only where it is part of the target.
        Lanes(unsafe { _mm512_slli_epi64::<STEP>(self.0) })
    }

    /// Towards lower bits.
    #[inline(always)]
    pub fn down<const STEP: u32>(self) -> Lanes {
        // SAFETY: register-only AVX-512, compiled only where it is part of the target.
        Lanes(unsafe { _mm512_srli_epi64::<STEP>(self.0) })
    }

    /// This in lanes where the two others share a square, nothing elsewhere.
    #[inline(always)]
    pub fn where_meet(self, one: Lanes, other: Lanes) -> Lanes {
        // SAFETY: register-only AVX-512, compiled only where it is part of the target.
        unsafe { Lanes(_mm512_maskz_mov_epi64(_mm512_test_epi64_mask(one.0, other.0), self.0)) }
    }

    /// Which lanes, as bits, share a square with those of the other.
    #[inline(always)]
    pub fn meet(self, other: Lanes) -> u32 {
        // SAFETY: register-only AVX-512, compiled only where it is part of the target.
        u32::from(unsafe { _mm512_test_epi64_mask(self.0, other.0) })
    }

    /// How many squares each lane has.
    #[inline(always)]
    pub fn count(self) -> Lanes {
        // SAFETY: register-only AVX-512, compiled only where it is part of the target.
        Lanes(unsafe { _mm512_popcnt_epi64(self.0) })
    }

    /// The sum of two numbers.
    #[inline(always)]
    pub fn plus(self, other: Lanes) -> Lanes {
        // SAFETY: register-only AVX-512, compiled only where it is part of the target.
        Lanes(unsafe { _mm512_add_epi64(self.0, other.0) })
    }

    /// The difference of two numbers.
    #[inline(always)]
    pub fn minus(self, other: Lanes) -> Lanes {
        // SAFETY: register-only AVX-512, compiled only where it is part of the target.
        Lanes(unsafe { _mm512_sub_epi64(self.0, other.0) })
    }

    /// Whether some lane holds exactly this set.
    #[inline(always)]
    pub fn has(self, set: u64) -> bool {
        // SAFETY: register-only AVX-512, compiled only where it is part of the target.
        unsafe { _mm512_cmpeq_epi64_mask(self.0, _mm512_set1_epi64(set as i64)) != 0 }
    }

    /// Whether no lane has a square.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        // SAFETY: register-only AVX-512, compiled only where it is part of the target.
        unsafe { _mm512_test_epi64_mask(self.0, self.0) == 0 }
    }

    /// This in lanes where `set` has a square, `otherwise` elsewhere.
    #[inline(always)]
    pub fn where_any(self, set: Lanes, otherwise: Lanes) -> Lanes {
        // SAFETY: register-only AVX-512, compiled only where it is part of the target.
        unsafe {
            let any = _mm512_test_epi64_mask(set.0, set.0);
            Lanes(_mm512_mask_mov_epi64(otherwise.0, any, self.0))
        }
    }

    /// These numbers as keys; those too large count as taken.
    #[inline(always)]
    pub fn keys(self) -> Keys {
        // SAFETY: register-only AVX-512, compiled only where it is part of the target.
        Keys(unsafe { _mm512_cvtusepi64_epi16(self.0) })
    }
}

/// `TAKEN[i]`: all bits of the `i`-th key.
static TAKEN: [[u16; 8]; 8] = {
    let mut table = [[0; 8]; 8];
    let mut i = 0;
    while i < 8 {
        table[i][i] = 0xffff;
        i += 1;
    }
    table
};

impl Keys {
    /// All taken.
    pub const NONE: Keys = {
        // SAFETY: both are 16 bytes of plain numbers.
        Keys(unsafe { std::mem::transmute::<[u16; 8], __m128i>([0xffff; 8]) })
    };

    /// These keys.
    #[inline(always)]
    pub fn from_array(keys: [u16; 8]) -> Keys {
        // SAFETY: both are 16 bytes of plain numbers.
        Keys(unsafe { std::mem::transmute::<[u16; 8], __m128i>(keys) })
    }

    /// The least key and its lane, the lowest such; 0xffff if all are taken.
    #[inline(always)]
    pub fn least(self) -> (u32, usize) {
        // SAFETY: register-only SSE4.1, part of every target with AVX-512.
        let found = unsafe { _mm_cvtsi128_si32(_mm_minpos_epu16(self.0)) } as u32;
        (found & 0xffff, (found >> 16) as usize & 7)
    }

    /// The keys with this lane taken.
    #[inline(always)]
    pub fn without(self, lane: usize) -> Keys {
        // SAFETY: a load of 16 bytes from an array of 16 bytes, and a register-only operation.
        unsafe {
            let taken = _mm_loadu_si128(TAKEN[lane & 7].as_ptr().cast());
            Keys(_mm_or_si128(self.0, taken))
        }
    }
}
