//! An engine as a child process: lines out, lines in, nothing trusted.
//!
//! A thread reads the engine's output, stamps each line with its time of arrival and puts it into
//! a bounded queue; so a flood blocks the engine, not the referee, and a late wake-up of the
//! referee is not charged to the engine. The process is watched as well as its output, which a
//! child may keep open. When the engine is ended, so is everything it started
//! ([`super::descendants`]); the reading thread and its pipe go with it, whoever still holds the
//! other end.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::descendants::{self, Mark};
use super::engine_log::{Conversation, EngineLog};
use super::player::{Fault, FaultKind};
use crate::engine::time::TimeSource;
use crate::record::lines::{LONGEST_LINE, next_line};
use crate::search::StopFlag;

/// Lines that may wait unread before the engine's writing blocks.
const QUEUE: usize = 1024;
/// Output without an answer, bytes, that counts as a flood: thinking output of a long search is
/// well below.
const FLOOD: u64 = 16 << 20;
/// How often a waiting referee looks whether the match was stopped.
const LOOK: Duration = Duration::from_millis(20);
/// How long an engine may take to end by itself when it is told to.
const FAREWELL: Duration = Duration::from_millis(300);

/// How long after its output the process itself may take to end, so that its status can be told.
const LAST_BREATH: Duration = Duration::from_secs(2);

/// A line of output and when it came.
#[derive(Debug)]
pub struct TimedLine {
    /// Without the line break.
    pub text: String,
    /// When it was read.
    pub at: Instant,
}

/// The engines of this process that are not reaped yet.
static LEADERS: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Whether this is the process of an engine that somebody still waits for.
#[cfg(target_os = "linux")]
pub(super) fn is_leader(pid: u32) -> bool {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner).contains(&pid)
}

/// A running engine.
pub struct EngineProcess {
    child: Child,
    mark: Mark,
    input: Option<ChildStdin>,
    output: Option<Output>,
    unanswered: Arc<AtomicU64>,
    time: Arc<dyn TimeSource>,
    log: Option<Conversation>,
}

/// The engine's lines and the thread that reads them.
struct Output {
    lines: Receiver<TimedLine>,
    /// Closed to call the thread off.
    wake: PipeWriter,
    thread: JoinHandle<()>,
}

impl Output {
    fn end(self) {
        drop(self.wake);
        drop(self.lines);
        // It has nothing to say; that it ended is enough.
        let _ = self.thread.join();
    }
}

impl EngineProcess {
    /// Starts a program; the first word is the program, found by `PATH` if it has no slash. What is
    /// said is kept in `log`, if there is one; answers are timed by `time`.
    ///
    /// # Errors
    /// [`FaultKind::Crash`] if it cannot be started.
    pub fn spawn(
        words: &[String],
        log: Option<&EngineLog>,
        time: &Arc<dyn TimeSource>,
    ) -> Result<EngineProcess, Fault> {
        let crash = |why: &str| Fault::new(FaultKind::Crash, format!("cannot start: {why}"));
        let (program, arguments) = words.split_first().ok_or_else(|| crash("no command"))?;
        let mut command = Command::new(program);
        let (log, errors) = match log.map(EngineLog::open).transpose() {
            Ok(Some((log, errors))) => (Some(log), Stdio::from(errors)),
            Ok(None) => (None, Stdio::null()),
            Err(error) => return Err(crash(&error.to_string())),
        };
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(errors);
        let mark = Mark::put(&mut command);
        let child = {
            // Held over the start, so that nobody takes a newcomer for an orphan.
            let mut leaders = LEADERS.lock().unwrap_or_else(PoisonError::into_inner);
            let child = command.spawn().map_err(|error| crash(&format!("{program}: {error}")))?;
            leaders.insert(child.id());
            child
        };
        let mut process = EngineProcess {
            child,
            mark,
            input: None,
            output: None,
            unanswered: Arc::new(AtomicU64::new(0)),
            time: time.clone(),
            log,
        };
        process.input = process.child.stdin.take();
        process.output = Some(process.read_output().map_err(|error| crash(&error.to_string()))?);
        Ok(process)
    }

    fn read_output(&mut self) -> std::io::Result<Output> {
        let pipe = self.child.stdout.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
        let (called_off, wake) = std::io::pipe()?;
        let (sender, lines) = mpsc::sync_channel(QUEUE);
        let (unanswered, time) = (self.unanswered.clone(), self.time.clone());
        let input = BufReader::new(UntilCalledOff { pipe, called_off, unanswered });
        let thread = std::thread::Builder::new()
            .name("engine output".to_owned())
            .spawn(move || read_lines(input, &sender, &*time))?;
        Ok(Output { lines, wake, thread })
    }

