//! The lean endgame solver: exact null-window search without an evaluation.
//!
//! Near the end of the game the tree is solved by counting, and speed comes from doing little per
//! node. Three tiers, by number of empties:
//!
//! * **5**: squares in parity order, no sorting, no tables. *Parity*: with an odd number of
//!   empties in a region, whoever plays there first can usually also play there last; the board's
//!   four quadrants stand for its regions.
//! * **6 and more**: stability cut-off, a small private cache of bounds, and moves sorted so that
//!   the opponent's replies are few (*fastest first*), corners and stable edges preferred
//!   ([`ordered`]).
//! * **4 and fewer**: the routines in [`last`].
//!
//! In nearly every node either the first move gets above the window or none does, and the two kinds take
//! turns from ply to ply. So a node says of each child which kind it expects it to be, and only work that
//! can pay in a node of that kind is done: the stability cut-off and no sorting where all moves should
//! fail, sorting and no cut-off where one should do.
//!
//! The general search (the minimax method) calls [`Solver::null_window`] once few enough squares are left;
//! [`Solver::solve`] does the same from any position by itself, which is the right tool up to about
//! 18 empties.

mod cache;
pub mod last;
mod last_flips;
mod ordered;
mod parameters;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, Ordering};

use self::parameters::{POLL_EMPTIES, STABILITY_TRY, UNSORTED_EMPTIES};
use crate::othello::Position;
use crate::othello::flips::flips;
use crate::othello::lanes::{self, Runs};
use crate::othello::mobility::{empty_neighbours, legal_moves};
use crate::othello::stability::stable_count;
use crate::search::StopFlag;
use cache::Cache;
use ordered::{Found, Ordered, Unordered};

/// One bit per quadrant: a1–d4, e1–h4, a5–d8, e5–h8.
#[inline(always)]
pub(super) const fn quadrant(square: usize) -> u32 {
    1 << ((square >> 2 & 1) | (square >> 4 & 2))
}

/// Which quadrants have an odd number of empties.
#[inline]
pub fn parity(empties: u64) -> u32 {
    QUADRANTS
        .iter()
        .enumerate()
        .fold(0, |odd, (i, quadrant)| odd | ((empties & quadrant).count_ones() & 1) << i)
}

const QUADRANTS: [u64; 4] =
    [0x0000_0000_0f0f_0f0f, 0x0000_0000_f0f0_f0f0, 0x0f0f_0f0f_0000_0000, 0xf0f0_f0f0_0000_0000];

/// `ODD_SQUARES[parity]`: all squares of the odd quadrants.
static ODD_SQUARES: [u64; 16] = {
    let mut table = [0; 16];
    let mut parity = 0;
    while parity < 16 {
        let mut i = 0;
        while i < 4 {
            if parity >> i & 1 == 1 {
                table[parity] |= QUADRANTS[i];
            }
            i += 1;
        }
        parity += 1;
    }
    table
};

/// A solver with its own cache and node counter; one per thread.
pub struct Solver<'s> {
    /// Positions entered with at least two empties.
    pub nodes: u64,
    cache: Cache,
    stop: &'s AtomicBool,
    /// A second flag that ends the work, if somebody watches one.
    asked: Option<&'s StopFlag>,
}

/// A position that is searched with a null window above `alpha`.
struct Node {
    mover: u64,
    opponent: u64,
    alpha: i32,
    empties: u32,
    /// Which quadrants have an odd number of empties.
    parity: u32,
    /// Whether no move is expected to get above `alpha`.
    low: bool,
}

/// Never raised: for solves that nobody stops.
static UNSTOPPABLE: AtomicBool = AtomicBool::new(false);

/// The exact score of a position for the side to move, empties to the winner: right up to about
/// 18 empties, slow above.
pub fn solve(position: Position) -> i32 {
    Solver::new(&UNSTOPPABLE).solve(position, -64, 64)
}

impl<'s> Solver<'s> {
    /// A solver that gives up (with a meaningless score) when `stop` is raised.
    pub fn new(stop: &'s AtomicBool) -> Solver<'s> {
        Solver { nodes: 0, cache: Cache::new(), stop, asked: None }
    }

    /// A solver that gives up when either flag is raised.
    pub fn watching(stop: &'s AtomicBool, asked: &'s StopFlag) -> Solver<'s> {
        Solver { asked: Some(asked), ..Solver::new(stop) }
    }

