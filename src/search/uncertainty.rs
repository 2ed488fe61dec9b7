//! How sure a score is, for every method, and the choice of a move by it.
//!
//! A line's *uncertainty* is the standard deviation of its score's error in discs. Proven scores have
//! none. Methods that average games say their standard error themselves. For all others it is the
//! deviation that was measured for their evaluation where the search ends ([`sigma`]), which falls as
//! the search grows deeper, corrected a little by how much the line's own score has moved.
//!
//! With `root-choice=probability` the move is played that is most likely the best of the first
//! [`CHOICE_MOVES`], their errors taken for independent normals. Between two moves that is the one of
//! the higher score; among three it may be one whose score is lower and less sure.

use super::expectation::settings::Spreads;
use super::expectation::sigma;
use super::minimax::probcut::Selectivity;
use super::report::{Bound, Certainty, Event, Line, Outcome};
use super::{Behind, Method, Request, StopFlag};
use crate::eval::EVAL;
use crate::options::{Options, TypedOption};
use crate::othello::{Move, Position};
use crate::statistics::greatest::probabilities_of_being_greatest;

/// How the move is chosen among the lines.
pub static ROOT_CHOICE: TypedOption<String> = TypedOption::choice(
    "root-choice",
    &["best", "probability"],
    "best",
    "The move played: the one of the best score, or the one most likely the best of four, given how \
     uncertain their scores are.",
);

/// Moves among which `root-choice=probability` chooses.
const CHOICE_MOVES: usize = 4;
/// Plies of search that divide the deviation by e. With it the root mean square error against the
/// exact scores of 680 tournament positions of 24 empties (`kitai eval-test WTH_2021.wtb --depth D`)
/// is met within a tenth: 5.7 discs at depth 0, 4.4 at 4, 3.7 at 8, 3.3 at 10.
const SHRINKING_PLIES: f64 = 15.0;
/// Plies between two scores that are compared: both ends of them have the same side to move.
const SWING_PLIES: usize = 2;
/// Swings looked at.
const SWINGS: usize = 3;
/// How many swings the measured deviation weighs as much as. Swings tell little: over 200 positions of
/// hard-25 at depths 8 to 12 the mean square error was 8.3 discs² in the quarter with the smallest
/// and 13.2 in the quarter with the greatest swings.
const MEASURED_WEIGHT: f64 = 10.0;

/// A method whose lines say how sure they are.
pub(super) struct Judged {
    method: Box<dyn Method>,
    judge: Judge,
    by_probability: bool,
}

/// The deviations of an evaluation.
struct Judge {
    /// By moves played at the leaf.
    leaves: Spreads,
}

impl Judged {
    /// The method with the option and the evaluation of these options.
    pub(super) fn new(method: Box<dyn Method>, options: &Options) -> Judged {
        let judge = Judge { leaves: sigma::of_evaluation(&options.get(&EVAL)) };
        Judged { method, judge, by_probability: options.get(&ROOT_CHOICE) == "probability" }
    }
}

/// The scores that the moves had in the last reports, newest last.
#[derive(Default)]
struct Scores {
    steps: Vec<(u32, Vec<(Move, f64)>)>,
}

impl Scores {
    fn add(&mut self, depth: u32, lines: &[Line]) {
        let estimates = lines.iter().filter(|line| line.certainty == Certainty::Estimate);
        let scores = estimates.filter_map(|line| Some((*line.pv.first()?, line.score.discs())));
        let scores = scores.collect();
        match self.steps.last_mut() {
            Some((last, known)) if *last == depth => *known = scores,
            _ => self.steps.push((depth, scores)),
        }
        if self.steps.len() > SWINGS + SWING_PLIES {
            self.steps.remove(0);
        }
    }

    /// How much a move's score changed from step to step of the same parity.
    fn swings(&self, played: Move) -> impl Iterator<Item = f64> + '_ {
        let score = move |step: usize| {
            self.steps[step].1.iter().find(|(known, _)| *known == played).map(|known| known.1)
        };
        (SWING_PLIES..self.steps.len())
            .filter_map(move |step| Some(score(step)? - score(step - SWING_PLIES)?))
    }
}

impl Judge {
    /// The deviation of an estimate by a search of this depth.
    fn measured(&self, position: Position, depth: u32) -> f64 {
        let left = position.empty_count().saturating_sub(depth);
        let leaf = self.leaves.at(60 - left.min(60) as usize).sigma.get();
        leaf * (-f64::from(depth) / SHRINKING_PLIES).exp()
    }

