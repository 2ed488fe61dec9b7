//! Malformed, oversized and lying messages: refused, reported, and without consequences.

use std::path::Path;
use std::process::Stdio;

use async_nats::jetstream;
use async_nats::jetstream::message::PublishMessage;
use futures_util::StreamExt;
use kitai::fleet::streams::{Streams, Timing};
use kitai::fleet::wire::{self, End, Job, LARGEST, Report};
use serde_json::{Value, json};

use super::broker::{Broker, Folder};
use super::processes::{Process, fleet, games, kitai, run, wait_until, worker};

const PLAYER: &str = "name=a,depth=1,hash=1,eval=mobility";
const OTHER: &str = "name=b,depth=2,hash=1,eval=mobility";
const TERMS: [&str; 7] = ["match", PLAYER, OTHER, "--openings", "random:6", "--games", "20"];

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

async fn connect(url: &str) -> (jetstream::Context, Streams) {
    let client = async_nats::connect(url).await.unwrap();
    let jetstream = jetstream::new(client);
    let streams = Streams::open(&jetstream, Timing::default()).await.unwrap();
    (jetstream, streams)
}

fn job(number: u64, change: impl Fn(&mut Value)) -> (String, Vec<u8>) {
    let run = wire::RunId::fresh();
    let subject = wire::job_subject(wire::ANY, &run, number);
    let mut job = json!({
        "protocol": 1, "version": env!("CARGO_PKG_VERSION"), "run": run.to_string(), "session": 1,
        "number": number, "attempt": 0, "kind": "solve", "threads": 1, "tries": 5,
        "body": {"options": {}, "depth": 1, "outcome": false,
                 "board": "---------------------------OX------XO--------------------------- X"},
    });
    change(&mut job);
    (subject, serde_json::to_vec(&job).unwrap())
}

#[test]
#[ignore = "needs nats-server"]
fn jobs_that_are_none_are_put_aside_and_the_worker_goes_on_with_nats_server() {
    let (broker, folder) = (Broker::start(), Folder::new("hostile"));
    let url = broker.url();
    let _worker = worker(&url, "one", &folder.0, &["--memory", "400"]);
    let wrong = format!("sha256:{}", "0".repeat(64));
    let no_jobs = [
        (wire::job_subject(wire::ANY, &wire::RunId::fresh(), 1), b"\xff\xfe not json".to_vec()),
        job(1, |job| job["protocol"] = json!(99)),
        job(2, |job| job["version"] = json!("0.0.0")),
        job(3, |job| job["number"] = json!(4)),
        job(4, |job| job["run"] = json!("x")),
        job(5, |job| job["surprise"] = json!(1)),
    ];
    let failing = [
        (job(6, |job| job["kind"] = json!("shell")), "unknown kind"),
        (job(7, |job| job["body"] = json!({"command": "touch /tmp/x"})), "not understood"),
        (job(8, |job| job["body"]["options"] = json!({"weights": "/etc/passwd"})), "names a file"),
        (job(9, |job| job["body"]["options"] = json!({"weights": wrong})), "sha256:000"),
        (job(10, |job| job["body"]["options"] = json!({"hash": "60000"})), "more than the 400"),
        (job(11, |job| job["body"]["options"] = json!({"threads": "64"})), "more than the 1"),
        (job(12, |job| job["body"]["board"] = json!("XXX")), "not understood"),
        (job(13, |job| job["body"]["options"] = json!({"nonsense": "1"})), "unknown option"),
    ];
    runtime().block_on(async {
        let (jetstream, streams) = connect(&url).await;
        // Something else than its name says lies in the store.
        let mut lie: &[u8] = b"not these weights";
        streams.files.put(&wrong["sha256:".len()..], &mut lie).await.unwrap();
        for (subject, payload) in no_jobs.iter() {
            let sent = jetstream.publish(subject.clone(), payload.clone().into()).await.unwrap();
            sent.await.unwrap();
        }
        let (subject, _) = job(14, |_| {});
        let large = jetstream.publish(subject, vec![b' '; LARGEST + 8192].into()).await.unwrap();
        assert!(large.await.is_err(), "the broker takes oversized jobs");
        for ((subject, payload), why) in &failing {
            let run: wire::RunId = subject.split('.').nth(5).unwrap().parse().unwrap();
            let reports = streams.reports(&run).await.unwrap();
            let sent = jetstream.publish(subject.clone(), payload.clone().into()).await.unwrap();
            sent.await.unwrap();
            let mut reports = reports.messages().await.unwrap();
            let report = reports.next().await.unwrap().unwrap();
            let report = Report::read(&report.subject, &report.payload).unwrap();
            let End::Failed(reason) = report.end else { panic!("{subject} was done") };
            assert!(reason.contains(why), "{reason}");
            streams.remove(&run).await.unwrap();
        }
    });
    wait_until(|| fleet(&url)["workers"][0]["refused"] == 6);
    let seen = fleet(&url);
    assert_eq!((&seen["dead"], &seen["workers"][0]["failed"]), (&6.into(), &8.into()), "{seen}");
    run(&[&TERMS[..], &["--nats", &url]].concat());
}

