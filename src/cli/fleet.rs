//! `kitai fleet`: who works on what.

use std::io::IsTerminal;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;

use super::common::stop_on_interrupt;
use super::nats::{AccessArgs, failed};
use super::{CliError, Output};
use crate::fleet::exclusions;
use crate::fleet::status::EVERY;
use crate::fleet::watch::{Watcher, serve_metrics};
use crate::fleet::wire::{Cancel, Name, RunId, passing};

/// Show the workers at a NATS broker, what they do, and the queues; live until Ctrl-C.
///
/// With --json one object per look. --metrics serves the same to Prometheus.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
kitai fleet --nats nats://localhost:4222\n  \
kitai fleet --nats nats://localhost:4222 --once --json\n  \
kitai fleet --nats nats://localhost:4222 --metrics 127.0.0.1:9464\n  \
kitai fleet --nats nats://localhost:4222 --exclude oldbox-12ab --reason 'wrong clock'")]
pub(super) struct Args {
    /// The broker: nats://HOST:4222 or tls://HOST
    #[arg(long, value_name = "URL")]
    nats: String,
    /// Look once and end
    #[arg(long)]
    once: bool,
    /// Print in the text format of Prometheus instead of tables
    #[arg(long)]
    prometheus: bool,
    /// Serve the metrics to Prometheus at this address
    #[arg(long, value_name = "ADDRESS:PORT")]
    metrics: Option<SocketAddr>,
    /// Exclude this worker: it takes no more jobs and its results do not count
    #[arg(long, value_name = "WORKER")]
    exclude: Option<Name>,
    /// Why it is excluded
    #[arg(long, value_name = "TEXT", requires = "exclude", default_value = "by hand")]
    reason: String,
    /// Take this worker back
    #[arg(long, value_name = "WORKER")]
    include: Option<Name>,
    /// Remove the jobs and results of this run, whose coordinator will not come back
    #[arg(long, value_name = "RUN")]
    cancel: Option<RunId>,
    #[command(flatten)]
    access: AccessArgs,
}

/// Runs the command.
///
/// # Errors
/// If the broker or the address cannot be used.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    runtime.map_err(failed)?.block_on(async {
        let access = args.access.access(&args.nats);
        let mut watcher = Watcher::open(&access).await.map_err(failed)?;
        if change(args, &watcher).await? { Ok(()) } else { show(args, &mut watcher, output).await }
    })
}

/// Carries out what was asked for; false if nothing was.
async fn change(args: &Args, watcher: &Watcher) -> Result<bool, CliError> {
    let excluded = &watcher.streams.excluded;
    if let Some(worker) = &args.exclude {
        exclusions::exclude(excluded, worker, &args.reason).await.map_err(failed)?;
    }
    if let Some(worker) = &args.include {
        exclusions::include(excluded, worker).await.map_err(failed)?;
    }
    if let Some(run) = &args.cancel {
        let cancel = Cancel { run: run.clone(), session: u64::MAX };
        let payload = serde_json::to_vec(&cancel).map_err(failed)?;
        let client = &watcher.connection.client;
        client
            .publish(passing("cancel", &run.to_string()), payload.into())
            .await
            .map_err(failed)?;
        watcher.streams.remove(run).await.map_err(failed)?;
        client.flush().await.map_err(failed)?;
    }
    Ok(args.exclude.is_some() || args.include.is_some() || args.cancel.is_some())
}

async fn show(args: &Args, watcher: &mut Watcher, output: &mut Output) -> Result<(), CliError> {
    let (metrics, latest) = watch::channel(String::new());
    if let Some(address) = args.metrics {
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|error| CliError::io(address.to_string(), error))?;
        let bound = listener.local_addr().map_err(failed)?;
        eprintln!("kitai: metrics at http://{bound}/metrics");
        tokio::spawn(serve_metrics(listener, latest));
    }
    let stop = stop_on_interrupt();
    let clear = !output.is_json() && !args.once && std::io::stdout().is_terminal();
    // The first look hears everybody once.
    let mut how_long = Duration::from_millis(EVERY * 1000 + 500);
    while !stop.is_stopped() {
        let snapshot = watcher.look(how_long).await.map_err(failed)?;
        metrics.send_replace(snapshot.prometheus());
        if args.prometheus {
            output.line(snapshot.prometheus().trim_end())?;
        } else {
            let above = if clear { "\x1b[2J\x1b[H" } else { "" };
            output.line(format_args!("{above}{}", snapshot.text()))?;
        }
        output.object(&snapshot)?;
        if args.once {
            break;
        }
        how_long = Duration::from_millis(EVERY * 500);
    }
    Ok(())
}
