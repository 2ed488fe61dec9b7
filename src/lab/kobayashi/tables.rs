//! The 2002 paper's tables in the common form.

use std::sync::atomic::{AtomicU64, Ordering};

use super::many_moves::{ManyMoves, first_discs};
use super::one_move::{OneMove, Result as Judged, Rule, Verdict};
use super::published::{self, Cell, POSITIONS, SAMPLES, SAMPLES_STAGE, STAGES};
use super::values;
use crate::eval::Evaluation;
use crate::eval::discs::Discs;
use crate::lab::bench::{Bench, LabError, WTHOR_EARLY, WTHOR_LATER};
use crate::lab::outcome::{Column, Outcome, Table};
use crate::lab::printed::table as printed_table;
use crate::lab::verdict::Figure;
use crate::othello::Position;
use crate::plot::{self, Axes, Bar, Series};
use crate::search::expectation::Deviation;
use crate::search::expectation::settings::{ExpectationSettings, Finished};
use crate::statistics::{Moments, normal};
use crate::training::calibration::spread::{Differences, EDGE, Measure};
use crate::training::recorded::sample;
use std::sync::Arc;

/// Seed of all its experiments.
const SEED: u64 = 2002;
/// σ of the experiment over several moves.
const MOVES_SIGMA: f64 = 8.5;
/// Counts of 10,000 that differ by more make another result: the records are not the paper's.
const COUNT_MATTERS: f64 = 250.0;
/// The same for mean differences, discs.
const MEAN_MATTERS: f64 = 0.6;

const READING: &str = "Depth counts discs placed: a forced pass is free (a pass that costs a ply gives \
    mean differences too small and deviations far too small). The first of equal moves is played, \
    finished games count as leaves, min and max of K above the leaf parents. The records are WTHOR \
    tournament games, not the paper's.";

/// Tables 1 to 4.
///
/// # Errors
/// None but an interruption.
pub fn values(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let most = bench.size(10_000, 1_000_000) as u64;
    let mut outcome = Outcome {
        seed: SEED,
        settings: format!("estimates of up to {most} tuples, {} trials each", values::TRIALS),
        reading:
            "σ = 1, 2, 4, 8 in table 3 are standard deviations. Beside the exact value stands the \
            paper's estimate; its standard error follows from its number of tuples (tables 3 and 4 \
            state none: m = 100 is assumed). Table 2 has no error but its rounding."
                .to_owned(),
        ..Outcome::default()
    };
    let titles = [
        "Table 1: E(8²; 0, …, 0) of k leaves by m tuples, mean and deviation of 100 trials",
        "Table 2: generalised mean M_p(10, 21, 29, 32)",
        "Table 3: E(σ²; 10, 21, 29, 32)",
        "Table 4: E(8²; 20, h2, h3)",
    ];
    let figures = values::figures(most, SEED);
    for (number, title) in (1..).zip(titles) {
        let file = format!("kobayashi2002-table{number}");
        let columns = vec![Column::compared("exact", 5, f64::MAX), Column::new("our estimate", 5)];
        let mut table = Table::new(title, &[&file], "cell", columns);
        for figure in figures.iter().filter(|figure| figure.table == number) {
            // Half a unit of the last digit that table 2 prints.
            let error = figure.error.unwrap_or(0.05);
            let ours = Figure::ours(figure.exact, None).beside(figure.published, error);
            let estimated = figure
                .estimated
                .map_or(Figure::default(), |value| Figure::ours(value, figure.error));
            table.row(figure.cell.clone(), vec![ours, estimated]);
        }
        outcome.tables.push(table);
    }
    outcome.findings.push(
        "The printed deviations of table 1 at m = 10,000 and 1,000,000 are 1.5 to 3.7 times the true \
         sampling error, and the means stray accordingly: the authors' generator was poor. Tables 2 to \
         4 are exact within their errors."
            .to_owned(),
    );
    Ok(outcome)
}

