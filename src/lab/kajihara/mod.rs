//! Kajihara and Iida, "mixed strategies": semi-random and speculative players of tic-tac-toe.
//!
//! Table 1 plays every P_i against every P_j; tables 2 and 3 let White or Black speculate on some of
//! its turns against a semi-random opponent that sees at least two plies less; table 4 is what the
//! best schedule gains. Each printed figure is a simulation of 10,000 games, so it comes with a
//! standard error; [`mod@matches`] has the exact values by enumeration, and a simulation of our own.
//!
//! [`published`] has the printed figures. [`elsewhere`] plays the
//! same matches in other games, which the authors announce as future work.

pub mod elsewhere;
pub mod matches;
pub mod published;
pub mod tables;

use serde::Serialize;

use crate::game::TicTacToe;
use crate::search::opponent::schedule::{MixedPlayer, TurnSchedule};
use crate::search::opponent::speculative::Reading;
use matches::{Match, Shares};
use published::{Gain, MixedCell, SemiRandomCell};

/// Games of every printed figure.
pub const GAMES: u32 = 10_000;
/// Standard errors that a figure of table 1 may be off.
pub const TABLE_1_ERRORS: f64 = 2.0;
/// Standard errors that a figure of tables 2 and 3 may be off; the digest of the paper found its
/// reading of the speculative player with this bound.
pub const MIXED_ERRORS: f64 = 3.5;
/// Standard errors that our simulation may be off the exact value.
pub const SIMULATION_ERRORS: f64 = 4.0;

/// One figure three ways, in per cent, and how far the simulations are from the exact value.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Figure {
    /// As the paper prints it.
    pub printed: f64,
    /// By enumeration.
    pub exact: f64,
    /// By our simulation; absent if none was wanted.
    pub simulated: Option<f64>,
    /// Standard errors from the exact to the printed figure.
    pub printed_errors: f64,
    /// Standard errors from the exact to the simulated figure.
    pub simulated_errors: Option<f64>,
}

impl Figure {
    fn new(printed: f64, exact: f64, simulated: Option<(f64, u32)>) -> Figure {
        Figure {
            printed,
            exact,
            simulated: simulated.map(|(share, _)| share),
            printed_errors: errors(printed - exact, exact, GAMES),
            simulated_errors: simulated.map(|(share, games)| errors(share - exact, exact, games)),
        }
    }

    /// Whether the printed figure agrees with the exact one, and our simulation too.
    pub fn agrees(&self, most: f64) -> bool {
        self.printed_errors.abs() <= most
            && self.simulated_errors.is_none_or(|errors| errors.abs() <= SIMULATION_ERRORS)
    }
}

/// A difference in per cent as standard errors of a share observed in so many games.
fn errors(difference: f64, exact: f64, games: u32) -> f64 {
    /// Less than the last printed digit.
    const ROUNDING: f64 = 0.005 + 1e-9;
    if difference.abs() <= ROUNDING {
        return 0.0;
    }
    difference / (exact * (100.0 - exact) / f64::from(games)).sqrt()
}

/// A cell of table 1 three ways: White's wins, draws and losses.
#[derive(Clone, Debug, Serialize)]
pub struct SemiRandomResult {
    /// The cell.
    #[serde(flatten)]
    pub cell: SemiRandomCell,
    /// Wins, draws, losses.
    pub figures: [Figure; 3],
}

/// Table 1, with so many simulated games of each cell (0 for none).
pub fn semi_random(games: u32, seed: u64) -> Vec<SemiRandomResult> {
    let cells = published::table_1();
    let mut results = Vec::new();
    for (index, cell) in cells.into_iter().enumerate() {
        let players = [cell.white, cell.black].map(MixedPlayer::semi_random);
        let (exact, simulated) = both(players, games, seed, index as u64);
        let figure = |which: usize| {
            let simulated = simulated.map(|shares| (shares[which], games));
            Figure::new(cell.printed[which], exact[which], simulated)
        };
        let figures = [figure(0), figure(1), figure(2)];
        results.push(SemiRandomResult { cell, figures });
    }
    results
}

/// A cell of tables 2 and 3 three ways: the speculative player's wins.
#[derive(Clone, Debug, Serialize)]
pub struct MixedResult {
    /// The cell.
    #[serde(flatten)]
    pub cell: MixedCell,
    /// The share of games that the speculative player wins.
    pub figure: Figure,
}

/// Tables 2 and 3, with so many simulated games of each cell (0 for none).
pub fn mixed(reading: Reading, games: u32, seed: u64) -> Vec<MixedResult> {
    let cells = published::tables_2_and_3();
    let mut results = Vec::new();
    for (index, cell) in cells.into_iter().enumerate() {
        let speculative = MixedPlayer {
            depth: cell.player,
            opponent_depth: cell.opponent,
            schedule: TurnSchedule::of_type(&cell.schedule),
            reading,
        };
        let semi_random = MixedPlayer::semi_random(cell.opponent);
        let (players, which) = if cell.white {
            ([speculative, semi_random], 0)
        } else {
            ([semi_random, speculative], 2)
        };
        let (exact, simulated) = both(players, games, seed, index as u64);
        let simulated = simulated.map(|shares| (shares[which], games));
        let figure = Figure::new(cell.printed, exact[which], simulated);
        results.push(MixedResult { cell, figure });
    }
    results
}

