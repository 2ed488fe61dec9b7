//! The 2017 paper's matches under both readings: tables 3 to 6, figures 14 to 17.

use std::path::Path;

use super::{
    ANCHOR_DEPTHS, RatedPlayer, Reading, alpha_beta_spec, anchor_spec, plain_spec, table_4,
    tables_5_and_6,
};
use crate::arena::Standing;
use crate::lab::bench::{Bench, LabError};
use crate::lab::matches::{Pairings, Score, anchored_rating, percent_error, plan};
use crate::lab::outcome::{Column, Outcome, Table};
use crate::lab::printed::table as printed_table;
use crate::lab::verdict::Figure;
use crate::plot::{self, Axes, Bar};
use crate::statistics::normal::Z95;

const SEED: u64 = 2017;
/// Games of each of the paper's cells.
const PRINTED_GAMES: f64 = 100.0;
/// Per cent of points that would change what one thinks.
const SCORE_MATTERS: f64 = 30.0;
/// Elo that would.
const RATING_MATTERS: f64 = 200.0;

const READING: &str = "Reading R takes \"for oneself\" literally: every evaluation is made as if the \
    player itself were to move (own view), plain UCT has equation 2 with even chances and W = 5, \
    and E(s) is the searching player's win rate everywhere. It was found by its fit to table 4 and \
    confirmed on table 3, where no tree search takes part. The other reading is what the formulas say. \
    Games begin at the usual start; colours alternate, the paper's column is MCTS with Black.";

/// Table 4.
///
/// # Errors
/// If Zebra's coefficients are not there or the games cannot be played.
pub fn wins(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let zebra = bench.zebra()?;
    let digest = printed_table("digest-kitamura-table4");
    let mut outcome = Outcome { seed: SEED, reading: READING.to_owned(), ..Outcome::default() };
    let mut sizes = Vec::new();
    for reading in Reading::BOTH {
        let full = if reading == Reading::Figures { 200 } else { 100 };
        let rounds = bench.size(3, full);
        sizes.push(format!("{} games a cell {}", 2 * rounds, reading.name()));
        let specs = [
            plain_spec(reading, 1_000, "plain 1000"),
            plain_spec(reading, 10_000, "plain 10000"),
            alpha_beta_spec(reading, 1, 0, &zebra),
            alpha_beta_spec(reading, 2, 0, &zebra),
        ];
        // In the order of the table.
        let pairings = Pairings::Listed(vec![(0, 2), (1, 2), (0, 3), (1, 3)]);
        let plan = plan(&specs, pairings, "start", rounds, SEED)?;
        let (games, standing) = bench.play(&plan, &format!("-{}", reading.letter()))?;
        let columns = vec![
            Column::compared("score with Black, %", 1, SCORE_MATTERS),
            Column::new("score, both colours, %", 1),
        ];
        let title = format!("Table 4: plain UCT against alpha-beta with W0, {}", reading.name());
        let mut table =
            Table::new(&title, &["kitamura2017-table4"], "playouts, opponent", columns.clone());
        let mut beside = Table::new(
            "Table 4 in reading R beside an independent program",
            &["digest-kitamura-table4"],
            "playouts, opponent",
            columns,
        );
        for (cell, result) in table_4().iter().zip(&standing.pairings) {
            let [won, drawn, _] = cell.published.map(f64::from);
            let theirs = won + drawn / 2.0;
            let name = format!("{}, AB_{}", cell.playouts, cell.depth);
            let black = Score::as_black(&games, &result.first, &result.second).percent();
            let both = Score::of(result).percent();
            table.row(
                name.clone(),
                vec![black.beside(theirs, percent_error(theirs, PRINTED_GAMES)), both],
            );
            let row = digest.find(&[
                ("playouts", &cell.playouts.to_string()),
                ("opponent", &format!("AB_{}", cell.depth)),
            ]);
            if let Some(row) = row {
                let error = row.figure("interval95") / Z95;
                beside.row(name, vec![black.beside(row.figure("score"), error), both]);
            }
        }
        outcome.tables.push(table);
        if reading == Reading::Figures {
            outcome.tables.push(beside);
        }
    }
    outcome.settings = sizes.join(", ");
    Ok(outcome)
}

