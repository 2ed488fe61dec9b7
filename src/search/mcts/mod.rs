//! Monte Carlo tree search, after Kitamura and Matsuzaki 2017.
//!
//! Two methods share the formulas and the playouts of this room:
//!
//! * [`uct`] — the paper's players plain, T and E, exactly as published, to measure with;
//! * [`puct`] — a player to use: PUCT with priors and leaf values from the evaluator, exact
//!   bounds backed up from the endgame solver, all cores, a bounded tree kept from move to move.

pub mod formula;
pub mod parameters;
pub mod playout;
pub mod puct;
pub mod root;
pub mod tree;
pub mod uct;
pub mod walker;

use self::parameters::{PLAYOUTS_PER_PLY, PLAYOUTS_WHEN_SOLVING};
use self::playout::PlayoutPolicy;
use super::Limits;
use super::registry::MethodSpec;
use super::report::{Bound, Certainty, Event, Line, Origin, Outcome};
use super::view::{EVAL_VIEW, View};
use crate::eval::Evaluation;
use crate::options::{OptionSpec, Options, TypedOption};
use crate::othello::Position;
use crate::random::SEED;
use crate::score::Score;

/// Size of the tree.
pub static MEMORY: TypedOption<i64> = TypedOption::integer(
    "memory",
    1,
    65_536,
    256,
    "Greatest size of the search tree and what belongs to it in MiB.",
)
.budgeted();
static PLAYOUT_POLICY: TypedOption<String> = TypedOption::choice(
    "playout-policy",
    &["uniform", "ranked"],
    "uniform",
    "Moves of playouts: uniform, or ranked by evaluation with odds 2:1 from rank to rank.",
);

/// Heeded by both methods.
const COMMON: &[&OptionSpec] = &[&MEMORY.spec, &PLAYOUT_POLICY.spec, &EVAL_VIEW.spec, &SEED.spec];

pub(super) const METHODS: &[MethodSpec] = &[uct::METHOD, puct::METHOD];

/// The bytes that the option `memory` grants.
fn memory(options: &Options) -> usize {
    (options.get(&MEMORY) as usize).saturating_mul(1 << 20)
}

fn policy_from_options(options: &Options, evaluation: &Evaluation) -> PlayoutPolicy {
    let view = View::from_options(options);
    match options.get(&PLAYOUT_POLICY).as_str() {
        "ranked" => PlayoutPolicy::Ranked(evaluation.clone(), view),
        _ => PlayoutPolicy::Uniform,
    }
}

/// The limits of a tree, which grows where it likes: a depth limit alone buys playouts in
/// proportion, and a wish for the exact score alone a fixed number of them.
fn playout_limits(limits: &Limits) -> Limits {
    let implied = match (limits.nodes, limits.time, limits.depth) {
        (None, None, Some(depth)) => Some(u64::from(depth.max(1)) * PLAYOUTS_PER_PLY),
        (None, None, None) if limits.exact || limits.outcome => Some(PLAYOUTS_WHEN_SOLVING),
        _ => None,
    };
    Limits { playouts: limits.playouts.or(implied), ..*limits }
}

/// The answer when there is nothing left to play.
fn game_over(position: Position) -> Outcome {
    let line = Line {
        score: Score::whole(position.final_score()),
        bound: Bound::Exact,
        certainty: Certainty::Exact,
        pv: Vec::new(),
        visits: 0,
        uncertainty: Some(0.0),
    };
    outcome(Event {
        depth: 0,
        lines: vec![line],
        nodes: 0,
        playouts: 0,
        elapsed: Default::default(),
        opponent: None,
    })
}

/// The last report as the answer.
fn outcome(last: Event) -> Outcome {
    let Event { depth, lines, nodes, playouts, elapsed, .. } = last;
    Outcome { origin: Origin::Search, lines, depth, nodes, playouts, elapsed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_depth_limit_or_a_wish_to_solve_alone_still_ends_the_search() {
        assert_eq!(playout_limits(&Limits::depth(3)).playouts, Some(3 * PLAYOUTS_PER_PLY));
        assert_eq!(playout_limits(&Limits::solve()).playouts, Some(PLAYOUTS_WHEN_SOLVING));
        assert_eq!(playout_limits(&Limits::nodes(5)).playouts, None);
        assert_eq!(playout_limits(&Limits::playouts(7)).playouts, Some(7));
    }
}
