//! The grammar: messages to events. Total: whatever a message says, it is some event.
//!
//! The server pads its fields for people to read; here only blanks count. A message that looks like
//! one of the known ones but cannot be read whole is [`Event::Other`]: nothing is guessed.

use nom::branch::alt;
use nom::bytes::complete::{tag, take_till, take_until, take_while1};
use nom::character::complete::{char, one_of, space0, space1};
use nom::combinator::{all_consuming, map, map_opt, opt, rest, value};
use nom::sequence::{delimited, preceded, terminated};
use nom::{IResult, Parser};

use super::boards;
use super::event::{
    Event, Flag, HistoryEntry, MatchEnding, MatchLine, Question, RatingChange, Request, StoredGame,
};
use super::framing::{Message, Source};
use super::words::{GameType, clock, decimal, game_key, game_type, id, login};
use crate::record::ggf;

/// The service that runs Othello games.
pub const SERVICE: &str = "/os";

/// Most games of a list that are kept.
const LONGEST_LIST: usize = 1000;

/// Texts about wrong types of games, which come without `ERR`.
const TYPE_ERRORS: [&str; 8] = [
    "illegal board type",
    "illegal game type",
    "missing or illegal rand-type",
    "random games must be komi or synchro",
    "synchro+komi not supported",
    "only one color preference allowed",
    "no preferred color in komi or rand games",
    "different players in synchro games",
];

/// What a message says.
pub fn event(message: &Message) -> Event {
    let lines = &message.lines;
    match &message.source {
        Source::Central => central(lines),
        Source::Name(name) if name == SERVICE => {
            service(lines).unwrap_or_else(|| other(SERVICE, lines))
        }
        Source::Name(name) => Event::Tell { from: name.clone(), lines: lines.clone() },
        Source::Channel { channel, name } => other(&format!("{channel} {name}"), lines),
        Source::Nobody => other("", lines),
    }
}

/// Whether nothing more can belong to a message, so that it need not wait for its prompt.
pub fn is_complete(message: &Message) -> bool {
    let first = message.lines.first().map_or("", String::as_str);
    let is_game = message.source == Source::Name(SERVICE.to_owned())
        && (first.starts_with("join ") || first.starts_with("update "));
    !is_game || boards::is_complete(&message.lines)
}

fn other(from: &str, lines: &[String]) -> Event {
    Event::Other(format!("{from}: {}", lines.join(" | ")))
}

fn central(lines: &[String]) -> Event {
    let sign = alt((value(true, char('+')), value(false, char('-'))));
    let line = (terminated(sign, space1), login, opt((space1, rest)));
    match all_consuming(line).parse(lines.first().map_or("", String::as_str)) {
        Ok((_, (present, login, _))) => Event::Presence { login: login.to_owned(), present },
        Err(_) => Event::Central(lines.to_vec()),
    }
}

fn service(lines: &[String]) -> Option<Event> {
    let first = lines.first()?.as_str();
    match first.split_whitespace().next()? {
        "join" | "update" => {
            return boards::game(lines).or_else(|| boards::key(first).map(Event::BadBoard));
        }
        "rating_update" => return ratings(lines),
        "stored" if !is_error(first) => return stored(lines),
        "history" if !is_error(first) => return history(lines),
        "look" if !is_error(first) => return archive(lines),
        _ => {}
    }
    if boards::is_kibitz(first) || first.starts_with(' ') {
        return None;
    }
    if is_error(first) || is_type_error(first) {
        return Some(Event::ServiceError(first.to_owned()));
    }
    alt((
        all_consuming(match_line),
        all_consuming(request_line),
        all_consuming(game_end),
        all_consuming(time_out),
        all_consuming(violation),
        all_consuming(question),
        all_consuming(game_error),
        all_consuming(stored_opponent),
    ))
    .parse(first.trim_end())
    .ok()
    .map(|(_, event)| event)
    .or_else(|| archive(lines))
}

/// `ERR …`, or with the command before it: `watch + ERR not found: .0`.
fn is_error(line: &str) -> bool {
    let sign = opt(terminated(one_of::<_, _, nom::error::Error<&str>>("+-"), space1));
    let command = opt((take_while1(|c: char| c.is_ascii_lowercase()), space1, sign));
    (command, tag("ERR ")).parse(line).is_ok()
}

/// Whether a text says that a type of game cannot be asked for.
pub(super) fn is_type_error(line: &str) -> bool {
    TYPE_ERRORS.iter().any(|text| line.starts_with(text))
}

fn flag(input: &str) -> IResult<&str, Flag> {
    map(one_of("RUST"), |letter| match letter {
        'R' => Flag::Rated,
        'U' => Flag::Unrated,
        'S' => Flag::Stored,
        _ => Flag::Tournament,
    })
    .parse(input)
}

