//! An NBoard conversation. Whatever changes the game, and every ping, ends the running search at
//! once; nothing of an old search is said after the pong.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::grammar::{self, Command};
use super::writer;
use crate::book;
use crate::engine::{
    EngineEvent, GameId, GameState, SearchId, SearchUpdate, Task, changes_method, unforced_limits,
};
use crate::options::Options;
use crate::othello::Move;
use crate::protocol::{
    Action, Actions, Input, InputLine, Numbers, Permissions, Phase, RequestId, Session,
};
use crate::record::{Note, ggf};
use crate::score::Score;
use crate::search;
use crate::search::limits::{DEPTH, MOVE_TIME, PLAYOUTS};
use crate::search::{Limits, Origin, Outcome};

/// The one game of an NBoard conversation.
const GAME: GameId = GameId(0);
/// Most bytes of lines that may wait while options are taken; beyond it the server stops reading.
const QUEUE_ROOM: usize = 1 << 20;
/// Depth of hints for a client that never said `set depth`.
const HINT_DEPTH: u32 = 24;
/// Moves of a game that its opening's name is shown for.
const OPENING_PLIES: usize = 24;
/// From this version on `go` is bound by the clocks of the game.
const CLOCK_VERSION: i64 = 2;

/// The search that runs for the client.
struct Job {
    search: SearchId,
    kind: JobKind,
    began: Instant,
    /// The hints as they were told last.
    told: String,
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

/// An option that the engine is taking; lines wait meanwhile.
struct Change {
    search: SearchId,
    name: String,
    options: Options,
}

/// One client speaking NBoard.
pub struct NBoardSession {
    options: Options,
    permissions: Permissions,
    numbers: Numbers,
    game: GameState,
    version: i64,
    depth: Option<u32>,
    job: Option<Job>,
    change: Option<Change>,
    /// Lines that came during a change, and their bytes together.
    waiting: VecDeque<Command>,
    waiting_bytes: usize,
    /// Games on their way to disk.
    saving: Vec<RequestId>,
    phase: Phase,
    /// When what is being taken in happened.
    now: Instant,
}

impl NBoardSession {
    /// A session at the start of a game, with the options that the engine was configured with.
    /// Unless they say something about books it plays from the built-in one.
    pub fn new(mut options: Options, permissions: Permissions) -> NBoardSession {
        book::options::use_builtin_by_default(&mut options);
        NBoardSession {
            options,
            permissions,
            numbers: Numbers::default(),
            game: GameState::default(),
            version: CLOCK_VERSION,
            depth: None,
            job: None,
            change: None,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            saving: Vec::new(),
            phase: Phase::Open,
            now: Instant::now(),
        }
    }

    fn execute(&mut self, command: Command, out: &mut Actions) {
        match command {
            Command::Protocol(version) => {
                self.version = version;
                writer::my_name(out.text(), self.depth);
                writer::status(out.text(), "");
            }
            Command::SetDepth(depth) => {
                self.abandon(out);
                self.depth = Some(depth.clamp(1, 60));
                writer::my_name(out.text(), self.depth);
            }
            Command::SetGame(text) => match ggf::parse_line(&text) {
                Ok(games) => {
                    self.abandon(out);
                    self.game = GameState::of(games.into_iter().next().unwrap_or_default());
                }
                Err(problem) => writer::status(out.text(), &format!("set game: {problem}")),
            },
            // It is about draws in an opening book; the search knows no draws before the end.
            Command::SetContempt(_) => {}
            Command::SetOption { name, value } => self.set_option(name, &value, out),
            Command::Move { played, eval, seconds } => {
                match self.game.push(played, Note { eval, seconds }) {
                    // The move that the engine announced is what it already thinks beyond.
                    Ok(()) if self.game.is_pondering() => {}
                    Ok(()) => self.abandon(out),
                    Err(illegal) => writer::status(out.text(), &illegal.to_string()),
                }
            }
            Command::Hint(count) => self.hint(count as usize, out),
            Command::Go => self.go(out),
            Command::Ping(number) => {
                self.abandon(out);
                writer::pong(out.text(), number);
            }
            Command::Learn => self.learn(out),
            Command::Analyze => {
                self.abandon(out);
                writer::status(out.text(), "Analyzing");
                self.analyze(self.game.history().moves().len(), out);
            }
            Command::Stop => out.push(Action::Stop { game: GAME }),
            Command::Clear => {
                self.abandon(out);
                out.push(Action::Clear { game: GAME });
            }
            Command::New => {
                self.abandon(out);
                self.game = GameState::default();
            }
            Command::Quit => self.close(out),
        }
    }

    fn abandon(&mut self, out: &mut Actions) {
        out.push(Action::Abandon { game: GAME });
        self.game.stop_pondering();
        self.job = None;
    }

    fn think(&mut self, task: Task, kind: JobKind, out: &mut Actions) {
        let search = self.numbers.search();
        out.push(Action::Think { game: GAME, search, task: Box::new(task) });
        self.job = Some(Job { search, kind, began: self.now, told: String::new() });
    }

