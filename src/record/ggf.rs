//! GGF, the Generic Game Format of the Othello servers: `(;` tag`[`value`]` … `;)`.
//!
//! There is no escaping: a value ends at the first `]`. An archive line is a number and so many
//! games: `1 (;…;)`, or `2 (;…;)(;…;)` for a synchro pair. Passes are written; records that leave
//! them out are read all the same.

use std::fmt::Write;

use nom::Parser;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_while1};
use nom::character::complete::{char, multispace0};
use nom::combinator::{cut, map};
use nom::sequence::{delimited, preceded, terminated};

use super::grammar::{Parsed, decimal, named, number, run, trimmed};
use super::{
    BareNumber, Bid, Board, ClockSettings, Ending, Fault, GameRecord, GameResult, History, Komi,
    Margin, Note, PairHalf, RecordError,
};
use crate::othello::{Color, Move, Square};

/// One `TAG[value]`.
struct Tag<'a> {
    name: &'a str,
    value: &'a str,
}

fn property(input: &str) -> Parsed<'_, Tag<'_>> {
    let name = take_while1(|c: char| c.is_ascii_alphanumeric());
    let value = delimited(
        named("`[` after the tag", char('[')),
        take_till(|c| c == ']'),
        named("`]` to close the value", char(']')),
    );
    map((terminated(name, multispace0), cut(value)), |(name, value)| Tag { name, value })
        .parse(input)
}

/// One item inside a game: a tag, or the end. Some programs put a semicolon before every tag.
fn item(input: &str) -> Parsed<'_, Option<Tag<'_>>> {
    let end = alt((tag(";)"), tag(")")));
    let separated = preceded((char(';'), multispace0), property);
    let next = alt((map(property, Some), map(end, |_| None), map(separated, Some)));
    preceded(multispace0, named("a tag or `;)`", next)).parse(input)
}

/// Reads one game: `(;…;)`, with or without the archive's number before it.
///
/// # Errors
/// If the text is no GGF game of Othello on the usual board, or a move is illegal.
pub fn parse(text: &str) -> Result<GameRecord, RecordError> {
    let (rest, record) = parse_first(text)?;
    match trimmed(rest) {
        "" => Ok(record),
        more => Err(Fault::expected("nothing after the game", more).before(more, text)),
    }
}

/// Reads an archive line: one game, or the two of a synchro pair.
///
/// # Errors
/// As [`parse`]; also if the number before the games is not the number of games.
pub fn parse_line(text: &str) -> Result<Vec<GameRecord>, RecordError> {
    let count = trimmed(text).split(|c: char| !c.is_ascii_digit()).next().unwrap_or("");
    let mut records = Vec::new();
    let mut rest = text;
    while !trimmed(rest).is_empty() {
        let (after, record) = parse_first(rest).map_err(|error| error.within(rest, text))?;
        records.push(record);
        rest = after;
    }
    let written: usize = if count.is_empty() { records.len() } else { count.parse().unwrap_or(0) };
    if written != records.len() || !(1..=2).contains(&written) {
        return Err(Fault::expected("one game, or two after the number 2", text)
            .before(trimmed(text), text));
    }
    if let [first, second] = records.as_mut_slice() {
        (first.pair, second.pair) = (Some(PairHalf::First), Some(PairHalf::Second));
    }
    Ok(records)
}

/// Reads the first game and gives back what follows it.
fn parse_first(text: &str) -> Result<(&str, GameRecord), RecordError> {
    let begin = (
        take_till(|c: char| {
            !(c.is_whitespace() || c.is_ascii_digit() || c == '\u{feff}' || c == '\0')
        }),
        named("`(;` to begin a game", tag("(;")),
    );
    let (mut rest, _) = run(begin, text)?;
    let mut draft = Draft::default();
    loop {
        let (after, found) = run(item, rest).map_err(|error| error.within(rest, text))?;
        let Some(found) = found else {
            let record = draft.finish().map_err(|fault| fault.before(rest, text))?;
            return Ok((after, record));
        };
        draft.take(&found).map_err(|fault| fault.before(found.value, text))?;
        rest = after;
    }
}

