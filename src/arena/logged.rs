//! A finished game as the log keeps it.

use serde::{Deserialize, Serialize};

use super::plan::{Plan, Scheduled};
use super::referee::{Ending, PlayedGame, Side};

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedGame {
    /// Number in the plan, from 0.
    pub game: usize,
    /// Name of the player with Black.
    pub black: String,
    /// Name of the player with White.
    pub white: String,
    /// The opening: its moves, or its board and moves.
    pub opening: String,
    /// The moves after the opening, without separators; `pa` is a pass.
    pub moves: String,
    /// For each of them the mover's opinion in discs, if told.
    pub evals: Vec<Option<f64>>,
    /// For each of them the time used, milliseconds.
    pub times: Vec<f64>,
    /// Black's half points: 2 win, 1 draw, 0 loss.
    pub half_points: u8,
    /// Final disc difference for Black, if the game was played or solved to its end.
    pub discs: Option<i32>,
    /// Why the game ended.
    pub ending: Ending,
}

impl LoggedGame {
    /// The record of a game played by plan.
    pub fn new(plan: &Plan, scheduled: &Scheduled, game: &PlayedGame) -> LoggedGame {
        let moves = &game.history.moves()[game.opening_plies..];
        LoggedGame {
            game: scheduled.game,
            black: plan.players[scheduled.black].name.clone(),
            white: plan.players[scheduled.white].name.clone(),
            opening: plan.openings[scheduled.opening].label(),
            moves: moves.iter().map(|played| played.to_string()).collect(),
            evals: game.notes.iter().map(|note| note.score.map(|score| score.discs())).collect(),
            times: game
                .notes
                .iter()
                // Hundredths of a millisecond are plenty and keep the log short.
                .map(|note| (note.time.as_secs_f64() * 1e5).round() / 100.0)
                .collect(),
            half_points: game.black_half_points(),
            discs: game.discs,
            ending: game.ending.clone(),
        }
    }

    /// Whether this is the game that the plan has under its number.
    pub fn belongs_to(&self, plan: &Plan) -> bool {
        self.game < plan.games() && {
            let scheduled = plan.game(self.game);
            plan.players[scheduled.black].name == self.black
                && plan.players[scheduled.white].name == self.white
                && plan.openings[scheduled.opening].label() == self.opening
                && self.half_points <= 2
        }
    }

    /// The side that failed or gave up, if one did.
    pub fn loser_by_fault(&self) -> Option<Side> {
        match &self.ending {
            Ending::Failed(side, _) | Ending::Resigned(side) => Some(*side),
            Ending::Finished | Ending::Adjudicated => None,
        }
    }
}
