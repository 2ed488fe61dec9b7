//! SGF for Othello (`FF[4]`, `GM[2]`): only the main line of the tree is a game.
//!
//! Two dialects of coordinates exist and are told apart value by value: two letters, column and
//! row from the top left (`ef` is e6, the standard), or a square as people write it (`f5`). Passes
//! are left out, empty or written `PA`. Kitai writes squares as letters and leaves passes out.

use std::fmt::Write;
use std::time::Duration;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{is_not, tag, take_while1};
use nom::character::complete::{anychar, char, multispace0};
use nom::combinator::{cut, map, recognize, value};
use nom::multi::{many0_count, many1};
use nom::sequence::{delimited, preceded, terminated};

use super::grammar::{Parsed, decimal, named, number, run, trimmed};
use super::{
    Board, ClockSettings, Ending, Fault, GameRecord, GameResult, History, Margin, Note, RecordError,
};
use crate::othello::{Bitboard, Color, Move, Square};

/// What a tree is made of.
#[derive(Clone)]
enum Token<'a> {
    Open,
    Close,
    Node,
    Property { name: &'a str, values: Vec<&'a str> },
}

/// Everything before the first `]` that no backslash escapes.
fn inside(input: &str) -> Parsed<'_, &str> {
    let piece = alt((is_not("\\]"), recognize((char('\\'), anychar))));
    recognize(many0_count(piece)).parse(input)
}

fn property(input: &str) -> Parsed<'_, Token<'_>> {
    let name = take_while1(|c: char| c.is_ascii_alphanumeric());
    let one_value = delimited(
        named("`[` after the property", char('[')),
        inside,
        cut(named("`]` to close the value", char(']'))),
    );
    let values = many1(terminated(one_value, multispace0));
    map((terminated(name, multispace0), cut(values)), |(name, values)| Token::Property {
        name,
        values,
    })
    .parse(input)
}

fn token(input: &str) -> Parsed<'_, Token<'_>> {
    let simple = alt((
        value(Token::Open, tag("(")),
        value(Token::Close, tag(")")),
        value(Token::Node, tag(";")),
    ));
    let any = named("`(`, `)`, `;` or a property", alt((simple, property)));
    preceded(multispace0, any).parse(input)
}

/// Reads one game tree's main line.
///
/// # Errors
/// If the text is no SGF tree of an Othello game on the usual board, or a move is illegal.
pub fn parse(text: &str) -> Result<GameRecord, RecordError> {
    let mut rest = trimmed(text);
    let mut draft = Draft::default();
    let mut depth = 0usize;
    // The main line is the first child at every branch: it ends at the first `)`.
    let mut in_main_line = true;
    loop {
        let (after, found) = run(token, rest).map_err(|error| error.within(rest, text))?;
        let at = |fault: Fault| fault.before(rest, text);
        match found {
            Token::Open => depth += 1,
            Token::Close if depth == 0 => return Err(at(Fault::expected("`(` to begin", rest))),
            Token::Close => {
                in_main_line = false;
                depth -= 1;
                if depth == 0 {
                    let more = trimmed(after);
                    if !more.is_empty() {
                        return Err(
                            Fault::expected("nothing after the game", more).before(more, text)
                        );
                    }
                    return draft.finish().map_err(at);
                }
            }
            Token::Node | Token::Property { .. } if depth == 0 => {
                return Err(at(Fault::expected("`(` to begin", rest)));
            }
            Token::Node => {}
            Token::Property { name, values } => {
                if in_main_line {
                    draft.take(name, &values).map_err(at)?;
                }
            }
        }
        rest = after;
    }
}

/// A game being read.
#[derive(Default)]
struct Draft {
    record: GameRecord,
    seen_game: bool,
    setup: Option<(Bitboard, Bitboard)>,
    turn: Option<Color>,
}