/// A game being read.
#[derive(Default)]
struct Draft {
    record: GameRecord,
    seen_game: bool,
    seen_board: bool,
}

impl Draft {
    fn take(&mut self, Tag { name, value }: &Tag<'_>) -> Result<(), Fault> {
        let record = &mut self.record;
        // Control characters cannot be written, so they are not read either.
        let text = || sayable(value).trim().to_owned();
        match name.to_ascii_uppercase().as_str() {
            "GM" => {
                if !value.trim().eq_ignore_ascii_case("othello") {
                    return Err(Fault::bad_value(name, value, "Othello"));
                }
                self.seen_game = true;
            }
            "PC" => record.place = text(),
            "DT" => record.date = text(),
            "EV" => record.event = text(),
            "PB" => record.black.name = text(),
            "PW" => record.white.name = text(),
            "RB" => record.black.rating = optional_number(name, value)?,
            "RW" => record.white.rating = optional_number(name, value)?,
            "TI" => {
                record.black.clock = clock(name, value)?;
                record.white.clock = record.black.clock;
            }
            "TB" => record.black.clock = clock(name, value)?,
            "TW" => record.white.clock = clock(name, value)?,
            "TY" => {
                record.game_type = text();
                check_type(name, &record.game_type)?;
            }
            "RE" => record.result = result(name, value)?,
            "BO" => self.board(name, value)?,
            "B" => self.play(Color::Black, name, value)?,
            "W" => self.play(Color::White, name, value)?,
            "KB" => komi(record).black_bid = bid(name, value)?,
            "KW" => komi(record).white_bid = bid(name, value)?,
            "KM" => komi(record).value = optional_number(name, value)?,
            "CO" | "C" => {
                if !record.comment.is_empty() {
                    record.comment.push('\n');
                }
                record.comment.push_str(value.trim());
            }
            // Undo counts, clock stamps and whatever else programs add.
            _ => {}
        }
        Ok(())
    }

    fn board(&mut self, name: &str, value: &str) -> Result<(), Fault> {
        if self.seen_board || !self.record.history.moves().is_empty() {
            return Err(Fault::bad_value(name, value, "one board, before the first move"));
        }
        let squares = value.trim_start();
        let size = squares.split(|c: char| !c.is_ascii_digit()).next().unwrap_or("");
        if size != "8" {
            return Err(Fault::bad_value(name, value, "board size 8"));
        }
        let start: Board = squares[size.len()..].parse()?;
        self.record.history = History::new(start);
        self.seen_board = true;
        Ok(())
    }

    fn play(&mut self, color: Color, name: &str, value: &str) -> Result<(), Fault> {
        let (played, note) = move_and_note(name, value)?;
        self.record.push_colored(color, played, note)
    }

    fn finish(self) -> Result<GameRecord, Fault> {
        if self.seen_game {
            Ok(self.record)
        } else {
            Err(Fault::Expected { expected: "GM[Othello]", found: "a game without GM".to_owned() })
        }
    }
}

fn komi(record: &mut GameRecord) -> &mut Komi {
    record.komi.get_or_insert_default()
}

/// A number, or nothing where the record has `?` or an empty value.
fn optional_number(name: &str, value: &str) -> Result<Option<f64>, Fault> {
    match value.trim() {
        "" | "?" => Ok(None),
        text => number(text).map(Some).ok_or_else(|| Fault::bad_value(name, value, "a number")),
    }
}

fn clock(name: &str, value: &str) -> Result<Option<ClockSettings>, Fault> {
    match value.trim() {
        "" | "?" => Ok(None),
        text => ClockSettings::parse(text, BareNumber::Seconds)
            .map(Some)
            .map_err(|_| Fault::bad_value(name, value, "a clock such as 15:00//02:00")),
    }
}

