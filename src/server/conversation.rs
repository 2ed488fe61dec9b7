//! One client from its first byte to its last: lines to the session, its replies back.
//!
//! The loop waits for three things: a line, an event of the search thread, and the signal to shut
//! down. While a reply cannot be written (the client does not read) nothing else is taken in, so
//! nothing piles up: lines stay in the pipe, progress of the search is dropped where it is made.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};
use tracing::{debug, trace};

use super::lines::{RawLine, next_line};
use crate::engine::EngineEvent;
use crate::protocol::{InputLine, Phase, Session};

/// Lines read ahead of the session, so that an end of input is noticed behind them.
const READ_AHEAD: usize = 64;
/// How long the work of a client that has left may go on: long enough for the answers to a short
/// piped script, short enough to end well within a second.
const FAREWELL: Duration = Duration::from_millis(250);

/// Serves one client until it leaves, the session ends, or `shutdown` becomes true.
///
/// # Errors
/// If the client can be neither read nor written (a client that went away is no error).
pub async fn converse<R, W>(
    reader: R,
    mut writer: W,
    mut session: Box<dyn Session>,
    mut events: mpsc::Receiver<EngineEvent>,
    mut shutdown: watch::Receiver<bool>,
) -> std::io::Result<()>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Unpin,
{
    let mut lines = read_ahead(reader);
    let mut input_open = true;
    let mut deadline: Option<Instant> = None;
    let mut out = String::new();
    while session.phase() != Phase::Finished {
        let farewell = deadline.unwrap_or_else(Instant::now);
        tokio::select! {
            _ = shutdown.wait_for(|&now| now) => return Ok(()),
            line = lines.recv(), if input_open && session.wants_input() => match line {
                Some(Ok(line)) => take_line(&mut *session, &line, &mut out),
                Some(Err(error)) => return quietly(Err(error)),
                None => {
                    debug!("end of input");
                    input_open = false;
                    session.end_of_input(&mut out);
                }
            },
            event = events.recv() => match event {
                Some(event) => session.event(event, &mut out),
                // The search thread is gone: there is nothing left to serve.
                None => return Err(std::io::Error::other("the search thread ended")),
            },
            () = sleep_until(farewell), if deadline.is_some() => {
                session.hurry();
                deadline = None;
            }
        }
        if session.phase() == Phase::Closing && deadline.is_none() {
            deadline = Some(Instant::now() + FAREWELL);
        }
        if !out.is_empty() {
            for line in out.lines() {
                trace!(target: "kitai::wire", "> {line}");
            }
            let write = async {
                writer.write_all(out.as_bytes()).await?;
                writer.flush().await
            };
            tokio::select! {
                _ = shutdown.wait_for(|&now| now) => return Ok(()),
                written = write => if written.is_err() { return quietly(written) },
            }
            out.clear();
        }
    }
    Ok(())
}

fn take_line(session: &mut dyn Session, line: &RawLine, out: &mut String) {
    match line {
        RawLine::Text(text) => {
            trace!(target: "kitai::wire", "< {text}");
            session.line(InputLine::Text(text), out);
        }
        RawLine::TooLong => {
            trace!(target: "kitai::wire", "< (a line that is too long)");
            session.line(InputLine::TooLong, out);
        }
    }
}

fn read_ahead<R>(reader: R) -> mpsc::Receiver<std::io::Result<RawLine>>
where
    R: AsyncRead + Send + Unpin + 'static,
{
    let (sender, lines) = mpsc::channel(READ_AHEAD);
    tokio::spawn(async move {
        let mut reader = BufReader::new(reader);
        loop {
            let line = match next_line(&mut reader).await {
                Ok(Some(line)) => Ok(line),
                Ok(None) => return,
                Err(error) => Err(error),
            };
            let failed = line.is_err();
            if sender.send(line).await.is_err() || failed {
                return;
            }
        }
    });
    lines
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
    use crate::engine::Engine;
    use crate::options::Options;
    use crate::protocol::nboard::NBoardSession;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use tokio::io::{AsyncReadExt, duplex, split};

    const PINGS: u64 = 20_000;
    /// Bytes that the test's connection holds in each direction.
    const PIPE: usize = 4096;

    #[test]
    fn a_client_that_does_not_read_is_not_read_either_and_loses_nothing() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let (client, server) = duplex(PIPE);
            let (reader, writer) = split(server);
            let (engine, events) = Engine::start(Options::new()).unwrap();
            let session = Box::new(NBoardSession::new(engine, None));
            let (_keep, shutdown) = watch::channel(false);
            let served = tokio::spawn(converse(reader, writer, session, events, shutdown));

            let (mut replies, mut input) = split(client);
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
            let (client, server) = duplex(16);
            let (reader, writer) = split(server);
            let (engine, events) = Engine::start(Options::new()).unwrap();
            let session = Box::new(NBoardSession::new(engine, None));
            let (shut, shutdown) = watch::channel(false);
            let served = tokio::spawn(converse(reader, writer, session, events, shutdown));
            let (_replies, mut input) = split(client);
            for _ in 0..5 {
                input.write_all(b"ping 123456\n").await.unwrap();
            }
            shut.send(true).unwrap();
            served.await.unwrap().unwrap();
        });
    }
}
