//! Records with checksums: how they stand in a file and how they are read back.
//!
//! Three framings share one rule: the checksum (CRC-32) of a record goes on from that of the record
//! before it, that of the first from the header's.
//!
//! - [`Framing::Frames`], binary: the header is an eight-letter name, the version and the length of
//!   the settings (4 bytes each, little-endian), the settings as JSON and a checksum. A record is
//!   its length (LEB128), its bytes and its checksum (4 bytes).
//! - [`Framing::JsonLines`]: the header is a line `{"file":NAME,"version":N,"settings":{…}}`, a
//!   record one JSON object on a line; all lines end in a member `"crc32"`.
//! - [`Framing::GgfLines`]: no header; a record is a line of a GGF archive with a tag `CRC32` at the
//!   end of its last game, over this line alone. Lines without it, from other programs, are let
//!   pass.

use std::io::BufRead;

use serde_json::Value;
use thiserror::Error;

/// Longest settings of a binary file, in bytes.
const LONGEST_SETTINGS: usize = 1 << 16;

/// How records stand in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Any bytes, at least one.
    Frames,
    /// JSON objects without line breaks.
    JsonLines,
    /// Lines of a GGF archive.
    GgfLines,
}

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// What its header says; eight letters for [`Framing::Frames`].
    pub name: &'static str,
    /// Its version.
    pub version: u32,
    /// How its records stand.
    pub framing: Framing,
    /// What people call it: `match log`.
    pub what: &'static str,
    /// Bytes of its longest record. A damaged length cannot ask for more, so it cannot pass for an
    /// interrupted write except within so many bytes of the end.
    pub longest: usize,
}

/// What is wrong with a file.
#[derive(Debug, Error)]
pub enum Damage {
    /// The system could not read it.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// It has no header of this kind.
    #[error("no Kitai {0}")]
    Foreign(&'static str),
    /// It has another version.
    #[error("a {what} of version {found}, not {wanted}")]
    Version {
        /// The kind of file.
        what: &'static str,
        /// The version in the file.
        found: u64,
        /// The version that can be used.
        wanted: u32,
    },
    /// The header's checksum is wrong.
    #[error("the header is damaged")]
    Header,
    /// A record cannot be used.
    #[error("record {record}, at byte {at}: {reason}")]
    Record {
        /// Its number, from 1.
        record: u64,
        /// Where it begins.
        at: u64,
        /// What is wrong.
        reason: String,
    },
}

impl Kind {
    /// The header's bytes.
    pub(super) fn header(self, settings: &str) -> Vec<u8> {
        match self.framing {
            Framing::GgfLines => Vec::new(),
            Framing::JsonLines => {
                let (name, version) = (self.name, self.version);
                let text =
                    format!(r#"{{"file":"{name}","version":{version},"settings":{settings}}}"#);
                let mut header = Vec::new();
                self.seal(text.as_bytes(), 0, &mut header);
                header
            }
            Framing::Frames => {
                let mut header = self.name.as_bytes().to_vec();
                header.extend(self.version.to_le_bytes());
                header.extend((settings.len() as u32).to_le_bytes());
                header.extend(settings.as_bytes());
                header.extend(crc32fast::hash(&header).to_le_bytes());
                header
            }
        }
    }

    /// Adds a record with its checksum to `out`; gives the checksum for the next to go on from.
    pub(super) fn seal(self, record: &[u8], chain: u32, out: &mut Vec<u8>) -> u32 {
        match self.framing {
            Framing::Frames => {
                debug_assert!((1..=self.longest).contains(&record.len()));
                let sum = checksum(record, chain);
                let mut length = record.len();
                while length >= 0x80 {
                    out.push(length as u8 | 0x80);
                    length >>= 7;
                }
                out.push(length as u8);
                out.extend_from_slice(record);
                out.extend(sum.to_le_bytes());
                sum
            }
            Framing::JsonLines => {
                debug_assert!(record.ends_with(b"}") && !record.contains(&b'\n'));
                let inner = record.strip_suffix(b"}").unwrap_or(record);
                let sum = checksum(inner, chain);
                out.extend_from_slice(inner);
                out.extend(format!("{JSON_SEAL}{sum:08x}{JSON_END}\n").into_bytes());
                sum
            }
            Framing::GgfLines => {
                debug_assert!(record.ends_with(b";)") && !record.contains(&b'\n'));
                let inner = record.strip_suffix(b";)").unwrap_or(record);
                let sum = checksum(inner, 0);
                out.extend_from_slice(inner);
                out.extend(format!("{GGF_SEAL}{sum:08x}{GGF_END}\n").into_bytes());
                0
            }
        }
    }
}

const JSON_SEAL: &str = ",\"crc32\":\"";
const JSON_END: &str = "\"}";
const GGF_SEAL: &str = "CRC32[";
const GGF_END: &str = "];)";

fn checksum(bytes: &[u8], chain: u32) -> u32 {
    let mut hasher = crc32fast::Hasher::new_with_initial(chain);
    hasher.update(bytes);
    hasher.finalize()
}

/// A line without its seal, and the checksum in the seal.
fn unsealed<'l>(line: &'l [u8], seal: &str, end: &str) -> Option<(&'l [u8], u32)> {
    let rest = line.strip_suffix(end.as_bytes())?;
    let (rest, digits) = rest.split_at_checked(rest.len().checked_sub(8)?)?;
    // Only what is written is read: no sign, no capitals.
    let written = digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    let sum = std::str::from_utf8(digits).ok().filter(|_| written)?;
    let sum = u32::from_str_radix(sum, 16).ok()?;
    Some((rest.strip_suffix(seal.as_bytes())?, sum))
}

/// Reads the records of a file one after the other and checks each.
pub struct Records<R> {
    input: R,
    kind: Kind,
    chain: u32,
    record: Vec<u8>,
    count: u64,
    /// Where the record given last begins.
    begin: u64,
    /// Where it ends.
    end: u64,
}

impl<R: BufRead> Records<R> {
    /// Reads the header; gives its settings too.
    ///
    /// # Errors
    /// If it is of another kind or version, or damaged.
    pub fn open(input: R, kind: Kind) -> Result<(Records<R>, Value), Damage> {
        let record = Vec::new();
        let mut records = Records { input, kind, chain: 0, record, count: 0, begin: 0, end: 0 };
        let settings = match kind.framing {
            Framing::GgfLines => Value::Null,
            Framing::JsonLines => records.read_line_header()?,
            Framing::Frames => records.read_binary_header()?,
        };
        Ok((records, settings))
    }

