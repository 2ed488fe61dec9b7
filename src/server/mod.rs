//! Bytes in, bytes out: standard streams and TCP. Knows lines, never moves.
//!
//! One tokio thread serves all clients; every client has an engine with a search thread of its
//! own. Nothing on this side ever computes for long, so a reply is never late.

mod conversation;
mod lines;
mod signals;
mod tcp;

pub use lines::LONGEST_LINE;
pub use tcp::{Listen, ListenError};

use std::path::PathBuf;

use crate::engine::Engine;
use crate::options::Options;
use crate::protocol::auto::AutoSession;
use crate::protocol::gtp::GtpSession;
use crate::protocol::nboard::NBoardSession;
use crate::protocol::{Permissions, Session};

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
    fn session(self, engine: Engine, permissions: Permissions) -> Box<dyn Session> {
        match self {
            Protocol::Auto => Box::new(AutoSession::new(engine, permissions)),
            Protocol::Gtp => Box::new(GtpSession::new(engine, permissions.files)),
            Protocol::NBoard => Box::new(NBoardSession::new(engine, permissions.learn_file)),
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
/// If the streams fail for another reason than the client's leaving.
pub fn serve_stdio(service: &Service) -> std::io::Result<()> {
    run(async {
        let shutdown = signals::shutdown()?;
        let (engine, events) = Engine::start(service.options.clone())?;
        let learn_file = service.learn_file.clone();
        let session = service.protocol.session(engine, Permissions { files: true, learn_file });
        conversation::converse(tokio::io::stdin(), tokio::io::stdout(), session, events, shutdown)
            .await
    })
}

/// Serves clients over TCP until a signal comes. `ready` is told the address once it listens.
///
/// # Errors
/// If the address cannot be had.
pub fn serve_tcp(
    listen: &Listen,
    service: &Service,
    ready: impl FnOnce(std::net::SocketAddr),
) -> std::io::Result<()> {
    run(tcp::serve(listen, service, ready))
}

fn run<T>(work: impl Future<Output = std::io::Result<T>>) -> std::io::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let result = runtime.block_on(work);
    // Reading standard input cannot be interrupted: leave its thread to the end of the process.
    runtime.shutdown_background();
    result
}
