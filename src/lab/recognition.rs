//! Is the opponent recognised? Games between known players, each judged by its first moves.
//!
//! The players have every evaluation that is given at depths 1 to 4, and one plays at random. The
//! estimate ([`Estimate`]) sees their moves only.

use rayon::prelude::*;
use serde::Serialize;

use crate::eval::registry::by_name;
use crate::options::{OptionError, Options};
use crate::othello::random::random_position;
use crate::othello::{Move, Position};
use crate::random::seeded_part;
use crate::search::opponent::estimate::{Estimate, Suspect};
use crate::search::{self, Limits, Method, Request, StopFlag};

/// The experiment's settings.
#[derive(Clone, Debug)]
pub struct Recognition {
    /// The evaluations of the players.
    pub evaluations: Vec<&'static str>,
    /// The players' depths are 1 to this, plies; so are the estimate's.
    pub most_depth: u32,
    /// Games.
    pub games: u32,
    /// Own moves of a player that the estimate sees in a game.
    pub moves: usize,
    /// Random plies before each game.
    pub opening_plies: u32,
    /// Seed of the openings, the pairings and the random player.
    pub seed: u64,
    /// Where evaluations have their files.
    pub options: Options,
}

/// Who was taken for whom.
#[derive(Clone, Debug, Serialize, PartialEq, Eq)]
pub struct Confusion {
    /// The evaluations, and `random` at the end.
    pub names: Vec<&'static str>,
    /// By player, then by what it was taken for.
    pub named: Vec<Vec<u32>>,
    /// Of each, how often the depth was right too.
    pub depth_right: Vec<u32>,
}

impl Confusion {
    fn new(names: Vec<&'static str>) -> Confusion {
        let count = names.len();
        Confusion { names, named: vec![vec![0; count]; count], depth_right: vec![0; count] }
    }

    fn merge(mut self, other: &Confusion) -> Confusion {
        for (row, its) in self.named.iter_mut().zip(&other.named) {
            row.iter_mut().zip(its).for_each(|(own, its)| *own += its);
        }
        self.depth_right.iter_mut().zip(&other.depth_right).for_each(|(own, its)| *own += its);
        self
    }

    /// Estimates, those with the right evaluation, those with the right depth too.
    pub fn totals(&self) -> [u32; 3] {
        let all = self.named.iter().flatten().sum();
        let right = (0..self.names.len()).map(|index| self.named[index][index]).sum();
        [all, right, self.depth_right.iter().sum()]
    }
}

/// A player: which evaluation, how deep; no evaluation plays at random.
type Known = Option<(usize, u32)>;

impl Recognition {
    /// Plays and estimates on all cores; `Ok(None)` if stopped.
    ///
    /// # Errors
    /// If an option cannot be used.
    pub fn run(
        &self,
        stop: &StopFlag,
        progress: &(dyn Fn() + Sync),
    ) -> Result<Option<Confusion>, OptionError> {
        let suspects = self.evaluations.iter().map(|&name| {
            by_name(name, &self.options).map(|evaluation| Suspect { name, evaluation })
        });
        let family = Estimate::new(suspects.collect::<Result<_, _>>()?, self.most_depth);
        let mut names = self.evaluations.clone();
        names.push("random");
        let empty = Confusion::new(names);
        let depths = 1..=self.most_depth;
        let mut players: Vec<Known> = vec![None];
        for evaluation in 0..self.evaluations.len() {
            players.extend(depths.clone().map(|depth| Some((evaluation, depth))));
        }
        let one = |game: u32| {
            if stop.is_stopped() {
                return Ok(empty.clone());
            }
            let count = players.len();
            // Every player meets others in turn: the step between the two grows by round.
            let (round, first) = (game as usize / count, game as usize % count);
            let second = (first + 1 + round % (count - 1)) % count;
            let confusion = self.game(game, [players[first], players[second]], &family, &empty);
            progress();
            confusion
        };
        let all = (0..self.games).into_par_iter().map(one);
        let sum = all.try_reduce(|| empty.clone(), |a, b| Ok(a.merge(&b)))?;
        Ok((!stop.is_stopped()).then_some(sum))
    }

