//! When to speculate: the papers' types b₁b₂b₃, and the players that follow them.
//!
//! On its i-th own turn (i = 1, 2, 3) a player of type b₁b₂b₃ speculates if b_i = 1 and plays
//! semi-randomly otherwise; from its fourth turn on it plays semi-randomly, only 111 speculates
//! always. Speculating means setting traps, which costs something against an opponent who does not
//! fall into them, so the question of the paper is at which turns it pays.

use super::forced::{Knowledge, LookAhead};
use super::speculative::{Reading, Speculation};
use crate::game::Game;
use crate::search::expectation::node_counter::NodeCounter;

/// The eight types, in the order of the papers' tables.
pub const TYPES: [&str; 8] = ["000", "100", "010", "001", "110", "101", "011", "111"];

/// On which own turns to speculate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TurnSchedule([bool; 3]);

impl TurnSchedule {
    /// Of a type such as `110`; anything else than a 1 means no.
    pub fn of_type(text: &str) -> TurnSchedule {
        let mut bits = text.bytes().map(|byte| byte == b'1');
        TurnSchedule([0; 3].map(|_| bits.next().unwrap_or(false)))
    }

    /// Whether to speculate on this own turn, counted from 1.
    pub fn speculates(&self, turn: u32) -> bool {
        match turn {
            0 => false,
            1..=3 => self.0[turn as usize - 1],
            _ => self.0 == [true; 3],
        }
    }
}

/// A player of the papers: semi-random, speculative or mixed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MixedPlayer {
    /// Its look-ahead, plies.
    pub depth: u32,
    /// What it takes its opponent for.
    pub opponent_depth: u32,
    /// When it speculates.
    pub schedule: TurnSchedule,
    /// How it computes chances.
    pub reading: Reading,
}

impl MixedPlayer {
    /// P_d.
    pub fn semi_random(depth: u32) -> MixedPlayer {
        let schedule = TurnSchedule::of_type("000");
        MixedPlayer { depth, opponent_depth: 0, schedule, reading: Reading::OneMistake }
    }

    /// The moves it chooses from with equal probability on this own turn, counted from 1.
    pub fn choices<G: Game, K: Knowledge<G>>(
        &self,
        look: &mut LookAhead<'_, G, K>,
        state: &G::State,
        turn: u32,
        counter: &mut NodeCounter<'_>,
    ) -> Vec<G::Action> {
        let MixedPlayer { depth: own_depth, opponent_depth, reading, .. } = *self;
        if self.schedule.speculates(turn) {
            let speculation = Speculation { own_depth, opponent_depth, reading };
            let actions = look.game.actions(state);
            if let Some((action, _)) = look.speculate(state, &actions, &speculation, counter) {
                return vec![action];
            }
        }
        look.semi_random(state, own_depth, counter).actions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_says_on_which_of_three_turns_to_speculate() {
        let turns = |text: &str| {
            let schedule = TurnSchedule::of_type(text);
            (1..=5).map(|turn| schedule.speculates(turn)).collect::<Vec<bool>>()
        };
        assert_eq!(turns("110"), [true, true, false, false, false]);
        assert_eq!(turns("001"), [false, false, true, false, false]);
        assert_eq!(turns("111"), [true; 5]);
        assert_eq!(turns("000"), [false; 5]);
    }
}
