//! `kitai show`: a position as a board people like to look at.

use std::fmt::Write;

use anstyle::{Ansi256Color, AnsiColor, Color as AnsiStyleColor, Color::Ansi as Color16, Style};
use serde::Serialize;

use super::input::GameArgs;
use super::{CliError, Output};
use crate::book;
use crate::othello::{Color, Square};
use crate::record::{Board, History};
use crate::text;

/// Show a position or the end of a game
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  kitai show f5d6c3d3c4\n  kitai show \
'---------------------------OX------XO--------------------------- X'\n  kitai show \
'(;GM[Othello]B[f5]W[d6];)'\n  kitai show games.wtb --number 3 --at 20\n  cat game.sgf | kitai show -\n\n\
With --json one object: board, turn, black, white, empties (discs and empty squares), legal_moves,\n\
must_pass, over, score (disc difference for Black, empties to the winner, once over), moves and \
opening (its name).")]
pub(super) struct Args {
    #[command(flatten)]
    game: GameArgs,
}

#[derive(Serialize)]
struct Report {
    board: String,
    turn: String,
    black: u32,
    white: u32,
    empties: u32,
    legal_moves: Vec<String>,
    must_pass: bool,
    over: bool,
    score: Option<i32>,
    moves: Vec<String>,
    opening: Option<&'static str>,
}

/// Runs the command.
///
/// # Errors
/// If the position cannot be read or standard output cannot be written.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let history = args.game.read()?.history;
    output.line(drawn(&history, output.color()))?;
    let board = history.board();
    output.object(&Report {
        board: board.to_string(),
        turn: board.turn.to_string(),
        black: board.discs(Color::Black).count(),
        white: board.discs(Color::White).count(),
        empties: board.position.empty_count(),
        legal_moves: board.position.legal_moves().into_iter().map(|s| s.to_string()).collect(),
        must_pass: board.position.must_pass(),
        over: history.is_over(),
        score: history.is_over().then(|| board.final_score_for_black()),
        moves: history.moves().iter().map(|played| played.to_string()).collect(),
        opening: book::opening_name(&history),
    })
}

/// The board with its rulers, and beside it what there is to say.
pub(super) fn drawn(history: &History, color: bool) -> String {
    let board = history.board();
    let facts = facts(history, color);
    let mut text = String::from("    a b c d e f g h\n");
    for row in 0..8 {
        write!(text, "  {} ", row + 1).expect("writing to a string cannot fail");
        for square in Square::all().filter(|square| square.row() == row) {
            text.push_str(&symbol(board, square, color));
        }
        let fact = facts.get(usize::from(row)).map_or("", String::as_str);
        writeln!(text, "  {fact}").expect("writing to a string cannot fail");
    }
    text
}

/// Black on green.
const GREEN: Style = Style::new().fg_color(Some(Color16(AnsiColor::Black))).bg_color(Some(BOARD));
/// The board's own colour.
const BOARD: AnsiStyleColor = AnsiStyleColor::Ansi256(Ansi256Color(29));
/// White discs on the board.
const WHITE: Style =
    Style::new().fg_color(Some(Color16(AnsiColor::BrightWhite))).bg_color(Some(BOARD));

/// Two characters for a square: a disc, `+` where the mover may play, or a dot. The discs differ in
/// shape as well as in colour.
fn symbol(board: Board, square: Square, color: bool) -> String {
    let legal = board.position.legal_moves().contains(square);
    let empty = if legal { '+' } else { '·' };
    let owner = board.at(square);
    let shape = owner.map_or(empty, |player| disc(player, color));
    if !color {
        return format!("{shape} ");
    }
    let style = if owner == Some(Color::White) { WHITE } else { GREEN };
    format!("{style}{shape} {style:#}")
}

/// The sign that stands for a player's discs on the board that [`drawn`] draws.
pub(super) fn disc(player: Color, color: bool) -> char {
    match (color, player) {
        (false, player) => player.symbol(),
        (true, Color::Black) => '●',
        (true, Color::White) => '○',
    }
}

fn facts(history: &History, color: bool) -> Vec<String> {
    let board = history.board();
    let side = |player: Color| {
        let discs = board.discs(player).count();
        let name = if player == Color::Black { "Black" } else { "White" };
        format!("{name} ({}): {}", disc(player, color), text::count(u64::from(discs), "disc"))
    };
    let moves = board.position.legal_moves();
    let state = if history.is_over() {
        match board.final_score_for_black() {
            0 => "the game is over: a draw".to_owned(),
            score if score > 0 => format!("the game is over: Black wins by {score}"),
            score => format!("the game is over: White wins by {}", -score),
        }
    } else if moves.is_empty() {
        format!("{} to move, and must pass", board.turn)
    } else {
        format!("{} to move, {} legal (+)", board.turn, moves.count())
    };
    let mut facts = vec![String::new(), side(Color::Black), side(Color::White)];
    facts.push(format!("{} empty", board.position.empty_count()));
    facts.push(state);
    if let Some(last) = history.moves().last() {
        facts.push(format!("last move: {last} ({} so far)", history.moves().len()));
    }
    if let Some(name) = book::opening_name(history) {
        facts.push(format!("opening: {name}"));
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::transcript;

    #[test]
    fn a_position_is_drawn_with_its_legal_moves_and_facts() {
        let expected = "    a b c d e f g h
  1 · · · · · · · · \x20\x20
  2 · · · · · · · ·   Black (X): 4 discs
  3 · · · · · · · ·   White (O): 1 disc
  4 · · · O X + · ·   59 empty
  5 · · · X X X · ·   white to move, 3 legal (+)
  6 · · · + · + · ·   last move: f5 (1 so far)
  7 · · · · · · · · \x20\x20
  8 · · · · · · · · \x20\x20
";
        assert_eq!(drawn(&transcript::parse("f5").unwrap(), false), expected);
    }

    #[test]
    fn discs_differ_in_shape_where_colours_are_used() {
        let shown = drawn(&transcript::parse("f5").unwrap(), true);
        // One more of each says whose discs they are.
        assert_eq!((shown.matches('●').count(), shown.matches('○').count()), (4 + 1, 1 + 1));
        assert!(shown.contains("Black (●): 4 discs"), "{shown}");
        assert!(shown.contains("\u{1b}["));
    }
}
