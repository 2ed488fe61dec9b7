//! One game as the bot plays it: what the server last showed, what was sent for it, and what is
//! being thought about. The server's board is the truth; nothing is sent for another one.

use std::time::{Duration, Instant};

use super::event::{GameView, PlayedMove, PlayerLine};
use super::words::{GameKey, GameType, GgsClock};
use crate::engine::{Clock, GameId, GameState, SearchId, Task};
use crate::options::Options;
use crate::othello::{Color, Move};
use crate::record::{Board, GameRecord, GameResult, Komi, Margin, Note};
use crate::search::TimeLimit;

/// Numbers of the way time is kept back. Chosen by reasoning: the server counts whole seconds and
/// this machine may be busy when the search ends.
mod parameters {
    use std::time::Duration;

    /// Kept back of long clocks, and of short ones.
    pub(super) const KEPT_BACK_LONG: Duration = Duration::from_secs(10);
    pub(super) const KEPT_BACK_SHORT: Duration = Duration::from_secs(2);
    /// What counts as a long clock.
    pub(super) const LONG: Duration = Duration::from_secs(60);
    /// At most this part of what is left is kept back: 1 / `LARGEST_PART`.
    pub(super) const LARGEST_PART: u32 = 2;
    /// Without trust the way to the server and back is charged too: so many times more is kept.
    pub(super) const WITHOUT_TRUST: u32 = 2;
    /// Longest thought when the main time is gone and at best a narrow loss is left.
    pub(super) const OUT_OF_TIME: Duration = Duration::from_millis(500);
    /// So many times the usual overrun is kept back for each move to come …
    pub(super) const OVERRUN: u32 = 2;
    /// … but never more than this part of what can be planned with.
    pub(super) const LARGEST_OVERRUN: f64 = 0.75;
    /// A clock that shows so much more than it can, beyond the increment, was given the extension.
    pub(super) const RISE: Duration = Duration::from_secs(1);
}

/// What can be done in a game now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// The bot has to choose a move.
    Mine,
    /// The bot has to pass.
    Pass,
    /// The bot has to bid for the colours.
    Bid,
    /// The opponent is to move.
    Theirs,
    /// A move was sent for this position, or the bid: the server will answer.
    Sent,
    /// Nobody can move.
    Over,
}

/// The search for a move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thinking {
    /// Which search.
    pub search: SearchId,
    /// For which position: board and number of moves made.
    pub of: (Board, usize),
    /// When it was asked for, and how long it may take.
    pub began: Instant,
    pub hard: Duration,
    /// When it must be over at the latest.
    pub deadline: Instant,
    /// Whether it was told to stop because of that.
    pub stopped: bool,
    /// The best move so far, and its value.
    pub best: Option<(Move, f64)>,
}

/// A game as the server showed it, in either form.
pub(super) struct Shown {
    pub game_type: GameType,
    pub komi: Option<f64>,
    pub made: usize,
    pub board: Board,
    pub players: [PlayerLine; 2],
    /// The whole game, if all of it was shown.
    pub whole: Option<GameRecord>,
    /// The last move, if only that was shown.
    pub last: Option<PlayedMove>,
    /// Whether the server shows the game anew, not a move of it.
    pub is_join: bool,
}

impl Shown {
    /// What a text board shows.
    pub(super) fn of_view(view: &GameView, is_join: bool) -> Shown {
        let whole = if is_join { whole(view) } else { None };
        Shown {
            game_type: view.game_type.clone(),
            komi: view.komi,
            made: view.made,
            board: view.board,
            players: view.players.clone(),
            whole,
            last: (!is_join).then(|| view.moves.last().copied()).flatten(),
            is_join,
        }
    }

