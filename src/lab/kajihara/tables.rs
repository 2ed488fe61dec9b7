//! The mixed-strategy paper's tables in the common form: exact values by enumeration beside the
//! printed simulations of 10,000 games.

use super::{
    Figure as Cell, GAMES, gains, mixed as mixed_results, semi_random as semi_random_results,
};
use crate::lab::bench::{Bench, LabError};
use crate::lab::outcome::{Column, Outcome, Table};
use crate::lab::verdict::Figure;
use crate::search::opponent::speculative::Reading;

const SEED: u64 = 1;
/// Per cent that would change what one thinks.
const SHARE_MATTERS: f64 = 3.0;

/// The exact value beside the printed one; the printed one's error is that of its games.
fn figure(cell: &Cell) -> Figure {
    let rounding = 0.005;
    let error = (cell.exact * (100.0 - cell.exact) / f64::from(GAMES)).sqrt().max(rounding);
    Figure::ours(cell.exact, None).beside(cell.printed, error)
}

/// Table 1.
///
/// # Errors
/// None.
pub fn semi_random(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let games = bench.size(0, 10_000) as u32;
    let columns = ["win", "draw", "loss"]
        .map(|name| Column::compared(&format!("White's {name}, %"), 2, SHARE_MATTERS));
    let mut table = Table::new(
        "Table 1: semi-random P_i (White) against P_j",
        &["kajihara-table1"],
        "White, Black",
        columns.to_vec(),
    );
    let mut outside = 0;
    for result in semi_random_results(games, SEED) {
        let name = format!("P{}, P{}", result.cell.white, result.cell.black);
        outside += result.figures.iter().filter(|cell| !cell.agrees(super::TABLE_1_ERRORS)).count();
        table.row(name, result.figures.iter().map(figure).collect());
    }
    Ok(Outcome {
        seed: SEED,
        settings: format!("enumeration; {games} simulated games of each cell as a check"),
        reading:
            "Wins and losses within the look-ahead are found depth by depth (iterative deepening); \
            that reading alone fits all 147 figures."
                .to_owned(),
        findings: vec![format!("{outside} of 147 figures lie more than 2 standard errors away.")],
        tables: vec![table],
        ..Outcome::default()
    })
}

/// Tables 2 to 4.
///
/// # Errors
/// None.
pub fn mixed(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let games = bench.size(0, 10_000) as u32;
    let results = mixed_results(Reading::OneMistake, games, SEED);
    let mut tables = Vec::new();
    for (number, white, colour) in [(2, true, "White"), (3, false, "Black")] {
        let title = format!("Table {number}: wins of the speculative player as {colour}, %");
        let file = format!("kajihara-table{number}");
        let columns = vec![Column::compared("wins, %", 2, SHARE_MATTERS)];
        let mut table = Table::new(&title, &[&file], "player, opponent, type", columns);
        for result in results.iter().filter(|result| result.cell.white == white) {
            let cell = &result.cell;
            let name = format!("P{}, P{}, {}", cell.player, cell.opponent, cell.schedule);
            table.row(name, vec![figure(&result.figure)]);
        }
        tables.push(table);
    }
    let columns = vec![
        Column::compared("gain of the best type, %", 2, SHARE_MATTERS),
        Column::new("by the printed tables, %", 2),
    ];
    let mut table = Table::new(
        "Table 4: the best type's wins less those of type 000",
        &["kajihara-table4"],
        "player, opponent, colour",
        columns,
    );
    for result in gains(&results) {
        let gain = &result.gain;
        let colour = if gain.white { "White" } else { "Black" };
        // The difference of two shares of 10,000 games, each at most ½.
        let error = 100.0 * (0.5 / f64::from(GAMES)).sqrt();
        table.row(
            format!("P{}, P{}, {colour}", gain.player, gain.opponent),
            vec![
                Figure::ours(result.exact, None).beside(gain.printed, error),
                Figure::ours(result.from_tables, None),
            ],
        );
    }
    tables.push(table);
    Ok(Outcome {
        seed: SEED,
        settings: format!("enumeration; {games} simulated games of each cell as a check"),
        reading: "The speculative player hopes for one mistake: it counts the modelled replies that lose \
            by force. Literal expectimax and the share of won leaves fit far fewer figures."
            .to_owned(),
        tables,
        ..Outcome::default()
    })
}
