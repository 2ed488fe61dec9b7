//! `kitai lab all`, killed at any moment, comes to the result of an uninterrupted run.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The folder with games and coefficients.
fn data() -> PathBuf {
    std::env::var_os("KITAI_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from)
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("kitai-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn start(experiments: &str, out: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_kitai"))
        .args(["lab", "all", "--quick", "--only", experiments, "--concurrency", "2", "--out"])
        .arg(out)
        .arg("--data")
        .arg(data())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Games in a match log so far.
fn games(out: &Path, log: &str) -> usize {
    std::fs::read(out.join(log)).map_or(0, |text| text.iter().filter(|&&b| b == b'\n').count())
}

/// Runs until `reached` and kills; `false` if the run ended before that.
fn run_and_kill(experiments: &str, out: &Path, reached: impl Fn() -> bool) -> bool {
    let mut child = start(experiments, out);
    loop {
        if reached() {
            // SIGKILL: nothing is tidied up.
            child.kill().unwrap();
            child.wait().unwrap();
            return true;
        }
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::yield_now();
    }
}

/// Names of the files with this ending.
fn files(out: &Path, ending: &str) -> Vec<String> {
    let mut found: Vec<String> = std::fs::read_dir(out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(&format!(".{ending}")) && !name.contains(".live."))
        .collect();
    found.sort();
    found
}

fn results(out: &Path) -> Vec<(String, Vec<u8>)> {
    let names = files(out, "json").into_iter();
    names.map(|name| (name.clone(), std::fs::read(out.join(name)).unwrap())).collect()
}

/// Experiments whose figures are the same in every run, which those by the clock are not.
fn repeatable() -> String {
    let listed =
        Command::new(env!("CARGO_BIN_EXE_kitai")).args(["lab", "--json"]).output().unwrap();
    let names: Vec<String> = String::from_utf8(listed.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap())
        .filter(|entry| entry["by_clock"] == false)
        .map(|entry| entry["name"].as_str().unwrap().to_owned())
        .collect();
    names.join(",")
}

/// Moments of a run: results that are there, and games in the log of the match that is played.
const MOMENTS: [(usize, usize); 10] =
    [(0, 0), (2, 0), (4, 0), (9, 0), (11, 3), (11, 60), (11, 200), (13, 0), (16, 5), (17, 0)];

#[test]
#[ignore = "needs shared data (KITAI_DATA)"]
fn ten_kills_change_nothing_with_shared_data() {
    let experiments = repeatable();
    let (whole, killed) = (folder("lab-whole"), folder("lab-killed"));
    assert!(start(&experiments, &whole).wait().unwrap().success());
    // Games of matches whose experiment has no result yet; some have two logs with a letter each.
    let logged = |done: &[String]| {
        let is_open = |log: &&String| {
            let stem = log.trim_end_matches(".quick.jsonl");
            let owner = stem.rsplit_once('-').map_or(stem, |(owner, _)| owner);
            !done.iter().any(|name| {
                let name = name.trim_end_matches(".quick.json");
                name == stem || name == owner
            })
        };
        let logs = files(&killed, "jsonl");
        logs.iter().filter(is_open).map(|log| games(&killed, log)).sum::<usize>()
    };
    for (finished, played) in MOMENTS {
        let reached = || {
            killed.exists() && {
                let done = files(&killed, "json");
                (done.len(), logged(&done)) >= (finished, played)
            }
        };
        let was_killed = run_and_kill(&experiments, &killed, reached);
        assert!(was_killed, "the run ended before {finished} results and {played} games");
    }
    assert!(start(&experiments, &killed).wait().unwrap().success());
    let (whole_results, killed_results) = (results(&whole), results(&killed));
    assert_eq!(whole_results.len(), experiments.split(',').count());
    for (ours, theirs) in whole_results.iter().zip(&killed_results) {
        assert_eq!(ours.0, theirs.0);
        assert!(ours.1 == theirs.1, "{} differs after the kills", ours.0);
    }
    for folder in [whole, killed] {
        std::fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn a_run_that_is_killed_leaves_whole_results_or_none() {
    let (whole, killed) = (folder("lab-whole-values"), folder("lab-killed-values"));
    let experiments = "kobayashi-values";
    assert!(start(experiments, &whole).wait().unwrap().success());
    run_and_kill(experiments, &killed, || killed.exists());
    assert!(start(experiments, &killed).wait().unwrap().success());
    assert_eq!(results(&whole), results(&killed));
    for folder in [whole, killed] {
        std::fs::remove_dir_all(folder).unwrap();
    }
}