    /// What a record in compact form shows; its clocks are worked out from the times of the moves.
    pub(super) fn of_record(record: &GameRecord) -> Option<Shown> {
        let state = GameState::of(record.clone());
        let line = |color: Color| {
            let player = record.player(color);
            let left = state.clock(color).map_or(Duration::ZERO, |clock| clock.left);
            let mut clock = GgsClock::default();
            if let Some(settings) = player.clock {
                clock = GgsClock::parse(&settings.to_string()).unwrap_or_default();
            }
            clock.main.time = Duration::from_secs(left.as_secs());
            let undecided = record.komi.as_ref().is_some_and(|komi| komi.value.is_none());
            PlayerLine {
                login: player.name.clone(),
                rating: player.rating.unwrap_or(0.0),
                color: (!undecided).then_some(color),
                clock,
            }
        };
        Some(Shown {
            game_type: GameType::parse(&record.game_type)?,
            komi: record.komi.as_ref().and_then(|komi| komi.value),
            made: record.history.moves().len(),
            board: record.history.board(),
            players: [line(Color::Black), line(Color::White)],
            whole: Some(record.clone()),
            last: None,
            is_join: true,
        })
    }
}

/// The record of a joined game, if its moves lead to the board shown.
fn whole(view: &GameView) -> Option<GameRecord> {
    let start = view.start.map_or(view.board, |(board, _)| board);
    let mut record = GameRecord::of_board(start);
    if view.moves.len() != view.made {
        return None;
    }
    for shown in &view.moves {
        record.history.play(shown.played).ok()?;
    }
    if record.history.board() != view.board {
        return None;
    }
    if view.moves.iter().any(|shown| shown.note != Note::default()) {
        record.notes = view.moves.iter().map(|shown| shown.note).collect();
    }
    let clocks = view.start.map(|(_, clocks)| clocks);
    for (index, player) in view.players.iter().enumerate() {
        if let Some(color) = player.color {
            let clock = clocks.map_or(player.clock, |clocks| clocks[index]);
            record.player_mut(color).clock = Some(clock.settings());
        }
    }
    Some(record)
}

/// The server was asked to show a game again.
struct Resync {
    since: Instant,
    /// How often it must show it until a move that was sent counts as refused.
    joins: u8,
}

/// One game of a match.
pub(super) struct Game {
    pub key: GameKey,
    /// Its search thread.
    pub id: GameId,
    pub options: Options,
    pub game_type: GameType,
    pub record: GameRecord,
    /// Whether the record has every move.
    pub complete: bool,
    pub board: Board,
    pub made: usize,
    players: [PlayerLine; 2],
    /// When the position came.
    pub since: Instant,
    /// When the clocks were shown.
    clocks_at: Instant,
    pub thinking: Option<Thinking>,
    /// The position the search thread was given to ponder.
    pub pondering: Option<Board>,
    /// The position for which a move was sent, and when; until the server shows another one.
    sent: Option<(Board, usize, Instant)>,
    /// Set while the answer to the question for the board is awaited.
    resync: Option<Resync>,
    /// How many answers to questions for the board are on their way.
    answers: u8,
    /// Whether the game came in compact form and was asked for as a board, which has the true clocks.
    pub asked_for_clocks: bool,
    /// How often moves were refused since one was taken.
    pub refused: u32,
    /// The bot's main time ran out: at best a narrow loss.
    pub out_of_time: bool,
    /// The bot's last value.
    pub value: Option<f64>,
    /// Whether that value is proven.
    pub solved: bool,
    pub over: bool,
    login: String,
}

impl Game {
    /// A game that was just shown for the first time.
    pub(super) fn new(
        key: GameKey,
        id: GameId,
        options: Options,
        login: &str,
        shown: &Shown,
        now: Instant,
    ) -> Game {
        let mut game = Game {
            key,
            id,
            options,
            game_type: shown.game_type.clone(),
            record: GameRecord::of_board(shown.board),
            complete: false,
            board: shown.board,
            made: shown.made,
            players: shown.players.clone(),
            since: now,
            clocks_at: now,
            thinking: None,
            pondering: None,
            sent: None,
            resync: None,
            answers: 0,
            asked_for_clocks: false,
            refused: 0,
            out_of_time: false,
            value: None,
            solved: false,
            over: false,
            login: login.to_owned(),
        };
        game.take_record(shown);
        game
    }

