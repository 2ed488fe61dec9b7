//! NBoard conversations without a process: lines and events in, actions out.

use std::time::Duration;

use super::NBoardSession;
use crate::engine::SearchUpdate;
use crate::options::Options;
use crate::protocol::testing::{Bench, configures, progress, said, thinks};
use crate::protocol::{Action, Input, Permissions, Phase};

fn session(settings: &[(&str, &str)]) -> Bench<NBoardSession> {
    let mut options = Options::new();
    for (name, value) in settings {
        options.set(name, value).unwrap();
    }
    Bench::new(NBoardSession::new(options, Permissions { files: false, learn: true }))
}

#[test]
fn a_move_is_announced_with_the_time_it_took() {
    let mut bench = session(&[]);
    bench.say("set depth 5");
    let actions = bench.say("go");
    let (search, task) = thinks(&actions);
    assert_eq!(task.request.limits.depth, Some(5));
    assert_eq!(said(&actions), "status Thinking\n");
    let told = said(&bench.update(search, progress("d3")));
    assert!(told.starts_with("nodestats 50 0.005\nsearch D3 2.00 0 4\n"), "{told}");
    bench.wait(Duration::from_millis(1500));
    let told = said(&bench.finish(search, "f5"));
    assert_eq!(told, "nodestats 100 0.010\n=== F5/2.00/1.500\nstatus\n");
}

#[test]
fn nothing_old_is_said_after_a_ping() {
    let mut bench = session(&[]);
    let (search, _) = thinks(&bench.say("hint 2"));
    let actions = bench.say("ping 4");
    assert!(matches!(actions[0], Action::Abandon { .. }));
    assert_eq!(said(&actions), "pong 4\n");
    assert!(bench.update(search, progress("d3")).is_empty());
    assert!(bench.finish(search, "d3").is_empty());
}

#[test]
fn the_announced_move_does_not_end_the_thinking_beyond_it() {
    let mut bench = session(&[("ponder", "true")]);
    let (search, _) = thinks(&bench.say("go"));
    thinks(&bench.finish(search, "f5"));
    assert!(bench.say("move F5/2.00/0.1").is_empty());
    let actions = bench.say("move D6");
    assert!(matches!(actions[..], [Action::Abandon { .. }]), "{actions:?}");
}

#[test]
fn learned_is_said_when_the_game_is_on_disk_and_only_then() {
    let mut bench = session(&[]);
    bench.say("move F5");
    let actions = bench.say("learn");
    let Some(Action::Save { request, line }) = actions.last() else { panic!("{actions:?}") };
    assert!(line.contains("B[f5") && !line.contains('\n'), "{line}");
    assert_eq!(said(&actions), "");
    assert_eq!(said(&bench.give(Input::Saved(*request, Ok(())))), "learned\n");
    let actions = bench.say("learn");
    let Some(Action::Save { request, .. }) = actions.last() else { panic!("{actions:?}") };
    bench.give(Input::EndOfInput);
    assert_eq!(bench.phase(), Phase::Closing, "the game is on its way");
    let told = said(&bench.give(Input::Saved(*request, Err("disk full".to_owned()))));
    assert_eq!(told, "status not learned: disk full\n");
    assert_eq!(bench.phase(), Phase::Finished);
}

#[test]
fn lines_wait_for_an_option_that_the_engine_is_taking() {
    let mut bench = session(&[]);
    let actions = bench.say("set option hash 2");
    let change = configures(&actions);
    assert_eq!(bench.ask("ping 1"), "");
    let told = said(&bench.update(change, SearchUpdate::Ready));
    assert_eq!(told, "status option hash = 2\npong 1\n");
    let change = configures(&bench.say("set option hash 65536"));
    let refused = SearchUpdate::Failed("too much".to_owned());
    assert_eq!(said(&bench.update(change, refused)), "status too much\n");
    assert_eq!(bench.ask("set option depth 3"), "status option depth = 3\n");
    let told = bench.ask("set option weights /etc/passwd");
    assert!(told.starts_with("status option `weights`: names a file"), "{told}");
}

#[test]
fn leaving_stops_the_search_at_once_and_a_move_is_still_told() {
    let mut bench = session(&[]);
    let (search, _) = thinks(&bench.say("go"));
    let actions = bench.give(Input::EndOfInput);
    assert!(matches!(actions[..], [Action::Stop { .. }]), "{actions:?}");
    assert!(said(&bench.finish(search, "f5")).contains("=== F5"));
    assert_eq!(bench.phase(), Phase::Finished);
    let mut bench = session(&[]);
    bench.say("analyze");
    bench.say("quit");
    assert_eq!(bench.phase(), Phase::Finished);
}

#[test]
fn hints_that_were_told_are_not_told_again_at_the_end() {
    let mut bench = session(&[]);
    let (search, _) = thinks(&bench.say("hint 1"));
    let told = said(&bench.update(search, progress("d3")));
    assert_eq!(told.matches("search D3").count(), 1, "{told}");
    let mut outcome = crate::protocol::testing::outcome("d3");
    outcome.depth = 4;
    let same = said(&bench.update(search, SearchUpdate::Done(outcome)));
    assert!(!same.contains("search"), "{same}");
    let (search, _) = thinks(&bench.say("hint 1"));
    bench.update(search, progress("d3"));
    let other = said(&bench.finish(search, "f5"));
    assert_eq!(other.matches("search F5").count(), 1, "{other}");
}
