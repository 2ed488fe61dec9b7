//! `kitai web`: the board in the browser.

use std::io::IsTerminal;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use super::CliError;
use super::common::EngineArgs;
use crate::server::Listen;
use crate::web::{Web, WebError};

/// Play, study, compare methods and watch matches in the browser
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  kitai web\n  kitai web --config level-5 --listen 8088\n  \
kitai web --watch results/a-v-b.jsonl\n  kitai web --listen 0.0.0.0:8088 --token SECRET")]
pub(super) struct Args {
    #[command(flatten)]
    engine: EngineArgs,
    /// Where to serve: PORT on this machine only, or IP:PORT
    #[arg(long, value_name = "ADDRESS", default_value = "8088")]
    listen: String,
    /// What pages must show that are opened from other machines [default: the environment variable
    /// KITAI_TOKEN]
    #[arg(long, value_name = "TOKEN")]
    token: Option<String>,
    /// A name by which other machines know this one; may be repeated
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    /// Show this match: the log (NAME.jsonl) of a running or finished match or tournament
    #[arg(long, value_name = "FILE")]
    watch: Option<PathBuf>,
    /// Do not open the browser
    #[arg(long)]
    no_open: bool,
    /// Pages served at once
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1000))]
    tabs: u32,
    /// Memory for the tables of all pages together, MiB [default: half of the machine's]
    #[arg(long, value_name = "MIB")]
    max_memory: Option<u64>,
    /// Search threads of all pages together, beyond one for each search [default: one per core]
    #[arg(long, value_name = "N")]
    max_threads: Option<u64>,
    /// Take the page's files from this folder, for those who change them
    #[arg(long, value_name = "FOLDER", hide = true)]
    page: Option<PathBuf>,
}

/// The opponent that the page proposes.
const PRESET: &str = "level-3";

/// Runs the command.
///
/// # Errors
/// If the options are wrong or the address cannot be had.
pub(super) fn run(args: &Args) -> Result<(), CliError> {
    let listen: Listen = args.listen.parse().map_err(CliError::usage)?;
    let is_preset = |name: &String| crate::config::built_in_names().any(|known| known == name);
    let proposed = args.engine.config.clone().filter(is_preset);
    // A built-in preset is the opponent proposed; a file of options holds for every search.
    let config = args.engine.config.clone().filter(|name| !is_preset(name));
    let engine = EngineArgs { config, settings: args.engine.settings.clone() };
    let token = args.token.clone().or_else(|| std::env::var("KITAI_TOKEN").ok());
    let web = Web {
        address: listen.address,
        token: token.filter(|_| args.token.is_some() || !listen.address.ip().is_loopback()),
        hosts: args.host.clone(),
        tabs: args.tabs as usize,
        memory: args.max_memory,
        threads: args.max_threads,
        options: engine.options()?,
        preset: proposed.unwrap_or_else(|| PRESET.to_owned()),
        watch: args.watch.clone(),
        page: args.page.clone(),
    };
    let opens = !args.no_open && has_screen();
    web.serve(|address| announce(address, web.token.as_deref(), opens)).map_err(|error| match error
    {
        WebError::Io(source) => CliError::io(args.listen.clone(), source),
        other => CliError::usage(other),
    })
}

/// Tells where the page is, and opens it.
fn announce(address: SocketAddr, token: Option<&str>, opens: bool) {
    let query = token.map_or(String::new(), |token| format!("?token={token}"));
    let shown = match address.ip() {
        ip if ip.is_unspecified() => SocketAddr::new(local_of(ip), address.port()),
        _ => address,
    };
    let page = format!("http://{shown}/{query}");
    eprintln!("kitai: the board is at {page} (Ctrl-C ends)");
    if !address.ip().is_loopback() {
        eprintln!("kitai: warning: other machines can connect; moves and token go unencrypted");
    }
    if opens && let Err(error) = open::that_detached(&page) {
        eprintln!("kitai: no browser could be opened ({error}); open the address by hand");
    }
}

fn local_of(ip: IpAddr) -> IpAddr {
    if ip.is_ipv4() { [127, 0, 0, 1].into() } else { std::net::Ipv6Addr::LOCALHOST.into() }
}

/// Whether a person sits before a screen of this machine.
fn has_screen() -> bool {
    let display =
        ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some());
    std::io::stderr().is_terminal() && (display || cfg!(any(windows, target_os = "macos")))
}
