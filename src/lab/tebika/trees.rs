//! Virtual game trees (section 4.1): complete trees of normally distributed leaf values that grow as
//! two players move.
//!
//! The first player's move comes at depth 0, its next at depth 2, and the leaves hang at depth 3. In
//! game K it plays by the expected-value method, in game M by minimax; the second player plays minimax
//! in both. The games share the tree as long as they choose alike. At certain moves every leaf gets a
//! value two plies deeper, which is backed up to the chosen move: that is how the choices are judged.
//!
//! The paper's text leaves some of this open; [`Reading`] has the choices.

use rand::Rng;
use rand_distr::StandardNormal;
use rayon::prelude::*;

use crate::random::{Random, seeded_part};
use crate::search::StopFlag;
use crate::search::expectation::{Deviation, expected_max, expected_max_of_two};

/// Depth of the trees, D.
pub const DEPTH: u32 = 3;

/// What a second player's node passes up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Backup {
    /// The value of the child that the second player chooses by static minimax.
    OpponentModel,
    /// The least of the children's values (the 2002 paper's back-up).
    Least,
}

/// How the paper is read.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Reading {
    /// Deviation inside E.
    pub expectation_deviation: f64,
    /// Deviation of the values two plies deeper.
    pub deeper_deviation: f64,
    /// Back-up of E.
    pub backup: Backup,
    /// Back-up of the values two plies deeper.
    pub deeper_backup: Backup,
    /// Whether a grown leaf deviates by σ/D, as printed, or by σ/√D.
    pub growth_by_depth: bool,
}

impl Reading {
    /// As the text says.
    pub const LITERAL: Reading = Reading {
        expectation_deviation: 1.0,
        deeper_deviation: 1.0,
        backup: Backup::OpponentModel,
        deeper_backup: Backup::Least,
        growth_by_depth: true,
    };
}

/// The experiment's settings.
#[derive(Clone, Copy, Debug)]
pub struct VirtualTrees {
    /// Moves of every node, B.
    pub branching: usize,
    /// Variance of the leaves' values, σ².
    pub variance: f64,
    /// How the paper is read.
    pub reading: Reading,
    /// Runs.
    pub runs: u32,
    /// Seed.
    pub seed: u64,
}

/// After these moves of the first player the games are judged.
pub const JUDGED_MOVES: [u32; 4] = [1, 5, 10, 20];

/// Runs in which K, or M, was the better one, by [`JUDGED_MOVES`].
pub type Counts = [[u32; 2]; 4];

/// A game on its tree: the leaves from left to right.
#[derive(Clone, PartialEq)]
struct Tree {
    leaves: Vec<f64>,
}

/// Who chooses the first player's moves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Player {
    Expectation,
    Minimax,
}

impl VirtualTrees {
    /// Runs it on all cores up to the `most_moves`-th move; `None` if stopped.
    pub fn run(
        &self,
        most_moves: u32,
        stop: &StopFlag,
        progress: &(dyn Fn() + Sync),
    ) -> Option<Counts> {
        let counts = (0..self.runs).into_par_iter().map(|run| {
            let found =
                if stop.is_stopped() { Counts::default() } else { self.one(run, most_moves) };
            progress();
            found
        });
        let sum = counts.reduce(Counts::default, |mut a, b| {
            a.iter_mut().flatten().zip(b.iter().flatten()).for_each(|(a, b)| *a += b);
            a
        });
        (!stop.is_stopped()).then_some(sum)
    }

    fn one(&self, run: u32, most_moves: u32) -> Counts {
        let mut rng = seeded_part(self.seed, u64::from(run));
        let sigma = self.variance.sqrt();
        let leaves = (0..self.branching.pow(DEPTH)).map(|_| sigma * normal(&mut rng)).collect();
        // While the games are one there is one tree.
        let mut first = Tree { leaves };
        let mut second: Option<Tree> = None;
        let mut counts = Counts::default();
        for number in 1..=most_moves {
            let k = self.choose(&first, Player::Expectation);
            let m = self.choose(second.as_ref().unwrap_or(&first), Player::Minimax);
            let differ = second.is_some() || k != m;
            if let (Some(index), true) =
                (JUDGED_MOVES.iter().position(|&judged| judged == number), differ)
            {
                let values = match &second {
                    None => {
                        let deeper = self.deeper(&first, &mut rng);
                        [k, m].map(|chosen| self.judge(&first, &deeper, chosen))
                    }
                    Some(second) => [(&first, k), (second, m)].map(|(tree, chosen)| {
                        self.judge(tree, &self.deeper(tree, &mut rng), chosen)
                    }),
                };
                counts[index][0] += u32::from(values[0] > values[1]);
                counts[index][1] += u32::from(values[0] < values[1]);
            }
            if number == most_moves {
                break;
            }
            if differ {
                let other = second.take().unwrap_or_else(|| first.clone());
                second = Some(self.advance(other, m, &mut rng));
            }
            first = self.advance(first, k, &mut rng);
        }
        counts
    }

