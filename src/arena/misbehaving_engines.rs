//! Engines that misbehave, as small shell scripts: each must lose its game with the right reason,
//! be started afresh for the next one, and leave no process behind.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::adjudicate::Adjudicator;
use super::builtin::BuiltIn;
use super::gtp::GtpPlayer;
use super::nboard::NBoardPlayer;
use super::plan::tests::small_plan;
use super::spec::{Engine, PlayerSpec};
use super::standing::Games;
use super::{Contestant, Ending, FaultKind, Kind, Plan, Standing, referee, runner};
use crate::arena::clock::TimeControl;
use crate::engine::time::TimeSource;
use crate::search::StopFlag;

/// Long enough that only a real hang lasts longer, whatever else the machine does.
const PATIENCE: Duration = Duration::from_secs(30);

/// A well-behaved GTP engine but for what it does on `genmove`.
fn gtp_script(pids: &Path, on_genmove: &str) -> Engine {
    script(
        pids,
        &format!(
            "while read -r line; do case \"$line\" in \
               genmove*) {on_genmove} ;; \
               *) printf '=\\n\\n' ;; \
             esac; done"
        ),
        |command| Engine::Gtp { command },
    )
}

/// A well-behaved NBoard engine but for what it does on `go`.
fn nboard_script(pids: &Path, on_go: &str) -> Engine {
    script(
        pids,
        &format!(
            "while read -r word rest; do case \"$word\" in \
               ping) echo \"pong $rest\" ;; \
               go) {on_go} ;; \
             esac; done"
        ),
        |command| Engine::NBoard { command, depth: Some(1) },
    )
}

fn script(pids: &Path, body: &str, engine: impl Fn(Vec<String>) -> Engine) -> Engine {
    let up = pids.with_extension("up");
    let text = format!("up='{}'; echo $$ >> '{}'; {body}", up.display(), pids.display());
    engine(vec!["sh".to_owned(), "-c".to_owned(), text])
}

struct Trial {
    plan: Plan,
    pids: PathBuf,
}

impl Trial {
    fn new(name: &str, make: impl Fn(&Path) -> Engine) -> Trial {
        let pids = std::env::temp_dir().join(format!("kitai-{}-{name}", std::process::id()));
        let _ = std::fs::remove_file(&pids);
        let mut plan = small_plan(&["depth=1", "depth=1"], Kind::HeadToHead, 1);
        plan.players[1] =
            PlayerSpec { name: "hostile".to_owned(), engine: make(&pids), time: None };
        plan.rules.patience = PATIENCE;
        Trial { plan, pids }
    }

    /// Plays one pair; both games must end with this fault of the hostile player.
    fn must_end_with(self, kind: FaultKind, detail: &str) {
        let mut games = Games::new();
        let numbers: Vec<usize> = (0..self.plan.games()).collect();
        let nobody = runner::Spectators::default();
        runner::run(&self.plan, &numbers, 1, &StopFlag::new(), nobody, |game| {
            games.insert(game.game, game);
            ControlFlow::<()>::Continue(())
        })
        .unwrap();
        assert_eq!(games.len(), 2);
        for game in games.values() {
            let Ending::Failed(side, fault) = &game.ending else { panic!("{:?}", game.ending) };
            assert_eq!(fault.kind, kind, "{fault:?}");
            assert!(fault.detail.contains(detail), "{fault:?}");
            let hostile_is_black = game.black == "hostile";
            assert_eq!(*side == super::referee::Side::Black, hostile_is_black);
            assert_eq!(game.half_points, if hostile_is_black { 0 } else { 2 });
            assert_eq!(game.discs, None);
        }
        let standing = Standing::of(&self.plan, &games);
        assert_eq!(standing.pairings[0].wins, 2);
        assert_eq!(standing.players[1].failures.kinds[kind.name()], 2);
        self.must_have_left_nothing(2);
    }

    /// Every process that was started is gone, not even a zombie.
    fn must_have_left_nothing(&self, started: usize) {
        let pids = std::fs::read_to_string(&self.pids).unwrap_or_default();
        let _ = std::fs::remove_file(&self.pids);
        assert_eq!(pids.lines().count(), started, "started afresh for each game");
        for pid in pids.lines() {
            assert!(!Path::new("/proc").join(pid).exists(), "process {pid} is still there");
        }
    }
}

/// A clock that jumps when a file appears: the engine under test says by it that the time has come.
struct TimeByFile {
    start: Instant,
    file: PathBuf,
    jump: Duration,
}

impl TimeSource for TimeByFile {
    fn now(&self) -> Instant {
        self.start + if self.file.exists() { self.jump } else { Duration::ZERO }
    }
}

