//! Whole conversations without a server: the files in `protocol-tests/ggs/`, and hostile lines.
//!
//! ```text
//! # a comment
//! ! [accept]                     a line of the settings; before everything else
//! login                          the login dialogue and the set-up, whose lines are not looked at
//! S /os: + match .0 …            the server says a line
//! board join .0 8 K? bob 05:00 kitai 04:58 f5d6   … or a whole board: Black, White, their clocks
//! C tell /os play .0 c3/1.50/2.00                 the bot must send this line now ({any} for any text)
//! find .0 c3 1.5                 the search that runs for a game finds this move
//! solve .0 c3 2                  … and proves its value
//! wait 2                         seconds pass
//! idle .0                        no search for a move runs
//! at-most .0 0.5                 one runs, with at most so many seconds
//! at-least .0 2                  … or at least
//! stopped .0                     the search was told to end
//! close                          the server closes the connection
//! reset                          the connection breaks; the bot connects again
//! left (;GM[Othello]…;)          before the login: a match that an earlier run left unfinished
//! recorded 12                    … and the archive number of one whose result it kept
//! result bob +64.00 played .16 60   the next result kept: opponent, how, archive number, moves
//! silence                        no result was kept besides these
//! again                          the bot wants to connect again, and does
//! stop TEXT                      the bot wants to stop and says so
//! ```
//! Whatever the bot sends must be asked for by a `C` before the next thing happens.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use rand::Rng;
use rand::seq::IndexedRandom;

use super::{GgsSession, NextStep};
use crate::engine::{EngineEvent, GameId, SearchId, SearchUpdate, Task};
use crate::othello::{Color, Square};
use crate::protocol::ggs::Settings;
use crate::protocol::ggs::report::{Report, ResultLine};
use crate::protocol::{Action, Actions, Input, InputLine, Phase, Session};
use crate::random::seeded;
use crate::record::{Board, GameRecord, transcript};
use crate::score::Score;
use crate::search::{Bound, Certainty, Line, Origin, Outcome};

/// A bot without a server, and what it wants.
struct Talk {
    session: GgsSession,
    now: Instant,
    sent: VecDeque<String>,
    searches: BTreeMap<GameId, (SearchId, Task)>,
    stopped: BTreeSet<GameId>,
    results: VecDeque<String>,
}

impl Talk {
    fn new(settings: &str) -> Talk {
        let settings =
            Settings::parse(&format!("login = \"kitai\"\noperators = [\"boss\"]\n{settings}"))
                .unwrap();
        let now = Instant::now();
        let session = GgsSession::new(settings, "secret".to_owned(), 1, now).unwrap();
        let (sent, searches, stopped, results) = Default::default();
        let mut talk = Talk { session, now, sent, searches, stopped, results };
        talk.begin();
        talk
    }

    fn begin(&mut self) {
        let mut actions = Actions::default();
        self.session.begin(self.now, &mut actions);
        self.take(actions);
    }

    fn take(&mut self, mut actions: Actions) {
        for action in actions.drain() {
            match action {
                Action::Send(text) | Action::Secret(text) => {
                    assert!(text.ends_with('\n') && text.matches('\n').count() == 1, "{text:?}");
                    self.sent.push_back(text.trim_end_matches('\n').to_owned());
                }
                Action::Think { game, search, task } => {
                    self.stopped.remove(&game);
                    self.searches.insert(game, (search, *task));
                }
                Action::Stop { game } => {
                    self.stopped.insert(game);
                }
                Action::Abandon { game } | Action::Close { game } => {
                    self.searches.remove(&game);
                }
                Action::Report(report) => {
                    if let Report::Finished { result, records, .. } = *report {
                        self.results.push_back(result_text(&result, &records));
                    }
                }
                _ => {}
            }
        }
    }

    fn give(&mut self, input: Input<'_>) {
        let mut actions = Actions::default();
        self.session.take(input, self.now, &mut actions);
        self.take(actions);
    }

    fn hear(&mut self, line: &str) {
        self.give(Input::Line(InputLine::Text(line)));
    }

    fn tick(&mut self) {
        self.give(Input::Timer(crate::protocol::RequestId(0)));
    }

    fn wait(&mut self, seconds: f64) {
        let until = self.now + Duration::from_secs_f64(seconds);
        while self.now < until {
            self.now = (self.now + Duration::from_millis(500)).min(until);
            self.tick();
        }
    }

