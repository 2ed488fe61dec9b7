//! Measuring the search as it is: the numbers that a new evaluation changes.
//!
//! [`probcut`] samples how shallow searches differ from deep ones and [`probcut_fit`] fits the noise
//! model of forward pruning to that; [`spread`] measures how far deeper values stray from static
//! ones, which is what the expectation methods need, and [`sigma_run`] makes a table of that;
//! [`siblings`] tells which part of it the leaves below one position share.

pub mod probcut;
pub mod probcut_fit;
pub mod siblings;
pub mod sigma_run;
pub mod spread;
