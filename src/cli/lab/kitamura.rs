//! `kitai lab kitamura-wins` and `kitai lab kitamura-ratings`: the 2017 MCTS paper's matches.

use std::path::PathBuf;

use serde::Serialize;

use crate::arena::{Plan, Standing};
use crate::cli::conduct::{Conduct, check_complete, play_out};
use crate::cli::{CliError, Output};
use crate::lab::kitamura::{
    ANCHOR_DEPTHS, RatedPlayer, Reading, alpha_beta_spec, anchor_spec, plain_spec, table_4,
    tables_5_and_6,
};
use crate::lab::matches::{self, Pairings};

/// How the paper is read.
#[derive(Clone, Copy, clap::ValueEnum, Debug)]
enum ReadingName {
    /// As its figures say: evaluations in the player's own view, even prior for plain
    Figures,
    /// As its formulas say: evaluations for the side to move, equation 1 for plain
    Formulas,
}

/// What both experiments need to know.
#[derive(clap::Args, Debug)]
struct Terms {
    /// Zebra's coefficients, the paper's evaluation (coeffs2.bin)
    #[arg(long, value_name = "FILE")]
    zebra_coeffs: PathBuf,
    /// Games of each cell, an even number
    #[arg(long, short = 'n', default_value_t = 200)]
    games: usize,
    /// start, random:PLIES (balanced, by seed) or a file of openings
    #[arg(long, value_name = "SOURCE")]
    openings: Option<String>,
    /// How the paper is read
    #[arg(long, value_enum, default_value_t = ReadingName::Figures)]
    reading: ReadingName,
    /// Seed of openings and games
    #[arg(long, default_value_t = 2017)]
    seed: u64,
    #[command(flatten)]
    conduct: Conduct,
}

/// Kitamura and Matsuzaki 2017, table 4: plain UCT against alpha-beta with Zebra's evaluation
///
/// The paper's games begin at the usual start, and so do these unless --openings says otherwise.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Example:\n  kitai lab kitamura-wins --zebra-coeffs coeffs2.bin --out runs/wins"
)]
pub(super) struct WinsArgs {
    #[command(flatten)]
    terms: Terms,
}

/// Kitamura and Matsuzaki 2017, tables 5 and 6: ratings against three anchors with Shioda's evaluation
///
/// Games begin at the usual start unless --openings says otherwise; the anchors' evaluation is noisy.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  kitai lab kitamura-ratings --zebra-coeffs coeffs2.bin --out runs/ratings\n  \
kitai lab kitamura-ratings --zebra-coeffs coeffs2.bin --evaluations 0,1,2,3,4,5,6,7,8,9 --playouts 10000"
)]
pub(super) struct RatingsArgs {
    /// Which of the evaluations W0 to W9
    #[arg(long, value_delimiter = ',', default_values_t = [0, 1], value_name = "I",
          value_parser = clap::value_parser!(u32).range(0..=9))]
    evaluations: Vec<u32>,
    /// Playouts per move
    #[arg(long, default_value = "1000", value_parser = ["1000", "10000"])]
    playouts: String,
    #[command(flatten)]
    terms: Terms,
}

impl Terms {
    fn plan(
        &self,
        specs: &[String],
        pairings: Pairings,
        usual_openings: &str,
    ) -> Result<Plan, CliError> {
        if self.games == 0 || self.games % 2 == 1 {
            return Err(CliError::usage(format!(
                "games are played in pairs: --games must be even and at least 2, not {}",
                self.games
            )));
        }
        let openings = self.openings.as_deref().unwrap_or(usual_openings);
        matches::plan(specs, pairings, openings, self.games / 2, self.seed).map_err(CliError::input)
    }

    fn reading(&self) -> Reading {
        match self.reading {
            ReadingName::Formulas => Reading::Formulas,
            ReadingName::Figures => Reading::Figures,
        }
    }
}

#[derive(Serialize)]
struct WinsRow {
    playouts: u32,
    opponent: String,
    wins: u64,
    draws: u64,
    losses: u64,
    published: [u32; 3],
}

