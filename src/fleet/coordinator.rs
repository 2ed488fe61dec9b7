//! Hands out the jobs of one run and counts each result once.
//!
//! At most a window of jobs is out at a time, so memory does not grow with their number. A report
//! is acknowledged when the run's file has it; one that nobody acknowledged is delivered to the next
//! coordinator of the same run. Reports that cannot be true are refused and their jobs handed out
//! anew; a worker that sends several is excluded.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{AckKind, Message};
use async_nats::{RequestErrorKind, Subscriber};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt, future::BoxFuture};
use serde_json::Value;
use tokio::sync::watch;

use super::FleetError;
use super::connect::{Access, Connection, describe};
use super::exclusions::{self, Excluded};
use super::files::Outgoing;
use super::residuals::{Measure, Residuals};
use super::status::{self, RunStatus, WorkerStatus};
use super::streams::{Streams, Timing, broker};
use super::wire::{self, Cancel, End, Job, Name, PROTOCOL, Refusal, Report, RunId};
use crate::search::StopFlag;

/// Fewest jobs out at a time.
const NARROWEST: usize = 64;
/// Jobs out for every slot of the fleet: one running, the others ready.
const PER_SLOT: usize = 4;
/// Most jobs out at a time.
const WIDEST: usize = 1 << 16;
/// Jobs being published at a time.
const PUBLISHING: usize = 256;
/// Failures of a job before it is given up.
const GIVE_UP: u32 = 5;
/// Refused reports before a worker is excluded.
const EXCLUDE: u64 = 3;
/// How long a job may be out before it is published again, in case the broker lost it.
const STALE: Duration = Duration::from_secs(120);
/// Pause before a job is published again that the queue still had.
const SOON: Duration = Duration::from_secs(1);
/// How often to look at the stop flag and the jobs that are out.
const TICK: Duration = Duration::from_millis(100);
/// Reports held until those before them are written are said to be in hand this often.
const IN_HAND: Duration = Duration::from_secs(20);
/// The rate is that of so long.
const LATELY: Duration = Duration::from_secs(30);
/// A worker silent for so long is gone.
const SILENT: Duration = Duration::from_secs(3 * status::EVERY);
/// Residuals in one status.
const SHOWN: usize = 100;

/// The work of one run, cut into numbered jobs.
pub trait Work {
    /// The kind of work, as workers know it.
    fn kind(&self) -> &'static str;
    /// The same however often the work is taken up again.
    fn run(&self) -> RunId;
    /// Whether it can be taken up again.
    fn resumes(&self) -> bool;
    /// Jobs in all.
    fn total(&self) -> u64;
    /// Jobs done, those found done included.
    fn done(&self) -> u64;
    /// Search threads that a job needs.
    fn threads(&self) -> u32;
    /// External engines that a job needs.
    fn engines(&self) -> Vec<Name> {
        Vec::new()
    }
    /// Files that the jobs name.
    fn files(&mut self) -> Outgoing;
    /// The next job to hand out; `None` if there is none now. Results may bring new ones.
    fn next(&mut self) -> Option<u64>;
    /// What to do.
    fn body(&self, number: u64) -> Value;
    /// Takes a result in, once.
    ///
    /// # Errors
    /// If it cannot be true, or cannot be kept.
    fn take(&mut self, number: u64, worker: &Name, result: Value) -> Result<Taken, TakeError>;
    /// Whether the result is where it stays; until then its report is not acknowledged.
    fn is_written(&self, number: u64) -> bool;
    /// Whether no more results are wanted, though jobs may be left.
    fn is_decided(&self) -> bool {
        false
    }
}

/// What became of a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Taken {
    /// It counts.
    Counted(Measure),
    /// It was known already.
    Known,
}

/// Why a result was not taken.
#[derive(Clone, Debug, PartialEq)]
pub enum TakeError {
    /// It cannot be true: hand the job out anew.
    Refused(String),
    /// It cannot be kept: stop.
    Keeping(String),
}

/// What a coordinator tells as it goes.
pub enum News<'a> {
    /// Where the run stands.
    Status(&'a RunStatus),
    /// Something that people should know.
    Note(String),
}

