//! Sampling how shallow searches differ from deep ones, for ProbCut's noise model.
//!
//! Games with some random moves are played, positions of every stage searched without pruning to
//! every depth, and late ones solved.

use std::sync::Arc;

use rand::Rng;

use super::probcut_fit::Sample;
use crate::eval::{self, Evaluator};
use crate::options::{OptionError, Options};
use crate::othello::random::random_move;
use crate::othello::{Move, Position};
use crate::random::{Random, seeded_part};
use crate::search::minimax::SELECTIVITY;
use crate::search::{Certainty, Limits, METHOD, Method, Request, StopFlag, build};

/// Share of random moves in the games, so that unbalanced positions occur too.
const RANDOM_SHARE: f64 = 0.2;
/// Plies of purely random opening.
const OPENING_PLIES: u32 = 8;

/// What to sample.
#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    /// How many positions.
    pub positions: u64,
    /// Greatest midgame depth, plies.
    pub depth: u32,
    /// Solve positions with at most this many empties.
    pub solve: u32,
    /// Seed of the games.
    pub seed: u64,
}

/// Samples with minimax and the other values of the options; those finished before a stop.
/// `progress` is told of every position done.
///
/// # Errors
/// If the options make no search.
pub fn sample(
    sampling: &Sampling,
    options: &Options,
    stop: &StopFlag,
    progress: &mut dyn FnMut(),
) -> Result<Vec<Sample>, OptionError> {
    let mut options = options.clone();
    options.put(&METHOD, "minimax".to_owned())?;
    options.put(&SELECTIVITY, 100)?;
    let mut sampler =
        Sampler { sampling, method: build(&options)?, evaluator: eval::build(&options)?, stop };
    let mut samples = Vec::new();
    for index in 0..sampling.positions {
        let sample = sampler.one(&mut seeded_part(sampling.seed, index));
        if stop.is_stopped() {
            break;
        }
        samples.push(sample);
        progress();
    }
    Ok(samples)
}

struct Sampler<'a> {
    sampling: &'a Sampling,
    method: Box<dyn Method>,
    evaluator: Arc<dyn Evaluator>,
    stop: &'a StopFlag,
}

impl Sampler<'_> {
    fn one(&mut self, rng: &mut Random) -> Sample {
        let Sampling { depth, solve, .. } = *self.sampling;
        // Half of the positions are late enough to be solved.
        let empties = if rng.random() {
            rng.random_range(12..=solve)
        } else {
            rng.random_range(solve + 1..=52)
        };
        let position = played_position(self.method.as_mut(), empties, rng, self.stop);
        let mut by_depth = vec![None; depth as usize + 1];
        by_depth[0] = Some(f64::from(self.evaluator.evaluate(position)) / f64::from(eval::UNIT));
        self.method.clear();
        let limits = Limits::depth(depth.min(empties - 1));
        self.method.search(&Request::new(position, limits), self.stop, &mut |event| {
            if let (Some(line), Some(slot)) =
                (event.lines.first(), by_depth.get_mut(event.depth as usize))
            {
                *slot = Some(line.score.discs());
            }
        });
        let exact = (empties <= solve).then(|| {
            let request = Request::new(position, Limits::solve());
            let outcome = self.method.search(&request, self.stop, &mut |_| {});
            let proven = outcome.lines.first().is_some_and(|l| l.certainty == Certainty::Exact);
            proven.then(|| outcome.score().discs())
        });
        Sample { empties, by_depth, exact: exact.flatten() }
    }
}

/// A position with this many empties from a game of shallow search and some random moves.
pub(super) fn played_position(
    method: &mut dyn Method,
    empties: u32,
    rng: &mut Random,
    stop: &StopFlag,
) -> Position {
    'game: loop {
        let mut position = Position::START;
        while position.empty_count() > empties || position.must_pass() {
            let opening = 60 - position.empty_count() < OPENING_PLIES;
            let chosen: Option<Move> = if opening || rng.random_bool(RANDOM_SHARE) {
                random_move(position, rng)
            } else {
                let request = Request::new(position, Limits::depth(2));
                method.search(&request, stop, &mut |_| {}).best_move()
            };
            match chosen.and_then(|chosen| position.after(chosen)) {
                Some(next) => position = next,
                None => continue 'game,
            }
        }
        if position.has_move() {
            return position;
        }
    }
}
