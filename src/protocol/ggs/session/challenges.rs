//! Finding opponents: challenges received, challenges sent, adjourned games.

use std::time::{Duration, Instant};

use nom::Parser;
use nom::combinator::all_consuming;

use super::GgsSession;
use crate::protocol::Actions;
use crate::protocol::ggs::event::{MatchLine, Request, StoredGame};
use crate::protocol::ggs::grammar::is_type_error;
use crate::protocol::ggs::policy::{self, Verdict};
use crate::protocol::ggs::settings::{Ask, Stored, seconds};
use crate::protocol::ggs::words::{GameKey, game_key};
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
    asker: String,
    since: Instant,
}

/// Errors about a challenge that was made.
const ABOUT_ASKING: [&str; 6] = [
    "ERR user '",
    "ERR rated variable mismatch",
    "ERR match with same parameters is already pending",
    "ERR your request doesn't fit the opponent's formula",
    "ERR you are not registered",
    "ERR you have too many stored matches",
];
/// Errors about a challenge that was made or accepted.
const ABOUT_EITHER: [&str; 3] = [
    "ERR Player is not accepting new matches",
    "ERR Your open value is too low for new matches",
    "ERR you cannot accept your own match request",
];

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
        let busy = self.matches.len() + self.pending.len();
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
        self.pending.retain(|pending| pending.number != request.number);
    }

    /// A match begins: the challenge that led to it waits no longer. Others still do.
    pub(super) fn challenge_taken(&mut self, line: &MatchLine) {
        let plays = |name: &str| line.players.iter().any(|(player, _)| player == name);
        if let Some(place) = self.pending.iter().position(|pending| plays(&pending.asker)) {
            self.pending.remove(place);
        }
        // A game that goes on may name the other first; then the server says that it is gone.
        if line.players[0].0 == self.settings.login {
            self.ask = None;
        }
    }

    /// Takes up a challenge that waits, if there is room for a match.
    pub(super) fn reconsider(&mut self, out: &mut Actions) {
        while self.has_room()
            && let Some((number, request)) = self.requests.pop_first()
        {
            self.news(format!("accepting {}'s {}", request.asker, request.game_type.text), out);
            self.pending.push(Pending { number, asker: request.asker, since: self.now });
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
        let key = |before: &str| {
            let rest = text.strip_prefix(before)?.split('\'').next()?;
            all_consuming(game_key).parse(rest).ok().map(|(_, key)| key)
        };
        match (key("ERR match '"), key("ERR request '")) {
            (Some(GameKey { number, half: None }), _) => {
                self.miss_match(number, out);
                return self.reconsider(out);
            }
            // The other game of a synchro match may go on.
            (Some(GameKey { number, .. }), _) => return self.ask_for_match(number, out),
            (None, Some(GameKey { number, .. })) => {
                self.requests.remove(&number);
                return self.pending.retain(|pending| pending.number != number);
            }
            (None, None) => {}
        }
        if let Some(GameKey { number, .. }) = key("ERR no archived match '") {
            self.stored.retain(|game| game.archive != number);
            if self.looks.contains(&number) {
                return self.not_archived(number, out);
            }
            self.ask = None;
        }
        let begins = |beginning: &&str| text.starts_with(beginning);
        let about_either = ABOUT_EITHER.iter().any(begins);
        if about_either {
            self.pending.clear();
        }
        let about_stored = text.starts_with("ERR no opponent present for archived match");
        let about_asking = ABOUT_ASKING.iter().any(begins) || is_type_error(text);
        if about_either || about_asking || about_stored {
            self.ask = None;
        }
    }

    pub(super) fn tick_challenges(&mut self, out: &mut Actions) {
        let since = |at: Instant| self.now.saturating_duration_since(at);
        self.pending.retain(|pending| since(pending.since) < ACCEPT_TIME);
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
