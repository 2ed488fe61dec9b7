//! Kitai as workers and coordinators, and what they leave behind.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// A process that is killed when the test ends.
pub(crate) struct Process(pub(crate) Child);

impl Process {
    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.0.id().to_string()]).status();
        assert!(sent.unwrap().success(), "{signal}");
    }

    pub(crate) fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

pub(crate) fn kitai() -> Command {
    Command::new(env!("CARGO_BIN_EXE_kitai"))
}

/// Starts a worker with one slot and its cache in this folder.
pub(crate) fn worker(url: &str, name: &str, folder: &Path, more: &[&str]) -> Process {
    let mut command = kitai();
    command
        .args(["worker", "--nats", url, "--name", name, "--no-bench", "--jobs", "1", "--cache"])
        .arg(folder.join(format!("cache-{name}")))
        .args(more)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Process(command.spawn().unwrap())
}

/// Three workers.
pub(crate) fn workers(url: &str, folder: &Path) -> Vec<Process> {
    ["one", "two", "three"].iter().map(|name| worker(url, name, folder, &[])).collect()
}

/// Runs Kitai with these arguments and wants it to succeed.
pub(crate) fn run<S: AsRef<OsStr>>(arguments: &[S]) -> Output {
    let output = kitai().args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

/// The games of a log by number, without what depends on the machine that played them.
pub(crate) fn games(log: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(log).unwrap();
    let mut games: Vec<Value> = text
        .lines()
        .skip(1)
        .map(|line| {
            let mut game: Value = serde_json::from_str(line).unwrap();
            let fields = game.as_object_mut().unwrap();
            // The checksum covers the times and the order of the games.
            for field in ["times", "crc32", "worker"] {
                fields.remove(field);
            }
            game
        })
        .collect();
    games.sort_by_key(|game| game["game"].as_u64());
    games
}

/// Who played the games of a log, by number.
pub(crate) fn players_of(log: &Path) -> Vec<(u64, String)> {
    let text = std::fs::read_to_string(log).unwrap();
    let games = text.lines().skip(1).filter_map(|line| {
        // The last line may be in the middle of being written.
        let game: Value = serde_json::from_str(line).ok()?;
        let worker = game["worker"].as_str().unwrap_or("-").to_owned();
        Some((game["game"].as_u64()?, worker))
    });
    games.collect()
}

/// Waits until something is so, looking a hundred times a second.
pub(crate) fn wait_until(mut is_so: impl FnMut() -> bool) {
    while !is_so() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// What `kitai fleet` says.
pub(crate) fn fleet(url: &str) -> Value {
    let output = run(&["--json", "fleet", "--nats", url, "--once"]);
    serde_json::from_slice(&output.stdout).unwrap()
}
