//! Playing: boards are shown, searches end, moves are sent, questions are answered.

use std::time::Duration;

use super::GgsSession;
use super::matches::MOST_MATCHES;
use crate::engine::{EngineEvent, GameState, SearchUpdate, Task};
use crate::othello::{Color, Move};
use crate::protocol::ggs::event::{Event, Flag, PlayedMove, Question};
use crate::protocol::ggs::game::{Game, Shown, Thinking, Turn};
use crate::protocol::ggs::report::{Report, StateLine};
use crate::protocol::ggs::settings::Consent;
use crate::protocol::ggs::words::GameKey;
use crate::protocol::ggs::writer::Command;
use crate::protocol::{Action, Actions};
use crate::record::Note;
use crate::search::{Certainty, Outcome};

/// How much later than planned a search may end before it is told to.
const GRACE: Duration = Duration::from_millis(300);
/// After so long without an answer to a move the board is asked for.
const LOST_MOVE: Duration = Duration::from_secs(20);
/// After so many refusals any legal move is played.
const REFUSALS: u32 = 2;

impl GgsSession {
    pub(super) fn game_event(&mut self, event: Event, out: &mut Actions) {
        match event {
            Event::MatchBegins(line) => self.begin_match(*line, out),
            Event::MatchEnds { line, ending, archive } => {
                self.end_match(&line, &ending, archive, out);
            }
            Event::Join(view) => self.show(view.game, Shown::of_view(&view, true), out),
            Event::Update(view) => self.show(view.game, Shown::of_view(&view, false), out),
            Event::CompactJoin { game, record } => {
                if let Some(shown) = Shown::of_record(&record) {
                    self.show(game, shown, out);
                    self.ask_for_clocks(game, out);
                }
            }
            Event::BadBoard(game) => {
                self.news(format!("{game}: a board could not be read"), out);
                if let Some(game) = self.game_mut(game) {
                    game.note_answer();
                }
                self.resync(game, out);
            }
            Event::CompactUpdate { game, played } => self.update_compact(game, played, out),
            Event::GameEnds { game, first, result } => self.end_game(game, &first, result, out),
            Event::Ratings { number, changes } => self.rate(number, &changes, out),
            Event::TimeOut { game, login, .. } => {
                if login == self.settings.login
                    && let Some(game) = self.game_mut(game)
                {
                    game.time_is_gone();
                }
                self.news(format!("{game}: the time of {login} has run out"), out);
            }
            Event::TrustViolation { game, login } => {
                self.news(format!("{game}: {login} was charged more time than it sent"), out);
            }
            Event::Question { question, game, login } => self.asked(question, game, &login, out),
            Event::GameError { game, text } => self.game_error(game, &text, out),
            Event::Archive { archive, records } => self.archived(archive, records, out),
            Event::Other(text) => tracing::info!("GGS, not acted on: {text}"),
            _ => {}
        }
    }

    pub(super) fn game_mut(&mut self, key: GameKey) -> Option<&mut Game> {
        self.matches.get_mut(&key.number)?.games.get_mut(&key.half)
    }

    /// Takes in a board, of a game that may be new here: after login the server shows running
    /// games of tournaments without announcing them.
    fn show(&mut self, key: GameKey, shown: Shown, out: &mut Actions) {
        let me = &self.settings.login;
        if !shown.players.iter().any(|player| player.login == *me) || !shown.game_type.is_playable()
        {
            return;
        }
        if !self.matches.contains_key(&key.number) {
            if self.matches.len() >= MOST_MATCHES {
                return;
            }
            self.add_match(key.number, None);
            self.news(format!("match .{} goes on", key.number), out);
        }
        let now = self.now;
        let found = self.matches.get_mut(&key.number).expect("it was found or made");
        found.heard = now;
        let known = found.games.get(&key.half);
        if known.is_none() && found.games.len() >= 2 {
            return;
        }
        let echo = known.and_then(|game| game.unanswered(now));
        let is_join = shown.is_join;
        if known.is_none() {
            let (id, options) = self.thread_for(shown.game_type.kind(), out);
            out.push(Action::Clear { game: id });
            let game = Game::new(key, id, options, &self.settings.login, &shown, now);
            let entry = self.matches.get_mut(&key.number).expect("it was found or made");
            entry.games.insert(key.half, game);
        } else if let Some(game) = self.game_mut(key) {
            let moved_on = game.made < shown.made;
            game.show(&shown, now);
            if let (Some(echo), true) = (echo, moved_on) {
                self.lag = echo.max(self.lag.mul_f64(0.9));
            }
        }
        self.keep_record(key.number, out);
        if !is_join {
            self.ask_for_missing_moves(key, out);
        }
        self.act(key, out);
    }