    /// Says how sure the lines are that do not say it themselves.
    fn judge(&self, position: Position, depth: u32, lines: &mut [Line], scores: &Scores) {
        for line in lines {
            line.uncertainty = match line.certainty {
                Certainty::Exact => Some(0.0),
                // A disc is so many deviations, see `Selectivity`.
                Certainty::Probable(percent) => {
                    let level = Selectivity::from_percent(percent.into());
                    Some(level.deviations().map_or(0.0, |deviations| 1.0 / f64::from(deviations)))
                }
                Certainty::Outcome => None,
                Certainty::Estimate => line.uncertainty.or_else(|| {
                    let measured = self.measured(position, depth);
                    Some(moved(measured, line.pv.first().map(|&played| scores.swings(played))))
                }),
            }
            .map(|discs| (discs * 100.0).round() / 100.0);
        }
    }
}

/// The measured deviation, corrected by the line's swings.
fn moved(measured: f64, swings: Option<impl Iterator<Item = f64>>) -> f64 {
    let variance = measured * measured;
    // What two plies take away from the variance is what they add to the score's own.
    let usual = ((2.0 * SWING_PLIES as f64 / SHRINKING_PLIES).exp() - 1.0).max(f64::MIN_POSITIVE);
    let (mut sum, mut weight) = (MEASURED_WEIGHT * variance, MEASURED_WEIGHT);
    for swing in swings.into_iter().flatten() {
        sum += swing * swing / usual;
        weight += 1.0;
    }
    (sum / weight).sqrt()
}

/// The line most likely the best; the first if one of them says nothing of its uncertainty.
fn likeliest(lines: &[Line]) -> usize {
    let number = |line: &Line| Some((line.score.discs(), line.uncertainty?));
    let comparable = lines.iter().all(|line| line.bound == Bound::Exact);
    let Some(numbers) = lines.iter().map(number).collect::<Option<Vec<_>>>() else { return 0 };
    if !comparable {
        return 0;
    }
    let chances = probabilities_of_being_greatest(&numbers);
    // Among equals the first.
    let best = chances.iter().enumerate().rev().max_by(|a, b| a.1.total_cmp(b.1));
    best.map_or(0, |(index, _)| index)
}

impl Method for Judged {
    fn search(
        &mut self,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        let wanted = request.multi_pv.max(1);
        let few = if self.by_probability { CHOICE_MOVES } else { 1 };
        let asked = Request { multi_pv: wanted.max(few), ..request.clone() };
        let (judge, mut scores) = (&self.judge, Scores::default());
        let mut outcome = self.method.search(&asked, stop, &mut |event| {
            let mut event = event.clone();
            scores.add(event.depth, &event.lines);
            event.lines.truncate(wanted);
            judge.judge(request.position, event.depth, &mut event.lines, &scores);
            report(&event);
        });
        judge.judge(request.position, outcome.depth, &mut outcome.lines, &scores);
        if self.by_probability {
            let few = outcome.lines.len().min(CHOICE_MOVES);
            let chosen = likeliest(&outcome.lines[..few]);
            if let Some(part) = outcome.lines.get_mut(..=chosen) {
                part.rotate_right(1);
            }
        }
        outcome.lines.truncate(wanted);
        outcome
    }

    fn behind(&mut self, position: Position, line: &Line, depth: u32) -> Option<Behind> {
        self.method.behind(position, line, depth)
    }

    fn clear(&mut self) {
        self.method.clear();
    }

    fn make_ready(&mut self) {
        self.method.make_ready();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_position, seeded};
    use crate::score::Score;
    use crate::search::{Limits, build, methods};

    fn line(played: &str, discs: f64, uncertainty: Option<f64>) -> Line {
        Line {
            score: Score::from_discs(discs),
            bound: Bound::Exact,
            certainty: Certainty::Estimate,
            pv: vec![played.parse().unwrap()],
            visits: 0,
            uncertainty,
        }
    }

    fn search(settings: &[(&str, &str)], request: &Request) -> (Vec<Event>, Outcome) {
        let mut options = Options::new();
        options.set("eval", "discs").unwrap();
        for (name, value) in settings {
            options.set(name, value).unwrap();
        }
        let mut events = Vec::new();
        let outcome = build(&options).unwrap().search(request, &StopFlag::new(), &mut |event| {
            events.push(event.clone());
        });
        (events, outcome)
    }

