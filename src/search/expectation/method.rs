//! The back-up rules as methods: options in, lines out.

use super::alpha_beta::AlphaBeta;
use super::backup::Backup;
use super::deepening::{Ranking, RootMove, deepen};
use super::node_counter::NodeCounter;
use super::normals;
use super::older_rules::{FullWidth, OlderRule};
use super::opponent_model::OpponentModel;
use super::settings::{ExpectationSettings, Finished, Passes};
use super::sigma;
use super::table::Table;
use super::tree::OthelloTree;
use crate::eval::{self, Evaluation, Incremental, with_evaluator};
use crate::options::{OptionError, OptionSpec, Options, TypedOption};
use crate::othello::Position;
use crate::random::SEED;
use crate::score::Score;
use crate::search::limits::DEEPENING_LIMITS;
use crate::search::minimax::{self, Minimax, MinimaxSettings};
use crate::search::registry::MethodSpec;
use crate::search::report::{Bound, Certainty, Event, Line, Origin, Outcome};
use crate::search::{Behind, Limits, Method, Request, StopFlag};

/// From so many empties on a search without a depth limit is left to minimax, which solves the game:
/// expectations have nothing to add where the end can be seen.
const SOLVE_EMPTIES: u32 = 16;

/// Which value goes up the tree.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Rule {
    /// 2002: E at leaf parents, minimax above.
    Expectation,
    /// E at leaf parents, the opponent chooses by static minimax.
    ExpectedValue,
    /// One of the older improvements.
    Older(OlderRule),
}

/// A search of this room.
struct ExpectationMethod {
    rule: Rule,
    settings: ExpectationSettings,
    evaluation: Evaluation,
    table: Table,
    /// Minimax with the same options, for the end of the game.
    solver: Minimax,
}

static SIGMA_OPTIONS: &[&OptionSpec] =
    &[&sigma::SIGMA.spec, &sigma::SIGMA_TABLE.spec, &sigma::AHEAD.spec];

static SAMPLES: TypedOption<i64> = TypedOption::integer(
    "samples",
    0,
    10_000,
    0,
    "Tuples of the papers' Monte Carlo estimate of the expectation; 0 computes it exactly.",
);
static FREE_PASS: TypedOption<bool> = TypedOption::switch(
    "free-pass",
    true,
    "A forced pass uses up no depth, as in the papers' experiments.",
);
static EXACT_ENDS: TypedOption<bool> = TypedOption::switch(
    "exact-ends",
    true,
    "Finished games in the search count with their exact score; false treats them like any other \
     leaf, as the papers do.",
);
static MEAN_POWER: TypedOption<f64> = TypedOption::number(
    "mean-power",
    0.0,
    1000.0,
    32.0,
    "Power p of the generalised mean; great powers approach minimax.",
);
static BEST_OWN: TypedOption<i64> = TypedOption::integer(
    "best-own",
    1,
    64,
    2,
    "M of M & N: how many of the own side's best moves count.",
);
static BEST_OPPONENT: TypedOption<i64> = TypedOption::integer(
    "best-opponent",
    1,
    64,
    2,
    "N of M & N: how many of the opponent's best moves count.",
);
static ODDS_SCALE: TypedOption<f64> = TypedOption::number(
    "odds-scale",
    0.1,
    64.0,
    8.0,
    "Discs of advantage that make the odds of winning e to one.",
);

/// Heeded by every method of the room.
const COMMON: &[&OptionSpec] = &[&FREE_PASS.spec, &EXACT_ENDS.spec, &minimax::HASH.spec];
/// Heeded by the two that compute expectations.
const ESTIMATE: &[&OptionSpec] = &[&SAMPLES.spec, &SEED.spec];

