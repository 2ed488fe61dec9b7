//! An NBoard conversation. Whatever changes the game, and every ping, ends the running search at
//! once; nothing of an old search is said after the pong.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::grammar::{self, Command};
use super::writer;
use crate::engine::{
    Engine, EngineEvent, GameState, SearchId, SearchUpdate, Task, unforced_limits,
};
use crate::options::Options;
use crate::othello::Move;
use crate::protocol::{InputLine, Phase, Session};
use crate::record::{Note, ggf};
use crate::score::Score;
use crate::search::{Limits, Outcome};

/// Depth of hints for a client that never said `set depth`.
const HINT_DEPTH: u32 = 24;
/// From this version on `go` is bound by the clocks of the game.
const CLOCK_VERSION: i64 = 2;

/// The search that runs for the client.
struct Job {
    search: SearchId,
    kind: JobKind,
    began: Instant,
}

#[derive(Clone, Copy)]
enum JobKind {
    Hint,
    Go,
    /// The position after so many moves is being valued; the ones before it follow.
    Analyze {
        made: usize,
    },
}

/// One client speaking NBoard.
pub struct NBoardSession {
    engine: Engine,
    game: GameState,
    version: i64,
    depth: Option<u32>,
    contempt: f64,
    job: Option<Job>,
    learn_file: Option<PathBuf>,
    phase: Phase,
    hurried: bool,
}

impl NBoardSession {
    /// A session at the start of a game. Games to learn are added to `learn_file`, if given.
    pub fn new(engine: Engine, learn_file: Option<PathBuf>) -> NBoardSession {
        NBoardSession {
            engine,
            game: GameState::default(),
            version: CLOCK_VERSION,
            depth: None,
            contempt: 0.0,
            job: None,
            learn_file,
            phase: Phase::Open,
            hurried: false,
        }
    }

    /// What draws in a book shall count for Black, in discs, as the GUI last said. Kept for the
    /// book; the search knows no draws before the end.
    pub fn contempt(&self) -> f64 {
        self.contempt
    }

    fn execute(&mut self, command: Command, out: &mut String) {
        match command {
            Command::Protocol(version) => {
                self.version = version;
                writer::my_name(out, self.depth);
                writer::status(out, "");
            }
            Command::SetDepth(depth) => {
                self.abandon();
                self.depth = Some(depth.clamp(1, 60));
                writer::my_name(out, self.depth);
            }
            Command::SetGame(text) => match ggf::parse_line(&text) {
                Ok(games) => {
                    self.abandon();
                    self.game = GameState::of(games.into_iter().next().unwrap_or_default());
                }
                Err(problem) => writer::status(out, &format!("set game: {problem}")),
            },
            Command::SetContempt(discs) => self.contempt = discs,
            Command::SetOption { name, value } => match self.engine.set_option(&name, &value) {
                Ok(()) => writer::status(
                    out,
                    &format!("option {name} = {}", self.engine.options().get(&name)),
                ),
                Err(refused) => writer::status(out, &refused.to_string()),
            },
            Command::Move { played, eval, seconds } => {
                match self.game.push(played, Note { eval, seconds }) {
                    // The move that the engine announced is what it already thinks beyond.
                    Ok(()) if self.game.is_pondering() => {}
                    Ok(()) => self.abandon(),
                    Err(illegal) => writer::status(out, &illegal.to_string()),
                }
            }
            Command::Hint(count) => self.hint(count as usize, out),
            Command::Go => self.go(out),
            Command::Ping(number) => {
                self.abandon();
                writer::pong(out, number);
            }
            Command::Learn => self.learn(out),
            Command::Analyze => {
                self.abandon();
                writer::status(out, "Analyzing");
                self.analyze(self.game.history().moves().len(), out);
            }
            Command::Stop => self.engine.stop(),
            Command::Clear => {
                self.abandon();
                self.engine.clear();
            }
            Command::New => {
                self.abandon();
                self.game = GameState::default();
            }
            Command::Quit => self.close(),
        }
    }

    fn abandon(&mut self) {
        self.engine.abandon();
        self.game.stop_pondering();
        self.job = None;
    }

    fn think(&mut self, task: Task, kind: JobKind) {
        let search = self.engine.think(task);
        if self.hurried {
            self.engine.stop();
        }
        self.job = Some(Job { search, kind, began: Instant::now() });
    }

    /// The options with the depth that the GUI asked for. Its depth is the strength it wants, so
    /// it takes the place of `move-time`, except for methods that do not search by depth.
    fn options(&self) -> Options {
        let mut options = self.engine.options().clone();
        let Some(depth) = self.depth else { return options };
        let own = options.integer("depth");
        let least = if own > 0 { own.min(i64::from(depth)) } else { i64::from(depth) };
        options
            .set("depth", &least.to_string())
            .expect("a depth within 1 to 60 is in the option's range");
        let by_playouts = Options::spec("playouts")
            .is_ok_and(|spec| spec.methods.contains(&options.text("method").as_str()));
        if !by_playouts {
            options.reset("move-time").expect("move-time is an option");
        }
        options
    }

