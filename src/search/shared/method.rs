//! Shared search as a method: options in, lines out.

use super::candidates::{Candidates, Source};
use super::correction::{Correction, Expected, LineSearch, Ties, rest};
use super::pruned::Pruned;
use crate::eval::{self, Evaluator, UNIT};
use crate::game::othello::OthelloState;
use crate::game::{Game, Othello, Side};
use crate::options::{OptionError, OptionSpec, Options, TypedOption};
use crate::othello::Move;
use crate::score::Score;
use crate::search::expectation::deepening::{Ranking, RootMove, deepen};
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::expectation::tree::{GameTree, Tree};
use crate::search::limits::DEEPENING_LIMITS;
use crate::search::minimax::{self, Minimax, MinimaxSettings};
use crate::search::registry::MethodSpec;
use crate::search::report::{Bound, Certainty, Event, Line, Origin, Outcome};
use crate::search::{Limits, Method, Request, StopFlag};
use std::sync::Arc;

/// From so many empties on a search without a depth limit is left to minimax, which solves the game.
const SOLVE_EMPTIES: u32 = 16;
/// The deepest search in plies that is ever useful.
const MOST_DEPTH: u32 = 60;
/// Plies after which the root's candidates may turn out bad: sooner its static value is no measure.
const WIDEN_FROM: u32 = 2;
/// The greatest number of legal moves any reachable position has.
const MOST_MOVES: usize = 33;

static TYPE: TypedOption<String> = TypedOption::choice(
    "shared-type",
    &["standard", "down", "quiet"],
    "down",
    "Where candidates come from: standard (the front of an ordering), down (moves found further \
     down the lines of the first few), quiet (down in quiet positions, standard in others).",
);
static COUNT: TypedOption<i64> = TypedOption::integer(
    "shared-candidates",
    1,
    64,
    6,
    "K: how many moves of a position the search looks at.",
);
static BRANCHES: TypedOption<i64> = TypedOption::integer(
    "shared-branches",
    1,
    64,
    1,
    "n1: how many moves of the ordering are followed down; the paper's types 1 to 3.",
);
static EACH: TypedOption<i64> = TypedOption::integer(
    "shared-each",
    0,
    64,
    0,
    "n2: shared moves taken from the line of each branch; 0 for as many as make K.",
);
static INSIDE: TypedOption<bool> = TypedOption::switch(
    "shared-inside",
    false,
    "Candidates only inside the tree too, not just at the root.",
);
static LOOK: TypedOption<i64> = TypedOption::integer(
    "shared-look",
    0,
    10,
    0,
    "Plies searched at the end of the expected line for a move to try at the root; 0 for none.",
);

static QUIET_ONLY: TypedOption<bool> = TypedOption::switch(
    "shared-quiet-only",
    false,
    "Looks for shared moves in quiet positions only.",
);
static SIDEWAYS: TypedOption<bool> = TypedOption::switch(
    "shared-sideways",
    false,
    "With shared-inside: the best move of a brother position is a candidate too.",
);
static WIDEN: TypedOption<f64> = TypedOption::number(
    "shared-widen",
    0.0,
    64.0,
    0.0,
    "Discs by which the candidates must leave a position worse than it looked for all its moves to \
     be searched; 0 for never.",
);

const OPTIONS: &[&OptionSpec] = &[
    &TYPE.spec,
    &COUNT.spec,
    &BRANCHES.spec,
    &EACH.spec,
    &INSIDE.spec,
    &LOOK.spec,
    &QUIET_ONLY.spec,
    &SIDEWAYS.spec,
    &WIDEN.spec,
    &minimax::HASH.spec,
];

pub(crate) const METHODS: &[MethodSpec] = &[MethodSpec {
    name: "shared",
    help: "Iida and Kotani 1992: forward pruning whose candidates come from further down the line.",
    limits: DEEPENING_LIMITS,
    options: &[OPTIONS, minimax::SOLVER_OPTIONS],
    build,
}];

