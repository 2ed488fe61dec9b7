//! Game review: what each move of a game gave away, and what would have been better.
//!
//! A search that ends with the same side to move every time tends to flatter the same side, so that
//! values of neighbouring positions searched equally deep swing back and forth. A review looks one
//! ply further at every other move instead: all its leaves have the same side to move.

use std::fmt;

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
    /// How bad that was.
    pub mark: Mark,
    /// Legal moves there were.
    pub choices: u32,
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

/// How bad a move was, by the discs it gave away.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// Nothing to speak of.
    None,
    /// Two discs or more.
    Inaccuracy,
    /// Five discs or more.
    Mistake,
    /// Ten discs or more.
    Blunder,
}

impl Mark {
    /// The mark of a move that gave away so much.
    pub fn of(loss: Score) -> Mark {
        match loss.hundredths() {
            1000.. => Mark::Blunder,
            500.. => Mark::Mistake,
            200.. => Mark::Inaccuracy,
            _ => Mark::None,
        }
    }
}

/// As players write it: `?!`, `?`, `??`.
impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Mark::None => "",
            Mark::Inaccuracy => "?!",
            Mark::Mistake => "?",
            Mark::Blunder => "??",
        })
    }
}

/// How well one side played.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Accuracy {
    /// Whose moves.
    pub color: Color,
    /// Moves with a choice.
    pub moves: usize,
    /// Mean over these moves of exp(−loss/10) in per cent: 100 for best moves only; a move that
    /// gives away ten discs counts for 37.
    pub accuracy: f64,
    /// Moves that gave nothing away, in per cent.
    pub best: f64,
    /// Discs given away in all.
    pub lost: f64,
    /// Moves marked `?!`.
    pub inaccuracies: usize,
    /// Moves marked `?`.
    pub mistakes: usize,
    /// Moves marked `??`.
    pub blunders: usize,
}

/// Discs after which a move counts for 1/e.
const ACCURACY_SCALE: f64 = 10.0;

impl Accuracy {
    /// Of one side's moves; `None` if it never had a choice.
    pub fn of(rows: &[MoveReview], color: Color) -> Option<Accuracy> {
        let own: Vec<&MoveReview> =
            rows.iter().filter(|row| row.color == color && row.choices > 1).collect();
        let count = own.len() as f64;
        let marked = |mark| own.iter().filter(|row| row.mark == mark).count();
        let worth = own.iter().map(|row| (-row.loss.discs() / ACCURACY_SCALE).exp());
        (!own.is_empty()).then(|| Accuracy {
            color,
            moves: own.len(),
            accuracy: 100.0 * worth.sum::<f64>() / count,
            best: 100.0 * own.iter().filter(|row| row.loss == Score::whole(0)).count() as f64
                / count,
            lost: own.iter().map(|row| row.loss.discs()).sum(),
            inaccuracies: marked(Mark::Inaccuracy),
            mistakes: marked(Mark::Mistake),
            blunders: marked(Mark::Blunder),
        })
    }
}

/// `accuracy 93 %, 61 % best, lost 14.2; 2 ?! 1 ? 0 ??`
impl fmt::Display for Accuracy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Accuracy { accuracy, best, lost, inaccuracies, mistakes, blunders, .. } = self;
        write!(f, "accuracy {accuracy:.0} %, {best:.0} % best, lost {lost:.1}; ")?;
        write!(f, "{inaccuracies} ?! {mistakes} ? {blunders} ??")
    }
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
        let board = game.boards()[index];
        let limits = same_leaf_parity(limits, board);
        let Some(judged) = judge(method, index + 1, board, played, limits, stop) else { break };
        moves.push(judged);
        progress();
    }
    moves.reverse();
    moves
}

/// The limits for one position of a game: the depth, if one is set, a ply more where it takes that
/// for an even number of discs at the leaves.
fn same_leaf_parity(limits: Limits, board: Board) -> Limits {
    let empties = board.position.empty_count();
    Limits { depth: limits.depth.map(|depth| depth + (empties + depth) % 2), ..limits }
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
        let loss = Score::from_hundredths(loss);
        let black_score = if board.turn == Color::Black { score } else { -score };
        Some(MoveReview {
            number,
            color: board.turn,
            played: played.to_string(),
            score,
            loss,
            mark: Mark::of(loss),
            choices: board.position.legal_moves().count(),
            best: best.best_move().map_or(String::new(), |best| best.to_string()),
            best_score: line.score,
            depth: DepthLabel(best.depth, line.certainty).to_string(),
            best_line: line.pv_text(),
            black_score,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::record::transcript;
    use crate::search;

    #[test]
    fn neighbouring_positions_are_searched_to_leaves_of_the_same_side() {
        let game = transcript::parse("f5d6c3d3c4f4").unwrap();
        for board in game.boards() {
            let depth = same_leaf_parity(Limits::depth(9), *board).depth.unwrap();
            assert!((9..=10).contains(&depth));
            assert_eq!((board.position.empty_count() + depth) % 2, 0);
        }
        assert_eq!(same_leaf_parity(Limits::default(), Board::START).depth, None);
    }

    #[test]
    fn losses_get_marks_by_size() {
        let marks = [0, 199, 200, 499, 500, 999, 1000, 6400]
            .map(|hundredths| Mark::of(Score::from_hundredths(hundredths)).to_string());
        assert_eq!(marks, ["", "", "?!", "?!", "?", "?", "??", "??"]);
    }

    #[test]
    fn the_exact_end_of_a_game_is_judged_exactly() {
        // Black takes the last square but one or wipes White out.
        let board = format!("XO-{}-OX X", "-".repeat(58));
        let mut game = transcript::parse(&board).unwrap();
        game.play("c1".parse().unwrap()).unwrap();
        let options = Options::new();
        let mut method = search::build(&options).unwrap();
        let limits = Limits { exact: true, ..Limits::default() };
        let rows = review(&game, method.as_mut(), limits, &StopFlag::new(), &mut || {});
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].choices, 2);
        let black = Accuracy::of(&rows, Color::Black).unwrap();
        assert_eq!(
            (black.moves, black.blunders),
            (1, usize::from(rows[0].loss >= Score::whole(10)))
        );
        assert!(Accuracy::of(&rows, Color::White).is_none());
    }
}
