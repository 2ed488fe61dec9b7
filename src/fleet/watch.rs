//! What the fleet does, for people, programs and Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

use async_nats::Subscriber;
use futures_util::{StreamExt, TryStreamExt};
use serde::Serialize;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::FleetError;
use super::connect::{Access, Connection};
use super::exclusions::{self, Excluded};
use super::status::{self, RunStatus, WorkerStatus};
use super::streams::{Streams, Timing, broker};
use super::wire;

/// Whoever says nothing for so long is gone.
const SILENT: Duration = Duration::from_secs(3 * status::EVERY + 1);
/// The longest request for metrics that is read, bytes.
const LONGEST_REQUEST: usize = 8192;
/// How long such a request may take.
const REQUEST: Duration = Duration::from_secs(5);

/// The queue of one need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct QueueState {
    /// Jobs that nobody has taken.
    pub waiting: u64,
    /// Jobs that workers hold.
    pub held: u64,
    /// Of these, delivered more than once.
    pub redelivered: u64,
}

/// The fleet at one moment.
#[derive(Clone, Debug, Serialize)]
pub struct Snapshot {
    /// By name.
    pub workers: Vec<WorkerStatus>,
    /// Coordinators, by run.
    pub runs: Vec<RunStatus>,
    /// By name: version and need.
    pub queues: BTreeMap<String, QueueState>,
    /// Reports that no coordinator has taken.
    pub results: u64,
    /// Jobs put aside because nobody could do them.
    pub dead: u64,
    /// Workers that do not count, with the reasons.
    pub excluded: Excluded,
}

/// Looks at a fleet.
pub struct Watcher {
    /// The broker.
    pub connection: Connection,
    /// Its streams.
    pub streams: Streams,
    statuses: Subscriber,
    reports: Subscriber,
    workers: BTreeMap<String, (WorkerStatus, Instant)>,
    runs: BTreeMap<String, (RunStatus, Instant)>,
}

impl Watcher {
    /// Connects.
    ///
    /// # Errors
    /// If the broker cannot be used.
    pub async fn open(access: &Access) -> Result<Watcher, FleetError> {
        let connection = access.connect("kitai fleet").await?;
        let streams = Streams::open(&connection.jetstream, Timing::default()).await?;
        let listen = |topic| connection.client.subscribe(wire::passing(topic, "*"));
        let statuses = listen("workers").await.map_err(broker("listen"))?;
        let reports = listen("runs").await.map_err(broker("listen"))?;
        let (workers, runs) = (BTreeMap::new(), BTreeMap::new());
        Ok(Watcher { connection, streams, statuses, reports, workers, runs })
    }

    /// Listens for so long and says what there is.
    ///
    /// # Errors
    /// If the broker does not answer.
    pub async fn look(&mut self, how_long: Duration) -> Result<Snapshot, FleetError> {
        let end = tokio::time::sleep(how_long);
        tokio::pin!(end);
        loop {
            tokio::select! {
                () = &mut end => break,
                Some(message) = self.statuses.next() => {
                    if let Some(status) = read::<WorkerStatus>(&message.payload) {
                        self.workers.insert(status.name.to_string(), (status, Instant::now()));
                    }
                }
                Some(message) = self.reports.next() => {
                    if let Some(status) = read::<RunStatus>(&message.payload) {
                        self.runs.insert(status.run.to_string(), (status, Instant::now()));
                    }
                }
            }
        }
        self.workers.retain(|_, (_, seen)| seen.elapsed() < SILENT);
        self.runs.retain(|_, (_, seen)| seen.elapsed() < SILENT);
        let what = "look at the streams";
        let infos = self.streams.jobs.consumers().try_collect::<Vec<_>>().await;
        let queues = infos.map_err(broker(what))?.into_iter().map(|info| {
            let name = info.name.strip_prefix("workers-").unwrap_or(&info.name).to_owned();
            let state = QueueState {
                waiting: info.num_pending,
                held: info.num_ack_pending as u64,
                redelivered: info.num_redelivered as u64,
            };
            (name, state)
        });
        Ok(Snapshot {
            workers: self.workers.values().map(|(status, _)| status.clone()).collect(),
            runs: self.runs.values().map(|(status, _)| status.clone()).collect(),
            queues: queues.collect(),
            results: self.streams.results.get_info().await.map_err(broker(what))?.state.messages,
            dead: self.streams.dead.get_info().await.map_err(broker(what))?.state.messages,
            excluded: exclusions::list(&self.streams.excluded).await?,
        })
    }
}

fn read<T: for<'de> serde::Deserialize<'de>>(payload: &[u8]) -> Option<T> {
    (payload.len() <= status::LARGEST_STATUS).then(|| serde_json::from_slice(payload).ok())?
}

