//! Random positions: played from the start (always reachable) or scattered discs (for testing
//! kernels, reachable or not).

use rand::Rng;
use rand::seq::IteratorRandom;

use super::{Bitboard, Move, Position};
use crate::random::Random;

pub use crate::random::seeded;

/// Two disjoint random sets of discs of random density, any pattern whatever.
pub fn random_discs(rng: &mut Random) -> (u64, u64) {
    let sparse = |rng: &mut Random| -> u64 {
        match rng.random_range(0..3) {
            0 => rng.random::<u64>() & rng.random::<u64>(),
            1 => rng.random(),
            _ => rng.random::<u64>() | rng.random::<u64>(),
        }
    };
    let occupied = sparse(rng);
    let mover = sparse(rng);
    (occupied & mover, occupied & !mover)
}

/// A random legal move (uniform), a pass when there is none but the opponent has one, `None` when
/// the game is over.
pub fn random_move(position: Position, rng: &mut Random) -> Option<Move> {
    match position.legal_moves().into_iter().choose(rng) {
        Some(square) => Some(Move::Place(square)),
        None if position.pass().has_move() => Some(Move::Pass),
        None => None,
    }
}

/// The position with this many empties (0–60) reached by uniformly random play from the start;
/// games that end earlier are thrown away and begun again. The side to move has a legal move
/// unless the game ends exactly there.
pub fn random_position(empties: u32, rng: &mut Random) -> Position {
    'game: loop {
        let mut position = Position::START;
        while position.empty_count() > empties.min(60) || position.must_pass() {
            match random_move(position, rng) {
                Some(chosen) => position = position.after_unchecked(chosen),
                None => continue 'game,
            }
        }
        return position;
    }
}

/// Discs scattered over the board with exactly `empties` holes, the rest coloured at random: a
/// cheap supply of odd positions, with passes and wipe-outs, for solver tests.
pub fn scattered_position(empties: u32, rng: &mut Random) -> Position {
    let mut holes = Bitboard::EMPTY;
    while holes.count() < empties.min(64) {
        holes = Bitboard(holes.0 | 1 << rng.random_range(0..64));
    }
    // Even, one-sided or nearly bare colourings, so that passes and dead games turn up too.
    let mut mover: u64 = rng.random();
    for _ in 0..rng.random_range(0..4) {
        mover &= rng.random::<u64>();
    }
    if rng.random() {
        mover = !mover;
    }
    Position::from_disjoint(mover & !holes.0, !mover & !holes.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_random_position_has_the_empties_asked_for_and_no_forced_pass() {
        let mut rng = seeded(7);
        for empties in 0..=60 {
            let position = random_position(empties, &mut rng);
            assert_eq!(position.empty_count(), empties);
            assert!(!position.must_pass());
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_position() {
        let make = |seed| random_position(30, &mut seeded(seed));
        assert_eq!(make(5), make(5));
        assert_ne!(make(5), make(6));
    }
}
