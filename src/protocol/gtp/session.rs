//! A GTP conversation: commands in order, one reply each, a search at a time.
//!
//! Lines are taken while a search runs and wait in a queue, so that `quit`, the end of input and
//! GoGui's `# interrupt` are noticed at once although replies keep their order.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use tracing::debug;

use super::grammar::{self, COMMANDS, Command, ParseError};
use super::writer;
use crate::engine::{
    Clock, Engine, EngineEvent, GameState, SearchId, SearchUpdate, Task, TurnState,
};
use crate::othello::{Color, Move, Position};
use crate::protocol::{InputLine, Phase, Session};
use crate::record::{GameRecord, Note, sgf};
use crate::search::{Event, Limits, Outcome};
use crate::{config, options};

/// Most bytes of commands that may wait while a search runs; beyond it the server stops reading.
const QUEUE_ROOM: usize = 1 << 20;
/// What a waiting command costs besides its text.
const QUEUED_COMMAND: usize = 64;
/// A whole-second clock may show up to this much more than there is.
const WHOLE_SECOND: Duration = Duration::from_secs(1);
/// What `name` answers.
const NAME: &str = "Kitai";

/// A command that waits.
struct Waiting {
    id: Option<u32>,
    command: Result<Command, Refusal>,
    size: usize,
}

/// Why a line is refused before it is looked at as a command.
enum Refusal {
    Parse(ParseError),
    TooLong,
}

/// The search whose end the client waits for.
struct Job {
    search: SearchId,
    id: Option<u32>,
    kind: JobKind,
    began: Instant,
}

enum JobKind {
    /// `genmove`: the move is played.
    Generate(Color),
    /// `reg_genmove`: it is only told.
    Suggest,
    /// `kitai-analyze`: reports stream.
    Analyze { interval: Duration, last: Option<Instant> },
}

/// One client speaking GTP.
pub struct GtpSession {
    engine: Engine,
    game: GameState,
    /// The clock both sides start with, if there is a time limit.
    full_clock: Option<Clock>,
    queue: VecDeque<Waiting>,
    queued: usize,
    job: Option<Job>,
    phase: Phase,
    hurried: bool,
    files: bool,
}

/// The reply to a command: a text or an error message; `None` when a search will reply.
type Answer = Option<Result<String, String>>;

fn done() -> Answer {
    Some(Ok(String::new()))
}

fn text(text: impl Into<String>) -> Answer {
    Some(Ok(text.into()))
}

fn error(message: impl ToString) -> Answer {
    Some(Err(message.to_string()))
}

impl GtpSession {
    /// A session at the start of a game. `files`: whether the client may name files to read.
    pub fn new(engine: Engine, files: bool) -> GtpSession {
        GtpSession {
            engine,
            game: GameState::default(),
            full_clock: None,
            queue: VecDeque::new(),
            queued: 0,
            job: None,
            phase: Phase::Open,
            hurried: false,
            files,
        }
    }

    fn enqueue(&mut self, waiting: Waiting, out: &mut String) {
        if self.phase != Phase::Open {
            return;
        }
        if matches!(waiting.command, Ok(Command::Quit)) {
            self.phase = Phase::Closing;
        }
        self.end_analysis(out);
        self.queued += waiting.size;
        self.queue.push_back(waiting);
        self.work(out);
    }

    /// Answers waiting commands until one needs a search.
    fn work(&mut self, out: &mut String) {
        while self.job.is_none() {
            let Some(Waiting { id, command, size }) = self.queue.pop_front() else {
                if self.phase == Phase::Closing {
                    self.phase = Phase::Finished;
                }
                return;
            };
            self.queued -= size;
            let answer = match command {
                Ok(command) => self.execute(command, id, out),
                Err(Refusal::Parse(refusal)) => error(refusal),
                Err(Refusal::TooLong) => error("line too long"),
            };
            match answer {
                Some(Ok(text)) => writer::success(out, id, &text),
                Some(Err(message)) => writer::failure(out, id, &message),
                None => {}
            }
        }
    }

