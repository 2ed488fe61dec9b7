//! The report of a folder of results: one HTML page with everything in it, the same as Markdown with
//! its drawings beside it, and the figures as CSV.

mod html;
mod markdown;

use std::path::Path;

use super::all::{RunError, load};
use super::bench::Need;
use super::outcome::{Column, Outcome, Table};
use super::registry::{EXPERIMENTS, Experiment};
use super::verdict::{Figure, Tally, Verdict};
use crate::record::whole_file;

/// Everything that a report says.
pub struct Report {
    /// Every experiment with its result, if there is one.
    pub entries: Vec<(&'static Experiment, Option<Outcome>)>,
}

/// How the printed tables came out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Tables of the papers, by verdict.
    pub tables: Tally,
    /// Their figures, by verdict.
    pub figures: Tally,
    /// Experiments without a result.
    pub not_run: usize,
}

impl Report {
    /// Reads what a folder holds: of each experiment the full result, or else the quick one.
    ///
    /// # Errors
    /// If a file is no result.
    pub fn read(folder: &Path) -> Result<Report, RunError> {
        let mut entries = Vec::new();
        for experiment in EXPERIMENTS {
            let full = load(folder, experiment.name, false)?;
            let outcome = match full {
                Some(outcome) => Some(outcome),
                None => load(folder, experiment.name, true)?,
            };
            entries.push((experiment, outcome));
        }
        Ok(Report { entries })
    }

    /// Counts the papers' tables and figures; those of re-runs and of our own do not count.
    pub fn summary(&self) -> Summary {
        let mut summary = Summary::default();
        for (_, outcome) in &self.entries {
            let Some(outcome) = outcome else {
                summary.not_run += 1;
                continue;
            };
            for (table, verdict) in outcome.verdicts().filter(|(table, _)| is_of_paper(table)) {
                summary.tables.add(verdict);
                let tally = table.tally();
                summary.figures.reproduced += tally.reproduced;
                summary.figures.differs += tally.differs;
                summary.figures.undecided += tally.undecided;
            }
        }
        summary
    }

    /// Writes `report.html`, `report.md`, `data/…csv` and `figures/…svg` into a folder.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, folder: &Path) -> Result<(), RunError> {
        let file_error = |file: &Path, error: std::io::Error| RunError::File {
            file: file.display().to_string(),
            reason: error.to_string(),
        };
        for part in ["data", "figures"] {
            let part = folder.join(part);
            std::fs::create_dir_all(&part).map_err(|error| file_error(&part, error))?;
        }
        let write = |name: String, text: String| {
            let path = folder.join(name);
            whole_file::write(&path, text.as_bytes()).map_err(|error| file_error(&path, error))
        };
        for (experiment, outcome) in &self.entries {
            let Some(outcome) = outcome else { continue };
            for (number, table) in (1..).zip(&outcome.tables) {
                write(format!("data/{}-{number}.csv", experiment.name), table.csv())?;
            }
            for (number, chart) in (1..).zip(&outcome.charts) {
                write(figure_file(experiment.name, number), chart.svg.clone())?;
            }
        }
        write("report.md".to_owned(), markdown::page(self))?;
        write("report.html".to_owned(), html::page(self))
    }
}

/// Whether a table stands beside the paper's own figures, not beside a re-run's.
fn is_of_paper(table: &Table) -> bool {
    let is_rerun = |name: &String| name.starts_with("rerun-") || name.starts_with("digest-");
    !table.printed.is_empty() && !table.printed.iter().any(is_rerun)
}

fn figure_file(experiment: &str, number: usize) -> String {
    format!("figures/{experiment}-{number}.svg")
}

/// The command that makes a result.
fn command(outcome: &Outcome) -> String {
    let quick = if outcome.quick { " --quick" } else { "" };
    format!("kitai lab all --only {} --out DIR --data DATA{quick}", outcome.experiment)
}

/// A figure in words: ours with its error, and the paper's with the distance.
fn figure_text(figure: &Figure, column: &Column) -> String {
    let number = |value: f64| format!("{value:.*}", column.decimals).replace('-', "−");
    let ours = match (figure.ours, figure.error) {
        (None, _) if figure.beyond_measure => "won or lost every game".to_owned(),
        (None, _) if figure.theirs.is_some() => "not run".to_owned(),
        (None, _) => "–".to_owned(),
        (Some(value), Some(error)) => format!("{} ± {}", number(value), number(error)),
        (Some(value), None) => number(value),
    };
    match (figure.theirs, figure.errors_apart()) {
        (None, _) => ours,
        (Some(theirs), None) => format!("{ours} ({})", number(theirs)),
        (Some(theirs), Some(apart)) => {
            let apart = format!("{apart:+.1}").replace('-', "−");
            format!("{ours} ({}; {apart} σ)", number(theirs))
        }
    }
}

/// The verdict on a figure, if there is anything to say.
fn figure_verdict(figure: &Figure, column: &Column) -> Option<Verdict> {
    figure.theirs.map(|_| figure.verdict(column.matters))
}

