//! Shogi as a [`Game`]: the game that shared search was written about (Iida and Kotani 1992).
//!
//! The rules are those of the crate `haitaka`. Only the lab plays it, behind the cargo feature
//! `shogi`. Who has no legal move has lost; repetition and impasse are not known here, so whoever
//! plays whole games ends them after a number of plies. The evaluation is the paper's kind: material
//! and piece-square values, in pawns.

use std::fmt;

use haitaka::{Board, Color, Move, Piece};

use super::{Game, MoveIdentity, Side};

/// The game of shogi; a win is worth [`WIN`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Shogi;

/// The value of a won game in pawns: more than all material.
pub const WIN: f64 = 1_000.0;

/// More than the 593 moves that a legal position can have.
pub const MOST_MOVES: usize = 600;

/// A move or a drop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ShogiMove(pub Move);

impl fmt::Display for ShogiMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What a piece is worth on the board, in pawns.
fn on_board(piece: Piece) -> f64 {
    match piece {
        Piece::Pawn => 1.0,
        Piece::Lance => 3.0,
        Piece::Knight => 4.0,
        Piece::Silver => 5.0,
        Piece::Gold | Piece::PLance | Piece::PKnight | Piece::PSilver => 6.0,
        Piece::Tokin => 7.0,
        Piece::Bishop => 8.0,
        Piece::Rook => 10.0,
        Piece::PBishop => 10.0,
        Piece::PRook => 12.0,
        Piece::King => 0.0,
    }
}

/// What a piece in hand is worth more than on the board: it can be dropped anywhere.
const IN_HAND: f64 = 1.1;

/// The piece-square value in pawns: `advanced` ranks from the own edge (0 to 8), `aside` files from
/// the middle one (0 to 4). Attackers like to be forward and central, the king at home and aside.
fn on_square(piece: Piece, advanced: f64, aside: f64) -> f64 {
    match piece {
        Piece::King => -0.25 * advanced + 0.15 * aside,
        Piece::Pawn => 0.05 * advanced,
        Piece::Lance => 0.0,
        Piece::Knight => 0.05 * advanced - 0.05 * aside,
        Piece::Silver => 0.1 * advanced - 0.05 * aside,
        Piece::Gold => -0.05 * aside,
        Piece::Bishop | Piece::Rook => 0.05 * advanced,
        _ => 0.1 * advanced - 0.1 * aside,
    }
}

/// Material and piece-square values of one side, in pawns.
fn worth(board: &Board, color: Color) -> f64 {
    let mut sum = 0.0;
    for piece in Piece::ALL {
        for square in board.colored_pieces(color, piece) {
            // Seen from Black, who moves first, rank 0 is the far edge.
            let rank = square.relative_to(color).rank() as i32;
            let file = square.file() as i32;
            sum += on_board(piece);
            sum += on_square(piece, f64::from(8 - rank), f64::from((file - 4).abs()));
        }
        let held = f64::from(board.num_in_hand(color, piece));
        sum += IN_HAND * held * on_board(piece);
    }
    sum
}

/// The static value for the side to move, in pawns.
pub fn evaluate(board: &Board) -> f64 {
    let mover = board.side_to_move();
    let other = if mover == Color::Black { Color::White } else { Color::Black };
    worth(board, mover) - worth(board, other)
}

impl Game for Shogi {
    type State = Board;
    type Action = ShogiMove;

    fn start(&self) -> Board {
        Board::startpos()
    }

    fn actions(&self, state: &Board) -> Vec<ShogiMove> {
        let mut actions = Vec::new();
        state.generate_moves(|moves| {
            actions.extend(moves.into_iter().map(ShogiMove));
            false
        });
        actions
    }

    fn apply(&self, state: &Board, action: ShogiMove) -> Board {
        let mut after = state.clone();
        after.play_unchecked(action.0);
        after
    }

    fn to_move(&self, state: &Board) -> Side {
        if state.side_to_move() == Color::Black { Side::First } else { Side::Second }
    }

    fn terminal_value(&self, state: &Board) -> Option<f64> {
        (!state.generate_moves(|_| true)).then_some(-WIN)
    }
}

/// The paper's words: piece, from, to, promotion, capture and side agree.
impl MoveIdentity for Shogi {
    fn is_same_move(
        &self,
        state: &Board,
        action: ShogiMove,
        elsewhere: &Board,
        other: ShogiMove,
    ) -> bool {
        let pieces = |board: &Board| match action.0 {
            Move::Drop { .. } => [None, None],
            Move::BoardMove { from, to, .. } => [board.piece_on(from), board.piece_on(to)],
        };
        let same_side = state.side_to_move() == elsewhere.side_to_move();
        same_side && action == other && pieces(state) == pieces(elsewhere)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn perft(state: &Board, plies: u32) -> u64 {
        if plies == 0 {
            return 1;
        }
        let actions = Shogi.actions(state).into_iter();
        actions.map(|action| perft(&Shogi.apply(state, action), plies - 1)).sum()
    }

    #[test]
    fn the_start_has_its_known_numbers_of_lines() {
        let counts = [1, 2, 3, 4].map(|plies| perft(&Shogi.start(), plies));
        assert_eq!(counts, [30, 900, 25_470, 719_731]);
    }

    #[test]
    fn the_evaluation_is_even_at_the_start_and_turns_with_the_side() {
        let start = Shogi.start();
        assert!(evaluate(&start).abs() < 1e-9);
        // A pawn for Black: the rook's pawn is gone.
        let text = "lnsgkgsnl/1r5b1/pppppp1pp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b P 1";
        let board: Board = text.parse().unwrap();
        assert!(evaluate(&board) > 2.0);
        let other: Board = text.replace(" b P", " w P").parse().unwrap();
        assert_eq!(evaluate(&board), -evaluate(&other));
    }

    #[test]
    fn a_mated_side_has_lost() {
        let mated: Board = "4k4/4G4/4G4/9/9/9/9/9/4K4 w - 1".parse().unwrap();
        assert!(Shogi.actions(&mated).is_empty());
        assert_eq!(Shogi.terminal_value(&mated), Some(-WIN));
        assert_eq!(Shogi.terminal_value(&Shogi.start()), None);
    }

    #[test]
    fn the_same_move_has_the_same_piece_and_the_same_capture() {
        let start = Shogi.start();
        let find = |board: &Board, text: &str| {
            let found = Shogi.actions(board).into_iter().find(|action| action.to_string() == text);
            found.unwrap_or_else(|| panic!("{text} is legal"))
        };
        // Black's pawn push stays the same move after a move of each side.
        let push = find(&start, "7g7f");
        let later = Shogi.apply(&start, find(&start, "2g2f"));
        let later = Shogi.apply(&later, find(&later, "8c8d"));
        assert!(Shogi.is_same_move(&later, find(&later, "7g7f"), &start, push));
        assert!(!Shogi.is_same_move(&start, push, &later, find(&later, "2f2e")));
        // The rook's move to 2f is another move when a pawn stands there to be taken.
        let free: Board = "4k4/9/9/9/9/9/9/7R1/4K4 b - 1".parse().unwrap();
        let taken: Board = "4k4/9/9/9/9/7p1/9/7R1/4K4 b - 1".parse().unwrap();
        let (a, b) = (find(&free, "2h2f"), find(&taken, "2h2f"));
        assert_eq!(a, b);
        assert!(!Shogi.is_same_move(&free, a, &taken, b));
    }
}
