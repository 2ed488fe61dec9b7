//! WTHOR, the database of tournament games: little-endian, 16 bytes of header, then records.
//!
//! A game record has 68 bytes: three indices into the name files, Black's discs (real, and with
//! perfect play from some number of empties on), and 60 moves of one byte, passes left out. The
//! name files `.jou` (players) and `.trn` (tournaments) may be missing; a name is then `#` and its
//! index, which writing turns back into the index.

use std::collections::HashMap;
use std::io::{self, BufRead, Read};
use std::path::Path;

use nom::Parser;
use nom::bytes::complete::take;
use nom::number::complete::{le_u16, le_u32, u8 as byte};

use super::{Board, Fault, GameRecord, GameResult, History, Margin, Place, RecordError, Theory};
use crate::othello::{Move, Square};

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

/// Names by index, from the `.jou` and `.trn` files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names {
    /// Players.
    pub players: Vec<String>,
    /// Tournaments.
    pub tournaments: Vec<String>,
}

impl Names {
    /// Reads a file of players (`.jou`).
    ///
    /// # Errors
    /// If the file is not as long as its header says.
    pub fn read_players(input: impl Read) -> Result<Vec<String>, RecordError> {
        read_names(input, PLAYER)
    }

    /// Reads a file of tournaments (`.trn`).
    ///
    /// # Errors
    /// If the file is not as long as its header says.
    pub fn read_tournaments(input: impl Read) -> Result<Vec<String>, RecordError> {
        read_names(input, TOURNAMENT)
    }

    /// The name files beside a game file: `WTHOR.JOU` and `WTHOR.TRN` in its folder, or its own
    /// name with their extensions, in any case. Missing ones are empty.
    ///
    /// # Errors
    /// If one is there but cannot be read.
    pub fn beside(games: &Path) -> Result<Names, RecordError> {
        let read = |extension: &str, width: usize| -> Result<Vec<String>, RecordError> {
            let Some(path) = sibling(games, extension) else {
                return Ok(Vec::new());
            };
            let name = path.display().to_string();
            std::fs::File::open(&path)
                .map_err(|error| Fault::Io(error).at(Place::Header))
                .and_then(|file| read_names(io::BufReader::new(file), width))
                .map_err(|error| error.in_file(&name))
        };
        Ok(Names { players: read("jou", PLAYER)?, tournaments: read("trn", TOURNAMENT)? })
    }

    fn player(&self, index: u16) -> String {
        name_of(&self.players, index)
    }

    fn tournament(&self, index: u16) -> String {
        name_of(&self.tournaments, index)
    }
}

/// The file with this extension that goes with a game file: its own name first, then `WTHOR`.
fn sibling(games: &Path, extension: &str) -> Option<std::path::PathBuf> {
    let folder = match games.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let own = games.file_stem()?.to_str()?;
    let files: Vec<_> = std::fs::read_dir(folder).ok()?.flatten().map(|e| e.path()).collect();
    [own, "wthor"].iter().find_map(|stem| {
        let wanted = format!("{stem}.{extension}");
        let matches = |path: &&std::path::PathBuf| {
            path.file_name()
                .and_then(|n| n.to_str())
                .is_some_and(|n| n.eq_ignore_ascii_case(&wanted))
        };
        files.iter().find(matches).cloned()
    })
}

/// A name, or `#index` without one; nothing for the unknown.
fn name_of(names: &[String], index: u16) -> String {
    match (index, names.get(usize::from(index))) {
        (0, None) => String::new(),
        (0, Some(name)) if name == UNKNOWN => String::new(),
        (_, Some(name)) => name.clone(),
        (_, None) => format!("#{index}"),
    }
}