impl Draft {
    fn take(&mut self, name: &str, values: &[&str]) -> Result<(), Fault> {
        let first = values.first().copied().unwrap_or("");
        let record = &mut self.record;
        match name {
            "GM" => {
                if first.trim() != "2" {
                    return Err(Fault::bad_value(name, first, "2, which is Othello"));
                }
                self.seen_game = true;
            }
            "SZ" if !matches!(first.trim(), "8" | "8:8") => {
                return Err(Fault::bad_value(name, first, "board size 8"));
            }
            "PB" => record.black.name = simple_text(first),
            "PW" => record.white.name = simple_text(first),
            "BR" => record.black.rating = number(first),
            "WR" => record.white.rating = number(first),
            "PC" => record.place = simple_text(first),
            "DT" => record.date = simple_text(first),
            "EV" => record.event = simple_text(first),
            "C" | "GC" if record.history.moves().is_empty() => {
                if !record.comment.is_empty() {
                    record.comment.push('\n');
                }
                record.comment.push_str(&unescaped(first, true));
            }
            "TM" => {
                let seconds = number(first)
                    .filter(|s| (0.0..1e9).contains(s))
                    .ok_or_else(|| Fault::bad_value(name, first, "a number of seconds from 0"))?;
                let clock =
                    ClockSettings::of(Duration::from_millis((seconds * 1000.0).round() as u64));
                (record.black.clock, record.white.clock) = (Some(clock), Some(clock));
            }
            "RE" => record.result = result(first)?,
            "AB" | "AW" | "AE" => self.set_up(name, values)?,
            "PL" => {
                let turn = match first.trim().to_ascii_lowercase().as_str() {
                    "b" | "black" | "1" => Color::Black,
                    "w" | "white" | "2" => Color::White,
                    _ => return Err(Fault::bad_value(name, first, "B or W")),
                };
                self.turn = Some(turn);
            }
            "B" => self.play(Color::Black, name, first)?,
            "W" => self.play(Color::White, name, first)?,
            // Value of the position, positive is good for Black: belongs to the move just made.
            "V" => self.evaluate(name, first)?,
            _ => {}
        }
        Ok(())
    }

    fn set_up(&mut self, name: &str, values: &[&str]) -> Result<(), Fault> {
        if !self.record.history.moves().is_empty() {
            return Err(Fault::bad_value(name, values[0], "set-up before the first move only"));
        }
        let (mut black, mut white) = self.setup.unwrap_or_default();
        for text in values {
            for square in squares(text)
                .ok_or_else(|| Fault::bad_value(name, text, "a square or a rectangle of squares"))?
            {
                let one = Bitboard::from(square);
                (black, white) = (black - one, white - one);
                match name {
                    "AB" => black = black.with(square),
                    "AW" => white = white.with(square),
                    _ => {}
                }
            }
        }
        self.setup = Some((black, white));
        Ok(())
    }

    /// Puts the set-up discs on the board before the first move.
    fn begin(&mut self) {
        if self.setup.is_some() || self.turn.is_some() {
            let turn = self.turn.take().unwrap_or(Color::Black);
            let board = match self.setup.take() {
                Some((black, white)) => Board::from_colors(black, white, turn),
                None => Board::from_colors(
                    Board::START.discs(Color::Black),
                    Board::START.discs(Color::White),
                    turn,
                ),
            };
            self.record.history = History::new(board);
        }
    }

    fn play(&mut self, color: Color, name: &str, text: &str) -> Result<(), Fault> {
        if self.record.history.moves().is_empty() {
            self.begin();
        }
        let played = match text.trim() {
            "" => Move::Pass,
            text => square_of(text)
                .map(Move::Place)
                .or_else(|| text.parse().ok())
                .ok_or_else(|| Fault::bad_value(name, text, "a square or a pass"))?,
        };
        self.record.push_colored(color, played, Note::default())
    }

