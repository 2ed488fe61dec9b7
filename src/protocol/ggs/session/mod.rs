//! The bot itself: a plain state machine. Lines, search results and the time go in, commands,
//! searches and reports come out.
//!
//! Here are its state and its connection: login, the look as a guest, set-up, keepalive, the end.
//! [`matches`] come and go, [`lost`] finds those whose end was not heard, [`games`] plays,
//! [`challenges`] finds opponents, [`operator`] obeys. The session outlives its connections; whoever connects it asks [`GgsSession::next_step`] what to do when one ends.

mod challenges;
mod games;
mod lost;
mod matches;
mod operator;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use rand::Rng;

use self::challenges::{OwnAsk, Pending};
use self::lost::{Lost, Search};
use self::matches::{Finishing, Match};
use super::event::{Event, Request, StoredGame};
use super::framing::{self, Frame, Framer};
use super::grammar::{self, SERVICE};
use super::report::Report;
use super::settings::{Settings, SettingsError, seconds};
use super::words::Kind;
use super::writer::Command;
use crate::engine::GameId;
use crate::options::Options;
use crate::protocol::{Action, Actions, Input, InputLine, Numbers, Phase, Session};
use crate::random::{Random, seeded};

/// How often to look at the time.
const TICK: Duration = Duration::from_millis(500);
/// Most messages kept that come before the first prompt.
const MOST_EARLY: usize = 256;
/// How long a login may take.
const LOGIN_TIME: Duration = Duration::from_secs(110);
/// A message without a prompt is taken as it is after so much silence.
const QUIET: Duration = Duration::from_millis(400);
/// A connection that held this long makes the next waits short again.
const STEADY: Duration = Duration::from_secs(60);
/// Ended so soon after login, so many times in a row, someone else wants the account.
const FIGHTS: u32 = 5;

/// What a connection is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    /// There is none.
    Closed,
    /// Waiting to be asked for the login.
    Login,
    /// Waiting to be asked for the password.
    Password,
    /// Waiting for the first prompt.
    Ready,
    /// Logged in.
    Up,
    /// Nothing more is to be said.
    Done,
}

/// How a connection ended.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    /// By us, for good.
    Stop(String),
    /// The server closed it.
    Closed,
    /// It was never made, or nobody answered.
    Broken,
    /// The look as a guest is done.
    Looked {
        /// Whether someone else is logged in with our account.
        taken: bool,
    },
}

/// What to do when a connection has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Connect again after this time.
    Connect(Duration),
    /// Nothing more; the text says why.
    Stop(String),
}

/// A bot on GGS.
pub struct GgsSession {
    pub(super) settings: Settings,
    password: String,
    options: BTreeMap<u8, Options>,
    numbers: Numbers,
    random: Random,
    link: Link,
    end: Option<End>,
    /// Whether this connection only looks who is there, and under which name.
    guest: Option<String>,
    /// Whether the next connection shall.
    look_first: bool,
    /// Failed connections in a row, for the waits between them.
    attempts: u32,
    /// Connections in a row that the server closed soon after login.
    fights: u32,
    framer: Framer,
    /// What came between the password and the first prompt: taken when the set-up is sent.
    early: Vec<Frame>,
    now: Instant,
    connected: Instant,
    logged_in: Option<Instant>,
    ended: Instant,
    last_line: Instant,
    last_sent: Instant,
    /// When the oldest thing was sent that nothing has come after.
    unanswered: Option<Instant>,
    service_up: bool,
    paused: bool,
    quitting: bool,
    matches: BTreeMap<u32, Match>,
    finishing: Vec<Finishing>,
    /// Matches whose end was not heard, and what the server is being asked about them.
    lost: VecDeque<Lost>,
    search: Option<Search>,
    /// Archive numbers of matches whose results are recorded.
    recorded: BTreeSet<u32>,
    /// Archive numbers whose games were asked for, oldest question first.
    looks: VecDeque<u32>,
    requests: BTreeMap<u32, Request>,
    pending: Vec<Pending>,
    ask: Option<OwnAsk>,
    stored: Vec<StoredGame>,
    /// Turns taken among stored games and opponents.
    turns: usize,
    idle_since: Instant,
    refusals: BTreeMap<String, Instant>,
    /// Search threads without a game, with what they are configured with.
    pool: Vec<(GameId, Options)>,
    next_game: u32,
    next_tag: u64,
    /// The longest recent way to the server and back.
    lag: Duration,
    /// What a move costs besides its thinking: this machine may be busy.
    overrun: Duration,
    /// How many searches may run at once before they hinder each other.
    cores: usize,
}