impl Snapshot {
    /// The tables that people read.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let slots: usize = self.workers.iter().map(|worker| worker.slots).sum();
        let (waiting, held) = self
            .queues
            .values()
            .fold((0, 0), |(waiting, held), queue| (waiting + queue.waiting, held + queue.held));
        let _ = writeln!(
            text,
            "{} workers, {slots} slots; jobs: {waiting} waiting, {held} held, {} put aside; \
             {} results to be taken",
            self.workers.len(),
            self.dead,
            self.results
        );
        if !self.workers.is_empty() {
            let _ = writeln!(
                text,
                "\n{:<24} {:>5} {:>5} {:>8} {:>6} {:>5} {:>6} {:>9} {:>7}  at work on",
                "worker",
                "cores",
                "slots",
                "done",
                "failed",
                "busy%",
                "Mn/s",
                "signature",
                "version"
            );
        }
        for worker in &self.workers {
            let _ = writeln!(text, "{}", worker_line(worker));
        }
        for run in &self.runs {
            let _ = writeln!(text, "\n{}", run_text(run));
        }
        for (worker, reason) in &self.excluded {
            let _ = writeln!(text, "excluded: {worker}: {reason}");
        }
        text
    }

    /// In the text format of Prometheus.
    pub fn prometheus(&self) -> String {
        let mut metrics = Metrics::default();
        for worker in &self.workers {
            let of = [("worker", worker.name.as_str())];
            let running: usize = worker.running.iter().map(|running| running.jobs).sum();
            metrics.gauge("worker_slots", "Jobs at once.", &of, worker.slots as f64);
            metrics.gauge("worker_running_jobs", "Jobs on slots.", &of, running as f64);
            metrics.counter("worker_jobs_done_total", "Jobs done.", &of, worker.done as f64);
            metrics.counter("worker_jobs_failed_total", "Jobs failed.", &of, worker.failed as f64);
            metrics.counter(
                "worker_refused_total",
                "Messages refused.",
                &of,
                worker.refused as f64,
            );
            let given_back = worker.given_back as f64;
            metrics.counter("worker_given_back_total", "Jobs given back.", &of, given_back);
            metrics.counter("worker_busy_seconds_total", "Slot time.", &of, worker.busy_seconds);
            metrics.gauge("worker_excluded", "1 if excluded.", &of, f64::from(worker.excluded));
        }
        for run in &self.runs {
            let id = run.run.to_string();
            let of = [("run", id.as_str()), ("kind", run.kind.as_str())];
            metrics.gauge("run_jobs", "Jobs in all.", &of, run.total as f64);
            metrics.gauge("run_jobs_done", "Jobs done.", &of, run.done as f64);
            metrics.gauge("run_jobs_out", "Jobs handed out.", &of, run.out as f64);
            metrics.gauge("run_jobs_per_second", "Rate of late.", &of, run.rate);
            metrics.counter("run_refused_total", "Results refused.", &of, run.refused as f64);
            metrics.counter("run_repeated_total", "Results known.", &of, run.repeated as f64);
            metrics.counter("run_failed_total", "Jobs failed.", &of, run.failed as f64);
        }
        for (name, queue) in &self.queues {
            let of = [("queue", name.as_str())];
            metrics.gauge("queue_waiting", "Jobs that nobody has.", &of, queue.waiting as f64);
            metrics.gauge("queue_held", "Jobs at workers.", &of, queue.held as f64);
            let redelivered = queue.redelivered as f64;
            metrics.gauge("queue_redelivered", "Jobs delivered again.", &of, redelivered);
        }
        metrics.gauge("workers", "Workers seen.", &[], self.workers.len() as f64);
        metrics.gauge("results_waiting", "Results not taken.", &[], self.results as f64);
        metrics.gauge("jobs_dead", "Jobs put aside.", &[], self.dead as f64);
        metrics.text()
    }
}

fn worker_line(worker: &WorkerStatus) -> String {
    let mut doing: Vec<String> = worker
        .running
        .iter()
        .map(|one| format!("{} x {} of {} ({:.0} s)", one.jobs, one.kind, one.run, one.longest))
        .collect();
    doing.extend(worker.draining.then(|| "draining".to_owned()));
    doing.extend(worker.excluded.then(|| "EXCLUDED".to_owned()));
    let busy = 100.0 * worker.busy_seconds / (worker.uptime * worker.slots as f64).max(1e-9);
    let signature = worker.signature.map_or("-".to_owned(), |nodes| nodes.to_string());
    let speed = worker.nodes_per_second.map_or("-".to_owned(), |n| format!("{:.1}", n / 1e6));
    format!(
        "{:<24} {:>5} {:>5} {:>8} {:>6} {busy:>5.0} {speed:>6} {signature:>9} {:>7}  {}",
        worker.name.as_str(),
        worker.cores,
        worker.slots,
        worker.done,
        worker.failed,
        worker.version,
        if doing.is_empty() { "nothing".to_owned() } else { doing.join(", ") }
    )
}

