//! Matches come and go: announced, found running after login, ended, dropped, and then completed
//! from the server's archive.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::GgsSession;
use crate::engine::GameId;
use crate::options::Options;
use crate::othello::Color;
use crate::protocol::ggs::event::{Flag, MatchEnding, MatchLine, RatingChange};
use crate::protocol::ggs::game::{Game, own_time};
use crate::protocol::ggs::report::{RatingLine, Report, ResultLine};
use crate::protocol::ggs::words::{GameKey, Kind};
use crate::protocol::ggs::writer::Command;
use crate::protocol::{Action, Actions};
use crate::record::GameRecord;

/// Most matches at a time, also of a server that does not count.
pub(super) const MOST_MATCHES: usize = 32;
/// After so long without its boards a match is asked for.
const BOARD_TIME: Duration = Duration::from_secs(10);
/// … and after so long without a move: its end may have been missed, and the bot must not wait
/// for ever.
const SILENCE: Duration = Duration::from_secs(180);
/// How long to wait for the archive's record of a match.
pub(super) const ARCHIVE_TIME: Duration = Duration::from_secs(15);

/// A match that is being played.
pub(super) struct Match {
    /// Never used twice in a session.
    pub tag: u64,
    /// As it was announced; not known of games that were found after login.
    line: Option<MatchLine>,
    pub games: BTreeMap<Option<u8>, Game>,
    /// Whether the bot has agreed to abort it.
    pub aborting: bool,
    /// When a board of it was last shown, or asked for.
    pub heard: Instant,
}

/// A match that is over and waits for the archive's record.
pub(super) struct Finishing {
    tag: u64,
    archive: u32,
    since: Instant,
    records: Vec<GameRecord>,
    result: ResultLine,
}

impl Match {
    pub(super) fn flag(&self) -> Option<Flag> {
        self.line.as_ref().map(|line| line.flag)
    }

    /// As it was announced.
    pub(super) fn line(&self) -> Option<&MatchLine> {
        self.line.as_ref()
    }

    /// Whether the bot's main time ran out in one of its games.
    pub(super) fn is_out_of_time(&self) -> bool {
        self.games.values().any(|game| game.out_of_time)
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

    /// The games whose moves are all known; none while the colours are open.
    pub(super) fn records(&self) -> Vec<GameRecord> {
        let complete = self.games.values().filter(|game| game.complete && !game.is_bidding());
        complete.map(|game| game.record.clone()).collect()
    }
}

impl GgsSession {
    pub(super) fn begin_match(&mut self, line: MatchLine, out: &mut Actions) {
        if !line.players.iter().any(|(name, _)| *name == self.settings.login) {
            return;
        }
        if let Some(found) = self.matches.get_mut(&line.number)
            && found.line.is_none()
            && found.games.values().all(|game| game.is_between(&line.players))
        {
            // Its boards came first.
            found.line = Some(line);
            return;
        }
        // The id is used anew: whatever had it is over, even if nobody said so.
        self.miss_match(line.number, out);
        if self.matches.len() >= MOST_MATCHES {
            return;
        }
        let [one, other] = &line.players;
        let flag = line.flag;
        let text = format!(".{} {} – {}, {}", line.number, one.0, other.0, line.game_type.text);
        self.news(format!("match {text} ({flag:?}) begins").to_lowercase(), out);
        self.challenge_taken(&line);
        self.add_match(line.number, Some(line));
    }

    /// A match whose boards come next.
    pub(super) fn add_match(&mut self, number: u32, line: Option<MatchLine>) {
        self.next_tag += 1;
        let (tag, heard) = (self.next_tag, self.now);
        let games = BTreeMap::new();
        self.matches.insert(number, Match { tag, line, games, aborting: false, heard });
    }

    /// Asks the server to show the games of a match; if there is no such match it says so.
    pub(super) fn ask_for_match(&mut self, number: u32, out: &mut Actions) {
        let now = self.now;
        let Some(found) = self.matches.get_mut(&number) else { return };
        found.heard = now;
        found.games.values_mut().for_each(Game::note_question);
        self.send(&Command::service(format_args!("moves .{number}")), out);
    }

