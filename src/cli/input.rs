//! One rule for positions and games on the command line: the text itself, a file of any format that
//! Kitai reads, or `-` for standard input.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor};
use std::path::{Path, PathBuf};

use super::CliError;
use crate::record::format::Records;
use crate::record::{Format, GameRecord, transcript, wthor};

/// A game or position that a command is about.
#[derive(clap::Args, Debug, Clone)]
pub(super) struct GameArgs {
    /// Moves (f5d6c3…), 64 squares and the side to move, a game in GGF or SGF, a file of any format
    /// Kitai reads, or - for standard input
    #[arg(allow_hyphen_values = true)]
    game: String,
    /// Which record, if there are several, from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    number: u64,
    /// Only its first so many moves [default: all]
    #[arg(long, value_name = "MOVES")]
    at: Option<usize>,
}

impl GameArgs {
    /// Reads it.
    ///
    /// # Errors
    /// If there is no such file or record, or it cannot be understood.
    pub(super) fn read(&self) -> Result<GameRecord, CliError> {
        let mut record = one(&self.game, self.number)?;
        if let Some(at) = self.at {
            let moves = record.history.moves().len();
            if at > moves {
                return Err(CliError::usage(format!("--at {at}: the game has {moves} moves")));
            }
            shorten(&mut record, at);
        }
        Ok(record)
    }
}

/// Takes back the moves after the first so many, and what is known of the later ones.
pub(super) fn shorten(record: &mut GameRecord, moves: usize) {
    while record.history.moves().len() > moves {
        record.history.undo();
        record.result = None;
        record.theory = None;
        record.answers.clear();
        record.value = None;
    }
    record.notes.truncate(moves);
}

/// One record of what an argument names: `number` counts from 1.
///
/// # Errors
/// If there is no such file or record, or it cannot be understood.
pub(super) fn one(argument: &str, number: u64) -> Result<GameRecord, CliError> {
    let source = Source::of(argument)?;
    if let Source::Text(text) = &source {
        if text.trim().is_empty() {
            return Ok(GameRecord::default());
        }
        // A board may be drawn over several lines.
        if Format::of_content(text.as_bytes()) == Format::Transcript {
            let parsed = transcript::parse(text).map(GameRecord::of);
            return parsed.map_err(|error| not_understood(text, error));
        }
    }
    let opened = source.open(None)?;
    let name = opened.name.clone();
    let index = usize::try_from(number - 1).unwrap_or(usize::MAX);
    match opened.records().nth(index) {
        Some(Ok(record)) => Ok(record),
        Some(Err(error)) => match &source {
            Source::Text(text) => Err(not_understood(text, error)),
            _ => Err(CliError::input(error.in_file(&name))),
        },
        None => Err(CliError::Input(format!("{name}: there is no record {number}"))),
    }
}

fn not_understood(text: &str, error: impl std::fmt::Display) -> CliError {
    CliError::usage(format!("`{text}` is no file, and no position or game: {error}"))
}

/// Where records come from.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
    /// The argument itself.
    Text(String),
}

/// Records about to be read.
pub(super) struct Opened {
    /// For messages.
    pub name: String,
    /// What they are written in.
    pub format: Format,
    /// Bytes, if known.
    pub length: Option<u64>,
    /// The bytes.
    pub reader: Box<dyn BufRead>,
    /// The name files beside a WTHOR database.
    pub names: wthor::Names,
}

impl Opened {
    /// The records, one at a time.
    pub(super) fn records(self) -> Records<'static> {
        self.format.read(self.reader, self.names)
    }
}

