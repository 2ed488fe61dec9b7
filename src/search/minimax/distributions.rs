//! Two levels of distributions above the leaves, inside the ordinary search (`backup=distributions`).
//!
//! [`super::expected`] asks for the mean of the greatest of uncertain leaves and forgets that this
//! mean is uncertain too. Here the parent of the leaves keeps a deviation beside its mean, and its own
//! parent takes the mean of the greatest of those: the idea meets Bayesian minimax half-way. A
//! distribution is a normal one at every level, matched in mean and variance; a game that is over is
//! certain. At both levels what the mean rises on average is taken out, as [`super::expected`] does.
//!
//! **Cuts.** The greatest of independent normals varies no more than the widest of them, so σ of the
//! leaves bounds the deviations of both levels and with it what the upper level can add to its best
//! child ([`Stage::most`]). A child that is worse than that by [`Stage::reach`] is left out, and so its
//! leaves are looked at only until that is certain.

use super::expected::{MOST_MOVES, Normal, Stage, greatest};
use super::pvs::{Node, Worker};
use super::{SCORE_MAX, Value};
use crate::eval::{Incremental, UNIT};

/// What a search of a level found out: a distribution, or only a bound of its mean.
#[derive(Clone, Copy, Debug)]
enum Found {
    /// The mean lies in the window.
    Within(Normal),
    /// The mean is at least this, which is at least the window's end.
    AtLeast(Value),
    /// The mean is at most this, which is at most the window's beginning.
    AtMost(Value),
}

impl Found {
    /// A distribution, whose mean may lie outside the window.
    fn new(normal: Normal, (alpha, beta): (Value, Value)) -> Found {
        if normal.mean >= beta {
            Found::AtLeast(normal.mean)
        } else if normal.mean <= alpha {
            Found::AtMost(normal.mean)
        } else {
            Found::Within(normal)
        }
    }

    /// What is certain.
    fn certain(score: Value, window: (Value, Value)) -> Found {
        Found::new(Normal { mean: score, variance: 0.0 }, window)
    }

    /// The same from the other side.
    fn turned(self) -> Found {
        match self {
            Found::Within(normal) => Found::Within(Normal { mean: -normal.mean, ..normal }),
            Found::AtLeast(bound) => Found::AtMost(-bound),
            Found::AtMost(bound) => Found::AtLeast(-bound),
        }
    }
}

/// The uncertain values of a node's moves, as far as they are known.
struct Gathered {
    normals: [Normal; MOST_MOVES],
    count: usize,
    /// The greatest mean.
    best: Value,
}

impl Gathered {
    fn new() -> Gathered {
        Gathered {
            normals: [Normal { mean: 0, variance: 0.0 }; MOST_MOVES],
            count: 0,
            best: -SCORE_MAX - 1,
        }
    }

    fn add(&mut self, normal: Normal) {
        if self.count < MOST_MOVES {
            self.normals[self.count] = normal;
            self.count += 1;
        }
        self.best = self.best.max(normal.mean);
    }

    /// The greatest of all that lie within reach of the best.
    fn greatest(&mut self, reach: Value) -> Normal {
        greatest(&mut self.normals[..self.count], reach)
    }
}

impl<E: Incremental> Worker<'_, E> {
    /// The value of a node two plies above the leaves if it lies inside the window, a bound otherwise.
    pub(super) fn two_levels(
        &mut self,
        node: &Node<E::State>,
        moves: u64,
        stage: &Stage,
        (alpha, beta): (Value, Value),
    ) -> Value {
        let count = moves.count_ones();
        let rise = stage.upper_rise(count);
        let (bar, enough) = (alpha + rise, beta + rise);
        let floor = stage.floor(bar, count);
        let mut children = Gathered::new();
        let mut ranked = self.rank_by_mobility(node, moves, 2);
        while let Some(square) = ranked.next() {
            let flips = node.position.flips(square);
            if flips == node.position.opponent() {
                return SCORE_MAX;
            }
            let child = self.child(node, square, flips.0);
            match self.leaf_parent(&child, (-enough, -floor)).turned() {
                Found::AtLeast(bound) => {
                    self.remember_refutation(square, 2);
                    return (bound - rise).min(SCORE_MAX - 1);
                }
                // Too low to matter whatever the others are.
                Found::AtMost(bound) => children.best = children.best.max(bound),
                Found::Within(normal) => children.add(normal),
            }
        }
        if children.best + stage.most(count) <= bar {
            let known = children.best.max(floor) + stage.most(count);
            return (known - rise).clamp(1 - SCORE_MAX, SCORE_MAX - 1);
        }
        let mean = children.greatest(stage.reach()).mean;
        (mean - rise).clamp(1 - SCORE_MAX, SCORE_MAX - 1)
    }

    /// The distribution of the parent of leaves, its mean rise taken out.
    fn leaf_parent(&mut self, node: &Node<E::State>, window: (Value, Value)) -> Found {
        self.nodes += 1;
        let moves = node.position.legal_moves().0;
        if moves != 0 {
            return self.with_leaves(node, moves, window);
        }
        let passed = self.passed(node);
        let moves = passed.position.legal_moves().0;
        if moves == 0 {
            return Found::certain(node.position.final_score() * UNIT, window);
        }
        self.with_leaves(&passed, moves, (-window.1, -window.0)).turned()
    }

    fn with_leaves(
        &mut self,
        node: &Node<E::State>,
        moves: u64,
        (alpha, beta): (Value, Value),
    ) -> Found {
        let Some(expectation) = self.run.expectation else { return Found::AtMost(alpha) };
        let stage = expectation.at(node.empties);
        let count = moves.count_ones();
        let rise = stage.rise(count);
        let (bar, enough) = (alpha + rise, beta + rise);
        let floor = stage.floor(bar, count);
        let mut leaves = Gathered::new();
        for square in self.by_square(moves) {
            let flips = node.position.flips(square);
            if flips == node.position.opponent() {
                return Found::certain(SCORE_MAX, (alpha, beta));
            }
            let child = self.child(node, square, flips.0);
            self.nodes += 1;
            let leaf = if child.position.is_over() {
                Normal { mean: -child.position.final_score() * UNIT, variance: 0.0 }
            } else {
                let value = -self.evaluate_near(&child, -enough, -floor);
                Normal { mean: value, variance: stage.variance() }
            };
            leaves.add(leaf);
            if leaves.best >= enough {
                self.remember_refutation(square, 1);
                return Found::AtLeast(leaves.best - rise);
            }
        }
        if leaves.best + stage.most(count) <= bar {
            // Leaves at or below the floor may be rough; then this bound is what is sure.
            return Found::AtMost(leaves.best.max(floor) + stage.most(count) - rise);
        }
        let normal = leaves.greatest(stage.reach());
        Found::new(Normal { mean: normal.mean - rise, ..normal }, (alpha, beta))
    }
}