    fn log_in(&mut self) {
        self.hear("Welcome.");
        assert!(self.sent.is_empty());
        self.hear(": Enter login (yours, or one you'd like to use).");
        assert_eq!(self.sent.pop_front().as_deref(), Some("kitai"));
        self.hear(": Enter your password.");
        assert_eq!(self.sent.pop_front().as_deref(), Some("secret"));
        self.hear("READY");
        assert!(self.sent.contains(&"tell /os trust +".to_owned()), "{:?}", self.sent);
        self.sent.clear();
    }

    /// The running search for a move of a game.
    fn search(&self, key: &str) -> Option<(GameId, &(SearchId, Task))> {
        let games = self.session.matches.values().flat_map(|found| found.games());
        let game = games.into_iter().find(|game| game.key.to_string() == key)?;
        game.thinking?;
        Some((game.id, self.searches.get(&game.id)?))
    }

    fn finds(&mut self, key: &str, best: &str, value: f64, certainty: Certainty) {
        let (game, (search, _)) = self.search(key).unwrap_or_else(|| panic!("no search for {key}"));
        let (game, search) = (game, *search);
        self.searches.remove(&game);
        let update = SearchUpdate::Done(outcome(best, value, certainty));
        self.give(Input::Event(EngineEvent { game, search, update }));
    }
}

fn outcome(best: &str, value: f64, certainty: Certainty) -> Outcome {
    let line = Line {
        score: Score::from_discs(value),
        bound: Bound::Exact,
        certainty,
        pv: vec![best.parse().unwrap()],
        visits: 0,
        uncertainty: None,
    };
    Outcome {
        origin: Origin::Search,
        lines: vec![line],
        depth: 5,
        nodes: 1,
        playouts: 0,
        elapsed: Duration::ZERO,
    }
}

/// `bob +64.00 played .16 60`: from whom, how much, how, archive number, moves in the records.
fn result_text(line: &ResultLine, records: &[GameRecord]) -> String {
    let result = line.result.map_or("?".to_owned(), |result| format!("{result:+.2}"));
    let archive = line.archive.map_or("?".to_owned(), |number| format!(".{number}"));
    let moves: usize = records.iter().map(|record| record.history.moves().len()).sum();
    format!("{} {result} {} {archive} {moves}", line.opponent, line.ending)
}

/// A board message: `join ID TYPE KOMI BLACK CLOCK WHITE CLOCK MOVES`.
fn board_message(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [word, id, kind, komi, black, first, white, second, rest @ ..] = words.as_slice() else {
        panic!("`{text}` is no board")
    };
    let history = transcript::parse(rest.first().unwrap_or(&"")).unwrap();
    let mark = |color| match (*komi, kind.contains('k'), color) {
        ("K?", true, _) => '?',
        (_, _, Color::Black) => '*',
        _ => 'O',
    };
    let players = |first: &str, second: &str| {
        vec![
            format!("|{black:<8} (1720.0 {}) {first}", mark(Color::Black)),
            format!("|{white:<8} ( 985.0 {}) {second}", mark(Color::White)),
        ]
    };
    let mut lines = vec![format!("/os: {word} {id} {kind} {komi}")];
    let made = history.moves().len();
    let move_line =
        |number: usize| format!("|{number:3}: {}/1.00/2.00", history.moves()[number - 1]);
    if *word == "join" {
        lines.push(format!("|{made} move(s)"));
        if made == 0 {
            lines.push("|  0: PASS".to_owned());
        } else {
            lines.extend(players("05:00//02:00", "05:00//02:00"));
            lines.extend(rows(history.start()));
            lines.extend((1..=made).map(move_line));
        }
    } else {
        lines.push(move_line(made));
    }
    let running = |left: &str| match left.contains('/') {
        true => left.to_owned(),
        false => format!("{left},{}:0//02:00,0:0", made / 2),
    };
    lines.extend(players(&running(first), &running(second)));
    lines.extend(rows(history.board()));
    lines.push("READY".to_owned());
    lines
}