/// Something, and the blanks before it.
fn next<'a, T>(
    parser: impl Parser<&'a str, Output = T, Error = nom::error::Error<&'a str>>,
) -> impl Parser<&'a str, Output = T, Error = nom::error::Error<&'a str>> {
    preceded(space1, parser)
}

fn sign(input: &str) -> IResult<&str, bool> {
    alt((value(true, char('+')), value(false, char('-')))).parse(input)
}

/// `+ .8 1720.0 alice 01:00//02:00 8b U 1720.0 bob [CLOCK2] [.counter]`.
fn request_line(input: &str) -> IResult<&str, Event> {
    let opponent = alt((
        map((next(decimal), next(login)), |(rating, name)| Some((rating, name))),
        value(None, (next(char('*')), next(char('*')))),
    ));
    let own_clock = map_opt(take_while1(|c: char| !c.is_whitespace() && c != '.'), |text: &str| {
        all_consuming(clock).parse(text).ok().map(|(_, clock)| clock)
    });
    // Days are written with a dot, as archive numbers are: a clock has a slash or a colon.
    let long_clock = map_opt(take_while1(|c: char| !c.is_whitespace()), |text: &str| {
        text.contains(['/', ':']).then(|| super::words::GgsClock::parse(text))?
    });
    let parts = (
        sign,
        next(id),
        next(decimal),
        next(login),
        next(clock),
        next(game_type),
        next(flag),
        opponent,
        opt(next(alt((long_clock, own_clock)))),
        opt(next(id)),
    );
    map(
        parts,
        |(
            is_new,
            number,
            asker_rating,
            asker,
            asker_clock,
            game_type,
            flag,
            opponent,
            clock,
            archive,
        )| {
            let request = Box::new(Request {
                number,
                asker: asker.to_owned(),
                asker_rating,
                asker_clock,
                game_type,
                flag,
                opponent: opponent.map(|(_, name): (f64, &str)| name.to_owned()),
                opponent_rating: opponent.map(|(rating, _)| rating),
                opponent_clock: clock.unwrap_or(asker_clock),
                archive,
            });
            if is_new { Event::Request(request) } else { Event::RequestGone(request) }
        },
    )
    .parse(input)
}

/// `+ match .5 1720 alice 1720 bob 8b U`, `- match … +64.00  .1`.
fn match_line(input: &str) -> IResult<&str, Event> {
    let player = || map((next(decimal), next(login)), |(rating, name)| (name.to_owned(), rating));
    let line = (next(id), player(), player(), next(game_type), next(flag));
    let mut line = map(line, |(number, one, other, game_type, flag)| {
        Box::new(MatchLine { number, players: [one, other], game_type, flag })
    });
    let ending = alt((
        value(MatchEnding::Aborted, tag("aborted")),
        map(terminated(login, (space1, tag("left"))), |who: &str| {
            MatchEnding::Left(who.to_owned())
        }),
        map(decimal, MatchEnding::Result),
    ));
    let (input, is_new) = terminated(sign, (space1, tag("match"))).parse(input)?;
    let (input, line) = line.parse(input)?;
    if is_new {
        return Ok((input, Event::MatchBegins(line)));
    }
    let (input, ending) = next(ending).parse(input)?;
    let (input, archive) = opt(next(id)).parse(input)?;
    Ok((input, Event::MatchEnds { line, ending, archive }))
}

/// `end .1.0 ( alice vs. bob ) +14.00`, `… ) aborted`, `… ) player bob left`.
fn game_end(input: &str) -> IResult<&str, Event> {
    let players = delimited(char('('), next(login), (take_until(" )"), tag(" )")));
    let result = alt((map(decimal, Some), value(None, rest)));
    let parts = (preceded(tag("end"), next(game_key)), next(players), next(result));
    map(parts, |(game, first, result)| Event::GameEnds { game, first: first.to_owned(), result })
        .parse(input)
}

/// `timeout .10 bob (O)`, `fatal-timeout .10 bob (O)`.
fn time_out(input: &str) -> IResult<&str, Event> {
    let word = alt((value(true, tag("fatal-timeout")), value(false, tag("timeout"))));
    map((word, next(game_key), next(login), rest), |(fatal, game, login, _)| Event::TimeOut {
        game,
        login: login.to_owned(),
        fatal,
    })
    .parse(input)
}

/// `trust-violation .10 alice (*) delta= 4 + 1.4 secs`.
fn violation(input: &str) -> IResult<&str, Event> {
    map((tag("trust-violation"), next(game_key), next(login), rest), |(_, game, login, _)| {
        Event::TrustViolation { game, login: login.to_owned() }
    })
    .parse(input)
}

