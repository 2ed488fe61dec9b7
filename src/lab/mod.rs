//! The papers' experiments, each printing the paper's table beside ours.
//!
//! Everything here is a library of experiments that return plain numbers; `kitai lab`
//! reads the files, shows progress and prints. Published figures stand as constants
//! or data files beside the experiment they belong to, with the number of their table.

pub mod iida;
pub mod kajihara;
pub mod kitamura;
pub mod kobayashi;
pub mod recognition;
