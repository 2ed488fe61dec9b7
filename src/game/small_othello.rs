//! Othello on a smaller board: 4×4, small enough to enumerate everything that two players can do, and
//! 6×6. The rules are those of the usual game; the value of a finished game is its disc difference
//! with the empties going to the winner.

use std::fmt;

use super::{Game, MoveIdentity, Side};

/// Othello on a board of `size` × `size` squares.
#[derive(Clone, Copy, Debug)]
pub struct SmallOthello {
    size: u8,
}

/// The discs of both sides, bit `8·row + column`, and whose turn it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SmallPosition {
    mover: u64,
    opponent: u64,
    player: Side,
}

/// A square, or a forced pass.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SmallMove {
    /// The bit number of the square.
    Place(u8),
    /// No legal move.
    Pass,
}

impl fmt::Display for SmallMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SmallMove::Place(bit) => write!(f, "{}{}", (b'a' + bit % 8) as char, bit / 8 + 1),
            SmallMove::Pass => f.write_str("pa"),
        }
    }
}

const DIRECTIONS: [(i8, i8); 8] =
    [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)];

impl SmallOthello {
    /// The board of 4 × 4 squares.
    pub const FOUR: SmallOthello = SmallOthello { size: 4 };
    /// The board of 6 × 6 squares.
    pub const SIX: SmallOthello = SmallOthello { size: 6 };

    fn squares(&self) -> impl Iterator<Item = u8> + use<> {
        let size = self.size;
        (0..size).flat_map(move |row| (0..size).map(move |column| 8 * row + column))
    }

    /// The discs that a disc on this square turns over; none if it is no move.
    fn flips(&self, mover: u64, opponent: u64, square: u8) -> u64 {
        if (mover | opponent) >> square & 1 == 1 {
            return 0;
        }
        let inside = 0..self.size as i8;
        let mut flips = 0;
        for (down, right) in DIRECTIONS {
            let (mut row, mut column) = ((square / 8) as i8 + down, (square % 8) as i8 + right);
            let mut line = 0;
            while inside.contains(&row) && inside.contains(&column) {
                let bit = 1 << (8 * row + column);
                if mover & bit != 0 {
                    flips |= line;
                }
                if opponent & bit == 0 {
                    break;
                }
                line |= bit;
                (row, column) = (row + down, column + right);
            }
        }
        flips
    }

    fn has_move(&self, mover: u64, opponent: u64) -> bool {
        self.squares().any(|square| self.flips(mover, opponent, square) != 0)
    }
}

impl Game for SmallOthello {
    type State = SmallPosition;
    type Action = SmallMove;

    fn start(&self) -> SmallPosition {
        let middle = self.size / 2;
        let bit = |row: u8, column: u8| 1u64 << (8 * row + column);
        SmallPosition {
            mover: bit(middle - 1, middle) | bit(middle, middle - 1),
            opponent: bit(middle - 1, middle - 1) | bit(middle, middle),
            player: Side::First,
        }
    }

    fn actions(&self, state: &SmallPosition) -> Vec<SmallMove> {
        let SmallPosition { mover, opponent, .. } = *state;
        let legal = self.squares().filter(|&square| self.flips(mover, opponent, square) != 0);
        let moves: Vec<SmallMove> = legal.map(SmallMove::Place).collect();
        if moves.is_empty() && self.has_move(opponent, mover) {
            return vec![SmallMove::Pass];
        }
        moves
    }

    fn apply(&self, state: &SmallPosition, action: SmallMove) -> SmallPosition {
        let SmallPosition { mover, opponent, player } = *state;
        let (placed, flips) = match action {
            SmallMove::Place(square) => (1 << square, self.flips(mover, opponent, square)),
            SmallMove::Pass => (0, 0),
        };
        SmallPosition {
            mover: opponent & !flips,
            opponent: mover | placed | flips,
            player: player.other(),
        }
    }

    fn to_move(&self, state: &SmallPosition) -> Side {
        state.player
    }

    fn terminal_value(&self, state: &SmallPosition) -> Option<f64> {
        let SmallPosition { mover, opponent, .. } = *state;
        if self.has_move(mover, opponent) || self.has_move(opponent, mover) {
            return None;
        }
        let (own, other) = (f64::from(mover.count_ones()), f64::from(opponent.count_ones()));
        let empties = f64::from(self.size) * f64::from(self.size) - own - other;
        let difference = own - other;
        Some(if difference == 0.0 { 0.0 } else { difference + difference.signum() * empties })
    }

    fn is_pass(&self, action: SmallMove) -> bool {
        action == SmallMove::Pass
    }
}

/// The same colour on the same square.
impl MoveIdentity for SmallOthello {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Othello, solve};
    use rand::Rng;

    #[test]
    fn the_second_player_wins_4_by_4_othello() {
        // A known result: 3 to 11, and two empties that go to the winner.
        let value = solve(&SmallOthello::FOUR, &SmallOthello::FOUR.start());
        assert_eq!(value, -10.0);
    }

    /// On eight by eight squares it is the usual game.
    #[test]
    fn on_the_usual_board_it_is_the_usual_game() {
        let small = SmallOthello { size: 8 };
        let mut rng = crate::random::seeded(44);
        for _ in 0..20 {
            let (mut a, mut b) = (small.start(), Othello.start());
            loop {
                let (actions, others) = (small.actions(&a), Othello.actions(&b));
                assert_eq!(actions.len(), others.len());
                assert_eq!(small.terminal_value(&a), Othello.terminal_value(&b));
                if actions.is_empty() {
                    break;
                }
                let index = rng.random_range(0..actions.len());
                assert_eq!(actions[index].to_string(), others[index].to_string());
                (a, b) = (small.apply(&a, actions[index]), Othello.apply(&b, others[index]));
            }
        }
    }
}
