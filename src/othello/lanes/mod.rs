//! Eight boards side by side, for work on all moves of a position at once.
//!
//! One move's flips and the replies it leaves are short chains of shifts, each waiting for the one
//! before. Eight moves together cost hardly more than one: every operation here acts on eight sets of
//! squares, one AVX-512 register where the target has them, an array elsewhere. The routines are
//! written once, over [`Lanes`]; only its small operations come in two forms.

/// How many boards stand side by side.
pub const WIDTH: usize = 8;

/// Whether eight boards are one register here. Where they are not, one move after the other is faster.
pub const FAST: bool = cfg!(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512vbmi2",
    target_feature = "avx512vpopcntdq"
));

/// Opponent discs that a horizontal or diagonal step may pass over: columns b–g.
const INNER_COLUMNS: u64 = 0x7e7e_7e7e_7e7e_7e7e;

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512vbmi2",
    target_feature = "avx512vpopcntdq"
))]
pub use simd::{
    Keys, Lanes, Runs, empty_neighbours_of_boards, flips_of_moves, legal_moves_of_boards,
    stable_corners_of_boards,
};

#[cfg(not(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512vbmi2",
    target_feature = "avx512vpopcntdq"
)))]
pub use portable::{
    Keys, Lanes, Runs, empty_neighbours_of_boards, flips_of_moves, legal_moves_of_boards,
    stable_corners_of_boards,
};

/// The operations of eight sets of squares, in both forms; [`Lanes`] is the one of this target.
macro_rules! routines {
    () => {
        use super::INNER_COLUMNS;

        /// What each move, one square to a lane, flips: the runs it closes. A lane without a square, or
        /// with one that closes no run, flips nothing.
        #[inline(always)]
        pub fn flips_of_moves(squares: Lanes, runs: Runs) -> Lanes {
            let ([a, b, c, d], [pairs_a, pairs_b, pairs_c, pairs_d]) = runs.met_going_up();
            // What different directions flip is disjoint, so sums unite; and sums, unlike unions, are
            // not rearranged by the compiler into one long chain.
            let up = up_through::<1, 2>(squares, a, pairs_a)
                .plus(up_through::<7, 14>(squares, b, pairs_b))
                .plus(
                    up_through::<8, 16>(squares, c, pairs_c)
                        .plus(up_through::<9, 18>(squares, d, pairs_d)),
                );
            let ([a, b, c, d], [pairs_a, pairs_b, pairs_c, pairs_d]) = runs.met_going_down();
            let down = down_through::<1, 2>(squares, a, pairs_a)
                .plus(down_through::<7, 14>(squares, b, pairs_b))
                .plus(
                    down_through::<8, 16>(squares, c, pairs_c)
                        .plus(down_through::<9, 18>(squares, d, pairs_d)),
                );
            up.plus(down)
        }

        /// The part of `runs` reached from a square towards higher bits; `pairs` are the discs of runs
        /// whose predecessor is one too, `TWICE` is twice the bit distance.
        #[inline(always)]
        fn up_through<const STEP: u32, const TWICE: u32>(
            squares: Lanes,
            runs: Lanes,
            pairs: Lanes,
        ) -> Lanes {
            let one = squares.up::<STEP>().and(runs);
            let two = one.or(one.up::<STEP>().and(runs));
            let four = two.or(two.up::<TWICE>().and(pairs));
            four.or(four.up::<TWICE>().and(pairs))
        }

        /// [`up_through`] towards lower bits.
        #[inline(always)]
        fn down_through<const STEP: u32, const TWICE: u32>(
            squares: Lanes,
            runs: Lanes,
            pairs: Lanes,
        ) -> Lanes {
            let one = squares.down::<STEP>().and(runs);
            let two = one.or(one.down::<STEP>().and(runs));
            let four = two.or(two.down::<TWICE>().and(pairs));
            four.or(four.down::<TWICE>().and(pairs))
        }

        /// The legal moves of each lane's mover.
        #[inline(always)]
        pub fn legal_moves_of_boards(mover: Lanes, opponent: Lanes) -> Lanes {
            let inner = opponent.and(Lanes::splat(INNER_COLUMNS));
            moves_along::<1, 2>(mover, inner)
                .or(moves_along::<7, 14>(mover, inner))
                .or(moves_along::<8, 16>(mover, opponent))
                .or(moves_along::<9, 18>(mover, inner))
                .and_not(mover.or(opponent))
        }

        #[inline(always)]
        fn moves_along<const STEP: u32, const TWICE: u32>(mover: Lanes, passable: Lanes) -> Lanes {
            let mut up = mover.up::<STEP>().and(passable);
            let mut down = mover.down::<STEP>().and(passable);
            up = up.or(up.up::<STEP>().and(passable));
            down = down.or(down.down::<STEP>().and(passable));
            let pairs_up = passable.up::<STEP>().and(passable);
            let pairs_down = pairs_up.down::<STEP>();
            up = up.or(up.up::<TWICE>().and(pairs_up));
            down = down.or(down.down::<TWICE>().and(pairs_down));
            up = up.or(up.up::<TWICE>().and(pairs_up));
            down = down.or(down.down::<TWICE>().and(pairs_down));
            up.up::<STEP>().or(down.down::<STEP>())
        }

        /// [`crate::othello::mobility::empty_neighbours`] of each lane.
        #[inline(always)]
        pub fn empty_neighbours_of_boards(discs: Lanes, empty: Lanes) -> Lanes {
            let not_h = Lanes::splat(0x7f7f_7f7f_7f7f_7f7f);
            let not_a = Lanes::splat(0xfefe_fefe_fefe_fefe);
            let row = discs.or(discs.and(not_h).up::<1>()).or(discs.and(not_a).down::<1>());
            row.or(row.up::<8>()).or(row.down::<8>()).and(empty)
        }

        /// The discs that [`crate::othello::stability::stable_corner_count`] counts, of each lane.
        #[inline(always)]
        pub fn stable_corners_of_boards(discs: Lanes) -> Lanes {
            let a = discs.and(Lanes::splat(0x0100_0000_0000_0001));
            let h = discs.and(Lanes::splat(0x8000_0000_0000_0080));
            let corners = a.or(h);
            // A step up from the eighth row or down from the first leaves the board.
            let beside =
                a.up::<1>().or(h.down::<1>()).or(corners.up::<8>()).or(corners.down::<8>());
            corners.or(beside.and(discs))
        }
    };
}

#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512vbmi2",
    target_feature = "avx512vpopcntdq"
))]
pub mod simd;

#[cfg(any(
    test,
    not(all(
        target_arch = "x86_64",
        target_feature = "avx512f",
        target_feature = "avx512vbmi2",
        target_feature = "avx512vpopcntdq"
    ))
))]
pub mod portable;

#[cfg(test)]
mod tests;
