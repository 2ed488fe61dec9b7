//! Shogi as a domain of the experiments: positions from seeded play of a weak player, a judge that
//! searches every move of a list with an open window, and the paper's kind of evaluation.

use haitaka::Board;
use rand::Rng;

use super::domain::{Domain, Judged, Picker};
use crate::game::Game;
use crate::game::shogi::{MOST_MOVES, Shogi, ShogiMove, evaluate};
use crate::options::OptionError;
use crate::random::{Random, seeded_part};
use crate::search::expectation::backup::Backup;
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::expectation::tree::GameTree;
use crate::search::shared::order::order;
use crate::search::shared::pruned::Pruned;
use crate::search::{Limits, StopFlag};

/// The domain.
#[derive(Clone, Copy, Debug)]
pub struct ShogiDomain {
    /// Plies that the judge or the picking player looks ahead, at least 1.
    pub depth: u32,
}

/// Plies of play before a position of the experiment: fewest and most.
const PLIES: (u32, u32) = (20, 80);
/// In self-play one move in so many is a random one, so that positions differ.
const RANDOM_ONE_IN: u32 = 4;
/// Random plies before a game.
const OPENING_PLIES: u32 = 6;

type ShogiTree = GameTree<'static, Shogi, fn(&Board) -> f64>;

fn tree() -> ShogiTree {
    GameTree { game: &Shogi, evaluate, most_moves: MOST_MOVES }
}

/// A move by the two-ply ordering, or a random one.
fn played(state: &Board, random_one_in: u32, rng: &mut Random) -> Option<ShogiMove> {
    let actions = Shogi.actions(state);
    if actions.is_empty() {
        return None;
    }
    if rng.random_range(0..random_one_in) == 0 {
        return Some(actions[rng.random_range(0..actions.len())]);
    }
    let stop = StopFlag::new();
    let mut counter = NodeCounter::new(&Limits::default(), &stop);
    order(&tree(), state, 2, &mut counter).first().map(|entry| entry.action)
}

/// A game of so many plies, `None` if it ended before.
fn play(plies: u32, random_one_in: u32, rng: &mut Random) -> Option<Board> {
    let mut state = Shogi.start();
    for _ in 0..plies {
        let action = played(&state, random_one_in, rng)?;
        state = Shogi.apply(&state, action);
    }
    Shogi.terminal_value(&state).is_none().then_some(state)
}

/// The best of some moves by a search of so many plies, with its value; `None` if there are none.
fn best(
    state: &Board,
    moves: &[ShogiMove],
    depth: u32,
    search: &mut Pruned<ShogiMove>,
    counter: &mut NodeCounter<'_>,
) -> Option<(ShogiMove, f64)> {
    let tree = tree();
    let mut found: Option<(ShogiMove, f64)> = None;
    for &action in moves {
        let floor = found.map_or(f64::NEG_INFINITY, |(_, value)| value);
        let after = Shogi.apply(state, action);
        let value = search.child_value(&tree, &after, depth - 1, floor, counter);
        if value > floor {
            found = Some((action, value));
        }
    }
    found
}

impl Domain for ShogiDomain {
    type Game = Shogi;

    fn game(&self) -> &Shogi {
        &Shogi
    }

    fn most_moves(&self) -> usize {
        MOST_MOVES
    }

    fn evaluate(&self, state: &Board) -> f64 {
        evaluate(state)
    }

    fn position(&self, index: u32, seed: u64, count: usize) -> Board {
        let mut rng = seeded_part(seed, u64::from(index));
        let (least, most) = PLIES;
        loop {
            let plies = rng.random_range(least..=most);
            if let Some(state) = play(plies, RANDOM_ONE_IN, &mut rng)
                && Shogi.actions(&state).len() > count
            {
                return state;
            }
        }
    }

    fn opening(&self, index: usize, seed: u64) -> Board {
        let mut rng = seeded_part(seed, index as u64);
        loop {
            if let Some(state) = play(OPENING_PLIES, 1, &mut rng) {
                return state;
            }
        }
    }

    fn most_plies(&self) -> usize {
        200
    }

    fn judge(
        &self,
        state: &Board,
        moves: &[ShogiMove],
        stop: &StopFlag,
    ) -> Result<Judged<ShogiMove>, OptionError> {
        let mut counter = NodeCounter::new(&Limits::default(), stop);
        let mut search = Pruned::new(None);
        let all: Vec<ShogiMove> =
            order(&tree(), state, 1, &mut counter).iter().map(|entry| entry.action).collect();
        let earlier =
            best(state, &all, self.depth.saturating_sub(2).max(1), &mut search, &mut counter);
        let now = best(state, &all, self.depth, &mut search, &mut counter);
        let mut values: Vec<(ShogiMove, f64)> = Vec::new();
        for &action in moves {
            if values.iter().all(|(known, _)| *known != action) {
                let alone = best(state, &[action], self.depth, &mut search, &mut counter);
                values.extend(alone);
            }
        }
        Ok(Judged {
            values,
            best: now.map_or(0.0, |(_, value)| value),
            is_quiet: earlier.map(|found| found.0) == now.map(|found| found.0),
        })
    }

    fn picker(&self) -> Result<Picker<'_, ShogiDomain>, OptionError> {
        let depth = self.depth;
        Ok(Box::new(move |state, moves| {
            let stop = StopFlag::new();
            let mut counter = NodeCounter::new(&Limits::default(), &stop);
            let found = best(state, moves, depth, &mut Pruned::new(None), &mut counter);
            found.map_or(moves[0], |(action, _)| action)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::CandidateLists;
    use super::*;

    #[test]
    fn positions_repeat_by_seed_and_the_experiment_counts_them_all() {
        let domain = ShogiDomain { depth: 2 };
        assert_eq!(domain.position(3, 7, 6), domain.position(3, 7, 6));
        let experiment = CandidateLists { domain: &domain, positions: 4, count: 6, seed: 7 };
        let result = experiment.run(&StopFlag::new(), &|| ()).unwrap().unwrap();
        assert_eq!(result.quiet.positions + result.violent.positions, 4);
        let (least, most) =
            (result.nodes.iter().min().unwrap(), result.nodes.iter().max().unwrap());
        assert!(*most as f64 <= 1.1 * *least as f64, "{:?}", result.nodes);
    }

    #[test]
    fn the_judge_values_a_move_as_the_best_of_all_if_it_is() {
        let domain = ShogiDomain { depth: 3 };
        let state = domain.position(1, 7, 6);
        let all = Shogi.actions(&state);
        let judged = domain.judge(&state, &all, &StopFlag::new()).unwrap();
        let most = judged.values.iter().map(|(_, value)| *value).fold(f64::MIN, f64::max);
        assert_eq!(judged.best, most);
    }
}
