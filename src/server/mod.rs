//! Bytes in, bytes out: standard streams, TCP in and out. Knows lines and timers, never moves.
//!
//! One tokio thread serves all clients and carries out what their sessions want; every game has a
//! search thread of its own, and files are read and written on others. Nothing on this side ever
//! computes for long, so a reply is never late.

mod conversation;
mod gate;
pub mod ggs;
mod learning;
mod lines;
mod outgoing;
mod signals;
mod socket;
mod tcp;

pub use tcp::{Listen, ListenError};

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

use crate::engine::{Budget, Engine, Player};
use crate::options::{OptionError, Options};
use crate::protocol::auto::AutoSession;
use crate::protocol::gtp::GtpSession;
use crate::protocol::nboard::NBoardSession;
use crate::protocol::{Permissions, Session};
use conversation::{Lines, Surroundings};
use learning::LearnFile;

/// Why serving ended or never began.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The system says no.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The options cannot be used.
    #[error("{0}")]
    Options(#[from] OptionError),
    /// Other machines could connect, and nothing would tell friends from strangers.
    #[error(
        "{0} can be reached from other machines: a token is needed (--token TOKEN or the \
         environment variable KITAI_TOKEN), which clients send first as `kitai-token TOKEN`"
    )]
    NoToken(SocketAddr),
}

/// Which protocol to speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Protocol {
    /// Whatever the client's first line says.
    #[default]
    Auto,
    /// GTP 2.
    Gtp,
    /// NBoard 1 and 2.
    NBoard,
}

impl Protocol {
    fn session(self, options: Options, permissions: Permissions) -> Box<dyn Session> {
        match self {
            Protocol::Auto => Box::new(AutoSession::new(options, permissions)),
            Protocol::Gtp => Box::new(GtpSession::new(options, permissions)),
            Protocol::NBoard => Box::new(NBoardSession::new(options, permissions)),
        }
    }
}

/// What to serve.
#[derive(Clone, Debug, Default)]
pub struct Service {
    /// The protocol.
    pub protocol: Protocol,
    /// The options every engine begins with.
    pub options: Options,
    /// Where the games go that clients ask to learn.
    pub learn_file: Option<PathBuf>,
}

/// Serves one client on standard input and output until it leaves or a signal comes.
///
/// # Errors
/// If the options cannot be used, or the streams fail for another reason than the client's leaving.
pub fn serve_stdio(service: &Service) -> Result<(), ServeError> {
    run(async {
        let shutdown = signals::shutdown()?;
        let budget = Budget::unlimited();
        // Told as an option error before anything is answered.
        Player::with_budget(service.options.clone(), budget.clone()).prepare()?;
        let (engine, events) = Engine::with_channel(budget);
        let learn_file = service.learn_file.as_ref();
        let mut surroundings = Surroundings {
            engine,
            events,
            learn_file: learn_file.map(|path| Arc::new(LearnFile::new(path, None))),
            shutdown,
            idle: None,
            farewell: None,
            reader_gone: socket::stdout_reader(),
            reports: None,
            first: crate::protocol::Actions::default(),
            line_by_line: false,
        };
        conversation::prepare(&mut surroundings, &service.options).await?;
        let permissions = Permissions { files: true, learn: learn_file.is_some() };
        let mut session = service.protocol.session(service.options.clone(), permissions);
        let lines = Lines::of(tokio::io::stdin());
        Ok(conversation::converse(lines, tokio::io::stdout(), &mut *session, surroundings).await?)
    })
}

/// Serves clients over TCP until a signal comes. `ready` is told the address once it listens.
///
/// # Errors
/// If the address cannot be had, needs a token, or the options cannot be used.
pub fn serve_tcp(
    listen: &Listen,
    service: &Service,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    run(tcp::serve(listen, service, ready))
}

/// Connects to `HOST:PORT` and lets the session talk until either side ends it or a signal comes.
/// The session keeps what it knows and may be connected again.
///
/// # Errors
/// If nobody answers there, or the options cannot be used.
pub fn connect(
    address: &str,
    session: &mut dyn Session,
    service: &Service,
) -> Result<(), ServeError> {
    run(outgoing::connect(address, session, service))
}

fn run<T>(work: impl Future<Output = Result<T, ServeError>>) -> Result<T, ServeError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(work);
    // Reading standard input cannot be interrupted: leave its thread to the end of the process.
    runtime.shutdown_background();
    result
}
