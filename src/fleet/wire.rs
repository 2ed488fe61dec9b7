//! What travels between coordinators, broker and workers, and what is refused of it.
//!
//! Everything is JSON of bounded size with no unknown fields. Subjects:
//!
//! | subject | what |
//! |---|---|
//! | `kitai.1.jobs.VERSION.NEED.RUN.NUMBER` | a [`Job`], in the work-queue stream |
//! | `kitai.1.results.RUN.NUMBER` | a [`Report`], in the results stream |
//! | `kitai.1.dead.RUN.NUMBER` | a job that nobody could do, kept for people |
//! | `kitai.1.cancel.RUN` | a [`Cancel`]: drop the jobs of this run |
//! | `kitai.1.workers.NAME`, `kitai.1.runs.RUN` | statuses, every few seconds |
//! | `kitai.1.conductor.RUN` | answered by the coordinator of this run |
//!
//! VERSION is Kitai's with `_` for `.`: games of two versions are not one match. NEED is `any`, or
//! the names of the external engines that a worker must have.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use thiserror::Error;

use super::FleetError;
use crate::text::travels_as_text;

/// Version of everything here; part of every subject.
pub const PROTOCOL: u32 = 1;
/// The largest job or report, bytes: half of what a broker carries by default.
pub const LARGEST: usize = 512 << 10;
/// Kitai's version.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The need of a job without external engines.
pub const ANY: &str = "any";
/// Longest reason of a failure that is passed on, characters.
const LONGEST_REASON: usize = 500;

/// Kitai's version as a part of subjects and names.
pub fn version_token() -> String {
    env!("CARGO_PKG_VERSION").replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

/// A run: one command's work, the same however often it is taken up again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(String);

impl RunId {
    /// The run of this kind with these settings.
    pub fn of(kind: &str, settings: &impl Serialize) -> RunId {
        let settings = serde_json::to_vec(settings).unwrap_or_default();
        RunId::hashed(&[kind.as_bytes(), &settings])
    }

    /// A run that nobody takes up again.
    pub fn fresh() -> RunId {
        RunId::hashed(&[&rand::random::<[u8; 16]>()])
    }

    fn hashed(parts: &[&[u8]]) -> RunId {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        RunId(hex(&hash.finalize()[..8]))
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for RunId {
    type Err = FleetError;

    fn from_str(text: &str) -> Result<RunId, FleetError> {
        let valid = text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
        if valid { Ok(RunId(text.to_owned())) } else { Err(FleetError::Name(text.to_owned())) }
    }
}

travels_as_text!(RunId);

/// A name that may be part of a subject: of a worker or an external engine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

impl Name {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Name {
    type Err = FleetError;

    fn from_str(text: &str) -> Result<Name, FleetError> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
        let valid = (1..=64).contains(&text.len()) && text.bytes().all(plain);
        if valid { Ok(Name(text.to_owned())) } else { Err(FleetError::Name(text.to_owned())) }
    }
}

travels_as_text!(Name);

/// Something to do, complete in itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// Version of Kitai that asks.
    pub version: String,
    /// Whose work it is.
    pub run: RunId,
    /// When the coordinator began, milliseconds since 1970: a cancelled run can be taken up again.
    pub session: u64,
    /// Which part of the work.
    pub number: u64,
    /// How often it was handed out anew because of a bad report.
    pub attempt: u32,
    /// The kind of work ([`super::work`]).
    pub kind: String,
    /// Search threads it needs.
    pub threads: u32,
    /// Deliveries after which it is put aside.
    pub tries: u32,
    /// What to do, as the kind defines it.
    pub body: Value,
}

/// What became of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// The job's.
    pub run: RunId,
    /// The job's.
    pub number: u64,
    /// The job's.
    pub attempt: u32,
    /// Who did it.
    pub worker: Name,
    /// Time it took.
    pub seconds: f64,
    /// What came out.
    pub end: End,
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The result, as the kind defines it.
    Done(Value),
    /// Why there is none.
    Failed(String),
}

/// Drop the jobs of this run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cancel {
    /// Which run.
    pub run: RunId,
    /// Jobs of this session and earlier ones.
    pub session: u64,
}

