//! The report as Markdown.

use std::fmt::Write;

use super::super::outcome::{Outcome, Table};
use super::super::printed::errata;
use super::super::verdict::Verdict;
use super::{
    RULE, Report, command, data_text, figure_file, figure_text, figure_verdict, is_of_paper,
    summary_text, verdict_text,
};

/// Rows that a table shows; longer ones show what is not reproduced.
const MOST_ROWS: usize = 40;

/// The whole page.
pub(super) fn page(report: &Report) -> String {
    let mut out = String::from("## The papers' tables, ours beside theirs\n\n");
    let _ = writeln!(out, "{}\n\n{RULE}\n\n{}\n", summary_text(&report.summary()), data_text());
    overview(&mut out, report);
    let mut paper = None;
    for (experiment, outcome) in &report.entries {
        if paper != Some(experiment.paper) {
            paper = Some(experiment.paper);
            let _ = writeln!(out, "## {}\n", experiment.paper.name());
        }
        let _ = writeln!(out, "### {}: {}\n", experiment.name, experiment.about);
        match outcome {
            Some(outcome) => section(&mut out, outcome),
            None => out.push_str("Not run.\n\n"),
        }
    }
    out
}

fn overview(out: &mut String, report: &Report) {
    out.push_str("| experiment | table | verdict |\n|---|---|---|\n");
    for (experiment, outcome) in &report.entries {
        let Some(outcome) = outcome else {
            let _ = writeln!(out, "| {} | {} | not run |", experiment.name, experiment.about);
            continue;
        };
        for (table, _) in outcome.verdicts().filter(|(table, _)| is_of_paper(table)) {
            let _ = writeln!(
                out,
                "| {} | {} | {} |",
                experiment.name,
                cell(&table.title),
                verdict_text(table)
            );
        }
    }
    out.push('\n');
}

fn section(out: &mut String, outcome: &Outcome) {
    let quick = if outcome.quick { " The quick run: sizes only to see that it works." } else { "" };
    let _ = writeln!(
        out,
        "`{}`, seed {}; {}.{quick}\n\n{}\n",
        command(outcome),
        outcome.seed,
        outcome.settings,
        outcome.reading
    );
    for finding in &outcome.findings {
        let _ = writeln!(out, "* {finding}");
    }
    if !outcome.findings.is_empty() {
        out.push('\n');
    }
    for table in &outcome.tables {
        write_table(out, table);
    }
    for (number, chart) in (1..).zip(&outcome.charts) {
        let file = figure_file(&outcome.experiment, number);
        let _ = writeln!(out, "![{}]({file})\n", chart.title);
    }
}

fn write_table(out: &mut String, table: &Table) {
    let _ = write!(out, "**{}**", table.title);
    if table.is_compared() {
        let _ = write!(out, " — {}", verdict_text(table));
    }
    out.push_str("\n\n");
    for name in &table.printed {
        for slip in errata(name) {
            let _ = writeln!(
                out,
                "Erratum: {}, {} is printed as {} and should be {}: {}.\n",
                slip.row, slip.column, slip.printed, slip.computed, slip.comment
            );
        }
    }
    let is_long = table.rows.len() > MOST_ROWS;
    if is_long {
        out.push_str("Only rows with a figure that is not reproduced; all are in the data.\n\n");
    }
    let names: Vec<String> = table.columns.iter().map(|column| cell(&column.name)).collect();
    let _ = writeln!(out, "| {} | {} |", cell(&table.key), names.join(" | "));
    let _ = writeln!(out, "|---|{}", "---|".repeat(names.len()));
    for row in &table.rows {
        let told: Vec<(String, Option<Verdict>)> = row
            .figures
            .iter()
            .zip(&table.columns)
            .map(|(figure, column)| (figure_text(figure, column), figure_verdict(figure, column)))
            .collect();
        let noted = |verdict: &Option<Verdict>| verdict.is_some_and(|v| v != Verdict::Reproduced);
        if is_long && !told.iter().any(|(_, verdict)| noted(verdict)) {
            continue;
        }
        let cells: Vec<String> = told
            .into_iter()
            .map(|(text, verdict)| match verdict {
                Some(Verdict::Differs) => format!("**{}**", cell(&text)),
                _ => cell(&text),
            })
            .collect();
        let _ = writeln!(out, "| {} | {} |", cell(&row.name), cells.join(" | "));
    }
    out.push('\n');
}

/// Text inside a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}
