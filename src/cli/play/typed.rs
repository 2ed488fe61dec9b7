//! Where the person's lines come from: a terminal with line editing and history, or a plain stream.

use std::io::{self, BufRead, Write};

use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;

/// The prompt.
const PROMPT: &str = "> ";

/// A source of lines.
pub(super) trait Typed {
    /// The next line; `None` when there are no more.
    ///
    /// # Errors
    /// If the terminal fails.
    fn next(&mut self, out: &mut dyn Write) -> io::Result<Option<String>>;
}

/// Lines of a stream, behind a prompt.
pub(super) struct Stream<R>(pub R);

impl<R: BufRead> Typed for Stream<R> {
    fn next(&mut self, out: &mut dyn Write) -> io::Result<Option<String>> {
        write!(out, "{PROMPT}")?;
        out.flush()?;
        let mut line = String::new();
        if self.0.read_line(&mut line)? == 0 {
            writeln!(out)?;
            return Ok(None);
        }
        Ok(Some(line))
    }
}

/// A terminal: arrow keys edit the line and bring earlier ones back.
pub(super) struct Terminal(rustyline::Editor<(), MemHistory>);

impl Terminal {
    /// Standard input and output as a terminal.
    ///
    /// # Errors
    /// If they are none that lines can be edited on.
    pub(super) fn new() -> io::Result<Terminal> {
        let config = rustyline::Config::default();
        let editor = rustyline::Editor::with_history(config, MemHistory::new());
        editor.map(Terminal).map_err(io_error)
    }
}

impl Typed for Terminal {
    fn next(&mut self, out: &mut dyn Write) -> io::Result<Option<String>> {
        out.flush()?;
        match self.0.readline(PROMPT) {
            Ok(line) => {
                // A history that cannot take a line is no reason to end a game.
                let _ = self.0.add_history_entry(line.as_str());
                Ok(Some(line))
            }
            Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
            Err(error) => Err(io_error(error)),
        }
    }
}

fn io_error(error: ReadlineError) -> io::Error {
    match error {
        ReadlineError::Io(error) => error,
        other => io::Error::other(other),
    }
}
