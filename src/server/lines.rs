//! Lines of bounded length from any byte stream.

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// Longest line taken, in bytes: a GGF record of a full game is a few thousand.
pub const LONGEST_LINE: usize = 1 << 16;

/// A line as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RawLine {
    /// Without its line end; bytes that are no UTF-8 are read as Latin-1.
    Text(String),
    /// Longer than [`LONGEST_LINE`]; thrown away.
    TooLong,
}

/// Reads the next line, however long, in bounded memory; `None` at the end of input.
///
/// # Errors
/// If reading fails.
pub(super) async fn next_line(
    reader: &mut (impl AsyncBufRead + Unpin),
) -> std::io::Result<Option<RawLine>> {
    let mut line: Vec<u8> = Vec::new();
    let mut too_long = false;
    let mut anything = false;
    loop {
        let available = reader.fill_buf().await?;
        if available.is_empty() {
            break;
        }
        anything = true;
        let end = available.iter().position(|&byte| byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        too_long |= line.len() + part.len() > LONGEST_LINE;
        if !too_long {
            line.extend_from_slice(part);
        }
        let read = part.len() + usize::from(end.is_some());
        reader.consume(read);
        if end.is_some() {
            break;
        }
    }
    if !anything {
        return Ok(None);
    }
    if too_long {
        return Ok(Some(RawLine::TooLong));
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(Some(RawLine::Text(decode(line))))
}

fn decode(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|&byte| char::from(byte)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::BufReader;

    fn lines(bytes: &[u8]) -> Vec<RawLine> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let mut reader = BufReader::with_capacity(7, bytes);
            let mut lines = Vec::new();
            while let Some(line) = next_line(&mut reader).await.unwrap() {
                lines.push(line);
            }
            lines
        })
    }

    fn text(text: &str) -> RawLine {
        RawLine::Text(text.to_owned())
    }

    #[test]
    fn line_ends_of_both_kinds_and_a_missing_last_one_are_understood() {
        assert_eq!(
            lines(b"one\r\n\ntwo and more\nlast"),
            [text("one"), text(""), text("two and more"), text("last")]
        );
        assert_eq!(lines(b""), []);
    }

    #[test]
    fn other_bytes_than_utf_8_become_latin_1() {
        assert_eq!(lines(b"caf\xe9\ncaf\xc3\xa9\n"), [text("café"), text("café")]);
    }

    #[test]
    fn a_line_that_is_too_long_is_dropped_and_the_next_one_read() {
        let mut bytes = vec![b'x'; LONGEST_LINE + 1];
        bytes.extend_from_slice(b"\nname\n");
        assert_eq!(lines(&bytes), [RawLine::TooLong, text("name")]);
        let mut bytes = vec![b'x'; LONGEST_LINE];
        bytes.push(b'\n');
        assert!(matches!(&lines(&bytes)[..], [RawLine::Text(line)] if line.len() == LONGEST_LINE));
    }
}
