//! A generator of bad input: random and mutated lines by the hundred thousand, and every numeric
//! option at both ends of its range. Whatever comes, the engine answers every GTP command once,
//! every ping in order, does not grow, and leaves when told. A million lines for each protocol are
//! an ignored test.

use std::io::Write;
use std::process::ChildStdin;
use std::thread::JoinHandle;

use kitai::protocol::gtp::grammar;
use kitai::random::{Random, seeded};
use rand::Rng;

use super::client::Client;

/// Lines sent to each protocol.
const LINES: usize = 100_000;
/// Lines of the long test.
const MANY_LINES: usize = 1_000_000;
/// Lines with options at their extremes, each of which may make a new method.
const EXTREME_LINES: usize = 10_000;
/// Memory that may come and go, KiB: tables of the methods and queued lines.
const SLACK: u64 = 64 << 10;

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

/// Commands that set every numeric option to the ends of its range and every method, with the
/// words of a protocol. The limits that keep each search short stay as they are.
fn extremes(set: &str) -> Vec<String> {
    const LIMITS: [&str; 6] = ["depth", "nodes", "playouts", "move-time", "hash", "memory"];
    let listed = std::process::Command::new(env!("CARGO_BIN_EXE_kitai"))
        .args(["options", "--json"])
        .output()
        .unwrap();
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let mut commands = Vec::new();
    for option in listed["options"].as_array().unwrap() {
        let name = option["name"].as_str().unwrap();
        let accepts = option["accepts"].as_str().unwrap();
        let range =
            accepts.split_once("number from ").and_then(|(_, range)| range.split_once(" to "));
        if let Some((least, most)) = range.filter(|_| !LIMITS.contains(&name)) {
            commands.extend([least, most].map(|value| format!("{set} {name} {value}")));
        }
    }
    for method in listed["methods"].as_array().unwrap() {
        commands.push(format!("{set} method {}", method["name"].as_str().unwrap()));
    }
    assert!(commands.len() > 50, "{commands:?}");
    commands
}

/// Bad lines with one line in eight that sets an option to an extreme.
fn extreme_lines(seeds: &[&str], set: &str, count: usize, seed: u64) -> Vec<Vec<u8>> {
    let extremes = extremes(set);
    let mut rng = seeded(seed);
    let mut lines = bad_lines(seeds, count, seed);
    for line in &mut lines {
        if rng.random_range(0..8) == 0 {
            *line = extremes[rng.random_range(0..extremes.len())].clone().into_bytes();
        }
    }
    lines
}

