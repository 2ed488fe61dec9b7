//! A finished game as the log keeps it.

use serde::{Deserialize, Serialize};

use super::openings::Opening;
use super::plan::{Plan, Scheduled};
use super::referee::{Ending, PlayedGame, Side, half_points};
use crate::record::History;

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
    /// Who of a fleet played it; absent for games played by this process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
}

impl LoggedGame {
    /// The record of a game played by plan.
    pub fn new(plan: &Plan, scheduled: &Scheduled, game: &PlayedGame) -> LoggedGame {
        let names = [scheduled.black, scheduled.white].map(|player| &*plan.players[player].name);
        LoggedGame::of(scheduled.game, names, &plan.openings[scheduled.opening], game)
    }

    /// The record of a game with this number between Black and White of these names.
    pub(super) fn of(
        number: usize,
        [black, white]: [&str; 2],
        opening: &Opening,
        game: &PlayedGame,
    ) -> LoggedGame {
        let moves = &game.history.moves()[game.opening_plies..];
        LoggedGame {
            game: number,
            black: black.to_owned(),
            white: white.to_owned(),
            opening: opening.label(),
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
            worker: None,
        }
    }

    /// Checks that this is the game that the plan has under its number, that its moves are legal,
    /// and that its result is theirs if it ended on the board.
    ///
    /// # Errors
    /// What is wrong.
    pub fn check(&self, plan: &Plan) -> Result<(), String> {
        let number = self.game;
        let in_plan = number < plan.games() && {
            let scheduled = plan.game(number);
            plan.players[scheduled.black].name == self.black
                && plan.players[scheduled.white].name == self.white
                && plan.openings[scheduled.opening].label() == self.opening
        };
        if !in_plan {
            return Err(format!("game {number} is not in the plan"));
        }
        let history =
            self.history(plan).ok_or_else(|| format!("game {number} has an illegal move"))?;
        let on_board = history.is_over().then(|| history.board().final_score_for_black());
        let result = match (&self.ending, on_board) {
            (Ending::Finished, None) => {
                return Err(format!("game {number} did not end on the board"));
            }
            (Ending::Finished, Some(discs)) => (half_points(discs), Some(discs)),
            (Ending::Adjudicated, _) => {
                let discs = self.discs.ok_or_else(|| format!("game {number} has no result"))?;
                (half_points(discs), Some(discs))
            }
            (Ending::Opinions(None), _) => (1, None),
            (
                Ending::Opinions(Some(loser)) | Ending::Resigned(loser) | Ending::Failed(loser, _),
                _,
            ) => (if *loser == Side::Black { 0 } else { 2 }, None),
        };
        if (self.half_points, self.discs) != result {
            let half_points = self.half_points;
            return Err(format!(
                "game {number}: {half_points} half points is not the result of its moves"
            ));
        }
        let moves = self.moves.len() / 2;
        if (self.evals.len(), self.times.len()) != (moves, moves) {
            return Err(format!("game {number} has {moves} moves and other numbers of notes"));
        }
        Ok(())
    }

    /// The game from its opening on; `None` if a move is not legal.
    pub fn history(&self, plan: &Plan) -> Option<History> {
        let mut history = plan.openings[plan.game(self.game).opening].history.clone();
        for index in 0..self.moves.len().div_ceil(2) {
            history.play(self.moves.get(2 * index..2 * index + 2)?.parse().ok()?).ok()?;
        }
        Some(history)
    }

    /// The side that failed or gave up, if one did.
    pub fn loser_by_fault(&self) -> Option<Side> {
        match &self.ending {
            Ending::Failed(side, _) | Ending::Resigned(side) => Some(*side),
            Ending::Finished | Ending::Adjudicated | Ending::Opinions(_) => None,
        }
    }
}