/// Table 5 and figure 6.
///
/// # Errors
/// If there are no games, or the work was interrupted.
pub fn sigma(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let (early, later) = (bench.games(WTHOR_EARLY)?, bench.games(WTHOR_LATER)?);
    let count = bench.size(60, 1_000);
    let settings = ExpectationSettings {
        finished: Finished::Static,
        ..ExpectationSettings::with_sigma(Deviation::ZERO)
    };
    let measure = Measure { tree_depth: 3, ahead: 2, most_leaves: None, seed: SEED, settings };
    let discs = Evaluation::Other(Arc::new(Discs));
    let columns = vec![
        Column::compared("sd, 1977–89", 2, 1.5),
        Column::new("sd, 1990–2001", 2),
        Column::new("re-run, 1990–2001", 2),
        Column::new("mean of h − g", 2),
        Column::new("leaves", 0),
    ];
    let mut table =
        Table::new("Table 5: deviation of h − g by stage", &["kobayashi2002-table5"], "S", columns);
    let done = AtomicU64::new(0);
    let total = (2 * STAGES.len() * count) as u64;
    let tick = || (bench.progress)(done.fetch_add(1, Ordering::Relaxed) + 1, total);
    let mut histogram = None;
    for discs_played in STAGES {
        let of = |games: &[_]| {
            let positions = sample(games, discs_played, count, SEED);
            // The leaves of one position hang together, so the error comes from batches of
            // positions.
            let (mut whole, mut by_batch) = (Differences::default(), Moments::default());
            for batch in positions.chunks(positions.len().div_ceil(BATCHES).max(1)) {
                let found = bench.finished(measure.run(&discs, batch, bench.stop, &tick))?;
                by_batch.add(found.moments.root_mean_square());
                whole = whole.merge(found);
            }
            Ok::<_, LabError>((whole, by_batch.standard_error()))
        };
        let ((before, error), (after, after_error)) = (of(&early)?, of(&later)?);
        let theirs = published::sigma(discs_played).unwrap_or_default();
        let their_error = error * (count as f64 / PRINTED_POSITIONS).sqrt();
        let rerun = printed_table("rerun-kobayashi-othello");
        let cell = format!("S={discs_played}");
        let rerun =
            rerun.find(&[("table", "5"), ("cell", &cell), ("interpretation", "pass is free")]);
        let rerun = rerun.and_then(|row| row.number("mean"));
        table.row(
            discs_played.to_string(),
            vec![
                Figure::ours(before.moments.root_mean_square(), error).beside(theirs, their_error),
                Figure::ours(after.moments.root_mean_square(), after_error),
                rerun.map_or(Figure::default(), |sd| Figure::ours(sd, None)),
                Figure::ours(before.moments.mean(), before.moments.standard_error()),
                Figure::ours(before.moments.count, None),
            ],
        );
        if discs_played == 51 {
            histogram = Some(before);
        }
    }
    let mut outcome = Outcome {
        seed: SEED,
        settings: format!("{count} positions a stage"),
        reading: format!(
            "{READING} Figure 6 says S = 54 and N(0, 8.33²); 8.33 belongs to the leaves after 54 discs, \
             that is to S = 51 at the root. The standard error takes positions, not leaves, as \
             independent (batches of positions)."
        ),
        tables: vec![table],
        ..Outcome::default()
    };
    if let Some(found) = histogram {
        let chart = histogram_chart(&found.histogram, &found.moments);
        outcome.chart("Figure 6: distribution of h − g for leaves after 54 discs", Some(chart));
    }
    Ok(outcome)
}

/// Batches of positions from which the error of a deviation is taken.
const BATCHES: usize = 20;
/// Positions behind each row of table 5.
const PRINTED_POSITIONS: f64 = 100.0;

/// Shares by discs with the normal of the same mean square.
fn histogram_chart(histogram: &[u64], moments: &Moments) -> String {
    let sigma = moments.root_mean_square().max(1e-9);
    let shown =
        |bin: usize| (bin as i32 - EDGE, 100.0 * histogram[bin] as f64 / moments.count.max(1.0));
    let measured = (0..histogram.len()).map(shown).filter(|(x, _)| x.abs() <= 40);
    let measured: Vec<(f64, f64)> = measured.map(|(x, share)| (f64::from(x), share)).collect();
    let normal = measured.iter().map(|&(x, _)| {
        let below = |edge: f64| normal::distribution(edge / sigma);
        (x, 100.0 * (below(x + 0.5) - below(x - 0.5)))
    });
    let normal = Series::line(&format!("N(0, {sigma:.2}²)"), normal);
    let axes = Axes { x: "h − g, discs", y: "per cent of leaves", ..Axes::default() };
    plot::lines(&axes, &[Series::marks("measured", measured), normal])
}

/// The columns of tables 6 to 10.
fn columns() -> Vec<Column> {
    vec![
        Column::compared("K better", 0, COUNT_MATTERS),
        Column::compared("M better", 0, COUNT_MATTERS),
        Column::compared("mean K − M", 3, MEAN_MATTERS),
        Column::new("index 1", 2),
        Column::new("index 2", 1),
        Column::new("unpaired t", 2),
        Column::new("paired t", 2),
    ]
}