/// Table 3.
///
/// # Errors
/// If Zebra's coefficients are not there or the games cannot be played.
pub fn alpha_beta(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let zebra = bench.zebra()?;
    let rounds = bench.size(4, 50);
    let evaluations: &[u32] =
        if bench.quick { &[0, 1, 4, 9] } else { &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9] };
    let printed = printed_table("kitamura2017-table3");
    let digest = printed_table("digest-kitamura-table3");
    let mut outcome = Outcome {
        seed: SEED,
        settings: format!("{} games against each of three anchors", 2 * rounds),
        reading: READING.to_owned(),
        ..Outcome::default()
    };
    let mut beside = Table::new(
        "Table 3 beside an independent program",
        &["digest-kitamura-table3"],
        "player, view",
        vec![Column::compared("rating", 0, RATING_MATTERS)],
    );
    for reading in Reading::BOTH {
        let mut specs: Vec<String> = ANCHOR_DEPTHS.map(anchor_spec).to_vec();
        for depth in [1, 2] {
            specs.extend(evaluations.iter().map(|&i| alpha_beta_spec(reading, depth, i, &zebra)));
        }
        let plan = plan(&specs, Pairings::Anchored(ANCHOR_DEPTHS.len()), "start", rounds, SEED)?;
        let (_, standing) = bench.play(&plan, &format!("-{}", reading.letter()))?;
        let title = format!("Table 3: ratings of alpha-beta with W0 to W9, {}", reading.name());
        let columns = ["look-ahead 1", "look-ahead 2"]
            .map(|name| Column::compared(name, 0, RATING_MATTERS))
            .to_vec();
        let mut table = Table::new(&title, &["kitamura2017-table3"], "evaluation", columns);
        for row in printed.rows() {
            let evaluation = row.text("evaluation");
            let figures = [1, 2].map(|depth| {
                let theirs = row.figure(&format!("rating_depth{depth}"));
                let name = format!("AB_{depth} {evaluation}");
                match anchored_rating(&standing, ANCHOR_DEPTHS.len(), &name) {
                    Some((ours, their_error)) => ours.beside(theirs, their_error),
                    None => without_rating(&standing, &name, theirs),
                }
            });
            table.row(evaluation, figures.to_vec());
        }
        for row in digest.rows().filter(|row| row.text("view") == reading.view()) {
            let name = format!("AB_{} {}", row.text("depth"), row.text("evaluation"));
            let rated = anchored_rating(&standing, ANCHOR_DEPTHS.len(), &name);
            let (Some((ours, _)), theirs) = (rated, row.figure("rating")) else { continue };
            // Where the other program tells no interval it had as many games as with W0.
            let error = row.number("interval95").unwrap_or(40.0) / Z95;
            beside.row(format!("{name}, {}", reading.view()), vec![ours.beside(theirs, error)]);
        }
        outcome.tables.push(table);
    }
    outcome.tables.push(beside);
    Ok(outcome)
}

/// A printed rating that has none beside it: the player was not run, or had no countable score.
fn without_rating(standing: &Standing, name: &str, theirs: f64) -> Figure {
    if standing.players.iter().any(|player| player.name == name) {
        Figure::beyond_measure(theirs)
    } else {
        Figure::not_run(theirs)
    }
}

