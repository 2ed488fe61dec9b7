//! The fit: weights whose pattern sums come nearest to the scores of many positions.
//!
//! This is least squares with one unknown per canonical content, anchor and shape. Batches give the
//! gradient; each weight's step is divided by how often a batch meets it plus a prior
//! ([`FitSettings::prior`]), so that rare contents move little on little evidence, and a ridge draws
//! all weights toward zero. The error of the rough value counts too ([`FitSettings::rough`]), or the
//! tables it leaves out would take over what it could tell. Momentum and a rate that falls to
//! almost nothing do the rest. A batch is predicted in parallel by position and its gradient
//! gathered in parallel by shape, so the result does not depend on the number of threads.

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::positions::{Scored, Source};
use crate::eval::UNIT;
use crate::eval::geometry::{self, Geometry};

use crate::eval::linear::{PLIES, ply_of};
use crate::eval::pattern::{self, ANCHORS, Weights, anchors_around};
use crate::eval::reach;
use crate::random::seeded;

/// Contents per position.
const LANES: usize = geometry::LANES + reach::LANES;

/// Room for the anchors of one content: a cache line of floats.
const ROW: usize = 16;
const _: () = assert!(ANCHORS.len() <= ROW);

/// How much a game's result counts beside a searched or solved score: results are off by about 14
/// discs before the stored score of tournament games, searches by about 6.
const RESULT_WEIGHT: f32 = 0.2;

/// See [`Model::spreads`].
const SPREAD_PRIOR: f64 = 20.0;

/// How to fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitSettings {
    /// Most passes over the training positions.
    pub epochs: usize,
    /// Positions per step.
    pub batch: usize,
    /// First step size; it falls along half a cosine to 2 % of this.
    pub rate: f32,
    /// Share of the last step that is kept in the next.
    pub momentum: f32,
    /// Pull toward zero: a weight met this often in all gives up half of what it learnt.
    pub ridge: f32,
    /// Sightings per batch that count as little evidence.
    pub prior: f32,
    /// How much the error of the rough value counts beside that of the value.
    pub rough: f32,
    /// Stop after so many passes without a lower validation error.
    pub patience: usize,
    /// Order of the positions.
    pub seed: u64,
}

/// Found by trial on tournament games (see `weights.md`).
impl Default for FitSettings {
    fn default() -> Self {
        FitSettings {
            epochs: 20,
            batch: 1 << 16,
            rate: 0.01,
            momentum: 0.9,
            ridge: 10.0,
            prior: 0.5,
            rough: 1.0,
            patience: 4,
            seed: 1,
        }
    }
}

/// Errors after one pass, in discs; results count less than searched and solved scores.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Epoch {
    /// From 1; 0 is before the first pass.
    pub number: usize,
    /// Root mean square error on the training positions, while they were being learnt.
    pub train_rmse: f64,
    /// On the validation positions, after the pass.
    pub validation_rmse: f64,
    /// That of the rough value.
    pub rough_rmse: f64,
}

/// What came out.
pub struct Fitted {
    /// The weights with the lowest validation error.
    pub weights: Weights,
    /// The learning curve.
    pub curve: Vec<Epoch>,
}

/// A position as the fit sees it.
struct Sample {
    /// Canonical content of each lane, numbered within its shape.
    contents: [u16; LANES],
    ply: usize,
    anchor: usize,
    /// Share of the anchor after `anchor`; there always is one unless this is 0.
    share: f32,
    /// In discs.
    target: f32,
    /// How much it counts.
    weight: f32,
}

/// A rough value and the value itself, or their errors.
#[derive(Clone, Copy)]
struct Pair {
    rough: f32,
    whole: f32,
}

/// Where the contents of shapes and reach stand, table by table as [`pattern::packings`] has them.
struct Features {
    geometry: Geometry,
    /// Lanes of each table, which stand together.
    lanes: Vec<std::ops::Range<usize>>,
    /// Where the contents of each table begin in the list of all.
    begins: Vec<usize>,
}

