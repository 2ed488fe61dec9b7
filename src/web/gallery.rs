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
    use crate::engine::{Player, Task};
    use crate::options::Options;
    use crate::record::Board;
    use crate::search::StopFlag;

    /// What the gallery says is what the methods say.
    #[test]
    fn every_answer_of_the_gallery_is_the_methods_own() {
        for position in disagreements() {
            let board: Board = position.board.parse().unwrap();
            let moves: Vec<&String> =
                position.answers.iter().map(|answer| &answer.r#move).collect();
            assert!(moves.iter().any(|other| *other != moves[0]), "{}", position.board);
            for answer in &position.answers {
                let mut options = Options::new();
                options.set("hash", "8").unwrap();
                for (name, value) in &answer.set {
                    options.set(name, value).unwrap();
                }
                let mut player = Player::new(options);
                let mut task = Task::play(player.options(), board.position, None);
                task.request.multi_pv = 64;
                let outcome = player.search(&task, &StopFlag::new(), &mut |_| ()).unwrap();
                assert_eq!(outcome.best_move().unwrap().to_string(), answer.r#move);
                assert!((outcome.score().discs() - answer.value).abs() < 0.005);
                assert!(answer.truth <= position.best);
            }
        }
    }
}