    fn update_compact(&mut self, key: GameKey, last: PlayedMove, out: &mut Actions) {
        let Some(game) = self.game_mut(key) else { return };
        let mut record = game.record.clone();
        let Ok(()) = record.push(last.played, last.note) else {
            return self.resync(key, out);
        };
        if let Some(shown) = Shown::of_record(&record) {
            self.show(key, shown, out);
        }
    }

    fn keep_record(&mut self, number: u32, out: &mut Actions) {
        let Some(found) = self.matches.get(&number) else { return };
        let (tag, records) = (found.tag, found.records());
        if !records.is_empty() {
            self.goes_on(&records);
            out.push(Action::Report(Box::new(Report::Unfinished { tag, records })));
        }
    }

    /// A record with a gap in it is completed from the server.
    fn ask_for_missing_moves(&mut self, key: GameKey, out: &mut Actions) {
        let gap = |game: &mut Game| !game.complete && !game.over && !game.board.position.is_over();
        if self.game_mut(key).is_some_and(gap) {
            self.resync(key, out);
        }
    }

    /// A game in compact form has clocks that were worked out from its moves. They have run since
    /// if the bot was away: the board shows the true ones.
    fn ask_for_clocks(&mut self, key: GameKey, out: &mut Actions) {
        if let Some(game) = self.game_mut(key)
            && !std::mem::replace(&mut game.asked_for_clocks, true)
        {
            self.resync(key, out);
        }
    }

    /// Asks the server to show the games of a match again, unless it was asked and has time left to
    /// answer.
    fn resync(&mut self, key: GameKey, out: &mut Actions) {
        let now = self.now;
        let Some(game) = self.game_mut(key) else { return };
        for _ in 0..game.ask_again(now, LOST_MOVE) {
            self.ask_for_match(key.number, out);
        }
    }

    /// Does what the position asks for.
    fn act(&mut self, key: GameKey, out: &mut Actions) {
        let (now, trust, lag, overrun) = (self.now, self.settings.trust, self.lag, self.overrun);
        let search = self.numbers.search();
        let Some(game) = self.game_mut(key) else { return };
        let position = (game.board, game.made);
        let turn = game.turn();
        if game.thinking.is_some_and(|thinking| thinking.of != position)
            || !matches!(turn, Turn::Mine | Turn::Bid) && game.thinking.is_some()
        {
            game.thinking = None;
            out.push(Action::Abandon { game: game.id });
        }
        match turn {
            Turn::Mine | Turn::Bid if game.thinking.is_some() => {}
            Turn::Mine | Turn::Bid if game.refused > REFUSALS => {
                let any = game.board.position.children().next().map(|(played, _)| played);
                self.play(key, any.unwrap_or(Move::Pass), None, out);
            }
            Turn::Bid if !game.board.position.has_move() => {
                self.play(key, Move::Pass, Some(0.0), out);
            }
            Turn::Mine | Turn::Bid => {
                let task = game.task(trust, lag, overrun, now);
                let hard = task.request.limits.time.map_or(GRACE, |time| time.hard);
                let deadline = now + hard + GRACE;
                game.pondering = None;
                game.thinking = Some(Thinking {
                    search,
                    of: position,
                    began: now,
                    hard,
                    deadline,
                    stopped: false,
                    best: None,
                });
                out.push(Action::Think { game: game.id, search, task: Box::new(task) });
            }
            Turn::Pass => self.play(key, Move::Pass, None, out),
            Turn::Theirs => self.ponder(key, out),
            Turn::Sent => {}
            Turn::Over => out.push(Action::Abandon { game: game.id }),
        }
        self.tell_state(key, out);
    }

