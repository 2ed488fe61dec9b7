//! GTP conversations without a process: lines and events in, actions out.

use std::time::Duration;

use super::GtpSession;
use crate::engine::SearchUpdate;
use crate::options::Options;
use crate::protocol::testing::{Bench, configures, progress, said, thinks};
use crate::protocol::{Action, Input, Permissions, Phase};

const LOCAL: Permissions = Permissions { files: true, learn: false };
const NETWORK: Permissions = Permissions { files: false, learn: false };

fn session(settings: &[(&str, &str)], permissions: Permissions) -> Bench<GtpSession> {
    let mut options = Options::new();
    for (name, value) in settings {
        options.set(name, value).unwrap();
    }
    Bench::new(GtpSession::new(options, permissions))
}

#[test]
fn a_move_is_searched_played_and_told() {
    let mut bench = session(&[("depth", "3")], LOCAL);
    let actions = bench.say("7 genmove b");
    let (search, task) = thinks(&actions);
    assert_eq!(task.request.limits.depth, Some(3));
    assert_eq!(said(&actions), "");
    assert_eq!(said(&bench.update(search, progress("d3"))), "");
    assert_eq!(said(&bench.finish(search, "d3")), "=7 d3\n\n");
    assert_eq!(bench.ask("gogui-rules_side_to_move"), "= white\n\n");
}

#[test]
fn commands_keep_their_order_behind_a_search_and_late_events_change_nothing() {
    let mut bench = session(&[], LOCAL);
    let (search, _) = thinks(&bench.say("genmove b"));
    assert_eq!(bench.ask("1 name"), "");
    let actions = bench.say("# interrupt");
    assert!(matches!(actions[..], [Action::Stop { .. }]), "{actions:?}");
    assert_eq!(said(&bench.finish(search, "d3")), "= d3\n\n=1 Kitai\n\n");
    assert!(bench.finish(search, "d3").is_empty(), "it ended once already");
}

#[test]
fn a_clock_is_charged_with_what_a_move_took() {
    let mut bench = session(&[], LOCAL);
    bench.say("time_settings 10 0 0");
    let (search, _) = thinks(&bench.say("genmove b"));
    bench.wait(Duration::from_secs(9));
    bench.finish(search, "d3");
    bench.say("play w c3");
    let actions = bench.say("genmove b");
    let (_, task) = thinks(&actions);
    assert!(task.request.limits.time.unwrap().hard < Duration::from_secs(1), "{task:?}");
}

#[test]
fn an_option_of_the_method_is_answered_when_the_engine_has_taken_it() {
    let mut bench = session(&[], LOCAL);
    let actions = bench.say("kitai-set hash 4");
    assert_eq!(said(&actions), "");
    let change = configures(&actions);
    assert_eq!(bench.ask("name"), "", "what comes meanwhile waits");
    assert_eq!(said(&bench.update(change, SearchUpdate::Ready)), "=\n\n= Kitai\n\n");
    assert!(bench.ask("kitai-options").contains("hash = 4 "));

    let change = configures(&bench.say("kitai-set hash 65536"));
    let refused = SearchUpdate::Failed("too much".to_owned());
    assert_eq!(said(&bench.update(change, refused)), "? too much\n\n");
    assert!(bench.ask("kitai-options").contains("hash = 4 "), "the old value stays");
    // A limit needs nothing of the engine.
    assert_eq!(bench.ask("kitai-set depth 4"), "=\n\n");
}

#[test]
fn a_client_on_the_network_names_no_files() {
    let mut bench = session(&[], NETWORK);
    for option in ["weights", "zebra-coeffs", "sigma-table"] {
        let actions = bench.say(&format!("kitai-set {option} /etc/passwd"));
        let refused =
            format!("? option `{option}`: names a file, which clients on the network may not\n\n");
        assert_eq!(said(&actions), refused);
        assert_eq!(actions.len(), 1, "nothing was asked of the engine: {actions:?}");
    }
    let refused = bench.ask("loadsgf game.sgf");
    assert_eq!(refused, "? cannot load file: no files over the network\n\n");
}

