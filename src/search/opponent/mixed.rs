//! A mixed player: bold at the times its schedule names, safe at all others.
//!
//! The paper's schedules go by the player's own turns; in a game as long as Othello the number of
//! discs and the score say more: who is behind has less to lose by setting traps.

use super::schedule::TurnSchedule;
use crate::othello::Position;
use crate::search::minimax::Minimax;
use crate::search::report::{Event, Line, Outcome};
use crate::search::{Behind, Limits, Method, Request, StopFlag};

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
    /// Whether the last search was bold.
    was_bold: bool,
}

impl Mixed {
    pub(super) fn new(
        when: When,
        bold: Box<dyn Method>,
        safe: Box<dyn Method>,
        judge: Minimax,
    ) -> Mixed {
        Mixed { when, bold, safe, judge, was_bold: false }
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
        self.was_bold = self.is_bold(request, stop);
        if self.was_bold {
            self.bold.search(request, stop, report)
        } else {
            self.safe.search(request, stop, report)
        }
    }

    fn behind(&mut self, position: Position, line: &Line, depth: u32) -> Option<Behind> {
        let method = if self.was_bold { &mut self.bold } else { &mut self.safe };
        method.behind(position, line, depth)
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
