//! The paper's tables 1 and 3 and figures 19 to 21, the readings beside the re-run, and OM search.

use std::sync::atomic::{AtomicU64, Ordering};

use super::om::OmTrees;
use super::trees::{Backup, JUDGED_MOVES, Reading, VirtualTrees};
use crate::lab::bench::{Bench, LabError};
use crate::lab::outcome::{Column, Outcome, Table};
use crate::lab::printed::table as printed_table;
use crate::lab::verdict::Figure;
use crate::plot::{self, Axes, Series};

const SEED: u64 = 1999;
/// Counts of 10,000 that differ by more make another result.
const COUNT_MATTERS: f64 = 250.0;

/// The readings by the names of the re-run.
const READINGS: [(&str, Reading); 6] = {
    let literal = Reading::LITERAL;
    let half = Reading { expectation_deviation: 0.5, deeper_deviation: 0.5, ..literal };
    let third = Reading { expectation_deviation: 1.0 / 3.0, ..literal };
    let om = Backup::OpponentModel;
    [
        ("literal", literal),
        ("literal, growth sigma/sqrt(D)", Reading { growth_by_depth: false, ..literal }),
        ("literal but 2002 back-up", Reading { backup: Backup::Least, ..literal }),
        ("e=n=1/2, om, N om", Reading { deeper_backup: om, ..half }),
        ("e=n=1/2, 2002 back-up", Reading { backup: Backup::Least, ..half }),
        ("e=1/3, n=1, om", third),
    ]
};

/// The reading that comes nearest to the paper for this number of moves a node.
fn nearest(branching: usize) -> (&'static str, Reading) {
    if branching == 2 { READINGS[5] } else { READINGS[3] }
}

/// Runs of trees, telling how far all are.
struct Growing<'a, 'b> {
    bench: &'a Bench<'b>,
    total: u64,
    done: AtomicU64,
}

impl Growing<'_, '_> {
    fn tick(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if done.is_multiple_of(64) {
            (self.bench.progress)(done, self.total);
        }
    }

    fn run(&self, trees: &VirtualTrees, moves: u32) -> Result<[[u32; 2]; 4], LabError> {
        self.bench.finished(trees.run(moves, self.bench.stop, &|| self.tick()))
    }
}

fn columns() -> Vec<Column> {
    vec![
        Column::compared("K better", 0, COUNT_MATTERS),
        Column::compared("M better", 0, COUNT_MATTERS),
        Column::new("K − M", 0),
    ]
}

fn figures(counts: [u32; 2], runs: u32, theirs: [Option<f64>; 2]) -> Vec<Figure> {
    let [k, m] = counts.map(f64::from);
    let per = 10_000.0 / f64::from(runs);
    let mut figures: Vec<Figure> = [k, m]
        .iter()
        .zip(theirs)
        .map(|(&n, theirs)| Figure::count(n, f64::from(runs), theirs))
        .collect();
    figures.push(Figure::ours(per * (k - m), per * (k + m).sqrt()));
    figures
}

