//! Bots as processes of their own, each with a folder for its records.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use kitai::record::{Format, GameRecord};
use kitai::server::ggs::Found;

use super::server::Server;

/// The password of every bot in the tests.
const PASSWORD: &str = "very-secret";

/// A bot and its folder.
pub(crate) struct Bot {
    pub login: &'static str,
    pub folder: PathBuf,
    child: Option<Child>,
}

impl Bot {
    /// Writes the settings of a bot; `more` follows the lines every test needs.
    pub(crate) fn new(test: &str, server: &Server, login: &'static str, more: &str) -> Bot {
        let folder =
            std::env::temp_dir().join(format!("kitai-ggs-{}-{test}-{login}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        let settings = format!(
            "host = \"127.0.0.1\"\nport = {}\nlogin = \"{login}\"\nrecords = \"{}\"\n\
             operators = [\"boss\"]\n{more}",
            server.address.port(),
            folder.join("records").display()
        );
        std::fs::write(folder.join("ggs.toml"), settings).unwrap();
        Bot { login, folder, child: None }
    }

    pub(crate) fn start(&mut self) {
        let log = |name: &str| {
            let path = self.folder.join(name);
            std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap()
        };
        let child = Command::new(env!("CARGO_BIN_EXE_kitai"))
            .args(["ggs", "--config"])
            .arg(self.folder.join("ggs.toml"))
            .arg("--log")
            .arg(self.folder.join("wire.log"))
            .args(["--log-level", "kitai::wire=trace"])
            .env("KITAI_GGS_PASSWORD", PASSWORD)
            .stdin(Stdio::null())
            .stdout(log("out.log"))
            .stderr(log("err.log"))
            .spawn()
            .unwrap();
        self.child = Some(child);
    }

    /// `kill -9`.
    pub(crate) fn kill(&mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Waits for the bot to end by itself; whether it did so well.
    pub(crate) fn finish(&mut self) -> bool {
        self.child.take().unwrap().wait().unwrap().success()
    }

    /// Whether the process has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.as_mut().is_none_or(|child| child.try_wait().unwrap().is_some())
    }

    /// Memory in use, kB.
    pub(crate) fn memory(&self) -> u64 {
        let id = self.child.as_ref().unwrap().id();
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or("");
        line.split_whitespace().nth(1).and_then(|word| word.parse().ok()).unwrap_or(0)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.join(name)).unwrap_or_default()
    }

    pub(crate) fn records(&self) -> PathBuf {
        self.folder.join("records")
    }

    pub(crate) fn found(&self) -> Found {
        Found::read(&self.records()).unwrap()
    }

    /// The finished games.
    pub(crate) fn games(&self) -> Vec<GameRecord> {
        games(&self.records().join("games.ggf"))
    }

    /// Nothing that was logged shows the password.
    pub(crate) fn check_secrecy(&self) {
        for name in ["wire.log", "out.log", "err.log"] {
            assert!(!self.text(name).contains(PASSWORD), "{name} shows the password");
        }
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}

/// Every game of a file; a bad one fails the test.
pub(crate) fn games(path: &Path) -> Vec<GameRecord> {
    let file = std::fs::File::open(path).unwrap();
    let file = std::io::BufReader::new(file);
    Format::Ggf.read(file, Default::default()).map(Result::unwrap).collect()
}

/// Asks the other bot for all kinds of games, again and again.
pub(crate) fn asking(
    opponent: &str,
    clock: &str,
    matches: u32,
    types: &str,
    engine: &str,
) -> String {
    format!(
        "[engine]\nset = {{ {engine} }}\n[idle]\nask = \"opponents\"\nopponents = [\"{opponent}\"]\n\
         after = 0.2\npatience = 3\nclock = \"{clock}\"\ntypes = [{types}]\n{}",
        common(matches)
    )
}

/// Waits to be asked.
pub(crate) fn waiting(matches: u32, engine: &str) -> String {
    format!(
        "[engine]\nset = {{ {engine} }}\n[idle]\nafter = 0.2\npatience = 3\n{}",
        common(matches)
    )
}

fn common(matches: u32) -> String {
    format!(
        "[accept]\nmatches = {matches}\nleast-time = \"0:01\"\nstored = \"resume\"\n\
         [answers]\nundo = \"never\"\n\
         [connection]\nreconnect-first = 0.1\nreconnect-most = 0.5\n"
    )
}
