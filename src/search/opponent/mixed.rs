//! A mixed player: bold at the times its schedule names, safe at all others.
//!
//! The paper's schedules go by the player's own turns; in a game as long as Othello the number of
//! discs and the score say more: who is behind has less to lose by setting traps.

use super::schedule::TurnSchedule;
use crate::search::minimax::Minimax;
use crate::search::report::{Event, Outcome};
use crate::search::{Limits, Method, Request, StopFlag};

/// Plies of the search that tells the score.
const SCORE_DEPTH: u32 = 4;

/// When to be bold.
#[derive(Clone, Copy, Debug)]
pub(super) enum When {
    /// On these own turns.
    Turns(TurnSchedule),
    /// While there are so many discs on the board or fewer.
    Discs { until: u32 },
    /// When behind by at least so many discs, by a short search.
    Score { behind: f64 },
}

/// Two methods and when to use which.
pub(super) struct Mixed {
    when: When,
    bold: Box<dyn Method>,
    safe: Box<dyn Method>,
    /// Tells the score.
    judge: Minimax,
}

impl Mixed {
    pub(super) fn new(
        when: When,
        bold: Box<dyn Method>,
        safe: Box<dyn Method>,
        judge: Minimax,
    ) -> Mixed {
        Mixed { when, bold, safe, judge }
    }

    fn is_bold(&mut self, request: &Request, stop: &StopFlag) -> bool {
        let empties = request.position.empty_count();
        match self.when {
            // Both players have placed as many discs, passes aside.
            When::Turns(schedule) => schedule.speculates(60u32.saturating_sub(empties) / 2 + 1),
            When::Discs { until } => 64 - empties <= until,
            When::Score { behind } => {
                let depth = request.limits.depth.unwrap_or(SCORE_DEPTH).min(SCORE_DEPTH);
                let limits =
                    Limits { depth: Some(depth), exact: false, outcome: false, ..request.limits };
                let request = Request::new(request.position, limits);
                let outcome = self.judge.search(&request, stop, &mut |_| ());
                outcome.score().discs() <= -behind
            }
        }
    }
}

impl Method for Mixed {
    fn search(
        &mut self,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        if self.is_bold(request, stop) {
            self.bold.search(request, stop, report)
        } else {
            self.safe.search(request, stop, report)
        }
    }

    fn clear(&mut self) {
        self.bold.clear();
        self.safe.clear();
        self.judge.clear();
    }

    fn make_ready(&mut self) {
        self.bold.make_ready();
        self.safe.make_ready();
        self.judge.make_ready();
    }
}