#[test]
fn files_are_read_by_somebody_else() {
    let mut bench = session(&[], LOCAL);
    let actions = bench.say("2 loadsgf game.sgf 2");
    let [Action::Load { request, file }] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(file.to_str(), Some("game.sgf"));
    assert_eq!(bench.ask("3 name"), "");
    let content = b"(;GM[2];B[f5];W[d6])".to_vec();
    let actions = bench.give(Input::Loaded(*request, Ok(content)));
    assert_eq!(said(&actions), "=2 white\n\n=3 Kitai\n\n");
    let actions = bench.say("loadsgf other.sgf");
    let [Action::Load { request, .. }] = &actions[..] else { panic!("{actions:?}") };
    let actions = bench.give(Input::Loaded(*request, Err("gone\naway".to_owned())));
    assert_eq!(said(&actions), "? cannot load file: gone away\n\n");
}

#[test]
fn reports_come_no_more_often_than_asked_and_the_newest_is_not_lost() {
    let mut bench = session(&[], LOCAL);
    let actions = bench.say("kitai-analyze b 100");
    let (search, _) = thinks(&actions);
    assert!(said(&bench.update(search, progress("d3"))).starts_with("info move d3"));
    bench.wait(Duration::from_millis(400));
    let actions = bench.update(search, progress("c4"));
    let [Action::Later { request, after }] = &actions[..] else { panic!("{actions:?}") };
    assert_eq!(*after, Duration::from_millis(600));
    assert!(bench.update(search, progress("f5")).is_empty());
    bench.wait(Duration::from_millis(600));
    assert!(said(&bench.give(Input::Timer(*request))).starts_with("info move f5"));
    let actions = bench.say("name");
    assert!(matches!(actions[0], Action::Abandon { .. }));
    assert_eq!(said(&actions), "\n= Kitai\n\n");
}

#[test]
fn what_was_asked_before_the_end_of_input_is_answered_and_analysis_ends() {
    let mut bench = session(&[("depth", "2")], LOCAL);
    let (first, _) = thinks(&bench.say("genmove b"));
    bench.say("genmove w");
    bench.give(Input::EndOfInput);
    assert_eq!(bench.phase(), Phase::Closing);
    let actions = bench.finish(first, "d3");
    assert_eq!(said(&actions), "= d3\n\n");
    let (second, _) = thinks(&actions);
    assert_eq!(said(&bench.finish(second, "c3")), "= c3\n\n");
    assert_eq!(bench.phase(), Phase::Finished);

    let mut bench = session(&[], LOCAL);
    bench.say("kitai-analyze");
    let actions = bench.give(Input::EndOfInput);
    assert!(matches!(actions[0], Action::Abandon { .. }));
    assert_eq!(bench.phase(), Phase::Finished);
}

#[test]
fn the_opponents_time_is_used_only_if_asked_for() {
    let mut bench = session(&[("ponder", "true")], LOCAL);
    let (search, _) = thinks(&bench.say("genmove b"));
    let actions = bench.finish(search, "d3");
    let (pondering, _) = thinks(&actions);
    assert!(bench.finish(pondering, "c3").is_empty(), "nobody asked for its end");
    let mut bench = session(&[], LOCAL);
    let (search, _) = thinks(&bench.say("genmove b"));
    assert!(matches!(bench.finish(search, "d3")[..], [Action::Send(_)]));
}

#[test]
fn people_and_gogui_are_told_what_there_is() {
    let mut bench = session(&[], LOCAL);
    let help = bench.ask("help");
    assert!(help.starts_with("= play black f5") && help.contains("genmove white"), "{help}");
    assert_eq!(bench.ask("?"), help);
    // A blank line would end the reply in the middle.
    assert_eq!(help.find("\n\n"), Some(help.len() - 2));
    let offered = bench.ask("gogui-analyze_commands");
    for line in offered.trim_start_matches("= ").trim_end().lines() {
        let command = line.split('/').nth(2).and_then(|text| text.split(' ').next()).unwrap();
        assert_eq!(bench.ask(&format!("known_command {command}")), "= true\n\n", "{line}");
    }
}
