//! Monte Carlo tree search, after Kitamura and Matsuzaki 2017.
//!
//! [`uct`] holds the paper's players plain, T and E, exactly as published, to measure with.

pub mod budget;
pub mod formula;
pub mod parameters;
pub mod playout;
pub mod uct;

use std::sync::Arc;

use self::playout::PlayoutPolicy;
use super::report::{Bound, Certainty, Event, Line, Outcome};
use crate::eval::Evaluator;
use crate::options::Options;
use crate::othello::Position;
use crate::score::Score;

fn policy_from_options(options: &Options, evaluator: &Arc<dyn Evaluator>) -> PlayoutPolicy {
    match options.text("playout-policy").as_str() {
        "ranked" => PlayoutPolicy::Ranked(Arc::clone(evaluator)),
        _ => PlayoutPolicy::Uniform,
    }
}

/// The answer when there is nothing left to play.
fn game_over(position: Position) -> Outcome {
    let line = Line {
        score: Score::whole(position.final_score()),
        bound: Bound::Exact,
        certainty: Certainty::Exact,
        pv: Vec::new(),
        visits: 0,
    };
    outcome(Event {
        depth: 0,
        lines: vec![line],
        nodes: 0,
        playouts: 0,
        elapsed: Default::default(),
    })
}

/// The last report as the answer.
fn outcome(last: Event) -> Outcome {
    let Event { depth, lines, nodes, playouts, elapsed } = last;
    Outcome { lines, depth, nodes, playouts, elapsed }
}
