//! What a person can type in a game.

use crate::othello::{Color, Square};

/// What the person wants.
#[derive(Debug, PartialEq)]
pub(super) enum Wish {
    Play(Square),
    Hint,
    Undo,
    Resign,
    /// A new game, with the other or the same colour.
    New(Option<Color>),
    Level(Level),
    /// The other side from here on.
    Flip,
    Save(String),
    Load(String),
    Moves,
    Review,
    Quit,
}

/// How strong the opponent is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// As the options say.
    Options,
    /// One of the presets `level-N`.
    Fixed(u32),
    /// As strong as the person.
    Adaptive,
}

impl std::str::FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Level, String> {
        match text {
            "adaptive" => Ok(Level::Adaptive),
            _ => match text.parse() {
                Ok(level @ 0..=10) => Ok(Level::Fixed(level)),
                _ => Err(format!("`{text}` is no level: 0 to 10, or adaptive")),
            },
        }
    }
}

/// What to type, in lines of less than 60 columns.
pub(super) const HELP: &str = "  \
  f5           play there        hint       good moves
  undo         take back         moves      the game so far
  new [white]  a new game        flip       change sides
  level 3      another opponent  resign     give up
  save FILE    keep the game     load FILE  take one up
  review       what was lost     quit       leave
Levels: 0 (children) to 10, or adaptive. FILE: .ggf, .sgf.";

/// Understands a line, or says what could be typed.
pub(super) fn understand(line: &str) -> Result<Wish, String> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match (word.to_ascii_lowercase().as_str(), rest.trim()) {
        ("hint" | "h", "") => Ok(Wish::Hint),
        ("undo" | "u", "") => Ok(Wish::Undo),
        ("resign", "") => Ok(Wish::Resign),
        ("new", "") => Ok(Wish::New(None)),
        ("new", color) => match color.to_ascii_lowercase().as_str() {
            "black" | "b" | "x" => Ok(Wish::New(Some(Color::Black))),
            "white" | "w" | "o" => Ok(Wish::New(Some(Color::White))),
            _ => Err(format!("new black, or new white, not `{color}`")),
        },
        ("level" | "l", "") => Err("level needs a number from 0 to 10, or adaptive".to_owned()),
        ("level" | "l", level) => level.parse().map(Wish::Level),
        ("flip", "") => Ok(Wish::Flip),
        ("save", "") => Err("save needs a file name: save game.ggf".to_owned()),
        ("save", file) => Ok(Wish::Save(file.to_owned())),
        ("load", "") => Err("load needs a file name: load game.ggf".to_owned()),
        ("load", file) => Ok(Wish::Load(file.to_owned())),
        ("moves" | "m", "") => Ok(Wish::Moves),
        ("review" | "r", "") => Ok(Wish::Review),
        ("quit" | "q" | "exit", "") => Ok(Wish::Quit),
        ("help" | "?" | "", "") => Err(HELP.to_owned()),
        (square, "") => square
            .parse()
            .map(Wish::Play)
            .map_err(|_| format!("`{square}` is no square and no word I know; `help` lists them.")),
        _ => Err(format!("`{line}`? `help` lists what you can type.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_squares_are_understood() {
        assert_eq!(understand(" F5 \n"), Ok(Wish::Play("f5".parse().unwrap())));
        assert_eq!(understand("new white"), Ok(Wish::New(Some(Color::White))));
        assert_eq!(understand("level 3"), Ok(Wish::Level(Level::Fixed(3))));
        assert_eq!(understand("level adaptive"), Ok(Wish::Level(Level::Adaptive)));
        assert_eq!(understand("save my game.ggf"), Ok(Wish::Save("my game.ggf".to_owned())));
        for bad in ["level 11", "level", "new red", "save", "load", "z9", "f5 f6"] {
            assert!(understand(bad).is_err(), "{bad}");
        }
        assert_eq!(understand(""), Err(HELP.to_owned()));
        assert!(HELP.lines().all(|line| line.chars().count() <= 60));
        let words = HELP.lines().filter(|line| line.starts_with("  ")).count();
        assert_eq!(words, HELP.lines().count() - 1, "{HELP}");
    }
}
