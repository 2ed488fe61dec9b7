//! The streams and consumers, made by whoever comes first and found by everybody else.
//!
//! Only what nats-server 2.9 has. The queue refuses a second message of one subject, so that a job
//! is never in it twice, however often a coordinator publishes it.

use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, Stream};
use async_nats::jetstream::{Context, kv, object_store};

use super::FleetError;
use super::connect::describe;
use super::wire::{self, LARGEST, PROTOCOL, RunId};

/// How long the broker remembers message ids.
const DUPLICATES: Duration = Duration::from_secs(120);
/// How long unfinished work is kept for a coordinator that is gone.
const KEPT: Duration = Duration::from_secs(7 * 24 * 3600);
/// Jobs put aside that are kept for people.
const DEAD: i64 = 10_000;
/// Jobs out at workers, and workers waiting for one, at a time: more than 1,000 machines of 64
/// cores have.
const AT_ONCE: i64 = 100_000;
/// How long a coordinator may take to write a result down before it is delivered again.
const WRITING: Duration = Duration::from_secs(60);
/// Bytes of headers and framing beside a message of the largest size.
const FRAME: usize = 4096;

/// What can be changed about the streams, for tests and unusual fleets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// How long a worker may say nothing about a job before another gets it.
    pub lease: Duration,
    /// How long the broker remembers message ids.
    pub duplicates: Duration,
}

impl Default for Timing {
    fn default() -> Timing {
        Timing { lease: Duration::from_secs(30), duplicates: DUPLICATES }
    }
}

/// The streams of a fleet.
#[derive(Clone)]
pub struct Streams {
    /// Jobs not yet done.
    pub jobs: Stream,
    /// Reports not yet taken.
    pub results: Stream,
    /// Jobs put aside.
    pub dead: Stream,
    /// Workers that shall take no jobs, with the reason.
    pub excluded: kv::Store,
    /// Files by hash.
    pub files: object_store::ObjectStore,
}

impl Streams {
    /// Finds the streams or makes them.
    ///
    /// # Errors
    /// If the broker refuses, such as one without JetStream.
    pub async fn open(jetstream: &Context, timing: Timing) -> Result<Streams, FleetError> {
        let name = |what: &str| format!("KITAI_{PROTOCOL}_{what}");
        let queue = Config {
            retention: RetentionPolicy::WorkQueue,
            max_age: KEPT,
            max_message_size: (LARGEST + FRAME) as i32,
            duplicate_window: timing.duplicates,
            ..Config::default()
        };
        let jobs = Config {
            name: name("JOBS"),
            subjects: vec![wire::jobs(">")],
            max_messages_per_subject: 1,
            discard: DiscardPolicy::New,
            discard_new_per_subject: true,
            ..queue.clone()
        };
        let results =
            Config { name: name("RESULTS"), subjects: vec![wire::results(">")], ..queue.clone() };
        let dead = Config {
            name: name("DEAD"),
            subjects: vec![wire::dead(">")],
            retention: RetentionPolicy::Limits,
            max_messages: DEAD,
            ..queue
        };
        Ok(Streams {
            jobs: stream(jetstream, jobs).await?,
            results: stream(jetstream, results).await?,
            dead: stream(jetstream, dead).await?,
            excluded: excluded(jetstream, name("EXCLUDED")).await?,
            files: files(jetstream, name("FILES")).await?,
        })
    }

    /// The queue of the jobs with this need, shared by all workers that can do them.
    ///
    /// # Errors
    /// If the broker refuses.
    pub async fn queue(&self, need: &str, timing: Timing) -> Result<PullConsumer, FleetError> {
        let name = format!("{}{need}", queue_prefix());
        let config = pull::Config {
            durable_name: Some(name.clone()),
            filter_subject: wire::jobs(&format!("{}.{need}.>", wire::version_token())),
            ack_policy: AckPolicy::Explicit,
            ack_wait: timing.lease,
            // Workers count deliveries themselves and put a job aside that comes too often.
            max_deliver: -1,
            max_ack_pending: AT_ONCE,
            max_waiting: AT_ONCE,
            ..pull::Config::default()
        };
        self.jobs.get_or_create_consumer(&name, config).await.map_err(broker("open the queue"))
    }