    fn evaluate(&mut self, name: &str, text: &str) -> Result<(), Fault> {
        let value = number(text).ok_or_else(|| Fault::bad_value(name, text, "a number"))?;
        let made = self.record.history.moves().len();
        if made > 0 {
            let mover = !self.record.history.board().turn;
            self.record.notes.resize(made, Note::default());
            self.record.notes[made - 1].eval = Some(value * f64::from(mover.sign()));
        }
        Ok(())
    }

    fn finish(mut self) -> Result<GameRecord, Fault> {
        if self.record.history.moves().is_empty() {
            self.begin();
        }
        if self.seen_game {
            Ok(self.record)
        } else {
            Err(Fault::Expected { expected: "GM[2]", found: "a game without GM".to_owned() })
        }
    }
}

/// A square in either dialect.
fn square_of(text: &str) -> Option<Square> {
    match text.as_bytes() {
        [column, row] if row.is_ascii_alphabetic() => Square::at(
            column.to_ascii_lowercase().wrapping_sub(b'a'),
            row.to_ascii_lowercase().wrapping_sub(b'a'),
        ),
        _ => text.parse().ok(),
    }
}

/// A square, or all squares of a rectangle `aa:cc`.
fn squares(text: &str) -> Option<Vec<Square>> {
    let text = text.trim();
    let (from, to) = text.split_once(':').unwrap_or((text, text));
    let (from, to) = (square_of(from)?, square_of(to)?);
    let inside = |s: &Square| {
        (from.column()..=to.column()).contains(&s.column())
            && (from.row()..=to.row()).contains(&s.row())
    };
    Some(Square::all().filter(inside).collect())
}

/// `B+24`, `W+R`, `0`, `Draw`, `?`, `Void`.
fn result(text: &str) -> Result<Option<GameResult>, Fault> {
    let wrong = || Fault::bad_value("RE", text, "a result such as B+24, W+R, 0 or ?");
    let text = text.trim();
    let (winner, margin) = match text.split_once('+') {
        None => {
            return match text.to_ascii_lowercase().as_str() {
                "" | "?" | "void" => Ok(None),
                "0" | "draw" => Ok(Some(GameResult::scored(0))),
                _ => Err(wrong()),
            };
        }
        Some((side, margin)) => match side.trim().to_ascii_lowercase().as_str() {
            "b" => (Color::Black, margin.trim()),
            "w" => (Color::White, margin.trim()),
            _ => return Err(wrong()),
        },
    };
    let won = |ending| GameResult { margin: Margin::WonBy(winner), ending };
    Ok(Some(match margin.to_ascii_lowercase().as_str() {
        "" => won(Ending::Scored),
        "r" | "resign" => won(Ending::Resigned),
        "t" | "time" => won(Ending::TimeOut),
        "f" | "forfeit" => won(Ending::Left),
        discs => {
            let discs = number(discs).filter(|&d| d >= 0.0).ok_or_else(wrong)?;
            let discs = discs * f64::from(winner.sign());
            GameResult { margin: Margin::Discs(discs), ending: Ending::Scored }
        }
    }))
}

/// Text of one line: escapes resolved, line breaks turned into blanks.
fn simple_text(text: &str) -> String {
    unescaped(text, false).trim().to_owned()
}

/// Resolves `\x`; an escaped line break disappears, others stay only where `keep_lines` says so, and
/// every other white space is a blank.
fn unescaped(text: &str, keep_lines: bool) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let plain = |c: char| match c {
        '\n' if keep_lines => '\n',
        c if c.is_whitespace() => ' ',
        c => c,
    };
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(plain(c));
        } else if let Some(escaped) = chars.next().filter(|&c| c != '\n') {
            out.push(plain(escaped));
        }
    }
    out
}

