//! OM search as a method: deepens ply by ply like the others and leaves the end to the solver.

use super::forced::{GameEnds, LookAhead};
use super::om::{
    MinimaxModel, MixtureModel, ModelDepth, OmMove, OmSearch, Placed, RecursiveModel, ReplyModel,
    SemiRandomModel, minimax,
};
use super::paper_player::OthelloKnowledge;
use super::watch::{Likely, Watch};
use crate::eval::{Evaluation, Evaluator, Incremental, with_evaluator};
use crate::game::Othello;
use crate::othello::{Move, Position};
use crate::score::Score;
use crate::search::behind::{Behind, Reply};
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::expectation::table::Table;
use crate::search::expectation::tree::OthelloTree;
use crate::search::minimax::Minimax;
use crate::search::report::{Bound, Certainty, Event, Line, Origin, Outcome};
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
    theirs: Evaluation,
    solver: Minimax,
    watch: Option<Watch>,
}

fn table() -> Table {
    // Without memory for a table the search is slower, nothing else.
    Table::new(TABLE_BYTES).unwrap_or_else(|_| Table::tiny())
}

/// A model of Othello, whatever the own evaluation.
type BoxedModel<'t, E> = Box<dyn ReplyModel<OthelloTree<'t, E>> + 't>;

/// Minimax with this evaluation, as quick as the evaluation can be.
fn minimax_model<'t, E: Incremental>(
    evaluation: &'t Evaluation,
    depth: ModelDepth,
    softness: f64,
) -> BoxedModel<'t, E> {
    with_evaluator!(evaluation, |theirs| {
        let tree = OthelloTree { evaluation: theirs };
        Box::new(MinimaxModel::new(tree, depth, softness, table()))
    })
}