fn build(options: &Options) -> Result<Box<dyn Method>, OptionError> {
    let (count, branches) = (options.get(&COUNT) as usize, options.get(&BRANCHES) as usize);
    let each = match options.get(&EACH) as usize {
        0 => Candidates::each_of(branches, count),
        each => each,
    };
    let source = match options.get(&TYPE).as_str() {
        "standard" => Source::Standard,
        "quiet" => Source::ByQuietness { branches, each },
        _ => Source::Down { branches, each },
    };
    let quiet_only = options.get(&QUIET_ONLY);
    let candidates = Candidates { source, quiet_only, ..Candidates::standard(count) };
    let widen = options.get(&WIDEN);
    let evaluation = eval::choose(options)?;
    let settings = MinimaxSettings::from_options(options);
    Ok(Box::new(Shared {
        candidates,
        inside: options.get(&INSIDE),
        sideways: options.get(&SIDEWAYS),
        widen: (widen > 0.0).then_some(widen),
        correction: Correction { depth: options.get(&LOOK) as u32, ties: Ties::Found },
        evaluator: evaluation.evaluator(),
        solver: Minimax::new(evaluation, settings, options.get(&minimax::HASH))?,
    }))
}

/// The method.
struct Shared {
    candidates: Candidates,
    inside: bool,
    sideways: bool,
    /// Discs.
    widen: Option<f64>,
    correction: Correction,
    evaluator: Arc<dyn Evaluator>,
    /// Minimax with the same options, for the end of the game.
    solver: Minimax,
}

impl Shared {
    fn run(&self, request: &Request, stop: &StopFlag, report: &mut dyn FnMut(&Event)) -> Outcome {
        let evaluate = |state: &OthelloState| {
            f64::from(self.evaluator.evaluate(state.position)) / f64::from(UNIT)
        };
        let tree = GameTree { game: &Othello, evaluate, most_moves: MOST_MOVES };
        let root = OthelloState { position: request.position, player: Side::First };
        let squares = request.root_moves();
        let mut allowed = Othello.actions(&root);
        allowed.retain(|action| action.square().is_none_or(|square| squares.contains(square)));
        let wanted = request.multi_pv.max(1);
        let correction = Correction {
            depth: if wanted == 1 { self.correction.depth } else { 0 },
            ..self.correction
        };
        let limits = correction.reserve(&request.limits);
        let mut counter = NodeCounter::new(&limits, stop);
        // A list is quick, and without one there is no choice.
        counter.set_binding(false);
        let count = self.candidates.count.max(wanted);
        let make = Candidates { count, ..self.candidates };
        let mut moves = make.list(&tree, &root, &allowed, &mut counter).moves;
        let floor = self.widen.map(|margin| tree.evaluate(&root) - margin);
        let mut rule = Pruned::new(self.inside.then_some(self.candidates));
        (rule.sideways, rule.widen) = (self.sideways, self.widen);
        let last_depth = request.position.empty_count().max(1);
        let most_depth = limits.depth.unwrap_or(MOST_DEPTH).clamp(1, last_depth);
        let lines = |ranking: &Ranking<_>| -> Vec<Line> {
            ranking.moves.iter().take(wanted).map(line).collect()
        };
        let ranking = loop {
            let narrow = moves.len() < allowed.len();
            let mut is_bad = false;
            let nodes = moves.iter().map(|&action| (action, Othello.apply(&root, action)));
            let ranking = deepen(
                &tree,
                nodes.collect(),
                wanted,
                most_depth,
                &mut rule,
                &mut counter,
                &mut |ranking, counter| {
                    let elapsed = counter.budget.elapsed();
                    report(&Event {
                        depth: ranking.depth,
                        lines: lines(ranking),
                        nodes: counter.nodes,
                        playouts: 0,
                        elapsed,
                        opponent: None,
                    });
                    let value = ranking.moves.first().map(|best| best.value);
                    is_bad = narrow && ranking.depth >= WIDEN_FROM && value < floor;
                    !is_bad && limits.time.is_none_or(|time| elapsed < time.soft)
                },
            );
            if !is_bad {
                break ranking;
            }
            moves.clone_from(&allowed);
        };
        let mut outcome = Outcome {
            origin: Origin::Search,
            lines: lines(&ranking),
            depth: ranking.depth,
            nodes: counter.nodes,
            playouts: 0,
            elapsed: counter.budget.elapsed(),
        };
        let left = rest(&request.limits, outcome.nodes, outcome.elapsed);
        if let (Some(left), Some(first)) = (left, outcome.lines.first_mut()) {
            let found = Expected { value: first.score.discs(), line: first.pv.clone() };
            let counter = NodeCounter::new(&left, stop);
            let mut search = PrunedLines { tree: &tree, rule: &mut rule, counter };
            let depth = outcome.depth;
            let better = correction.better(&Othello, &mut search, &root, &allowed, depth, &found);
            if let Some(better) = better {
                first.score = Score::from_discs(better.value);
                first.pv = better.line;
            }
            outcome.nodes += search.counter.nodes;
            outcome.elapsed += search.counter.budget.elapsed();
        }
        outcome
    }
}

