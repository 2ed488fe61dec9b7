//! Matches between two players of the paper: exact shares by enumeration, and simulated ones.

use std::collections::HashMap;

use rand::Rng;

use crate::game::{Game, Side};
use crate::random::{Random, seeded_part};
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::opponent::forced::{GameEnds, Knowledge, LookAhead};
use crate::search::opponent::schedule::MixedPlayer;
use crate::search::{Limits, StopFlag};

/// How the games of a match end, as shares of all, for the player who moves first.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shares {
    /// Won by the first player.
    pub win: f64,
    /// Drawn.
    pub draw: f64,
    /// Lost by the first player.
    pub loss: f64,
}

impl Shares {
    fn add(&mut self, other: Shares, weight: f64) {
        self.win += weight * other.win;
        self.draw += weight * other.draw;
        self.loss += weight * other.loss;
    }

    /// Of one finished game.
    fn of_end<G: Game>(game: &G, state: &G::State, value: f64) -> Shares {
        let first = if game.to_move(state) == Side::First { value } else { -value };
        Shares {
            win: f64::from(first > 0.0),
            draw: f64::from(first == 0.0),
            loss: f64::from(first < 0.0),
        }
    }
}

/// A state with the number of plies before it.
type StateAtPly<G> = (<G as Game>::State, u32);

/// Two players on a game small enough to remember every position that comes up.
pub struct Match<'g, G: Game, K = GameEnds> {
    game: &'g G,
    look: LookAhead<'g, G, K>,
    players: [MixedPlayer; 2],
    choices: HashMap<StateAtPly<G>, Vec<G::Action>>,
    shares: HashMap<StateAtPly<G>, Shares>,
}

impl<'g, G: Game> Match<'g, G> {
    /// The first of the players moves first; both know finished games only.
    pub fn new(game: &'g G, players: [MixedPlayer; 2]) -> Match<'g, G> {
        Match::knowing(game, GameEnds, players)
    }
}

impl<'g, G: Game, K: Knowledge<G>> Match<'g, G, K> {
    /// The first of the players moves first; both have this knowledge.
    pub fn knowing(game: &'g G, knowledge: K, players: [MixedPlayer; 2]) -> Match<'g, G, K> {
        let look = LookAhead::new(game, knowledge);
        Match { game, look, players, choices: HashMap::new(), shares: HashMap::new() }
    }

    /// The moves that whoever is on turn chooses from.
    fn choices(&mut self, turn: &StateAtPly<G>) -> &[G::Action] {
        let Match { game, look, players, choices, .. } = self;
        choices.entry(turn.clone()).or_insert_with(|| {
            let (state, ply) = turn;
            let player = players[usize::from(game.to_move(state) == Side::Second)];
            let stop = StopFlag::new();
            let mut counter = NodeCounter::new(&Limits::default(), &stop);
            player.choices(look, state, ply / 2 + 1, &mut counter)
        })
    }

    /// By enumeration of everything that can happen.
    pub fn exact(&mut self) -> Shares {
        self.exact_from((self.game.start(), 0))
    }

    fn exact_from(&mut self, turn: StateAtPly<G>) -> Shares {
        if let Some(value) = self.game.terminal_value(&turn.0) {
            return Shares::of_end(self.game, &turn.0, value);
        }
        if let Some(&known) = self.shares.get(&turn) {
            return known;
        }
        let choices = self.choices(&turn).to_vec();
        let mut shares = Shares::default();
        for &action in &choices {
            let below = self.exact_from((self.game.apply(&turn.0, action), turn.1 + 1));
            shares.add(below, 1.0 / choices.len() as f64);
        }
        self.shares.insert(turn, shares);
        shares
    }

    /// By playing so many games; `part` tells the pieces of a seeded experiment apart.
    pub fn simulate(&mut self, games: u32, seed: u64, part: u64) -> Shares {
        let mut rng = seeded_part(seed, part);
        let mut shares = Shares::default();
        for _ in 0..games {
            shares.add(self.play(&mut rng), 1.0 / f64::from(games));
        }
        shares
    }

    fn play(&mut self, rng: &mut Random) -> Shares {
        let mut turn = (self.game.start(), 0);
        loop {
            if let Some(value) = self.game.terminal_value(&turn.0) {
                return Shares::of_end(self.game, &turn.0, value);
            }
            let choices = self.choices(&turn);
            let action = choices[rng.random_range(0..choices.len())];
            turn = (self.game.apply(&turn.0, action), turn.1 + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::TicTacToe;

    #[test]
    fn random_play_has_its_known_shares() {
        let random = MixedPlayer::semi_random(0);
        let shares = Match::new(&TicTacToe, [random; 2]).exact();
        let expected = [737.0 / 1260.0, 8.0 / 63.0, 121.0 / 420.0];
        for (found, expected) in [shares.win, shares.draw, shares.loss].into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{shares:?}");
        }
    }

    #[test]
    fn perfect_players_draw() {
        let perfect = MixedPlayer::semi_random(6);
        let shares = Match::new(&TicTacToe, [perfect; 2]).exact();
        assert!((shares.draw - 1.0).abs() < 1e-12, "{shares:?}");
    }
}
