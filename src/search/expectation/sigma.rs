//! Sigma tables: how far the value some plies deeper strays from a static value, by the number of
//! moves played.
//!
//! A table is a text of comma-separated columns, as `kitai sigma` writes it:
//!
//! ```csv
//! # lines with a hash are comments
//! ahead,move,slope,shift,sigma
//! 2,53,1,0,7.21
//! ```
//!
//! `ahead` is how many plies deeper, `move` the number of moves played at the leaf; the deeper value
//! is N(slope·h + shift, sigma²) in the view of the side to move at the leaf. A stage without a row
//! takes the nearest one.

use std::collections::BTreeMap;

use thiserror::Error;

use super::deviation::Deviation;
use super::settings::{STAGES, Spread, Spreads};
use crate::options::{OptionError, Options};

/// The first line of a table that is no comment.
pub const HEADER: &str = "ahead,move,slope,shift,sigma";

/// Rows by look-ahead and move number.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SigmaTable {
    rows: BTreeMap<(u32, usize), Spread>,
}

/// Why a text is no sigma table.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SigmaTableError {
    /// The columns are not named as expected.
    #[error("line {line}: expected `{HEADER}`, found `{found}`")]
    Header {
        /// Line number, from 1.
        line: usize,
        /// What stood there.
        found: String,
    },
    /// A row that cannot be read.
    #[error(
        "line {line}: `{found}` is no row of five numbers (ahead ≥ 1, move 0 to 60, sigma ≥ 0)"
    )]
    Row {
        /// Line number, from 1.
        line: usize,
        /// What stood there.
        found: String,
    },
    /// No rows at all.
    #[error("the table has no rows")]
    Empty,
}

/// The tables that come with Kitai: name and text. Those named after an evaluation were measured
/// with `kitai sigma` for it; each says how.
const SHIPPED: &[(&str, &str)] = &[
    ("kobayashi-2002", include_str!("tables/kobayashi-2002.csv")),
    ("discs", include_str!("tables/discs.csv")),
    ("mobility", include_str!("tables/mobility.csv")),
    ("pattern", include_str!("tables/pattern.csv")),
    ("shioda", include_str!("tables/shioda.csv")),
    ("zebra", include_str!("tables/zebra.csv")),
];

impl SigmaTable {
    /// Reads a table.
    ///
    /// # Errors
    /// Names the line that cannot be read.
    pub fn parse(text: &str) -> Result<SigmaTable, SigmaTableError> {
        let mut lines = text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line.trim()))
            .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        match lines.next() {
            Some((_, HEADER)) => {}
            Some((line, found)) => {
                return Err(SigmaTableError::Header { line, found: found.to_owned() });
            }
            None => return Err(SigmaTableError::Empty),
        }
        let mut table = SigmaTable::default();
        for (line, text) in lines {
            let (key, spread) = parse_row(text)
                .ok_or_else(|| SigmaTableError::Row { line, found: text.to_owned() })?;
            table.rows.insert(key, spread);
        }
        if table.rows.is_empty() { Err(SigmaTableError::Empty) } else { Ok(table) }
    }

    /// Adds or replaces a row.
    pub fn insert(&mut self, ahead: u32, moves_played: usize, spread: Spread) {
        self.rows.insert((ahead, moves_played), spread);
    }

    /// The row of a stage.
    pub fn row(&self, ahead: u32, moves_played: usize) -> Option<&Spread> {
        self.rows.get(&(ahead, moves_played))
    }

    /// The look-aheads that have rows.
    pub fn aheads(&self) -> Vec<u32> {
        let mut aheads: Vec<u32> = self.rows.keys().map(|key| key.0).collect();
        aheads.dedup();
        aheads
    }

    /// The spread at every stage for this look-ahead, `None` if it has no rows.
    pub fn spreads(&self, ahead: u32) -> Option<Spreads> {
        let rows: Vec<(usize, Spread)> = self
            .rows
            .iter()
            .filter(|(key, _)| key.0 == ahead)
            .map(|(key, &spread)| (key.1, spread))
            .collect();
        let &(_, first) = rows.first()?;
        let mut stages = [first; STAGES];
        for (stage, spread) in stages.iter_mut().enumerate() {
            let nearest = rows.iter().min_by_key(|(row, _)| row.abs_diff(stage));
            *spread = nearest.map_or(first, |&(_, spread)| spread);
        }
        Some(Spreads::by_stage(stages))
    }

    /// The table as text, header and rows.
    pub fn to_text(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for (&(ahead, moves_played), spread) in &self.rows {
            let Spread { slope, shift, sigma } = spread;
            text += &format!("{ahead},{moves_played},{slope:.4},{shift:.4},{:.4}\n", sigma.get());
        }
        text
    }
}