fn rows(board: Board) -> Vec<String> {
    let symbol = |square| match board.at(square) {
        Some(Color::Black) => '*',
        Some(Color::White) => 'O',
        None => '-',
    };
    let row = |row: u8| {
        let squares = (0..8).map(|column| symbol(Square::at(column, row).unwrap()));
        let squares: Vec<String> = squares.map(String::from).collect();
        format!("|{:2} {} {:<2}", row + 1, squares.join(" "), row + 1)
    };
    let mut lines = vec!["|".to_owned(), "|   A B C D E F G H".to_owned()];
    lines.extend((0..8).map(row));
    let turn = if board.turn == Color::Black { '*' } else { 'O' };
    lines.extend(["|   A B C D E F G H".to_owned(), "|".to_owned(), format!("|{turn} to move")]);
    lines
}

fn fits(pattern: &str, line: &str) -> bool {
    match pattern.split_once("{any}") {
        None => pattern == line,
        Some((start, end)) => {
            line.len() >= start.len() + end.len() && line.starts_with(start) && line.ends_with(end)
        }
    }
}

fn run_script(name: &str, script: &str) {
    let settings: Vec<&str> = script.lines().filter_map(|line| line.strip_prefix("! ")).collect();
    let mut talk = Talk::new(&settings.join("\n"));
    for (index, line) in script.lines().enumerate() {
        let place = format!("{name}:{}", index + 1);
        let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
        if verb == "C" {
            let sent = talk.sent.pop_front();
            let fitting = sent.as_ref().is_some_and(|sent| fits(rest, sent));
            assert!(fitting, "{place}: expected `{rest}`, sent {sent:?}, then {:?}", talk.sent);
            continue;
        }
        if line.is_empty() || ["#", "!"].contains(&verb) {
            continue;
        }
        assert!(talk.sent.is_empty(), "{place}: unexpectedly sent {:?}", talk.sent);
        match verb {
            "login" => talk.log_in(),
            "S" => talk.hear(rest),
            "board" => board_message(rest).iter().for_each(|line| talk.hear(line)),
            "find" | "solve" => {
                let words: Vec<&str> = rest.split_whitespace().collect();
                let certainty = if verb == "find" { Certainty::Estimate } else { Certainty::Exact };
                talk.finds(words[0], words[1], words[2].parse().unwrap(), certainty);
            }
            "wait" => talk.wait(rest.parse().unwrap()),
            "idle" => assert!(talk.search(rest).is_none(), "{place}: {rest} is searched"),
            "at-most" | "at-least" => {
                let (key, seconds) = rest.split_once(' ').unwrap();
                let (_, (_, task)) =
                    talk.search(key).unwrap_or_else(|| panic!("{place}: no search"));
                let hard = task.request.limits.time.unwrap().hard;
                let bound = Duration::from_secs_f64(seconds.parse().unwrap());
                let fits = if verb == "at-most" { hard <= bound } else { hard >= bound };
                assert!(fits, "{place}: {hard:?}");
            }
            "stopped" => {
                let (game, _) = talk.search(rest).unwrap_or_else(|| panic!("{place}: no search"));
                assert!(talk.stopped.contains(&game), "{place}: the search goes on");
            }
            "left" => {
                let records = crate::record::ggf::parse_line(rest).unwrap();
                talk.session.remember(vec![records], BTreeSet::new());
            }
            "recorded" => {
                let number = rest.parse().unwrap();
                talk.session.remember(Vec::new(), BTreeSet::from([number]));
            }
            "result" => {
                let told = talk.results.pop_front();
                assert_eq!(told.as_deref(), Some(rest), "{place}");
            }
            "silence" => assert!(talk.results.is_empty(), "{place}: {:?}", talk.results),
            "close" => talk.give(Input::EndOfInput),
            "again" | "stop" | "reset" => {
                assert_eq!(talk.session.phase() == Phase::Finished, verb != "reset", "{place}");
                let mut actions = Actions::default();
                let next = talk.session.next_step(talk.now, &mut actions);
                talk.take(actions);
                match (verb, next) {
                    ("again" | "reset", NextStep::Connect(after)) => {
                        talk.now += after;
                        talk.begin();
                    }
                    ("stop", NextStep::Stop(reason)) => {
                        assert!(fits(rest, &reason), "{place}: {reason}");
                    }
                    (_, next) => panic!("{place}: {next:?}"),
                }
            }
            _ => panic!("{place}: `{verb}` is no verb"),
        }
    }
    assert!(talk.sent.is_empty(), "{name}: sent at the end: {:?}", talk.sent);
}