    /// Takes an option. One that asks for another method or other tables ends what runs and is
    /// answered when they are made; lines wait until then.
    fn set_option(&mut self, name: String, value: &str, out: &mut Actions) {
        let options = match self.permissions.with_option(&self.options, &name, value) {
            Ok(options) => options,
            Err(refused) => return writer::status(out.text(), &refused.to_string()),
        };
        if !changes_method(&self.options, &options) {
            return self.adopt(options, &name, out);
        }
        self.abandon(out);
        let search = self.numbers.search();
        let boxed = Box::new(options.clone());
        out.push(Action::Configure { game: GAME, search, options: boxed });
        self.change = Some(Change { search, name, options });
    }

    fn adopt(&mut self, options: Options, name: &str, out: &mut Actions) {
        self.options = options;
        let now = self.options.value_of(name).map_or(String::new(), |value| value.to_string());
        writer::status(out.text(), &format!("option {name} = {now}"));
    }

    fn changed(&mut self, change: Change, update: SearchUpdate, out: &mut Actions) {
        match update {
            SearchUpdate::Failed(refused) => writer::status(out.text(), &refused),
            _ => self.adopt(change.options, &change.name, out),
        }
        while self.change.is_none()
            && let Some(command) = self.waiting.pop_front()
        {
            self.execute(command, out);
        }
        if self.waiting.is_empty() {
            self.waiting_bytes = 0;
        }
    }

    /// The options with the depth that the GUI asked for. Its depth is the strength it wants, so
    /// it takes the place of `move-time`, except for methods that do not search by depth.
    fn limited_options(&self) -> Options {
        let mut options = self.options.clone();
        let Some(depth) = self.depth else { return options };
        let own = options.get(&DEPTH);
        let least = if own > 0 { own.min(i64::from(depth)) } else { i64::from(depth) };
        options.put(&DEPTH, least).expect("a depth within 1 to 60 is in the option's range");
        let by_playouts = search::chosen(&options).is_ok_and(|method| method.heeds(&PLAYOUTS.spec));
        if !by_playouts {
            options.unset(&MOVE_TIME.spec);
        }
        options
    }

    fn hint(&mut self, count: usize, out: &mut Actions) {
        self.abandon(out);
        let position = self.game.history().board().position;
        if position.is_over() {
            return writer::status(out.text(), "game over");
        }
        let mut limits = Limits { time: None, ..Limits::from_options(&self.limited_options()) };
        if limits == Limits::default() {
            limits = Limits::depth(HINT_DEPTH);
        }
        self.think(Task::hint(position, limits, count), JobKind::Hint, out);
    }

    fn go(&mut self, out: &mut Actions) {
        self.abandon(out);
        let board = self.game.history().board();
        if !board.position.has_move() {
            return writer::chosen(out.text(), Move::Pass, None, Duration::ZERO);
        }
        writer::status(out.text(), "Thinking");
        let clock = self.game.clock(board.turn).filter(|_| self.version >= CLOCK_VERSION);
        let options = self.limited_options();
        let mut task = Task::play(&options, board.position, clock.as_ref());
        task.seed = self.game.seed(&options);
        self.think(task, JobKind::Go, out);
    }

    /// What stands in the status after a move: the opening while it lasts, and whether the book
    /// knew the move.
    fn after_move(&self, played: Move, origin: Origin) -> String {
        let mut history = self.game.history().clone();
        let name = history.play(played).ok().and_then(|()| book::opening_name(&history));
        let name = name.filter(|_| history.moves().len() <= OPENING_PLIES).unwrap_or_default();
        match (origin, name) {
            (Origin::Search, name) => name.to_owned(),
            (Origin::Book, "") => "book".to_owned(),
            (Origin::Book, name) => format!("{name} (book)"),
        }
    }

    fn learn(&mut self, out: &mut Actions) {
        self.abandon(out);
        if !self.permissions.learn {
            let why = "not learned: no file to learn into (--learn FILE)";
            return writer::status(out.text(), why);
        }
        let request = self.numbers.request();
        let line = ggf::write_line(&[self.game.record()]).trim_end().to_owned();
        out.push(Action::Save { request, line });
        self.saving.push(request);
    }

    /// `learned` is what the GUI waits for; a game that could not be kept is said so first.
    fn saved(&mut self, request: RequestId, result: Result<(), String>, out: &mut Actions) {
        if !self.saving.contains(&request) {
            return;
        }
        self.saving.retain(|&saving| saving != request);
        match result {
            Ok(()) => out.text().push_str("learned\n"),
            Err(problem) => writer::status(out.text(), &format!("not learned: {problem}")),
        }
        self.finish_closing();
    }

