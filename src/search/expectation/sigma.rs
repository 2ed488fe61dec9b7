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
use std::path::Path;

use thiserror::Error;

use super::deviation::Deviation;
use super::settings::{STAGES, Spread, Spreads};
use crate::eval::EVAL;
use crate::files;
use crate::options::{OptionError, Options, TypedOption};

/// One deviation for all stages.
pub(super) static SIGMA: TypedOption<f64> = TypedOption::number(
    "sigma",
    -1.0,
    64.0,
    -1.0,
    "Standard deviation in discs of the deeper value around a static one; -1 takes it from \
     sigma-table.",
);
/// Deviations by stage.
pub(super) static SIGMA_TABLE: TypedOption<String> = TypedOption::file(
    "sigma-table",
    "Deviations by move number: a shipped table or a file that `kitai sigma` wrote; empty for the \
     shipped table of the evaluation.",
);
/// Which rows.
pub(super) static AHEAD: TypedOption<i64> = TypedOption::integer(
    "ahead",
    1,
    60,
    2,
    "How many plies below a leaf the deviation stands for: chooses the rows of sigma-table.",
);

/// The greatest look-ahead that the evaluations' tables have rows for.
const LONGEST_AHEAD: u32 = 4;
/// Bytes that a table may have; one with every row has a hundred thousand.
const MAX_FILE_BYTES: u64 = 1 << 20;
/// Greatest number in a table: no disc difference or slope comes near it.
const MOST: f64 = 1000.0;

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
    #[error("line {line}: expected `{HEADER}`")]
    Header {
        /// Line number, from 1.
        line: usize,
    },
    /// A row that cannot be read.
    #[error(
        "line {line} is no row of five numbers (ahead ≥ 1, move 0 to 60, sigma ≥ 0, none over {MOST})"
    )]
    Row {
        /// Line number, from 1.
        line: usize,
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
            Some((line, _)) => return Err(SigmaTableError::Header { line }),
            None => return Err(SigmaTableError::Empty),
        }
        let mut table = SigmaTable::default();
        for (line, text) in lines {
            let (key, spread) = parse_row(text).ok_or(SigmaTableError::Row { line })?;
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
    let number = |text: &str| text.parse::<f64>().ok().filter(|value| value.abs() <= MOST);
    let key = (
        ahead.parse().ok().filter(|&ahead| ahead >= 1)?,
        moves_played.parse().ok().filter(|&stage: &usize| stage < STAGES)?,
    );
    let sigma: Deviation = sigma.parse().ok().filter(|sigma: &Deviation| sigma.get() <= MOST)?;
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

/// The spreads that the options `sigma`, `sigma-table`, `ahead` and `eval` ask for.
///
/// # Errors
/// If the table is neither a shipped one nor a file that can be read, or has no rows for `ahead`.
pub fn from_options(options: &Options) -> Result<Spreads, OptionError> {
    let sigma = options.get(&SIGMA);
    if sigma >= 0.0 {
        return Ok(Spreads::constant(Spread::around(Deviation::clamped(sigma))));
    }
    let chosen = options.get(&SIGMA_TABLE);
    let name = if chosen.is_empty() { table_of_evaluation(&options.get(&EVAL)) } else { chosen };
    let table = match shipped(&name) {
        Some(table) => table,
        None => load(&name).map_err(|error| SIGMA_TABLE.spec.unusable(error))?,
    };
    let ahead = options.get(&AHEAD) as u32;
    table.spreads(ahead).ok_or_else(|| {
        let rows = table.aheads();
        AHEAD.spec.unusable(format!("table `{name}` has no rows for {ahead}, only for {rows:?}"))
    })
}

/// The table in a file; what is wrong is told without showing what the file holds.
fn load(name: &str) -> Result<SigmaTable, String> {
    let bytes = files::read(Path::new(name), MAX_FILE_BYTES).map_err(|error| {
        let names = shipped_names().collect::<Vec<_>>().join(", ");
        format!("`{name}`: {error}; shipped tables: {names}")
    })?;
    let text = String::from_utf8(bytes).map_err(|_| format!("`{name}`: no text"))?;
    SigmaTable::parse(&text).map_err(|error| format!("`{name}`: {error}"))
}

/// How far values four plies deeper stray from this evaluation's static ones, by stage.
pub fn of_evaluation(evaluation: &str) -> Spreads {
    let table = shipped(&table_of_evaluation(evaluation));
    let spreads = table.and_then(|table| table.spreads(LONGEST_AHEAD));
    spreads.expect("every evaluation's table has these rows (tested)")
}

/// The shipped table that belongs to an evaluation: all ablations of Zebra's share one. An
/// evaluation that nobody has measured yet takes the table of `pattern`.
fn table_of_evaluation(evaluation: &str) -> String {
    let family = evaluation.split('-').next().unwrap_or(evaluation);
    if shipped(family).is_some() { family.to_owned() } else { "pattern".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::registry::{EvaluationSpec, evaluations};

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
        for EvaluationSpec { name, .. } in evaluations() {
            assert!(*name == "dummy" || name.starts_with(&table_of_evaluation(name)), "{name}");
            let mut options = Options::new();
            options.set("eval", name).unwrap();
            assert!(from_options(&options).is_ok(), "{name}");
            assert!(of_evaluation(name).widest().get() > 0.0, "{name}");
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
        for row in [
            "2,61,1,0,3",
            "0,5,1,0,3",
            "2,5,1,0,-3",
            "2,5,1,0",
            "2,5,NaN,0,3",
            "2,5,1,0,inf",
            "2,5,1e300,0,3",
            "secret",
        ] {
            let message = error(row);
            assert!(message.contains("line 3") && !message.contains(row), "{message}");
        }
        assert_eq!(error(""), "the table has no rows");
        let header = SigmaTable::parse("move,sigma\n1,2").unwrap_err().to_string();
        assert!(header.contains("line 1") && header.contains(HEADER), "{header}");
    }
}
