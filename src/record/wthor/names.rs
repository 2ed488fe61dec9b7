//! The name files of a database: players (`.jou`) and tournaments (`.trn`).

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{HEADER, Header, PLAYER, TOURNAMENT, UNKNOWN, no_more, read_fully};
use crate::record::{Fault, Place, RecordError};

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

    pub(super) fn player(&self, index: u16) -> String {
        name_of(&self.players, index)
    }

    pub(super) fn tournament(&self, index: u16) -> String {
        name_of(&self.tournaments, index)
    }
}

/// The file with this extension that goes with a game file: its own name first, then `WTHOR`.
fn sibling(games: &Path, extension: &str) -> Option<PathBuf> {
    let folder = match games.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let own = games.file_stem()?.to_str()?;
    let files: Vec<_> = std::fs::read_dir(folder).ok()?.flatten().map(|e| e.path()).collect();
    [own, "wthor"].iter().find_map(|stem| {
        let wanted = format!("{stem}.{extension}");
        let matches = |path: &&PathBuf| {
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
