//! One client from its first byte to its last: what happens goes to the session, its actions are
//! carried out here.
//!
//! The loop waits for a line, an event of a search thread, a file that was read or written, a
//! timer, and the signal to shut down. While a reply cannot be written (the client does not read)
//! nothing else is taken in, so nothing piles up: lines stay in the pipe, progress of the search is
//! dropped where it is made. Files are read and written on threads of their own.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, watch};
use tokio::time::sleep_until;
use tracing::{debug, info, trace, warn};

use super::learning::LearnFile;
use super::lines::next_line;
use crate::engine::{Engine, EngineEvent, GameId, SearchId, SearchUpdate};
use crate::files;
use crate::options::Options;
use crate::protocol::ggs::Report;
use crate::protocol::{Action, Actions, Input, InputLine, Phase, RequestId, Session};
use crate::record::lines::RawLine;

/// Lines read ahead of the session, so that an end of input is noticed behind them.
const READ_AHEAD: usize = 64;
/// Largest file a client may have read, bytes: far more than any game record.
const LARGEST_FILE: u64 = 16 << 20;
/// How often to look whether anybody still reads what a client that sends nothing more is told.
const READER_CHECK: Duration = Duration::from_millis(100);

/// A line and when it came.
pub(super) type Arrival = std::io::Result<(RawLine, Instant)>;

/// Whether nobody reads what is written any more; asked now and then.
pub(super) type ReaderGone = Box<dyn Fn() -> bool + Send>;

/// The lines of a client as they come.
pub(super) struct Lines {
    given_back: Option<Arrival>,
    coming: mpsc::Receiver<Arrival>,
}

impl Lines {
    /// Reads lines on a task of its own, a few ahead.
    pub(super) fn of<R>(reader: R) -> Lines
    where
        R: AsyncRead + Send + Unpin + 'static,
    {
        let (sender, coming) = mpsc::channel(READ_AHEAD);
        tokio::spawn(async move {
            let mut reader = BufReader::new(reader);
            loop {
                let line = match next_line(&mut reader).await {
                    Ok(Some(line)) => Ok((line, Instant::now())),
                    Ok(None) => return,
                    Err(error) => Err(error),
                };
                let failed = line.is_err();
                if sender.send(line).await.is_err() || failed {
                    return;
                }
            }
        });
        Lines { given_back: None, coming }
    }

    /// The next line; `None` at the end of input. Nothing is lost if it is not waited for.
    pub(super) async fn next(&mut self) -> Option<Arrival> {
        match self.given_back.take() {
            Some(line) => Some(line),
            None => self.coming.recv().await,
        }
    }

    /// Puts a line back, to be the next again.
    pub(super) fn give_back(&mut self, line: Arrival) {
        self.given_back = Some(line);
    }
}

/// What a conversation needs besides its streams and its session.
pub(super) struct Surroundings {
    /// The search threads.
    pub engine: Engine,
    /// Their events.
    pub events: mpsc::Receiver<EngineEvent>,
    /// Where games to learn go.
    pub learn_file: Option<Arc<LearnFile>>,
    /// Becomes true when the process shall end.
    pub shutdown: watch::Receiver<bool>,
    /// How long nothing may be said by either side while nothing is searched; `None` for as long as
    /// it likes.
    pub idle: Option<Duration>,
    /// How long the searches of a client that sends nothing more may take; `None` to the end. A
    /// connection does not tell one that has left from one that still reads.
    pub farewell: Option<Duration>,
    /// Tells whether the reader of the replies has gone.
    pub reader_gone: ReaderGone,
    /// Where reports go.
    pub reports: Option<std::sync::mpsc::Sender<Report>>,
    /// What is to be done before anything is heard.
    pub first: Actions,
    /// Whether every line is written on its own.
    pub line_by_line: bool,
}

/// Makes the session's first game ready: method, tables and memory, before anything is answered.
///
/// # Errors
/// If the options cannot be used, or the system refuses a thread.
pub(super) async fn prepare(
    surroundings: &mut Surroundings,
    options: &Options,
) -> std::io::Result<()> {
    let Surroundings { engine, events, .. } = surroundings;
    engine.configure(GameId(0), SearchId(0), options.clone(), Instant::now())?;
    match events.recv().await.map(|event| event.update) {
        Some(SearchUpdate::Failed(reason)) => Err(std::io::Error::other(reason)),
        _ => Ok(()),
    }
}

