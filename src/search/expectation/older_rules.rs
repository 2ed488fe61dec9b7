//! The improvements of minimax that the papers compare themselves with, as back-up rules in the
//! same settings: full-width search to a depth, every value of a node made from all its children's.
//!
//! None of them allows alpha-beta cuts, and none uses Monte Carlo.

use super::backup::Backup;
use super::exact::expected_max;
use super::node_counter::NodeCounter;
use super::settings::{ExpectationSettings, Finished, Passes};
use super::tree::{Expansion, Tree};
use crate::search::win_rate::WinRateMap;

/// A rule that makes a node's value from its children's.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum OlderRule {
    /// Rivest's generalised mean M_p at the root side's nodes and M_−p at the opponent's, on values
    /// moved to the positive numbers by [`POSITIVE`] discs.
    GeneralizedMean {
        /// p: great powers approach minimax.
        power: f64,
    },
    /// Slagle and Dixon's M & N procedure: a function of the root side's M best and of the
    /// opponent's N best children. The function here is E with the settings's σ.
    BestFew {
        /// M.
        own: usize,
        /// N.
        opponent: usize,
    },
    /// Product propagation of the chance to win: the mover wins if any child does, all independent.
    Product {
        /// Discs that make the odds e to one.
        scale: f64,
    },
    /// The average of product propagation and minimax, on the chance to win.
    Average {
        /// As for the product.
        scale: f64,
    },
}

/// Discs added before a generalised mean, which needs positive numbers.
pub const POSITIVE: f64 = 65.0;

/// Rivest's generalised mean M_p = (mean of vᵢ^p)^(1/p) of positive numbers; p = 0 is the geometric
/// mean, ±∞ the greatest and the least; NaN-free for positive finite values and any p but NaN.
pub fn generalized_mean(power: f64, values: &[f64]) -> f64 {
    let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let count = values.len() as f64;
    if power == 0.0 {
        return (values.iter().map(|value| value.ln()).sum::<f64>() / count).exp();
    }
    // Relative to the value that dominates, every power is at most 1.
    let leading = if power > 0.0 { greatest } else { least };
    if power.is_infinite() {
        return leading;
    }
    let sum: f64 = values.iter().map(|value| (value / leading).powf(power)).sum();
    leading * (sum / count).powf(1.0 / power)
}

impl OlderRule {
    /// A value in discs on the rule's own scale, mover's view.
    fn scaled(self, discs: f64) -> f64 {
        match self {
            OlderRule::Product { scale } | OlderRule::Average { scale } => {
                WinRateMap::Logistic { scale }.win_rate(discs)
            }
            _ => discs,
        }
    }

    /// Back to discs; certainties become ±64.
    fn to_discs(self, value: f64) -> f64 {
        match self {
            OlderRule::Product { scale } | OlderRule::Average { scale } => {
                WinRateMap::Logistic { scale }.discs(value)
            }
            _ => value,
        }
    }

    /// A value of the other side.
    fn flip(self, value: f64) -> f64 {
        match self {
            OlderRule::Product { .. } | OlderRule::Average { .. } => 1.0 - value,
            _ => -value,
        }
    }

    /// The value of a node from its children's, all in the mover's view and on the rule's scale;
    /// `sigma` is for the rules that use E.
    fn combine(self, values: &mut [f64], is_own: bool, sigma: super::Deviation) -> f64 {
        let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let any = || 1.0 - values.iter().map(|value| 1.0 - value).product::<f64>();
        match self {
            OlderRule::GeneralizedMean { power } => {
                // The opponent's node is a min node in the root side's view.
                let sign = if is_own { 1.0 } else { -1.0 };
                let positive: Vec<f64> = values.iter().map(|v| sign * v + POSITIVE).collect();
                sign * (generalized_mean(sign * power, &positive) - POSITIVE)
            }
            OlderRule::BestFew { own, opponent } => {
                values.sort_by(|a, b| b.total_cmp(a));
                let few = if is_own { own } else { opponent };
                expected_max(sigma, &values[..few.clamp(1, values.len())])
            }
            OlderRule::Product { .. } => any(),
            OlderRule::Average { .. } => 0.5 * (greatest + any()),
        }
    }
}

/// Full-width search with such a rule.
pub struct FullWidth<T: Tree> {
    settings: ExpectationSettings,
    rule: OlderRule,
    line: Vec<T::Action>,
}

impl<T: Tree> FullWidth<T> {
    /// A search with this rule.
    pub fn new(rule: OlderRule, settings: ExpectationSettings) -> FullWidth<T> {
        FullWidth { settings, rule, line: Vec::new() }
    }

