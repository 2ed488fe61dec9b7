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

/// A full tree is folded until this share of it is free: enough that folding is rare.
pub const FOLD_SHARE: f64 = 0.25;

/// Folding begins with nodes of at most this many visits and doubles until enough is free.
pub const FOLD_VISITS: u32 = 8;

/// Share of a win's value that depends on by how much it is won, so that among wins the larger and
/// among losses the smaller is preferred. Small, by hand: a win is what counts.
pub const MARGIN_SHARE: f32 = 0.05;

/// Scale of the logistic curve from discs of evaluation to win rate, in discs: at the end of the
/// game and added for every empty square. Set by hand to about half the usual error of an
/// evaluation at that stage (3 discs near the end, 8 with 40 empties); not tuned.
pub const VALUE_SCALE: (f32, f32) = (1.5, 0.06);

/// A leaf that is solved gets its exact score at once with at most this many empties, and at twice as
/// many visits for every empty square more; before, only who wins is found out. By hand.
pub const EXACT_LEAF_EMPTIES: u32 = 4;

/// Simulations between two looks at the clock: at about 2 µs each, well below a millisecond.
pub const SIMULATIONS_PER_CLOCK_LOOK: u64 = 64;

/// Visits of the root after which a search ends whatever its limits, before counts overflow.
pub const MOST_VISITS: u32 = 1 << 31;

/// Progress is reported at least this often, in milliseconds.
pub const REPORT_INTERVAL_MS: u64 = 500;

/// How many plies below the old root a new root is looked for: own move, reply and passes.
pub const REUSE_PLIES: usize = 4;

/// Transposition table of the solver of the root, in MiB.
pub const ROOT_SOLVER_HASH_MIB: i64 = 16;

/// Nodes that the solver of the root may visit where no clock bounds it: several times what the
/// 18 empties of the default take.
pub const ROOT_SOLVER_NODES: u64 = 50_000_000;

/// Share of the thinking time that the solver of the root may use before the tree takes over.
pub const ROOT_SOLVER_TIME_SHARE: f64 = 0.6;
