//! The fit of the network: many small steps, each toward the scores of a few positions.
//!
//! The rows of [`eval::pattern::network`](crate::eval::pattern::network) are learnt as floating-point
//! numbers by stochastic gradient descent. A step's size falls with what a row has already been
//! taught (row-wise Adagrad) and, over the whole run, to nothing, which takes the noise of single
//! positions out of the result. The hidden units are dealt out to [`SHARDS`] threads that own
//! their part of every row and meet twice in a batch, so that the result depends on the seed alone,
//! never on the machine.
//!
//! What a position should be worth is told by [`targets`]: a search's own score is biased by the
//! parity of its depth and by the old evaluation, the game's result is noisy, and a mixture of the
//! scores of the moves to come has less of both.

use rand::Rng;
use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::positions::{Scored, Source};
use crate::eval::UNIT;
use crate::eval::geometry::Geometry;
use crate::eval::linear::{PLIES, ply_of};
use crate::eval::pattern::network::{READ_OUT_MOST, READ_OUT_SHIFT, ReadOut, Row, WIDTH};
use crate::eval::pattern::{self, weights};
use crate::eval::reach;
use crate::othello::Position;
use crate::random::seeded;

/// Threads that share the hidden units.
const SHARDS: usize = 2;
/// Hidden units of a shard.
const PART: usize = WIDTH / SHARDS;
/// Positions per step: their errors are found before any of them teaches.
const BATCH: usize = 128;
/// Positions whose contents are looked up together, in parallel.
const BLOCK: usize = 8192;
/// Contents per position.
const LANES: usize = pattern::SHAPE_LANES + reach::LANES;
/// An error counts at most so many discs, so that single positions cannot upset everything.
const MOST_ERROR: f32 = 24.0;
/// Taken as taught to every row before the first step, in squared discs.
const PRIOR: f32 = 100.0;
/// A score that falls by more than this, in discs, from a position to the next betrays a random
/// move in between that the file does not mark: behind it nothing is known of the position before.
const STRAY: f32 = 12.0;

/// What the next position's target counts in [`targets`], by trial (see `weights.md`).
pub const FOLLOW: f32 = 0.7;

/// How to fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkSettings {
    /// Passes over the training positions.
    pub passes: usize,
    /// First step size of the rows.
    pub rate: f32,
    /// First step size of the read-outs.
    pub read_out_rate: f32,
    /// Order of the positions and first numbers.
    pub seed: u64,
}

impl Default for NetworkSettings {
    fn default() -> Self {
        NetworkSettings { passes: 4, rate: 0.1, read_out_rate: 0.02, seed: 1 }
    }
}

/// A position with what it should be worth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The position.
    pub position: Position,
    /// For the mover, in discs.
    pub target: f32,
}

/// What the positions of games, in the order they were met, should be worth: solved ones their score,
/// others their own score mixed with the target of the position after it, which counts `follow`.
pub fn targets(games: &[Scored], follow: f32) -> Vec<Sample> {
    let mut samples: Vec<Sample> = Vec::with_capacity(games.len());
    let mut after: Option<(&Scored, f32)> = None;
    for scored in games.iter().rev() {
        let own = f32::from(scored.score) / UNIT as f32;
        let mut target = own;
        if scored.source == Source::Search
            && !scored.random
            && let Some((next, value)) = after
            && next.game == scored.game
            && let Some(value) = seen_from(scored.position, next.position, value)
            && own - value < STRAY
        {
            target += follow * (value - own);
        }
        after = Some((scored, target));
        samples.push(Sample { position: scored.position, target });
    }
    samples.reverse();
    samples
}

/// A later position's value for the mover of an earlier one, if the one can follow the other.
fn seen_from(before: Position, after: Position, value: f32) -> Option<f32> {
    if after.empty_count() + 1 != before.empty_count() {
        return None;
    }
    let mover = before.mover();
    // The mover's own discs stay; those of the opponent may be flipped.
    if (mover & after.opponent()) == mover {
        Some(-value)
    } else {
        ((mover & after.mover()) == mover).then_some(value)
    }
}

/// Which rows a position uses.
struct Features {
    geometry: Geometry,
    /// For each lane its table, as [`pattern::packings`] has them, and where the table's rows begin.
    lanes: Vec<(usize, u32)>,
}

type Contents = [u32; LANES];

