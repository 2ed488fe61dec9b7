//! Engine wrappers that leave processes behind: nothing of them may outlive its game.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use kitai::arena::clock::TimeControl;
use kitai::arena::{Ending, FaultKind, Kind, OpeningSource, Plan, PlayerSpec, Rules, runner};
use kitai::search::StopFlag;

/// The tests of this file count what their process has, so they go one after the other.
static ALONE: Mutex<()> = Mutex::new(());

/// A wrapper that starts a child, notes both numbers and goes; `%` is how it starts the child.
const WRAPPERS: [(&str, &str); 4] = [
    ("exits leaving a child", "sleep 1000 >&- 2>&- <&- & note; exit 3"),
    ("leaves its output to a child", "sleep 1000 & note; exit 3"),
    ("leaves a child in a session of its own", "setsid sleep 1000 & note; exit 3"),
    (
        "leaves a grandchild in a session of its own and stays",
        "(setsid sleep 1000 & note); while read -r line; do case $line in genmove*) exit 3 ;; \
         *) printf '=\\n\\n' ;; esac; done",
    ),
];

#[derive(Debug)]
struct Counts {
    threads: usize,
    descriptors: usize,
    children: usize,
}

/// What this process has right now.
fn counts() -> Counts {
    let entries = |path: &str| std::fs::read_dir(path).unwrap().count();
    let me = format!(" {} ", std::process::id());
    let is_child = |entry: &std::fs::DirEntry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // After the name: state, then the parent.
        stat.rsplit_once(") ").is_some_and(|(_, rest)| rest[1..].starts_with(&me))
    };
    Counts {
        threads: entries("/proc/self/task"),
        descriptors: entries("/proc/self/fd"),
        children: std::fs::read_dir("/proc").unwrap().flatten().filter(is_child).count(),
    }
}

fn plan(name: &str, body: &str, games: usize) -> (Plan, PathBuf) {
    let name: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
    let pids = std::env::temp_dir().join(format!("kitai-pids-{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&pids);
    let script = format!("note() {{ echo $$ $! >> '{}'; }}; {body}", pids.display());
    let mut wrapper = PlayerSpec::parse("depth=1,name=wrapper").unwrap();
    wrapper.engine =
        kitai::arena::spec::Engine::Gtp { command: vec!["sh".into(), "-c".into(), script] };
    let plan = Plan {
        players: vec![PlayerSpec::parse("depth=1,hash=1,eval=mobility").unwrap(), wrapper],
        pairings: Kind::HeadToHead.pairings(2),
        rounds: games / 2,
        openings: OpeningSource::Random { plies: 6 }.openings(games / 2, 1).unwrap(),
        opening_source: "random:6".to_owned(),
        rules: Rules {
            control: TimeControl::None,
            margin: Duration::ZERO,
            patience: Duration::from_secs(60),
            adjudicate: None,
            resign: None,
            draw: None,
        },
        seed: 1,
        sprt: None,
        anchors: Vec::new(),
        zero: None,
    };
    (plan, pids)
}

fn play(plan: &Plan) -> usize {
    let numbers: Vec<usize> = (0..plan.games()).collect();
    let mut crashes = 0;
    let nobody = runner::Spectators::default();
    runner::run(plan, &numbers, 1, &StopFlag::new(), nobody, |game| {
        if let Ending::Failed(_, fault) = &game.ending {
            assert_eq!(fault.kind, FaultKind::Crash, "{fault:?}");
            assert!(fault.detail.contains("exit status: 3"), "{fault:?}");
            crashes += 1;
        }
        ControlFlow::<()>::Continue(())
    })
    .unwrap();
    crashes
}

fn nothing_is_left(games: usize) {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for (name, body) in WRAPPERS {
        // Whatever is made once is made before counting.
        play(&plan("warm up", body, 2).0);
        let before = counts();
        let (plan, pids) = plan(name, body, games);
        assert_eq!(play(&plan), games, "{name}");
        // Whatever was told to end may take a moment.
        let given_up = Instant::now() + Duration::from_secs(60);
        let mut after = counts();
        while (after.children > 0
            || after.threads > before.threads
            || after.descriptors > before.descriptors)
            && Instant::now() < given_up
        {
            std::thread::yield_now();
            after = counts();
        }
        assert_eq!(after.children, 0, "{name}");
        // Not equal: a thread that was about to end may have been counted before.
        assert!(after.threads <= before.threads, "{name}: {before:?} {after:?}");
        assert!(after.descriptors <= before.descriptors, "{name}: {before:?} {after:?}");
        let noted = std::fs::read_to_string(&pids).unwrap();
        std::fs::remove_file(&pids).unwrap();
        assert_eq!(noted.lines().count(), games, "{name}: one start per game");
        for pid in noted.split_whitespace() {
            // A number may have been given to someone else since; a sleeper is ours.
            let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            assert!(!command.starts_with(b"sleep\x001000"), "{name}: {pid} is still there");
        }
    }
}

#[test]
fn wrappers_that_go_leave_no_process_thread_or_descriptor() {
    nothing_is_left(6);
}

#[test]
#[ignore = "long: five hundred games with each wrapper, some minutes"]
fn five_hundred_games_with_each_wrapper_leave_nothing() {
    nothing_is_left(500);
}