    fn execute(&mut self, command: Command, id: Option<u32>, out: &mut String) -> Answer {
        let board = self.game.board();
        match command {
            Command::ProtocolVersion => text("2"),
            Command::Name => text(NAME),
            Command::Version => text(env!("CARGO_PKG_VERSION")),
            Command::KnownCommand(name) => {
                text(COMMANDS.iter().any(|(known, _)| *known == name).to_string())
            }
            Command::ListCommands => {
                text(COMMANDS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join("\n"))
            }
            Command::Quit | Command::Komi | Command::Interrupt => done(),
            Command::BoardSize(8) => done(),
            Command::BoardSize(_) => error("unacceptable size"),
            Command::ClearBoard => {
                self.start(GameState::default());
                done()
            }
            Command::SetupBoard(board) => {
                self.start(GameState::new(board));
                done()
            }
            Command::Play(color, played) => match self.game.play(color, played, Note::default()) {
                Ok(()) => done(),
                Err(illegal) => error(illegal),
            },
            Command::PlaySequence(moves) => self.play_sequence(&moves),
            Command::GenMove(color) => self.generate(color, id),
            Command::RegGenMove(color) => match self.game.turn_of(color) {
                TurnState::Ready(position) => {
                    let mut task = self.task(color, position);
                    task.soften = false;
                    self.think(task, id, JobKind::Suggest)
                }
                TurnState::MustPass | TurnState::Over => text("pass"),
                TurnState::OthersMove => error("illegal move"),
            },
            Command::Undo => {
                if self.game.undo() {
                    self.engine.abandon();
                    done()
                } else {
                    error("cannot undo")
                }
            }
            Command::TimeSettings { main, period, stones } => {
                let fischer = self.engine.options().switch("fischer-time");
                self.full_clock = match (main.is_zero(), period.is_zero(), stones) {
                    (_, false, 0) if !fischer => None,
                    (false, false, 0) => Some(Clock::fischer(main, period)),
                    (true, false, 0) => Some(Clock::with_overtime(main, period, 1)),
                    (true, true, _) => None,
                    (false, true, _) => Some(Clock::absolute(main)),
                    (_, false, _) => Some(Clock::with_overtime(main, period, stones)),
                };
                let game = std::mem::take(&mut self.game);
                self.game = game.with_clocks(self.full_clock, Duration::ZERO);
                done()
            }
            Command::TimeLeft { color, left, stones } => {
                self.set_time_left(color, left, stones);
                done()
            }
            Command::LoadSgf { file, before } => self.load_sgf(&file, before),
            Command::PrintSgf => {
                text(one_line(&sgf::write(&GameRecord::of(self.game.history().clone()))))
            }
            Command::ShowBoard => text(writer::show_board(board)),
            Command::FinalScore => {
                if board.position.is_over() {
                    text(writer::score(board.final_score_for_black()))
                } else {
                    error("cannot score")
                }
            }
            Command::SetGame(name) => {
                if ["othello", "reversi"].contains(&name.to_ascii_lowercase().as_str()) {
                    done()
                } else {
                    error("unsupported game")
                }
            }
            Command::ListGames | Command::RulesGameId => text("Othello"),
            Command::RulesBoardSize => text("8"),
            Command::RulesBoard => text(writer::gogui_board(board)),
            Command::RulesLegalMoves => {
                let moves: Vec<String> =
                    board.position.children().map(|(played, _)| writer::vertex(played)).collect();
                text(moves.join(" "))
            }
            Command::RulesSideToMove => text(board.turn.to_string()),
            Command::RulesFinalResult => {
                if board.position.is_over() {
                    text(writer::result_text(board))
                } else {
                    error("the game is not over")
                }
            }
            Command::Options => text(options_text(self.engine.options())),
            Command::Set { name, value } => match self.engine.set_option(&name, &value) {
                Ok(()) => done(),
                Err(refused) => error(refused),
            },
            Command::SetLevel(level) => match config::load_level(level) {
                Ok(preset) => {
                    self.engine.overlay_options(&preset.options);
                    done()
                }
                Err(unknown) => error(unknown),
            },
            Command::Analyze { color, interval } => {
                if color.is_some_and(|color| self.game.turn_of(color) == TurnState::OthersMove) {
                    return error("illegal move");
                }
                let all = board.position.legal_moves().count().max(1) as usize;
                writer::open_stream(out, id);
                if !self.queue.is_empty() || self.phase != Phase::Open {
                    // What waits behind it has already ended the analysis.
                    out.push('\n');
                    return None;
                }
                let task = Task::hint(board.position, Limits::default(), all);
                self.think(task, id, JobKind::Analyze { interval, last: None })
            }
        }
    }