/// The game as SGF on one line, squares as letters, passes left out.
///
/// Evaluations are kept as `V` (Black's view); times used and increments have no place in SGF.
pub fn write(record: &GameRecord) -> String {
    let mut out = String::from("(;FF[4]GM[2]CA[UTF-8]AP[Kitai]SZ[8]");
    let mut text = |name: &str, value: &str| {
        if !value.is_empty() {
            put(&mut out, name, &escaped_text(value));
        }
    };
    text("PB", &record.black.name);
    text("PW", &record.white.name);
    text("BR", &record.black.rating.map(decimal).unwrap_or_default());
    text("WR", &record.white.rating.map(decimal).unwrap_or_default());
    text("PC", &record.place);
    text("DT", &record.date);
    text("EV", &record.event);
    let clock = record.black.clock.or(record.white.clock);
    text("TM", &clock.map(|c| c.main.time.as_secs_f64().to_string()).unwrap_or_default());
    text("RE", &record.result_or_score().map(result_text).unwrap_or_default());
    text("C", &record.comment);
    let start = record.history.start();
    if start != Board::START {
        for (name, color) in [("AB", Color::Black), ("AW", Color::White)] {
            let discs = start.discs(color);
            if !discs.is_empty() {
                out.push_str(name);
                for square in discs {
                    put(&mut out, "", &letters(square));
                }
            }
        }
        if start.discs(Color::Black).is_empty() && start.discs(Color::White).is_empty() {
            out.push_str("AE[aa:hh]");
        }
        put(&mut out, "PL", if start.turn == Color::Black { "B" } else { "W" });
    }
    for (index, (&played, before)) in
        record.history.moves().iter().zip(record.history.boards()).enumerate()
    {
        let note = record.note(index);
        let name = if before.turn == Color::Black { "B" } else { "W" };
        match played {
            Move::Place(square) => {
                out.push(';');
                put(&mut out, name, &letters(square));
            }
            // A pass at the end has no later move that would imply it.
            Move::Pass if index + 1 == record.history.moves().len() || note.eval.is_some() => {
                out.push(';');
                put(&mut out, name, "");
            }
            Move::Pass => {}
        }
        if let Some(eval) = note.eval {
            put(&mut out, "V", &decimal(eval * f64::from(before.turn.sign())));
        }
    }
    out.push(')');
    out
}

fn put(out: &mut String, name: &str, value: &str) {
    write!(out, "{name}[{value}]").expect("writing to a string cannot fail");
}

fn letters(square: Square) -> String {
    [b'a' + square.column(), b'a' + square.row()].map(char::from).iter().collect()
}

