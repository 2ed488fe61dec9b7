//! Iida and Kotani 1992, table 3: games between two kinds of candidate lists.
//!
//! The paper's table 3 has five professionals' votes between `standard` and type 1 on 43 positions; in
//! two games each side's method offered six moves and a strong human picked one, and type 1 won both.
//! Here the same fixed search picks for both sides, and every list takes the same number of nodes.

use rayon::prelude::*;

use super::domain::{Domain, StateOf};
use super::{equal_nodes, list_of};
use crate::game::Game;
use crate::lab::printed::{PrintedRow, table};
use crate::options::OptionError;
use crate::search::StopFlag;
use crate::search::shared::candidates::Candidates;
use crate::statistics::Pairs;

/// Table 3: the votes for `standard` and for type 1 of each judge.
pub fn published() -> Vec<[u32; 2]> {
    let votes =
        |row: PrintedRow<'_>| ["standard", "down_type1"].map(|column| row.figure(column) as u32);
    table("iida1992-table3").rows().map(votes).collect()
}

/// The experiment's settings.
pub struct ListGames<'d, D> {
    /// The game and the search that picks.
    pub domain: &'d D,
    /// The lists that meet; results are the first one's.
    pub makers: [Candidates; 2],
    /// Pairs of games, each from one opening with the sides changed.
    pub pairs: usize,
    /// Seed of the openings.
    pub seed: u64,
}

/// Results of the first maker.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// Won, drawn, lost.
    pub games: [u32; 3],
    /// The same by pairs.
    pub pairs: Pairs,
}

impl<D: Domain> ListGames<'_, D> {
    /// Plays on all cores; `Ok(None)` if stopped.
    ///
    /// # Errors
    /// If an option cannot be used.
    pub fn run(
        &self,
        stop: &StopFlag,
        progress: &(dyn Fn() + Sync),
    ) -> Result<Option<Score>, OptionError> {
        let played: Vec<Result<[usize; 2], OptionError>> = (0..self.pairs)
            .into_par_iter()
            .map(|pair| {
                let start = self.domain.opening(pair, self.seed);
                let [a, b] = self.makers;
                let first = self.play(start.clone(), [a, b], stop)?;
                let second = 2 - self.play(start, [b, a], stop)?;
                progress();
                Ok([first, second])
            })
            .collect();
        let mut score = Score::default();
        for pair in played {
            let halves = pair?;
            halves.iter().for_each(|half_points| score.games[2 - half_points] += 1);
            score.pairs.add(halves.iter().sum());
        }
        Ok((!stop.is_stopped()).then_some(score))
    }

    /// The half points of the first of these makers, who moves first from `state`.
    fn play(
        &self,
        mut state: StateOf<D>,
        makers: [Candidates; 2],
        stop: &StopFlag,
    ) -> Result<usize, OptionError> {
        let game = self.domain.game();
        let opener = game.to_move(&state);
        let mut pick = self.domain.picker()?;
        for _ in 0..self.domain.most_plies() {
            if let Some(value) = game.terminal_value(&state) {
                let own = if game.to_move(&state) == opener { value } else { -value };
                return Ok(half_points(own));
            }
            if stop.is_stopped() {
                break;
            }
            let actions = game.actions(&state);
            let action = match actions.as_slice() {
                [only] => *only,
                _ => {
                    let maker = makers[usize::from(game.to_move(&state) != opener)];
                    let nodes = Some(equal_nodes(self.domain, &makers, &state));
                    let list = list_of(self.domain, &Candidates { nodes, ..maker }, &state).0;
                    pick(&state, &list.moves)
                }
            };
            state = game.apply(&state, action);
        }
        Ok(1)
    }
}

fn half_points(value: f64) -> usize {
    if value > 0.0 { 2 } else { usize::from(value == 0.0) }
}

#[cfg(test)]
mod tests {
    use super::super::domain::OthelloDomain;
    use super::*;
    use crate::options::Options;

    #[test]
    fn equal_lists_win_as_often_as_they_lose_and_a_list_of_one_loses_to_a_list_of_six() {
        let mut options = Options::new();
        for (name, value) in [("eval", "mobility"), ("hash", "1")] {
            options.set(name, value).unwrap();
        }
        let domain = OthelloDomain::new(options, 2).unwrap();
        let six = Candidates::standard(6);
        let run = |makers| {
            let games = ListGames { domain: &domain, makers, pairs: 10, seed: 3 };
            games.run(&StopFlag::new(), &|| ()).unwrap().unwrap()
        };
        let even = run([six, six]);
        assert_eq!(even.games[0], even.games[2], "{even:?}");
        assert_eq!(even.games.iter().sum::<u32>(), 20);
        let one = run([Candidates::standard(1), six]);
        let other = run([six, Candidates::standard(1)]);
        assert_eq!(one.games[0], other.games[2], "{one:?} {other:?}");
    }

    #[test]
    fn the_published_votes_are_of_43_positions_each() {
        let votes = published();
        assert_eq!(votes.len(), 5);
        assert!(votes.iter().all(|[standard, down]| standard + down == 43), "{votes:?}");
    }
}
