//! A GTP conversation: commands in order, one reply each, a search at a time.
//!
//! Lines are taken while a search runs and wait in a queue, so that `quit`, the end of input and
//! GoGui's `# interrupt` are noticed at once although replies keep their order.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use tracing::{debug, warn};

use super::analysis::Analysis;
use super::answers::{self, Answer, done, done_if, error, one_line, text};
use super::grammar::{self, Command, ParseError};
use super::writer;
use crate::config;
use crate::engine::catalogue::FISCHER_TIME;
use crate::engine::{
    Clock, EngineEvent, GameId, GameState, SearchId, SearchUpdate, Task, TurnState, changes_method,
};
use crate::options::Options;
use crate::othello::{Color, Move, Position};
use crate::protocol::{
    Action, Actions, Input, InputLine, Numbers, Permissions, Phase, RequestId, Session,
};
use crate::record::{GameRecord, Note, ggf, sgf};
use crate::search::{Event, Limits, Outcome};

/// Most bytes of commands that may wait while a search runs; beyond it the server stops reading.
const QUEUE_ROOM: usize = 1 << 20;
/// What a waiting command costs besides its text.
const QUEUED_COMMAND: usize = 64;
/// A whole-second clock may show up to this much more than there is.
const WHOLE_SECOND: Duration = Duration::from_secs(1);
/// What `name` answers.
const NAME: &str = "Kitai";
/// The one game of a GTP conversation.
const GAME: GameId = GameId(0);

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

/// What the client waits for: a search, a configuration or a file.
struct Job {
    id: Option<u32>,
    kind: JobKind,
    began: Instant,
}

enum JobKind {
    /// `genmove`: the move is played.
    Generate(SearchId, Color),
    /// `reg_genmove`: it is only told.
    Suggest(SearchId),
    /// `kitai-analyze`: reports stream.
    Analyze(SearchId, Analysis),
    /// `kitai-set`, `kitai-set_level`: these options, once the engine has taken them.
    Configure(SearchId, Box<Options>),
    /// `loadsgf`: up to the position before this move.
    Load(RequestId, Option<u32>),
}

impl JobKind {
    /// The search whose events this job waits for.
    fn search(&self) -> Option<SearchId> {
        match self {
            JobKind::Generate(search, _)
            | JobKind::Suggest(search)
            | JobKind::Analyze(search, _)
            | JobKind::Configure(search, _) => Some(*search),
            JobKind::Load(..) => None,
        }
    }
}

/// One client speaking GTP.
pub struct GtpSession {
    options: Options,
    permissions: Permissions,
    numbers: Numbers,
    game: GameState,
    /// The clock both sides start with, if there is a time limit.
    full_clock: Option<Clock>,
    queue: VecDeque<Waiting>,
    queued: usize,
    job: Option<Job>,
    /// Games on their way to disk.
    saving: Vec<RequestId>,
    /// Whether the game on the board is over and was learnt.
    learnt: bool,
    phase: Phase,
    /// When what is being taken in happened.
    now: Instant,
}

impl GtpSession {
    /// A session at the start of a game, with the options that the engine was configured with.
    pub fn new(options: Options, permissions: Permissions) -> GtpSession {
        GtpSession {
            options,
            permissions,
            numbers: Numbers::default(),
            game: GameState::default(),
            full_clock: None,
            queue: VecDeque::new(),
            queued: 0,
            job: None,
            saving: Vec::new(),
            learnt: false,
            phase: Phase::Open,
            now: Instant::now(),
        }
    }

