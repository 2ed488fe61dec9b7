//! Where methods choose differently, who is right? On positions of recorded games that the solver can
//! settle, every method chooses a move by a shallow look; where they do not all agree, each move is
//! solved. [`gallery`] picks the most telling of them for the board in the browser.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::lab::bench::{Bench, LabError, WTHOR_LATER};
use crate::lab::outcome::{Column, Outcome, Table};
use crate::lab::verdict::Figure;
use crate::options::{OptionError, Options};
use crate::othello::{Move, Position};
use crate::record::{Board, History};
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
    deep("om against discs", &[("method", "om"), ("opponent-eval", "discs")]),
    deep("shared", &[("method", "shared")]),
    deep("minimax by discs", &[("method", "minimax"), ("selectivity", "100"), ("eval", "discs")]),
    deep("expectation by discs", &[("method", "expectation"), ("eval", "discs")]),
    wide("mcts", &[("method", "mcts"), ("solve-root", "0"), ("memory", "8")]),
    wide("uct plain", &[("method", "uct"), ("prior", "even"), ("memory", "8")]),
];

/// The methods of the gallery, by their places above: as many as the page shows side by side.
const SHOWN_METHODS: [usize; 5] = [0, 1, 3, 4, 7];

#[derive(Clone, Copy)]
enum Limit {
    Depth(u32),
    Playouts(u64),
}

/// The moves that the methods choose, and what they think them worth, discs.
fn choices(position: Position) -> Result<Vec<(Option<Move>, f64)>, OptionError> {
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
            Ok((outcome.best_move(), outcome.score().discs()))
        })
        .collect()
}

/// A position in which the methods do not all agree.
struct Disagreement {
    position: Position,
    chosen: Vec<Option<Move>>,
    /// What each method thought its move worth, discs.
    thought: Vec<f64>,
    /// What each method's move loses against the best, discs.
    lost: Vec<i32>,
    /// The score under perfect play, discs.
    best: i32,
}

/// A position for people to look at, and what some methods want to play there.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Exhibit {
    /// 64 squares and the side to move.
    pub board: String,
    /// The score under perfect play, mover's view.
    pub best: i32,
    /// What was asked, and the answers.
    pub answers: Vec<Answer>,
}

/// A method's choice.
#[derive(Serialize, Deserialize, Debug, Clone, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The options besides the defaults.
    pub set: BTreeMap<String, String>,
    /// Its move.
    pub r#move: String,
    /// What it thought the move worth, discs.
    pub value: f64,
    /// What the move is worth under perfect play.
    pub truth: i32,
}

fn judge(position: Position) -> Result<Option<Disagreement>, OptionError> {
    let (chosen, thought): (Vec<Option<Move>>, Vec<f64>) = choices(position)?.into_iter().unzip();
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
    Ok(Some(Disagreement { position, chosen, thought, lost, best }))
}

fn judge_all(
    positions: &[Position],
    stop: &StopFlag,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Vec<Disagreement>, OptionError> {
    let done = AtomicU64::new(0);
    let found: Result<Vec<Option<Disagreement>>, OptionError> = positions
        .par_iter()
        .map(|&position| {
            let found = if stop.is_stopped() { Ok(None) } else { judge(position) };
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, positions.len() as u64);
            found
        })
        .collect();
    Ok(found?.into_iter().flatten().collect())
}