impl Features {
    fn new() -> Features {
        let geometry = pattern::geometry();
        let of_shapes = geometry.shapes().iter().map(|shape| shape.placements.len());
        let of_reach = reach::TABLES.map(|(lanes, _)| lanes);
        let (mut lanes, mut begin) = (Vec::new(), 0);
        for (table, count) in of_shapes.chain(of_reach).enumerate() {
            lanes.extend(std::iter::repeat_n((table, begin), count));
            begin += pattern::packings()[table].1 as u32;
        }
        assert_eq!(lanes.len(), LANES);
        Features { geometry, lanes }
    }

    fn contents(&self, position: Position) -> Contents {
        let shapes = self.geometry.indices(position);
        let indices = shapes.0[..self.geometry.lanes()].iter().copied();
        let mut contents = [0; LANES];
        let packings = pattern::packings();
        for ((content, index), &(table, begin)) in
            contents.iter_mut().zip(indices.chain(reach::indices(position))).zip(&self.lanes)
        {
            *content = begin + packings[table].0[usize::from(index)];
        }
        contents
    }
}

type Units = [f32; PART];

/// Some of the hidden units: their part of every row and of every read-out, and how much each has
/// been taught.
struct Shard {
    rows: Vec<Units>,
    taught: Vec<f32>,
    above: [Units; PLIES],
    below: [Units; PLIES],
    taught_above: [Units; PLIES],
    taught_below: [Units; PLIES],
    /// Sums of the units for each position of the batch.
    sums: Vec<Units>,
    /// What these sums add to each value.
    values: Vec<f32>,
}

impl Shard {
    fn new(rng: &mut crate::random::Random) -> Shard {
        let mut some =
            |most: f32| -> Units { std::array::from_fn(|_| rng.random_range(-most..most)) };
        let mut rows = vec![[0.0; PART]; weights::row_count()];
        // The rows of the numbers of moves make the units differ; the others begin at zero.
        let counts = pattern::packings()[..pattern::shape_count()].iter().map(|p| p.1).sum();
        for row in &mut rows[counts..][..reach::TABLES[0].1] {
            *row = some(0.5);
        }
        let (above, below) = (some(1.0), some(1.0));
        Shard {
            taught: vec![PRIOR; rows.len()],
            rows,
            above: [above; PLIES],
            below: [below; PLIES],
            taught_above: [[1.0; PART]; PLIES],
            taught_below: [[1.0; PART]; PLIES],
            sums: vec![[0.0; PART]; BATCH],
            values: vec![0.0; BATCH],
        }
    }

    fn sum(&self, contents: &Contents) -> Units {
        let mut sum = [0.0; PART];
        for &content in contents {
            for (unit, share) in sum.iter_mut().zip(self.rows[content as usize]) {
                *unit += share;
            }
        }
        sum
    }

    fn value(&self, sum: &Units, ply: usize) -> f32 {
        (0..PART)
            .map(|unit| {
                let (above, below) = (self.above[ply][unit], self.below[ply][unit]);
                above * sum[unit].max(0.0) + below * sum[unit].min(0.0)
            })
            .sum()
    }

    /// Finds what these units add to the values of a batch.
    fn predict(&mut self, batch: &[(Contents, usize)]) {
        for (number, (contents, ply)) in batch.iter().enumerate() {
            self.sums[number] = self.sum(contents);
            self.values[number] = self.value(&self.sums[number], *ply);
        }
    }

    /// Takes a step against the errors of a batch that was predicted before.
    fn learn(
        &mut self,
        batch: &[(Contents, usize)],
        errors: &[f32],
        rate: f32,
        read_out_rate: f32,
    ) {
        for ((number, (contents, ply)), &error) in batch.iter().enumerate().zip(errors) {
            let sum = self.sums[number];
            let mut slope = [0.0; PART];
            for unit in 0..PART {
                let positive = sum[unit] > 0.0;
                let (weight, taught) = if positive {
                    (&mut self.above[*ply][unit], &mut self.taught_above[*ply][unit])
                } else {
                    (&mut self.below[*ply][unit], &mut self.taught_below[*ply][unit])
                };
                slope[unit] = error * *weight;
                let pull = error * sum[unit];
                *taught += pull * pull;
                *weight -= read_out_rate * pull / taught.sqrt();
            }
            let lesson = slope.iter().map(|slope| slope * slope).sum::<f32>() / PART as f32;
            for &content in contents {
                let taught = &mut self.taught[content as usize];
                *taught += lesson;
                let step = rate / taught.sqrt();
                for (share, slope) in self.rows[content as usize].iter_mut().zip(slope) {
                    *share -= step * slope;
                }
            }
        }
    }
}

