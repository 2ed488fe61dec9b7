//! Scores many positions in parallel and appends them to a file in order, so that an interrupted
//! run is taken up where it ended. Positions of one game that follow from each other are written
//! as one record. All of them are on the disk for certain after each [`CHUNK`].

use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;
use serde::Serialize;
use thiserror::Error;

use super::Progress;
use super::games::{Game, Label, Ply};
use super::positions::{GameWriter, PositionsError, Source};
use super::scorer::{Scorer, ScorerSettings, Verdict};
use super::sources::Candidate;
use super::upgrade::step_between;
use crate::options::{OptionError, Options};
use crate::record::append::Resumed;
use crate::search::StopFlag;

/// Positions scored between two writes: a few seconds of work.
const CHUNK: usize = 1 << 13;

/// How to score.
#[derive(Clone, Debug)]
pub struct LabelSettings {
    /// Method, evaluation and their options.
    pub options: Options,
    /// Plies to search.
    pub depth: u32,
    /// Solve positions with at most so many empties.
    pub exact_from: u32,
    /// Keep the results that game files give instead of searching.
    pub keep_results: bool,
}

/// Why labelling ended early.
#[derive(Debug, Error)]
pub enum LabelError {
    /// The options cannot be used.
    #[error("{0}")]
    Options(#[from] OptionError),
    /// The output cannot be written.
    #[error("{0}")]
    Positions(#[from] PositionsError),
}

/// What the file says about how its scores were made. Which positions they belong to is compared
/// one by one.
#[derive(Serialize)]
struct Header {
    made_by: &'static str,
    #[serde(flatten)]
    scorer: ScorerSettings,
    keep_results: bool,
}

/// The file that scored candidates are written to, in order.
pub struct LabelFile<'c> {
    candidates: &'c [Candidate],
    writer: GameWriter,
    /// Ranges of candidates that are one record each.
    rows: Vec<Range<usize>>,
    /// How many of them are written.
    written: usize,
}

impl<'c> LabelFile<'c> {
    /// Opens or begins the file of these candidates and settings.
    ///
    /// # Errors
    /// If the options or the file cannot be used, or it holds other positions.
    pub fn open(
        candidates: &'c [Candidate],
        output: &Path,
        settings: &LabelSettings,
    ) -> Result<(LabelFile<'c>, Resumed), LabelError> {
        let rows = rows(candidates);
        let mut written = 0;
        let (writer, resumed) = GameWriter::open(output, &settings.header()?, |game| {
            let row = rows.get(written).ok_or("more positions than asked for")?;
            let same = game.plies.len() == row.len()
                && game.plies.iter().zip(&candidates[row.clone()]).all(|(ply, candidate)| {
                    ply.position == candidate.position && game.number == candidate.game
                });
            written += 1;
            if same { Ok(()) } else { Err("other positions than those asked for".to_owned()) }
        })?;
        Ok((LabelFile { candidates, writer, rows, written }, resumed))
    }

    /// How many candidates are written.
    pub fn done(&self) -> usize {
        self.written.checked_sub(1).map_or(0, |last| self.rows[last].end)
    }

    /// Where the whole records end that begin before `until`.
    pub fn whole(&self, until: usize) -> usize {
        let within = self.rows.partition_point(|row| row.start < until);
        within.checked_sub(1).map_or(0, |last| self.rows[last].end)
    }

    /// Writes the scores of the next candidates, which end where a record does; they are on the
    /// disk when this returns.
    ///
    /// # Errors
    /// If the system takes no more.
    pub fn write(&mut self, labels: &[Label]) -> Result<(), LabelError> {
        let from = self.done();
        while let Some(row) = self.rows.get(self.written)
            && let Some(labels) = labels.get(row.start - from..row.end - from)
        {
            self.writer.write(&game(self.candidates, row, labels))?;
            self.written += 1;
        }
        Ok(self.writer.sync()?)
    }
}

impl LabelSettings {
    /// What decides the scores, as the file's header keeps it.
    ///
    /// # Errors
    /// If the options cannot be used.
    pub fn header(&self) -> Result<impl Serialize + use<>, LabelError> {
        Ok(Header {
            made_by: "kitai label",
            scorer: ScorerSettings::new(&self.options, self.depth, self.exact_from)?,
            keep_results: self.keep_results,
        })
    }