/// Where a run stands, and every worker's part in it.
pub fn run_text(run: &RunStatus) -> String {
    let eta = run.eta.map_or("-".to_owned(), |seconds| format!("{seconds:.0} s"));
    let mut text = format!(
        "run {} ({}): {} of {} jobs, {} out, {:.1} jobs/s, ETA {eta}; refused {}, repeated {}, \
         failed {}",
        run.run,
        run.kind,
        run.done,
        run.total,
        run.out,
        run.rate,
        run.refused,
        run.repeated,
        run.failed
    );
    for one in &run.residuals {
        let figure = one.figure.map_or("-".to_owned(), |figure| format!("{figure:.3}"));
        let deviation = one.deviation.map_or("-".to_owned(), |far| format!("{far:+.1}"));
        let _ = write!(
            text,
            "\n  {:<24} {:>8} jobs  speed x {:<5.2} mean {figure:>7}  {deviation:>5} errors off{}{}",
            one.worker.as_str(),
            one.jobs,
            one.speed_ratio,
            if one.refused > 0 { format!("  {} refused", one.refused) } else { String::new() },
            if one.stands_out { "  STANDS OUT" } else { "" },
        );
    }
    text
}

/// Metrics by name, each with its description once.
#[derive(Default)]
struct Metrics {
    families: BTreeMap<&'static str, (&'static str, &'static str, String)>,
}

impl Metrics {
    fn gauge(&mut self, name: &'static str, help: &'static str, of: &[(&str, &str)], value: f64) {
        self.add(name, help, "gauge", of, value);
    }

    fn counter(&mut self, name: &'static str, help: &'static str, of: &[(&str, &str)], value: f64) {
        self.add(name, help, "counter", of, value);
    }

    fn add(
        &mut self,
        name: &'static str,
        help: &'static str,
        kind: &'static str,
        of: &[(&str, &str)],
        value: f64,
    ) {
        let quoted =
            |text: &str| text.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n");
        let labels: Vec<String> =
            of.iter().map(|(key, text)| format!("{key}=\"{}\"", quoted(text))).collect();
        let labels =
            if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let family = self.families.entry(name).or_insert((help, kind, String::new()));
        let _ = writeln!(family.2, "kitai_{name}{labels} {value}");
    }

    fn text(self) -> String {
        let family = |(name, (help, kind, lines)): (&str, (&str, &str, String))| {
            format!("# HELP kitai_{name} {help}\n# TYPE kitai_{name} {kind}\n{lines}")
        };
        self.families.into_iter().map(family).collect()
    }
}

/// Answers every HTTP request with the latest metrics until the process ends.
pub async fn serve_metrics(listener: TcpListener, latest: watch::Receiver<String>) {
    loop {
        let Ok((mut stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let latest = latest.clone();
        tokio::spawn(async move {
            let answering = async {
                let mut request = Vec::new();
                while !request.windows(4).any(|end| end == b"\r\n\r\n") {
                    let mut part = [0; 1024];
                    let count = stream.read(&mut part).await?;
                    request.extend_from_slice(&part[..count]);
                    if count == 0 || request.len() > LONGEST_REQUEST {
                        return Ok(());
                    }
                }
                let body = latest.borrow().clone();
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n\
                     Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
                    body.len()
                );
                stream.write_all(answer.as_bytes()).await?;
                stream.shutdown().await
            };
            // A reader that goes away or never asks is no concern of ours.
            let _: Result<std::io::Result<()>, _> = tokio::time::timeout(REQUEST, answering).await;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_have_each_description_once_and_quote_their_labels() {
        let mut metrics = Metrics::default();
        metrics.gauge("a", "First.", &[("of", "x\"y\\z")], 1.0);
        metrics.gauge("a", "First.", &[("of", "b")], 2.5);
        metrics.counter("b_total", "Second.", &[], 3.0);
        assert_eq!(
            metrics.text(),
            "# HELP kitai_a First.\n# TYPE kitai_a gauge\nkitai_a{of=\"x\\\"y\\\\z\"} 1\n\
             kitai_a{of=\"b\"} 2.5\n# HELP kitai_b_total Second.\n# TYPE kitai_b_total counter\n\
             kitai_b_total 3\n"
        );
    }
}
