//! Games that a page brings along or wants to keep: any format in, GGF, SGF or a transcript out.

use std::io::Cursor;
use std::path::Path;

use serde::Serialize;

use super::message::{FileFormat, GameToWrite};
use super::tab::history;
use crate::othello::Color;
use crate::record::format::Writer;
use crate::record::{Board, Ending, Format, GameRecord, GameResult, Margin, Note, wthor};

/// Games taken from one file.
const MOST_GAMES: usize = 500;
/// Mistakes told of one file.
const MOST_FAULTS: usize = 5;
/// Longest name of a player kept, characters.
const LONGEST_NAME: usize = 80;

/// What was found in a file.
#[derive(Serialize, Debug)]
pub(super) struct Found {
    format: &'static str,
    games: Vec<FoundGame>,
    /// Whether there were more.
    more: bool,
    faults: Vec<String>,
}

/// A game as the page takes it over.
#[derive(Serialize, Debug)]
struct FoundGame {
    /// Board and moves as one text.
    game: String,
    black: String,
    white: String,
    event: String,
    date: String,
    /// Black's result in discs, or who won.
    result: Option<String>,
    evals: Vec<Option<f64>>,
    times: Vec<Option<f64>>,
}

/// The games in a text or file. Its name says which format it is if its content does not.
pub(super) fn read(name: &str, bytes: &[u8]) -> Found {
    let format = sniff(name, bytes);
    let mut found = Found {
        format: format.extension_and_word().1,
        games: Vec::new(),
        more: false,
        faults: Vec::new(),
    };
    for record in format.read(Cursor::new(bytes), wthor::Names::default()) {
        match record {
            Ok(record) if found.games.len() < MOST_GAMES => found.games.push(found_game(&record)),
            Ok(_) => {
                found.more = true;
                break;
            }
            Err(fault) if found.faults.len() < MOST_FAULTS => found.faults.push(fault.to_string()),
            Err(_) => break,
        }
    }
    if found.games.is_empty() && found.faults.is_empty() {
        found.faults.push("there is no game in it".to_owned());
    }
    found
}

fn sniff(name: &str, bytes: &[u8]) -> Format {
    let start = &bytes[..bytes.len().min(4096)];
    let has = |word: &[u8]| start.windows(word.len()).any(|window| window == word);
    if has(b"GM[Othello]") {
        return Format::Ggf;
    }
    if has(b"(;") {
        return Format::Sgf;
    }
    match Format::of_path(Path::new(name)) {
        Some(named) => named,
        None if start.contains(&b';') => Format::Obf,
        None => Format::Transcript,
    }
}

fn found_game(record: &GameRecord) -> FoundGame {
    let history = &record.history;
    let moves: String = history.moves().iter().map(ToString::to_string).collect();
    let start = history.start();
    let game = if start == Board::START { moves } else { format!("{start} {moves}") };
    let notes: Vec<Note> = (0..history.moves().len()).map(|index| record.note(index)).collect();
    FoundGame {
        game,
        black: record.black.name.clone(),
        white: record.white.name.clone(),
        event: record.event.clone(),
        date: record.date.clone(),
        result: record.result_or_score().map(|result| match result.margin {
            Margin::Discs(discs) => format!("{discs:+}"),
            Margin::WonBy(color) => color.to_string(),
        }),
        evals: notes.iter().map(|note| note.eval).collect(),
        times: notes.iter().map(|note| note.seconds).collect(),
    }
}

/// A file's name and text.
pub(super) fn write(format: FileFormat, game: &GameToWrite) -> Result<(String, String), String> {
    let mut record = GameRecord::of(history(&game.game)?);
    let short = |name: &str| name.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect();
    record.black.name = short(&game.black);
    record.white.name = short(&game.white);
    record.date = short(&game.date);
    record.place = "Kitai".to_owned();
    let known = |value: Option<&Option<f64>>| value.copied().flatten().filter(|v| v.is_finite());
    record.notes = (0..record.history.moves().len())
        .map(|index| Note {
            eval: known(game.evals.get(index)),
            seconds: known(game.times.get(index)),
        })
        .collect();
    record.result = match game.resigned.as_deref() {
        None => record.result_or_score(),
        Some("black") => Some(resigned(Color::White)),
        Some("white") => Some(resigned(Color::Black)),
        Some(other) => return Err(format!("`{other}` is no colour")),
    };
    let format = match format {
        FileFormat::Ggf => Format::Ggf,
        FileFormat::Sgf => Format::Sgf,
        FileFormat::Transcript => Format::Transcript,
    };
    let mut text = Vec::new();
    let mut writer = Writer::new(format, &mut text);
    writer.write(&record).map_err(|fault| fault.to_string())?;
    writer.finish([0; 4]).map_err(|fault| fault.to_string())?;
    let text = String::from_utf8(text).map_err(|error| error.to_string())?;
    Ok((format!("kitai.{}", format.extension_and_word().0), text))
}

fn resigned(winner: Color) -> GameResult {
    GameResult { margin: Margin::WonBy(winner), ending: Ending::Resigned }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let game = GameToWrite {
            game: "f5d6c3d3c4".to_owned(),
            black: "A\u{7}nna".to_owned(),
            white: "Kitai".to_owned(),
            evals: vec![Some(0.5), None],
            times: vec![Some(1.5)],
            ..GameToWrite::default()
        };
        for (format, word) in [
            (FileFormat::Ggf, "ggf"),
            (FileFormat::Sgf, "sgf"),
            (FileFormat::Transcript, "transcript"),
        ] {
            let (_, text) = write(format, &game).unwrap();
            let found = read("", text.as_bytes());
            assert_eq!((found.format, found.games.len()), (word, 1), "{text} {found:?}");
            assert_eq!(found.games[0].game, "f5d6c3d3c4");
            if format == FileFormat::Ggf {
                assert_eq!(found.games[0].black, "Anna");
                assert_eq!(found.games[0].times[0], Some(1.5));
            }
        }
    }

    #[test]
    fn a_board_with_moves_is_a_game_too() {
        let board = "---------------------------OX------XO--------------------------- X f5d6";
        let found = read("", board.as_bytes());
        assert_eq!(found.games[0].game, "f5d6");
        let other = "--------------------------OOX------XO--------------------------- X";
        let found = read("", other.as_bytes());
        assert!(found.games[0].game.starts_with("-----"), "{found:?}");
    }

    #[test]
    fn what_is_no_game_is_told() {
        for bytes in [&b""[..], b"hello", b"\xff\xfe\x00", b"(;GM[Othello]", b"(;"] {
            let found = read("x.wtb", bytes);
            assert!(found.games.is_empty() && !found.faults.is_empty(), "{bytes:?} {found:?}");
        }
    }
}
