//! The grammar of NBoard, protocols 1 and 2: one command per line, words in lower case.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_till1};
use nom::character::complete::{char, i64 as integer, multispace0, multispace1, u32 as natural};
use nom::combinator::{all_consuming, eof, map, map_opt, map_res, opt, rest, success, value};
use nom::number::complete::double;
use nom::sequence::{pair, preceded, terminated};
use nom::{IResult, Parser};
use thiserror::Error;

use crate::othello::Move;

/// What a GUI can ask.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `nboard N`: the protocol version.
    Protocol(i64),
    /// `set depth D`
    SetDepth(u32),
    /// `set game GGF`
    SetGame(String),
    /// `set contempt C`: what a draw in the book counts, in discs from Black's view.
    SetContempt(f64),
    /// `set option NAME VALUE`, Kitai's own: an engine option.
    SetOption {
        /// The option.
        name: String,
        /// Its new value.
        value: String,
    },
    /// `move M[/E[/T]]`, or a bare two-letter move.
    Move {
        /// What was played.
        played: Move,
        /// What the mover thought of it, in discs.
        eval: Option<f64>,
        /// The time it took.
        seconds: Option<f64>,
    },
    /// `hint N`
    Hint(u32),
    /// `go`
    Go,
    /// `ping K`
    Ping(i64),
    /// `learn`
    Learn,
    /// `analyze`
    Analyze,
    /// `stop`, unofficial: end the running search with what it has.
    Stop,
    /// `clear`, unofficial: forget what earlier searches learnt.
    Clear,
    /// `new`, unofficial: the start position.
    New,
    /// `quit`, unofficial.
    Quit,
}

/// Why a line is no command.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// No such command.
    #[error("unknown command: {0}")]
    UnknownCommand(String),
    /// The arguments are not what the command takes.
    #[error("{command}: expected {expected}, got: {found}")]
    BadArgument {
        /// The command.
        command: &'static str,
        /// What it takes.
        expected: &'static str,
        /// What it was given, shortened.
        found: String,
    },
}

type Arguments = fn(&str) -> IResult<&str, Command>;

/// Every command: its words, what it takes, and the parser of that.
static COMMANDS: &[(&str, &str, Arguments)] = &[
    ("nboard", "a version number", |i| map(integer, Command::Protocol).parse(i)),
    ("set depth", "a number of plies", |i| map(natural, Command::SetDepth).parse(i)),
    ("set game", "a game in GGF", |i| map(text, Command::SetGame).parse(i)),
    ("set contempt", "a number of discs", |i| map(double, Command::SetContempt).parse(i)),
    ("set option", "a name and a value", |i| {
        map(pair(word, preceded(multispace0, rest)), |(name, value): (&str, &str)| {
            Command::SetOption { name: name.to_owned(), value: value.trim().to_owned() }
        })
        .parse(i)
    }),
    ("move", "a move, perhaps with evaluation and time", annotated_move),
    ("hint", "a number of moves", |i| map(natural, Command::Hint).parse(i)),
    ("go", "nothing", |i| value(Command::Go, success(())).parse(i)),
    ("ping", "a whole number", |i| map(integer, Command::Ping).parse(i)),
    ("learn", "nothing", |i| value(Command::Learn, success(())).parse(i)),
    ("analyze", "nothing", |i| value(Command::Analyze, success(())).parse(i)),
    ("analyse", "nothing", |i| value(Command::Analyze, success(())).parse(i)),
    ("stop", "nothing", |i| value(Command::Stop, success(())).parse(i)),
    ("clear", "nothing", |i| value(Command::Clear, success(())).parse(i)),
    ("new", "nothing", |i| value(Command::New, rest).parse(i)),
    ("quit", "nothing", |i| value(Command::Quit, success(())).parse(i)),
];

/// Reads a line; `None` if it is blank.
pub fn parse(line: &str) -> Option<Result<Command, ParseError>> {
    let line = line.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    if line.is_empty() {
        return None;
    }
    for (words, expected, arguments) in COMMANDS {
        if let Ok((rest, _)) = command_words(words, line) {
            let parsed = all_consuming(terminated(*arguments, multispace0)).parse(rest);
            return Some(match parsed {
                Ok((_, command)) => Ok(command),
                Err(_) => {
                    Err(ParseError::BadArgument { command: words, expected, found: excerpt(rest) })
                }
            });
        }
    }
    // Protocol 1 sends bare moves.
    if line.len() == 2
        && let Ok((_, command)) = annotated_move(line)
    {
        return Some(Ok(command));
    }
    Some(Err(ParseError::UnknownCommand(excerpt(line))))
}

