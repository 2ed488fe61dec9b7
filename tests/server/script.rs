//! Scripted conversations: what the client sends and what must come back.
//!
//! ```text
//! # a comment
//! $ gtp --set depth=2      start kitai with these arguments
//! > 1 name                 send a line (\r \t \0 \\ and \xHH are understood)
//! < =1 Kitai               the next line must be this
//! <                        … an empty line
//! <* === {square}/{any}    skip lines until one fits
//! eof                      close the input
//! exit 0                   nothing more must come, and the process ends with this code
//! ```
//! Patterns: `{int}`, `{number}`, `{square}` (a1–h8 in any case), `{word}` (no blank), `{any}`
//! (anything, also nothing).

use super::client::Client;

/// Plays a script; panics with the place and what came instead.
pub(crate) fn play(name: &str, script: &str) {
    let mut client: Option<Client> = None;
    for (index, line) in script.lines().enumerate() {
        let place = format!("{name}:{}", index + 1);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        if verb == "$" {
            client = Some(Client::kitai(rest.split_whitespace()));
            continue;
        }
        if verb == "exit" {
            let mut leaving = client.take().unwrap_or_else(|| panic!("{place}: nothing runs"));
            if let Some(unread) = leaving.line() {
                panic!("{place}: unexpected line `{unread}`");
            }
            assert_eq!(leaving.wait().code(), rest.trim().parse().ok(), "{place}: exit code");
            continue;
        }
        let client = client.as_mut().unwrap_or_else(|| panic!("{place}: start with `$ arguments`"));
        match verb {
            ">" => {
                let mut bytes = unescape(rest);
                bytes.push(b'\n');
                client.send_bytes(&bytes);
            }
            "<" => match client.line() {
                Some(found) if fits(rest, &found) => {}
                found => panic!("{place}: expected `{rest}`, got {found:?}"),
            },
            "<*" => {
                let mut skipped = Vec::new();
                loop {
                    match client.line() {
                        Some(found) if fits(rest, &found) => break,
                        Some(found) => skipped.push(found),
                        None => panic!("{place}: expected `{rest}`, got {skipped:#?} and the end"),
                    }
                }
            }
            "eof" => client.close(),
            _ => panic!("{place}: `{verb}` is no verb of a script"),
        }
    }
    assert!(client.is_none(), "{name}: ends without `exit`");
}

fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'r') => bytes.push(b'\r'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'0') => bytes.push(0),
            Some(b'x') => {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                let hex = std::str::from_utf8(&digits).unwrap();
                bytes.push(u8::from_str_radix(hex, 16).expect("two hexadecimal digits after \\x"));
            }
            Some(other) => bytes.push(other),
            None => bytes.push(b'\\'),
        }
    }
    bytes
}

/// Whether a line is what a pattern says.
fn fits(pattern: &str, line: &str) -> bool {
    let Some(start) = pattern.find('{') else { return pattern == line };
    let Some(length) = pattern[start..].find('}') else { return pattern == line };
    let Some(rest) = line.strip_prefix(&pattern[..start]) else { return false };
    let after = &pattern[start + length + 1..];
    let kind = &pattern[start + 1..start + length];
    let ends = rest.char_indices().map(|(index, _)| index).chain([rest.len()]);
    ends.into_iter().any(|end| is_a(kind, &rest[..end]) && fits(after, &rest[end..]))
}

fn is_a(kind: &str, text: &str) -> bool {
    match kind {
        "int" => !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()),
        "number" => {
            let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
            digits.bytes().all(|b| b.is_ascii_digit() || b == b'.') && digits.parse::<f64>().is_ok()
        }
        "square" => text.parse::<kitai::othello::Square>().is_ok(),
        "word" => !text.is_empty() && !text.contains(' '),
        "any" => true,
        _ => panic!("`{{{kind}}}` is no pattern"),
    }
}

#[test]
fn patterns_fit_what_they_describe_and_nothing_else() {
    assert!(fits("=== {square}/{number}/{number}", "=== F5/-1.25/0.010"));
    assert!(!fits("=== {square}/{number}/{number}", "=== F9/-1.25/0.010"));
    assert!(!fits("=== {square}/{number}/{number}", "=== F5/-1.25/1e3"));
    assert!(fits("nodestats {int} {any}", "nodestats 12 x y"));
    assert!(!fits("nodestats {int} {any}", "nodestats  x"));
    assert!(fits("{any}", ""));
    assert!(!fits("pong 1", "pong 12"));
    assert_eq!(unescape(r"a\tb\x e9".replace(' ', "").as_str()), b"a\tb\xe9");
}
