//! Users and their commands: the central server and the service `/os` in one.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use kitai::random::{Random, seeded};

use super::play::Match;
use super::requests::Request;
use super::{Outgoing, text};

/// Ids of requests and matches are below this.
const IDS: u32 = 64;

/// Nobody looked at the time for so long: everything stood still.
const PAUSE: Duration = Duration::from_secs(2);

pub(crate) struct User {
    pub(super) password: String,
    pub(super) out: Option<Outgoing>,
    pub(super) since: Instant,
    pub(super) open: u32,
    pub(super) trust: bool,
    pub(super) rated: bool,
    pub(super) client: bool,
    /// The next move is refused although it is right.
    pub(super) refuse: bool,
    /// The connection breaks at the end of the next match, before a word of it gets through.
    pub(crate) cut_at_end: bool,
    /// The next message comes without its prompt.
    pub(super) no_prompt: bool,
}

/// A match that ended.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub players: [String; 2],
    pub game_type: String,
    pub result: f64,
    pub archive: u32,
    /// Whether it counts: only then is it in the archive.
    pub rated: bool,
}

/// Everything the server knows.
pub(crate) struct State {
    pub users: BTreeMap<String, User>,
    pub(super) requests: BTreeMap<u32, Request>,
    pub matches: BTreeMap<u32, Match>,
    pub stored: BTreeMap<u32, Match>,
    pub(super) archive: BTreeMap<u32, String>,
    pub(super) next_archive: u32,
    pub(super) next_id: [u32; 2],
    pub(super) random: Random,
    pub(super) up: bool,
    pub(super) back_at: Option<Instant>,
    /// Finished matches.
    pub ended: Vec<Ended>,
    /// Matches that the players aborted.
    pub aborted: u32,
    /// Archive numbers of stored matches that were ever made.
    pub adjourned: u32,
    /// Moves refused for good reason: never by a right bot.
    pub wrong_moves: Vec<String>,
    /// Time-outs.
    pub timeouts: Vec<String>,
    /// Commands that nobody knows.
    pub unknown: BTreeSet<String>,
    /// Every line each user sent to others or that holds a backslash.
    pub tells: Vec<String>,
    /// Faults made, by name.
    pub faults: BTreeMap<&'static str, u32>,
    pub logins: u32,
    /// Matches that began, not counting those that went on.
    pub begun: u32,
    /// Matches that were left before the bids were in: nobody stores those.
    pub unbid: u32,
    /// No more faults, and no more new matches: what is stored can be finished.
    pub closing: bool,
    /// When the server last looked at the time.
    seen: Instant,
    /// How long everything stood still.
    pub paused: Duration,
}

impl State {
    pub(crate) fn new(seed: u64) -> State {
        State {
            users: BTreeMap::new(),
            requests: BTreeMap::new(),
            matches: BTreeMap::new(),
            stored: BTreeMap::new(),
            archive: BTreeMap::new(),
            next_archive: 0,
            next_id: [0, 0],
            random: seeded(seed),
            up: true,
            back_at: None,
            ended: Vec::new(),
            aborted: 0,
            adjourned: 0,
            wrong_moves: Vec::new(),
            timeouts: Vec::new(),
            unknown: BTreeSet::new(),
            tells: Vec::new(),
            faults: BTreeMap::new(),
            logins: 0,
            begun: 0,
            unbid: 0,
            closing: false,
            seen: Instant::now(),
            paused: Duration::ZERO,
        }
    }

    /// Server and players may be stopped together for a while, when others use the machine. Nobody's
    /// clock runs then: a gap in the looks at the time tells.
    pub(super) fn notice_pause(&mut self, now: Instant) {
        let gap = now.saturating_duration_since(self.seen);
        self.seen = now;
        if gap < PAUSE {
            return;
        }
        self.paused += gap;
        let games = self.matches.values_mut().flat_map(|found| &mut found.games);
        for at in games.flat_map(|game| &mut game.running).flatten() {
            *at += gap;
        }
    }

