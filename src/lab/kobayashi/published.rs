//! The printed tables of the 2002 paper by their keys, and those of the independent re-run of its
//! experiments on WTHOR records (10,000 positions of 1990–2001, published σ, free passes, first of
//! equal moves).

use crate::lab::printed::{PrintedRow, table};

/// One cell of tables 6 to 10, or of the re-run.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Cell {
    /// Positions of 10,000 in which the expectation method's move was better.
    pub k_better: u32,
    /// Positions in which minimax's move was better.
    pub m_better: u32,
    /// Mean difference of value, K − M, in discs.
    pub mean: f64,
}

/// The stages of tables 5 to 7: discs played at the root, S.
pub const STAGES: [u32; 5] = [50, 51, 52, 53, 54];
/// The stage of table 8.
pub const SAMPLES_STAGE: u32 = 54;
/// Tuples of the Monte Carlo estimates of all tables but 8, m.
pub const SAMPLES: u64 = 100;
/// Positions of every cell.
pub const POSITIONS: u32 = 10_000;

/// σ of a stage (table 5).
pub fn sigma(discs: u32) -> Option<f64> {
    let table = table("kobayashi2002-table5");
    table.find(&[("S", &discs.to_string())])?.number("sd")
}

fn cell(row: PrintedRow<'_>) -> Cell {
    Cell {
        k_better: row.figure("k_better") as u32,
        m_better: row.figure("m_better") as u32,
        mean: row.figure("mean_diff"),
    }
}

/// The cell of table 6 to 10 whose first column has this value.
pub fn printed(number: u32, key: u32) -> Option<Cell> {
    let (name, column) = (format!("kobayashi2002-table{number}"), key_column(number));
    table(&name).find(&[(column, &key.to_string())]).map(cell)
}

/// The name of a table's first column: S, m or T.
pub fn key_column(table: u32) -> &'static str {
    match table {
        5..=7 => "S",
        8 => "m",
        _ => "T",
    }
}

/// The keys of a table, from its first row to its last.
pub fn keys(number: u32) -> Vec<u32> {
    let column = key_column(number);
    table(&format!("kobayashi2002-table{number}"))
        .rows()
        .map(|row| row.figure(column) as u32)
        .collect()
}

/// The re-run's cell of a table, under a reading such as `2002 back-up; m=100`.
pub fn rerun(number: u32, key: u32, reading: &str) -> Option<Cell> {
    let table = table("rerun-kobayashi-othello");
    let row = table.find(&[
        ("table", &number.to_string()),
        ("cell", &format!("{}={key}", key_column(number))),
        ("interpretation", &format!("pass is free; {reading}")),
    ])?;
    let (k, m) = (row.number("k_per_10000")?, row.number("m_per_10000")?);
    Some(Cell { k_better: k as u32, m_better: m as u32, mean: row.number("mean")? })
}

/// What is known beside a cell of the one-move experiment with m = `samples` (0 for exact E): the
/// paper's figures, if it has any for this S and m, and the re-run's.
pub fn one_move_beside(number: u32, discs: u32, samples: u64) -> Vec<(String, Cell)> {
    let mut beside = Vec::new();
    // Table 8 is table 6 at S = 54 by m; no other m was printed.
    let by_samples = (number == 6 && discs == SAMPLES_STAGE).then_some(8);
    let (table, key) = match by_samples {
        _ if samples == SAMPLES => (Some(number), discs),
        Some(table) => (Some(table), samples as u32),
        None => (None, 0),
    };
    if let Some(table) = table {
        let found = printed(table, key);
        beside.extend(found.map(|cell| (format!("paper, table {table}"), cell)));
        let reading = format!("2002 back-up; m={samples}");
        let found = rerun(table, key, &reading);
        beside.extend(found.map(|cell| (format!("re-run, m = {samples}"), cell)));
    }
    let exact = rerun(number, discs, "2002 back-up; exact");
    beside.extend(exact.map(|cell| ("re-run, exact E".to_owned(), cell)));
    beside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_its_cell_and_its_rerun() {
        for number in 6..=10 {
            for key in keys(number) {
                let samples = if number == 8 { u64::from(key) } else { SAMPLES };
                assert!(printed(number, key).is_some(), "{number} {key}");
                let reading = format!("2002 back-up; m={samples}");
                assert!(rerun(number, key, &reading).is_some(), "{number} {key}");
            }
        }
        assert_eq!(keys(6), STAGES);
        assert_eq!(keys(9), [2, 3, 5, 7]);
        assert_eq!(sigma(54), Some(13.56));
        assert_eq!(sigma(40), None);
    }

    #[test]
    fn beside_a_number_of_tuples_stands_the_paper_s_figure_for_that_number() {
        let names = |beside: &[(String, Cell)]| -> Vec<String> {
            beside.iter().map(|entry| entry.0.clone()).collect()
        };
        let thirty = one_move_beside(6, 54, 30);
        assert_eq!(names(&thirty), ["paper, table 8", "re-run, m = 30", "re-run, exact E"]);
        assert_eq!((thirty[0].1.k_better, thirty[0].1.m_better), (1239, 930));
        let hundred = one_move_beside(6, 54, 100);
        assert_eq!((hundred[0].1.k_better, hundred[0].1.m_better), (1196, 746));
        // The paper has no other m elsewhere, nor for the solved game.
        assert_eq!(names(&one_move_beside(6, 50, 30)), ["re-run, exact E"]);
        assert_eq!(names(&one_move_beside(7, 54, 30)), ["re-run, exact E"]);
        assert_eq!(names(&one_move_beside(6, 54, 0)), ["re-run, exact E"]);
    }
}