fn read_names(mut input: impl Read, width: usize) -> Result<Vec<String>, RecordError> {
    let header = Header::read(&mut input).map_err(|fault| fault.at(Place::Header))?;
    let mut names = Vec::new();
    let mut record = vec![0; width];
    for number in 1..=usize::from(header.names) {
        let got = read_fully(&mut input, &mut record)
            .map_err(|error| Fault::Io(error).at(Place::Record(number)))?;
        if got < width {
            let fault =
                Fault::WrongSize { what: "name", expected: width as u64, found: got as u64 };
            return Err(fault.at(Place::Record(number)));
        }
        let text = record.iter().take_while(|&&byte| byte != 0).map(|&byte| char::from(byte));
        names.push(text.collect());
    }
    let expected = (HEADER + width * names.len()) as u64;
    no_more(&mut input, "name file", expected)?;
    Ok(names)
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

/// A name to be written: an index that was one, or a text that will get one.
#[derive(Clone, Copy)]
enum NameKey {
    Index(u16),
    Text(usize),
}

/// The names of one name file, collected while games come in.
#[derive(Default)]
struct NameTable {
    texts: Vec<String>,
    known: HashMap<String, usize>,
    highest_index: u16,
}

impl NameTable {
    fn key(&mut self, name: &str) -> NameKey {
        let index = match name {
            "" | UNKNOWN => Some(0),
            _ => name.strip_prefix('#').and_then(|digits| digits.parse().ok()),
        };
        if let Some(index) = index {
            self.highest_index = self.highest_index.max(index);
            return NameKey::Index(index);
        }
        let texts = &mut self.texts;
        NameKey::Text(*self.known.entry(name.to_owned()).or_insert_with(|| {
            texts.push(name.to_owned());
            texts.len() - 1
        }))
    }

    /// Texts get the indices after the highest one in use.
    fn index(&self, key: NameKey) -> usize {
        match key {
            NameKey::Index(index) => usize::from(index),
            NameKey::Text(place) => usize::from(self.highest_index) + 1 + place,
        }
    }

    fn file(&self, created: [u8; 4], width: usize) -> Option<Vec<u8>> {
        if self.texts.is_empty() {
            return None;
        }
        let numbered = (1..=self.highest_index).map(|index| format!("#{index}"));
        let all = std::iter::once(UNKNOWN.to_owned()).chain(numbered).chain(self.texts.clone());
        let names = (usize::from(self.highest_index) + 1 + self.texts.len()) as u16;
        let mut out = Header { created, names, ..Header::default() }.bytes();
        for name in all {
            let mut bytes: Vec<u8> =
                name.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect();
            // One byte stays for the zero at the end.
            bytes.truncate(width - 1);
            bytes.resize(width, 0);
            out.extend(bytes);
        }
        Some(out)
    }
}

/// Collects games and turns them into the files of a database. Each costs about a hundred bytes.
#[derive(Default)]
pub struct Collector {
    games: Vec<CollectedGame>,
    players: NameTable,
    tournaments: NameTable,
    year: u16,
    empties: Option<u8>,
}

struct CollectedGame {
    tournament: NameKey,
    black: NameKey,
    white: NameKey,
    real: u8,
    perfect: u8,
    moves: [u8; MOVES],
}

/// The bytes of a database's files; the name files are there only if some name needs them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Files {
    /// `.wtb`.
    pub games: Vec<u8>,
    /// `.jou`.
    pub players: Option<Vec<u8>>,
    /// `.trn`.
    pub tournaments: Option<Vec<u8>>,
}

fn cannot(what: impl Into<String>) -> Fault {
    Fault::CannotHold { format: "WTHOR", what: what.into() }
}

impl Collector {
    /// Adds a game. Without a theoretical score the real one stands in for it; the year of the
    /// file is that of the first game that has one.
    ///
    /// # Errors
    /// If the format has no room for it: another start, no result, a score that is no whole number
    /// of discs, or a theoretical score of another depth than the games before.
    pub fn add(&mut self, record: &GameRecord) -> Result<(), Fault> {
        if record.history.start() != Board::START {
            return Err(cannot("a game from another start board"));
        }
        let result = record
            .result_or_score()
            .ok_or_else(|| cannot("an unfinished game without a result"))?;
        let Margin::Discs(discs) = result.margin else {
            return Err(cannot("a result without a score"));
        };
        let real = black_discs(discs)?;
        let perfect = match record.theory {
            None => real,
            Some(theory) => {
                if *self.empties.get_or_insert(theory.empties) != theory.empties {
                    return Err(cannot("theoretical scores of different depths"));
                }
                black_discs(f64::from(theory.score))?
            }
        };
        if self.year == 0 {
            self.year = year_of(&record.date).unwrap_or(0);
        }
        let mut moves = [0; MOVES];
        let placed = record.history.moves().iter().filter_map(|played| played.square());
        for (slot, square) in moves.iter_mut().zip(placed) {
            *slot = 10 * (square.row() + 1) + square.column() + 1;
        }
        let tournament = self.tournaments.key(&record.event);
        let (black, white) =
            (self.players.key(&record.black.name), self.players.key(&record.white.name));
        self.games.push(CollectedGame { tournament, black, white, real, perfect, moves });
        Ok(())
    }