/// Game types begin with `s` for synchro and the board size.
fn check_type(name: &str, value: &str) -> Result<(), Fault> {
    let text = value.trim_start_matches(['s', 'S']);
    let size = text.split(|c: char| !c.is_ascii_digit()).next().unwrap_or("");
    match size {
        "" | "8" => Ok(()),
        _ => Err(Fault::bad_value(name, value, "a game on the board of size 8")),
    }
}

/// `SQUARE[junk][/EVAL[/SECONDS]]`.
fn move_and_note(name: &str, value: &str) -> Result<(Move, Note), Fault> {
    let mut parts = value.split('/');
    let square = parts.next().unwrap_or("").trim();
    let played = square
        .parse::<Move>()
        .ok()
        .or_else(|| square.get(..2)?.parse::<Square>().ok().map(Move::Place))
        .ok_or_else(|| Fault::bad_value(name, value, "a square from a1 to h8 or a pass"))?;
    let mut annotation = || optional_number(name, parts.next().unwrap_or(""));
    Ok((played, Note { eval: annotation()?, seconds: annotation()? }))
}

fn bid(name: &str, value: &str) -> Result<Option<Bid>, Fault> {
    if matches!(value.trim(), "" | "?") {
        return Ok(None);
    }
    move_and_note(name, value).map(|(played, note)| Some(Bid { played, note }))
}

/// `+14.000[:r]` from Black's view, or `?`.
fn result(name: &str, value: &str) -> Result<Option<GameResult>, Fault> {
    let wrong = || Fault::bad_value(name, value, "a result such as +14.000, -6:r or ?");
    let (score, suffix) = value.split_once(':').unwrap_or((value, ""));
    if matches!(score.trim(), "" | "?") {
        return Ok(None);
    }
    let ending = match suffix.trim().to_ascii_lowercase().as_str() {
        "" => Ending::Scored,
        "r" => Ending::Resigned,
        "t" => Ending::TimeOut,
        "s" => Ending::Agreed,
        "l" => Ending::Left,
        _ => return Err(wrong()),
    };
    let margin = Margin::Discs(number(score).ok_or_else(wrong)?);
    Ok(Some(GameResult { margin, ending }))
}

/// The game as GGF, `(;…;)` on one line.
///
/// `]` cannot be written in a value and becomes `)`; line breaks and other control characters
/// become blanks.
pub fn write(record: &GameRecord) -> String {
    let mut out = String::from("(;GM[Othello]");
    let mut text = |name: &str, value: &str| {
        let value = sayable(value);
        if !value.trim().is_empty() {
            put(&mut out, name, value.trim());
        }
    };
    text("PC", &record.place);
    text("DT", &record.date);
    text("EV", &record.event);
    text("PB", &record.black.name);
    text("PW", &record.white.name);
    text("RB", &record.black.rating.map(decimal).unwrap_or_default());
    text("RW", &record.white.rating.map(decimal).unwrap_or_default());
    let clocks = [record.black.clock, record.white.clock].map(|c| c.map(|c| c.to_string()));
    match clocks {
        [Some(black), Some(white)] if black == white => text("TI", &black),
        [black, white] => {
            text("TB", &black.unwrap_or_default());
            text("TW", &white.unwrap_or_default());
        }
    }
    text("TY", if record.game_type.is_empty() { "8" } else { &record.game_type });
    if let Some(komi) = &record.komi {
        let bid = |bid: Option<Bid>| {
            bid.map(|Bid { played, note }| move_text(played, note)).unwrap_or_default()
        };
        text("KB", &bid(komi.black_bid));
        text("KW", &bid(komi.white_bid));
        text("KM", &komi.value.map(decimal).unwrap_or_default());
    }
    text("CO", &record.comment);
    put(&mut out, "RE", &record.result_or_score().map_or("?".to_owned(), result_text));
    put(&mut out, "BO", &board_text(record.history.start()));
    for (index, (&played, before)) in
        record.history.moves().iter().zip(record.history.boards()).enumerate()
    {
        let name = if before.turn == Color::Black { "B" } else { "W" };
        put(&mut out, name, &move_text(played, record.note(index)));
    }
    out.push_str(";)");
    out
}

