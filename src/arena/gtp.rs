//! Players that speak GTP, from the controller's side.
//!
//! Both schools of passing are served: an opponent's or own forced pass is sent once as
//! `play COLOUR pass`; an engine that refuses it passes by itself, which is remembered. `genmove`
//! is only asked of a side that has a move. GTP tells time in whole seconds: they are rounded
//! down, and less than a second is not told at all; the referee's clock counts either way. Kitai
//! itself takes decimals and increments, and is told them.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::clock::TimeControl;
use super::engine_log::EngineLog;
use super::player::{Choice, Contestant, Fault, FaultKind, GameStart, Reply, Turn};
use super::process::{EngineProcess, head};
use super::referee::Rules;
use crate::engine::time::{RealTime, TimeSource};
use crate::othello::Move;
use crate::record::{Board, History};
use crate::search::StopFlag;

/// Engine commands that set up any board, best known first; all take the 64 squares and the side.
const SETUP_COMMANDS: [&str; 2] = ["kitai-setup_board", "grhino-setup_board"];

/// An engine behind GTP.
pub struct GtpPlayer {
    command: Vec<String>,
    time: Arc<dyn TimeSource>,
    log: Option<EngineLog>,
    running: Option<Running>,
}

struct Running {
    process: EngineProcess,
    commands: HashSet<String>,
    /// Whether the engine passes by itself and refuses `play COLOUR pass`.
    passes_silently: bool,
    /// How many moves of the game it knows.
    told: usize,
}

/// An answer: whether it was `=`, its text, and when its first line came.
struct Answer {
    success: bool,
    text: String,
    at: Instant,
}

impl GtpPlayer {
    /// A player that will run this program and keep what is said in `log`.
    pub fn new(command: &[String], log: Option<EngineLog>) -> GtpPlayer {
        GtpPlayer { command: command.to_owned(), time: Arc::new(RealTime), log, running: None }
    }

    /// The same player, its moves measured by another clock.
    #[cfg(test)]
    pub(super) fn timed_by(mut self, time: Arc<dyn TimeSource>) -> GtpPlayer {
        self.time = time;
        self
    }
}

impl Running {
    fn start(
        command: &[String],
        log: Option<&EngineLog>,
        time: &Arc<dyn TimeSource>,
        patience: Duration,
        stop: &StopFlag,
    ) -> Result<Running, Fault> {
        let until = time.now() + patience;
        let mut running = Running {
            process: EngineProcess::spawn(command, log, time)?,
            commands: HashSet::new(),
            passes_silently: false,
            told: 0,
        };
        running.process.send("list_commands")?;
        // Some engines greet with a banner; only the first answer may have noise before it.
        let list = running.answer("list_commands", until, stop, Noise::Skip)?;
        if list.success {
            running.commands = list.text.split_whitespace().map(str::to_owned).collect();
        }
        if running.knows("set_game") {
            running.ask("set_game Othello", until, stop)?;
        }
        running.order("boardsize 8", until, stop)?;
        Ok(running)
    }

    fn knows(&self, command: &str) -> bool {
        self.commands.contains(command)
    }

    /// Sends a command that must succeed.
    fn order(&mut self, command: &str, until: Instant, stop: &StopFlag) -> Result<(), Fault> {
        let answer = self.ask(command, until, stop)?;
        if answer.success {
            return Ok(());
        }
        let detail = format!("refused `{command}`: {}", head(&answer.text));
        Err(Fault::new(FaultKind::Garbage, detail))
    }

    fn ask(&mut self, command: &str, until: Instant, stop: &StopFlag) -> Result<Answer, Fault> {
        self.process.send(command)?;
        self.answer(command, until, stop, Noise::Refuse)
    }

