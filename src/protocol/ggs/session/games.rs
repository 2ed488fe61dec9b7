//! Playing: matches come and go, boards are shown, searches end.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::GgsSession;
use crate::engine::{EngineEvent, GameId, GameState, SearchUpdate, Task};
use crate::options::Options;
use crate::othello::{Color, Move};
use crate::protocol::ggs::event::{
    Event, Flag, MatchEnding, MatchLine, PlayedMove, Question, RatingChange,
};
use crate::protocol::ggs::game::{Game, Shown, Thinking, Turn};
use crate::protocol::ggs::report::{RatingLine, Report, ResultLine, StateLine};
use crate::protocol::ggs::settings::Consent;
use crate::protocol::ggs::words::{GameKey, Kind};
use crate::protocol::ggs::writer::Command;
use crate::protocol::{Action, Actions};
use crate::record::{GameRecord, Note};
use crate::search::{Certainty, Outcome};

/// Most matches at a time, also of a server that does not count.
const MOST_MATCHES: usize = 32;
/// How much later than planned a search may end before it is told to.
const GRACE: Duration = Duration::from_millis(300);
/// After so long without an answer to a move the board is asked for.
const LOST_MOVE: Duration = Duration::from_secs(20);
/// How long to wait for the archive's record of a match.
const ARCHIVE_TIME: Duration = Duration::from_secs(15);
/// After so many refusals any legal move is played.
const REFUSALS: u32 = 2;

/// A match that is being played.
pub(super) struct Match {
    /// Never used twice in a session.
    tag: u64,
    /// As it was announced; not known of games that were found after login.
    line: Option<MatchLine>,
    games: BTreeMap<Option<u8>, Game>,
    /// Whether the bot has agreed to abort it.
    aborting: bool,
}

/// A match that is over and waits for the archive's record.
pub(super) struct Finishing {
    tag: u64,
    archive: Option<u32>,
    since: Instant,
    records: Vec<GameRecord>,
    result: ResultLine,
}

impl Match {
    fn flag(&self) -> Option<Flag> {
        self.line.as_ref().map(|line| line.flag)
    }

    #[cfg(test)]
    pub(super) fn games(&self) -> Vec<&Game> {
        self.games.values().collect()
    }

    /// Sets an engine option that needs no other method.
    pub(super) fn set_option(&mut self, name: &str, value: &str) {
        for game in self.games.values_mut() {
            // It was set before for the options that games begin with.
            let _ = game.options.set(name, value);
        }
    }

