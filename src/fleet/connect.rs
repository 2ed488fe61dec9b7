//! The way to the broker and who we are there: whatever NATS itself offers.

use std::path::{Path, PathBuf};
use std::time::Duration;

use async_nats::jetstream::{self, Context};
use async_nats::{Client, ConnectOptions, Event};

use super::FleetError;
use crate::files;

/// How long to wait for the first connection.
const CONNECTING: Duration = Duration::from_secs(5);
/// How long to wait for an answer of the broker.
const ANSWERING: Duration = Duration::from_secs(5);
/// Pause between two attempts to reach a broker that is gone.
const AGAIN: Duration = Duration::from_millis(500);
/// How often to ask whether the broker is still there.
const PING: Duration = Duration::from_secs(10);
/// The largest file with a secret, bytes.
const LARGEST_SECRET: u64 = 1 << 16;

/// Where the broker is and how it knows us. Secrets stand in files, or in the URL where those who
/// can list processes may see them.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// `nats://host:4222`, `tls://host`, with `user:password@` or `token@` before the host; several
    /// separated by commas.
    pub url: String,
    /// File with a JWT and its seed.
    pub creds: Option<PathBuf>,
    /// File with the seed of an nkey.
    pub nkey: Option<PathBuf>,
    /// File with a token.
    pub token: Option<PathBuf>,
    /// Certificates of authorities to trust beside the system's.
    pub ca: Option<PathBuf>,
    /// Our own certificate and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// An open connection.
#[derive(Clone)]
pub struct Connection {
    /// For messages that are not kept.
    pub client: Client,
    /// For streams.
    pub jetstream: Context,
}

impl Access {
    /// The URL without what stands before `@`.
    pub fn shown(&self) -> String {
        let servers = self.url.split(',').map(|server| {
            let (scheme, rest) = server.split_once("://").unwrap_or(("nats", server));
            let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
            format!("{scheme}://{host}")
        });
        servers.collect::<Vec<_>>().join(",")
    }

    /// Connects under a name that the broker shows; reconnects by itself from then on.
    ///
    /// # Errors
    /// If credentials cannot be read or the broker cannot be reached or refuses us.
    pub async fn connect(&self, name: &str) -> Result<Connection, FleetError> {
        let refused = |reason: String| FleetError::Connect { url: self.shown(), reason };
        let servers: Result<Vec<async_nats::ServerAddr>, _> =
            self.url.split(',').map(|server| server.trim().parse()).collect();
        let servers = servers.map_err(|error| refused(error.to_string()))?;
        let mut options = self.options()?.name(name);
        // The client leaves what stands before `@` to us.
        options = match servers.first().map(|server| (server.username(), server.password())) {
            Some((Some(user), Some(password))) => {
                options.user_and_password(user.to_owned(), password.to_owned())
            }
            Some((Some(token), None)) => options.token(token.to_owned()),
            _ => options,
        };
        let client = options.connect(servers).await.map_err(|error| refused(describe(&error)))?;
        let mut jetstream = jetstream::new(client.clone());
        jetstream.set_timeout(ANSWERING);
        Ok(Connection { client, jetstream })
    }

    fn options(&self) -> Result<ConnectOptions, FleetError> {
        let mut options = ConnectOptions::new()
            .connection_timeout(CONNECTING)
            .request_timeout(Some(ANSWERING))
            .ping_interval(PING)
            .reconnect_delay_callback(|attempt| if attempt <= 1 { Duration::ZERO } else { AGAIN })
            .event_callback(|event| async move {
                match event {
                    Event::Connected => tracing::info!("connected to the broker"),
                    Event::Disconnected => tracing::warn!("the broker is gone; trying again"),
                    other => tracing::debug!("broker: {other}"),
                }
            });
        if let Some(file) = &self.creds {
            options = options.credentials(&secret(file)?).map_err(|error| {
                FleetError::Credentials { file: shown(file), reason: error.to_string() }
            })?;
        }
        if let Some(file) = &self.nkey {
            options = options.nkey(secret(file)?);
        }
        if let Some(file) = &self.token {
            options = options.token(secret(file)?);
        }
        if let Some(file) = &self.ca {
            options = options.add_root_certificates(file.clone()).require_tls(true);
        }
        if let Some((certificate, key)) = &self.certificate {
            options =
                options.add_client_certificate(certificate.clone(), key.clone()).require_tls(true);
        }
        Ok(options)
    }
}

fn shown(file: &Path) -> String {
    file.display().to_string()
}

fn secret(file: &Path) -> Result<String, FleetError> {
    let unreadable = |reason: String| FleetError::Credentials { file: shown(file), reason };
    let bytes = files::read(file, LARGEST_SECRET).map_err(|error| unreadable(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("not text".to_owned()))?;
    Ok(text.trim().to_owned())
}

/// An error with its causes.
pub(super) fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_the_url_are_not_shown() {
        let shown = |url: &str| Access { url: url.to_owned(), ..Access::default() }.shown();
        assert_eq!(shown("nats://me:secret@host:4222"), "nats://host:4222");
        assert_eq!(shown("token@host,tls://b"), "nats://host,tls://b");
        assert_eq!(shown("localhost"), "nats://localhost");
    }

    #[test]
    fn a_file_of_credentials_that_cannot_be_read_is_named() {
        let access = Access { nkey: Some("no/such/seed".into()), ..Access::default() };
        let error = access.options().err().unwrap().to_string();
        assert!(error.starts_with("no/such/seed: "), "{error}");
    }
}
