//! What is known about openings, as the page shows it: the name of the opening on the board, the moves
//! of the book that comes with the program, and the moves that lead to openings with a name.

use serde::Serialize;

use crate::book::options::use_builtin_by_default;
use crate::book::{self, BookError, BookSource, SharedBook};
use crate::options::Options;
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

/// The book that the options of the server name: the built-in one unless they say otherwise.
fn chosen(mut options: Options) -> Option<BookSource> {
    use_builtin_by_default(&mut options);
    BookSource::of(&options)
}

/// Whether there is a book with values.
pub(super) fn is_loaded(options: Options) -> bool {
    chosen(options).is_some()
}

/// What is known of the game's last position: the moves of the book, best first, then those that only
/// have a name.
///
/// # Errors
/// If the book cannot be read.
pub(super) fn view(history: &History, options: Options) -> Result<BookView, BookError> {
    let position = history.board().position;
    let book = chosen(options).map(|source| SharedBook::open(&source)).transpose()?;
    let known = book.and_then(|book| book.lookup(position)).map_or(Vec::new(), |found| found.moves);
    let name_after =
        |played| position.after(played).and_then(book::position_name).map(str::to_owned);
    let mut moves: Vec<BookMove> = known
        .iter()
        .map(|known| BookMove {
            r#move: known.played.to_string(),
            value: Some(known.value.score.discs()),
            games: Some(known.games.into()),
            name: name_after(known.played),
        })
        .collect();
    for (played, _) in position.children() {
        let name = name_after(played);
        if name.is_some() && !known.iter().any(|known| known.played == played) {
            moves.push(BookMove { r#move: played.to_string(), value: None, games: None, name });
        }
    }
    Ok(BookView { name: book::opening_name(history).map(str::to_owned), moves })
}

#[cfg(test)]
mod tests {
    use super::super::tab::history;
    use super::*;

    fn seen(moves: &str) -> BookView {
        view(&history(moves).unwrap(), Options::new()).unwrap()
    }

    #[test]
    fn openings_are_named_and_so_are_those_that_follow() {
        let tiger = seen("f5d6c3d3c4f4");
        assert!(tiger.name.is_some());
        assert!(!tiger.moves.is_empty());
        assert_eq!(seen("").name, None);
    }

    #[test]
    fn the_moves_of_the_book_come_first_with_their_values() {
        let replies = seen("f5").moves;
        assert_eq!(replies.len(), 3);
        assert!(replies.windows(2).all(|pair| pair[0].value >= pair[1].value), "{replies:?}");
        assert!(replies[0].value.is_some() && replies[0].games > Some(0));
    }

    #[test]
    fn without_a_book_only_names_are_left() {
        let mut options = Options::new();
        options.set("book", "none").unwrap();
        assert!(!is_loaded(options.clone()));
        let moves = view(&history("f5d6c3d3c4f4").unwrap(), options).unwrap().moves;
        assert!(moves.iter().all(|one| one.value.is_none() && one.name.is_some()));
    }
}
