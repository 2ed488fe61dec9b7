//! Kitai behind its own protocols, and a foreign engine, as players of a match.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Where Debian puts the foreign engine.
const RHINO: &str = "/usr/games/gtp-rhino";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("kitai-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Plays a match and gives its games in order.
fn play(folder: &Path, name: &str, players: [&str; 2], games: &str) -> Vec<Value> {
    let out = folder.join(name);
    let done = Command::new(env!("CARGO_BIN_EXE_kitai"))
        .args(["match", players[0], players[1], "--games", games, "--seed", "3"])
        .args(["--openings", "random:6", "--out"])
        .arg(&out)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let log = std::fs::read_to_string(out.with_extension("jsonl")).unwrap();
    let mut games: Vec<Value> =
        log.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    games.sort_by_key(|game| game["game"].as_u64());
    games
}

#[test]
fn an_engine_plays_the_same_games_built_in_and_behind_each_protocol() {
    let folder = Folder::new("protocols");
    let kitai = env!("CARGO_BIN_EXE_kitai");
    let rest = "hash=1,eval=mobility,name=B";
    let opponent = "depth=1,hash=1,eval=mobility,name=A";
    let built_in = play(&folder.0, "built-in", [opponent, &format!("depth=2,{rest}")], "8");
    let set = "--set hash=1 --set eval=mobility";
    let gtp = format!("name=B,gtp:{kitai} gtp {set} --set depth=2");
    let nboard = format!("name=B,depth=2,nboard:{kitai} nboard {set}");
    for (name, engine) in [("gtp", gtp), ("nboard", nboard)] {
        let games = play(&folder.0, name, [opponent, &engine], "8");
        for (ours, theirs) in built_in.iter().zip(&games) {
            assert_eq!(theirs["ending"], "finished", "{name}");
            assert_eq!(ours["moves"], theirs["moves"], "{name}, game {}", ours["game"]);
            assert_eq!(ours["discs"], theirs["discs"]);
        }
        assert_eq!(games.len(), built_in.len());
    }
}

#[test]
#[ignore = "needs gtp-rhino (Debian package grhino)"]
fn an_engine_that_never_hears_of_passes_finishes_its_games_with_gtp_rhino() {
    let folder = Folder::new("rhino");
    let engine = format!("gtp:{RHINO} -l 1 -b 0 -r 0");
    let games = play(&folder.0, "rhino", ["depth=1,hash=1,eval=mobility", &engine], "20");
    assert_eq!(games.len(), 20);
    assert!(games.iter().all(|game| game["ending"] == "finished"));
    let passes = games.iter().filter(|game| game["moves"].as_str().unwrap().contains("pa"));
    assert!(passes.count() > 0, "no game had a pass");
}
