//! ProbCut: do not search deep what a shallow search already settles.
//!
//! A search to depth `D` is, in the long run, a search to depth `d` plus normal noise. If the
//! shallow result clears the window by `t` deviations of that noise, the deep one almost surely
//! would too, and the node is cut. `t` is the confidence level ([`Selectivity`]).
//!
//! The noise model is fitted from our own search by `kitai probcut`; its constants stand in
//! [`super::parameters`].

use super::parameters::{
    PROBCUT_END_SIGMA, PROBCUT_MARGIN_SHARE, PROBCUT_MID_SIGMA, PROBCUT_MIN_DEPTH,
    PROBCUT_MIN_DEPTH_END, PROBCUT_SHARE_END,
};
use crate::eval::UNIT;

/// A confidence level of forward pruning, least sure first; [`Selectivity::NONE`] prunes nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Selectivity(pub u8);

/// Per level: how many deviations a cut must clear, and the confidence in per cent.
const LEVELS: [(f32, u8); 6] = [(0.5, 38), (1.1, 73), (1.5, 87), (2.0, 95), (2.6, 98), (3.3, 99)];

impl Selectivity {
    /// No forward pruning: results are certain.
    pub const NONE: Selectivity = Selectivity(LEVELS.len() as u8);
    /// What the midgame is searched with unless told otherwise.
    pub const MIDGAME: Selectivity = Selectivity(1);

    /// The level with at least this confidence in per cent.
    pub fn from_percent(percent: u32) -> Selectivity {
        let level = LEVELS.iter().position(|level| u32::from(level.1) >= percent);
        Selectivity(level.unwrap_or(LEVELS.len()) as u8)
    }

    /// Confidence in per cent: 100 for no pruning.
    pub fn percent(self) -> u8 {
        LEVELS.get(usize::from(self.0)).map_or(100, |level| level.1)
    }

    /// How many deviations of noise a cut must clear; `None` if nothing is cut.
    pub fn deviations(self) -> Option<f32> {
        LEVELS.get(usize::from(self.0)).map(|level| level.0)
    }
}

/// A shallow search that may stand for a deep one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Depth of the shallow search.
    pub depth: u32,
    /// How far beyond the window its result must lie, in evaluation units.
    pub margin: i32,
    /// Deviation of the static evaluation from the deep result, in evaluation units.
    pub static_deviation: i32,
}

/// Coefficients of the deviation of `deep − shallow`, in discs:
/// `exp(c0 + c1·empties + c2·deep + c3·shallow + c4·empties²/100)`.
pub type SigmaModel = [f32; 5];

/// Deviation in discs under a model.
pub fn sigma(model: &SigmaModel, empties: u32, deep: u32, shallow: u32) -> f32 {
    let [constant, by_empties, by_deep, by_shallow, by_square] = *model;
    let e = empties as f32;
    (constant
        + by_empties * e
        + by_deep * deep as f32
        + by_shallow * shallow as f32
        + by_square * e * e / 100.0)
        .exp()
}

/// The shallow search to try at this node, if any.
pub fn probe(selectivity: Selectivity, empties: u32, depth: u32) -> Option<Probe> {
    let deviations = selectivity.deviations()?;
    let solving = depth >= empties;
    let (model, share, shallow) = if solving {
        if depth < PROBCUT_MIN_DEPTH_END {
            return None;
        }
        (&PROBCUT_END_SIGMA, 1.0, (depth as f32 * PROBCUT_SHARE_END) as u32 & !1)
    } else {
        if depth < PROBCUT_MIN_DEPTH {
            return None;
        }
        // About half the depth, same parity, so that both end with the same side to move.
        (&PROBCUT_MID_SIGMA, PROBCUT_MARGIN_SHARE, (depth / 4) * 2 + (depth & 1))
    };
    if shallow >= depth {
        return None;
    }
    let unit = share * UNIT as f32;
    Some(Probe {
        depth: shallow,
        margin: (deviations * sigma(model, empties, depth, shallow) * unit).ceil() as i32,
        static_deviation: (sigma(model, empties, depth, 0) * unit).ceil() as i32,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise_and_the_last_is_certain() {
        assert_eq!(Selectivity::from_percent(0), Selectivity(0));
        assert_eq!(Selectivity::from_percent(73), Selectivity::MIDGAME);
        assert_eq!(Selectivity::from_percent(90), Selectivity(3));
        assert_eq!(Selectivity::from_percent(100), Selectivity::NONE);
        assert_eq!(Selectivity::NONE.percent(), 100);
        assert_eq!(Selectivity::NONE.deviations(), None);
        for level in 0..Selectivity::NONE.0 - 1 {
            assert!(Selectivity(level).deviations() < Selectivity(level + 1).deviations());
        }
    }

    #[test]
    fn probes_are_shallower_keep_parity_and_widen_with_confidence() {
        for empties in 12..=50 {
            for depth in 1..=empties {
                let Some(loose) = probe(Selectivity(0), empties, depth) else { continue };
                let strict = probe(Selectivity(Selectivity::NONE.0 - 1), empties, depth).unwrap();
                assert!(loose.depth < depth && loose.margin > 0);
                assert!(strict.margin > loose.margin);
                if depth < empties {
                    assert_eq!(loose.depth % 2, depth % 2);
                }
            }
        }
        assert_eq!(probe(Selectivity::NONE, 30, 10), None);
    }
}