/// A row of tables 6 to 10.
fn row(verdict: &Verdict, theirs: Option<Cell>) -> Vec<Figure> {
    let of = f64::from(verdict.positions);
    let count =
        |ours: u32, theirs: Option<u32>| Figure::count(f64::from(ours), of, theirs.map(f64::from));
    // The spread of the differences is the same in the paper's 10,000 positions.
    let error =
        if verdict.paired.t == 0.0 { 0.0 } else { (verdict.cell.mean / verdict.paired.t).abs() };
    let mean = Figure::ours(verdict.cell.mean, error);
    vec![
        count(verdict.cell.k_better, theirs.map(|cell| cell.k_better)),
        count(verdict.cell.m_better, theirs.map(|cell| cell.m_better)),
        match theirs {
            Some(cell) => mean.beside(cell.mean, error * (of / f64::from(POSITIONS)).sqrt()),
            None => mean,
        },
        Figure::ours(verdict.index1, None),
        Figure::ours(verdict.index2, None),
        Figure::ours(verdict.unpaired.t, None),
        Figure::ours(verdict.paired.t, None),
    ]
}

/// The tables of one run beside the paper and beside the re-run.
struct Tables {
    paper: [Table; 2],
    rerun: [Table; 2],
}

impl Tables {
    /// Empty tables with these numbers: judged deeper, judged by the solved game.
    fn new(numbers: [u32; 2], what: &str) -> Tables {
        let judges = ["judged two plies deeper", "judged by the solved game"];
        let table = |index: usize, file: &str, beside: &str| {
            let (number, judge) = (numbers[index], judges[index]);
            let title = format!("Table {number}: {what}, {judge}{beside}");
            Table::new(&title, &[file], published::key_column(number), columns())
        };
        let paper =
            |index: usize| table(index, &format!("kobayashi2002-table{}", numbers[index]), "");
        let rerun = |index| table(index, "rerun-kobayashi-othello", ", beside the re-run");
        Tables { paper: [paper(0), paper(1)], rerun: [rerun(0), rerun(1)] }
    }

    fn add(&mut self, numbers: [u32; 2], key: u32, reading: &str, judged: &Judged) {
        for (index, verdict) in [&judged.deeper, &judged.solved].into_iter().enumerate() {
            let (number, name) = (numbers[index], key.to_string());
            self.paper[index].row(name.clone(), row(verdict, published::printed(number, key)));
            self.rerun[index].row(name, row(verdict, published::rerun(number, key, reading)));
        }
    }

    fn into_vec(self) -> Vec<Table> {
        self.paper.into_iter().chain(self.rerun).collect()
    }
}

/// Runs one judged experiment after another, telling how far all are.
pub(super) struct Judging<'a, 'b> {
    pub bench: &'a Bench<'b>,
    pub total: u64,
    pub done: AtomicU64,
}

impl Judging<'_, '_> {
    /// Runs one of them.
    pub(super) fn run(
        &self,
        positions: &[Position],
        run: impl Fn(&[Position], &(dyn Fn() + Sync)) -> Option<Judged>,
    ) -> Result<Judged, LabError> {
        let tick = || {
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            (self.bench.progress)(done, self.total);
        };
        self.bench.finished(run(positions, &tick))
    }
}

/// Tables 6 and 7.
///
/// # Errors
/// If there are no games, or the work was interrupted.
pub fn one_move(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let games = bench.games(WTHOR_LATER)?;
    let count = bench.size(600, POSITIONS as usize);
    let total = (STAGES.len() * count) as u64;
    let judging = Judging { bench, total, done: AtomicU64::new(0) };
    let mut tables = Tables::new([6, 7], "one move by K or by M");
    for discs in STAGES {
        let sigma = Deviation::clamped(published::sigma(discs).unwrap_or_default());
        let rule = Rule::Expectation { sigma, samples: SAMPLES as usize, seed: SEED };
        let positions = sample(&games, discs, count, SEED);
        let judged = judging
            .run(&positions, |positions, tick| OneMove { rule }.run(positions, bench.stop, tick))?;
        tables.add([6, 7], discs, "2002 back-up; m=100", &judged);
    }
    Ok(Outcome {
        seed: SEED,
        settings: format!("{count} positions a stage, m = {SAMPLES}, σ of table 5"),
        reading: READING.to_owned(),
        findings: vec![tests_finding(&tables)],
        tables: tables.into_vec(),
        ..Outcome::default()
    })
}

/// How the two significance tests came out.
fn tests_finding(tables: &Tables) -> String {
    let significant = |column: usize| {
        let rows = tables.paper.iter().flat_map(|table| &table.rows);
        let t = rows.filter_map(|row| row.figures[column].ours);
        t.filter(|t| t.abs() > normal::Z95).count()
    };
    let all = tables.paper.iter().map(|table| table.rows.len()).sum::<usize>();
    format!(
        "Of {all} differences {} are significant at 5 % by the paper's unpaired test and {} by the \
         paired one, which the two moves of one position call for.",
        significant(5),
        significant(6)
    )
}

