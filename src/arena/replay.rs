//! A finished game as pages replay it.

use serde::Serialize;

use super::logged::LoggedGame;
use super::referee::{Ending, Side};

/// A game with everything its replay shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReplayGame {
    /// Number in the plan, from 1.
    pub number: usize,
    /// Name of the player with Black.
    pub black: String,
    /// Name of the player with White.
    pub white: String,
    /// Start board if not the usual one, then all moves, as one text.
    pub game: String,
    /// Moves of the opening.
    pub opening: usize,
    /// For each move after the opening the mover's opinion in discs, if told.
    pub evals: Vec<Option<f64>>,
    /// For each of them the time used, milliseconds.
    pub times: Vec<f64>,
    /// Black's half points: 2 win, 1 draw, 0 loss.
    pub half_points: u8,
    /// Final disc difference for Black, if known.
    pub discs: Option<i32>,
    /// How it ended if not on the board, in words.
    pub ending: String,
}

impl ReplayGame {
    /// The game of a line of the log.
    pub fn of(game: &LoggedGame) -> ReplayGame {
        let opening = if game.opening == "start" { "" } else { game.opening.as_str() };
        let moves_of_opening = opening.split_whitespace().last().unwrap_or_default();
        let has_moves = !moves_of_opening.contains('-') && moves_of_opening.len() > 1;
        ReplayGame {
            number: game.game + 1,
            black: game.black.clone(),
            white: game.white.clone(),
            game: match opening.split_whitespace().count() {
                // A board and the side to move are followed by a space.
                2 => format!("{opening} {}", game.moves),
                _ => format!("{opening}{}", game.moves),
            },
            opening: if has_moves { moves_of_opening.len() / 2 } else { 0 },
            evals: game.evals.clone(),
            times: game.times.clone(),
            half_points: game.half_points,
            discs: game.discs,
            ending: ending(&game.ending),
        }
    }
}

fn ending(ending: &Ending) -> String {
    let name = |side: &Side| match side {
        Side::Black => "Black",
        Side::White => "White",
    };
    match ending {
        Ending::Finished => String::new(),
        Ending::Adjudicated => "solved".to_owned(),
        Ending::Opinions(None) => "drawn by opinion".to_owned(),
        Ending::Opinions(Some(side)) => format!("{} lost by opinion", name(side)),
        Ending::Resigned(side) => format!("{} resigned", name(side)),
        Ending::Failed(side, fault) => format!("{}: {}", name(side), fault.kind.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::transcript;

    fn game(opening: &str, moves: &str) -> ReplayGame {
        ReplayGame::of(&LoggedGame {
            game: 0,
            black: "a".to_owned(),
            white: "b".to_owned(),
            opening: opening.to_owned(),
            moves: moves.to_owned(),
            evals: Vec::new(),
            times: Vec::new(),
            half_points: 1,
            discs: Some(0),
            ending: Ending::Finished,
            worker: None,
        })
    }

    #[test]
    fn opening_and_moves_are_one_readable_text() {
        let board = "---------------------------OX------XO---------------------------";
        let cases = [
            ("start".to_owned(), 0),
            ("f5d6".to_owned(), 2),
            (format!("{board} X"), 0),
            (format!("{board} X f5d6"), 2),
        ];
        for (opening, plies) in cases {
            let moves = if plies == 2 { "c3" } else { "f5d6c3" };
            let replay = game(&opening, moves);
            assert_eq!(replay.opening, plies, "{opening}");
            let history = transcript::parse(&replay.game).unwrap();
            assert_eq!(history.moves().len(), 3, "{opening}");
        }
    }
}
