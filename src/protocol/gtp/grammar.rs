//! The grammar of GTP 2: a line is `[id] command_name [arguments]`.
//!
//! Lines are cleaned first, as the standard says: control characters go, a comment begins at `#`,
//! tabs are blanks. Arguments beyond those a command takes are ignored.

use std::time::Duration;

use nom::bytes::complete::take_till1;
use nom::character::complete::{digit1, space0, space1};
use nom::combinator::{all_consuming, map, map_opt, map_res, opt, peek, rest, value, verify};
use nom::multi::many0;
use nom::number::complete::double;
use nom::sequence::{pair, preceded, terminated};
use nom::{IResult, Parser};
use thiserror::Error;

use crate::othello::{Color, Move};
use crate::record::Board;

/// What a client can ask.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// `protocol_version`
    ProtocolVersion,
    /// `name`
    Name,
    /// `version`
    Version,
    /// `known_command NAME`
    KnownCommand(String),
    /// `list_commands`
    ListCommands,
    /// `help`, or `?`: what a person at the keyboard can type
    Help,
    /// `quit`
    Quit,
    /// `boardsize N`
    BoardSize(u32),
    /// `clear_board`
    ClearBoard,
    /// `komi X`, ignored
    Komi,
    /// `play COLOR VERTEX`
    Play(Color, Move),
    /// `genmove COLOR`
    GenMove(Color),
    /// `reg_genmove COLOR`
    RegGenMove(Color),
    /// `undo`
    Undo,
    /// `time_settings MAIN PERIOD STONES`
    TimeSettings {
        /// Main time.
        main: Duration,
        /// Overtime period.
        period: Duration,
        /// Moves per period.
        stones: u32,
    },
    /// `time_left COLOR TIME STONES`
    TimeLeft {
        /// Whose clock.
        color: Color,
        /// What is left.
        left: Duration,
        /// Moves it must last for; 0 for main time.
        stones: u32,
        /// Whether it was written with decimals: then it is no whole number of seconds rounded up.
        exact: bool,
    },
    /// `loadsgf FILE [MOVE_NUMBER]`
    LoadSgf {
        /// The file.
        file: String,
        /// Load the position before this move, counted from 1.
        before: Option<u32>,
    },
    /// `printsgf`
    PrintSgf,
    /// `showboard`
    ShowBoard,
    /// `final_score`
    FinalScore,
    /// `set_game NAME`
    SetGame(String),
    /// `list_games`
    ListGames,
    /// `gogui-rules_game_id`
    RulesGameId,
    /// `gogui-rules_board_size`
    RulesBoardSize,
    /// `gogui-rules_board`
    RulesBoard,
    /// `gogui-rules_legal_moves`
    RulesLegalMoves,
    /// `gogui-rules_side_to_move`
    RulesSideToMove,
    /// `gogui-rules_final_result`
    RulesFinalResult,
    /// `gogui-play_sequence COLOR VERTEX …`
    PlaySequence(Vec<(Color, Move)>),
    /// `gogui-analyze_commands`: what GoGui's analyze window offers
    AnalyzeCommands,
    /// `gogui-interrupt`: says that `# interrupt` is understood
    Interrupt,
    /// `kitai-options`
    Options,
    /// `kitai-set NAME VALUE`
    Set {
        /// The option.
        name: String,
        /// Its new value.
        value: String,
    },
    /// `kitai-set_level N`
    SetLevel(u32),
    /// `kitai-setup_board BOARD`
    SetupBoard(Board),
    /// `kitai-analyze [COLOR] [CENTISECONDS]`
    Analyze {
        /// The side to analyze for, if it must be checked.
        color: Option<Color>,
        /// Least time between two reports.
        interval: Duration,
    },
}

/// Why a line is no command.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParseError {
    /// No such command.
    #[error("unknown command")]
    UnknownCommand,
    /// The arguments are not what the command takes.
    #[error("syntax error")]
    Syntax,
}

/// A line with something in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The number before the command, to be echoed.
    pub id: Option<u32>,
    /// The command, or what is wrong.
    pub command: Result<Command, ParseError>,
}

type Arguments = fn(&str) -> IResult<&str, Command>;