/// The ratings of tables 5 and 6 with so many playouts: those of `wanted` are played.
fn rate(
    bench: &Bench<'_>,
    playouts: u32,
    rounds: usize,
    wanted: impl Fn(Reading, &RatedPlayer) -> bool,
) -> Result<Outcome, LabError> {
    let zebra = bench.zebra()?;
    let column = if playouts == 1_000 { 0 } else { 1 };
    let mut outcome = Outcome {
        seed: SEED,
        settings: format!(
            "{} games against each of three anchors, {playouts} playouts",
            2 * rounds
        ),
        reading: format!(
            "{READING} The anchors look ahead 1, 2 and 3 plies with Shioda's evaluation and added noise; \
             their own games fix the scale with mean 0, and what is wrong with that scale is wrong with all \
             ratings alike and not in their errors. Players left out are marked as not run."
        ),
        ..Outcome::default()
    };
    for reading in Reading::BOTH {
        let players = tables_5_and_6();
        let mut specs: Vec<String> = ANCHOR_DEPTHS.map(anchor_spec).to_vec();
        let played = players.iter().filter(|player| wanted(reading, player));
        specs.extend(played.map(|player| player.spec(reading, playouts, &zebra)));
        let plan = plan(&specs, Pairings::Anchored(ANCHOR_DEPTHS.len()), "start", rounds, SEED)?;
        let (_, standing) = bench.play(&plan, &format!("-{}", reading.letter()))?;
        let title = format!("Tables 5 and 6: {playouts} playouts, {}", reading.name());
        let columns = vec![
            Column::compared("rating", 0, RATING_MATTERS),
            Column::compared("above plain", 0, RATING_MATTERS),
        ];
        let files = ["kitamura2017-table5", "kitamura2017-table6"];
        let mut table = Table::new(&title, &files, "player", columns);
        let rated =
            |player: &RatedPlayer| anchored_rating(&standing, ANCHOR_DEPTHS.len(), &player.name());
        let plain = rated(&players[0]);
        for player in &players {
            let theirs = f64::from(player.published[column]);
            let their_gain = theirs - f64::from(players[0].published[column]);
            let figures = match (rated(player), plain) {
                (Some((ours, error)), Some((plain, plain_error))) => {
                    let gain = ours.ours.zip(plain.ours).map(|(a, b)| a - b);
                    let spread = ours.error.unwrap_or(0.0).hypot(plain.error.unwrap_or(0.0));
                    let gain = Figure { ours: gain, error: Some(spread), ..Figure::default() };
                    let gain = if player.evaluation.is_none() {
                        Figure::default()
                    } else {
                        gain.beside(their_gain, error.hypot(plain_error))
                    };
                    vec![ours.beside(theirs, error), gain]
                }
                _ => vec![without_rating(&standing, &player.name(), theirs), Figure::default()],
            };
            table.row(player.name(), figures);
        }
        outcome.tables.push(table);
    }
    Ok(outcome)
}

/// Tables 5 and 6 with 1,000 playouts: all players in reading R, W0 and W1 by the formulas.
///
/// # Errors
/// If Zebra's coefficients are not there or the games cannot be played.
pub fn ratings(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let few = |player: &RatedPlayer| player.evaluation.is_none_or(|number| number <= 1);
    let quick = bench.quick;
    rate(bench, 1_000, bench.size(1, 8), |reading, player| {
        few(player) || !quick && reading == Reading::Figures
    })
}

/// Tables 5 and 6 with 10,000 playouts, as far as an hour allows: in reading R plain, T with every
/// evaluation and E, whose games take ten times as long, with W0; by the formulas plain and T with W0.
///
/// # Errors
/// If Zebra's coefficients are not there or the games cannot be played.
pub fn ratings_10000(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let quick = bench.quick;
    rate(bench, 10_000, bench.size(1, 8), |reading, player| {
        match (player.player, player.evaluation) {
            ("plain", _) | ("t", Some(0)) => true,
            ("t", _) | ("e", Some(0)) => !quick && reading == Reading::Figures,
            _ => false,
        }
    })
}

/// A figure of the paper: one kind of player with every evaluation against alpha-beta with W0.
struct BarFigure {
    number: u32,
    kind: &'static str,
    /// The evaluations that are run.
    evaluations: &'static [u32],
}

/// All of them.
const W0_TO_W9: &[u32] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/// Figures 14 and 16: E and T with 1,000 playouts and each evaluation against alpha-beta with W0.
///
/// # Errors
/// If Zebra's coefficients are not there or the games cannot be played.
pub fn bars(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let evaluations = if bench.quick { &[0, 1, 4] } else { W0_TO_W9 };
    let figures =
        [(14, "e"), (16, "t")].map(|(number, kind)| BarFigure { number, kind, evaluations });
    bar_figures(bench, 1_000, bench.size(1, 8), &figures)
}

