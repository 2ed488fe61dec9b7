//! A generator of bad input: random and mutated lines by the hundred thousand. Whatever comes, the
//! engine answers every GTP command once, every ping in order, and leaves when told.

use std::io::Write;

use kitai::protocol::gtp::grammar;
use kitai::random::{Random, seeded};
use rand::Rng;

use super::client::Client;

/// Lines sent to each protocol.
const LINES: usize = 100_000;

const GTP_SEEDS: &[&str] = &[
    "play b f5",
    "play w d6",
    "play black pass",
    "genmove b",
    "genmove w",
    "reg_genmove b",
    "undo",
    "clear_board",
    "boardsize 8",
    "komi 0.5",
    "name",
    "1 name",
    "2147483647 version",
    "time_settings 300 10 25",
    "time_left b 1 0",
    "time_left w 0 0",
    "showboard",
    "final_score",
    "loadsgf nothing.sgf 12",
    "printsgf",
    "known_command play",
    "set_game Othello",
    "gogui-rules_board",
    "gogui-rules_legal_moves",
    "gogui-play_sequence b f5 w d6 b c3",
    "kitai-options",
    "kitai-set seed 5",
    "kitai-set softness 3",
    "kitai-setup_board ---------------------------OX------XO--------------------------- X",
    "kitai-analyze",
    "kitai-analyze b 10",
    "# interrupt",
];

const GGF: &str = "set game (;GM[Othello]PC[NBoard]DT[2014-02-21 20:52:27 GMT]PB[black]PW[white]\
RE[?]TI[5:00]TY[8]BO[8 ---------------------------O*------*O--------------------------- *]\
B[F5]W[F6/0.50/1.2]B[E6//0.1];)";

const NBOARD_SEEDS: &[&str] = &[
    "nboard 2",
    "nboard 1",
    GGF,
    "set depth 3",
    "set contempt -100",
    "set option seed 4",
    "set option softness 1",
    "move F5/1.25/4.0E-4",
    "move D6",
    "move PA",
    "f5",
    "c4",
    "hint 4",
    "hint 64",
    "go",
    "ping 12",
    "learn",
    "analyze",
    "stop",
    "clear",
    "new",
];

/// Options that could make an engine slow or big are not for a generator to set.
const NOT_TO_SET: [&str; 12] = [
    "depth", "hash", "memory", "threads", "nodes", "playout", "time", "exact", "eval", "zebra",
    "level", "expand",
];

fn mutate(line: &str, rng: &mut Random) -> Vec<u8> {
    let mut bytes = line.as_bytes().to_vec();
    for _ in 0..rng.random_range(0..6) {
        let place = rng.random_range(0..=bytes.len());
        match rng.random_range(0..5) {
            0 if place < bytes.len() => bytes[place] = rng.random(),
            1 if place < bytes.len() => drop(bytes.remove(place)),
            2 => bytes.insert(place, rng.random()),
            3 => bytes.truncate(place),
            _ => bytes.extend_from_within(..place),
        }
    }
    bytes
}

fn bad_line(seeds: &[&str], rng: &mut Random) -> Vec<u8> {
    let mut line = match rng.random_range(0..100) {
        0..10 => (0..rng.random_range(0..80)).map(|_| rng.random()).collect(),
        10..20 => (0..rng.random_range(0..60)).map(|_| rng.random_range(32..127)).collect(),
        20..50 => seeds[rng.random_range(0..seeds.len())].as_bytes().to_vec(),
        50..55 => [seeds[rng.random_range(0..seeds.len())], "\r"].concat().into_bytes(),
        _ => mutate(seeds[rng.random_range(0..seeds.len())], rng),
    };
    line.retain(|&byte| byte != b'\n');
    line
}

/// Text as the server decodes it.
fn decode(line: &[u8]) -> String {
    String::from_utf8(line.to_vec())
        .unwrap_or_else(|_| line.iter().map(|&byte| char::from(byte)).collect())
}

fn harmless(line: &[u8]) -> bool {
    let text = decode(line).to_ascii_lowercase();
    let sets_too_much = text.contains("set") && NOT_TO_SET.iter().any(|word| text.contains(word));
    !sets_too_much && !text.contains("quit")
}

fn bad_lines(seeds: &[&str], seed: u64) -> Vec<Vec<u8>> {
    let mut rng = seeded(seed);
    let mut lines: Vec<Vec<u8>> = Vec::with_capacity(LINES);
    while lines.len() < LINES {
        let line = if lines.len() % 20_000 == 77 {
            vec![b'x'; 1 << 20]
        } else {
            bad_line(seeds, &mut rng)
        };
        if harmless(&line) || line.starts_with(b"set depth 3") {
            lines.push(line);
        }
    }
    lines
}

/// Sends the lines from a thread, so that replies are read meanwhile.
fn send_all(client: &mut Client, lines: Vec<Vec<u8>>) -> std::thread::JoinHandle<()> {
    let mut input = client.take_input();
    std::thread::spawn(move || {
        for line in lines {
            input.write_all(&line).unwrap();
            input.write_all(b"\n").unwrap();
        }
    })
}

#[test]
fn a_hundred_thousand_bad_gtp_lines_get_one_reply_each() {
    let mut lines = bad_lines(GTP_SEEDS, 1);
    let expected = lines
        .iter()
        .filter(|line| {
            line.len() > kitai::server::LONGEST_LINE || grammar::parse(&decode(line)).is_some()
        })
        .count();
    lines.push(b"424242 protocol_version".to_vec());
    lines.push(b"quit".to_vec());
    let mut client = Client::kitai(["gtp", "--set", "depth=1", "--set", "hash=1"]);
    let sender = send_all(&mut client, lines);
    let mut replies = 0;
    let mut reply_open = false;
    loop {
        let line = client.line().expect("the engine is alive until quit");
        if line.is_empty() {
            reply_open = false;
        } else if !reply_open {
            assert!(line.starts_with(['=', '?']), "no reply: `{line}`");
            reply_open = true;
            replies += 1;
            if line == "=424242 2" {
                break;
            }
        }
    }
    assert_eq!(replies, expected + 1);
    sender.join().unwrap();
    assert_eq!(client.wait().code(), Some(0));
}

#[test]
fn a_hundred_thousand_bad_nboard_lines_leave_the_engine_alive() {
    let mut lines = bad_lines(NBOARD_SEEDS, 2);
    lines.push(b"new".to_vec());
    lines.push(b"set depth 2".to_vec());
    lines.push(b"ping 424242424242".to_vec());
    lines.push(b"go".to_vec());
    let mut client = Client::kitai(["nboard", "--set", "depth=1", "--set", "hash=1"]);
    let sender = send_all(&mut client, lines);
    let words =
        ["===", "pong", "status", "set", "book", "search", "nodestats", "analysis", "learned"];
    loop {
        let line = client.line().expect("the engine is alive until the end of input");
        let word = line.split(' ').next().unwrap();
        assert!(words.contains(&word) && line.is_ascii(), "no reply: `{line}`");
        if line == "pong 424242424242" {
            break;
        }
    }
    let answer = client.line_starting("=== ");
    assert!(["C4", "D3", "E6", "F5"].contains(&&answer[4..6]), "{answer}");
    sender.join().unwrap();
    assert_eq!(client.wait().code(), Some(0));
}