    fn answer(
        &mut self,
        command: &str,
        until: Instant,
        stop: &StopFlag,
        noise: Noise,
    ) -> Result<Answer, Fault> {
        let mut answer: Option<Answer> = None;
        loop {
            let line = self.process.receive(until, stop).map_err(|mut fault| {
                fault.detail = format!("{} to `{command}`", fault.detail);
                fault
            })?;
            match &mut answer {
                // A blank line ends the answer.
                Some(_) if line.text.trim().is_empty() => break,
                Some(begun) => {
                    if begun.text.len() < LONGEST_ANSWER {
                        begun.text.push('\n');
                        begun.text.push_str(&line.text);
                    }
                }
                None if line.text.trim().is_empty() => {}
                None => match line.text.chars().next() {
                    Some(sign @ ('=' | '?')) => {
                        answer = Some(Answer {
                            success: sign == '=',
                            text: line.text[1..].trim().to_owned(),
                            at: line.at,
                        });
                    }
                    _ if noise == Noise::Skip => {}
                    _ => {
                        let detail = format!("answered `{}` to `{command}`", head(&line.text));
                        return Err(Fault::new(FaultKind::Garbage, detail));
                    }
                },
            }
        }
        answer.ok_or_else(|| Fault::new(FaultKind::Garbage, "an answer without a first line"))
    }

    /// Puts the engine's board where the game stands.
    fn catch_up(&mut self, game: &History, until: Instant, stop: &StopFlag) -> Result<(), Fault> {
        while self.told < game.moves().len() {
            let color = game.boards()[self.told].turn;
            match game.moves()[self.told] {
                Move::Place(square) => {
                    self.order(&format!("play {color} {square}"), until, stop)?;
                }
                Move::Pass if self.passes_silently => {}
                Move::Pass => {
                    let answer = self.ask(&format!("play {color} pass"), until, stop)?;
                    self.passes_silently = !answer.success;
                }
            }
            self.told += 1;
        }
        Ok(())
    }

    fn set_up(&mut self, board: Board, until: Instant, stop: &StopFlag) -> Result<(), Fault> {
        self.order("clear_board", until, stop)?;
        if board == Board::START {
            return Ok(());
        }
        let Some(command) = SETUP_COMMANDS.iter().find(|command| self.knows(command)) else {
            let detail = format!(
                "knows none of {}, so it can only start from the usual board",
                SETUP_COMMANDS.join(", ")
            );
            return Err(Fault::new(FaultKind::Garbage, detail));
        };
        self.order(&format!("{command} {board}"), until, stop)
    }

    /// Whether fractions of a second are understood.
    fn takes_decimals(&self) -> bool {
        self.knows("kitai-set")
    }

    fn set_time(
        &mut self,
        control: TimeControl,
        until: Instant,
        stop: &StopFlag,
    ) -> Result<(), Fault> {
        if !self.knows("time_settings") {
            return Ok(());
        }
        if self.takes_decimals() {
            for command in exact_time_settings(control) {
                self.order(&command, until, stop)?;
            }
        } else if let Some(settings) = time_settings(control) {
            self.order(&settings, until, stop)?;
        }
        Ok(())
    }

    fn tell_time(&mut self, turn: &Turn<'_>, until: Instant) -> Result<(), Fault> {
        let Some(left) = turn.game.clock(turn.color).map(|clock| clock.left) else {
            return Ok(());
        };
        if !self.knows("time_left") {
            return Ok(());
        }
        if self.takes_decimals() {
            let stones = u32::from(matches!(turn.rules.control, TimeControl::PerMove(_)));
            let command = format!("time_left {} {:.3} {stones}", turn.color, left.as_secs_f64());
            return self.order(&command, until, turn.stop);
        }
        let stones = match turn.rules.control {
            TimeControl::PerMove(time) if time.as_secs() == 0 => return Ok(()),
            TimeControl::PerMove(_) => 1,
            _ => 0,
        };
        let command = format!("time_left {} {} {stones}", turn.color, left.as_secs());
        self.order(&command, until, turn.stop)
    }
}

/// Longest answer kept, bytes.
const LONGEST_ANSWER: usize = 1 << 16;

/// What to do with lines that are no answer.
#[derive(Clone, Copy, PartialEq)]
enum Noise {
    Skip,
    Refuse,
}

