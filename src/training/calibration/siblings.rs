//! How much of their errors sibling leaves share, for `backup=expectation` of minimax.
//!
//! The error of a leaf is how far a deeper value strays from its static one. Part of it is common to
//! all leaves of one parent: it moves them together and makes no maximum grow. Only what is left,
//! the deviation *within* the parents, is the σ of an expected maximum. Parents are what a search
//! meets: positions of played games a few random moves on.

use rayon::prelude::*;
use serde::Serialize;

use super::probcut::played_position;
use crate::eval::{self, Evaluator, UNIT};
use crate::options::{OptionError, Options};
use crate::othello::Position;
use crate::othello::random::random_move;
use crate::random::{Random, seeded_part};
use crate::search::expectation::{Deviation, expected_max};
use crate::search::minimax::expected::mean_rise;
use crate::search::minimax::{HASH, SELECTIVITY};
use crate::search::{Limits, METHOD, Method, Request, StopFlag, build};

/// Random moves between a played position and the parent of leaves.
const RANDOM_PLIES: u32 = 3;

/// What to measure.
#[derive(Clone, Copy, Debug)]
pub struct SiblingPlan {
    /// Parents of each stage.
    pub parents: u32,
    /// How many plies below a leaf the deeper value is.
    pub ahead: u32,
    /// Seed of the games.
    pub seed: u64,
}

/// What siblings are like at one stage; in discs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Siblings {
    /// Empty squares at the parents.
    pub empties: u32,
    /// Deviation of a leaf's error that its siblings do not share, σ.
    pub sigma: f64,
    /// How far the leaves of a parent lie apart, as the rise of their expected maximum says, δ.
    pub spread: f64,
    /// Deviation of a leaf's error in all.
    pub total: f64,
    /// Share of the error's variance that siblings have in common.
    pub correlation: f64,
    /// Mean rise of the expected maximum over the maximum.
    pub rise: f64,
    /// Leaves that were looked at.
    pub leaves: usize,
}

/// The leaves of one parent, from its mover's view.
#[derive(Clone, Debug, PartialEq)]
struct Family {
    values: Vec<f64>,
    errors: Vec<f64>,
}

/// Measures stages of so many empty squares at the parents with minimax and the evaluation of the
/// options; those finished before a stop. `progress` is told of every parent.
///
/// # Errors
/// If the options make no search.
pub fn measure(
    plan: &SiblingPlan,
    stages: &[u32],
    options: &Options,
    stop: &StopFlag,
    progress: &(dyn Fn() + Sync),
) -> Result<Vec<Siblings>, OptionError> {
    let mut options = options.clone();
    options.put(&METHOD, "minimax".to_owned())?;
    options.put(&SELECTIVITY, 100)?;
    // Emptied before every search.
    options.put(&HASH, 1)?;
    let evaluator = eval::build(&options)?;
    let found: Result<Vec<_>, OptionError> = stages
        .par_iter()
        .map(|&empties| {
            let mut method = build(&options)?;
            let mut families = Vec::new();
            for index in 0..plan.parents {
                let part = u64::from(empties) << 32 | u64::from(index);
                let mut rng = seeded_part(plan.seed, part);
                let family = family(method.as_mut(), &*evaluator, plan, empties, &mut rng, stop);
                if stop.is_stopped() {
                    return Ok(None);
                }
                families.extend(family);
                progress();
            }
            Ok(summary(empties, &families))
        })
        .collect();
    Ok(found?.into_iter().flatten().collect())
}

