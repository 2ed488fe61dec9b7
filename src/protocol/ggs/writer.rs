//! The exact words of the commands. Every line that is sent is made here, ends in a line break and
//! holds none before it; no line holds a backslash, which receivers would see as a line break, a
//! dollar sign, which the server would take for a variable, or anything but plain characters.

use std::fmt;

use super::grammar::SERVICE;
use super::words::GameKey;
use crate::othello::Move;
use crate::record::Note;

/// Longest line sent; the server takes several thousand characters.
const LONGEST_LINE: usize = 900;

/// One command, ready to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command(String);

impl Command {
    /// The line with its end.
    pub fn line(&self) -> &str {
        &self.0
    }

    /// A command of the central server.
    pub fn central(text: impl fmt::Display) -> Command {
        let mut line = safe(&text.to_string());
        line.push('\n');
        Command(line)
    }

    /// A command of the service that runs the games.
    pub fn service(text: impl fmt::Display) -> Command {
        Command::central(format_args!("tell {SERVICE} {text}"))
    }

    /// The line that does nothing but show that we are here.
    pub fn nothing() -> Command {
        Command("\n".to_owned())
    }

    /// Login or password, sent as it is: the server never expands these.
    pub fn secret(text: &str) -> Command {
        Command(format!("{text}\n"))
    }

    /// Text to a user; `None` if their name cannot be written safely.
    pub fn tell(login: &str, text: impl fmt::Display) -> Option<Command> {
        is_sayable_name(login).then(|| Command::central(format_args!("tell {login} {text}")))
    }

    /// A move, with the evaluation in discs and the thinking time in seconds.
    pub fn play(game: GameKey, played: Move, note: Note) -> Command {
        let played = match played {
            Move::Pass => "pass".to_owned(),
            Move::Place(square) => square.to_string(),
        };
        // Larger values are refused; rounded to what the server keeps.
        let eval = note.eval.map(|eval| format!("{:.2}", eval.clamp(-999.0, 999.0)));
        let seconds = note.seconds.map(|seconds| format!("{:.2}", seconds.max(0.0)));
        let text = match (eval, seconds) {
            (None, None) => played,
            (eval, None) => format!("{played}/{}", eval.unwrap_or_default()),
            (eval, Some(seconds)) => format!("{played}/{}/{seconds}", eval.unwrap_or_default()),
        };
        Command::service(format_args!("play {game} {text}"))
    }
}

/// Whether a user's name can stand in a command without meaning anything else there.
pub fn is_sayable_name(login: &str) -> bool {
    (1..=8).contains(&login.len())
        && login.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-_".contains(&b))
        && !login.starts_with('_')
}

/// The text with every character that could mean something else replaced.
pub fn safe(text: &str) -> String {
    let replaced = |c: char| match c {
        '\\' | '$' => '?',
        ' '..='~' => c,
        _ => '?',
    };
    text.chars().take(LONGEST_LINE).map(replaced).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GAME: GameKey = GameKey { number: 5, half: None };

    #[test]
    fn moves_are_written_as_the_server_wants_them() {
        let play = |played: &str, eval, seconds| {
            let note = Note { eval, seconds };
            Command::play(GAME, played.parse().unwrap(), note).0
        };
        assert_eq!(play("f5", Some(1.5), Some(2.3)), "tell /os play .5 f5/1.50/2.30\n");
        assert_eq!(play("pa", None, None), "tell /os play .5 pass\n");
        assert_eq!(play("d6", None, Some(1.16)), "tell /os play .5 d6//1.16\n");
        assert_eq!(play("d6", Some(-1e9), None), "tell /os play .5 d6/-999.00\n");
        let half = GameKey { number: 1, half: Some(1) };
        let line = Command::play(half, Move::Pass, Note::default()).0;
        assert_eq!(line, "tell /os play .1.1 pass\n");
    }

    #[test]
    fn names_that_could_mean_more_are_not_written() {
        for name in ["bob", "Bob+2", "a-b_c", "12345678"] {
            assert!(is_sayable_name(name), "{name}");
        }
        for name in ["", ".chat", "_team", "a b", "a\\b", "$x", "a,b", "123456789", "é"] {
            assert!(Command::tell(name, "x").is_none(), "{name}");
        }
    }

    proptest! {
        #[test]
        fn every_command_is_one_plain_line(text in "\\PC{0,40}|[\\\\$\n\r\x07a]{0,9}") {
            for command in [Command::central(&text), Command::service(&text)] {
                let line = command.line();
                prop_assert!(line.ends_with('\n'));
                let body = &line[..line.len() - 1];
                prop_assert!(body.bytes().all(|b| (b' '..=b'~').contains(&b)));
                prop_assert!(!body.contains(['\\', '$']));
                prop_assert!(line.len() < 1000);
            }
        }
    }
}
