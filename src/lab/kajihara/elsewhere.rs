//! The paper's matches in other games: 4×4 Othello, small enough for exact values, and larger boards by
//! simulation. On a large board players who know only finished games see nothing before the last
//! moves, so there a static value beyond a threshold may count as won ([`Knowledge`]).

use serde::Serialize;

use super::matches::{Match, Shares};
use crate::game::Game;
use crate::search::opponent::forced::Knowledge;
use crate::search::opponent::schedule::{MixedPlayer, TYPES, TurnSchedule};
use crate::search::opponent::speculative::Reading;

/// What is computed of each cell.
#[derive(Clone, Copy, Debug)]
pub struct Elsewhere {
    /// Simulated games of each cell; 0 for none.
    pub games: u32,
    /// Seed of the simulation.
    pub seed: u64,
    /// The deepest player, plies.
    pub most_depth: u32,
    /// Whether the game is small enough to be enumerated.
    pub exact: bool,
}

/// Wins, draws and losses of whoever moves first, per cent.
#[derive(Clone, Copy, Debug, Serialize, PartialEq)]
pub struct Cell {
    /// By enumeration.
    pub exact: Option<[f64; 3]>,
    /// By simulation.
    pub simulated: Option<[f64; 3]>,
}

/// A match of two semi-random players.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SemiRandomMatch {
    /// Look-ahead of the player who moves first.
    pub first: u32,
    /// Look-ahead of the other.
    pub second: u32,
    /// The result.
    #[serde(flatten)]
    pub cell: Cell,
}

/// A player who speculates at some turns against a semi-random one.
#[derive(Clone, Debug, Serialize)]
pub struct MixedMatch {
    /// Whether it moves first.
    pub moves_first: bool,
    /// Its look-ahead.
    pub player: u32,
    /// Its opponent's.
    pub opponent: u32,
    /// Its wins in per cent for each of [`TYPES`], and by simulation if there is no enumeration.
    pub wins: Vec<f64>,
}

impl MixedMatch {
    /// The type that wins most, with its gain over never speculating, per cent.
    pub fn best(&self) -> (&'static str, f64) {
        let never = self.wins.first().copied().unwrap_or(0.0);
        let mut best = (TYPES[0], 0.0);
        for (name, wins) in TYPES.iter().zip(&self.wins) {
            if wins - never > best.1 {
                best = (name, wins - never);
            }
        }
        best
    }
}

impl Elsewhere {
    fn cell<G: Game, K: Knowledge<G>>(
        &self,
        game: &G,
        knowledge: K,
        players: [MixedPlayer; 2],
        part: u64,
    ) -> Cell {
        let percent = |shares: Shares| [shares.win, shares.draw, shares.loss].map(|x| 100.0 * x);
        let mut played = Match::knowing(game, knowledge, players);
        Cell {
            exact: self.exact.then(|| percent(played.exact())),
            simulated: (self.games > 0)
                .then(|| percent(played.simulate(self.games, self.seed, part))),
        }
    }

    /// Every P_i against every P_j, row by row; `progress` after each.
    pub fn semi_random<G: Game, K: Knowledge<G> + Clone>(
        &self,
        game: &G,
        knowledge: &K,
        progress: &mut dyn FnMut(&SemiRandomMatch),
    ) {
        let mut part = 0;
        for first in 0..=self.most_depth {
            for second in 0..=self.most_depth {
                let players = [first, second].map(MixedPlayer::semi_random);
                let cell = self.cell(game, knowledge.clone(), players, part);
                progress(&SemiRandomMatch { first, second, cell });
                part += 1;
            }
        }
    }

    /// Every type of every player against every semi-random one that sees at least two plies less.
    pub fn mixed<G: Game, K: Knowledge<G> + Clone>(
        &self,
        game: &G,
        knowledge: &K,
        reading: Reading,
        progress: &mut dyn FnMut(&MixedMatch),
    ) {
        let mut part = 0;
        for moves_first in [true, false] {
            for player in 2..=self.most_depth {
                for opponent in 0..=player - 2 {
                    let mut wins = Vec::new();
                    for name in TYPES {
                        let mixed = MixedPlayer {
                            depth: player,
                            opponent_depth: opponent,
                            schedule: TurnSchedule::of_type(name),
                            reading,
                        };
                        let other = MixedPlayer::semi_random(opponent);
                        let (players, which) =
                            if moves_first { ([mixed, other], 0) } else { ([other, mixed], 2) };
                        let cell = self.cell(game, knowledge.clone(), players, part);
                        let shares = cell.exact.or(cell.simulated);
                        wins.push(shares.map_or(0.0, |shares| shares[which]));
                        part += 1;
                    }
                    progress(&MixedMatch { moves_first, player, opponent, wins });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{SmallOthello, TicTacToe};
    use crate::search::opponent::forced::GameEnds;

    #[test]
    fn in_tic_tac_toe_it_is_the_papers_experiment() {
        let settings = Elsewhere { games: 0, seed: 1, most_depth: 4, exact: true };
        let mut found = Vec::new();
        settings.semi_random(&TicTacToe, &GameEnds, &mut |one| found.push(*one));
        let table = super::super::semi_random(0, 1);
        for one in &found {
            let cell = table
                .iter()
                .find(|cell| (cell.cell.white, cell.cell.black) == (one.first, one.second));
            let figures = cell.unwrap().figures.map(|figure| figure.exact);
            assert_eq!(one.cell.exact, Some(figures));
        }
        let mut found = Vec::new();
        settings.mixed(&TicTacToe, &GameEnds, Reading::OneMistake, &mut |one| {
            found.push(one.clone());
        });
        let four = |one: &&MixedMatch| (one.moves_first, one.player, one.opponent) == (true, 4, 2);
        let wins = &found.iter().find(four).unwrap().wins;
        // Types 000, 100, 110 and 111 as the paper's reading has them.
        let wins = [0, 1, 4, 7].map(|index| format!("{:.2}", wins[index]));
        assert_eq!(wins, ["52.43", "59.88", "39.58", "39.58"]);
    }

    #[test]
    fn in_4_by_4_othello_simulation_agrees_with_enumeration() {
        let settings = Elsewhere { games: 2_000, seed: 1, most_depth: 1, exact: true };
        settings.semi_random(&SmallOthello::FOUR, &GameEnds, &mut |one| {
            let (exact, simulated) = (one.cell.exact.unwrap(), one.cell.simulated.unwrap());
            assert!((exact.iter().sum::<f64>() - 100.0).abs() < 1e-9);
            for (exact, simulated) in exact.iter().zip(simulated) {
                let error = (exact * (100.0 - exact) / 2_000.0).sqrt();
                assert!((exact - simulated).abs() <= 4.0 * error + 1e-9, "{one:?}");
            }
        });
    }
}
