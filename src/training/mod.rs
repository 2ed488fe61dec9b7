//! How the evaluation learns: positions with scores, where they come from, and the fit.
//!
//! [`sources`] chooses positions from games, [`scorer`] says what they are worth, [`label`] and
//! [`selfplay`] do that for many and keep them in compact files ([`positions`], [`games`]),
//! [`collection`] reads what a fit learns from, [`fit`] turns it into weights of the [`network`] and
//! of its [`rough`] stand-in; [`calibration`] fits what the search assumes about its errors. Making
//! positions can be interrupted and taken up again; an interrupted fit keeps what it has learnt, but
//! begins anew.

pub mod beginnings;
mod bits;
pub mod calibration;
mod coding;
pub mod collection;
pub mod curve;
pub mod fit;
pub mod games;
pub mod label;
pub mod network;
pub mod positions;
pub mod recorded;
pub mod rough;
pub mod scorer;
pub mod selfplay;
pub mod sources;
pub mod upgrade;

use crate::record::append::Resumed;

/// How far self-play or labelling has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// What the output already held; told once, first.
    Resumed(Resumed),
    /// So many games or positions are done.
    Done(u64),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::pattern::{Pattern, Weights};
    use crate::eval::{Evaluator, UNIT};
    use crate::options::Options;
    use crate::search::StopFlag;

    fn rmse(evaluator: &dyn Evaluator, scored: &[positions::Scored]) -> f64 {
        let mut accuracy = crate::statistics::Accuracy::default();
        for one in scored {
            let discs = |units: i32| f64::from(units) / f64::from(UNIT);
            accuracy.add(discs(evaluator.evaluate(one.position)), discs(one.score.into()));
        }
        accuracy.summary().rmse
    }

    #[test]
    fn self_play_labels_and_fit_on_a_tiny_budget_lower_the_validation_error() {
        let folder = std::env::temp_dir().join(format!("kitai-{}-pipeline", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let stop = StopFlag::new();
        let mut options = Options::new();
        options.set("hash", "1").unwrap();
        options.set("eval", "mobility").unwrap();
        // Play, …
        let games = folder.join("games.kpos");
        let play = selfplay::SelfPlaySettings {
            options: options.clone(),
            games: 300,
            depth: 1,
            exact_from: 8,
            opening: 6..=20,
            beginnings: None,
            balance: 64.0,
            strays: 0.05,
            exact_strays: 0.0,
            seed: 3,
        };
        assert_eq!(selfplay::selfplay(&games, &play, &stop, |_| {}).unwrap(), 300);
        // … score anew and deeper, taking the work up once in between, …
        let selection = sources::Selection { empties: 5..=40, share: 0.7, strays: 0.1, seed: 2 };
        let found = sources::candidates(&[games], &selection).unwrap();
        let deeper = folder.join("deeper.kpos");
        let settings = label::LabelSettings {
            options: options.clone(),
            depth: 2,
            exact_from: 8,
            keep_results: false,
        };
        let new_game = |&index: &usize| found[index].game != found[index - 1].game;
        let half = (found.len() / 2..).find(new_game).unwrap();
        label::label(&found[..half], &deeper, &settings, &stop, |_| {}).unwrap();
        let count = label::label(&found, &deeper, &settings, &stop, |_| {}).unwrap();
        assert_eq!(count as usize, found.len());
        assert!(label::label(&found[..half], &deeper, &settings, &stop, |_| {}).is_err());
        // … fit, …
        let (train, validation): (Vec<_>, Vec<_>) =
            positions::read(&deeper).unwrap().into_iter().partition(|one| one.game % 5 != 0);
        let [mut samples, tests] = [&train, &validation].map(|part| network::targets(part, 0.0));
        let fitted = fit::fit(&mut samples, &tests, &fit::FitSettings::default(), |_| true);
        // … and play with the result from a file.
        let file = folder.join("weights.bin");
        std::fs::write(&file, fitted.weights.to_bytes()).unwrap();
        options.set("eval", "pattern").unwrap();
        options.set("weights", &file.to_string_lossy()).unwrap();
        let learnt = rmse(&*crate::eval::build(&options).unwrap(), &validation);
        let zero = rmse(&Pattern::new(&Weights::zero()), &validation);
        assert!(learnt < 0.8 * zero, "{learnt} after learning, {zero} before");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