impl Source {
    /// What an argument names.
    ///
    /// # Errors
    /// If it looks like a file name and there is no such file.
    pub(super) fn of(argument: &str) -> Result<Source, CliError> {
        let path = Path::new(argument);
        if argument == "-" {
            Ok(Source::Stdin)
        } else if path.is_file() {
            Ok(Source::File(path.to_owned()))
        } else if Format::of_path(path).is_some() && !argument.contains(['(', ';', ' ', '\n']) {
            let missing = io::Error::new(io::ErrorKind::NotFound, "there is no such file");
            Err(CliError::io(argument, missing))
        } else {
            Ok(Source::Text(argument.to_owned()))
        }
    }

    /// Opens it. Without a format given, the file's extension says it, or else the content.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(super) fn open(&self, given: Option<Format>) -> Result<Opened, CliError> {
        let names = wthor::Names::default;
        let (name, by_name, length, mut reader, names): (_, _, _, Box<dyn BufRead>, _) = match self
        {
            Source::Stdin => {
                let reader = Box::new(BufReader::new(io::stdin()));
                ("standard input".to_owned(), None, None, reader, names())
            }
            Source::Text(text) => {
                let reader = Box::new(Cursor::new(text.clone().into_bytes()));
                ("the command line".to_owned(), None, None, reader, names())
            }
            Source::File(path) => {
                let name = path.display().to_string();
                let file = File::open(path).map_err(|error| CliError::io(&name, error))?;
                let length = file.metadata().map_err(|error| CliError::io(&name, error))?.len();
                let format = Format::of_path(path);
                let names = match given.or(format) {
                    Some(Format::Wthor) => wthor::Names::beside(path).map_err(CliError::input)?,
                    _ => names(),
                };
                (name, format, Some(length), Box::new(BufReader::new(file)), names)
            }
        };
        let format = match given.or(by_name) {
            Some(format) => format,
            None => {
                Format::of_content(reader.fill_buf().map_err(|error| CliError::io(&name, error))?)
            }
        };
        Ok(Opened { name, format, length, reader, names })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_moves_games_and_problems_are_understood_as_they_stand() {
        let moves = one("f5 d6", 1).unwrap().history;
        assert_eq!(one("(;GM[Othello]B[f5]W[d6];)", 1).unwrap().history, moves);
        assert_eq!(one("(;GM[2];B[fe];W[df])", 1).unwrap().history, moves);
        let board = moves.board();
        assert_eq!(one(&board.to_string(), 1).unwrap().history.board(), board);
        let problem = one(&format!("{board}; c3:+0;"), 1).unwrap();
        assert_eq!((problem.history.board(), problem.answers.len()), (board, 1));
        assert_eq!(one("", 1).unwrap(), GameRecord::default());
    }

    #[test]
    fn files_go_by_extension_and_else_by_content() {
        let folder = std::env::temp_dir().join(format!("kitai-{}-input", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (name, text) in
            [("a.txt", "f5d6\nf5f6\n"), ("b.unknown", "# two\nf5d6\nf5f6\n"), ("c", "x")]
        {
            std::fs::write(folder.join(name), text).unwrap();
        }
        let read = |name: &str, number| one(folder.join(name).to_str().unwrap(), number);
        assert_eq!(read("a.txt", 2).unwrap(), read("b.unknown", 2).unwrap());
        assert!(read("a.txt", 3).unwrap_err().to_string().contains("no record 3"));
        assert!(matches!(read("c", 1).unwrap_err(), CliError::Input(_)));
        assert!(matches!(read("d.ggf", 1).unwrap_err(), CliError::Io { .. }));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_text_that_is_nothing_is_a_wrong_command_line() {
        let error = one("f5a1", 1).unwrap_err();
        assert!(matches!(error, CliError::Usage(_)), "{error}");
        assert!(error.to_string().starts_with("`f5a1` is no file, and no position or game: "));
    }

    #[test]
    fn a_shortened_game_forgets_its_end() {
        let mut record = one("f5d6c3", 1).unwrap();
        record.result = Some(crate::record::GameResult::scored(4));
        shorten(&mut record, 1);
        assert_eq!((record.history.moves().len(), record.result), (1, None));
    }
}