impl Features {
    fn new() -> Features {
        let geometry = pattern::geometry();
        let of_shapes = geometry.shapes().iter().map(|shape| shape.placements.len());
        let of_reach = reach::TABLES.map(|(lanes, _)| lanes);
        let (mut lanes, mut begins) = (Vec::new(), Vec::new());
        let (mut lane, mut begin) = (0, 0);
        for ((_, contents), count) in pattern::packings().iter().zip(of_shapes.chain(of_reach)) {
            lanes.push(lane..lane + count);
            begins.push(begin);
            lane += count;
            begin += contents;
        }
        Features { geometry, lanes, begins }
    }

    /// Whether a table belongs to the rough value.
    fn is_rough(&self, table: usize) -> bool {
        table < self.geometry.shapes().len() + reach::ROUGH_TABLES
    }

    fn contents(&self) -> usize {
        pattern::packings().iter().map(|(_, contents)| contents).sum()
    }

    fn sample(&self, scored: &Scored) -> Sample {
        let mut indices = [0; LANES];
        let shapes = self.geometry.lanes();
        indices[..shapes].copy_from_slice(&self.geometry.indices(scored.position).0[..shapes]);
        indices[shapes..][..reach::LANES].copy_from_slice(&reach::indices(scored.position));
        let mut contents = [0; LANES];
        for ((packing, _), lanes) in pattern::packings().iter().zip(&self.lanes) {
            for lane in lanes.clone() {
                contents[lane] = packing[usize::from(indices[lane])] as u16;
            }
        }
        let ply = ply_of(scored.position);
        let (anchor, after, share) = anchors_around(ply);
        debug_assert!(share == 0.0 || after == anchor + 1);
        let weight = if scored.source == Source::Result { RESULT_WEIGHT } else { 1.0 };
        let target = f32::from(scored.score) / UNIT as f32;
        Sample { contents, ply, anchor, share, target, weight }
    }
}

/// Everything that is learnt, in discs, with what the optimiser keeps beside it.
struct Model {
    features: Features,
    /// A row of [`ROW`] anchors for each content.
    weights: Vec<f32>,
    velocity: Vec<f32>,
    gradient: Vec<f32>,
    /// What each weight's step is divided by.
    evidence: Vec<f32>,
    constants: [f32; PLIES],
    constant_velocity: [f32; PLIES],
    constant_evidence: [f32; PLIES],
}

impl Model {
    fn new(start: Option<&Weights>) -> Model {
        let features = Features::new();
        let size = features.contents() * ROW;
        let mut model = Model {
            features,
            weights: vec![0.0; size],
            velocity: vec![0.0; size],
            gradient: vec![0.0; size],
            evidence: vec![0.0; size],
            constants: [0.0; PLIES],
            constant_velocity: [0.0; PLIES],
            constant_evidence: [0.0; PLIES],
        };
        if let Some(start) = start {
            for (number, anchor) in start.anchors.iter().enumerate() {
                for (content, &weight) in anchor.iter().enumerate() {
                    model.weights[content * ROW + number] = f32::from(weight) / UNIT as f32;
                }
            }
            model.constants = start.constants.map(|constant| f32::from(constant) / UNIT as f32);
        }
        model
    }

    fn predict(&self, sample: &Sample) -> Pair {
        let after = (sample.anchor + 1).min(ROW - 1);
        let (mut rough, mut rest) = (self.constants[sample.ply], 0.0);
        let tables = self.features.begins.iter().zip(&self.features.lanes);
        for (table, (begin, lanes)) in tables.enumerate() {
            let part = if self.features.is_rough(table) { &mut rough } else { &mut rest };
            for &content in &sample.contents[lanes.clone()] {
                let row = &self.weights[(begin + usize::from(content)) * ROW..][..ROW];
                *part += row[sample.anchor] * (1.0 - sample.share) + row[after] * sample.share;
            }
        }
        Pair { rough: rough.clamp(-64.0, 64.0), whole: (rough + rest).clamp(-64.0, 64.0) }
    }

