//! The back-up rules as methods: options in, lines out.

use std::time::Instant;

use super::alpha_beta::AlphaBeta;
use super::backup::Backup;
use super::budget::Budget;
use super::deepening::{Ranking, RootMove, deepen};
use super::older_rules::{FullWidth, OlderRule};
use super::opponent_model::OpponentModel;
use super::settings::{ExpectationSettings, Finished, Passes};
use super::sigma;
use super::table::Table;
use super::tree::OthelloTree;
use crate::eval::{self, Evaluation, Evaluator, Incremental};
use crate::options::{OptionError, Options};
use crate::othello::Position;
use crate::score::Score;
use crate::search::report::{Bound, Certainty, Event, Line, Outcome};
use crate::search::{Limits, Method, Request, StopFlag, minimax};

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
    OlderRule(OlderRule),
}

/// A search of this room.
struct ExpectationMethod {
    rule: Rule,
    settings: ExpectationSettings,
    evaluation: Evaluation,
    table: Table,
    options: Options,
    solver: Option<Box<dyn Method>>,
}

/// `method=expectation`.
///
/// # Errors
/// If the evaluator or the sigma table cannot be made.
pub fn build_expectation(options: &Options) -> Result<Box<dyn Method>, OptionError> {
    build(Rule::Expectation, options)
}

/// `method=expected-value`.
///
/// # Errors
/// If the evaluator or the sigma table cannot be made.
pub fn build_expected_value(options: &Options) -> Result<Box<dyn Method>, OptionError> {
    build(Rule::ExpectedValue, options)
}

/// `method=generalized-mean`.
///
/// # Errors
/// If the evaluator or the sigma table cannot be made.
pub fn build_generalized_mean(options: &Options) -> Result<Box<dyn Method>, OptionError> {
    let power = options.number("mean-power");
    build(Rule::OlderRule(OlderRule::GeneralizedMean { power }), options)
}

/// `method=m-and-n`.
///
/// # Errors
/// If the evaluator or the sigma table cannot be made.
pub fn build_m_and_n(options: &Options) -> Result<Box<dyn Method>, OptionError> {
    let count = |name| options.integer(name) as usize;
    let rule = OlderRule::BestFew { own: count("best-own"), opponent: count("best-opponent") };
    build(Rule::OlderRule(rule), options)
}

/// `method=product`.
///
/// # Errors
/// If the evaluator or the sigma table cannot be made.
pub fn build_product(options: &Options) -> Result<Box<dyn Method>, OptionError> {
    build(Rule::OlderRule(OlderRule::Product { scale: options.number("odds-scale") }), options)
}

/// `method=average`.
///
/// # Errors
/// If the evaluator or the sigma table cannot be made.
pub fn build_average(options: &Options) -> Result<Box<dyn Method>, OptionError> {
    build(Rule::OlderRule(OlderRule::Average { scale: options.number("odds-scale") }), options)
}

/// The settings that the options describe.
///
/// # Errors
/// If the sigma table cannot be used.
pub fn settings_from_options(options: &Options) -> Result<ExpectationSettings, OptionError> {
    let (passes, finished) = passes_and_ends(options);
    Ok(ExpectationSettings {
        spreads: sigma::from_options(options)?,
        samples: options.integer("samples") as usize,
        seed: options.integer("seed") as u64,
        passes,
        finished,
    })
}

/// What the options `free-pass` and `exact-ends` say.
pub fn passes_and_ends(options: &Options) -> (Passes, Finished) {
    (
        if options.switch("free-pass") { Passes::Free } else { Passes::Ply },
        if options.switch("exact-ends") { Finished::Exact } else { Finished::Static },
    )
}

fn build(rule: Rule, options: &Options) -> Result<Box<dyn Method>, OptionError> {
    let bytes = match rule {
        Rule::OlderRule(_) => 0,
        _ => (options.integer("hash") as usize) << 20,
    };
    Ok(Box::new(ExpectationMethod {
        rule,
        settings: settings_from_options(options)?,
        evaluation: eval::choose(options)?,
        table: Table::try_new(bytes).ok_or_else(|| OptionError::no_memory("hash", options))?,
        options: options.clone(),
        solver: None,
    }))
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

    /// Minimax with the same options, made when first needed.
    fn solver(&mut self) -> Option<&mut Box<dyn Method>> {
        if self.solver.is_none() {
            self.solver = minimax::build(&self.options).ok();
        }
        self.solver.as_mut()
    }

    fn run<E: Incremental>(
        &mut self,
        evaluation: &E,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        let tree = OthelloTree { evaluation };
        let table = std::mem::replace(&mut self.table, Table::new(0));
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
            Rule::OlderRule(rule) => {
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
        let began = Instant::now();
        let Request { position, limits, .. } = request;
        let root = tree.root(*position);
        let moves = tree.children(&root, request.root_moves());
        let wanted = request.multi_pv.max(1);
        let most_depth = limits.depth.unwrap_or(MOST_DEPTH).clamp(1, MOST_DEPTH);
        let mut budget = Budget::new(limits, began, stop);
        let lines = |ranking: &Ranking<_>| -> Vec<Line> {
            let certainty = self.certainty(*position, ranking.depth);
            ranking.moves.iter().take(wanted).map(|root_move| line(root_move, certainty)).collect()
        };
        let mut on_depth = |ranking: &Ranking<_>, budget: &Budget| {
            let elapsed = began.elapsed();
            report(&Event {
                depth: ranking.depth,
                lines: lines(ranking),
                nodes: budget.nodes,
                playouts: 0,
                elapsed,
            });
            let in_time = limits.time.is_none_or(|time| elapsed < time.soft);
            in_time && ranking.depth < self.last_useful_depth(*position)
        };
        let ranking = deepen(tree, moves, wanted, most_depth, rule, &mut budget, &mut on_depth);
        Outcome {
            lines: lines(&ranking),
            depth: ranking.depth,
            nodes: budget.nodes,
            playouts: 0,
            elapsed: began.elapsed(),
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
        let proves = !matches!(self.rule, Rule::OlderRule(_))
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
    }
}

impl Method for ExpectationMethod {
    fn search(
        &mut self,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        if self.is_solve(request)
            && let Some(solver) = self.solver()
        {
            let limits = Limits { exact: true, ..request.limits };
            return solver.search(&Request { limits, ..request.clone() }, stop, report);
        }
        match self.evaluation.clone() {
            Evaluation::Pattern(pattern) => self.run(&*pattern, request, stop, report),
            Evaluation::Linear(linear) => self.run(&*linear, request, stop, report),
            Evaluation::Other(other) => {
                let other: &dyn Evaluator = &*other;
                self.run(&other, request, stop, report)
            }
        }
    }

    fn clear(&mut self) {
        self.table.clear();
        if let Some(solver) = &mut self.solver {
            solver.clear();
        }
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