/// The verdict on a table with the counts of figures behind it.
fn verdict_text(table: &Table) -> String {
    let tally = table.tally();
    let counts = [
        (tally.reproduced, "reproduced"),
        (tally.differs, "differ"),
        (tally.undecided, "cannot be told"),
    ];
    let told: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    format!("{} (of {} figures {})", tally.verdict().name(), tally.all(), told.join(", "))
}

/// What the summary says.
fn summary_text(summary: &Summary) -> String {
    let Summary { tables, figures, not_run } = summary;
    format!(
        "Of {} tables of the papers as run here (a table under two readings counts twice) {} are \
         reproduced, {} differ, of {} nothing can be told; of their {} figures {} are reproduced, {} \
         differ, of {} nothing can be told. {not_run} of {} experiments have no result.",
        tables.all(),
        tables.reproduced,
        tables.differs,
        tables.undecided,
        figures.all(),
        figures.reproduced,
        figures.differs,
        figures.undecided,
        EXPERIMENTS.len(),
    )
}

/// How figures are to be read and verdicts come about.
const RULE: &str = "A figure reads: ours ± its standard error (the paper's; ours less the paper's in \
    combined standard errors, σ). It differs if that is more than 3. It is reproduced if not, and if \
    a difference that matters would have shown; otherwise nothing can be told. A table differs if more \
    than one decided figure in twenty does, and is reproduced if besides at least half of its figures \
    could be decided.";

/// Where the data comes from.
fn data_text() -> String {
    let list = [Need::Wthor, Need::Zebra].map(Need::describe);
    format!(
        "Data that does not come with Kitai, in the folder given as --data DIR: {}.",
        list.join("; ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let mut table = Table::new(
            "Table 6: a <table>",
            &["kobayashi2002-table6"],
            "S",
            vec![Column::compared("K", 0, 200.0)],
        );
        table.row("50", vec![Figure::ours(1080.0, 30.0).beside(1086.0, 31.0)]);
        table.row("51", vec![Figure::not_run(1095.0)]);
        let mut rerun = table.clone();
        rerun.printed = vec!["rerun-kobayashi-othello".to_owned()];
        let mut outcome = Outcome {
            experiment: "kobayashi-one-move".to_owned(),
            findings: vec!["a | b".to_owned()],
            tables: vec![table, rerun],
            ..Outcome::default()
        };
        outcome.chart("a chart", Some("<svg></svg>".to_owned()));
        let find = |experiment: &'static Experiment| {
            let outcome = (experiment.name == outcome.experiment).then(|| outcome.clone());
            (experiment, outcome)
        };
        Report { entries: EXPERIMENTS.iter().map(find).collect() }
    }

    #[test]
    fn only_the_papers_own_tables_are_counted() {
        let summary = report().summary();
        assert_eq!((summary.tables.all(), summary.tables.reproduced), (1, 1));
        assert_eq!((summary.figures.reproduced, summary.figures.undecided), (1, 1));
        assert_eq!(summary.not_run, EXPERIMENTS.len() - 1);
    }

    #[test]
    fn a_verdict_tells_the_counts_that_are_not_zero() {
        let columns = vec![Column::compared("K", 0, 50.0)];
        let mut table = Table::new("a table", &["kobayashi2002-table6"], "S", columns);
        table.row("50", vec![Figure::ours(10.0, 2.0).beside(12.0, 2.0)]);
        assert_eq!(verdict_text(&table), "reproduced (of 1 figures 1 reproduced)");
        table.row("51", vec![Figure::ours(10.0, 2.0).beside(90.0, 2.0)]);
        assert_eq!(verdict_text(&table), "differs (of 2 figures 1 reproduced, 1 differ)");
    }

    #[test]
    fn figures_say_ours_theirs_and_the_distance() {
        let column = Column::compared("K", 1, 9.0);
        let text = |figure: Figure| figure_text(&figure, &column);
        assert_eq!(text(Figure::ours(-2.0, 0.5).beside(1.0, None)), "−2.0 ± 0.5 (1.0; −6.0 σ)");
        assert_eq!(text(Figure::not_run(3.0)), "not run (3.0)");
        assert_eq!(text(Figure::beyond_measure(3.0)), "won or lost every game (3.0)");
        assert_eq!(text(Figure::default()), "–");
        assert_eq!(text(Figure::ours(4.0, None)), "4.0");
    }

    #[test]
    fn both_pages_hold_everything_and_stand_alone() {
        let folder = std::env::temp_dir().join(format!("kitai-{}-report", std::process::id()));
        report().write(&folder).unwrap();
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        let (html, markdown) = (read("report.html"), read("report.md"));
        for page in [&html, &markdown] {
            assert!(page.contains("kobayashi-one-move") && page.contains("1095"));
            assert!(page.contains("erratum") || page.contains("Erratum"));
            assert!(page.contains("tebika-trees"), "experiments without a result are named");
        }
        assert!(html.contains("a &lt;table&gt;") && html.contains("<svg></svg>"));
        assert!(!html.contains("src=") && !html.contains("href=\"http"));
        assert!(markdown.contains("figures/kobayashi-one-move-1.svg"));
        assert!(read("data/kobayashi-one-move-1.csv").contains("1086"));
        assert_eq!(read("figures/kobayashi-one-move-1.svg"), "<svg></svg>");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
