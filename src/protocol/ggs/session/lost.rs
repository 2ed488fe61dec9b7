//! Matches whose end was not heard: the connection or the service went away, or the server no longer
//! knows them.
//!
//! What the server lists as stored will go on some day. Of everything else its history and its
//! archive are asked, after every login, return of the service or surprise, and the result is
//! recorded as they tell it. A match that they do not know is recorded too, as one whose result is
//! unknown.

use std::collections::BTreeSet;
use std::time::Instant;

use super::GgsSession;
use super::matches::{ARCHIVE_TIME, Match};
use crate::othello::Color;
use crate::protocol::ggs::event::{HistoryEntry, MatchLine, StoredGame};
use crate::protocol::ggs::game::own_time;
use crate::protocol::ggs::grammar::stored_type;
use crate::protocol::ggs::report::{Report, ResultLine, continues};
use crate::protocol::ggs::words::GameType;
use crate::protocol::ggs::writer::Command;
use crate::protocol::{Action, Actions};
use crate::record::{GameRecord, Margin};

/// Most lost matches remembered; the records of others stay until the next start.
const MOST_LOST: usize = 256;
/// Most archive numbers remembered as recorded, the newest.
const MOST_RECORDED: usize = 10_000;
/// Most archived games looked at in one search.
const MOST_LOOKS: usize = 32;
/// Most questions to the archive remembered, also of a server that never answers.
const MOST_QUESTIONS: usize = 256;
/// Games with fewer moves than this, both halves of a synchro match together, may be alike by
/// chance.
const TELLING_MOVES: usize = 8;
/// The history shows results with one decimal.
const ROUNDED: f64 = 0.06;

/// A match that is not played here any more and whose end was not heard.
pub(super) struct Lost {
    tag: u64,
    records: Vec<GameRecord>,
    /// What is known of it; the result is not.
    result: ResultLine,
    /// The newest archive number recorded before it was lost.
    after: Option<u32>,
    /// Whether the server was asked since.
    asked: bool,
}

/// What the server is being asked.
enum Stage {
    /// What it has stored, and what has ended lately.
    Lists,
    /// The games of these entries.
    Looks(Vec<HistoryEntry>),
}

/// The search for lost matches.
pub(super) struct Search {
    stage: Stage,
    /// When the last answer came.
    since: Instant,
}

impl Lost {
    fn is_of(&self, game_type: &str, players: [&str; 2], me: &str) -> bool {
        let opponent = self.result.opponent.as_str();
        self.result.game_type == game_type && [[me, opponent], [opponent, me]].contains(&players)
    }

    fn fits(&self, entry: &HistoryEntry, me: &str) -> bool {
        let [one, other] = &entry.players;
        self.is_of(&entry.game_type.text, [one, other], me)
    }

    fn moves(&self) -> usize {
        self.records.iter().map(|record| record.history.moves().len()).sum()
    }

    /// Whether this is its record in the archive.
    fn is(&self, archive: u32, records: &[GameRecord]) -> bool {
        let is_later = self.after.is_some_and(|after| archive > after);
        match self.moves() {
            0 => {
                let start = |record: &GameRecord| record.history.start();
                let starts = |new: &GameRecord| {
                    self.records.first().is_none_or(|old| start(old) == start(new))
                };
                is_later && records.iter().all(starts)
            }
            moves => (moves >= TELLING_MOVES || is_later) && continues(&self.records, records),
        }
    }
}

impl GgsSession {
    /// Tells the session what earlier runs left: the records of unfinished matches, and the archive
    /// numbers of those that are recorded.
    pub fn remember(&mut self, left: Vec<Vec<GameRecord>>, recorded: BTreeSet<u32>) {
        for number in recorded {
            self.note_recorded(number);
        }
        for records in left {
            self.next_tag += 1;
            if let Some(result) = self.unknown_result(&records) {
                self.add_lost(self.next_tag, records, result);
            }
        }
    }

    pub(super) fn note_recorded(&mut self, archive: u32) {
        // A match keeps its number while it is adjourned and resumed.
        self.lost.retain(|lost| lost.result.archive != Some(archive));
        self.recorded.insert(archive);
        if self.recorded.len() > MOST_RECORDED {
            self.recorded.pop_first();
        }
    }

    /// A match is no longer played here, and nobody said how it ended.
    pub(super) fn lose(&mut self, found: &Match) {
        let (tag, records) = (found.tag, found.records());
        let me = &self.settings.login;
        let from_records = self.unknown_result(&records);
        let result = match (from_records, found.line()) {
            (Some(result), line) => {
                let flag = line.map(|line| line.flag);
                ResultLine { flag, time_out: found.is_out_of_time(), ..result }
            }
            (None, Some(line)) => {
                let place = usize::from(line.players[0].0 != *me);
                let (opponent, opponent_rating) = line.players[1 - place].clone();
                let own_rating = line.players[place].1;
                let game_type = line.game_type.text.clone();
                let flag = Some(line.flag);
                ResultLine {
                    flag,
                    ..ResultLine::unknown(opponent, opponent_rating, own_rating, game_type)
                }
            }
            (None, None) => return,
        };
        self.add_lost(tag, records, result);
    }

