//! The board in the browser: one page, served to this machine, that plays, studies and compares.
//!
//! The page owns the game: every question it asks brings the game along, so that a server that was
//! restarted goes on where the old one stopped. Each open page is a [`tab`] with an engine of its
//! own, within one budget for all; closing the page ends its searches. The tokio side never
//! searches: it hands tasks to [`crate::engine`] and passes its events on.
//!
//! | file | what it is for |
//! |---|---|
//! | [`guard`] | who may ask: `Host`, `Origin`, token |
//! | [`http`] | connections, routes, limits |
//! | [`assets`] | the page itself, in the program |
//! | [`message`] | what page and server say to each other |
//! | [`tab`], [`socket`] | one open page: questions in, answers out |
//! | [`slot`], [`review`] | one thing being thought about; a game being reviewed move by move |
//! | [`house`] | what all pages share: presets, options, limits |
//! | [`games`] | reading and writing games |
//! | [`book`], [`gallery`] | openings, and positions where the methods disagree |
//! | [`watch`] | following the log of a match |

mod assets;
mod book;
mod gallery;
mod games;
mod guard;
mod house;
mod http;
mod message;
mod review;
mod slot;
mod socket;
mod tab;
mod watch;

use std::net::SocketAddr;
use std::path::PathBuf;

use thiserror::Error;

use crate::options::{OptionError, Options};

/// Where to serve, to whom, and within which limits.
#[derive(Clone, Debug)]
pub struct Web {
    /// The address.
    pub address: SocketAddr,
    /// What other machines must show; needed for any address but the machine's own.
    pub token: Option<String>,
    /// Names by which other machines reach this one, besides its addresses.
    pub hosts: Vec<String>,
    /// Pages served at once; one more is told that the server is busy.
    pub tabs: usize,
    /// Memory for the tables of all pages together, MiB; `None` for half of the machine's.
    pub memory: Option<u64>,
    /// Search threads of all pages together beyond one each; `None` for one per core.
    pub threads: Option<u64>,
    /// Option values that every search begins with.
    pub options: Options,
    /// The preset that the page proposes as opponent.
    pub preset: String,
    /// The log of a match to watch.
    pub watch: Option<PathBuf>,
    /// Take the page's files from this folder instead of the program, for those who change them.
    pub page: Option<PathBuf>,
}

/// Why the page cannot be served.
#[derive(Debug, Error)]
pub enum WebError {
    /// The system says no.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The options cannot be used.
    #[error("{0}")]
    Options(#[from] OptionError),
    /// Other machines could connect, and nothing would tell friends from strangers.
    #[error("{0} can be reached from other machines: a token is needed (--token TOKEN)")]
    NoToken(SocketAddr),
    /// A token that cannot stand in an address.
    #[error("the token may hold letters, digits, `-` and `_` only")]
    Token,
}

impl Web {
    /// Serves pages until the process is asked to end; `ready` is told the address.
    ///
    /// # Errors
    /// If the address cannot be had or the options cannot be used.
    pub fn serve(&self, ready: impl FnOnce(SocketAddr)) -> Result<(), WebError> {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?
            .block_on(http::serve(self, ready))
    }
}
