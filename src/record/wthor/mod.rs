//! WTHOR, the database of tournament games: little-endian, 16 bytes of header, then records.
//!
//! A game record has 68 bytes: three indices into the name files, Black's discs (real, and with
//! perfect play from some number of empties on), and 60 moves of one byte, passes left out. The
//! name files `.jou` (players) and `.trn` (tournaments) may be missing; a name is then `#` and its
//! index, which writing turns back into the index.

mod names;
mod writer;

use std::io::{self, BufRead, Read};

use nom::Parser;
use nom::bytes::complete::take;
use nom::number::complete::{le_u16, le_u32, u8 as byte};

use super::{Fault, GameRecord, GameResult, History, Place, RecordError, Theory};
use crate::othello::{Move, Square};

pub use names::Names;
pub use writer::{Collector, Files};

/// Bytes of the header that all three kinds of file share.
const HEADER: usize = 16;
/// Bytes of a game.
const GAME: usize = 68;
/// Moves in a game record.
const MOVES: usize = 60;
/// Bytes of a player's name.
const PLAYER: usize = 20;
/// Bytes of a tournament's name.
const TOURNAMENT: usize = 26;
/// What a 0 in the header means: perfect play from this many empties.
const USUAL_EMPTIES: u8 = 22;
/// The name of the index 0, nobody knows who.
const UNKNOWN: &str = "???";

/// The first 16 bytes of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// When the file was made: century, year in it, month, day.
    pub created: [u8; 4],
    /// Number of games.
    pub games: u32,
    /// Number of names, in name files.
    pub names: u16,
    /// Year the games were played; 0 if unknown.
    pub year: u16,
    /// Board size; 0 is 8 too.
    pub size: u8,
    /// 0 games, 1 solitaires.
    pub kind: u8,
    /// From how many empties on the theoretical score is exact; 0 is 22.
    pub empties: u8,
}

fn header(input: &[u8]) -> nom::IResult<&[u8], Header> {
    let (rest, (created, games, names, year, size, kind, empties, _)) =
        (take(4usize), le_u32, le_u16, le_u16, byte, byte, byte, byte).parse(input)?;
    let mut date = [0; 4];
    date.copy_from_slice(created);
    Ok((rest, Header { created: date, games, names, year, size, kind, empties }))
}

impl Header {
    fn bytes(&self) -> Vec<u8> {
        let mut out = self.created.to_vec();
        out.extend(self.games.to_le_bytes());
        out.extend(self.names.to_le_bytes());
        out.extend(self.year.to_le_bytes());
        out.extend([self.size, self.kind, self.empties, 0]);
        out
    }

    fn read(input: &mut impl Read) -> Result<Header, Fault> {
        let mut bytes = [0; HEADER];
        let got = read_fully(input, &mut bytes)?;
        let short = || Fault::WrongSize { what: "header", expected: 16, found: got as u64 };
        if got < HEADER {
            return Err(short());
        }
        header(&bytes).map(|(_, header)| header).map_err(|_| short())
    }
}

