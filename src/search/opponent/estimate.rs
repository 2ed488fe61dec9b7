//! Who is the opponent? A posterior over a family of players, from the moves they made.
//!
//! The family: minimax with each evaluation, each depth and each softness, and the semi-random
//! players that know only finished games (P_0 plays at random). After a move the weight of each
//! hypothesis is multiplied by the probability it gave to that move. A hypothesis that chooses its
//! best moves only is allowed a slip now and then ([`SLIP`]): engines differ in details that no
//! family knows of, such as which of two equal moves they try first.
//!
//! Moves are valued once for every evaluation and depth and serve all its softnesses. Up to two plies
//! that is quick enough to be done while playing (`kitai bench opponent`); what deeper models say can
//! be added later ([`Estimate::observe_quickly`], [`Estimate::deeper`]), until then each is taken to
//! say what the deepest quick model of the same evaluation says.

use std::fmt;

use super::forced::{GameEnds, LookAhead};
use super::om::minimax;
use crate::eval::{Evaluation, with_evaluator};
use crate::game::{Othello, Side, othello::OthelloState};
use crate::othello::{Move, Position};
use crate::search::expectation::backup::Backup;
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::expectation::table::Table;
use crate::search::expectation::tree::OthelloTree;
use crate::search::{Limits, StopFlag};

/// How often a player does something that its hypothesis does not explain.
const SLIP: f64 = 0.05;
/// Softnesses considered, discs.
pub const SOFTNESSES: [f64; 3] = [0.0, 1.0, 4.0];
/// Look-aheads of semi-random players considered, plies.
pub const SEMI_RANDOM_DEPTHS: [u32; 2] = [0, 2];
/// Bytes of the table for valuing one position.
const TABLE_BYTES: usize = 1 << 16;

/// A player of the family.
#[derive(Clone, Debug, PartialEq)]
pub enum Hypothesis {
    /// Minimax.
    Minimax {
        /// Which of the evaluations that the estimate was given.
        evaluation: usize,
        /// Plies.
        depth: u32,
        /// Discs, see [`crate::search::opponent::om::MinimaxModel`].
        softness: f64,
    },
    /// P_d with game ends only.
    SemiRandom {
        /// d, plies.
        depth: u32,
    },
}

/// An evaluation that a player may have.
#[derive(Clone)]
pub struct Suspect {
    /// Its name in the registry.
    pub name: &'static str,
    /// The evaluation.
    pub evaluation: Evaluation,
}

/// The posterior.
#[derive(Clone)]
pub struct Estimate {
    suspects: Vec<Suspect>,
    most_depth: u32,
    hypotheses: Vec<Hypothesis>,
    /// Logarithms of the weights, not normalised.
    weights: Vec<f64>,
    /// Moves observed.
    pub moves: u32,
}

impl Estimate {
    /// Nothing observed yet. Every evaluation is as likely as every other and as semi-random play.
    pub fn new(suspects: Vec<Suspect>, most_depth: u32) -> Estimate {
        let mut hypotheses = Vec::new();
        for evaluation in 0..suspects.len() {
            for depth in 1..=most_depth {
                for softness in SOFTNESSES {
                    hypotheses.push(Hypothesis::Minimax { evaluation, depth, softness });
                }
            }
        }
        let each = hypotheses.len() as f64 / suspects.len().max(1) as f64;
        let mut weights = vec![-each.ln(); hypotheses.len()];
        for depth in SEMI_RANDOM_DEPTHS {
            hypotheses.push(Hypothesis::SemiRandom { depth });
            weights.push(-(SEMI_RANDOM_DEPTHS.len() as f64).ln());
        }
        Estimate { suspects, most_depth, hypotheses, weights, moves: 0 }
    }

    /// Takes account of a move; passes and only moves say nothing.
    pub fn observe(&mut self, position: Position, played: Move) {
        self.observe_quickly(position, played, self.most_depth);
    }

    /// The same, asking only models of up to `quick` plies; whether the move says anything.
    pub fn observe_quickly(&mut self, position: Position, played: Move, quick: u32) -> bool {
        let actions: Vec<Move> = position.legal_moves().into_iter().map(Move::Place).collect();
        let Some(place) = actions.iter().position(|action| *action == played) else {
            return false;
        };
        if actions.len() < 2 {
            return false;
        }
        self.moves += 1;
        let mut likelihoods = Vec::with_capacity(self.hypotheses.len());
        for suspect in &self.suspects {
            let mut soft = [1.0; SOFTNESSES.len()];
            for depth in 1..=self.most_depth {
                if depth <= quick.max(1) {
                    soft = by_softness(suspect, position, depth, place);
                }
                likelihoods.extend(soft);
            }
        }
        let state = OthelloState { position, player: Side::First };
        let stop = StopFlag::new();
        for depth in SEMI_RANDOM_DEPTHS {
            let mut counter = NodeCounter::new(&Limits::default(), &stop);
            let mut look = LookAhead::new(&Othello, GameEnds);
            let list = look.semi_random(&state, depth, &mut counter).actions;
            let share = if list.contains(&played) { 1.0 / list.len() as f64 } else { 0.0 };
            likelihoods.push(with_slips(share, actions.len()));
        }
        for (weight, likelihood) in self.weights.iter_mut().zip(likelihoods) {
            *weight += likelihood.ln();
        }
        true
    }