/// Tables 1 and 3, figures 19 to 21: the literal reading and the nearest one.
///
/// # Errors
/// None but an interruption.
pub fn trees(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let runs = [bench.size(2_000, 10_000), bench.size(150, 10_000)].map(|runs| runs as u32);
    let variances = [5.0, 2.0, 1.0, 0.5, 0.1];
    let per_reading = variances.len() as u64 * u64::from(runs[0] + runs[1]) + u64::from(runs[1]);
    let growing = Growing { bench, total: 2 * per_reading, done: AtomicU64::new(0) };
    let printed = printed_table("tebika-table1");
    let printed_3 = printed_table("tebika-table3");
    let mut outcome = Outcome {
        seed: SEED,
        settings: format!("{} runs with B = 2, {} with B = 8", runs[0], runs[1]),
        reading: "Literal: the deviation inside E and of the values two plies deeper is 1, the second \
            player's reply follows static minimax, grown leaves deviate by σ/D. Nearest: how often \
            the games differ is reproduced only with a smaller deviation inside E, about ½ with \
            B = 8 (then also two plies deeper, judged along the second player's static choice) and ⅓ \
            with B = 2; the published lead at T ≥ 5 is not reproduced by any reading."
            .to_owned(),
        ..Outcome::default()
    };
    for is_literal in [true, false] {
        let word = if is_literal { "literal" } else { "nearest" };
        let title = format!("Table 1: virtual trees, {word} reading");
        let mut table = Table::new(&title, &["tebika-table1"], "B, σ², T", columns());
        let mut leads: Vec<Series> = Vec::new();
        for (branching, runs) in [(2, runs[0]), (8, runs[1])] {
            let reading = if is_literal { Reading::LITERAL } else { nearest(branching).1 };
            for variance in variances {
                let settings = VirtualTrees { branching, variance, reading, runs, seed: SEED };
                let counts = growing.run(&settings, 20)?;
                let mut points = Vec::new();
                for (moves, counts) in JUDGED_MOVES.into_iter().zip(counts) {
                    let row = printed.find(&[
                        ("branching", &branching.to_string()),
                        ("leaf_variance", &variance.to_string()),
                        ("T", &moves.to_string()),
                    ]);
                    let theirs =
                        ["k_better", "m_better"].map(|c| row.and_then(|row| row.number(c)));
                    let figures = figures(counts, runs, theirs);
                    points.extend(figures[2].ours.map(|lead| (f64::from(moves), lead)));
                    table.row(format!("{branching}, {variance}, {moves}"), figures);
                }
                leads.push(Series::line(&format!("B = {branching}, σ² = {variance}"), points));
            }
        }
        outcome.tables.push(table);
        let settings = {
            let reading = if is_literal { Reading::LITERAL } else { nearest(8).1 };
            VirtualTrees { branching: 8, variance: 1.05, reading, runs: runs[1], seed: SEED }
        };
        let title = format!("Table 3: the Othello-like setting, {word} reading");
        let mut table = Table::new(&title, &["tebika-table3"], "T", columns());
        let mut points = Vec::new();
        for (moves, counts) in JUDGED_MOVES.into_iter().zip(growing.run(&settings, 20)?) {
            let row = printed_3.find(&[("T", &moves.to_string())]);
            let theirs = ["k_better", "m_better"].map(|c| row.and_then(|row| row.number(c)));
            let figures = figures(counts, runs[1], theirs);
            points.extend(figures[2].ours.map(|lead| (f64::from(moves), lead)));
            table.row(moves.to_string(), figures);
        }
        outcome.tables.push(table);
        charts(&mut outcome, word, leads, points);
    }
    Ok(outcome)
}

/// Figures 19 to 21 of one reading.
fn charts(outcome: &mut Outcome, word: &str, mut leads: Vec<Series>, othello: Vec<(f64, f64)>) {
    let axes = Axes { x: "T", y: "K better − M better, of 10,000", ..Axes::default() };
    let eight = leads.split_off(5);
    for (figure, branching, series) in [(19, 2, leads), (20, 8, eight)] {
        let title = format!("Figure {figure}: the lead of K with B = {branching}, {word} reading");
        outcome.chart(&title, Some(plot::lines(&axes, &series)));
    }
    let printed = printed_table("tebika-table3");
    let theirs = printed
        .rows()
        .map(|row| (row.figure("T"), row.figure("k_better") - row.figure("m_better")));
    let series = [Series::line("ours", othello), Series::line("paper", theirs)];
    let title = format!("Figure 21: the lead of K in the Othello-like setting, {word} reading");
    outcome.chart(&title, Some(plot::lines(&axes, &series)));
}

