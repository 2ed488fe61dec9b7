//! What is known about openings, as the page shows it: the name of the opening on the board, and the
//! moves that lead to others.

use serde::Serialize;

use crate::book;
use crate::record::History;

/// What is known of a position.
#[derive(Serialize, Debug, Clone, Default, PartialEq)]
pub(super) struct BookView {
    /// The opening's name, if it has one.
    pub name: Option<String>,
    /// The moves that are known.
    pub moves: Vec<BookMove>,
}

/// A known move.
#[derive(Serialize, Debug, Clone, PartialEq)]
pub(super) struct BookMove {
    pub r#move: String,
    /// Discs from the mover's view, if the book has a value.
    pub value: Option<f64>,
    /// Games or visits behind the value, if the book counts them.
    pub games: Option<u64>,
    /// The name of the opening that the move leads to.
    pub name: Option<String>,
}

/// Whether a book with values is loaded.
pub(super) fn is_loaded() -> bool {
    false
}

/// What is known of the game's last position.
pub(super) fn view(history: &History) -> BookView {
    let named = history.board().position.children().filter_map(|(played, after)| {
        let name = book::position_name(after)?;
        Some(BookMove {
            r#move: played.to_string(),
            value: None,
            games: None,
            name: Some(name.to_owned()),
        })
    });
    BookView { name: book::opening_name(history).map(str::to_owned), moves: named.collect() }
}

#[cfg(test)]
mod tests {
    use super::super::tab::history;
    use super::*;

    #[test]
    fn openings_are_named_and_so_are_those_that_follow() {
        let tiger = view(&history("f5d6c3d3c4f4").unwrap());
        assert!(tiger.name.is_some());
        assert!(!tiger.moves.is_empty());
        assert_eq!(view(&history("").unwrap()).name, None);
    }
}