    fn records(&self) -> Vec<GameRecord> {
        let complete = self.games.values().filter(|game| game.complete);
        complete.map(|game| game.record.clone()).collect()
    }
}

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
                }
            }
            Event::CompactUpdate { game, played } => self.update_compact(game, played, out),
            Event::GameEnds { game, result } => self.end_game(game, result, out),
            Event::Ratings { number, changes } => self.rate(number, &changes, out),
            Event::TimeOut { game, login, .. } => {
                if login == self.settings.login
                    && let Some(game) = self.game_mut(game)
                {
                    game.out_of_time = true;
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

    fn game_mut(&mut self, key: GameKey) -> Option<&mut Game> {
        self.matches.get_mut(&key.number)?.games.get_mut(&key.half)
    }

    fn begin_match(&mut self, line: MatchLine, out: &mut Actions) {
        if !line.players.iter().any(|(name, _)| *name == self.settings.login) {
            return;
        }
        // The id is used anew: whatever had it is over, even if nobody said so.
        self.drop_match(line.number, out);
        if self.matches.len() >= MOST_MATCHES {
            return;
        }
        let [one, other] = &line.players;
        let flag = line.flag;
        let text = format!(".{} {} – {}, {}", line.number, one.0, other.0, line.game_type.text);
        self.news(format!("match {text} ({flag:?}) begins").to_lowercase(), out);
        (self.pending, self.ask) = (None, None);
        let number = line.number;
        let tag = self.tag();
        let games = BTreeMap::new();
        self.matches.insert(number, Match { tag, line: Some(line), games, aborting: false });
    }

    fn tag(&mut self) -> u64 {
        self.next_tag += 1;
        self.next_tag
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
            let tag = self.tag();
            let found = Match { tag, line: None, games: BTreeMap::new(), aborting: false };
            self.matches.insert(key.number, found);
            self.news(format!("match .{} goes on", key.number), out);
        }
        let games = &self.matches[&key.number].games;
        let known = games.get(&key.half);
        if known.is_none() && games.len() >= 2 {
            return;
        }
        let echo = known.and_then(|game| game.unanswered(self.now));
        let now = self.now;
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
        self.ask_for_missing_moves(key, out);
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

    /// Asks the server to show the games of a match again, once until it does.
    fn resync(&mut self, key: GameKey, out: &mut Actions) {
        let Some(game) = self.game_mut(key) else { return };
        if !std::mem::replace(&mut game.resync, true) {
            self.send(&Command::service(format_args!("moves .{}", key.number)), out);
        }
    }

    /// Does what the position asks for.
    fn act(&mut self, key: GameKey, out: &mut Actions) {
        let (now, trust, lag) = (self.now, self.settings.trust, self.lag);
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
                let task = game.task(trust, lag, now);
                let hard = task.request.limits.time.map_or(GRACE, |time| time.hard);
                let deadline = now + hard + GRACE;
                game.pondering = None;
                game.thinking =
                    Some(Thinking { search, of: position, deadline, stopped: false, best: None });
                out.push(Action::Think { game: game.id, search, task: Box::new(task) });
            }
            Turn::Pass => self.play(key, Move::Pass, None, out),
            Turn::Theirs => self.ponder(key, out),
            Turn::Sent => {}
            Turn::Over => out.push(Action::Abandon { game: game.id }),
        }
        self.tell_state(key, out);
    }

    /// Thinks on the opponent's time, if the engine's options want it.
    fn ponder(&mut self, key: GameKey, out: &mut Actions) {
        let search = self.numbers.search();
        let Some(game) = self.game_mut(key) else { return };
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
        let certainty = outcome.lines.first().map(|line| line.certainty);
        game.solved = certainty == Some(Certainty::Exact);
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
            game.refused += 1;
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
            Question::Score => match game.and_then(|game| game.value.filter(|_| game.solved)) {
                Some(value) => format!("score {key} {value:.2}"),
                None => return,
            },
        };
        self.send(&Command::service(text), out);
    }

    /// One game of a synchro match is over; the result is from the first player's view.
    fn end_game(&mut self, key: GameKey, result: Option<f64>, out: &mut Actions) {
        let Some(found) = self.matches.get_mut(&key.number) else { return };
        let first = found.line.as_ref().map(|line| line.players[0].0.clone());
        let Some(game) = found.games.get_mut(&key.half) else { return };
        game.finish(result.zip(first).map(|(result, first)| for_black(game, &first, result)));
        game.thinking = None;
        out.push(Action::Abandon { game: game.id });
        self.tell_state(key, out);
    }

    fn end_match(
        &mut self,
        line: &MatchLine,
        ending: &MatchEnding,
        archive: Option<u32>,
        out: &mut Actions,
    ) {
        let Some(mut found) = self.matches.remove(&line.number) else { return };
        out.push(Action::Report(Box::new(Report::Gone { number: line.number })));
        let me = self.settings.login.clone();
        let place = usize::from(line.players[0].0 != me);
        let first = line.players[0].0.clone();
        let discs = match ending {
            MatchEnding::Result(discs) => Some(*discs),
            _ => None,
        };
        if let (Some(discs), [(_, game)]) =
            (discs, found.games.iter_mut().collect::<Vec<_>>().as_mut_slice())
            && !game.game_type.synchro
        {
            game.finish(Some(for_black(game, &first, discs)));
        }
        let own = discs.map(|discs| if place == 0 { discs } else { -discs });
        let (moves, seconds) = found.games.values().fold((0, 0.0), |(moves, seconds), game| {
            let (more, longer) = game.own_time();
            (moves + more, seconds + longer)
        });
        let colors: Vec<Color> = found.games.values().filter_map(Game::color).collect();
        let (opponent, opponent_rating) = line.players[1 - place].clone();
        let result = ResultLine {
            opponent,
            opponent_rating,
            own_rating: line.players[place].1,
            game_type: line.game_type.text.clone(),
            flag: Some(line.flag),
            color: if let [color] = colors[..] { Some(color.to_string()) } else { None },
            result: own,
            ending: match ending {
                MatchEnding::Result(_) => "played",
                MatchEnding::Aborted => "aborted",
                MatchEnding::Left(_) => "left",
            }
            .to_owned(),
            archive,
            moves,
            seconds,
            time_out: found.games.values().any(|game| game.out_of_time),
        };
        self.news(ending_text(line, ending, own), out);
        let (tag, records) = (found.tag, found.records());
        for game in std::mem::take(&mut found.games).into_values() {
            self.release(game, out);
        }
        match (ending, archive) {
            // It will be finished another day; until then its record stays as it is.
            (MatchEnding::Left(_), Some(_)) => self.send(&Command::service("stored"), out),
            (MatchEnding::Result(_), Some(number)) => {
                let since = self.now;
                self.finishing.push(Finishing { tag, archive, since, records, result });
                self.send(&Command::service(format_args!("look .{number}")), out);
            }
            _ => {
                let result = Box::new(result);
                out.push(Action::Report(Box::new(Report::Finished { tag, records, result })));
            }
        }
        self.idle_since = self.now;
        self.send_open(out);
        self.reconsider(out);
    }

    /// The server's own record of a match takes the place of ours.
    fn archived(&mut self, archive: Option<u32>, records: Vec<GameRecord>, out: &mut Actions) {
        let place = self.finishing.iter().position(|waiting| {
            let names = |record: &GameRecord| {
                let mut names = [record.black.name.clone(), record.white.name.clone()];
                names.sort();
                names
            };
            let same = match (waiting.records.first(), records.first()) {
                (Some(ours), Some(theirs)) => names(ours) == names(theirs),
                _ => true,
            };
            same && (archive.is_none() || archive == waiting.archive)
        });
        let Some(place) = place else { return };
        let Finishing { tag, result, .. } = self.finishing.remove(place);
        let result = Box::new(result);
        out.push(Action::Report(Box::new(Report::Finished { tag, records, result })));
    }

    /// Nobody will complete these records any more: they are kept as they are.
    pub(super) fn flush_finishing(&mut self, out: &mut Actions) {
        for Finishing { tag, records, result, .. } in std::mem::take(&mut self.finishing) {
            let result = Box::new(result);
            out.push(Action::Report(Box::new(Report::Finished { tag, records, result })));
        }
    }

    fn rate(&mut self, number: u32, changes: &[RatingChange], out: &mut Actions) {
        let me = &self.settings.login;
        let Some(change) = changes.iter().find(|change| change.login == *me) else { return };
        let found = self.matches.get(&number);
        let game_type = found.and_then(|found| Some(&found.games.values().next()?.game_type));
        let line = RatingLine {
            pool: game_type.map_or("8", |game_type| game_type.rating_pool()).to_owned(),
            rating: change.new,
            deviation: change.deviation,
            change: change.new - change.old,
        };
        out.push(Action::Report(Box::new(Report::Rating(line))));
    }

    /// All matches are gone: the connection or the service is. Their records stay as they are.
    pub(super) fn drop_matches(&mut self, out: &mut Actions) {
        let numbers: Vec<u32> = self.matches.keys().copied().collect();
        for number in numbers {
            self.drop_match(number, out);
        }
        self.requests.clear();
        (self.pending, self.ask) = (None, None);
    }

    pub(super) fn drop_match(&mut self, number: u32, out: &mut Actions) {
        let Some(found) = self.matches.remove(&number) else { return };
        out.push(Action::Report(Box::new(Report::Gone { number })));
        for game in found.games.into_values() {
            self.release(game, out);
        }
    }

    /// A search thread for a new game.
    pub(super) fn thread_for(&mut self, kind: Kind, out: &mut Actions) -> (GameId, Options) {
        let options = self.options[&(kind as u8)].clone();
        if let Some(place) = self.pool.iter().position(|(_, ready)| *ready == options) {
            return self.pool.swap_remove(place);
        }
        let game = GameId(self.next_game);
        self.next_game += 1;
        let search = self.numbers.search();
        out.push(Action::Configure { game, search, options: Box::new(options.clone()) });
        (game, options)
    }

    fn release(&mut self, game: Game, out: &mut Actions) {
        out.push(Action::Abandon { game: game.id });
        if self.pool.len() < 2 * self.settings.accept.matches as usize {
            self.pool.push((game.id, game.options));
        } else {
            out.push(Action::Close { game: game.id });
        }
    }

    fn tell_state(&mut self, key: GameKey, out: &mut Actions) {
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
        let old =
            |waiting: &Finishing| now.saturating_duration_since(waiting.since) >= ARCHIVE_TIME;
        if self.finishing.iter().any(old) {
            self.flush_finishing(out);
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

/// A result from the first player's view, from Black's.
fn for_black(game: &Game, first: &str, result: f64) -> f64 {
    let first_is_black = game
        .players()
        .iter()
        .any(|player| player.login == *first && player.color == Some(Color::Black));
    if first_is_black { result } else { -result }
}

fn ending_text(line: &MatchLine, ending: &MatchEnding, own: Option<f64>) -> String {
    let [one, other] = &line.players;
    let how = match (ending, own) {
        (_, Some(own)) => format!("ends {own:+.2} for us"),
        (MatchEnding::Left(who), _) => format!("is left by {who}"),
        _ => "is aborted".to_owned(),
    };
    format!("match .{} {} – {}, {}, {how}", line.number, one.0, other.0, line.game_type.text)
}
