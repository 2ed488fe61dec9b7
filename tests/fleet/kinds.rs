//! Every kind of work, on three workers, gives what one process gives.

use super::broker::{Broker, Folder};
use super::processes::{
    fleet as fleet_now, games, kitai, players_of, run, wait_until, worker, workers,
};
use serde_json::Value;
use std::path::Path;
use std::process::Stdio;

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

const FIRST: &str = "name=first,depth=3,hash=1,eval=mobility";
const SECOND: &str = "name=second,method=mcts,playouts=60,memory=1,eval=mobility";

#[test]
#[ignore = "needs nats-server"]
fn a_match_of_three_workers_is_the_local_one_game_for_game_with_nats_server() {
    let (broker, folder) = (Broker::start(), Folder::new("match"));
    let _workers = workers(&broker.url(), &folder.0);
    let (local, fleet) = (folder.file("local"), folder.file("fleet"));
    let terms = ["match", FIRST, SECOND, "--games", "60", "--seed", "5", "--openings", "random:6"];
    run(&[&terms[..], &["--out", text(&local)]].concat());
    let url = broker.url();
    run(&[&terms[..], &["--out", text(&fleet), "--nats", &url]].concat());
    let (local, fleet) = (folder.file("local.jsonl"), folder.file("fleet.jsonl"));
    assert_eq!(games(&fleet).len(), 60);
    assert_eq!(games(&fleet), games(&local));
    let settings =
        |path: &Path| std::fs::read_to_string(path).unwrap().lines().next().unwrap().to_owned();
    assert_eq!(settings(&fleet), settings(&local));
    let players = players_of(&fleet);
    for name in ["one", "two", "three"] {
        assert!(players.iter().any(|(_, worker)| worker == name), "{name} played nothing");
    }
    // A worker that is excluded afterwards: its games are played again by the others.
    let out = folder.file("fleet");
    let again = [&terms[..], &["--out", text(&out), "--nats", &url]].concat();
    run(&[&again[..], &["--exclude", "two"]].concat());
    assert_eq!(games(&fleet), games(&local));
    assert!(players_of(&fleet).iter().all(|(_, worker)| worker != "two"));
}

#[test]
#[ignore = "needs nats-server"]
fn a_tournament_and_a_decided_test_are_the_local_ones_with_nats_server() {
    let (broker, folder) = (Broker::start(), Folder::new("tournament"));
    let _workers = workers(&broker.url(), &folder.0);
    let url = broker.url();
    let file = folder.file("three.toml");
    let players = "kind = \"round-robin\"\ngames = 8\nopenings = \"random:6\"\n[players]\n\
                   a = \"depth=1,hash=1,eval=mobility\"\nb = \"depth=2,hash=1,eval=mobility\"\n\
                   c = \"depth=3,hash=1,eval=mobility\"\n";
    std::fs::write(&file, players).unwrap();
    let (local, fleet) = (folder.file("local"), folder.file("fleet"));
    run(&["tournament", text(&file), "--out", text(&local)]);
    run(&["tournament", text(&file), "--out", text(&fleet), "--nats", &url]);
    assert_eq!(games(&folder.file("fleet.jsonl")), games(&folder.file("local.jsonl")));

    // The test decides in the coordinator, after the same pairs as locally, and the rest is dropped.
    let terms = ["--json", "match", "depth=4,hash=1,eval=mobility", "depth=1,hash=1,eval=mobility"];
    let terms = [&terms[..], &["--sprt", "0,100", "--games", "1000", "--openings", "random:6"]];
    let decided = |more: &[&str]| -> Value {
        let output = run(&[&terms.concat()[..], more].concat());
        let standing: Value = serde_json::from_slice(&output.stdout).unwrap();
        standing["sprt"].clone()
    };
    let there = decided(&["--nats", &url]);
    assert_eq!(there, decided(&["-c", "2"]));
    assert_ne!(there["decision"], "continue", "{there}");
    let fleet = fleet_now(&url);
    let waiting = fleet["queues"].as_object().unwrap().values().map(|queue| &queue["waiting"]);
    assert!(waiting.clone().all(|waiting| waiting == 0), "{fleet}");
    // Jobs under way when the test decided may still be delivered, at most one for each core of a worker;
    // all results before them are removed.
    let under_way = 3 * std::thread::available_parallelism().unwrap().get() as u64;
    assert!(fleet["results"].as_u64().unwrap() <= under_way, "{fleet}");
}

