//! `kitai worker`: does the jobs of others.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::watch;

use super::nats::{AccessArgs, failed};
use super::{CliError, Output};
use crate::arena::PlayerSpec;
use crate::arena::spec::Engine;
use crate::files;
use crate::fleet::streams::Timing;
use crate::fleet::wire::Name;
use crate::fleet::work::{Caps, Equipment};
use crate::fleet::worker::{WorkerSettings, work};
use crate::memory;
use crate::options::Options;
use crate::search::{build, suite};
use crate::text;

/// The largest file of engines, bytes.
const LARGEST_ENGINES: u64 = 1 << 20;

/// Take jobs from a NATS broker: games, self-play, positions to label or solve.
///
/// As many jobs at once as --jobs says. SIGTERM or Ctrl-C: take no more, finish what is running
/// within --grace seconds and give back the rest; a second signal gives everything back at once.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
kitai worker --nats nats://localhost:4222\n  \
kitai worker --nats tls://broker.example --nats-nkey worker.nk --engines engines.toml\n\n\
An engines file names the programs that jobs may ask for; nothing else is ever started:\n  \
rhino = \"gtp:/usr/games/gtp-rhino -l 3\"\n  \
ntest = \"depth=12,nboard:/opt/ntest/ntest\"")]
pub(super) struct Args {
    /// The broker: nats://HOST:4222 or tls://HOST, several separated by commas
    #[arg(long, value_name = "URL")]
    nats: String,
    /// Name in the fleet [default: the host's name and four digits]
    #[arg(long)]
    name: Option<Name>,
    /// Jobs at once [default: the cores of this machine]
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    jobs: Option<u32>,
    /// TOML file with the external engines of this machine
    #[arg(long, value_name = "FILE")]
    engines: Option<PathBuf>,
    /// Folder for weights and tables [default: kitai/fleet in the user's cache folder]
    #[arg(long, value_name = "FOLDER")]
    cache: Option<PathBuf>,
    /// Memory that one player or solver may use [default: half of the machine's, shared by the jobs]
    #[arg(long, value_name = "MIB")]
    memory: Option<u64>,
    /// The longest that a job may take
    #[arg(long, value_name = "SECONDS", default_value_t = 86_400)]
    longest: u64,
    /// How long running jobs may go on after a signal
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    grace: u64,
    /// Skip `kitai bench` at the start; signature and speed are then not known to the fleet
    #[arg(long)]
    no_bench: bool,
    #[command(flatten)]
    access: AccessArgs,
}

#[derive(Serialize)]
struct Report {
    worker: String,
    done: u64,
    failed: u64,
    refused: u64,
    given_back: u64,
}

/// Runs the command.
///
/// # Errors
/// If a file, the bench or the broker cannot be used.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let name = match &args.name {
        Some(name) => name.clone(),
        None => default_name(),
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let slots = args.jobs.map_or(cores, |jobs| jobs as usize);
    let engines = args.engines.as_deref().map(read_engines).transpose()?.unwrap_or_default();
    let memory = args.memory.unwrap_or(memory::physical_mebibytes() / 2 / slots as u64);
    let bench = if args.no_bench { None } else { Some(bench()?) };
    let settings = WorkerSettings {
        name: name.clone(),
        slots,
        engines: engines.keys().cloned().collect(),
        cache: args.cache.clone().unwrap_or_else(default_cache),
        longest_job: Duration::from_secs(args.longest),
        grace: Duration::from_secs(args.grace),
        timing: Timing::default(),
        bench,
    };
    let about = bench.map_or(String::new(), |(nodes, speed)| {
        format!(", bench signature {nodes}, {:.1} Mn/s", speed / 1e6)
    });
    output
        .line(format_args!("worker {name}: {} at once{about}", text::count(slots as u64, "job")))?;
    let factory = Equipment { engines, caps: Caps { memory, threads: slots as u64 } }.factory();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(failed)?;
    let access = args.access.access(&args.nats);
    let counts = runtime.block_on(async {
        let ending = signals().map_err(failed)?;
        work(&access, settings, factory, ending).await.map_err(failed)
    })?;
    let report = Report {
        worker: name.to_string(),
        done: counts.done,
        failed: counts.failed,
        refused: counts.refused,
        given_back: counts.given_back,
    };
    output.line(format_args!(
        "worker {name}: {} done, {} failed, {} refused, {} given back",
        text::count(report.done, "job"),
        report.failed,
        report.refused,
        report.given_back
    ))?;
    output.object(&report)
}

/// Nodes of the suite, and nodes per second.
fn bench() -> Result<(u64, f64), CliError> {
    let mut method = build(&Options::new()).map_err(CliError::input)?;
    let total = suite::run(method.as_mut(), |_, _| Ok::<(), CliError>(()))?;
    Ok((total.nodes, total.nodes as f64 / total.elapsed.as_secs_f64().max(1e-9)))
}

fn read_engines(path: &Path) -> Result<BTreeMap<Name, PlayerSpec>, CliError> {
    let bad = |reason: String| CliError::Input(format!("{}: {reason}", path.display()));
    let bytes = files::read(path, LARGEST_ENGINES).map_err(|error| bad(error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| bad("not text".to_owned()))?;
    let lines: BTreeMap<String, String> =
        toml::from_str(&text).map_err(|error| bad(error.to_string()))?;
    let mut engines = BTreeMap::new();
    for (name, player) in lines {
        let spec = PlayerSpec::parse(&player).map_err(|error| bad(error.to_string()))?;
        if matches!(spec.engine, Engine::BuiltIn(_)) {
            return Err(bad(format!(
                "`{name}` is no external engine: gtp:COMMAND or nboard:COMMAND"
            )));
        }
        engines.insert(name.parse().map_err(|error| bad(format!("{error}")))?, spec);
    }
    Ok(engines)
}

fn default_name() -> Name {
    let host = std::fs::read_to_string("/etc/hostname")
        .ok()
        .or_else(|| std::env::var("HOSTNAME").ok())
        .unwrap_or_default();
    let plain: String = host
        .trim()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .take(48)
        .collect();
    let host = if plain.is_empty() { "worker".to_owned() } else { plain };
    let name = format!("{host}-{:04x}", rand::random::<u16>());
    name.parse().expect("letters, digits and hyphens, at most 53")
}

fn default_cache() -> PathBuf {
    dirs::cache_dir().unwrap_or_else(std::env::temp_dir).join("kitai").join("fleet")
}

/// How often the process was asked to end.
fn signals() -> std::io::Result<watch::Receiver<u8>> {
    let (sender, receiver) = watch::channel(0u8);
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
                sender.send_modify(|times| *times = times.saturating_add(1));
            }
        });
    }
    #[cfg(not(unix))]
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            sender.send_modify(|times| *times = times.saturating_add(1));
        }
    });
    Ok(receiver)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_external_engines_stand_in_an_engines_file() {
        let file = std::env::temp_dir().join(format!("kitai-engines-{}", std::process::id()));
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            read_engines(&file).map_err(|error| error.to_string())
        };
        let engines = read("rhino = \"gtp:/usr/games/gtp-rhino -l 1\"").unwrap();
        assert_eq!(engines.keys().map(Name::as_str).collect::<Vec<_>>(), ["rhino"]);
        assert!(read("x = \"depth=3\"").unwrap_err().contains("no external engine"));
        assert!(read("\"a b\" = \"gtp:x\"").unwrap_err().contains("`a b` is no name"));
        assert!(read("nonsense").is_err());
        std::fs::remove_file(&file).unwrap();
        default_name();
    }
}