/// Positions of recorded games in which the methods of [`SHOWN_METHODS`] choose moves of different
/// worth; `None` if the work was stopped.
///
/// They are taken in turn from the sets of methods that may be right, so that each one is right
/// somewhere if it ever is; of each set the positions where most is at stake come first.
///
/// # Errors
/// If a method cannot be made.
pub fn gallery(
    games: &[History],
    positions: usize,
    count: usize,
    stop: &StopFlag,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Option<Vec<Exhibit>>, OptionError> {
    let positions = sample(games, 60 - EMPTIES, positions, SEED);
    let found = judge_all(&positions, stop, progress)?;
    Ok((!stop.is_stopped()).then(|| choose(&found, count)))
}

fn choose(found: &[Disagreement], count: usize) -> Vec<Exhibit> {
    let mut by_right: BTreeMap<Vec<bool>, Vec<&Disagreement>> = BTreeMap::new();
    for disagreement in found {
        let right: Vec<bool> =
            SHOWN_METHODS.iter().map(|&index| disagreement.lost[index] == 0).collect();
        if right.contains(&true) && right.contains(&false) {
            by_right.entry(right).or_default().push(disagreement);
        }
    }
    for group in by_right.values_mut() {
        group.sort_by_key(|d| {
            std::cmp::Reverse(SHOWN_METHODS.iter().map(|&index| d.lost[index]).max())
        });
    }
    let longest = by_right.values().map(Vec::len).max().unwrap_or(0);
    let in_turn = (0..longest)
        .flat_map(|turn| by_right.values().filter_map(move |group| group.get(turn).copied()));
    in_turn.take(count).map(exhibit).collect()
}

fn exhibit(found: &Disagreement) -> Exhibit {
    let answer = |&index: &usize| {
        let Chooser { settings, limit, .. } = &METHODS[index];
        let mut set: BTreeMap<String, String> = settings
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        // How much memory a search may have is for whoever runs it to say.
        set.remove("memory");
        let (name, value) = match *limit {
            Limit::Depth(depth) => ("depth", depth.to_string()),
            Limit::Playouts(playouts) => ("playouts", playouts.to_string()),
        };
        set.insert(name.to_owned(), value);
        Answer {
            set,
            r#move: found.chosen[index].map_or("–".to_owned(), |played| played.to_string()),
            value: (found.thought[index] * 100.0).round() / 100.0,
            truth: found.best - found.lost[index],
        }
    };
    Exhibit {
        board: Board { position: found.position, ..Board::START }.to_string(),
        best: found.best,
        answers: SHOWN_METHODS.iter().map(answer).collect(),
    }
}

/// Finds and settles the disagreements.
///
/// # Errors
/// If there are no games, or the work was interrupted.
pub fn disagreements(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let games = bench.games(WTHOR_LATER)?;
    let positions = sample(&games, 60 - EMPTIES, bench.size(60, 2_000), SEED);
    let found = judge_all(&positions, bench.stop, bench.progress)?;
    let found = bench.finished(Some(found))?;
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

    #[test]
    fn the_gallery_shows_every_set_of_right_methods_before_it_shows_one_twice() {
        let mut rng = seeded(5);
        let mut some = |right: [bool; 5], lost: i32| {
            let position = random_position(14, &mut rng);
            let mut all = vec![lost; METHODS.len()];
            for (index, is_right) in SHOWN_METHODS.iter().zip(right) {
                all[*index] = if is_right { 0 } else { lost };
            }
            let played = position.children().next().map(|(played, _)| played);
            let chosen = vec![played; METHODS.len()];
            let thought = vec![1.234; METHODS.len()];
            Disagreement { position, chosen, thought, lost: all, best: 4 }
        };
        let minimax = [true, false, false, false, false];
        let mcts = [false, false, false, false, true];
        let found = [
            some(minimax, 2),
            some(minimax, 6),
            some(mcts, 4),
            some([true; 5], 8),
            some([false; 5], 8),
        ];
        let shown = choose(&found, 2);
        let worst: Vec<i32> = shown
            .iter()
            .map(|exhibit| exhibit.answers.iter().map(|answer| answer.truth).min().unwrap())
            .collect();
        assert_eq!(worst, [0, -2]);
        assert_eq!(choose(&found, 10).len(), 3);
        let minimax = &shown[1].answers[0];
        assert_eq!((minimax.truth, minimax.value), (4, 1.23));
        assert_eq!(minimax.set["method"], "minimax");
        assert_eq!(minimax.set["depth"], "4");
        assert_eq!(shown[0].answers[4].set["playouts"], "1000");
    }
}
