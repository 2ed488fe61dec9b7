//! OM search as a method: deepens ply by ply like the others and leaves the end to the solver.

use std::sync::Arc;

use super::forced::{GameEnds, LookAhead};
use tracing::info;

use super::estimate::{Estimate, Hypothesis};
use super::om::{
    MinimaxModel, MixtureModel, ModelDepth, OmMove, OmSearch, Placed, RecursiveModel, ReplyModel,
    SemiRandomModel, minimax,
};
use super::paper_player::OthelloKnowledge;
use crate::eval::discs::Discs;
use crate::eval::{Evaluation, Evaluator, Incremental, with_evaluator};
use crate::game::Othello;
use crate::othello::{Move, Position};
use crate::score::Score;
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::expectation::table::Table;
use crate::search::expectation::tree::OthelloTree;
use crate::search::minimax::Minimax;
use crate::search::report::{Bound, Certainty, Event, Line, Outcome};
use crate::search::{Limits, Method, Request, StopFlag};

/// From so many empties on a search without a depth limit is left to the exact solver.
const SOLVE_EMPTIES: u32 = 16;
/// The deepest search in plies that is ever useful.
const MOST_DEPTH: u32 = 60;
/// Bytes of each table of static minimax values, made anew for every search.
const TABLE_BYTES: usize = 1 << 20;
/// `risk` from which on there is no limit: more than two scores can differ.
const NO_LIMIT: f64 = 128.0;

/// What the opponent is taken for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Opponent {
    /// Minimax with an evaluation of its own; from 2 levels on it has a model of us.
    Minimax { depth: ModelDepth, softness: f64, levels: u32 },
    /// P_d whose evaluation calls positions won from so many discs on.
    SemiRandom { depth: u32, threshold: f64 },
    /// Whoever its moves so far say it is.
    Estimated,
}

/// What the options say.
#[derive(Clone, Copy, Debug)]
pub(super) struct OmSettings {
    pub opponent: Opponent,
    /// Discs of minimax value that may be given up.
    pub risk: f64,
}

/// The method.
pub(super) struct Om {
    settings: OmSettings,
    own: Evaluation,
    theirs: Arc<dyn Evaluator>,
    solver: Minimax,
    watch: Option<Watch>,
}

/// What was seen of the opponent.
pub(super) struct Watch {
    /// Before any move.
    unknown: Estimate,
    estimate: Estimate,
    /// The position of the last search.
    last: Option<Position>,
}

impl Watch {
    pub(super) fn new(unknown: Estimate) -> Watch {
        Watch { estimate: unknown.clone(), unknown, last: None }
    }

    /// Takes account of the opponent's move between the last search and this one, if there was one.
    fn look(&mut self, position: Position) {
        let last = self.last.replace(position);
        if let Some((before, reply)) = last.and_then(|last| reply_between(last, position)) {
            self.estimate.observe(before, reply);
            info!(opponent = ?self.estimate, "estimate");
        }
    }
}

/// The opponent's move, and where it was made, if `now` came from `last` by a move of each side.
fn reply_between(last: Position, now: Position) -> Option<(Position, Move)> {
    let found = last.children().find_map(|(_, between)| {
        let reply = between.children().find(|(_, after)| *after == now);
        reply.map(|(reply, _)| (between, reply))
    });
    found.filter(|(_, reply)| *reply != Move::Pass)
}

/// One of the likeliest players that the opponent may be.
struct Likely {
    probability: f64,
    hypothesis: Hypothesis,
    /// Its evaluation; not asked by semi-random players.
    evaluator: Arc<dyn Evaluator>,
}

impl Likely {
    /// So many at most.
    const MOST: usize = 3;

    fn of(watch: &Watch) -> Vec<Likely> {
        let posterior = watch.estimate.posterior();
        let likeliest = &posterior[..posterior.len().min(Likely::MOST)];
        let sum: f64 = likeliest.iter().map(|(_, share)| share).sum();
        let likely = |(hypothesis, share): &(&Hypothesis, f64)| {
            let evaluator: Arc<dyn Evaluator> = match hypothesis {
                Hypothesis::Minimax { evaluation, .. } => {
                    watch.estimate.suspect(*evaluation).evaluation.evaluator()
                }
                Hypothesis::SemiRandom { .. } => Arc::new(Discs),
            };
            Likely { probability: share / sum, hypothesis: (*hypothesis).clone(), evaluator }
        };
        likeliest.iter().map(likely).collect()
    }

    fn model<'t, E: Incremental>(
        &self,
        tree: &'t OthelloTree<'t, &'t dyn Evaluator>,
    ) -> (f64, Box<dyn ReplyModel<OthelloTree<'t, E>> + 't>) {
        let model: Box<dyn ReplyModel<OthelloTree<'t, E>> + 't> = match self.hypothesis {
            Hypothesis::Minimax { depth, softness, .. } => {
                Box::new(MinimaxModel::new(tree, ModelDepth::Plies(depth), softness, table()))
            }
            Hypothesis::SemiRandom { depth } => {
                Box::new(SemiRandomModel { look: LookAhead::new(&Othello, GameEnds), depth })
            }
        };
        (self.probability, model)
    }
}

fn table() -> Table {
    // Without memory for a table the search is slower, nothing else.
    Table::new(TABLE_BYTES).unwrap_or_else(|_| Table::tiny())
}