fn line<F: Fn(&OthelloState) -> f64>(found: &RootMove<GameTree<'_, Othello, F>>) -> Line {
    Line {
        score: Score::from_discs(found.value),
        bound: if found.is_exact { Bound::Exact } else { Bound::Upper },
        certainty: Certainty::Estimate,
        pv: std::iter::once(found.action).chain(found.reply_line.iter().copied()).collect(),
        visits: 0,
        uncertainty: None,
    }
}

/// The pruned search as the correction asks it.
struct PrunedLines<'a, 's, F: Fn(&OthelloState) -> f64> {
    tree: &'a GameTree<'a, Othello, F>,
    rule: &'a mut Pruned<Move>,
    counter: NodeCounter<'s>,
}

impl<F: Fn(&OthelloState) -> f64> PrunedLines<'_, '_, F> {
    /// The best moves of a list after a search of exactly so many plies.
    fn rank(
        &mut self,
        state: &OthelloState,
        moves: &[Move],
        depth: u32,
        wanted: usize,
    ) -> Option<Vec<Expected<Move>>> {
        let moves = moves.iter().map(|&action| (action, Othello.apply(state, action))).collect();
        let (rule, counter) = (&mut *self.rule, &mut self.counter);
        let ranking = deepen(self.tree, moves, wanted, depth, rule, counter, &mut |_, _| true);
        let complete = ranking.depth == depth && !self.counter.is_exhausted();
        let expected = |found: &RootMove<_>| Expected { value: found.value, line: line(found).pv };
        complete.then(|| ranking.moves.iter().take(wanted).map(expected).collect())
    }
}

impl<F: Fn(&OthelloState) -> f64> LineSearch<Othello> for PrunedLines<'_, '_, F> {
    fn line(
        &mut self,
        state: &OthelloState,
        depth: u32,
        first: Option<Move>,
    ) -> Option<Expected<Move>> {
        let moves = first.map_or_else(|| Othello.actions(state), |action| vec![action]);
        self.rank(state, &moves, depth, 1)?.into_iter().next()
    }

    fn ranking(&mut self, state: &OthelloState, depth: u32) -> Option<Vec<(Move, f64)>> {
        let moves = Othello.actions(state);
        let ranked = self.rank(state, &moves, depth, moves.len())?;
        Some(ranked.iter().map(|entry| (entry.line[0], entry.value)).collect())
    }
}

impl Method for Shared {
    fn search(
        &mut self,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        let Request { position, limits, .. } = request;
        let few = position.empty_count() <= SOLVE_EMPTIES && limits.depth.is_none();
        if limits.exact || limits.outcome || few || position.is_over() {
            let limits = Limits { exact: !limits.outcome, ..*limits };
            return self.solver.search(&Request { limits, ..request.clone() }, stop, report);
        }
        self.run(request, stop, report)
    }

    fn clear(&mut self) {
        self.solver.clear();
    }

