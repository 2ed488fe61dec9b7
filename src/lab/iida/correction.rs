//! What the full-width correction (section 5 of the paper) changes: of the moves it replaces, how many
//! are better and how many worse, by a judge who looks much deeper.

use rayon::prelude::*;
use serde::Serialize;

use super::domain::{Domain, OthelloDomain};
use crate::options::{OptionError, Options};
use crate::othello::Move;
use crate::search::{self, Limits, Request, StopFlag};
use crate::statistics::Moments;

/// The experiment's settings.
pub struct Corrections<'d> {
    /// The positions and the judge.
    pub judge: &'d OthelloDomain,
    /// Options of the search that is corrected.
    pub options: Options,
    /// D: plies of that search.
    pub depth: u32,
    /// D1: plies of the correction.
    pub look: u32,
    /// Positions.
    pub positions: u32,
    /// Seed of the positions.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Changes {
    /// Positions.
    pub positions: u32,
    /// Positions in which the move is another one.
    pub changed: u32,
    /// Of those, in how many it is better, equal and worse by the judge.
    pub better: u32,
    /// See `better`.
    pub equal: u32,
    /// See `better`.
    pub worse: u32,
    /// Discs gained by a changed move.
    #[serde(skip)]
    pub gain: Moments,
    /// Nodes of the search without and with the correction.
    pub nodes: [u64; 2],
}

impl Changes {
    fn merge(mut self, other: Changes) -> Changes {
        self.positions += other.positions;
        self.changed += other.changed;
        self.better += other.better;
        self.equal += other.equal;
        self.worse += other.worse;
        self.gain.merge(&other.gain);
        self.nodes[0] += other.nodes[0];
        self.nodes[1] += other.nodes[1];
        self
    }
}

impl Corrections<'_> {
    /// Runs it on all cores; `Ok(None)` if stopped.
    ///
    /// # Errors
    /// If an option cannot be used.
    pub fn run(
        &self,
        stop: &StopFlag,
        progress: &(dyn Fn() + Sync),
    ) -> Result<Option<Changes>, OptionError> {
        let one = |index| {
            if stop.is_stopped() {
                return Ok(Changes::default());
            }
            let changes = self.one(index, stop);
            progress();
            changes
        };
        let all = (0..self.positions).into_par_iter().map(one);
        let changes = all.try_reduce(Changes::default, |a, b| Ok(a.merge(b)))?;
        Ok((!stop.is_stopped()).then_some(changes))
    }

    fn one(&self, index: u32, stop: &StopFlag) -> Result<Changes, OptionError> {
        let state = self.judge.position(index, self.seed, 1);
        let (plain, plain_nodes) = self.choose(0, &state.position, stop)?;
        let (corrected, nodes) = self.choose(self.look, &state.position, stop)?;
        let mut changes =
            Changes { positions: 1, nodes: [plain_nodes, nodes], ..Changes::default() };
        if let (Some(plain), Some(corrected)) = (plain, corrected)
            && plain != corrected
        {
            let judged = self.judge.judge(&state, &[plain, corrected], stop)?;
            let gain = judged.value(corrected) - judged.value(plain);
            changes.changed = 1;
            changes.gain.add(gain);
            changes.better = u32::from(gain > 0.0);
            changes.worse = u32::from(gain < 0.0);
            changes.equal = u32::from(gain == 0.0);
        }
        Ok(changes)
    }

    /// The move with a correction of so many plies, and the nodes it took.
    fn choose(
        &self,
        look: u32,
        position: &crate::othello::Position,
        stop: &StopFlag,
    ) -> Result<(Option<Move>, u64), OptionError> {
        let mut options = self.options.clone();
        options.set("shared-correction", &look.to_string())?;
        let mut method = search::build(&options)?;
        let request = Request::new(*position, Limits::depth(self.depth));
        let outcome = method.search(&request, stop, &mut |_| {});
        Ok((outcome.best_move(), outcome.nodes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_correction_changes_nothing_and_one_changes_some_moves() {
        let mut options = Options::new();
        for (name, value) in [("eval", "mobility"), ("hash", "1")] {
            options.set(name, value).unwrap();
        }
        let judge = OthelloDomain::new(options.clone(), 6).unwrap();
        let run = |look| {
            let options = options.clone();
            let experiment =
                Corrections { judge: &judge, options, depth: 2, look, positions: 40, seed: 5 };
            experiment.run(&StopFlag::new(), &|| ()).unwrap().unwrap()
        };
        assert_eq!(run(0).changed, 0);
        let changes = run(2);
        assert!((1..40).contains(&changes.changed), "{changes:?}");
        assert_eq!(changes.better + changes.equal + changes.worse, changes.changed);
        assert!(changes.nodes[1] > changes.nodes[0]);
    }
}