/// Figures 15 and 17: the same with 10,000 playouts, E as far as an hour allows.
///
/// # Errors
/// If Zebra's coefficients are not there or the games cannot be played.
pub fn bars_10000(bench: &Bench<'_>) -> Result<Outcome, LabError> {
    let (e, t): (&[u32], &[u32]) = if bench.quick { (&[], &[0]) } else { (&[0, 1, 9], W0_TO_W9) };
    let figures = [
        BarFigure { number: 15, kind: "e", evaluations: e },
        BarFigure { number: 17, kind: "t", evaluations: t },
    ];
    bar_figures(bench, 10_000, bench.size(1, 3), &figures)
}

fn bar_figures(
    bench: &Bench<'_>,
    playouts: u32,
    rounds: usize,
    figures: &[BarFigure],
) -> Result<Outcome, LabError> {
    let zebra = bench.zebra()?;
    let mut outcome = Outcome {
        seed: SEED,
        settings: format!("{} games a bar, {playouts} playouts", 2 * rounds),
        reading: format!(
            "{READING} The paper's bars cannot be read any more; it says that AB_1 mostly loses to E, \
             that the evaluations spread E by more than 40 wins, that T gains little, and that AB_2 \
             wins nearly always."
        ),
        ..Outcome::default()
    };
    let reading = Reading::Figures;
    for &BarFigure { number: figure, kind, evaluations } in figures {
        let columns = vec![Column::new("against AB_1, %", 1), Column::new("against AB_2, %", 1)];
        let title = format!(
            "Figure {figure}: player {} with {playouts} playouts against alpha-beta with W0, {}",
            kind.to_uppercase(),
            reading.name()
        );
        let mut table = Table::new(&title, &[], "evaluation", columns);
        let standing = if evaluations.is_empty() {
            None
        } else {
            Some(play_bars(bench, kind, playouts, evaluations, rounds, &zebra)?)
        };
        let mut bars = Vec::new();
        for &number in W0_TO_W9 {
            let index = evaluations.iter().position(|&run| run == number);
            let Some((standing, index)) = standing.as_ref().zip(index) else {
                table.row(format!("W{number}, not run"), vec![Figure::default(); 2]);
                continue;
            };
            let scores = [0, 1].map(|opponent| Score::of(&standing.pairings[2 * index + opponent]));
            for (opponent, score) in scores.iter().enumerate() {
                let percent = score.percent().ours.unwrap_or(0.0);
                bars.push(Bar {
                    x: f64::from(number) + 0.4 * opponent as f64,
                    height: percent,
                    hint: format!("W{number} against AB_{}: {percent:.1} %", opponent + 1),
                    color: opponent,
                });
            }
            table.row(format!("W{number}"), scores.map(|score| score.percent()).to_vec());
        }
        outcome.tables.push(table);
        let axes = Axes { x: "W0 to W9; left AB_1, right AB_2", y: "score, %", ..Axes::default() };
        outcome.chart(&title, plot::bars(&axes, &bars));
    }
    Ok(outcome)
}

fn play_bars(
    bench: &Bench<'_>,
    kind: &'static str,
    playouts: u32,
    evaluations: &[u32],
    rounds: usize,
    zebra: &Path,
) -> Result<Standing, LabError> {
    let reading = Reading::Figures;
    let mut specs =
        vec![alpha_beta_spec(reading, 1, 0, zebra), alpha_beta_spec(reading, 2, 0, zebra)];
    let mut pairings = Vec::new();
    for &number in evaluations {
        let player = RatedPlayer { player: kind, evaluation: Some(number), published: [0, 0] };
        pairings.extend([(specs.len(), 0), (specs.len(), 1)]);
        specs.push(player.spec(reading, playouts, zebra));
    }
    let plan = plan(&specs, Pairings::Listed(pairings), "start", rounds, SEED)?;
    Ok(bench.play(&plan, &format!("-{kind}"))?.1)
}
