//! What lies behind a value, for people who want to see why a method prefers its move.
//!
//! A method that can tell implements [`Method::behind`](super::Method::behind); whoever shows it
//! asks after the search. Visit counts of tree methods are in the lines themselves.

use serde::{Deserialize, Serialize};

use crate::othello::Move;

/// What a method can tell about the value of a line.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Behind {
    /// The expectation methods: the moves of the position above the leaves at the line's end.
    Normals(Normals),
    /// Opponent models: the replies expected after the line's first move, likeliest first.
    Replies {
        /// Every reply with a positive probability.
        replies: Vec<Reply>,
    },
}

/// A parent of leaves: each of its moves leads to a value known only as a normal distribution.
/// Values are discs from the view of the side to move there.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Normals {
    /// The moves that lead there from the root.
    pub line: Vec<Move>,
    /// Whether the side to move there is the one to move at the root.
    pub is_own: bool,
    /// σ of every value that is not certain.
    pub sigma: f64,
    /// The moves there, best mean first.
    pub leaves: Vec<Leaf>,
    /// The mean of the greatest of the values: what the line is worth.
    pub expectation: f64,
    /// The greatest of the means: what minimax would take.
    pub best_mean: f64,
}

/// A move above a leaf.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Leaf {
    /// The move.
    pub r#move: Move,
    /// The mean of its value.
    pub mean: f64,
    /// Whether it ends the game, so that the mean is the value.
    pub is_certain: bool,
}

/// A reply of a modelled opponent.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Reply {
    /// The move.
    pub r#move: Move,
    /// How likely the model finds it.
    pub probability: f64,
}