    fn method(&self, player: Known, seed: u64) -> Result<Box<dyn Method>, OptionError> {
        let mut options = self.options.clone();
        options.set("hash", "1")?;
        match player {
            Some((evaluation, _)) => options.set("eval", self.evaluations[evaluation])?,
            None => {
                options.set("method", "semi-random")?;
                options.set("look-ahead", "0")?;
                options.set("seed", &seed.to_string())?;
            }
        }
        search::build(&options)
    }

    fn game(
        &self,
        number: u32,
        players: [Known; 2],
        family: &Estimate,
        empty: &Confusion,
    ) -> Result<Confusion, OptionError> {
        let mut rng = seeded_part(self.seed, u64::from(number));
        let mut methods = [
            self.method(players[0], u64::from(number))?,
            self.method(players[1], u64::from(number))?,
        ];
        let mut estimates = [family.clone(), family.clone()];
        let mut position: Position = loop {
            let position = random_position(60 - self.opening_plies, &mut rng);
            if position.has_move() {
                break position;
            }
        };
        let stop = StopFlag::new();
        let mut turn = 0;
        while !position.is_over() {
            let depth = players[turn].map_or(1, |(_, depth)| depth);
            let request = Request::new(position, Limits::depth(depth));
            let best = methods[turn].search(&request, &stop, &mut |_| ()).best_move();
            let played = best.unwrap_or(Move::Pass);
            if (estimates[turn].moves as usize) < self.moves {
                estimates[turn].observe(position, played);
            }
            position = position.after_unchecked(played);
            turn = 1 - turn;
        }
        let mut confusion = empty.clone();
        let random = self.evaluations.len();
        for (player, estimate) in players.iter().zip(&estimates) {
            let index = player.map_or(random, |(evaluation, _)| evaluation);
            let taken_for = estimate.by_evaluation()[0].0;
            let found = confusion.names.iter().position(|name| *name == taken_for);
            confusion.named[index][found.unwrap_or(random)] += 1;
            let (name, depth) = estimate.by_evaluation_and_depth()[0].0;
            let right = match player {
                Some((evaluation, plies)) => {
                    (name, depth) == (self.evaluations[*evaluation], *plies)
                }
                None => name == "random",
            };
            confusion.depth_right[index] += u32::from(right);
        }
        Ok(confusion)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testdata::shared_data;

    #[test]
    fn simple_players_are_recognised_and_a_run_repeats() {
        let experiment = Recognition {
            evaluations: vec!["discs", "mobility"],
            most_depth: 2,
            games: 20,
            moves: 15,
            opening_plies: 8,
            seed: 1,
            options: Options::new(),
        };
        let run = || experiment.run(&StopFlag::new(), &|| ()).unwrap().unwrap();
        let found = run();
        let [all, evaluation, depth] = found.totals();
        assert_eq!(all, 40);
        assert!(evaluation >= 36 && depth >= 32, "{found:?}");
        assert_eq!(found, run());
    }

    #[test]
    #[ignore = "needs Zebra's coefficients; minutes"]
    fn all_players_are_recognised_with_shared_data() {
        let mut options = Options::new();
        let file = shared_data("zebra/coeffs2.bin");
        options.set("zebra-coeffs", &file.to_string_lossy()).unwrap();
        let experiment = Recognition {
            evaluations: vec!["discs", "mobility", "shioda", "zebra", "pattern"],
            most_depth: 4,
            games: 200,
            moves: 15,
            opening_plies: 8,
            seed: 1,
            options,
        };
        let found = experiment.run(&StopFlag::new(), &|| ()).unwrap().unwrap();
        let [all, evaluation, depth] = found.totals();
        assert_eq!(all, 400);
        assert!(evaluation * 100 >= all * 80 && depth * 100 >= all * 60, "{found:?}");
    }
}