/// How a coordinator goes about it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Leases and message ids.
    pub timing: Timing,
    /// Deliveries of a job after which it is put aside.
    pub tries: u32,
    /// Workers to exclude before anything is handed out.
    pub exclude: Vec<Name>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { timing: Timing::default(), tries: 5, exclude: Vec::new() }
    }
}

/// Conducts the run until it is done, decided or stopped.
///
/// # Errors
/// If the broker cannot be used, a job cannot be done by anyone, or a result cannot be kept.
pub fn conduct(
    access: &Access,
    settings: Settings,
    work: &mut dyn Work,
    stop: &StopFlag,
    news: &mut dyn FnMut(News<'_>),
) -> Result<(), FleetError> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(async {
        let connection = access.connect(&format!("kitai {}", work.kind())).await?;
        let streams = Streams::open(&connection.jetstream, settings.timing).await?;
        let mut coordinator = Coordinator::begin(connection, streams, settings, work).await?;
        let ended = coordinator.run(stop, news).await;
        coordinator.leave(ended.is_ok() && !stop.is_stopped()).await;
        ended
    })
}

/// A job that is out.
struct Out {
    attempt: u32,
    /// How often it was published anew without an answer.
    sends: u32,
    failures: u32,
    /// When to publish it again.
    again: Instant,
}

type Published = (u64, Result<(), String>);

struct Coordinator<'w> {
    connection: Connection,
    streams: Streams,
    settings: Settings,
    work: &'w mut dyn Work,
    run: RunId,
    session: u64,
    need: String,
    out: BTreeMap<u64, Out>,
    /// Reports taken but not written.
    held: BTreeMap<u64, Message>,
    publishing: FuturesUnordered<BoxFuture<'static, Published>>,
    workers: BTreeMap<Name, (WorkerStatus, Instant)>,
    excluded: watch::Receiver<Excluded>,
    residuals: Residuals,
    counts: Counts,
    lately: VecDeque<(Instant, u64)>,
    /// Everything that there is to do now was handed out.
    exhausted: bool,
    /// Differing bench signatures that were told of.
    signatures: BTreeSet<u64>,
}

#[derive(Default)]
struct Counts {
    refused: u64,
    repeated: u64,
    failed: u64,
}