    /// The score that needs no search, if the candidate's file gives one.
    pub fn known(&self, candidate: &Candidate) -> Option<Label> {
        let solvable = candidate.position.empty_count() <= self.exact_from;
        let (score, source) = candidate.known.filter(|&(_, source)| match source {
            Source::Exact => true,
            Source::Result => self.keep_results && !solvable,
            Source::Search => false,
        })?;
        Some(Label { score, source, depth: 0 })
    }
}

/// Scores the candidates that `output` does not have yet; exact scores known from the source are
/// kept. Returns how many positions there are in the end; fewer than asked for if stopped.
///
/// # Errors
/// If the options or the output cannot be used, or the output holds other positions.
pub fn label(
    candidates: &[Candidate],
    output: &Path,
    settings: &LabelSettings,
    stop: &StopFlag,
    mut progress: impl FnMut(Progress),
) -> Result<u64, LabelError> {
    let (mut file, resumed) = LabelFile::open(candidates, output, settings)?;
    progress(Progress::Resumed(resumed));
    progress(Progress::Done(file.done() as u64));
    while file.done() < candidates.len() {
        let chunk = file.done()..file.whole(file.done() + CHUNK);
        let Some(labels) = labels(&candidates[chunk], settings, stop) else { break };
        file.write(&labels)?;
        progress(Progress::Done(file.done() as u64));
    }
    Ok(file.done() as u64)
}

/// Ranges of candidates that are one record each.
fn rows(candidates: &[Candidate]) -> Vec<Range<usize>> {
    let mut rows: Vec<Range<usize>> = Vec::new();
    for index in 0..candidates.len() {
        let goes_on = index > 0 && {
            let (last, this) = (&candidates[index - 1], &candidates[index]);
            last.game == this.game && step_between(last.position, this.position).is_some()
        };
        match rows.last_mut() {
            Some(row) if goes_on => row.end += 1,
            _ => rows.push(index..index + 1),
        }
    }
    rows
}

fn game(candidates: &[Candidate], row: &Range<usize>, labels: &[Label]) -> Game {
    let mut game = Game::new(candidates[row.start].game);
    for (index, &label) in row.clone().zip(labels) {
        let position = candidates[index].position;
        let next = Some(index + 1).filter(|next| row.contains(next));
        let played = next.and_then(|next| step_between(position, candidates[next].position));
        game.push(Ply::new(position, Some(label), played));
    }
    game
}

/// Scores positions in parallel; `None` if stopped.
fn labels(chunk: &[Candidate], settings: &LabelSettings, stop: &StopFlag) -> Option<Vec<Label>> {
    // By number of empties, so that one search after the other finds its tables in the cache.
    let mut order: Vec<usize> = (0..chunk.len()).collect();
    order.sort_by_key(|&index| chunk[index].position.empty_count());
    let scored: Option<Vec<(usize, Label)>> = order
        .par_iter()
        .map_init(
            || Scorer::new(&settings.options, settings.depth, settings.exact_from).ok(),
            |scorer, &index| {
                score(scorer.as_mut()?, &chunk[index], settings, stop).map(|label| (index, label))
            },
        )
        .collect();
    let mut scored = scored.filter(|_| !stop.is_stopped())?;
    scored.sort_unstable_by_key(|&(index, _)| index);
    Some(scored.into_iter().map(|(_, label)| label).collect())
}

fn score(
    scorer: &mut Scorer,
    candidate: &Candidate,
    settings: &LabelSettings,
    stop: &StopFlag,
) -> Option<Label> {
    match settings.known(candidate) {
        Some(label) => Some(label),
        None => scorer.score(candidate.position, stop).map(Verdict::label),
    }
}