/// Fills the buffer as far as the input goes; the number of bytes got.
fn read_fully(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match input.read(&mut buffer[got..]) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

/// Checks that the file ends where its header says.
fn no_more(input: &mut impl Read, what: &'static str, expected: u64) -> Result<(), RecordError> {
    let extra =
        io::copy(input, &mut io::sink()).map_err(|error| Fault::Io(error).at(Place::Header))?;
    if extra == 0 {
        return Ok(());
    }
    Err(Fault::WrongSize { what, expected, found: expected + extra }.at(Place::Header))
}

/// The games of a file, one record in memory at a time.
pub struct Games<R> {
    input: R,
    names: Names,
    header: Header,
    next: u32,
    ended: bool,
}

/// Opens a game file: reads and checks its header.
///
/// # Errors
/// If the header is short or speaks of other boards or of solitaires.
pub fn read<R: BufRead>(mut input: R, names: Names) -> Result<Games<R>, RecordError> {
    let header = Header::read(&mut input).map_err(|fault| fault.at(Place::Header))?;
    let check = |name, value: u8, allowed: &[u8], expected| {
        let wrong = || Fault::bad_value(name, &value.to_string(), expected).at(Place::Header);
        if allowed.contains(&value) { Ok(()) } else { Err(wrong()) }
    };
    check("board size", header.size, &[0, 8], "0 or 8 for the usual board")?;
    check("kind", header.kind, &[0], "0 for a file of games")?;
    Ok(Games { input, names, header, next: 0, ended: false })
}

impl<R> Games<R> {
    /// What the file says about itself.
    pub fn header(&self) -> Header {
        self.header
    }
}

impl<R: BufRead> Iterator for Games<R> {
    type Item = Result<GameRecord, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let total = HEADER as u64 + u64::from(self.header.games) * GAME as u64;
        if self.next == self.header.games {
            self.ended = true;
            return no_more(&mut self.input, "game file", total).err().map(Err);
        }
        let place = Place::Record(self.next as usize + 1);
        let mut bytes = [0; GAME];
        let got = match read_fully(&mut self.input, &mut bytes) {
            Ok(got) => got,
            Err(error) => {
                self.ended = true;
                return Some(Err(Fault::Io(error).at(place)));
            }
        };
        if got < GAME {
            self.ended = true;
            let found = HEADER as u64 + u64::from(self.next) * GAME as u64 + got as u64;
            let fault = Fault::WrongSize { what: "game file", expected: total, found };
            return Some(Err(fault.at(place)));
        }
        self.next += 1;
        Some(game(&bytes, &self.header, &self.names).map_err(|fault| fault.at(place)))
    }
}

fn game(bytes: &[u8; GAME], header: &Header, names: &Names) -> Result<GameRecord, Fault> {
    let fields: nom::IResult<&[u8], _> =
        (le_u16, le_u16, le_u16, byte, byte).parse(bytes.as_slice());
    let size = |_| Fault::WrongSize { what: "game", expected: GAME as u64, found: 0 };
    let (moves, (tournament, black, white, real, perfect)) = fields.map_err(size)?;
    let mut record = GameRecord::of(replay(moves)?);
    record.black.name = names.player(black);
    record.white.name = names.player(white);
    record.event = names.tournament(tournament);
    if header.year != 0 {
        record.date = header.year.to_string();
    }
    record.result = Some(GameResult::scored(difference("real score", real)?));
    record.theory = Some(Theory {
        score: difference("theoretical score", perfect)?,
        empties: if header.empties == 0 { USUAL_EMPTIES } else { header.empties },
    });
    Ok(record)
}

/// Black's discs as a disc difference.
fn difference(name: &str, discs: u8) -> Result<i32, Fault> {
    match discs {
        0..=64 => Ok(2 * i32::from(discs) - 64),
        _ => Err(Fault::bad_value(name, &discs.to_string(), "Black's discs, 0 to 64")),
    }
}

fn replay(moves: &[u8]) -> Result<History, Fault> {
    let mut history = History::default();
    let length = moves.iter().position(|&byte| byte == 0).unwrap_or(moves.len());
    for &byte in &moves[..length] {
        let square = Square::at((byte % 10).wrapping_sub(1), (byte / 10).wrapping_sub(1))
            .ok_or_else(|| {
                let expected = "10 × row + column, both 1 to 8, or 0 to end";
                Fault::bad_value("move byte", &byte.to_string(), expected)
            })?;
        history.play_passing(Move::Place(square))?;
    }
    match moves[length..].iter().find(|&&byte| byte != 0) {
        None => Ok(history),
        Some(byte) => {
            Err(Fault::bad_value("move byte", &byte.to_string(), "0 after the end of the game"))
        }
    }
}

#[cfg(test)]
mod tests;