    /// Takes in what the server shows. True if it is another position than before.
    pub(super) fn show(&mut self, shown: &Shown, now: Instant) -> bool {
        let is_new = (self.board, self.made) != (shown.board, shown.made) || self.is_bid(shown);
        if shown.made > self.made {
            self.notice_lost_time(shown);
        }
        if let Some((board, made, _)) = self.sent {
            let still_there = (board, made) == (shown.board, shown.made) && !self.is_bid(shown);
            if !still_there {
                (self.sent, self.refused) = (None, 0);
            } else if shown.is_join && self.resync.as_ref().is_some_and(|asked| asked.joins <= 1) {
                // The answer to the question for the board, after an error: it was not taken.
                self.sent = None;
            }
        }
        if shown.is_join {
            self.note_answer();
        }
        match &mut self.resync {
            Some(asked) if !is_new && asked.joins > 1 => asked.joins -= u8::from(shown.is_join),
            _ if is_new || shown.is_join => self.resync = None,
            _ => {}
        }
        if is_new {
            self.since = now;
        }
        self.players = shown.players.clone();
        self.clocks_at = now;
        if let Some(thinking) = &mut self.thinking {
            // A clock that shows less than was planned with ends the search earlier.
            let left = self.players.iter().find(|player| player.login == self.login);
            let left = left.map_or(Duration::ZERO, |player| player.clock.left());
            thinking.deadline = thinking.deadline.min(now + (left - kept_back(left)));
        }
        (self.board, self.made) = (shown.board, shown.made);
        self.take_record(shown);
        is_new
    }

    /// The server is asked to show the game.
    pub(super) fn note_question(&mut self) {
        self.answers = self.answers.saturating_add(1);
    }

    /// The server has shown it, or tried to.
    pub(super) fn note_answer(&mut self) {
        self.answers = self.answers.saturating_sub(1);
    }

    /// Notes that the server is about to be asked to show the game again; how often to ask. A move
    /// that was sent counts as refused only by a board that was surely shown after it arrived: the
    /// answers to earlier questions do not count, and of those to two new ones the second does even
    /// if the server also showed the game unasked. Not asked again before the time `patience` is
    /// over.
    pub(super) fn ask_again(&mut self, now: Instant, patience: Duration) -> u8 {
        let waits = |asked: &Resync| now.saturating_duration_since(asked.since) < patience;
        if self.resync.as_ref().is_some_and(waits) {
            return 0;
        }
        if self.resync.is_some() {
            // Nobody answered.
            self.answers = 0;
        }
        let questions = if self.sent.is_some() && !self.is_bidding() { 2 } else { 1 };
        let joins = self.answers.saturating_add(questions);
        self.resync = Some(Resync { since: now, joins });
        questions
    }

    /// The server says that something is wrong with what was sent.
    pub(super) fn refuse(&mut self) {
        self.refused += u32::from(self.sent.is_some());
    }

    /// Whether this settles the bids: the same board may be shown again with colours.
    fn is_bid(&self, shown: &Shown) -> bool {
        self.is_bidding() && shown.players.iter().all(|player| player.color.is_some())
    }

    /// Whether the colours are still open.
    pub(super) fn is_bidding(&self) -> bool {
        self.players.iter().any(|player| player.color.is_none())
    }

    /// A clock that goes up by more than the increment was given the extension.
    fn notice_lost_time(&mut self, shown: &Shown) {
        for (old, new) in self.players.iter().zip(&shown.players) {
            // Where the main time is for some moves only, more comes after these.
            let may_rise = new.clock.has_overtime() || new.clock.main.moves > 0;
            if old.login != self.login || new.login != self.login || may_rise {
                continue;
            }
            let added = new.clock.increment.map_or(Duration::ZERO, |part| part.time);
            let most = old.clock.left() + added + parameters::RISE;
            if new.clock.left() > most || new.clock.main.negative {
                self.out_of_time = true;
            }
        }
    }