    pub(super) fn tick_matches(&mut self, out: &mut Actions) {
        let since = |at: Instant| self.now.saturating_duration_since(at);
        let is_silent = |found: &Match| match (found.games.is_empty(), &found.line) {
            (true, Some(line)) if !line.game_type.is_playable() => false,
            (true, _) => since(found.heard) >= BOARD_TIME,
            (false, _) => since(found.heard) >= SILENCE,
        };
        let silent = self.matches.iter().filter(|(_, found)| is_silent(found));
        let silent: Vec<u32> = silent.map(|(number, _)| *number).collect();
        let overdue = self.finishing.iter().any(|waiting| since(waiting.since) >= ARCHIVE_TIME);
        for number in silent {
            self.ask_for_match(number, out);
        }
        if overdue {
            self.flush_finishing(out);
        }
    }

    /// One game of a synchro match is over; the result is from the first player's view.
    pub(super) fn end_game(
        &mut self,
        key: GameKey,
        first: &str,
        result: Option<f64>,
        out: &mut Actions,
    ) {
        let Some(game) = self.game_mut(key) else { return };
        game.finish(result.map(|result| for_black(game, first, result)));
        game.thinking = None;
        out.push(Action::Abandon { game: game.id });
        self.tell_state(key, out);
    }

    pub(super) fn end_match(
        &mut self,
        line: &MatchLine,
        ending: &MatchEnding,
        archive: Option<u32>,
        out: &mut Actions,
    ) {
        let me = self.settings.login.clone();
        if line.players.iter().all(|(name, _)| *name != me) {
            // Others have the id now: whatever had it is over, even if nobody said so.
            return self.miss_match(line.number, out);
        }
        let Some(mut found) = self.matches.remove(&line.number) else { return };
        out.push(Action::Report(Box::new(Report::Gone { number: line.number })));
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
        let records: Vec<GameRecord> =
            found.games.values().map(|game| game.record.clone()).collect();
        let (moves, seconds) = own_time(&records, &me);
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
            time_out: found.is_out_of_time(),
        };
        self.news(ending_text(line, ending, own), out);
        let (tag, records) = (found.tag, found.records());
        for game in std::mem::take(&mut found.games).into_values() {
            self.release(game, out);
        }
        match (ending, archive) {
            // It will be finished another day; until then its record stays as it is.
            (MatchEnding::Left(_), Some(_)) if !records.is_empty() => {
                self.put_aside(tag, records, result);
                self.ask_for_stored(out);
            }
            (MatchEnding::Result(_), Some(archive)) => {
                let since = self.now;
                self.note_recorded(archive);
                self.finishing.push(Finishing { tag, archive, since, records, result });
                self.look_up(archive, out);
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
    pub(super) fn archived(
        &mut self,
        said: Option<u32>,
        records: Vec<GameRecord>,
        out: &mut Actions,
    ) {
        let Some(archive) = self.looked_at(said) else { return };
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
            same && archive == waiting.archive
        });
        let Some(place) = place else { return self.looked(archive, records, out) };
        let Finishing { tag, result, .. } = self.finishing.remove(place);
        let result = Box::new(result);
        out.push(Action::Report(Box::new(Report::Finished { tag, records, result })));
    }

    /// Nobody will complete these records any more: they are kept as they are.
    pub(super) fn flush_finishing(&mut self, out: &mut Actions) {
        if !self.is_searching() {
            self.looks.clear();
        }
        for Finishing { tag, records, result, .. } in std::mem::take(&mut self.finishing) {
            let result = Box::new(result);
            out.push(Action::Report(Box::new(Report::Finished { tag, records, result })));
        }
    }

    pub(super) fn rate(&mut self, number: u32, changes: &[RatingChange], out: &mut Actions) {
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
        self.end_search();
        let numbers: Vec<u32> = self.matches.keys().copied().collect();
        for number in numbers {
            self.drop_match(number, out);
        }
        self.requests.clear();
        self.pending.clear();
        self.ask = None;
    }

    /// A match is gone and its end was not heard: the server is asked.
    pub(super) fn miss_match(&mut self, number: u32, out: &mut Actions) {
        if self.matches.contains_key(&number) {
            self.drop_match(number, out);
            self.ask_for_stored(out);
        }
    }

    fn drop_match(&mut self, number: u32, out: &mut Actions) {
        let Some(found) = self.matches.remove(&number) else { return };
        self.lose(&found);
        self.idle_since = self.now;
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
