//! Games as a job for another machine: everything they need, and nothing of the rest of the plan.

use serde::{Deserialize, Serialize};

use super::adjudicate::Adjudicator;
use super::logged::LoggedGame;
use super::openings::Opening;
use super::plan::Plan;
use super::player::Contestant;
use super::referee::{self, Rules};
use super::spec::PlayerSpec;
use crate::options::OptionError;
use crate::search::StopFlag;

/// Players kept ready between jobs: those of two pairings.
const KEPT: usize = 4;

/// Games of one opening between two players.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GamesJob {
    /// The two players.
    pub players: [PlayerSpec; 2],
    /// Where the games begin.
    pub opening: Opening,
    /// Clock (of players without one of their own), margin and adjudication.
    pub rules: Rules,
    /// The games: both of a pair, or the one that is left of it.
    pub games: Vec<JobGame>,
}

/// One of the games.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobGame {
    /// Number in the plan.
    pub game: usize,
    /// Whether the second player has Black.
    pub swapped: bool,
    /// Seeds of Black and White.
    pub seeds: [u64; 2],
}

impl GamesJob {
    /// The games of the plan with these numbers, which belong to one pair.
    ///
    /// # Panics
    /// If there are none, or the plan has no such game.
    pub fn of(plan: &Plan, games: &[usize]) -> GamesJob {
        let one = plan.game(*games.first().expect("a job has a game"));
        let (first, second) = plan.pairings[one.pairing];
        let games = games.iter().map(|&number| {
            let scheduled = plan.game(number);
            JobGame { game: number, swapped: scheduled.black != first, seeds: scheduled.seeds }
        });
        GamesJob {
            players: [plan.players[first].clone(), plan.players[second].clone()],
            opening: plan.openings[one.opening].clone(),
            rules: plan.rules,
            games: games.collect(),
        }
    }
}

/// Where jobs are played one after the other; players stay ready for the next job.
#[derive(Default)]
pub struct Table {
    /// The latest last.
    players: Vec<(PlayerSpec, Box<dyn Contestant>)>,
    adjudicator: Adjudicator,
}

impl Table {
    /// Plays the games; `None` if stopped.
    ///
    /// # Errors
    /// If a built-in player's options cannot be used.
    pub fn play(
        &mut self,
        job: &GamesJob,
        stop: &StopFlag,
    ) -> Result<Option<Vec<LoggedGame>>, OptionError> {
        let mut seats = [self.seat(&job.players[0])?, self.seat(&job.players[1])?];
        let mut played = Vec::new();
        for game in &job.games {
            let [first, second] = &mut seats;
            let (first, second): (&mut dyn Contestant, &mut dyn Contestant) =
                (first.as_mut(), second.as_mut());
            let players = if game.swapped { [second, first] } else { [first, second] };
            let seeds = game.seeds;
            let opening = &job.opening;
            let [first, second] = job.players.each_ref().map(|player| player.rules(&job.rules));
            let rules = if game.swapped { [second, first] } else { [first, second] };
            let done = referee::play(players, opening, &rules, seeds, &mut self.adjudicator, stop);
            let [first, second] = job.players.each_ref().map(|player| player.name.as_str());
            let names = if game.swapped { [second, first] } else { [first, second] };
            played.extend(done.map(|done| LoggedGame::of(game.game, names, opening, &done)));
        }
        for (spec, player) in job.players.iter().zip(seats) {
            self.players.push((spec.clone(), player));
        }
        let surplus = self.players.len().saturating_sub(KEPT);
        self.players.drain(..surplus);
        Ok((played.len() == job.games.len()).then_some(played))
    }

    fn seat(&mut self, spec: &PlayerSpec) -> Result<Box<dyn Contestant>, OptionError> {
        match self.players.iter().position(|(kept, _)| kept == spec) {
            Some(index) => Ok(self.players.remove(index).1),
            None => spec.build(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::plan::Kind;
    use crate::arena::plan::tests::small_plan;
    use crate::arena::runner;
    use std::ops::ControlFlow;

    /// What does not depend on the machine.
    fn timeless(games: Vec<LoggedGame>) -> Vec<LoggedGame> {
        games.into_iter().map(|game| LoggedGame { times: Vec::new(), ..game }).collect()
    }

    #[test]
    fn games_played_as_jobs_are_the_games_of_the_plan() {
        let plan =
            small_plan(&["depth=1", "depth=2", "method=mcts,playouts=50"], Kind::RoundRobin, 2);
        let numbers: Vec<usize> = (0..plan.games()).collect();
        let stop = StopFlag::new();
        let mut local = Vec::new();
        runner::run(&plan, &numbers, 1, &stop, runner::Spectators::default(), |game| {
            local.push(game);
            ControlFlow::<()>::Continue(())
        })
        .unwrap();
        let mut table = Table::default();
        let mut as_jobs = Vec::new();
        for pair in numbers.chunks(2) {
            let job = GamesJob::of(&plan, pair);
            let text = serde_json::to_string(&job).unwrap();
            let job: GamesJob = serde_json::from_str(&text).unwrap();
            as_jobs.extend(table.play(&job, &stop).unwrap().unwrap());
            assert!(table.players.len() <= KEPT);
        }
        assert!(as_jobs.iter().all(|game| game.check(&plan).is_ok()));
        assert_eq!(timeless(as_jobs), timeless(local));
        let half = GamesJob::of(&plan, &[3]);
        assert!(half.games[0].swapped);
        stop.stop();
        assert!(table.play(&half, &stop).unwrap().is_none());
    }
}
