//! Minimax: principal variation search with ProbCut in the midgame, an exact solver at the end, on
//! every core.
//!
//! Read in this order: [`iterate`] (the root, step by step), [`pvs`] (the search itself),
//! [`shallow`] (its last plies), [`ordering`], [`table`], [`probcut`],
//! [`split`] (several threads), [`line`] (the line to show). All tuned numbers stand in
//! [`parameters`].
//!
//! **What a node is.** Every position entered by a search routine with at least two empties counts
//! once, and so does every position evaluated only to order moves.

pub mod fit;
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

use super::report::{Bound, Certainty, Event, Line, Outcome};
use super::{Method, Request, StopFlag};
use crate::eval::{self, Evaluation, Evaluator, Incremental, UNIT};
use crate::options::{OptionError, Options};
use crate::othello::Move;
use crate::score::Score;
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
}

impl Default for MinimaxSettings {
    fn default() -> MinimaxSettings {
        MinimaxSettings {
            threads: 1,
            selectivity: Selectivity(0),
            end_confidence: 100,
            exact_from: 0,
        }
    }
}

/// The minimax method.
pub struct Minimax {
    evaluation: Evaluation,
    table: Table,
    settings: MinimaxSettings,
}

/// Makes the method from option values.
///
/// # Errors
/// If the evaluator cannot be made.
pub fn build(options: &Options) -> Result<Box<dyn Method>, OptionError> {
    let settings = MinimaxSettings {
        threads: options.integer("threads") as usize,
        selectivity: Selectivity::from_percent(options.integer("selectivity") as u32),
        end_confidence: options.integer("end-confidence") as u32,
        exact_from: options.integer("exact-from") as u32,
    };
    let table = Table::new(options.integer("hash") as usize)
        .ok_or_else(|| OptionError::no_memory("hash", options))?;
    Ok(Box::new(Minimax { evaluation: eval::choose(options)?, table, settings }))
}

impl Minimax {
    /// Runs one search with an evaluation known at compile time.
    fn run<E: Incremental>(
        &self,
        evaluator: &E,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        let run = SearchRun::new(evaluator, &self.table, &request.limits, stop);
        let answer = std::thread::scope(|scope| {
            for _ in 1..self.settings.threads {
                scope.spawn(|| Worker::new(&run).help());
            }
            let mut worker = Worker::new(&run);
            let node = worker.root_node(request.position);
            let answer = iterate::iterate(&mut worker, &node, request, &self.settings, report);
            worker.flush_nodes();
            run.pool.close();
            answer
        });
        Outcome {
            lines: answer.lines,
            depth: answer.depth,
            nodes: run.nodes.into_inner(),
            playouts: 0,
            elapsed: run.began.elapsed(),
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
        match &self.evaluation {
            Evaluation::Pattern(pattern) => self.run(&**pattern, &request, stop, report),
            Evaluation::Linear(linear) => self.run(&**linear, &request, stop, report),
            Evaluation::Other(other) => {
                let evaluator: &dyn Evaluator = &**other;
                self.run(&evaluator, &request, stop, report)
            }
        }
    }

    fn clear(&mut self) {
        self.table.clear();
    }
}

impl Minimax {
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
fn finished(request: &Request) -> Outcome {
    Outcome {
        lines: vec![Line {
            score: Score::whole(request.position.final_score()),
            bound: Bound::Exact,
            certainty: Certainty::Exact,
            pv: Vec::new(),
            visits: 0,
        }],
        depth: 0,
        nodes: 1,
        playouts: 0,
        elapsed: std::time::Duration::ZERO,
    }
}
