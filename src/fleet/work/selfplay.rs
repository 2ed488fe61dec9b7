//! Self-play: a job is a few games in a row, as the file keeps them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AllKinds, InOrder, refused, result};
use crate::fleet::FleetError;
use crate::fleet::coordinator::{TakeError, Taken, Work};
use crate::fleet::files::Outgoing;
use crate::fleet::residuals::Measure;
use crate::fleet::wire::{Name, RunId, hex, unhex};
use crate::fleet::worker::Circumstances;
use crate::othello::Position;
use crate::search::minimax::THREADS;
use crate::training::games::Game;
use crate::training::positions::Source;
use crate::training::selfplay::{SelfPlayFile, SelfPlaySettings, play};

/// As jobs name it.
pub const KIND: &str = "selfplay";
/// Games of a job: seconds of work at the usual depth.
const GAMES: u32 = 16;
/// Longest record of a game as text.
const LONGEST: usize = 4096;

/// A job as it travels.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Body {
    settings: SelfPlaySettings,
    from: u32,
    until: u32,
}

/// The worker's side: records of games, as text.
pub(super) fn perform(
    worker: &mut AllKinds,
    body: Body,
    at: &Circumstances,
) -> Result<Option<Vec<String>>, String> {
    if body.until.saturating_sub(body.from) > GAMES {
        return Err(format!("games {} to {} are too many", body.from, body.until));
    }
    let options = worker.equipment.admit(&body.settings.options, &at.files)?;
    let settings = SelfPlaySettings { options, ..body.settings };
    let key = format!("{:?} {} {}", settings.options, settings.depth, settings.exact_from);
    let scorer = match worker.scorer.take().filter(|(kept, _)| *kept == key) {
        Some(kept) => worker.scorer.insert(kept),
        None => {
            let made = settings.scorer().map_err(|error| error.to_string())?;
            worker.scorer.insert((key, made))
        }
    };
    let mut records = Vec::new();
    for number in body.from..body.until {
        let Some(game) = play(&mut scorer.1, &settings, number, &at.stop) else { return Ok(None) };
        records.push(hex(&game.encode(number).map_err(|error| error.to_string())?));
    }
    Ok(Some(records))
}

/// The coordinator's side.
pub struct SelfPlayWork {
    settings: SelfPlaySettings,
    travelling: SelfPlaySettings,
    files: Outgoing,
    run: RunId,
    file: SelfPlayFile,
    /// Games by job.
    results: InOrder<Vec<Game>>,
    on_games: Box<dyn FnMut(u32)>,
}

impl SelfPlayWork {
    /// Fills up the file; `on_games` hears how many games it has.
    ///
    /// # Errors
    /// If a file that the options name cannot be read.
    pub fn new(
        settings: SelfPlaySettings,
        file: SelfPlayFile,
        on_games: Box<dyn FnMut(u32)>,
    ) -> Result<SelfPlayWork, FleetError> {
        let header = settings.header().map_err(|error| FleetError::Keeping(error.to_string()))?;
        let run = RunId::of(KIND, &(header, settings.games));
        let mut files = Outgoing::default();
        let options = files.pack(&settings.options)?;
        let travelling = SelfPlaySettings { options, ..settings.clone() };
        let first = u64::from(file.games() / GAMES);
        Ok(SelfPlayWork {
            settings,
            travelling,
            files,
            run,
            file,
            results: InOrder::from(first),
            on_games,
        })
    }

    /// Waits until all games are on the disk and says how many there are.
    ///
    /// # Errors
    /// If the system takes no more.
    pub fn close(self) -> Result<u32, FleetError> {
        self.file.close().map_err(|error| FleetError::Keeping(error.to_string()))
    }

    /// The games of a job.
    fn range(&self, number: u64) -> std::ops::Range<u32> {
        let games = self.settings.games;
        let from = (number.min(u64::from(games)) as u32).saturating_mul(GAMES).min(games);
        from..from.saturating_add(GAMES).min(games)
    }