    fn read_line_header(&mut self) -> Result<Value, Damage> {
        let what = self.kind.what;
        let foreign = || Damage::Foreign(what);
        let length = self.read_line()?.ok_or_else(foreign)?;
        let line = &self.record[..length];
        let (inner, sum) = unsealed(line, JSON_SEAL, JSON_END).ok_or_else(foreign)?;
        if checksum(inner, 0) != sum {
            return Err(Damage::Header);
        }
        let mut header: Value = serde_json::from_slice(line).map_err(|_| foreign())?;
        if header["file"] != self.kind.name {
            return Err(foreign());
        }
        self.kind.check_version(header["version"].as_u64().unwrap_or(0))?;
        self.chain = crc32fast::hash(&self.record[..=length]);
        self.end = length as u64 + 1;
        Ok(header["settings"].take())
    }

    fn read_binary_header(&mut self) -> Result<Value, Damage> {
        let what = self.kind.what;
        let foreign = || Damage::Foreign(what);
        self.record.clear();
        if !self.fill(16)? || &self.record[..8] != self.kind.name.as_bytes() {
            return Err(foreign());
        }
        let word = |bytes: &[u8], at: usize| {
            bytes[at..].first_chunk().map_or(0, |word: &[u8; 4]| u32::from_le_bytes(*word))
        };
        self.kind.check_version(word(&self.record, 8).into())?;
        let length = word(&self.record, 12) as usize;
        if length > LONGEST_SETTINGS || !self.fill(16 + length + 4)? {
            return Err(Damage::Header);
        }
        let (checked, sum) = self.record.split_at(16 + length);
        if crc32fast::hash(checked) != word(sum, 0) {
            return Err(Damage::Header);
        }
        let settings = serde_json::from_slice(&checked[16..]).map_err(|_| Damage::Header)?;
        self.chain = crc32fast::hash(&self.record);
        self.end = self.record.len() as u64;
        Ok(settings)
    }

    /// Reads until `record` has so many bytes; whether the file has them.
    fn fill(&mut self, length: usize) -> std::io::Result<bool> {
        while self.record.len() < length {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                return Ok(false);
            }
            let taken = buffer.len().min(length - self.record.len());
            self.record.extend_from_slice(&buffer[..taken]);
            self.input.consume(taken);
        }
        Ok(true)
    }

