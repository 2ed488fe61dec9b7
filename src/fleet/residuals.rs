//! Whose results or speeds stand out: every worker against all the others.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::wire::Name;
use crate::statistics::Moments;

/// Results this many standard errors from those of the others stand out.
const FAR: f64 = 4.0;
/// So does a speed this many times lower or higher than the others' middle one.
const APART: f64 = 3.0;
/// Jobs before a worker is judged.
const ENOUGH: f64 = 20.0;

/// What a job says about the worker that did it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measure {
    /// How much work it was: moves, plies, positions, nodes.
    pub amount: f64,
    /// A figure that should not depend on who did it, such as the first player's score.
    pub figure: Option<f64>,
}

/// One worker's part of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Residual {
    /// Who.
    pub worker: Name,
    /// Jobs counted.
    pub jobs: u64,
    /// Reports refused.
    pub refused: u64,
    /// Work per second of a slot.
    pub speed: f64,
    /// The same as a share of the others' middle speed; 1 without others.
    pub speed_ratio: f64,
    /// Mean figure of its jobs.
    pub figure: Option<f64>,
    /// How many standard errors that is from the mean of the others.
    pub deviation: Option<f64>,
    /// Whether it stands out.
    pub stands_out: bool,
}

#[derive(Clone, Debug, Default)]
struct Part {
    figures: Moments,
    amount: f64,
    seconds: f64,
    jobs: u64,
    refused: u64,
}

/// All workers of a run.
#[derive(Clone, Debug, Default)]
pub struct Residuals {
    parts: BTreeMap<Name, Part>,
}

impl Residuals {
    /// Counts a job that was taken.
    pub fn count(&mut self, worker: &Name, seconds: f64, measure: Measure) {
        let part = self.parts.entry(worker.clone()).or_default();
        part.jobs += 1;
        part.amount += measure.amount;
        part.seconds += seconds;
        if let Some(figure) = measure.figure {
            part.figures.add(figure);
        }
    }

    /// Counts a report that was refused, and says how many there were.
    pub fn refuse(&mut self, worker: &Name) -> u64 {
        let part = self.parts.entry(worker.clone()).or_default();
        part.refused += 1;
        part.refused
    }

    /// Every worker against the others.
    pub fn table(&self) -> Vec<Residual> {
        self.parts.keys().map(|worker| self.residual(worker)).collect()
    }

    fn residual(&self, worker: &Name) -> Residual {
        let part = &self.parts[worker];
        let others = || self.parts.iter().filter(|(name, _)| *name != worker).map(|(_, part)| part);
        let mut speeds: Vec<f64> = others().filter(|part| part.jobs > 0).map(Part::speed).collect();
        speeds.sort_by(f64::total_cmp);
        let middle = speeds.get(speeds.len() / 2).copied().filter(|speed| *speed > 0.0);
        let speed_ratio = middle.map_or(1.0, |middle| part.speed() / middle);
        let others: Vec<&Moments> = others().map(|part| &part.figures).collect();
        let deviation = deviation(&part.figures, others, self.spread());
        let judged = part.jobs as f64 >= ENOUGH;
        let apart = !(1.0 / APART..=APART).contains(&speed_ratio);
        Residual {
            worker: worker.clone(),
            jobs: part.jobs,
            refused: part.refused,
            speed: part.speed(),
            speed_ratio,
            figure: (part.figures.count > 0.0).then(|| part.figures.mean()),
            deviation,
            stands_out: part.refused > 0
                || judged && (apart || deviation.is_some_and(|far| far.abs() > FAR)),
        }
    }
}

impl Residuals {
    /// Variance of the figures within a worker, over all workers.
    fn spread(&self) -> f64 {
        let count: f64 = self.parts.values().map(|part| part.figures.count).sum();
        let sum: f64 =
            self.parts.values().map(|part| part.figures.count * part.figures.variance()).sum();
        sum / count.max(1.0)
    }
}

impl Part {
    fn speed(&self) -> f64 {
        self.amount / self.seconds.max(1e-9)
    }
}

/// How far a worker's mean is from the middle one of the others', in standard errors; `None` if
/// there is too little to say. The middle one, because another's lies must not count against it.
fn deviation(one: &Moments, mut others: Vec<&Moments>, spread: f64) -> Option<f64> {
    others.retain(|other| other.count >= 2.0);
    others.sort_by(|a, b| a.mean().total_cmp(&b.mean()));
    let middle = others.get(others.len() / 2).filter(|_| one.count >= 2.0)?;
    let error = (spread * (1.0 / one.count + 1.0 / middle.count)).sqrt();
    (error > 0.0).then(|| (one.mean() - middle.mean()) / error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::seeded;
    use rand::Rng;

    fn name(text: &str) -> Name {
        text.parse().unwrap()
    }

    #[test]
    fn liars_and_laggards_stand_out_and_others_do_not() {
        let mut rng = seeded(3);
        let mut residuals = Residuals::default();
        for _ in 0..200 {
            for (worker, seconds, always) in
                [("a", 1.0, None), ("b", 1.2, None), ("liar", 1.0, Some(1.0)), ("slow", 9.0, None)]
            {
                let figure = Some(always.unwrap_or_else(|| rng.random::<f64>()));
                residuals.count(&name(worker), seconds, Measure { amount: 60.0, figure });
            }
        }
        let table = residuals.table();
        let out: Vec<_> =
            table.iter().filter(|one| one.stands_out).map(|one| one.worker.as_str()).collect();
        assert_eq!(out, ["liar", "slow"], "{table:?}");
        residuals.refuse(&name("b"));
        assert!(residuals.table()[1].stands_out);
    }

    #[test]
    fn a_worker_alone_is_compared_with_nobody() {
        let mut residuals = Residuals::default();
        for figure in 0..100 {
            let figure = Some(f64::from(figure));
            residuals.count(&name("a"), 2.0, Measure { amount: 10.0, figure });
        }
        let [one] = &residuals.table()[..] else { panic!("one worker") };
        assert_eq!((one.speed, one.speed_ratio, one.deviation), (5.0, 1.0, None));
        assert!(!one.stands_out);
    }
}
