//! How far the value some plies deeper strays from the static value: the measurement behind every
//! sigma table (section 3.1 of the 2002 paper).
//!
//! From positions after S discs the whole tree of a few plies is built; at every leaf the static
//! value h is compared with g, the minimax value `ahead` plies deeper with the same evaluation.

use rand::Rng;
use rayon::prelude::*;

use crate::eval::{Evaluation, Incremental, with_evaluator};
use crate::othello::Position;
use crate::random::seeded_part;
use crate::search::expectation::Deviation;
use crate::search::expectation::alpha_beta::{AlphaBeta, Window};
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::expectation::settings::{ExpectationSettings, Passes, Spread};
use crate::search::expectation::table::Table;
use crate::search::expectation::tree::{Expansion, OthelloTree, Tree};
use crate::search::{Limits, StopFlag};
use crate::statistics::Moments;

/// Differences are counted in bins of one disc from −`EDGE` to `EDGE`, the outermost open.
pub const EDGE: i32 = 64;

/// What to measure.
#[derive(Clone, Debug)]
pub struct Measure {
    /// Plies from the root to the leaves; 3 in the paper.
    pub tree_depth: u32,
    /// Plies from a leaf to the deeper value.
    pub ahead: u32,
    /// Most leaves taken from one position, chosen at random; all if `None`, as in the paper.
    pub most_leaves: Option<usize>,
    /// Seed of that choice.
    pub seed: u64,
    /// What passes cost and what finished games are worth; σ plays no part.
    pub settings: ExpectationSettings,
}

/// The differences met at one stage.
#[derive(Clone, Debug)]
pub struct Differences {
    /// h − g in the view of the side to move at the root.
    pub moments: Moments,
    /// Numbers of h − g by whole discs (rounded), index 0 is −[`EDGE`].
    pub histogram: Vec<u64>,
    /// Sums of h, g, h², hg in the view of the side to move at the leaf.
    line: [f64; 4],
    /// Positions looked at.
    pub positions: usize,
}

/// How a sigma table's row is made from the differences.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// N(h, σ²), the mean not subtracted, as in the paper
    Paper,
    /// N(h + shift, σ²): for an odd number of plies ahead, when the side to move gains
    Shift,
    /// N(slope·h + shift, σ²), the regression line
    Line,
}

impl Model {
    /// Its word on the command line and in the title of tables.
    pub fn name(self) -> &'static str {
        match self {
            Model::Paper => "paper",
            Model::Shift => "shift",
            Model::Line => "line",
        }
    }
}

impl Default for Differences {
    fn default() -> Differences {
        Differences {
            moments: Moments::default(),
            histogram: vec![0; 2 * EDGE as usize + 1],
            line: [0.0; 4],
            positions: 0,
        }
    }
}

impl Differences {
    fn add(&mut self, h: f64, g: f64, root_sign: f64) {
        let difference = root_sign * (h - g);
        self.moments.add(difference);
        let bin = difference.round().clamp(f64::from(-EDGE), f64::from(EDGE)) as i32 + EDGE;
        self.histogram[bin as usize] += 1;
        for (sum, value) in self.line.iter_mut().zip([h, g, h * h, h * g]) {
            *sum += value;
        }
    }

    /// Both together.
    pub fn merge(mut self, other: Differences) -> Differences {
        self.moments.merge(&other.moments);
        for (count, more) in self.histogram.iter_mut().zip(other.histogram) {
            *count += more;
        }
        for (sum, more) in self.line.iter_mut().zip(other.line) {
            *sum += more;
        }
        self.positions += other.positions;
        self
    }

    /// The table row of this stage.
    pub fn spread(&self, model: Model) -> Spread {
        let count = self.moments.count.max(1.0);
        let [h, g, hh, hg] = self.line.map(|sum| sum / count);
        let variance = hh - h * h;
        let slope = match model {
            Model::Line if variance > 0.0 => (hg - h * g) / variance,
            _ => 1.0,
        };
        let shift = if model == Model::Paper { 0.0 } else { g - slope * h };
        // Mean square of g − slope·h − shift, by way of the square of g that the moments hold:
        // (h − g)² = h² − 2hg + g².
        let gg = self.moments.root_mean_square().powi(2) - hh + 2.0 * hg;
        let residual = gg + slope * slope * hh + shift * shift - 2.0 * slope * hg - 2.0 * shift * g
            + 2.0 * slope * shift * h;
        Spread { slope, shift, sigma: Deviation::clamped(residual.max(0.0).sqrt()) }
    }

    /// Share of differences within so many root mean squares of 0.
    pub fn share_within(&self, deviations: f64) -> f64 {
        let limit = deviations * self.moments.root_mean_square();
        let inside = self.histogram.iter().enumerate();
        let inside = inside.filter(|(bin, _)| f64::from((*bin as i32 - EDGE).abs()) <= limit);
        inside.map(|(_, &count)| count as f64).sum::<f64>() / self.moments.count.max(1.0)
    }
}

