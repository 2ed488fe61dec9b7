//! Users and their commands: the central server and the service `/os` in one.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use kitai::othello::random::random_move;
use kitai::protocol::ggs::words::GameType;
use kitai::random::{Random, seeded};
use kitai::record::{BareNumber, Board, ClockSettings, History, ggf};
use rand::Rng;

use super::play::{Match, Told, new_game};
use super::{Faults, Outgoing, text};

/// Ids of requests and matches are below this.
const IDS: u32 = 64;

pub(crate) struct User {
    password: String,
    out: Option<Outgoing>,
    since: Instant,
    open: u32,
    trust: bool,
    rated: bool,
    client: bool,
    /// The next move is refused although it is right.
    refuse: bool,
    /// The next message comes without its prompt.
    no_prompt: bool,
}

#[derive(Clone)]
struct Request {
    asker: String,
    opponent: Option<String>,
    game_type: GameType,
    clocks: [ClockSettings; 2],
    flag: char,
    archive: Option<u32>,
}

/// A match that ended.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub players: [String; 2],
    pub game_type: String,
    pub result: f64,
    pub archive: u32,
}

/// Everything the server knows.
pub(crate) struct State {
    users: BTreeMap<String, User>,
    requests: BTreeMap<u32, Request>,
    pub matches: BTreeMap<u32, Match>,
    pub stored: BTreeMap<u32, Match>,
    archive: BTreeMap<u32, String>,
    next_archive: u32,
    next_id: [u32; 2],
    random: Random,
    up: bool,
    back_at: Option<Instant>,
    /// Finished matches.
    pub ended: Vec<Ended>,
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

    fn player(&self, number: u32, login: &str) -> Option<usize> {
        self.matches.get(&number)?.players.iter().position(|name| name == login)
    }

