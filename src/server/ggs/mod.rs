//! The bot's connection to a game server: connect, let the session talk, connect again as it says,
//! until it says stop or the process is asked to end.

mod keeper;
mod page;

pub use keeper::{HISTORY, HistoryLine, Keeper, KeeperError};
pub use page::Found;

use std::sync::mpsc;
use std::time::{Duration, Instant};

use thiserror::Error;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tracing::{info, warn};

use super::conversation::{self, Lines, Surroundings};
use super::{ServeError, signals, socket};
use crate::engine::{Budget, Engine};
use crate::protocol::ggs::settings::SettingsError;
use crate::protocol::ggs::{GgsSession, NextStep, Report, Settings};
use crate::protocol::{Action, Actions};

/// How long a connection may take to be made.
const CONNECT_TIME: Duration = Duration::from_secs(30);

/// Why the bot cannot run.
#[derive(Debug, Error)]
pub enum BotError {
    /// The settings cannot be used.
    #[error("{0}")]
    Settings(#[from] SettingsError),
    /// The folder of records cannot be used.
    #[error("{0}")]
    Records(#[from] KeeperError),
    /// The system says no.
    #[error("{0}")]
    Serve(#[from] ServeError),
    /// The system says no to a thread.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

/// Runs the bot until it shall stop, and says why it did. Everything it reports is kept in the
/// folder of records and then shown to `show`, on a thread of its own.
///
/// # Errors
/// If settings or records cannot be used. A server that cannot be reached is no error: it is tried
/// again and again.
pub fn run(
    settings: Settings,
    password: String,
    seed: u64,
    mut show: impl FnMut(&Report) + Send + 'static,
) -> Result<String, BotError> {
    let address = (settings.host.clone(), settings.port);
    let mut keeper = Keeper::open(&settings.records)?;
    let mut session = GgsSession::new(settings, password, seed, Instant::now())?;
    session.remember(keeper.left(), keeper.recorded().clone());
    let (reports, coming) = mpsc::channel::<Report>();
    let keeping = std::thread::Builder::new().name("records".to_owned()).spawn(move || {
        for report in coming {
            if let Err(problem) = keeper.keep(&report) {
                show(&Report::News(format!("a record could not be kept: {problem}")));
            }
            show(&report);
        }
    })?;
    let reason = super::run(stay(&address, &mut session, &reports));
    drop(reports);
    // It has nothing left to do but what was reported.
    let _ = keeping.join();
    Ok(reason?)
}

/// Connects again and again.
async fn stay(
    address: &(String, u16),
    session: &mut GgsSession,
    reports: &mpsc::Sender<Report>,
) -> Result<String, ServeError> {
    let mut shutdown = signals::shutdown()?;
    loop {
        if let Err(problem) = connect(address, session, reports, shutdown.clone()).await {
            warn!("{}:{}: {problem}", address.0, address.1);
            let text = format!("no connection to {}:{}: {problem}", address.0, address.1);
            let _ = reports.send(Report::News(text));
        }
        let mut actions = Actions::default();
        let next = session.next_step(Instant::now(), &mut actions);
        for action in actions.drain() {
            // The engine is gone with its connection; records are not.
            if let Action::Report(report) = action {
                let _ = reports.send(*report);
            }
        }
        if *shutdown.borrow() {
            return Ok("asked to end by a signal".to_owned());
        }
        match next {
            NextStep::Stop(reason) => return Ok(reason),
            NextStep::Connect(after) => {
                info!("connecting again in {:.1} s", after.as_secs_f64());
                tokio::select! {
                    _ = shutdown.wait_for(|&now| now) => {
                        return Ok("asked to end by a signal".to_owned());
                    }
                    () = sleep(after) => {}
                }
            }
        }
    }
}

async fn connect(
    (host, port): &(String, u16),
    session: &mut GgsSession,
    reports: &mpsc::Sender<Report>,
    mut shutdown: watch::Receiver<bool>,
) -> std::io::Result<()> {
    let connecting = timeout(CONNECT_TIME, TcpStream::connect((host.as_str(), *port)));
    let stream = tokio::select! {
        _ = shutdown.wait_for(|&now| now) => return Ok(()),
        stream = connecting => stream.map_err(|_| std::io::ErrorKind::TimedOut)??,
    };
    socket::prepare(&stream)?;
    let (engine, events) = Engine::with_channel(Budget::unlimited());
    let mut first = Actions::default();
    session.begin(Instant::now(), &mut first);
    let surroundings = Surroundings {
        engine,
        events,
        learn_file: None,
        shutdown,
        idle: None,
        farewell: None,
        reader_gone: socket::reader_of(&stream)?,
        reports: Some(reports.clone()),
        first,
        line_by_line: true,
    };
    let (reader, writer) = stream.into_split();
    conversation::converse(Lines::of(reader), writer, session, surroundings).await
}