    /// Thinks on the opponent's time, if the engine's options want it and a core is left for it:
    /// no search for a move shall wait for one that may be in vain.
    fn ponder(&mut self, key: GameKey, out: &mut Actions) {
        let search = self.numbers.search();
        let games = self.matches.values().flat_map(|found| found.games.values());
        let busy = games.filter(|game| game.key != key && game.is_searched()).count();
        let is_free = busy < self.cores;
        let Some(game) = self.game_mut(key) else { return };
        if !is_free {
            if game.pondering.take().is_some() {
                out.push(Action::Abandon { game: game.id });
            }
            return;
        }
        if game.pondering == Some(game.board) {
            return;
        }
        let task: Option<Task> = GameState::new(game.board).ponder(&game.options, None);
        if let Some(task) = task {
            game.pondering = Some(game.board);
            out.push(Action::Think { game: game.id, search, task: Box::new(task) });
        }
    }

    /// Sends a move for the position that the server showed last.
    fn play(&mut self, key: GameKey, played: Move, eval: Option<f64>, out: &mut Actions) {
        let now = self.now;
        let Some(game) = self.game_mut(key) else { return };
        let seconds = game.send(now);
        let note = match played {
            Move::Pass if eval.is_none() => Note::default(),
            _ => Note { eval, seconds: Some(seconds) },
        };
        self.send(&Command::play(key, played, note), out);
    }

    pub(super) fn engine_event(&mut self, event: EngineEvent, out: &mut Actions) {
        let EngineEvent { game: id, search, update } = event;
        let games = self.matches.values_mut().flat_map(|found| found.games.values_mut());
        let mut games = games.filter(|game| game.id == id);
        let thinking = games.find_map(|game| {
            let thinking = game.thinking.as_mut().filter(|thinking| thinking.search == search)?;
            Some((game.key, thinking))
        });
        match (thinking, update) {
            (Some((_, thinking)), SearchUpdate::Progress(progress)) => {
                if let Some(line) = progress.lines.first()
                    && let Some(&best) = line.pv.first()
                {
                    thinking.best = Some((best, line.score.discs()));
                }
            }
            (Some((key, _)), SearchUpdate::Done(outcome)) => self.found(key, &outcome, out),
            (Some((key, thinking)), SearchUpdate::Failed(reason)) => {
                let best = thinking.best;
                self.news(format!("{key}: {reason}"), out);
                self.play_anything(key, best, out);
            }
            (None, SearchUpdate::Failed(reason)) => {
                self.news(format!("the engine says: {reason}"), out);
            }
            _ => {}
        }
    }

    fn found(&mut self, key: GameKey, outcome: &Outcome, out: &mut Actions) {
        let now = self.now;
        let Some(game) = self.game_mut(key) else { return };
        let Some(thinking) = game.thinking else { return };
        let is_current = thinking.of == (game.board, game.made);
        let Some(best) = outcome.best_move().filter(|_| is_current) else {
            return self.play_anything(key, thinking.best, out);
        };
        if game.board.position.after(best).is_none() {
            return self.play_anything(key, None, out);
        }
        let value = outcome.score().discs();
        game.value = Some(value);
        let late = now.saturating_duration_since(thinking.began);
        let late = late.saturating_sub(outcome.elapsed.min(thinking.hard));
        let certainty = outcome.lines.first().map(|line| line.certainty);
        game.solved = certainty == Some(Certainty::Exact);
        // The mean of about the last eight moves.
        self.overrun = (self.overrun * 7 + late) / 8;
        self.play(key, best, Some(value), out);
        self.tell_state(key, out);
    }