    /// The value of a node on the rule's scale for its mover, and its best line.
    fn value(
        &self,
        tree: &T,
        node: &T::Node,
        depth: u32,
        is_own: bool,
        counter: &mut NodeCounter,
    ) -> (f64, Vec<T::Action>) {
        let leaf = |discs| (self.rule.scaled(discs), Vec::new());
        if !counter.spend(1) {
            return leaf(0.0);
        }
        if depth == 0 {
            let exact = (self.settings.finished == Finished::Exact).then(|| tree.final_value(node));
            return leaf(exact.flatten().unwrap_or_else(|| {
                self.settings.spreads.at(tree.stage(node)).mean(tree.evaluate(node))
            }));
        }
        let mut children = Vec::new();
        match tree.expand(node, &mut children) {
            Expansion::Over(score) => match self.settings.finished {
                Finished::Exact => leaf(score),
                Finished::Static => leaf(tree.evaluate(node)),
            },
            Expansion::Pass(action, next) => {
                let depth = if self.settings.passes == Passes::Free { depth } else { depth - 1 };
                let (value, mut line) = self.value(tree, &next, depth, !is_own, counter);
                line.insert(0, action);
                (self.rule.flip(value), line)
            }
            Expansion::Moves => {
                let mut values = Vec::with_capacity(children.len());
                let mut best = (f64::NEG_INFINITY, Vec::new());
                for (action, child) in &children {
                    let (value, mut line) = self.value(tree, child, depth - 1, !is_own, counter);
                    let value = self.rule.flip(value);
                    values.push(value);
                    if value > best.0 {
                        line.insert(0, *action);
                        best = (value, line);
                    }
                }
                let sigma = self.settings.spreads.at(tree.stage(node) + 1).sigma;
                (self.rule.combine(&mut values, is_own, sigma), best.1)
            }
        }
    }
}

impl<T: Tree> Backup<T> for FullWidth<T> {
    fn child_value(
        &mut self,
        tree: &T,
        child: &T::Node,
        depth: u32,
        _floor: f64,
        counter: &mut NodeCounter,
    ) -> f64 {
        let (value, line) = self.value(tree, child, depth, false, counter);
        self.line = line;
        self.rule.to_discs(self.rule.flip(value))
    }

    fn reply_line(&self) -> &[T::Action] {
        &self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::expectation::Deviation;
    use proptest::prelude::*;

    #[test]
    fn generalised_means_are_those_of_table_2() {
        let leaves = [10.0, 21.0, 29.0, 32.0];
        for (power, value) in [
            (-32.0, 10.442738),
            (-1.0, 18.748377),
            (0.0, 21.010763),
            (1.0, 23.0),
            (32.0, 30.683510),
        ] {
            assert!((generalized_mean(power, &leaves) - value).abs() < 1e-6, "{power}");
        }
    }

    #[test]
    fn each_rule_combines_as_its_authors_say() {
        let two = Deviation::new(2.0).unwrap();
        let combine = |rule: OlderRule, values: &[f64], is_own| {
            rule.combine(&mut values.to_vec(), is_own, two)
        };
        let product = OlderRule::Product { scale: 8.0 };
        assert!((combine(product, &[0.5, 0.2], true) - 0.6).abs() < 1e-12);
        let average = OlderRule::Average { scale: 8.0 };
        assert!((combine(average, &[0.5, 0.2], true) - 0.55).abs() < 1e-12);
        let few = OlderRule::BestFew { own: 2, opponent: 1 };
        assert_eq!(combine(few, &[1.0, 9.0, 4.0], true), expected_max(two, &[9.0, 4.0]));
        assert_eq!(combine(few, &[1.0, 9.0, 4.0], false), 9.0);
        let mean = OlderRule::GeneralizedMean { power: 1.0 };
        assert!((combine(mean, &[1.0, 9.0, 5.0], true) - 5.0).abs() < 1e-12);
        // The opponent's harmonic mean, in the root side's view: 65 − 1 and 65 − 9.
        let harmonic = 2.0 / (1.0 / 64.0 + 1.0 / 56.0) - POSITIVE;
        assert!((combine(mean, &[1.0, 9.0], false) + harmonic).abs() < 1e-12);
        for discs in [-30.0, 0.0, 12.5] {
            assert!((product.to_discs(product.scaled(discs)) - discs).abs() < 1e-9);
        }
        assert_eq!((product.to_discs(1.0), product.to_discs(0.0)), (64.0, -64.0));
    }

    proptest! {
        #[test]
        fn generalised_means_lie_between_the_extremes_and_grow_with_p(
            values in prop::collection::vec(1.0..129.0f64, 1..20), low in -900.0..900.0f64, step in 0.0..100.0f64
        ) {
            let (least, greatest) = (generalized_mean(f64::NEG_INFINITY, &values), generalized_mean(f64::INFINITY, &values));
            let (mean, further) = (generalized_mean(low, &values), generalized_mean(low + step, &values));
            prop_assert!(mean >= least - 1e-9 && mean <= greatest + 1e-9);
            prop_assert!(further >= mean - 1e-9);
        }
    }
}