/// `undo .0 alice is asking`, `score .2 alice is offering`.
fn question(input: &str) -> IResult<&str, Event> {
    let word = alt((
        value(Question::Undo, tag("undo")),
        value(Question::Abort, tag("abort")),
        value(Question::Score, tag("score")),
    ));
    let end = (space1, tag("is"), space1, alt((tag("asking"), tag("offering"))), space0);
    map((word, next(game_key), terminated(next(login), end)), |(question, game, login)| {
        Event::Question { question, game, login: login.to_owned() }
    })
    .parse(input)
}

/// `error .0 illegal move`.
fn game_error(input: &str) -> IResult<&str, Event> {
    map((tag("error"), next(game_key), next(rest)), |(_, game, text): (_, _, &str)| {
        Event::GameError { game, text: text.to_owned() }
    })
    .parse(input)
}

/// `+ bob stored`.
fn stored_opponent(input: &str) -> IResult<&str, Event> {
    let line = (char('+'), next(login), space1, tag("stored"));
    map(line, |(_, login, _, _)| Event::StoredOpponent(login.to_owned())).parse(input)
}

/// `alice    1434.44 @ 257.02   -15.76 -> 1418.68 @ 246.35`.
fn rating_change(input: &str) -> IResult<&str, RatingChange> {
    let at = || (space0, char('@'), space0);
    let value = || (terminated(decimal, at()), decimal);
    let parts =
        (preceded(space0, login), next(value()), next(decimal), space0, tag("->"), space0, value());
    map(parts, |(login, (old, _), _, _, _, _, (new, deviation))| RatingChange {
        login: login.to_owned(),
        old,
        new,
        deviation,
    })
    .parse(input)
}

fn ratings(lines: &[String]) -> Option<Event> {
    let (_, number) =
        delimited((tag("rating_update"), space1), id, rest).parse(lines[0].as_str()).ok()?;
    let change = |line: &String| Some(rating_change(line).ok()?.1);
    let changes = lines[1..].iter().take(LONGEST_LIST).map(change).collect::<Option<_>>()?;
    Some(Event::Ratings { number, changes })
}

/// `.4       16 Nov 2026 02:03:12 alice    bob      8b:l`.
fn stored_game(input: &str) -> IResult<&str, StoredGame> {
    let word = || next(take_till(|c: char| c.is_whitespace()));
    let date = (word(), word(), word(), word());
    let parts = (preceded(space0, id), date, next(login), next(login), next(login), rest);
    map(parts, |(archive, _, one, other, game_type, _)| StoredGame {
        archive,
        players: [one.to_owned(), other.to_owned()],
        game_type: game_type.to_owned(),
    })
    .parse(input)
}

fn stored(lines: &[String]) -> Option<Event> {
    let games = lines[1..].iter().take(LONGEST_LIST);
    let games = games.filter_map(|line| Some(stored_game(line).ok()?.1)).collect();
    Some(Event::Stored(games))
}

/// `.1       16 Nov 2026 02:02:25 1720 alice    1720 bob       +64.0 s8`.
fn history_entry(input: &str) -> IResult<&str, HistoryEntry> {
    let word = || next(take_till(|c: char| c.is_whitespace()));
    let date = (word(), word(), word(), word());
    let player = || map((next(decimal), next(login)), |(_, name)| name.to_owned());
    let parts =
        (preceded(space0, id), date, player(), player(), next(decimal), next(game_type), rest);
    map(parts, |(archive, _, one, other, result, game_type, _)| HistoryEntry {
        archive,
        players: [one, other],
        result,
        game_type,
    })
    .parse(input)
}

fn history(lines: &[String]) -> Option<Event> {
    let entries = lines[1..].iter().take(LONGEST_LIST);
    let entries = entries.filter_map(|line| Some(history_entry(line).ok()?.1)).collect();
    Some(Event::History(entries))
}

/// A line `1 (;…;)` or `2 (;…;)(;…;)` anywhere in the message.
fn archive(lines: &[String]) -> Option<Event> {
    let text = lines.iter().find(|line| {
        let line = line.trim_start();
        line.starts_with("1 (;") || line.starts_with("2 (;")
    })?;
    let records = ggf::parse_line(text).ok()?;
    let header = lines.first().filter(|first| !std::ptr::eq(*first, text));
    let archive = header.and_then(|first| {
        first.split_whitespace().find_map(|word| all_consuming(id).parse(word).ok()).map(|(_, n)| n)
    });
    Some(Event::Archive { archive, records })
}

/// The type in a list of stored games, without the letter after its colon.
pub fn stored_type(text: &str) -> Option<GameType> {
    GameType::parse(text.split(':').next().unwrap_or(text))
}