/// One pair of games of a built-in player against an engine that says by a file when its time is
/// to be up; both must end with this fault of the engine. `$up` in the script is the file.
fn must_run_out_of_time(
    name: &str,
    make: impl Fn(&Path) -> Engine,
    jump: Duration,
    kind: FaultKind,
    detail: &str,
) {
    let trial = Trial::new(name, make);
    let file = trial.pids.with_extension("up");
    let mut rules = trial.plan.rules;
    rules.control = TimeControl::PerMove(Duration::from_millis(300));
    for engine_is_black in [true, false] {
        let _ = std::fs::remove_file(&file);
        let time = Arc::new(TimeByFile { start: Instant::now(), file: file.clone(), jump });
        let mut engine: Box<dyn Contestant> = match &trial.plan.players[1].engine {
            Engine::Gtp { command } => {
                Box::new(GtpPlayer::new(command, None).timed_by(time.clone()))
            }
            Engine::NBoard { command, depth } => {
                Box::new(NBoardPlayer::new(command, *depth, None).timed_by(time.clone()))
            }
            Engine::BuiltIn(_) => panic!("an engine of the test's own"),
        };
        let Engine::BuiltIn(options) = &trial.plan.players[0].engine else { panic!("built-in") };
        let mut other = BuiltIn::new(options).unwrap().timed_by(time);
        let players: [&mut dyn Contestant; 2] = match engine_is_black {
            true => [&mut *engine, &mut other],
            false => [&mut other, &mut *engine],
        };
        let opening = &trial.plan.openings[0];
        let mut adjudicator = Adjudicator::default();
        let stop = StopFlag::new();
        let rules = [rules, rules];
        let played = referee::play(players, opening, &rules, [1, 2], &mut adjudicator, &stop);
        let Some(Ending::Failed(side, fault)) = played.map(|played| played.ending) else {
            panic!("{name}: the engine did not fail");
        };
        assert_eq!(side == referee::Side::Black, engine_is_black);
        assert_eq!(fault.kind, kind, "{fault:?}");
        assert!(fault.detail.contains(detail), "{fault:?}");
    }
    let _ = std::fs::remove_file(&file);
    trial.must_have_left_nothing(2);
}

/// Longer than any patience.
const LONG: Duration = Duration::from_secs(3600);
/// Longer than the clock, shorter than the patience.
const A_LITTLE: Duration = Duration::from_secs(5);

#[test]
fn an_engine_that_never_answers_hangs() {
    must_run_out_of_time(
        "silent",
        |pids| gtp_script(pids, "touch \"$up\""),
        LONG,
        FaultKind::Hang,
        "no answer to `genmove",
    );
    must_run_out_of_time(
        "silent-nboard",
        |pids| nboard_script(pids, "touch \"$up\""),
        LONG,
        FaultKind::Hang,
        "awaited `===`",
    );
}

#[test]
fn an_engine_that_never_says_a_word_hangs() {
    must_run_out_of_time(
        "deaf",
        |pids| script(pids, "touch \"$up\"; sleep 1000", |command| Engine::Gtp { command }),
        LONG,
        FaultKind::Hang,
        "no answer to `list_commands`",
    );
}

#[test]
fn an_engine_that_answers_late_loses_on_time() {
    must_run_out_of_time(
        "late",
        |pids| gtp_script(pids, "touch \"$up\"; printf '= d3\\n\\n'"),
        A_LITTLE,
        FaultKind::TimeOut,
        "took 5.000 s of 0.300 s left",
    );
    must_run_out_of_time(
        "late-nboard",
        |pids| nboard_script(pids, "touch \"$up\"; echo '=== D3'"),
        A_LITTLE,
        FaultKind::TimeOut,
        "took 5.000 s of 0.300 s left",
    );
}

#[test]
fn an_illegal_move_loses() {
    Trial::new("illegal", |pids| gtp_script(pids, "printf '= d4\\n\\n'"))
        .must_end_with(FaultKind::IllegalMove, "cannot play d4");
    Trial::new("illegal-nboard", |pids| nboard_script(pids, "echo '=== PA/0/0'"))
        .must_end_with(FaultKind::IllegalMove, "cannot play pa");
}

#[test]
fn an_engine_that_dies_crashes_with_its_status() {
    Trial::new("dies", |pids| gtp_script(pids, "exit 3"))
        .must_end_with(FaultKind::Crash, "exit status: 3");
    Trial::new("dies-nboard", |pids| nboard_script(pids, "kill -9 $$"))
        .must_end_with(FaultKind::Crash, "signal: 9");
    Trial::new("dies-at-once", |pids| script(pids, "exit 0", |command| Engine::Gtp { command }))
        .must_end_with(FaultKind::Crash, "exit status: 0");
}

#[test]
fn a_flood_of_output_is_garbage_and_fills_no_memory() {
    Trial::new("flood", |pids| nboard_script(pids, "yes nodestats 1 1"))
        .must_end_with(FaultKind::Garbage, "MiB of output");
    Trial::new("flood-line", |pids| gtp_script(pids, "tr '\\0' x < /dev/zero"))
        .must_end_with(FaultKind::Garbage, "MiB of output");
}

#[test]
fn closing_the_input_is_a_crash_even_if_the_process_lives_on() {
    // The first answer is never read by the script's own rules: it waits with its input closed.
    Trial::new("closed", |pids| {
        script(
            pids,
            "printf '=\\n\\n=\\n\\n'; exec 0<&-; printf '=\\n\\n=\\n\\n=\\n\\n'; sleep 1000",
            |command| Engine::Gtp { command },
        )
    })
    .must_end_with(FaultKind::Crash, "closed its input");
}

#[test]
fn answers_that_are_no_answers_are_garbage() {
    Trial::new("words", |pids| gtp_script(pids, "echo hello"))
        .must_end_with(FaultKind::Garbage, "answered `hello` to `genmove");
    Trial::new("no-move", |pids| gtp_script(pids, "printf '= somewhere\\n\\n'"))
        .must_end_with(FaultKind::Garbage, "named no move: `somewhere`");
    Trial::new("refuses", |pids| gtp_script(pids, "printf '? not now\\n\\n'"))
        .must_end_with(FaultKind::Garbage, "refused to move: `not now`");
    Trial::new("no-move-nboard", |pids| nboard_script(pids, "echo '=== '"))
        .must_end_with(FaultKind::Garbage, "named no move");
}
