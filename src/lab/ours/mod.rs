//! Questions of our own that the papers raise.
//!
//! - [`view`]: does the evaluation in UCB1 help little, as the 2017 paper finds, or was it the view?
//! - [`correlated_errors`]: how uncertain should the expectation method take its leaves to be?
//! - [`round_robin`]: which idea for whom: all methods at equal time;
//! - [`disagreements`]: where methods choose differently, the solver says who is right.

pub mod correlated_errors;
pub mod disagreements;
pub mod round_robin;
pub mod view;