/// Why a message was not taken.
#[derive(Debug, PartialEq, Error)]
pub enum Refusal {
    /// Too large.
    #[error("{0} bytes are more than {LARGEST}")]
    Large(usize),
    /// Not the JSON that it should be.
    #[error("not understood: {0}")]
    Form(String),
    /// Another protocol.
    #[error("protocol {0}, not {PROTOCOL}")]
    Protocol(u64),
    /// Another version of Kitai.
    #[error("made for Kitai {0}, not {VERSION}")]
    Version(String),
    /// The subject and the message do not agree.
    #[error("its subject is `{0}`")]
    Subject(String),
    /// What it says cannot be.
    #[error("{0}")]
    Content(String),
}

fn read<T: for<'de> Deserialize<'de>>(payload: &[u8]) -> Result<T, Refusal> {
    if payload.len() > LARGEST {
        return Err(Refusal::Large(payload.len()));
    }
    // Other protocols may have other fields, so this one is looked at first.
    let value: Value =
        serde_json::from_slice(payload).map_err(|error| Refusal::Form(error.to_string()))?;
    match value.get("protocol").and_then(Value::as_u64) {
        Some(protocol) if protocol != u64::from(PROTOCOL) => Err(Refusal::Protocol(protocol)),
        _ => serde_json::from_value(value).map_err(|error| Refusal::Form(error.to_string())),
    }
}

impl Job {
    /// Reads a job that came under this subject.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn read(subject: &str, payload: &[u8]) -> Result<Job, Refusal> {
        let job: Job = read(payload)?;
        if job.version != env!("CARGO_PKG_VERSION") {
            return Err(Refusal::Version(job.version));
        }
        let tail = format!(".{}.{}", job.run, job.number);
        if !subject.starts_with(&jobs("")) || !subject.ends_with(&tail) {
            return Err(Refusal::Subject(subject.to_owned()));
        }
        Ok(job)
    }

    /// The id under which the broker knows its reports: one per session and attempt, so that games
    /// which are played again on purpose are not taken for repetitions.
    pub fn message_id(&self) -> String {
        format!("{}.{}.{}.{}", self.run, self.number, self.session, self.attempt)
    }
}

impl Report {
    /// Reads a report that came under this subject.
    ///
    /// # Errors
    /// Why it is refused.
    pub fn read(subject: &str, payload: &[u8]) -> Result<Report, Refusal> {
        let report: Report = read(payload)?;
        if subject != result_subject(&report.run, report.number) {
            return Err(Refusal::Subject(subject.to_owned()));
        }
        if !report.seconds.is_finite() || report.seconds < 0.0 {
            return Err(Refusal::Content(format!("it took {} seconds", report.seconds)));
        }
        Ok(report)
    }
}

/// A reason of bounded length.
pub fn shortened(reason: &str) -> String {
    reason.chars().filter(|c| !c.is_control()).take(LONGEST_REASON).collect()
}

/// Subjects of jobs; `rest` is `>` for all of them.
pub fn jobs(rest: &str) -> String {
    format!("kitai.{PROTOCOL}.jobs.{rest}")
}

/// Subjects of results.
pub fn results(rest: &str) -> String {
    format!("kitai.{PROTOCOL}.results.{rest}")
}

/// Subjects of jobs that were put aside.
pub fn dead(rest: &str) -> String {
    format!("kitai.{PROTOCOL}.dead.{rest}")
}

/// The subject of a job.
pub fn job_subject(need: &str, run: &RunId, number: u64) -> String {
    jobs(&format!("{}.{need}.{run}.{number}", version_token()))
}

/// The subject of a report.
pub fn result_subject(run: &RunId, number: u64) -> String {
    results(&format!("{run}.{number}"))
}

/// Subjects that are not kept: `cancel`, `workers`, `runs`, `conductor`.
pub fn passing(topic: &str, name: &str) -> String {
    format!("kitai.{PROTOCOL}.{topic}.{name}")
}