pub(crate) const METHODS: &[MethodSpec] = &[
    MethodSpec {
        name: "expectation",
        help: "Kobayashi et al. 2002: leaf parents get the mean of the best of uncertain leaves.",
        limits: DEEPENING_LIMITS,
        options: &[SIGMA_OPTIONS, COMMON, ESTIMATE, minimax::SOLVER_OPTIONS],
        build: |options| build(Rule::Expectation, options),
    },
    MethodSpec {
        name: "expected-value",
        help: "Tebika et al.: the same expectation against an opponent who plays plain minimax.",
        limits: DEEPENING_LIMITS,
        options: &[SIGMA_OPTIONS, COMMON, ESTIMATE, minimax::SOLVER_OPTIONS],
        build: |options| build(Rule::ExpectedValue, options),
    },
    MethodSpec {
        name: "generalized-mean",
        help: "Rivest's min/max approximation: generalised means instead of extremes.",
        limits: DEEPENING_LIMITS,
        options: &[SIGMA_OPTIONS, COMMON, &[&MEAN_POWER.spec], minimax::SOLVER_OPTIONS],
        build: |options| {
            let power = options.get(&MEAN_POWER);
            build(Rule::Older(OlderRule::GeneralizedMean { power }), options)
        },
    },
    MethodSpec {
        name: "m-and-n",
        help: "Slagle and Dixon's M & N: the best few children of every node count.",
        limits: DEEPENING_LIMITS,
        options: &[
            SIGMA_OPTIONS,
            COMMON,
            &[&BEST_OWN.spec, &BEST_OPPONENT.spec],
            minimax::SOLVER_OPTIONS,
        ],
        build: |options| {
            let own = options.get(&BEST_OWN) as usize;
            let opponent = options.get(&BEST_OPPONENT) as usize;
            build(Rule::Older(OlderRule::BestFew { own, opponent }), options)
        },
    },
    MethodSpec {
        name: "product",
        help: "Product propagation of winning chances.",
        limits: DEEPENING_LIMITS,
        options: &[SIGMA_OPTIONS, COMMON, &[&ODDS_SCALE.spec], minimax::SOLVER_OPTIONS],
        build: |options| {
            let scale = options.get(&ODDS_SCALE);
            build(Rule::Older(OlderRule::Product { scale }), options)
        },
    },
    MethodSpec {
        name: "average",
        help: "The average of product propagation and minimax on winning chances.",
        limits: DEEPENING_LIMITS,
        options: &[SIGMA_OPTIONS, COMMON, &[&ODDS_SCALE.spec], minimax::SOLVER_OPTIONS],
        build: |options| {
            let scale = options.get(&ODDS_SCALE);
            build(Rule::Older(OlderRule::Average { scale }), options)
        },
    },
];

/// What the options `free-pass` and `exact-ends` say.
pub fn passes_and_ends(options: &Options) -> (Passes, Finished) {
    (
        if options.get(&FREE_PASS) { Passes::Free } else { Passes::Ply },
        if options.get(&EXACT_ENDS) { Finished::Exact } else { Finished::Static },
    )
}

fn build(rule: Rule, options: &Options) -> Result<Box<dyn Method>, OptionError> {
    let (passes, finished) = passes_and_ends(options);
    let estimates = !matches!(rule, Rule::Older(_));
    // Where there are two tables, each has half of what the option grants.
    let granted = options.get(&minimax::HASH);
    let mebibytes = if estimates { (granted / 2).max(1) } else { granted };
    let settings = ExpectationSettings {
        spreads: sigma::from_options(options)?,
        samples: if estimates { options.get(&SAMPLES) as usize } else { 0 },
        seed: if estimates { options.get(&SEED) as u64 } else { 0 },
        passes,
        finished,
    };
    let bytes = if estimates { (mebibytes as usize).saturating_mul(1 << 20) } else { 0 };
    let table = Table::new(bytes).map_err(|error| minimax::HASH.spec.unusable(error))?;
    let evaluation = eval::choose(options)?;
    let solver_settings = MinimaxSettings::from_options(options);
    let solver = Minimax::new(evaluation.clone(), solver_settings, mebibytes)?;
    Ok(Box::new(ExpectationMethod { rule, settings, evaluation, table, solver }))
}

impl ExpectationMethod {
    /// Whether this request is one for the exact solver.
    fn is_solve(&self, request: &Request) -> bool {
        let empties = request.position.empty_count();
        let few = empties <= SOLVE_EMPTIES
            && request.limits.depth.is_none()
            && self.settings.finished == Finished::Exact;
        request.limits.exact || few || request.position.is_over()
    }

    fn run<E: Incremental>(
        &mut self,
        evaluation: &E,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        let tree = OthelloTree { evaluation };
        let table = std::mem::replace(&mut self.table, Table::tiny());
        let settings = self.settings.clone();
        match self.rule {
            Rule::Expectation => {
                let mut rule = AlphaBeta::new(settings, table);
                let outcome = self.deepen(&tree, &mut rule, request, stop, report);
                self.table = rule.into_table();
                outcome
            }
            Rule::ExpectedValue => {
                let mut rule = OpponentModel::new(settings, table);
                let outcome = self.deepen(&tree, &mut rule, request, stop, report);
                self.table = rule.into_table();
                outcome
            }
            Rule::Older(rule) => {
                let mut rule = FullWidth::new(rule, settings);
                self.deepen(&tree, &mut rule, request, stop, report)
            }
        }
    }