    /// The files, dated with century, year in it, month and day.
    ///
    /// # Errors
    /// If there are more games or names than the format can count.
    pub fn files(&self, created: [u8; 4]) -> Result<Files, Fault> {
        let games = u32::try_from(self.games.len()).map_err(|_| cannot("so many games"))?;
        for table in [&self.players, &self.tournaments] {
            if usize::from(table.highest_index) + table.texts.len() >= usize::from(u16::MAX) {
                return Err(cannot("more than 65,535 names"));
            }
        }
        let empties = self.empties.unwrap_or(USUAL_EMPTIES);
        let header =
            Header { created, games, year: self.year, size: 8, empties, ..Header::default() };
        let mut out = header.bytes();
        out.reserve(self.games.len() * GAME);
        for game in &self.games {
            let indices = [
                self.tournaments.index(game.tournament),
                self.players.index(game.black),
                self.players.index(game.white),
            ];
            for index in indices {
                out.extend((index as u16).to_le_bytes());
            }
            out.extend([game.real, game.perfect]);
            out.extend(game.moves);
        }
        Ok(Files {
            games: out,
            players: self.players.file(created, PLAYER),
            tournaments: self.tournaments.file(created, TOURNAMENT),
        })
    }
}

/// A disc difference as Black's discs.
fn black_discs(difference: f64) -> Result<u8, Fault> {
    let discs = (difference + 64.0) / 2.0;
    if discs.fract() == 0.0 && (0.0..=64.0).contains(&discs) {
        Ok(discs as u8)
    } else {
        Err(cannot(format!("the score {difference}")))
    }
}

