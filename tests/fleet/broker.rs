//! A real broker on loopback that can be ended and started again.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that is removed in the end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("kitai-fleet-{}-{number}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A running `nats-server -js`.
pub(crate) struct Broker {
    child: Child,
    folder: Folder,
    port: u16,
    arguments: Vec<String>,
}

impl Broker {
    pub(crate) fn start() -> Broker {
        Broker::start_with(&[])
    }

    /// With more arguments, such as a configuration.
    pub(crate) fn start_with(arguments: &[&str]) -> Broker {
        let folder = Folder::new("broker");
        let arguments: Vec<String> = arguments.iter().map(|&text| text.to_owned()).collect();
        let (child, port) = run(&folder.0, None, &arguments);
        Broker { child, folder, port, arguments }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Ends it with this signal and starts it again on the same port and files.
    pub(crate) fn restart(&mut self, signal: &str) {
        let ended = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(ended.unwrap().success());
        self.child.wait().unwrap();
        (self.child, _) = run(&self.folder.0, Some(self.port), &self.arguments);
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a server and waits until it says that it is ready; gives its port.
fn run(folder: &Path, port: Option<u16>, arguments: &[String]) -> (Child, u16) {
    let port = port.map_or("-1".to_owned(), |port| port.to_string());
    let mut child = Command::new(server())
        .args(["-js", "-a", "127.0.0.1", "-p", &port, "-sd"])
        .arg(folder)
        .args(arguments)
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("nats-server is installed");
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut bound = None;
    loop {
        let line = lines.next().expect("the server says that it is ready").unwrap();
        if let Some((_, port)) = line.split_once("Listening for client connections on 127.0.0.1:") {
            bound = port.trim().parse().ok();
        }
        if line.contains("Server is ready") {
            break;
        }
    }
    // It must not wait for someone to read what else it says.
    std::thread::spawn(move || lines.for_each(drop));
    (child, bound.unwrap())
}

/// Debian keeps the server out of users' PATH.
fn server() -> PathBuf {
    let debian = Path::new("/usr/sbin/nats-server");
    if debian.exists() { debian.to_owned() } else { "nats-server".into() }
}