/// Every command with the parser of its arguments, in the order `list_commands` gives them.
pub(super) static COMMANDS: &[(&str, Arguments)] = &[
    ("protocol_version", |i| Ok((i, Command::ProtocolVersion))),
    ("name", |i| Ok((i, Command::Name))),
    ("version", |i| Ok((i, Command::Version))),
    ("known_command", |i| map(word, |name| Command::KnownCommand(name.to_owned())).parse(i)),
    ("list_commands", |i| Ok((i, Command::ListCommands))),
    ("help", |i| Ok((i, Command::Help))),
    ("quit", |i| Ok((i, Command::Quit))),
    ("boardsize", |i| map(integer, Command::BoardSize).parse(i)),
    ("clear_board", |i| Ok((i, Command::ClearBoard))),
    ("komi", |i| value(Command::Komi, float).parse(i)),
    ("play", |i| map(pair(color, vertex), |(color, played)| Command::Play(color, played)).parse(i)),
    ("genmove", |i| map(color, Command::GenMove).parse(i)),
    ("reg_genmove", |i| map(color, Command::RegGenMove).parse(i)),
    ("undo", |i| Ok((i, Command::Undo))),
    ("time_settings", |i| {
        map((seconds, seconds, integer), |(main, period, stones)| Command::TimeSettings {
            main,
            period,
            stones,
        })
        .parse(i)
    }),
    ("time_left", |i| {
        map((color, peek(word), seconds, opt(integer)), |(color, text, left, stones)| {
            let exact = text.contains('.');
            Command::TimeLeft { color, left, stones: stones.unwrap_or(0), exact }
        })
        .parse(i)
    }),
    ("loadsgf", |i| {
        map(pair(word, opt(integer)), |(file, before)| Command::LoadSgf {
            file: file.to_owned(),
            before,
        })
        .parse(i)
    }),
    ("printsgf", |i| Ok((i, Command::PrintSgf))),
    ("showboard", |i| Ok((i, Command::ShowBoard))),
    ("final_score", |i| Ok((i, Command::FinalScore))),
    ("set_game", |i| map(word, |name| Command::SetGame(name.to_owned())).parse(i)),
    ("list_games", |i| Ok((i, Command::ListGames))),
    ("gogui-rules_game_id", |i| Ok((i, Command::RulesGameId))),
    ("gogui-rules_board_size", |i| Ok((i, Command::RulesBoardSize))),
    ("gogui-rules_board", |i| Ok((i, Command::RulesBoard))),
    ("gogui-rules_legal_moves", |i| Ok((i, Command::RulesLegalMoves))),
    ("gogui-rules_side_to_move", |i| Ok((i, Command::RulesSideToMove))),
    ("gogui-rules_final_result", |i| Ok((i, Command::RulesFinalResult))),
    ("gogui-play_sequence", |i| {
        all_consuming(terminated(many0(pair(color, vertex)), space0))
            .map(Command::PlaySequence)
            .parse(i)
    }),
    ("gogui-analyze_commands", |i| Ok((i, Command::AnalyzeCommands))),
    ("gogui-interrupt", |i| Ok((i, Command::Interrupt))),
    ("kitai-options", |i| Ok((i, Command::Options))),
    ("kitai-set", |i| {
        map(pair(word, rest), |(name, value)| Command::Set {
            name: name.to_owned(),
            value: value.trim().to_owned(),
        })
        .parse(i)
    }),
    ("kitai-set_level", |i| map(integer, Command::SetLevel).parse(i)),
    ("kitai-setup_board", |i| {
        map_res(preceded(space0, rest), |text: &str| text.parse().map(Command::SetupBoard)).parse(i)
    }),
    ("kitai-analyze", |i| {
        map(pair(opt(color), opt(integer)), |(color, centiseconds)| Command::Analyze {
            color,
            interval: Duration::from_millis(u64::from(centiseconds.unwrap_or(0)) * 10),
        })
        .parse(i)
    }),
];

/// Reads a line; `None` if it is blank or a comment.
pub fn parse(line: &str) -> Option<Line> {
    let clean = clean(line);
    let text = clean.trim();
    if text.is_empty() {
        return None;
    }
    let (text, id) = match identifier(text) {
        Ok((text, id)) => (text, Some(id)),
        Err(_) => (text, None),
    };
    Some(Line { id, command: command(text) })
}

/// Whether the line asks, GoGui's way, to end the running command.
pub fn is_interrupt(line: &str) -> bool {
    line.trim() == "# interrupt"
}

fn clean(line: &str) -> String {
    line.chars()
        .take_while(|&c| c != '#')
        .filter_map(|c| match c {
            '\t' => Some(' '),
            c if c.is_ascii_control() => None,
            c => Some(c),
        })
        .collect()
}

fn command(text: &str) -> Result<Command, ParseError> {
    let (arguments, name) = word(text).map_err(|_| ParseError::UnknownCommand)?;
    let name = if name == "?" { "help" } else { name };
    let (_, parser) =
        COMMANDS.iter().find(|(known, _)| *known == name).ok_or(ParseError::UnknownCommand)?;
    parser(arguments).map(|(_, command)| command).map_err(|_| ParseError::Syntax)
}

/// A number at the start, below 2^31, with something after it.
fn identifier(input: &str) -> IResult<&str, u32> {
    terminated(below_2_31, space1).parse(input)
}

fn below_2_31(input: &str) -> IResult<&str, u32> {
    map_opt(digit1, |digits: &str| digits.parse().ok().filter(|&n: &u32| n <= i32::MAX as u32))
        .parse(input)
}