    /// Adds `amount(sample number)`, of a weight in the rough value or not, times the share of the
    /// anchor to some power to the gradient of every weight that each sample uses.
    fn gather(
        &mut self,
        samples: &[Sample],
        power: i32,
        amount: impl Fn(usize, bool) -> f32 + Sync,
    ) {
        let mut slices = Vec::new();
        let mut rest = &mut self.gradient[..];
        let tables = pattern::packings().iter().zip(&self.features.lanes);
        for (table, (&(_, count), lanes)) in tables.enumerate() {
            let (slice, after) = rest.split_at_mut(count * ROW);
            slices.push((slice, lanes.clone(), self.features.is_rough(table)));
            rest = after;
        }
        slices.into_par_iter().for_each(|(slice, lanes, rough)| {
            for (number, sample) in samples.iter().enumerate() {
                let amount = amount(number, rough);
                let before = amount * (1.0 - sample.share).powi(power);
                let after = amount * sample.share.powi(power);
                for &content in &sample.contents[lanes.clone()] {
                    let row = &mut slice[usize::from(content) * ROW..][..ROW];
                    row[sample.anchor] += before;
                    if sample.share > 0.0 {
                        row[sample.anchor + 1] += after;
                    }
                }
            }
        });
    }

    /// Counts how often a batch meets each weight.
    fn weigh_evidence(&mut self, train: &[Scored], settings: &FitSettings) {
        for chunk in train.chunks(settings.batch) {
            let samples: Vec<Sample> =
                chunk.par_iter().map(|scored| self.features.sample(scored)).collect();
            let times = |rough: bool| if rough { 1.0 + settings.rough } else { 1.0 };
            self.gather(&samples, 2, |number, rough| samples[number].weight * times(rough));
            for sample in &samples {
                self.constant_evidence[sample.ply] += sample.weight * times(true);
            }
        }
        let per_batch = settings.batch as f32 / train.len().max(1) as f32;
        for (evidence, gathered) in self.evidence.iter_mut().zip(&mut self.gradient) {
            *evidence = *gathered * per_batch + settings.prior;
            *gathered = 0.0;
        }
        for evidence in &mut self.constant_evidence {
            *evidence = *evidence * per_batch + settings.prior;
        }
    }

    /// One step; gives the sum of squared errors before it.
    fn step(&mut self, batch: &[&Scored], rate: f32, ridge: f32, settings: &FitSettings) -> f64 {
        let samples: Vec<Sample> =
            batch.par_iter().map(|scored| self.features.sample(scored)).collect();
        let errors: Vec<Pair> = samples.par_iter().map(|sample| self.errors(sample)).collect();
        let pull = |number: usize, rough: bool| {
            let Pair { rough: of_rough, whole } = errors[number];
            let error = if rough { whole + settings.rough * of_rough } else { whole };
            error * samples[number].weight
        };
        self.gather(&samples, 1, pull);
        let mut constant_gradient = [0.0; PLIES];
        for (number, sample) in samples.iter().enumerate() {
            constant_gradient[sample.ply] += pull(number, true);
        }
        let momentum = settings.momentum;
        let size = 1 << 14;
        (self.weights.par_chunks_mut(size), self.velocity.par_chunks_mut(size))
            .into_par_iter()
            .zip((self.gradient.par_chunks_mut(size), self.evidence.par_chunks(size)))
            .for_each(|((weights, velocity), (gradient, evidence))| {
                for i in 0..weights.len() {
                    let pull = gradient[i] - ridge * weights[i];
                    velocity[i] = momentum * velocity[i] + pull / evidence[i];
                    weights[i] += rate * velocity[i];
                    gradient[i] = 0.0;
                }
            });
        for (ply, gradient) in constant_gradient.into_iter().enumerate() {
            let pull = gradient / self.constant_evidence[ply];
            self.constant_velocity[ply] = momentum * self.constant_velocity[ply] + pull;
            self.constants[ply] += rate * self.constant_velocity[ply];
        }
        let squares = |(sample, error): (&Sample, &Pair)| {
            f64::from(sample.weight * error.whole * error.whole)
        };
        samples.iter().zip(&errors).map(squares).sum()
    }

