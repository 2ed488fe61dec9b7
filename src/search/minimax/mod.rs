//! Minimax: principal variation search with ProbCut in the midgame, an exact solver at the end, on
//! every core.
//!
//! Read in this order: [`iterate`] (the root, step by step), [`pvs`] (the search itself),
//! [`shallow`] (its last plies), [`expected`] and [`distributions`] (other rules for the very last), [`ordering`], [`table`], [`probcut`],
//! [`split`] (several threads), [`line`] (the line to show), [`corrected`] (a last look by shared search). All tuned numbers stand in
//! [`parameters`].
//!
//! **What a node is.** Every position entered by a search routine with at least two empties counts
//! once, and so does every position evaluated only to order moves.

mod corrected;
mod distributions;
pub mod expected;
mod iterate;
mod line;
mod ordering;
pub mod parameters;
pub mod probcut;
mod pvs;
mod run;
mod shallow;
mod split;
mod table;

#[cfg(test)]
mod tests;

use super::limits::{DEEPENING_LIMITS, useful_threads};
use super::registry::MethodSpec;
use super::report::{Bound, Certainty, Event, Line, Origin, Outcome};
use super::{Method, Request, StopFlag};
use crate::eval::{self, Evaluation, Incremental, UNIT, with_evaluator};
use crate::options::{OptionError, OptionSpec, Options, TypedOption};
use crate::othello::Move;
use crate::score::Score;
use expected::{BACKUP, BACKUP_SCALE, BACKUP_SIGMA, Expectation};
use probcut::Selectivity;
use pvs::Worker;
use run::SearchRun;
use table::Table;

/// A score inside the search, in units of 1/128 disc.
pub type Value = i32;

/// A win with all discs.
pub const SCORE_MAX: Value = 64 * UNIT;

/// What the options say about the search.
#[derive(Clone, Copy, Debug)]
pub struct MinimaxSettings {
    /// Search threads.
    pub threads: usize,
    /// Confidence of forward pruning in the midgame.
    pub selectivity: Selectivity,
    /// Confidence in per cent that a search to the end of the game must reach.
    pub end_confidence: u32,
    /// From how many empties on to solve whatever the depth limit.
    pub exact_from: u32,
    /// D1 of the correction by shared search, plies; 0 for none.
    pub shared_correction: u32,
}

impl Default for MinimaxSettings {
    fn default() -> MinimaxSettings {
        MinimaxSettings {
            threads: 1,
            selectivity: Selectivity::MIDGAME,
            end_confidence: 100,
            exact_from: 0,
            shared_correction: 0,
        }
    }
}

/// The minimax method.
pub struct Minimax {
    evaluation: Evaluation,
    table: Table,
    settings: MinimaxSettings,
    /// What the parents of the leaves are worth, if not their best leaf.
    expectation: Option<Expectation>,
}

/// Search threads, here and in `mcts`.
pub static THREADS: TypedOption<i64> = TypedOption::cores(
    "threads",
    256,
    1,
    "Search threads, of which no more than 16 or the cores are started; results repeat exactly only with 1.",
)
.budgeted();
/// Size of the transposition table.
pub static HASH: TypedOption<i64> =
    TypedOption::integer("hash", 1, 65_536, 64, "Size of the transposition table in MiB.")
        .budgeted();
/// Forward pruning in the midgame.
pub static SELECTIVITY: TypedOption<i64> = TypedOption::integer(
    "selectivity",
    50,
    100,
    73,
    "Confidence of forward pruning in the midgame, per cent; 100 prunes nothing.",
);
static END_CONFIDENCE: TypedOption<i64> = TypedOption::integer(
    "end-confidence",
    50,
    100,
    100,
    "Confidence a search to the end of the game must reach, per cent; 100 is exact.",
);
/// When to solve whatever the depth limit.
pub static EXACT_FROM: TypedOption<i64> = TypedOption::integer(
    "exact-from",
    0,
    60,
    0,
    "From how many empties on to solve exactly whatever the depth limit.",
);

static SHARED_CORRECTION: TypedOption<i64> = TypedOption::integer(
    "shared-correction",
    0,
    20,
    0,
    "Plies searched at the end of the main line for a move that is tried at the root too (Iida and \
     Kotani 1992); 0 for none.",
);

/// The options that the methods heed which leave the end of the game to this one.
pub(super) const SOLVER_OPTIONS: &[&OptionSpec] =
    &[&THREADS.spec, &SELECTIVITY.spec, &END_CONFIDENCE.spec];

pub(super) const METHODS: &[MethodSpec] = &[MethodSpec {
    name: "minimax",
    help: "Principal variation search with ProbCut and an exact endgame solver.",
    limits: DEEPENING_LIMITS,
    options: &[
        SOLVER_OPTIONS,
        &[&HASH.spec, &EXACT_FROM.spec, &SHARED_CORRECTION.spec],
        &[&BACKUP.spec, &BACKUP_SCALE.spec, &BACKUP_SIGMA.spec],
    ],
    build,
}];