impl GgsSession {
    /// A bot that was never connected.
    ///
    /// # Errors
    /// If the engine settings cannot be used.
    pub fn new(
        settings: Settings,
        password: String,
        seed: u64,
        now: Instant,
    ) -> Result<GgsSession, SettingsError> {
        let mut options = BTreeMap::new();
        for kind in [Kind::Normal, Kind::Synchro, Kind::Random, Kind::Komi] {
            options.insert(kind as u8, settings.options(kind)?);
        }
        Ok(GgsSession {
            settings,
            password,
            options,
            numbers: Numbers::default(),
            random: seeded(seed),
            link: Link::Closed,
            end: None,
            guest: None,
            look_first: false,
            attempts: 0,
            fights: 0,
            framer: Framer::default(),
            early: Vec::new(),
            now,
            connected: now,
            logged_in: None,
            ended: now,
            last_line: now,
            last_sent: now,
            unanswered: None,
            service_up: false,
            paused: false,
            quitting: false,
            matches: BTreeMap::new(),
            finishing: Vec::new(),
            lost: VecDeque::new(),
            search: None,
            recorded: BTreeSet::new(),
            looks: VecDeque::new(),
            requests: BTreeMap::new(),
            pending: Vec::new(),
            ask: None,
            stored: Vec::new(),
            turns: 0,
            idle_since: now,
            refusals: BTreeMap::new(),
            pool: Vec::new(),
            next_game: 0,
            next_tag: 0,
            lag: Duration::ZERO,
            overrun: Duration::ZERO,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        })
    }

    /// A connection was made; the engine behind it has no games yet.
    pub fn begin(&mut self, now: Instant, actions: &mut Actions) {
        self.now = now;
        self.link = Link::Login;
        self.end = None;
        self.framer = Framer::default();
        self.early.clear();
        (self.connected, self.last_line, self.last_sent) = (now, now, now);
        (self.logged_in, self.unanswered) = (None, None);
        self.guest = self.look_first.then(|| self.guest_name());
        self.look_first = false;
        self.service_up = false;
        self.pool.clear();
        if self.guest.is_none() {
            // Method and tables are made before the first game needs them.
            for _ in 0..self.settings.accept.matches {
                let (game, options) = self.thread_for(Kind::Normal, actions);
                self.pool.push((game, options));
            }
        }
        self.tick_later(actions);
    }

    /// What to do now that the connection is gone, or could not be made.
    pub fn next_step(&mut self, now: Instant, actions: &mut Actions) -> NextStep {
        self.now = now;
        self.drop_matches(actions);
        self.flush_finishing(actions);
        let was_up = self.logged_in.take();
        // Who is pushed out by a second login while writing sees a broken connection, not its end.
        let unsaid = if was_up.is_some() { End::Closed } else { End::Broken };
        let end = self.end.take().unwrap_or(unsaid);
        self.link = Link::Closed;
        let was_guest = self.guest.take().is_some();
        if was_up.is_some_and(|at| now.saturating_duration_since(at) >= STEADY) {
            (self.attempts, self.fights) = (0, 0);
        }
        match end {
            End::Stop(reason) => return NextStep::Stop(reason),
            End::Looked { taken: true } => {
                return NextStep::Stop(format!(
                    "someone else has logged in as {}: leaving the account to them",
                    self.settings.login
                ));
            }
            End::Looked { taken: false } => return NextStep::Connect(Duration::ZERO),
            End::Closed if !was_guest && was_up.is_some() => {
                self.ended = now;
                self.look_first = self.settings.connection.look_first;
                self.fights += 1;
                if !self.look_first && self.fights >= FIGHTS {
                    return NextStep::Stop(format!(
                        "the server closed the connection {FIGHTS} times soon after login: is \
                         someone else using {}?",
                        self.settings.login
                    ));
                }
            }
            End::Closed | End::Broken => {}
        }
        NextStep::Connect(self.back_off())
    }

    /// The wait before the next connection: doubled each time, and up to half as much again by
    /// chance so that many bots do not come back in the same moment.
    fn back_off(&mut self) -> Duration {
        let connection = &self.settings.connection;
        let wait = connection.reconnect_first * f64::from(1u32 << self.attempts.min(16));
        let wait = wait.min(connection.reconnect_most) * self.random.random_range(1.0..1.5);
        self.attempts += 1;
        seconds(wait)
    }

    /// A name that is surely nobody's, to look who is there.
    fn guest_name(&mut self) -> String {
        let letters: String =
            (0..5).map(|_| char::from(self.random.random_range(b'a'..=b'z'))).collect();
        format!("gst{letters}")
    }

    fn tick_later(&mut self, out: &mut Actions) {
        let request = self.numbers.request();
        let connection = &self.settings.connection;
        let shortest = seconds(connection.keepalive.min(connection.silence) / 4.0);
        out.push(Action::Later { request, after: TICK.min(shortest) });
    }

