//! The one safe way to append to a file: match logs, self-play games, labels and learnt games.
//!
//! A file begins with a header that names its kind, its version and the settings it was made with.
//! Every record carries a checksum that also covers all records before it, so a changed, lost,
//! doubled or moved record is noticed. One process at a time has the file: it is locked while open.
//! [`Appender::append`] collects, [`Appender::flush`] hands over to the system and
//! [`Appender::sync`] waits until everything is on the disk; who appends says in its own
//! documentation when it syncs.
//!
//! Opening a file again checks all of it. What an interrupted writer left behind the last whole
//! record is cut off and reported ([`Resumed::torn`]); any other damage and any other settings are
//! errors, and nothing is changed. If a write fails, for example because the disk is full, the file
//! is cut back to its last whole record, what was collected is dropped, and the next record goes on
//! from there.

use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use thiserror::Error;

use super::sealed::{Damage, Records};
pub use super::sealed::{Framing, Kind};

/// Games kept in GGF, one line each; other programs read and write such files too.
pub const GGF_GAMES: Kind = Kind {
    name: "",
    version: 1,
    framing: Framing::GgfLines,
    what: "file of games",
    longest: 1 << 20,
};

/// Collected bytes that are handed over to the system unasked.
const BUFFER: usize = 1 << 16;

/// Why a file cannot be appended to.
#[derive(Debug, Error)]
pub enum AppendError {
    /// The file cannot be read or written.
    #[error("{}: {source}", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another process has it open.
    #[error("{}: another process is writing this file", .0.display())]
    Locked(PathBuf),
    /// It was made with other settings.
    #[error("{}: this file was made with other settings: {difference}; choose another file", file.display())]
    OtherSettings {
        /// The file.
        file: PathBuf,
        /// Each setting that differs, with both values.
        difference: String,
    },
    /// It is no file of this kind, or something in it is damaged.
    #[error("{}: {damage}", file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// What and where.
        damage: Damage,
    },
}

/// What an opened file already held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resumed {
    /// Whole records.
    pub records: u64,
    /// Bytes after the last of them that were cut off.
    pub torn: u64,
}

impl fmt::Display for Resumed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Resumed { records, torn } = self;
        match torn {
            0 => write!(f, "going on after record {records}"),
            _ => write!(
                f,
                "cut off {torn} bytes of an interrupted write; going on after record {records}"
            ),
        }
    }
}

/// A file being appended to.
pub struct Appender {
    file: File,
    path: PathBuf,
    kind: Kind,
    /// Where the header ends, and its checksum.
    header: (u64, u32),
    /// Checksum of the last record.
    chain: u32,
    /// Where the last record handed over to the system ends.
    end: u64,
    /// Checksum of the record that ends there.
    chain_at_end: u32,
    /// Whether bytes of a failed write may follow there.
    torn: bool,
    buffer: Vec<u8>,
}