    fn raw(&self, login: &str, text: &str) {
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

    fn os(&mut self, login: &str, line: impl Into<String>) {
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

    fn who(&mut self, login: &str) {
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

    fn os_command(&mut self, login: &str, words: &[&str]) {
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
            ["request" | "vt100" | "bell" | "hear", ..] => {}
            ["stored", ..] => self.list_stored(login),
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
            ["abort", id] => match self.find(login, id) {
                Some((number, player, _)) => self.abort(number, player),
                None => self.os(login, format!("ERR match '{id}' not found.")),
            },
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
    fn find(&self, login: &str, id: &str) -> Option<(u32, usize, Option<u8>)> {
        let mut parts = id.strip_prefix('.')?.split('.');
        let number = parts.next()?.parse().ok()?;
        let half = parts.next().and_then(|half| half.parse().ok());
        Some((number, self.player(number, login)?, half))
    }

    fn list_stored(&mut self, login: &str) {
        let own = self.stored.iter().filter(|(_, game)| game.players.iter().any(|p| p == login));
        let mut lines: Vec<String> = own
            .map(|(number, game)| {
                let [one, other] = &game.players;
                let kind = &game.game_type.text;
                format!(".{number:<8} 16 Nov 2026 02:03:12 {one:<8} {other:<8} {kind}:l")
            })
            .collect();
        lines.insert(0, format!("stored {} {login}", lines.len()));
        self.message(login, "/os", &lines);
    }

    fn free_id(&mut self, pool: usize) -> u32 {
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

    fn running(&self, login: &str) -> u32 {
        self.matches.values().filter(|game| game.players.iter().any(|p| p == login)).count() as u32
    }

    fn has_room(&self, login: &str) -> bool {
        self.users.get(login).is_some_and(|user| user.open > self.running(login))
    }

    fn ask(&mut self, login: &str, game_type: &str, rest: &[&str]) {
        let Some(kind) = GameType::parse(game_type) else {
            return self.os(login, "illegal game type");
        };
        if kind.random.is_some() && !kind.synchro && !kind.komi {
            return self.os(login, "random games must be komi or synchro");
        }
        let clock = |text: &&str| ClockSettings::parse(text, BareNumber::Minutes).ok();
        let mut words = rest.to_vec();
        let opponent =
            words.last().filter(|word| !word.contains([':', '/'])).map(|word| (*word).to_owned());
        if opponent.is_some() {
            words.pop();
        }
        let default = ClockSettings::parse("15:00//02:00", BareNumber::Minutes).unwrap();
        let first = words.first().and_then(clock).unwrap_or(default);
        let second = words.get(1).and_then(clock).unwrap_or(first);
        if self.closing {
            return self.os(login, "ERR Player is not accepting new matches.");
        }
        let flag = if self.users[login].rated { 'R' } else { 'U' };
        let request = Request {
            asker: login.to_owned(),
            opponent,
            game_type: kind,
            clocks: [first, second],
            flag,
            archive: None,
        };
        self.add_request(request);
    }

    fn ask_stored(&mut self, login: &str, number: u32) {
        let Some(game) = self.stored.get(&number) else {
            return self.os(login, format!("ERR no archived match '.{number}' found."));
        };
        let Some(opponent) = game.players.iter().find(|name| *name != login).cloned() else {
            return;
        };
        if !self.is_here(&opponent) {
            let text = format!("ERR no opponent present for archived match '.{number}'.");
            return self.os(login, text);
        }
        let request = Request {
            asker: login.to_owned(),
            opponent: Some(opponent),
            game_type: game.game_type.clone(),
            clocks: game.clocks,
            flag: 'S',
            archive: Some(number),
        };
        self.add_request(request);
    }

    fn add_request(&mut self, request: Request) {
        let login = request.asker.clone();
        if !self.has_room(&login) {
            return self.os(&login, "ERR Your open value is too low for new matches.");
        }
        let same = |other: &Request| {
            other.archive == request.archive
                && (request.archive.is_some()
                    || other.asker == request.asker
                        && other.opponent == request.opponent
                        && other.game_type == request.game_type)
        };
        if self.requests.values().any(same) {
            return self.os(&login, "ERR match with same parameters is already pending.");
        }
        if let Some(opponent) = &request.opponent {
            if !self.is_here(opponent) {
                return self.os(&login, format!("ERR user '{opponent}' not found."));
            }
            if !self.has_room(opponent) {
                return self.os(&login, "ERR Player is not accepting new matches.");
            }
        }
        let id = self.free_id(0);
        self.requests.insert(id, request.clone());
        self.tell_request('+', id, &request);
    }

    fn tell_request(&mut self, sign: char, id: u32, request: &Request) {
        let own = text::settings(&request.clocks[0]);
        let other = text::settings(&request.clocks[1]);
        let mut line = format!(
            "{sign} {:>4} {:6.1} {:<8} {own} {:>8} {} ",
            format!(".{id}"),
            1720.0,
            request.asker,
            request.game_type.text,
            request.flag
        );
        match &request.opponent {
            Some(name) => line += &format!("{:6.1} {name:<8}", 985.0),
            None => line += "*      *",
        }
        if own != other {
            line += &format!(" {other}");
        }
        if let Some(archive) = request.archive {
            line += &format!(" .{archive}");
        }
        let everybody: Vec<String> = match &request.opponent {
            Some(opponent) => vec![request.asker.clone(), opponent.clone()],
            None => self.users.keys().cloned().collect(),
        };
        for login in everybody {
            self.os(&login, line.clone());
        }
    }

    fn remove_request(&mut self, id: u32) {
        if let Some(request) = self.requests.remove(&id) {
            self.tell_request('-', id, &request);
        }
    }

    fn drop_requests_of(&mut self, login: &str) {
        if self.has_room(login) {
            return;
        }
        let gone: Vec<u32> =
            self.requests.iter().filter(|(_, r)| r.asker == login).map(|(id, _)| *id).collect();
        gone.into_iter().for_each(|id| self.remove_request(id));
    }

    fn accept(&mut self, login: &str, id: &str) {
        let number = id.trim_start_matches('.').parse().unwrap_or(u32::MAX);
        let Some(request) = self.requests.get(&number).cloned() else {
            return self.os(login, format!("ERR request '{id}' not found."));
        };
        if request.asker == login {
            return self.os(login, "ERR you cannot accept your own match request.");
        }
        if !self.has_room(login) {
            return self.os(login, "ERR Your open value is too low for new matches.");
        }
        if !self.has_room(&request.asker) {
            return self.os(login, "ERR Player is not accepting new matches.");
        }
        let players = [request.asker.clone(), login.to_owned()];
        match request.archive {
            Some(archive) => self.resume(archive),
            None => {
                self.begin(players.clone(), request.game_type, request.clocks, request.flag);
            }
        }
        self.remove_request(number);
        players.iter().for_each(|login| self.drop_requests_of(login));
    }

    /// Starts a match; tournament matches (`T`) need no request.
    pub(crate) fn begin(
        &mut self,
        players: [String; 2],
        game_type: GameType,
        clocks: [ClockSettings; 2],
        flag: char,
    ) -> u32 {
        let number = self.free_id(1);
        self.begun += 1;
        let start = match game_type.random {
            Some(discs) => self.random_board(discs),
            None => Board::START,
        };
        let black = usize::from(self.random.random_bool(0.5));
        let games = if game_type.synchro {
            (0..2)
                .map(|half| {
                    let black = Some(if half == 0 { black } else { 1 - black });
                    new_game(format!(".{number}.{half}"), black, start, &clocks)
                })
                .collect()
        } else {
            let black = (!game_type.komi).then_some(black);
            vec![new_game(format!(".{number}"), black, start, &clocks)]
        };
        let moved = [None, None];
        let aborting = [false, false];
        let archive = None;
        let found =
            Match { number, players, game_type, flag, clocks, games, archive, moved, aborting };
        self.announce(found);
        number
    }

    fn announce(&mut self, mut found: Match) {
        found.start_clocks(Instant::now());
        let (number, [one, other]) = (found.number, found.players.clone());
        let line = format!(
            "+ match .{number} 1720 {one} 985 {other} {} {}",
            found.game_type.text, found.flag
        );
        self.matches.insert(number, found);
        for (player, login) in [one, other].into_iter().enumerate() {
            self.os(&login, line.clone());
            self.show_all(number, player);
        }
    }

    fn resume(&mut self, archive: u32) {
        let Some(mut found) = self.stored.remove(&archive) else { return };
        found.number = self.free_id(1);
        found.archive = Some(archive);
        for (half, game) in found.games.iter_mut().enumerate() {
            game.id = if found.game_type.synchro {
                format!(".{}.{half}", found.number)
            } else {
                format!(".{}", found.number)
            };
        }
        self.announce(found);
    }

    /// Even numbers of discs give Black the move, odd ones White; it may have to pass.
    fn random_board(&mut self, discs: u32) -> Board {
        loop {
            let mut history = History::default();
            while 64 - history.board().position.empty_count() < discs {
                match random_move(history.board().position, &mut self.random) {
                    Some(chosen) => history.play(chosen).unwrap(),
                    None => break,
                }
            }
            let board = history.board();
            let turn = if discs.is_multiple_of(2) {
                kitai::othello::Color::Black
            } else {
                kitai::othello::Color::White
            };
            let board = Board::from_colors(
                board.discs(kitai::othello::Color::Black),
                board.discs(kitai::othello::Color::White),
                turn,
            );
            if !board.position.is_over() {
                return board;
            }
        }
    }

    /// Sends a player the games of a match.
    fn show_all(&mut self, number: u32, player: usize) {
        let found = &self.matches[&number];
        let login = found.players[player].clone();
        let compact = self.users.get(&login).is_some_and(|user| user.client);
        // What the other has done in this round is not shown.
        let mut seen = found.clone();
        let hidden = found.moved[1 - player].filter(|_| found.moved[player].is_none());
        if let Some(index) = hidden {
            let game = &mut seen.games[index];
            game.history.undo();
            game.typed.pop();
            game.notes.pop();
        }
        for index in 0..seen.games.len() {
            if seen.games[index].is_over() && hidden != Some(index) {
                continue;
            }
            let bidding = seen.games[index].black.is_none();
            let lines = if compact && !bidding {
                seen.compact_join(index)
            } else {
                seen.join(index, Instant::now())
            };
            self.message(&login, "/os", &lines);
        }
    }

    fn play(&mut self, login: &str, id: &str, typed: &str) {
        let Some((number, player, half)) = self.find(login, id) else {
            return self.os(login, format!("ERR match '{id}' not found."));
        };
        let user = self.users.get_mut(login).unwrap();
        let trust = user.trust;
        if std::mem::replace(&mut user.refuse, false) {
            return self.os(login, format!("error {id} illegal move"));
        }
        let found = self.matches.get_mut(&number).unwrap();
        let Some(index) = found.game_index(half) else {
            self.wrong_moves.push(format!("{login}: {id} {typed}: game id"));
            return self.os(login, format!("error {id} game id needed (only) in synchro games"));
        };
        match found.play(player, index, typed, trust, Instant::now()) {
            Ok(told) => self.tell(number, told),
            Err(reason) => {
                self.wrong_moves.push(format!("{login}: {id} {typed}: {reason}"));
                self.os(login, format!("error {id} {reason}"));
            }
        }
    }

    fn tell(&mut self, number: u32, told: Told) {
        let Some(found) = self.matches.get(&number) else { return };
        let players = found.players.clone();
        for (player, lines) in told.0 {
            if lines[0].contains("timeout") {
                self.timeouts.push(lines[0].clone());
            }
            self.message(&players[player].clone(), "/os", &lines);
        }
        if self.matches[&number].is_over() {
            self.end(number);
        }
    }

    fn end(&mut self, number: u32) {
        let found = self.matches.remove(&number).unwrap();
        let results: Vec<f64> = found.games.iter().map(super::play::Game::result).collect();
        let result = results.iter().sum::<f64>() / results.len() as f64;
        let records: Vec<_> = found.games.iter().map(|game| found.record(game)).collect();
        let archive = found.archive.unwrap_or_else(|| self.new_archive());
        let line = ggf::write_line(&records.iter().collect::<Vec<_>>());
        self.archive.insert(archive, line);
        let [one, other] = found.players.clone();
        let (kind, flag) = (&found.game_type.text, found.flag);
        let counts = flag != 'U';
        let ratings = [
            format!("rating_update .{number}"),
            format!("{one:<8} 1720.00 @ 257.02   +0.00 -> 1720.00 @ 246.35"),
            format!("{other:<8}  985.00 @ 257.02   +0.00 ->  985.00 @ 246.35"),
        ];
        let number_text = if counts { format!("  .{archive}") } else { String::new() };
        let end = format!(
            "- match .{number} 1720 {one} 985 {other} {kind} {flag} {result:+.2}{number_text}"
        );
        for login in [one, other] {
            if counts {
                self.message(&login, "/os", &ratings);
            }
            self.os(&login, end.clone());
        }
        let Match { players, game_type, .. } = found;
        self.ended.push(Ended { players, game_type: game_type.text, result, archive });
    }

    fn new_archive(&mut self) -> u32 {
        self.next_archive += 1;
        self.next_archive
    }

    fn abort(&mut self, number: u32, player: usize) {
        let found = self.matches.get_mut(&number).unwrap();
        let players = found.players.clone();
        if found.flag == 'T' {
            return self.os(&players[player].clone(), "ERR you can not abort tournament game.");
        }
        found.aborting[player] = true;
        if found.aborting != [true, true] {
            let text = format!("abort .{number} {} is asking", players[player]);
            players.iter().for_each(|login| self.os(login, text.clone()));
            return;
        }
        let found = self.matches.remove(&number).unwrap();
        let [one, other] = &players;
        let (kind, flag) = (&found.game_type.text, found.flag);
        let text = format!("- match .{number} 1720 {one} 985 {other} {kind} {flag} aborted");
        players.iter().for_each(|login| self.os(login, text.clone()));
    }

    fn adjourn_matches_of(&mut self, login: &str) {
        let own: Vec<u32> = self
            .matches
            .iter()
            .filter(|(_, found)| found.flag != 'T' && found.players.iter().any(|p| p == login))
            .map(|(number, _)| *number)
            .collect();
        for number in own {
            let (found, archive) = self.put_away(number);
            let [one, other] = &found.players;
            let (kind, flag) = (&found.game_type.text, found.flag);
            let stored = if flag == 'U' { String::new() } else { format!(" .{archive}") };
            let text = format!(
                "- match .{number} 1720 {one} 985 {other} {kind} {flag} {login} left{stored}"
            );
            for player in found.players.clone() {
                self.os(&player, text.clone());
            }
        }
    }

    /// Stores a match, if it can be.
    fn put_away(&mut self, number: u32) -> (Match, u32) {
        let mut found = self.matches.remove(&number).unwrap();
        found.take_back();
        let archive = found.archive.unwrap_or_else(|| self.new_archive());
        let bidding = found.games.iter().any(|game| game.black.is_none());
        self.unbid += u32::from(bidding);
        if found.flag != 'U' && !bidding {
            self.stored.insert(archive, found.clone());
            self.adjourned += 1;
        }
        (found, archive)
    }

    pub(crate) fn flags(&mut self, now: Instant) {
        let numbers: Vec<u32> = self.matches.keys().copied().collect();
        for number in numbers {
            let told = self.matches.get_mut(&number).unwrap().flags(now);
            if !told.0.is_empty() {
                self.tell(number, told);
            }
        }
        if self.back_at.is_some_and(|at| now >= at) {
            self.back_at = None;
            self.up = true;
            let everybody: Vec<String> = self.users.keys().cloned().collect();
            everybody.iter().for_each(|login| self.raw(login, ": + /os 1\r\n"));
        }
    }

    /// The service stops in order: it stores its matches and says nothing of them.
    pub(crate) fn restart(&mut self, back_at: Instant) {
        let numbers: Vec<u32> =
            self.matches.iter().filter(|(_, found)| found.flag != 'T').map(|(n, _)| *n).collect();
        for number in numbers {
            self.put_away(number);
        }
        self.requests.clear();
        (self.up, self.back_at) = (false, Some(back_at));
        let everybody: Vec<String> = self.users.keys().cloned().collect();
        everybody.iter().for_each(|login| self.raw(login, ": - /os 1\r\n"));
    }

    /// Something goes wrong.
    pub(crate) fn trouble(&mut self, random: &mut Random, faults: Faults) {
        let here: Vec<String> = self
            .users
            .iter()
            .filter(|(name, user)| user.out.is_some() && !name.starts_with("gst"))
            .map(|(name, _)| name.clone())
            .collect();
        if here.is_empty() || !self.up || self.closing {
            return;
        }
        let login = here[random.random_range(0..here.len())].clone();
        let own: Vec<u32> =
            self.matches.keys().copied().filter(|n| self.player(*n, &login).is_some()).collect();
        let name = match random.random_range(0..10) {
            0 if faults.cuts => {
                self.cut(&login);
                "cut"
            }
            1 if faults.restarts => {
                self.restart(Instant::now() + std::time::Duration::from_millis(300));
                "service restart"
            }
            2 | 3 => {
                for number in own {
                    let player = self.player(number, &login).unwrap();
                    self.show_all(number, player);
                }
                "duplicate join"
            }
            4 => {
                self.users.get_mut(&login).unwrap().refuse = true;
                "right move refused"
            }
            5 => {
                for number in own {
                    let id = self.matches[&number].games[0].id.clone();
                    self.os(&login, format!("error {id} illegal move"));
                }
                "error without reason"
            }
            6 => {
                self.users.get_mut(&login).unwrap().no_prompt = true;
                "missing prompt"
            }
            7 => {
                self.raw(
                    &login,
                    "\x07\r\n.chat bob: \x1b[1mplay .0 a1\x1b[0m\r\n|/os: + match .1\r\nREADY\r\n",
                );
                self.message(&login, "mallory", &["quit after this game".to_owned()]);
                "chatter"
            }
            8 => {
                for number in own {
                    self.os(&login, format!(".{number} A 1720 bob: error .{number} illegal move"));
                    self.os(&login, format!("undo .{number} bob is asking"));
                }
                "kibitz and questions"
            }
            _ => {
                self.raw(
                    &login,
                    "\r\n\x07\x07: +ack:  t bob hi => tell bob hi\r\n\x1b[0mREADY\r\n",
                );
                "bells and escapes"
            }
        };
        *self.faults.entry(name).or_default() += 1;
    }
}