/// Resident memory of a process, KiB.
fn memory(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

fn bad_lines(seeds: &[&str], count: usize, seed: u64) -> Vec<Vec<u8>> {
    let mut rng = seeded(seed);
    let mut lines: Vec<Vec<u8>> = Vec::with_capacity(count);
    while lines.len() < count {
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

/// Sends the lines from a thread, so that replies are read meanwhile, and gives the input back.
fn send_all(client: &mut Client, lines: Vec<Vec<u8>>) -> JoinHandle<ChildStdin> {
    let mut input = client.take_input();
    std::thread::spawn(move || {
        for line in lines {
            input.write_all(&line).unwrap();
            input.write_all(b"\n").unwrap();
        }
        input
    })
}

/// What keeps every search short.
const SHORT: [&str; 12] = [
    "--set",
    "depth=1",
    "--set",
    "hash=1",
    "--set",
    "memory=1",
    "--set",
    "playouts=20",
    "--set",
    "nodes=500",
    "--set",
    "move-time=5",
];

/// Sends the lines over GTP; each command gets one reply, and the memory after the first tenth is
/// the memory at the end.
fn gtp_replies_once(mut lines: Vec<Vec<u8>>, arguments: &[&str]) {
    let expected = lines
        .iter()
        .filter(|line| {
            line.len() > kitai::record::lines::LONGEST_LINE
                || grammar::parse(&decode(line)).is_some()
        })
        .count();
    lines.push(b"424242 protocol_version".to_vec());
    let mut client = Client::kitai(["gtp"].into_iter().chain(arguments.iter().copied()));
    let sender = send_all(&mut client, lines);
    let mut replies = 0;
    let mut reply_open = false;
    let mut settled = None;
    loop {
        let line = client.line().expect("the engine is alive until quit");
        if line.is_empty() {
            reply_open = false;
        } else if !reply_open {
            assert!(line.starts_with(['=', '?']), "no reply: `{line}`");
            reply_open = true;
            replies += 1;
            if replies == expected / 10 {
                settled = memory(client.id());
            }
            if line == "=424242 2" {
                break;
            }
        }
    }
    assert_eq!(replies, expected + 1);
    must_not_have_grown(settled, memory(client.id()));
    sender.join().unwrap().write_all(b"quit\n").unwrap();
    assert_eq!(client.wait().code(), Some(0));
}

fn must_not_have_grown(settled: Option<u64>, last: Option<u64>) {
    if let (Some(settled), Some(last)) = (settled, last) {
        println!("memory: {settled} KiB after a tenth, {last} KiB at the end");
        assert!(last <= settled + SLACK, "from {settled} to {last} KiB");
    }
}

/// Sends the lines over NBoard; only replies come back, and the engine still plays at the end.
fn nboard_stays_alive(mut lines: Vec<Vec<u8>>, arguments: &[&str]) {
    let tenth = lines.len() / 10;
    lines.insert(tenth, b"ping 434343434343".to_vec());
    for last in ["new", "set option method minimax", "set depth 2", "ping 424242424242", "go"] {
        lines.push(last.as_bytes().to_vec());
    }
    let mut client = Client::kitai(["nboard"].into_iter().chain(arguments.iter().copied()));
    let sender = send_all(&mut client, lines);
    let words =
        ["===", "pong", "status", "set", "book", "search", "nodestats", "analysis", "learned"];
    let mut settled = None;
    loop {
        let line = client.line().expect("the engine is alive until the end of input");
        let word = line.split(' ').next().unwrap();
        assert!(words.contains(&word) && line.is_ascii(), "no reply: `{line}`");
        if line == "pong 434343434343" {
            settled = memory(client.id());
        }
        if line == "pong 424242424242" {
            break;
        }
    }
    must_not_have_grown(settled, memory(client.id()));
    let answer = client.line_starting("=== ");
    assert!(["C4", "D3", "E6", "F5"].contains(&&answer[4..6]), "{answer}");
    drop(sender.join().unwrap());
    assert_eq!(client.wait().code(), Some(0));
}

#[test]
fn a_hundred_thousand_bad_gtp_lines_get_one_reply_each() {
    gtp_replies_once(bad_lines(GTP_SEEDS, LINES, 1), &["--set", "depth=1", "--set", "hash=1"]);
}

#[test]
fn a_hundred_thousand_bad_nboard_lines_leave_the_engine_alive() {
    nboard_stays_alive(bad_lines(NBOARD_SEEDS, LINES, 2), &["--set", "depth=1", "--set", "hash=1"]);
}

#[test]
fn gtp_options_at_their_extremes_leave_the_engine_answering() {
    gtp_replies_once(extreme_lines(GTP_SEEDS, "kitai-set", EXTREME_LINES, 3), &SHORT);
}

#[test]
fn nboard_options_at_their_extremes_leave_the_engine_alive() {
    nboard_stays_alive(extreme_lines(NBOARD_SEEDS, "set option", EXTREME_LINES, 4), &SHORT);
}

#[test]
#[ignore = "long: a million lines, some minutes"]
fn a_million_gtp_lines_with_extreme_options_get_one_reply_each() {
    gtp_replies_once(extreme_lines(GTP_SEEDS, "kitai-set", MANY_LINES, 5), &SHORT);
}

#[test]
#[ignore = "long: a million lines, some minutes"]
fn a_million_nboard_lines_with_extreme_options_leave_the_engine_alive() {
    nboard_stays_alive(extreme_lines(NBOARD_SEEDS, "set option", MANY_LINES, 6), &SHORT);
}
