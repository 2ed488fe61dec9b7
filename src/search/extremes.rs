//! Every method with every option at its ends: each search ends when it is stopped and gives a legal
//! move, whatever numbers a user chose.

use super::{Limits, Request, StopFlag, build, methods};
use crate::eval::registry::evaluations;
use crate::options::{OptionKind, OptionSpec, Options};
use crate::othello::Position;
use crate::othello::random::random_position;
use crate::random::seeded;

/// More nodes than any method may visit between two looks at its limits; a search that takes no
/// notice of them does not end at all.
const MOST_NODES: u64 = 1_000_000;

/// The values at the ends of an option's range, the words of a choice, and for numbers the least
/// above the lower end.
fn ends(spec: &OptionSpec) -> Vec<String> {
    match spec.kind {
        OptionKind::Integer { min, max } => vec![min.to_string(), max.to_string()],
        OptionKind::Cores { max } => vec!["1".to_owned(), max.to_string(), "auto".to_owned()],
        OptionKind::Number { min, max } => {
            let tiny =
                if min == 0.0 { vec!["1e-320".to_owned(), "1e-30".to_owned()] } else { vec![] };
            [vec![min.to_string(), max.to_string()], tiny].concat()
        }
        OptionKind::Switch => vec!["true".to_owned(), "false".to_owned()],
        OptionKind::Choice(words) => words.iter().map(|word| (*word).to_owned()).collect(),
        OptionKind::Text => vec![],
    }
}

/// Searches a few thousand nodes, and without a limit but stopped; checks the answers.
fn check(options: &Options, position: Position, what: &str) {
    // No memory for a table of that size is an answer too.
    let Ok(mut method) = build(options) else { return };
    let (free, stopped) = (StopFlag::new(), StopFlag::new());
    stopped.stop();
    for (limits, stop) in [(Limits::nodes(3_000), free), (Limits::default(), stopped)] {
        let outcome = method.search(&Request::new(position, limits), &stop, &mut |_| {});
        let best = outcome.best_move().unwrap_or_else(|| panic!("no move: {what}"));
        let legal = position.children().any(|(played, _)| played == best);
        assert!(legal, "{best} is not legal: {what}");
        assert!(outcome.nodes <= MOST_NODES, "{} nodes: {what}", outcome.nodes);
        assert!(outcome.score().discs().abs() <= 64.0, "{:?}: {what}", outcome.score());
    }
}

fn options(settings: &[(&str, &str)]) -> Options {
    let mut options = Options::new();
    for (name, value) in settings {
        options.set(name, value).unwrap();
    }
    options
}

#[test]
fn every_search_ends_with_a_legal_move_with_each_option_at_its_ends() {
    let position = random_position(36, &mut seeded(5));
    for method in methods() {
        for spec in method.options.iter().copied().flatten() {
            for value in ends(spec) {
                let name = method.name;
                let options =
                    options(&[("method", name), ("eval", "mobility"), (spec.name, &value)]);
                check(&options, position, &format!("method={name} {}={value}", spec.name));
            }
        }
    }
}

#[test]
fn every_search_ends_with_all_numbers_at_their_least_and_at_their_greatest() {
    let position = random_position(30, &mut seeded(6));
    for method in methods() {
        for end in [0, 1] {
            let mut options = options(&[("method", method.name), ("eval", "discs")]);
            for spec in method.options.iter().copied().flatten() {
                let number = matches!(spec.kind, OptionKind::Number { .. });
                let small = matches!(spec.kind, OptionKind::Integer { max, .. } if max <= 100);
                if number || small {
                    options.set(spec.name, &ends(spec)[end]).unwrap();
                }
            }
            check(&options, position, &format!("method={} end {end}", method.name));
        }
    }
}

#[test]
fn no_exploration_and_a_tiny_prior_do_not_trap_uct() {
    let settings = [("method", "uct"), ("ucb-c", "0"), ("prior-weight", "1e-320")];
    check(&options(&settings), Position::START, "uct ucb-c=0 prior-weight=1e-320");
}

#[test]
fn every_evaluation_serves_every_method_with_its_options_at_their_ends() {
    let position = random_position(40, &mut seeded(7));
    for evaluation in evaluations() {
        for method in methods() {
            let settings = [("method", method.name), ("eval", evaluation.name)];
            check(&options(&settings), position, &format!("{settings:?}"));
            for spec in evaluation.options {
                for value in ends(spec) {
                    let mut options = options(&settings);
                    options.set(spec.name, &value).unwrap();
                    check(&options, position, &format!("{settings:?} {}={value}", spec.name));
                }
            }
        }
    }
}