fn escaped_text(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    for c in value.chars() {
        if matches!(c, ']' | '\\' | ':') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn result_text(result: GameResult) -> String {
    let (winner, discs) = match result.margin {
        Margin::WonBy(color) => (color, None),
        Margin::Discs(0.0) => return "0".to_owned(),
        Margin::Discs(discs) => {
            (if discs > 0.0 { Color::Black } else { Color::White }, Some(discs.abs()))
        }
    };
    let side = if winner == Color::Black { 'B' } else { 'W' };
    let margin = match (result.ending, discs) {
        (Ending::Resigned, _) => "R".to_owned(),
        (Ending::TimeOut, _) => "T".to_owned(),
        (Ending::Left, _) => "F".to_owned(),
        (Ending::Scored | Ending::Agreed, Some(discs)) => discs.to_string(),
        (Ending::Scored | Ending::Agreed, None) => String::new(),
    };
    format!("{side}+{margin}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::game_record::tests::any_record;
    use crate::record::transcript;
    use proptest::prelude::*;

    const QUARRY: &str = "(;GM[2]FF[4]CA[UTF-8]AP[Quarry:0.2.0]SZ[8]TM[300.0]OT[none]PB[b]PW[w]\
        RE[B+24];B[ef]BL[299.999];W[fd]WL[300.0])";

    fn fault(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn both_dialects_of_coordinates_are_read() {
        let record = parse(QUARRY).unwrap();
        assert_eq!(transcript::write(&record.history), "e6f4");
        assert_eq!(record.result, Some(GameResult::scored(24)));
        assert_eq!(record.black.clock, Some(ClockSettings::of(Duration::from_secs(300))));
        let algebraic = "(;GM[2]AB[e4][d5]AW[d4][e5]PL[B];B[E6];W[f4];)";
        assert_eq!(parse(algebraic).unwrap().history, record.history);
    }

    #[test]
    fn only_the_main_line_is_a_game() {
        let tree = "(;GM[2];B[f5](;W[d6](;B[c3])(;B[c4]))(;W[f6];B[zz]))";
        assert_eq!(transcript::write(&parse(tree).unwrap().history), "f5d6c3");
    }

    #[test]
    fn escapes_and_soft_line_breaks_are_resolved() {
        let record =
            parse("(;GM[2]PB[a\\]b\\\\c\\:\\\u{a0}d]PC[two\nlines]C[one\\\r\ntwo\nthree])")
                .unwrap();
        assert_eq!(record.black.name, "a]b\\c: d");
        assert_eq!(record.place, "two lines");
        assert_eq!(record.comment, "onetwo\nthree");
    }

    #[test]
    fn results_read_in_every_spelling() {
        let margin = |text: &str| result(text).unwrap().map(|r| (r.margin, r.ending));
        assert_eq!(margin("W+4"), Some((Margin::Discs(-4.0), Ending::Scored)));
        assert_eq!(margin("B+R"), Some((Margin::WonBy(Color::Black), Ending::Resigned)));
        assert_eq!(margin("w+Time"), Some((Margin::WonBy(Color::White), Ending::TimeOut)));
        assert_eq!(margin("Draw"), margin("0"));
        assert_eq!(margin("Void"), None);
        assert!(result("X+3").is_err() && result("B+-3").is_err() && result("four").is_err());
    }

    #[test]
    fn errors_say_what_was_expected_and_where() {
        assert_eq!(fault("(;GM[1])"), "line 1, column 3: GM[1]: expected 2, which is Othello");
        assert_eq!(fault("(;GM[2]SZ[10])"), "line 1, column 8: SZ[10]: expected board size 8");
        assert_eq!(
            fault("(;GM[2]\n;B[f5];W[aa])"),
            "line 2, column 8: move 2: white cannot play a1 here"
        );
        assert!(fault("(;GM[2]").contains("found the end"));
        assert!(fault("(;GM[2]B[x").contains("expected `]` to close the value"));
        assert!(fault("(;B[f5])").contains("expected GM[2]"));
        assert!(fault(";B[f5]").contains("expected `(` to begin"));
        assert!(fault("(;GM[2]B[i9])").contains("B[i9]: expected a square or a pass"));
        assert!(fault(&"(".repeat(100_000)).contains("found the end"));
    }

    /// The record with only what SGF keeps.
    fn kept(mut record: GameRecord) -> GameRecord {
        record.game_type.clear();
        record.komi = None;
        let main =
            record.black.clock.or(record.white.clock).map(|c| ClockSettings::of(c.main.time));
        (record.black.clock, record.white.clock) = (main, main);
        for note in &mut record.notes {
            note.seconds = None;
        }
        let last = record.notes.iter().rposition(|note| note.eval.is_some());
        record.notes.truncate(last.map_or(0, |last| last + 1));
        if let Some(GameResult { margin: Margin::Discs(discs), ending }) = record.result {
            let winner = if discs > 0.0 { Color::Black } else { Color::White };
            record.result = Some(match ending {
                _ if discs == 0.0 => GameResult::scored(0),
                Ending::Scored | Ending::Agreed => {
                    GameResult { margin: Margin::Discs(discs), ending: Ending::Scored }
                }
                _ => GameResult { margin: Margin::WonBy(winner), ending },
            });
        }
        record
    }

    proptest! {
        #[test]
        fn writing_and_reading_is_the_identity(record in any_record()) {
            let record = kept(record);
            prop_assert_eq!(parse(&write(&record)).unwrap(), record);
        }

        #[test]
        fn any_text_gives_a_game_or_an_error(text in "\\(;GM\\[2\\][(;)\\[\\]BWVf5d6\\\\ \\n]{0,60}") {
            let _ = parse(&text);
        }
    }
}