/// Serves one client until it leaves, the session ends, or `shutdown` becomes true. The session
/// stays with the caller, who may connect it again.
///
/// # Errors
/// If the client can be neither read nor written (a client that went away is no error).
pub(super) async fn converse<W>(
    mut lines: Lines,
    mut writer: W,
    session: &mut dyn Session,
    mut surroundings: Surroundings,
) -> std::io::Result<()>
where
    W: AsyncWrite + Unpin,
{
    let mut shutdown = surroundings.shutdown.clone();
    let (answer, mut answers) = mpsc::unbounded_channel();
    let mut work = Work {
        engine: surroundings.engine,
        learn_file: surroundings.learn_file,
        answer,
        timers: Vec::new(),
        failures: Vec::new(),
        reports: surroundings.reports,
        secrets: Vec::new(),
        line_by_line: surroundings.line_by_line,
    };
    let mut input_open = true;
    let mut actions = surroundings.first;
    // Nothing of this is a reply.
    for action in actions.drain() {
        work.carry_out(action, Instant::now(), &mut String::new());
    }
    let mut last_words = Instant::now();
    let mut end_of_input = last_words;
    while session.phase() != Phase::Finished {
        let wake = work.next_wake(input_open, surroundings.idle.map(|idle| last_words + idle));
        tokio::select! {
            _ = shutdown.wait_for(|&now| now) => return Ok(()),
            line = lines.next(), if input_open && session.wants_input() => match line {
                Some(Ok((line, at))) => {
                    last_words = at;
                    let line = match &line {
                        RawLine::Text(text) => {
                            trace!(target: "kitai::wire", "< {}", work.masked(text));
                            InputLine::Text(text)
                        }
                        RawLine::TooLong(_) => {
                            trace!(target: "kitai::wire", "< (a line that is too long)");
                            InputLine::TooLong
                        }
                    };
                    session.take(Input::Line(line), at, &mut actions);
                }
                Some(Err(error)) => return quietly(Err(error)),
                None => {
                    debug!("end of input");
                    input_open = false;
                    end_of_input = Instant::now();
                    session.take(Input::EndOfInput, Instant::now(), &mut actions);
                }
            },
            event = surroundings.events.recv() => match event {
                Some(event) => session.take(Input::Event(event), Instant::now(), &mut actions),
                None => return Err(std::io::Error::other("the search threads ended")),
            },
            Some(answer) = answers.recv() => {
                session.take(answer, Instant::now(), &mut actions);
            }
            () = sleep_until(wake.into()) => {}
        }
        let now = Instant::now();
        for timer in work.due_timers(now) {
            session.take(Input::Timer(timer), now, &mut actions);
        }
        for event in work.engine.give_up_overdue(now) {
            session.take(Input::Event(event), now, &mut actions);
        }
        loop {
            let mut out = String::new();
            for action in actions.drain() {
                work.carry_out(action, now, &mut out);
            }
            if !out.is_empty() {
                last_words = now;
                if !write_or_leave(&mut writer, &out, &work, &mut shutdown).await? {
                    return Ok(());
                }
            }
            for event in std::mem::take(&mut work.failures) {
                session.take(Input::Event(event), now, &mut actions);
            }
            if actions.is_empty() {
                break;
            }
        }
        if !input_open && (surroundings.reader_gone)() {
            debug!("nobody reads the replies any more");
            return Ok(());
        }
        let has_passed = |since: Instant, time: Option<Duration>| {
            time.is_some_and(|time| now.saturating_duration_since(since) >= time)
        };
        if !input_open && has_passed(end_of_input, surroundings.farewell) {
            info!("the client sent nothing more; the rest of its work is given up");
            return Ok(());
        }
        if input_open && work.engine.is_busy() {
            last_words = now;
        }
        if has_passed(last_words, surroundings.idle) {
            info!("nothing was said for too long: the connection is closed");
            return Ok(());
        }
    }
    Ok(())
}

