//! Alpha-beta as papers mean it: every move to a fixed depth, nothing pruned forward, nothing
//! remembered, the first of equal moves.
//!
//! It exists to be compared with. The 2017 Monte Carlo paper's opponents are of this kind, and for
//! them the evaluation can be asked in the player's own view ([`super::view`]), which the strong
//! search of [`super::minimax`] has no reason to know. A pass uses up no depth; a finished game is
//! worth its score.

use super::budget::Budget;
use super::limits::DEEPENING_LIMITS;
use super::registry::MethodSpec;
use super::report::{Bound, Certainty, Event, Line, Origin, Outcome};
use super::view::{EVAL_VIEW, View};
use super::{Method, Request, StopFlag};
use crate::eval::{self, Evaluator, UNIT};
use crate::othello::{Move, Position};
use crate::score::Score;
use std::sync::Arc;

pub(super) const METHODS: &[MethodSpec] = &[MethodSpec {
    name: "alpha-beta",
    help: "Plain alpha-beta to a fixed depth, for comparisons: no forward pruning, no table.",
    limits: DEEPENING_LIMITS,
    options: &[&[&EVAL_VIEW.spec]],
    build: |options| {
        let evaluator = eval::build(options)?;
        Ok(Box::new(AlphaBeta { evaluator, view: View::from_options(options) }))
    },
}];

/// Beyond every value.
const INFINITY: i32 = 64 * UNIT + 1;
/// Nodes between two looks at the clock.
const NODES_PER_LOOK: u64 = 64;

/// The method.
struct AlphaBeta {
    evaluator: Arc<dyn Evaluator>,
    view: View,
}

/// One search.
struct Run<'a> {
    player: &'a AlphaBeta,
    budget: &'a Budget<'a>,
    nodes: u64,
    ended: bool,
}

impl Run<'_> {
    /// The value for the side to move, in evaluation units: exact between `alpha` and `beta`.
    /// `is_own`: whether that side is the player who searches.
    fn value(
        &mut self,
        position: Position,
        depth: u32,
        mut alpha: i32,
        beta: i32,
        is_own: bool,
    ) -> i32 {
        self.nodes += 1;
        let looks = self.nodes.is_multiple_of(NODES_PER_LOOK);
        self.ended |= looks && self.budget.must_end(self.nodes);
        if self.ended {
            return 0;
        }
        if position.is_over() {
            return position.final_score() * UNIT;
        }
        if depth == 0 {
            let value = self.player.view.value(&*self.player.evaluator, position, is_own);
            return if is_own { value } else { -value };
        }
        if !position.has_move() {
            return -self.value(position.pass(), depth, -beta, -alpha, !is_own);
        }
        let mut best = -INFINITY;
        for (_, child) in position.children() {
            let value = -self.value(child, depth - 1, -beta, -alpha, !is_own);
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        best
    }

    /// The best `count` root moves with their values, best first, the first of equal ones before the
    /// others; `None` if the search had to end.
    fn root(&mut self, request: &Request, depth: u32) -> Option<Vec<(Move, i32)>> {
        let allowed = request.root_moves();
        let mut found: Vec<(Move, i32)> = Vec::new();
        for (played, child) in request.position.children() {
            if played.square().is_some_and(|square| !allowed.contains(square)) {
                continue;
            }
            // Values at or below the worst that is kept need not be exact.
            let worst = found.get(request.multi_pv.max(1) - 1).map_or(-INFINITY, |entry| entry.1);
            let value = -self.value(child, depth - 1, -INFINITY, -worst, false);
            if self.ended {
                return None;
            }
            let place = found.partition_point(|entry| entry.1 >= value);
            found.insert(place, (played, value));
            found.truncate(request.multi_pv.max(1));
        }
        Some(found)
    }
}

impl Method for AlphaBeta {
    fn search(
        &mut self,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        if request.position.is_over() {
            return super::minimax::finished(request);
        }
        let budget = Budget::new(&request.limits, stop);
        let mut run = Run { player: self, budget: &budget, nodes: 0, ended: false };
        let empties = request.position.empty_count().max(1);
        let deepest = match (request.limits.depth, request.limits.exact || request.limits.outcome) {
            (Some(depth), false) => depth.clamp(1, empties),
            _ => empties,
        };
        // Whatever happens the first ply is there: a legal move in the order of the squares.
        let first = request.position.children().map(|(played, _)| (played, 0));
        let mut found: Vec<(Move, i32)> = first
            .filter(|(played, _)| {
                played.square().is_none_or(|square| request.root_moves().contains(square))
            })
            .take(request.multi_pv.max(1))
            .collect();
        let mut depth = 0;
        // A given depth is searched at once: shallower looks would help nobody without a table.
        let begin = if request.limits.depth.is_some() { deepest } else { 1 };
        for next in begin..=deepest {
            match run.root(request, next) {
                Some(better) => (found, depth) = (better, next),
                None => break,
            }
            let nodes = run.nodes;
            report(&event(&found, depth, nodes, &budget));
            if budget.must_end(nodes) || budget.is_timed_out(true) {
                break;
            }
        }
        let Event { lines, nodes, elapsed, .. } = event(&found, depth, run.nodes, &budget);
        Outcome { origin: Origin::Search, lines, depth, nodes, playouts: 0, elapsed }
    }

