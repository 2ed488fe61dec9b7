//! What people and Prometheus see.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;

use super::broker::{Broker, Folder};
use super::processes::{Process, fleet, kitai, run, worker, workers};

#[test]
#[ignore = "needs nats-server"]
fn workers_and_queues_are_seen_as_tables_json_and_metrics_with_nats_server() {
    let (broker, folder) = (Broker::start(), Folder::new("view"));
    let url = broker.url();
    let _workers = workers(&url, &folder.0);
    let player = "depth=1,hash=1,eval=mobility";
    let match_of = ["match", player, player, "-n", "20", "--openings", "random:6", "--nats", &url];
    run(&match_of);
    let seen = fleet(&url);
    let names: Vec<_> =
        seen["workers"].as_array().unwrap().iter().map(|w| w["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["one", "three", "two"]);
    let done: u64 =
        seen["workers"].as_array().unwrap().iter().map(|w| w["done"].as_u64().unwrap()).sum();
    assert_eq!((done, &seen["results"], &seen["dead"]), (10, &0.into(), &0.into()));
    let output = run(&["fleet", "--nats", &url, "--once"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("3 workers, 3 slots; jobs: 0 waiting, 0 held, 0 put aside"), "{text}");

    let mut command = kitai();
    command.args(["fleet", "--nats", &url, "--metrics", "127.0.0.1:0"]);
    let mut watcher =
        Process(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(watcher.0.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
    // The first table is printed after the first metrics are there.
    let mut table = BufReader::new(watcher.0.stdout.take().unwrap());
    table.read_line(&mut String::new()).unwrap();
    let mut stream = TcpStream::connect(&address).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.contains("\nkitai_workers 3\n"), "{answer}");
    assert!(answer.contains("\nkitai_worker_slots{worker=\"one\"} 1\n"), "{answer}");
}

#[test]
#[ignore = "needs nats-server"]
fn an_excluded_worker_takes_no_jobs_until_it_is_taken_back_with_nats_server() {
    let (broker, folder) = (Broker::start(), Folder::new("exclude"));
    let url = broker.url();
    run(&["fleet", "--nats", &url, "--exclude", "two", "--reason", "a test"]);
    let _workers = [worker(&url, "one", &folder.0, &[]), worker(&url, "two", &folder.0, &[])];
    let out = folder.file("out");
    let player = "depth=1,hash=1,eval=mobility";
    let play = ["match", player, player, "-n", "40", "--openings", "random:6", "--nats", &url];
    run(&[&play[..], &["--out", out.to_str().unwrap()]].concat());
    let players = super::processes::players_of(&folder.file("out.jsonl"));
    assert!(players.len() == 40 && players.iter().all(|(_, worker)| worker == "one"));
    assert_eq!(fleet(&url)["excluded"]["two"], "a test");
    run(&["fleet", "--nats", &url, "--include", "two"]);
    assert_eq!(fleet(&url)["excluded"].as_object().unwrap().len(), 0);
}
