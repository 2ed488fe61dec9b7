//! The game as a GTP client sees it: moves by colour, with the passes it may or may not send.
//!
//! Some clients send every pass, some send none (the same colour just moves again), some send
//! passes after the end. All of them drive the same [`History`]; a pass that had to be inserted
//! belongs to the move it was inserted for and is taken back with it.

use thiserror::Error;

use crate::othello::{Color, Move, Position};
use crate::record::{Board, History};

/// The move is not allowed, or it is not that colour's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("illegal move")]
pub struct Illegal;

/// What a colour can do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// It has a move in this position (the other side may have to pass first).
    Ready(Position),
    /// It must pass.
    MustPass,
    /// Nobody can move.
    Over,
    /// The other side is to move and can.
    OthersMove,
}

/// A history and how many of its plies each client's move made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Game {
    history: History,
    /// Plies per step: 2 where a pass was inserted.
    steps: Vec<usize>,
}

impl Game {
    /// A game with no moves.
    pub fn new(start: Board) -> Game {
        Game { history: History::new(start), steps: Vec::new() }
    }

    /// A game read from a record: each of its moves is a step.
    pub fn from_history(history: History) -> Game {
        let steps = vec![1; history.moves().len()];
        Game { history, steps }
    }

    /// The moves and boards.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The board now.
    pub fn board(&self) -> Board {
        self.history.board()
    }

    /// What this colour can do now.
    pub fn turn_of(&self, color: Color) -> Turn {
        let Board { position, turn } = self.board();
        if position.is_over() {
            Turn::Over
        } else if turn == color {
            if position.has_move() { Turn::Ready(position) } else { Turn::MustPass }
        } else if position.must_pass() {
            Turn::Ready(position.pass())
        } else {
            Turn::OthersMove
        }
    }

    /// Plays a move of a colour, inserting the pass of the other side if that is what it takes.
    /// A pass that was made already, or comes after the end, changes nothing.
    ///
    /// # Errors
    /// If the rules forbid it; the game is then unchanged.
    pub fn play(&mut self, color: Color, played: Move) -> Result<(), Illegal> {
        if played == Move::Pass {
            let already_passed =
                self.board().turn != color && self.history.moves().last() == Some(&Move::Pass);
            return match self.turn_of(color) {
                Turn::MustPass => self.step(Move::Pass),
                Turn::Over => Ok(()),
                _ if already_passed => Ok(()),
                _ => Err(Illegal),
            };
        }
        match self.turn_of(color) {
            Turn::Ready(_) => self.step(played),
            _ => Err(Illegal),
        }
    }

    fn step(&mut self, played: Move) -> Result<(), Illegal> {
        let before = self.history.moves().len();
        self.history.play_passing(played).map_err(|_| Illegal)?;
        self.steps.push(self.history.moves().len() - before);
        Ok(())
    }

    /// Takes back the last step; false if there is none.
    pub fn undo(&mut self) -> bool {
        let Some(plies) = self.steps.pop() else { return false };
        for _ in 0..plies {
            self.history.undo();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// White must pass after it; then g8 is Black's.
    const BEFORE_A_PASS: &str = "e6f4d3c4c3d6e3c2b3d2c5f5f3f6g4e2f2g5e1c1f1h4d1g1e7b1g3h3h6g6f7f8\
                                 b2a1b4c7a2b6b5c6d7a6a5a4a3b7h7c8d8e8a8h5a7h8b8";

    fn before_a_pass() -> Game {
        let mut history = History::default();
        for index in (0..BEFORE_A_PASS.len()).step_by(2) {
            history.play_passing(BEFORE_A_PASS[index..index + 2].parse().unwrap()).unwrap();
        }
        assert_eq!(history.board().turn, Color::White);
        assert!(history.board().position.must_pass());
        Game::from_history(history)
    }

    #[test]
    fn both_schools_of_passing_reach_the_same_board() {
        let g8 = "g8".parse().unwrap();
        let mut explicit = before_a_pass();
        assert_eq!(explicit.turn_of(Color::White), Turn::MustPass);
        explicit.play(Color::White, Move::Pass).unwrap();
        explicit.play(Color::White, Move::Pass).unwrap();
        explicit.play(Color::Black, g8).unwrap();
        let mut implicit = before_a_pass();
        implicit.play(Color::Black, g8).unwrap();
        assert_eq!(implicit.history(), explicit.history());
        assert!(implicit.undo() && explicit.undo());
        assert_eq!(implicit, before_a_pass());
        assert_eq!(explicit.board().turn, Color::Black);
        assert!(explicit.undo());
        assert_eq!(explicit, before_a_pass());
    }

    #[test]
    fn the_end_takes_passes_but_no_moves() {
        let mut game = before_a_pass();
        for (color, text) in [
            (Color::Black, "g8"),
            (Color::White, "g7"),
            (Color::Black, "h2"),
            (Color::White, "h1"),
            (Color::Black, "g2"),
        ] {
            let played = text.parse().unwrap();
            if game.play(color, played).is_err() {
                game.play(!color, played).unwrap();
            }
        }
        assert_eq!(game.turn_of(Color::Black), Turn::Over);
        assert_eq!(game.board().final_score_for_black(), 10);
        let over = game.clone();
        game.play(Color::White, Move::Pass).unwrap();
        game.play(Color::Black, Move::Pass).unwrap();
        assert_eq!(game.play(Color::Black, "a1".parse().unwrap()), Err(Illegal));
        assert_eq!(game, over);
    }

    #[test]
    fn wrong_colours_free_passes_and_illegal_squares_change_nothing() {
        let mut game = Game::default();
        for (color, text) in [(Color::White, "d6"), (Color::Black, "pass"), (Color::Black, "a1")] {
            assert_eq!(game.play(color, text.parse().unwrap()), Err(Illegal));
        }
        assert_eq!(game.turn_of(Color::White), Turn::OthersMove);
        assert!(!game.undo());
        assert_eq!(game, Game::default());
    }
}
