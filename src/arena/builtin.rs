//! Players made of Kitai's own methods, run in the worker's thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use super::clock::TimeControl;
use super::player::{Choice, Fault, FaultKind, GameStart, Player, Reply, Turn};
use crate::engine::clock::Clock;
use crate::engine::{self, Task};
use crate::options::{OptionError, Options};
use crate::search::{Limits, Request, TimeLimit};

/// What a built-in player keeps back of each move for the way to the referee and back: both are in
/// one process, so this is only for a busy machine.
const LAG: Duration = Duration::from_millis(5);

/// A method with its option values. It is built anew for each game with the game's seed, so that a
/// game depends on nothing played before it.
pub struct BuiltIn {
    options: Options,
    player: Option<engine::Player>,
}

impl BuiltIn {
    /// A player with these options.
    ///
    /// # Errors
    /// If the options cannot be used, such as a weights file that cannot be read.
    pub fn new(options: &Options) -> Result<BuiltIn, OptionError> {
        engine::Player::new(options.clone()).prepare()?;
        Ok(BuiltIn { options: options.clone(), player: None })
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
        let seeded = options.set("seed", &(game.seed >> 1).to_string());
        let mut player = engine::Player::new(options);
        seeded
            .and_then(|()| player.prepare())
            .map_err(|error| Fault::new(FaultKind::Crash, error.to_string()))?;
        self.player = Some(player);
        Ok(())
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Reply, Fault> {
        let limits = self.limits(turn);
        let Some(player) = self.player.as_mut() else {
            return Err(Fault::new(FaultKind::Crash, "no game was started"));
        };
        let request = Request::new(turn.game.board().position, limits);
        let task = Task { request, soften: true };
        let began = Instant::now();
        // A panic in one search must not end a match of thousands of games.
        let outcome =
            catch_unwind(AssertUnwindSafe(|| player.search(&task, turn.stop, &mut |_| {})));
        let elapsed = began.elapsed();
        let outcome = outcome.map_err(|panic| {
            let message = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied())
                .unwrap_or("unknown panic");
            Fault::new(FaultKind::Crash, message)
        })?;
        let outcome = outcome.map_err(|error| Fault::new(FaultKind::Crash, error.to_string()))?;
        match outcome.best_move() {
            Some(played) => {
                Ok(Reply { choice: Choice::Play(played), score: Some(outcome.score()), elapsed })
            }
            None => Err(Fault::new(FaultKind::Garbage, "the search returned no move")),
        }
    }

    fn discard(&mut self) {
        self.player = None;
    }
}