/// Six readings beside the independent re-run, σ² = 1.
///
/// # Errors
/// None but an interruption.
pub fn readings(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let runs = [bench.size(5_000, 100_000), bench.size(500, 10_000)].map(|runs| runs as u32);
    let total = READINGS.len() as u64 * u64::from(runs[0] + runs[1]);
    let growing = Growing { bench, total, done: AtomicU64::new(0) };
    let rerun = printed_table("rerun-virtual-tree");
    let title = "Virtual trees under six readings, σ² = 1, beside the re-run";
    let mut table = Table::new(title, &["rerun-virtual-tree"], "B, reading, T", columns());
    for (branching, runs, most_moves) in [(2, runs[0], 20), (8, runs[1], 5)] {
        for (name, reading) in READINGS {
            let settings = VirtualTrees { branching, variance: 1.0, reading, runs, seed: SEED + 1 };
            let counts = growing.run(&settings, most_moves)?;
            for (moves, counts) in JUDGED_MOVES.into_iter().zip(counts) {
                let Some(row) = rerun.find(&[
                    ("branching", &branching.to_string()),
                    ("interpretation", name),
                    ("T", &moves.to_string()),
                ]) else {
                    continue;
                };
                let games = row.figure("games");
                let mut figures = figures(counts, runs, [None, None]);
                for (figure, column) in
                    figures.iter_mut().zip(["simulated_k_per_10000", "simulated_m_per_10000"])
                {
                    let theirs = row.figure(column);
                    let share = theirs / 10_000.0;
                    let error = 10_000.0 * (share * (1.0 - share) / games).sqrt();
                    *figure = figure.beside(theirs, error);
                }
                table.row(format!("{branching}, {name}, {moves}"), figures);
            }
        }
    }
    let tally = table.tally();
    Ok(Outcome {
        seed: SEED + 1,
        settings: format!("{} runs with B = 2, {} with B = 8", runs[0], runs[1]),
        reading:
            "The re-run is an independent program; agreement says that both mean the same by each \
            reading, not that a reading is the paper's."
                .to_owned(),
        findings: vec![format!(
            "{} of {} counts lie more than 3 combined standard errors from the re-run.",
            tally.differs,
            tally.all()
        )],
        tables: vec![table],
        ..Outcome::default()
    })
}

/// OM search with two evaluations.
///
/// # Errors
/// None but an interruption.
pub fn om(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let runs = bench.size(2_000, 100_000) as u32;
    let errors = [0.25, 0.5, 1.0, 2.0];
    let growing = Growing { bench, total: 2 * 4 * u64::from(runs), done: AtomicU64::new(0) };
    let columns = vec![
        Column::new("OM better", 0),
        Column::new("minimax better", 0),
        Column::new("gain a run", 4),
    ];
    let title = "OM search against minimax, one move, of 10,000";
    let mut table = Table::new(title, &[], "B, δ", columns);
    for branching in [2, 8] {
        for error in errors {
            let settings = OmTrees {
                branching,
                variance: 1.0,
                error,
                deeper_deviation: 1.0,
                runs,
                seed: SEED,
            };
            let found = bench.finished(settings.run(bench.stop, &|| growing.tick()))?;
            let count = |n: u32| Figure::count(f64::from(n), f64::from(runs), None);
            let gain = Figure::ours(found.gain / f64::from(runs), None);
            let [om, minimax] = found.better;
            table.row(format!("{branching}, {error}"), vec![count(om), count(minimax), gain]);
        }
    }
    Ok(Outcome {
        seed: SEED,
        settings: format!("{runs} runs, σ² = 1, two-ply deviation 1"),
        reading: "The second player plays minimax by its own evaluation, which deviates by δ from the \
            first player's; choices are judged along its real reply. The paper defines OM search and \
            has no figures for it."
            .to_owned(),
        tables: vec![table],
        ..Outcome::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reading_of_the_re_run_is_here_by_its_name() {
        let rerun = printed_table("rerun-virtual-tree");
        let mut rows = 0;
        for row in rerun.rows() {
            let name = row.text("interpretation");
            assert!(READINGS.iter().any(|(known, _)| *known == name), "{name}");
            rows += 1;
        }
        assert_eq!(rows, 36);
    }

    #[test]
    fn every_cell_of_tables_1_and_3_is_found() {
        let printed = printed_table("tebika-table1");
        assert_eq!(printed.rows().count(), 2 * 5 * 4);
        for (branching, variance) in [("2", 5.0f64), ("8", 0.1)] {
            let row = printed.find(&[
                ("branching", branching),
                ("leaf_variance", &variance.to_string()),
                ("T", "20"),
            ]);
            assert!(row.and_then(|row| row.number("k_better")).is_some());
        }
    }
}
