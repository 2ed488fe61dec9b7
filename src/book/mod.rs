//! What is known about openings: positions with values that a search found and games confirmed.

mod openings;

pub use openings::{opening_name, position_name};
