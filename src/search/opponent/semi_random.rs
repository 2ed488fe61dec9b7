//! The semi-random player P_d (Kajihara and Iida, definition 1).
//!
//! P_d plays at random among the moves that its look-ahead of d plies, its own move being ply 1, has
//! nothing against:
//!
//! - R1: a move that wins by force is played;
//! - R2: moves that lose by force are removed — unless that would remove all that are left.
//!
//! The rules are applied depth by depth, d' = 1, 2, …, d. The printed table 1 needs that: a player
//! who knows that everything loses in four plies still prevents the loss in two. P_0 plays at random.

use super::forced::{Knowledge, LookAhead, Outlook};
use crate::game::Game;
use crate::search::expectation::node_counter::NodeCounter;

/// The moves a player chooses from, all alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidates<A> {
    /// In the game's order; empty only if the game is over.
    pub actions: Vec<A>,
    /// Whether each of them wins by force.
    pub win: bool,
    /// Plies looked ahead before the choice was made or the search had to end.
    pub depth: u32,
}

impl<G: Game, K: Knowledge<G>> LookAhead<'_, G, K> {
    /// The candidates of P_d.
    pub fn semi_random(
        &mut self,
        state: &G::State,
        depth: u32,
        counter: &mut NodeCounter<'_>,
    ) -> Candidates<G::Action> {
        let actions = self.game.actions(state);
        self.candidates(state, actions, depth, depth, counter)
    }

    /// What is left of `actions` after R1 within `win_depth` plies and R2 within `loss_depth`, depth
    /// by depth.
    pub fn candidates(
        &mut self,
        state: &G::State,
        mut actions: Vec<G::Action>,
        win_depth: u32,
        loss_depth: u32,
        counter: &mut NodeCounter<'_>,
    ) -> Candidates<G::Action> {
        let mut seen = 0;
        for depth in 1..=win_depth.max(loss_depth) {
            let outlooks = actions
                .iter()
                .map(|&action| -self.forced(&self.game.apply(state, action), depth - 1, counter));
            let outlooks: Vec<Outlook> = outlooks.collect();
            if counter.is_exhausted() {
                break;
            }
            seen = depth;
            let kept = |keep: &dyn Fn(Outlook) -> bool| -> Vec<G::Action> {
                let pairs = actions.iter().zip(&outlooks);
                pairs.filter(|(_, outlook)| keep(**outlook)).map(|(action, _)| *action).collect()
            };
            let wins = kept(&|outlook| outlook == Outlook::Won);
            if depth <= win_depth && !wins.is_empty() {
                return Candidates { actions: wins, win: true, depth };
            }
            let unlost = kept(&|outlook| outlook != Outlook::Lost);
            if depth <= loss_depth {
                if unlost.is_empty() {
                    break;
                }
                actions = unlost;
            }
        }
        Candidates { actions, win: false, depth: seen }
    }
}
