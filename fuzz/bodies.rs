//! What every fuzz target does with its bytes: any input gives a value or an error, never a panic,
//! and what was read can be written and read again.
//!
//! `target.rs` runs these under libFuzzer; `tests/fuzz_corpus.rs` runs them on
//! every file of `corpus/` (valid samples, and inputs that once broke something) in `cargo test`.

use kitai::arena::PlayerSpec;
use kitai::arena::log::LOG;
use kitai::arena::tournament::{Overrides, TournamentFile};
use kitai::eval::pattern::Weights;
use kitai::options::Options;
use kitai::protocol::ggs::event::Event;
use kitai::protocol::ggs::framing::{Frame, Framer};
use kitai::protocol::{ggs, gtp, nboard};
use kitai::record::sealed::Records;
use kitai::record::wthor::{self, Collector, Names};
use kitai::record::{BareNumber, Board, ClockSettings, Format, ggf, obf, sgf, transcript};
use kitai::search::expectation::sigma::SigmaTable;
use kitai::training::games::Game;
use kitai::training::positions::GAMES;

/// A target: how many valid things it found in the bytes.
pub(crate) type Body = fn(&[u8]) -> usize;

/// All targets by name.
pub(crate) const ALL: &[(&str, Body)] = &[
    ("board", board),
    ("clock", clock),
    ("config", config),
    ("ggf", ggf),
    ("ggs", ggs),
    ("gtp", gtp),
    ("kpos", kpos),
    ("log", log),
    ("nboard", nboard),
    ("obf", obf),
    ("options", options),
    ("player", player),
    ("sgf", sgf),
    ("sigma", sigma),
    ("tournament", tournament),
    ("transcript", transcript),
    ("weights", weights),
    ("wthor", wthor),
];

/// A target by name.
#[allow(dead_code, reason = "the replay of the corpus takes all of them")]
pub(crate) fn named(name: &str) -> Body {
    ALL.iter().find(|(known, _)| *known == name).expect("a known target").1
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or("")
}

fn ggf(bytes: &[u8]) -> usize {
    let mut found = 0;
    for record in Format::Ggf.read(bytes, Default::default()).flatten() {
        let written = ggf::write(&record);
        let again = ggf::parse(&written).expect("what was written reads");
        assert_eq!(ggf::write(&again), written);
        assert_eq!(again.history, record.history);
        found += 1;
    }
    let _ = ggf::parse(text(bytes));
    let _ = ggf::parse_line(text(bytes));
    found
}

fn sgf(bytes: &[u8]) -> usize {
    let mut found = 0;
    for record in Format::Sgf.read(bytes, Default::default()).flatten() {
        let written = sgf::write(&record);
        let again = sgf::parse(&written).expect("what was written reads");
        assert_eq!(sgf::write(&again), written);
        assert_eq!(again.history, record.history);
        found += 1;
    }
    let _ = sgf::parse(text(bytes));
    found
}

fn obf(bytes: &[u8]) -> usize {
    let mut found = 0;
    for problem in obf::read(bytes).flatten() {
        let written = obf::write(&problem);
        let again = obf::parse(&written).expect("what was written reads").expect("is a problem");
        assert_eq!(obf::write(&again), written);
        assert_eq!((again.board, &again.answers), (problem.board, &problem.answers));
        found += 1;
    }
    found
}

fn transcript(bytes: &[u8]) -> usize {
    let mut found = 0;
    for record in Format::Transcript.read(bytes, Default::default()).flatten() {
        let written = transcript::write(&record.history);
        let again = transcript::parse(&written).expect("what was written reads");
        assert_eq!(transcript::write(&again), written);
        found += 1;
    }
    let _ = transcript::parse(text(bytes));
    found
}

fn board(bytes: &[u8]) -> usize {
    let mut found = 0;
    for record in Format::Board.read(bytes, Default::default()).flatten() {
        let board = record.history.board();
        assert_eq!(board.to_string().parse::<Board>(), Ok(board));
        found += 1;
    }
    found
}

fn clock(bytes: &[u8]) -> usize {
    let mut found = 0;
    for line in text(bytes).lines() {
        let _ = ClockSettings::parse(line, BareNumber::Minutes);
        if let Ok(clock) = ClockSettings::parse(line, BareNumber::Seconds) {
            assert_eq!(ClockSettings::parse(&clock.to_string(), BareNumber::Seconds), Ok(clock));
            found += 1;
        }
    }
    found
}