/// A line of an archive: the number of games and the games.
pub fn write_line(records: &[&GameRecord]) -> String {
    let games: String = records.iter().map(|record| write(record)).collect();
    format!("{} {games}", records.len())
}

fn put(out: &mut String, name: &str, value: &str) {
    write!(out, "{name}[{value}]").expect("writing to a string cannot fail");
}

fn sayable(value: &str) -> String {
    let replaced = |c: char| match c {
        ']' => ')',
        c if c.is_control() => ' ',
        c => c,
    };
    value.chars().map(replaced).collect()
}

fn board_text(board: Board) -> String {
    let symbol = |color: Color| if color == Color::Black { '*' } else { 'O' };
    let mut text = String::from("8");
    for square in Square::all() {
        if square.column() == 0 {
            text.push(' ');
        }
        text.push(board.at(square).map_or('-', symbol));
    }
    text.push(' ');
    text.push(symbol(board.turn));
    text
}

fn move_text(played: Move, note: Note) -> String {
    let place = match played {
        Move::Place(square) => square.to_string(),
        Move::Pass => "pass".to_owned(),
    };
    match (note.eval, note.seconds) {
        (None, None) => place,
        (Some(eval), None) => format!("{place}/{}", decimal(eval)),
        (eval, Some(seconds)) => {
            format!("{place}/{}/{}", eval.map(decimal).unwrap_or_default(), decimal(seconds))
        }
    }
}

