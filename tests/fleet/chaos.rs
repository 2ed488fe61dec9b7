//! Everything fails again and again, and the log is complete all the same.

use std::path::Path;
use std::time::{Duration, Instant};

use kitai::fleet::streams::{Streams, Timing};
use kitai::fleet::wire::ANY;
use kitai::random::seeded;
use rand::Rng;

use super::broker::{Broker, Folder};
use super::processes::{Process, games, kitai, players_of, run, worker};

/// Two per job.
const GAMES: usize = 4000;
const NAMES: [&str; 4] = ["a", "b", "c", "frozen"];

/// Streams with short leases and a short memory for message ids, so that late results get as far as
/// the coordinator.
fn prepare(url: &str) {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let client = async_nats::connect(url).await.unwrap();
        let jetstream = async_nats::jetstream::new(client);
        let timing =
            Timing { lease: Duration::from_secs(2), duplicates: Duration::from_millis(500) };
        let streams = Streams::open(&jetstream, timing).await.unwrap();
        streams.queue(ANY, timing).await.unwrap();
    });
}

fn coordinator(url: &str, out: &Path) -> Process {
    let mut command = kitai();
    command.args(terms()).args(["--tries", "100", "--nats", url, "--out"]).arg(out);
    command.stderr(std::process::Stdio::null()).stdout(std::process::Stdio::null());
    Process(command.spawn().unwrap())
}

fn terms() -> Vec<String> {
    let player = |name: &str, depth| format!("name={name},depth={depth},hash=1,eval=mobility");
    let games = GAMES.to_string();
    let terms = ["match", "--games", &games, "--openings", "random:6", "--seed", "9"];
    terms.map(str::to_owned).into_iter().chain([player("a", 7), player("b", 6)]).collect()
}

/// Over 2,000 jobs: a worker killed every two seconds, one frozen past its lease again and again,
/// the broker restarted twice (once killed), the coordinator killed twice.
#[test]
#[ignore = "takes minutes and needs nats-server"]
fn chaos_of_kills_restarts_and_freezes_loses_and_doubles_nothing() {
    let (mut broker, folder) = (Broker::start(), Folder::new("chaos"));
    let url = broker.url();
    prepare(&url);
    let out = folder.file("out");
    let log = folder.file("out.jsonl");
    let mut conducting = coordinator(&url, &out);
    let mut workers: Vec<Process> =
        NAMES.iter().map(|name| worker(&url, name, &folder.0, &[])).collect();
    let mut rng = seeded(1);
    let began = Instant::now();
    let (mut kills, mut freezes, mut restarts, mut coordinators) = (0, 0, 0, 0);
    let mut rounds = 0;
    loop {
        std::thread::sleep(Duration::from_secs(2));
        rounds += 1;
        let done = if log.exists() { players_of(&log).len() } else { 0 };
        if let Some(status) = conducting.0.try_wait().unwrap() {
            assert!(status.success(), "the coordinator failed after {done} games");
            break;
        }
        let victim = rng.random_range(0..3);
        workers[victim].kill();
        workers[victim] = worker(&url, NAMES[victim], &folder.0, &[]);
        kills += 1;
        // Frozen for two rounds of three: twice its lease.
        match rounds % 3 {
            0 => workers[3].signal("-STOP"),
            2 if rounds > 2 => {
                workers[3].signal("-CONT");
                freezes += 1;
            }
            _ => {}
        }
        if restarts < 2 && done > GAMES * (restarts + 1) / 4 {
            broker.restart(if restarts == 0 { "-TERM" } else { "-KILL" });
            restarts += 1;
        }
        if coordinators < 2 && done > GAMES * (2 * coordinators + 1) / 6 {
            conducting.kill();
            conducting = coordinator(&url, &out);
            coordinators += 1;
        }
    }
    workers[3].signal("-CONT");
    println!(
        "{GAMES} games in {} jobs, {:.0} s: {kills} workers killed, {freezes} freezes, {restarts} \
         broker restarts, {coordinators} coordinators killed",
        GAMES / 2,
        began.elapsed().as_secs_f64()
    );
    assert_eq!((restarts, coordinators), (2, 2));
    assert!(freezes > 0 && kills > 10);
    let by_frozen = players_of(&log).iter().filter(|(_, worker)| worker == "frozen").count();
    println!("{by_frozen} games by the worker that was frozen");
    assert!(by_frozen > 0);
    let local = folder.file("local");
    run(&[terms(), vec!["-c".to_owned(), "2".to_owned(), "--out".to_owned(), text(&local)]]
        .concat());
    assert_eq!(games(&log).len(), GAMES);
    assert!(games(&log) == games(&folder.file("local.jsonl")), "a game differs from the local one");
    // The log refuses to be opened with a game that stands in it twice.
    run(&[terms(), vec!["--out".to_owned(), text(&out)]].concat());
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}
