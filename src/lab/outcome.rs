//! The common form of every experiment's result: tables of figures, ours beside the paper's, and
//! charts. What is saved, compared and reported is this and nothing else, so that it must not hold
//! anything that changes from run to run, such as times.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use super::verdict::{Figure, Tally, Verdict};

/// The result of an experiment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// The experiment's name.
    pub experiment: String,
    /// Whether this was the quick run.
    pub quick: bool,
    /// The seed.
    pub seed: u64,
    /// Sizes and other settings, in words.
    pub settings: String,
    /// Which reading of the paper was chosen, and why.
    pub reading: String,
    /// What was found, in sentences.
    pub findings: Vec<String>,
    /// The tables.
    pub tables: Vec<Table>,
    /// The charts.
    pub charts: Vec<Chart>,
}

/// A table of figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// What it is.
    pub title: String,
    /// Names of the data files with the paper's figures; empty for a table of our own.
    pub printed: Vec<String>,
    /// What the rows are.
    pub key: String,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Row>,
}

/// A column of figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// A difference from the paper that would change what one thinks, in the column's unit.
    pub matters: Option<f64>,
    /// Decimals shown.
    pub decimals: usize,
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// One figure for each column.
    pub figures: Vec<Figure>,
}

/// A drawing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// SVG.
    pub svg: String,
}

impl Column {
    /// A column without a counterpart in the paper.
    pub fn new(name: &str, decimals: usize) -> Column {
        Column { name: name.to_owned(), matters: None, decimals }
    }

    /// A column that is compared with the paper's.
    pub fn compared(name: &str, decimals: usize, matters: f64) -> Column {
        Column { name: name.to_owned(), matters: Some(matters), decimals }
    }
}

impl Table {
    /// An empty table beside these printed ones.
    pub fn new(title: &str, printed: &[&str], key: &str, columns: Vec<Column>) -> Table {
        Table {
            title: title.to_owned(),
            printed: printed.iter().map(|&name| name.to_owned()).collect(),
            key: key.to_owned(),
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub fn row(&mut self, name: impl Into<String>, figures: Vec<Figure>) {
        self.rows.push(Row { name: name.into(), figures });
    }

    /// Whether it stands beside printed figures.
    pub fn is_compared(&self) -> bool {
        self.rows.iter().flat_map(|row| &row.figures).any(|figure| figure.theirs.is_some())
    }

    /// How its printed figures came out.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for row in &self.rows {
            for (figure, column) in row.figures.iter().zip(&self.columns) {
                if figure.theirs.is_some() {
                    tally.add(figure.verdict(column.matters));
                }
            }
        }
        tally
    }

    /// Its figures as CSV.
    pub fn csv(&self) -> String {
        let mut out = format!(
            "{},quantity,ours,standard_error,theirs,their_standard_error,errors_apart,verdict\n",
            quoted(&self.key)
        );
        for row in &self.rows {
            for (figure, column) in row.figures.iter().zip(&self.columns) {
                let number = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v}"));
                let verdict = match figure.theirs {
                    Some(_) => figure.verdict(column.matters).name(),
                    None => "",
                };
                let _ = writeln!(
                    out,
                    "{},{},{},{},{},{},{},{verdict}",
                    quoted(&row.name),
                    quoted(&column.name),
                    number(figure.ours),
                    number(figure.error),
                    number(figure.theirs),
                    number(figure.their_error),
                    figure.errors_apart().map_or(String::new(), |apart| format!("{apart:.2}")),
                );
            }
        }
        out
    }
}

impl Outcome {
    /// The verdicts of the tables that stand beside printed ones.
    pub fn verdicts(&self) -> impl Iterator<Item = (&Table, Verdict)> {
        let compared = self.tables.iter().filter(|table| table.is_compared());
        compared.map(|table| (table, table.tally().verdict()))
    }

    /// Adds a chart, if there is one.
    pub fn chart(&mut self, title: &str, svg: Option<String>) {
        self.charts.extend(svg.map(|svg| Chart { title: title.to_owned(), svg }));
    }
}

/// A field of a CSV line.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let columns = vec![Column::compared("K, better", 0, 50.0), Column::new("t", 2)];
        let mut table = Table::new("a table", &["kobayashi2002-table6"], "S", columns);
        table.row("50", vec![Figure::ours(10.0, 2.0).beside(12.0, 2.0), Figure::ours(1.5, None)]);
        table.row("51", vec![Figure::not_run(12.0), Figure::default()]);
        table
    }

    #[test]
    fn only_figures_beside_printed_ones_are_counted() {
        let tally = table().tally();
        assert_eq!((tally.reproduced, tally.differs, tally.undecided), (1, 0, 1));
        assert!(table().is_compared());
        assert!(!Table::default().is_compared());
    }

    #[test]
    fn csv_has_a_line_for_each_figure_and_quotes_what_needs_it() {
        let csv = table().csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 5);
        assert_eq!(lines[1], "50,\"K, better\",10,2,12,2,-0.71,reproduced");
        assert_eq!(lines[2], "50,t,1.5,,,,,");
        assert_eq!(lines[3], "51,\"K, better\",,,12,,,cannot be told");
    }

    #[test]
    fn an_outcome_reads_back_as_it_was_written() {
        let outcome = Outcome { tables: vec![table()], seed: 7, ..Outcome::default() };
        let text = serde_json::to_string(&outcome).unwrap();
        assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), outcome);
    }
}
