//! The correction of a search by the move found at the end of its line.
//!
//! Where the expected line ends, goals have become clearer: the best move there, if it is legal at
//! the root too, may be the better move now. It is tried at the root to the same depth, and the ends
//! of both lines are compared by the same small search. The two-stage search (section 4.2 of the
//! paper) corrects a forward-pruned search so and asks for a better end; the full-width correction
//! (section 5) prefers the new move when both ends are equal. The end of a line is its last position
//! with the same side to move as the root, which settles odd depths and passes.

use std::time::Duration;

use super::candidates::shared_move;
use crate::game::{Game, MoveIdentity};
use crate::search::{Limits, TimeLimit};

/// The share of nodes and time that the search itself may use when a correction is to follow: the
/// new move is searched with an open window, which costs about as much as an early iteration. Not
/// tuned.
const SEARCH_SHARE: f64 = 0.7;

/// A move, its value and the play expected.
#[derive(Clone, PartialEq, Debug)]
pub struct Expected<A> {
    /// For the side to move.
    pub value: f64,
    /// The move and the play after it.
    pub line: Vec<A>,
}

/// A search that the correction can ask; `None` means that it had to end early.
pub trait LineSearch<G: Game> {
    /// The best line of so many plies, or the best that begins with `first`.
    fn line(
        &mut self,
        state: &G::State,
        depth: u32,
        first: Option<G::Action>,
    ) -> Option<Expected<G::Action>>;

    /// All moves by a search of so many plies, the best first.
    fn ranking(&mut self, state: &G::State, depth: u32) -> Option<Vec<(G::Action, f64)>>;
}

/// Which move is played when both ends are equal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ties {
    /// The move that the search found: section 4.2.
    Found,
    /// The shared move: section 5.
    Shared,
}

/// The correction's settings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Correction {
    /// D1: plies of the search at the ends; 0 corrects nothing.
    pub depth: u32,
    /// Which move is played when both ends are equal.
    pub ties: Ties,
}

impl Correction {
    /// The line to play instead of `found`, the line of a search `depth` plies deep; `None` if it
    /// stays. Only the `allowed` moves of `state` are tried.
    pub fn better<G: MoveIdentity>(
        &self,
        game: &G,
        search: &mut dyn LineSearch<G>,
        state: &G::State,
        allowed: &[G::Action],
        depth: u32,
        found: &Expected<G::Action>,
    ) -> Option<Expected<G::Action>> {
        if self.depth == 0 {
            return None;
        }
        let end = plausible_end(game, state, &found.line)?;
        let ranking = search.ranking(&end, self.depth)?;
        let value = ranking.first()?.1;
        let shared = ranking
            .iter()
            .find_map(|&(action, _)| shared_move(game, &end, action, state, allowed))?;
        if found.line.first() == Some(&shared) {
            return None;
        }
        let other = search.line(state, depth, Some(shared))?;
        let other_end = plausible_end(game, state, &other.line)?;
        let other_value = match game.terminal_value(&other_end) {
            Some(value) => value,
            None => search.line(&other_end, self.depth, None)?.value,
        };
        let replaces = match self.ties {
            Ties::Found => other_value > value,
            Ties::Shared => other_value >= value,
        };
        replaces.then_some(Expected { value: other_value, line: other.line })
    }

    /// The limits of the search before the correction.
    pub fn reserve(&self, limits: &Limits) -> Limits {
        if self.depth == 0 {
            return *limits;
        }
        Limits {
            nodes: limits.nodes.map(|nodes| (nodes as f64 * SEARCH_SHARE) as u64),
            time: limits.time.map(|time| TimeLimit {
                soft: time.soft.mul_f64(SEARCH_SHARE),
                hard: time.hard.mul_f64(SEARCH_SHARE),
            }),
            ..*limits
        }
    }
}

/// What is left of the limits after so many nodes and so much time; no depth. `None` if nothing is.
pub fn rest(limits: &Limits, nodes: u64, elapsed: Duration) -> Option<Limits> {
    let left = Limits {
        depth: None,
        nodes: limits.nodes.map(|all| all.saturating_sub(nodes)),
        time: limits.time.map(|time| TimeLimit::fixed(time.hard.saturating_sub(elapsed))),
        ..*limits
    };
    let out = left.nodes == Some(0) || left.time.is_some_and(|time| time.hard.is_zero());
    (!out).then_some(left)
}

