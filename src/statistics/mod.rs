//! The arithmetic of experiments, in small parts that know nothing of engines: one Φ, one class of
//! moments, intervals and tests.
//!
//! Games of a match are played in pairs, one opening with both colours, and the two games of a pair
//! are not independent; so whatever is said about matches counts *pairs* with their five possible
//! scores ([`Pairs`], the pentanomial) and takes its variance from them.

pub mod accuracy;
pub mod elo;
pub mod greatest;
pub mod moments;
pub mod normal;
pub mod pairs;
pub mod paper;
pub mod ratings;
pub mod significance;
pub mod sprt;

pub use accuracy::Accuracy;
pub use elo::EloEstimate;
pub use moments::{MeanEstimate, Moments};
pub use pairs::Pairs;
pub use significance::Test;
pub use sprt::{Decision, Sprt};
