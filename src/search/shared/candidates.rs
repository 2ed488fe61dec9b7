//! Candidate lists: which K moves of a position a forward-pruned search looks at.
//!
//! `standard` takes the first K of an ordering by a two-ply search. Down-forward pruning (the paper's
//! figure 4) takes the first n1 of the ordering and adds to each the moves of the same player that
//! come up further down its line and are legal in the position itself. What the paper leaves open is
//! read so: a move already in the list is not added again; where no shared move exists the line goes
//! on with the move ordered first, down to [`Candidates::deepest`] plies or the end of the game.
//!
//! Beyond the paper: the type may depend on whether the position is quiet ([`super::quiet`]), shared
//! moves may be looked for in quiet positions only, and a list may be given a number of nodes, which
//! it spends on deeper orderings, so that lists of different kinds can be compared at equal cost.

use super::order::{Ordered, order, order_within};
use super::quiet::is_quiet;
use crate::game::{Game, MoveIdentity};
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::expectation::tree::GameTree;

/// Plies of the search that orders moves for `standard`.
pub const STANDARD_PLIES: u32 = 2;
/// Plies of the search that orders moves along the lines of `down`.
pub const DOWN_PLIES: u32 = 1;
/// Plies below the position after which a line is given up; five shared moves take at least ten.
pub const DEEPEST: u32 = 20;

/// Where the candidates come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The first of an ordering by [`STANDARD_PLIES`].
    Standard,
    /// Down-forward pruning.
    Down {
        /// n1: how many moves of the ordering are followed down; the paper's type.
        branches: usize,
        /// n2: shared moves taken from the line of each.
        each: usize,
    },
    /// Down-forward pruning in quiet positions, the first of the ordering in violent ones.
    ByQuietness {
        /// n1, in quiet positions.
        branches: usize,
        /// n2, in quiet positions.
        each: usize,
    },
}

/// How to make a list of candidates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Candidates {
    /// Where they come from.
    pub source: Source,
    /// K: at most so many.
    pub count: usize,
    /// Plies below the position after which a line is given up.
    pub deepest: u32,
    /// Whether a list that stayed short is filled up from the ordering. In shogi the paper's lists
    /// are always full; in Othello lines may run dry.
    pub fill: bool,
    /// Nodes that a list takes, as many as its orderings can use; `None` for the paper's plies.
    pub nodes: Option<u64>,
    /// Whether shared moves are looked for in quiet positions only.
    pub quiet_only: bool,
}

impl Candidates {
    /// The first `count` moves of the ordering.
    pub fn standard(count: usize) -> Candidates {
        Candidates {
            source: Source::Standard,
            count,
            deepest: DEEPEST,
            fill: true,
            nodes: None,
            quiet_only: false,
        }
    }

    /// Down-forward pruning of a type: as many shared moves from each branch as make `count` moves,
    /// which for six candidates are (n1, n2) = (1, 5), (2, 2) and (3, 1).
    pub fn down(branches: usize, count: usize) -> Candidates {
        let branches = branches.clamp(1, count.max(1));
        let each = Candidates::each_of(branches, count);
        Candidates { source: Source::Down { branches, each }, ..Candidates::standard(count) }
    }

    /// n2 of a type: shared moves from each of `branches` lines so that there are `count` moves.
    pub fn each_of(branches: usize, count: usize) -> usize {
        let branches = branches.clamp(1, count.max(1));
        count.saturating_sub(branches).div_ceil(branches)
    }