/// One of the likeliest players, with its probability.
fn likely_model<E: Incremental>(likely: &Likely) -> (f64, BoxedModel<'_, E>) {
    let model: BoxedModel<'_, E> = match &likely.player {
        (Some(evaluation), depth, softness) => {
            minimax_model(evaluation, ModelDepth::Plies(*depth), *softness)
        }
        (None, depth, _) => {
            let look = LookAhead::new(&Othello, GameEnds);
            Box::new(SemiRandomModel { look, depth: *depth })
        }
    };
    (likely.probability, model)
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
        theirs: Evaluation,
        solver: Minimax,
        watch: Option<Watch>,
    ) -> Om {
        Om { settings, own, theirs, solver, watch }
    }

    /// Hands the model of the opponent, and the tree it answers on, to `work`.
    fn with_model<E: Incremental, R>(
        &self,
        evaluation: &E,
        work: impl for<'t> FnOnce(&'t OthelloTree<'t, E>, BoxedModel<'t, E>) -> R,
    ) -> R {
        let evaluator = self.theirs.evaluator();
        let theirs: &dyn Evaluator = &*evaluator;
        let (tree, their_tree) = (OthelloTree { evaluation }, OthelloTree { evaluation: &theirs });
        let likeliest = self.watch.as_ref().map(Watch::likeliest).unwrap_or_default();
        let model: BoxedModel<'_, E> = match self.settings.opponent {
            Opponent::Minimax { depth, softness, levels: 1 } => {
                minimax_model(&self.theirs, depth, softness)
            }
            Opponent::Minimax { depth, softness, levels } => {
                opponent(&tree, &their_tree, depth, softness, levels)
            }
            Opponent::SemiRandom { depth, threshold } => {
                let knowledge = OthelloKnowledge { evaluator: evaluator.clone(), threshold };
                Box::new(SemiRandomModel { look: LookAhead::new(&Othello, knowledge), depth })
            }
            Opponent::Estimated => {
                Box::new(MixtureModel { parts: likeliest.iter().map(likely_model).collect() })
            }
        };
        work(&tree, model)
    }

    /// The replies expected after a root move, in a search that was `depth` plies deep.
    fn replies<E: Incremental>(
        &self,
        evaluation: &E,
        position: Position,
        first: Move,
        depth: u32,
    ) -> Option<Vec<Reply>> {
        let after = position.after(first).filter(|after| after.has_move())?;
        let stop = StopFlag::new();
        let mut counter = NodeCounter::new(&Limits::default(), &stop);
        let replies = self.with_model(evaluation, |tree, mut model| {
            let left = depth.saturating_sub(1).max(1);
            model.replies(tree, &tree.root(after), left, &mut counter)
        });
        let mut replies: Vec<Reply> = replies
            .into_iter()
            .map(|(reply, probability)| Reply { r#move: reply, probability })
            .collect();
        replies.sort_by(|one, other| other.probability.total_cmp(&one.probability));
        Some(replies)
    }

    fn run<E: Incremental>(
        &self,
        evaluation: &E,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        self.with_model(evaluation, |tree, model| self.deepen(tree, model, request, stop, report))
    }

    fn deepen<'t, E: Incremental>(
        &self,
        tree: &'t OthelloTree<'t, E>,
        model: BoxedModel<'t, E>,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        let mut search = OmSearch::new(tree, model);
        let mut own = minimax(table());
        let Request { position, limits, .. } = request;
        let mut moves = tree.children(&tree.root(*position), request.root_moves());
        let risk = if self.settings.risk < NO_LIMIT { self.settings.risk } else { f64::INFINITY };
        let last = limits.depth.unwrap_or(MOST_DEPTH).clamp(1, MOST_DEPTH);
        let last = last.min(position.empty_count().max(1));
        let mut counter = NodeCounter::new(limits, stop);
        let mut outcome = Outcome {
            origin: Origin::Search,
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
            // The best first, so that a search that has to end has looked at it.
            let place =
                |action: &Move| ranked.moves.iter().position(|found| found.action == *action);
            moves.sort_by_key(|(action, _)| place(action).unwrap_or(usize::MAX));
            if !ranked.is_complete && request.multi_pv > 1 {
                break;
            }
            outcome.lines = ranked.moves.iter().take(request.multi_pv.max(1)).map(line).collect();
            let elapsed = counter.budget.elapsed();
            if ranked.is_complete {
                outcome.depth = depth;
            }
            report(&Event {
                depth: outcome.depth,
                lines: outcome.lines.clone(),
                nodes: counter.nodes,
                playouts: 0,
                elapsed,
                opponent: self.watch.as_ref().map(Watch::summary),
            });
            if !ranked.is_complete || limits.time.is_some_and(|time| elapsed >= time.soft) {
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
        uncertainty: None,
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

    fn behind(&mut self, position: Position, line: &Line, depth: u32) -> Option<Behind> {
        if line.certainty != Certainty::Estimate {
            return None;
        }
        let first = *line.pv.first()?;
        let replies = with_evaluator!(&self.own, |evaluator| {
            self.replies(evaluator, position, first, depth)
        })?;
        Some(Behind::Replies { replies })
    }

    fn clear(&mut self) {
        self.solver.clear();
        if let Some(watch) = &mut self.watch {
            watch.forget();
        }
    }

    fn make_ready(&mut self) {
        self.solver.make_ready();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::othello::random::{random_position, seeded};
    use crate::search::registry;

    #[test]
    fn the_expected_replies_are_legal_sum_to_one_and_hold_the_line() {
        let mut rng = seeded(62);
        for opponent in ["minimax", "to-leaves", "semi-random"] {
            let mut options = Options::new();
            for (name, value) in
                [("method", "om"), ("hash", "1"), ("opponent-eval", "discs"), ("risk", "128")]
            {
                options.set(name, value).unwrap();
            }
            options.set("opponent-model", opponent).unwrap();
            let mut method = registry::build(&options).unwrap();
            for empties in [50, 40, 30, 20] {
                let position = random_position(empties, &mut rng);
                let request = Request::new(position, Limits::depth(3));
                let outcome = method.search(&request, &StopFlag::new(), &mut |_| ());
                let line = &outcome.lines[0];
                let after = position.after(line.pv[0]).unwrap();
                let told = method.behind(position, line, outcome.depth);
                let Some(Behind::Replies { replies }) = told else { continue };
                let sum: f64 = replies.iter().map(|reply| reply.probability).sum();
                assert!((sum - 1.0).abs() < 1e-9, "{opponent}: {sum}");
                assert!(replies.iter().all(|reply| after.after(reply.r#move).is_some()));
                let in_line = replies.iter().any(|reply| reply.r#move == line.pv[1]);
                assert!(in_line, "{opponent}: {replies:?} {:?}", line.pv);
            }
        }
    }
}