/// Table 8 and figure 7.
///
/// # Errors
/// If there are no games, or the work was interrupted.
pub fn samples(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let games = bench.games(WTHOR_LATER)?;
    let count = bench.size(500, POSITIONS as usize);
    let positions = sample(&games, SAMPLES_STAGE, count, SEED);
    let keys = published::keys(8);
    let total = ((keys.len() + 1) * count) as u64;
    let judging = Judging { bench, total, done: AtomicU64::new(0) };
    let sigma = Deviation::clamped(published::sigma(SAMPLES_STAGE).unwrap_or_default());
    let run = |samples: u64| {
        let rule = Rule::Expectation { sigma, samples: samples as usize, seed: SEED };
        judging.run(&positions, |positions, tick| OneMove { rule }.run(positions, bench.stop, tick))
    };
    let title = "Table 8: as table 6 with S = 54, by m";
    let mut paper = Table::new(title, &["kobayashi2002-table8"], "m", columns());
    let mut rerun = Table::new(
        &format!("{title}, beside the re-run"),
        &["rerun-kobayashi-othello"],
        "m",
        columns(),
    );
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for key in keys {
        let judged = run(u64::from(key))?;
        let printed = published::printed(8, key);
        ours.push((f64::from(key), judged.deeper.index2));
        theirs.extend(printed.map(|cell| {
            let (k, m) = (f64::from(cell.k_better), f64::from(cell.m_better));
            (f64::from(key), 100.0 * k / (k + m))
        }));
        paper.row(key.to_string(), row(&judged.deeper, printed));
        let reading = format!("2002 back-up; m={key}");
        rerun.row(key.to_string(), row(&judged.deeper, published::rerun(8, key, &reading)));
    }
    let exact = run(0)?;
    rerun.row(
        "exact E",
        row(&exact.deeper, published::rerun(6, SAMPLES_STAGE, "2002 back-up; exact")),
    );
    let axes = Axes { x: "m", y: "index 2, per cent", ..Axes::default() };
    let level = [(0.0, exact.deeper.index2), (200.0, exact.deeper.index2)];
    let series =
        [Series::line("ours", ours), Series::line("paper", theirs), Series::line("exact E", level)];
    let mut outcome = Outcome {
        seed: SEED,
        settings: format!("{} positions, σ = {}", positions.len(), sigma.get()),
        reading: READING.to_owned(),
        findings: vec![format!(
            "Exact E has index 2 = {:.1}: what more tuples approach.",
            exact.deeper.index2
        )],
        tables: vec![paper, rerun],
        ..Outcome::default()
    };
    outcome.chart("Figure 7: index 2 by number of tuples", Some(plot::lines(&axes, &series)));
    Ok(outcome)
}

/// Tables 9 and 10.
///
/// # Errors
/// If there are no games, or the work was interrupted.
pub fn moves(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let games = bench.games(WTHOR_LATER)?;
    let count = bench.size(300, POSITIONS as usize);
    let keys = published::keys(9);
    let total = (keys.len() * count) as u64;
    let judging = Judging { bench, total, done: AtomicU64::new(0) };
    let sigma = Deviation::clamped(MOVES_SIGMA);
    let rule = Rule::Expectation { sigma, samples: SAMPLES as usize, seed: SEED };
    let mut tables = Tables::new([9, 10], "T moves by K or by M");
    let mut bars = Vec::new();
    for (index, moves) in keys.into_iter().enumerate() {
        let positions = sample(&games, first_discs(moves), count, SEED);
        let judged = judging.run(&positions, |positions, tick| {
            ManyMoves { rule, moves }.run(positions, bench.stop, tick)
        })?;
        bars.push(Bar {
            x: index as f64,
            height: judged.deeper.index1,
            hint: format!("T = {moves}: index 1 = {:.2}", judged.deeper.index1),
            color: 0,
        });
        tables.add([9, 10], moves, "2002 back-up; m=100", &judged);
    }
    let mut outcome = Outcome {
        seed: SEED,
        settings: format!("{count} positions for each T, m = {SAMPLES}, σ = {MOVES_SIGMA}"),
        reading: format!(
            "{READING} A game that ends before the T-th move is worth its final score."
        ),
        findings: vec![tests_finding(&tables)],
        tables: tables.into_vec(),
        ..Outcome::default()
    };
    let axes = Axes { x: "T = 2, 3, 5, 7", y: "index 1", ..Axes::default() };
    outcome.chart("The lead of K by T", plot::bars(&axes, &bars));
    Ok(outcome)
}