    /// The candidates among the `allowed` moves of a position.
    pub fn list<G: MoveIdentity, F: Fn(&G::State) -> f64>(
        &self,
        tree: &GameTree<'_, G, F>,
        state: &G::State,
        allowed: &[G::Action],
        counter: &mut NodeCounter,
    ) -> List<G::Action> {
        let count = self.count.max(1);
        if let [] | [_] = allowed {
            return List { moves: allowed.to_vec(), looks: Vec::new() };
        }
        let mut allowance = Allowance::new(self.nodes, counter);
        let lines = match self.source {
            Source::Standard => None,
            Source::Down { branches, each } => Some((branches, each)),
            Source::ByQuietness { branches, each } => {
                is_quiet(tree, state, counter).then_some((branches, each))
            }
        };
        let Some((branches, each)) = lines else {
            let mut ordered = allowance.order(tree, state, STANDARD_PLIES, counter);
            ordered.retain(|entry| allowed.contains(&entry.action));
            return List::of(&ordered[..count.min(ordered.len())]);
        };
        let branches = branches.clamp(1, count);
        // A shared move comes every second ply of a line.
        allowance.orderings += 2 * (branches * each).min(count - branches) as u64;
        let mut ordered = allowance.order(tree, state, DOWN_PLIES, counter);
        ordered.retain(|entry| allowed.contains(&entry.action));
        let branches = branches.min(ordered.len());
        let mut list = List::of(&ordered[..branches]);
        for branch in &ordered[..branches] {
            let wish = Wish { state, moves: allowed, count, each };
            let after = branch.after.clone();
            self.follow(tree, &wish, after, &mut list, &mut allowance, counter);
        }
        if self.fill {
            for entry in &ordered {
                if list.moves.len() < count && !list.moves.contains(&entry.action) {
                    list.moves.push(entry.action);
                }
            }
        }
        list
    }

    /// Goes down one line and puts the shared moves met in front of the list.
    fn follow<G: MoveIdentity, F: Fn(&G::State) -> f64>(
        &self,
        tree: &GameTree<'_, G, F>,
        wish: &Wish<'_, G>,
        mut state: G::State,
        list: &mut List<G::Action>,
        allowance: &mut Allowance,
        counter: &mut NodeCounter,
    ) {
        let game = tree.game;
        let mut wanted = wish.each;
        for ply in 1..=self.deepest {
            if wanted == 0 || list.moves.len() >= wish.count || counter.is_exhausted() {
                return;
            }
            let ordered = allowance.order(tree, &state, DOWN_PLIES, counter);
            let Some(first) = ordered.first() else { return };
            let mut next = first;
            let own = game.to_move(&state) == game.to_move(wish.state);
            if own && (!self.quiet_only || is_quiet(tree, &state, counter)) {
                let shared = ordered.iter().find_map(|entry| {
                    let legal = shared_move(game, &state, entry.action, wish.state, wish.moves);
                    legal
                        .filter(|action| !list.moves.contains(action))
                        .map(|action| (entry, action))
                });
                list.looks.push(Look { ply, found: shared.is_some() });
                if let Some((entry, action)) = shared {
                    list.moves.insert(0, action);
                    wanted -= 1;
                    next = entry;
                }
            }
            state = next.after.clone();
        }
    }
}

/// The position the candidates are for, with what is wanted from each line.
struct Wish<'a, G: Game> {
    state: &'a G::State,
    moves: &'a [G::Action],
    count: usize,
    each: usize,
}

/// The nodes that a list may still take and the orderings still to come; what one of them leaves is
/// for the next.
struct Allowance {
    end: Option<u64>,
    orderings: u64,
}

impl Allowance {
    fn new(nodes: Option<u64>, counter: &NodeCounter) -> Allowance {
        Allowance { end: nodes.map(|nodes| counter.nodes + nodes), orderings: 1 }
    }

    /// An ordering of so many plies, or as deep as its share of the nodes allows.
    fn order<G: Game, F: Fn(&G::State) -> f64>(
        &mut self,
        tree: &GameTree<'_, G, F>,
        state: &G::State,
        plies: u32,
        counter: &mut NodeCounter,
    ) -> Vec<Ordered<G>> {
        let Some(end) = self.end else { return order(tree, state, plies, counter) };
        let share = end.saturating_sub(counter.nodes) / self.orderings.max(1);
        self.orderings = self.orderings.saturating_sub(1);
        order_within(tree, state, share, counter)
    }
}

/// A list of candidates and how it came about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct List<A> {
    /// Shared moves first, the last found foremost; then the front of the ordering.
    pub moves: Vec<A>,
    /// Every position in which a shared move was looked for.
    pub looks: Vec<Look>,
}

/// One look for a shared move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    /// Plies below the position that the list is for.
    pub ply: u32,
    /// Whether there was one that the list did not have yet.
    pub found: bool,
}