    fn take_record(&mut self, shown: &Shown) {
        if let Some(record) = &shown.whole {
            let clocks = [Color::Black, Color::White].map(|color| self.record.player(color).clock);
            self.record.history = record.history.clone();
            self.record.notes.clone_from(&record.notes);
            for (color, known) in [Color::Black, Color::White].into_iter().zip(clocks) {
                // The settings are shown exactly once moves are made, or were known before.
                let shown = record.player(color).clock;
                self.record.player_mut(color).clock =
                    if self.made > 0 { shown } else { known.or(shown) };
            }
            if record.komi.is_some() {
                self.record.komi.clone_from(&record.komi);
            }
            self.complete = true;
        } else if let Some(last) = shown.last {
            let have = self.record.history.moves().len();
            if have + 1 == shown.made
                && self.record.history.play(last.played).is_ok()
                && last.note != Note::default()
            {
                self.record.notes.resize(have, Note::default());
                self.record.notes.push(last.note);
            }
            self.complete &= self.record.history.moves().len() == shown.made
                && self.record.history.board() == shown.board;
        } else {
            self.complete = self.record.history.board() == shown.board;
        }
        self.record.place = "GGS/os".to_owned();
        self.record.game_type.clone_from(&shown.game_type.text);
        if shown.game_type.komi {
            let komi = self.record.komi.get_or_insert_with(Komi::default);
            komi.value = shown.komi.or(komi.value);
        }
        for player in &shown.players {
            if let Some(color) = player.color {
                let info = self.record.player_mut(color);
                info.name.clone_from(&player.login);
                info.rating = Some(player.rating);
            }
        }
    }

    /// The bot's main time is gone: the game is lost, unless overtime follows.
    pub(super) fn time_is_gone(&mut self) {
        let has_overtime = self.players.iter().any(|player| player.clock.has_overtime());
        self.out_of_time |= !has_overtime;
    }

    /// The bot's last value if it is proven, as a result of the match: less the komi.
    pub(super) fn solved_result(&self) -> Option<f64> {
        let value = self.value.filter(|_| self.solved)?;
        let komi = self.record.komi.as_ref().and_then(|komi| komi.value).unwrap_or(0.0);
        match self.color()? {
            Color::Black => Some(value - komi),
            Color::White => Some(value + komi),
        }
    }

    /// What the bot can do now.
    pub(super) fn turn(&self) -> Turn {
        let position = self.board.position;
        if self.over || position.is_over() {
            Turn::Over
        } else if self.sent.is_some() {
            Turn::Sent
        } else if self.is_bidding() {
            Turn::Bid
        } else if !self.is_mine(self.board.turn) {
            Turn::Theirs
        } else if position.must_pass() {
            Turn::Pass
        } else {
            Turn::Mine
        }
    }

    /// Whether the bot plays this colour: as the line with its login says, and nothing else.
    pub(super) fn is_mine(&self, color: Color) -> bool {
        self.players.iter().any(|player| player.login == self.login && player.color == Some(color))
    }

    /// The bot's colour, if it has one.
    pub(super) fn color(&self) -> Option<Color> {
        let mut own = [Color::Black, Color::White].into_iter().filter(|&color| self.is_mine(color));
        own.next().filter(|_| own.next().is_none())
    }

    /// The opponent's name.
    pub(super) fn opponent(&self) -> &str {
        let other = self.players.iter().find(|player| player.login != self.login);
        other.map_or(self.login.as_str(), |player| player.login.as_str())
    }

    /// Whether a search runs for it, of a move or on the opponent's time.
    pub(super) fn is_searched(&self) -> bool {
        self.thinking.is_some() || self.pondering.is_some()
    }

    /// Whether these two play it.
    pub(super) fn is_between(&self, players: &[(String, f64); 2]) -> bool {
        let [one, other] = &self.players;
        let [(first, _), (second, _)] = players;
        [(first, second), (second, first)].contains(&(&one.login, &other.login))
    }

    /// The players as shown.
    pub(super) fn players(&self) -> &[PlayerLine; 2] {
        &self.players
    }

