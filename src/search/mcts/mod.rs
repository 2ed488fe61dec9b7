//! Monte Carlo tree search, after Kitamura and Matsuzaki 2017.
//!
//! Two methods share the formulas and the playouts of this room:
//!
//! * [`uct`] — the paper's players plain, T and E, exactly as published, to measure with;
//! * [`puct`] — a player to use: PUCT with priors and leaf values from the evaluator, exact
//!   bounds backed up from the endgame solver, all cores, a bounded tree kept from move to move.

pub mod budget;
pub mod formula;
pub mod parameters;
pub mod playout;
pub mod puct;
pub mod root;
pub mod tree;
pub mod uct;
pub mod walker;

use self::playout::PlayoutPolicy;
use super::report::{Bound, Certainty, Event, Line, Outcome};
use crate::eval::Evaluation;
use crate::options::Options;
use crate::othello::Position;
use crate::score::Score;

fn policy_from_options(options: &Options, evaluation: &Evaluation) -> PlayoutPolicy {
    match options.text("playout-policy").as_str() {
        "ranked" => PlayoutPolicy::Ranked(evaluation.clone()),
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