impl Appender {
    /// Opens the file or begins it. Each record that it holds is shown to `each`, which may refuse
    /// it with a reason.
    ///
    /// # Errors
    /// If the file cannot be used, is in use, was made with other settings or is damaged.
    pub fn open(
        path: &Path,
        kind: Kind,
        settings: &impl Serialize,
        mut each: impl FnMut(&[u8]) -> Result<(), String>,
    ) -> Result<(Appender, Resumed), AppendError> {
        let io = |source| AppendError::Io { file: path.to_owned(), source };
        let damaged = |damage| match damage {
            Damage::Io(source) => io(source),
            damage => AppendError::Damaged { file: path.to_owned(), damage },
        };
        let text = match kind.framing {
            Framing::GgfLines => "null".to_owned(),
            _ => serde_json::to_string(settings).map_err(|error| io(error.into()))?,
        };
        // Read back, so that numbers are compared as they come from a file.
        let settings: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| io(error.into()))?;
        let header = kind.header(&text);
        let file = open_locked(path)?;
        let length = file.metadata().map_err(io)?.len();
        let mut appender = Appender {
            file,
            path: path.to_owned(),
            kind,
            header: (0, 0),
            chain: 0,
            end: 0,
            chain_at_end: 0,
            torn: false,
            buffer: Vec::new(),
        };
        if length < header.len() as u64 && appender.begins(&header, length).map_err(io)? {
            // New, or killed while it was begun.
            appender.file.set_len(0).and_then(|()| appender.file.rewind()).map_err(io)?;
            appender.chain = crc32fast::hash(&header);
            appender.header = (header.len() as u64, appender.chain);
            appender.buffer = header;
            appender.sync()?;
            sync_folder(path).map_err(io)?;
            return Ok((appender, Resumed { records: 0, torn: length }));
        }
        let mut input = BufReader::with_capacity(1 << 20, &appender.file);
        input.rewind().map_err(io)?;
        let (mut records, found) = Records::open(input, kind).map_err(damaged)?;
        if found != settings {
            let difference = difference(&found, &settings);
            return Err(AppendError::OtherSettings { file: path.to_owned(), difference });
        }
        let header_end = (records.end(), records.chain());
        while let Some(record) = records.next_record().map_err(damaged)? {
            if let Err(reason) = each(record) {
                return Err(damaged(records.refused(reason)));
            }
        }
        let resumed = Resumed { records: records.count(), torn: length - records.end() };
        (appender.chain, appender.end) = (records.chain(), records.end());
        (appender.chain_at_end, appender.header) = (appender.chain, header_end);
        drop(records);
        appender.cut_back().map_err(io)?;
        Ok((appender, resumed))
    }

    /// Whether the file's few bytes are the first of this header.
    fn begins(&mut self, header: &[u8], length: u64) -> std::io::Result<bool> {
        let mut found = vec![0; length as usize];
        self.file.rewind()?;
        std::io::Read::read_exact(&mut self.file, &mut found)?;
        Ok(header.starts_with(&found))
    }

    /// Adds a record; see [`Kind`] for what it may hold.
    ///
    /// # Errors
    /// If the system takes no more.
    pub fn append(&mut self, record: &[u8]) -> Result<(), AppendError> {
        self.chain = self.kind.seal(record, self.chain, &mut self.buffer);
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    /// Adds a record as JSON.
    ///
    /// # Errors
    /// As [`Appender::append`].
    pub fn append_json(&mut self, record: &impl Serialize) -> Result<(), AppendError> {
        let text = serde_json::to_vec(record)
            .map_err(|error| AppendError::Io { file: self.path.clone(), source: error.into() })?;
        self.append(&text)
    }

    /// Hands everything added so far over to the system: it survives the end of this process.
    ///
    /// # Errors
    /// If the system takes no more. The records since the last flush are then lost, the file ends
    /// with the last whole record before them, and the next one goes on from there.
    pub fn flush(&mut self) -> Result<(), AppendError> {
        let cut = if self.torn { self.cut_back() } else { Ok(()) };
        let written = cut.and_then(|()| self.file.write_all(&self.buffer));
        if written.is_ok() {
            self.end += self.buffer.len() as u64;
            self.chain_at_end = self.chain;
        } else {
            self.chain = self.chain_at_end;
            // Half a record would be in the way of the next. If it cannot be removed now, the next
            // flush tries again; the first error says more than one that may follow here.
            self.torn = true;
            let _ = self.cut_back();
        }
        self.buffer.clear();
        written.map_err(|source| AppendError::Io { file: self.path.clone(), source })
    }

    /// As [`Appender::flush`], and waits for the disk: it survives a power cut.
    ///
    /// # Errors
    /// As [`Appender::flush`].
    pub fn sync(&mut self) -> Result<(), AppendError> {
        self.flush()?;
        self.file.sync_data().map_err(|source| AppendError::Io { file: self.path.clone(), source })
    }

    /// Begins the file again: every record goes, header and lock stay.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn restart(&mut self) -> Result<(), AppendError> {
        self.buffer.clear();
        (self.end, self.chain) = self.header;
        self.chain_at_end = self.chain;
        let io = |source| AppendError::Io { file: self.path.clone(), source };
        self.file
            .set_len(self.end)
            .and_then(|()| self.file.seek(SeekFrom::Start(self.end)))
            .and_then(|_| self.file.sync_data())
            .map_err(io)?;
        self.torn = false;
        Ok(())
    }

    fn cut_back(&mut self) -> std::io::Result<()> {
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end))?;
        self.torn = false;
        Ok(())
    }
}