/// The opponent on `theirs`, with a model of us on `own` if it has levels left.
fn opponent<'t, T, M>(
    own: &'t T,
    theirs: &'t M,
    depth: ModelDepth,
    softness: f64,
    levels: u32,
) -> Box<dyn ReplyModel<T> + 't>
where
    T: Placed,
    M: Placed<Place = T::Place, Action = T::Action>,
{
    if levels <= 1 {
        return Box::new(MinimaxModel::new(theirs, depth, softness, table()));
    }
    let of_us = opponent(theirs, own, depth, 0.0, levels - 1);
    Box::new(RecursiveModel { search: OmSearch::new(theirs, of_us), depth })
}

impl Om {
    pub(super) fn new(
        settings: OmSettings,
        own: Evaluation,
        theirs: Arc<dyn Evaluator>,
        solver: Minimax,
        watch: Option<Watch>,
    ) -> Om {
        Om { settings, own, theirs, solver, watch }
    }

    fn run<E: Incremental>(
        &self,
        evaluation: &E,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        let theirs: &dyn Evaluator = &*self.theirs;
        let (tree, their_tree) = (OthelloTree { evaluation }, OthelloTree { evaluation: &theirs });
        let likeliest = self.watch.as_ref().map(Likely::of).unwrap_or_default();
        let evaluators: Vec<&dyn Evaluator> =
            likeliest.iter().map(|part| &*part.evaluator).collect();
        let their_trees: Vec<OthelloTree<'_, &dyn Evaluator>> =
            evaluators.iter().map(|evaluation| OthelloTree { evaluation }).collect();
        let model: Box<dyn ReplyModel<OthelloTree<'_, E>> + '_> = match self.settings.opponent {
            Opponent::Minimax { depth, softness, levels } => {
                opponent(&tree, &their_tree, depth, softness, levels)
            }
            Opponent::SemiRandom { depth, threshold } => {
                let knowledge = OthelloKnowledge { evaluator: self.theirs.clone(), threshold };
                Box::new(SemiRandomModel { look: LookAhead::new(&Othello, knowledge), depth })
            }
            Opponent::Estimated => {
                let parts = likeliest.iter().zip(&their_trees);
                Box::new(MixtureModel {
                    parts: parts.map(|(part, tree)| part.model(tree)).collect(),
                })
            }
        };
        let mut search = OmSearch::new(&tree, model);
        let mut own = minimax(table());
        let Request { position, limits, .. } = request;
        let moves = tree.children(&tree.root(*position), request.root_moves());
        let risk = if self.settings.risk < NO_LIMIT { self.settings.risk } else { f64::INFINITY };
        let last = limits.depth.unwrap_or(MOST_DEPTH).clamp(1, MOST_DEPTH);
        let last = last.min(position.empty_count().max(1));
        let mut counter = NodeCounter::new(limits, stop);
        let mut outcome = Outcome {
            lines: Vec::new(),
            depth: 0,
            nodes: 0,
            playouts: 0,
            elapsed: std::time::Duration::ZERO,
        };
        for depth in 1..=last {
            // The first ply is quick and always completed, so that there is always a choice.
            counter.set_binding(depth > 1);
            let Some(ranked) = search.rank(&moves, depth, risk, &mut own, &mut counter) else {
                break;
            };
            outcome.lines = ranked.iter().take(request.multi_pv.max(1)).map(line).collect();
            outcome.depth = depth;
            let elapsed = counter.budget.elapsed();
            report(&Event {
                depth,
                lines: outcome.lines.clone(),
                nodes: counter.nodes,
                playouts: 0,
                elapsed,
            });
            if limits.time.is_some_and(|time| elapsed >= time.soft) {
                break;
            }
        }
        Outcome { nodes: counter.nodes, elapsed: counter.budget.elapsed(), ..outcome }
    }
}

fn line(ranked: &OmMove<Move>) -> Line {
    Line {
        score: Score::from_discs(ranked.value),
        bound: if ranked.is_considered { Bound::Exact } else { Bound::Upper },
        certainty: Certainty::Estimate,
        pv: ranked.line.clone(),
        visits: 0,
    }
}

impl Method for Om {
    fn search(
        &mut self,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        if let Some(watch) = &mut self.watch {
            watch.look(request.position);
        }
        let limits = request.limits;
        let few = request.position.empty_count() <= SOLVE_EMPTIES && limits.depth.is_none();
        if limits.exact || limits.outcome || few || request.position.is_over() {
            let exact = limits.exact || !limits.outcome;
            let limits = Limits { exact, ..limits };
            return self.solver.search(&Request { limits, ..request.clone() }, stop, report);
        }
        let own = self.own.clone();
        with_evaluator!(&own, |evaluator| self.run(evaluator, request, stop, report))
    }

    fn clear(&mut self) {
        self.solver.clear();
        self.watch = self.watch.take().map(|watch| Watch::new(watch.unknown));
    }

    fn make_ready(&mut self) {
        self.solver.make_ready();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_move, random_position, seeded};

    #[test]
    fn the_opponents_move_is_found_between_two_searches() {
        let mut rng = seeded(61);
        for empties in 10..55 {
            let last = random_position(empties, &mut rng);
            let own = random_move(last, &mut rng).unwrap();
            let between = last.after(own).unwrap();
            let Some(reply) = random_move(between, &mut rng) else { continue };
            let now = between.after(reply).unwrap();
            let expected = (reply != Move::Pass).then_some((between, reply));
            assert_eq!(reply_between(last, now), expected);
            assert_eq!(reply_between(now, last), None);
        }
    }
}