    /// Reads a line into `record`, its end included; its length without that. `None` if the file
    /// ends before the line does.
    fn read_line(&mut self) -> Result<Option<usize>, Damage> {
        self.record.clear();
        // Room for the seal and the settings of a header.
        let longest = self.kind.longest + LONGEST_SETTINGS;
        let mut limited = std::io::Read::take(&mut self.input, longest as u64 + 1);
        let length = limited.read_until(b'\n', &mut self.record)?;
        if self.record.last() == Some(&b'\n') {
            return Ok(Some(length - 1));
        }
        if length > longest {
            return Err(self.refused("longer than any record".to_owned()));
        }
        Ok(None)
    }

    /// The next record; `None` at the end, and where an interrupted write broke off: then
    /// [`Records::end`] lies before the end of the file.
    ///
    /// # Errors
    /// If the record is damaged.
    pub fn next_record(&mut self) -> Result<Option<&[u8]>, Damage> {
        self.begin = self.end;
        self.count += 1;
        let found = match self.kind.framing {
            Framing::Frames => self.next_frame()?,
            Framing::JsonLines | Framing::GgfLines => self.next_line()?,
        };
        if found.is_none() {
            self.count -= 1;
        }
        Ok(found.map(|length| &self.record[..length]))
    }

    fn next_frame(&mut self) -> Result<Option<usize>, Damage> {
        self.record.clear();
        let mut length = 0;
        let mut prefix = 0;
        loop {
            prefix += 1;
            if !self.fill(prefix)? {
                return Ok(None);
            }
            let byte = self.record[prefix - 1];
            length |= usize::from(byte & 0x7f) << (7 * (prefix - 1));
            if byte & 0x80 == 0 {
                break;
            }
            if prefix == 3 {
                return Err(self.refused("its length is damaged".to_owned()));
            }
        }
        if length == 0 {
            return match self.only_zeros_left()? {
                true => Ok(None),
                false => Err(self.refused("its length is damaged".to_owned())),
            };
        }
        if length > self.kind.longest {
            return Err(self.refused("its length is damaged".to_owned()));
        }
        self.record.clear();
        if !self.fill(length + 4)? {
            return Ok(None);
        }
        let (record, sum) = self.record.split_at(length);
        let found = checksum(record, self.chain);
        if found.to_le_bytes() != sum {
            return Err(self.refused("the checksum is wrong".to_owned()));
        }
        self.chain = found;
        self.end += (prefix + length + 4) as u64;
        Ok(Some(length))
    }

    /// Whether nothing but zeros follows, as a power cut may leave behind.
    fn only_zeros_left(&mut self) -> std::io::Result<bool> {
        loop {
            let buffer = self.input.fill_buf()?;
            if buffer.is_empty() {
                return Ok(true);
            }
            if buffer.iter().any(|&byte| byte != 0) {
                return Ok(false);
            }
            let length = buffer.len();
            self.input.consume(length);
        }
    }

    /// The record is given as it was appended, its seal replaced by its closing mark.
    fn next_line(&mut self) -> Result<Option<usize>, Damage> {
        let Some(length) = self.read_line()? else { return Ok(None) };
        let line = &self.record[..length];
        let (seal, end, chain, closing) = match self.kind.framing {
            Framing::GgfLines => (GGF_SEAL, GGF_END, 0, ";)"),
            Framing::JsonLines | Framing::Frames => (JSON_SEAL, JSON_END, self.chain, "}"),
        };
        let whole = length as u64 + 1;
        let Some((inner, sum)) = unsealed(line, seal, end) else {
            if self.kind.framing == Framing::GgfLines && !has(line, GGF_SEAL) {
                self.end += whole;
                return Ok(Some(length));
            }
            return Err(self.refused("it has no checksum".to_owned()));
        };
        if checksum(inner, chain) != sum {
            return Err(self.refused("the checksum is wrong".to_owned()));
        }
        let inner = inner.len();
        self.record.truncate(inner);
        self.record.extend_from_slice(closing.as_bytes());
        if self.kind.framing == Framing::JsonLines {
            self.chain = sum;
        }
        self.end += whole;
        Ok(Some(self.record.len()))
    }

    /// Says that the record given last cannot be used.
    pub fn refused(&self, reason: String) -> Damage {
        Damage::Record { record: self.count, at: self.begin, reason }
    }

    /// How many records were given.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Where the last of them ends, in bytes.
    pub fn end(&self) -> u64 {
        self.end
    }

    pub(super) fn chain(&self) -> u32 {
        self.chain
    }
}

impl Kind {
    fn check_version(self, found: u64) -> Result<(), Damage> {
        let wanted = self.version;
        if found == u64::from(wanted) {
            return Ok(());
        }
        Err(Damage::Version { what: self.what, found, wanted })
    }
}

fn has(line: &[u8], part: &str) -> bool {
    line.windows(part.len()).any(|window| window == part.as_bytes())
}
