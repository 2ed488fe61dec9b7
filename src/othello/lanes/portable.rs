//! The operations of [`super`] on an array of eight numbers: needs nothing but 64-bit integers.

use crate::othello::Bitboard;

routines!();

/// Eight sets of squares, or eight numbers.
#[derive(Clone, Copy)]
pub struct Lanes([u64; 8]);

/// Eight 16-bit numbers to choose the least of.
#[derive(Clone, Copy)]
pub struct Keys([u16; 8]);

/// The opponent's discs that stand in an unbroken run behind one of the mover's, by the bit
/// distances 1, 7, 8 and 9 and by whether the run goes towards higher or lower bits.
#[derive(Clone, Copy)]
pub struct Runs {
    up: [u64; 4],
    down: [u64; 4],
}

const STEPS: [u32; 4] = [1, 7, 8, 9];

impl Runs {
    /// The runs of a position.
    #[inline(always)]
    pub fn new(mover: u64, opponent: u64) -> Runs {
        let inner = opponent & INNER_COLUMNS;
        let mut runs = Runs { up: [0; 4], down: [0; 4] };
        for (i, passable) in [inner, inner, opponent, inner].into_iter().enumerate() {
            let step = STEPS[i];
            let (mut up, mut down) = (passable & mover << step, passable & mover >> step);
            up |= passable & up << step;
            down |= passable & down >> step;
            let pairs = passable & passable << step;
            for _ in 0..2 {
                up |= pairs & up << (2 * step);
                down |= pairs >> step & down >> (2 * step);
            }
            (runs.up[i], runs.down[i]) = (up, down);
        }
        runs
    }

    /// The squares right behind a run: the legal moves among them are those without a disc.
    #[inline(always)]
    pub fn ends(self) -> u64 {
        (0..4).fold(0, |ends, i| ends | self.up[i] << STEPS[i] | self.down[i] >> STEPS[i])
    }

    /// The runs that a move meets towards higher bits, for each bit distance in every lane, and
    /// their discs with a predecessor in the run.
    #[inline(always)]
    fn met_going_up(self) -> ([Lanes; 4], [Lanes; 4]) {
        let pairs = |i: usize| self.down[i] & self.down[i] << STEPS[i];
        (self.down.map(Lanes::splat), [0, 1, 2, 3].map(|i| Lanes::splat(pairs(i))))
    }

    /// The same towards lower bits.
    #[inline(always)]
    fn met_going_down(self) -> ([Lanes; 4], [Lanes; 4]) {
        let pairs = |i: usize| self.up[i] & self.up[i] >> STEPS[i];
        (self.up.map(Lanes::splat), [0, 1, 2, 3].map(|i| Lanes::splat(pairs(i))))
    }
}

impl Lanes {
    /// The same set in every lane.
    #[inline(always)]
    pub fn splat(set: u64) -> Lanes {
        Lanes([set; 8])
    }

    /// The lowest squares of a set, one to a lane, the lowest first; and their numbers.
    #[inline(always)]
    pub fn lowest_squares(set: u64) -> (Lanes, [u8; 8]) {
        let mut lanes = [0; 8];
        let mut numbers = [0; 8];
        for (i, square) in Bitboard(set).into_iter().take(8).enumerate() {
            lanes[i] = square.bit();
            numbers[i] = square.index() as u8;
        }
        (Lanes(lanes), numbers)
    }

    /// The lanes in order.
    #[inline(always)]
    pub fn to_array(self) -> [u64; 8] {
        self.0
    }

    #[inline(always)]
    fn zip(self, other: Lanes, operation: impl Fn(u64, u64) -> u64) -> Lanes {
        let mut lanes = [0; 8];
        for (lane, (a, b)) in lanes.iter_mut().zip(self.0.into_iter().zip(other.0)) {
            *lane = operation(a, b);
        }
        Lanes(lanes)
    }

    /// Both.
    #[inline(always)]
    pub fn and(self, other: Lanes) -> Lanes {
        self.zip(other, |a, b| a & b)
    }

    /// This without the other.
    #[inline(always)]
    pub fn and_not(self, other: Lanes) -> Lanes {
        self.zip(other, |a, b| a & !b)
    }

    /// Either.
    #[inline(always)]
    pub fn or(self, other: Lanes) -> Lanes {
        self.zip(other, |a, b| a | b)
    }

    /// One of the two.
    #[inline(always)]
    pub fn xor(self, other: Lanes) -> Lanes {
        self.zip(other, |a, b| a ^ b)
    }

    /// Towards higher bits.
    #[inline(always)]
    pub fn up<const STEP: u32>(self) -> Lanes {
        Lanes(self.0.map(|a| a << STEP))
    }

    /// Towards lower bits.
    #[inline(always)]
    pub fn down<const STEP: u32>(self) -> Lanes {
        Lanes(self.0.map(|a| a >> STEP))
    }

    /// This in lanes where the two others share a square, nothing elsewhere.
    #[inline(always)]
    pub fn where_meet(self, one: Lanes, other: Lanes) -> Lanes {
        self.zip(one.and(other), |a, shared| if shared != 0 { a } else { 0 })
    }

    /// Which lanes, as bits, share a square with those of the other.
    #[inline(always)]
    pub fn meet(self, other: Lanes) -> u32 {
        (0..8).fold(0, |lanes, i| lanes | u32::from(self.0[i] & other.0[i] != 0) << i)
    }

    /// How many squares each lane has.
    #[inline(always)]
    pub fn count(self) -> Lanes {
        Lanes(self.0.map(|a| u64::from(a.count_ones())))
    }

    /// The sum of two numbers.
    #[inline(always)]
    pub fn plus(self, other: Lanes) -> Lanes {
        self.zip(other, u64::wrapping_add)
    }

    /// The difference of two numbers.
    #[inline(always)]
    pub fn minus(self, other: Lanes) -> Lanes {
        self.zip(other, u64::wrapping_sub)
    }

    /// Whether some lane holds exactly this set.
    #[inline(always)]
    pub fn has(self, set: u64) -> bool {
        self.0.contains(&set)
    }

    /// Whether no lane has a square.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0 == [0; 8]
    }

    /// This in lanes where `set` has a square, `otherwise` elsewhere.
    #[inline(always)]
    pub fn where_any(self, set: Lanes, otherwise: Lanes) -> Lanes {
        let chosen = self.where_meet(set, set);
        let other = otherwise.zip(set, |a, set| if set != 0 { 0 } else { a });
        chosen.or(other)
    }

    /// These numbers as keys; those too large count as taken.
    #[inline(always)]
    pub fn keys(self) -> Keys {
        Keys(self.0.map(|key| key.min(0xffff) as u16))
    }
}

impl Keys {
    /// All taken.
    pub const NONE: Keys = Keys([0xffff; 8]);

    /// These keys.
    #[inline(always)]
    pub fn from_array(keys: [u16; 8]) -> Keys {
        Keys(keys)
    }

    /// The least key and its lane, the lowest such; 0xffff if all are taken.
    #[inline(always)]
    pub fn least(self) -> (u32, usize) {
        let mut least = (u32::from(self.0[0]), 0);
        for lane in 1..8 {
            if u32::from(self.0[lane]) < least.0 {
                least = (u32::from(self.0[lane]), lane);
            }
        }
        least
    }

    /// The keys with this lane taken.
    #[inline(always)]
    pub fn without(mut self, lane: usize) -> Keys {
        self.0[lane & 7] = 0xffff;
        self
    }
}