fn word(input: &str) -> IResult<&str, &str> {
    preceded(space0, take_till1(|c| c == ' ')).parse(input)
}

fn integer(input: &str) -> IResult<&str, u32> {
    map_opt(word, |text| all_consuming(below_2_31).parse(text).ok().map(|(_, n)| n)).parse(input)
}

fn float(input: &str) -> IResult<&str, f64> {
    map_opt(word, |text| {
        let parsed: IResult<&str, f64> = all_consuming(double).parse(text);
        parsed.ok().map(|(_, number)| number)
    })
    .parse(input)
}

/// Seconds, whole or not. Overdue clocks count as empty, absurdly long ones as three years.
fn seconds(input: &str) -> IResult<&str, Duration> {
    map(verify(float, |seconds| !seconds.is_nan()), |seconds| {
        Duration::from_secs_f64(seconds.clamp(0.0, 1e8))
    })
    .parse(input)
}

fn color(input: &str) -> IResult<&str, Color> {
    map_opt(word, |text: &str| match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Color::Black),
        "w" | "white" => Some(Color::White),
        _ => None,
    })
    .parse(input)
}

fn vertex(input: &str) -> IResult<&str, Move> {
    map_res(word, str::parse::<Move>).parse(input)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(line: &str) -> Result<Command, ParseError> {
        parse(line).unwrap().command
    }

    #[test]
    fn ids_comments_tabs_and_control_characters_are_handled_as_the_standard_says() {
        let name = |id| Some(Line { id, command: Ok(Command::Name) });
        assert_eq!(parse("1 name\r"), name(Some(1)));
        assert_eq!(parse("2\tname"), name(Some(2)));
        assert_eq!(parse("  3   name   # comment"), name(Some(3)));
        assert_eq!(parse("na\u{1}me\0"), name(None));
        assert_eq!(parse("   "), None);
        assert_eq!(parse("# only a comment"), None);
        assert_eq!(parse(""), None);
        let unknown = |id| Some(Line { id, command: Err(ParseError::UnknownCommand) });
        assert_eq!(parse("NAME"), unknown(None));
        assert_eq!(parse("13 foo"), unknown(Some(13)));
        assert_eq!(parse("13"), unknown(None));
        assert_eq!(parse("2147483648 name"), unknown(None));
        assert_eq!(parse("2147483647 name"), name(Some(2_147_483_647)));
    }

    #[test]
    fn arguments_are_typed_and_extra_ones_ignored() {
        let d3 = "d3".parse().unwrap();
        assert_eq!(read("play BLACK D3"), Ok(Command::Play(Color::Black, d3)));
        assert_eq!(read("play w d3 and more"), Ok(Command::Play(Color::White, d3)));
        assert_eq!(read("play w PASS"), Ok(Command::Play(Color::White, Move::Pass)));
        assert_eq!(read("boardsize 6"), Ok(Command::BoardSize(6)));
        let left = |seconds, stones| Command::TimeLeft {
            color: Color::Black,
            left: Duration::from_secs(seconds),
            stones,
            exact: false,
        };
        assert_eq!(read("time_left b 30 5"), Ok(left(30, 5)));
        assert_eq!(read("time_left b -3 0"), Ok(left(0, 0)));
        assert_eq!(
            read("time_left b 0.250 1"),
            Ok(Command::TimeLeft {
                color: Color::Black,
                left: Duration::from_millis(250),
                stones: 1,
                exact: true
            })
        );
        assert_eq!(
            read("kitai-set eval-file  a b.bin "),
            Ok(Command::Set { name: "eval-file".into(), value: "a b.bin".into() })
        );
        assert_eq!(
            read("gogui-play_sequence b d3 w c5"),
            Ok(Command::PlaySequence(vec![
                (Color::Black, d3),
                (Color::White, "c5".parse().unwrap())
            ]))
        );
    }

    #[test]
    fn wrong_arguments_are_syntax_errors() {
        for line in [
            "boardsize",
            "boardsize eight",
            "boardsize -8",
            "boardsize 99999999999",
            "genmove",
            "genmove red",
            "play",
            "play b",
            "play b i9",
            "play d3",
            "time_settings 1 2",
            "time_settings nan 1 1",
            "time_left b",
            "komi",
            "known_command",
            "gogui-play_sequence b d3 w",
            "kitai-setup_board ---",
        ] {
            assert_eq!(read(line), Err(ParseError::Syntax), "{line}");
        }
    }

    #[test]
    fn every_listed_command_is_one_word() {
        for (name, _) in COMMANDS {
            assert!(!name.is_empty() && !name.contains(char::is_whitespace));
        }
    }

    proptest! {
        #[test]
        fn no_line_makes_the_grammar_panic(line in any::<String>(), command in 0..COMMANDS.len()) {
            parse(&line);
            parse(&format!("{} {line}", COMMANDS[command].0));
        }
    }
}
