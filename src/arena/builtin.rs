//! Players made of Kitai's own methods, run in the worker's thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::player::{Choice, Fault, FaultKind, GameStart, Player, Reply, Turn};
use crate::engine;
use crate::engine::time::{RealTime, TimeSource};
use crate::options::{OptionError, Options};

/// A method with its option values. It is built anew for each game with the game's seed, so that a
/// game depends on nothing played before it.
pub struct BuiltIn {
    options: Options,
    player: Option<engine::Player>,
    time: Arc<dyn TimeSource>,
}

impl BuiltIn {
    /// A player with these options.
    ///
    /// # Errors
    /// If the options cannot be used, such as a weights file that cannot be read.
    pub fn new(options: &Options) -> Result<BuiltIn, OptionError> {
        engine::Player::new(options.clone()).prepare()?;
        Ok(BuiltIn { options: options.clone(), player: None, time: Arc::new(RealTime) })
    }

    /// The same player, its moves measured by another clock.
    #[cfg(test)]
    pub(super) fn timed_by(self, time: Arc<dyn TimeSource>) -> BuiltIn {
        BuiltIn { time, ..self }
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
        let Some(player) = self.player.as_mut() else {
            return Err(Fault::new(FaultKind::Crash, "no game was started"));
        };
        let position = turn.game.board().position;
        let task = turn.game.task(player.options(), turn.color, position);
        let began = self.time.now();
        // A panic in one search must not end a match of thousands of games.
        let outcome =
            catch_unwind(AssertUnwindSafe(|| player.search(&task, turn.stop, &mut |_| {})));
        let elapsed = self.time.now().saturating_duration_since(began);
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
