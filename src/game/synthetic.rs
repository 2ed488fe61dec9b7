//! Synthetic game trees: random, reproducible, with every feature a search must cope with.
//!
//! A node's shape and value come from hashing the seed with the path to it, so a tree of any size
//! costs no memory and is the same on every machine. Branching varies from node to node; some nodes
//! are forced passes and some games end early. Static values are few whole numbers, so that equal
//! values, the trap of every tie-breaking rule, are common.

use std::fmt;

use super::{Game, MoveIdentity, Side};
use crate::othello::hash::hash_discs;

/// A family of random trees.
#[derive(Clone, Copy, Debug)]
pub struct Synthetic {
    /// Which tree.
    pub seed: u64,
    /// Most moves of a node; at least 1.
    pub most_moves: u64,
    /// Lines end here at the latest.
    pub plies: u32,
    /// Static values are whole numbers from −`values` to `values`.
    pub values: u64,
    /// One node in so many must pass; 0 for no passes.
    pub pass_one_in: u64,
    /// One game in so many ends early, at each node; 0 for never.
    pub end_one_in: u64,
}

/// A node: the hash of the path to it, its depth and whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SyntheticNode {
    path: u64,
    ply: u32,
    passed: bool,
    player: Side,
}

/// The n-th move, or a pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SyntheticMove {
    /// Child number n.
    Child(u64),
    /// A forced pass.
    Pass,
}

impl fmt::Display for SyntheticMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SyntheticMove::Child(index) => write!(f, "{index}"),
            SyntheticMove::Pass => f.write_str("pass"),
        }
    }
}

impl Synthetic {
    /// A number from 0 to `below` − 1 that depends on the node and on what it is for.
    fn draw(&self, node: &SyntheticNode, purpose: u64, below: u64) -> u64 {
        hash_discs(node.path ^ self.seed.rotate_left(17), purpose) % below.max(1)
    }

    /// The static value for the side to move; a final value is one of these too.
    pub fn static_value(&self, node: &SyntheticNode) -> f64 {
        self.draw(node, 1, 2 * self.values + 1) as f64 - self.values as f64
    }

    fn must_pass(&self, node: &SyntheticNode) -> bool {
        self.pass_one_in > 0 && !node.passed && self.draw(node, 2, self.pass_one_in) == 0
    }
}

impl Game for Synthetic {
    type State = SyntheticNode;
    type Action = SyntheticMove;

    fn start(&self) -> SyntheticNode {
        SyntheticNode { path: 0, ply: 0, passed: false, player: Side::First }
    }

    fn actions(&self, state: &SyntheticNode) -> Vec<SyntheticMove> {
        if self.terminal_value(state).is_some() {
            return Vec::new();
        }
        if self.must_pass(state) {
            return vec![SyntheticMove::Pass];
        }
        (0..=self.draw(state, 3, self.most_moves)).map(SyntheticMove::Child).collect()
    }

    fn apply(&self, state: &SyntheticNode, action: SyntheticMove) -> SyntheticNode {
        let (step, passed) = match action {
            SyntheticMove::Child(index) => (index + 1, false),
            SyntheticMove::Pass => (0, true),
        };
        SyntheticNode {
            path: hash_discs(state.path.wrapping_add(1), step),
            ply: state.ply + 1,
            passed,
            player: state.player.other(),
        }
    }

    fn to_move(&self, state: &SyntheticNode) -> Side {
        state.player
    }

    fn terminal_value(&self, state: &SyntheticNode) -> Option<f64> {
        let early = self.end_one_in > 0
            && state.ply > 0
            && !state.passed
            && self.draw(state, 4, self.end_one_in) == 0;
        (early || state.ply >= self.plies).then(|| self.static_value(state))
    }

    fn is_pass(&self, action: SyntheticMove) -> bool {
        action == SyntheticMove::Pass
    }
}

/// The child of the same number.
impl MoveIdentity for Synthetic {}