#[test]
fn every_conversation_goes_as_written() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol-tests/ggs");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let files: Vec<_> =
        files.into_iter().filter(|file| file.extension().is_some_and(|e| e == "txt")).collect();
    assert!(files.len() >= 8);
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        run_script(&name, &std::fs::read_to_string(&file).unwrap());
    }
}

/// Every line a bot without operators may ever send after login.
fn is_meant(line: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let id = |text: &str| text.strip_prefix('.').is_some_and(|rest| rest.split('.').all(number));
    let words: Vec<&str> = line.split(' ').collect();
    match words.as_slice() {
        [""] => true,
        ["tell", "/os", "open", count] => number(count),
        ["tell", "/os", "stored" | "history" | "aform" | "dform"] => true,
        [
            "tell",
            "/os",
            "accept" | "decline" | "cancel" | "moves" | "look" | "abort" | "undo",
            of,
        ] => id(of),
        ["tell", "/os", "play", of, played] => {
            let mut fields = played.split('/');
            let word = fields.next().unwrap();
            id(of)
                && (word == "pass" || word.parse::<Square>().is_ok())
                && fields.all(|field| field.is_empty() || field.parse::<f64>().is_ok())
        }
        ["tell", "/os", "client" | "bell" | "vt100" | "trust" | "rated" | "request", ..] => true,
        ["tell", login, "Sorry.", "I" | "My", ..] => {
            login.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-_".contains(&b))
        }
        _ => false,
    }
}

/// Lines made of everything the server may say, cut, mixed and damaged.
fn hostile(lines: usize, seed: u64) {
    let mut samples: Vec<String> = [
        "/os: +   .8 1720.0 alice    05:00//02:00       8b U 1720.0 kitai",
        "/os: +  .10 1506.7 a\\b      05:00//02:00       10 R 1933.3 kitai      10:00//02:00",
        "/os: +   .7 1506.7 alice    01:00//02:00       8b S 1933.3 kitai    .4",
        "/os: -   .8 1720.0 alice    05:00//02:00       8b U 1720.0 kitai",
        "/os: + match .5 1720 alice 1720 kitai 8b U",
        "/os: + match .6 1720 kitai 1720 bob s8 R",
        "/os: - match .5 2038 alice 1402 kitai 8b R +64.00  .1",
        "/os: - match .6 1507 kitai 1933 bob 8b R bob left .4",
        "/os: end .6.0 ( kitai vs. bob ) +14.00",
        "/os: error .5 illegal move",
        "/os: ERR match '.5' not found.",
        "/os: ERR request '.8' not found.",
        "/os: undo .5 alice is asking",
        "/os: abort .5 alice is asking",
        "/os: score .5 alice is offering",
        "/os: timeout .5 kitai (O)",
        "/os: look .1",
        "|1 (;GM[Othello]PB[a]PW[b]B[f5];)",
        "/os: stored 1 kitai",
        "|.4       16 Nov 2026 02:03:12 kitai    bob      8b:l",
        "/os: history 2 kitai",
        "|.1       16 Nov 2026 02:02:25 1720 alice    1720 kitai     +64.0 8b",
        "|.7       16 Nov 2026 02:02:25 1720 kitai    1720 bob        -3.5 s8",
        "/os: ERR no archived match '.7' found.",
        "/os: rating_update .5",
        "|kitai    1434.44 @ 257.02   -15.76 -> 1418.68 @ 246.35",
        "/os: update .5 C3//1.15",
        ": - /os 1",
        ": + /os 1",
        ": ERR user '/os' not found.",
        "boss: quit",
        "alice: status\\tell /os resign .5",
        ".chat alice: $secret",
        "READY",
        "",
    ]
    .map(str::to_owned)
    .to_vec();
    samples.extend(board_message("join .5 8b K? alice 00:59 kitai 01:00"));
    samples.extend(board_message("join .6.0 s8 K? kitai 05:00 bob 05:00 f5d6"));
    samples.extend(board_message("update .5 8b K? alice 00:59 kitai 01:00 f5"));
    samples.extend(board_message("join .9 8k K? alice 00:59 kitai 01:00"));
    samples.push("/os: error .6.0 not your turn".to_owned());
    samples.push("/os: error .9 illegal move".to_owned());
    let mut random = seeded(seed);
    let settings = "[accept]\nmatches = 2\n[answers]\nundo = \"always\"\nabort = \"always\"\n";
    let mut talk = Talk::new(settings);
    talk.session.settings.operators.clear();
    talk.log_in();
    let (mut at, mut logins) = (0, 1);
    let mut commands: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..lines {
        // Runs of lines stay in order, so that whole messages come through.
        at = if random.random_bool(0.02) { random.random_range(0..samples.len()) } else { at + 1 };
        let mut line = samples[at % samples.len()].clone();
        if random.random_bool(0.03) {
            let mut characters: Vec<char> = line.chars().collect();
            for _ in 0..random.random_range(1..4) {
                let place = random.random_range(0..=characters.len());
                let any = ['\\', '$', '|', ':', '.', ' ', '9', '-', '\u{1b}', '\u{7}', 'k', 'é'];
                match random.random_range(0..3) {
                    0 => characters.insert(place, *any.choose(&mut random).unwrap()),
                    1 if place < characters.len() => {
                        characters.remove(place);
                    }
                    _ => characters.truncate(place),
                }
            }
            line = characters.into_iter().collect();
        }
        talk.hear(&line);
        talk.now += Duration::from_millis(random.random_range(0..200));
        if random.random_bool(0.05) {
            talk.tick();
        }
        if random.random_bool(0.3)
            && let Some((&game, (search, task))) = talk.searches.iter().next()
        {
            let (search, position) = (*search, task.request.position);
            let best = position.children().next().map(|(best, _)| best.to_string());
            talk.searches.remove(&game);
            let best = best.as_deref().unwrap_or("pa");
            let update = SearchUpdate::Done(outcome(best, 1.0, Certainty::Estimate));
            talk.give(Input::Event(EngineEvent { game, search, update }));
        }
        for sent in talk.sent.drain(..) {
            assert!(is_meant(&sent), "sent `{sent}` after `{line}`");
            let word = sent.split(' ').nth(2).unwrap_or("");
            *commands.entry(word.to_owned()).or_default() += 1;
        }
        if talk.session.phase() == Phase::Finished {
            let mut actions = Actions::default();
            assert!(matches!(talk.session.next_step(talk.now, &mut actions), NextStep::Connect(_)));
            talk.session.look_first = false;
            talk.searches.clear();
            talk.begin();
            talk.log_in();
            logins += 1;
        }
        let session = &talk.session;
        assert!(session.matches.len() <= 32 && session.requests.len() <= 256);
        assert!(session.pool.len() <= 16 && session.finishing.len() <= 1000);
        assert!(session.lost.len() <= 256 && session.looks.len() <= 256);
    }
    println!("{lines} lines, {logins} logins, sent {commands:?}");
    // The lines did reach the bot: it played, accepted and declined.
    for word in ["play", "accept", "decline", "moves", "look", "history"] {
        assert!(commands.get(word).is_some_and(|&count| count > lines / 5000), "{commands:?}");
    }
}