    fn start(&mut self, game: GameState) {
        self.engine.clear();
        self.game = game.with_clocks(self.full_clock, Duration::ZERO);
    }

    fn play_sequence(&mut self, moves: &[(Color, Move)]) -> Answer {
        let mut game = self.game.clone();
        for &(color, played) in moves {
            if let Err(illegal) = game.play(color, played, Note::default()) {
                return error(illegal);
            }
        }
        self.game = game;
        done()
    }

    fn generate(&mut self, color: Color, id: Option<u32>) -> Answer {
        match self.game.turn_of(color) {
            TurnState::Ready(position) => {
                self.think(self.task(color, position), id, JobKind::Generate(color))
            }
            TurnState::MustPass => match self.game.play(color, Move::Pass, Note::default()) {
                Ok(()) => text("pass"),
                Err(illegal) => error(illegal),
            },
            TurnState::Over => text("pass"),
            TurnState::OthersMove => error("illegal move"),
        }
    }

    fn task(&self, color: Color, position: Position) -> Task {
        self.game.task(self.engine.options(), color, position)
    }

    fn think(&mut self, task: Task, id: Option<u32>, kind: JobKind) -> Answer {
        let search = self.engine.think(task);
        if self.hurried {
            self.engine.stop();
        }
        self.job = Some(Job { search, id, kind, began: Instant::now() });
        None
    }

    fn set_time_left(&mut self, color: Color, left: Duration, stones: u32) {
        let full = self.full_clock;
        let mut clock = full.unwrap_or(Clock::absolute(left));
        let fresh_period = full
            .and_then(|clock| clock.overtime)
            .is_some_and(|overtime| overtime.period == left && overtime.stones == stones);
        let untouched = full.is_some_and(|clock| clock.left == left && clock.stones == stones);
        clock.left = left;
        clock.stones = stones;
        clock.uncertainty = if fresh_period || untouched { Duration::ZERO } else { WHOLE_SECOND };
        self.game.set_clock(color, Some(clock));
    }

    fn load_sgf(&mut self, file: &str, before: Option<u32>) -> Answer {
        if !self.files {
            return error("cannot load file: no files over the network");
        }
        let record = match std::fs::read(file) {
            Ok(bytes) => sgf::parse(&String::from_utf8_lossy(&bytes)),
            Err(problem) => return error(format!("cannot load file: {problem}")),
        };
        match record {
            Ok(record) => {
                let mut history = record.history;
                let wanted = before.map_or(usize::MAX, |number| number.max(1) as usize - 1);
                while history.moves().len() > wanted {
                    history.undo();
                }
                self.start(GameState::of(GameRecord::of(history)));
                text(self.game.board().turn.to_string())
            }
            Err(problem) => error(format!("cannot load file: {}", one_line(&problem.to_string()))),
        }
    }

