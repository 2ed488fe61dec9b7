//! The book that comes with the program.
//!
//! `builtin.bin` is a book file ([`super::snapshot`]) packed with deflate. How it was made,
//! and how to make it again with better weights, is told in `docs/book.md`.

use std::io::{Read, Write};
use std::sync::LazyLock;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

use super::snapshot;
use super::store::Book;

static PACKED: &[u8] = include_bytes!("builtin.bin");

/// The unpacked bytes of the built-in book.
static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut bytes = Vec::new();
    DeflateDecoder::new(PACKED).read_to_end(&mut bytes).expect("the embedded book unpacks");
    bytes
});

/// The built-in book; each call gives a copy that can be changed by itself.
pub fn book() -> Book {
    snapshot::read(BYTES.clone()).expect("the embedded book is whole").0
}

/// A book packed as the program embeds it.
///
/// # Errors
/// What the system says.
pub fn pack(book: &Book) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    snapshot::write(book, 1, &mut bytes)?;
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&bytes)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::grow::wrong_values;
    use crate::othello::Position;

    #[test]
    fn the_built_in_book_is_small_and_sound_and_knows_the_first_moves() {
        assert!(PACKED.len() < 2 << 20, "{} bytes", PACKED.len());
        let book = book();
        assert_eq!(wrong_values(&book), 0);
        for (form, entry) in book.entries() {
            assert!(entry.alternative.is_none_or(|a| form.after(a.played).is_some()), "{form:?}");
        }
        for (_, reply) in Position::START.children() {
            for (_, position) in reply.children() {
                assert!(book.lookup(position).is_some_and(|found| found.moves.len() > 1));
            }
        }
    }

    #[test]
    fn a_packed_book_unpacks_to_itself() {
        let mut bytes = Vec::new();
        DeflateDecoder::new(&pack(&book()).unwrap()[..]).read_to_end(&mut bytes).unwrap();
        let (again, _) = snapshot::read(bytes).unwrap();
        assert_eq!(again.sorted_entries(), book().sorted_entries());
    }
}
