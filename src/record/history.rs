//! A game in progress or finished: a start board and the legal moves made since, with passes.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Board;
use crate::othello::{Color, Move};

/// A start board and the moves played from it, every one legal. Passes are moves of their own, so
/// the side to move always alternates.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Travelling", into = "Travelling")]
pub struct History {
    start: Board,
    moves: Vec<Move>,
    /// `boards[i]` is the board before `moves[i]`; the last is the current one.
    boards: Vec<Board>,
}

/// A history on its way to another machine; the rules are checked where it arrives.
#[derive(Serialize, Deserialize)]
struct Travelling {
    start: Board,
    moves: Vec<Move>,
}

impl From<History> for Travelling {
    fn from(history: History) -> Travelling {
        Travelling { start: history.start, moves: history.moves }
    }
}

impl TryFrom<Travelling> for History {
    type Error = IllegalMove;

    fn try_from(travelling: Travelling) -> Result<History, IllegalMove> {
        let mut history = History::new(travelling.start);
        travelling.moves.into_iter().try_for_each(|played| history.play(played))?;
        Ok(history)
    }
}

/// A move that the rules do not allow where it was made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("move {number}: {color} cannot play {played} here")]
pub struct IllegalMove {
    /// Number of the move in its game, from 1, passes counted.
    pub number: usize,
    /// Who tried it.
    pub color: Color,
    /// What was tried.
    pub played: Move,
}

impl Default for History {
    fn default() -> Self {
        History::new(Board::START)
    }
}

impl History {
    /// A game with no moves yet.
    pub fn new(start: Board) -> History {
        History { start, moves: Vec::new(), boards: vec![start] }
    }

    /// The board the game began with.
    pub fn start(&self) -> Board {
        self.start
    }

    /// The board now.
    pub fn board(&self) -> Board {
        self.boards[self.boards.len() - 1]
    }

    /// The moves so far, passes included.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The boards from the start to now: one more than moves.
    pub fn boards(&self) -> &[Board] {
        &self.boards
    }

    /// Whether neither side can move.
    pub fn is_over(&self) -> bool {
        self.board().position.is_over()
    }

    /// Plays a move or an explicit, forced pass.
    ///
    /// # Errors
    /// If the rules forbid it; the game is then unchanged.
    pub fn play(&mut self, played: Move) -> Result<(), IllegalMove> {
        let Board { position, turn } = self.board();
        match position.after(played) {
            Some(next) => {
                self.moves.push(played);
                self.boards.push(Board { position: next, turn: !turn });
                Ok(())
            }
            None => Err(IllegalMove { number: self.moves.len() + 1, color: turn, played }),
        }
    }

    /// Plays a move, first passing for a side that must pass (formats that leave passes out).
    ///
    /// # Errors
    /// If the move is illegal even so; the game is then unchanged.
    pub fn play_passing(&mut self, played: Move) -> Result<(), IllegalMove> {
        if played != Move::Pass && self.board().position.must_pass() {
            self.play(Move::Pass)?;
            return self.play(played).inspect_err(|_| {
                self.undo();
            });
        }
        self.play(played)
    }

    /// Takes back the last move, if any.
    pub fn undo(&mut self) -> Option<Move> {
        let taken = self.moves.pop()?;
        self.boards.pop();
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_move, seeded};

    #[test]
    fn playing_and_undoing_a_random_game_returns_to_the_start() {
        let mut rng = seeded(12);
        for _ in 0..200 {
            let mut game = History::default();
            while let Some(chosen) = random_move(game.board().position, &mut rng) {
                game.play(chosen).unwrap();
            }
            assert!(game.is_over());
            assert_eq!(game.boards().len(), game.moves().len() + 1);
            let mut without_passes = History::default();
            for &played in game.moves().iter().filter(|&&m| m != Move::Pass) {
                without_passes.play_passing(played).unwrap();
            }
            assert_eq!(
                without_passes.board().position.final_score().abs(),
                game.board().position.final_score().abs()
            );
            while game.undo().is_some() {}
            assert_eq!(game, History::default());
        }
    }

    #[test]
    fn an_illegal_move_is_named_and_changes_nothing() {
        let mut game = History::default();
        game.play("f5".parse().unwrap()).unwrap();
        let before = game.clone();
        let error = game.play("a1".parse().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "move 2: white cannot play a1 here");
        let error = game.play(Move::Pass).unwrap_err();
        assert_eq!(error.to_string(), "move 2: white cannot play pa here");
        assert_eq!(game, before);
    }
}