impl<'w> Coordinator<'w> {
    async fn begin(
        connection: Connection,
        streams: Streams,
        settings: Settings,
        work: &'w mut dyn Work,
    ) -> Result<Coordinator<'w>, FleetError> {
        let run = work.run();
        let conductor = wire::passing("conductor", &run.to_string());
        match connection.client.request(conductor, "".into()).await {
            Ok(_) => return Err(FleetError::Conducted(run)),
            Err(error) if error.kind() == RequestErrorKind::NoResponders => {}
            Err(error) => tracing::debug!("nobody answers for {run}: {error}"),
        }
        for worker in &settings.exclude {
            exclusions::exclude(&streams.excluded, worker, "asked for by a coordinator").await?;
        }
        work.files().send(&streams.files).await?;
        let need = wire::need(&work.engines());
        // Workers look for queues; the one of these jobs may be new to them.
        streams.queue(&need, settings.timing).await?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Coordinator {
            excluded: exclusions::follow(streams.excluded.clone()),
            connection,
            streams,
            settings,
            work,
            run,
            session: now.as_millis() as u64,
            need,
            out: BTreeMap::new(),
            held: BTreeMap::new(),
            publishing: FuturesUnordered::new(),
            workers: BTreeMap::new(),
            residuals: Residuals::default(),
            counts: Counts::default(),
            lately: VecDeque::new(),
            exhausted: false,
            signatures: BTreeSet::new(),
        })
    }

    async fn run(
        &mut self,
        stop: &StopFlag,
        news: &mut dyn FnMut(News<'_>),
    ) -> Result<(), FleetError> {
        let mut reports = self.reports().await?;
        let mut statuses = self.subscribe("workers", "*").await?;
        let mut pings = self.subscribe("conductor", &self.run.to_string()).await?;
        let mut tick = tokio::time::interval(TICK);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut ticks: u64 = 0;
        while !stop.is_stopped() && !self.work.is_decided() {
            self.hand_out();
            if self.is_done() {
                break;
            }
            tokio::select! {
                report = reports.next() => match report {
                    Some(Ok(message)) => self.on_report(message, news)?,
                    broken => {
                        let why = broken.map_or("it ended".to_owned(), |error| {
                            error.map_or_else(|error| describe(&error), |_| String::new())
                        });
                        tracing::debug!("the results must be opened again: {why}");
                        tokio::time::sleep(TICK * 5).await;
                        // Without a broker there is nothing to read; the next turn tries again.
                        if let Ok(again) = self.reports().await {
                            reports = again;
                        }
                    }
                },
                Some((number, result)) = self.publishing.next() => self.on_published(number, result),
                Some(message) = statuses.next() => self.on_status(&message.payload),
                Some(message) = pings.next() => self.answer(message),
                _ = tick.tick() => {
                    self.send_again();
                    if ticks.is_multiple_of(5) {
                        news(News::Status(&self.status()));
                    }
                    if ticks.is_multiple_of(status::EVERY * 10) {
                        self.tell();
                        self.compare_signatures(news);
                    }
                    if ticks.is_multiple_of((IN_HAND.as_millis() / TICK.as_millis()) as u64) {
                        self.held.values().for_each(|message| ack(message, AckKind::Progress));
                    }
                    ticks += 1;
                }
            }
        }
        news(News::Status(&self.status()));
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.exhausted && self.out.is_empty() && self.held.is_empty()
    }

    async fn reports(&self) -> Result<pull::Stream, FleetError> {
        let consumer = self.streams.reports(&self.run).await?;
        let stream = consumer.stream().max_messages_per_batch(500);
        let stream = stream.heartbeat(Duration::from_secs(5)).expires(Duration::from_secs(30));
        stream.messages().await.map_err(broker("read the results"))
    }

    async fn subscribe(&self, topic: &str, name: &str) -> Result<Subscriber, FleetError> {
        let subject = wire::passing(topic, name);
        self.connection.client.subscribe(subject).await.map_err(broker("listen"))
    }

    /// Publishes jobs while the window has room.
    fn hand_out(&mut self) {
        let slots: usize = self.workers.values().map(|(status, _)| status.slots).sum();
        let window = (slots * PER_SLOT).clamp(NARROWEST, WIDEST);
        while self.out.len() + self.held.len() < window && self.publishing.len() < PUBLISHING {
            let next = self.work.next();
            self.exhausted = next.is_none();
            let Some(number) = next else { return };
            let out = Out { attempt: 0, sends: 0, failures: 0, again: Instant::now() + STALE };
            self.out.insert(number, out);
            self.publish(number);
        }
    }

    fn publish(&mut self, number: u64) {
        let Some(out) = self.out.get(&number) else { return };
        let job = Job {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            run: self.run.clone(),
            session: self.session,
            number,
            attempt: out.attempt,
            kind: self.work.kind().to_owned(),
            threads: self.work.threads(),
            tries: self.settings.tries,
            body: self.work.body(number),
        };
        let id = format!("{}.{}", job.message_id(), out.sends);
        let subject = wire::job_subject(&self.need, &self.run, number);
        let jetstream = self.connection.jetstream.clone();
        self.publishing.push(
            async move {
                let payload = match serde_json::to_vec(&job) {
                    Ok(payload) => payload,
                    Err(error) => return (number, Err(error.to_string())),
                };
                let message = PublishMessage::build().payload(payload.into()).message_id(id);
                let sent = match jetstream.send_publish(subject, message).await {
                    Ok(acknowledged) => acknowledged.await.map(drop),
                    Err(error) => Err(error),
                };
                (number, sent.map_err(|error| describe(&error)))
            }
            .boxed(),
        );
    }

    fn on_published(&mut self, number: u64, result: Result<(), String>) {
        let Some(out) = self.out.get_mut(&number) else { return };
        match result {
            Ok(()) => out.again = Instant::now() + STALE,
            // The queue has this job still. If it was handed out anew, the worker that did it
            // before has not let go of it yet.
            Err(error) if error.contains("per subject") => {
                out.again = Instant::now() + if out.attempt > 0 { SOON } else { STALE };
            }
            Err(error) => {
                tracing::debug!("job {number} was not published: {error}");
                out.again = Instant::now() + SOON;
            }
        }
    }

    fn send_again(&mut self) {
        let now = Instant::now();
        let due: Vec<u64> = self
            .out
            .iter()
            .filter(|(_, out)| out.again <= now)
            .map(|(&number, _)| number)
            .collect();
        for number in due.into_iter().take(PUBLISHING) {
            if let Some(out) = self.out.get_mut(&number) {
                out.sends += 1;
                out.again = now + STALE;
            }
            self.publish(number);
        }
    }

    /// Hands a job out anew after a bad report.
    fn hand_out_anew(&mut self, number: u64) {
        if let Some(out) = self.out.get_mut(&number) {
            out.attempt += 1;
            out.again = Instant::now() + STALE;
            self.publish(number);
        }
    }

    fn on_report(
        &mut self,
        message: Message,
        news: &mut dyn FnMut(News<'_>),
    ) -> Result<(), FleetError> {
        let report = match Report::read(&message.subject, &message.payload) {
            Ok(report) => report,
            Err(refusal) => {
                self.refuse(&message.subject, None, &refusal, news);
                ack(&message, AckKind::Ack);
                return Ok(());
            }
        };
        let (number, worker) = (report.number, report.worker);
        if self.excluded.borrow().contains_key(&worker) {
            self.counts.refused += 1;
            self.hand_out_anew(number);
            ack(&message, AckKind::Ack);
            return Ok(());
        }
        match report.end {
            End::Failed(reason) => self.on_failure(number, &worker, &reason, news)?,
            End::Done(result) => match self.work.take(number, &worker, result) {
                Ok(Taken::Counted(measure)) => {
                    self.out.remove(&number);
                    self.residuals.count(&worker, report.seconds, measure);
                    if !self.work.is_written(number) {
                        self.held.insert(number, message);
                        return Ok(());
                    }
                    self.let_go();
                }
                Ok(Taken::Known) => {
                    self.out.remove(&number);
                    self.counts.repeated += 1;
                    if self.held.contains_key(&number) {
                        return Ok(());
                    }
                }
                Err(TakeError::Refused(reason)) => {
                    let refusal = Refusal::Content(reason);
                    self.refuse(&message.subject, Some(&worker), &refusal, news);
                }
                Err(TakeError::Keeping(reason)) => return Err(FleetError::Keeping(reason)),
            },
        }
        ack(&message, AckKind::Ack);
        Ok(())
    }

    /// Acknowledges held reports that are written now.
    fn let_go(&mut self) {
        while let Some((&number, _)) = self.held.first_key_value()
            && self.work.is_written(number)
            && let Some(message) = self.held.remove(&number)
        {
            ack(&message, AckKind::Ack);
        }
    }

    fn on_failure(
        &mut self,
        number: u64,
        worker: &Name,
        reason: &str,
        news: &mut dyn FnMut(News<'_>),
    ) -> Result<(), FleetError> {
        let Some(out) = self.out.get_mut(&number) else { return Ok(()) };
        out.failures += 1;
        let tries = out.failures;
        self.counts.failed += 1;
        let reason = format!("{worker}: {}", wire::shortened(reason));
        if tries >= GIVE_UP {
            return Err(FleetError::GivenUp { number, tries, reason });
        }
        news(News::Note(format!("job {number} failed at {reason}")));
        self.hand_out_anew(number);
        Ok(())
    }

    fn refuse(
        &mut self,
        subject: &str,
        worker: Option<&Name>,
        refusal: &Refusal,
        news: &mut dyn FnMut(News<'_>),
    ) {
        self.counts.refused += 1;
        let from = worker.map_or("an unknown sender", Name::as_str);
        news(News::Note(format!("a result of {from} was refused ({subject}): {refusal}")));
        let number = subject.rsplit('.').next().and_then(|token| token.parse().ok());
        number.into_iter().for_each(|number| self.hand_out_anew(number));
        if let Some(worker) = worker
            && self.residuals.refuse(worker) == EXCLUDE
        {
            let reason = format!("{EXCLUDE} results refused, the last because {refusal}");
            news(News::Note(format!("{worker} is excluded: {reason}")));
            let (store, worker) = (self.streams.excluded.clone(), worker.clone());
            tokio::spawn(async move {
                // If the broker is gone, the next refused report tries again.
                let _ = exclusions::exclude(&store, &worker, &reason).await;
            });
        }
    }

    fn on_status(&mut self, payload: &[u8]) {
        if payload.len() > status::LARGEST_STATUS {
            return;
        }
        if let Ok(status) = serde_json::from_slice::<WorkerStatus>(payload) {
            self.workers.insert(status.name.clone(), (status, Instant::now()));
        }
        self.workers.retain(|_, (_, seen)| seen.elapsed() < SILENT);
    }

    /// Says once if not all workers have the same search.
    fn compare_signatures(&mut self, news: &mut dyn FnMut(News<'_>)) {
        let known = |(status, _): &(WorkerStatus, Instant)| status.signature;
        let different: BTreeSet<u64> = self.workers.values().filter_map(known).collect();
        if different.len() > 1 && different != self.signatures {
            news(News::Note(format!(
                "the workers' searches differ (bench signatures {different:?}): see kitai fleet"
            )));
            self.signatures = different;
        }
    }

    fn answer(&self, message: async_nats::Message) {
        if let Some(reply) = message.reply {
            let client = self.connection.client.clone();
            // Nobody waits for longer than the question takes.
            tokio::spawn(async move { client.publish(reply, "here".into()).await.ok() });
        }
    }

    fn status(&mut self) -> RunStatus {
        let (now, done, total) = (Instant::now(), self.work.done(), self.work.total());
        self.lately.push_back((now, done));
        while self.lately.front().is_some_and(|(then, _)| now - *then > LATELY) {
            self.lately.pop_front();
        }
        let rate = self.lately.front().map_or(0.0, |&(then, before)| {
            (done - before) as f64 / (now - then).as_secs_f64().max(1e-9)
        });
        let usable = || self.workers.values().filter(|(status, _)| !status.excluded);
        RunStatus {
            run: self.run.clone(),
            kind: self.work.kind().to_owned(),
            total,
            done,
            out: self.out.len() as u64,
            rate,
            eta: (rate > 0.0).then(|| (total - done) as f64 / rate),
            refused: self.counts.refused,
            repeated: self.counts.repeated,
            failed: self.counts.failed,
            workers: usable().count(),
            slots: usable().map(|(status, _)| status.slots).sum(),
            residuals: self.residuals.table().into_iter().take(SHOWN).collect(),
        }
    }

    /// Publishes the status.
    fn tell(&mut self) {
        let subject = wire::passing("runs", &self.run.to_string());
        let payload = serde_json::to_vec(&self.status()).unwrap_or_default();
        let client = self.connection.client.clone();
        tokio::spawn(async move { client.publish(subject, payload.into()).await.ok() });
    }

    /// Tells the workers that nothing more is wanted. What a run that can be taken up again has not
    /// taken yet stays at the broker.
    async fn leave(&mut self, finished: bool) {
        let cancel = Cancel { run: self.run.clone(), session: self.session };
        let subject = wire::passing("cancel", &self.run.to_string());
        let payload = serde_json::to_vec(&cancel).unwrap_or_default();
        let leaving = async {
            let _ = self.connection.client.publish(subject, payload.into()).await;
            let removed = if finished || !self.work.resumes() {
                self.streams.remove(&self.run).await
            } else {
                self.streams.drop_jobs(&self.run).await
            };
            if let Err(error) = removed {
                tracing::warn!("{error}; its jobs stay in the queue");
            }
            let _ = self.connection.client.flush().await;
        };
        // A broker that is gone must not keep the command from ending.
        let _ = tokio::time::timeout(Duration::from_secs(5), leaving).await;
    }
}

/// Acknowledges without waiting for the broker.
fn ack(message: &Message, kind: AckKind) {
    let message = message.clone();
    // A lost acknowledgement means that the message comes again, which does no harm.
    tokio::spawn(async move { message.ack_with(kind).await.ok() });
}