impl Measure {
    /// Measures at these positions, on all cores; `None` if stopped. `progress` is told of every
    /// position done.
    pub fn run(
        &self,
        evaluation: &Evaluation,
        positions: &[Position],
        stop: &StopFlag,
        progress: &(dyn Fn() + Sync),
    ) -> Option<Differences> {
        let measured = positions.par_iter().enumerate().map(|(index, &position)| {
            let found = with_evaluator!(evaluation, |evaluator| {
                self.position(evaluator, position, index, stop)
            });
            progress();
            found
        });
        let sum = measured.reduce(Differences::default, Differences::merge);
        (!stop.is_stopped()).then_some(sum)
    }

    fn position<E: Incremental>(
        &self,
        evaluation: &E,
        position: Position,
        index: usize,
        stop: &StopFlag,
    ) -> Differences {
        let tree = OthelloTree { evaluation };
        let mut leaves = Vec::new();
        self.leaves(&tree, &tree.root(position), self.tree_depth, 1.0, &mut leaves);
        let mut rng = seeded_part(self.seed, index as u64);
        if let Some(most) = self.most_leaves {
            while leaves.len() > most {
                leaves.swap_remove(rng.random_range(0..leaves.len()));
            }
        }
        let mut minimax = AlphaBeta::new(
            self.settings.without_spread(),
            Table::new(TABLE_BYTES).unwrap_or_else(|_| Table::tiny()),
        );
        let mut counter = NodeCounter::new(&Limits::default(), stop);
        let mut found = Differences { positions: 1, ..Differences::default() };
        for (leaf, root_sign) in leaves {
            let h = minimax.value(&tree, &leaf, 0, 0, Window::FULL, &mut counter);
            let g = minimax.value(&tree, &leaf, self.ahead, 0, Window::FULL, &mut counter);
            found.add(h, g, root_sign);
        }
        found
    }

    fn leaves<T: Tree>(
        &self,
        tree: &T,
        node: &T::Node,
        depth: u32,
        root_sign: f64,
        leaves: &mut Vec<(T::Node, f64)>,
    ) {
        let mut children = Vec::new();
        match (depth, tree.expand(node, &mut children)) {
            (0, _) | (_, Expansion::Over(_)) => leaves.push((node.clone(), root_sign)),
            (_, Expansion::Pass(_, next)) => {
                let depth = if self.settings.passes == Passes::Free { depth } else { depth - 1 };
                self.leaves(tree, &next, depth, -root_sign, leaves);
            }
            (_, Expansion::Moves) => {
                for (_, child) in &children {
                    self.leaves(tree, child, depth - 1, -root_sign, leaves);
                }
            }
        }
    }
}

/// Room for the interior of one look-ahead tree.
const TABLE_BYTES: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::discs::Discs;
    use crate::othello::random::{random_position, seeded};
    use crate::search::expectation::settings::Finished;
    use std::sync::Arc;

    fn slow_minimax(position: Position, depth: u32) -> i32 {
        if depth == 0 || position.is_over() {
            return position.disc_difference();
        }
        if !position.has_move() {
            return -slow_minimax(position.pass(), depth);
        }
        position.children().map(|(_, child)| -slow_minimax(child, depth - 1)).max().unwrap()
    }

    /// h − g of all leaves, root's view, by plain recursion.
    fn slow_differences(position: Position, depth: u32, sign: i32, found: &mut Vec<i32>) {
        if depth == 0 || position.is_over() {
            found.push(sign * (position.disc_difference() - slow_minimax(position, 2)));
        } else if !position.has_move() {
            slow_differences(position.pass(), depth, -sign, found);
        } else {
            for (_, child) in position.children() {
                slow_differences(child, depth - 1, -sign, found);
            }
        }
    }

    #[test]
    fn the_measurement_is_that_of_section_3_1() {
        let mut rng = seeded(9);
        let positions: Vec<Position> = (0..30).map(|_| random_position(10, &mut rng)).collect();
        let mut settings = ExpectationSettings::with_sigma(Deviation::ZERO);
        settings.finished = Finished::Static;
        let measure = Measure { tree_depth: 3, ahead: 2, most_leaves: None, seed: 1, settings };
        let discs = Evaluation::Other(Arc::new(Discs));
        let found = measure.run(&discs, &positions, &StopFlag::new(), &|| ()).unwrap();
        let mut slow = Vec::new();
        positions.iter().for_each(|&position| slow_differences(position, 3, 1, &mut slow));
        let squares: f64 = slow.iter().map(|&d| f64::from(d * d)).sum();
        assert_eq!(found.moments.count, slow.len() as f64);
        let sigma = (squares / slow.len() as f64).sqrt();
        assert!((found.spread(Model::Paper).sigma.get() - sigma).abs() < 1e-9);
        let mean = slow.iter().sum::<i32>() as f64 / slow.len() as f64;
        assert!((found.moments.mean() - mean).abs() < 1e-9);
        // Every further freedom of the model leaves less unexplained.
        let sigmas =
            [Model::Paper, Model::Shift, Model::Line].map(|model| found.spread(model).sigma.get());
        assert!(sigmas[0] >= sigmas[1] && sigmas[1] >= sigmas[2] && sigmas[2] > 0.0, "{sigmas:?}");
        let few = Measure { most_leaves: Some(5), ..measure };
        let found = few.run(&discs, &positions, &StopFlag::new(), &|| ()).unwrap();
        assert!(found.moments.count <= 150.0);
    }
}