    fn finish(&mut self, job: &Job, outcome: &Outcome, out: &mut String) {
        let best = outcome.best_move().unwrap_or(Move::Pass);
        match job.kind {
            JobKind::Generate(color) => {
                let seconds = Some(job.began.elapsed().as_secs_f64());
                let note = Note { eval: Some(outcome.score().discs()), seconds };
                match self.game.play(color, best, note) {
                    Ok(()) => writer::success(out, job.id, &writer::vertex(best)),
                    Err(illegal) => writer::failure(out, job.id, &illegal.to_string()),
                }
                if self.phase == Phase::Open
                    && self.queue.is_empty()
                    && let Some(task) = self.game.ponder(self.engine.options(), None)
                {
                    self.engine.think(task);
                }
            }
            JobKind::Suggest => writer::success(out, job.id, &writer::vertex(best)),
            JobKind::Analyze { .. } => {
                if !outcome.lines.is_empty() {
                    out.push_str(&writer::analysis(&Event {
                        depth: outcome.depth,
                        lines: outcome.lines.clone(),
                        nodes: outcome.nodes,
                        playouts: outcome.playouts,
                        elapsed: outcome.elapsed,
                    }));
                }
                out.push('\n');
            }
        }
    }

    /// Anything the client sends ends a running analysis.
    fn end_analysis(&mut self, out: &mut String) {
        if let Some(Job { kind: JobKind::Analyze { .. }, .. }) = self.job {
            self.engine.abandon();
            self.job = None;
            out.push('\n');
            self.work(out);
        }
    }
}

impl Session for GtpSession {
    fn line(&mut self, line: InputLine<'_>, out: &mut String) {
        match line {
            InputLine::TooLong => self.enqueue(
                Waiting { id: None, command: Err(Refusal::TooLong), size: QUEUED_COMMAND },
                out,
            ),
            InputLine::Text(text) => {
                if grammar::is_interrupt(text) {
                    self.engine.stop();
                }
                match grammar::parse(text) {
                    Some(grammar::Line { id, command }) => {
                        let size = QUEUED_COMMAND + text.len();
                        let command = command.map_err(Refusal::Parse);
                        self.enqueue(Waiting { id, command, size }, out);
                    }
                    None => self.end_analysis(out),
                }
            }
        }
    }

    fn event(&mut self, event: EngineEvent, out: &mut String) {
        let Some(job) = &mut self.job else { return };
        if job.search != event.search {
            return;
        }
        match event.update {
            SearchUpdate::Progress(progress) => {
                if let JobKind::Analyze { interval, last } = &mut job.kind
                    && last.is_none_or(|last| last.elapsed() >= *interval)
                {
                    *last = Some(Instant::now());
                    out.push_str(&writer::analysis(&progress));
                }
            }
            SearchUpdate::Done(outcome) => {
                if let Some(job) = self.job.take() {
                    self.finish(&job, &outcome, out);
                }
                self.work(out);
            }
            SearchUpdate::Failed(reason) => {
                debug!(reason, "search failed");
                if let Some(job) = self.job.take() {
                    match job.kind {
                        JobKind::Analyze { .. } => out.push('\n'),
                        _ => writer::failure(out, job.id, &one_line(&reason)),
                    }
                }
                self.work(out);
            }
        }
    }

    fn end_of_input(&mut self, out: &mut String) {
        if self.phase == Phase::Open {
            self.phase = Phase::Closing;
        }
        self.end_analysis(out);
        self.work(out);
    }

    fn hurry(&mut self) {
        self.hurried = true;
        self.engine.stop();
    }

    fn wants_input(&self) -> bool {
        self.queued < QUEUE_ROOM
    }

    fn phase(&self) -> Phase {
        self.phase
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn options_text(values: &options::Options) -> String {
    let lines: Vec<String> = options::OPTIONS
        .iter()
        .map(|spec| format!("{} = {} ({})", spec.name, values.get(spec.name), spec.kind.expected()))
        .collect();
    lines.join("\n")
}