    /// A search that gave nothing must not cost the game: the best so far, or any legal move.
    fn play_anything(&mut self, key: GameKey, best: Option<(Move, f64)>, out: &mut Actions) {
        let Some(game) = self.game_mut(key) else { return };
        let position = game.board.position;
        game.thinking = None;
        if !matches!(game.turn(), Turn::Mine | Turn::Bid) {
            return;
        }
        let best = best.filter(|(played, _)| position.after(*played).is_some());
        let any = || position.children().next().map_or(Move::Pass, |(played, _)| played);
        match best {
            Some((played, value)) => self.play(key, played, Some(value), out),
            None => self.play(key, any(), None, out),
        }
    }

    fn game_error(&mut self, key: GameKey, text: &str, out: &mut Actions) {
        self.news(format!("{key}: the server says: {text}"), out);
        let now = self.now;
        let Some(game) = self.game_mut(key) else { return };
        if text.contains("already sent the first move") {
            game.send(now);
        } else if !["undo", "score"].iter().any(|word| text.contains(word)) {
            game.refuse();
            self.resync(key, out);
        }
    }

    fn asked(&mut self, question: Question, key: GameKey, login: &str, out: &mut Actions) {
        self.news(format!("{key}: {login} asks for {question:?}").to_lowercase(), out);
        if login == self.settings.login {
            return;
        }
        let answers = &self.settings.answers;
        let consent = match question {
            Question::Undo => answers.undo,
            Question::Abort => answers.abort,
            Question::Score if answers.score => Consent::Always,
            Question::Score => Consent::Never,
        };
        let Some(found) = self.matches.get_mut(&key.number) else { return };
        let counts = !matches!(found.flag(), Some(Flag::Unrated));
        if consent == Consent::Never || consent == Consent::Unrated && counts {
            return;
        }
        let game = found.games.get(&key.half);
        let text = match question {
            Question::Undo => format!("undo {key}"),
            // In synchro matches the question comes once for each game.
            Question::Abort if std::mem::replace(&mut found.aborting, true) => return,
            Question::Abort => format!("abort .{}", key.number),
            Question::Score => match game.and_then(Game::solved_result) {
                Some(value) => format!("score {key} {value:.2}"),
                None => return,
            },
        };
        self.send(&Command::service(text), out);
    }

    pub(super) fn tell_state(&mut self, key: GameKey, out: &mut Actions) {
        let Some(game) = self.game_mut(key) else { return };
        let players = game.players();
        // Black first; while the bids are awaited, as shown.
        let order = if players[0].color == Some(Color::White) { [1, 0] } else { [0, 1] };
        let state = StateLine {
            game: key.to_string(),
            number: key.number,
            game_type: game.game_type.text.clone(),
            players: order.map(|index| players[index].login.clone()),
            made: game.made,
            doing: match game.turn() {
                Turn::Over => "over",
                _ if game.thinking.is_some() => "thinking",
                _ => "waiting",
            },
            value: game.value,
            left: order.map(|index| players[index].clock.left().as_secs_f64()),
        };
        out.push(Action::Report(Box::new(Report::State(state))));
    }

    pub(super) fn tick_games(&mut self, out: &mut Actions) {
        let now = self.now;
        let mut lost = Vec::new();
        for game in self.matches.values_mut().flat_map(|found| found.games.values_mut()) {
            if let Some(thinking) = &mut game.thinking
                && now >= thinking.deadline
                && !std::mem::replace(&mut thinking.stopped, true)
            {
                out.push(Action::Stop { game: game.id });
            }
            if game.unanswered(now).is_some_and(|time| time >= LOST_MOVE) {
                lost.push(game.key);
            }
        }
        for key in lost {
            self.resync(key, out);
        }
    }

    /// One line about every game, for an operator.
    pub(super) fn game_lines(&self) -> Vec<String> {
        let games = self.matches.values().flat_map(|found| found.games.values());
        games
            .map(|game| {
                let value = game.value.map_or("?".to_owned(), |value| format!("{value:+.2}"));
                let Game { key, game_type, made, .. } = game;
                format!("{key} {} {} move {made} value {value}", game_type.text, game.opponent())
            })
            .collect()
    }
}