#[test]
fn bells_and_escapes_around_the_first_prompt_do_not_hide_it() {
    let mut talk = Talk::new("");
    for line in [": \x07Enter login", ": Enter your password.", "\x07\x1b[0mREADY\x1b[K"] {
        talk.hear(line);
    }
    assert!(talk.sent.contains(&"tell /os trust +".to_owned()), "{:?}", talk.sent);
}

#[test]
fn nothing_is_pondered_when_the_cores_are_taken() {
    let mut talk = Talk::new("[accept]\nmatches = 2\n[engine]\nset = { ponder = true }");
    talk.session.cores = 1;
    talk.log_in();
    let mut show = |board: &str| {
        board_message(board).iter().for_each(|line| talk.hear(line));
        talk.searches.len()
    };
    assert_eq!(show("join .1 8 K? alice 05:00 kitai 05:00"), 1);
    assert_eq!(show("join .2 8 K? alice 05:00 kitai 05:00"), 1);
    // A search for a move is made at once, whatever is pondered.
    assert_eq!(show("update .2 8 K? alice 05:00 kitai 05:00 f5"), 2);
    talk.finds(".2", "d6", 1.0, Certainty::Estimate);
    assert_eq!(talk.sent.len(), 1);
}

#[test]
fn hostile_lines_lead_to_nothing_that_was_not_meant() {
    hostile(5_000, 1);
}

#[test]
#[ignore = "a million lines take a minute"]
fn long_a_million_hostile_lines() {
    hostile(1_000_000, 2);
}
