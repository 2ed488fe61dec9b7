//! The shared-search paper's tables in the common form.

use std::sync::atomic::{AtomicU64, Ordering};

use super::domain::OthelloDomain;
use super::games::{ListGames, published as votes};
use super::{CandidateLists, Class, LISTS, makers, published};
use crate::lab::bench::{Bench, LabError};
use crate::lab::outcome::{Column, Outcome, Table};
use crate::lab::verdict::Figure;
use crate::options::Options;
use crate::statistics::EloEstimate;
use crate::statistics::normal::Z95;

const SEED: u64 = 1992;
/// Moves of a list, K.
const CANDIDATES: usize = 6;
/// Positions that the paper's judge ranked.
const PRINTED_POSITIONS: f64 = 43.0;
/// Per cent of first places that would change what one thinks.
const SHARE_MATTERS: f64 = 25.0;

fn domain(depth: u32) -> Result<OthelloDomain, LabError> {
    let mut options = Options::new();
    options.set("eval", "pattern")?;
    options.set("hash", "4")?;
    Ok(OthelloDomain::new(options, depth)?)
}

/// Tables 1 and 2.
///
/// # Errors
/// None but an interruption.
pub fn candidates(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let (positions, depth) = (bench.size(100, 2_000) as u32, bench.size(6, 8) as u32);
    let domain = domain(depth)?;
    let experiment = CandidateLists { domain: &domain, positions, count: CANDIDATES, seed: SEED };
    let done = AtomicU64::new(0);
    let tick = || {
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        (bench.progress)(done, u64::from(positions));
    };
    let result = bench.finished(experiment.run(bench.stop, &tick)?)?;
    let columns = ["all", "quiet", "violent"]
        .map(|name| Column::compared(&format!("first places, {name}, %"), 1, SHARE_MATTERS));
    let mut table = Table::new(
        "Tables 1 and 2: first places of four candidate lists",
        &["iida1992-table1", "iida1992-table2"],
        "list",
        columns.to_vec(),
    );
    let classes = [result.quiet.merge(result.violent), result.quiet, result.violent];
    let sums: Vec<f64> = (0..3)
        .map(|class| LISTS.iter().filter_map(|list| Some(published(list)?[class])).sum())
        .collect();
    for (index, list) in LISTS.iter().enumerate() {
        let figures = (0..3).map(|class| {
            let Class { positions, lists } = classes[class];
            let of = f64::from(positions.max(1));
            let percent = |count: f64, of: f64| {
                let share = (count + 1.0) / (of + 2.0);
                (100.0 * count / of, 100.0 * (share * (1.0 - share) / of).sqrt())
            };
            let (ours, error) = percent(lists[index].first_places, of);
            let figure = Figure::ours(ours, error);
            match published(list) {
                Some(printed) => {
                    let (theirs, error) = percent(printed[class], sums[class]);
                    figure.beside(theirs, error)
                }
                None => figure,
            }
        });
        table.row(*list, figures.collect());
    }
    Ok(Outcome {
        seed: SEED,
        settings: format!(
            "Othello, {positions} positions of 20 to 40 empties, judge {depth} plies"
        ),
        reading: format!(
            "Othello instead of shogi, and a deep search instead of a person as the judge of \
             {PRINTED_POSITIONS} positions; every list of a position takes the same nodes. \
             `kitai lab iida-candidates --game shogi` plays the paper's game."
        ),
        tables: vec![table],
        ..Outcome::default()
    })
}

/// Table 3, as games.
///
/// # Errors
/// None but an interruption.
pub fn games(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let (pairs, depth) = (bench.size(5, 100), bench.size(3, 6) as u32);
    let domain = domain(depth)?;
    let makers = makers(CANDIDATES);
    let columns = vec![
        Column::compared("score against standard, %", 1, SHARE_MATTERS),
        Column::new("Elo", 0),
    ];
    let title = "Table 3: down-forward pruning against standard, in games beside votes";
    let mut table = Table::new(title, &["iida1992-table3"], "list", columns);
    let done = AtomicU64::new(0);
    for kind in 1..=3 {
        let tick = || {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            (bench.progress)(done, 3 * pairs as u64);
        };
        let experiment =
            ListGames { domain: &domain, makers: [makers[kind], makers[0]], pairs, seed: SEED };
        let score = bench.finished(experiment.run(bench.stop, &tick)?)?;
        let elo = EloEstimate::of(&score.pairs);
        let share = score.pairs.score();
        let games = 2.0 * pairs as f64;
        let error = 100.0 * (share * (1.0 - share) / games).max(1.0 / games / games).sqrt();
        let ours = Figure::ours(100.0 * share, error);
        let ours = if kind == 1 {
            let [standard, down] = votes().iter().fold([0.0, 0.0], |sum, votes| {
                [sum[0] + f64::from(votes[0]), sum[1] + f64::from(votes[1])]
            });
            let theirs = down / (standard + down);
            // Five people judged the same positions: their votes hang together.
            let error = (theirs * (1.0 - theirs) / PRINTED_POSITIONS).sqrt();
            ours.beside(100.0 * theirs, 100.0 * error)
        } else {
            ours
        };
        let margin = (elo.high - elo.low) / 2.0 / Z95;
        table.row(
            LISTS[kind],
            vec![ours, Figure::ours(elo.elo, margin.is_finite().then_some(margin))],
        );
    }
    Ok(Outcome {
        seed: SEED,
        settings: format!("Othello, {} games a list, {depth} plies pick", 2 * pairs),
        reading:
            "The paper has votes of five professionals between standard and type 1 on 43 shogi \
            positions; here games in which the same search picks from both lists."
                .to_owned(),
        tables: vec![table],
        ..Outcome::default()
    })
}
