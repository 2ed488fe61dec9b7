//! The figures that the papers print, and those of independent re-runs, as data files with one
//! loader.
//!
//! Figures stand as printed, slips included; `errata.csv` lists the slips. Files named `rerun-…` and
//! `digest-…` are not from the papers: an independent program ran the papers' experiments under several
//! readings.

/// The data files by name.
const FILES: &[(&str, &str)] = &[
    ("digest-kitamura-table3", include_str!("printed/digest-kitamura-table3.csv")),
    ("digest-kitamura-table4", include_str!("printed/digest-kitamura-table4.csv")),
    ("errata", include_str!("printed/errata.csv")),
    ("iida1992-table1", include_str!("printed/iida1992-table1.csv")),
    ("iida1992-table2", include_str!("printed/iida1992-table2.csv")),
    ("iida1992-table3", include_str!("printed/iida1992-table3.csv")),
    ("kajihara-table1", include_str!("printed/kajihara-table1.csv")),
    ("kajihara-table2", include_str!("printed/kajihara-table2.csv")),
    ("kajihara-table3", include_str!("printed/kajihara-table3.csv")),
    ("kajihara-table4", include_str!("printed/kajihara-table4.csv")),
    ("kitamura2017-table1", include_str!("printed/kitamura2017-table1.csv")),
    ("kitamura2017-table3", include_str!("printed/kitamura2017-table3.csv")),
    ("kitamura2017-table4", include_str!("printed/kitamura2017-table4.csv")),
    ("kitamura2017-table5", include_str!("printed/kitamura2017-table5.csv")),
    ("kitamura2017-table6", include_str!("printed/kitamura2017-table6.csv")),
    ("kobayashi2002-table1", include_str!("printed/kobayashi2002-table1.csv")),
    ("kobayashi2002-table2", include_str!("printed/kobayashi2002-table2.csv")),
    ("kobayashi2002-table3", include_str!("printed/kobayashi2002-table3.csv")),
    ("kobayashi2002-table4", include_str!("printed/kobayashi2002-table4.csv")),
    ("kobayashi2002-table5", include_str!("printed/kobayashi2002-table5.csv")),
    ("kobayashi2002-table6", include_str!("printed/kobayashi2002-table6.csv")),
    ("kobayashi2002-table7", include_str!("printed/kobayashi2002-table7.csv")),
    ("kobayashi2002-table8", include_str!("printed/kobayashi2002-table8.csv")),
    ("kobayashi2002-table9", include_str!("printed/kobayashi2002-table9.csv")),
    ("kobayashi2002-table10", include_str!("printed/kobayashi2002-table10.csv")),
    ("digest-expectation-scale", include_str!("printed/digest-expectation-scale.csv")),
    ("rerun-kobayashi-othello", include_str!("printed/rerun-kobayashi-othello.csv")),
    ("rerun-virtual-tree", include_str!("printed/rerun-virtual-tree.csv")),
    ("tebika-table1", include_str!("printed/tebika-table1.csv")),
    ("tebika-table2", include_str!("printed/tebika-table2.csv")),
    ("tebika-table3", include_str!("printed/tebika-table3.csv")),
];

/// A printed table: named columns, rows of text.
#[derive(Clone, Debug)]
pub struct Printed {
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// One row of a printed table.
#[derive(Clone, Copy, Debug)]
pub struct PrintedRow<'a> {
    table: &'a Printed,
    cells: &'a [String],
}

/// A slip of a paper.
#[derive(Clone, Debug, PartialEq)]
pub struct Erratum {
    /// Which row, in words.
    pub row: String,
    /// Which column.
    pub column: String,
    /// What stands there.
    pub printed: String,
    /// What should.
    pub computed: String,
    /// How one knows.
    pub comment: String,
}

/// The table of this name.
///
/// # Panics
/// If there is no such file, which the tests of whoever asks for it would find.
pub fn table(name: &str) -> Printed {
    let (_, text) = FILES
        .iter()
        .find(|(known, _)| *known == name)
        .unwrap_or_else(|| panic!("no data file `{name}`"));
    let mut lines = text.lines().map(fields);
    let columns = lines.next().unwrap_or_default();
    Printed { columns, rows: lines.collect() }
}

