//! Challenges: asked, listed, accepted, gone.

use kitai::protocol::ggs::words::GameType;
use kitai::record::{BareNumber, ClockSettings};

use super::service::{Ended, State};
use super::text;

/// A challenge.
#[derive(Clone)]
pub(crate) struct Request {
    pub asker: String,
    pub opponent: Option<String>,
    game_type: GameType,
    clocks: [ClockSettings; 2],
    flag: char,
    archive: Option<u32>,
}

impl State {
    pub(super) fn ask(&mut self, login: &str, game_type: &str, rest: &[&str]) {
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

    pub(super) fn ask_stored(&mut self, login: &str, number: u32) {
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

    pub(super) fn list_stored(&mut self, login: &str) {
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

    /// The rated matches of a player that ended lately.
    pub(super) fn list_history(&mut self, login: &str) {
        const LONGEST: usize = 32;
        let own = self.ended.iter().rev().filter(|ended| ended.rated);
        let own = own.filter(|ended| ended.players.iter().any(|player| player == login));
        let mut lines: Vec<String> = own
            .take(LONGEST)
            .map(|Ended { players: [one, other], game_type, result, archive, .. }| {
                format!(
                    ".{archive:<8} 16 Nov 2026 02:02:25 1720 {one:<8}  985 {other:<8} \
                     {result:+6.1} {game_type}"
                )
            })
            .collect();
        lines.insert(0, format!("history {} {login}", lines.len()));
        self.message(login, "/os", &lines);
    }

    pub(super) fn running(&self, login: &str) -> u32 {
        self.matches.values().filter(|game| game.players.iter().any(|p| p == login)).count() as u32
    }

    pub(super) fn has_room(&self, login: &str) -> bool {
        self.users.get(login).is_some_and(|user| user.open > self.running(login))
    }

    pub(super) fn add_request(&mut self, request: Request) {
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

    pub(super) fn tell_request(&mut self, sign: char, id: u32, request: &Request) {
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

    pub(super) fn remove_request(&mut self, id: u32) {
        if let Some(request) = self.requests.remove(&id) {
            self.tell_request('-', id, &request);
        }
    }

    pub(super) fn drop_requests_of(&mut self, login: &str) {
        if self.has_room(login) {
            return;
        }
        let gone: Vec<u32> =
            self.requests.iter().filter(|(_, r)| r.asker == login).map(|(id, _)| *id).collect();
        gone.into_iter().for_each(|id| self.remove_request(id));
    }

    pub(super) fn accept(&mut self, login: &str, id: &str) {
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
}
