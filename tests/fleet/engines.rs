//! External engines: named by the coordinator, known to the worker, never sent.

use super::broker::{Broker, Folder};
use super::processes::{games, kitai, run, worker};

#[test]
#[ignore = "needs nats-server"]
fn an_external_engine_is_the_worker_s_own_and_its_command_never_travels_with_nats_server() {
    let (broker, folder) = (Broker::start(), Folder::new("engines"));
    let url = broker.url();
    let engines = folder.file("engines.toml");
    let own = env!("CARGO_BIN_EXE_kitai");
    let line = format!("friend = \"gtp:{own} gtp --set depth=1 --set hash=1\"\n");
    std::fs::write(&engines, line).unwrap();
    // One worker has the engine and one has not; jobs that need it go to the first.
    let with = ["--engines", engines.to_str().unwrap()];
    let _has = worker(&url, "has", &folder.0, &with);
    let _has_not = worker(&url, "hasnot", &folder.0, &[]);
    let trap = folder.file("trap");
    let command = format!("name=friend,gtp:touch {}", trap.display());
    let out = folder.file("out");
    let player = "name=own,depth=1,hash=1";
    let terms = ["match", player, &command, "--games", "4", "--openings", "random:6"];
    run(&[&terms[..], &["--nats", &url, "--out", out.to_str().unwrap()]].concat());
    let played = games(&folder.file("out.jsonl"));
    assert_eq!(played.len(), 4);
    assert!(played.iter().all(|game| game["ending"] == "finished"), "{played:?}");
    let players = super::processes::players_of(&folder.file("out.jsonl"));
    assert!(players.iter().all(|(_, worker)| worker == "has"), "{players:?}");
    assert!(!trap.exists(), "the coordinator's command was run");
    // A name that could not be one.
    let bad = kitai().args(["match", player, "gtp:./a.b", "-n", "2", "--nats", &url]).output();
    let error = String::from_utf8(bad.unwrap().stderr).unwrap();
    assert!(error.contains("`a.b` is no name"), "{error}");
}