fn parse_row(text: &str) -> Option<((u32, usize), Spread)> {
    let fields: Vec<&str> = text.split(',').map(str::trim).collect();
    let [ahead, moves_played, slope, shift, sigma] = fields.try_into().ok()?;
    let number = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite());
    let key = (
        ahead.parse().ok().filter(|&ahead| ahead >= 1)?,
        moves_played.parse().ok().filter(|&stage: &usize| stage < STAGES)?,
    );
    let sigma: Deviation = sigma.parse().ok()?;
    Some((key, Spread { slope: number(slope)?, shift: number(shift)?, sigma }))
}

/// The names of the tables that come with Kitai.
pub fn shipped_names() -> impl Iterator<Item = &'static str> {
    SHIPPED.iter().map(|(name, _)| *name)
}

/// The shipped table of this name.
pub fn shipped(name: &str) -> Option<SigmaTable> {
    let (_, text) = SHIPPED.iter().find(|(known, _)| *known == name)?;
    Some(SigmaTable::parse(text).expect("shipped tables are valid (tested)"))
}

/// Largest file taken for a table, bytes.
const LARGEST_FILE: u64 = 1 << 20;

/// The spreads that the options `sigma`, `sigma-table`, `ahead` and `eval` ask for.
///
/// # Errors
/// If the table is neither a shipped one nor a file that can be read, or has no rows for `ahead`.
pub fn from_options(options: &Options) -> Result<Spreads, OptionError> {
    let sigma = options.number("sigma");
    if sigma >= 0.0 {
        return Ok(Spreads::constant(Spread::around(Deviation::clamped(sigma))));
    }
    let unusable = |reason| OptionError::Unusable { name: "sigma-table", reason };
    let chosen = options.text("sigma-table");
    let name = if chosen.is_empty() { table_of_evaluation(&options.text("eval")) } else { chosen };
    let table = match shipped(&name) {
        Some(table) => table,
        None => crate::files::read(std::path::Path::new(&name), LARGEST_FILE)
            .map_err(|error| {
                let names = shipped_names().collect::<Vec<_>>().join(", ");
                unusable(format!("`{name}`: {error}; shipped tables: {names}"))
            })
            .and_then(|bytes| {
                SigmaTable::parse(&String::from_utf8_lossy(&bytes))
                    .map_err(|error| unusable(format!("`{name}`: {error}")))
            })?,
    };
    let ahead = options.integer("ahead") as u32;
    table.spreads(ahead).ok_or_else(|| OptionError::Unusable {
        name: "ahead",
        reason: format!("table `{name}` has no rows for {ahead}, only for {:?}", table.aheads()),
    })
}

/// The shipped table that belongs to an evaluation: all ablations of Zebra's share one.
fn table_of_evaluation(evaluation: &str) -> String {
    evaluation.split('-').next().unwrap_or(evaluation).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_table_is_valid_and_prints_to_itself() {
        for name in shipped_names() {
            let table = shipped(name).unwrap();
            assert_eq!(SigmaTable::parse(&table.to_text()).unwrap(), table, "{name}");
            assert!(table.spreads(2).is_some(), "{name}");
        }
    }

    #[test]
    fn every_evaluation_has_a_shipped_table() {
        let crate::options::OptionKind::Choice(names) = Options::spec("eval").unwrap().kind else {
            panic!("eval is a choice")
        };
        for name in names {
            let mut options = Options::new();
            options.set("eval", name).unwrap();
            assert!(from_options(&options).is_ok(), "{name}");
        }
    }

    #[test]
    fn a_stage_without_a_row_takes_the_nearest() {
        let spreads = shipped("kobayashi-2002").unwrap().spreads(2).unwrap();
        for (stage, sigma) in [(0, 7.21), (53, 7.21), (55, 9.50), (60, 13.56), (99, 13.56)] {
            assert_eq!(spreads.at(stage).sigma.get(), sigma, "{stage}");
        }
        assert_eq!(spreads.widest().get(), 13.56);
    }

    #[test]
    fn bad_tables_are_refused_with_the_line() {
        let error = |rows: &str| {
            SigmaTable::parse(&format!("# c\n{HEADER}\n{rows}")).unwrap_err().to_string()
        };
        for row in
            ["2,61,1,0,3", "0,5,1,0,3", "2,5,1,0,-3", "2,5,1,0", "2,5,NaN,0,3", "2,5,1,0,inf"]
        {
            let message = error(row);
            assert!(message.contains("line 3") && message.contains(row), "{message}");
        }
        assert_eq!(error(""), "the table has no rows");
        let header = SigmaTable::parse("move,sigma\n1,2").unwrap_err().to_string();
        assert!(header.contains("line 1") && header.contains("move,sigma"), "{header}");
    }
}
