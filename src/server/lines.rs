//! Lines from a stream that is waited for: [`crate::record::lines`], asynchronously.

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

use crate::record::lines::{LONGEST_LINE, LineCollector, RawLine};

/// Reads the next line, however long, in bounded memory; `None` at the end of input.
///
/// # Errors
/// If reading fails.
pub(super) async fn next_line(
    reader: &mut (impl AsyncBufRead + Unpin),
) -> std::io::Result<Option<RawLine>> {
    let mut line = LineCollector::new(LONGEST_LINE);
    loop {
        let available = reader.fill_buf().await?;
        let at_end = available.is_empty();
        let (used, is_complete) = line.take(available);
        reader.consume(used);
        if is_complete || at_end {
            return Ok(line.finish());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::BufReader;

    #[test]
    fn lines_come_whole_through_a_small_buffer() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let lines = runtime.block_on(async {
            let mut reader = BufReader::with_capacity(7, &b"one\r\n\ntwo and more\nlast"[..]);
            let mut lines = Vec::new();
            while let Some(line) = next_line(&mut reader).await.unwrap() {
                lines.push(line.into_text());
            }
            lines
        });
        assert_eq!(lines, ["one", "", "two and more", "last"]);
    }
}
