//! A generator of bad input: random and mutated lines by the hundred thousand, and every numeric
//! option at both ends of its range. Whatever comes, the engine answers every GTP command once,
//! every ping in order, does not grow, and leaves when told. A million lines for each protocol are
//! an ignored test.
//!
//! Lines without options come in one stream. Options at their ends may ask for a search that has no
//! end (depth 60, `exact-from 60`, a day for a move): there each line is followed by what must end
//! any search, `# interrupt` in GTP and `ping` in NBoard, and its answer is awaited.

use std::io::Write;
use std::process::ChildStdin;
use std::thread::JoinHandle;

use kitai::protocol::gtp::grammar;
use kitai::random::{Random, seeded};
use kitai::record::lines::LONGEST_LINE;
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

/// For lines that come in one stream: nothing that leaves, or asks for a search without end.
fn harmless(text: &str) -> bool {
    let sets_too_much = text.contains("set") && NOT_TO_SET.iter().any(|word| text.contains(word));
    !sets_too_much && !text.contains("quit")
}

/// Commands that set every numeric option to the ends of its range and every choice to each of its
/// words, with the words of a protocol.
fn extremes(set: &str) -> Vec<String> {
    let listed = std::process::Command::new(env!("CARGO_BIN_EXE_kitai"))
        .args(["options", "--json"])
        .output()
        .unwrap();
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).unwrap();
    let mut commands = Vec::new();
    for option in listed["options"].as_array().unwrap() {
        let name = option["name"].as_str().unwrap();
        let accepts = option["accepts"].as_str().unwrap();
        let mut values: Vec<&str> = match accepts.split_once("number from ") {
            Some((_, range)) => range.split(" to ").collect(),
            None => accepts.strip_prefix("one of ").map_or(vec![], |all| all.split(", ").collect()),
        };
        // Where the machine grants the largest size, using it would be no test.
        if ["hash", "memory"].contains(&name) && physical_memory() >> 10 >= LARGEST_SIZE {
            values.pop();
        }
        commands.extend(values.iter().map(|value| format!("{set} {name} {value}")));
    }
    assert!(commands.len() > 100, "{commands:?}");
    commands
}

/// Greatest value of the options that are sizes, MiB.
const LARGEST_SIZE: u64 = 65_536;

/// Memory of the machine, KiB; endless where it cannot be known.
fn physical_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    total.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(u64::MAX)
}

