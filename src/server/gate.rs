//! Who may talk: the first line of a connection, before any protocol.
//!
//! A server that asks for a token takes nothing else first. A browser can be made by any web page
//! to send an HTTP request to a port of its own machine, whose body would be read as commands; so a
//! first line that looks like HTTP ends the connection.

use std::time::Duration;

use super::conversation::{Arrival, Lines};
use crate::record::lines::RawLine;

/// The word before the token.
const TOKEN: &str = "kitai-token";
/// How long a new connection may say nothing.
const FIRST_WORD: Duration = Duration::from_secs(60);

/// How long the answer to a wrong token takes.
const AFTER_WRONG_TOKEN: Duration = Duration::from_millis(500);

/// The methods of HTTP, for a first line whose version is missing or cut off.
const HTTP_METHODS: [&str; 9] =
    ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"];

/// Why a connection is ended before it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It left or said nothing.
    Silent,
    /// It speaks something else.
    NotAProtocol,
    /// The token is missing or wrong.
    Token,
}

impl Refusal {
    /// What the client is told, if anything.
    pub(super) fn reply(self) -> &'static str {
        match self {
            Refusal::Silent | Refusal::NotAProtocol => "",
            Refusal::Token => "? the first line must be: kitai-token TOKEN\n\n",
        }
    }
}

/// Waits for the first line and judges it; a line that is part of the conversation is given back
/// to be read again.
pub(super) async fn admit(lines: &mut Lines, token: Option<&str>) -> Result<(), Refusal> {
    let first = tokio::time::timeout(FIRST_WORD, first_words(lines)).await;
    let Ok(Some(first)) = first else { return Err(Refusal::Silent) };
    let Ok((RawLine::Text(text), _)) = &first else { return Err(Refusal::NotAProtocol) };
    let judged = judge(text, token);
    if judged == Err(Refusal::Token) {
        // Whoever guesses shall not guess fast.
        tokio::time::sleep(AFTER_WRONG_TOKEN).await;
    }
    match judged? {
        Verdict::Token => {}
        Verdict::Command => lines.give_back(first),
    }
    Ok(())
}

/// The first line that is not blank.
async fn first_words(lines: &mut Lines) -> Option<Arrival> {
    loop {
        let arrival = lines.next().await?;
        match &arrival {
            Ok((RawLine::Text(text), _)) if text.trim().is_empty() => {}
            _ => return Some(arrival),
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// The token, to be forgotten.
    Token,
    /// The first line of the protocol.
    Command,
}

fn judge(line: &str, token: Option<&str>) -> Result<Verdict, Refusal> {
    if looks_like_http(line) || line.starts_with('\u{16}') {
        return Err(Refusal::NotAProtocol);
    }
    let mut words = line.split_whitespace();
    let given = (words.next() == Some(TOKEN)).then(|| words.next().unwrap_or(""));
    match (token, given) {
        (None, None) => Ok(Verdict::Command),
        // A client that always gives one need not know that none is asked for.
        (None, Some(_)) => Ok(Verdict::Token),
        (Some(token), Some(given)) if same_text(token, given) => Ok(Verdict::Token),
        (Some(_), _) => Err(Refusal::Token),
    }
}

fn looks_like_http(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or("");
    HTTP_METHODS.contains(&first) || words.next_back().is_some_and(|last| last.starts_with("HTTP/"))
}

/// Whether two texts are the same, in a time that does not tell how far they are.
pub(crate) fn same_text(one: &str, other: &str) -> bool {
    one.len() == other.len()
        && one.bytes().zip(other.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_looks_like_http_is_turned_away() {
        for line in [
            "POST / HTTP/1.1",
            "GET / HTTP/1.0",
            "OPTIONS * HTTP/1.1",
            "PRI * HTTP/2.0",
            "BREW /pot HTTP/1.1",
            "POST /x",
            "\u{16}\u{3}\u{1}",
        ] {
            assert_eq!(judge(line, None), Err(Refusal::NotAProtocol), "{line}");
            assert_eq!(judge(line, Some("secret")), Err(Refusal::NotAProtocol), "{line}");
        }
        for line in ["name", "1 name", "nboard 2", "set depth 3", "play b f5"] {
            assert_eq!(judge(line, None), Ok(Verdict::Command), "{line}");
        }
    }

    #[test]
    fn a_token_must_come_first_and_be_the_right_one() {
        let token = Some("secret");
        assert_eq!(judge("kitai-token secret", token), Ok(Verdict::Token));
        for line in ["name", "kitai-token", "kitai-token secre", "kitai-token secret2", "secret"] {
            assert_eq!(judge(line, token), Err(Refusal::Token), "{line}");
        }
        assert_eq!(judge("kitai-token any", None), Ok(Verdict::Token));
    }
}