    /// A match was adjourned: the server has it. If nothing was played yet there is nothing to
    /// remember: should it go on, the server will show all of it.
    pub(super) fn put_aside(&mut self, tag: u64, records: Vec<GameRecord>, result: ResultLine) {
        if records.iter().all(|record| record.history.moves().is_empty()) {
            return;
        }
        self.add_lost(tag, records, ResultLine { ending: "unknown".to_owned(), ..result });
        if let Some(lost) = self.lost.back_mut() {
            lost.asked = true;
        }
    }

    fn add_lost(&mut self, tag: u64, records: Vec<GameRecord>, result: ResultLine) {
        if self.lost.len() >= MOST_LOST {
            self.lost.pop_front();
        }
        let after = self.recorded.last().copied();
        self.lost.push_back(Lost { tag, records, result, after, asked: false });
    }

    /// What can be said of a match by its records alone.
    fn unknown_result(&self, records: &[GameRecord]) -> Option<ResultLine> {
        let me = &self.settings.login;
        let first = records.first()?;
        let own = if first.black.name == *me { Color::Black } else { Color::White };
        let (player, opponent) = (first.player(own), first.player(!own));
        let rating = |rating: Option<f64>| rating.unwrap_or(0.0);
        let game_type = GameType::parse(&first.game_type)?;
        let mut result = ResultLine::unknown(
            opponent.name.clone(),
            rating(opponent.rating),
            rating(player.rating),
            game_type.text,
        );
        result.color = (!game_type.synchro).then(|| own.to_string());
        (result.moves, result.seconds) = own_time(records, me);
        Some(result)
    }

    /// A match is played again: what was lost of it is found.
    pub(super) fn goes_on(&mut self, records: &[GameRecord]) {
        self.lost.retain(|lost| lost.moves() == 0 || !continues(&lost.records, records));
    }

    /// The connection or the service is gone, and with it every answer.
    pub(super) fn end_search(&mut self) {
        self.search = None;
        self.looks.clear();
        self.lost.iter_mut().for_each(|lost| lost.asked = false);
    }

    /// Whether the server is being asked about lost matches.
    pub(super) fn is_searching(&self) -> bool {
        self.search.is_some()
    }

    /// Asks for what is stored, and then, if matches are lost, for them.
    pub(super) fn ask_for_stored(&mut self, out: &mut Actions) {
        self.send(&Command::service("stored"), out);
        if self.search.is_none() && self.lost.iter().any(|lost| !lost.asked) {
            self.search = Some(Search { stage: Stage::Lists, since: self.now });
            self.send(&Command::service("history"), out);
        }
    }

    /// The server has said what is stored and then what has ended: the archive is asked for what may be a lost match. Games
    /// that are recorded are only looked at for those that would be given up: the bot may have been
    /// killed between the record of a result and the end of its file.
    pub(super) fn listed_history(&mut self, entries: Vec<HistoryEntry>, out: &mut Actions) {
        let Some(Search { stage: Stage::Lists, .. }) = self.search else { return };
        let me = &self.settings.login;
        let may_be = |entry: &&HistoryEntry| {
            let is_recorded = self.recorded.contains(&entry.archive);
            self.lost
                .iter()
                .any(|lost| lost.fits(entry, me) && (!is_recorded || !self.may_go_on(lost)))
        };
        let mut fitting: Vec<HistoryEntry> = entries.iter().filter(may_be).cloned().collect();
        fitting.sort_by_key(|entry| {
            (self.recorded.contains(&entry.archive), std::cmp::Reverse(entry.archive))
        });
        fitting.dedup_by_key(|entry| entry.archive);
        fitting.truncate(MOST_LOOKS);
        for number in fitting.iter().map(|entry| entry.archive).collect::<Vec<_>>() {
            self.look_up(number, out);
        }
        self.search = Some(Search { stage: Stage::Looks(fitting), since: self.now });
        self.conclude(out);
    }

    /// Whether a lost match may be one that the server has stored, or that runs again.
    fn may_go_on(&self, lost: &Lost) -> bool {
        let me = &self.settings.login;
        let is_stored = |game: &StoredGame| {
            let [one, other] = &game.players;
            let game_type = stored_type(&game.game_type);
            game_type.is_some_and(|kind| lost.is_of(&kind.text, [one, other], me))
        };
        let runs = |found: &Match| {
            let is_whole = !found.games.is_empty() && found.records().len() == found.games.len();
            let same = |line: &MatchLine| {
                let [(one, _), (other, _)] = &line.players;
                lost.is_of(&line.game_type.text, [one, other], me)
            };
            // The moves of a match that is shown whole tell whether it is the same.
            (!is_whole || lost.moves() == 0) && found.line().is_none_or(same)
        };
        self.stored.iter().any(is_stored) || self.matches.values().any(runs)
    }