/// The leaves of a parent; `None` if it has fewer than two, or the game ended on the way.
fn family(
    method: &mut dyn Method,
    evaluator: &dyn Evaluator,
    plan: &SiblingPlan,
    empties: u32,
    rng: &mut Random,
    stop: &StopFlag,
) -> Option<Family> {
    let mut parent = played_position(method, (empties + RANDOM_PLIES).min(60), rng, stop);
    while parent.empty_count() > empties || parent.must_pass() {
        parent = parent.after(random_move(parent, rng)?)?;
    }
    let children: Vec<Position> = parent.children().map(|(_, child)| child).collect();
    if children.len() < 2 || !parent.has_move() {
        return None;
    }
    // Every search stands alone: what the table knows of deeper searches is another depth.
    let mut family = Family { values: Vec::new(), errors: Vec::new() };
    for child in children.into_iter().filter(|child| !child.is_over()) {
        let value = -f64::from(evaluator.evaluate(child)) / f64::from(UNIT);
        method.clear();
        let request = Request::new(child, Limits::depth(plan.ahead));
        let deeper = -method.search(&request, stop, &mut |_| {}).score().discs();
        family.values.push(value);
        family.errors.push(deeper - value);
    }
    (family.values.len() >= 2).then_some(family)
}

fn summary(empties: u32, families: &[Family]) -> Option<Siblings> {
    let leaves: usize = families.iter().map(|family| family.errors.len()).sum();
    let shared = leaves.checked_sub(families.len()).filter(|&free| free > 0)?;
    let all = || families.iter().flat_map(|family| &family.errors);
    let mean = all().sum::<f64>() / leaves as f64;
    let total = all().map(|error| (error - mean).powi(2)).sum::<f64>() / (leaves - 1) as f64;
    let within = families.iter().map(|family| {
        let mean = family.errors.iter().sum::<f64>() / family.errors.len() as f64;
        family.errors.iter().map(|error| (error - mean).powi(2)).sum::<f64>()
    });
    let within = within.sum::<f64>() / shared as f64;
    let sigma = within.sqrt();
    let rises = families.iter().map(|family| {
        let best = family.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        expected_max(Deviation::clamped(sigma), &family.values) - best
    });
    let rise = rises.sum::<f64>() / families.len() as f64;
    Some(Siblings {
        empties,
        sigma,
        spread: spread(families, sigma, rise),
        total: total.sqrt(),
        correlation: 1.0 - within / total.max(f64::MIN_POSITIVE),
        rise,
        leaves,
    })
}

/// The δ with which the formula rises as much as the families do, by halving.
fn spread(families: &[Family], sigma: f64, rise: f64) -> f64 {
    let formula = |spread: f64| {
        let rises = families.iter().map(|family| mean_rise(family.values.len(), sigma, spread));
        rises.sum::<f64>() / families.len() as f64
    };
    let (mut low, mut high) = (0.0, 64.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if formula(middle) > rise { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::seeded;
    use rand_distr::{Distribution, Normal};

    #[test]
    fn what_siblings_share_is_told_from_what_they_do_not() {
        let mut rng = seeded(5);
        let mut normal = |deviation: f64| Normal::new(0.0, deviation).unwrap().sample(&mut rng);
        let families: Vec<Family> = (0..4000)
            .map(|_| {
                let common = normal(3.0);
                let values: Vec<f64> = (0..8).map(|_| normal(2.5)).collect();
                let errors = values.iter().map(|_| common + normal(1.5)).collect();
                Family { values, errors }
            })
            .collect();
        let found = summary(30, &families).unwrap();
        assert!((found.sigma - 1.5).abs() < 0.03, "{found:?}");
        assert!((found.total - 3.0f64.hypot(1.5)).abs() < 0.1, "{found:?}");
        assert!((found.correlation - 0.8).abs() < 0.02, "{found:?}");
        // Leaves that are normal rise as the formula says.
        assert!((found.spread - 2.5).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn families_are_those_of_the_seed_and_a_stop_ends_the_work() {
        let mut options = Options::new();
        options.set("eval", "mobility").unwrap();
        let plan = SiblingPlan { parents: 6, ahead: 2, seed: 3 };
        let stop = StopFlag::new();
        let once = measure(&plan, &[20, 30], &options, &stop, &|| {}).unwrap();
        assert_eq!(once, measure(&plan, &[20, 30], &options, &stop, &|| {}).unwrap());
        assert!(once.iter().all(|stage| stage.sigma > 0.0 && stage.correlation < 1.0));
        stop.stop();
        assert_eq!(measure(&plan, &[20], &options, &stop, &|| {}).unwrap(), []);
    }
}