/// The words of a command at the start of a line, followed by a blank or the end.
fn command_words<'a>(words: &str, line: &'a str) -> IResult<&'a str, ()> {
    let mut rest = line;
    for word in words.split(' ') {
        rest = (tag(word), alt((multispace1, eof))).parse(rest)?.0;
    }
    Ok((rest, ()))
}

fn word(input: &str) -> IResult<&str, &str> {
    take_till1(char::is_whitespace).parse(input)
}

fn text(input: &str) -> IResult<&str, String> {
    map_opt(rest, |text: &str| (!text.trim().is_empty()).then(|| text.trim().to_owned()))
        .parse(input)
}

/// `M[/[E][/[T]]]`.
fn annotated_move(input: &str) -> IResult<&str, Command> {
    let played = map_res(take_till1(|c: char| c == '/' || c.is_whitespace()), str::parse::<Move>);
    (played, opt(preceded(char('/'), number)), opt(preceded(char('/'), number)))
        .map(|(played, eval, seconds)| Command::Move {
            played,
            eval: eval.flatten(),
            seconds: seconds.flatten(),
        })
        .parse(input)
}

/// A number that may be missing, with a decimal point or, in some locales, a comma.
fn number(input: &str) -> IResult<&str, Option<f64>> {
    map_opt(take_till(|c: char| c == '/' || c.is_whitespace()), |text: &str| {
        if text.is_empty() {
            return Some(None);
        }
        let point = text.replace(',', ".");
        let parsed: IResult<&str, f64> = all_consuming(double).parse(&point);
        parsed.ok().map(|(_, number)| Some(number)).filter(|n| n.is_none_or(f64::is_finite))
    })
    .parse(input)
}

/// The first characters of a bad text, printable and ASCII, for a status line.
fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut short: String = text
        .chars()
        .take(LONGEST)
        .map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' })
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push_str("...");
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(line: &str) -> Command {
        parse(line).unwrap().unwrap()
    }

    fn refused(line: &str) -> String {
        parse(line).unwrap().unwrap_err().to_string()
    }

    #[test]
    fn what_nboard_sends_is_understood() {
        let played = |text: &str, eval, seconds| Command::Move {
            played: text.parse().unwrap(),
            eval,
            seconds,
        };
        assert_eq!(read("nboard 2\r"), Command::Protocol(2));
        assert_eq!(read("set depth 12"), Command::SetDepth(12));
        assert_eq!(read("set contempt -100"), Command::SetContempt(-100.0));
        assert_eq!(read("move C4/1.25/4.0E-4"), played("c4", Some(1.25), Some(4.0e-4)));
        assert_eq!(read("move F5//1.2"), played("f5", None, Some(1.2)));
        assert_eq!(read("move PA"), played("pa", None, None));
        assert_eq!(read("move D6/-1,25"), played("d6", Some(-1.25), None));
        assert_eq!(read("F5"), played("f5", None, None));
        assert_eq!(read("pa"), played("pa", None, None));
        assert_eq!(read("hint 4"), Command::Hint(4));
        assert_eq!(read("ping 123"), Command::Ping(123));
        assert_eq!(read("  go  "), Command::Go);
        assert_eq!(read("set game (;GM[Othello];)"), Command::SetGame("(;GM[Othello];)".into()));
        assert_eq!(
            read("set option threads 2"),
            Command::SetOption { name: "threads".into(), value: "2".into() }
        );
        assert_eq!(parse("  \0 "), None);
    }

    #[test]
    fn bad_lines_are_refused_with_a_reason_in_ascii() {
        assert_eq!(refused("frobnicate"), "unknown command: frobnicate");
        assert_eq!(refused("go5"), "unknown command: go5");
        assert_eq!(refused("Z9"), "unknown command: Z9");
        assert_eq!(refused("hint é"), "hint: expected a number of moves, got: ?");
        assert_eq!(refused("hint 4 5"), "hint: expected a number of moves, got: 4 5");
        assert_eq!(refused("set depth"), "set depth: expected a number of plies, got: ");
        assert_eq!(refused("ping x"), "ping: expected a whole number, got: x");
        assert_eq!(refused("set"), "unknown command: set");
        assert!(refused("move i9/3").starts_with("move: expected a move"));
        assert!(refused("move d3/inf").starts_with("move: expected a move"));
        assert!(refused(&"x".repeat(1000)).len() < 80);
    }

    proptest! {
        #[test]
        fn no_line_makes_the_grammar_panic(line in any::<String>(), command in 0..COMMANDS.len()) {
            parse(&line);
            parse(&format!("{} {line}", COMMANDS[command].0));
        }
    }
}
