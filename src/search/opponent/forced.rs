//! Forced wins and losses within a number of plies.
//!
//! The players of Kajihara and Iida know finished games only: within d plies a position is won by
//! force, lost by force, or neither — a draw and an undecided line are the same to them. In a game
//! as long as Othello that is no knowledge before the last moves, so [`Knowledge`] may also judge the
//! positions where the look-ahead ends: [`Beyond`] calls a static value beyond a threshold a win.

use std::collections::HashMap;
use std::ops::Neg;

use crate::game::Game;
use crate::search::expectation::node_counter::NodeCounter;

/// What the side to move can force; the later the better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Outlook {
    /// The other side wins whatever is played.
    Lost,
    /// A draw, or not decided within the look-ahead.
    Open,
    /// There is a win against every reply.
    Won,
}

impl Neg for Outlook {
    type Output = Outlook;

    fn neg(self) -> Outlook {
        match self {
            Outlook::Lost => Outlook::Won,
            Outlook::Open => Outlook::Open,
            Outlook::Won => Outlook::Lost,
        }
    }
}

impl Outlook {
    /// Of a value for the side to move that counts as a win from `threshold` on.
    pub(super) fn of(value: f64, threshold: f64) -> Outlook {
        if value >= threshold {
            Outlook::Won
        } else if value <= -threshold {
            Outlook::Lost
        } else {
            Outlook::Open
        }
    }
}

/// What a player knows of a position that is not over, without looking further.
pub trait Knowledge<G: Game> {
    /// The outlook for the side to move.
    fn judge(&self, game: &G, state: &G::State) -> Outlook;
}

/// The papers' knowledge: finished games only.
#[derive(Clone, Copy, Debug)]
pub struct GameEnds;

impl<G: Game> Knowledge<G> for GameEnds {
    fn judge(&self, _game: &G, _state: &G::State) -> Outlook {
        Outlook::Open
    }
}

/// A static value of at least `threshold` counts as won, of at most −`threshold` as lost.
#[derive(Clone, Copy, Debug)]
pub struct Beyond<F> {
    /// The static value for the side to move.
    pub evaluate: F,
    /// Greater than 0.
    pub threshold: f64,
}

impl<G: Game, F: Fn(&G::State) -> f64> Knowledge<G> for Beyond<F> {
    fn judge(&self, _game: &G, state: &G::State) -> Outlook {
        Outlook::of((self.evaluate)(state), self.threshold)
    }
}

/// Positions kept at most; a longer search goes on without remembering more.
const MOST_REMEMBERED: usize = 1 << 20;

/// Looks ahead for forced results and remembers them.
pub struct LookAhead<'g, G: Game, K> {
    /// The rules.
    pub game: &'g G,
    knowledge: K,
    remembered: HashMap<(G::State, u32), Outlook>,
}

impl<'g, G: Game, K: Knowledge<G>> LookAhead<'g, G, K> {
    /// A look-ahead that has seen nothing yet.
    pub fn new(game: &'g G, knowledge: K) -> LookAhead<'g, G, K> {
        LookAhead { game, knowledge, remembered: HashMap::new() }
    }

    /// What the side to move can force within `plies`; a forced pass uses up none. Means nothing once
    /// the counter is exhausted.
    pub fn forced(
        &mut self,
        state: &G::State,
        plies: u32,
        counter: &mut NodeCounter<'_>,
    ) -> Outlook {
        if !counter.spend(1) {
            return Outlook::Open;
        }
        if let Some(value) = self.game.terminal_value(state) {
            return Outlook::of(value, f64::MIN_POSITIVE);
        }
        if plies == 0 {
            return self.knowledge.judge(self.game, state);
        }
        let key = (state.clone(), plies);
        if let Some(&known) = self.remembered.get(&key) {
            return known;
        }
        let mut best = Outlook::Lost;
        for action in self.game.actions(state) {
            let left = if self.game.is_pass(action) { plies } else { plies - 1 };
            best = best.max(-self.forced(&self.game.apply(state, action), left, counter));
            if best == Outlook::Won {
                break;
            }
        }
        if plies > 1 && !counter.is_exhausted() && self.remembered.len() < MOST_REMEMBERED {
            self.remembered.insert(key, best);
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Synthetic, TicTacToe};
    use crate::search::{Limits, StopFlag};

    /// The definition: minimax with every undecided leaf worth 0.
    fn twin<G: Game>(game: &G, state: &G::State, plies: u32) -> f64 {
        if let Some(value) = game.terminal_value(state) {
            return if value == 0.0 { 0.0 } else { value.signum() };
        }
        if plies == 0 {
            return 0.0;
        }
        let values = game.actions(state).into_iter().map(|action| {
            let left = if game.is_pass(action) { plies } else { plies - 1 };
            -twin(game, &game.apply(state, action), left)
        });
        values.fold(f64::NEG_INFINITY, f64::max)
    }

    #[test]
    fn forced_results_are_those_of_plain_minimax_over_the_signs() {
        let stop = StopFlag::new();
        let mut counter = NodeCounter::new(&Limits::default(), &stop);
        let mut seen = [0; 3];
        for seed in 0..200 {
            let game = Synthetic {
                seed,
                most_moves: 4,
                plies: 7,
                values: 1,
                pass_one_in: 6,
                end_one_in: 5,
            };
            let mut look = LookAhead::new(&game, GameEnds);
            for plies in 0..6 {
                let found = look.forced(&game.start(), plies, &mut counter);
                let value = f64::from(found as i8 - 1);
                assert_eq!(value, twin(&game, &game.start(), plies), "seed {seed}, {plies} plies");
                seen[found as usize] += 1;
            }
        }
        assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
    }

    #[test]
    fn a_threshold_makes_a_static_value_a_win() {
        let stop = StopFlag::new();
        let mut counter = NodeCounter::new(&Limits::default(), &stop);
        let start = TicTacToe.start();
        for (value, outlook) in [(3.0, Outlook::Won), (-3.0, Outlook::Lost), (2.9, Outlook::Open)] {
            let knowledge = Beyond { evaluate: |_: &_| value, threshold: 3.0 };
            let mut look = LookAhead::new(&TicTacToe, knowledge);
            assert_eq!(look.forced(&start, 0, &mut counter), outlook);
            assert_eq!(look.forced(&start, 1, &mut counter), -outlook);
        }
    }
}
