//! An engine as a child process: lines out, lines in, nothing trusted.
//!
//! A thread reads the engine's output, stamps each line with its time of arrival and puts it into
//! a bounded queue; so a flood blocks the engine, not the referee, and a late wake-up of the
//! referee is not charged to the engine. The engine runs in a process group of its own, which is
//! ended and waited for as a whole: a wrapper script leaves no orphans and nothing a zombie.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use super::player::{Fault, FaultKind};
use crate::search::StopFlag;

/// Longest line kept, bytes; the rest of a longer one is dropped.
const LONGEST_LINE: usize = 1 << 16;
/// Lines that may wait unread before the engine's writing blocks.
const QUEUE: usize = 1024;
/// Output without an answer, bytes, that counts as a flood: thinking output of a long search is
/// well below.
const FLOOD: u64 = 16 << 20;
/// How often a waiting referee looks whether the match was stopped.
const LOOK: Duration = Duration::from_millis(20);
/// How long an engine may take to end by itself when it is told to.
const FAREWELL: Duration = Duration::from_millis(300);

/// A line of output and when it came.
#[derive(Debug)]
pub struct Line {
    /// Without the line break.
    pub text: String,
    /// When it was read.
    pub at: Instant,
}

/// A running engine.
pub struct EngineProcess {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<Line>,
    unanswered: Arc<AtomicU64>,
    ended: bool,
}

impl EngineProcess {
    /// Starts a program; the first word is the program, found by `PATH` if it has no slash.
    ///
    /// # Errors
    /// [`FaultKind::Crash`] if it cannot be started.
    pub fn spawn(words: &[String]) -> Result<EngineProcess, Fault> {
        let crash = |why: &str| Fault::new(FaultKind::Crash, format!("cannot start: {why}"));
        let (program, arguments) = words.split_first().ok_or_else(|| crash("no command"))?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(|error| crash(&format!("{program}: {error}")))?;
        let input = child.stdin.take();
        let output = child.stdout.take();
        let (sender, lines) = mpsc::sync_channel(QUEUE);
        let unanswered = Arc::new(AtomicU64::new(0));
        let process =
            EngineProcess { child, input, lines, unanswered: unanswered.clone(), ended: false };
        let output = output.ok_or_else(|| crash("no output pipe"))?;
        std::thread::Builder::new()
            .name("engine output".to_owned())
            .spawn(move || read_lines(BufReader::new(output), &sender, &unanswered))
            .map_err(|error| crash(&error.to_string()))?;
        Ok(process)
    }

    /// Sends one line.
    ///
    /// # Errors
    /// [`FaultKind::Crash`] if the engine has closed its input.
    pub fn send(&mut self, line: &str) -> Result<(), Fault> {
        self.unanswered.store(0, Ordering::Relaxed);
        let written = match &mut self.input {
            Some(input) => writeln!(input, "{line}").and_then(|()| input.flush()),
            None => Err(std::io::ErrorKind::BrokenPipe.into()),
        };
        written.map_err(|_| self.crash(&format!("closed its input before `{}`", head(line))))
    }