/// What was added last is handed over even if nobody asked; [`Appender::flush`] tells of errors.
impl Drop for Appender {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}

fn open_locked(path: &Path) -> Result<File, AppendError> {
    let io = |source| AppendError::Io { file: path.to_owned(), source };
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(io)?;
    if !file.metadata().map_err(io)?.is_file() {
        return Err(io(std::io::Error::other("not a regular file")));
    }
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(AppendError::Locked(path.to_owned())),
        Err(TryLockError::Error(source)) => Err(io(source)),
    }
}

/// Makes the name of a new file survive a power cut.
fn sync_folder(path: &Path) -> std::io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// The settings that differ, in words.
fn difference(found: &serde_json::Value, wanted: &serde_json::Value) -> String {
    let empty = serde_json::Map::new();
    let [old, new] = [found, wanted].map(|value| value.as_object().unwrap_or(&empty));
    let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
    names.sort();
    names.dedup();
    let shown = |value: Option<&serde_json::Value>| {
        value.map_or_else(|| "not set".to_owned(), serde_json::Value::to_string)
    };
    let differences: Vec<String> = names
        .into_iter()
        .filter(|name| old.get(*name) != new.get(*name))
        .map(|name| {
            format!("`{name}` was {} and is now {}", shown(old.get(name)), shown(new.get(name)))
        })
        .collect();
    differences.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::seeded;
    use rand::Rng;
    use serde_json::json;

    const FRAMES: Kind = Kind {
        name: "KITAITST",
        version: 7,
        framing: Framing::Frames,
        what: "test file",
        longest: 130,
    };
    const LINES: Kind = Kind {
        name: "kitai test",
        version: 7,
        framing: Framing::JsonLines,
        what: "test file",
        longest: 130,
    };

    struct TempFile(PathBuf);

    impl TempFile {
        fn new(name: &str) -> TempFile {
            let name = format!("kitai-append-{}-{name}", std::process::id());
            let path = std::env::temp_dir().join(name);
            let _ = std::fs::remove_file(&path);
            TempFile(path)
        }

        fn bytes(&self) -> Vec<u8> {
            std::fs::read(&self.0).unwrap()
        }

        /// Opens and gives the records as well.
        fn open(&self, kind: Kind) -> Result<(Appender, Resumed, Vec<Vec<u8>>), AppendError> {
            let mut kept = Vec::new();
            let each = |record: &[u8]| {
                kept.push(record.to_vec());
                Ok(())
            };
            let (appender, resumed) = Appender::open(&self.0, kind, &settings(1), each)?;
            Ok((appender, resumed, kept))
        }

        fn fill(&self, kind: Kind, records: &[Vec<u8>]) -> Vec<u8> {
            let _ = std::fs::remove_file(&self.0);
            let (mut appender, resumed, _) = self.open(kind).unwrap();
            assert_eq!(resumed, Resumed::default());
            for record in records {
                appender.append(record).unwrap();
            }
            drop(appender);
            self.bytes()
        }
    }

    impl Drop for TempFile {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    fn settings(seed: u64) -> serde_json::Value {
        json!({ "seed": seed, "depth": 5 })
    }

    fn records(kind: Kind) -> Vec<Vec<u8>> {
        let mut rng = seeded(3);
        (0..12)
            .map(|number| match kind.framing {
                Framing::Frames => {
                    (0..rng.random_range(1..=130)).map(|_| rng.random()).collect::<Vec<u8>>()
                }
                Framing::JsonLines => {
                    json!({ "number": number, "moves": "f5d6" }).to_string().into_bytes()
                }
                Framing::GgfLines => {
                    format!("1 (;GM[Othello]PB[player {number}]B[f5];)").into_bytes()
                }
            })
            .collect()
    }

    #[test]
    fn a_file_begun_again_has_only_what_came_after() {
        for kind in [FRAMES, LINES] {
            let file = TempFile::new("restart");
            let all = records(kind);
            file.fill(kind, &all);
            let (mut appender, _, _) = file.open(kind).unwrap();
            appender.append(&all[3]).unwrap();
            appender.restart().unwrap();
            appender.append(&all[1]).unwrap();
            drop(appender);
            let (_, resumed, kept) = file.open(kind).unwrap();
            assert_eq!((resumed.records, resumed.torn), (1, 0));
            assert_eq!(kept, all[1..2]);
        }
    }

    #[test]
    fn a_file_cut_anywhere_goes_on_to_the_same_file() {
        for kind in [FRAMES, LINES, GGF_GAMES] {
            let file = TempFile::new("cut");
            let records = records(kind);
            let whole = file.fill(kind, &records);
            for cut in (0..whole.len()).step_by(7) {
                std::fs::write(&file.0, &whole[..cut]).unwrap();
                let (mut appender, resumed, kept) = file.open(kind).unwrap();
                assert_eq!(kept, records[..kept.len()]);
                assert_eq!(resumed.records as usize, kept.len());
                for record in &records[kept.len()..] {
                    appender.append(record).unwrap();
                }
                appender.sync().unwrap();
                drop(appender);
                assert_eq!(file.bytes(), whole, "cut at {cut}");
            }
        }
    }

    #[test]
    fn a_changed_byte_is_noticed_or_falls_to_the_cut_at_the_end() {
        for kind in [FRAMES, LINES] {
            let file = TempFile::new("flip");
            let records = records(kind);
            let whole = file.fill(kind, &records);
            for place in 0..whole.len() {
                let mut hurt = whole.clone();
                hurt[place] ^= 1 << (place % 8);
                std::fs::write(&file.0, &hurt).unwrap();
                if let Ok((_, resumed, kept)) = file.open(kind) {
                    // Only an end that looks like an interrupted write may be cut off.
                    assert!(resumed.torn > 0, "byte {place} of {}", whole.len());
                    assert!(
                        resumed.torn < 2 * FRAMES.longest as u64 && kept == records[..kept.len()]
                    );
                } else {
                    assert_eq!(file.bytes(), hurt, "a refused file stays as it is");
                }
            }
        }
    }

    #[test]
    fn lost_doubled_and_swapped_records_are_noticed() {
        let file = TempFile::new("order");
        let text = String::from_utf8(file.fill(LINES, &records(LINES))).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let refused = |lines: Vec<&str>| {
            std::fs::write(&file.0, lines.join("\n") + "\n").unwrap();
            file.open(LINES).err().unwrap().to_string()
        };
        let mut lost = lines.clone();
        lost.remove(5);
        assert!(refused(lost).contains("record 5"));
        let mut doubled = lines.clone();
        doubled.insert(5, lines[5]);
        assert!(refused(doubled).contains("record 6"));
        let mut swapped = lines.clone();
        swapped.swap(8, 9);
        assert!(refused(swapped).contains("record 8"));
    }

    #[test]
    fn other_settings_other_kinds_and_other_versions_are_refused() {
        let file = TempFile::new("other");
        file.fill(FRAMES, &records(FRAMES));
        let open = |kind, seed| {
            Appender::open(&file.0, kind, &settings(seed), |_| Ok(())).err().unwrap().to_string()
        };
        assert!(open(FRAMES, 2).contains("`seed` was 1 and is now 2"), "{}", open(FRAMES, 2));
        let version = open(Kind { version: 8, ..FRAMES }, 1);
        assert!(version.contains("test file of version 7, not 8"), "{version}");
        assert!(open(LINES, 1).contains("no Kitai test file"), "{}", open(LINES, 1));
        std::fs::write(&file.0, "short").unwrap();
        assert!(open(FRAMES, 1).contains("no Kitai test file"));
        assert_eq!(file.bytes(), b"short");
    }

    #[test]
    fn two_writers_cannot_have_one_file() {
        let file = TempFile::new("lock");
        let first = file.open(FRAMES).unwrap();
        assert!(file.open(FRAMES).err().unwrap().to_string().contains("another process"));
        drop(first);
        file.open(FRAMES).unwrap();
    }

    #[test]
    fn games_of_others_are_kept_and_sealed_games_are_checked() {
        let file = TempFile::new("ggf");
        std::fs::write(&file.0, "1 (;GM[Othello]PB[somebody];)\n").unwrap();
        let (mut appender, resumed, _) = file.open(GGF_GAMES).unwrap();
        assert_eq!((resumed.records, resumed.torn), (1, 0));
        appender.append(b"1 (;GM[Othello]PB[me];)").unwrap();
        drop(appender);
        let text = String::from_utf8(file.bytes()).unwrap();
        for line in text.lines() {
            crate::record::ggf::parse_line(line).unwrap();
        }
        assert_eq!(file.open(GGF_GAMES).unwrap().2.len(), 2);
        std::fs::write(&file.0, text.replace("[me]", "[us]")).unwrap();
        assert!(file.open(GGF_GAMES).is_err());
    }

    #[test]
    fn zeros_after_a_power_cut_are_cut_off() {
        let file = TempFile::new("zeros");
        let whole = file.fill(FRAMES, &records(FRAMES));
        std::fs::write(&file.0, [&whole[..], &[0; 5000]].concat()).unwrap();
        let (_, resumed, _) = file.open(FRAMES).unwrap();
        assert_eq!((resumed.records, resumed.torn), (12, 5000));
        assert_eq!(file.bytes(), whole);
    }

    /// Lets the next flush fail as on a full disk: half of a record arrives, and neither the rest
    /// nor the cut succeeds.
    fn fail_once(appender: &mut Appender) {
        appender.file.write_all(b"half of a record").unwrap();
        let read_only = File::open(&appender.path).unwrap();
        let writable = std::mem::replace(&mut appender.file, read_only);
        assert!(appender.flush().is_err());
        appender.file = writable;
    }

    #[test]
    fn after_a_failed_write_the_next_record_follows_the_last_whole_one() {
        for kind in [FRAMES, LINES, GGF_GAMES] {
            let file = TempFile::new("failed");
            let records = records(kind);
            let whole = file.fill(kind, &records);
            let _ = std::fs::remove_file(&file.0);
            let (mut appender, ..) = file.open(kind).unwrap();
            for record in &records {
                appender.append(record).unwrap();
                fail_once(&mut appender);
                appender.append(record).unwrap();
                appender.flush().unwrap();
            }
            drop(appender);
            assert_eq!(file.bytes(), whole);
            assert_eq!(file.open(kind).unwrap().2, records);
        }
    }

    #[test]
    fn a_failed_write_leaves_whole_records_only() {
        let file = TempFile::new("failed-last");
        let records = records(FRAMES);
        let whole = file.fill(FRAMES, &records);
        let (mut appender, ..) = file.open(FRAMES).unwrap();
        appender.append(&records[0]).unwrap();
        fail_once(&mut appender);
        drop(appender);
        assert_eq!(file.bytes(), whole);
    }
}
