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

use std::io::{BufRead, Write};
use std::path::Path;

use super::stream::{Brackets, Games, Lines, located};
use super::{
    Board, Fault, GameRecord, PairHalf, Place, RecordError, ggf, grammar, obf, sgf, transcript,
    wthor,
};

/// A file format for games or positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum Format {
    /// Generic Game Format of the Othello servers
    Ggf,
    /// Smart Game Format, GM[2]
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

    /// The format a file name's extension stands for, in any case.
    pub fn of_path(path: &Path) -> Option<Format> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "ggf" => Some(Format::Ggf),
            "sgf" => Some(Format::Sgf),
            "txt" => Some(Format::Transcript),
            "obf" => Some(Format::Obf),
            "pos" => Some(Format::Board),
            "wtb" => Some(Format::Wthor),
            _ => None,
        }
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
