//! Positions where the methods disagree and the solver says who was right.
//!
//! `gallery.json` is written by `kitai lab disagreements`; `docs/web.md` tells how.

use crate::lab::ours::disagreements::Exhibit;

const GALLERY: &str = include_str!("gallery.json");

/// All of them.
pub(super) fn exhibits() -> Vec<Exhibit> {
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
        let positions = exhibits();
        assert!(positions.len() >= 10);
        for position in positions {
            let board: Board = position.board.parse().unwrap();
            assert_eq!(board.to_string(), position.board);
            assert!(board.position.has_move(), "{board}");
            assert!((2..=5).contains(&position.answers.len()), "{board}");
            for answer in &position.answers {
                let mut asked = Options::new();
                for (name, value) in &answer.set {
                    asked.set(name, value).unwrap();
                }
                let played = answer.r#move.parse().unwrap();
                assert!(board.position.after(played).is_some(), "{board} {played}");
            }
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
