//! Labelling: a job is a batch of positions to score.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{AllKinds, InOrder, refused, result};
use crate::eval::UNIT;
use crate::fleet::FleetError;
use crate::fleet::coordinator::{TakeError, Taken, Work};
use crate::fleet::files::Outgoing;
use crate::fleet::residuals::Measure;
use crate::fleet::wire::{Name, RunId, hex};
use crate::fleet::worker::Circumstances;
use crate::options::Options;
use crate::othello::{Bitboard, Position};
use crate::search::minimax::THREADS;
use crate::training::games::Label;
use crate::training::label::{LabelFile, LabelSettings};
use crate::training::positions::Source;
use crate::training::scorer::Scorer;
use crate::training::sources::Candidate;

/// As jobs name it.
pub const KIND: &str = "label";
/// Positions of a job, to the end of the game they belong to.
const POSITIONS: usize = 256;
/// The most positions that a worker takes.
const MOST: usize = 1024;

/// A job as it travels.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Body {
    options: Options,
    depth: u32,
    exact_from: u32,
    /// Discs of the mover and of the opponent.
    positions: Vec<[u64; 2]>,
}

/// A score as it travels: 1/128 disc, whether it is exact, depth.
type Scored = (i16, bool, u8);

/// The worker's side.
pub(super) fn perform(
    worker: &mut AllKinds,
    body: Body,
    at: &Circumstances,
) -> Result<Option<Vec<Scored>>, String> {
    if body.positions.len() > MOST {
        return Err(format!("{} positions are too many", body.positions.len()));
    }
    let options = worker.equipment.admit(&body.options, &at.files)?;
    let made = Scorer::new(&options, body.depth, body.exact_from);
    let mut scorer = made.map_err(|error| error.to_string())?;
    let mut scores = Vec::new();
    for [mover, opponent] in body.positions {
        let position = Position::new(Bitboard(mover), Bitboard(opponent))
            .map_err(|error| error.to_string())?;
        let Some(verdict) = scorer.score(position, &at.stop) else { return Ok(None) };
        scores.push((verdict.score, verdict.source == Source::Exact, verdict.depth));
    }
    Ok(Some(scores))
}

/// The coordinator's side.
pub struct LabelWork<'c> {
    candidates: &'c [Candidate],
    settings: LabelSettings,
    travelling: Options,
    files: Outgoing,
    run: RunId,
    file: LabelFile<'c>,
    /// Where jobs end, the first at 0.
    ends: Vec<usize>,
    results: InOrder<Vec<Label>>,
    on_positions: Box<dyn FnMut(u64)>,
}

impl<'c> LabelWork<'c> {
    /// Fills up the file; `on_positions` hears how many positions it has.
    ///
    /// # Errors
    /// If a file that the options name cannot be read.
    pub fn new(
        candidates: &'c [Candidate],
        settings: LabelSettings,
        file: LabelFile<'c>,
        on_positions: Box<dyn FnMut(u64)>,
    ) -> Result<LabelWork<'c>, FleetError> {
        let header = settings.header().map_err(|error| FleetError::Keeping(error.to_string()))?;
        let run = RunId::of(KIND, &(header, digest(candidates)));
        let mut files = Outgoing::default();
        let travelling = files.pack(&settings.options)?;
        let mut ends = vec![0];
        while let Some(&last) = ends.last()
            && last < candidates.len()
        {
            ends.push(file.whole(last + POSITIONS));
        }
        let first = ends[1..].partition_point(|&end| end <= file.done()) as u64;
        Ok(LabelWork {
            candidates,
            settings,
            travelling,
            files,
            run,
            file,
            ends,
            results: InOrder::from(first),
            on_positions,
        })
    }

    /// How many positions are written.
    pub fn written(&self) -> u64 {
        self.file.done() as u64
    }

    fn range(&self, number: u64) -> Range<usize> {
        self.ends[number as usize]..self.ends[number as usize + 1]
    }

    /// The candidates of a job that must be searched.
    fn searched(&self, number: u64) -> impl Iterator<Item = &Candidate> {
        let all = self.candidates[self.range(number)].iter();
        all.filter(|candidate| self.settings.known(candidate).is_none())
    }

    fn labels(&self, number: u64, scores: &[Scored]) -> Result<Vec<Label>, TakeError> {
        let searched = self.searched(number).count();
        if scores.len() != searched {
            return Err(refused(format!("{} scores for {searched} positions", scores.len())));
        }
        let mut scores = scores.iter();
        let mut labels = Vec::new();
        for candidate in &self.candidates[self.range(number)] {
            let label = match self.settings.known(candidate) {
                Some(label) => label,
                None => self.check(candidate, *scores.next().unwrap_or(&(0, false, 0)))?,
            };
            labels.push(label);
        }
        Ok(labels)
    }

    fn check(
        &self,
        candidate: &Candidate,
        (score, exact, depth): Scored,
    ) -> Result<Label, TakeError> {
        let empties = candidate.position.empty_count();
        let whole = i32::from(score) % UNIT == 0;
        let possible = i32::from(score).abs() <= 64 * UNIT && depth <= 60 && (!exact || whole);
        if !possible || empties <= self.settings.exact_from && !exact {
            return Err(refused(format!("{score}/{UNIT} discs with {empties} empties")));
        }
        let source = if exact { Source::Exact } else { Source::Search };
        Ok(Label { score, source, depth })
    }
}

fn digest(candidates: &[Candidate]) -> String {
    let mut hash = Sha256::new();
    for candidate in candidates {
        hash.update(candidate.position.mover().0.to_le_bytes());
        hash.update(candidate.position.opponent().0.to_le_bytes());
        hash.update(candidate.game.to_le_bytes());
    }
    hex(&hash.finalize())
}

impl Work for LabelWork<'_> {
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
        self.ends.len() as u64 - 1
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
        let positions = self.searched(number).map(|candidate| {
            let position = candidate.position;
            [position.mover().0, position.opponent().0]
        });
        let body = Body {
            options: self.travelling.clone(),
            depth: self.settings.depth,
            exact_from: self.settings.exact_from,
            positions: positions.collect(),
        };
        serde_json::to_value(body).unwrap_or_default()
    }

    fn take(&mut self, number: u64, _: &Name, found: Value) -> Result<Taken, TakeError> {
        if number >= self.total() {
            return Err(refused("no such job"));
        }
        if self.results.is_known(number) {
            return Ok(Taken::Known);
        }
        let scores: Vec<Scored> = result(found)?;
        let labels = self.labels(number, &scores)?;
        let sum: f64 = scores.iter().map(|score| f64::from(score.0)).sum();
        let count = scores.len() as f64;
        let figure = (count > 0.0).then(|| sum / count / f64::from(UNIT));
        self.results.put(number, labels);
        while let Some(labels) = self.results.pop() {
            // The file may hold the beginning of the first job already.
            let range = self.range(self.results.next - 1);
            let written = self.file.done().saturating_sub(range.start).min(labels.len());
            let write = self.file.write(&labels[written..]);
            write.map_err(|error| TakeError::Keeping(error.to_string()))?;
            (self.on_positions)(self.file.done() as u64);
        }
        Ok(Taken::Counted(Measure { amount: count, figure }))
    }

    fn is_written(&self, number: u64) -> bool {
        number < self.results.next
    }
}
