//! Ends games early by solving them: the result is the one perfect play would have brought.

use crate::options::Options;
use crate::othello::Position;
use crate::search::{self, Certainty, Limits, Method, Request, StopFlag};

/// Solves late positions with Kitai's own exact search.
#[derive(Default)]
pub struct Adjudicator {
    solver: Option<Box<dyn Method>>,
}

impl Adjudicator {
    /// The final score under perfect play for the side to move, or `None` if the search did not
    /// prove one (stopped, or no solver at hand): the game then goes on.
    pub fn solve(&mut self, position: Position, stop: &StopFlag) -> Option<i32> {
        if self.solver.is_none() {
            self.solver = search::build(&Options::new()).ok();
        }
        let solver = self.solver.as_mut()?;
        let outcome = solver.search(&Request::new(position, Limits::solve()), stop, &mut |_| {});
        let line = outcome.lines.first()?;
        (line.certainty == Certainty::Exact && !stop.is_stopped()).then(|| line.score.rounded())
    }
}
