//! The fit of the rough value: pattern sums that come nearest to the network's values.
//!
//! This is least squares with one unknown per canonical content, anchor and shape. Batches give the
//! gradient; each weight's step is divided by how often a batch meets it plus a prior
//! ([`RoughSettings::prior`]), so that rare contents move little on little evidence, and a ridge draws
//! all weights toward zero. Momentum and a rate that falls to almost nothing do the rest. A batch is
//! predicted in parallel by position and its gradient gathered in parallel by shape, so the result
//! does not depend on the number of threads.

use rand::seq::SliceRandom;
use rayon::prelude::*;

use super::network::Sample;
use crate::eval::UNIT;
use crate::eval::geometry::Geometry;
use crate::eval::linear::{PLIES, ply_of};
use crate::eval::pattern::{self, ANCHORS, anchors_around};
use crate::eval::reach;
use crate::random::seeded;

/// Contents per position.
const LANES: usize = pattern::SHAPE_LANES + reach::ROUGH_LANES;

/// Room for the anchors of one content: a cache line of floats.
const ROW: usize = 16;
const _: () = assert!(ANCHORS.len() <= ROW);

/// See [`Fitted::spreads`].
const SPREAD_PRIOR: f64 = 20.0;

/// How to fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoughSettings {
    /// Passes over the positions.
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
    /// Order of the positions.
    pub seed: u64,
}

/// Found by trial on tournament games (see `weights.md`).
impl Default for RoughSettings {
    fn default() -> Self {
        RoughSettings {
            epochs: 6,
            batch: 1 << 15,
            rate: 0.01,
            momentum: 0.9,
            ridge: 10.0,
            prior: 20.0,
            seed: 1,
        }
    }
}

/// What came out, in units of the weights file.
pub struct Fitted {
    /// See [`pattern::Weights::anchors`].
    pub anchors: Vec<Vec<i16>>,
    /// See [`pattern::Weights::constants`].
    pub constants: [i16; PLIES],
    /// Root mean square distance to the targets at each ply. That of all positions counts as
    /// [`SPREAD_PRIOR`] positions of each ply, so that a few do not decide.
    pub spreads: [i16; PLIES],
    /// Root mean square distance to the targets, in discs.
    pub rmse: f64,
}

/// A position as the fit sees it.
struct Encoded {
    /// Canonical content of each lane, numbered within its shape.
    contents: [u16; LANES],
    ply: usize,
    anchor: usize,
    /// Share of the anchor after `anchor`; there always is one unless this is 0.
    share: f32,
    /// In discs.
    target: f32,
}