    fn games(&self, number: u64, records: &[String]) -> Result<Vec<Game>, TakeError> {
        let range = self.range(number);
        // An earlier run may have been asked for the end of the range only.
        let from = (range.end as usize).checked_sub(records.len()).unwrap_or(usize::MAX) as u32;
        if from < range.start || from > range.start.max(self.file.games()) {
            return Err(refused(format!("{} games instead of {}", records.len(), range.len())));
        }
        let mut games = Vec::new();
        for (number, record) in (from..range.end).zip(records) {
            let bad = |reason: String| refused(format!("game {number}: {reason}"));
            if record.len() > LONGEST {
                return Err(bad(format!("{} characters", record.len())));
            }
            let bytes = unhex(record).ok_or_else(|| bad("not a record".to_owned()))?;
            let mut game = Game::new(number);
            game.decode(&bytes, number).map_err(|error| bad(error.to_string()))?;
            self.check(&game, number).map_err(|reason| bad(reason.to_owned()))?;
            games.push(game);
        }
        Ok(games)
    }

    /// Whether the game can have been played with these settings.
    fn check(&self, game: &Game, number: u32) -> Result<(), &'static str> {
        let from_start = game.plies.first().is_some_and(|ply| ply.position == Position::START);
        if game.number != number || !from_start {
            return Err("another game");
        }
        if game.result.is_none() || game.plies.last().is_none_or(|ply| ply.played.is_none()) {
            return Err("not played to its end");
        }
        // A game may end within the opening.
        let opening = game.opening() as u32;
        if opening > *self.settings.opening.end() {
            return Err("too long an opening");
        }
        for (index, ply) in game.plies.iter().enumerate().skip(game.settled_from()) {
            let exact = ply.position.empty_count() <= self.settings.exact_from;
            let Some(label) = ply.label.filter(|label| exact || label.source != Source::Result)
            else {
                return Err("a position without a searched score");
            };
            let result = game.result_at(index).map(|result| 128 * i16::from(result));
            if exact && (label.source != Source::Exact || Some(label.score) != result) {
                return Err("solved positions whose score is not the result");
            }
        }
        Ok(())
    }
}

impl Work for SelfPlayWork {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn run(&self) -> RunId {
        self.run.clone()
    }

    fn resumes(&self) -> bool {
        true
    }

    fn total(&self) -> u64 {
        u64::from(self.settings.games.div_ceil(GAMES))
    }

    fn done(&self) -> u64 {
        self.results.done()
    }

    fn threads(&self) -> u32 {
        self.settings.options.get(&THREADS) as u32
    }

    fn files(&mut self) -> Outgoing {
        std::mem::take(&mut self.files)
    }

    fn next(&mut self) -> Option<u64> {
        self.results.hand_out(self.total())
    }

    fn body(&self, number: u64) -> Value {
        let range = self.range(number);
        let from = range.start.max(self.file.games());
        let body = Body { settings: self.travelling.clone(), from, until: range.end };
        serde_json::to_value(body).unwrap_or_default()
    }

    fn take(&mut self, number: u64, _: &Name, found: Value) -> Result<Taken, TakeError> {
        if number >= self.total() {
            return Err(refused("no such job"));
        }
        if self.results.is_known(number) {
            return Ok(Taken::Known);
        }
        let games = self.games(number, &result::<Vec<String>>(found)?)?;
        let scored = games.iter().flat_map(|game| &game.plies).filter_map(|ply| ply.label);
        let amount = scored.clone().count() as f64;
        let discs: f64 = games.iter().filter_map(|game| game.result).map(f64::from).sum();
        let figure = Some(discs / games.len().max(1) as f64);
        self.results.put(number, games);
        while let Some(games) = self.results.pop() {
            let done = self.file.games();
            let new: Vec<Game> = games.into_iter().filter(|game| game.number >= done).collect();
            self.file.write(&new).map_err(|error| TakeError::Keeping(error.to_string()))?;
            (self.on_games)(self.file.games());
        }
        Ok(Taken::Counted(Measure { amount, figure }))
    }

    fn is_written(&self, number: u64) -> bool {
        number < self.results.next
    }
}