/// Writes a reply; false if the client or the process leaves meanwhile.
async fn write_or_leave<W: AsyncWrite + Unpin>(
    writer: &mut W,
    text: &str,
    work: &Work,
    shutdown: &mut watch::Receiver<bool>,
) -> std::io::Result<bool> {
    for line in text.lines() {
        trace!(target: "kitai::wire", "> {}", work.masked(line));
    }
    let write = async {
        if work.line_by_line {
            for line in text.split_inclusive('\n') {
                writer.write_all(line.as_bytes()).await?;
                writer.flush().await?;
            }
        } else {
            writer.write_all(text.as_bytes()).await?;
        }
        writer.flush().await
    };
    tokio::select! {
        _ = shutdown.wait_for(|&now| now) => Ok(false),
        written = write => match written {
            Ok(()) => Ok(true),
            Err(error) => quietly(Err(error)).map(|()| false),
        },
    }
}

/// What carries out the actions of a session.
struct Work {
    engine: Engine,
    learn_file: Option<Arc<LearnFile>>,
    answer: mpsc::UnboundedSender<Input<'static>>,
    timers: Vec<(Instant, RequestId)>,
    /// Failures of actions themselves, for the session.
    failures: Vec<EngineEvent>,
    reports: Option<std::sync::mpsc::Sender<Report>>,
    /// What no log may show.
    secrets: Vec<String>,
    line_by_line: bool,
}

impl Work {
    /// The line as the log may show it.
    fn masked<'l>(&self, line: &'l str) -> std::borrow::Cow<'l, str> {
        let mut shown = std::borrow::Cow::Borrowed(line);
        for secret in self.secrets.iter().filter(|secret| !secret.is_empty()) {
            if shown.contains(secret.as_str()) {
                shown = shown.replace(secret.as_str(), "********").into();
            }
        }
        shown
    }

    fn carry_out(&mut self, action: Action, now: Instant, out: &mut String) {
        match action {
            Action::Send(text) => out.push_str(&text),
            Action::Secret(text) => {
                let secret = text.trim_end().to_owned();
                if !self.secrets.contains(&secret) {
                    self.secrets.push(secret);
                }
                out.push_str(&text);
            }
            Action::Report(report) => {
                if let Some(reports) = &self.reports {
                    // Nobody keeps or shows anything if the receiver is gone.
                    let _ = reports.send(*report);
                }
            }
            Action::Configure { game, search, options } => {
                if let Err(problem) = self.engine.configure(game, search, *options, now) {
                    warn!(%problem, "no search thread");
                    let update = SearchUpdate::Failed(format!("no search thread: {problem}"));
                    self.failures.push(EngineEvent { game, search, update });
                }
            }
            Action::Think { game, search, task } => self.engine.think(game, search, *task, now),
            Action::Stop { game } => self.engine.stop(game, now),
            Action::Abandon { game } => self.engine.abandon(game, now),
            Action::Clear { game } => self.engine.clear(game, now),
            Action::Close { game } => self.engine.close(game),
            Action::Load { request, file } => {
                let answer = self.answer.clone();
                tokio::task::spawn_blocking(move || {
                    // A conversation that has ended wants no answer.
                    let _ = answer.send(Input::Loaded(request, load(&file)));
                });
            }
            Action::Save { request, line } => {
                let (answer, learn_file) = (self.answer.clone(), self.learn_file.clone());
                tokio::task::spawn_blocking(move || {
                    let saved = match learn_file {
                        Some(file) => file.add(&line).map_err(|problem| problem.to_string()),
                        None => Err("there is no file to learn into".to_owned()),
                    };
                    let _ = answer.send(Input::Saved(request, saved));
                });
            }
            Action::Later { request, after } => self.timers.push((now + after, request)),
        }
    }

    /// When the loop must look at the time again.
    fn next_wake(&self, input_open: bool, idle: Option<Instant>) -> Instant {
        const LONGEST_SLEEP: Duration = Duration::from_secs(3600);
        let check = (!input_open).then(|| Instant::now() + READER_CHECK);
        self.timers
            .iter()
            .map(|(at, _)| *at)
            .chain(self.engine.next_deadline())
            .chain(idle)
            .chain(check)
            .min()
            .unwrap_or_else(|| Instant::now() + LONGEST_SLEEP)
    }

    fn due_timers(&mut self, now: Instant) -> Vec<RequestId> {
        let due = self.timers.iter().filter(|(at, _)| *at <= now).map(|(_, timer)| *timer);
        let due = due.collect();
        self.timers.retain(|(at, _)| *at > now);
        due
    }
}