    #[test]
    fn every_method_says_how_sure_its_estimates_are_and_that_solved_lines_are_certain() {
        let estimated = random_position(40, &mut seeded(1));
        let solved = random_position(6, &mut seeded(2));
        for name in methods().map(|method| method.name).filter(|name| *name != "dummy") {
            let settings = [("method", name), ("threads", "1")];
            let limits = Limits { depth: Some(2), playouts: Some(200), ..Limits::default() };
            let (events, outcome) = search(&settings, &Request::new(estimated, limits));
            let lines = events.iter().flat_map(|event| &event.lines).chain(&outcome.lines);
            for line in lines.filter(|line| line.certainty == Certainty::Estimate) {
                let found = line.uncertainty.unwrap();
                assert!(found > 0.05 && found < 30.0, "{name}: {found}");
            }
            let (_, outcome) = search(&settings, &Request::new(solved, Limits::solve()));
            for line in outcome.lines.iter().filter(|line| line.certainty == Certainty::Exact) {
                assert_eq!(line.uncertainty, Some(0.0), "{name}");
            }
        }
        let (_, outcome) = search(&[], &Request::new(solved, Limits::solve()));
        assert_eq!(outcome.lines[0].certainty, Certainty::Exact);
    }

    #[test]
    fn deeper_searches_are_surer_and_restless_lines_less_so() {
        let judge = Judge { leaves: sigma::of_evaluation("pattern") };
        let position = random_position(24, &mut seeded(3));
        let deviations: Vec<f64> = [0, 4, 8, 10].map(|d| judge.measured(position, d)).into();
        assert!(deviations.windows(2).all(|pair| pair[0] > pair[1]), "{deviations:?}");
        for (found, measured) in deviations.iter().zip([5.71, 4.36, 3.65, 3.29]) {
            assert!((found / measured - 1.0).abs() < 0.1, "{found} for {measured}");
        }
        let mut scores = Scores::default();
        for (depth, swing) in (1..=8).zip([0.0, 0.0, 6.0].into_iter().cycle()) {
            scores.add(depth, &[line("f5", 1.0, None), line("d6", swing, None)]);
        }
        let mut lines = [line("f5", 1.0, None), line("d6", 0.0, None), line("c3", 0.0, Some(0.5))];
        judge.judge(position, 8, &mut lines, &scores);
        let found = lines.clone().map(|line| line.uncertainty.unwrap());
        assert!(found[0] < judge.measured(position, 8) && found[0] < found[1], "{found:?}");
        assert_eq!(found[2], 0.5, "what a method says itself stays");
    }

    #[test]
    fn the_likeliest_of_three_may_be_less_sure_and_without_figures_the_first_stays() {
        let sure = line("f5", 1.0, Some(0.1));
        let doubtful = [line("d6", 0.9, Some(3.0)), line("c3", 0.8, Some(3.0))];
        assert_eq!(likeliest(&[sure.clone(), doubtful[0].clone()]), 0);
        assert_eq!(likeliest(&[sure.clone(), doubtful[0].clone(), doubtful[1].clone()]), 1);
        assert_eq!(likeliest(&[sure.clone(), doubtful[0].clone(), line("c5", 0.9, None)]), 0);
        assert_eq!(likeliest(&[]), 0);
        let bound = Line { bound: Bound::Upper, ..doubtful[1].clone() };
        assert_eq!(likeliest(&[sure, doubtful[0].clone(), bound]), 0);
    }

    #[test]
    fn the_choice_by_probability_plays_a_legal_move_and_reports_as_many_lines_as_asked() {
        let mut rng = seeded(4);
        for empties in [10, 30, 50] {
            let position = random_position(empties, &mut rng);
            let request = Request::new(position, Limits::depth(3));
            for method in ["minimax", "expectation", "mcts"] {
                let settings = [("root-choice", "probability"), ("method", method)];
                let (events, outcome) = search(&settings, &request);
                assert_eq!(outcome.lines.len(), 1);
                assert!(events.iter().all(|event| event.lines.len() == 1));
                assert!(position.after(outcome.best_move().unwrap()).is_some());
            }
        }
    }
}