    fn enqueue(&mut self, waiting: Waiting, out: &mut Actions) {
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
    fn work(&mut self, out: &mut Actions) {
        while self.job.is_none() {
            self.learn_finished_game(out);
            let Some(Waiting { id, command, size }) = self.queue.pop_front() else {
                if self.phase == Phase::Closing && self.saving.is_empty() {
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
                Some(Ok(text)) => writer::success(out.text(), id, &text),
                Some(Err(message)) => writer::failure(out.text(), id, &message),
                None => {}
            }
        }
    }

    /// GTP does not say when a game is to be learnt: it is when nobody can move any more.
    fn learn_finished_game(&mut self, out: &mut Actions) {
        let over = self.game.history().is_over();
        if over && !self.learnt && self.permissions.learn {
            let request = self.numbers.request();
            let line = ggf::write_line(&[self.game.record()]).trim_end().to_owned();
            out.push(Action::Save { request, line });
            self.saving.push(request);
        }
        self.learnt = over;
    }

    fn execute(&mut self, command: Command, id: Option<u32>, out: &mut Actions) -> Answer {
        let board = self.game.board();
        match command {
            Command::ProtocolVersion => text("2"),
            Command::Name => text(NAME),
            Command::Version => text(env!("CARGO_PKG_VERSION")),
            Command::KnownCommand(name) => answers::known_command(&name),
            Command::ListCommands => answers::list_commands(),
            Command::Help => text(writer::HELP),
            Command::AnalyzeCommands => text(writer::ANALYZE_COMMANDS),
            Command::Quit | Command::Komi | Command::Interrupt => done(),
            Command::BoardSize(size) => done_if(size == 8, "unacceptable size"),
            Command::ClearBoard => self.start(GameState::default(), out),
            Command::SetupBoard(board) => self.start(GameState::new(board), out),
            Command::Play(color, played) => self.play_sequence(&[(color, played)]),
            Command::PlaySequence(moves) => self.play_sequence(&moves),
            Command::GenMove(color) => self.generate(color, id, out),
            Command::RegGenMove(color) => self.suggest(color, id, out),
            Command::Undo => self.undo(out),
            Command::TimeSettings { main, period, stones } => self.set_time(main, period, stones),
            Command::TimeLeft { color, left, stones, exact } => {
                self.set_time_left(color, left, stones, exact)
            }
            Command::LoadSgf { file, before } => self.load_sgf(&file, before, id, out),
            Command::PrintSgf => answers::print_sgf(self.game.history()),
            Command::ShowBoard => text(writer::show_board(board)),
            Command::FinalScore => answers::final_score(board),
            Command::SetGame(name) => answers::set_game(&name),
            Command::ListGames | Command::RulesGameId => text("Othello"),
            Command::RulesBoardSize => text("8"),
            Command::RulesBoard => text(writer::gogui_board(board)),
            Command::RulesLegalMoves => answers::legal_moves(board),
            Command::RulesSideToMove => text(board.turn.to_string()),
            Command::RulesFinalResult => answers::final_result(board),
            Command::Options => answers::options(&self.options),
            Command::Set { name, value } => self.set_option(&name, &value, id, out),
            Command::SetLevel(level) => self.set_level(level, id, out),
            Command::Analyze { color, interval } => self.analyze(color, interval, id, out),
        }
    }

    fn start(&mut self, game: GameState, out: &mut Actions) -> Answer {
        out.push(Action::Clear { game: GAME });
        self.game = game.with_clocks(self.full_clock, Duration::ZERO);
        done()
    }

    fn undo(&mut self, out: &mut Actions) -> Answer {
        if !self.game.undo() {
            return error("cannot undo");
        }
        out.push(Action::Abandon { game: GAME });
        done()
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

    fn generate(&mut self, color: Color, id: Option<u32>, out: &mut Actions) -> Answer {
        match self.game.turn_of(color) {
            TurnState::Ready(position) => {
                let task = self.task(color, position);
                self.think(task, id, |search| JobKind::Generate(search, color), out)
            }
            TurnState::MustPass => match self.game.play(color, Move::Pass, Note::default()) {
                Ok(()) => text("pass"),
                Err(illegal) => error(illegal),
            },
            TurnState::Over => text("pass"),
            TurnState::OthersMove => error("illegal move"),
        }
    }

    fn suggest(&mut self, color: Color, id: Option<u32>, out: &mut Actions) -> Answer {
        match self.game.turn_of(color) {
            TurnState::Ready(position) => {
                let task = Task { softness: 0.0, book: None, ..self.task(color, position) };
                self.think(task, id, JobKind::Suggest, out)
            }
            TurnState::MustPass | TurnState::Over => text("pass"),
            TurnState::OthersMove => error("illegal move"),
        }
    }

    fn analyze(
        &mut self,
        color: Option<Color>,
        interval: Duration,
        id: Option<u32>,
        out: &mut Actions,
    ) -> Answer {
        if color.is_some_and(|color| self.game.turn_of(color) == TurnState::OthersMove) {
            return error("illegal move");
        }
        let position = self.game.board().position;
        let all = position.legal_moves().count().max(1) as usize;
        writer::open_stream(out.text(), id);
        if !self.queue.is_empty() || self.phase != Phase::Open {
            // What waits behind it has already ended the analysis.
            out.text().push('\n');
            return None;
        }
        let task = Task::hint(position, Limits::default(), all);
        let analysis = Analysis::new(interval);
        self.think(task, id, |search| JobKind::Analyze(search, analysis), out)
    }

    fn task(&self, color: Color, position: Position) -> Task {
        self.game.task(&self.options, color, position)
    }

    fn think(
        &mut self,
        task: Task,
        id: Option<u32>,
        kind: impl FnOnce(SearchId) -> JobKind,
        out: &mut Actions,
    ) -> Answer {
        let search = self.numbers.search();
        out.push(Action::Think { game: GAME, search, task: Box::new(task) });
        self.begin(id, kind(search))
    }

    fn set_option(
        &mut self,
        name: &str,
        value: &str,
        id: Option<u32>,
        out: &mut Actions,
    ) -> Answer {
        match self.permissions.with_option(&self.options, name, value) {
            Ok(options) => self.configure(options, id, out),
            Err(refused) => error(refused),
        }
    }

    fn set_level(&mut self, level: u32, id: Option<u32>, out: &mut Actions) -> Answer {
        match config::load_level(level) {
            Ok(preset) => {
                let mut options = self.options.clone();
                options.overlay(&preset.options);
                self.configure(options, id, out)
            }
            Err(unknown) => error(unknown),
        }
    }

    /// Has the engine take these options, if they ask for another method or other tables; until it
    /// has, the old ones hold.
    fn configure(&mut self, options: Options, id: Option<u32>, out: &mut Actions) -> Answer {
        if !changes_method(&self.options, &options) {
            self.options = options;
            return done();
        }
        let search = self.numbers.search();
        self.game.stop_pondering();
        out.push(Action::Configure { game: GAME, search, options: Box::new(options.clone()) });
        self.begin(id, JobKind::Configure(search, Box::new(options)))
    }

    fn begin(&mut self, id: Option<u32>, kind: JobKind) -> Answer {
        self.job = Some(Job { id, kind, began: self.now });
        None
    }

    fn set_time(&mut self, main: Duration, period: Duration, stones: u32) -> Answer {
        let fischer = self.options.get(&FISCHER_TIME);
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

    fn set_time_left(&mut self, color: Color, left: Duration, stones: u32, exact: bool) -> Answer {
        let full = self.full_clock;
        let known = full.or(self.game.clock(color));
        let mut clock = known.unwrap_or(Clock::absolute(left));
        let fresh_period = full
            .and_then(|clock| clock.overtime)
            .is_some_and(|overtime| overtime.period == left && overtime.stones == stones);
        let untouched = full.is_some_and(|clock| clock.left == left && clock.stones == stones);
        clock.left = left;
        clock.stones = stones;
        clock.uncertainty =
            if exact || fresh_period || untouched { Duration::ZERO } else { WHOLE_SECOND };
        self.game.set_clock(color, Some(clock));
        done()
    }

    fn load_sgf(
        &mut self,
        file: &str,
        before: Option<u32>,
        id: Option<u32>,
        out: &mut Actions,
    ) -> Answer {
        if !self.permissions.files {
            return error("cannot load file: no files over the network");
        }
        let request = self.numbers.request();
        out.push(Action::Load { request, file: PathBuf::from(file) });
        self.begin(id, JobKind::Load(request, before))
    }

    fn loaded(
        &mut self,
        content: Result<Vec<u8>, String>,
        before: Option<u32>,
        out: &mut Actions,
    ) -> Result<String, String> {
        let cannot = |why: &str| format!("cannot load file: {}", one_line(why));
        let content = content.map_err(|why| cannot(&why))?;
        let record = sgf::parse(&String::from_utf8_lossy(&content))
            .map_err(|problem| cannot(&problem.to_string()))?;
        let mut history = record.history;
        let wanted = before.map_or(usize::MAX, |number| number.max(1) as usize - 1);
        while history.moves().len() > wanted {
            history.undo();
        }
        self.start(GameState::of(GameRecord::of(history)), out);
        Ok(self.game.board().turn.to_string())
    }

    /// Answers the job whose search has ended.
    fn finish(&mut self, job: Job, outcome: Outcome, out: &mut Actions) {
        let best = outcome.best_move().unwrap_or(Move::Pass);
        match job.kind {
            JobKind::Generate(_, color) => {
                let took = self.now.saturating_duration_since(job.began);
                let seconds = Some(took.as_secs_f64());
                let note = Note { eval: Some(outcome.score().discs()), seconds };
                match self.game.play(color, best, note) {
                    Ok(()) => writer::success(out.text(), job.id, &writer::vertex(best)),
                    Err(illegal) => writer::failure(out.text(), job.id, &illegal.to_string()),
                }
                if self.phase == Phase::Open
                    && self.queue.is_empty()
                    && let Some(task) = self.game.ponder(&self.options, None)
                {
                    let search = self.numbers.search();
                    out.push(Action::Think { game: GAME, search, task: Box::new(task) });
                }
            }
            JobKind::Suggest(_) => writer::success(out.text(), job.id, &writer::vertex(best)),
            JobKind::Analyze(..) => {
                if !outcome.lines.is_empty() {
                    out.text().push_str(&writer::analysis(&Event {
                        depth: outcome.depth,
                        lines: outcome.lines,
                        nodes: outcome.nodes,
                        playouts: outcome.playouts,
                        elapsed: outcome.elapsed,
                        opponent: None,
                    }));
                }
                out.text().push('\n');
            }
            // They end with `Ready` or with their file.
            JobKind::Configure(..) | JobKind::Load(..) => {}
        }
    }

    /// Anything the client sends ends a running analysis.
    fn end_analysis(&mut self, out: &mut Actions) {
        if let Some(Job { kind: JobKind::Analyze(..), .. }) = self.job {
            out.push(Action::Abandon { game: GAME });
            self.job = None;
            out.text().push('\n');
            self.work(out);
        }
    }

    fn line(&mut self, line: InputLine<'_>, out: &mut Actions) {
        match line {
            InputLine::TooLong => self.enqueue(
                Waiting { id: None, command: Err(Refusal::TooLong), size: QUEUED_COMMAND },
                out,
            ),
            InputLine::Text(text) => {
                if grammar::is_interrupt(text) {
                    out.push(Action::Stop { game: GAME });
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

    fn event(&mut self, event: EngineEvent, out: &mut Actions) {
        let awaited = |job: &mut Job| job.kind.search() == Some(event.search);
        let Some(mut job) = self.job.take_if(awaited) else { return };
        match event.update {
            SearchUpdate::Progress(progress) => {
                if let JobKind::Analyze(_, analysis) = &mut job.kind {
                    analysis.report(progress, self.now, &mut self.numbers, out);
                }
                self.job = Some(job);
                return;
            }
            SearchUpdate::Behind(_) => {}
            SearchUpdate::Done(outcome) => self.finish(job, outcome, out),
            SearchUpdate::Ready => {
                if let JobKind::Configure(_, options) = job.kind {
                    self.options = *options;
                }
                writer::success(out.text(), job.id, "");
            }
            SearchUpdate::Failed(reason) => {
                debug!(reason, "search failed");
                match job.kind {
                    JobKind::Analyze(..) => out.text().push('\n'),
                    _ => writer::failure(out.text(), job.id, &one_line(&reason)),
                }
            }
        }
        self.work(out);
    }

    /// The time for a report that came too early.
    fn timer(&mut self, timer: RequestId, out: &mut Actions) {
        if let Some(Job { kind: JobKind::Analyze(_, analysis), .. }) = &mut self.job {
            analysis.timer(timer, self.now, out);
        }
    }
}

impl Session for GtpSession {
    fn take(&mut self, input: Input<'_>, now: Instant, actions: &mut Actions) {
        self.now = now;
        match input {
            Input::Line(line) => self.line(line, actions),
            Input::Event(event) => self.event(event, actions),
            Input::Timer(timer) => self.timer(timer, actions),
            Input::Loaded(request, content) => {
                let awaited =
                    |job: &mut Job| matches!(job.kind, JobKind::Load(id, _) if id == request);
                if let Some(Job { id, kind: JobKind::Load(_, before), .. }) =
                    self.job.take_if(awaited)
                {
                    match self.loaded(content, before, actions) {
                        Ok(text) => writer::success(actions.text(), id, &text),
                        Err(message) => writer::failure(actions.text(), id, &message),
                    }
                    self.work(actions);
                }
            }
            Input::Saved(request, result) => {
                self.saving.retain(|&saving| saving != request);
                if let Err(problem) = result {
                    warn!(%problem, "the game was not learnt");
                }
                self.work(actions);
            }
            Input::EndOfInput => {
                if self.phase == Phase::Open {
                    self.phase = Phase::Closing;
                }
                self.end_analysis(actions);
                self.work(actions);
            }
        }
    }

    fn wants_input(&self) -> bool {
        self.queued < QUEUE_ROOM
    }

    fn phase(&self) -> Phase {
        self.phase
    }
}