    fn deepen<'e, E: Incremental, B: Backup<OthelloTree<'e, E>>>(
        &self,
        tree: &OthelloTree<'e, E>,
        rule: &mut B,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        let Request { position, limits, .. } = request;
        let root = tree.root(*position);
        let moves = tree.children(&root, request.root_moves());
        let wanted = request.multi_pv.max(1);
        let most_depth = limits.depth.unwrap_or(MOST_DEPTH).clamp(1, MOST_DEPTH);
        let mut counter = NodeCounter::new(limits, stop);
        let lines = |ranking: &Ranking<_>| -> Vec<Line> {
            let certainty = self.certainty(*position, ranking.depth);
            ranking.moves.iter().take(wanted).map(|root_move| line(root_move, certainty)).collect()
        };
        let mut on_depth = |ranking: &Ranking<_>, counter: &NodeCounter| {
            let elapsed = counter.budget.elapsed();
            report(&Event {
                depth: ranking.depth,
                lines: lines(ranking),
                nodes: counter.nodes,
                playouts: 0,
                elapsed,
                opponent: None,
            });
            let in_time = limits.time.is_none_or(|time| elapsed < time.soft);
            in_time && ranking.depth < self.last_useful_depth(*position)
        };
        let ranking = deepen(tree, moves, wanted, most_depth, rule, &mut counter, &mut on_depth);
        Outcome {
            origin: Origin::Search,
            lines: lines(&ranking),
            depth: ranking.depth,
            nodes: counter.nodes,
            playouts: 0,
            elapsed: counter.budget.elapsed(),
        }
    }

    /// The depth that reaches the end of every line.
    fn last_useful_depth(&self, position: Position) -> u32 {
        match self.settings.passes {
            Passes::Free => position.empty_count().max(1),
            // Every disc might be followed by a pass.
            Passes::Ply => (2 * position.empty_count()).clamp(1, MOST_DEPTH),
        }
    }

    fn certainty(&self, position: Position, depth: u32) -> Certainty {
        let proves = !matches!(self.rule, Rule::Older(_))
            && self.settings.finished == Finished::Exact
            && depth >= self.last_useful_depth(position);
        if proves { Certainty::Exact } else { Certainty::Estimate }
    }
}

/// The deepest search in plies that is ever useful.
const MOST_DEPTH: u32 = 60;

fn line<E: Incremental>(root_move: &RootMove<OthelloTree<'_, E>>, certainty: Certainty) -> Line {
    let mut pv = vec![root_move.action];
    pv.extend_from_slice(&root_move.reply_line);
    Line {
        score: Score::from_discs(root_move.value),
        bound: if root_move.is_exact { Bound::Exact } else { Bound::Upper },
        certainty,
        pv,
        visits: 0,
        uncertainty: None,
    }
}

impl Method for ExpectationMethod {
    fn search(
        &mut self,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        if self.is_solve(request) {
            let limits = Limits { exact: true, ..request.limits };
            return self.solver.search(&Request { limits, ..request.clone() }, stop, report);
        }
        let evaluation = self.evaluation.clone();
        with_evaluator!(&evaluation, |evaluator| self.run(evaluator, request, stop, report))
    }

    fn behind(&mut self, position: Position, line: &Line, depth: u32) -> Option<Behind> {
        if matches!(self.rule, Rule::Older(_)) || line.certainty != Certainty::Estimate {
            return None;
        }
        with_evaluator!(&self.evaluation, |evaluation| {
            let tree = OthelloTree { evaluation };
            normals::at_the_end(&tree, &self.settings, position, &line.pv, depth)
        })
        .map(Behind::Normals)
    }

    fn clear(&mut self) {
        self.table.clear();
        self.solver.clear();
    }