/// The last position of a line, below the root, with the root's side to move.
pub fn plausible_end<G: Game>(game: &G, state: &G::State, line: &[G::Action]) -> Option<G::State> {
    let mut end = None;
    let mut current = state.clone();
    for &action in line {
        current = game.apply(&current, action);
        if game.to_move(&current) == game.to_move(state) {
            end = Some(current.clone());
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::TicTacToe;
    use crate::game::tictactoe::{Cell, Grid};

    const FOUND: [Cell; 2] = [Cell(0), Cell(1)];

    /// Answers by hand: at the end of the found line cell 1, taken by then, could never come first;
    /// the ranking names `ranked`, lines that begin with a given cell end with `shared_value`.
    struct ByHand {
        ranked: Vec<(Cell, f64)>,
        shared_value: f64,
        asked: Vec<(u32, Option<Cell>)>,
        ends_early: bool,
    }

    impl LineSearch<TicTacToe> for ByHand {
        fn line(&mut self, _: &Grid, depth: u32, first: Option<Cell>) -> Option<Expected<Cell>> {
            self.asked.push((depth, first));
            if self.ends_early {
                return None;
            }
            let line = vec![first.unwrap_or(Cell(5)), Cell(3)];
            Some(Expected { value: self.shared_value, line })
        }

        fn ranking(&mut self, _: &Grid, _: u32) -> Option<Vec<(Cell, f64)>> {
            Some(self.ranked.clone())
        }
    }

    fn run(correction: Correction, value: f64, shared_value: f64) -> Option<Cell> {
        let ranked = vec![(Cell(8), value), (Cell(7), value - 1.0)];
        let mut search = ByHand { ranked, shared_value, asked: Vec::new(), ends_early: false };
        better(correction, &mut search)
    }

    fn better(correction: Correction, search: &mut ByHand) -> Option<Cell> {
        let start = TicTacToe.start();
        let allowed: Vec<Cell> = (0..8).map(Cell).chain([Cell(8)]).collect();
        let found = Expected { value: 0.0, line: FOUND.to_vec() };
        correction.better(&TicTacToe, search, &start, &allowed, 2, &found).map(|new| new.line[0])
    }

    #[test]
    fn the_better_end_decides_and_ties_go_as_each_section_says() {
        let full = Correction { depth: 3, ties: Ties::Shared };
        let staged = Correction { depth: 3, ties: Ties::Found };
        assert_eq!(run(full, 4.0, 5.0), Some(Cell(8)));
        assert_eq!(run(staged, 4.0, 5.0), Some(Cell(8)));
        assert_eq!(run(full, 4.0, 4.0), Some(Cell(8)));
        assert_eq!(run(staged, 4.0, 4.0), None);
        assert_eq!(run(full, 4.0, 3.0), None);
    }

    #[test]
    fn no_depth_corrects_nothing_and_asks_nothing() {
        let none = Correction { depth: 0, ties: Ties::Shared };
        let mut search =
            ByHand { ranked: vec![], shared_value: 9.0, asked: Vec::new(), ends_early: false };
        assert_eq!(better(none, &mut search), None);
        assert!(search.asked.is_empty());
        assert_eq!(none.reserve(&Limits::nodes(100)), Limits::nodes(100));
    }

    #[test]
    fn the_next_best_move_is_tried_where_the_best_is_not_legal_at_the_root() {
        let full = Correction { depth: 3, ties: Ties::Shared };
        let ranked = vec![(Cell(9), 2.0), (Cell(4), 1.0)];
        let mut search = ByHand { ranked, shared_value: 9.0, asked: vec![], ends_early: false };
        assert_eq!(better(full, &mut search), Some(Cell(4)));
        assert_eq!(search.asked, [(2, Some(Cell(4))), (3, None)]);
        search.ends_early = true;
        assert_eq!(better(full, &mut search), None);
    }

    #[test]
    fn the_end_of_a_line_has_the_root_side_to_move() {
        let start = TicTacToe.start();
        let odd = [Cell(0), Cell(1), Cell(2)];
        let even = plausible_end(&TicTacToe, &start, &odd[..2]).unwrap();
        assert_eq!(plausible_end(&TicTacToe, &start, &odd), Some(even));
        assert_eq!(plausible_end(&TicTacToe, &start, &odd[..1]), None);
    }

    #[test]
    fn what_is_reserved_and_what_is_left_add_up() {
        let limits =
            Limits { time: Limits::time(Duration::from_secs(1)).time, ..Limits::nodes(1000) };
        let first = Correction { depth: 2, ties: Ties::Found }.reserve(&limits);
        assert_eq!(first.nodes, Some(700));
        let left = rest(&limits, 700, Duration::from_millis(900)).unwrap();
        assert_eq!(left.nodes, Some(300));
        assert_eq!(left.time.unwrap().hard, Duration::from_millis(100));
        assert_eq!(rest(&limits, 1200, Duration::ZERO), None);
        assert_eq!(rest(&limits, 0, Duration::from_secs(2)), None);
    }
}