/// The slips found in a table.
pub fn errata(name: &str) -> Vec<Erratum> {
    let errata = table("errata");
    let of_table = errata.rows().filter(|row| row.text("file").strip_suffix(".csv") == Some(name));
    of_table
        .map(|row| Erratum {
            row: row.text("row").to_owned(),
            column: row.text("column").to_owned(),
            printed: row.text("printed").to_owned(),
            computed: row.text("computed").to_owned(),
            comment: row.text("comment").to_owned(),
        })
        .collect()
}

impl Printed {
    /// All rows.
    pub fn rows(&self) -> impl Iterator<Item = PrintedRow<'_>> {
        self.rows.iter().map(move |cells| PrintedRow { table: self, cells })
    }

    /// The first row with these values in these columns; numbers are compared as numbers.
    pub fn find(&self, keys: &[(&str, &str)]) -> Option<PrintedRow<'_>> {
        let same = |a: &str, b: &str| {
            a == b || matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if a == b)
        };
        self.rows().find(|row| keys.iter().all(|(column, value)| same(row.text(column), value)))
    }
}

impl<'a> PrintedRow<'a> {
    /// The text of a column; empty if the paper does not report it.
    ///
    /// # Panics
    /// If the table has no such column.
    pub fn text(&self, column: &str) -> &'a str {
        let index = self.table.columns.iter().position(|name| name == column);
        let index = index.unwrap_or_else(|| panic!("no column `{column}`"));
        self.cells.get(index).map_or("", String::as_str)
    }

    /// The number in a column, if there is one.
    pub fn number(&self, column: &str) -> Option<f64> {
        self.text(column).parse().ok()
    }

    /// The number in a column that has one in every row.
    ///
    /// # Panics
    /// If it has not; the tests read every table.
    pub fn figure(&self, column: &str) -> f64 {
        self.number(column).unwrap_or_else(|| panic!("no number in `{column}`"))
    }
}

/// The fields of a line; commas inside quotes belong to the field.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    for letter in line.chars() {
        match letter {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            other => fields.last_mut().expect("there is always one").push(other),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testdata::shared_data;

    #[test]
    fn every_file_is_a_table_whose_rows_have_its_columns() {
        for (name, _) in FILES {
            let table = table(name);
            assert!(!table.rows.is_empty(), "{name}");
            for row in &table.rows {
                assert_eq!(row.len(), table.columns.len(), "{name}: {row:?}");
            }
        }
    }

    #[test]
    fn quoted_commas_belong_to_their_field_and_empty_fields_count() {
        assert_eq!(fields("a,\"b, c\",,d"), ["a", "b, c", "", "d"]);
        assert_eq!(fields(""), [""]);
    }

    #[test]
    fn rows_are_found_by_text_or_number_and_errata_by_table() {
        let table = table("kobayashi2002-table8");
        assert_eq!(table.find(&[("m", "30.0")]).unwrap().figure("k_better"), 1239.0);
        assert!(table.find(&[("m", "31")]).is_none());
        let [slip] = &errata("kobayashi2002-table6")[..] else { panic!("one slip") };
        assert_eq!((slip.printed.as_str(), slip.computed.as_str()), ("60.1", "60.5"));
        assert!(errata("kobayashi2002-table7").is_empty());
    }

    #[test]
    fn the_indices_of_the_2002_tables_follow_from_their_counts_but_for_the_erratum() {
        for number in [6, 7, 8, 9, 10] {
            for row in table(&format!("kobayashi2002-table{number}")).rows() {
                let (k, m) = (row.figure("k_better"), row.figure("m_better"));
                assert!((row.figure("index1") - (k - m) / 100.0).abs() < 0.0051, "{row:?}");
                let index2 = 100.0 * k / (k + m);
                let is_slip = number == 6 && row.cells[0] == "51";
                assert_eq!((row.figure("index2") - index2).abs() > 0.051, is_slip, "{row:?}");
            }
        }
    }

    #[test]
    #[ignore = "needs shared data (KITAI_DATA)"]
    fn the_files_are_those_of_the_papers_digest_with_shared_data() {
        for (name, text) in FILES.iter().filter(|(name, _)| !name.starts_with("digest-")) {
            let original = name.replace("rerun-", "derived-");
            let file = shared_data(&format!("../papers/tables/{original}.csv"));
            assert_eq!(std::fs::read_to_string(file).unwrap(), *text, "{name}");
        }
    }
}
