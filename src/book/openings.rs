//! The names that players have given to openings.
//!
//! A name belongs to a board, whatever order of moves or symmetric line led to it; a game is called
//! by the last of its boards that has a name. The list is `openings.txt` beside this file.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::othello::Position;
use crate::othello::symmetry::canonical;
use crate::record::{Board, History, transcript};

const LIST: &str = include_str!("openings.txt");

static NAMES: LazyLock<HashMap<Position, &'static str>> = LazyLock::new(|| {
    lines()
        .filter_map(|(moves, name)| {
            let history = transcript::parse(moves).ok()?;
            Some((canonical(history.board().position).0, name))
        })
        .collect()
});

/// Moves and name of every line of the list.
fn lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    LIST.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(' '))
}

/// The name of the opening that a game from the usual start has reached: that of the last board
/// with a name. `None` before there is one, and for games from other boards.
///
/// ```
/// use kitai::{book, record::transcript};
/// let game = transcript::parse("f5d6c3d3c4f4f6")?;
/// assert_eq!(book::opening_name(&game), Some("Stephenson"));
/// # Ok::<(), kitai::record::RecordError>(())
/// ```
pub fn opening_name(history: &History) -> Option<&'static str> {
    if history.start() != Board::START {
        return None;
    }
    history.boards().iter().rev().find_map(|board| position_name(board.position))
}

/// The name of the opening that ends in exactly this position.
pub fn position_name(position: Position) -> Option<&'static str> {
    NAMES.get(&canonical(position).0).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_list_is_a_game_and_has_a_board_of_its_own() {
        for (moves, name) in lines() {
            let history = transcript::parse(moves).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert_eq!(opening_name(&history), Some(name), "{moves}");
        }
        assert_eq!(NAMES.len(), lines().count());
        assert!(NAMES.len() > 60);
    }

    #[test]
    fn symmetric_lines_have_one_name_and_later_moves_keep_it() {
        for moves in ["f5d6c3d3c4", "c4e3f6e6f5", "e6f4c3c4d3", "d3c5f6f5e6"] {
            assert_eq!(opening_name(&transcript::parse(moves).unwrap()), Some("Tiger"), "{moves}");
        }
        let later = transcript::parse("f5f6e6f4g5e7").unwrap();
        assert_eq!(opening_name(&later), Some("Heath"));
        assert_eq!(opening_name(&History::default()), None);
        let elsewhere = History::new(
            "XO--------------------------------------------------------------X".parse().unwrap(),
        );
        assert_eq!(opening_name(&elsewhere), None);
    }
}
