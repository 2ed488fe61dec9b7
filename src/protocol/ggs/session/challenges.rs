//! Finding opponents: challenges received, challenges sent, adjourned games.

use std::time::{Duration, Instant};

use super::GgsSession;
use crate::protocol::Actions;
use crate::protocol::ggs::event::{Request, StoredGame};
use crate::protocol::ggs::policy::{self, Verdict};
use crate::protocol::ggs::settings::{Ask, Stored, seconds};
use crate::protocol::ggs::writer::Command;

/// Most challenges remembered; the server has fewer ids.
const MOST_REQUESTS: usize = 256;
/// How long an accepted challenge may take to become a match.
const ACCEPT_TIME: Duration = Duration::from_secs(20);
/// One player is told a reason at most this often.
const REFUSAL_PAUSE: Duration = Duration::from_secs(60);
/// Most players whose refusals are remembered.
const MOST_REFUSALS: usize = 256;

/// A challenge that was accepted and is not a match yet.
pub(super) struct Pending {
    number: u32,
    since: Instant,
}

/// A challenge of our own.
pub(super) struct OwnAsk {
    /// Its id, once the server has said it.
    number: Option<u32>,
    since: Instant,
}

impl GgsSession {
    /// How many matches are wanted at most.
    fn wanted(&self) -> u32 {
        if self.paused || self.quitting { 0 } else { self.settings.accept.matches }
    }

    /// Tells the server how many matches may run.
    pub(super) fn send_open(&mut self, out: &mut Actions) {
        let wanted = self.wanted();
        self.send(&Command::service(format_args!("open {wanted}")), out);
    }

    fn has_room(&self) -> bool {
        let busy = self.matches.len() + usize::from(self.pending.is_some());
        self.service_up && busy < self.wanted() as usize
    }

    pub(super) fn requested(&mut self, request: Request, out: &mut Actions) {
        if request.asker == self.settings.login {
            if let Some(ask) = &mut self.ask {
                ask.number = Some(request.number);
            }
            return;
        }
        match policy::judge(&self.settings, &request) {
            Verdict::Ignore => {}
            Verdict::Decline(reason) => self.decline(&request, &reason, out),
            Verdict::Accept => {
                if self.requests.len() < MOST_REQUESTS {
                    self.requests.insert(request.number, request);
                }
                self.reconsider(out);
            }
        }
    }

    pub(super) fn request_gone(&mut self, request: &Request) {
        self.requests.remove(&request.number);
        if self.ask.as_ref().is_some_and(|ask| ask.number == Some(request.number)) {
            self.ask = None;
        }
        if self.pending.as_ref().is_some_and(|pending| pending.number == request.number) {
            self.pending = None;
        }
    }

    /// Takes up a challenge that waits, if there is room for a match.
    pub(super) fn reconsider(&mut self, out: &mut Actions) {
        while self.has_room()
            && let Some((number, request)) = self.requests.pop_first()
        {
            self.news(format!("accepting {}'s {}", request.asker, request.game_type.text), out);
            self.pending = Some(Pending { number, since: self.now });
            self.send(&Command::service(format_args!("accept .{number}")), out);
        }
    }

    fn decline(&mut self, request: &Request, reason: &str, out: &mut Actions) {
        self.news(format!("declining {}: {reason}", request.asker), out);
        self.send(&Command::service(format_args!("decline .{}", request.number)), out);
        let now = self.now;
        self.refusals.retain(|_, at| now.saturating_duration_since(*at) < REFUSAL_PAUSE);
        let refusal = self.settings.accept.refusal.clone();
        let said = self.refusals.contains_key(&request.asker);
        if refusal.is_empty() || said || self.refusals.len() >= MOST_REFUSALS {
            return;
        }
        if let Some(command) = Command::tell(&request.asker, format_args!("{refusal} {reason}")) {
            self.refusals.insert(request.asker.clone(), now);
            self.send(&command, out);
        }
    }

    pub(super) fn list_stored(&mut self, games: Vec<StoredGame>, out: &mut Actions) {
        let me = &self.settings.login;
        self.stored = games.into_iter().filter(|game| game.players.contains(me)).collect();
        for game in self.stored.clone() {
            let [one, other] = &game.players;
            let StoredGame { archive, game_type, .. } = &game;
            self.news(format!("adjourned: .{archive} {one} – {other}, {game_type}"), out);
        }
    }

    pub(super) fn service_error(&mut self, text: &str, out: &mut Actions) {
        self.news(format!("the game service says: {text}"), out);
        let id = |before: &str| {
            let rest = text.split(before).nth(1)?;
            rest.split('\'').next()?.strip_prefix('.')?.parse::<u32>().ok()
        };
        if let Some(number) = id("match '") {
            return self.drop_match(number, out);
        }
        if let Some(number) = id("request '") {
            self.requests.remove(&number);
            if self.pending.as_ref().is_some_and(|pending| pending.number == number) {
                self.pending = None;
            }
            return;
        }
        if let Some(number) = id("archived match '") {
            self.stored.retain(|game| game.archive != number || text.contains("opponent"));
        }
        // Any other error is about the challenge that was just made or accepted.
        (self.ask, self.pending) = (None, None);
    }

    pub(super) fn tick_challenges(&mut self, out: &mut Actions) {
        let since = |at: Instant| self.now.saturating_duration_since(at);
        if self.pending.as_ref().is_some_and(|pending| since(pending.since) >= ACCEPT_TIME) {
            self.pending = None;
        }
        let patience = seconds(self.settings.idle.patience);
        let is_old = |ask: &mut OwnAsk| since(ask.since) >= patience;
        if let Some(OwnAsk { number: Some(number), .. }) = self.ask.take_if(is_old) {
            self.send(&Command::service(format_args!("cancel .{number}")), out);
        }
        self.reconsider(out);
        let idle = self.now.saturating_duration_since(self.idle_since);
        if self.ask.is_none() && self.has_room() && idle >= seconds(self.settings.idle.after) {
            self.ask_somebody(out);
        }
    }

    /// Asks for an adjourned game or a new one, in turn.
    fn ask_somebody(&mut self, out: &mut Actions) {
        let idle = &self.settings.idle;
        let turn = self.turns;
        self.turns = self.turns.wrapping_add(1);
        let resumes = self.settings.accept.stored == Stored::Resume && !self.stored.is_empty();
        let asks = idle.ask != Ask::Nobody;
        if !resumes && !asks {
            return;
        }
        let text = if resumes && (turn.is_multiple_of(2) || !asks) {
            let place = if asks { turn / 2 } else { turn };
            format!("ask .{}", self.stored[place % self.stored.len()].archive)
        } else {
            let game_type = &idle.types[turn % idle.types.len()];
            let opponent = match idle.ask {
                Ask::Opponents => &idle.opponents[turn / idle.types.len() % idle.opponents.len()],
                _ => "",
            };
            format!("ask {game_type} {} {opponent}", idle.clock).trim_end().to_owned()
        };
        self.ask = Some(OwnAsk { number: None, since: self.now });
        self.idle_since = self.now;
        self.send(&Command::service(text), out);
    }
}