/// The first run of exactly four digits in a date.
fn year_of(date: &str) -> Option<u16> {
    date.split(|c: char| !c.is_ascii_digit()).find(|run| run.len() == 4)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::game_record::tests::random_history;
    use crate::record::ggf;
    use crate::testdata::shared_data;
    use proptest::prelude::*;

    const CREATED: [u8; 4] = [20, 26, 11, 17];

    fn all(bytes: &[u8], names: Names) -> Vec<Result<GameRecord, RecordError>> {
        match read(bytes, names) {
            Ok(games) => games.collect(),
            Err(error) => vec![Err(error)],
        }
    }

    fn sample(seed: u64, names: [&str; 3]) -> GameRecord {
        let mut history = random_history(seed, 80, true);
        while history.moves().last() == Some(&Move::Pass) {
            history.undo();
        }
        let mut record = GameRecord::of(history);
        record.result = record.result_or_score();
        [record.event, record.black.name, record.white.name] = names.map(str::to_owned);
        record.theory = Some(Theory { score: (seed % 65) as i32 * 2 - 64, empties: 24 });
        record.date = "1999".to_owned();
        record
    }

    fn files(records: &[GameRecord]) -> Files {
        let mut collector = Collector::default();
        for record in records {
            collector.add(record).unwrap();
        }
        collector.files(CREATED).unwrap()
    }

    fn fault(bytes: &[u8]) -> String {
        let last = all(bytes, Names::default()).pop().unwrap();
        last.unwrap_err().to_string()
    }

    #[test]
    fn names_and_indices_survive_writing_and_reading() {
        let records =
            [sample(1, ["Open d'été", "Tamenori", "#7"]), sample(2, ["", "#3", "Tamenori"])];
        let made = files(&records);
        let names = Names {
            players: Names::read_players(made.players.unwrap().as_slice()).unwrap(),
            tournaments: Names::read_tournaments(made.tournaments.unwrap().as_slice()).unwrap(),
        };
        assert_eq!(names.players[0], UNKNOWN);
        assert_eq!(names.players[8], "Tamenori");
        let read: Vec<GameRecord> =
            all(&made.games, names).into_iter().map(Result::unwrap).collect();
        assert_eq!(read, records);
    }

    #[test]
    fn broken_files_say_what_is_wrong_and_where() {
        let made = files(&[sample(1, ["", "", ""]), sample(2, ["", "", ""])]).games;
        assert_eq!(all(&made, Names::default()).iter().filter(|r| r.is_ok()).count(), 2);
        assert_eq!(fault(&made[..10]), "header: expected 16 bytes, found 10");
        assert_eq!(fault(b""), "header: expected 16 bytes, found 0");
        assert_eq!(fault(&made[..100]), "record 2: game file: expected 152 bytes, found 100");
        assert_eq!(
            fault(&[&made[..], &[0; 3]].concat()),
            "game file: expected 152 bytes, found 155"
        );
        let with = |place: usize, value: u8| {
            let mut bytes = made.clone();
            bytes[place] = value;
            bytes
        };
        assert_eq!(fault(&with(4, 3)), "record 3: game file: expected 220 bytes, found 152");
        assert!(fault(&with(12, 10)).contains("board size[10]: expected 0 or 8"));
        assert!(fault(&with(13, 1)).contains("kind[1]: expected 0"));
        assert!(fault(&with(16 + 68 + 6, 65)).starts_with("record 2: real score[65]"));
        assert!(fault(&with(16 + 68 + 8, 19)).contains("move byte[19]"));
        assert_eq!(fault(&with(16 + 68 + 8, 11)), "record 2: move 1: black cannot play a1 here");
        assert!(fault(&with(16 + 68 + 8, 0)).contains("0 after the end of the game"));
        // A bad game costs no other.
        let read = all(&with(16 + 8, 11), Names::default());
        assert!(read[0].is_err() && read[1].is_ok());
        let players = files(&[sample(1, ["", "A", "B"])]).players.unwrap();
        let error = Names::read_players(&players[..30]).unwrap_err().to_string();
        assert_eq!(error, "record 1: name: expected 20 bytes, found 14");
    }

    #[test]
    fn what_the_format_has_no_room_for_is_refused_by_name() {
        let refused = |change: &dyn Fn(&mut GameRecord)| {
            let mut record = sample(3, ["", "", ""]);
            change(&mut record);
            let mut collector = Collector::default();
            collector.add(&sample(1, ["", "", ""])).unwrap();
            collector.add(&record).unwrap_err().to_string()
        };
        let unfinished = |record: &mut GameRecord| {
            record.history.undo();
            record.result = None;
        };
        assert_eq!(refused(&unfinished), "WTHOR cannot hold an unfinished game without a result");
        assert!(refused(&|r| r.history = random_history(5, 3, false)).contains("start board"));
        let odd = GameResult::scored(3);
        assert_eq!(refused(&|r| r.result = Some(odd)), "WTHOR cannot hold the score 3");
        let deeper = Theory { score: 0, empties: 20 };
        assert!(refused(&|r| r.theory = Some(deeper)).contains("different depths"));
    }

    proptest! {
        #[test]
        fn writing_and_reading_is_the_identity(seeds in proptest::collection::vec(any::<u64>(), 0..5)) {
            let records: Vec<GameRecord> =
                seeds.iter().map(|&seed| sample(seed, ["#4", "#12", ""])).collect();
            let made = files(&records);
            prop_assert!(made.players.is_none() && made.tournaments.is_none());
            let read: Vec<GameRecord> =
                all(&made.games, Names::default()).into_iter().map(Result::unwrap).collect();
            prop_assert_eq!(read, records);
        }

        #[test]
        fn any_bytes_give_games_or_errors(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            all(&bytes, Names::default());
            let _ = Names::read_players(bytes.as_slice());
        }
    }

    /// Every game of the database replays, its score is the replayed one if it was played out, and
    /// a trip through GGF changes nothing.
    #[test]
    fn the_whole_database_replays_and_survives_a_trip_through_ggf() {
        let Some(folder) = shared_data("wthor") else { return };
        let mut paths: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
        paths.sort();
        let (mut total, mut unfinished, mut other_scores) = (0, 0, Vec::new());
        for path in paths {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let bytes = std::fs::read(&path).unwrap();
            let games = read(bytes.as_slice(), Names::default()).unwrap();
            let header = games.header();
            let (mut direct, mut through_ggf) = (Collector::default(), Collector::default());
            for (index, record) in games.enumerate() {
                let record = record.unwrap_or_else(|error| panic!("{name}: {error}"));
                total += 1;
                let score = record.history.board().final_score_for_black();
                if !record.history.is_over() {
                    unfinished += 1;
                } else if record.result != Some(GameResult::scored(score)) {
                    other_scores.push(format!("{name} game {}: {score:+}", index + 1));
                }
                direct.add(&record).unwrap();
                let mut again = ggf::parse(&ggf::write(&record)).unwrap();
                assert_eq!(again.history, record.history, "{name} game {}", index + 1);
                again.theory = record.theory;
                through_ggf.add(&again).unwrap();
            }
            let made = direct.files(header.created).unwrap().games;
            assert_eq!(through_ggf.files(header.created).unwrap().games, made, "{name}");
            assert_eq!(made[HEADER..], bytes[HEADER..], "{name}");
        }
        println!("{total} games, {unfinished} not played out, other scores: {other_scores:#?}");
        assert!(total > 120_000, "only {total} games");
        assert_eq!(other_scores, [""; 0]);
    }
}