    /// The needs of which queues exist for this version of Kitai.
    ///
    /// # Errors
    /// If the broker does not answer.
    pub async fn needs(&self) -> Result<Vec<String>, FleetError> {
        use futures_util::TryStreamExt;
        let names = self.jobs.consumer_names().try_collect::<Vec<String>>().await;
        let names = names.map_err(broker("list the queues"))?;
        Ok(names
            .iter()
            .filter_map(|name| name.strip_prefix(&queue_prefix()).map(str::to_owned))
            .collect())
    }

    /// The reports of a run from the first that nobody has taken, made anew so that those which an
    /// earlier coordinator did not write down come at once.
    ///
    /// # Errors
    /// If the broker refuses.
    pub async fn reports(&self, run: &RunId) -> Result<PullConsumer, FleetError> {
        // It is there only after an earlier coordinator was killed.
        let _ = self.results.delete_consumer(&reader(run)).await;
        let config = pull::Config {
            durable_name: Some(reader(run)),
            filter_subject: wire::results(&format!("{run}.>")),
            ack_policy: AckPolicy::Explicit,
            ack_wait: WRITING,
            max_deliver: -1,
            max_ack_pending: AT_ONCE,
            inactive_threshold: KEPT,
            ..pull::Config::default()
        };
        self.results.create_consumer(config).await.map_err(broker("open the results"))
    }

    /// Removes the jobs and reports of a run, and its reader.
    ///
    /// # Errors
    /// If the broker does not answer.
    pub async fn remove(&self, run: &RunId) -> Result<(), FleetError> {
        self.drop_jobs(run).await?;
        let reports = wire::results(&format!("{run}.>"));
        let purged = self.results.purge().filter(reports).await;
        purged.map_err(broker("remove the results"))?;
        // It is not there if the run never began.
        let _ = self.results.delete_consumer(&reader(run)).await;
        Ok(())
    }

    /// Removes the jobs of a run.
    ///
    /// # Errors
    /// If the broker does not answer.
    pub async fn drop_jobs(&self, run: &RunId) -> Result<(), FleetError> {
        let jobs = wire::jobs(&format!("*.*.{run}.>"));
        self.jobs.purge().filter(jobs).await.map_err(broker("remove the jobs"))?;
        Ok(())
    }
}

fn queue_prefix() -> String {
    format!("workers-{}-", wire::version_token())
}

fn reader(run: &RunId) -> String {
    format!("run-{run}")
}

async fn stream(jetstream: &Context, config: Config) -> Result<Stream, FleetError> {
    jetstream.get_or_create_stream(config).await.map_err(broker("open a stream"))
}

/// The bucket's stream is made by hand: the client's own way first asks for limits of the account
/// that a broker of version 2.9 does not tell.
async fn excluded(jetstream: &Context, bucket: String) -> Result<kv::Store, FleetError> {
    let config = Config {
        name: format!("KV_{bucket}"),
        subjects: vec![format!("$KV.{bucket}.>")],
        max_messages_per_subject: 1,
        discard: DiscardPolicy::New,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        ..Config::default()
    };
    stream(jetstream, config).await?;
    let store = jetstream.get_key_value(bucket).await;
    store.map_err(broker("open the list of excluded workers"))
}

async fn files(
    jetstream: &Context,
    bucket: String,
) -> Result<object_store::ObjectStore, FleetError> {
    if let Ok(store) = jetstream.get_object_store(&bucket).await {
        return Ok(store);
    }
    let config = object_store::Config { bucket, ..object_store::Config::default() };
    jetstream.create_object_store(config).await.map_err(broker("open the store of files"))
}

/// Turns the broker's error into ours.
pub(super) fn broker<E: std::error::Error>(what: &'static str) -> impl Fn(E) -> FleetError {
    move |error| FleetError::Broker { what, reason: describe(&error) }
}
