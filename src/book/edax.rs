//! Edax's `book.dat`, version 4, both ways.
//!
//! Little-endian. Header, 42 bytes: the bytes `XADEKOOB`, version, release, a date of 8 bytes, five
//! 32-bit numbers (level, empties the book reaches to, two errors, verbosity), number of positions.
//! Then each position: two 64-bit sets of discs (bit 0 = a1), four 32-bit counts (wins, draws,
//! losses, lines), three 16-bit scores (value, lower, upper), number of links, level, the links and
//! the leaf, each a score and a move (64 pass, 65 none; a leaf that is none scores −127).

use super::entry::{Entry, Results, move_number, move_of_number};
use super::foreign::{Collector, Cursor, ForeignError, Raw, discs, leaf, level, whole_values};
use super::store::Book;
use super::study::form_of;
use crate::othello::Position;

const MAGIC: &[u8; 8] = b"XADEKOOB";
const VERSION: u8 = 4;
const HEADER: usize = 42;
/// A leaf that is none.
const NO_LEAF: [u8; 2] = [-127i8 as u8, 65];

/// What is read of one position besides its links.
struct Fixed {
    mover: u64,
    opponent: u64,
    counts: [u32; 4],
    value: i16,
    links: u8,
    level: u8,
}

fn fixed(cursor: &mut Cursor<'_>) -> Option<Fixed> {
    let mover = u64::from_le_bytes(cursor.take()?);
    let opponent = u64::from_le_bytes(cursor.take()?);
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = u32::from_le_bytes(cursor.take()?);
    }
    let value = i16::from_le_bytes(cursor.take()?);
    let _bounds: [u8; 4] = cursor.take()?;
    let [links, level] = cursor.take()?;
    Some(Fixed { mover, opponent, counts, value, links, level })
}

/// Reads a book.
///
/// # Errors
/// What is wrong and where.
pub(super) fn read(bytes: &[u8]) -> Result<Book, ForeignError> {
    let header: &[u8; HEADER] = bytes.first_chunk().ok_or(ForeignError::Magic("Edax"))?;
    if &header[..8] != MAGIC {
        return Err(ForeignError::Magic("Edax"));
    }
    if header[8] != VERSION {
        let (found, expected) = (header[8], VERSION);
        return Err(ForeignError::Version { program: "Edax", found, expected });
    }
    let expected = i32::from_le_bytes([header[38], header[39], header[40], header[41]]);
    let mut cursor = Cursor(&bytes[HEADER..]);
    let mut collector = Collector::default();
    let mut links = Vec::new();
    while !cursor.0.is_empty() {
        let number = collector.count();
        let count = ForeignError::Count { expected: expected.into(), found: number };
        let Some(found) = fixed(&mut cursor) else { return Err(count) };
        let mut own = Vec::with_capacity(found.links.into());
        for _ in 0..found.links {
            let Some(link) = cursor.take::<2>() else { return Err(count) };
            own.push(link);
        }
        let Some(last) = cursor.take::<2>() else { return Err(count) };
        let [wins, draws, losses, lines] = found.counts;
        let results = Results { wins, draws, losses };
        let raw = Raw {
            mover: found.mover,
            opponent: found.opponent,
            value: discs(found.value.into()),
            level: found.level,
            leaf: (last[1] != NO_LEAF[1])
                .then(|| (last[1], i32::from(last[0] as i8), found.level))
                .filter(|(_, score, _)| discs(*score).is_some()),
            entry: Entry { results, lines, ..Entry::default() },
        };
        let (position, _) = collector.add(raw)?;
        for [score, number] in own {
            let played = move_of_number(number)
                .ok()
                .flatten()
                .filter(|&played| position.after(played).is_some())
                .ok_or_else(|| collector.bad(format!("link {number} is not legal there")))?;
            let score = discs(i32::from(score as i8))
                .ok_or_else(|| collector.bad(format!("a link's score of {}", score as i8)))?;
            links.push((position, played, score, found.level));
        }
    }
    if i64::from(expected) != collector.count() as i64 {
        let (expected, found) = (expected.into(), collector.count());
        return Err(ForeignError::Count { expected, found });
    }
    for (position, played, score, level) in links {
        collector.link(position, played, score, level);
    }
    Ok(collector.finish())
}

/// Writes a book that Edax finds consistent: every link has its target, and every value is the
/// best of links and leaf. Positions about which nothing is known are left out.
pub(super) fn write(book: &Book) -> Vec<u8> {
    let values = whole_values(book, false);
    let mut forms: Vec<Position> = values.keys().copied().collect();
    forms.sort_unstable();
    let entry = |form: Position| book.entry(form).unwrap_or_default();
    let deepest = forms.iter().map(|&form| level(&entry(form))).max().unwrap_or(0);
    let empties = forms.iter().map(|form| form.empty_count()).min().unwrap_or(60);
    let mut out = MAGIC.to_vec();
    out.extend([VERSION, 0]);
    // A date must be there; a book is the same whenever it is written.
    out.extend(1970u16.to_le_bytes());
    out.extend([1, 1, 0, 0, 0, 0]);
    for number in [i32::from(deepest), empties as i32, 0, 0, 0, forms.len() as i32] {
        out.extend(number.to_le_bytes());
    }
    for form in forms {
        write_position(book, form, &entry(form), &values, &mut out);
    }
    out
}

fn write_position(
    book: &Book,
    form: Position,
    entry: &Entry,
    values: &std::collections::HashMap<Position, i32>,
    out: &mut Vec<u8>,
) {
    let links: Vec<[u8; 2]> = form
        .children()
        .filter_map(|(played, child)| {
            let score = -values.get(&form_of(child))?;
            Some([score as i8 as u8, move_number(Some(played))])
        })
        .collect();
    let value = values.get(&form).copied().unwrap_or(0) as i16;
    out.extend(form.mover().0.to_le_bytes());
    out.extend(form.opponent().0.to_le_bytes());
    let Results { wins, draws, losses } = entry.results;
    for count in [wins, draws, losses, entry.lines] {
        out.extend(count.to_le_bytes());
    }
    for score in [value; 3] {
        out.extend(score.to_le_bytes());
    }
    out.extend([links.len() as u8, level(entry)]);
    links.iter().for_each(|link| out.extend(link));
    match leaf(book, form, entry) {
        Some((played, score)) => out.extend([score as i8 as u8, move_number(Some(played))]),
        None => out.extend(NO_LEAF),
    }
}
