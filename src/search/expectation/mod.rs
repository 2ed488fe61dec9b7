//! The expectation method and its relatives.
//!
//! A static value h is an unreliable guess of what a deeper search would say; Kobayashi et al.
//! (2002) model that deeper value as N(h, σ²) and give the parent of the leaves the *mean of the
//! maximum* of its children's normals instead of the maximum of their means: many good moves are
//! worth more than one.

pub mod alpha_beta;
pub mod backup;
pub mod budget;
pub mod deepening;
#[cfg(test)]
mod definition;
pub mod deviation;
pub mod exact;
pub mod frame;
pub mod method;
pub mod normal;
pub mod opponent_model;
pub mod relatives;
pub mod sampled;
pub mod sigma;
pub mod table;
pub mod tree;

#[cfg(test)]
mod tests;

pub use deviation::{BadDeviation, Deviation};
pub use exact::{expected_max, expected_max_of_two, expected_min};