    pub(super) fn send(&mut self, command: &Command, out: &mut Actions) {
        self.last_sent = self.now;
        self.unanswered.get_or_insert(self.now);
        out.push(Action::Send(command.line().to_owned()));
    }

    pub(super) fn news(&self, text: impl Into<String>, out: &mut Actions) {
        out.push(Action::Report(Box::new(Report::News(text.into()))));
    }

    fn finish(&mut self, end: End) {
        self.link = Link::Done;
        self.end.get_or_insert(end);
    }

    fn line(&mut self, text: &str, out: &mut Actions) {
        self.last_line = self.now;
        self.unanswered = None;
        let plain = framing::plain(text);
        let text = plain.as_str();
        match self.link {
            Link::Closed | Link::Done => {}
            Link::Login => {
                if text.contains("Enter login") {
                    self.link = Link::Password;
                    let name = self.guest.clone().unwrap_or_else(|| self.settings.login.clone());
                    self.send(&Command::secret(&name), out);
                }
            }
            Link::Password => {
                if text.contains("Enter your password") {
                    self.link = Link::Ready;
                    let secret = match &self.guest {
                        Some(name) => name.clone(),
                        None => self.password.clone(),
                    };
                    self.last_sent = self.now;
                    self.unanswered = Some(self.now);
                    out.push(Action::Secret(Command::secret(&secret).line().to_owned()));
                } else if text.contains("ERR") || text.contains("Enter login") {
                    self.refused_login(text, out);
                }
            }
            Link::Ready => {
                if text.contains("ERR Password") || text.contains("Enter login") {
                    self.refused_login(text, out);
                } else if framing::is_prompt(text) {
                    self.log_in(out);
                } else if self.guest.is_none() && self.early.len() < MOST_EARLY {
                    // Games of a tournament come before everything else.
                    let early = &mut self.early;
                    self.framer.line(text, |frame| early.push(frame));
                }
            }
            Link::Up => self.frame(text, out),
        }
    }

    fn refused_login(&mut self, text: &str, out: &mut Actions) {
        if self.guest.is_some() {
            // Not even a guest may look: log in and see.
            return self.finish(End::Looked { taken: false });
        }
        let reason = format!("the server refuses login or password: {}", text.trim());
        self.news(reason.clone(), out);
        self.finish(End::Stop(reason));
    }

    fn log_in(&mut self, out: &mut Actions) {
        self.link = Link::Up;
        self.logged_in = Some(self.now);
        if self.guest.is_some() {
            return self.send(&Command::central("who"), out);
        }
        self.idle_since = self.now;
        self.news(format!("logged in as {}", self.settings.login), out);
        for text in [
            "vt100 -",
            "bell -t -tc -tg -n -nc -ng -ni -nn",
            "verbose -news -faq -help -ack",
            "chann %",
            "notify + /os",
        ] {
            self.send(&Command::central(text), out);
        }
        self.set_up_service(out);
        let mut early = std::mem::take(&mut self.early);
        self.framer.flush(&mut |frame| early.push(frame));
        for frame in early {
            self.take_frame(frame, out);
        }
    }

    /// Every option that the bot relies on: the server keeps them between sessions.
    fn set_up_service(&mut self, out: &mut Actions) {
        self.service_up = true;
        self.stored.clear();
        let switch = |on: bool| if on { '+' } else { '-' };
        let (trust, rated) = (self.settings.trust, self.settings.rated);
        let request = self.settings.accept.open_challenges;
        for text in [
            "client -".to_owned(),
            // Formulas would accept and decline in the bot's place.
            "aform".to_owned(),
            "dform".to_owned(),
            "bell -r -p -w -n -ns -nn -nt -ni -nr -nw -ta -to -tp".to_owned(),
            "vt100 -".to_owned(),
            format!("trust {}", switch(trust)),
            format!("rated {}", switch(rated)),
            format!("request {}", switch(request)),
        ] {
            self.send(&Command::service(text), out);
        }
        self.send_open(out);
        for tournament in self.settings.tournaments.clone() {
            self.send(&Command::central(format_args!("tell /td join {tournament}")), out);
        }
        self.ask_for_stored(out);
    }

    fn frame(&mut self, text: &str, out: &mut Actions) {
        let mut frames = Vec::new();
        self.framer.line(text, |frame| frames.push(frame));
        for frame in frames {
            self.take_frame(frame, out);
        }
    }

    fn take_frame(&mut self, frame: Frame, out: &mut Actions) {
        let Frame::Message(message) = frame else { return };
        if self.guest.is_some() {
            return self.look(&message, out);
        }
        let event = grammar::event(&message);
        tracing::debug!(?event, "GGS");
        if !self.service_up && message.source == framing::Source::Name(SERVICE.to_owned()) {
            // It speaks, so it is back, even if nobody said so.
            self.service(true, out);
        }
        self.event(event, out);
    }