/// Where the contents stand, table by table as [`pattern::rough_packings`] has them.
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
        for ((_, contents), count) in
            pattern::rough_packings().iter().zip(of_shapes.chain(of_reach))
        {
            lanes.push(lane..lane + count);
            begins.push(begin);
            lane += count;
            begin += contents;
        }
        assert!(lane <= LANES);
        Features { geometry, lanes, begins }
    }

    fn encode(&self, sample: &Sample) -> Encoded {
        let shapes = self.geometry.indices(sample.position);
        let indices = shapes.0[..self.geometry.lanes()].iter().copied();
        let mut indices = indices.chain(reach::indices(sample.position));
        let mut contents = [0; LANES];
        for ((packing, _), lanes) in pattern::rough_packings().iter().zip(&self.lanes) {
            for (content, index) in contents[lanes.clone()].iter_mut().zip(&mut indices) {
                *content = packing[usize::from(index)] as u16;
            }
        }
        let ply = ply_of(sample.position);
        let (anchor, after, share) = anchors_around(ply);
        debug_assert!(share == 0.0 || after == anchor + 1);
        Encoded { contents, ply, anchor, share, target: sample.target }
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
    fn new() -> Model {
        let features = Features::new();
        let size = pattern::weights::weights_per_anchor() * ROW;
        Model {
            features,
            weights: vec![0.0; size],
            velocity: vec![0.0; size],
            gradient: vec![0.0; size],
            evidence: vec![0.0; size],
            constants: [0.0; PLIES],
            constant_velocity: [0.0; PLIES],
            constant_evidence: [0.0; PLIES],
        }
    }

    /// Target minus value.
    fn error(&self, row: &Encoded) -> f32 {
        let after = (row.anchor + 1).min(ROW - 1);
        let mut sum = self.constants[row.ply];
        for (begin, lanes) in self.features.begins.iter().zip(&self.features.lanes) {
            for &content in &row.contents[lanes.clone()] {
                let weights = &self.weights[(begin + usize::from(content)) * ROW..][..ROW];
                sum += weights[row.anchor] * (1.0 - row.share) + weights[after] * row.share;
            }
        }
        row.target - sum.clamp(-64.0, 64.0)
    }

    /// Adds `amount(row number)` times the share of the anchor to some power to the gradient of every
    /// weight that each row uses.
    fn gather(&mut self, rows: &[Encoded], power: i32, amount: impl Fn(usize) -> f32 + Sync) {
        let mut slices = Vec::new();
        let mut rest = &mut self.gradient[..];
        for (&(_, count), lanes) in pattern::rough_packings().iter().zip(&self.features.lanes) {
            let (slice, after) = rest.split_at_mut(count * ROW);
            slices.push((slice, lanes.clone()));
            rest = after;
        }
        slices.into_par_iter().for_each(|(slice, lanes)| {
            for (number, row) in rows.iter().enumerate() {
                let amount = amount(number);
                let before = amount * (1.0 - row.share).powi(power);
                let after = amount * row.share.powi(power);
                for &content in &row.contents[lanes.clone()] {
                    let anchors = &mut slice[usize::from(content) * ROW..][..ROW];
                    anchors[row.anchor] += before;
                    if row.share > 0.0 {
                        anchors[row.anchor + 1] += after;
                    }
                }
            }
        });
    }

    /// Counts how often a batch meets each weight.
    fn weigh_evidence(&mut self, samples: &[Sample], settings: &RoughSettings) {
        for chunk in samples.chunks(settings.batch) {
            let rows: Vec<Encoded> =
                chunk.par_iter().map(|one| self.features.encode(one)).collect();
            self.gather(&rows, 2, |_| 1.0);
            for row in &rows {
                self.constant_evidence[row.ply] += 1.0;
            }
        }
        let per_batch = settings.batch as f32 / samples.len().max(1) as f32;
        for (evidence, gathered) in self.evidence.iter_mut().zip(&mut self.gradient) {
            *evidence = *gathered * per_batch + settings.prior;
            *gathered = 0.0;
        }
        for evidence in &mut self.constant_evidence {
            *evidence = *evidence * per_batch + settings.prior;
        }
    }

    /// One step.
    fn step(&mut self, batch: &[Sample], rate: f32, ridge: f32, momentum: f32) {
        let rows: Vec<Encoded> = batch.par_iter().map(|one| self.features.encode(one)).collect();
        let errors: Vec<f32> = rows.par_iter().map(|row| self.error(row)).collect();
        self.gather(&rows, 1, |number| errors[number]);
        let mut constant_gradient = [0.0; PLIES];
        for (row, error) in rows.iter().zip(&errors) {
            constant_gradient[row.ply] += error;
        }
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
    }

    /// The weights, with the distances to the targets of these positions.
    fn fitted(&self, samples: &[Sample]) -> Fitted {
        let unit = |discs: f32| {
            (discs * UNIT as f32).round().clamp(f32::from(i16::MIN), f32::from(i16::MAX)) as i16
        };
        let anchor = |number: usize| {
            self.weights.iter().skip(number).step_by(ROW).map(|&weight| unit(weight)).collect()
        };
        let distances: Vec<(usize, f64)> = samples
            .par_iter()
            .map(|one| {
                let row = self.features.encode(one);
                (row.ply, f64::from(self.error(&row)).powi(2))
            })
            .collect();
        let of_all =
            distances.iter().map(|(_, square)| square).sum::<f64>() / distances.len().max(1) as f64;
        let mut sums = [(SPREAD_PRIOR * of_all, SPREAD_PRIOR); PLIES];
        for (ply, square) in distances {
            sums[ply].0 += square;
            sums[ply].1 += 1.0;
        }
        Fitted {
            anchors: (0..ANCHORS.len()).map(anchor).collect(),
            constants: self.constants.map(unit),
            spreads: sums.map(|(squares, count)| unit((squares / count).sqrt() as f32)),
            rmse: of_all.sqrt(),
        }
    }
}

/// Fits the rough value to the targets of `train`, and measures its distance on `validation`.
/// `report` is told when a pass has ended and answers whether to go on.
pub fn fit(
    train: &mut [Sample],
    validation: &[Sample],
    settings: &RoughSettings,
    mut report: impl FnMut(usize) -> bool,
) -> Fitted {
    let mut model = Model::new();
    model.weigh_evidence(train, settings);
    let mut rng = seeded(settings.seed);
    let ridge = settings.ridge * settings.batch as f32 / train.len().max(1) as f32;
    let steps = train.len().div_ceil(settings.batch).max(1);
    for number in 0..settings.epochs {
        train.shuffle(&mut rng);
        for (step, batch) in train.chunks(settings.batch).enumerate() {
            let done = (number as f32 + step as f32 / steps as f32) / settings.epochs.max(1) as f32;
            let fall = 0.5 * (1.0 + (std::f32::consts::PI * done).cos());
            model.step(batch, settings.rate * (0.02 + 0.98 * fall), ridge, settings.momentum);
        }
        if !report(number + 1) {
            break;
        }
    }
    model.fitted(validation)
}
