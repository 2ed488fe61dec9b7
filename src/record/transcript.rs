//! Transcripts: `f5d6c3…`, two characters a move, from the usual start unless a board comes first.
//!
//! Read leniently: any case; blanks, single dashes, commas and move numbers (`12.`) between moves;
//! passes left out or written `pa`, `ps`, `pass`, `--`, `@@`. Written canonically: lower case, no
//! passes; the start board first if it is not the usual one or there is no move to show.

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, tag_no_case};
use nom::character::complete::{char, digit1, multispace1, one_of};
use nom::combinator::{map_opt, not, recognize, value};
use nom::multi::many0_count;
use nom::sequence::terminated;

use super::board::square_symbol;
use super::grammar::{Parsed, named, run, trimmed};
use super::{Board, Fault, History, RecordError};
use crate::othello::{Move, Square};

/// Squares of a board.
const SQUARES: usize = 64;

fn square(input: &str) -> Parsed<'_, Move> {
    let name = recognize((one_of("abcdefghABCDEFGH"), one_of("12345678")));
    map_opt(name, |text: &str| text.parse::<Square>().ok().map(Move::Place)).parse(input)
}

/// A pass in any spelling, the longest first.
fn pass(input: &str) -> Parsed<'_, Move> {
    let spelled =
        alt((tag_no_case("pass"), tag_no_case("pa"), tag_no_case("ps"), tag("--"), tag("@@")));
    value(Move::Pass, spelled).parse(input)
}

/// What may stand between two moves and means nothing.
fn filler(input: &str) -> Parsed<'_, ()> {
    let numbered = recognize((digit1, char('.')));
    value((), many0_count(alt((multispace1, tag(","), numbered, single_dash)))).parse(input)
}

/// A dash that is not the first of the two that mean a pass.
fn single_dash(input: &str) -> Parsed<'_, &str> {
    terminated(tag("-"), not(char('-'))).parse(input)
}

fn one_move(input: &str) -> Parsed<'_, Move> {
    named("a move (a1 to h8) or a pass", alt((square, pass))).parse(input)
}

/// The 64 squares and the side at the head of a line, if it begins with them.
fn leading_board(text: &str) -> Option<(&str, &str)> {
    let squares: usize =
        text.chars().take(SQUARES).map_while(|c| square_symbol(c).map(|_| c.len_utf8())).sum();
    if squares != SQUARES {
        return None;
    }
    let side = text[squares..].trim_start();
    let end = side.find(char::is_whitespace).unwrap_or(side.len());
    let board_length = text.len() - side.len() + end;
    Some(text.split_at(board_length))
}

/// Reads a game; it may stop before the end.
///
/// # Errors
/// If something is no move, or a move is illegal; the error names its number and place.
pub fn parse(text: &str) -> Result<History, RecordError> {
    let mut rest = trimmed(text);
    let mut history = History::default();
    if let Some((board, moves)) = leading_board(rest) {
        let start: Board =
            board.parse().map_err(|error| Fault::Board(error).before(board, text))?;
        history = History::new(start);
        rest = moves;
    }
    loop {
        let (after_filler, ()) = run(filler, rest)?;
        if after_filler.is_empty() {
            return Ok(history);
        }
        let (after, played) = one_move(after_filler).map_err(|_| {
            Fault::expected("a move (a1 to h8) or a pass", after_filler).before(after_filler, text)
        })?;
        let over = history.is_over();
        // Passes that some programs write after the last move say nothing.
        if !(over && played == Move::Pass) {
            history
                .play_passing(played)
                .map_err(|illegal| Fault::Illegal(illegal).before(after_filler, text))?;
        }
        rest = after;
    }
}

/// The moves in lower case without passes; the start board first if it is not the usual one or
/// there is no move.
pub fn write(history: &History) -> String {
    let mut text = String::new();
    let placed = || history.moves().iter().filter_map(|played| played.square());
    if history.start() != Board::START || placed().next().is_none() {
        text = history.start().to_string();
        text.push(' ');
    }
    text.extend(placed().map(|square| square.to_string()));
    text.truncate(text.trim_end().len());
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::game_record::tests::any_history;
    use proptest::prelude::*;

    #[test]
    fn all_clothes_of_one_game_are_one_game() {
        let plain = parse("f5d6c3d3c4f4").unwrap();
        for text in [
            "F5d6C3d3C4f4",
            "1. f5 d6 2. c3 d3\r\n3. c4 f4\n",
            "f5-d6-c3,d3,c4 f4",
            "\u{feff}f5d6c3d3c4f4\0",
        ] {
            assert_eq!(parse(text).unwrap(), plain, "{text}");
        }
        assert_eq!(write(&plain), "f5d6c3d3c4f4");
    }

    #[test]
    fn passes_may_be_written_or_left_out() {
        // White has no move after this: the shortest game with a pass.
        let opening = "f5d6c5f4e3c6d3f6e6d7";
        assert!(parse(opening).is_ok());
        let with_pass = crate::record::game_record::tests::random_history;
        let game = (0..)
            .map(|seed| with_pass(seed, 80, true))
            .find(|game| game.moves().contains(&Move::Pass))
            .unwrap();
        for pass in ["pa", "PS", "Pass", "--", "@@", ""] {
            let text: String = game
                .moves()
                .iter()
                .map(|played| played.square().map_or(pass.to_owned(), |s| s.to_string()))
                .collect();
            assert_eq!(parse(&text).unwrap(), game, "{text}");
        }
        // Two passes after the end change nothing.
        assert_eq!(parse(&(write(&game) + "papa")).unwrap(), game);
    }

    #[test]
    fn the_first_illegal_move_is_named_with_its_place() {
        let error = parse("f5 d6\nc3 a1").unwrap_err().to_string();
        assert_eq!(error, "line 2, column 4: move 4: white cannot play a1 here");
        let error = parse("f5x9").unwrap_err().to_string();
        assert!(error.starts_with("line 1, column 3: expected a move"), "{error}");
        assert!(parse("f5pa").unwrap_err().to_string().contains("white cannot play pa"));
    }

    proptest! {
        #[test]
        fn writing_and_reading_is_the_identity(history in any_history()) {
            let mut history = history;
            // A pass at the very end is implied by nothing and not written.
            while history.moves().last() == Some(&Move::Pass) {
                history.undo();
            }
            prop_assert_eq!(parse(&write(&history)).unwrap(), history);
        }

        #[test]
        fn any_text_gives_a_game_or_an_error(text in "[a-h1-8XO. -]{0,90}") {
            let _ = parse(&text);
        }
    }
}