    fn make_ready(&mut self) {
        self.solver.make_ready();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Bitboard;
    use crate::othello::random::{random_position, scattered_position, seeded};

    fn method(settings: &[(&str, &str)]) -> Box<dyn Method> {
        let mut options = Options::new();
        for (name, value) in [("method", "shared"), ("eval", "mobility"), ("hash", "1")] {
            options.set(name, value).unwrap();
        }
        for (name, value) in settings {
            options.set(name, value).unwrap();
        }
        crate::search::build(&options).unwrap()
    }

    fn search(method: &mut Box<dyn Method>, request: &Request) -> Outcome {
        method.search(request, &StopFlag::new(), &mut |_| {})
    }

    #[test]
    fn with_every_move_a_candidate_it_finds_what_minimax_finds() {
        let mut rng = seeded(12);
        let mut shared = method(&[("shared-candidates", "64"), ("shared-look", "0")]);
        let mut options = Options::new();
        for (name, value) in [("eval", "mobility"), ("selectivity", "100"), ("hash", "1")] {
            options.set(name, value).unwrap();
        }
        let mut full = crate::search::build(&options).unwrap();
        for _ in 0..20 {
            let request = Request::new(random_position(34, &mut rng), Limits::depth(4));
            let (ours, theirs) = (search(&mut shared, &request), search(&mut full, &request));
            assert_eq!(ours.score(), theirs.score(), "{:?}", request.position);
        }
    }

    #[test]
    fn a_correction_is_made_sometimes_and_never_without_a_look() {
        let mut rng = seeded(7);
        let settings = [("shared-candidates", "2")];
        let mut looking = method(&[settings[0], ("shared-look", "2")]);
        let mut blind = method(&settings);
        let mut one = method(&[("shared-candidates", "1")]);
        let mut changed = 0;
        for _ in 0..40 {
            let request = Request::new(random_position(30, &mut rng), Limits::depth(4));
            let (a, b) = (search(&mut looking, &request), search(&mut blind, &request));
            let legal = request.position.children().any(|(legal, _)| Some(legal) == a.best_move());
            assert!(legal);
            assert!(a.nodes > b.nodes && b.nodes > search(&mut one, &request).nodes);
            changed += usize::from(a.best_move() != b.best_move());
        }
        assert!((1..40).contains(&changed), "{changed} of 40 changed");
    }

    #[test]
    fn a_bad_position_is_searched_with_all_its_moves_if_widening_is_allowed() {
        let mut rng = seeded(8);
        let narrow = [("shared-candidates", "1"), ("shared-type", "standard")];
        let (mut narrow, mut wide) =
            (method(&narrow), method(&[narrow[0], narrow[1], ("shared-widen", "0.1")]));
        let (mut wider, mut better) = (0, 0);
        for _ in 0..40 {
            let request = Request::new(random_position(30, &mut rng), Limits::depth(4));
            let (few, all) = (search(&mut narrow, &request), search(&mut wide, &request));
            wider += usize::from(all.nodes > few.nodes);
            better += usize::from(all.best_move() != few.best_move());
            assert!(all.score() >= few.score() || all.nodes == few.nodes);
        }
        assert!(wider < 40 && better > 0, "{wider} wider, {better} changed");
    }

    #[test]
    fn asked_for_moves_are_reported_and_only_those_allowed() {
        let position = random_position(40, &mut seeded(3));
        let legal = position.legal_moves();
        let mut shared = method(&[("shared-candidates", "1")]);
        let all = Request { multi_pv: 64, ..Request::new(position, Limits::depth(2)) };
        assert_eq!(search(&mut shared, &all).lines.len(), legal.count() as usize);
        let square = legal.into_iter().last().unwrap();
        let only = Some(Bitboard(square.bit()));
        let request = Request { only, ..Request::new(position, Limits::depth(4)) };
        assert_eq!(search(&mut shared, &request).best_move(), Some(Move::Place(square)));
    }

    #[test]
    fn passes_finished_games_and_node_limits_are_met() {
        let mut rng = seeded(21);
        let mut shared = method(&[]);
        let (mut passes, mut ends) = (0, 0);
        for _ in 0..2_000 {
            let position = scattered_position(24, &mut rng);
            if position.has_move() {
                continue;
            }
            let outcome = search(&mut shared, &Request::new(position, Limits::depth(3)));
            let expected = position.must_pass().then_some(Move::Pass);
            assert_eq!(outcome.best_move(), expected);
            passes += usize::from(position.must_pass());
            ends += usize::from(position.is_over());
        }
        assert!(passes > 0 && ends > 0, "{passes} passes, {ends} ends");
        let request = Request::new(random_position(40, &mut rng), Limits::nodes(20_000));
        let outcome = search(&mut shared, &request);
        assert!((10_000..22_000).contains(&outcome.nodes), "{} nodes", outcome.nodes);
    }
}