    /// Whether a stop flag is raised: scores returned since then mean nothing.
    #[inline(always)]
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.asked.is_some_and(StopFlag::is_stopped)
    }

    /// The exact score if it lies in `alpha..=beta`, otherwise a bound on the same side of the
    /// window (at most `alpha`, or at least `beta`). Any window is fine, odd or even.
    pub fn solve(&mut self, position: Position, alpha: i32, beta: i32) -> i32 {
        self.solve_near(position, alpha, beta, position.disc_difference())
    }

    /// The same by someone who expects about this score: the nearer it is, the fewer windows are
    /// searched.
    pub fn solve_near(&mut self, position: Position, alpha: i32, beta: i32, expected: i32) -> i32 {
        // Exact scores are even: null windows step through them by two, from the guess outwards.
        let (mut low, mut high) = (-64, 64);
        let mut guess = expected.clamp(alpha.min(beta), beta) & !1;
        while low < high {
            if low >= beta || high <= alpha {
                break;
            }
            let test = guess.clamp(low, high - 2);
            let score = self.null_window(position, test);
            if score > test {
                low = low.max(score);
                guess = low;
            } else {
                high = high.min(score);
                guess = high - 2;
            }
            if self.stopped() {
                return guess;
            }
        }
        if low >= beta { low } else { high }
    }

    /// Every move of the position with its exact score, best first.
    pub fn solve_all(&mut self, position: Position) -> Vec<(crate::othello::Move, i32)> {
        let mut scores: Vec<_> = position
            .children()
            .map(|(chosen, child)| (chosen, -self.solve(child, -64, 64)))
            .collect();
        scores.sort_by_key(|entry| -entry.1);
        scores
    }

    /// Whether the exact score is above `alpha`: a lower bound of it above `alpha` if so, an upper
    /// bound at most `alpha` if not.
    pub fn null_window(&mut self, position: Position, alpha: i32) -> i32 {
        let (mover, opponent) = (position.mover().0, position.opponent().0);
        let empties = position.empties().0;
        self.search(mover, opponent, alpha, empties.count_ones(), parity(empties), false)
    }

    /// The null window at any number of empties. `low` says whether no move is expected to get above
    /// `alpha`: that saves work in the node and never changes the answer.
    #[inline(always)]
    fn search(
        &mut self,
        mover: u64,
        opponent: u64,
        alpha: i32,
        empties: u32,
        parity: u32,
        low: bool,
    ) -> i32 {
        match empties {
            0..=4 => self.few(mover, opponent, alpha, parity),
            5 => self.five(mover, opponent, alpha, parity, low),
            _ => self.by_mobility(mover, opponent, alpha, parity, low),
        }
    }

    /// Up to four empties.
    fn few(&mut self, mover: u64, opponent: u64, alpha: i32, parity: u32) -> i32 {
        let empties = !(mover | opponent);
        let x = odd_first(empties, parity);
        match empties.count_ones() {
            4 => last::four(mover, opponent, x, alpha, &mut self.nodes),
            3 => last::three(mover, opponent, x, alpha, &mut self.nodes),
            2 => last::two(mover, opponent, x, alpha, &mut self.nodes),
            1 => last::one(mover, x as usize & 63, alpha),
            _ => last::finished(mover, 0),
        }
    }

    /// Five empties: no sorting, odd quadrants first.
    fn five(&mut self, mover: u64, opponent: u64, alpha: i32, parity: u32, low: bool) -> i32 {
        self.nodes += 1;
        if low && let Some(bound) = stability_cut(mover, opponent, alpha, 5) {
            return bound;
        }
        let moves = legal_moves(mover, opponent);
        if moves == 0 {
            return self.passed(mover, opponent, alpha, 5, parity, low);
        }
        let mut best = -127;
        let mut odd = moves & ODD_SQUARES[parity as usize & 15];
        let mut even = moves & !odd;
        while odd | even != 0 {
            let x = (if odd != 0 { odd } else { even }).trailing_zeros() as usize;
            even = if odd != 0 { even } else { even & even.wrapping_sub(1) };
            odd &= odd.wrapping_sub(1);
            let flipped = flips(x, mover, opponent);
            let (m, o) = (opponent ^ flipped, mover | flipped | 1 << x);
            let rest = odd_first(!(m | o), parity ^ quadrant(x));
            let score = -last::four(m, o, rest, -alpha - 1, &mut self.nodes);
            best = best.max(score);
            if best > alpha {
                break;
            }
        }
        best
    }

    #[inline(never)]
    fn passed(
        &mut self,
        mover: u64,
        opponent: u64,
        alpha: i32,
        empties: u32,
        parity: u32,
        low: bool,
    ) -> i32 {
        if legal_moves(opponent, mover) == 0 {
            return last::finished(mover, empties as i32);
        }
        -self.search(opponent, mover, -alpha - 1, empties, parity, !low)
    }

    /// More empties: cache, stability, and moves sorted by how little they leave the opponent.
    fn by_mobility(
        &mut self,
        mover: u64,
        opponent: u64,
        alpha: i32,
        parity: u32,
        low: bool,
    ) -> i32 {
        let empties = (!(mover | opponent)).count_ones();
        self.nodes += 1;
        if empties >= POLL_EMPTIES && self.stopped() {
            return alpha;
        }
        if low && let Some(bound) = stability_cut(mover, opponent, alpha, empties) {
            return bound;
        }
        let slot = self.cache.slot(mover, opponent, empties);
        let known = self.cache.probe(slot, mover, opponent);
        if let Some(bounds) = known {
            if bounds.lower > alpha {
                return bounds.lower;
            }
            if bounds.upper <= alpha {
                return bounds.upper;
            }
        }
        let first = known.map_or(64, |bounds| bounds.best);
        let node = Node { mover, opponent, alpha, empties, parity, low };
        let runs = Runs::new(mover, opponent);
        // Nearly always at most eight squares come into question: these have a path of their own.
        let mut squares = if lanes::FAST {
            empty_neighbours(opponent, !(mover | opponent))
        } else {
            legal_moves(mover, opponent)
        };
        if lanes::FAST && squares.count_ones() > 8 {
            squares &= runs.ends();
        }
        let result = if squares.count_ones() > 8 {
            self.sorted_many(&node, runs, squares, first)
        } else if low && empties <= UNSORTED_EMPTIES {
            self.unsorted(&node, runs, squares)
        } else {
            self.sorted::<1>(&node, runs, squares, first)
        };
        let Some((best, best_square)) = result else {
            return self.passed(mover, opponent, alpha, empties, parity, low);
        };
        if empties < POLL_EMPTIES || !self.stopped() {
            self.cache.store(slot, mover, opponent, alpha, best, best_square);
        }
        best
    }

    /// [`Solver::sorted`] for any number of moves.
    #[inline(never)]
    fn sorted_many(
        &mut self,
        node: &Node,
        runs: Runs,
        squares: u64,
        first: u32,
    ) -> Option<(i32, u32)> {
        self.sorted::<8>(node, runs, squares, first)
    }

    /// Searches the legal moves among these squares, the one on `first` first: score and best move, or
    /// `None` if there is no legal move.
    #[inline(always)]
    fn sorted<const BATCHES: usize>(
        &mut self,
        node: &Node,
        runs: Runs,
        squares: u64,
        first: u32,
    ) -> Option<(i32, u32)> {
        let Node { mover, opponent, alpha, empties, parity, low } = *node;
        let mut list = Ordered::<BATCHES>::new();
        match list.fill(node, runs, squares, first) {
            Found::WipeOut => return Some((64, 64)),
            Found::Nothing => return None,
            Found::Moves => {}
        }
        let mut best = -127;
        let mut best_square = 64;
        let mut first = !low;
        while let Some((x, flipped)) = list.next() {
            let (m, o) = (opponent ^ flipped, mover | flipped | 1 << x);
            let parity = parity ^ quadrant(x);
            // The first move is expected to be above `alpha`. If it is not, the node's moves probably all fail.
            let score = -self.search(m, o, -alpha - 1, empties - 1, parity, first);
            first = false;
            if score > best {
                best = score;
                best_square = x as u32;
                if best > alpha {
                    break;
                }
            }
        }
        Some((best, best_square))
    }

    /// [`Solver::sorted`] for at most eight squares where every move is expected to fail: their order
    /// hardly matters, so none of them is weighed.
    #[inline(always)]
    fn unsorted(&mut self, node: &Node, runs: Runs, squares: u64) -> Option<(i32, u32)> {
        let Node { mover, opponent, alpha, empties, parity, .. } = *node;
        let mut best = -127;
        let mut best_square = 64;
        let mut list = Unordered::new(node, runs, squares);
        while let Some((x, flipped)) = list.next() {
            let (m, o) = (opponent ^ flipped, mover | flipped | 1 << x);
            let parity = parity ^ quadrant(x);
            let score = -self.search(m, o, -alpha - 1, empties - 1, parity, false);
            if score > best {
                best = score;
                best_square = x as u32;
                if best > alpha {
                    break;
                }
            }
        }
        (best_square < 64).then_some((best, best_square))
    }
}

/// Four squares of a set, those of odd quadrants first; beyond the set's last, any number.
#[inline(always)]
fn odd_first(empties: u64, parity: u32) -> last::Squares {
    let mut odd = empties & ODD_SQUARES[parity as usize & 15];
    let mut even = empties & !odd;
    let mut squares = 0;
    // How many are odd is hard to foresee: no branches.
    for i in 0..4 {
        let next = if odd != 0 { odd } else { even };
        even = if odd != 0 { even } else { even & even.wrapping_sub(1) };
        odd &= odd.wrapping_sub(1);
        squares |= (next.trailing_zeros() & 63) << (8 * i);
    }
    squares
}

/// An upper bound at most `alpha` from the opponent's stable discs, where it is worth trying.
#[inline(always)]
pub(super) fn stability_cut(mover: u64, opponent: u64, alpha: i32, empties: u32) -> Option<i32> {
    if alpha < STABILITY_TRY[empties as usize & 63] {
        return None;
    }
    // The opponent needs this many stable discs at least: do not count when it has not that many.
    if 64 - 2 * (opponent.count_ones() as i32) > alpha {
        return None;
    }
    let upper = 64 - 2 * stable_count(opponent, mover) as i32;
    (upper <= alpha).then_some(upper)
}
