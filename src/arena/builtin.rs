//! Players made of Kitai's own methods, run in the worker's thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::clock::TimeControl;
use super::player::{Choice, Fault, FaultKind, GameStart, Player, Reply, Turn};
use crate::engine::clock::Clock;
use crate::options::{OptionError, Options};
use crate::search::{self, Limits, Method, Request, TimeLimit};

/// What a built-in player keeps back of each move for the way to the referee and back: both are in
/// one process, so this is only for a busy machine.
const LAG: Duration = Duration::from_millis(5);

/// A method with its option values. It is built anew for each game with the game's seed, so that a
/// game depends on nothing played before it.
pub struct BuiltIn {
    options: Options,
    method: Option<Box<dyn Method>>,
}

impl BuiltIn {
    /// A player with these options.
    ///
    /// # Errors
    /// If the options cannot be used, such as a weights file that cannot be read.
    pub fn new(options: &Options) -> Result<BuiltIn, OptionError> {
        search::build(options)?;
        Ok(BuiltIn { options: options.clone(), method: None })
    }

    fn limits(&self, turn: &Turn<'_>) -> Limits {
        let mut limits = Limits::from_options(&self.options);
        match (turn.clocks.control(), turn.clocks.left(turn.color)) {
            (TimeControl::PerMove(time), _) => limits.time = Some(TimeLimit::fixed(time)),
            (TimeControl::PerGame { increment, .. }, Some(left)) => {
                let empties = turn.game.board().position.empty_count();
                limits.time = Some(Clock::fischer(left, increment).plan(empties, LAG));
            }
            _ => {}
        }
        limits
    }
}

impl Player for BuiltIn {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Fault> {
        let mut options = self.options.clone();
        // The option is a signed number; one bit less of seed is as random.
        let made = options
            .set("seed", &(game.seed >> 1).to_string())
            .and_then(|()| search::build(&options))
            .map_err(|error| Fault::new(FaultKind::Crash, error.to_string()))?;
        self.method = Some(made);
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Reply, Fault> {
        let limits = self.limits(turn);
        let Some(method) = self.method.as_mut() else {
            return Err(Fault::new(FaultKind::Crash, "no game was started"));
        };
        let request = Request::new(turn.game.board().position, limits);
        let began = Instant::now();
        // A panic in one search must not end a match of thousands of games.
        let outcome =
            catch_unwind(AssertUnwindSafe(|| method.search(&request, turn.stop, &mut |_| {})));
        let elapsed = began.elapsed();
        let outcome = outcome.map_err(|panic| {
            let message = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("unknown panic");
            Fault::new(FaultKind::Crash, message)
        })?;
        match outcome.best_move() {
            Some(played) => {
                Ok(Reply { choice: Choice::Play(played), score: Some(outcome.score()), elapsed })
            }
            None => Err(Fault::new(FaultKind::Garbage, "the search returned no move")),
        }
    }

    fn discard(&mut self) {
        self.method = None;
    }
}
