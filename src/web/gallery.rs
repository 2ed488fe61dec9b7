//! Positions where the methods disagree and the solver says who was right.
//!
//! `gallery.json` was found by `kitai move` on endings of self-played games and checked by
//! `kitai solve`; `docs/web.md` tells how.

use serde::{Deserialize, Serialize};

const GALLERY: &str = include_str!("gallery.json");

/// One position and what each method wants to play there.
#[derive(Serialize, Deserialize, Debug, Clone)]
#[serde(deny_unknown_fields)]
pub(super) struct Disagreement {
    /// 64 squares and the side to move.
    pub board: String,
    /// The score under perfect play, mover's view.
    pub best: i32,
    /// What was asked, and the answers.
    pub answers: Vec<Answer>,
}

/// A method's choice.
#[derive(Serialize, Deserialize, Debug, Clone)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    /// The options besides the defaults.
    pub set: std::collections::BTreeMap<String, String>,
    /// Its move.
    pub r#move: String,
    /// What it thought the move worth.
    pub value: f64,
    /// What the move is worth under perfect play.
    pub truth: i32,
}

/// All of them.
pub(super) fn disagreements() -> Vec<Disagreement> {
    serde_json::from_str(GALLERY).expect("the embedded file is valid (tested)")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::record::Board;
    use crate::search::{self, Limits, Request, StopFlag};

    /// What methods answer changes with evaluation and search; what a move is worth does not.
    #[test]
    fn the_gallery_tells_what_each_move_is_worth() {
        let mut options = Options::new();
        options.set("hash", "8").unwrap();
        let mut solver = search::build(&options).unwrap();
        let positions = disagreements();
        assert!(positions.len() >= 5);
        for position in positions {
            let board: Board = position.board.parse().unwrap();
            let request = Request { multi_pv: 64, ..Request::new(board.position, Limits::solve()) };
            let solved = solver.search(&request, &StopFlag::new(), &mut |_| ());
            assert_eq!(solved.score().rounded(), position.best, "{board}");
            for answer in &position.answers {
                let worth = |line: &&search::Line| line.pv[0].to_string() == answer.r#move;
                let line = solved.lines.iter().find(worth).unwrap();
                assert_eq!(line.score.rounded(), answer.truth, "{board} {}", answer.r#move);
            }
            let right = position.answers.iter().filter(|answer| answer.truth == position.best);
            assert!((1..position.answers.len()).contains(&right.count()), "{board}");
        }
    }
}
