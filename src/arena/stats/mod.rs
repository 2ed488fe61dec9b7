//! The arithmetic of matches: how sure a result is, in small parts that know nothing of engines.
//!
//! Games are played in pairs, one opening with both colours, and the two games of a pair are not
//! independent; so everything here counts *pairs* with their five possible scores
//! ([`Pairs`], the pentanomial) and takes its variance from them.

pub mod elo;
pub mod moments;
pub mod normal;
pub mod pairs;
pub mod paper;
pub mod ratings;
pub mod sprt;

pub use elo::EloEstimate;
pub use moments::MeanEstimate;
pub use pairs::Pairs;
pub use sprt::{Decision, Sprt};