#[test]
#[ignore = "needs nats-server"]
fn self_play_labels_and_solutions_are_the_local_ones_with_nats_server() {
    let (broker, folder) = (Broker::start(), Folder::new("files"));
    let _workers = workers(&broker.url(), &folder.0);
    let url = broker.url();
    let bytes = |name: &str| std::fs::read(folder.file(name)).unwrap();

    let terms = ["--depth", "2", "--exact-from", "8", "--set", "eval=mobility", "--seed", "3"];
    let play = |name: &str, games: &str, more: &[&str]| {
        let file = folder.file(name);
        let what = ["selfplay", "--output", text(&file), "--games", games];
        run(&[&what[..], &terms, more].concat());
    };
    play("local.kpos", "100", &[]);
    // Taken up twice, once after an odd number of games played here.
    play("fleet.kpos", "21", &[]);
    play("fleet.kpos", "50", &["--nats", &url]);
    play("fleet.kpos", "100", &["--nats", &url]);
    assert_eq!(bytes("fleet.kpos"), bytes("local.kpos"));

    let source = folder.file("local.kpos");
    let label = |name: &str, more: &[&str]| {
        let file = folder.file(name);
        let what = ["label", text(&source), "--output", text(&file), "--share", "0.5"];
        run(&[&what[..], &terms[..6], more].concat());
    };
    label("local-labels.kpos", &[]);
    label("fleet-labels.kpos", &["--nats", &url]);
    assert_eq!(bytes("fleet-labels.kpos"), bytes("local-labels.kpos"));

    let problems = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18;\n\
                    -XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X; A4:+10;\n\
                    ----OX----OOXX---OOOXX-XOOXXOOOOOXXOXXOOOXXXOOOOOXXXXOXO--OOOOOX X; D1:+2;\n";
    let file = folder.file("problems.obf");
    std::fs::write(&file, problems).unwrap();
    let solve = |more: &[&str]| -> Vec<Value> {
        let output = run(&[&["--json", "solve", text(&file), "--hash", "4"][..], more].concat());
        let rows = String::from_utf8(output.stdout).unwrap();
        let row = |line: &str| {
            let mut row: Value = serde_json::from_str(line).unwrap();
            for timed in ["seconds", "nodes_per_second"] {
                row.as_object_mut().unwrap().remove(timed);
            }
            row
        };
        rows.lines().map(row).collect()
    };
    let there = solve(&["--nats", &url]);
    assert_eq!(there.len(), 3);
    assert_eq!(there, solve(&[]));
}

#[test]
#[ignore = "needs nats-server"]
fn a_book_grown_by_three_workers_is_whole_and_goes_on_after_its_coordinator_was_killed_with_nats_server()
 {
    let (broker, folder) = (Broker::start(), Folder::new("book"));
    let _workers = workers(&broker.url(), &folder.0);
    let (url, book) = (broker.url(), folder.file("grown.kbook"));
    let terms = ["--depth", "3", "--move-error", "3", "--line-error", "4", "--min-empties", "52"];
    let more = ["--set", "eval=mobility", "--set", "hash=1", "--nats", &url];
    let command = [&["--json", "book", "grow", text(&book)][..], &terms, &more].concat();
    // Killed when the book has some positions; the journal may not say goodbye.
    let mut coordinator = kitai().args(&command).stdout(Stdio::null()).spawn().unwrap();
    let journal = folder.file("grown.kbook.journal");
    wait_until(|| std::fs::metadata(&journal).is_ok_and(|journal| journal.len() > 2000));
    coordinator.kill().unwrap();
    coordinator.wait().unwrap();
    let report = |output: &[u8]| -> Value { serde_json::from_slice(output).unwrap() };
    let done = report(&run(&command).stdout);
    assert_eq!(done["waiting"], 0, "{done}");
    assert!(done["positions"].as_u64().unwrap() > 50, "{done}");
    run(&["book", "check", text(&book)]);
    // Nothing is left to do for one process either.
    let again = report(&run(&command[..command.len() - 2]).stdout);
    assert_eq!((&again["added"], &again["valued"]), (&0.into(), &0.into()), "{again}");
}

