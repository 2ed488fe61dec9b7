//! What the fleet costs beside the work itself.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kitai::fleet::connect::Access;
use kitai::fleet::coordinator::{News, Settings, TakeError, Taken, Work, conduct};
use kitai::fleet::files::Outgoing;
use kitai::fleet::residuals::Measure;
use kitai::fleet::streams::Timing;
use kitai::fleet::wire::{Name, RunId};
use kitai::fleet::worker::{Circumstances, Factory, Performer, WorkerSettings, work};
use kitai::search::StopFlag;
use serde_json::{Value, json};

use super::broker::{Broker, Folder};
use super::processes::{run, worker};

/// Games of 100 ms a move: two at a time here, then on two workers of one slot each.
#[test]
#[ignore = "takes minutes, wants a quiet machine and needs nats-server"]
fn overhead_of_two_local_workers_is_small() {
    let (broker, folder) = (Broker::start(), Folder::new("overhead"));
    let url = broker.url();
    let player = |name: &str| format!("name={name},move-time=100,hash=16");
    let (first, second) = (player("a"), player("b"));
    let terms = ["match", &first, &second, "--games", "16", "--openings", "random:8"];
    let _workers = [worker(&url, "one", &folder.0, &[]), worker(&url, "two", &folder.0, &[])];
    let timed = |more: &[&str]| {
        let began = Instant::now();
        run(&[&terms[..], more].concat());
        began.elapsed().as_secs_f64()
    };
    let here = timed(&["-c", "2"]);
    let there = timed(&["--nats", &url]);
    println!(
        "16 games: {here:.1} s here, {there:.1} s on two workers: {:.1} %",
        100.0 * here / there
    );
    assert!(here / there > 0.95);
}

/// Work without work: jobs whose answer is their number.
struct Numbers {
    run: RunId,
    total: u64,
    next: u64,
    taken: Vec<u64>,
    done: u64,
}

impl Work for Numbers {
    fn kind(&self) -> &'static str {
        "numbers"
    }
    fn run(&self) -> RunId {
        self.run.clone()
    }
    fn resumes(&self) -> bool {
        false
    }
    fn total(&self) -> u64 {
        self.total
    }
    fn done(&self) -> u64 {
        self.done
    }
    fn threads(&self) -> u32 {
        1
    }
    fn files(&mut self) -> Outgoing {
        Outgoing::default()
    }
    fn next(&mut self) -> Option<u64> {
        self.next += 1;
        Some(self.next - 1).filter(|&number| number < self.total)
    }
    fn body(&self, number: u64) -> Value {
        json!({ "number": number })
    }
    fn take(&mut self, number: u64, _: &Name, result: Value) -> Result<Taken, TakeError> {
        if result != json!(number) {
            return Err(TakeError::Refused("another number".to_owned()));
        }
        let (word, bit) = (number as usize / 64, 1 << (number % 64));
        if self.taken[word] & bit != 0 {
            return Ok(Taken::Known);
        }
        self.taken[word] |= bit;
        self.done += 1;
        Ok(Taken::Counted(Measure { amount: 1.0, figure: None }))
    }
    fn is_written(&self, _: u64) -> bool {
        true
    }
}

struct Answer;

impl Performer for Answer {
    fn perform(
        &mut self,
        _: &str,
        body: Value,
        _: &Circumstances,
    ) -> Result<Option<Value>, String> {
        Ok(Some(body["number"].clone()))
    }
}

/// Resident memory of this process in MiB.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}

/// A million jobs through a real broker, coordinator and worker in this process, whose memory must
/// not grow. `KITAI_JOBS` asks for another number.
#[test]
#[ignore = "takes minutes and needs nats-server"]
fn a_million_small_jobs_leave_the_memory_flat() {
    let total: u64 = std::env::var("KITAI_JOBS").map_or(1_000_000, |text| text.parse().unwrap());
    let (broker, folder) = (Broker::start(), Folder::new("million"));
    let access = Access { url: broker.url(), ..Access::default() };
    let settings = WorkerSettings {
        name: "one".parse().unwrap(),
        slots: 64,
        engines: Vec::new(),
        cache: folder.0.clone(),
        longest_job: Duration::from_secs(60),
        grace: Duration::from_secs(1),
        timing: Timing::default(),
        bench: None,
    };
    let (end, ending) = tokio::sync::watch::channel(0);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.unwrap();
    let factory: Factory = Arc::new(|| Box::new(Answer));
    let working = {
        let access = access.clone();
        runtime.spawn(async move { work(&access, settings, factory, ending).await.unwrap() })
    };
    let taken = vec![0; total as usize / 64 + 1];
    let mut numbers = Numbers { run: RunId::fresh(), total, next: 0, taken, done: 0 };
    let mut samples = Vec::new();
    let began = Instant::now();
    conduct(&access, Settings::default(), &mut numbers, &StopFlag::new(), &mut |news| {
        if let News::Status(status) = news
            && status.done * 20 / total >= samples.len() as u64
        {
            samples.push(resident());
        }
    })
    .unwrap();
    let seconds = began.elapsed().as_secs_f64();
    end.send_replace(1);
    let counts = runtime.block_on(working).unwrap();
    assert_eq!(numbers.done, total);
    println!(
        "{total} jobs in {seconds:.0} s: {:.0} jobs/s, {} done by the worker; resident MiB: {}",
        total as f64 / seconds,
        counts.done,
        samples.iter().map(|mib| format!("{mib:.0}")).collect::<Vec<_>>().join(" ")
    );
    // The first samples still warm up.
    let (early, late) = (samples[samples.len() / 5], samples[samples.len() - 1]);
    assert!(late < early * 1.2 + 8.0, "{samples:?}");
}
