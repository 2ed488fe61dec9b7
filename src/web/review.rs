//! A game under review: one search after another, the last move first, told move by move.

use crate::engine::Task;
use crate::engine::review::MoveReview;
use crate::othello::Move;
use crate::record::{Board, History};
use crate::search::{Limits, Outcome, Request};

/// How far a review has come.
pub(super) struct Review {
    /// The page's number for it.
    pub id: u64,
    history: History,
    limits: Limits,
    /// Moves below this number (from 0) are not looked at.
    from: usize,
    /// The number of the next move, from 1; 0 when all are done.
    next: usize,
    /// The best move of that position, when it is known and another one was played.
    best: Option<Outcome>,
}

impl Review {
    pub(super) fn new(id: u64, history: History, from: usize, limits: Limits) -> Review {
        let next = history.moves().len();
        Review { id, history, limits, from, next, best: None }
    }

    fn now(&self) -> Option<(Board, Move)> {
        if self.next <= self.from {
            return None;
        }
        let index = self.next.checked_sub(1)?;
        Some((self.history.boards()[index], self.history.moves()[index]))
    }

    /// What to search next; `None` when the review is done.
    pub(super) fn task(&self) -> Option<Task> {
        let (board, played) = self.now()?;
        let mut task = Task::hint(board.position, self.limits, 1);
        if self.best.is_some()
            && let Some(square) = played.square()
        {
            task.request = Request { only: Some(square.into()), ..task.request };
        }
        Some(task)
    }

    /// Takes the answer to the task; the verdict on a move if that settles it.
    pub(super) fn answer(&mut self, outcome: Outcome) -> Option<MoveReview> {
        let (board, played) = self.now()?;
        let (best, score) = match self.best.take() {
            Some(best) => (best, outcome.score()),
            None if outcome.best_move() != Some(played) && played.square().is_some() => {
                self.best = Some(outcome);
                return None;
            }
            None => {
                let score = outcome.score();
                (outcome, score)
            }
        };
        let verdict = MoveReview::new(self.next, board, played, &best, score);
        self.next -= 1;
        verdict
    }
}
