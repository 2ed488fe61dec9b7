//! The papers' experiments and ours, each beside the paper's figures.
//!
//! [`printed`] has the papers' figures, [`verdict`] the one rule by which they are compared with ours,
//! [`outcome`] the form of every result. [`registry`] lists the experiments, [`all`] runs those that
//! have no result yet on a [`mod@bench`], [`report`] makes a page of what there is. Each paper has a room
//! whose experiments also return plain numbers, for `kitai lab NAME` with settings of one's own.

pub mod all;
pub mod bench;
pub mod iida;
pub mod kajihara;
pub mod kitamura;
pub mod kobayashi;
pub mod matches;
pub mod ours;
pub mod outcome;
pub mod printed;
pub mod recognition;
pub mod registry;
pub mod report;
pub mod tebika;
pub mod verdict;
