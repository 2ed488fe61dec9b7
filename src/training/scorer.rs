//! Scores positions for training: a search of fixed depth, or the exact solution near the end.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::eval::{self, UNIT};
use crate::options::{OptionError, Options};
use crate::othello::random::{random_position, seeded};
use crate::othello::{Move, Position};
use crate::search::endgame;
use crate::search::{Certainty, Limits, Method, Request, StopFlag, build};
use crate::training::games::Label;
use crate::training::positions::Source;

/// Up to here the lean endgame solver is faster than a whole search.
const LEAN_EMPTIES: u32 = 14;

/// What a position turned out to be worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// For the mover in 1/128 disc.
    pub score: i16,
    /// Whether it is exact.
    pub source: Source,
    /// Depth of the search, 0 if solved.
    pub depth: u8,
    /// The move to play; `None` if it was not asked for or there is none.
    pub best: Option<Move>,
}

impl Verdict {
    /// The verdict as files keep it.
    pub fn label(self) -> Label {
        Label { score: self.score, source: self.source, depth: self.depth }
    }
}

/// Everything that decides about scores, for the header of a file of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScorerSettings {
    /// Version of Kitai.
    kitai: &'static str,
    /// Options that are not at their defaults.
    options: BTreeMap<&'static str, String>,
    /// Checksum of what the evaluation says about a thousand positions: other weights under the
    /// same name are other settings.
    evaluation: String,
    depth: u32,
    exact_from: u32,
}

impl ScorerSettings {
    /// The settings of [`Scorer::new`] with these arguments.
    ///
    /// # Errors
    /// If the options cannot be used.
    pub fn new(
        options: &Options,
        depth: u32,
        exact_from: u32,
    ) -> Result<ScorerSettings, OptionError> {
        // Fails here rather than in every thread.
        Scorer::new(options, depth, exact_from)?;
        let evaluator = eval::build(options)?;
        let mut rng = seeded(1);
        let mut said = crc32fast::Hasher::new();
        for number in 0..1000 {
            let value = evaluator.evaluate(random_position(number % 61, &mut rng));
            said.update(&value.to_le_bytes());
        }
        Ok(ScorerSettings {
            kitai: env!("CARGO_PKG_VERSION"),
            options: options.changed().map(|(name, value)| (name, value.to_string())).collect(),
            evaluation: format!("{:08x}", said.finalize()),
            depth,
            exact_from,
        })
    }
}

/// A searcher of its own for each thread.
pub struct Scorer {
    method: Box<dyn Method>,
    depth: u32,
    exact_from: u32,
}

impl Scorer {
    /// Searches `depth` plies with the options' method and evaluation; positions with at most
    /// `exact_from` empties are solved.
    ///
    /// # Errors
    /// If the options cannot be used.
    pub fn new(options: &Options, depth: u32, exact_from: u32) -> Result<Scorer, OptionError> {
        Ok(Scorer { method: build(options)?, depth, exact_from })
    }

    /// The score alone; the same whatever was scored before. `None` if stopped.
    pub fn score(&mut self, position: Position, stop: &StopFlag) -> Option<Verdict> {
        if position.empty_count() <= self.exact_from.min(LEAN_EMPTIES) {
            let score = (endgame::solve(position) * UNIT) as i16;
            return Some(Verdict { score, source: Source::Exact, depth: 0, best: None });
        }
        self.forget();
        self.choose(position, stop)
    }

    /// Forgets what was searched before, so that what comes does not depend on it.
    pub fn forget(&mut self) {
        self.method.clear();
    }

    /// The score and the best move, with the help of what was searched since [`Scorer::forget`].
    /// `None` if stopped.
    pub fn choose(&mut self, position: Position, stop: &StopFlag) -> Option<Verdict> {
        let exact = position.empty_count() <= self.exact_from;
        let limits = if exact { Limits::solve() } else { Limits::depth(self.depth) };
        let outcome = self.method.search(&Request::new(position, limits), stop, &mut |_| {});
        if stop.is_stopped() {
            return None;
        }
        let solved = outcome.lines.first().is_some_and(|line| line.certainty == Certainty::Exact);
        Some(Verdict {
            score: (outcome.score().discs() * f64::from(UNIT)).round() as i16,
            source: if solved { Source::Exact } else { Source::Search },
            depth: if solved { 0 } else { outcome.depth as u8 },
            best: outcome.best_move(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solving_by_either_way_gives_the_same_score() {
        let mut options = Options::new();
        options.set("hash", "1").unwrap();
        let mut scorer = Scorer::new(&options, 3, 9).unwrap();
        let mut rng = seeded(14);
        let stop = StopFlag::new();
        for empties in [5, 7, 9, 12] {
            let position = random_position(empties, &mut rng);
            let score = scorer.score(position, &stop).unwrap();
            let chosen = scorer.choose(position, &stop).unwrap();
            assert_eq!((score.score, score.source), (chosen.score, chosen.source));
            assert_eq!(score.source == Source::Exact, empties <= 9);
            assert_eq!(chosen.best, chosen.best.filter(|&b| position.after(b).is_some()));
        }
    }
}
