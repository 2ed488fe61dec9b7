//! Minimax with singular extensions (Anantharaman, Campbell and Hsu), one of the improvements of
//! minimax that the 2002 paper sets itself against, in its one-move frame.
//!
//! A move that is better than all others of its node by a margin is *singular*: everything hangs on
//! it, so it is looked at one ply deeper, and counts with what that shows.

use crate::eval::discs::Discs;
use crate::eval::{Evaluator, UNIT};
use crate::othello::{Move, Position};

/// Plies that one line may be extended by in all, so that every search ends.
const MOST_EXTENSIONS: u32 = 2;

/// Static value in discs for the side to move.
fn discs(position: Position) -> i32 {
    Discs.evaluate(position) / UNIT
}

/// The first of the best moves of a position that has one.
pub(super) fn choose(position: Position, depth: u32, margin: i32) -> Move {
    let moves: Vec<(Move, Position)> = position.children().collect();
    moves[best(&moves, depth, margin, MOST_EXTENSIONS).0].0
}

/// The value for the side to move; a pass uses up no depth, a finished game is a leaf.
fn value(position: Position, depth: u32, margin: i32, extensions: u32) -> i32 {
    if depth == 0 || position.is_over() {
        return discs(position);
    }
    if !position.has_move() {
        return -value(position.pass(), depth, margin, extensions);
    }
    let moves: Vec<(Move, Position)> = position.children().collect();
    best(&moves, depth, margin, extensions).1
}

/// Index and value of the best move, the first of equal ones, after the singular one was extended.
fn best(moves: &[(Move, Position)], depth: u32, margin: i32, extensions: u32) -> (usize, i32) {
    let mut values: Vec<i32> =
        moves.iter().map(|(_, child)| -value(*child, depth - 1, margin, extensions)).collect();
    let first = first_best(&values);
    let others = values.iter().enumerate().filter(|(index, _)| *index != first);
    let second = others.map(|(_, &value)| value).max();
    if extensions > 0 && second.is_some_and(|second| values[first] - second >= margin) {
        values[first] = -value(moves[first].1, depth, margin, extensions - 1);
    }
    let index = first_best(&values);
    (index, values[index])
}

fn first_best(values: &[i32]) -> usize {
    let best = values.iter().max();
    values.iter().position(|value| Some(value) == best).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::kobayashi::one_move::Rule;
    use crate::othello::random::random_position;
    use crate::random::seeded;

    #[test]
    fn without_singular_moves_it_is_minimax_and_with_them_it_sometimes_is_not() {
        let mut rng = seeded(6);
        let mut differ = 0;
        for _ in 0..60 {
            let position = random_position(9, &mut rng);
            if !position.has_move() {
                continue;
            }
            assert_eq!(choose(position, 3, 1000), Rule::Minimax.choose(position));
            differ += usize::from(choose(position, 3, 4) != Rule::Minimax.choose(position));
        }
        assert!(differ > 0);
    }

    #[test]
    fn a_singular_move_counts_with_what_one_more_ply_shows() {
        let mut rng = seeded(7);
        let mut seen = 0;
        for _ in 0..200 {
            let position = random_position(8, &mut rng);
            let moves: Vec<(Move, Position)> = position.children().collect();
            if !position.has_move() || moves.len() < 2 {
                continue;
            }
            // One ply: values after the move; the best is looked at after the reply too.
            let plain: Vec<i32> = moves.iter().map(|entry| -discs(entry.1)).collect();
            let first = first_best(&plain);
            let second = (0..plain.len()).filter(|&i| i != first).map(|i| plain[i]).max().unwrap();
            let mut wanted = plain.clone();
            if plain[first] - second >= 4 {
                seen += 1;
                wanted[first] = -value(moves[first].1, 1, 1000, 0);
            }
            // A single extension: deeper ones need singular replies too.
            let found = best(&moves, 1, 4, 1);
            if wanted == plain {
                assert_eq!(found, (first, plain[first]));
            } else {
                assert_eq!(found, (first_best(&wanted), *wanted.iter().max().unwrap()));
            }
        }
        assert!(seen > 10, "{seen}");
    }
}
