//! Where methods choose differently, who is right? On positions of recorded games that the solver can
//! settle, every method chooses a move by a shallow look; where they do not all agree, each move is
//! solved.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::lab::bench::{Bench, LabError, WTHOR_LATER};
use crate::lab::outcome::{Column, Outcome, Table};
use crate::lab::verdict::Figure;
use crate::options::{OptionError, Options};
use crate::othello::{Move, Position};
use crate::record::Board;
use crate::search::{self, Limits, Request, StopFlag, endgame};
use crate::statistics::Moments;
use crate::training::recorded::sample;

const SEED: u64 = 20;
/// Empty squares of the positions.
const EMPTIES: u32 = 14;
/// Positions shown in full.
const SHOWN: usize = 8;

/// A method that takes part.
struct Chooser {
    name: &'static str,
    settings: &'static [(&'static str, &'static str)],
    limit: Limit,
}

const fn deep(name: &'static str, settings: &'static [(&'static str, &'static str)]) -> Chooser {
    Chooser { name, settings, limit: Limit::Depth(4) }
}

const fn wide(name: &'static str, settings: &'static [(&'static str, &'static str)]) -> Chooser {
    Chooser { name, settings, limit: Limit::Playouts(1_000) }
}

/// The methods; the first is what the others are compared with.
const METHODS: &[Chooser] = &[
    deep("minimax", &[("method", "minimax"), ("selectivity", "100")]),
    deep("expectation", &[("method", "expectation")]),
    deep("expected-value", &[("method", "expected-value")]),
    deep("om (discs)", &[("method", "om"), ("opponent-eval", "discs")]),
    deep("shared", &[("method", "shared")]),
    deep("minimax, discs", &[("method", "minimax"), ("selectivity", "100"), ("eval", "discs")]),
    deep("expectation, discs", &[("method", "expectation"), ("eval", "discs")]),
    wide("mcts", &[("method", "mcts"), ("solve-root", "0"), ("memory", "8")]),
    wide("uct plain", &[("method", "uct"), ("prior", "even"), ("memory", "8")]),
];

#[derive(Clone, Copy)]
enum Limit {
    Depth(u32),
    Playouts(u64),
}

/// The moves that the methods choose.
fn choices(position: Position) -> Result<Vec<Option<Move>>, OptionError> {
    METHODS
        .iter()
        .map(|Chooser { settings, limit, .. }| {
            let mut options = Options::new();
            options.set("hash", "1")?;
            for (name, value) in *settings {
                options.set(name, value)?;
            }
            let limits = match *limit {
                Limit::Depth(depth) => Limits::depth(depth),
                Limit::Playouts(playouts) => Limits::playouts(playouts),
            };
            let request = Request::new(position, limits);
            let outcome = search::build(&options)?.search(&request, &StopFlag::new(), &mut |_| {});
            Ok(outcome.best_move())
        })
        .collect()
}

/// A position in which the methods do not all agree.
struct Disagreement {
    position: Position,
    chosen: Vec<Option<Move>>,
    /// What each method's move loses against the best, discs.
    lost: Vec<i32>,
}

fn judge(position: Position) -> Result<Option<Disagreement>, OptionError> {
    let chosen = choices(position)?;
    if chosen.windows(2).all(|pair| pair[0] == pair[1]) {
        return Ok(None);
    }
    let values: HashMap<Move, i32> =
        position.children().map(|(played, after)| (played, -endgame::solve(after))).collect();
    let best = values.values().copied().max().unwrap_or(0);
    let lost = chosen.iter().map(|played| {
        played.and_then(|played| values.get(&played)).map_or(0, |value| best - value)
    });
    let lost = lost.collect();
    Ok(Some(Disagreement { position, chosen, lost }))
}