fn build(options: &Options) -> Result<Box<dyn Method>, OptionError> {
    let exact_from = options.get(&EXACT_FROM) as u32;
    let shared_correction = options.get(&SHARED_CORRECTION) as u32;
    let settings =
        MinimaxSettings { exact_from, shared_correction, ..MinimaxSettings::from_options(options) };
    let minimax = Minimax::new(eval::choose(options)?, settings, options.get(&HASH))?;
    Ok(Box::new(Minimax { expectation: expected::chosen(options)?, ..minimax }))
}

impl MinimaxSettings {
    /// What the options of [`SOLVER_OPTIONS`] say.
    pub(super) fn from_options(options: &Options) -> MinimaxSettings {
        MinimaxSettings {
            threads: useful_threads(options.get(&THREADS) as usize),
            selectivity: Selectivity::from_percent(options.get(&SELECTIVITY) as u32),
            end_confidence: options.get(&END_CONFIDENCE) as u32,
            ..MinimaxSettings::default()
        }
    }
}

impl Minimax {
    /// A search with a table of this many MiB.
    ///
    /// # Errors
    /// If there is not so much memory.
    pub(super) fn new(
        evaluation: Evaluation,
        settings: MinimaxSettings,
        hash: i64,
    ) -> Result<Minimax, OptionError> {
        let table = Table::new(hash as usize).map_err(|error| HASH.spec.unusable(error))?;
        Ok(Minimax { evaluation, table, settings, expectation: None })
    }

    /// Runs one search with an evaluation known at compile time.
    fn run<E: Incremental>(
        &self,
        evaluator: &E,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        let run = SearchRun {
            expectation: self.expectation.as_ref(),
            ..SearchRun::new(evaluator, &self.table, &request.limits, stop)
        };
        let answer = std::thread::scope(|scope| {
            for _ in 1..self.settings.threads {
                // A system that grants no more threads makes the search slower, nothing else.
                let help = || Worker::new(&run).help();
                if std::thread::Builder::new().spawn_scoped(scope, help).is_err() {
                    break;
                }
            }
            let mut worker = Worker::new(&run);
            let node = worker.root_node(request.position);
            let answer = iterate::iterate(&mut worker, &node, request, &self.settings, report);
            worker.flush_nodes();
            run.pool.close();
            answer
        });
        let elapsed = run.elapsed();
        Outcome {
            origin: Origin::Search,
            lines: answer.lines,
            depth: answer.depth,
            nodes: run.nodes.into_inner(),
            playouts: 0,
            elapsed,
        }
    }
}

impl Method for Minimax {
    fn search(
        &mut self,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        let mut request = request.clone();
        if request.position.empty_count() <= self.settings.exact_from {
            request.limits.exact = true;
        }
        if request.position.is_over() {
            return finished(&request);
        }
        self.table.new_search();
        if !request.position.has_move() {
            return self.search_passed(&request, stop, report);
        }
        if self.is_corrected(&request) {
            return self.search_corrected(&request, stop, report);
        }
        self.search_plain(&request, stop, report)
    }

    fn clear(&mut self) {
        self.table.clear();
    }

    fn make_ready(&mut self) {
        self.table.make_resident();
    }
}

impl Minimax {
    /// The search of a position that has a legal move.
    fn search_plain(
        &self,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        with_evaluator!(&self.evaluation, |evaluator| self.run(evaluator, request, stop, report))
    }

    /// A forced pass: the search of the position after it, seen from this side.
    fn search_passed(
        &mut self,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        let passed =
            Request { position: request.position.pass(), multi_pv: 1, only: None, ..*request };
        let turn = |lines: &[Line]| -> Vec<Line> {
            lines.iter().take(1).cloned().map(behind_a_pass).collect()
        };
        let outcome = self.search(&passed, stop, &mut |event| {
            report(&Event { lines: turn(&event.lines), ..event.clone() });
        });
        Outcome { lines: turn(&outcome.lines), ..outcome }
    }
}

fn behind_a_pass(line: Line) -> Line {
    let bound = match line.bound {
        Bound::Exact => Bound::Exact,
        Bound::Lower => Bound::Upper,
        Bound::Upper => Bound::Lower,
    };
    let pv = std::iter::once(Move::Pass).chain(line.pv).collect();
    Line { score: -line.score, bound, pv, ..line }
}

/// A game that is over has a score and no move.
pub(super) fn finished(request: &Request) -> Outcome {
    Outcome {
        origin: Origin::Search,
        lines: vec![Line {
            score: Score::whole(request.position.final_score()),
            bound: Bound::Exact,
            certainty: Certainty::Exact,
            pv: Vec::new(),
            visits: 0,
            uncertainty: Some(0.0),
        }],
        depth: 0,
        nodes: 1,
        playouts: 0,
        elapsed: std::time::Duration::ZERO,
    }
}
