//! The small words of `/os`: ids, types of games, clocks.

use std::fmt;
use std::time::Duration;

use nom::branch::alt;
use nom::bytes::complete::{tag_no_case, take_while1};
use nom::character::complete::{char, digit1, one_of, u8 as small, u32 as number};
use nom::combinator::{all_consuming, map, opt, recognize};
use nom::multi::separated_list1;
use nom::sequence::{pair, preceded, terminated};
use nom::{IResult, Parser};

use crate::engine::{Clock, Overtime};
use crate::record::{ClockSettings, Period};

/// `.5`, or `.5.0` and `.5.1` for the two games of a synchro match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameKey {
    /// The match.
    pub number: u32,
    /// Which of its two games, in a synchro match.
    pub half: Option<u8>,
}

impl fmt::Display for GameKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, ".{}", self.number)?;
        self.half.map_or(Ok(()), |half| write!(f, ".{half}"))
    }
}

/// Reads `.5` or `.5.0`.
pub(super) fn game_key(input: &str) -> IResult<&str, GameKey> {
    let half = opt(preceded(char('.'), small));
    map((id, half), |(number, half)| GameKey { number, half }).parse(input)
}

/// Reads `.5`.
pub(super) fn id(input: &str) -> IResult<&str, u32> {
    preceded(char('.'), number).parse(input)
}

/// The type of a game: `[s]SIZE[k][rN][b|w][a]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameType {
    /// As the server prints it.
    pub text: String,
    /// Two games at once, colours swapped.
    pub synchro: bool,
    /// 8 for the usual board.
    pub size: u32,
    /// The players bid for the colours.
    pub komi: bool,
    /// A random start with so many discs.
    pub random: Option<u32>,
    /// Fewer discs win.
    pub anti: bool,
    /// It has letters that nobody here knows.
    pub unknown: bool,
}

impl GameType {
    /// Reads the whole text as a type.
    pub fn parse(text: &str) -> Option<GameType> {
        all_consuming(game_type).parse(text).ok().map(|(_, found)| found)
    }

    /// What the rest of the session calls this type of game.
    pub fn kind(&self) -> Kind {
        if self.komi {
            Kind::Komi
        } else if self.random.is_some() {
            Kind::Random
        } else if self.synchro {
            Kind::Synchro
        } else {
            Kind::Normal
        }
    }

    /// Whether this is Othello on the usual board, by the usual aim.
    pub fn is_playable(&self) -> bool {
        self.size == 8 && !self.anti && !self.unknown
    }

    /// Whether the server lets anybody ask for it, as far as its letters go.
    pub fn is_askable(&self) -> bool {
        let wants_color = self.text.contains(['b', 'w']);
        let is_random = self.random.is_some();
        !(self.synchro && self.komi)
            && (!is_random || self.synchro || self.komi)
            && !(wants_color && (self.komi || is_random))
            && self.random.is_none_or(|discs| (4..=48).contains(&discs))
    }

    /// The pool of ratings it belongs to.
    pub fn rating_pool(&self) -> &'static str {
        if self.random.is_some() { "8r" } else { "8" }
    }
}

/// Kinds of games that settings speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// One game from the usual start.
    Normal,
    /// Two at once from the usual start.
    Synchro,
    /// From a random start, synchro.
    Random,
    /// With bids, from any start.
    Komi,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Normal => "normal",
            Kind::Synchro => "synchro",
            Kind::Random => "random",
            Kind::Komi => "komi",
        })
    }
}

/// Reads a type of game.
pub(super) fn game_type(input: &str) -> IResult<&str, GameType> {
    let letters = nom::multi::many0(alt((
        map(preceded(one_of("rR"), number), |discs| ('r', discs)),
        map(one_of("kKbBwWaA"), |letter: char| (letter.to_ascii_lowercase(), 0)),
        map(nom::character::complete::alpha1, |_| ('?', 0)),
    )));
    let parts = (opt(one_of("sS")), number, letters);
    let (rest, (text, (synchro, size, letters))) = nom::combinator::consumed(parts).parse(input)?;
    let has = |wanted: char| letters.iter().any(|(letter, _)| *letter == wanted);
    let random = letters.iter().find(|(letter, _)| *letter == 'r').map(|(_, discs)| *discs);
    let found = GameType {
        text: text.to_ascii_lowercase(),
        synchro: synchro.is_some(),
        size,
        komi: has('k'),
        random,
        anti: has('a'),
        unknown: has('?'),
    };
    Ok((rest, found))
}

/// One part of a clock: a time that may be below zero, and its counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockPart {
    /// Whether the time is below zero.
    pub negative: bool,
    /// How long; whole seconds.
    pub time: Duration,
    /// Whether `N` stands before the counters.
    pub flag: bool,
    /// Moves made in this part, where the clock runs.
    pub made: u32,
    /// For how many moves it is; 0 for all.
    pub moves: u32,
}