    fn clear(&mut self) {}
}

fn event(found: &[(Move, i32)], depth: u32, nodes: u64, budget: &Budget<'_>) -> Event {
    let line = |&(played, value): &(Move, i32)| Line {
        score: Score::from_discs(f64::from(value) / f64::from(UNIT)),
        bound: Bound::Exact,
        certainty: Certainty::Estimate,
        pv: vec![played],
        visits: 0,
        uncertainty: None,
    };
    let lines = found.iter().map(line).collect();
    Event { depth, lines, nodes, playouts: 0, elapsed: budget.elapsed(), opponent: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::othello::random::random_position;
    use crate::random::seeded;
    use crate::search::{Limits, build};

    /// The definition: every line to the depth, in the root player's view.
    fn twin(
        evaluator: &dyn Evaluator,
        view: View,
        position: Position,
        depth: u32,
        own: bool,
    ) -> i32 {
        if position.is_over() {
            let score = position.final_score() * UNIT;
            return if own { score } else { -score };
        }
        if depth == 0 {
            return view.value(evaluator, position, own);
        }
        if !position.has_move() {
            return twin(evaluator, view, position.pass(), depth, !own);
        }
        let values =
            position.children().map(|(_, child)| twin(evaluator, view, child, depth - 1, !own));
        if own { values.max().unwrap() } else { values.min().unwrap() }
    }

    fn method(view: &str) -> (Box<dyn Method>, Arc<dyn Evaluator>) {
        let mut options = Options::new();
        // Shioda's noise makes an evaluation for which the two views differ.
        for (name, value) in [
            ("method", "alpha-beta"),
            ("eval", "shioda"),
            ("shioda-noise", "0.5"),
            ("eval-view", view),
        ] {
            options.set(name, value).unwrap();
        }
        (build(&options).unwrap(), eval::build(&options).unwrap())
    }

    #[test]
    fn its_moves_and_values_are_those_of_the_definition_in_both_views() {
        let mut rng = seeded(8);
        let mut differ = 0;
        for round in 0..60 {
            let position = random_position(2 + round % 50, &mut rng);
            if !position.has_move() {
                continue;
            }
            let mut chosen = Vec::new();
            for (name, view) in [("mover", View::Mover), ("own", View::Own)] {
                let (mut method, evaluator) = method(name);
                for depth in 1..=3 {
                    let request =
                        Request { multi_pv: 64, ..Request::new(position, Limits::depth(depth)) };
                    let outcome = method.search(&request, &StopFlag::new(), &mut |_| {});
                    let depth = depth.min(position.empty_count());
                    let mut wanted: Vec<(Move, i32)> = position
                        .children()
                        .map(|(m, child)| (m, twin(&*evaluator, view, child, depth - 1, false)))
                        .collect();
                    wanted.sort_by_key(|entry| -entry.1);
                    let found: Vec<(Move, Score)> =
                        outcome.lines.iter().map(|line| (line.pv[0], line.score)).collect();
                    let wanted: Vec<(Move, Score)> = wanted
                        .into_iter()
                        .map(|(m, v)| (m, Score::from_discs(f64::from(v) / f64::from(UNIT))))
                        .collect();
                    assert_eq!(found, wanted, "{position:?} depth {depth} {name}");
                    let best = Request::new(position, Limits::depth(depth));
                    let best = method.search(&best, &StopFlag::new(), &mut |_| {});
                    assert_eq!(best.best_move(), Some(wanted[0].0));
                    chosen.push(wanted[0].0);
                }
            }
            differ += usize::from(chosen[..3] != chosen[3..]);
        }
        assert!(differ > 5, "the views hardly ever differ: {differ}");
    }

    #[test]
    fn a_pass_and_an_end_get_their_answers() {
        let (mut method, _) = method("own");
        let mut search = |position| {
            let request = Request::new(position, Limits::depth(2));
            method.search(&request, &StopFlag::new(), &mut |_| {})
        };
        let pass = Position::from_disjoint(0b01, 0b10).pass();
        assert_eq!(search(pass).best_move(), Some(Move::Pass));
        let over = random_position(0, &mut seeded(1));
        assert_eq!(search(over).score(), Score::whole(over.final_score()));
    }
}
