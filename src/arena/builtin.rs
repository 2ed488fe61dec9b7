//! Players made of Kitai's own methods: an engine in this process, under the same clock and the
//! same time-out as any other player.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use super::gtp::wait_for_move;
use super::player::{Choice, Contestant, Fault, FaultKind, GameStart, Reply, Turn};
use crate::engine::time::{RealTime, TimeSource};
use crate::engine::{self, Budget, Engine, EngineEvent, GameId, SearchId, SearchUpdate};
use crate::options::{OptionError, Options};
use crate::search::StopFlag;

/// The one game of a player.
const GAME: GameId = GameId(0);
/// How often to look at the clock and the match's stop flag while waiting for a move.
const LOOK: Duration = Duration::from_millis(20);
use crate::random::SEED;

/// A method with its option values. It is built anew for each game with the game's seed, so that a
/// game depends on nothing played before it.
pub struct BuiltIn {
    options: Options,
    /// The options with the seed of the game.
    playing: Options,
    running: Option<Running>,
    searches: u64,
    time: Arc<dyn TimeSource>,
}

struct Running {
    engine: Engine,
    events: Receiver<EngineEvent>,
}

impl BuiltIn {
    /// A player with these options.
    ///
    /// # Errors
    /// If the options cannot be used, such as a weights file that cannot be read.
    pub fn new(options: &Options) -> Result<BuiltIn, OptionError> {
        engine::Player::new(options.clone()).prepare()?;
        let time = Arc::new(RealTime);
        let (options, playing) = (options.clone(), options.clone());
        Ok(BuiltIn { options, playing, running: None, searches: 0, time })
    }

    /// The same player, its moves measured by another clock.
    #[cfg(test)]
    pub(super) fn timed_by(self, time: Arc<dyn TimeSource>) -> BuiltIn {
        BuiltIn { time, ..self }
    }

    fn next_search(&mut self) -> SearchId {
        self.searches += 1;
        SearchId(self.searches)
    }

    /// The engine's answer to a search, or what went wrong.
    fn wait(&self, search: SearchId, until: Instant, stop: &StopFlag) -> Result<Answer, Fault> {
        let hang = || Fault::new(FaultKind::Hang, "no answer in time");
        let crash = |why: &str| Fault::new(FaultKind::Crash, why);
        let running = self.running.as_ref().ok_or_else(|| crash("not running"))?;
        loop {
            match running.events.recv_timeout(LOOK) {
                Ok(event) if event.search != search => {}
                Ok(event) => {
                    return match event.update {
                        SearchUpdate::Failed(why) => Err(crash(&why)),
                        update => Ok(Answer { update, at: self.time.now() }),
                    };
                }
                Err(RecvTimeoutError::Disconnected) => return Err(crash("the engine ended")),
                Err(RecvTimeoutError::Timeout) if stop.is_stopped() => return Err(hang()),
                Err(RecvTimeoutError::Timeout) if self.time.has_passed(until) => return Err(hang()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }
}

/// What an engine said, and when.
struct Answer {
    update: SearchUpdate,
    at: Instant,
}

impl Contestant for BuiltIn {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Fault> {
        let crash = |why: &dyn std::fmt::Display| Fault::new(FaultKind::Crash, why.to_string());
        let mut options = self.options.clone();
        // The option is a signed number; one bit less of seed is as random.
        options.put(&SEED, (game.seed >> 1) as i64).map_err(|error| crash(&error))?;
        let search = self.next_search();
        let running = self.running.get_or_insert_with(|| {
            let (sender, events) = channel();
            let sink = move |event: EngineEvent| {
                if !matches!(event.update, SearchUpdate::Progress(_)) {
                    // Nobody listening means that the player is gone too.
                    let _ = sender.send(event);
                }
            };
            Running { engine: Engine::new(Budget::unlimited(), Arc::new(sink)), events }
        });
        let now = Instant::now();
        let configured = running.engine.configure_afresh(GAME, search, options.clone(), now);
        self.playing = options;
        configured.map_err(|error| crash(&error))?;
        self.wait(search, self.time.now() + game.rules.patience, game.stop).map(|_| ())
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Reply, Fault> {
        let position = turn.game.board().position;
        let task = turn.game.task(&self.playing, turn.color, position);
        let search = self.next_search();
        let began = self.time.now();
        if let Some(running) = &mut self.running {
            running.engine.think(GAME, search, task, Instant::now());
        }
        let answer = self.wait(search, began + wait_for_move(turn), turn.stop)?;
        let SearchUpdate::Done(outcome) = answer.update else {
            return Err(Fault::new(FaultKind::Garbage, "no outcome of a search"));
        };
        let elapsed = answer.at.saturating_duration_since(began);
        match outcome.best_move() {
            Some(played) => {
                Ok(Reply { choice: Choice::Play(played), score: Some(outcome.score()), elapsed })
            }
            None => Err(Fault::new(FaultKind::Garbage, "the search returned no move")),
        }
    }

    fn discard(&mut self) {
        self.running = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::plan::tests::small_plan;
    use crate::arena::{Kind, referee};
    use crate::engine::GameState;
    use crate::engine::time::testing::TestTime;
    use crate::othello::Color;

    #[test]
    fn a_built_in_player_that_never_answers_is_given_up_like_any_other() {
        let rules: referee::Rules = small_plan(&["depth=1", "depth=1"], Kind::HeadToHead, 1).rules;
        let mut options = Options::new();
        options.set("hash", "1").unwrap();
        let time = Arc::new(TestTime::waiting(rules.patience / 2));
        let mut player = BuiltIn::new(&options).unwrap().timed_by(time);
        // An engine without a game: whatever it is asked, nothing comes.
        let (sender, events) = channel();
        let sink = move |event| drop(sender.send(event));
        let engine = Engine::new(Budget::unlimited(), Arc::new(sink));
        player.running = Some(Running { engine, events });
        let game = GameState::default();
        let stop = StopFlag::new();
        let turn = Turn { game: &game, rules: &rules, color: Color::Black, stop: &stop };
        assert_eq!(player.choose(&turn).unwrap_err().kind, FaultKind::Hang);
    }
}
