//! Game review: what each move of a game gave away, and what would have been better.

use serde::Serialize;

use crate::othello::{Color, Move};
use crate::record::{Board, History};
use crate::score::Score;
use crate::search::report::DepthLabel;
use crate::search::{Limits, Method, Outcome, Request, StopFlag};

/// One move of a reviewed game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveReview {
    /// Which move, from 1.
    pub number: usize,
    /// Who made it.
    pub color: Color,
    /// The move.
    pub played: String,
    /// Score of the move played, mover's view.
    pub score: Score,
    /// What it gave away against the best move, in discs.
    pub loss: Score,
    /// The best move.
    pub best: String,
    /// Its score, mover's view.
    pub best_score: Score,
    /// How deep the best move was searched.
    pub depth: String,
    /// The play expected after the best move.
    pub best_line: String,
    /// Score after the move from Black's view: the curve of a chart.
    pub black_score: Score,
}

/// Reviews the moves of a game, the last first: the end is cheap and exact, and its results in the
/// method's table help the middle. Fewer than all if stopped; `progress` is told of every one.
/// The result is in the order of the game.
pub fn review(
    game: &History,
    method: &mut dyn Method,
    limits: Limits,
    stop: &StopFlag,
    progress: &mut dyn FnMut(),
) -> Vec<MoveReview> {
    let mut moves = Vec::new();
    for (index, &played) in game.moves().iter().enumerate().rev() {
        let Some(judged) = judge(method, index + 1, game.boards()[index], played, limits, stop)
        else {
            break;
        };
        moves.push(judged);
        progress();
    }
    moves.reverse();
    moves
}

fn judge(
    method: &mut dyn Method,
    number: usize,
    board: Board,
    played: Move,
    limits: Limits,
    stop: &StopFlag,
) -> Option<MoveReview> {
    let mut search = |request: Request| -> Option<Outcome> {
        let outcome = method.search(&request, stop, &mut |_| {});
        (!stop.is_stopped()).then_some(outcome)
    };
    let best = search(Request::new(board.position, limits))?;
    let line = best.lines.first()?;
    let score = match played.square() {
        Some(square) if best.best_move() != Some(played) => {
            let request = Request::new(board.position, limits);
            search(Request { only: Some(square.into()), ..request })?.score()
        }
        _ => line.score,
    };
    MoveReview::new(number, board, played, &best, score)
}

impl MoveReview {
    /// The verdict on a move from the search of its position and the score of the move itself;
    /// `None` if the search has no line.
    pub fn new(
        number: usize,
        board: Board,
        played: Move,
        best: &Outcome,
        score: Score,
    ) -> Option<MoveReview> {
        let line = best.lines.first()?;
        // A selective search may like the played move better once it looks at nothing else.
        let loss = line.score.hundredths().saturating_sub(score.hundredths()).max(0);
        let black_score = if board.turn == Color::Black { score } else { -score };
        Some(MoveReview {
            number,
            color: board.turn,
            played: played.to_string(),
            score,
            loss: Score::from_hundredths(loss),
            best: best.best_move().map_or(String::new(), |best| best.to_string()),
            best_score: line.score,
            depth: DepthLabel(best.depth, line.certainty).to_string(),
            best_line: line.pv_text(),
            black_score,
        })
    }
}
