//! Both forms against the routines for one board.

use crate::othello::random::{random_discs, seeded};
use crate::othello::{Bitboard, mobility, slow, stability};

/// The same tests for both forms.
macro_rules! form_matches_the_single_boards {
    ($name:ident, $form:ident) => {
        #[test]
        fn $name() {
            use crate::othello::lanes::$form::*;
            let mut rng = seeded(41);
            for _ in 0..5_000 {
                let (mover, opponent) = random_discs(&mut rng);
                let empty = !(mover | opponent);
                let runs = Runs::new(mover, opponent);
                assert_eq!(runs.ends() & empty, slow::legal_moves(mover, opponent));
                let (squares, numbers) = Lanes::lowest_squares(empty);
                let flipped = flips_of_moves(squares, runs);
                let to_move = Lanes::splat(opponent).xor(flipped);
                let moved = Lanes::splat(mover).or(flipped).or(squares);
                let replies = legal_moves_of_boards(to_move, moved).to_array();
                let free = Lanes::splat(empty).and_not(squares);
                let room = empty_neighbours_of_boards(moved, free).to_array();
                let safe = stable_corners_of_boards(moved).count().to_array();
                let (flipped, squares) = (flipped.to_array(), squares.to_array());
                let expected: Vec<_> = Bitboard(empty).into_iter().take(8).collect();
                for i in 0..8 {
                    let Some(square) = expected.get(i) else {
                        assert_eq!((squares[i], flipped[i]), (0, 0));
                        continue;
                    };
                    assert_eq!(squares[i], square.bit());
                    assert_eq!(usize::from(numbers[i]), square.index());
                    assert_eq!(flipped[i], slow::flips(square.index(), mover, opponent));
                    let (m, o) = (opponent ^ flipped[i], mover | flipped[i] | square.bit());
                    assert_eq!(replies[i], slow::legal_moves(m, o));
                    assert_eq!(room[i], mobility::empty_neighbours(o, !(m | o)));
                    assert_eq!(safe[i], u64::from(stability::stable_corner_count(o)));
                }
            }
            let (some, _) = Lanes::lowest_squares(0b10110);
            assert!(some.has(4) && some.has(0) && !some.has(8) && !some.is_empty());
            assert!(Lanes::splat(0).is_empty());
            assert_eq!((some.meet(Lanes::splat(0b110)), some.meet(Lanes::splat(1))), (0b11, 0));
            let met = Lanes::splat(7).where_meet(some, Lanes::splat(0b110));
            assert_eq!(met.to_array(), [7, 7, 0, 0, 0, 0, 0, 0]);
            let chosen = Lanes::splat(3).where_any(some, Lanes::splat(9)).plus(some).minus(met);
            assert_eq!(chosen.to_array(), [u64::MAX - 1, 0, 19, 9, 9, 9, 9, 9]);
            let mut keys = chosen.keys();
            let taken = std::iter::from_fn(|| {
                let (key, lane) = keys.least();
                keys = keys.without(lane);
                (key != 0xffff).then_some((key, lane))
            });
            let order = [(0, 1), (9, 3), (9, 4), (9, 5), (9, 6), (9, 7), (19, 2)];
            assert_eq!(taken.collect::<Vec<_>>(), order);
            assert_eq!(Keys::NONE.least().0, 0xffff);
        }
    };
}

form_matches_the_single_boards!(the_portable_form_matches_the_single_boards, portable);
#[cfg(all(
    target_arch = "x86_64",
    target_feature = "avx512f",
    target_feature = "avx512vbmi2",
    target_feature = "avx512vpopcntdq"
))]
form_matches_the_single_boards!(the_registers_match_the_single_boards, simd);
