//! Changes of a book as the journal keeps them: one record is a batch that happens whole or not at
//! all.
//!
//! A batch is a list of changes, each a letter and its content: `G` generation of the book file
//! that the journal continues (8 bytes, little-endian; the first record of a journal, alone), `P` a
//! record of [`entry`](super::entry), `R` a position that left the book (16 bytes), `L` a learnt
//! game (4 bytes of length, JSON), `F` a learnt game taken back (4 bytes: its number).

use super::entry::{Entry, RECORD};
use super::store::Change;
use crate::othello::symmetry::canonical;
use crate::othello::{Bitboard, Position};
use crate::record::append::{Framing, Kind};

/// Bytes of the longest batch.
pub(super) const LONGEST: usize = 1 << 20;

/// The journal of a book.
pub const JOURNAL: Kind = Kind {
    name: "KITAIBKJ",
    version: 1,
    framing: Framing::Frames,
    what: "book journal",
    longest: LONGEST,
};

/// A record of the journal.
#[derive(Debug, PartialEq)]
pub(super) enum Batch {
    /// Which book file the journal continues.
    Generation(u64),
    /// What changed, together.
    Changes(Vec<Change>),
}

/// The bytes of a change.
pub(super) fn encode(change: &Change, out: &mut Vec<u8>) {
    match change {
        Change::Put(form, entry) => {
            out.push(b'P');
            out.extend(entry.record(*form));
        }
        Change::Remove(form) => {
            out.push(b'R');
            out.extend(form.mover().0.to_le_bytes());
            out.extend(form.opponent().0.to_le_bytes());
        }
        Change::Game(game) => {
            let text = serde_json::to_vec(game).expect("a game has only text and numbers");
            out.push(b'L');
            out.extend((text.len() as u32).to_le_bytes());
            out.extend(text);
        }
        Change::Forget(number) => {
            out.push(b'F');
            out.extend(number.to_le_bytes());
        }
    }
}

/// The record that begins a journal.
pub(super) fn generation(number: u64) -> Vec<u8> {
    let mut record = vec![b'G'];
    record.extend(number.to_le_bytes());
    record
}

/// Reads a record.
///
/// # Errors
/// What is wrong with it.
pub(super) fn decode(record: &[u8]) -> Result<Batch, String> {
    if let Some(rest) = record.strip_prefix(b"G") {
        let number = rest.try_into().map_err(|_| "a generation of the wrong length".to_owned())?;
        return Ok(Batch::Generation(u64::from_le_bytes(number)));
    }
    let mut rest = record;
    let mut changes = Vec::new();
    while let Some((&letter, after)) = rest.split_first() {
        let (change, after) = decode_change(letter, after)
            .ok_or_else(|| format!("change {} cannot be read", changes.len() + 1))?;
        changes.push(change);
        rest = after;
    }
    Ok(Batch::Changes(changes))
}

fn decode_change(letter: u8, bytes: &[u8]) -> Option<(Change, &[u8])> {
    match letter {
        b'P' => {
            let (record, rest) = bytes.split_first_chunk::<RECORD>()?;
            let (form, entry) = Entry::of_record(record).ok()?;
            (canonical(form).0 == form).then_some(())?;
            Some((Change::Put(form, entry), rest))
        }
        b'R' => {
            let (mover, rest) = bytes.split_first_chunk()?;
            let (opponent, rest) = rest.split_first_chunk()?;
            let [mover, opponent] = [mover, opponent].map(|word| u64::from_le_bytes(*word));
            let form = Position::new(Bitboard(mover), Bitboard(opponent)).ok()?;
            Some((Change::Remove(form), rest))
        }
        b'L' => {
            let (length, rest) = bytes.split_first_chunk()?;
            let (text, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
            Some((Change::Game(serde_json::from_slice(text).ok()?), rest))
        }
        b'F' => {
            let (number, rest) = bytes.split_first_chunk()?;
            Some((Change::Forget(u32::from_le_bytes(*number)), rest))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::entry::tests::any_entry;
    use crate::book::store::LearntGame;
    use crate::random::seeded;

    #[test]
    fn batches_survive_and_torn_ones_are_refused() {
        let mut rng = seeded(8);
        let (position, entry) = any_entry(&mut rng);
        let game = LearntGame {
            number: 9,
            source: "play".to_owned(),
            learnt_at: 1,
            history: crate::record::transcript::parse("f5d6").unwrap(),
            result: None,
            done: 0,
            end: Some(2),
        };
        let changes = vec![
            Change::Put(position, entry),
            Change::Remove(position),
            Change::Game(Box::new(game)),
            Change::Forget(9),
        ];
        let mut bytes = Vec::new();
        let mut ends = vec![0];
        for change in &changes {
            encode(change, &mut bytes);
            ends.push(bytes.len());
        }
        assert_eq!(decode(&bytes), Ok(Batch::Changes(changes)));
        for cut in (0..bytes.len()).filter(|cut| !ends.contains(cut)) {
            assert!(decode(&bytes[..cut]).is_err(), "{cut}");
        }
        assert_eq!(decode(&generation(5)), Ok(Batch::Generation(5)));
        assert!(decode(b"G12").is_err());
    }
}
