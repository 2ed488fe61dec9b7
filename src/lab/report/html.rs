//! The report as one HTML page that needs nothing else.

use std::fmt::Write;

use super::super::outcome::{Outcome, Table};
use super::super::printed::errata;
use super::super::verdict::Verdict;
use super::{
    RULE, Report, command, data_text, figure_text, figure_verdict, is_of_paper, summary_text,
    verdict_text,
};
use crate::plot::escape;

/// Rows from which on a table is folded.
const MOST_ROWS: usize = 40;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:1200px;margin:2em auto;\
padding:0 1em;color:#222;background:#fff}.table{overflow-x:auto}table{border-collapse:collapse;\
margin:.6em 0}td,th{border:1px solid #bbb;padding:.2em .6em;text-align:right;white-space:nowrap}\
td:first-child,th:first-child,.words td,.words th{text-align:left}.words td{white-space:normal}\
.chart svg{width:100%;max-width:760px;height:auto}.charts{display:grid;gap:1em;\
grid-template-columns:repeat(auto-fit,minmax(min(100%,28em),1fr))}figure{margin:0}\
figcaption{font-weight:600}code{overflow-wrap:anywhere;background:#8882;padding:.1em .3em}\
.reproduced{background:#009e7333}.differs{background:#d55e0044}.undecided{background:#8883}\
.tag{display:inline-block;padding:0 .6em;border-radius:1em}summary{cursor:pointer}\
nav{columns:2;margin:1em 0}@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}\
td,th{border-color:#555}a{color:#9cf}}";

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "reproduced",
        Verdict::Differs => "differs",
        Verdict::Undecided => "undecided",
    }
}

/// The whole page.
pub(super) fn page(report: &Report) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <title>Kitai: the lab's report</title><style>{STYLE}</style></head><body>\n\
         <h1>The papers' tables, ours beside theirs</h1>\n\
         <p>Kitai {}. {}</p>\n<p>{}</p>\n<p>{}</p>\n",
        env!("CARGO_PKG_VERSION"),
        escape(&summary_text(&report.summary())),
        escape(RULE),
        escape(&data_text())
    );
    overview(&mut out, report);
    let mut paper = None;
    for (experiment, outcome) in &report.entries {
        if paper != Some(experiment.paper) {
            paper = Some(experiment.paper);
            let _ = writeln!(out, "<h2>{}</h2>", escape(experiment.paper.name()));
        }
        let _ = writeln!(
            out,
            "<h3 id=\"{}\">{}: {}</h3>",
            experiment.name,
            experiment.name,
            escape(experiment.about)
        );
        match outcome {
            Some(outcome) => section(&mut out, outcome),
            None => out.push_str("<p>Not run.</p>\n"),
        }
    }
    out.push_str("</body></html>\n");
    out
}

fn overview(out: &mut String, report: &Report) {
    out.push_str(
        "<div class=\"table\"><table class=\"words\"><tr><th>experiment</th><th>table</th>\
         <th>verdict</th></tr>\n",
    );
    let mut row = |name: &str, about: &str, tag: Option<Verdict>, text: &str| {
        let _ = writeln!(
            out,
            "<tr><td><a href=\"#{name}\">{name}</a></td><td>{}</td><td><span class=\"tag {}\">{}\
             </span></td></tr>",
            escape(about),
            tag.map_or("", class),
            escape(text)
        );
    };
    for (experiment, outcome) in &report.entries {
        let Some(outcome) = outcome else {
            row(experiment.name, experiment.about, Some(Verdict::Undecided), "not run");
            continue;
        };
        let mut compared = 0;
        for (table, verdict) in outcome.verdicts().filter(|(table, _)| is_of_paper(table)) {
            compared += 1;
            row(experiment.name, &table.title, Some(verdict), &verdict_text(table));
        }
        if compared == 0 {
            row(experiment.name, experiment.about, None, "nothing printed to compare with");
        }
    }
    out.push_str("</table></div>\n");
}

/// Text with what stands between backticks as code.
fn with_code(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let mut out = String::new();
    for (index, part) in parts.iter().enumerate() {
        // Every second part is code, unless its closing backtick is missing.
        match (index % 2 == 1, index + 1 < parts.len()) {
            (true, true) => {
                let _ = write!(out, "<code>{}</code>", escape(part));
            }
            (true, false) => {
                let _ = write!(out, "`{}", escape(part));
            }
            (false, _) => out.push_str(&escape(part)),
        }
    }
    out
}

fn section(out: &mut String, outcome: &Outcome) {
    let quick = if outcome.quick { " The quick run: sizes only to see that it works." } else { "" };
    let _ = writeln!(
        out,
        "<p><code>{}</code>, seed {}; {}.{quick}</p>\n<p>{}</p>",
        escape(&command(outcome)),
        outcome.seed,
        with_code(&outcome.settings),
        with_code(&outcome.reading)
    );
    if !outcome.findings.is_empty() {
        out.push_str("<ul>\n");
        for finding in &outcome.findings {
            let _ = writeln!(out, "<li>{}</li>", with_code(finding));
        }
        out.push_str("</ul>\n");
    }
    for table in &outcome.tables {
        write_table(out, table);
    }
    if !outcome.charts.is_empty() {
        out.push_str("<div class=\"charts\">\n");
        for chart in &outcome.charts {
            let _ = writeln!(
                out,
                "<figure class=\"chart\"><figcaption>{}</figcaption>{}</figure>",
                escape(&chart.title),
                chart.svg
            );
        }
        out.push_str("</div>\n");
    }
}

fn write_table(out: &mut String, table: &Table) {
    let _ = write!(out, "<h4>{}", escape(&table.title));
    if table.is_compared() {
        let verdict = table.tally().verdict();
        let _ = write!(
            out,
            " <span class=\"tag {}\">{}</span>",
            class(verdict),
            escape(&verdict_text(table))
        );
    }
    out.push_str("</h4>\n");
    for slip in table.printed.iter().flat_map(|name| errata(name)) {
        let _ = writeln!(
            out,
            "<p>Erratum: {}, {} is printed as {} and should be {}: {}.</p>",
            escape(&slip.row),
            escape(&slip.column),
            escape(&slip.printed),
            escape(&slip.computed),
            escape(&slip.comment)
        );
    }
    let is_long = table.rows.len() > MOST_ROWS;
    if is_long {
        let _ = write!(out, "<details><summary>{} rows</summary>", table.rows.len());
    }
    let _ = write!(out, "<div class=\"table\"><table><tr><th>{}</th>", escape(&table.key));
    for column in &table.columns {
        let _ = write!(out, "<th>{}</th>", escape(&column.name));
    }
    out.push_str("</tr>\n");
    for row in &table.rows {
        let _ = write!(out, "<tr><td>{}</td>", escape(&row.name));
        for (figure, column) in row.figures.iter().zip(&table.columns) {
            let shade = figure_verdict(figure, column).map_or("", class);
            let text = escape(&figure_text(figure, column));
            let _ = write!(out, "<td class=\"{shade}\">{text}</td>");
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table></div>\n");
    if is_long {
        out.push_str("</details>\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_backticks_is_code() {
        assert_eq!(with_code("a `b<c` d"), "a <code>b&lt;c</code> d");
        assert_eq!(with_code("`a``b`"), "<code>a</code><code>b</code>");
        assert_eq!(with_code("a ` b & c"), "a ` b &amp; c");
        assert_eq!(with_code(""), "");
    }
}