/// The network while it learns.
pub struct Learner {
    features: Features,
    shards: [Shard; SHARDS],
    constants: [f32; PLIES],
    taught_constants: [f32; PLIES],
    settings: NetworkSettings,
    rng: crate::random::Random,
    /// Positions seen, and to be seen in the whole run.
    seen: usize,
    to_see: usize,
}

impl Learner {
    /// A network that knows nothing yet and will make `settings.passes` passes over so many positions.
    pub fn new(settings: NetworkSettings, positions: usize) -> Learner {
        let mut rng = seeded(settings.seed);
        Learner {
            features: Features::new(),
            shards: std::array::from_fn(|_| Shard::new(&mut rng)),
            constants: [0.0; PLIES],
            taught_constants: [1.0; PLIES],
            settings,
            rng,
            seen: 0,
            to_see: (positions * settings.passes).max(1),
        }
    }

    /// One pass over the samples in a new random order; gives the root mean square error in discs
    /// while learning. `report` is told how many samples were seen since it was told last, and
    /// answers whether to go on.
    pub fn pass(&mut self, samples: &mut [Sample], mut report: impl FnMut(usize) -> bool) -> f64 {
        samples.shuffle(&mut self.rng);
        let (mut squares, mut seen) = (0.0, 0);
        for block in samples.chunks(BLOCK) {
            let contents: Vec<(Contents, usize)> = block
                .par_iter()
                .map(|one| (self.features.contents(one.position), ply_of(one.position)))
                .collect();
            for (batch, samples) in contents.chunks(BATCH).zip(block.chunks(BATCH)) {
                squares += self.step(batch, samples);
            }
            seen += block.len();
            if !report(block.len()) {
                break;
            }
        }
        (squares / seen.max(1) as f64).sqrt()
    }

    /// One step; gives the sum of squared errors before it.
    fn step(&mut self, batch: &[(Contents, usize)], samples: &[Sample]) -> f64 {
        let left = (1.0 - self.seen as f32 / self.to_see as f32).max(0.0);
        self.seen += batch.len();
        let rate = self.settings.rate * left;
        let read_out_rate = self.settings.read_out_rate * left;
        self.shards.par_iter_mut().for_each(|shard| shard.predict(batch));
        let mut squares = 0.0;
        let mut errors = [0.0; BATCH];
        for (number, sample) in samples.iter().enumerate() {
            let ply = batch[number].1;
            let parts: f32 = self.shards.iter().map(|shard| shard.values[number]).sum();
            let error = self.constants[ply] + parts - sample.target;
            squares += f64::from(error * error);
            let error = error.clamp(-MOST_ERROR, MOST_ERROR);
            errors[number] = error;
            self.taught_constants[ply] += error * error;
            self.constants[ply] -= read_out_rate * error / self.taught_constants[ply].sqrt();
        }
        self.shards
            .par_iter_mut()
            .for_each(|shard| shard.learn(batch, &errors, rate, read_out_rate));
        squares
    }

    /// The value of a position in discs.
    pub fn value(&self, position: Position) -> f32 {
        let (contents, ply) = (self.features.contents(position), ply_of(position));
        let parts = self.shards.iter().map(|shard| shard.value(&shard.sum(&contents), ply));
        self.constants[ply] + parts.sum::<f32>()
    }

    /// Root mean square error in discs.
    pub fn rmse(&self, samples: &[Sample]) -> f64 {
        let square = |one: &Sample| f64::from(self.value(one.position) - one.target).powi(2);
        let squares: Vec<f64> = samples.par_iter().map(square).collect();
        (squares.iter().sum::<f64>() / samples.len().max(1) as f64).sqrt()
    }

    /// These positions with the network's values as targets.
    pub fn lessons(&self, samples: &[Sample]) -> Vec<Sample> {
        let lesson =
            |one: &Sample| Sample { position: one.position, target: self.value(one.position) };
        samples.par_iter().map(lesson).collect()
    }

