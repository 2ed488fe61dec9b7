//! Players that speak NBoard, from the viewer's side.
//!
//! For every move the whole game is sent with `set game`, clocks and times included, then a
//! `ping`; `go` follows its `pong`, so nothing of an older search can be taken for the answer.
//! Both styles of `===` are read, lines with other first words are ignored.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::clock::TimeControl;
use super::engine_log::EngineLog;
use super::gtp::wait_for_move;
use super::player::{Choice, Contestant, Fault, FaultKind, GameStart, Reply, Turn};
use super::process::{EngineProcess, TimedLine, head};
use crate::engine::time::{RealTime, TimeSource};
use crate::othello::Move;
use crate::record::{ClockSettings, GameRecord, Note, Period, ggf};
use crate::score::Score;
use crate::search::StopFlag;

/// An engine behind NBoard.
pub struct NBoardPlayer {
    command: Vec<String>,
    depth: Option<u32>,
    time: Arc<dyn TimeSource>,
    log: Option<EngineLog>,
    running: Option<Running>,
}

struct Running {
    process: EngineProcess,
    time: Arc<dyn TimeSource>,
    pings: u64,
}

impl NBoardPlayer {
    /// A player that will run this program, tell it this depth if there is one, and keep what is
    /// said in `log`.
    pub fn new(command: &[String], depth: Option<u32>, log: Option<EngineLog>) -> NBoardPlayer {
        let time = Arc::new(RealTime);
        NBoardPlayer { command: command.to_owned(), depth, time, log, running: None }
    }

    /// The same player, its moves measured by another clock.
    #[cfg(test)]
    pub(super) fn timed_by(mut self, time: Arc<dyn TimeSource>) -> NBoardPlayer {
        self.time = time;
        self
    }
}

impl Running {
    fn start(player: &NBoardPlayer) -> Result<Running, Fault> {
        let NBoardPlayer { command, log, time, .. } = player;
        let mut process = EngineProcess::spawn(command, log.as_ref(), time)?;
        process.send("nboard 2")?;
        if let Some(depth) = player.depth {
            process.send(&format!("set depth {depth}"))?;
        }
        Ok(Running { process, time: time.clone(), pings: 0 })
    }

    /// Asks whether the engine listens, and waits for the answer.
    fn ping(&mut self, patience: Duration, stop: &StopFlag) -> Result<(), Fault> {
        self.pings += 1;
        let pong = format!("pong {}", self.pings);
        self.process.send(&format!("ping {}", self.pings))?;
        self.line_that(self.time.now() + patience, stop, &pong, |line| line.trim() == pong)
            .map(|_| ())
    }

    fn line_that(
        &mut self,
        until: Instant,
        stop: &StopFlag,
        awaited: &str,
        wanted: impl Fn(&str) -> bool,
    ) -> Result<TimedLine, Fault> {
        loop {
            match self.process.receive(until, stop) {
                Ok(line) if wanted(&line.text) => return Ok(line),
                // Talk without end must not outlast the deadline.
                Ok(_) if !self.time.has_passed(until) => {}
                Ok(_) => {
                    let detail = format!("talked on without `{awaited}`");
                    return Err(Fault::new(FaultKind::Hang, detail));
                }
                Err(mut fault) => {
                    fault.detail = format!("{} (awaited `{awaited}`)", fault.detail);
                    return Err(fault);
                }
            }
        }
    }
}

/// The game as the engine is told it. NBoard knows only clocks for the whole game; time per move is
/// told as a clock that holds one move's time, gains as much with each move and has lost it with
/// each move made, so that it always stands at one move's time.
fn game_text(turn: &Turn<'_>) -> String {
    let mut record = GameRecord::of(turn.game.history().clone());
    let clock = match turn.rules.control {
        TimeControl::None => None,
        TimeControl::PerMove(time) => Some((time, time)),
        TimeControl::PerGame { main, increment } => Some((main, increment)),
    };
    for player in [&mut record.black, &mut record.white] {
        player.name = "player".to_owned();
        player.clock = clock.map(|(main, increment)| ClockSettings {
            increment: Some(Period { time: increment, ..Period::default() }),
            ..ClockSettings::of(main)
        });
    }
    record.place = "Kitai".to_owned();
    record.notes = turn.game.record().notes.clone();
    for note in &mut record.notes {
        let charged = note.seconds.and_then(|used| match turn.rules.control {
            TimeControl::None => None,
            TimeControl::PerMove(time) => Some(time.as_secs_f64()),
            TimeControl::PerGame { .. } => Some(used),
        });
        // Milliseconds: some readers take no more digits.
        let seconds = charged.map(|time| (time * 1000.0).round() / 1000.0);
        *note = Note { eval: None, seconds };
    }
    ggf::write(&record)
}

/// Reads `=== MOVE/EVAL/TIME` or the same with blanks; `None` if there is no move in it.
fn parse_answer(line: &str) -> Option<(Move, Option<Score>)> {
    let mut parts = line.strip_prefix("===")?.trim().split(['/', ' ', '\t']);
    let word = parts.next()?;
    // Any prefix of `pass` is a pass to NBoard.
    let is_pass = !word.is_empty() && "PASS".starts_with(&word.to_ascii_uppercase());
    let played = if is_pass { Move::Pass } else { word.parse().ok()? };
    let score = parts.next().and_then(|text| text.trim().parse().ok()).map(Score::from_discs);
    Some((played, score))
}

impl Contestant for NBoardPlayer {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Fault> {
        match &mut self.running {
            Some(running) => running.process.send("clear")?,
            None => self.running = Some(Running::start(self)?),
        }
        let running = self.running.as_mut().expect("just started");
        running.ping(game.rules.patience, game.stop)
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Reply, Fault> {
        let Some(running) = self.running.as_mut() else {
            return Err(Fault::new(FaultKind::Crash, "not running"));
        };
        running.process.send(&format!("set game {}", game_text(turn)))?;
        running.ping(turn.rules.patience, turn.stop)?;
        let began = self.time.now();
        running.process.send("go")?;
        let until = began + wait_for_move(turn);
        let line = running.line_that(until, turn.stop, "===", |line| line.starts_with("==="))?;
        let (played, score) = parse_answer(&line.text).ok_or_else(|| {
            Fault::new(FaultKind::Garbage, format!("named no move: `{}`", head(&line.text)))
        })?;
        let elapsed = line.at.saturating_duration_since(began);
        Ok(Reply { choice: Choice::Play(played), score, elapsed })
    }

    fn discard(&mut self) {
        self.running = None;
    }
}

impl Drop for NBoardPlayer {
    fn drop(&mut self) {
        if let Some(running) = self.running.take() {
            running.process.farewell("quit");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_styles_of_answer_are_read() {
        let discs = |text| Some(Score::from_discs(text));
        let d6 = "d6".parse().unwrap();
        assert_eq!(parse_answer("=== D6/0.50/0.11"), Some((d6, discs(0.5))));
        assert_eq!(parse_answer("=== d6 -1.00 0.0"), Some((d6, discs(-1.0))));
        assert_eq!(parse_answer("=== D6//1.5"), Some((d6, None)));
        assert_eq!(parse_answer("=== D6"), Some((d6, None)));
        assert_eq!(parse_answer("=== PA"), Some((Move::Pass, None)));
        for bad in ["===", "=== ", "=== Z9/1", "=== D66", "== D6", "=== D6x"] {
            assert_eq!(parse_answer(bad), None, "{bad}");
        }
    }
}
