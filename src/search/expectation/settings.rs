//! The settings that all back-up rules of this room share: how far to trust a static value, how E
//! is computed, what a pass costs and what a finished game is worth.

use super::deviation::Deviation;

/// How the value some plies below a leaf is spread around its static value h, both from the view of
/// the side to move at the leaf: N(slope·h + shift, σ²).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spread {
    /// Factor on h; 1 in the papers.
    pub slope: f64,
    /// Discs that the side to move gains on average; 0 in the papers, which look an even number of
    /// plies ahead.
    pub shift: f64,
    /// σ in discs.
    pub sigma: Deviation,
}

impl Spread {
    /// Around h itself with this deviation, as in the papers.
    pub const fn around(sigma: Deviation) -> Spread {
        Spread { slope: 1.0, shift: 0.0, sigma }
    }

    /// The mean of the deeper value.
    #[inline]
    pub fn mean(&self, static_value: f64) -> f64 {
        self.slope * static_value + self.shift
    }
}

/// Moves played, 0 to 60.
pub const STAGES: usize = 61;

/// The spread by the number of moves played at the leaf.
#[derive(Clone, PartialEq, Debug)]
pub struct Spreads([Spread; STAGES]);

impl Spreads {
    /// The same at every stage.
    pub const fn constant(spread: Spread) -> Spreads {
        Spreads([spread; STAGES])
    }

    /// One for each stage.
    pub const fn by_stage(spreads: [Spread; STAGES]) -> Spreads {
        Spreads(spreads)
    }

    /// The spread of a leaf after so many moves.
    #[inline]
    pub fn at(&self, stage: usize) -> &Spread {
        &self.0[stage.min(STAGES - 1)]
    }

    /// The greatest σ of all stages.
    pub fn widest(&self) -> Deviation {
        self.0
            .iter()
            .map(|spread| spread.sigma)
            .fold(Deviation::ZERO, |a, b| if b > a { b } else { a })
    }

    /// Whether the mean is h itself at every stage.
    pub fn is_centred(&self) -> bool {
        self.0.iter().all(|spread| spread.slope == 1.0 && spread.shift == 0.0)
    }
}

/// Whether a forced pass uses up a ply of the search depth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Passes {
    /// It does not: depth counts discs placed (the reading that reproduces the 2002 tables).
    Free,
    /// It counts like a move.
    Ply,
}

/// What a finished game met in the search is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Finished {
    /// Its final score, certain.
    Exact,
    /// Its static value, spread like any other leaf (as the papers do).
    Static,
}

/// The settings of a search.
#[derive(Clone, PartialEq, Debug)]
pub struct ExpectationSettings {
    /// How far to trust static values.
    pub spreads: Spreads,
    /// Tuples of the Monte Carlo estimate of E; 0 computes it exactly.
    pub samples: usize,
    /// Seed of the estimates: with it, an estimate depends on its position alone.
    pub seed: u64,
    /// What a pass costs.
    pub passes: Passes,
    /// What a finished game is worth.
    pub finished: Finished,
}

impl ExpectationSettings {
    /// Exact E with one σ, free passes, finished games exact.
    pub fn with_sigma(sigma: Deviation) -> ExpectationSettings {
        ExpectationSettings {
            spreads: Spreads::constant(Spread::around(sigma)),
            samples: 0,
            seed: 0,
            passes: Passes::Free,
            finished: Finished::Exact,
        }
    }

    /// The same settings for plain minimax on static values.
    pub fn without_spread(&self) -> ExpectationSettings {
        ExpectationSettings {
            spreads: Spreads::constant(Spread::around(Deviation::ZERO)),
            ..self.clone()
        }
    }
}
