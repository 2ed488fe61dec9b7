//! Perft: how many lines of play a position has, the standard check of a rules engine.
//!
//! The usual published table counts a pass as a ply. A finished game counts as one leaf, at
//! whatever depth it ends.

use super::{Bitboard, Position, Square, flips};

/// Whether a pass uses up a ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum PassRule {
    /// The convention of the published table.
    #[default]
    CountsAsPly,
    /// Depth counts discs placed only.
    Free,
}

/// Leaves at this depth; the last ply is counted as a set of moves, not played.
pub fn perft(position: Position, depth: u32, rule: PassRule) -> u64 {
    walk::<true>(position, depth, rule)
}

/// Leaves at this depth, every leaf position really made. Same count as [`perft`].
pub fn perft_made(position: Position, depth: u32, rule: PassRule) -> u64 {
    walk::<false>(position, depth, rule)
}

/// Perft split over the root's moves; a root that must pass has one entry, `None`.
pub fn divide(position: Position, depth: u32, rule: PassRule) -> Vec<(Option<Square>, u64)> {
    if depth == 0 || position.is_over() {
        return Vec::new();
    }
    if position.must_pass() {
        let left = depth - u32::from(rule == PassRule::CountsAsPly);
        return vec![(None, perft(position.pass(), left, rule))];
    }
    let below = |square: Square| {
        perft(position.play_flipping(square, position.flips(square)), depth - 1, rule)
    };
    position.legal_moves().into_iter().map(|square| (Some(square), below(square))).collect()
}

fn walk<const COUNT_LAST: bool>(position: Position, depth: u32, rule: PassRule) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves = position.legal_moves();
    if moves.is_empty() {
        let passed = position.pass();
        if !passed.has_move() {
            return 1;
        }
        return walk::<COUNT_LAST>(passed, depth - u32::from(rule == PassRule::CountsAsPly), rule);
    }
    let after = |square: Square| {
        let flipped = flips::flips(square.index(), position.mover().0, position.opponent().0);
        position.play_flipping(square, Bitboard(flipped))
    };
    if depth == 1 {
        if !COUNT_LAST {
            // Handing each leaf to the outside keeps the optimiser from skipping its making.
            moves.into_iter().for_each(|square| {
                std::hint::black_box(after(square));
            });
        }
        return u64::from(moves.count());
    }
    moves.into_iter().map(|square| walk::<COUNT_LAST>(after(square), depth - 1, rule)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_position, scattered_position, seeded};
    use crate::othello::slow;

    #[test]
    fn the_published_table_holds() {
        let table = [1, 4, 12, 56, 244, 1_396, 8_200, 55_092, 390_216, 3_005_288, 24_571_284];
        for (depth, &leaves) in table.iter().enumerate() {
            assert_eq!(perft(Position::START, depth as u32, PassRule::CountsAsPly), leaves);
        }
        assert_eq!(perft_made(Position::START, 9, PassRule::CountsAsPly), 3_005_288);
        assert_eq!(perft(Position::START, 9, PassRule::Free), 3_005_320);
    }

    #[test]
    fn the_slow_walker_agrees_in_the_middle_of_games_and_at_forced_passes() {
        let mut rng = seeded(21);
        let mut cases: Vec<Position> =
            [42, 30, 18].iter().map(|&empties| random_position(empties, &mut rng)).collect();
        cases.push(
            std::iter::repeat_with(|| scattered_position(12, &mut rng))
                .find(|position| position.must_pass())
                .unwrap(),
        );
        for position in cases {
            for rule in [PassRule::CountsAsPly, PassRule::Free] {
                let ply = rule == PassRule::CountsAsPly;
                for depth in 0..=4 {
                    let (mover, opponent) = (position.mover().0, position.opponent().0);
                    let expected = slow::perft(mover, opponent, depth, ply);
                    assert_eq!(perft(position, depth, rule), expected);
                    assert_eq!(perft_made(position, depth, rule), expected);
                    if depth > 0 {
                        let split: u64 = divide(position, depth, rule).iter().map(|d| d.1).sum();
                        assert_eq!(split, expected);
                    }
                }
            }
        }
    }

    /// The long rows of the table; a few seconds in release.
    #[test]
    fn perft_eleven_matches_the_published_figure() {
        assert_eq!(perft(Position::START, 11, PassRule::CountsAsPly), 212_258_800);
    }
}
