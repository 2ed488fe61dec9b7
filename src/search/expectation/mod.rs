//! The expectation method and its relatives.
//!
//! A static value h is an unreliable guess of what a deeper search would say; Kobayashi et al.
//! (2002) model that deeper value as N(h, σ²) and give the parent of the leaves the *mean of the
//! maximum* of its children's normals instead of the maximum of their means: many good moves are
//! worth more than one. Tebika et al. had the same idea before, against an opponent who knows only
//! static values.
//!
//! Read in this order:
//!
//! - [`exact`], [`grid`], [`sampled`]: E(σ²; h₁…h_k), exactly and as the papers estimate it;
//! - [`settings`], [`sigma`], [`deviation`]: what all searches share, and where σ comes from;
//! - [`tree`]: what they walk on — Othello with an incremental evaluation, or any game;
//! - [`alpha_beta`]: the 2002 search; [`opponent_model`]: the expected-value search;
//!   [`older_rules`]: generalised means, M & N, product and average propagation;
//! - [`backup`], [`deepening`], [`node_counter`], [`table`]: iterative deepening, the same for all;
//! - [`method`]: options in, lines out; [`normals`]: what to show behind a value.

pub mod alpha_beta;
pub mod backup;
pub mod deepening;
#[cfg(test)]
mod definition;
pub mod deviation;
pub mod exact;
pub mod grid;
pub mod method;
pub mod node_counter;
mod normals;
pub mod older_rules;
pub mod opponent_model;
pub mod sampled;
pub mod settings;
pub mod sigma;
pub mod table;
pub mod tree;

#[cfg(test)]
mod tests;

pub(super) use method::METHODS;

pub use deviation::{BadDeviation, Deviation};
pub use exact::{expected_max, expected_max_of_two, expected_min};
