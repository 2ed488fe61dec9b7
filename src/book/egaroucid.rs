//! Egaroucid's `.egbk3`, both ways.
//!
//! Little-endian. Header: the bytes `DICUORAGE`, version 3, a 32-bit number of positions. Then 25
//! bytes each: two 64-bit sets of discs (bit 63 = a1), value, level, 32-bit number of lines, and the
//! leaf: value, move, level. Squares count from h8 = 0; 64 is a pass, 65 none; a value outside ±64
//! is none. There are no links: a move is in the book if the position after it is.

use super::entry::{Entry, move_number};
use super::foreign::{Collector, Cursor, ForeignError, Raw, discs, leaf, level, whole_values};
use super::store::Book;
use crate::othello::Position;

const MAGIC: &[u8; 9] = b"DICUORAGE";
const VERSION: u8 = 3;
const HEADER: usize = 14;
const POSITION: usize = 25;
/// What stands for no value.
const NO_VALUE: i8 = -127;
const NO_MOVE: u8 = 65;

/// A square counted from the other corner; passes and none stay.
fn other_way(number: u8) -> u8 {
    if number < 64 { 63 - number } else { number }
}

/// Reads a book.
///
/// # Errors
/// What is wrong and where.
pub(super) fn read(bytes: &[u8]) -> Result<Book, ForeignError> {
    let header: &[u8; HEADER] = bytes.first_chunk().ok_or(ForeignError::Magic("Egaroucid"))?;
    if &header[..9] != MAGIC {
        return Err(ForeignError::Magic("Egaroucid"));
    }
    if header[9] != VERSION {
        let (found, expected) = (header[9], VERSION);
        return Err(ForeignError::Version { program: "Egaroucid", found, expected });
    }
    let expected = i32::from_le_bytes([header[10], header[11], header[12], header[13]]);
    let mut collector = Collector::default();
    let (records, rest) = bytes[HEADER..].as_chunks::<POSITION>();
    if i64::from(expected) != records.len() as i64 || !rest.is_empty() {
        let (expected, found) = (expected.into(), records.len());
        return Err(ForeignError::Count { expected, found });
    }
    for record in records {
        collector.add(raw(record).ok_or_else(|| collector.bad("it is too short"))?)?;
    }
    Ok(collector.finish())
}

fn raw(record: &[u8; POSITION]) -> Option<Raw> {
    let mut cursor = Cursor(record);
    let mover = u64::from_le_bytes(cursor.take()?).reverse_bits();
    let opponent = u64::from_le_bytes(cursor.take()?).reverse_bits();
    let [value, level] = cursor.take()?;
    let lines = u32::from_le_bytes(cursor.take()?);
    let [leaf_value, leaf_move, leaf_level] = cursor.take()?;
    let leaf_score = discs(i32::from(leaf_value as i8)).filter(|_| leaf_move != NO_MOVE);
    Some(Raw {
        mover,
        opponent,
        value: discs(i32::from(value as i8)),
        level,
        leaf: leaf_score.map(|score| (other_way(leaf_move), score, leaf_level)),
        entry: Entry { lines, ..Entry::default() },
    })
}

/// Writes a book: whole values that agree with each other. Positions about which nothing is known
/// are left out.
pub(super) fn write(book: &Book) -> Vec<u8> {
    let values = whole_values(book, true);
    let mut forms: Vec<Position> = values.keys().copied().collect();
    forms.sort_unstable();
    let mut out = MAGIC.to_vec();
    out.push(VERSION);
    out.extend((forms.len() as i32).to_le_bytes());
    for form in forms {
        let entry = book.entry(form).unwrap_or_default();
        out.extend(form.mover().0.reverse_bits().to_le_bytes());
        out.extend(form.opponent().0.reverse_bits().to_le_bytes());
        let value = values.get(&form).map_or(NO_VALUE, |&value| value as i8);
        out.extend([value as u8, entry.searched.map_or(level(&entry), |value| value.depth)]);
        out.extend(entry.lines.to_le_bytes());
        match leaf(book, form, &entry) {
            Some((played, score)) => {
                let number = other_way(move_number(Some(played)));
                out.extend([score as i8 as u8, number, level(&entry)]);
            }
            None => out.extend([NO_VALUE as u8, NO_MOVE, 0]),
        }
    }
    out
}
