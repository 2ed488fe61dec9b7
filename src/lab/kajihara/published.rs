//! The printed tables, cell by cell. Figures are as printed, slips included: table 3 has 38.99 for P7,
//! type 100 against P4, where its own average needs 38.39.

use serde::Serialize;

use crate::lab::printed::{PrintedRow, table};

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

/// The look-ahead of `P4`.
fn depth(name: &str) -> u32 {
    name.trim_start_matches('P').parse().expect("the data files name players P0 to P7")
}

/// Table 1, row by row.
pub fn table_1() -> Vec<SemiRandomCell> {
    let cell = |row: PrintedRow<'_>| SemiRandomCell {
        white: depth(row.text("white")),
        black: depth(row.text("black")),
        printed: ["win", "draw", "loss"].map(|column| row.figure(column)),
    };
    table("kajihara-table1").rows().map(cell).collect()
}

/// Tables 2 and 3, row by row.
pub fn tables_2_and_3() -> Vec<MixedCell> {
    let mut cells = Vec::new();
    for (white, name) in [(true, "kajihara-table2"), (false, "kajihara-table3")] {
        for row in table(name).rows() {
            for opponent in 0..=5 {
                let Some(printed) = row.number(&format!("vs_P{opponent}")) else { continue };
                cells.push(MixedCell {
                    white,
                    player: depth(row.text("speculative_player")),
                    opponent,
                    schedule: row.text("type").to_owned(),
                    printed,
                });
            }
        }
    }
    cells
}

/// Table 4, row by row, White's gain before Black's.
pub fn table_4() -> Vec<Gain> {
    let mut gains = Vec::new();
    for row in table("kajihara-table4").rows() {
        let (player, opponent) =
            (depth(row.text("speculative_player")), depth(row.text("opponent")));
        for (white, column) in [(true, "gain_as_white"), (false, "gain_as_black")] {
            gains.push(Gain { white, player, opponent, printed: row.figure(column) });
        }
    }
    gains
}
