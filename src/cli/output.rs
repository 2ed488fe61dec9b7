//! Where results go: standard output, as text for people or JSON for programs.

use std::io::{self, Write};

use serde::Serialize;

use super::CliError;

/// Standard output with the choice between text and JSON.
pub struct Output {
    json: bool,
    color: bool,
}

impl Output {
    /// `json` as the flag says; `terminal` whether a person is looking.
    pub fn new(json: bool, terminal: bool) -> Output {
        Output { json, color: terminal && !json && std::env::var_os("NO_COLOR").is_none() }
    }

    /// Whether results are wanted as JSON.
    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Whether colours may be used.
    pub fn color(&self) -> bool {
        self.color
    }

    /// Prints one line of text; nothing in JSON mode.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub fn line(&mut self, text: impl std::fmt::Display) -> Result<(), CliError> {
        if self.json { Ok(()) } else { print(&text.to_string()) }
    }

    /// Prints one JSON object on a line; nothing in text mode.
    ///
    /// # Errors
    /// If standard output cannot be written.
    pub fn object(&mut self, value: &impl Serialize) -> Result<(), CliError> {
        if !self.json {
            return Ok(());
        }
        let text = serde_json::to_string(value)
            .map_err(|error| CliError::Input(format!("cannot write JSON: {error}")))?;
        print(&text)
    }
}

fn print(text: &str) -> Result<(), CliError> {
    writeln!(io::stdout().lock(), "{text}").map_err(|e| CliError::io("standard output", e))
}