/// Finds and settles the disagreements.
///
/// # Errors
/// If there are no games, or the work was interrupted.
pub fn disagreements(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let games = bench.games(WTHOR_LATER)?;
    let positions = sample(&games, 60 - EMPTIES, bench.size(60, 2_000), SEED);
    let done = AtomicU64::new(0);
    let found: Result<Vec<Option<Disagreement>>, OptionError> = positions
        .par_iter()
        .map(|&position| {
            let found = if bench.stop.is_stopped() { Ok(None) } else { judge(position) };
            (bench.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, positions.len() as u64);
            found
        })
        .collect();
    let found: Vec<Disagreement> = bench.finished(Some(found?))?.into_iter().flatten().collect();
    let columns = vec![
        Column::new("best move, %", 1),
        Column::new("discs lost", 3),
        Column::new("right against minimax", 0),
        Column::new("wrong against minimax", 0),
    ];
    let title = format!("Positions with {EMPTIES} empties in which the methods disagree");
    let mut table = Table::new(&title, &[], "method", columns);
    for (index, Chooser { name, .. }) in METHODS.iter().enumerate() {
        let right: Moments =
            found.iter().map(|d| f64::from(u8::from(d.lost[index] == 0))).collect();
        let lost: Moments = found.iter().map(|d| f64::from(d.lost[index])).collect();
        let better = found.iter().filter(|d| d.lost[index] < d.lost[0]).count() as f64;
        let worse = found.iter().filter(|d| d.lost[index] > d.lost[0]).count() as f64;
        table.row(
            *name,
            vec![
                Figure::ours(100.0 * right.mean(), 100.0 * right.standard_error()),
                Figure::ours(lost.mean(), lost.standard_error()),
                Figure::ours(better, None),
                Figure::ours(worse, None),
            ],
        );
    }
    let mut findings =
        vec![format!("The methods disagree in {} of {} positions.", found.len(), positions.len())];
    findings.extend(examples(&found));
    Ok(Outcome {
        seed: SEED,
        settings: format!("{} positions, four plies or 1,000 playouts", positions.len()),
        reading:
            "All share one evaluation (pattern) unless the name says otherwise; a move is right if \
            no other move has a better solved score."
                .to_owned(),
        findings,
        tables: vec![table],
        ..Outcome::default()
    })
}

/// The positions in which somebody is right where minimax loses most.
fn examples(found: &[Disagreement]) -> Vec<String> {
    let mut telling: Vec<&Disagreement> =
        found.iter().filter(|d| d.lost[0] > 0 && d.lost.contains(&0)).collect();
    telling.sort_by_key(|d| -d.lost[0]);
    let describe = |d: &&Disagreement| {
        let mut by_move: Vec<(String, i32, Vec<&str>)> = Vec::new();
        for (Chooser { name, .. }, (chosen, &lost)) in
            METHODS.iter().zip(d.chosen.iter().zip(&d.lost))
        {
            let text = chosen.map_or("–".to_owned(), |played| played.to_string());
            match by_move.iter_mut().find(|entry| entry.0 == text) {
                Some(entry) => entry.2.push(name),
                None => by_move.push((text, lost, vec![name])),
            }
        }
        by_move.sort_by_key(|entry| entry.1);
        let moves: Vec<String> = by_move
            .into_iter()
            .map(|(text, lost, names)| format!("{text} loses {lost}: {}", names.join(", ")))
            .collect();
        let board = Board { position: d.position, ..Board::START };
        format!("{board} — {}", moves.join("; "))
    };
    telling.iter().take(SHOWN).map(describe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::random_position;
    use crate::random::seeded;

    #[test]
    fn losses_are_those_of_the_solved_game_and_somebody_disagrees() {
        let mut rng = seeded(3);
        let mut seen = 0;
        for _ in 0..6 {
            let position = random_position(8, &mut rng);
            if !position.has_move() {
                continue;
            }
            let Some(found) = judge(position).unwrap() else { continue };
            seen += 1;
            let best = endgame::solve(position);
            for (chosen, lost) in found.chosen.iter().zip(&found.lost) {
                let after = position.after_unchecked(chosen.unwrap());
                assert_eq!(-endgame::solve(after), best - lost);
            }
        }
        assert!(seen > 0);
    }
}
