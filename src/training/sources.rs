//! Where positions to learn from come from: game records in any format, problem files and position
//! files, thinned out and varied by a seed.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use rand::Rng;
use thiserror::Error;

use super::positions::{self, PositionsError, Source};
use crate::eval::UNIT;
use crate::othello::random::random_move;
use crate::othello::symmetry::canonical;
use crate::othello::{Color, Position};
use crate::random::{Random, seeded_part};
use crate::record::game_record::Margin;
use crate::record::{self, GameRecord, OpenError, RecordError};

/// The extension of position files.
pub const EXTENSION: &str = "kpos";

/// A position that may be scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The position; its mover has a legal move.
    pub position: Position,
    /// Number of the game, counted over all files.
    pub game: u32,
    /// The score for the mover in 1/128 disc that the file gives, and where it comes from.
    pub known: Option<(i16, Source)>,
}

/// Which positions to take.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Numbers of empty squares.
    pub empties: RangeInclusive<u32>,
    /// Chance of each position to be taken.
    pub share: f64,
    /// Chance that a position one or two random moves away is taken too: games hold few of the bad
    /// moves that a search must be able to judge.
    pub strays: f64,
    /// Seed of the choice.
    pub seed: u64,
}

impl Selection {
    /// Every position.
    pub fn all() -> Selection {
        Selection { empties: 0..=60, share: 1.0, strays: 0.0, seed: 1 }
    }
}

/// Why positions cannot be read.
#[derive(Debug, Error)]
pub enum SourceError {
    /// The file cannot be opened or is of no kind that has positions.
    #[error("{0}")]
    Open(#[from] OpenError),
    /// A bad record.
    #[error("{0}")]
    Record(#[from] RecordError),
    /// A bad position file.
    #[error("{0}")]
    Positions(#[from] PositionsError),
    /// Games were wanted.
    #[error("no game from the usual start in these files")]
    NoGames,
}

/// The selected positions of the files, each once up to symmetry, in file order.
///
/// # Errors
/// If a file cannot be read.
pub fn candidates(files: &[PathBuf], selection: &Selection) -> Result<Vec<Candidate>, SourceError> {
    let mut taker = Taker { selection, seen: HashSet::new(), taken: Vec::new() };
    let mut game = 0;
    for file in files {
        if file.extension().is_some_and(|extension| extension == EXTENSION) {
            for (number, scored) in (0..).zip(positions::read(file)?) {
                let mut rng = seeded_part(selection.seed, number);
                let known = Some((scored.score, scored.source));
                taker.offer(scored.position, scored.game, known, &mut rng);
            }
            continue;
        }
        for record in record::open(file)? {
            let record = record.map_err(|error| error.in_file(&file.display().to_string()))?;
            game += 1;
            taker.offer_game(&record, game);
        }
    }
    Ok(taker.taken)
}

/// What a tournament file says about a position of one of its games, for Black: the stored score,
/// exact where it was worked out. Before that it is what the game was worth after moves yet to
/// come, and after it holds only if the game ended so.
fn theory_at(record: &GameRecord, position: Position) -> Option<(i32, Source)> {
    let theory = record.theory?;
    let ended_so = || match record.result_or_score()?.margin {
        Margin::Discs(discs) => (discs == f64::from(theory.score)).then_some(()),
        Margin::WonBy(_) => None,
    };
    match position.empty_count().cmp(&u32::from(theory.empties)) {
        Ordering::Equal => Some((theory.score, Source::Exact)),
        Ordering::Greater => Some((theory.score, Source::Result)),
        Ordering::Less => ended_so().map(|()| (theory.score, Source::Result)),
    }
}

/// Takes positions by the selection.
struct Taker<'s> {
    selection: &'s Selection,
    /// Positions up to symmetry.
    seen: HashSet<Position>,
    taken: Vec<Candidate>,
}

impl Taker<'_> {
    fn offer_game(&mut self, record: &GameRecord, game: u32) {
        let mut rng = seeded_part(self.selection.seed, game.into());
        for board in record.history.boards() {
            let position = board.position;
            let problem = record.answers.iter().map(|(_, score)| score).max();
            let problem = problem.or(record.value.as_ref()).map(|score| score.rounded());
            let known = match problem {
                Some(score) => Some((score, Source::Exact)),
                None => theory_at(record, position).map(|(score, source)| match board.turn {
                    Color::Black => (score, source),
                    Color::White => (-score, source),
                }),
            };
            let known = known.map(|(discs, source)| ((discs * UNIT) as i16, source));
            self.offer(position, game, known, &mut rng);
        }
    }

    fn offer(
        &mut self,
        position: Position,
        game: u32,
        known: Option<(i16, Source)>,
        rng: &mut Random,
    ) {
        // Always draw the same numbers, so that one position does not decide about the next.
        let (take, stray) = (rng.random::<f64>(), rng.random::<f64>());
        if take < self.selection.share {
            self.take(Candidate { position, game, known });
        }
        if stray < self.selection.strays {
            let mut strayed = position;
            for _ in 0..rng.random_range(1..=2) {
                if let Some(chosen) = random_move(strayed, rng) {
                    strayed = strayed.after_unchecked(chosen);
                }
            }
            self.take(Candidate { position: strayed, game, known: None });
        }
    }

    fn take(&mut self, candidate: Candidate) {
        let position = candidate.position;
        if self.selection.empties.contains(&position.empty_count())
            && position.has_move()
            && self.seen.insert(canonical(position).0)
        {
            self.taken.push(candidate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testdata::shared_data;

    #[test]
    #[ignore = "needs shared data (KITAI_DATA)"]
    fn tournament_games_give_positions_once_and_the_stored_score_at_its_place_with_shared_data() {
        let file = shared_data("wthor/WTH_1980.wtb");
        let selection = Selection { empties: 10..=40, share: 0.5, strays: 0.5, ..Selection::all() };
        let found = candidates(std::slice::from_ref(&file), &selection).unwrap();
        assert!(found.len() > 1000, "{}", found.len());
        let distinct: HashSet<_> = found.iter().map(|c| canonical(c.position).0).collect();
        assert_eq!(distinct.len(), found.len());
        for candidate in &found {
            let empties = candidate.position.empty_count();
            assert!((10..=40).contains(&empties) && candidate.position.has_move());
            let exact = matches!(candidate.known, Some((_, Source::Exact)));
            assert!(!exact || empties == 22 || empties == 24);
        }
        assert!(found.iter().any(|candidate| candidate.known.is_some()));
        assert_eq!(candidates(&[file], &selection).unwrap(), found);
    }

    #[test]
    #[ignore = "needs shared data (KITAI_DATA)"]
    fn problem_files_give_the_best_answer_with_shared_data() {
        let file = shared_data("problems/hard-20.obf");
        let found = candidates(&[file], &Selection::all()).unwrap();
        assert_eq!(found.len(), 276);
        assert!(found.iter().all(|c| matches!(c.known, Some((_, Source::Exact)))));
    }

    #[test]
    fn files_that_hold_no_positions_are_named() {
        let error = |name: &str| candidates(&[name.into()], &Selection::all()).unwrap_err();
        assert!(error("song.mp3").to_string().contains("song.mp3: the extension names no format"));
        assert!(error("no/such.wtb").to_string().contains("no/such.wtb"));
        assert!(error("no/such.kpos").to_string().contains("no/such.kpos"));
    }
}
