//! A match that is killed again and again must end as one that was left alone.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use kitai::othello::Position;
use kitai::othello::random::{random_move, seeded};
use rand::Rng;
use serde_json::Value;

/// Kills in this test.
const KILLS: usize = 20;
/// Games of the match.
const GAMES: &str = "200";

fn start(folder: &Path, name: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_kitai"))
        .args(["--json", "match", "depth=3,hash=1,eval=mobility", "depth=2,hash=1,eval=mobility"])
        .args(["--games", GAMES, "--seed", "5", "--concurrency", "2", "--openings"])
        .arg(folder.join("openings.txt"))
        .arg("--out")
        .arg(folder.join(name))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// A hundred random transcripts of six plies, one per line.
fn openings() -> String {
    let mut rng = seeded(6);
    let mut text = String::new();
    for _ in 0..100 {
        let mut position = Position::START;
        for _ in 0..6 {
            let played = random_move(position, &mut rng).unwrap();
            position = position.after(played).unwrap();
            text.push_str(&played.to_string());
        }
        text.push('\n');
    }
    text
}

/// The games of a log by number, without the times.
fn games(log: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(log).unwrap();
    let mut games: Vec<Value> = text
        .lines()
        .skip(1)
        .map(|line| {
            let mut game: Value = serde_json::from_str(line).unwrap();
            let fields = game.as_object_mut().unwrap();
            fields.remove("times");
            // It covers the times and the order of the games.
            fields.remove("crc32");
            game
        })
        .collect();
    games.sort_by_key(|game| game["game"].as_u64());
    games
}

/// The result printed, without the times.
fn result(child: Child) -> Value {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let mut result: Value = serde_json::from_slice(&output.stdout).unwrap();
    for player in result["players"].as_array_mut().unwrap() {
        let player = player.as_object_mut().unwrap();
        player.remove("move_time");
        player.remove("longest_move");
    }
    result
}

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn twenty_kills_change_nothing_about_a_match() {
    let folder = Folder(std::env::temp_dir().join(format!("kitai-resume-{}", std::process::id())));
    let folder = &folder.0;
    std::fs::create_dir_all(folder).unwrap();

    std::fs::write(folder.join("openings.txt"), openings()).unwrap();

    let whole = result(start(folder, "whole"));

    let log = folder.join("killed.jsonl");
    let size = || std::fs::metadata(&log).map_or(0, |data| data.len());
    let full = std::fs::metadata(folder.join("whole.jsonl")).unwrap().len();
    let mut rng = seeded(20);
    let mut killed_midway = 0;
    for kill in 0..KILLS {
        let mut child = start(folder, "killed");
        // At a random place of what is left, spread so that all kills find something to kill.
        let left = full.saturating_sub(size()) / (KILLS - kill) as u64;
        let place = size() + rng.random_range(0..=left);
        while size() < place && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        killed_midway += usize::from(!child.wait().unwrap().success());
    }
    assert!(killed_midway >= KILLS - 2, "only {killed_midway} kills hit a running match");
    // What a kill in the middle of a write would leave.
    let torn = r#"{"game":3,"black":"dep"#;
    let mut bytes = std::fs::read(&log).unwrap();
    bytes.extend_from_slice(torn.as_bytes());
    std::fs::write(&log, bytes).unwrap();

    assert_eq!(result(start(folder, "killed")), whole);
    let (killed, whole) = (games(&log), games(&folder.join("whole.jsonl")));
    assert_eq!(killed.len().to_string(), GAMES);
    assert_eq!(killed, whole);
    let lines = |name: &str| {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(text.lines().all(|line| line.starts_with("1 (;") && line.ends_with(";)")));
        text.lines().count()
    };
    assert_eq!(lines("killed.ggf"), lines("whole.ggf"));
    assert!(std::fs::read_to_string(folder.join("killed.html")).unwrap().contains("</html>"));
}