/// Runs `kitamura-wins`.
///
/// # Errors
/// If a file or option cannot be used, or the games were interrupted.
pub(super) fn wins(args: &WinsArgs, output: &mut Output) -> Result<(), CliError> {
    let terms = &args.terms;
    let specs = [
        plain_spec(terms.reading(), 1_000, "plain 1000"),
        plain_spec(terms.reading(), 10_000, "plain 10000"),
        alpha_beta_spec(terms.reading(), 1, 0, &terms.zebra_coeffs),
        alpha_beta_spec(terms.reading(), 2, 0, &terms.zebra_coeffs),
    ];
    // In the order of the table: playouts 1,000 and 10,000 against AB_1, then against AB_2.
    let pairings = vec![(0, 2), (1, 2), (0, 3), (1, 3)];
    let plan = terms.plan(&specs, Pairings::Listed(pairings), "start")?;
    let standing = play_out(&plan, &terms.conduct, output)?;
    output.line("playouts  opponent  games  won–drawn–lost    score    paper: of 100    score")?;
    let mut rows = Vec::new();
    for (cell, result) in table_4().iter().zip(&standing.pairings) {
        let [won, drawn, lost] = cell.published;
        output.line(format_args!(
            "{:>8}  {:<8}  {:>5}  {:<16}  {:>5.1} %  {:<14}  {:>5.1} %",
            cell.playouts,
            result.second,
            result.games,
            format!("{}–{}–{}", result.wins, result.draws, result.losses),
            100.0 * result.score,
            format!("{won}–{drawn}–{lost}"),
            f64::from(won) + f64::from(drawn) / 2.0
        ))?;
        rows.push(WinsRow {
            playouts: cell.playouts,
            opponent: result.second.clone(),
            wins: result.wins,
            draws: result.draws,
            losses: result.losses,
            published: cell.published,
        });
    }
    output.object(&rows)?;
    check_complete(&standing, &terms.conduct)
}

#[derive(Serialize)]
struct RatingRow {
    player: String,
    rating: Option<f64>,
    published: Option<i32>,
    scores: Vec<Option<f64>>,
}

/// Runs `kitamura-ratings`.
///
/// # Errors
/// If a file or option cannot be used, or the games were interrupted.
pub(super) fn ratings(args: &RatingsArgs, output: &mut Output) -> Result<(), CliError> {
    let terms = &args.terms;
    let (playouts, column) = if args.playouts == "1000" { (1_000, 0) } else { (10_000, 1) };
    let rated: Vec<RatedPlayer> = tables_5_and_6()
        .into_iter()
        .filter(|player| player.evaluation.is_none_or(|i| args.evaluations.contains(&i)))
        .collect();
    let mut specs: Vec<String> = ANCHOR_DEPTHS.map(anchor_spec).to_vec();
    specs.extend(
        rated.iter().map(|player| player.spec(terms.reading(), playouts, &terms.zebra_coeffs)),
    );
    let plan = terms.plan(&specs, Pairings::Anchored(ANCHOR_DEPTHS.len()), "start")?;
    let standing = play_out(&plan, &terms.conduct, output)?;
    let rows = rating_rows(&standing, &rated, column);
    output.line("player      rating  − plain   paper  − plain   score against Shioda 1, 2, 3")?;
    let plain = rows.iter().find(|row| row.player == "plain");
    let (our_plain, their_plain) =
        plain.map_or((None, None), |row| (row.rating, row.published.map(f64::from)));
    for row in &rows {
        let published = row.published.map(f64::from);
        let scores: Vec<String> = row.scores.iter().map(|score| percent(*score)).collect();
        output.line(format_args!(
            "{:<10}  {:>6}  {:>7}  {:>6}  {:>7}   {}",
            row.player,
            number(row.rating),
            number(difference(row.rating, our_plain)),
            number(published),
            number(difference(published, their_plain)),
            scores.join("  ")
        ))?;
    }
    output.object(&rows)?;
    check_complete(&standing, &terms.conduct)
}

fn rating_rows(standing: &Standing, rated: &[RatedPlayer], column: usize) -> Vec<RatingRow> {
    let score = |first: &str, second: &str| {
        let mut played = standing.pairings.iter().filter(|pairing| pairing.games > 0);
        played.find_map(|pairing| match (&*pairing.first, &*pairing.second) {
            found if found == (first, second) => Some(pairing.score),
            found if found == (second, first) => Some(1.0 - pairing.score),
            _ => None,
        })
    };
    let anchors = &standing.players[..ANCHOR_DEPTHS.len()];
    let players = standing.players.iter();
    players
        .map(|player| RatingRow {
            player: player.name.clone(),
            rating: player.paper,
            published: rated
                .iter()
                .find(|entry| entry.name() == player.name)
                .map(|entry| entry.published[column]),
            scores: anchors.iter().map(|anchor| score(&player.name, &anchor.name)).collect(),
        })
        .collect()
}

fn difference(value: Option<f64>, from: Option<f64>) -> Option<f64> {
    Some(value? - from?)
}

fn number(value: Option<f64>) -> String {
    value.map_or("–".to_owned(), |value| format!("{value:.0}"))
}

fn percent(score: Option<f64>) -> String {
    score.map_or("    –  ".to_owned(), |score| format!("{:>5.1} %", 100.0 * score))
}
