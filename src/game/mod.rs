//! The small trait the research searches are generic over, and the games that implement it.
//!
//! The papers define their methods on abstract game trees and try them on several games; a method
//! written against [`Game`] runs on Othello, on tic-tac-toe and on synthetic trees alike.

pub mod othello;
#[cfg(feature = "shogi")]
pub mod shogi;
pub mod small_othello;
pub mod synthetic;
pub mod tictactoe;

use std::fmt::{Debug, Display};
use std::hash::Hash;

pub use othello::Othello;
#[cfg(feature = "shogi")]
pub use shogi::Shogi;
pub use small_othello::SmallOthello;
pub use synthetic::Synthetic;
pub use tictactoe::TicTacToe;

/// Which of the two players is to move: the one who began or the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Side {
    /// The player who moved first from the game's start.
    First,
    /// The other one.
    Second,
}

impl Side {
    /// The opponent.
    pub const fn other(self) -> Side {
        match self {
            Side::First => Side::Second,
            Side::Second => Side::First,
        }
    }
}

/// A two-player zero-sum game of perfect information.
pub trait Game {
    /// A position with the side to move.
    type State: Clone + Eq + Hash + Debug;
    /// What a player does in one turn, forced passes included.
    type Action: Copy + Eq + Debug + Display;

    /// The usual start.
    fn start(&self) -> Self::State;

    /// All legal actions; empty exactly when the game is over. A forced pass is an action.
    fn actions(&self, state: &Self::State) -> Vec<Self::Action>;

    /// The state after a legal action.
    fn apply(&self, state: &Self::State, action: Self::Action) -> Self::State;

    /// Whose turn it is.
    fn to_move(&self, state: &Self::State) -> Side;

    /// The result of a finished game from the mover's point of view, or `None` while it goes on.
    fn terminal_value(&self, state: &Self::State) -> Option<f64>;

    /// Whether this action is a forced pass (searches may let it use up no depth).
    fn is_pass(&self, _action: Self::Action) -> bool {
        false
    }
}

/// A game in which a move keeps its identity from one position to another (Iida and Kotani 1992).
pub trait MoveIdentity: Game {
    /// Whether `action` in `state` and `other` in `elsewhere` are the same move. A forced pass is
    /// never the same as anything.
    fn is_same_move(
        &self,
        state: &Self::State,
        action: Self::Action,
        elsewhere: &Self::State,
        other: Self::Action,
    ) -> bool {
        let same_side = self.to_move(state) == self.to_move(elsewhere);
        same_side && action == other && !self.is_pass(action)
    }
}

/// Plain minimax to the end of the game, mover's view: the definition every search is tested with.
pub fn solve<G: Game>(game: &G, state: &G::State) -> f64 {
    game.terminal_value(state).unwrap_or_else(|| {
        game.actions(state)
            .into_iter()
            .map(|action| -solve(game, &game.apply(state, action)))
            .fold(f64::NEG_INFINITY, f64::max)
    })
}