    pub(crate) fn enter(&mut self, login: &str, password: &str, out: Outgoing) -> bool {
        let user = self.users.entry(login.to_owned()).or_insert_with(|| User {
            password: password.to_owned(),
            out: None,
            since: Instant::now(),
            open: 0,
            trust: false,
            rated: true,
            client: true,
            refuse: false,
            cut_at_end: false,
            no_prompt: false,
        });
        if user.password != password {
            return false;
        }
        if let Some(older) = user.out.take() {
            older.cut();
            self.adjourn_matches_of(login);
        }
        let user = self.users.get_mut(login).unwrap();
        user.since = Instant::now();
        user.out = Some(out.clone());
        self.logins += 1;
        out.text("READY\r\n");
        if self.up {
            // Without a prompt of its own.
            out.text(": + /os 1\r\n");
        }
        let numbers: Vec<u32> = self.matches.keys().copied().collect();
        for number in numbers {
            if let Some(player) = self.player(number, login) {
                self.show_all(number, player);
            }
        }
        true
    }

    pub(crate) fn is_connection(&self, login: &str, out: &Outgoing) -> bool {
        let user = self.users.get(login).and_then(|user| user.out.as_ref());
        user.is_some_and(|own| own.is_same(out))
    }

    pub(crate) fn is_here(&self, login: &str) -> bool {
        self.users.get(login).is_some_and(|user| user.out.is_some())
    }

    /// Closes a user's connection.
    pub(crate) fn cut(&mut self, login: &str) {
        if let Some(out) = self.users.get_mut(login).and_then(|user| user.out.take()) {
            out.cut();
            self.adjourn_matches_of(login);
        }
    }

    pub(crate) fn leave(&mut self, login: &str) {
        self.cut(login);
        let gone: Vec<u32> = self
            .requests
            .iter()
            .filter(|(_, r)| r.asker == login || r.opponent.as_deref() == Some(login))
            .map(|(id, _)| *id)
            .collect();
        gone.into_iter().for_each(|id| self.remove_request(id));
    }

    pub(super) fn player(&self, number: u32, login: &str) -> Option<usize> {
        self.matches.get(&number)?.players.iter().position(|name| name == login)
    }

    pub(super) fn raw(&self, login: &str, text: &str) {
        if let Some(out) = self.users.get(login).and_then(|user| user.out.as_ref()) {
            out.text(text);
        }
    }

    /// A message of several lines, as it comes between prompts.
    pub(crate) fn message(&mut self, login: &str, from: &str, lines: &[String]) {
        let mut text = String::from("\r\n");
        for (index, line) in lines.iter().enumerate() {
            let mark = if index == 0 { format!("{from}: ") } else { "|".to_owned() };
            let line = if index + 1 == lines.len() { line.trim_end() } else { line };
            text += &format!("{mark}{line}\r\n");
        }
        let Some(user) = self.users.get_mut(login) else { return };
        if !std::mem::replace(&mut user.no_prompt, false) {
            text += "READY\r\n";
        }
        self.raw(login, &text);
    }

    pub(super) fn os(&mut self, login: &str, line: impl Into<String>) {
        self.message(login, "/os", &[line.into()]);
    }