    /// What the models deeper than `quick` plies say of a move beyond what they were taken to say:
    /// the logarithm of the factor of every hypothesis. For moves that say anything.
    pub fn deeper(&self, position: Position, played: Move, quick: u32) -> Correction {
        let quick = quick.max(1);
        let mut squares = position.legal_moves().into_iter();
        let place = squares.position(|square| Move::Place(square) == played).unwrap_or(0);
        let mut factors = vec![0.0; self.hypotheses.len()];
        let row = SOFTNESSES.len();
        for (index, suspect) in self.suspects.iter().enumerate() {
            if quick >= self.most_depth {
                continue;
            }
            let taken = by_softness(suspect, position, quick, place);
            for depth in quick + 1..=self.most_depth {
                let first = (index * self.most_depth as usize + depth as usize - 1) * row;
                let soft = by_softness(suspect, position, depth, place);
                let places = &mut factors[first..first + row];
                for ((factor, own), taken) in places.iter_mut().zip(soft).zip(taken) {
                    *factor = own.ln() - taken.ln();
                }
            }
        }
        Correction(factors)
    }

    /// Adds what the deeper models say of an observed move.
    pub fn correct(&mut self, correction: &Correction) {
        for (weight, factor) in self.weights.iter_mut().zip(&correction.0) {
            *weight += factor;
        }
    }

    /// The greatest depth of the family, plies.
    pub fn most_depth(&self) -> u32 {
        self.most_depth
    }

    /// The likeliest player in words, with its probability.
    pub fn summary(&self) -> String {
        let best = self.posterior().first().map(|(hypothesis, share)| {
            format!("{} {:.0} %", self.describe(hypothesis), 100.0 * share)
        });
        format!("{} after {} moves", best.unwrap_or_default(), self.moves)
    }

    /// Every hypothesis with its probability, the likeliest first.
    pub fn posterior(&self) -> Vec<(&Hypothesis, f64)> {
        let most = self.weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let shares = self.weights.iter().map(|weight| (weight - most).exp());
        let sum: f64 = shares.clone().sum();
        let mut posterior: Vec<_> =
            self.hypotheses.iter().zip(shares.map(|share| share / sum)).collect();
        posterior.sort_by(|a, b| b.1.total_cmp(&a.1));
        posterior
    }

    /// The name and probability of each evaluation, and of `random` for semi-random play, the
    /// likeliest first.
    pub fn by_evaluation(&self) -> Vec<(&'static str, f64)> {
        self.grouped(|hypothesis| self.name(hypothesis))
    }

    /// The same for each evaluation and depth.
    pub fn by_evaluation_and_depth(&self) -> Vec<((&'static str, u32), f64)> {
        self.grouped(|hypothesis| (self.name(hypothesis), depth(hypothesis)))
    }

    fn grouped<K: PartialEq>(&self, key: impl Fn(&Hypothesis) -> K) -> Vec<(K, f64)> {
        let mut groups: Vec<(K, f64)> = Vec::new();
        for (hypothesis, share) in self.posterior() {
            let key = key(hypothesis);
            match groups.iter_mut().find(|(known, _)| *known == key) {
                Some((_, sum)) => *sum += share,
                None => groups.push((key, share)),
            }
        }
        groups.sort_by(|a, b| b.1.total_cmp(&a.1));
        groups
    }

    fn name(&self, hypothesis: &Hypothesis) -> &'static str {
        match hypothesis {
            Hypothesis::Minimax { evaluation, .. } => self.suspects[*evaluation].name,
            Hypothesis::SemiRandom { .. } => "random",
        }
    }

    /// The evaluation that a hypothesis is about.
    pub fn suspect(&self, evaluation: usize) -> &Suspect {
        &self.suspects[evaluation]
    }

    /// A hypothesis in words.
    pub fn describe(&self, hypothesis: &Hypothesis) -> String {
        match hypothesis {
            Hypothesis::Minimax { depth, softness, .. } => {
                format!("{} depth {depth} softness {softness}", self.name(hypothesis))
            }
            Hypothesis::SemiRandom { depth: 0 } => "random".to_owned(),
            Hypothesis::SemiRandom { depth } => format!("semi-random {depth}"),
        }
    }
}

impl fmt::Debug for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary())
    }
}

/// What deeper models say of one move, see [`Estimate::deeper`].
#[derive(Clone, Debug, PartialEq)]
pub struct Correction(Vec<f64>);

/// How likely the move at `place` is for a player of this evaluation and depth, by softness.
fn by_softness(
    suspect: &Suspect,
    position: Position,
    depth: u32,
    place: usize,
) -> [f64; SOFTNESSES.len()] {
    let values = values(suspect, position, depth);
    SOFTNESSES.map(|softness| likelihood(&values, place, softness))
}

