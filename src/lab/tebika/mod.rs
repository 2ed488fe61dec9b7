//! The experiments of Tebika, Koide and Kobayashi, *A Game Tree Search by Expected-Value Method*.
//!
//! - [`trees`]: the virtual game trees and the games on them; [`om`]: OM search on the same trees;
//! - [`variances`]: how uncertain Othello's static values are;
//! - [`tables`]: the printed tables and the readings beside them.

pub mod om;
pub mod tables;
pub mod trees;
pub mod variances;
