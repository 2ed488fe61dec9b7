//! Which formats there are, and reading and writing any of them through one door.
//!
//! | format | extension | one record is | keeps beside the moves |
//! |---|---|---|---|
//! | GGF | `.ggf` | `(;…;)` | names, ratings, clocks, place, date, event, type, komi, result, evaluations, times, pairs |
//! | SGF | `.sgf` | `(;…)` | names, ratings, main time, place, date, event, result, evaluations |
//! | transcript | `.txt` | a line | start board if not the usual one |
//! | OBF | `.obf` | a line | the last board, scores of its moves |
//! | board | `.pos` | a line | the last board only |
//! | WTHOR | `.wtb` | 68 bytes | names, event, year, result, theoretical score; usual start only |

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use thiserror::Error;

use super::stream::{Brackets, Games, Lines, located};
use super::{
    Board, Fault, GameRecord, PairHalf, Place, RecordError, ggf, grammar, obf, sgf, transcript,
    wthor,
};

/// A file format for games or positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Generic Game Format of the Othello servers
    Ggf,
    /// Smart Game Format, `GM[2]`
    Sgf,
    /// Moves like f5d6c3, one game per line
    Transcript,
    /// Problems: board and scored moves, one per line
    Obf,
    /// Boards of 64 squares with side to move, one per line
    Board,
    /// The WTHOR database (.wtb)
    Wthor,
}

/// Records of a file, one at a time.
pub type Records<'a> = Box<dyn Iterator<Item = Result<GameRecord, RecordError>> + 'a>;

impl Format {
    /// Every format.
    pub const ALL: [Format; 6] =
        [Format::Ggf, Format::Sgf, Format::Transcript, Format::Obf, Format::Board, Format::Wthor];

    /// The file name extension and the word for the format.
    pub const fn extension_and_word(self) -> (&'static str, &'static str) {
        match self {
            Format::Ggf => ("ggf", "ggf"),
            Format::Sgf => ("sgf", "sgf"),
            Format::Transcript => ("txt", "transcript"),
            Format::Obf => ("obf", "obf"),
            Format::Board => ("pos", "board"),
            Format::Wthor => ("wtb", "wthor"),
        }
    }

    /// The format a file name's extension stands for, in any case.
    pub fn of_path(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?;
        Format::ALL
            .into_iter()
            .find(|format| format.extension_and_word().0.eq_ignore_ascii_case(extension))
    }

    /// The format that a text looks like: games in brackets, problems with their answers behind `;`,
    /// else boards and moves. The first few hundred bytes are enough.
    pub fn of_content(text: &[u8]) -> Format {
        let text = String::from_utf8_lossy(text);
        let first = text.lines().map(str::trim).find(|line| {
            let line = line.trim_start_matches('\u{feff}');
            !line.is_empty() && !line.starts_with(['#', '%'])
        });
        let first = first.unwrap_or_default();
        if first.contains('(') {
            // GGF names the game, SGF numbers it; either may do so on a later line.
            if text.contains("GM[Othello") || !(text.contains("GM[2]") || text.contains("FF[")) {
                Format::Ggf
            } else {
                Format::Sgf
            }
        } else if first.contains(';') {
            Format::Obf
        } else {
            Format::Transcript
        }
    }