    /// As a guest: is someone logged in with our account, and since when?
    fn look(&mut self, message: &framing::Message, out: &mut Actions) {
        let first = message.lines.first().map_or("", String::as_str);
        if message.source != framing::Source::Central || !first.starts_with("who") {
            return;
        }
        let away = self.now.saturating_duration_since(self.ended);
        let taken = message.lines.iter().skip(1).any(|line| {
            line.split_whitespace().next() == Some(self.settings.login.as_str())
                && !was_there_before(line, away)
        });
        self.send(&Command::central("quit"), out);
        self.finish(End::Looked { taken });
    }

    fn event(&mut self, event: Event, out: &mut Actions) {
        match event {
            Event::Presence { login, present } if login == SERVICE => self.service(present, out),
            Event::Central(lines) => {
                let text = lines.first().map_or("", String::as_str);
                if text.starts_with("ERR user '/os'") && self.service_up {
                    self.service(false, out);
                } else if text.starts_with("ERR") {
                    self.news(format!("the server says: {text}"), out);
                }
            }
            Event::Tell { from, lines } => self.told(&from, &lines, out),
            Event::Request(request) => self.requested(*request, out),
            Event::RequestGone(request) => self.request_gone(&request),
            Event::Stored(games) => self.list_stored(games, out),
            Event::History(entries) => self.listed_history(entries, out),
            Event::StoredOpponent(_) => self.ask_for_stored(out),
            Event::ServiceError(text) => self.service_error(&text, out),
            other => self.game_event(other, out),
        }
    }

    fn service(&mut self, present: bool, out: &mut Actions) {
        if present == self.service_up {
            return;
        }
        if present {
            self.news("the game service is back", out);
            return self.set_up_service(out);
        }
        self.news("the game service is down: its matches and challenges are gone", out);
        self.service_up = false;
        self.drop_matches(out);
    }

    fn tick(&mut self, out: &mut Actions) {
        self.tick_later(out);
        let since = |at: Instant| self.now.saturating_duration_since(at);
        if self.link != Link::Up {
            if since(self.connected) >= LOGIN_TIME {
                self.finish(End::Broken);
            }
            return;
        }
        let silent = self
            .unanswered
            .is_some_and(|at| since(at) >= seconds(self.settings.connection.silence));
        if silent {
            self.news("nothing comes from the server any more: connecting again", out);
            return self.finish(End::Broken);
        }
        let waits = self.framer.open().is_some_and(grammar::is_complete);
        if waits && since(self.last_line) >= QUIET {
            let mut frames = Vec::new();
            self.framer.flush(&mut |frame| frames.push(frame));
            for frame in frames {
                self.take_frame(frame, out);
            }
        }
        if self.guest.is_some() {
            return;
        }
        self.tick_games(out);
        self.tick_matches(out);
        self.tick_search(out);
        self.tick_challenges(out);
        let is_done = self.matches.is_empty() && self.finishing.is_empty() && !self.is_searching();
        if self.quitting && is_done {
            self.send(&Command::central("quit"), out);
            return self.finish(End::Stop("an operator told the bot to leave".to_owned()));
        }
        let quiet = self.now.saturating_duration_since(self.last_sent);
        if quiet >= seconds(self.settings.connection.keepalive) {
            let nothing = Command::nothing();
            let question = Command::service("stored");
            self.send(if self.service_up { &nothing } else { &question }, out);
        }
    }
}

/// Whether a line of `who` shows a time of more than `away` and a margin: our own connection, which
/// the server has not missed yet. Times are `MM:SS` or longer.
fn was_there_before(line: &str, away: Duration) -> bool {
    const MARGIN: u64 = 20;
    let time = |word: &str| {
        let parts: Option<Vec<u64>> = word.split(':').map(|part| part.parse().ok()).collect();
        parts.filter(|parts| (2..=3).contains(&parts.len())).map(|parts| {
            parts.iter().fold(0u64, |sum, part| sum.saturating_mul(60).saturating_add(*part))
        })
    };
    line.split_whitespace().filter_map(time).any(|online| online > away.as_secs() + MARGIN)
}

impl Session for GgsSession {
    fn take(&mut self, input: Input<'_>, now: Instant, actions: &mut Actions) {
        self.now = now;
        match input {
            Input::Line(InputLine::Text(text)) => self.line(text, actions),
            Input::Line(InputLine::TooLong) => {}
            Input::Event(event) => self.engine_event(event, actions),
            Input::Timer(_) => self.tick(actions),
            Input::EndOfInput => self.finish(End::Closed),
            Input::Loaded(..) | Input::Saved(..) => {}
        }
    }

    fn phase(&self) -> Phase {
        if self.link == Link::Done { Phase::Finished } else { Phase::Open }
    }
}