    fn make_ready(&mut self) {
        self.table.make_resident();
        self.solver.make_ready();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::{random_position, scattered_position, seeded};
    use crate::search::{endgame, registry};
    use std::time::Duration;

    const METHODS: [&str; 6] =
        ["expectation", "expected-value", "generalized-mean", "m-and-n", "product", "average"];

    fn method(settings: &[(&str, &str)]) -> Box<dyn Method> {
        let mut options = Options::new();
        options.set("eval", "discs").unwrap();
        options.set("hash", "1").unwrap();
        for (name, value) in settings {
            options.set(name, value).unwrap();
        }
        registry::build(&options).unwrap()
    }

    fn quiet(method: &mut dyn Method, request: &Request) -> Outcome {
        method.search(request, &StopFlag::new(), &mut |_| ())
    }

    #[test]
    fn every_method_reports_each_depth_and_a_playable_line() {
        let mut rng = seeded(21);
        for name in METHODS {
            let mut method = method(&[("method", name)]);
            for empties in [58, 30, 11, 5] {
                let position = random_position(empties, &mut rng);
                let mut depths = Vec::new();
                let request = Request::new(position, Limits::depth(3));
                let outcome = method.search(&request, &StopFlag::new(), &mut |event| {
                    depths.push(event.depth);
                });
                assert_eq!(depths, [1, 2, 3], "{name}");
                let mut board = position;
                for &played in &outcome.lines[0].pv {
                    board = board.after(played).expect("lines are playable");
                }
            }
        }
    }

    #[test]
    fn more_lines_begin_with_the_single_best_one() {
        let mut rng = seeded(22);
        for name in METHODS {
            let position = random_position(20, &mut rng);
            let mut request = Request::new(position, Limits::depth(3));
            let best = quiet(&mut *method(&[("method", name)]), &request).lines[0].clone();
            request.multi_pv = 60;
            let lines = quiet(&mut *method(&[("method", name)]), &request).lines;
            assert_eq!(lines.len() as u32, position.legal_moves().count(), "{name}");
            assert_eq!((lines[0].pv[0], lines[0].score), (best.pv[0], best.score), "{name}");
            assert!(lines.iter().all(|line| line.bound == Bound::Exact));
            assert!(lines.windows(2).all(|pair| pair[0].score >= pair[1].score));
            request.only = Some(Position::START.legal_moves());
            assert!(!quiet(&mut *method(&[("method", name)]), &request).lines.is_empty());
        }
    }

    #[test]
    fn depth_to_the_end_is_exact() {
        let mut rng = seeded(23);
        for name in ["expectation", "expected-value"] {
            let mut method = method(&[("method", name), ("sigma", "8")]);
            for _ in 0..30 {
                let position = scattered_position(6, &mut rng);
                let outcome = quiet(&mut *method, &Request::new(position, Limits::depth(6)));
                assert_eq!(outcome.score().rounded(), endgame::solve(position), "{position:?}");
                assert_eq!(outcome.lines[0].certainty, Certainty::Exact);
                let solved = quiet(&mut *method, &Request::new(position, Limits::solve()));
                assert_eq!(solved.score().rounded(), endgame::solve(position));
            }
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_answer_and_another_one_another() {
        let position = random_position(30, &mut seeded(24));
        let request = Request { multi_pv: 9, ..Request::new(position, Limits::depth(4)) };
        let search = |seed: &str| {
            let settings = [("method", "expectation"), ("samples", "20"), ("seed", seed)];
            let mut method = method(&settings);
            let first = quiet(&mut *method, &request).lines;
            method.clear();
            assert_eq!(quiet(&mut *method, &request).lines, first);
            first
        };
        assert_eq!(search("5"), search("5"));
        assert_ne!(search("5"), search("6"));
    }

    #[test]
    fn a_stopped_search_still_answers_and_nodes_are_kept_to() {
        let position = random_position(40, &mut seeded(25));
        for name in METHODS {
            let mut method = method(&[("method", name)]);
            let stop = StopFlag::new();
            stop.stop();
            let request = Request::new(position, Limits::time(Duration::from_secs(3600)));
            let outcome = method.search(&request, &stop, &mut |_| ());
            assert_eq!(outcome.depth, 1, "{name}");
            assert!(position.after(outcome.best_move().unwrap()).is_some());
            let outcome = quiet(&mut *method, &Request::new(position, Limits::nodes(20_000)));
            assert!(outcome.nodes < 21_000 && outcome.depth >= 1, "{name}: {}", outcome.nodes);
        }
    }

    #[test]
    fn forced_passes_and_finished_games_are_answered() {
        let mut rng = seeded(26);
        for name in METHODS {
            let mut method = method(&[("method", name)]);
            let (mut passes, mut ends) = (0, 0);
            while passes < 3 || ends < 3 {
                let position = scattered_position(8, &mut rng);
                let outcome = quiet(&mut *method, &Request::new(position, Limits::depth(3)));
                if position.must_pass() {
                    passes += 1;
                    assert_eq!(outcome.best_move(), Some(crate::othello::Move::Pass), "{name}");
                } else if position.is_over() {
                    ends += 1;
                    assert_eq!(outcome.best_move(), None, "{name}");
                }
            }
        }
    }

    #[test]
    fn unusable_sigma_tables_are_refused_by_name() {
        let build = |settings: &[(&str, &str)]| {
            let mut options = Options::new();
            options.set("method", "expectation").unwrap();
            settings.iter().for_each(|(name, value)| options.set(name, value).unwrap());
            registry::build(&options).err().map(|error| error.to_string())
        };
        let missing = build(&[("sigma-table", "no/such.csv")]).unwrap();
        assert!(missing.contains("no/such.csv") && missing.contains("kobayashi-2002"), "{missing}");
        let ahead = build(&[("sigma-table", "kobayashi-2002"), ("ahead", "3")]).unwrap();
        assert!(ahead.contains("no rows for 3"), "{ahead}");
        assert_eq!(build(&[("sigma", "8.5")]), None);
        assert_eq!(build(&[("eval", "discs")]), None);
    }
}
