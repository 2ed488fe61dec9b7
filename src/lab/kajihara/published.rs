//! The printed tables, read from the data files beside this one. Figures are as printed, slips
//! included: table 3 has 38.99 for P7, type 100 against P4, where its own average needs 38.39.

use serde::Serialize;

/// A cell of table 1.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SemiRandomCell {
    /// Look-ahead of White, who moves first.
    pub white: u32,
    /// Look-ahead of Black.
    pub black: u32,
    /// White's wins, draws and losses, per cent.
    #[serde(skip)]
    pub printed: [f64; 3],
}

/// A cell of table 2 or 3.
#[derive(Clone, Debug, Serialize)]
pub struct MixedCell {
    /// Whether White speculates (table 2), otherwise Black (table 3).
    pub white: bool,
    /// Look-ahead of the speculative player.
    pub player: u32,
    /// Look-ahead of its semi-random opponent.
    pub opponent: u32,
    /// The type, such as `110`.
    pub schedule: String,
    /// Games won by the speculative player, per cent.
    #[serde(skip)]
    pub printed: f64,
}

/// A cell of table 4.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Gain {
    /// Whether White speculates.
    pub white: bool,
    /// Look-ahead of the speculative player.
    pub player: u32,
    /// Look-ahead of its semi-random opponent.
    pub opponent: u32,
    /// The best type's wins less those of type 000, per cent.
    pub printed: f64,
}

const TABLE_1: &str = include_str!("table-1.csv");
const TABLE_2: &str = include_str!("table-2.csv");
const TABLE_3: &str = include_str!("table-3.csv");
const TABLE_4: &str = include_str!("table-4.csv");

/// The lines of a table without its header, each as its fields.
fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().skip(1).map(|line| line.split(',').collect())
}

/// The look-ahead of `P4`.
fn depth(name: &str) -> u32 {
    name.trim_start_matches('P').parse().expect("the data files name players P0 to P7")
}

fn figure(text: &str) -> f64 {
    text.parse().expect("the data files hold numbers")
}

/// Table 1, row by row.
pub fn table_1() -> Vec<SemiRandomCell> {
    let cell = |row: Vec<&str>| SemiRandomCell {
        white: depth(row[0]),
        black: depth(row[1]),
        printed: [figure(row[2]), figure(row[3]), figure(row[4])],
    };
    rows(TABLE_1).map(cell).collect()
}

/// Tables 2 and 3, row by row.
pub fn tables_2_and_3() -> Vec<MixedCell> {
    let mut cells = Vec::new();
    for (white, table) in [(true, TABLE_2), (false, TABLE_3)] {
        for row in rows(table) {
            // Against P0 to P5, then the average.
            let printed = row[2..8].iter().zip(0..).filter(|(text, _)| !text.is_empty());
            cells.extend(printed.map(|(text, opponent)| MixedCell {
                white,
                player: depth(row[0]),
                opponent,
                schedule: row[1].to_owned(),
                printed: figure(text),
            }));
        }
    }
    cells
}

/// Table 4, row by row, White's gain before Black's.
pub fn table_4() -> Vec<Gain> {
    let mut gains = Vec::new();
    for row in rows(TABLE_4) {
        let (player, opponent) = (depth(row[0]), depth(row[1]));
        for (white, text) in [(true, row[2]), (false, row[3])] {
            gains.push(Gain { white, player, opponent, printed: figure(text) });
        }
    }
    gains
}