/// Bad lines with one line in eight that sets an option to an extreme.
fn extreme_lines(seeds: &[&str], set: &str, count: usize, seed: u64) -> Vec<Vec<u8>> {
    let extremes = extremes(set);
    let mut rng = seeded(seed);
    let mut lines = bad_lines(seeds, count, seed, |line| !line.contains("quit"));
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

fn bad_lines(
    seeds: &[&str],
    count: usize,
    seed: u64,
    wanted: impl Fn(&str) -> bool,
) -> Vec<Vec<u8>> {
    let mut rng = seeded(seed);
    let mut lines: Vec<Vec<u8>> = Vec::with_capacity(count);
    while lines.len() < count {
        let line = if lines.len() % 20_000 == 77 {
            vec![b'x'; 1 << 20]
        } else {
            bad_line(seeds, &mut rng)
        };
        if wanted(&decode(&line).to_ascii_lowercase()) || line.starts_with(b"set depth 3") {
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

/// Whether a line is a GTP command, known or not.
fn has_reply(line: &[u8]) -> bool {
    line.len() > LONGEST_LINE || grammar::parse(&decode(line)).is_some()
}

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

/// Sends a line and what ends every search.
fn send_with(client: &mut Client, line: &[u8], ending: &str) {
    client.send_bytes(&[line, b"\n", ending.as_bytes(), b"\n"].concat());
}

/// Sizes to begin with: a tree that grows until it is interrupted must not look like a leak.
const SMALL: [&str; 4] = ["--set", "hash=1", "--set", "memory=8"];

/// Sends the lines over GTP one by one, each with an interrupt: it gets its one reply, no search has
/// to be given up, and the memory after the first tenth is the memory at the end.
fn gtp_replies_to_each(lines: Vec<Vec<u8>>) {
    let mut client = Client::kitai(["gtp"].into_iter().chain(SMALL));
    let (count, mut settled) = (lines.len(), None);
    for (number, line) in lines.into_iter().enumerate() {
        send_with(&mut client, &line, "# interrupt");
        if has_reply(&line) {
            let what = || String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
            let first = client.line().expect("the engine is alive");
            assert!(first.starts_with(['=', '?']), "no reply to `{}`: `{first}`", what());
            assert!(!first.contains("given up"), "`{}`: {first}", what());
            while client.line().is_some_and(|line| !line.is_empty()) {}
        }
        if number == count / 10 {
            settled = memory(client.id());
        }
    }
    must_not_have_grown(settled, memory(client.id()));
    client.send("quit");
    assert_eq!(client.wait().code(), Some(0));
}

/// The same over NBoard, each line with a ping; at the end the engine still plays.
fn nboard_answers_each_ping(lines: Vec<Vec<u8>>) {
    let mut client = Client::kitai(["nboard"].into_iter().chain(SMALL));
    let (count, mut settled) = (lines.len(), None);
    for (number, line) in lines.into_iter().enumerate() {
        send_with(&mut client, &line, &format!("ping {number}"));
        let pong = format!("pong {number}");
        loop {
            let answer = client.line().expect("the engine is alive");
            if answer == pong {
                break;
            }
            assert!(!answer.contains("given up"), "{answer}");
        }
        if number == count / 10 {
            settled = memory(client.id());
        }
    }
    must_not_have_grown(settled, memory(client.id()));
    // Whatever the options are now, a search that is told to stop answers with a move.
    client.send("new\ngo\nstop");
    let answer = client.line_starting("=== ");
    assert!(["C4", "D3", "E6", "F5"].contains(&&answer[4..6]), "{answer}");
    client.close();
    assert_eq!(client.wait().code(), Some(0));
}

#[test]
fn a_hundred_thousand_bad_gtp_lines_get_one_reply_each() {
    let lines = bad_lines(GTP_SEEDS, LINES, 1, harmless);
    gtp_replies_once(lines, &["--set", "depth=1", "--set", "hash=1"]);
}

#[test]
fn a_hundred_thousand_bad_nboard_lines_leave_the_engine_alive() {
    let lines = bad_lines(NBOARD_SEEDS, LINES, 2, harmless);
    nboard_stays_alive(lines, &["--set", "depth=1", "--set", "hash=1"]);
}

#[test]
fn gtp_options_at_their_extremes_leave_the_engine_answering() {
    gtp_replies_to_each(extreme_lines(GTP_SEEDS, "kitai-set", EXTREME_LINES, 3));
}

#[test]
fn nboard_options_at_their_extremes_leave_the_engine_alive() {
    nboard_answers_each_ping(extreme_lines(NBOARD_SEEDS, "set option", EXTREME_LINES, 4));
}

#[test]
#[ignore = "long: a million lines, some minutes"]
fn a_million_gtp_lines_with_extreme_options_get_one_reply_each() {
    gtp_replies_to_each(extreme_lines(GTP_SEEDS, "kitai-set", MANY_LINES, 5));
}

#[test]
#[ignore = "long: a million lines, some minutes"]
fn a_million_nboard_lines_with_extreme_options_leave_the_engine_alive() {
    nboard_answers_each_ping(extreme_lines(NBOARD_SEEDS, "set option", MANY_LINES, 6));
}

/// What a method says it may use is what it uses: tables are resident at the first reply.
#[test]
#[cfg(target_os = "linux")]
fn no_method_takes_more_memory_than_its_options_grant() {
    /// KiB that come and go besides.
    const SLACK: u64 = 8 << 10;
    let used = |method: &str, mebibytes: u64| {
        let [method, hash, memory_size] = [
            format!("method={method}"),
            format!("hash={mebibytes}"),
            format!("memory={mebibytes}"),
        ];
        let mut client =
            Client::kitai(["gtp", "--set", &method, "--set", &hash, "--set", &memory_size]);
        client.gtp("name").unwrap();
        memory(client.id()).unwrap()
    };
    for method in kitai::search::methods() {
        let (little, much) = (used(method.name, 1), used(method.name, 128));
        assert!(much <= little + (128 << 10) + SLACK, "{}: {little} to {much} KiB", method.name);
    }
}