fn result_text(result: GameResult) -> String {
    let discs = match result.margin {
        Margin::Discs(discs) => discs,
        // Won by nobody knows how much: the server books a forfeit as every disc.
        Margin::WonBy(color) => 64.0 * f64::from(color.sign()),
    };
    let short = format!("{discs:+.3}");
    let score = if short.parse() == Ok(discs) { short } else { format!("{discs:+}") };
    let suffix = match result.ending {
        Ending::Scored => "",
        Ending::Resigned => ":r",
        Ending::TimeOut => ":t",
        Ending::Agreed => ":s",
        Ending::Left => ":l",
    };
    format!("{score}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::game_record::tests::any_record;
    use proptest::prelude::*;

    const SERVER: &str = "1 (;GM[Othello]PC[GGS/os]DT[2026.11.16_02:01:46.UTC]PB[alice]PW[bob]\
        RB[1720]RW[1720]TI[05:00//01:00]TY[8b]RE[?]BO[8 -------- -------- -------- ---O*--- \
        ---*O--- -------- -------- -------- *]B[f5/1.50/5.19]W[d6//1.16];)";

    fn fault(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn a_game_of_the_server_reads_with_its_annotations() {
        let record = parse(SERVER).unwrap();
        assert_eq!(record.black.name, "alice");
        assert_eq!(record.white.rating, Some(1720.0));
        assert_eq!(record.black.clock.unwrap().to_string(), "05:00//01:00");
        assert_eq!(record.game_type, "8b");
        assert_eq!(record.result, None);
        assert_eq!(record.history.moves().len(), 2);
        assert_eq!(record.note(0), Note { eval: Some(1.5), seconds: Some(5.19) });
        assert_eq!(record.note(1), Note { eval: None, seconds: Some(1.16) });
        assert!(write(&record).contains("B[f5/1.50/5.19]W[d6//1.16];)"));
    }

    #[test]
    fn old_habits_are_understood() {
        let text = "(;GM[OTHELLO]TI[300]RB[]\r\nRE[-6.000:r];B[F5junk/1.0E0/2];W[D6xx]\n;)";
        let record = parse(text).unwrap();
        assert_eq!(record.note(0).eval, Some(1.0));
        assert_eq!(record.history.moves().len(), 2);
        let result = record.result.unwrap();
        assert_eq!((result.margin, result.ending), (Margin::Discs(-6.0), Ending::Resigned));
    }

    #[test]
    fn a_pair_is_two_games_that_know_it() {
        let pair = format!("2 {game}{game}", game = &SERVER[2..]);
        let records = parse_line(&pair).unwrap();
        let halves: Vec<_> = records.iter().map(|record| record.pair).collect();
        assert_eq!(halves, [Some(PairHalf::First), Some(PairHalf::Second)]);
        assert_eq!(parse_line(SERVER).unwrap()[0].pair, None);
        assert!(parse_line(&pair[2..]).is_ok());
        for wrong in [format!("3{pair}"), format!("2{}", &SERVER[1..]), "1".to_owned()] {
            assert!(parse_line(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn errors_name_the_move_the_value_and_the_place() {
        assert_eq!(
            fault("(;GM[Othello]B[f5]\nW[a1];)"),
            "line 2, column 3: move 2: white cannot play a1 here"
        );
        assert_eq!(
            fault("(;GM[Othello]B[f5]B[d6];)"),
            "line 1, column 21: move 2 is recorded for black, but white is to move and can"
        );
        assert_eq!(fault("(;GM[Go];)"), "line 1, column 6: GM[Go]: expected Othello");
        assert_eq!(fault("(;GM[Othello]TY[10];)").split(": expected").count(), 2);
        assert_eq!(
            fault("(;GM[Othello]B[f5"),
            "line 1, column 18: expected `]` to close the value, found the end"
        );
        assert_eq!(fault("(;GM[Othello]?"), "line 1, column 14: expected a tag or `;)`, found `?`");
        assert_eq!(
            fault("hello"),
            "line 1, column 1: expected `(;` to begin a game, found `hello`"
        );
        assert!(fault("(;PB[x];)").contains("expected GM[Othello]"));
        assert!(fault("(;GM[Othello]RE[++];)").contains("RE[++]: expected a result"));
        assert!(fault("(;GM[Othello]BO[10 ...];)").contains("board size 8"));
        assert!(fault("(;GM[Othello]B[f5/x];)").contains("B[x]: expected a number"));
        assert!(fault(&format!("{SERVER} x")).contains("nothing after the game"));
    }

    #[test]
    fn what_has_no_escape_is_replaced_when_written() {
        let mut record = GameRecord::default();
        record.black.name = "a]b\nc\x7f".to_owned();
        record.place = "\0".to_owned();
        let again = parse(&write(&record)).unwrap();
        assert_eq!((again.black.name.as_str(), again.place.as_str()), ("a)b c", ""));
    }

    #[test]
    fn a_game_type_behind_control_characters_is_checked_like_any_other() {
        assert!(fault("(;GM[Othello]TY[\0\u{7f}10];)").contains("board of size 8"));
        assert_eq!(parse("(;GM[Othello]TY[\08b];)").unwrap().game_type, "8b");
    }

    proptest! {
        #[test]
        fn what_was_read_can_be_written_and_read_again(
            tag in "(PC|DT|EV|PB|PW|RB|RW|TI|TB|TW|TY|KB|KW|KM|CO|RE|B)",
            value in "[\\x00-\\x7f]{0,12}|[sS]*[0-9]{0,3}[a-z]?|[-+]?[0-9.e:/,]{0,12}"
        ) {
            if let Ok(record) = parse(&format!("(;GM[Othello]{tag}[{value}];)")) {
                let written = write(&record);
                let again = parse(&written);
                prop_assert!(again.is_ok(), "{written:?}: {again:?}");
                prop_assert_eq!(write(&again.unwrap()), written);
            }
        }

        #[test]
        fn writing_and_reading_is_the_identity(record in any_record()) {
            prop_assert_eq!(parse(&write(&record)).unwrap(), record);
        }

        #[test]
        fn any_text_gives_a_game_or_an_error(text in "(\\(;GM\\[Othello\\])?[(;)\\[\\]BWf5d6/ \\n-]{0,60}") {
            let _ = parse(&text);
            let _ = parse_line(&text);
        }
    }
}