    fn errors(&self, sample: &Sample) -> Pair {
        let Pair { rough, whole } = self.predict(sample);
        Pair { rough: sample.target - rough, whole: sample.target - whole }
    }

    /// Root mean square errors of the value and of the rough value.
    fn rmse(&self, positions: &[Scored]) -> (f64, f64) {
        let squares: Vec<[f64; 2]> = positions
            .par_iter()
            .map(|scored| {
                let sample = self.features.sample(scored);
                let Pair { rough, whole } = self.errors(&sample);
                [whole, rough].map(|error| f64::from(sample.weight * error * error))
            })
            .collect();
        let mean = |which: usize| {
            (squares.iter().map(|pair| pair[which]).sum::<f64>() / total_weight(positions)).sqrt()
        };
        (mean(0), mean(1))
    }

    /// Root mean square distance between value and rough value at each ply, in discs. That of all
    /// positions counts as [`SPREAD_PRIOR`] positions of each ply, so that a few do not decide.
    fn spreads(&self, positions: &[Scored]) -> [f32; PLIES] {
        let distances: Vec<(usize, f64)> = positions
            .par_iter()
            .map(|scored| {
                let sample = self.features.sample(scored);
                let Pair { rough, whole } = self.predict(&sample);
                (sample.ply, f64::from(whole - rough).powi(2))
            })
            .collect();
        let of_all =
            distances.iter().map(|(_, square)| square).sum::<f64>() / distances.len().max(1) as f64;
        let mut sums = [(SPREAD_PRIOR * of_all, SPREAD_PRIOR); PLIES];
        for (ply, square) in distances {
            sums[ply].0 += square;
            sums[ply].1 += 1.0;
        }
        sums.map(|(squares, count)| (squares / count).sqrt() as f32)
    }

    /// The weights, with the spreads on these positions.
    fn weights(&self, positions: &[Scored]) -> Weights {
        let unit = |discs: f32| {
            (discs * UNIT as f32).round().clamp(f32::from(i16::MIN), f32::from(i16::MAX)) as i16
        };
        let anchor = |number: usize| {
            self.weights.iter().skip(number).step_by(ROW).map(|&weight| unit(weight)).collect()
        };
        Weights {
            anchors: (0..ANCHORS.len()).map(anchor).collect(),
            constants: self.constants.map(unit),
            spreads: self.spreads(positions).map(unit),
        }
    }
}

/// What all positions count together.
fn total_weight(positions: &[Scored]) -> f64 {
    let results = positions.iter().filter(|scored| scored.source == Source::Result).count();
    let others = (positions.len() - results) as f64;
    (others + results as f64 * f64::from(RESULT_WEIGHT)).max(f64::MIN_POSITIVE)
}

