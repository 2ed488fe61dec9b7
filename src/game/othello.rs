//! Othello as a [`Game`]: a position plus the player on turn; value = final disc difference with
//! the empties going to the winner.

use super::{Game, MoveIdentity, Side};
use crate::othello::{Move, Position};

/// The game of Othello.
#[derive(Clone, Copy, Debug, Default)]
pub struct Othello;

/// A position and whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OthelloState {
    /// The discs, mover first.
    pub position: Position,
    /// Who the mover is.
    pub player: Side,
}

impl Game for Othello {
    type State = OthelloState;
    type Action = Move;

    fn start(&self) -> OthelloState {
        OthelloState { position: Position::START, player: Side::First }
    }

    fn actions(&self, state: &OthelloState) -> Vec<Move> {
        state.position.children().map(|(action, _)| action).collect()
    }

    fn apply(&self, state: &OthelloState, action: Move) -> OthelloState {
        OthelloState {
            position: state.position.after_unchecked(action),
            player: state.player.other(),
        }
    }

    fn to_move(&self, state: &OthelloState) -> Side {
        state.player
    }

    fn terminal_value(&self, state: &OthelloState) -> Option<f64> {
        state.position.is_over().then(|| f64::from(state.position.final_score()))
    }

    fn is_pass(&self, action: Move) -> bool {
        action == Move::Pass
    }
}

/// The same colour on the same square, whatever it flips.
impl MoveIdentity for Othello {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{scattered_position, seeded};

    #[test]
    fn a_forced_pass_is_the_only_action_and_a_finished_game_has_none() {
        let mut rng = seeded(4);
        let (mut passes, mut ends) = (0, 0);
        for _ in 0..3_000 {
            let state =
                OthelloState { position: scattered_position(4, &mut rng), player: Side::First };
            let actions = Othello.actions(&state);
            assert_eq!(actions.is_empty(), Othello.terminal_value(&state).is_some());
            if state.position.must_pass() {
                assert_eq!(actions, [Move::Pass]);
                passes += 1;
            }
            ends += usize::from(actions.is_empty());
            for action in actions {
                assert_eq!(Othello.to_move(&Othello.apply(&state, action)), Side::Second);
            }
        }
        assert!(passes > 0 && ends > 0);
    }
}
