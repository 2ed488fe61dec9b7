//! The words of GTP's replies: `=[id] text` or `?[id] message`, and an empty line.

use std::fmt::Write;

use crate::othello::{Color, Move, Square};
use crate::record::Board;
use crate::search::report::DepthLabel;
use crate::search::{Event, Line};

/// For a person at the keyboard. No blank line: one would end the reply.
pub(super) const HELP: &str = "\
play black f5        make a move; also white, also pass
genmove white        Kitai moves
undo                 take back the last move
showboard            the board
clear_board          a new game
kitai-set_level 3    0 (for children) to 10
kitai-set depth 12   an option; kitai-options lists them
kitai-analyze        all moves valued until the next line
final_score          the result
loadsgf FILE         a game from a file; printsgf shows it
quit                 leave
list_commands        everything
A game in the terminal: kitai play.";

/// What GoGui's analyze window offers: a type, a label and a command per line.
pub(super) const ANALYZE_COMMANDS: &str = "\
plist/Legal Moves/gogui-rules_legal_moves
string/Best Move Of Black/reg_genmove black
string/Best Move Of White/reg_genmove white
string/Final Score/final_score
hstring/Kitai Options/kitai-options
none/Kitai Set Level/kitai-set_level %s
none/Kitai Set Option/kitai-set %s";

/// Appends a successful reply; a text of several lines has no empty one.
pub(super) fn success(out: &mut String, id: Option<u32>, text: &str) {
    reply(out, '=', id, text);
}

/// Appends a failure.
pub(super) fn failure(out: &mut String, id: Option<u32>, message: &str) {
    reply(out, '?', id, message);
}

fn reply(out: &mut String, mark: char, id: Option<u32>, text: &str) {
    begin(out, mark, id);
    if !text.is_empty() {
        out.push(' ');
        out.push_str(text);
    }
    out.push_str("\n\n");
}

fn begin(out: &mut String, mark: char, id: Option<u32>) {
    out.push(mark);
    if let Some(id) = id {
        let _ = write!(out, "{id}");
    }
}

/// Opens a successful reply whose lines will follow one by one; an empty line ends it.
pub(super) fn open_stream(out: &mut String, id: Option<u32>) {
    begin(out, '=', id);
    out.push('\n');
}

/// A move as GTP writes it.
pub(super) fn vertex(played: Move) -> String {
    match played {
        Move::Place(square) => square.to_string(),
        Move::Pass => "pass".to_owned(),
    }
}

/// The board for people, row 1 on top; begins with a line break so that it starts on its own line.
pub(super) fn show_board(board: Board) -> String {
    let mut text = String::from("\n  A B C D E F G H");
    for row in 0..8 {
        let _ = write!(text, "\n{}", row + 1);
        for square in Square::all().filter(|square| square.row() == row) {
            let symbol = board.at(square).map_or('.', Color::symbol);
            let _ = write!(text, " {symbol}");
        }
        let _ = write!(text, " {}", row + 1);
    }
    let (black, white) = (board.discs(Color::Black).count(), board.discs(Color::White).count());
    let _ = write!(text, "\n  A B C D E F G H\nX black {black}, O white {white}");
    if board.position.is_over() {
        text.push_str(", game over");
    } else {
        let _ = write!(text, ", {} to move", board.turn);
    }
    text
}

/// The board for GoGui, which counts rows from the bottom: row 8 first.
pub(super) fn gogui_board(board: Board) -> String {
    let mut text = String::new();
    for row in (0..8).rev() {
        for square in Square::all().filter(|square| square.row() == row) {
            let symbol = board.at(square).map_or('.', Color::symbol);
            let _ = write!(text, "{}{symbol}", if square.column() == 0 { "\n" } else { " " });
        }
    }
    text
}

/// `B+10`, `W+4` or `0`.
pub(super) fn score(black_view: i32) -> String {
    match black_view {
        0 => "0".to_owned(),
        won if won > 0 => format!("B+{won}"),
        lost => format!("W+{}", -lost),
    }
}

/// The result in words, for GoGui.
pub(super) fn result_text(board: Board) -> String {
    let (black, white) = (board.discs(Color::Black).count(), board.discs(Color::White).count());
    let points = board.final_score_for_black();
    let verdict = match points {
        0 => "The game is a draw.".to_owned(),
        won if won > 0 => format!("Black wins by {won} points."),
        lost => format!("White wins by {} points.", -lost),
    };
    format!("{verdict} Final score is B {black} and W {white}")
}

/// One report of an analysis: `info move …` for each line, all on one text line.
pub(super) fn analysis(event: &Event) -> String {
    let mut text = String::new();
    for (order, line) in event.lines.iter().enumerate() {
        if order > 0 {
            text.push(' ');
        }
        let _ = write!(
            text,
            "info move {} visits {} scoreLead {}{} depth {} order {order} pv{}",
            line.pv.first().copied().map_or_else(|| "pass".to_owned(), vertex),
            if line.visits > 0 { line.visits } else { event.nodes },
            line.score,
            line.uncertainty.map_or_else(String::new, |discs| format!(" scoreStdev {discs:.2}")),
            DepthLabel(event.depth, line.certainty),
            principal_variation(line),
        );
    }
    text.push('\n');
    text
}

fn principal_variation(line: &Line) -> String {
    line.pv.iter().map(|&played| format!(" {}", vertex(played))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_echo_the_id_and_end_with_one_empty_line() {
        let mut out = String::new();
        success(&mut out, Some(7), "f5");
        success(&mut out, None, "");
        failure(&mut out, Some(0), "syntax error");
        assert_eq!(out, "=7 f5\n\n=\n\n?0 syntax error\n\n");
    }

    #[test]
    fn boards_have_no_empty_line_and_gogui_sees_row_8_first() {
        let f5 = Board {
            position: Board::START.position.play("f5".parse().unwrap()).unwrap(),
            turn: Color::White,
        };
        let shown = show_board(f5);
        assert!(shown.lines().skip(1).all(|line| !line.is_empty()));
        assert!(shown.contains("\n5 . . . X X X . . 5\n"), "{shown}");
        let gogui: Vec<String> = gogui_board(f5).lines().skip(1).map(str::to_owned).collect();
        assert_eq!(gogui.len(), 8);
        assert_eq!(gogui[3], ". . . X X X . .");
    }

    #[test]
    fn the_help_fits_a_narrow_terminal() {
        assert!(HELP.lines().all(|line| !line.is_empty() && line.chars().count() < 60), "{HELP}");
    }

    #[test]
    fn scores_read_as_gtp_wants_them() {
        assert_eq!((score(10), score(-4), score(0)), ("B+10".into(), "W+4".into(), "0".into()));
    }
}