    /// Rows and read-outs in whole numbers. Each unit is scaled so that its greatest weight in any
    /// read-out is the greatest allowed, which leaves the rows as fine as can be.
    pub fn quantised(&self) -> (Vec<Row>, [ReadOut; PLIES]) {
        let most: [f32; WIDTH] = std::array::from_fn(|unit| {
            let (shard, unit) = (&self.shards[unit / PART], unit % PART);
            let weights = shard.above.iter().chain(&shard.below).map(|weights| weights[unit].abs());
            weights.fold(1e-6, f32::max)
        });
        let whole =
            |value: f32, most: i16| value.round().clamp(-f32::from(most), f32::from(most)) as i16;
        let row_scale = (UNIT << READ_OUT_SHIFT) as f32 / f32::from(READ_OUT_MOST);
        let rows = (0..weights::row_count())
            .into_par_iter()
            .map(|row| {
                Row(std::array::from_fn(|unit| {
                    let share = self.shards[unit / PART].rows[row][unit % PART];
                    whole(share * most[unit] * row_scale, i16::MAX)
                }))
            })
            .collect();
        let weight = |ply: usize, unit: usize, above: bool| {
            let shard = &self.shards[unit / PART];
            let weights = if above { &shard.above } else { &shard.below };
            whole(weights[ply][unit % PART] / most[unit] * f32::from(READ_OUT_MOST), READ_OUT_MOST)
        };
        let read_outs = std::array::from_fn(|ply| ReadOut {
            above: std::array::from_fn(|unit| weight(ply, unit, true)),
            below: std::array::from_fn(|unit| weight(ply, unit, false)),
            constant: whole(self.constants[ply] * UNIT as f32, i16::MAX),
        });
        (rows, read_outs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Move;

    fn scored(position: Position, discs: i16, source: Source, game: u32) -> Scored {
        Scored { position, score: discs * UNIT as i16, source, depth: 4, game, random: false }
    }

    /// The start and the first moves of a game.
    fn opening() -> Vec<Position> {
        let mut line = vec![Position::START];
        for name in ["f5", "d6", "c3"] {
            let before = line[line.len() - 1];
            line.push(before.after(Move::Place(name.parse().unwrap())).unwrap());
        }
        line
    }

    #[test]
    fn targets_mix_later_scores_with_the_sign_turned_and_stop_at_solved_ones() {
        let line = opening();
        let games = [
            scored(line[0], 2, Source::Search, 1),
            scored(line[1], 4, Source::Search, 1),
            scored(line[2], 6, Source::Exact, 1),
            scored(line[3], 8, Source::Search, 2),
        ];
        let found: Vec<f32> = targets(&games, 0.5).iter().map(|one| one.target).collect();
        // The third is solved; the second is half its own 4, half −6; the first half 2, half 1.
        assert_eq!(found, [1.5, -1.0, 6.0, 8.0]);
    }

    #[test]
    fn a_random_move_a_sudden_fall_or_a_gap_keeps_the_own_score() {
        let line = opening();
        let fall = [scored(line[0], 2, Source::Search, 1), scored(line[1], 20, Source::Search, 1)];
        assert_eq!(targets(&fall, 0.5)[0].target, 2.0);
        let mut drawn =
            [scored(line[0], 2, Source::Search, 1), scored(line[1], 0, Source::Search, 1)];
        assert_eq!(targets(&drawn, 0.5)[0].target, 1.0);
        drawn[0].random = true;
        assert_eq!(targets(&drawn, 0.5)[0].target, 2.0);
        let gap = [scored(line[0], 2, Source::Search, 1), scored(line[2], -2, Source::Search, 1)];
        assert_eq!(targets(&gap, 0.5)[0].target, 2.0);
    }

    #[test]
    fn a_pass_between_two_positions_keeps_the_sign() {
        // After h1 the opponent has no move: the same side moves again.
        let (empty, opponent) = (1 << 7 | 1 << 63, 1 << 6 | 1 << 62);
        let before = Position::from_disjoint(!(empty | opponent), opponent);
        let after = before.after(Move::Place("h1".parse().unwrap())).unwrap();
        assert!(!after.has_move());
        let next = after.pass();
        assert_eq!(seen_from(before, next, 3.0), Some(3.0));
        assert_eq!(seen_from(before, after, 3.0), Some(-3.0));
    }
}
