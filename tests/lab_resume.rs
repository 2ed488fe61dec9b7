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

fn results(out: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<(String, Vec<u8>)> = std::fs::read_dir(out)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .filter(|path| !path.to_string_lossy().contains(".live."))
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read(&path).unwrap())
        })
        .collect();
    found.sort();
    found
}

#[test]
#[ignore = "needs shared data (KITAI_DATA)"]
fn ten_kills_change_nothing_with_shared_data() {
    let experiments = "kobayashi-values,tebika-om,kitamura-alpha-beta";
    let (whole, killed) = (folder("lab-whole"), folder("lab-killed"));
    assert!(start(experiments, &whole).wait().unwrap().success());
    let mut kills = 0;
    let reached = |name: &str| killed.join(name).exists();
    kills += usize::from(run_and_kill(experiments, &killed, || killed.exists()));
    kills +=
        usize::from(run_and_kill(experiments, &killed, || reached("kobayashi-values.quick.json")));
    kills += usize::from(run_and_kill(experiments, &killed, || reached("tebika-om.quick.json")));
    for (log, at) in [("r", 3), ("r", 40), ("r", 90), ("r", 160), ("f", 2), ("f", 60), ("f", 180)] {
        let log = format!("kitamura-alpha-beta-{log}.quick.jsonl");
        kills += usize::from(run_and_kill(experiments, &killed, || games(&killed, &log) > at));
    }
    assert_eq!(kills, 10, "some of the kills came too late");
    assert!(start(experiments, &killed).wait().unwrap().success());
    assert_eq!(results(&whole).len(), 3);
    assert_eq!(results(&whole), results(&killed));
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
