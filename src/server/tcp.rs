//! Many clients over TCP, each with games of its own, all within one budget.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZero;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;
use tokio::io::AsyncWriteExt;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tracing::{info, warn};

use super::conversation::{self, Lines, Surroundings};
use super::learning::LearnFile;
use super::{ServeError, Service, gate, signals, socket};
use crate::engine::{Budget, Engine, Player};
use crate::memory;
use crate::protocol::Permissions;
use crate::search::minimax::THREADS;

/// Clients served at once unless told otherwise.
const MAX_CONNECTIONS: usize = 8;
/// How long a client may be silent unless told otherwise: longer than anybody thinks about a move.
const IDLE: Duration = Duration::from_secs(30 * 60);
/// How long what a client asked for before it sent an end of input may take.
const FAREWELL: Duration = Duration::from_secs(60);
/// Games that clients may have learnt in one run of the server, bytes.
const LEARN_ROOM: u64 = 16 << 20;
/// The first pause after a failed accept, and the longest.
const ACCEPT_PAUSE: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(5)];
/// Connections that have not been let in yet, or are being turned away; one more is dropped.
const STRANGERS: usize = 64;
/// How long a client that is turned away may take to read why.
const GOODBYE: Duration = Duration::from_secs(1);

/// Where to listen, for whom, and what they may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listen {
    /// The address.
    pub address: SocketAddr,
    /// Clients at once; one more is told that the server is busy.
    pub connections: usize,
    /// What a client must say first; needed for any address but the machine's own.
    pub token: Option<String>,
    /// How long a client may be silent; `None` for as long as it likes.
    pub idle: Option<Duration>,
    /// Memory for all clients together, MiB; `None` for half of the machine's.
    pub memory: Option<u64>,
    /// Search threads for all clients together; `None` for as many as they begin with and one
    /// more for each core.
    pub threads: Option<u64>,
}

/// A text that is no address.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is no address to listen on: PORT (on this machine only) or IP:PORT")]
pub struct ListenError(String);

/// `PORT` on the loopback interface, or `IP:PORT`.
impl FromStr for Listen {
    type Err = ListenError;

    fn from_str(text: &str) -> Result<Listen, ListenError> {
        let address = match text.parse::<u16>() {
            Ok(port) => SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port),
            Err(_) => text.parse().map_err(|_| ListenError(text.to_owned()))?,
        };
        Ok(Listen {
            address,
            connections: MAX_CONNECTIONS,
            token: None,
            idle: Some(IDLE),
            memory: None,
            threads: None,
        })
    }
}

/// What all clients share.
struct Shared {
    service: Service,
    token: Option<String>,
    idle: Option<Duration>,
    budget: Budget,
    learn_file: Option<Arc<LearnFile>>,
    shutdown: watch::Receiver<bool>,
    connections: usize,
    /// One for each client that is served.
    places: Arc<Semaphore>,
}

pub(super) async fn serve(
    listen: &Listen,
    service: &Service,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    if !listen.address.ip().is_loopback() {
        if listen.token.as_ref().is_none_or(String::is_empty) {
            return Err(ServeError::NoToken(listen.address));
        }
        warn!(address = %listen.address, "other machines can connect; nothing is encrypted");
    }
    let budget = budget(listen, service)?;
    // Options that cannot be used are told now, and what all clients share is made once.
    Player::with_budget(service.options.clone(), budget.clone()).prepare()?;
    let mut shutdown = signals::shutdown()?;
    let listener = TcpListener::bind(listen.address).await?;
    ready(listener.local_addr()?);
    let learn_file = service.open_learn_file(Some(LEARN_ROOM))?;
    let shared = Arc::new(Shared {
        service: service.clone(),
        token: listen.token.clone(),
        idle: listen.idle,
        budget,
        learn_file,
        shutdown: shutdown.clone(),
        connections: listen.connections,
        places: Arc::new(Semaphore::new(listen.connections)),
    });
    let strangers = Arc::new(Semaphore::new(STRANGERS));
    let [first_pause, longest_pause] = ACCEPT_PAUSE;
    let mut pause = first_pause;
    loop {
        let accepted = tokio::select! {
            _ = shutdown.wait_for(|&now| now) => return Ok(()),
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of descriptors, most likely: it passes when someone leaves, not at once.
                warn!(%error, ?pause, "a connection failed");
                tokio::select! {
                    _ = shutdown.wait_for(|&now| now) => return Ok(()),
                    () = tokio::time::sleep(pause) => {}
                }
                pause = (pause * 2).min(longest_pause);
                continue;
            }
        };
        pause = first_pause;
        let Ok(doorstep) = strangers.clone().try_acquire_owned() else {
            warn!(%peer, "dropped: {STRANGERS} others have not said anything yet");
            continue;
        };
        info!(%peer, "connected");
        let shared = shared.clone();
        tokio::spawn(async move {
            if let Err(error) = serve_client(stream, &shared, doorstep).await {
                warn!(%peer, %error, "a conversation failed");
            }
            info!(%peer, "disconnected");
        });
    }
}