    /// Opens a file of this format. Missing or broken name files of a WTHOR database are no reason
    /// to stop.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(self, path: &Path) -> std::io::Result<Records<'static>> {
        let names = if self == Format::Wthor {
            wthor::Names::beside(path).unwrap_or_default()
        } else {
            wthor::Names::default()
        };
        Ok(self.read(BufReader::new(File::open(path)?), names))
    }

    /// Reads records one at a time; after a bad one reading goes on with the next. `names` is used
    /// by WTHOR only.
    pub fn read<'a>(self, input: impl BufRead + 'a, names: wthor::Names) -> Records<'a> {
        match self {
            Format::Ggf => Box::new(GgfRecords {
                games: Games::new(input, Brackets::Flat),
                due: None,
                held: None,
            }),
            Format::Sgf => Box::new(Games::new(input, Brackets::Nested).map(|chunk| {
                let chunk = chunk?;
                sgf::parse(&chunk.text).map_err(|error| error.shifted(chunk.line, chunk.column))
            })),
            Format::Transcript => lines(input, |text| transcript::parse(text).map(GameRecord::of)),
            Format::Obf => Box::new(obf::read(input).map(|problem| problem.map(GameRecord::from))),
            Format::Board => lines(input, |text| {
                let board: Result<Board, _> = grammar::trimmed(text).parse();
                board
                    .map(GameRecord::of_board)
                    .map_err(|error| Fault::Board(error).before(grammar::trimmed(text), text))
            }),
            Format::Wthor => match wthor::read(input, names) {
                Ok(games) => Box::new(games),
                Err(error) => Box::new(std::iter::once(Err(error))),
            },
        }
    }
}

/// Why a file of games cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The extension stands for no format.
    #[error("{0}: the extension names no format of games (ggf, sgf, txt, obf, pos, wtb)")]
    Extension(String),
    /// The system refuses.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// The records of any file of games, its format by its extension.
///
/// # Errors
/// If the extension stands for no format or the file cannot be opened.
pub fn open(path: &Path) -> Result<Records<'static>, OpenError> {
    let file = path.display().to_string();
    let format = Format::of_path(path).ok_or_else(|| OpenError::Extension(file.clone()))?;
    format.open(path).map_err(|source| OpenError::Io { file, source })
}

/// The records of a line-based file; blank lines and comments (`#`, `%`) hold none.
fn lines<'a>(
    input: impl BufRead + 'a,
    parse: impl Fn(&str) -> Result<GameRecord, RecordError> + 'a,
) -> Records<'a> {
    Box::new(Lines::new(input).filter_map(move |line| match line {
        Ok((number, text)) => {
            let body = grammar::trimmed(&text);
            let holds_record = !body.is_empty() && !body.starts_with(['#', '%']);
            holds_record.then(|| located(parse(&text), number))
        }
        Err(error) => Some(Err(error)),
    }))
}

/// The games of a GGF archive, synchro pairs marked.
struct GgfRecords<R> {
    games: Games<R>,
    /// The place of a pair whose second game is still to come.
    due: Option<Place>,
    held: Option<Result<GameRecord, RecordError>>,
}

impl<R: BufRead> Iterator for GgfRecords<R> {
    type Item = Result<GameRecord, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(held) = self.held.take() {
            return Some(held);
        }
        let missing = |place| {
            let expected = "a second game after the number 2";
            Err(Fault::expected(expected, "").at(place))
        };
        let chunk = match self.games.next() {
            None => return self.due.take().map(missing),
            Some(Err(error)) => return Some(Err(error)),
            Some(Ok(chunk)) => chunk,
        };
        let place = Place::Text { line: chunk.line, column: chunk.column };
        let mut record =
            ggf::parse(&chunk.text).map_err(|error| error.shifted(chunk.line, chunk.column));
        let mut set_pair = |half| {
            if let Ok(record) = &mut record {
                record.pair = Some(half);
            }
        };
        let mut error = None;
        match (chunk.count.as_str(), self.due.take()) {
            ("", Some(_)) => set_pair(PairHalf::Second),
            ("2", due) => {
                set_pair(PairHalf::First);
                self.due = Some(place);
                error = due.map(missing);
            }
            ("" | "1", due) => error = due.map(missing),
            (count, _) => {
                let fault = Fault::bad_value("number of games", count, "1 or 2");
                error = Some(Err(fault.at(place)));
            }
        }
        match error {
            None => Some(record),
            Some(error) => {
                self.held = Some(record);
                Some(error)
            }
        }
    }
}

/// Writes records of one format, one at a time.
pub struct Writer<W> {
    format: Format,
    out: W,
    /// The first game of a pair, until its second comes.
    first_of_pair: Option<GameRecord>,
    wthor: wthor::Collector,
}

