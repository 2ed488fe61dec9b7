//! Every tuned number of the minimax search, with its unit and where it comes from.

/// Solving nodes with at most this many empties go to the lean solver in a search without forward pruning.
/// Measured on FFO #40–#49.
pub const LEAN_EMPTIES: u32 = 14;
/// The same in a search with forward pruning, which has 13 and 14 empties to prune. With 14 here, and the order
/// below for it too, games at 20 ms a move were lost: −29 ± 26 Elo.
pub const LEAN_EMPTIES_SELECTIVE: u32 = 12;

/// Midgame nodes of at most this depth are searched without table or evaluation for the order, plies.
/// 3 costs a sixth more time, 1 the same.
pub const SHALLOW_DEPTH: u32 = 2;
/// In their order, worth in replies left to the opponent: a corner …
pub const SHALLOW_CORNER: u32 = 4;
/// … the move that refuted the last such node …
pub const KILLER_BONUS: u32 = 2;
/// … and, against a move, each reply into a corner …
pub const SHALLOW_CORNER_REPLY: u32 = 3;
/// … and a square next to a corner.
pub const SHALLOW_NEXT_TO_CORNER: u32 = 2;

/// Least depth at which the children's table entries are tried for a cut, plies.
pub const ETC_MIN_DEPTH: u32 = 5;

/// Least depth at which a node's moves are shared between threads, plies.
pub const SPLIT_MIN_DEPTH: u32 = 6;

/// Least depth for ProbCut in the midgame and while solving, plies.
pub const PROBCUT_MIN_DEPTH: u32 = 4;
/// See [`PROBCUT_MIN_DEPTH`].
pub const PROBCUT_MIN_DEPTH_END: u32 = 12;
/// Share of the depth that ProbCut's shallow search has while solving.
pub const PROBCUT_SHARE_END: f32 = 0.34;

/// Noise between a deep and a shallow search, see [`super::probcut::sigma`]: fitted by
/// `kitai probcut --positions 900 --depth 10 --solve 17 --seed 3` with the embedded weights.
pub static PROBCUT_MID_SIGMA: [f32; 5] = [1.4389, -0.0200, 0.0680, -0.1565, 0.0081];
/// The same while solving, from the same run.
pub static PROBCUT_END_SIGMA: [f32; 5] = [1.0786, 0.0315, 0.0315, -0.0960, -0.0834];
/// Share of the fitted deviation that a midgame cut must clear per unit of confidence. In matches at
/// 50,000 nodes a move 0.8 beat 1.0 by 16 ± 26 Elo, 0.65 beat 0.8 by 9 ± 13 and 0.55 beat 0.65 by
/// 7 ± 15.
pub const PROBCUT_MARGIN_SHARE: f32 = 0.6;

/// From which depths on move ordering looks 1, 2, 3 … plies further than the static evaluation of
/// the position after the move.
pub static ORDER_DEPTHS: [u32; 3] = [9, 15, 21];
/// The same while solving without forward pruning. Measured on FFO #40–#49; the first is the least depth
/// above the lean solver.
pub static ORDER_DEPTHS_END: [u32; 3] = [15, 18, 20];
/// The same while solving with forward pruning.
pub static ORDER_DEPTHS_SELECTIVE: [u32; 3] = [16, 20, 25];

/// What each reply left to the opponent costs a move in the ordering, evaluation units.
pub const REPLY_PRICE: i32 = 40;
/// The same while solving.
pub const REPLY_PRICE_END: i32 = 350;
/// What each reply into a corner costs on top, evaluation units.
pub const CORNER_REPLY_PRICE: i32 = 300;
/// Bonus for playing into an odd region, evaluation units.
pub const PARITY_BONUS: i32 = 64;

/// Half-width of the first window around the last score, evaluation units: midgame and solving.
pub const ASPIRATION: i32 = 192;
/// See [`ASPIRATION`]; just above one step of exact scores.
pub const ASPIRATION_END: i32 = 200;

/// How many plies before the end a search stops deepening and searches to the end instead.
/// Measured like [`END_LEVELS`].
pub const END_JUMP: u32 = 8;
/// Selective searches to the end before the exact one: from how many empties, at which
/// confidence in per cent. The first is hardly surer than the midgame search and costs a few times as
/// much as all steps before it: with little time it is the last that can be finished. Measured with 20 ms
/// of processor time a position on hard-20 and hard-25, in matches and on FFO #40–#49.
pub static END_LEVELS: [(u32, u32); 5] = [(14, 38), (18, 73), (22, 87), (24, 95), (27, 98)];

/// A planned search does not begin another step after this share of its time.
pub const NEXT_STEP_SHARE: f64 = 0.7;
/// The choice counts as settled, and a planned search ends at its soft limit in the middle of a step,
/// when the move stayed best for this many steps and the score did not drop out of the window.
pub const SETTLED_STEPS: u32 = 2;
/// A move is clearly best when it stayed best for this many steps …
pub const EASY_STEPS: u32 = 4;
/// … and all others are worse by this much, evaluation units.
pub const EASY_MARGIN: i32 = 6 * 128;
