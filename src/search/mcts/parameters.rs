//! The numbers of the tree methods that are not options: each with its unit and its origin.

/// Playouts a depth limit buys per ply, when nothing else limits the search. Chosen so that the
/// usual analysis depths of graphical boards (8–20) take about a second.
pub const PLAYOUTS_PER_PLY: u64 = 2_000;

/// Playouts spent when the exact score is asked for, nothing limits the search and the position
/// is too early to be solved.
pub const PLAYOUTS_WHEN_SOLVING: u64 = 20_000;

/// Playouts between two looks at the clock: a ranked playout takes about 0.1 ms, so a deadline is
/// noticed within 2 ms.
pub const PLAYOUTS_PER_CLOCK_LOOK: u64 = 16;

/// The first progress report comes after this many playouts, each further one after twice as many.
pub const FIRST_REPORT: u64 = 256;