    /// The first player's move.
    fn choose(&self, tree: &Tree, player: Player) -> usize {
        let b = self.branching;
        let values = tree.leaves.chunks_exact(b * b).map(|below| {
            let static_values = below.chunks_exact(b).map(greatest);
            match (player, self.reading.backup) {
                (Player::Minimax, _) => static_values.fold(f64::INFINITY, f64::min),
                (Player::Expectation, Backup::OpponentModel) => {
                    let reply = first_least(static_values);
                    self.expectation(&below[reply * b..(reply + 1) * b])
                }
                (Player::Expectation, Backup::Least) => {
                    let values = below.chunks_exact(b).map(|leaves| self.expectation(leaves));
                    values.fold(f64::INFINITY, f64::min)
                }
            }
        });
        first_greatest(values)
    }

    /// E of a leaf parent.
    fn expectation(&self, leaves: &[f64]) -> f64 {
        let sigma = Deviation::clamped(self.reading.expectation_deviation);
        match leaves {
            &[one, two] => expected_max_of_two(sigma, one, two),
            _ => expected_max(sigma, leaves),
        }
    }

    /// The leaves' values two plies deeper.
    fn deeper(&self, tree: &Tree, rng: &mut Random) -> Vec<f64> {
        let deviation = self.reading.deeper_deviation;
        tree.leaves.iter().map(|leaf| leaf + deviation * normal(rng)).collect()
    }

    /// What a move of the first player is worth by the values two plies deeper.
    fn judge(&self, tree: &Tree, deeper: &[f64], chosen: usize) -> f64 {
        let b = self.branching;
        let part = chosen * b * b..(chosen + 1) * b * b;
        let (below, deeper) = (&tree.leaves[part.clone()], &deeper[part]);
        let values = deeper.chunks_exact(b).map(greatest);
        match self.reading.deeper_backup {
            Backup::Least => values.fold(f64::INFINITY, f64::min),
            Backup::OpponentModel => {
                let reply = first_least(below.chunks_exact(b).map(greatest));
                greatest(&deeper[reply * b..(reply + 1) * b])
            }
        }
    }

    /// The tree at the first player's next move: its move, a ply more, the second player's reply by
    /// minimax three plies deep, a ply more.
    fn advance(&self, tree: Tree, chosen: usize, rng: &mut Random) -> Tree {
        let b = self.branching;
        let leaves = self.grow(&tree.leaves[chosen * b * b..(chosen + 1) * b * b], rng);
        // The second player's node: least of greatest of least.
        let values = leaves
            .chunks_exact(b * b)
            .map(|below| below.chunks_exact(b).map(least).fold(f64::NEG_INFINITY, f64::max));
        let reply = first_least(values);
        Tree { leaves: self.grow(&leaves[reply * b * b..(reply + 1) * b * b], rng) }
    }

    /// One ply more below every leaf.
    fn grow(&self, leaves: &[f64], rng: &mut Random) -> Vec<f64> {
        let depth = f64::from(DEPTH);
        let divisor = if self.reading.growth_by_depth { depth } else { depth.sqrt() };
        let deviation = self.variance.sqrt() / divisor;
        let mut grown = Vec::with_capacity(leaves.len() * self.branching);
        for leaf in leaves {
            grown.extend((0..self.branching).map(|_| leaf + deviation * normal(rng)));
        }
        grown
    }
}

fn normal(rng: &mut Random) -> f64 {
    rng.sample(StandardNormal)
}

pub(super) fn greatest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The index of the first of the greatest.
pub(super) fn first_greatest(values: impl Iterator<Item = f64>) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (index, value) in values.enumerate() {
        if value > best.1 {
            best = (index, value);
        }
    }
    best.0
}