    /// A move goes out for the position shown; its time is what passed since it was shown.
    pub(super) fn send(&mut self, now: Instant) -> f64 {
        (self.thinking, self.pondering) = (None, None);
        // What was asked for before this move says nothing about it.
        self.resync = None;
        self.sent = Some((self.board, self.made, now));
        now.saturating_duration_since(self.since).as_secs_f64()
    }

    /// How long the server has not answered to a move.
    pub(super) fn unanswered(&self, now: Instant) -> Option<Duration> {
        let (_, _, at) = self.sent.filter(|_| !self.is_bidding())?;
        Some(now.saturating_duration_since(at))
    }

    /// The search for the move, or the bid, in the position shown.
    /// Besides its thinking every move costs about `overrun` on this machine.
    pub(super) fn task(&self, trust: bool, lag: Duration, overrun: Duration, now: Instant) -> Task {
        let clock = self.planning_clock(trust, overrun, now);
        let mut options = self.options.clone();
        if !trust {
            // The option's range ends at ten seconds.
            let lag = (lag.as_millis() as i64).min(9_000);
            let set = options
                .value_of("move-overhead")
                .map_or(0, |value| value.to_string().parse::<i64>().unwrap_or(0));
            let _ = options.set("move-overhead", &(lag + set).min(10_000).to_string());
        }
        let mut task = Task::play(&options, self.board.position, Some(&clock));
        if self.out_of_time {
            let time = &mut task.request.limits.time;
            let hard = time.map_or(parameters::OUT_OF_TIME, |time| time.hard);
            *time = Some(TimeLimit::fixed(hard.min(parameters::OUT_OF_TIME)));
        }
        if self.is_bidding() {
            task.softness = 0.0;
        }
        task
    }

    /// What is left for planning: less than the clock shows, never the extension, and less what
    /// has passed since it was shown.
    fn planning_clock(&self, trust: bool, overrun: Duration, now: Instant) -> Clock {
        let own = |player: &&PlayerLine| {
            player.login == self.login && player.color.is_none_or(|color| color == self.board.turn)
        };
        let shown = self.players.iter().find(own).unwrap_or(&self.players[0]).clock;
        let left = shown.left();
        let more = if trust { 1 } else { parameters::WITHOUT_TRUST };
        let kept = (kept_back(left) * more).min(left / parameters::LARGEST_PART);
        let moves = self.board.position.empty_count() / 2 + 1;
        let most = (left - kept).mul_f64(parameters::LARGEST_OVERRUN);
        let late = (overrun * moves * parameters::OVERRUN).min(most);
        let mut clock = shown.plan(kept + late + now.saturating_duration_since(self.clocks_at));
        if let Some(settings) = self.record.player(self.board.turn).clock {
            clock.initial = clock.initial.max(settings.main.time);
        }
        clock
    }

    /// The game is over with this result from Black's view, komi included.
    pub(super) fn finish(&mut self, discs: Option<f64>) {
        (self.over, self.pondering) = (true, None);
        if let Some(discs) = discs {
            let ending = if self.record.history.is_over() || self.out_of_time {
                crate::record::Ending::Scored
            } else {
                crate::record::Ending::Resigned
            };
            self.record.result = Some(GameResult { margin: Margin::Discs(discs), ending });
        }
    }
}

/// A player's moves in some games, and the seconds they took.
pub(super) fn own_time(records: &[GameRecord], login: &str) -> (usize, f64) {
    let mut sum = (0, 0.0);
    for record in records {
        let plies = record.history.boards().iter().zip(record.history.moves()).enumerate();
        for (ply, (board, played)) in plies {
            if record.player(board.turn).name == login && *played != Move::Pass {
                sum = (sum.0 + 1, sum.1 + record.note(ply).seconds.unwrap_or(0.0));
            }
        }
    }
    sum
}

/// How much of a clock is not planned with.
fn kept_back(left: Duration) -> Duration {
    let kept = if left >= parameters::LONG {
        parameters::KEPT_BACK_LONG
    } else {
        parameters::KEPT_BACK_SHORT
    };
    kept.min(left / parameters::LARGEST_PART)
}
