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
    /// Moves of a parent on average, each counted with its leaves but one, as in σ.
    pub moves: f64,
    /// Deviation of a leaf's error in all.
    pub total: f64,
    /// Share of the error's variance that siblings have in common.
    pub correlation: f64,
    /// Mean rise of the expected maximum over the maximum.
    pub rise: f64,
    /// Leaves that were looked at.
    pub leaves: usize,
}

/// Parents alike in something that tells positions of one stage apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Group {
    /// What tells them apart, its mean over the group.
    pub mean: f64,
    /// σ as a multiple of that of the stage.
    pub ratio: f64,
    /// Leaves that were looked at.
    pub leaves: usize,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// By stage.
    pub stages: Vec<Siblings>,
    /// With which power of the number of moves σ goes within a stage.
    pub exponent: f64,
    /// Quarters of the parents of each stage by their number of moves, from the fewest on.
    pub by_moves: Vec<Group>,
    /// The same by how far the leaves lie apart: the deviation of their values, in discs.
    pub by_spread: Vec<Group>,
    /// The same by the number of replies the opponent would have if it were to move.
    pub by_opponent: Vec<Group>,
}

/// Groups that the parents of a stage are divided into.
const GROUPS: usize = 4;

/// The leaves of one parent, from its mover's view.
#[derive(Clone, Debug, PartialEq)]
struct Family {
    /// Moves that the opponent would have at the parent.
    opponent: u32,
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
) -> Result<Measured, OptionError> {
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
            Ok(summary(empties, &families).map(|stage| (stage, families)))
        })
        .collect();
    let found: Vec<(Siblings, Vec<Family>)> = found?.into_iter().flatten().collect();
    let spread =
        |family: &Family| (squares(&family.values) / (family.values.len() - 1) as f64).sqrt();
    let by_moves = groups(&found, |family| family.values.len() as f64);
    Ok(Measured {
        exponent: exponent(&by_moves),
        by_moves,
        by_spread: groups(&found, spread),
        by_opponent: groups(&found, |family| f64::from(family.opponent)),
        stages: found.into_iter().map(|(stage, _)| stage).collect(),
    })
}

/// The power of the feature with which σ goes: the slope of a line through the groups' logarithms.
fn exponent(groups: &[Group]) -> f64 {
    let points: Vec<(f64, f64)> =
        groups.iter().map(|group| (group.mean.ln(), group.ratio.ln())).collect();
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0, y + point.1));
    let (x, y) = (x / count, y / count);
    let slope = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>();
    slope / points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>().max(f64::MIN_POSITIVE)
}

/// The sum of squared distances from the mean.
fn squares(numbers: &[f64]) -> f64 {
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    numbers.iter().map(|number| (number - mean).powi(2)).sum()
}

/// How σ depends on a feature within the stages: the families of each are put in order of it and
/// divided into equal groups, and the groups of all stages are taken together.
fn groups(stages: &[(Siblings, Vec<Family>)], feature: impl Fn(&Family) -> f64) -> Vec<Group> {
    #[derive(Clone, Copy, Default)]
    struct Sums {
        feature: f64,
        families: usize,
        leaves: usize,
        squares: f64,
        expected: f64,
    }
    let mut sums = [Sums::default(); GROUPS];
    for (stage, families) in stages {
        let mut order: Vec<&Family> = families.iter().collect();
        order.sort_by(|a, b| feature(a).total_cmp(&feature(b)));
        for (place, family) in order.iter().enumerate() {
            let sums = &mut sums[place * GROUPS / order.len()];
            sums.feature += feature(family);
            sums.families += 1;
            sums.leaves += family.errors.len();
            sums.squares += squares(&family.errors);
            sums.expected += (family.errors.len() - 1) as f64 * stage.sigma.powi(2);
        }
    }
    let filled = sums.iter().filter(|sums| sums.families > 0);
    filled
        .map(|sums| Group {
            mean: sums.feature / sums.families as f64,
            ratio: (sums.squares / sums.expected.max(f64::MIN_POSITIVE)).sqrt(),
            leaves: sums.leaves,
        })
        .collect()
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
    let opponent = parent.pass().legal_moves().count();
    let mut family = Family { opponent, values: Vec::new(), errors: Vec::new() };
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
    let moves = |family: &Family| (family.errors.len() * (family.errors.len() - 1)) as f64;
    let within = families.iter().map(|family| squares(&family.errors)).sum::<f64>() / shared as f64;
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
        moves: families.iter().map(moves).sum::<f64>() / shared as f64,
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
                Family { opponent: 0, values, errors }
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
    fn groups_tell_how_sigma_depends_on_a_feature_within_its_stage() {
        let mut rng = seeded(6);
        let mut normal = |deviation: f64| Normal::new(0.0, deviation).unwrap().sample(&mut rng);
        let families: Vec<Family> = (0..4000)
            .map(|number| {
                let opponent = number % 4;
                let errors = (0..8).map(|_| normal(1.0 + f64::from(opponent))).collect();
                Family { opponent, values: vec![0.0; 8], errors }
            })
            .collect();
        let stage = summary(30, &families).unwrap();
        // Deviations 1, 2, 3, 4: their mean square is 7.5.
        let found = groups(&[(stage, families)], |family| f64::from(family.opponent));
        for (number, group) in found.iter().enumerate() {
            assert_eq!(group.mean, number as f64);
            let expected = (number + 1) as f64 / 7.5f64.sqrt();
            assert!((group.ratio - expected).abs() < 0.05, "{found:?}");
        }
        let group = |mean: f64| Group { mean, ratio: 3.0 / mean.sqrt(), leaves: 1 };
        assert!((exponent(&[2.0, 5.0, 8.0, 13.0].map(group)) + 0.5).abs() < 1e-9);
    }

    #[test]
    fn families_are_those_of_the_seed_and_a_stop_ends_the_work() {
        let mut options = Options::new();
        options.set("eval", "mobility").unwrap();
        let plan = SiblingPlan { parents: 6, ahead: 2, seed: 3 };
        let stop = StopFlag::new();
        let once = measure(&plan, &[20, 30], &options, &stop, &|| {}).unwrap();
        assert_eq!(once, measure(&plan, &[20, 30], &options, &stop, &|| {}).unwrap());
        assert_eq!(once.stages.len(), 2);
        assert!(once.stages.iter().all(|stage| stage.sigma > 0.0 && stage.correlation < 1.0));
        stop.stop();
        assert_eq!(measure(&plan, &[20], &options, &stop, &|| {}).unwrap().stages, []);
    }
}
