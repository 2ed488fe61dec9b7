//! Tic-tac-toe, the proving ground of the mixed-strategy paper and of generic searches.

use std::fmt;

use super::{Game, MoveIdentity, Side};

/// The game of tic-tac-toe; a win is worth 1, a draw 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct TicTacToe;

/// Cells as 9-bit sets, bit 0 top left, bit 8 bottom right.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Grid {
    /// Cells of the side to move.
    pub mover: u16,
    /// Cells of the other side.
    pub opponent: u16,
}

/// A cell 0–8, row by row.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cell(pub u8);

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.0 % 3) as char, self.0 / 3 + 1)
    }
}

/// The eight winning lines.
const LINES: [u16; 8] = [0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124];

/// Whether a set of cells holds a whole line.
pub fn has_line(cells: u16) -> bool {
    LINES.iter().any(|line| cells & line == *line)
}

impl Game for TicTacToe {
    type State = Grid;
    type Action = Cell;

    fn start(&self) -> Grid {
        Grid::default()
    }

    fn actions(&self, state: &Grid) -> Vec<Cell> {
        if has_line(state.opponent) {
            return Vec::new();
        }
        (0..9).filter(|&i| (state.mover | state.opponent) >> i & 1 == 0).map(Cell).collect()
    }

    fn apply(&self, state: &Grid, action: Cell) -> Grid {
        Grid { mover: state.opponent, opponent: state.mover | 1 << action.0 }
    }

    fn to_move(&self, state: &Grid) -> Side {
        if (state.mover | state.opponent).count_ones().is_multiple_of(2) {
            Side::First
        } else {
            Side::Second
        }
    }

    fn terminal_value(&self, state: &Grid) -> Option<f64> {
        if has_line(state.opponent) {
            Some(-1.0)
        } else if state.mover | state.opponent == 0o777 {
            Some(0.0)
        } else {
            None
        }
    }
}

/// The same sign in the same cell.
impl MoveIdentity for TicTacToe {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::solve;

    /// Finished games from a state: (first player wins, second player wins, draws).
    fn count_games(state: &Grid) -> (u32, u32, u32) {
        if let Some(value) = TicTacToe.terminal_value(state) {
            return match (value < 0.0, TicTacToe.to_move(state)) {
                (true, Side::Second) => (1, 0, 0),
                (true, Side::First) => (0, 1, 0),
                _ => (0, 0, 1),
            };
        }
        TicTacToe.actions(state).iter().fold((0, 0, 0), |sum, &action| {
            let below = count_games(&TicTacToe.apply(state, action));
            (sum.0 + below.0, sum.1 + below.1, sum.2 + below.2)
        })
    }

    #[test]
    fn the_game_tree_has_its_known_size() {
        assert_eq!(count_games(&TicTacToe.start()), (131_184, 77_904, 46_080));
    }

    #[test]
    fn perfect_play_is_a_draw() {
        assert_eq!(solve(&TicTacToe, &TicTacToe.start()), 0.0);
    }
}