/// A clock as boards show it: `LEFT,c:m/INC,c:m/EXT,c:m`, or the settings it began with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GgsClock {
    /// What is left.
    pub main: ClockPart,
    /// What moves add.
    pub increment: Option<ClockPart>,
    /// What comes after the main time.
    pub extension: Option<ClockPart>,
}

impl GgsClock {
    /// Reads the whole text as a clock.
    pub fn parse(text: &str) -> Option<GgsClock> {
        all_consuming(clock).parse(text).ok().map(|(_, found)| found)
    }

    /// Time left, zero if it is below.
    pub fn left(&self) -> Duration {
        if self.main.negative { Duration::ZERO } else { self.main.time }
    }

    /// What one move adds, on average.
    pub fn increment_per_move(&self) -> Duration {
        self.increment.map_or(Duration::ZERO, |part| part.time / part.moves.max(1))
    }

    /// Whether the extension is overtime and not the sign of a lost game.
    pub fn has_overtime(&self) -> bool {
        self.main.flag
    }

    /// The clock to plan with, `kept_back` less than is left.
    pub fn plan(&self, kept_back: Duration) -> Clock {
        let left = self.left().saturating_sub(kept_back);
        let clock = Clock::fischer(left, self.increment_per_move());
        match self.extension.filter(|part| self.has_overtime() && !part.time.is_zero()) {
            Some(part) => {
                /// More moves than a player can have.
                const REST_OF_THE_GAME: u32 = 64;
                let stones = if part.moves > 0 { part.moves } else { REST_OF_THE_GAME };
                let period = part.time.saturating_sub(kept_back);
                Clock { overtime: Some(Overtime { period, stones }), ..clock }
            }
            None => clock,
        }
    }

    /// The settings that records keep.
    pub fn settings(&self) -> ClockSettings {
        let period = |part: ClockPart| Period {
            time: if part.negative { Duration::ZERO } else { part.time },
            moves: (part.flag || part.moves > 0).then_some(part.moves),
            flag: part.flag,
        };
        ClockSettings {
            main: period(self.main),
            increment: self.increment.map(period),
            extension: self.extension.map(period),
        }
    }
}

/// `[-][[D.]HH:]MM:SS` in seconds.
fn time(input: &str) -> IResult<&str, (bool, u64)> {
    let days = opt(terminated(nom::character::complete::u64, char('.')));
    let digits = || nom::character::complete::u64;
    let parts = separated_list1(char(':'), digits());
    map((opt(char('-')), days, parts), |(sign, days, parts)| {
        let fold = |total: u64, part: u64| total.saturating_mul(60).saturating_add(part);
        let seconds = parts.into_iter().fold(0, fold);
        let days = days.unwrap_or(0).saturating_mul(86_400);
        // A hundred years are enough for anybody and safe in every sum.
        (sign.is_some(), seconds.saturating_add(days).min(100 * 366 * 86_400))
    })
    .parse(input)
}

/// `,[N]made:moves` of a running clock or `,[N]moves` of settings.
fn counters(input: &str) -> IResult<&str, (bool, u32, u32)> {
    let counts = alt((
        map(pair(terminated(number, char(':')), pair(flag, number)), |(made, (flag, moves))| {
            (flag, made, moves)
        }),
        map(number, |moves| (false, 0, moves)),
        map(nom::combinator::success(()), |()| (false, 0, 0)),
    ));
    let (rest, (first, (second, made, moves))) =
        preceded(char(','), pair(flag, counts)).parse(input)?;
    Ok((rest, (first || second, made, moves)))
}

fn flag(input: &str) -> IResult<&str, bool> {
    map(opt(tag_no_case("N")), |found| found.is_some()).parse(input)
}

fn part(input: &str) -> IResult<&str, ClockPart> {
    map((time, opt(counters)), |((negative, seconds), counters)| {
        let (flag, made, moves) = counters.unwrap_or_default();
        ClockPart { negative, time: Duration::from_secs(seconds), flag, made, moves }
    })
    .parse(input)
}

/// Reads a clock, running or as it was set.
pub(super) fn clock(input: &str) -> IResult<&str, GgsClock> {
    let further = || opt(preceded(char('/'), opt(part)));
    map((opt(part), further(), further()), |(main, increment, extension)| GgsClock {
        main: main.unwrap_or_default(),
        increment: increment.flatten(),
        extension: extension.flatten(),
    })
    .parse(input)
}

/// Reads the name of a user: anything up to a blank.
pub(super) fn login(input: &str) -> IResult<&str, &str> {
    take_while1(|c: char| !c.is_whitespace()).parse(input)
}