    fn hint(&mut self, count: usize, out: &mut String) {
        self.abandon();
        let position = self.game.history().board().position;
        if position.is_over() {
            return writer::status(out, "game over");
        }
        let mut limits = Limits { time: None, ..Limits::from_options(&self.options()) };
        if limits == Limits::default() {
            limits = Limits::depth(HINT_DEPTH);
        }
        self.think(Task::hint(position, limits, count), JobKind::Hint);
    }

    fn go(&mut self, out: &mut String) {
        self.abandon();
        let board = self.game.history().board();
        if !board.position.has_move() {
            return writer::chosen(out, Move::Pass, None, Duration::ZERO);
        }
        writer::status(out, "Thinking");
        let clock = self.game.clock(board.turn).filter(|_| self.version >= CLOCK_VERSION);
        let task = Task::play(&self.options(), board.position, clock.as_ref());
        self.think(task, JobKind::Go);
    }

    fn learn(&mut self, out: &mut String) {
        self.abandon();
        match &self.learn_file {
            None => writer::status(out, "no file to learn into (--learn FILE)"),
            Some(file) => {
                let line = ggf::write_line(&[self.game.record()]);
                let added = std::fs::OpenOptions::new()
                    .create(true)
                    .append(true)
                    .open(file)
                    .and_then(|mut file| writeln!(file, "{}", line.trim_end()));
                if let Err(problem) = added {
                    writer::status(out, &format!("learn: {problem}"));
                }
            }
        }
        out.push_str("learned\n");
    }

    /// Values the position after `made` moves and then, one by one, those before it. Positions
    /// that are over need no search.
    fn analyze(&mut self, made: usize, out: &mut String) {
        let position = self.game.history().boards()[made].position;
        if !position.is_over() {
            let limits = unforced_limits(&self.options(), position, None);
            return self.think(Task::hint(position, limits, 1), JobKind::Analyze { made });
        }
        writer::analysis(out, made, Score::whole(position.final_score()));
        match made.checked_sub(1) {
            Some(earlier) => self.analyze(earlier, out),
            None => writer::status(out, ""),
        }
    }

    fn finish(&mut self, job: &Job, outcome: &Outcome, out: &mut String) {
        writer::node_stats(out, outcome.nodes, outcome.elapsed);
        match job.kind {
            JobKind::Hint => writer::hints(out, &outcome.lines, outcome.depth),
            JobKind::Go => {
                let played = outcome.best_move().unwrap_or(Move::Pass);
                writer::chosen(out, played, Some(outcome.score()), job.began.elapsed());
                writer::status(out, "");
                if self.phase == Phase::Open
                    && let Some(task) = self.game.ponder(self.engine.options(), Some(played))
                {
                    self.engine.think(task);
                }
            }
            JobKind::Analyze { made } => {
                writer::analysis(out, made, outcome.score());
                match made.checked_sub(1) {
                    Some(earlier) if !self.hurried => self.analyze(earlier, out),
                    _ => writer::status(out, ""),
                }
            }
        }
    }

    /// The client is leaving: only a move it may still wait for is worth finishing.
    fn close(&mut self) {
        if matches!(self.job, Some(Job { kind: JobKind::Go, .. })) {
            self.phase = Phase::Closing;
        } else {
            self.abandon();
            self.phase = Phase::Finished;
        }
    }

    fn finish_closing(&mut self) {
        if self.phase == Phase::Closing && self.job.is_none() {
            self.phase = Phase::Finished;
        }
    }
}

impl Session for NBoardSession {
    fn line(&mut self, line: InputLine<'_>, out: &mut String) {
        if self.phase != Phase::Open {
            return;
        }
        match line {
            InputLine::TooLong => writer::status(out, "line too long"),
            InputLine::Text(text) => match grammar::parse(text) {
                Some(Ok(command)) => self.execute(command, out),
                Some(Err(problem)) => writer::status(out, &problem.to_string()),
                None => {}
            },
        }
    }

    fn event(&mut self, event: EngineEvent, out: &mut String) {
        let Some(job) = self.job.take_if(|job| job.search == event.search) else { return };
        match event.update {
            SearchUpdate::Progress(progress) => {
                writer::node_stats(out, progress.nodes, progress.elapsed);
                if !matches!(job.kind, JobKind::Analyze { .. }) {
                    writer::hints(out, &progress.lines, progress.depth);
                }
                self.job = Some(job);
            }
            SearchUpdate::Done(outcome) => self.finish(&job, &outcome, out),
            SearchUpdate::Failed(reason) => writer::status(out, &reason),
        }
        self.finish_closing();
    }

    fn end_of_input(&mut self, _out: &mut String) {
        if self.phase == Phase::Open {
            self.close();
        }
    }

    fn hurry(&mut self) {
        self.hurried = true;
        self.engine.stop();
    }

    fn phase(&self) -> Phase {
        self.phase
    }
}
