//! When a search must end: limits given with the request, and the flag anyone may raise.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::options::{OptionSpec, Options, TypedOption};

/// Greatest depth.
pub static DEPTH: TypedOption<i64> =
    TypedOption::integer("depth", 0, 60, 0, "Greatest search depth in plies; 0 means no limit.");
/// Greatest number of nodes.
pub static NODES: TypedOption<i64> = TypedOption::integer(
    "nodes",
    0,
    i64::MAX,
    0,
    "Greatest number of nodes per move; 0 means no limit.",
);
/// Greatest number of playouts.
pub static PLAYOUTS: TypedOption<i64> = TypedOption::integer(
    "playouts",
    0,
    i64::MAX,
    0,
    "Greatest number of playouts per move; 0 means no limit.",
);
/// Thinking time.
pub static MOVE_TIME: TypedOption<i64> = TypedOption::integer(
    "move-time",
    0,
    86_400_000,
    0,
    "Greatest thinking time per move in milliseconds; 0 means no limit.",
);

/// The limits of methods that deepen ply by ply.
pub const DEEPENING_LIMITS: &[&OptionSpec] = &[&DEPTH.spec, &NODES.spec, &MOVE_TIME.spec];
/// The limits of methods that count playouts; a depth buys playouts in proportion.
pub const PLAYOUT_LIMITS: &[&OptionSpec] =
    &[&DEPTH.spec, &NODES.spec, &PLAYOUTS.spec, &MOVE_TIME.spec];

/// Limits of one search; absent means unlimited. Whichever is reached first ends the search.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Greatest depth in plies. A search that can solve the position within it does.
    pub depth: Option<u32>,
    /// Greatest number of nodes; checked in small batches, so slightly exceeded.
    pub nodes: Option<u64>,
    /// Greatest number of playouts (Monte Carlo methods; others ignore it).
    pub playouts: Option<u64>,
    /// How long to think.
    pub time: Option<TimeLimit>,
    /// Ask for the exact score to the end of the game whatever the depth limit says.
    pub exact: bool,
    /// Ask only for the outcome (win, loss or draw) to the end of the game.
    pub outcome: bool,
}

/// Thinking time of one move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeLimit {
    /// When to stop if nothing speaks against it; a method may stop earlier when the choice is
    /// clear and later, up to `hard`, when it is not.
    pub soft: Duration,
    /// Never think longer than this.
    pub hard: Duration,
}

impl TimeLimit {
    /// Exactly this long.
    pub const fn fixed(time: Duration) -> TimeLimit {
        TimeLimit { soft: time, hard: time }
    }
}

impl Limits {
    /// Limited by depth only.
    pub fn depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// Limited by nodes only.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// Limited by playouts only.
    pub fn playouts(playouts: u64) -> Limits {
        Limits { playouts: Some(playouts), ..Limits::default() }
    }

    /// Limited by time only.
    pub fn time(time: Duration) -> Limits {
        Limits { time: Some(TimeLimit::fixed(time)), ..Limits::default() }
    }

    /// The limits that the options `depth`, `nodes`, `playouts` and `move-time` set.
    pub fn from_options(options: &Options) -> Limits {
        let positive = |option| Some(options.get(option)).filter(|&value| value > 0);
        Limits {
            depth: positive(&DEPTH).map(|depth| depth as u32),
            nodes: positive(&NODES).map(|nodes| nodes as u64),
            playouts: positive(&PLAYOUTS).map(|playouts| playouts as u64),
            time: positive(&MOVE_TIME).map(|ms| TimeLimit::fixed(Duration::from_millis(ms as u64))),
            exact: false,
            outcome: false,
        }
    }

    /// Solve to the end of the game.
    pub fn solve() -> Limits {
        Limits { exact: true, ..Limits::default() }
    }
}

/// A flag shared between a search and whoever may stop it. Cloning shares the flag.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// A flag that is not raised.
    pub fn new() -> StopFlag {
        StopFlag::default()
    }

    /// Asks every search that watches this flag to end now.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Lowers the flag before a new search.
    pub fn reset(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    /// Whether the flag is raised.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
/// Threads that a search on this machine starts if `asked` are asked for. Many more than there are
/// cores do not search more; they only wait for their turn, and a search that must end has to wait
/// until each of them has had one.
pub fn useful_threads(asked: usize) -> usize {
    /// As many may be had on any machine: their turns are over within some hundredths of a second.
    const ANYWHERE: usize = 16;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    asked.min(cores.max(ANYWHERE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_threads_are_started_than_can_end_in_time() {
        let cores = std::thread::available_parallelism().unwrap().get();
        assert_eq!(useful_threads(3), 3);
        assert_eq!(useful_threads(100_000), cores.max(16));
    }
}
