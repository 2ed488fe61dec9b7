//! Engine against engine: matches and tournaments whose results can be trusted.
pub mod stats;