impl<W: Write> Writer<W> {
    /// A writer to `out`.
    pub fn new(format: Format, out: W) -> Writer<W> {
        Writer { format, out, first_of_pair: None, wthor: wthor::Collector::default() }
    }

    /// What it writes.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Writes one record.
    ///
    /// # Errors
    /// If the format has no room for it (nothing is written then), or writing fails.
    pub fn write(&mut self, record: &GameRecord) -> Result<(), Fault> {
        let line = match self.format {
            Format::Ggf => return self.write_ggf(record),
            Format::Wthor => return self.wthor.add(record),
            Format::Sgf => sgf::write(record),
            Format::Transcript => transcript::write(&record.history),
            Format::Obf => obf::write(&obf::Problem::from(record)),
            Format::Board => record.history.board().to_string(),
        };
        Ok(writeln!(self.out, "{line}")?)
    }

    fn write_ggf(&mut self, record: &GameRecord) -> Result<(), Fault> {
        let first = self.first_of_pair.take();
        let line = match (first, record.pair) {
            (Some(first), Some(PairHalf::Second)) => ggf::write_line(&[&first, record]),
            (first, pair) => {
                if let Some(lonely) = first {
                    writeln!(self.out, "{}", ggf::write_line(&[&lonely]))?;
                }
                if pair == Some(PairHalf::First) {
                    self.first_of_pair = Some(record.clone());
                    return Ok(());
                }
                ggf::write_line(&[record])
            }
        };
        Ok(writeln!(self.out, "{line}")?)
    }

    /// Writes what was held back and gives back the name files of a WTHOR database, if any.
    /// `created` is the date for WTHOR headers: century, year in it, month, day.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(mut self, created: [u8; 4]) -> Result<Option<wthor::Files>, Fault> {
        if let Some(lonely) = self.first_of_pair.take() {
            writeln!(self.out, "{}", ggf::write_line(&[&lonely]))?;
        }
        let mut files = None;
        if self.format == Format::Wthor {
            let made = self.wthor.files(created)?;
            self.out.write_all(&made.games)?;
            files = Some(made);
        }
        self.out.flush()?;
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::game_record::tests::any_record;
    use crate::testdata::shared_data;
    use proptest::prelude::*;

    #[test]
    fn the_content_tells_the_text_formats_apart() {
        let board = Board::START;
        for (text, format) in [
            ("(;GM[Othello]PB[a]B[f5];)".to_owned(), Format::Ggf),
            ("\n2 (;GM[Othello]B[f5];)(;GM[Othello];)".to_owned(), Format::Ggf),
            ("(;FF[4]\nGM[2]\n;B[fe])".to_owned(), Format::Sgf),
            (format!("% problems\n{board}; f5:+0;"), Format::Obf),
            (board.to_string(), Format::Transcript),
            ("f5d6c3".to_owned(), Format::Transcript),
            (String::new(), Format::Transcript),
        ] {
            assert_eq!(Format::of_content(text.as_bytes()), format, "{text}");
        }
    }

    fn read_all(format: Format, bytes: &[u8]) -> Vec<Result<GameRecord, String>> {
        let records = format.read(bytes, wthor::Names::default());
        records.map(|record| record.map_err(|error| error.to_string())).collect()
    }

    fn written(format: Format, records: &[GameRecord]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut writer = Writer::new(format, &mut out);
        for record in records {
            writer.write(record).unwrap();
        }
        writer.finish([20, 26, 1, 1]).unwrap();
        out
    }

    #[test]
    fn extensions_stand_for_formats_in_any_case() {
        assert_eq!(Format::of_path(Path::new("a/WTH_1999.WTB")), Some(Format::Wthor));
        assert_eq!(Format::of_path(Path::new("x.ggf")), Some(Format::Ggf));
        assert_eq!(Format::of_path(Path::new("x.pdf")), None);
    }