/// Table 4, the best type's gain over type 000, from the results of tables 2 and 3: printed, from
/// the printed tables, exact.
#[derive(Clone, Debug, Serialize)]
pub struct GainResult {
    /// The cell.
    #[serde(flatten)]
    pub gain: Gain,
    /// The gain that the printed tables 2 and 3 give, per cent.
    pub from_tables: f64,
    /// The gain by exact values, per cent.
    pub exact: f64,
    /// The type that is best by exact values.
    pub best: String,
}

/// Table 4 from the cells of tables 2 and 3.
pub fn gains(cells: &[MixedResult]) -> Vec<GainResult> {
    let mut results = Vec::new();
    for gain in published::table_4() {
        let row: Vec<&MixedResult> = cells
            .iter()
            .filter(|result| {
                let cell = &result.cell;
                (cell.white, cell.player, cell.opponent) == (gain.white, gain.player, gain.opponent)
            })
            .collect();
        let Some(never) = row.iter().find(|result| result.cell.schedule == "000") else { continue };
        let most = |value: fn(&Figure) -> f64| {
            let values = row.iter().map(|result| value(&result.figure));
            values.fold(f64::NEG_INFINITY, f64::max) - value(&never.figure)
        };
        let best = row.iter().max_by(|a, b| a.figure.exact.total_cmp(&b.figure.exact));
        results.push(GainResult {
            from_tables: most(|figure| figure.printed),
            exact: most(|figure| figure.exact),
            best: best.map(|result| result.cell.schedule.clone()).unwrap_or_default(),
            gain,
        });
    }
    results
}

/// Wins, draws and losses of White in per cent: by enumeration, and by simulation if wanted.
fn both(
    players: [MixedPlayer; 2],
    games: u32,
    seed: u64,
    index: u64,
) -> ([f64; 3], Option<[f64; 3]>) {
    let mut played = Match::new(&TicTacToe, players);
    let percent = |shares: Shares| [shares.win, shares.draw, shares.loss].map(|x| 100.0 * x);
    let exact = percent(played.exact());
    (exact, (games > 0).then(|| percent(played.simulate(games, seed, index))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_1_is_exact_to_four_decimals_and_all_of_it_within_two_standard_errors() {
        let results = semi_random(0, 1);
        let fixture = include_str!("table-1-exact.csv");
        assert_eq!(results.len(), 49);
        for (line, result) in fixture.lines().skip(1).zip(&results) {
            let [win, draw, loss] = result.figures.map(|figure| format!("{:.4}", figure.exact));
            let (white, black) = (result.cell.white, result.cell.black);
            assert_eq!(line, format!("P{white},P{black},{win},{draw},{loss}"));
        }
        let figures = results.iter().flat_map(|result| result.figures);
        assert_eq!(figures.filter(|figure| figure.agrees(TABLE_1_ERRORS)).count(), 147);
    }

    #[test]
    fn our_simulation_agrees_with_the_exact_values_of_table_1() {
        for result in semi_random(2_000, 1) {
            for figure in result.figures {
                let errors = figure.simulated_errors.unwrap();
                assert!(errors.abs() <= SIMULATION_ERRORS, "{result:?}");
            }
        }
    }

    #[test]
    fn tables_2_and_3_agree_in_310_of_336_cells() {
        let results = mixed(Reading::OneMistake, 0, 1);
        assert_eq!(results.len(), 336);
        let agree = |result: &&MixedResult| result.figure.agrees(MIXED_ERRORS);
        assert_eq!(results.iter().filter(agree).count(), 310);
        let exact = |white, player, opponent, schedule: &str| {
            let found = results.iter().find(|result| {
                let cell = &result.cell;
                (cell.white, cell.player, cell.opponent) == (white, player, opponent)
                    && cell.schedule == schedule
            });
            format!("{:.2}", found.unwrap().figure.exact)
        };
        // Speculating twice hurts P4 against P2.
        let white = ["000", "100", "110", "111"].map(|schedule| exact(true, 4, 2, schedule));
        assert_eq!(white, ["52.43", "59.88", "39.58", "39.58"]);
        assert_eq!(["000", "100"].map(|schedule| exact(false, 6, 4, schedule)), ["11.11", "14.29"]);
    }

    #[test]
    fn table_4_follows_from_tables_2_and_3_but_for_four_slips() {
        let results = gains(&mixed(Reading::OneMistake, 0, 1));
        assert_eq!(results.len(), 42);
        let slips: Vec<(u32, u32, bool)> = results
            .iter()
            .filter(|result| (result.gain.printed - result.from_tables).abs() > 0.006)
            .map(|result| (result.gain.player, result.gain.opponent, result.gain.white))
            .collect();
        assert_eq!(slips, [(3, 1, false), (6, 1, true), (7, 2, true), (7, 4, false)]);
    }
}