/// The index of the first of the least.
pub(super) fn first_least(values: impl Iterator<Item = f64>) -> usize {
    first_greatest(values.map(|value| -value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trees(branching: usize, reading: Reading) -> VirtualTrees {
        VirtualTrees { branching, variance: 1.0, reading, runs: 400, seed: 3 }
    }

    /// g and K of a node by the paper's definitions, over nested lists.
    fn twin(tree: &VirtualTrees, leaves: &[f64], depth: u32) -> (f64, f64) {
        if depth == 0 {
            return (leaves[0], leaves[0]);
        }
        let size = leaves.len() / tree.branching;
        let children: Vec<(f64, f64)> =
            leaves.chunks_exact(size).map(|part| twin(tree, part, depth - 1)).collect();
        let is_first = depth % 2 == 1;
        let g = children.iter().map(|child| child.0);
        if is_first {
            let g = g.fold(f64::NEG_INFINITY, f64::max);
            let k = if depth == 1 {
                expected_max(Deviation::clamped(tree.reading.expectation_deviation), leaves)
            } else {
                children.iter().map(|child| child.1).fold(f64::NEG_INFINITY, f64::max)
            };
            return (g, k);
        }
        let g = g.fold(f64::INFINITY, f64::min);
        let chosen = children.iter().find(|child| child.0 == g).unwrap();
        let k = match tree.reading.backup {
            Backup::OpponentModel => chosen.1,
            Backup::Least => children.iter().map(|child| child.1).fold(f64::INFINITY, f64::min),
        };
        (g, k)
    }

    #[test]
    fn choices_are_those_of_the_definitions() {
        let least = Reading { backup: Backup::Least, ..Reading::LITERAL };
        for (branching, reading) in
            [(2, Reading::LITERAL), (3, Reading::LITERAL), (2, least), (4, least)]
        {
            let settings = trees(branching, reading);
            let mut rng = seeded_part(9, branching as u64);
            for _ in 0..200 {
                let leaves: Vec<f64> = (0..branching.pow(3)).map(|_| normal(&mut rng)).collect();
                let size = leaves.len() / branching;
                let values: Vec<(f64, f64)> =
                    leaves.chunks_exact(size).map(|part| twin(&settings, part, 2)).collect();
                let tree = Tree { leaves };
                let k = settings.choose(&tree, Player::Expectation);
                let best = values.iter().map(|value| value.1).fold(f64::NEG_INFINITY, f64::max);
                assert!((values[k].1 - best).abs() < 1e-7);
                let m = settings.choose(&tree, Player::Minimax);
                assert_eq!(m, first_greatest(values.iter().map(|value| value.0)));
            }
        }
    }

    #[test]
    fn without_uncertainty_the_games_are_one() {
        let reading = Reading { expectation_deviation: 0.0, ..Reading::LITERAL };
        let counts = trees(2, reading).run(20, &StopFlag::new(), &|| ()).unwrap();
        assert_eq!(counts, Counts::default());
    }

    #[test]
    fn the_values_of_two_deviations_are_judged_along_the_second_player_s_choice() {
        // Left: leaves (0, 1) and (2, 3): the second player goes left, to a static value of 1.
        let settings = trees(2, Reading::LITERAL);
        let tree = Tree { leaves: vec![0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0] };
        let deeper = [5.0, 6.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0];
        assert_eq!(settings.judge(&tree, &deeper, 0), 3.0);
        let along = Reading { deeper_backup: Backup::OpponentModel, ..Reading::LITERAL };
        assert_eq!(trees(2, along).judge(&tree, &deeper, 0), 6.0);
    }

    #[test]
    fn runs_repeat_and_more_uncertainty_parts_the_games_more_often() {
        let run = |deviation| {
            let reading = Reading { expectation_deviation: deviation, ..Reading::LITERAL };
            trees(2, reading).run(5, &StopFlag::new(), &|| ()).unwrap()
        };
        assert_eq!(run(1.0), run(1.0));
        let sum = |counts: Counts| counts.iter().flatten().sum::<u32>();
        assert!(sum(run(0.3)) < sum(run(1.0)));
        let stopped = StopFlag::new();
        stopped.stop();
        assert!(trees(2, Reading::LITERAL).run(1, &stopped, &|| ()).is_none());
    }
}