    pub(crate) fn command(&mut self, login: &str, line: &str) {
        if line.contains('\\') {
            self.unknown.insert(format!("backslash: {line}"));
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] | ["vt100" | "bell" | "verbose" | "chann" | "notify", ..] => {
                self.raw(login, "READY\r\n");
            }
            ["quit"] => self.leave(login),
            ["who"] => self.who(login),
            ["tell", "/os", rest @ ..] if self.up => {
                self.raw(login, "READY\r\n");
                self.os_command(login, rest);
            }
            ["tell", "/os", ..] => {
                self.raw(login, ": ERR user '/os' not found.\r\nREADY\r\n");
            }
            ["tell", to, ..] => {
                self.tells.push(line.to_owned());
                if self.is_here(to) {
                    let text = line.splitn(3, ' ').nth(2).unwrap_or("").replace('\\', "\r\n|");
                    let to = (*to).to_owned();
                    self.message(&to, login, &[text]);
                } else {
                    self.raw(login, &format!(": ERR user '{to}' not found.\r\n"));
                }
                self.raw(login, "READY\r\n");
            }
            [word, ..] => {
                self.unknown.insert(line.to_owned());
                self.raw(login, &format!(": ERR command '{word}' not recognized.\r\nREADY\r\n"));
            }
        }
    }

    pub(super) fn who(&mut self, login: &str) {
        let here = self.users.iter().filter(|(_, user)| user.out.is_some());
        let mut text = String::new();
        let mut count = 0;
        for (name, user) in here {
            let online = text::time(user.since.elapsed().as_secs_f64());
            let own = if name == login { " <=" } else { "" };
            text += &format!("{name:<8} +  00:00 {online} 127.0.0.1 localhost{own}\r\n");
            count += 1;
        }
        let head = format!(": who {count} idle online ip-addr hostname\r\n");
        self.raw(login, &format!("{head}{text}READY\r\n"));
    }

    pub(super) fn os_command(&mut self, login: &str, words: &[&str]) {
        let switch = |text: &str| text == "+";
        let Some(user) = self.users.get_mut(login) else { return };
        match words {
            ["open", number] => {
                user.open = number.parse().unwrap_or(0);
                self.drop_requests_of(login);
            }
            ["client", on] => user.client = switch(on),
            ["trust", on] => user.trust = switch(on),
            ["rated", on] => user.rated = switch(on),
            ["request" | "vt100" | "bell" | "hear" | "aform" | "dform", ..] => {}
            ["stored", ..] => self.list_stored(login),
            ["history", ..] => self.list_history(login),
            ["continue"] => {
                let numbers: Vec<u32> = self.stored.keys().copied().collect();
                for number in numbers {
                    self.ask_stored(login, number);
                }
            }
            ["ask", counter] if counter.starts_with('.') => match counter[1..].parse() {
                Ok(number) => self.ask_stored(login, number),
                Err(_) => self.os(login, format!("ERR no archived match '{counter}' found.")),
            },
            ["ask", game_type, rest @ ..] => self.ask(login, game_type, rest),
            ["accept", id] => self.accept(login, id),
            ["decline" | "cancel", id] => {
                let number = id.trim_start_matches('.').parse().unwrap_or(u32::MAX);
                if self.requests.contains_key(&number) {
                    self.remove_request(number);
                } else {
                    self.os(login, format!("{} ERR not found: {id}", words[0]));
                }
            }
            ["play", id, typed] => self.play(login, id, typed),
            ["moves", id] => match self.find(login, id) {
                Some((number, player, _)) => self.show_all(number, player),
                None => self.os(login, format!("ERR match '{id}' not found.")),
            },
            ["abort" | "undo" | "resign" | "break" | "score", id, ..] => {
                let Some((number, player, half)) = self.find(login, id) else {
                    return self.os(login, format!("ERR match '{id}' not found."));
                };
                match words {
                    ["abort", _] => self.abort(number, player),
                    ["undo", _] => self.undo(number, player, half),
                    ["resign", _] => self.resign(number, player),
                    ["break", _] => self.leave_match(number, player),
                    ["score", _, value] => match value.parse() {
                        Ok(value) => self.score(number, player, half, value),
                        Err(_) => self.os(login, "ERR score <match> <value>."),
                    },
                    _ => self.os(login, format!("ERR {} <match>.", words[0])),
                }
            }
            ["look", id] => {
                let number = id.trim_start_matches('.').parse().unwrap_or(u32::MAX);
                match self.archive.get(&number).cloned() {
                    Some(games) => {
                        let lines = [format!("look {id}"), games];
                        self.message(login, "/os", &lines);
                    }
                    None => self.os(login, format!("ERR no archived match '{id}' found.")),
                }
            }
            _ => {
                let line = words.join(" ");
                self.os(login, format!("ERR command '{line}' not recognized."));
                self.unknown.insert(line);
            }
        }
    }

    /// The match and game of an id, if this user plays it.
    pub(super) fn find(&self, login: &str, id: &str) -> Option<(u32, usize, Option<u8>)> {
        let mut parts = id.strip_prefix('.')?.split('.');
        let number = parts.next()?.parse().ok()?;
        let half = parts.next().and_then(|half| half.parse().ok());
        Some((number, self.player(number, login)?, half))
    }

    pub(super) fn free_id(&mut self, pool: usize) -> u32 {
        loop {
            let id = self.next_id[pool];
            self.next_id[pool] = (id + 1) % IDS;
            let taken = if pool == 0 {
                self.requests.contains_key(&id)
            } else {
                self.matches.contains_key(&id)
            };
            if !taken {
                return id;
            }
        }
    }
}