fn depth(hypothesis: &Hypothesis) -> u32 {
    match hypothesis {
        Hypothesis::Minimax { depth, .. } | Hypothesis::SemiRandom { depth } => *depth,
    }
}

/// The value of every legal move in discs, mover's view.
fn values(suspect: &Suspect, position: Position, depth: u32) -> Vec<f64> {
    let stop = StopFlag::new();
    let mut counter = NodeCounter::new(&Limits::default(), &stop);
    with_evaluator!(&suspect.evaluation, |evaluation| {
        let tree = OthelloTree { evaluation };
        let mut search = minimax(Table::new(TABLE_BYTES).unwrap_or_else(|_| Table::tiny()));
        let children = tree.children(&tree.root(position), position.legal_moves());
        let value = |(_, child)| {
            search.child_value(&tree, &child, depth - 1, f64::NEG_INFINITY, &mut counter)
        };
        children.into_iter().map(value).collect()
    })
}

/// How likely the move at `place` is for a player who values the moves so.
fn likelihood(values: &[f64], place: usize, softness: f64) -> f64 {
    /// Differences smaller than this are equal to a player who rounds: a hundredth of a disc.
    const EQUAL: f64 = 0.01;
    let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weight = |value: &f64| {
        if softness > 0.0 {
            ((value - best) / softness).exp()
        } else {
            f64::from(best - value < EQUAL)
        }
    };
    let sum: f64 = values.iter().map(weight).sum();
    with_slips(weight(&values[place]) / sum, values.len())
}

fn with_slips(share: f64, moves: usize) -> f64 {
    (1.0 - SLIP) * share + SLIP / moves as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval;
    use crate::options::Options;
    use crate::othello::random::{random_move, random_position, seeded};
    use crate::search::{Request, build};

    fn suspects() -> Vec<Suspect> {
        ["discs", "mobility"]
            .map(|name| {
                let evaluation = eval::registry::by_name(name, &Options::new()).unwrap();
                Suspect { name, evaluation }
            })
            .to_vec()
    }

    #[test]
    fn a_known_player_is_recognised_by_its_moves() {
        for (name, depth) in [("discs", 1), ("discs", 2), ("mobility", 1), ("mobility", 2)] {
            let mut options = Options::new();
            for (option, value) in [("eval", name), ("hash", "1")] {
                options.set(option, value).unwrap();
            }
            let mut method = build(&options).unwrap();
            let mut estimate = Estimate::new(suspects(), 2);
            let mut rng = seeded(51);
            for index in 0..25 {
                let position = random_position(50 - index, &mut rng);
                let request = Request::new(position, Limits::depth(depth));
                let outcome = method.search(&request, &StopFlag::new(), &mut |_| ());
                estimate.observe(position, outcome.best_move().unwrap());
            }
            let ((found, plies), share) = estimate.by_evaluation_and_depth()[0];
            assert_eq!((found, plies), (name, depth), "{estimate:?}");
            assert!(share > 0.9, "{estimate:?}");
        }
    }

    #[test]
    fn a_random_player_is_recognised() {
        let mut estimate = Estimate::new(suspects(), 2);
        let mut rng = seeded(52);
        for index in 0..25 {
            let position = random_position(50 - index, &mut rng);
            let played = random_move(position, &mut rng).unwrap();
            estimate.observe(position, played);
        }
        assert_eq!(estimate.by_evaluation()[0].0, "random", "{estimate:?}");
    }

    #[test]
    fn quick_models_first_and_deeper_ones_later_come_to_the_same() {
        let (mut at_once, mut later) = (Estimate::new(suspects(), 3), Estimate::new(suspects(), 3));
        let mut rng = seeded(53);
        let mut corrections = Vec::new();
        for index in 0..12 {
            let position = random_position(44 - index, &mut rng);
            let played = random_move(position, &mut rng).unwrap();
            at_once.observe(position, played);
            if later.observe_quickly(position, played, 1) {
                corrections.push(later.deeper(position, played, 1));
            }
        }
        // Until the deeper models have spoken, each depth of an evaluation is as likely as the first.
        assert_ne!(at_once.summary(), later.summary());
        corrections.iter().rev().for_each(|correction| later.correct(correction));
        for ((hypothesis, share), (other, its)) in at_once.posterior().iter().zip(later.posterior())
        {
            assert_eq!(*hypothesis, other);
            assert!((share - its).abs() < 1e-9);
        }
    }

    #[test]
    fn the_probabilities_sum_to_one_and_begin_equal_for_all_evaluations() {
        let estimate = Estimate::new(suspects(), 3);
        let shares = estimate.by_evaluation();
        assert_eq!(shares.len(), 3);
        assert!(shares.iter().all(|(_, share)| (share - 1.0 / 3.0).abs() < 1e-12), "{shares:?}");
        let sum: f64 = estimate.posterior().iter().map(|(_, share)| share).sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }
}
