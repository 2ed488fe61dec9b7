//! Questions of our own that the papers raise.
//!
//! - [`view`]: does the evaluation in UCB1 help little, as the 2017 paper finds, or was it the view?
//! - [`round_robin`]: which idea for whom: all methods at equal time;
//! - [`disagreements`]: where methods choose differently, the solver says who is right.

pub mod disagreements;
pub mod round_robin;
pub mod view;