    /// Values the position after `made` moves and then, one by one, those before it. Positions
    /// that are over need no search.
    fn analyze(&mut self, made: usize, out: &mut Actions) {
        let position = self.game.history().boards()[made].position;
        if !position.is_over() {
            let limits = unforced_limits(&self.limited_options(), position, None);
            let task = Task::hint(position, limits, 1);
            return self.think(task, JobKind::Analyze { made }, out);
        }
        writer::analysis(out.text(), made, Score::whole(position.final_score()));
        match made.checked_sub(1) {
            Some(earlier) => self.analyze(earlier, out),
            None => writer::status(out.text(), ""),
        }
    }

    fn finish(&mut self, job: &Job, outcome: &Outcome, out: &mut Actions) {
        writer::node_stats(out.text(), outcome.nodes, outcome.elapsed);
        if outcome.origin == Origin::Book {
            writer::book_move(out.text(), &outcome.lines, outcome.depth);
        }
        match job.kind {
            JobKind::Hint => {
                let mut hints = String::new();
                writer::hints(&mut hints, &outcome.lines, outcome.depth);
                // The last report of the search has usually told them already.
                if hints != job.told {
                    out.text().push_str(&hints);
                }
            }
            JobKind::Go => {
                let played = outcome.best_move().unwrap_or(Move::Pass);
                let took = self.now.saturating_duration_since(job.began);
                writer::chosen(out.text(), played, Some(outcome.score()), took);
                writer::status(out.text(), &self.after_move(played, outcome.origin));
                if self.phase == Phase::Open
                    && let Some(task) = self.game.ponder(&self.options, Some(played))
                {
                    let search = self.numbers.search();
                    out.push(Action::Think { game: GAME, search, task: Box::new(task) });
                }
            }
            JobKind::Analyze { made } => {
                writer::analysis(out.text(), made, outcome.score());
                match made.checked_sub(1) {
                    Some(earlier) if self.phase == Phase::Open => self.analyze(earlier, out),
                    _ => writer::status(out.text(), ""),
                }
            }
        }
    }

    /// The client is leaving: the search stops at once, and only a move that it may still wait for
    /// and games on their way to disk are told.
    fn close(&mut self, out: &mut Actions) {
        self.phase = Phase::Closing;
        if matches!(self.job, Some(Job { kind: JobKind::Go, .. })) {
            out.push(Action::Stop { game: GAME });
        } else {
            self.abandon(out);
        }
        self.finish_closing();
    }

    fn finish_closing(&mut self) {
        let idle = self.job.is_none() && self.change.is_none() && self.saving.is_empty();
        if self.phase == Phase::Closing && idle {
            self.phase = Phase::Finished;
        }
    }

    fn line(&mut self, line: InputLine<'_>, out: &mut Actions) {
        if self.phase != Phase::Open {
            return;
        }
        match line {
            InputLine::TooLong => writer::status(out.text(), "line too long"),
            InputLine::Text(text) => match grammar::parse(text) {
                Some(Ok(command)) if self.change.is_some() => {
                    self.waiting_bytes += text.len();
                    self.waiting.push_back(command);
                }
                Some(Ok(command)) => self.execute(command, out),
                Some(Err(problem)) => writer::status(out.text(), &problem.to_string()),
                None => {}
            },
        }
    }

    fn event(&mut self, event: EngineEvent, out: &mut Actions) {
        if let Some(change) = self.change.take_if(|change| change.search == event.search) {
            self.changed(change, event.update, out);
            return self.finish_closing();
        }
        let Some(job) = self.job.take_if(|job| job.search == event.search) else { return };
        match event.update {
            SearchUpdate::Progress(progress) => {
                writer::node_stats(out.text(), progress.nodes, progress.elapsed);
                if let Some(opponent) = &progress.opponent {
                    writer::status(out.text(), &format!("Opponent: {opponent}"));
                }
                let mut told = String::new();
                if !matches!(job.kind, JobKind::Analyze { .. }) {
                    writer::hints(&mut told, &progress.lines, progress.depth);
                    out.text().push_str(&told);
                }
                self.job = Some(Job { told, ..job });
            }
            SearchUpdate::Behind(_) => {}
            SearchUpdate::Done(outcome) => self.finish(&job, &outcome, out),
            SearchUpdate::Failed(reason) => writer::status(out.text(), &reason),
            SearchUpdate::Ready => {}
        }
        self.finish_closing();
    }
}

impl Session for NBoardSession {
    fn take(&mut self, input: Input<'_>, now: Instant, actions: &mut Actions) {
        self.now = now;
        match input {
            Input::Line(line) => self.line(line, actions),
            Input::Event(event) => self.event(event, actions),
            Input::Saved(request, result) => self.saved(request, result, actions),
            Input::Timer(_) | Input::Loaded(..) => {}
            Input::EndOfInput if self.phase == Phase::Open => {
                // What waits for an option is done before the client has left.
                if self.change.is_some() {
                    self.waiting.push_back(Command::Quit);
                } else {
                    self.close(actions);
                }
            }
            Input::EndOfInput => {}
        }
    }

    fn wants_input(&self) -> bool {
        self.waiting_bytes < QUEUE_ROOM
    }

    fn phase(&self) -> Phase {
        self.phase
    }
}
