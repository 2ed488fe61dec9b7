//! OM search with two evaluations on virtual trees (section 2 of the paper defines it; no figures).
//!
//! The first player values the leaves by H, which the values two plies deeper scatter around. The
//! second plays minimax by an evaluation of its own, G = H + N(0, δ²): its mistakes. OM search knows
//! G, minimax takes the second player for one of its own kind.

use rand::Rng;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use super::trees::{DEPTH, first_greatest, first_least, greatest};
use crate::random::seeded_part;
use crate::search::StopFlag;

/// The experiment's settings.
#[derive(Clone, Copy, Debug)]
pub struct OmTrees {
    /// Moves of every node, B.
    pub branching: usize,
    /// Variance of the leaves' values.
    pub variance: f64,
    /// δ: deviation of the second player's evaluation from the first's.
    pub error: f64,
    /// Deviation of the values two plies deeper.
    pub deeper_deviation: f64,
    /// Runs.
    pub runs: u32,
    /// Seed.
    pub seed: u64,
}

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OmCounts {
    /// Runs in which OM search chose the better move, and minimax did.
    pub better: [u32; 2],
    /// Sum of what OM search's choice is worth more.
    pub gain: f64,
}

impl OmTrees {
    /// Runs it on all cores; `None` if stopped.
    pub fn run(&self, stop: &StopFlag, progress: &(dyn Fn() + Sync)) -> Option<OmCounts> {
        let found: Vec<f64> = (0..self.runs)
            .into_par_iter()
            .map(|run| {
                let gain = if stop.is_stopped() { 0.0 } else { self.one(run) };
                progress();
                gain
            })
            .collect();
        let mut counts = OmCounts::default();
        for gain in found {
            counts.better[0] += u32::from(gain > 0.0);
            counts.better[1] += u32::from(gain < 0.0);
            counts.gain += gain;
        }
        (!stop.is_stopped()).then_some(counts)
    }

    /// What OM search's choice is worth more than minimax's, by the values two plies deeper along
    /// the second player's real reply.
    fn one(&self, run: u32) -> f64 {
        let mut rng = seeded_part(self.seed, u64::from(run));
        let mut normals = |deviation: f64, around: Option<&[f64]>| -> Vec<f64> {
            (0..self.branching.pow(DEPTH))
                .map(|index| {
                    let value: f64 = rng.sample(StandardNormal);
                    around.map_or(0.0, |values| values[index]) + deviation * value
                })
                .collect()
        };
        let own = normals(self.variance.sqrt(), None);
        let theirs = normals(self.error, Some(&own));
        let deeper = normals(self.deeper_deviation, Some(&own));
        let om = om_choice(self.branching, &own, &theirs);
        // OM search against one's own evaluation is minimax.
        let minimax = om_choice(self.branching, &own, &own);
        let value = |chosen: usize| reply_value(self.branching, &deeper, &theirs, chosen);
        if om == minimax { 0.0 } else { value(om) - value(minimax) }
    }
}

/// The value of a move by `own` if the second player replies by `theirs`.
fn reply_value(b: usize, own: &[f64], theirs: &[f64], chosen: usize) -> f64 {
    let part = chosen * b * b..(chosen + 1) * b * b;
    let reply = first_least(theirs[part.clone()].chunks_exact(b).map(greatest));
    greatest(&own[part][reply * b..(reply + 1) * b])
}

/// The move that OM search chooses.
fn om_choice(b: usize, own: &[f64], theirs: &[f64]) -> usize {
    first_greatest((0..b).map(|chosen| reply_value(b, own, theirs, chosen)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trees(error: f64) -> OmTrees {
        let (variance, deeper_deviation) = (1.0, 0.5);
        OmTrees { branching: 3, variance, error, deeper_deviation, runs: 2_000, seed: 1 }
    }

    #[test]
    fn against_one_s_own_evaluation_om_search_is_minimax() {
        let counts = trees(0.0).run(&StopFlag::new(), &|| ()).unwrap();
        assert_eq!(counts, OmCounts::default());
    }

    #[test]
    fn the_worked_example_of_the_digest() {
        // A second player's node with children (F, g) = (7, 3) and (2, 5): g = 3, F = 7.
        let own = [7.0, -9.0, 2.0, -9.0, 0.0, 0.0, 0.0, 0.0];
        let theirs = [3.0, -9.0, 5.0, -9.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(reply_value(2, &own, &theirs, 0), 7.0);
        // Minimax on F would give 2.
        assert_eq!(reply_value(2, &own, &own, 0), 2.0);
        assert_eq!(om_choice(2, &own, &theirs), 0);
    }

    #[test]
    fn knowing_the_opponent_gains_and_the_more_the_worse_it_plays() {
        let gain = |error| trees(error).run(&StopFlag::new(), &|| ()).unwrap().gain;
        assert!(gain(0.5) > 0.0);
        assert!(gain(2.0) > gain(0.5));
    }
}
