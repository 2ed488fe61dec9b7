//! The papers' definitions, transcribed literally over any [`Game`]: the slow twins of the searches.
//!
//! Everything is in the view of the side to move at the root, with max and min nodes as the papers
//! write them; nothing is cut, ordered or remembered.

use super::deviation::Deviation;
use super::exact::{expected_max, expected_max_with_certain};
use super::sampled::Tuples;
use super::settings::{ExpectationSettings, Finished, Passes};
use crate::game::{Game, Side};
use crate::random::Random;

/// A game, its static values (mover's view), settings, and who is max.
pub(super) struct Definition<'a, G: Game> {
    pub game: &'a G,
    pub evaluate: &'a dyn Fn(&G::State) -> f64,
    pub stage: &'a dyn Fn(&G::State) -> usize,
    pub estimates: &'a dyn Fn(&G::State) -> Random,
    pub settings: ExpectationSettings,
    pub root: Side,
}

/// g and K of the expected-value paper.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Pair {
    pub g: f64,
    pub k: f64,
}

impl<G: Game> Definition<'_, G> {
    fn sign(&self, state: &G::State) -> f64 {
        if self.game.to_move(state) == self.root { 1.0 } else { -1.0 }
    }

    fn is_certain(&self, state: &G::State) -> bool {
        self.settings.finished == Finished::Exact && self.game.terminal_value(state).is_some()
    }

    /// The static value, or the certain one of a finished game.
    fn static_value(&self, state: &G::State) -> f64 {
        let own = match self.game.terminal_value(state) {
            Some(value) if self.settings.finished == Finished::Exact => value,
            _ => (self.evaluate)(state),
        };
        self.sign(state) * own
    }

    /// The mean of the deeper value of a leaf.
    fn leaf(&self, state: &G::State) -> f64 {
        if self.is_certain(state) {
            return self.static_value(state);
        }
        let spread = self.settings.spreads.at((self.stage)(state));
        self.sign(state) * spread.mean((self.evaluate)(state))
    }

    fn children(&self, state: &G::State) -> Vec<G::State> {
        let actions = self.game.actions(state);
        actions.into_iter().map(|action| self.game.apply(state, action)).collect()
    }

    fn is_pass(&self, state: &G::State) -> bool {
        let actions = self.game.actions(state);
        actions.len() == 1 && self.game.is_pass(actions[0])
    }

    fn is_free_pass(&self, state: &G::State) -> bool {
        self.settings.passes == Passes::Free && self.is_pass(state)
    }

    /// E(σ²; children) at a max node, its mirror image at a min node.
    fn expectation(&self, state: &G::State) -> f64 {
        let sign = self.sign(state);
        let children = self.children(state);
        if self.is_pass(state) {
            // No choice, nothing to take the best of.
            return self.leaf(&children[0]);
        }
        let sigma: Deviation = self.settings.spreads.at((self.stage)(state) + 1).sigma;
        let values = |certain: bool| -> Vec<f64> {
            let chosen = children.iter().filter(|child| self.is_certain(child) == certain);
            chosen.map(|child| sign * self.leaf(child)).collect()
        };
        let (certain, uncertain) = (values(true), values(false));
        let best = certain.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if self.settings.samples > 0 && sigma.get() > 0.0 {
            let mut tuples = Tuples::new(self.settings.samples);
            let mut rng = (self.estimates)(state);
            for leaf in uncertain {
                tuples.add(sigma, leaf, &mut rng);
            }
            tuples.raise(best);
            return sign * tuples.mean();
        }
        sign * if certain.is_empty() {
            expected_max(sigma, &uncertain)
        } else {
            expected_max_with_certain(sigma, &uncertain, best)
        }
    }

    /// K of the 2002 paper.
    pub(super) fn expectation_value(&self, state: &G::State, depth: u32) -> f64 {
        if depth == 0 {
            return self.leaf(state);
        }
        if self.game.terminal_value(state).is_some() {
            return self.static_value(state);
        }
        if self.is_free_pass(state) {
            return self.expectation_value(&self.children(state)[0], depth);
        }
        if depth == 1 {
            return self.expectation(state);
        }
        let children = self.children(state);
        let values = children.iter().map(|child| self.expectation_value(child, depth - 1));
        if self.sign(state) > 0.0 {
            values.fold(f64::NEG_INFINITY, f64::max)
        } else {
            values.fold(f64::INFINITY, f64::min)
        }
    }

    /// g and K of the expected-value paper.
    pub(super) fn opponent_model_value(&self, state: &G::State, depth: u32) -> Pair {
        if depth == 0 {
            return Pair { g: self.static_value(state), k: self.leaf(state) };
        }
        if self.game.terminal_value(state).is_some() {
            return Pair { g: self.static_value(state), k: self.static_value(state) };
        }
        if self.is_free_pass(state) {
            return self.opponent_model_value(&self.children(state)[0], depth);
        }
        let children = self.children(state);
        let pairs: Vec<Pair> =
            children.iter().map(|child| self.opponent_model_value(child, depth - 1)).collect();
        let greatest = |value: fn(&Pair) -> f64| pairs.iter().map(value).fold(f64::MIN, f64::max);
        let least = pairs.iter().map(|pair| pair.g).fold(f64::MAX, f64::min);
        let is_max = self.sign(state) > 0.0;
        let g = if is_max { greatest(|pair| pair.g) } else { least };
        let k = if depth == 1 {
            self.expectation(state)
        } else if is_max {
            greatest(|pair| pair.k)
        } else {
            pairs.iter().find(|pair| pair.g == least).unwrap().k
        };
        Pair { g, k }
    }
}
