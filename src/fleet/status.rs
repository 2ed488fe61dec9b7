//! What workers and coordinators say about themselves every few seconds.

use serde::{Deserialize, Serialize};

use super::residuals::Residual;
use super::wire::{Name, RunId};

/// Seconds between two statuses.
pub const EVERY: u64 = 2;
/// The largest status that is read, bytes.
pub const LARGEST_STATUS: usize = 64 << 10;

/// A worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerStatus {
    /// Its name.
    pub name: Name,
    /// Version of Kitai.
    pub version: String,
    /// Node count of `kitai bench`: equal for equal searches; absent if it was not run.
    pub signature: Option<u64>,
    /// Speed of that suite on one thread.
    pub nodes_per_second: Option<f64>,
    /// Cores of the machine.
    pub cores: usize,
    /// Jobs it does at once.
    pub slots: usize,
    /// Instruction set of the kernels.
    pub kernels: String,
    /// External engines it has.
    pub engines: Vec<Name>,
    /// What it is doing.
    pub running: Vec<Running>,
    /// Jobs done since it started.
    pub done: u64,
    /// Jobs that failed.
    pub failed: u64,
    /// Messages that were no jobs it would do.
    pub refused: u64,
    /// Jobs given back unfinished.
    pub given_back: u64,
    /// Time its slots were at work.
    pub busy_seconds: f64,
    /// Time since it started.
    pub uptime: f64,
    /// Whether it takes no more jobs because it is to end.
    pub draining: bool,
    /// Whether it takes no jobs because it was excluded.
    pub excluded: bool,
}

/// Jobs of one run that a worker is doing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Running {
    /// Whose.
    pub run: RunId,
    /// The kind of work.
    pub kind: String,
    /// How many at once.
    pub jobs: usize,
    /// For how long the oldest has been running.
    pub longest: f64,
}

/// A coordinator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunStatus {
    /// Its run.
    pub run: RunId,
    /// The kind of work.
    pub kind: String,
    /// Jobs in all.
    pub total: u64,
    /// Jobs done, those found done included.
    pub done: u64,
    /// Jobs handed out.
    pub out: u64,
    /// Jobs per second of late.
    pub rate: f64,
    /// Seconds to go at this rate.
    pub eta: Option<f64>,
    /// Reports refused.
    pub refused: u64,
    /// Reports of what was known already.
    pub repeated: u64,
    /// Reports of failure.
    pub failed: u64,
    /// Workers seen, and their slots.
    pub workers: usize,
    /// Slots of these workers.
    pub slots: usize,
    /// Every worker's part, if there are not too many for one message.
    pub residuals: Vec<Residual>,
}