fn wthor(bytes: &[u8]) -> usize {
    let _ = Names::read_players(bytes);
    let _ = Names::read_tournaments(bytes);
    let Ok(games) = wthor::read(bytes, Names::default()) else { return 0 };
    let mut found = 0;
    for (index, record) in games.enumerate() {
        let Ok(record) = record else { continue };
        let mut collector = Collector::default();
        collector.add(&record).expect("what was read can be written");
        let written = collector.files([0; 4]).expect("one game fits").games;
        assert_eq!(written[16..], bytes[16 + 68 * index..][..68]);
        found += 1;
    }
    found
}

fn gtp(bytes: &[u8]) -> usize {
    let lines = text(bytes).lines();
    lines.filter_map(gtp::grammar::parse).filter(|line| line.command.is_ok()).count()
}

/// Lines of a game server through framing and grammar.
fn ggs(bytes: &[u8]) -> usize {
    let mut framer = Framer::default();
    let mut found = 0;
    let mut each = |frame| {
        if let Frame::Message(message) = frame {
            let event = ggs::grammar::event(&message);
            let _ = ggs::grammar::is_complete(&message);
            found += usize::from(!matches!(event, Event::Other(_)));
        }
    };
    for line in String::from_utf8_lossy(bytes).lines() {
        framer.line(line, &mut each);
    }
    framer.flush(&mut each);
    found
}

fn nboard(bytes: &[u8]) -> usize {
    text(bytes).lines().filter_map(nboard::grammar::parse).filter(Result::is_ok).count()
}

/// Lines `name value`; a value that was accepted is accepted again as it is shown.
fn options(bytes: &[u8]) -> usize {
    let mut options = Options::new();
    let mut found = 0;
    for line in text(bytes).lines() {
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        found += usize::from(options.set(name, value).is_ok());
    }
    let mut again = Options::new();
    for (name, value) in options.changed() {
        again.set(name, &value.to_string()).expect("a value as it is shown");
    }
    assert_eq!(again, options);
    found
}

fn config(bytes: &[u8]) -> usize {
    usize::from(kitai::config::parse("fuzz.toml", text(bytes)).is_ok())
}

/// Players as the lines of a tournament name them.
fn player(bytes: &[u8]) -> usize {
    text(bytes).lines().filter(|line| PlayerSpec::parse(line).is_ok()).count()
}

/// A tournament file, without the file of openings it may name.
fn tournament(bytes: &[u8]) -> usize {
    let over = Overrides { openings: Some("start".to_owned()), ..Overrides::default() };
    let plan = TournamentFile::parse(text(bytes)).and_then(|file| file.plan(&over));
    usize::from(plan.is_ok_and(|plan| plan.players.len() > 1))
}

fn weights(bytes: &[u8]) -> usize {
    match Weights::parse(bytes) {
        Ok(weights) => {
            assert_eq!(Weights::parse(&weights.to_bytes()).expect("written weights"), weights);
            1
        }
        Err(_) => 0,
    }
}

fn sigma(bytes: &[u8]) -> usize {
    match SigmaTable::parse(text(bytes)) {
        Ok(table) => {
            for ahead in table.aheads() {
                assert!(table.spreads(ahead).is_some());
            }
            let written = table.to_text();
            let again = SigmaTable::parse(&written).expect("what was written reads");
            assert_eq!(again.to_text(), written);
            1
        }
        Err(_) => 0,
    }
}

/// The bytes as a position file, and as a single game.
fn kpos(bytes: &[u8]) -> usize {
    let mut game = Game::default();
    if game.decode(bytes, 0).is_ok() {
        let mut again = Game::default();
        again.decode(&game.encode(0).expect("what was read"), 0).expect("what was written");
        assert_eq!(again, game);
    }
    let Ok((mut records, _)) = Records::open(bytes, GAMES) else { return 0 };
    let mut found = 1;
    while let Ok(Some(record)) = records.next_record() {
        found += usize::from(game.decode(record, 0).is_ok());
    }
    found
}

/// The bytes as a match log.
fn log(bytes: &[u8]) -> usize {
    let Ok((mut records, _)) = Records::open(bytes, LOG) else { return 0 };
    let mut found = 1;
    while let Ok(Some(record)) = records.next_record() {
        found += usize::from(serde_json::from_slice::<kitai::arena::LoggedGame>(record).is_ok());
    }
    found
}