    /// Sends one line.
    ///
    /// # Errors
    /// [`FaultKind::Crash`] if the engine has closed its input.
    pub fn send(&mut self, line: &str) -> Result<(), Fault> {
        self.unanswered.store(0, Ordering::Relaxed);
        if let Some(log) = &mut self.log {
            log.sent(line);
        }
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
    pub fn receive(&mut self, until: Instant, stop: &StopFlag) -> Result<TimedLine, Fault> {
        loop {
            if self.unanswered.load(Ordering::Relaxed) > FLOOD {
                let detail = format!("more than {} MiB of output without an answer", FLOOD >> 20);
                return Err(Fault::new(FaultKind::Garbage, detail));
            }
            let is_late = self.time.has_passed(until);
            let wait = until.saturating_duration_since(self.time.now()).min(LOOK);
            // Asked before waiting: what a process that has ended wrote is in the pipe by then.
            let exit = descendants::exit_status(&self.child);
            match self.next_line(wait) {
                Ok(line) => {
                    if let Some(log) = &mut self.log {
                        log.received(&line.text);
                    }
                    return Ok(line);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.crash("ended its output")),
                Err(RecvTimeoutError::Timeout) if exit.is_some() => {
                    return Err(self.crash("ended and left its output to another process"));
                }
                Err(RecvTimeoutError::Timeout) if stop.is_stopped() => {
                    return Err(Fault::new(FaultKind::Hang, "the match was stopped"));
                }
                Err(RecvTimeoutError::Timeout) if is_late => {
                    return Err(Fault::new(FaultKind::Hang, "no answer"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn next_line(&self, wait: Duration) -> Result<TimedLine, RecvTimeoutError> {
        match &self.output {
            Some(output) => output.lines.recv_timeout(wait),
            None => Err(RecvTimeoutError::Disconnected),
        }
    }

    /// A crash with what is known about it.
    fn crash(&mut self, what: &str) -> Fault {
        // The output ends a moment before the process does.
        let deadline = Instant::now() + LAST_BREATH;
        let mut status = descendants::exit_status(&self.child);
        while status.is_none() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
            status = descendants::exit_status(&self.child);
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
                let gone = descendants::exit_status(&self.child).is_some();
                match self.next_line(wait.min(LOOK)) {
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) if gone || wait.is_zero() => break,
                    _ if wait.is_zero() => break,
                    _ => {}
                }
            }
        }
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        self.input = None;
        descendants::end_all(&mut self.child, &self.mark);
        LEADERS.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.child.id());
        if let Some(output) = self.output.take() {
            output.end();
        }
    }
}

/// The engine's output, which ends when it is closed or when the other pipe is.
struct UntilCalledOff {
    pipe: ChildStdout,
    called_off: PipeReader,
    /// Counts the bytes read since the last command, complete lines or not.
    unanswered: Arc<AtomicU64>,
}

impl UntilCalledOff {
    fn read_counted(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.pipe.read(buffer)?;
        self.unanswered.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl Read for UntilCalledOff {
    #[cfg(not(unix))]
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let _ = &self.called_off;
        self.read_counted(buffer)
    }

    #[cfg(unix)]
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
        use std::os::fd::AsFd;
        loop {
            let mut waiting = [
                PollFd::new(self.called_off.as_fd(), PollFlags::POLLIN),
                PollFd::new(self.pipe.as_fd(), PollFlags::POLLIN),
            ];
            match poll(&mut waiting, PollTimeout::NONE) {
                Err(nix::errno::Errno::EINTR) => continue,
                Err(error) => return Err(error.into()),
                Ok(_) => {}
            }
            if waiting[0].any() == Some(true) {
                return Ok(0);
            }
            if waiting[1].any() == Some(true) {
                return self.read_counted(buffer);
            }
        }
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

/// Reads until the end of output or until nobody listens any more. Of a line that is too long only
/// the beginning is passed on.
fn read_lines(mut output: impl BufRead, lines: &SyncSender<TimedLine>, time: &dyn TimeSource) {
    while let Ok(Some(line)) = next_line(&mut output, LONGEST_LINE) {
        if lines.send(TimedLine { text: line.into_text(), at: time.now() }).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::time::RealTime;

    #[test]
    fn lines_are_cut_at_the_limit_and_the_next_one_is_whole() {
        let long = "x".repeat(3 * LONGEST_LINE + 7);
        let text = format!("one\r\n{long}\ntwo\nlast");
        let (sender, lines) = mpsc::sync_channel(10);
        read_lines(text.as_bytes(), &sender, &RealTime);
        drop(sender);
        let got: Vec<String> = lines.into_iter().map(|line| line.text).collect();
        assert_eq!(got.len(), 4);
        assert_eq!((got[0].as_str(), got[2].as_str(), got[3].as_str()), ("one", "two", "last"));
        assert_eq!(got[1].len(), LONGEST_LINE);
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let time: Arc<dyn TimeSource> = Arc::new(RealTime);
        let nobody = EngineProcess::spawn(&["/no/such/engine".to_owned()], None, &time);
        let fault = nobody.err().unwrap();
        assert_eq!(fault.kind, FaultKind::Crash);
        assert!(fault.detail.contains("/no/such/engine"), "{}", fault.detail);
    }
}
