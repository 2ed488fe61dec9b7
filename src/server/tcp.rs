//! Many clients over TCP, each with an engine of its own.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::str::FromStr;
use std::sync::Arc;

use thiserror::Error;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tracing::{info, warn};

use super::{Service, conversation, signals};
use crate::engine::Engine;
use crate::protocol::Permissions;

/// Clients served at once unless told otherwise: each may use the memory of a hash table and the
/// time of a search.
const MAX_CONNECTIONS: usize = 8;

/// Where to listen and how many clients to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listen {
    /// The address.
    pub address: SocketAddr,
    /// Clients at once; one more is turned away.
    pub connections: usize,
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
        Ok(Listen { address, connections: MAX_CONNECTIONS })
    }
}

pub(super) async fn serve(
    listen: &Listen,
    service: &Service,
    ready: impl FnOnce(SocketAddr),
) -> std::io::Result<()> {
    let mut shutdown = signals::shutdown()?;
    let listener = TcpListener::bind(listen.address).await?;
    ready(listener.local_addr()?);
    let room = Arc::new(Semaphore::new(listen.connections));
    loop {
        let (stream, peer) = tokio::select! {
            _ = shutdown.wait_for(|&now| now) => return Ok(()),
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of descriptors or a client that left: the next one may do better.
                    warn!(%error, "a connection failed");
                    tokio::task::yield_now().await;
                    continue;
                }
            },
        };
        let Ok(place) = room.clone().try_acquire_owned() else {
            warn!(%peer, "turned away: {} clients are being served", listen.connections);
            continue;
        };
        info!(%peer, "connected");
        let client = serve_client(stream, service.clone(), shutdown.clone());
        tokio::spawn(async move {
            if let Err(error) = client.await {
                warn!(%peer, %error, "a conversation failed");
            }
            info!(%peer, "disconnected");
            drop(place);
        });
    }
}

async fn serve_client(
    stream: TcpStream,
    service: Service,
    shutdown: watch::Receiver<bool>,
) -> std::io::Result<()> {
    // Replies are small and waited for.
    stream.set_nodelay(true)?;
    let (reader, writer) = stream.into_split();
    let (engine, events) = Engine::start(service.options)?;
    let permissions = Permissions { files: false, learn_file: service.learn_file };
    let session = service.protocol.session(engine, permissions);
    conversation::converse(reader, writer, session, events, shutdown).await
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
}