    #[test]
    fn every_format_reports_a_bad_record_with_its_line_and_reads_on() {
        let board = Board::START;
        for (format, good, bad) in [
            (Format::Ggf, "(;GM[Othello]B[f5];)", "(;GM[Othello]B[a1];)"),
            (Format::Sgf, "(;GM[2];B[f5])", "(;GM[2];B[a1])"),
            (Format::Transcript, "f5d6", "f5a1"),
            (Format::Obf, &format!("{board}; F5:+0;"), "nonsense"),
            (Format::Board, &board.to_string(), "---- X"),
        ] {
            let file = format!("\u{feff}{good}\r\n{bad}\r\n\r\n{good}\n");
            let records = read_all(format, file.as_bytes());
            let good: Vec<bool> = records.iter().map(Result::is_ok).collect();
            assert_eq!(good, [true, false, true], "{format:?}: {records:?}");
            let error = records[1].as_ref().unwrap_err();
            assert!(error.starts_with("line 2, column "), "{error}");
        }
    }

    #[test]
    fn pairs_stay_together_and_lonely_halves_are_reported() {
        let game = "(;GM[Othello]B[f5];)";
        let file = format!("1 {game}\n2 {game}{game}\n2 {game}\n1 {game}\n7 {game}\n2 {game}");
        let records = read_all(Format::Ggf, file.as_bytes());
        let halves: Vec<_> = records.iter().flatten().map(|record| record.pair).collect();
        let (first, second) = (Some(PairHalf::First), Some(PairHalf::Second));
        assert_eq!(halves, [None, first, second, first, None, None, first]);
        let errors: Vec<_> = records.iter().filter_map(|r| r.as_ref().err()).collect();
        assert_eq!(errors.len(), 3, "{errors:?}");
        assert!(errors[0].starts_with("line 3, column 3: expected a second game"), "{errors:?}");
        assert!(errors[1].contains("number of games[7]: expected 1 or 2"), "{errors:?}");
        let good: Vec<GameRecord> = records.into_iter().flatten().collect();
        let text = String::from_utf8(written(Format::Ggf, &good)).unwrap();
        let counts: Vec<&str> = text.lines().map(|line| &line[..1]).collect();
        assert_eq!(counts, ["1", "2", "1", "1", "1", "1"]);
    }

    #[test]
    #[ignore = "needs shared data (KITAI_DATA)"]
    fn every_problem_and_every_opening_of_the_shared_data_reads_with_shared_data() {
        let problems = shared_data("problems");
        let mut count = 0;
        for entry in std::fs::read_dir(problems).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            for problem in obf::read(bytes.as_slice()) {
                let problem = problem.unwrap();
                let legal = problem.board.position.legal_moves().count() as usize;
                assert_eq!(problem.answers.len(), legal);
                count += 1;
            }
        }
        assert_eq!(count, 19 + 20 + 20 + 276 + 311);
        let openings = shared_data("openings");
        for (file, expected) in [("xot-small.txt", 3_623), ("xot-large.txt", 10_784)] {
            let bytes = std::fs::read(openings.join(file)).unwrap();
            let records = read_all(Format::Transcript, &bytes);
            assert_eq!(records.len(), expected);
            for record in records {
                let history = record.unwrap().history;
                assert_eq!(
                    (history.moves().len(), history.board().position.empty_count()),
                    (8, 52)
                );
            }
        }
    }

    proptest! {
        #[test]
        fn what_a_format_wrote_and_read_it_writes_again(records in proptest::collection::vec(any_record(), 0..4)) {
            for format in [Format::Ggf, Format::Sgf, Format::Transcript, Format::Obf, Format::Board] {
                let once = written(format, &records);
                let read: Result<Vec<GameRecord>, String> = read_all(format, &once).into_iter().collect();
                let read = read.unwrap();
                prop_assert_eq!(read.len(), records.len(), "{:?}", format);
                prop_assert_eq!(written(format, &read), once, "{:?}", format);
            }
        }

        #[test]
        fn any_bytes_give_records_or_errors(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            for format in Format::ALL {
                read_all(format, &bytes);
            }
        }
    }
}
