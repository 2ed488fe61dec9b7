//! What a method says while it searches and when it is done.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::othello::Move;
use crate::score::Score;

/// What a line's score means.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// The score itself.
    Exact,
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
}

/// How much to believe a score.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "percent")]
pub enum Certainty {
    /// A midgame search or simulation: the score is an estimate.
    Estimate,
    /// The game was searched to its end with forward pruning at this confidence (per cent).
    Probable(u8),
    /// Win, loss or draw is proven; the number of discs is not.
    Outcome,
    /// The final score under perfect play is proven.
    Exact,
}

/// One root move with its score and the line that follows it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Line {
    /// From the point of view of the side to move at the root.
    pub score: Score,
    /// Whether `score` is the value or a bound of it.
    pub bound: Bound,
    /// How sure the score is.
    pub certainty: Certainty,
    /// The best play found, the root move first; passes included. Empty only when the game is over.
    pub pv: Vec<Move>,
    /// Visits or playouts that went through this move (tree methods; 0 elsewhere).
    pub visits: u64,
    /// Standard deviation of the score's error in discs, 0 for a proven score; `None` if nothing is
    /// known of it.
    #[serde(rename = "score_uncertainty", default, skip_serializing_if = "Option::is_none")]
    pub uncertainty: Option<f64>,
}

/// Progress of a running search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Event {
    /// Depth in plies completed by this report (tree methods: deepest line of the tree).
    pub depth: u32,
    /// The best moves, best first; as many as were asked for and exist.
    pub lines: Vec<Line>,
    /// Nodes visited since the search began, all threads.
    pub nodes: u64,
    /// Playouts run since the search began.
    pub playouts: u64,
    /// Time since the search began.
    pub elapsed: Duration,
    /// Who the opponent seems to be, from methods that watch it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opponent: Option<String>,
}

/// Where an answer comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The method searched.
    #[default]
    Search,
    /// The opening book knew it.
    Book,
}

/// The answer of a search: its last and best report.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// Whether it was searched or known.
    #[serde(default)]
    pub origin: Origin,
    /// The best moves, best first; never empty unless the game is over. A forced pass is a line
    /// whose first move is a pass.
    pub lines: Vec<Line>,
    /// Depth in plies completed.
    pub depth: u32,
    /// Nodes visited, all threads.
    pub nodes: u64,
    /// Playouts run.
    pub playouts: u64,
    /// Time used.
    pub elapsed: Duration,
}

impl Outcome {
    /// The move to play: `None` only when the game is over.
    pub fn best_move(&self) -> Option<Move> {
        self.lines.first().and_then(|line| line.pv.first().copied())
    }

    /// The score of the best line; 0 when there is no line.
    pub fn score(&self) -> Score {
        self.lines.first().map_or(Score::default(), |line| line.score)
    }
}

impl Line {
    /// The line as text without separators: `f5d6c3`.
    pub fn pv_text(&self) -> String {
        self.pv.iter().map(Move::to_string).collect()
    }
}

/// `12` for an estimate, `24@98%` for a selective solve, `100%W` and `100%` for proofs: the
/// depth notation NBoard and the tables share.
pub struct DepthLabel(pub u32, pub Certainty);

impl fmt::Display for DepthLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.1 {
            Certainty::Estimate => write!(f, "{}", self.0),
            Certainty::Probable(percent) => write!(f, "{}@{percent}%", self.0),
            Certainty::Outcome => f.write_str("100%W"),
            Certainty::Exact => f.write_str("100%"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_a_search_says_survives_the_way_to_another_machine(
            hundredths in -6400..=6400, depth in 0u32..60, nodes: u64, percent in 50u8..100,
        ) {
            let line = Line {
                score: Score::from_hundredths(hundredths),
                bound: Bound::Lower,
                certainty: Certainty::Probable(percent),
                pv: vec!["f5".parse().unwrap(), Move::Pass],
                visits: nodes / 2,
                uncertainty: percent.is_multiple_of(3).then_some(1.25),
            };
            let elapsed = Duration::from_millis(nodes % 1_000_000);
            let opponent = percent.is_multiple_of(2).then(|| "discs depth 2".to_owned());
            let event =
                Event { depth, lines: vec![line.clone()], nodes, playouts: 7, elapsed, opponent };
            let text = serde_json::to_string(&event).unwrap();
            prop_assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
            let outcome = Outcome { origin: Origin::Book, lines: vec![line], depth, nodes, playouts: 7, elapsed };
            let text = serde_json::to_string(&outcome).unwrap();
            prop_assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), outcome);
        }
    }
}
