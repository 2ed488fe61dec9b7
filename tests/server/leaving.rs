//! Ways to leave in the middle of a search: each ends the process with exit code 0.

use std::io::Write;
use std::process::{Command, Stdio};

use super::client::Client;

/// A search without end that has begun.
fn searching() -> Client {
    let mut client =
        Client::kitai(["nboard", "--set", "book=none", "--set", "threads=2", "--set", "hash=4"]);
    client.send("set depth 60");
    client.send("go");
    client.line_starting("search ");
    client
}

fn signal(client: &Client, name: &str) {
    let sent = Command::new("kill").args([name, &client.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn quit_ends_a_search_and_the_process() {
    let mut client = searching();
    client.send("quit");
    client.line_starting("=== ");
    assert_eq!(client.wait().code(), Some(0));
}

#[test]
fn the_end_of_input_ends_a_search_and_the_process() {
    let mut client = searching();
    client.close();
    assert_eq!(client.wait().code(), Some(0));
}

#[test]
fn a_piped_script_is_answered_completely() {
    let mut client = Client::kitai(["gtp", "--set", "move-time=300", "--set", "hash=4"]);
    client.send("genmove b\ngenmove w\ngenmove b\nreg_genmove w\nname");
    client.close();
    let moves: Vec<String> = (0..4).map(|_| client.line_starting("= ")).collect();
    assert!(moves.iter().all(|line| line.len() == 4), "{moves:?}");
    assert_eq!(client.line_starting("= "), "= Kitai");
    assert_eq!(client.wait().code(), Some(0));
}

#[test]
fn an_analysis_ends_with_the_input() {
    let mut client = Client::kitai(["gtp", "--set", "hash=4"]);
    client.send("kitai-analyze");
    client.line_starting("info ");
    client.close();
    assert_eq!(client.wait().code(), Some(0));
}

#[test]
fn a_search_nobody_will_read_the_answer_of_ends() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kitai"))
        .args(["gtp", "--set", "move-time=86400000", "--set", "hash=4"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let (mut input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    input.write_all(b"genmove b\n").unwrap();
    // Both ends at once, as when a GUI dies.
    drop((input, output));
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn signals_end_a_search_and_the_process_with_code_0() {
    for name in ["-INT", "-TERM"] {
        let client = searching();
        signal(&client, name);
        assert_eq!(client.wait().code(), Some(0), "{name}");
    }
}

#[test]
fn a_reader_that_goes_away_ends_the_process() {
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!("yes ping 1 | {} nboard | head -n 3; echo done", env!("CARGO_BIN_EXE_kitai")));
    let mut client = Client::start(shell);
    let lines: Vec<String> = std::iter::from_fn(|| client.line()).collect();
    assert_eq!(lines, ["pong 1", "pong 1", "pong 1", "done"]);
}