    /// The next line of output.
    ///
    /// # Errors
    /// [`FaultKind::Hang`] if none came in time or the match was stopped, [`FaultKind::Crash`] at
    /// the end of output, [`FaultKind::Garbage`] if the engine floods.
    pub fn receive(&mut self, until: Instant, stop: &StopFlag) -> Result<Line, Fault> {
        loop {
            if self.unanswered.load(Ordering::Relaxed) > FLOOD {
                let detail = format!("more than {} MiB of output without an answer", FLOOD >> 20);
                return Err(Fault::new(FaultKind::Garbage, detail));
            }
            let now = Instant::now();
            let wait = until.saturating_duration_since(now).min(LOOK);
            match self.lines.recv_timeout(wait) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(self.crash("ended its output")),
                Err(RecvTimeoutError::Timeout) if stop.is_stopped() => {
                    return Err(Fault::new(FaultKind::Hang, "the match was stopped"));
                }
                Err(RecvTimeoutError::Timeout) if now >= until => {
                    return Err(Fault::new(FaultKind::Hang, "no answer"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// A crash with what is known about it.
    fn crash(&mut self, what: &str) -> Fault {
        // The output ends a moment before the process does.
        let deadline = Instant::now() + FAREWELL;
        let mut status = None;
        while status.is_none() && !self.ended && Instant::now() < deadline {
            match self.child.try_wait() {
                Ok(None) => std::thread::sleep(Duration::from_millis(1)),
                Ok(Some(exit)) => {
                    status = Some(exit);
                    // Reaped: its number may be given to someone else from now on.
                    self.ended = true;
                }
                Err(_) => break,
            }
        }
        let detail = status.map_or(what.to_owned(), |status| format!("{what} ({status})"));
        Fault::new(FaultKind::Crash, detail)
    }

    /// Ends the engine politely: the word, the end of its input, a moment to go, then force.
    pub fn farewell(mut self, word: &str) {
        if self.send(word).is_ok() {
            self.input = None;
            let deadline = Instant::now() + FAREWELL;
            loop {
                let wait = deadline.saturating_duration_since(Instant::now());
                if wait.is_zero() || self.lines.recv_timeout(wait).is_err() {
                    break;
                }
            }
        }
    }

    fn end_by_force(&mut self) {
        self.input = None;
        if self.ended {
            return;
        }
        self.ended = true;
        // The child is not reaped yet, so its group's number is still its own.
        #[cfg(unix)]
        if let Ok(group) = i32::try_from(self.child.id()) {
            use nix::sys::signal::{Signal, killpg};
            let _ = killpg(nix::unistd::Pid::from_raw(group), Signal::SIGKILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        self.end_by_force();
    }
}

/// The first part of a line, for messages.
pub fn head(line: &str) -> String {
    const SHOWN: usize = 60;
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// Reads until the end of output or until nobody listens any more.
fn read_lines(mut output: impl BufRead, lines: &SyncSender<Line>, unanswered: &AtomicU64) {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        // A line longer than the limit comes in pieces; only the first is passed on.
        let mut first_piece = true;
        loop {
            let mut piece = Vec::new();
            let limit = LONGEST_LINE as u64;
            let Ok(count) = output.by_ref().take(limit).read_until(b'\n', &mut piece) else {
                return;
            };
            if count == 0 && first_piece {
                return;
            }
            unanswered.fetch_add(count as u64, Ordering::Relaxed);
            if std::mem::take(&mut first_piece) {
                bytes.append(&mut piece);
                if bytes.ends_with(b"\n") || count == 0 {
                    break;
                }
            } else if piece.ends_with(b"\n") || count == 0 {
                break;
            }
        }
        let text = String::from_utf8_lossy(&bytes).trim_end_matches(['\r', '\n']).to_owned();
        if lines.send(Line { text, at: Instant::now() }).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_the_limit_and_the_next_one_is_whole() {
        let long = "x".repeat(3 * LONGEST_LINE + 7);
        let text = format!("one\r\n{long}\ntwo\nlast");
        let (sender, lines) = mpsc::sync_channel(10);
        let counter = AtomicU64::new(0);
        read_lines(text.as_bytes(), &sender, &counter);
        drop(sender);
        let got: Vec<String> = lines.into_iter().map(|line| line.text).collect();
        assert_eq!(got.len(), 4);
        assert_eq!((got[0].as_str(), got[2].as_str(), got[3].as_str()), ("one", "two", "last"));
        assert_eq!(got[1].len(), LONGEST_LINE);
        assert_eq!(counter.load(Ordering::Relaxed), text.len() as u64);
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let fault = EngineProcess::spawn(&["/no/such/engine".to_owned()]).err().unwrap();
        assert_eq!(fault.kind, FaultKind::Crash);
        assert!(fault.detail.contains("/no/such/engine"), "{}", fault.detail);
    }
}