/// The need of a job that uses these external engines.
pub fn need(engines: &[Name]) -> String {
    let mut names: Vec<&str> = engines.iter().map(Name::as_str).collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() { ANY.to_owned() } else { names.join("+") }
}

/// Bytes as text.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of such a text.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn job() -> Job {
        Job {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            run: RunId::of("test", &1),
            session: 5,
            number: 7,
            attempt: 0,
            kind: "test".to_owned(),
            threads: 1,
            tries: 5,
            body: json!({"a": 1}),
        }
    }

    fn refused(change: impl Fn(&mut Value)) -> Refusal {
        let mut value = serde_json::to_value(job()).unwrap();
        change(&mut value);
        let subject = job_subject(ANY, &job().run, 7);
        Job::read(&subject, &serde_json::to_vec(&value).unwrap()).unwrap_err()
    }

    #[test]
    fn jobs_of_other_protocols_versions_forms_sizes_and_subjects_are_refused() {
        let subject = job_subject(ANY, &job().run, 7);
        let payload = serde_json::to_vec(&job()).unwrap();
        assert_eq!(Job::read(&subject, &payload), Ok(job()));
        assert_eq!(refused(|job| job["protocol"] = json!(2)), Refusal::Protocol(2));
        assert!(matches!(refused(|job| job["version"] = json!("9.9.9")), Refusal::Version(_)));
        assert!(matches!(refused(|job| job["run"] = json!("../../etc")), Refusal::Form(_)));
        assert!(matches!(refused(|job| job["extra"] = json!(1)), Refusal::Form(_)));
        assert!(matches!(refused(|job| job["number"] = json!(8)), Refusal::Subject(_)));
        assert!(matches!(
            refused(|job| job["body"] = json!("x".repeat(LARGEST))),
            Refusal::Large(_)
        ));
        assert!(matches!(Job::read(&subject, b"\xff\0"), Err(Refusal::Form(_))));
        assert!(matches!(Job::read("other.subject", &payload), Err(Refusal::Subject(_))));
    }

    #[test]
    fn reports_with_impossible_contents_are_refused() {
        let report = Report {
            protocol: PROTOCOL,
            run: job().run,
            number: 7,
            attempt: 0,
            worker: "one".parse().unwrap(),
            seconds: 1.5,
            end: End::Done(json!(3)),
        };
        let subject = result_subject(&report.run, 7);
        let read = |report: &Value| Report::read(&subject, &serde_json::to_vec(report).unwrap());
        let mut value = serde_json::to_value(&report).unwrap();
        assert_eq!(read(&value), Ok(report));
        value["seconds"] = json!(-1.0);
        assert!(matches!(read(&value), Err(Refusal::Content(_))));
        value["seconds"] = json!(1.0);
        value["worker"] = json!("a.b > c");
        assert!(matches!(read(&value), Err(Refusal::Form(_))));
    }

    #[test]
    fn runs_are_known_by_their_settings_and_names_are_plain() {
        assert_eq!(RunId::of("a", &(1, "x")), RunId::of("a", &(1, "x")));
        assert_ne!(RunId::of("a", &(1, "x")), RunId::of("b", &(1, "x")));
        assert_ne!(RunId::fresh(), RunId::fresh());
        for bad in ["", "a b", "a.b", "*", ">", "ä", &"x".repeat(65)] {
            assert!(bad.parse::<Name>().is_err(), "{bad}");
        }
        let names = ["b", "a", "b"].map(|name| name.parse().unwrap());
        assert_eq!((need(&names).as_str(), need(&[]).as_str()), ("a+b", "any"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_job_or_refused(bytes: Vec<u8>, subject: String) {
            prop_assert!(Job::read(&subject, &bytes).is_err());
            prop_assert!(Report::read(&subject, &bytes).is_err());
        }

        #[test]
        fn bytes_come_back_from_their_text(bytes: Vec<u8>) {
            prop_assert_eq!(unhex(&hex(&bytes)), Some(bytes));
        }
    }
}