/// Fits weights to the training positions, beginning from `start` if given. `report` is told each
/// pass as it ends, with the weights so far, and answers whether to go on.
pub fn fit(
    train: &[Scored],
    validation: &[Scored],
    start: Option<&Weights>,
    settings: &FitSettings,
    mut report: impl FnMut(&Epoch, &dyn Fn() -> Weights) -> bool,
) -> Fitted {
    let mut model = Model::new(start);
    model.weigh_evidence(train, settings);
    let (validation_rmse, rough_rmse) = model.rmse(validation);
    let mut best = (validation_rmse, model.weights(validation));
    let train_rmse = model.rmse(train).0;
    let mut curve = vec![Epoch { number: 0, train_rmse, validation_rmse, rough_rmse }];
    let mut order: Vec<&Scored> = train.iter().collect();
    let mut rng = seeded(settings.seed);
    let ridge = settings.ridge * settings.batch as f32 / train.len().max(1) as f32;
    let mut without_gain = 0;
    for number in 1..=settings.epochs {
        order.shuffle(&mut rng);
        let steps = train.len().div_ceil(settings.batch).max(1);
        let mut squares = 0.0;
        for (step, batch) in order.chunks(settings.batch).enumerate() {
            let done = (number - 1) as f32 / settings.epochs as f32
                + step as f32 / (steps * settings.epochs) as f32;
            let fall = 0.5 * (1.0 + (std::f32::consts::PI * done).cos());
            let rate = settings.rate * (0.02 + 0.98 * fall);
            squares += model.step(batch, rate, ridge, settings);
        }
        let (validation_rmse, rough_rmse) = model.rmse(validation);
        let train_rmse = (squares / total_weight(train)).sqrt();
        let epoch = Epoch { number, train_rmse, validation_rmse, rough_rmse };
        curve.push(epoch);
        without_gain += 1;
        if epoch.validation_rmse < best.0 {
            best = (epoch.validation_rmse, model.weights(validation));
            without_gain = 0;
        }
        let go_on = report(&epoch, &|| model.weights(validation));
        if !go_on || without_gain >= settings.patience {
            break;
        }
    }
    Fitted { weights: best.1, curve }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluator;
    use crate::eval::discs::Discs;
    use crate::othello::random::random_position;
    use crate::training::positions::Source;

    fn disc_counts(seed: u64, count: usize) -> Vec<Scored> {
        let mut rng = seeded(seed);
        (0..count)
            .map(|number| {
                let position = random_position(10 + number as u32 % 30, &mut rng);
                let score = Discs.evaluate(position) as i16;
                Scored { position, score, source: Source::Exact, depth: 0, game: number as u32 }
            })
            .collect()
    }

    #[test]
    fn the_fit_learns_to_count_discs_and_the_weights_say_what_it_predicts() {
        let (train, validation) = (disc_counts(1, 6000), disc_counts(2, 500));
        let settings =
            FitSettings { epochs: 20, batch: 2000, prior: 4.0, ..FitSettings::default() };
        let fitted = fit(&train, &validation, None, &settings, |_, _| true);
        let (first, last) = (fitted.curve[0], fitted.curve[fitted.curve.len() - 1]);
        assert!(last.validation_rmse < 0.5 * first.validation_rmse, "{:?}", fitted.curve);
        // The integer evaluator gives what the fit promised.
        let evaluator = pattern::Pattern::new(&fitted.weights);
        let squares: f64 = validation
            .iter()
            .map(|s| {
                (f64::from(evaluator.evaluate(s.position) - i32::from(s.score)) / 128.0).powi(2)
            })
            .sum();
        let best =
            fitted.curve.iter().map(|epoch| epoch.validation_rmse).fold(f64::INFINITY, f64::min);
        assert!(((squares / 500.0).sqrt() - best).abs() < 0.05);
    }

    #[test]
    fn every_ply_has_a_spread_and_that_of_few_positions_is_near_that_of_all() {
        let train = disc_counts(4, 2000);
        let settings = FitSettings { epochs: 3, batch: 500, prior: 4.0, ..FitSettings::default() };
        let fitted = fit(&train, &train, None, &settings, |_, _| true);
        let spreads = fitted.weights.spreads.map(f32::from);
        // Positions have 10 to 39 empties: no ply before 21 or after 50 has any.
        let of_all = spreads[0];
        assert!(of_all > 0.0 && spreads[10] == of_all && spreads[60] == of_all);
        for ply in 21..=50 {
            assert!((0.4..2.5).contains(&(spreads[ply] / of_all)), "ply {ply}: {spreads:?}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_weights() {
        let train = disc_counts(3, 600);
        let settings = FitSettings { epochs: 2, batch: 100, ..FitSettings::default() };
        let run = || fit(&train, &train[..50], None, &settings, |_, _| true).weights;
        assert_eq!(run(), run());
    }
}
