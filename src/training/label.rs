//! Scores many positions in parallel and appends them to a file in order, so that an interrupted
//! run is taken up where it ended.

use std::path::Path;

use rayon::prelude::*;
use thiserror::Error;

use super::positions::{PositionsError, Scored, Source, Writer};
use super::scorer::Scorer;
use super::sources::Candidate;
use crate::options::{OptionError, Options};
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
    /// The output belongs to other work.
    #[error("{file} already has {found} positions, more than the {wanted} asked for")]
    TooMany {
        /// The output.
        file: String,
        /// Positions in it.
        found: u64,
        /// Positions to score.
        wanted: usize,
    },
}

/// Scores the candidates that `output` does not have yet; exact scores known from the source are
/// kept. `progress` is told how many are done, from the number taken over at the start on. Returns
/// how many there are in the end; fewer than asked for if stopped.
///
/// # Errors
/// If the options or the output cannot be used.
pub fn label(
    candidates: &[Candidate],
    output: &Path,
    settings: &LabelSettings,
    stop: &StopFlag,
    mut progress: impl FnMut(u64),
) -> Result<u64, LabelError> {
    let mut writer = Writer::append(output)?;
    let done = writer.count();
    let rest = candidates.get(done as usize..).ok_or_else(|| LabelError::TooMany {
        file: output.display().to_string(),
        found: done,
        wanted: candidates.len(),
    })?;
    // Fails here rather than in every thread.
    Scorer::new(&settings.options, settings.depth, settings.exact_from)?;
    progress(done);
    for chunk in rest.chunks(CHUNK) {
        // By number of empties, so that one search after the other finds its tables in the cache;
        // written in the order they came in.
        let mut order: Vec<usize> = (0..chunk.len()).collect();
        order.sort_by_key(|&index| chunk[index].position.empty_count());
        let scored: Option<Vec<(usize, Scored)>> = order
            .par_iter()
            .map_init(
                || Scorer::new(&settings.options, settings.depth, settings.exact_from).ok(),
                |scorer, &index| {
                    score(scorer.as_mut()?, &chunk[index], settings, stop)
                        .map(|scored| (index, scored))
                },
            )
            .collect();
        let Some(mut scored) = scored.filter(|_| !stop.is_stopped()) else { break };
        scored.sort_unstable_by_key(|&(index, _)| index);
        let scored: Vec<Scored> = scored.into_iter().map(|(_, scored)| scored).collect();
        writer.write(&scored)?;
        progress(writer.count());
    }
    Ok(writer.count())
}

fn score(
    scorer: &mut Scorer,
    candidate: &Candidate,
    settings: &LabelSettings,
    stop: &StopFlag,
) -> Option<Scored> {
    let solvable = candidate.position.empty_count() <= settings.exact_from;
    let kept = candidate.known.filter(|&(_, source)| match source {
        Source::Exact => true,
        Source::Result => settings.keep_results && !solvable,
        Source::Search => false,
    });
    let (score, source, depth) = match kept {
        Some((score, source)) => (score, source, 0),
        None => {
            let verdict = scorer.score(candidate.position, stop)?;
            (verdict.score, verdict.source, verdict.depth)
        }
    };
    Some(Scored { position: candidate.position, score, source, depth, game: candidate.game })
}
