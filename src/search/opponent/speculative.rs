//! The speculative player X (Kajihara and Iida, definition 2).
//!
//! X looks d_x plies ahead and knows that its opponent Y is a semi-random P with depth d_y ≤ d_x − 2:
//! Y overlooks what X sees. X plays the move with the greatest probability of winning given how Y
//! chooses. The paper leaves open how that probability is backed up; see [`Reading`].

use super::forced::{Knowledge, LookAhead, Outlook};
use crate::game::Game;
use crate::search::expectation::node_counter::NodeCounter;

/// How the chance of winning by a move is computed. Draws, losses and undecided lines count 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// The share of Y's replies after which X wins by force within d_x − 2 plies: X hopes for one
    /// mistake, the next reply. Y is taken to see its wins within d_y and its losses within
    /// d_y + 1 plies. Agrees best with the printed tables.
    OneMistake,
    /// The literal definition: the best of X's moves, the average of Y's replies, down to d_x plies.
    Expectimax,
    /// The authors' earlier version: the share of won leaves among all leaves of the subtree.
    WonLeaves,
}

/// A speculative player's idea of itself and of its opponent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Speculation {
    /// d_x, plies.
    pub own_depth: u32,
    /// d_y, plies.
    pub opponent_depth: u32,
    /// How chances are computed.
    pub reading: Reading,
}

impl Speculation {
    /// Whether X sees enough more than Y; otherwise it plays semi-randomly.
    pub fn is_allowed(&self) -> bool {
        self.own_depth >= self.opponent_depth + 2
    }
}

/// Won leaves and all leaves of a subtree.
#[derive(Clone, Copy, Default)]
struct Leaves {
    won: u64,
    all: u64,
}

impl<G: Game, K: Knowledge<G>> LookAhead<'_, G, K> {
    /// X's move: the greatest chance of winning; among equals those that X would keep as a
    /// semi-random player, then the first. `None` if there is none, or speculation is not allowed.
    pub fn speculate(
        &mut self,
        state: &G::State,
        actions: &[G::Action],
        speculation: &Speculation,
        counter: &mut NodeCounter<'_>,
    ) -> Option<(G::Action, f64)> {
        if !speculation.is_allowed() || actions.is_empty() {
            return None;
        }
        let chances: Vec<f64> = actions
            .iter()
            .map(|&action| self.chance(&self.game.apply(state, action), speculation, counter))
            .collect();
        let best = chances.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let pairs = actions.iter().zip(&chances).filter(|(_, chance)| **chance == best);
        let equal: Vec<G::Action> = pairs.map(|(action, _)| *action).collect();
        let depth = speculation.own_depth;
        let safe = self.candidates(state, actions.to_vec(), depth, depth, counter).actions;
        let chosen = equal.iter().find(|action| safe.contains(action)).or(equal.first())?;
        (!counter.is_exhausted()).then_some((*chosen, best))
    }

    /// X's chance of winning after a move that led to `state`, where Y is to move.
    pub fn chance(
        &mut self,
        state: &G::State,
        speculation: &Speculation,
        counter: &mut NodeCounter<'_>,
    ) -> f64 {
        if self.forced(state, 0, counter) == Outlook::Lost {
            return 1.0;
        }
        if self.game.terminal_value(state).is_some() {
            return 0.0;
        }
        let Speculation { own_depth, opponent_depth, reading } = *speculation;
        match reading {
            Reading::OneMistake => {
                let replies = self.game.actions(state);
                let (win, loss) = (opponent_depth, opponent_depth + 1);
                let replies = self.candidates(state, replies, win, loss, counter).actions;
                let left = own_depth.saturating_sub(2);
                let mistakes = replies.iter().filter(|&&reply| {
                    let after = self.game.apply(state, reply);
                    self.forced(&after, left, counter) == Outlook::Won
                });
                mistakes.count() as f64 / replies.len().max(1) as f64
            }
            Reading::Expectimax => {
                self.mean_of_replies(state, own_depth - 1, opponent_depth, counter)
            }
            Reading::WonLeaves => {
                let mut leaves = Leaves::default();
                self.count_leaves(state, false, own_depth - 1, &mut leaves, counter);
                leaves.won as f64 / leaves.all.max(1) as f64
            }
        }
    }

    /// The average over Y's candidates of the best that X can then do, `plies` deep.
    fn mean_of_replies(
        &mut self,
        state: &G::State,
        plies: u32,
        model: u32,
        counter: &mut NodeCounter<'_>,
    ) -> f64 {
        match self.forced(state, 0, counter) {
            Outlook::Lost => return 1.0,
            Outlook::Won => return 0.0,
            Outlook::Open => {}
        }
        if plies == 0 || self.game.terminal_value(state).is_some() || counter.is_exhausted() {
            return 0.0;
        }
        let replies = self.semi_random(state, model, counter).actions;
        let mut sum = 0.0;
        for &reply in &replies {
            let after = self.game.apply(state, reply);
            sum += match self.forced(&after, 0, counter) {
                Outlook::Won => 1.0,
                Outlook::Lost => 0.0,
                Outlook::Open => self.best_of_moves(&after, plies - 1, model, counter),
            };
        }
        sum / replies.len().max(1) as f64
    }

    fn best_of_moves(
        &mut self,
        state: &G::State,
        plies: u32,
        model: u32,
        counter: &mut NodeCounter<'_>,
    ) -> f64 {
        let mut best = 0.0;
        if plies > 0 && !counter.is_exhausted() {
            for action in self.game.actions(state) {
                let after = self.game.apply(state, action);
                best = f64::max(best, self.mean_of_replies(&after, plies - 1, model, counter));
            }
        }
        best
    }

    fn count_leaves(
        &mut self,
        state: &G::State,
        own_turn: bool,
        plies: u32,
        leaves: &mut Leaves,
        counter: &mut NodeCounter<'_>,
    ) {
        let actions = self.game.actions(state);
        if plies == 0 || actions.is_empty() || counter.is_exhausted() {
            let won = if own_turn { Outlook::Won } else { Outlook::Lost };
            leaves.won += u64::from(self.forced(state, 0, counter) == won);
            leaves.all += 1;
            return;
        }
        for action in actions {
            let after = self.game.apply(state, action);
            self.count_leaves(&after, !own_turn, plies - 1, leaves, counter);
        }
    }
}
