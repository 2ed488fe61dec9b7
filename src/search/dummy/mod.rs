//! The smallest method there can be: what a new one needs, kept true by the tests.

use std::time::Duration;

use super::registry::MethodSpec;
use super::report::{Bound, Certainty, Event, Line, Origin, Outcome};
use super::{Method, Request, StopFlag};
use crate::eval;
use crate::options::TypedOption;
use crate::score::Score;

static CHOICE: TypedOption<i64> =
    TypedOption::integer("dummy-choice", 0, 63, 0, "Which legal move to play, counted from 0.");

pub(super) const METHODS: &[MethodSpec] = &[MethodSpec {
    name: "dummy",
    help: "Plays a legal move without a look.",
    limits: &[],
    options: &[&[&CHOICE.spec]],
    build: |options| {
        eval::choose(options)?;
        Ok(Box::new(Dummy { choice: options.get(&CHOICE) as usize }))
    },
}];

struct Dummy {
    choice: usize,
}

impl Method for Dummy {
    fn search(&mut self, request: &Request, _: &StopFlag, _: &mut dyn FnMut(&Event)) -> Outcome {
        let moves: Vec<_> = request.position.children().map(|entry| entry.0).collect();
        let pv = moves.get(self.choice % moves.len().max(1)).copied().into_iter().collect();
        let (score, bound) = (Score::default(), Bound::Exact);
        let line =
            Line { score, bound, certainty: Certainty::Estimate, pv, visits: 0, uncertainty: None };
        let elapsed = Duration::ZERO;
        Outcome {
            origin: Origin::Search,
            lines: vec![line],
            depth: 0,
            nodes: 1,
            playouts: 0,
            elapsed,
        }
    }

    fn clear(&mut self) {}
}