fn budget(listen: &Listen, service: &Service) -> Result<Budget, ServeError> {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get) as u64;
    let begin_with = service.options.get(&THREADS) as u64 * listen.connections as u64;
    let memory = listen.memory.unwrap_or_else(|| memory::physical_mebibytes() / 2);
    let threads = listen.threads.unwrap_or(begin_with + cores);
    Ok(Budget::shared(&service.options, listen.connections, memory, threads)?)
}

/// Says why, and waits a moment for it to be read: closing at once would lose it.
async fn turn_away(mut lines: Lines, mut writer: OwnedWriteHalf, reply: &str) {
    let _ = tokio::time::timeout(GOODBYE, async {
        writer.write_all(reply.as_bytes()).await?;
        writer.shutdown().await?;
        while lines.next().await.is_some() {}
        Ok::<(), std::io::Error>(())
    })
    .await;
}

/// Serves one client. It stands on the doorstep until its first line lets it in, and takes one of
/// the places only then: strangers who say nothing keep nobody out.
async fn serve_client(
    stream: TcpStream,
    shared: &Shared,
    doorstep: OwnedSemaphorePermit,
) -> std::io::Result<()> {
    socket::prepare(&stream)?;
    let watched = socket::reader_of(&stream);
    let (reader, mut writer) = stream.into_split();
    let mut lines = Lines::of(reader);
    let reader_gone = match watched {
        Ok(reader_gone) => reader_gone,
        Err(problem) => {
            turn_away(lines, writer, &format!("? busy: {problem}\n\n")).await;
            return Err(problem);
        }
    };
    if let Err(refusal) = gate::admit(&mut lines, shared.token.as_deref()).await {
        info!(?refusal, "refused");
        turn_away(lines, writer, refusal.reply()).await;
        return Ok(());
    }
    let Ok(_place) = shared.places.clone().try_acquire_owned() else {
        let clients = shared.connections;
        info!("turned away: {clients} clients are being served");
        let reply = format!("? busy: {clients} clients are being served, try again later\n\n");
        turn_away(lines, writer, &reply).await;
        return Ok(());
    };
    drop(doorstep);
    let (engine, events) = Engine::with_channel(shared.budget.clone());
    let mut surroundings = Surroundings {
        engine,
        events,
        learn_file: shared.learn_file.clone(),
        shutdown: shared.shutdown.clone(),
        idle: shared.idle,
        farewell: Some(shared.idle.map_or(FAREWELL, |idle| idle.min(FAREWELL))),
        reader_gone,
        reports: None,
        first: crate::protocol::Actions::default(),
        line_by_line: false,
    };
    let service = &shared.service;
    if let Err(problem) = conversation::prepare(&mut surroundings, &service.options).await {
        writer.write_all(format!("? busy: {problem}\n\n").as_bytes()).await?;
        return Err(problem);
    }
    let permissions = Permissions { files: false, learn: shared.learn_file.is_some() };
    let mut session = service.protocol.session(service.options.clone(), permissions);
    conversation::converse(lines, writer, &mut *session, surroundings).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_port_means_this_machine_only() {
        let listen: Listen = "4001".parse().unwrap();
        assert_eq!(listen.address.to_string(), "127.0.0.1:4001");
        assert_eq!("0.0.0.0:1".parse::<Listen>().unwrap().address.to_string(), "0.0.0.0:1");
        assert_eq!(
            "here".parse::<Listen>().unwrap_err().to_string(),
            "`here` is no address to listen on: PORT (on this machine only) or IP:PORT"
        );
    }

    #[test]
    fn other_machines_are_not_served_without_a_token() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        for token in [None, Some(String::new())] {
            let mut listen: Listen = "0.0.0.0:0".parse().unwrap();
            listen.token = token;
            let refused = runtime.block_on(serve(&listen, &Service::default(), |_| {}));
            assert!(matches!(refused, Err(ServeError::NoToken(_))), "{refused:?}");
        }
    }
}