/// A worker that takes the first jobs and lies: plays illegal moves, claims other results, answers
/// for other jobs, sends no JSON, sends everything twice.
async fn lie(url: &str, log: &Path) -> usize {
    let (jetstream, streams) = connect(url).await;
    let queue = streams.queue(wire::ANY, Timing::default()).await.unwrap();
    let mut jobs = queue.batch().max_messages(4).messages().await.unwrap();
    let mut told = 0;
    while let Some(message) = jobs.next().await {
        let message = message.unwrap();
        let job = Job::read(&message.subject, &message.payload).unwrap();
        let first = job.body["games"][0]["game"].as_u64().unwrap();
        let label: String = job.body["opening"]["history"]["moves"]
            .as_array()
            .unwrap()
            .iter()
            .map(|played| played.as_str().unwrap())
            .collect();
        let game = |number: u64, moves: &str| {
            json!({"game": number, "black": if number.is_multiple_of(2) { "a" } else { "b" },
                   "white": if number.is_multiple_of(2) { "b" } else { "a" }, "opening": label,
                   "moves": moves, "evals": [], "times": [], "half_points": 2, "discs": 64,
                   "ending": "finished"})
        };
        let lies = match told {
            0 => json!([game(first, "a1"), game(first + 1, "a1")]),
            1 => json!([game(first, ""), game(first + 1, "")]),
            2 => json!({"games": "none"}),
            _ => json!([game(first + 2, ""), game(first + 3, "")]),
        };
        let report = json!({"protocol": 1, "run": job.run.to_string(), "number": job.number,
                            "attempt": 0, "worker": "liar", "seconds": 1.0,
                            "end": {"done": lies}});
        let subject = wire::result_subject(&job.run, job.number);
        let mut payloads = vec![serde_json::to_vec(&report).unwrap(), b"[garbage".to_vec()];
        payloads.push(payloads[0].clone());
        for (copy, payload) in payloads.into_iter().enumerate() {
            let id = format!("lie-{told}-{copy}");
            let sent = PublishMessage::build().payload(payload.into()).message_id(id);
            jetstream.send_publish(subject.clone(), sent).await.unwrap().await.unwrap();
        }
        message.ack().await.unwrap();
        told += 1;
    }
    assert!(log.exists());
    told
}

#[test]
#[ignore = "needs nats-server"]
fn a_lying_worker_is_refused_reported_and_excluded_and_its_games_are_played_with_nats_server() {
    let (broker, folder) = (Broker::start(), Folder::new("liar"));
    let url = broker.url();
    let (local, out) = (folder.file("local"), folder.file("out"));
    run(&[&TERMS[..], &["--out", local.to_str().unwrap()]].concat());
    let mut command = kitai();
    command.args(TERMS).args(["--nats", &url, "--out"]).arg(&out);
    let mut coordinator = Process(command.stderr(Stdio::piped()).spawn().unwrap());
    let log = folder.file("out.jsonl");
    wait_until(|| log.exists());
    assert_eq!(runtime().block_on(lie(&url, &log)), 4);
    let _worker = worker(&url, "honest", &folder.0, &[]);
    assert!(coordinator.0.wait().unwrap().success());
    assert_eq!(games(&log), games(&folder.file("local.jsonl")));
    let mut told = String::new();
    let mut errors = coordinator.0.stderr.take().unwrap();
    std::io::Read::read_to_string(&mut errors, &mut told).unwrap();
    for part in ["illegal move", "did not end on the board", "not understood", "liar is excluded"] {
        assert!(told.contains(part), "`{part}` is not in:\n{told}");
    }
    assert!(fleet(&url)["excluded"]["liar"].is_string());
}

/// The first result is sent again under another message id, after its job is done.
#[test]
#[ignore = "needs nats-server"]
fn a_late_second_result_does_not_count_with_nats_server() {
    let (broker, folder) = (Broker::start(), Folder::new("late"));
    let url = broker.url();
    let out = folder.file("out");
    let mut command = kitai();
    command.args(TERMS).args(["--nats", &url, "--out"]).arg(&out);
    let mut coordinator = Process(command.spawn().unwrap());
    let log = folder.file("out.jsonl");
    wait_until(|| log.exists());
    let runtime = runtime();
    let (jetstream, streams, mut results) = runtime.block_on(async {
        let (jetstream, streams) = connect(&url).await;
        let results = jetstream.client().subscribe(wire::results(">")).await.unwrap();
        (jetstream, streams, results)
    });
    let honest = worker(&url, "honest", &folder.0, &[]);
    runtime.block_on(async {
        let first = results.next().await.unwrap();
        // The job is done and counted when the log has its games.
        tokio::task::block_in_place(|| wait_until(|| games_in(&log) >= 2));
        for copy in 0..5 {
            let id = format!("late-{copy}");
            let again = PublishMessage::build().payload(first.payload.clone()).message_id(id);
            let sent = jetstream.send_publish(first.subject.clone(), again).await.unwrap();
            assert!(!sent.await.unwrap().duplicate);
        }
    });
    drop(streams);
    assert!(coordinator.0.wait().unwrap().success());
    drop(honest);
    // The log refuses to be opened with a game that stands in it twice.
    run(&[&TERMS[..], &["--out", out.to_str().unwrap()]].concat());
    assert_eq!(games(&log).len(), 20);
}

fn games_in(log: &Path) -> usize {
    super::processes::players_of(log).len()
}