/// Reads a number that may have a sign and decimals.
pub(super) fn decimal(input: &str) -> IResult<&str, f64> {
    let (rest, text) = recognize((
        opt(one_of("+-")),
        alt((
            recognize((digit1, opt(pair(char('.'), opt(digit1))))),
            recognize((char('.'), digit1)),
        )),
        opt((one_of("eE"), opt(one_of("+-")), digit1)),
    ))
    .parse(input)?;
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok((rest, value)),
        _ => Err(nom::Err::Error(nom::error::make_error(input, nom::error::ErrorKind::Float))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ids_of_matches_and_games_are_not_mixed_up() {
        let read = |text| all_consuming(game_key).parse(text).map(|(_, key)| key);
        assert_eq!(read(".5"), Ok(GameKey { number: 5, half: None }));
        assert_eq!(read(".50.1"), Ok(GameKey { number: 50, half: Some(1) }));
        assert!(read("5").is_err() && read(".").is_err() && read(".5.").is_err());
        assert!(read(".99999999999").is_err());
        assert_eq!(read(".5.0").unwrap().to_string(), ".5.0");
    }

    #[test]
    fn types_are_read_in_any_case_and_order() {
        let found = GameType::parse("S8Kr20").unwrap();
        assert_eq!(found.text, "s8kr20");
        assert!(found.synchro && found.komi && !found.anti && found.is_playable());
        assert_eq!((found.size, found.random, found.kind()), (8, Some(20), Kind::Komi));
        assert_eq!(GameType::parse("s8r14").unwrap().kind(), Kind::Random);
        assert_eq!(GameType::parse("s8").unwrap().kind(), Kind::Synchro);
        assert_eq!(GameType::parse("8b").unwrap().kind(), Kind::Normal);
        for declined in ["8a", "10", "88", "6w", "8q"] {
            assert!(!GameType::parse(declined).unwrap().is_playable(), "{declined}");
        }
        assert_eq!(GameType::parse("x8"), None);
        for (text, askable) in [
            ("8", true),
            ("8b", true),
            ("s8r20", true),
            ("8kr33", true),
            ("s8k", false),
            ("8r20", false),
            ("8kb", false),
            ("s8r49", false),
        ] {
            assert_eq!(GameType::parse(text).unwrap().is_askable(), askable, "{text}");
        }
    }

    #[test]
    fn clocks_are_read_in_all_their_forms() {
        let read = |text| GgsClock::parse(text).unwrap();
        let clock = read("04:54,1:0//01:00,1:0");
        assert_eq!(clock.left(), Duration::from_secs(294));
        assert_eq!(clock.increment, None);
        assert_eq!(clock.extension.unwrap().time, Duration::from_secs(60));
        assert_eq!(read("-00:05,12:0//02:00,1:0").left(), Duration::ZERO);
        assert_eq!(read("01:02:03,0:0/00:12,1:0/").left(), Duration::from_secs(3723));
        assert_eq!(read("2.00:00:01//").left(), Duration::from_secs(172_801));
        let clock = read("30:00,N0//05:00,N10");
        assert!(clock.has_overtime());
        assert_eq!(clock.extension.unwrap().moves, 10);
        assert_eq!(clock.settings().to_string(), "30:00,N0//05:00,N10");
        let clock = read("29:00,3:N0/00:30,N2:4/05:00,N0:10");
        assert!(clock.main.flag && clock.increment.unwrap().flag);
        assert_eq!(clock.increment_per_move(), Duration::from_millis(7500));
        assert_eq!(read("15:00//02:00").settings().to_string(), "15:00//02:00");
        assert!(GgsClock::parse("x").is_none());
    }

    #[test]
    fn the_extension_is_planned_with_only_where_it_is_overtime() {
        let kept = Duration::from_secs(2);
        let plan = |text: &str| GgsClock::parse(text).unwrap().plan(kept);
        assert_eq!(plan("00:10//02:00"), Clock::absolute(Duration::from_secs(8)));
        assert_eq!(plan("00:01//02:00").left, Duration::ZERO);
        let overtime = plan("00:10,N0:0//02:00,0:10").overtime.unwrap();
        assert_eq!((overtime.period, overtime.stones), (Duration::from_secs(118), 10));
    }

    proptest! {
        #[test]
        fn any_text_is_a_clock_or_is_not(text in "[-0-9:.,/Nn]{0,24}") {
            if let Some(clock) = GgsClock::parse(&text) {
                let _ = (clock.plan(Duration::from_secs(2)), clock.settings());
            }
        }

        #[test]
        fn settings_read_as_records_read_them(
            clock in crate::record::clock::tests::any_clock()
        ) {
            // The server prints whole seconds.
            let whole = |period: Period| Period {
                time: Duration::from_secs(period.time.as_secs()),
                moves: (period.flag || period.moves.unwrap_or(0) > 0)
                    .then_some(period.moves.unwrap_or(0)),
                ..period
            };
            let clock = ClockSettings {
                main: whole(clock.main),
                increment: clock.increment.map(whole),
                extension: clock.extension.map(whole),
            };
            let read = GgsClock::parse(&clock.to_string());
            prop_assert_eq!(read.map(|read| read.settings()), Some(clock));
        }
    }
}