#[test]
#[ignore = "needs nats-server"]
fn weights_travel_by_hash_and_a_damaged_copy_is_fetched_again_with_nats_server() {
    let (broker, folder) = (Broker::start(), Folder::new("weights"));
    let url = broker.url();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/eval/pattern/weights.bin");
    let weights = folder.file("mine.bin");
    std::fs::copy(source, &weights).unwrap();
    let player = format!("name=a,depth=2,hash=1,weights={}", text(&weights));
    let other = "name=b,depth=1,hash=1";
    let terms = ["match", &player, other, "--games", "8", "--openings", "random:6", "--seed", "2"];
    let _worker = worker(&url, "one", &folder.0, &[]);
    let play = |name: &str, more: &[&str]| {
        run(&[&terms[..], &["--out", text(&folder.file(name))], more].concat());
        games(&folder.file(&format!("{name}.jsonl")))
    };
    let local = play("local", &[]);
    assert_eq!(play("fleet", &["--nats", &url]), local);
    let cached: Vec<_> = std::fs::read_dir(folder.file("cache-one")).unwrap().collect();
    assert_eq!(cached.len(), 1);
    let cached = cached[0].as_ref().unwrap().path();
    assert_eq!(std::fs::read(&cached).unwrap(), std::fs::read(&weights).unwrap());
    // The worker takes several jobs at once, and each of them finds the damage.
    for round in 0..3 {
        std::fs::write(&cached, b"damaged").unwrap();
        assert_eq!(play(&format!("again-{round}"), &["--nats", &url]), local);
        assert_eq!(std::fs::read(&cached).unwrap(), std::fs::read(&weights).unwrap());
    }
}

#[test]
#[ignore = "needs nats-server"]
fn a_worker_asked_to_end_gives_back_what_it_cannot_finish_with_nats_server() {
    let (broker, folder) = (Broker::start(), Folder::new("drain"));
    let url = broker.url();
    let out = folder.file("fleet");
    let mut coordinator = kitai();
    coordinator.args(["match", "depth=1,hash=1,eval=mobility", "depth=2,hash=1,eval=mobility"]);
    coordinator.args(["--games", "400", "--openings", "random:6", "--nats", &url, "--out"]);
    let mut coordinator = coordinator.arg(&out).spawn().unwrap();
    for round in 0..5 {
        let mut command = kitai();
        command.args(["--json", "worker", "--nats", &url, "--no-bench", "-j", "2", "--cache"]);
        let name = format!("w{round}");
        command.arg(folder.file("cache")).args(["--name", &name]);
        let process = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
        // As soon as it has done something it is asked to end.
        let log = folder.file("fleet.jsonl");
        wait_until(|| log.exists() && players_of(&log).iter().any(|(_, worker)| *worker == name));
        let asked = std::process::Command::new("kill").arg(process.id().to_string()).status();
        assert!(asked.unwrap().success());
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success());
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&report["failed"], &report["refused"]), (&0.into(), &0.into()), "{report}");
    }
    let _rest = workers(&url, &folder.0);
    assert!(coordinator.wait().unwrap().success());
    assert_eq!(games(&folder.file("fleet.jsonl")).len(), 400);
}