fn load(file: &Path) -> Result<Vec<u8>, String> {
    files::read(file, LARGEST_FILE).map_err(|problem| problem.to_string())
}

/// A client that went away in the middle is an end, not an error.
fn quietly(result: std::io::Result<()>) -> std::io::Result<()> {
    use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    match result {
        Err(error) if [BrokenPipe, ConnectionReset, ConnectionAborted].contains(&error.kind()) => {
            debug!("the client went away");
            Ok(())
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Budget;
    use crate::protocol::Permissions;
    use crate::protocol::nboard::NBoardSession;
    use std::sync::atomic::{AtomicU64, Ordering};
    use tokio::io::{AsyncReadExt, DuplexStream, ReadHalf, WriteHalf, duplex, split};

    const PINGS: u64 = 20_000;
    /// Bytes that the test's connection holds in each direction.
    const PIPE: usize = 4096;

    type Served = tokio::task::JoinHandle<std::io::Result<()>>;

    fn serve_nboard(
        room: usize,
        shutdown: watch::Receiver<bool>,
    ) -> (Served, ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) {
        let (client, server) = duplex(room);
        let (reader, writer) = split(server);
        let permissions = Permissions { files: true, learn: false };
        let (engine, events) = Engine::with_channel(Budget::unlimited());
        let surroundings = Surroundings {
            engine,
            events,
            learn_file: None,
            shutdown,
            idle: None,
            farewell: None,
            reader_gone: Box::new(|| false),
            reports: None,
            first: Actions::default(),
            line_by_line: false,
        };
        let served = tokio::spawn(async move {
            let mut session = NBoardSession::new(Options::new(), permissions);
            converse(Lines::of(reader), writer, &mut session, surroundings).await
        });
        let (replies, input) = split(client);
        (served, replies, input)
    }

    #[test]
    fn a_client_that_does_not_read_is_not_read_either_and_loses_nothing() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (_keep, shutdown) = watch::channel(false);
            let (served, mut replies, mut input) = serve_nboard(PIPE, shutdown);
            let sent = Arc::new(AtomicU64::new(0));
            let counter = sent.clone();
            let sender = tokio::spawn(async move {
                for number in 0..PINGS {
                    input.write_all(format!("ping {number}\n").as_bytes()).await.unwrap();
                    counter.store(number, Ordering::Relaxed);
                }
                input.shutdown().await.unwrap();
            });
            // Every task runs until none can: the sender stands still because nobody reads.
            let mut standing = 0;
            let mut last = u64::MAX;
            while standing < 1000 {
                tokio::task::yield_now().await;
                let now = sent.load(Ordering::Relaxed);
                standing = if now == last { standing + 1 } else { 0 };
                last = now;
            }
            assert!(last < 2000, "{last} lines were taken in for a client that does not read");

            let mut text = String::new();
            replies.read_to_string(&mut text).await.unwrap();
            sender.await.unwrap();
            served.await.unwrap().unwrap();
            let expected: String = (0..PINGS).map(|number| format!("pong {number}\n")).collect();
            assert!(text == expected, "a pong is missing or out of order");
        });
    }

    #[test]
    fn shutdown_ends_a_conversation_even_when_the_client_does_not_read() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (shut, shutdown) = watch::channel(false);
            let (served, _replies, mut input) = serve_nboard(16, shutdown);
            for _ in 0..5 {
                input.write_all(b"ping 123456\n").await.unwrap();
            }
            shut.send(true).unwrap();
            served.await.unwrap().unwrap();
        });
    }
}
