//! How the evaluation learns: positions with scores, where they come from, and the fit.
//!
//! Positions travel in compact files ([`positions`]); [`fit`] turns them into weights. Everything
//! can be interrupted and taken up again.

pub mod fit;
pub mod positions;
