//! `kitai`, `kitai gtp`, `kitai nboard`: serve a client.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::Duration;

use super::CliError;
use super::common::EngineArgs;
use crate::book::SharedBook;
use crate::book::options::BOOK;
use crate::server::{self, Listen, Protocol, ServeError, Service};

/// Longest idle time taken, seconds: a year.
const LONGEST_IDLE: u64 = 365 * 86_400;

/// Serve an Othello program on standard input and output, or over TCP
#[derive(clap::Args, Debug, Clone, Default, PartialEq)]
#[command(after_help = "Examples:\n  kitai gtp --config level-3\n  \
kitai nboard --log kitai.log --log-level trace\n  kitai gtp --listen 4001 --set threads=2")]
pub(super) struct Args {
    #[command(flatten)]
    engine: EngineArgs,
    /// Serve over TCP instead: PORT on this machine only, or IP:PORT
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Clients served at once over TCP [default: 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    connections: Option<u32>,
    /// What clients must send first, as `kitai-token TOKEN`; needed for any address but this
    /// machine's own [default: the environment variable KITAI_TOKEN]
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// End a connection after so many seconds of silence; 0 for never [default: 1800]
    #[arg(long, value_name = "SECONDS")]
    idle: Option<u64>,
    /// Memory for the tables of all clients together, MiB [default: half of the machine's]
    #[arg(long, value_name = "MIB")]
    max_memory: Option<u64>,
    /// Search threads of all clients together [default: what they begin with and one per core]
    #[arg(long, value_name = "N")]
    max_threads: Option<u64>,
    /// Learn games: those that NBoard says `learn` for and those that GTP clients finish. A FILE.kbook
    /// is an opening book, begun if there is none and played from; any other keeps the games as GGF
    #[arg(long, value_name = "FILE")]
    learn: Option<PathBuf>,
}

/// Runs the command.
///
/// # Errors
/// If the options are wrong or the address cannot be had.
pub(super) fn run(args: &Args, protocol: Protocol) -> Result<(), CliError> {
    let mut options = args.engine.options_for_play()?;
    if let Some(book) = args.learn.as_ref().filter(|path| server::is_book(path)) {
        // Begun before anybody looks for it.
        SharedBook::open_to_learn(book)?;
        if options.get(&BOOK).is_empty() {
            options.put(&BOOK, book.display().to_string()).map_err(CliError::usage)?;
        }
    }
    let service = Service { protocol, options, learn_file: args.learn.clone() };
    let Some(address) = &args.listen else {
        if std::io::stdin().is_terminal() {
            greet(protocol);
        }
        return server::serve_stdio(&service).map_err(|error| failed("standard streams", error));
    };
    let mut listen: Listen = address.parse().map_err(CliError::usage)?;
    if let Some(connections) = args.connections {
        listen.connections = connections as usize;
    }
    listen.token = args.token.clone().or_else(|| std::env::var("KITAI_TOKEN").ok());
    if let Some(seconds) = args.idle {
        listen.idle = (seconds > 0).then(|| Duration::from_secs(seconds.min(LONGEST_IDLE)));
    }
    listen.memory = args.max_memory;
    listen.threads = args.max_threads;
    server::serve_tcp(&listen, &service, |address| {
        eprintln!("kitai: listening on {address}");
        if !address.ip().is_loopback() {
            eprintln!("kitai: warning: other machines can connect; moves and token go unencrypted");
        }
    })
    .map_err(|error| failed(address, error))
}

fn failed(place: &str, error: ServeError) -> CliError {
    match error {
        ServeError::Io(source) => CliError::io(place, source),
        other => CliError::usage(other),
    }
}

/// For a person who started the server by hand. On stderr: stdout belongs to the protocol.
fn greet(protocol: Protocol) {
    let speaks = match protocol {
        Protocol::Auto => "GTP or NBoard.\nTry `help`, `genmove black`, `showboard`",
        Protocol::Gtp => "GTP.\nTry `help`, `genmove black`, `showboard`",
        Protocol::NBoard => "NBoard.\nTry `set depth 8`, `hint 4`, `go`",
    };
    eprintln!(
        "Kitai {} speaks {speaks}; `quit` leaves.\n\
         To play yourself: kitai play. The rest: kitai --help.",
        env!("CARGO_PKG_VERSION")
    );
}
