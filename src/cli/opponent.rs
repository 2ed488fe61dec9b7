//! `kitai opponent`: what the moves of recorded games say about their players.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rayon::prelude::*;
use serde::Serialize;

use super::{CliError, Output};
use crate::eval::registry::by_name;
use crate::options::Options;
use crate::othello::Color;
use crate::record::{self, GameRecord};
use crate::search::opponent::estimate::{Estimate, Suspect};

/// Estimate which evaluation and depth the players of recorded games have
///
/// The family: minimax with the evaluations discs, mobility, shioda and pattern (and zebra, if its
/// file is given), depths 1 to --depth, three softnesses; and semi-random players.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  kitai opponent games.ggf\n  \
kitai opponent runs/match.ggf --each --first 15 --depth 4")]
pub(super) struct Args {
    /// Files of games in any format Kitai reads
    #[arg(required = true, value_name = "GAMES")]
    games: Vec<PathBuf>,
    /// Greatest depth considered, plies
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=6))]
    depth: u32,
    /// One estimate for each player of each game instead of one for each name
    #[arg(long)]
    each: bool,
    /// Look at no more than so many moves of a player in a game, beginning with --after
    #[arg(long, default_value_t = 60, value_name = "MOVES")]
    first: usize,
    /// Plies at the beginning of each game that are not the players' choice (the opening)
    #[arg(long, default_value_t = 8, value_name = "PLIES")]
    after: usize,
    /// Zebra's coefficients, to consider its evaluation too (coeffs2.bin)
    #[arg(long, value_name = "FILE")]
    zebra_coeffs: Option<PathBuf>,
}

#[derive(Serialize)]
struct Report {
    player: String,
    moves: u32,
    evaluation: &'static str,
    evaluation_probability: f64,
    depth: u32,
    depth_probability: f64,
    likeliest: String,
    probability: f64,
}

/// Runs the command.
///
/// # Errors
/// If a file cannot be read or has no games.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let family = Estimate::new(suspects(args)?, args.depth);
    let mut games = Vec::new();
    for file in &args.games {
        for game in record::open(file).map_err(CliError::input)? {
            let name = file.display().to_string();
            games.push(game.map_err(|error| CliError::input(error.in_file(&name)))?);
        }
    }
    if games.is_empty() {
        return Err(CliError::Input("no games in these files".to_owned()));
    }
    // The moves of each player, in the order of the names.
    let mut players: BTreeMap<String, Vec<(&GameRecord, Color)>> = BTreeMap::new();
    for (index, game) in games.iter().enumerate() {
        for color in [Color::Black, Color::White] {
            let name = match game.player(color).name.as_str() {
                "" => format!("{color:?}").to_lowercase(),
                name => name.to_owned(),
            };
            let key = if args.each { format!("{:>5} {name}", index + 1) } else { name };
            players.entry(key).or_default().push((game, color));
        }
    }
    let players: Vec<_> = players.into_iter().collect();
    let reports: Vec<Report> = players
        .par_iter()
        .map(|(name, games)| {
            let mut estimate = family.clone();
            for (game, color) in games {
                observe(&mut estimate, game, *color, args);
            }
            report(name, &estimate)
        })
        .collect();
    output.line("moves  evaluation      depth        likeliest                         player")?;
    for report in &reports {
        output.line(format_args!(
            "{:>5}  {:<9} {:>3.0} %  {:>2} {:>3.0} %  {:<26} {:>3.0} %   {}",
            report.moves,
            report.evaluation,
            100.0 * report.evaluation_probability,
            report.depth,
            100.0 * report.depth_probability,
            report.likeliest,
            100.0 * report.probability,
            report.player
        ))?;
        output.object(report)?;
    }
    Ok(())
}

fn suspects(args: &Args) -> Result<Vec<Suspect>, CliError> {
    let mut options = Options::new();
    let mut names = vec!["discs", "mobility", "shioda", "pattern"];
    if let Some(file) = &args.zebra_coeffs {
        options.set("zebra-coeffs", &file.to_string_lossy()).map_err(CliError::input)?;
        names.push("zebra");
    }
    let suspect = |name| by_name(name, &options).map(|evaluation| Suspect { name, evaluation });
    names.into_iter().map(suspect).collect::<Result<_, _>>().map_err(CliError::input)
}

fn observe(estimate: &mut Estimate, game: &GameRecord, color: Color, args: &Args) {
    let plies = game.history.boards().iter().zip(game.history.moves()).skip(args.after);
    let own = plies.filter(|(board, _)| board.turn == color);
    for (board, played) in own.take(args.first) {
        estimate.observe(board.position, *played);
    }
}

fn report(name: &str, estimate: &Estimate) -> Report {
    let evaluation = estimate.by_evaluation()[0];
    let ((_, depth), depth_probability) = estimate.by_evaluation_and_depth()[0];
    let (hypothesis, probability) = estimate.posterior()[0];
    Report {
        player: name.to_owned(),
        moves: estimate.moves,
        evaluation: evaluation.0,
        evaluation_probability: evaluation.1,
        depth,
        depth_probability,
        likeliest: estimate.describe(hypothesis),
        probability,
    }
}