impl<A: Copy> List<A> {
    fn of<G: Game<Action = A>>(front: &[Ordered<G>]) -> List<A> {
        List { moves: front.iter().map(|entry| entry.action).collect(), looks: Vec::new() }
    }
}

/// The move among `moves` of `to` that is the same as `action` of `from`.
pub fn shared_move<G: MoveIdentity>(
    game: &G,
    from: &G::State,
    action: G::Action,
    to: &G::State,
    moves: &[G::Action],
) -> Option<G::Action> {
    moves.iter().copied().find(|&other| game.is_same_move(from, action, to, other))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::game::{Othello, Side, Synthetic, TicTacToe, othello::OthelloState};
    use crate::othello::random::{random_position, seeded};
    use crate::search::{Limits, StopFlag};

    fn check<G: MoveIdentity, F: Fn(&G::State) -> f64>(
        tree: &GameTree<'_, G, F>,
        state: &G::State,
        make: Candidates,
    ) -> List<G::Action>
    where
        G::Action: std::hash::Hash,
    {
        let stop = StopFlag::new();
        let mut counter = NodeCounter::new(&Limits::default(), &stop);
        let legal = tree.game.actions(state);
        let list = make.list(tree, state, &legal, &mut counter);
        let different: HashSet<_> = list.moves.iter().copied().collect();
        assert_eq!(different.len(), list.moves.len(), "duplicates in {list:?}");
        assert!(list.moves.iter().all(|action| legal.contains(action)), "{list:?}");
        assert!(list.moves.len() <= make.count, "{list:?}");
        if make.fill {
            assert_eq!(list.moves.len(), make.count.min(legal.len()), "{list:?}");
        }
        let (plies, front) = match make.source {
            _ if make.nodes.is_some() => return list,
            Source::Down { branches, .. } => (DOWN_PLIES, branches.min(make.count)),
            Source::ByQuietness { branches, .. } if is_quiet(tree, state, &mut counter) => {
                (DOWN_PLIES, branches.min(make.count))
            }
            _ => (STANDARD_PLIES, make.count),
        };
        for entry in order(tree, state, plies, &mut counter).iter().take(front) {
            assert!(list.moves.contains(&entry.action), "{list:?}");
        }
        list
    }

    fn all() -> impl Iterator<Item = Candidates> {
        let sizes = [1, 2, 3, 6, 9];
        let down = |count| (1..=4).map(move |branches| Candidates::down(branches, count));
        let free = |count| {
            let source = Source::Down { branches: 2, each: 5 };
            Candidates { source, ..Candidates::standard(count) }
        };
        let switching = |count| {
            let source = Source::ByQuietness { branches: 1, each: 5 };
            Candidates { source, quiet_only: true, ..Candidates::standard(count) }
        };
        sizes
            .into_iter()
            .flat_map(move |count| {
                down(count).chain([Candidates::standard(count), free(count), switching(count)])
            })
            .flat_map(|make| [make, Candidates { fill: false, ..make }])
            .flat_map(|make| [make, Candidates { nodes: Some(150), ..make }])
    }

    fn mobility(state: &OthelloState) -> f64 {
        let (own, other) = (state.position, state.position.pass());
        f64::from(own.legal_moves().count()) - f64::from(other.legal_moves().count())
    }

    #[test]
    fn lists_on_random_positions_are_legal_short_and_hold_the_front_of_the_ordering() {
        let mut rng = seeded(1992);
        let tree = GameTree { game: &Othello, evaluate: mobility, most_moves: 33 };
        let mut shared = 0;
        for empties in (4..58).step_by(3) {
            let position = random_position(empties, &mut rng);
            let state = OthelloState { position, player: Side::Second };
            for make in all() {
                let list = check(&tree, &state, make);
                shared += list.looks.iter().filter(|look| look.found).count();
            }
        }
        assert!(shared > 500, "{shared} shared moves");
        let tree = GameTree { game: &TicTacToe, evaluate: |_: &_| 0.0, most_moves: 9 };
        all().for_each(|make| drop(check(&tree, &TicTacToe.start(), make)));
        for seed in 0..100 {
            let game = Synthetic {
                seed,
                most_moves: 7,
                plies: 12,
                values: 3,
                pass_one_in: 5,
                end_one_in: 20,
            };
            let tree = GameTree {
                game: &game,
                evaluate: |node: &_| game.static_value(node),
                most_moves: 7,
            };
            all().for_each(|make| drop(check(&tree, &game.start(), make)));
        }
    }

    #[cfg(feature = "shogi")]
    #[test]
    fn lists_on_random_shogi_positions_have_the_same_properties() {
        use crate::game::shogi::{MOST_MOVES, Shogi, evaluate};
        use rand::Rng;
        let tree = GameTree { game: &Shogi, evaluate, most_moves: MOST_MOVES };
        let mut rng = seeded(1991);
        let mut shared = 0;
        for _ in 0..4 {
            let mut state = Shogi.start();
            for _ in 0..rng.random_range(10..60) {
                let actions = Shogi.actions(&state);
                let action = actions[rng.random_range(0..actions.len())];
                let after = Shogi.apply(&state, action);
                if Shogi.terminal_value(&after).is_none() {
                    state = after;
                }
            }
            for make in all() {
                let list = check(&tree, &state, make);
                shared += list.looks.iter().filter(|look| look.found).count();
            }
        }
        assert!(shared > 100, "{shared} shared moves");
    }

    #[test]
    fn lists_with_nodes_to_spend_take_as_many_as_they_are_given() {
        let stop = StopFlag::new();
        let tree = GameTree { game: &Othello, evaluate: mobility, most_moves: 33 };
        let mut rng = seeded(17);
        for empties in 20..40 {
            let position = random_position(empties, &mut rng);
            let state = OthelloState { position, player: Side::First };
            let legal = Othello.actions(&state);
            if legal.len() < 4 {
                continue;
            }
            for make in [Candidates::standard(3), Candidates::down(1, 3), Candidates::down(3, 3)] {
                let make = Candidates { nodes: Some(2_000), ..make };
                let mut counter = NodeCounter::new(&Limits::default(), &stop);
                make.list(&tree, &state, &legal, &mut counter);
                assert!((1_900..2_100).contains(&counter.nodes), "{make:?}: {}", counter.nodes);
            }
        }
    }

    #[test]
    fn a_single_candidate_of_type_1_is_the_best_of_the_ordering() {
        let stop = StopFlag::new();
        let mut counter = NodeCounter::new(&Limits::default(), &stop);
        let tree = GameTree { game: &Othello, evaluate: mobility, most_moves: 33 };
        let mut rng = seeded(3);
        for _ in 0..50 {
            let position = random_position(30, &mut rng);
            let state = OthelloState { position, player: Side::First };
            let best = order(&tree, &state, DOWN_PLIES, &mut counter)[0].action;
            assert_eq!(check(&tree, &state, Candidates::down(1, 1)).moves, [best]);
        }
    }

    #[test]
    fn six_candidates_split_into_branches_as_in_the_paper() {
        let counts = [1, 2, 3].map(|kind| Candidates::down(kind, 6).source);
        let expected = [(1, 5), (2, 2), (3, 1)];
        assert_eq!(counts, expected.map(|(branches, each)| Source::Down { branches, each }));
    }

    /// Tic-tac-toe in which the mover likes the cells with high numbers: every list can be worked
    /// out by hand.
    #[test]
    fn shared_moves_come_in_front_of_the_list_the_last_found_foremost() {
        let evaluate =
            |grid: &crate::game::tictactoe::Grid| f64::from(grid.mover) - f64::from(grid.opponent);
        let tree = GameTree { game: &TicTacToe, evaluate, most_moves: 9 };
        let start = TicTacToe.start();
        // i (8) first; the opponent takes h (7), the shared move is 6, the opponent 5, shared 4:
        // 8, 6, 4 do not make a line of the first player before.
        let make = Candidates { fill: false, ..Candidates::down(1, 3) };
        let cells: Vec<u8> = check(&tree, &start, make).moves.iter().map(|cell| cell.0).collect();
        assert_eq!(cells, [4, 6, 8]);
        let make = Candidates { fill: false, ..Candidates::down(2, 4) };
        let cells: Vec<u8> = check(&tree, &start, make).moves.iter().map(|cell| cell.0).collect();
        // From 7 the opponent takes 8, and 6 is in the list already: 5 is the next.
        assert_eq!(cells, [5, 6, 8, 7]);
    }
}
