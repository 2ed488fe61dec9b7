//! Work on many machines: jobs over NATS JetStream.
//!
//! An ordinary command with `--nats URL` becomes a coordinator: it cuts its work into small jobs,
//! publishes them to a work-queue stream, and takes each result once into the file that it would
//! have written anyway. `kitai worker` takes jobs of any kind. What this room knows is jobs, not
//! games; what a job is about stands in [`work`] alone, one file per kind.
//!
//! | part | what it is for |
//! |---|---|
//! | [`wire`] | what travels: jobs, reports, statuses, their subjects and limits |
//! | [`connect`] | the way to the broker and who we are there |
//! | [`streams`] | the streams and consumers, made by whoever comes first |
//! | [`files`] | weights and tables by content hash, through the object store |
//! | [`exclusions`] | workers that do not count |
//! | [`coordinator`] | hands out jobs, counts each result once |
//! | [`worker`] | takes jobs, as many at once as there are slots |
//! | [`status`] | what workers and coordinators say about themselves |
//! | [`residuals`] | whose results or speeds stand out |
//! | [`watch`] | what the fleet does, for people and for Prometheus |
//! | [`work`] | matches, self-play, labelling, solving, growing a book |
//!
//! Where a guarantee comes from:
//! - *Nothing is lost.* A job leaves the queue when its report is in the results stream; a report
//!   leaves that when it is in the coordinator's file. A worker that dies stops saying that it is
//!   still at work, and the broker gives its job to another.
//! - *Nothing counts twice.* The queue holds a job at most once (one message per subject), the
//!   results stream drops repeated message ids for a while, and the coordinator's file is asked
//!   before anything is added to it, because late reports happen.

pub mod connect;
pub mod coordinator;
pub mod exclusions;
pub mod files;
pub mod residuals;
pub mod status;
pub mod streams;
pub mod watch;
pub mod wire;
pub mod work;
pub mod worker;

use thiserror::Error;

/// Why work with a fleet ended.
#[derive(Debug, Error)]
pub enum FleetError {
    /// The broker cannot be reached or refuses us.
    #[error("{url}: {reason}")]
    Connect {
        /// Where, without secrets.
        url: String,
        /// Why.
        reason: String,
    },
    /// A file with credentials cannot be read.
    #[error("{file}: {reason}")]
    Credentials {
        /// Which.
        file: String,
        /// Why.
        reason: String,
    },
    /// The broker did not do what was asked.
    #[error("the broker: {what}: {reason}")]
    Broker {
        /// What was asked.
        what: &'static str,
        /// What it said.
        reason: String,
    },
    /// A name that cannot be a subject's part.
    #[error("`{0}` is no name: letters, digits, - and _ only, 1 to 64 of them")]
    Name(String),
    /// A file to be sent or received cannot be used.
    #[error("{file}: {reason}")]
    File {
        /// Its name or hash.
        file: String,
        /// Why.
        reason: String,
    },
    /// Another process conducts this very work.
    #[error("run {0} is already conducted by another process")]
    Conducted(wire::RunId),
    /// A job could not be done by anyone.
    #[error("job {number} was given up after {tries} tries: {reason}")]
    GivenUp {
        /// Which.
        number: u64,
        /// How many reports of failure came.
        tries: u32,
        /// The last of them.
        reason: String,
    },
    /// The coordinator's own file cannot be written.
    #[error("{0}")]
    Keeping(String),
    /// The system gives no thread or runtime.
    #[error("{0}")]
    System(#[from] std::io::Error),
}
