//! Solving: a job is one problem.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AllKinds, InOrder, refused, result};
use crate::fleet::FleetError;
use crate::fleet::coordinator::{TakeError, Taken, Work};
use crate::fleet::files::Outgoing;
use crate::fleet::residuals::Measure;
use crate::fleet::wire::{Name, RunId};
use crate::fleet::worker::Circumstances;
use crate::options::Options;
use crate::othello::Position;
use crate::record::Board;
use crate::search::minimax::THREADS;
use crate::search::{Certainty, Limits, Outcome, Request};

/// As jobs name it.
pub const KIND: &str = "solve";

/// A job as it travels.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Body {
    options: Options,
    board: Board,
    depth: Option<u32>,
    outcome: bool,
}

impl Body {
    fn limits(&self) -> Limits {
        Limits {
            depth: self.depth,
            exact: self.depth.is_none() && !self.outcome,
            outcome: self.outcome,
            ..Limits::default()
        }
    }
}

/// The worker's side.
pub(super) fn perform(
    worker: &mut AllKinds,
    body: Body,
    at: &Circumstances,
) -> Result<Option<Outcome>, String> {
    let options = worker.equipment.admit(&body.options, &at.files)?;
    let method = worker.solver(&options)?;
    // Each problem stands alone: nodes do not depend on the ones before it.
    method.clear();
    let request = Request::new(body.board.position, body.limits());
    let outcome = method.search(&request, &at.stop, &mut |_| {});
    Ok((!at.stop.is_stopped()).then_some(outcome))
}

/// The coordinator's side.
pub struct SolveWork<'a> {
    boards: Vec<Board>,
    travelling: Options,
    files: Outgoing,
    limits: Limits,
    run: RunId,
    results: InOrder<Outcome>,
    on_solved: &'a mut dyn FnMut(usize, &Outcome) -> Result<(), String>,
}

impl<'a> SolveWork<'a> {
    /// Solves these boards; `on_solved` hears of each in order, by its index.
    ///
    /// # Errors
    /// If a file that the options name cannot be read.
    pub fn new(
        boards: Vec<Board>,
        options: &Options,
        limits: Limits,
        on_solved: &'a mut dyn FnMut(usize, &Outcome) -> Result<(), String>,
    ) -> Result<SolveWork<'a>, FleetError> {
        let mut files = Outgoing::default();
        let travelling = files.pack(options)?;
        let results = InOrder::from(0);
        let run = RunId::fresh();
        Ok(SolveWork { boards, travelling, files, limits, run, results, on_solved })
    }

    fn check(&self, position: Position, outcome: &Outcome) -> Result<(), TakeError> {
        let line = outcome.lines.first();
        let line = line.filter(|line| line.score.discs().abs() <= 64.0 && !line.pv.is_empty());
        let line = line.ok_or_else(|| refused("no line, or an impossible score"))?;
        let mut position = position;
        for &played in &line.pv {
            let next = position.after(played);
            position = next.ok_or_else(|| refused(format!("{played} cannot be played")))?;
        }
        if self.limits.exact {
            let whole = line.score.hundredths() % 100 == 0;
            if !whole || line.certainty == Certainty::Estimate {
                return Err(refused(format!("{} is not a final score", line.score)));
            }
        }
        Ok(())
    }
}

impl Work for SolveWork<'_> {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn run(&self) -> RunId {
        self.run.clone()
    }

    fn resumes(&self) -> bool {
        false
    }

    fn total(&self) -> u64 {
        self.boards.len() as u64
    }

    fn done(&self) -> u64 {
        self.results.done()
    }

    fn threads(&self) -> u32 {
        self.travelling.get(&THREADS) as u32
    }

    fn files(&mut self) -> Outgoing {
        std::mem::take(&mut self.files)
    }

    fn next(&mut self) -> Option<u64> {
        self.results.hand_out(self.total())
    }

    fn body(&self, number: u64) -> Value {
        let body = Body {
            options: self.travelling.clone(),
            board: self.boards[number as usize],
            depth: self.limits.depth,
            outcome: self.limits.outcome,
        };
        serde_json::to_value(body).unwrap_or_default()
    }

    fn take(&mut self, number: u64, _: &Name, found: Value) -> Result<Taken, TakeError> {
        let Some(board) = self.boards.get(number as usize) else {
            return Err(refused("no such problem"));
        };
        if self.results.is_known(number) {
            return Ok(Taken::Known);
        }
        let outcome: Outcome = result(found)?;
        self.check(board.position, &outcome)?;
        let amount = outcome.nodes as f64;
        self.results.put(number, outcome);
        while let Some(outcome) = self.results.pop() {
            let index = self.results.next as usize - 1;
            (self.on_solved)(index, &outcome).map_err(TakeError::Keeping)?;
        }
        Ok(Taken::Counted(Measure { amount, figure: None }))
    }

    fn is_written(&self, number: u64) -> bool {
        number < self.results.next
    }
}