    /// Asks for the record of an archived match.
    pub(super) fn look_up(&mut self, number: u32, out: &mut Actions) {
        if self.looks.len() >= MOST_QUESTIONS {
            self.looks.pop_front();
        }
        self.looks.push_back(number);
        self.send(&Command::service(format_args!("look .{number}")), out);
    }

    /// The number that an answer of the archive is about: answers come in the order of the
    /// questions. None if nothing was asked.
    pub(super) fn looked_at(&mut self, said: Option<u32>) -> Option<u32> {
        let place = match said {
            Some(number) => self.looks.iter().position(|asked| *asked == number)?,
            None => 0,
        };
        self.looks.remove(place)
    }

    /// A record of the archive that may be of a lost match.
    pub(super) fn looked(&mut self, number: u32, records: Vec<GameRecord>, out: &mut Actions) {
        let now = self.now;
        let Some(Search { stage: Stage::Looks(entries), since }) = &mut self.search else { return };
        let Some(place) = entries.iter().position(|entry| entry.archive == number) else { return };
        *since = now;
        let entry = entries.remove(place);
        let me = &self.settings.login;
        let may_be = |lost: &&Lost| lost.fits(&entry, me) && lost.is(number, &records);
        // Of two that may be, the one of which more is known.
        let best = self.lost.iter().filter(may_be).max_by_key(|lost| lost.moves());
        if let Some(tag) = best.map(|lost| lost.tag) {
            self.found_again(tag, &entry, records, out);
        }
        self.conclude(out);
    }

    /// The archive has no such match.
    pub(super) fn not_archived(&mut self, number: u32, out: &mut Actions) {
        self.looks.retain(|asked| *asked != number);
        if let Some(Search { stage: Stage::Looks(entries), .. }) = &mut self.search {
            entries.retain(|entry| entry.archive != number);
            self.conclude(out);
        }
    }

    fn found_again(
        &mut self,
        tag: u64,
        entry: &HistoryEntry,
        records: Vec<GameRecord>,
        out: &mut Actions,
    ) {
        let Some(place) = self.lost.iter().position(|lost| lost.tag == tag) else { return };
        let Some(Lost { mut result, .. }) = self.lost.remove(place) else { return };
        let me = self.settings.login.clone();
        let listed = if entry.players[0] == me { entry.result } else { -entry.result };
        let exact = own_result(&records, &me).filter(|exact| (exact - listed).abs() < ROUNDED);
        result.result = Some(exact.unwrap_or(listed));
        result.ending = "played".to_owned();
        result.archive = Some(entry.archive);
        (result.moves, result.seconds) = own_time(&records, &me);
        self.news(
            format!(
                "match with {}, {}, ended {:+.2} for us (.{}) while we did not hear of it",
                result.opponent,
                result.game_type,
                result.result.unwrap_or_default(),
                entry.archive
            ),
            out,
        );
        self.note_recorded(entry.archive);
        let result = Box::new(result);
        out.push(Action::Report(Box::new(Report::Finished { tag, records, result })));
    }

    /// When everything was answered: what is neither stored nor in the archive stays unknown.
    fn conclude(&mut self, out: &mut Actions) {
        match &self.search {
            Some(Search { stage: Stage::Looks(entries), .. }) if entries.is_empty() => {}
            _ => return,
        }
        self.search = None;
        let (kept, unknown): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.lost).into_iter().partition(|lost| self.may_go_on(lost));
        // Nothing was heard of the moves of some. The server has them, and shows all of a match that
        // goes on.
        let kept = kept.into_iter().filter(|lost| lost.moves() > 0);
        self.lost = kept.map(|lost| Lost { asked: true, ..lost }).collect();
        for Lost { tag, records, result, .. } in unknown {
            self.news(
                format!(
                    "match with {}, {}, is gone, and the server does not say how it ended",
                    result.opponent, result.game_type
                ),
                out,
            );
            let result = Box::new(result);
            out.push(Action::Report(Box::new(Report::Finished { tag, records, result })));
        }
    }

    pub(super) fn tick_search(&mut self, out: &mut Actions) {
        let late =
            |search: &mut Search| self.now.saturating_duration_since(search.since) >= ARCHIVE_TIME;
        if self.search.take_if(late).is_some() {
            // Their records stay, and the next connection asks again.
            self.news("the server does not answer about matches whose end was not heard", out);
            self.lost.iter_mut().for_each(|lost| lost.asked = true);
        }
    }
}

/// The mean result of these games from a player's view, if all have one in discs.
fn own_result(records: &[GameRecord], me: &str) -> Option<f64> {
    let result = |record: &GameRecord| match record.result?.margin {
        Margin::Discs(discs) if record.black.name == me => Some(discs),
        Margin::Discs(discs) => Some(-discs),
        Margin::WonBy(_) => None,
    };
    let results: Option<Vec<f64>> = records.iter().map(result).collect();
    let results = results.filter(|results| !results.is_empty())?;
    Some(results.iter().sum::<f64>() / results.len() as f64)
}
