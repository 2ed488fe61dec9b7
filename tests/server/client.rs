//! A client of the real binary: sends lines, waits for lines.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How long a reply may take before a test counts as hung: a safety net, not a measurement.
const HUNG: Duration = Duration::from_secs(120);

/// A running `kitai` or other engine.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Vec<u8>>,
    name: String,
}

impl Client {
    /// Starts `kitai` with these arguments.
    pub(crate) fn kitai<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Client {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kitai"));
        command.args(arguments).env_remove("KITAI_LOG");
        Client::start(command)
    }

    /// Starts any program.
    pub(crate) fn start(mut command: Command) -> Client {
        let name = format!("{command:?}");
        // Standard error goes the same way: whatever comes there must be visible in a failure.
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let input = child.stdin.take();
        let mut reader = BufReader::new(child.stdout.take().unwrap());
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                if line.last() == Some(&b'\n') {
                    line.pop();
                }
                if sender.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        Client { child, input, output, name }
    }

    /// The process number.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends bytes as they are. A process that has left is noticed at the next [`Client::line`].
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("input is still open");
        let _ = input.write_all(bytes).and_then(|()| input.flush());
    }

    /// Sends a line.
    pub(crate) fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Gives the input away, for a thread that writes while this one reads.
    pub(crate) fn take_input(&mut self) -> ChildStdin {
        self.input.take().expect("input is still open")
    }

    /// Closes the input.
    pub(crate) fn close(&mut self) {
        self.input = None;
    }

    /// The next line, or `None` at the end of output.
    pub(crate) fn line(&mut self) -> Option<String> {
        match self.output.recv_timeout(HUNG) {
            Ok(line) => Some(String::from_utf8_lossy(&line).into_owned()),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("{} hung", self.name),
        }
    }

    /// The next line that begins so; those before it are dropped.
    pub(crate) fn line_starting(&mut self, start: &str) -> String {
        loop {
            match self.line() {
                Some(line) if line.starts_with(start) => return line,
                Some(_) => {}
                None => panic!("{} ended without a line `{start}…`", self.name),
            }
        }
    }

    /// Sends a GTP command and returns the text of its reply.
    pub(crate) fn gtp(&mut self, command: &str) -> Result<String, String> {
        self.send(command);
        let mut lines = Vec::new();
        loop {
            match self.line() {
                Some(line) if line.is_empty() && !lines.is_empty() => break,
                Some(line) if line.is_empty() => {}
                Some(line) => lines.push(line),
                None => panic!("{} ended at `{command}`", self.name),
            }
        }
        let text = lines.join("\n");
        match text.strip_prefix('=') {
            Some(text) => Ok(text.trim().to_owned()),
            None => Err(text),
        }
    }

    /// Waits for the end of the process.
    pub(crate) fn wait(mut self) -> ExitStatus {
        while self.line().is_some() {}
        self.child.wait().unwrap()
    }
}

/// Ends what the test leaves behind.
impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