/// The `time_settings` of a control, if GTP can say it.
fn time_settings(control: TimeControl) -> Option<String> {
    match control {
        TimeControl::None => None,
        TimeControl::PerMove(time) => {
            (time.as_secs() > 0).then(|| format!("time_settings 0 {} 1", time.as_secs()))
        }
        TimeControl::PerGame { main, .. } => {
            (main.as_secs() > 0).then(|| format!("time_settings {} 0 0", main.as_secs()))
        }
    }
}

/// The commands that tell a control to Kitai, fractions and increments included.
fn exact_time_settings(control: TimeControl) -> Vec<String> {
    match control {
        TimeControl::None => Vec::new(),
        TimeControl::PerMove(time) => vec![format!("time_settings 0 {:.3} 1", time.as_secs_f64())],
        TimeControl::PerGame { main, increment } => vec![
            "kitai-set fischer-time true".to_owned(),
            format!("time_settings {:.3} {:.3} 0", main.as_secs_f64(), increment.as_secs_f64()),
        ],
    }
}

/// How long to wait for a move: the clock, the margin, and patience beyond them.
pub(super) fn wait_for_move(turn: &Turn<'_>) -> Duration {
    let Rules { margin, patience, .. } = turn.rules;
    turn.game.clock(turn.color).map_or(*patience, |clock| clock.left + *margin + *patience)
}

impl Contestant for GtpPlayer {
    fn start(&mut self, game: &GameStart<'_>) -> Result<(), Fault> {
        let patience = game.rules.patience;
        if self.running.is_none() {
            let log = self.log.as_ref();
            let running = Running::start(&self.command, log, &self.time, patience, game.stop)?;
            self.running = Some(running);
        }
        let running = self.running.as_mut().expect("just started");
        let until = self.time.now() + patience;
        running.set_up(game.opening.start(), until, game.stop)?;
        running.told = 0;
        running.set_time(game.rules.control, until, game.stop)?;
        running.catch_up(game.opening, until, game.stop)
    }

    fn choose(&mut self, turn: &Turn<'_>) -> Result<Reply, Fault> {
        let Some(running) = self.running.as_mut() else {
            return Err(Fault::new(FaultKind::Crash, "not running"));
        };
        let until = self.time.now() + turn.rules.patience;
        running.catch_up(turn.game.history(), until, turn.stop)?;
        running.tell_time(turn, until)?;
        let command = format!("genmove {}", turn.color);
        let began = self.time.now();
        let answer = running.ask(&command, began + wait_for_move(turn), turn.stop)?;
        let elapsed = answer.at.saturating_duration_since(began);
        let garbage =
            |what: &str| Fault::new(FaultKind::Garbage, format!("{what} `{}`", head(&answer.text)));
        if !answer.success {
            return Err(garbage("refused to move:"));
        }
        let choice = match answer.text.to_ascii_lowercase().as_str() {
            "resign" => Choice::Resign,
            text => Choice::Play(text.parse().map_err(|_| garbage("named no move:"))?),
        };
        // The engine has played the move on its own board.
        running.told += 1;
        Ok(Reply { choice, score: None, elapsed })
    }

    fn discard(&mut self) {
        self.running = None;
    }
}

impl Drop for GtpPlayer {
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
    fn kitai_is_told_fractions_and_increments_and_others_whole_seconds() {
        let exact = |text: &str| exact_time_settings(text.parse().unwrap());
        assert_eq!(exact("0.05/move"), ["time_settings 0 0.050 1"]);
        assert_eq!(exact("1+0.01"), ["kitai-set fischer-time true", "time_settings 1.000 0.010 0"]);
        assert!(exact("none").is_empty());
        let whole = |text: &str| time_settings(text.parse().unwrap());
        assert_eq!(whole("0.05/move"), None);
        assert_eq!(whole("1.5+0.01").as_deref(), Some("time_settings 1 0 0"));
    }
}
