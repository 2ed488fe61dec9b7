//! From positions with targets to weights: the network learns first ([`super::network`]), then the rough
//! value learns what the network says ([`rough`]), because it stands in for the network and nothing
//! else.

use super::network::{Learner, NetworkSettings, Sample};
use super::rough::{self, RoughSettings};
use crate::eval::pattern::Weights;

/// How to fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitSettings {
    /// The network.
    pub network: NetworkSettings,
    /// The rough value.
    pub rough: RoughSettings,
    /// Most positions that the rough value learns from.
    pub rough_positions: usize,
}

impl Default for FitSettings {
    fn default() -> Self {
        FitSettings {
            network: NetworkSettings::default(),
            rough: RoughSettings::default(),
            rough_positions: 6_000_000,
        }
    }
}

/// Errors of the network after one pass, in discs.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Epoch {
    /// From 1.
    pub number: usize,
    /// Root mean square error on the training positions, while they were being learnt.
    pub train_rmse: f64,
    /// On the validation positions, after the pass.
    pub validation_rmse: f64,
}

/// What there is to tell while a fit is under way.
pub enum Progress<'p> {
    /// So many more positions went into the network.
    Seen(usize),
    /// The network ended a pass.
    Pass(&'p Epoch),
    /// The rough value ended a pass.
    RoughPass(usize),
}

/// What came out.
pub struct Fitted {
    /// The weights.
    pub weights: Weights,
    /// The learning curve.
    pub curve: Vec<Epoch>,
    /// Root mean square distance between the network's value and the rough value, in discs.
    pub rough_rmse: f64,
}

/// Fits weights to the training positions, whose order is changed. `report` answers whether to go
/// on; after a no the weights are those learnt so far.
pub fn fit(
    train: &mut [Sample],
    validation: &[Sample],
    settings: &FitSettings,
    mut report: impl FnMut(Progress<'_>) -> bool,
) -> Fitted {
    let mut learner = Learner::new(settings.network, train.len());
    let mut curve = Vec::new();
    let mut go_on = true;
    for number in 1..=settings.network.passes {
        let train_rmse = learner.pass(train, |seen| {
            go_on = report(Progress::Seen(seen));
            go_on
        });
        let epoch = Epoch { number, train_rmse, validation_rmse: learner.rmse(validation) };
        curve.push(epoch);
        go_on = report(Progress::Pass(&epoch)) && go_on;
        if !go_on {
            break;
        }
    }
    let mut lessons = learner.lessons(&train[..train.len().min(settings.rough_positions)]);
    let tests = learner.lessons(validation);
    let rough = rough::fit(&mut lessons, &tests, &settings.rough, |pass| {
        report(Progress::RoughPass(pass)) && go_on
    });
    let (rows, read_outs) = learner.quantised();
    let weights = Weights {
        anchors: rough.anchors,
        constants: rough.constants,
        spreads: rough.spreads,
        rows,
        read_outs,
    };
    Fitted { weights, curve, rough_rmse: rough.rmse }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::discs::Discs;
    use crate::eval::pattern::Pattern;
    use crate::eval::{Evaluator, UNIT};
    use crate::othello::random::random_position;
    use crate::random::seeded;

    fn disc_counts(seed: u64, count: usize) -> Vec<Sample> {
        let mut rng = seeded(seed);
        (0..count)
            .map(|number| {
                let position = random_position(10 + number as u32 % 30, &mut rng);
                Sample { position, target: Discs.evaluate(position) as f32 / UNIT as f32 }
            })
            .collect()
    }

    fn quick() -> FitSettings {
        let mut settings = FitSettings::default();
        settings.network.passes = 6;
        settings.rough.batch = 2000;
        settings
    }

    #[test]
    fn the_fit_learns_to_count_discs_and_the_weights_say_what_it_predicts() {
        let (mut train, validation) = (disc_counts(1, 6000), disc_counts(2, 500));
        let fitted = fit(&mut train, &validation, &quick(), |_| true);
        let last = fitted.curve[fitted.curve.len() - 1];
        let spread = validation.iter().map(|one| one.target * one.target).sum::<f32>() / 500.0;
        assert!(last.validation_rmse < 0.5 * f64::from(spread.sqrt()), "{:?}", fitted.curve);
        // The integer evaluator gives what the fit promised.
        let evaluator = Pattern::new(&fitted.weights);
        let squares: f32 = validation
            .iter()
            .map(|one| (evaluator.evaluate(one.position) as f32 / UNIT as f32 - one.target).powi(2))
            .sum();
        let found = f64::from(squares / 500.0).sqrt();
        assert!((found - last.validation_rmse).abs() < 0.05, "{found} {:?}", last);
        assert!(fitted.rough_rmse < 0.5 * f64::from(spread.sqrt()), "{}", fitted.rough_rmse);
    }

    #[test]
    fn every_ply_has_a_spread_and_that_of_few_positions_is_near_that_of_all() {
        let mut train = disc_counts(4, 2000);
        let validation = train.clone();
        let spreads = fit(&mut train, &validation, &quick(), |_| true).weights.spreads;
        // Positions have 10 to 39 empties: no ply before 21 or after 50 has any.
        let of_all = spreads[0];
        assert!(of_all > 0 && spreads[10] == of_all && spreads[60] == of_all);
        for ply in 21..=50 {
            let ratio = f32::from(spreads[ply]) / f32::from(of_all);
            assert!((0.4..2.5).contains(&ratio), "ply {ply}: {spreads:?}");
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_weights() {
        let run = || {
            let mut train = disc_counts(3, 600);
            let validation = disc_counts(5, 50);
            fit(&mut train, &validation, &quick(), |_| true).weights
        };
        assert_eq!(run(), run());
    }
}
