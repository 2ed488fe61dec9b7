//! `kitai opponent`: what the moves of recorded games say about their players.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rayon::prelude::*;
use serde::Serialize;

use super::common::{EngineArgs, stop_on_interrupt};
use super::{CliError, Output, progress};
use crate::eval::registry::by_name;
use crate::options::Options;
use crate::othello::Color;
use crate::record::{self, GameRecord};
use crate::search::opponent::estimate::{Estimate, Suspect};
use crate::search::opponent::learned::Lessons;
use crate::search::opponent::method::SCHEDULES;

/// Estimate which evaluation and depth the players of recorded games have
///
/// The family: minimax with the evaluations discs, mobility, shioda and pattern (and zebra, if its
/// file is given), depths 1 to --depth, three softnesses; and semi-random players. With --learn a
/// schedule for method=mixed is chosen for one of them and written as a preset.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  kitai opponent games.ggf\n  \
kitai opponent runs/match.ggf --each --first 15 --depth 4\n  \
kitai opponent runs/match.ggf --learn Rhino --out against-rhino.toml")]
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
    /// Choose a schedule for method=mixed against this player: every schedule plays its model from
    /// the openings of its games
    #[arg(long, value_name = "PLAYER", conflicts_with = "each")]
    learn: Option<String>,
    /// Write what was learnt as a preset
    #[arg(long, value_name = "FILE", requires = "learn")]
    out: Option<PathBuf>,
    /// Plies of the own search while learning
    #[arg(long, default_value_t = 4, requires = "learn",
          value_parser = clap::value_parser!(u32).range(1..=10))]
    own_depth: u32,
    /// Openings played by every schedule, each with both colours
    #[arg(long, default_value_t = 20, requires = "learn")]
    openings: usize,
    #[command(flatten)]
    engine: EngineArgs,
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
    match &args.learn {
        Some(name) => {
            let found = players.iter().find(|(player, _)| player == name);
            let (_, games) = found
                .ok_or_else(|| CliError::Input(format!("no games of `{name}` in these files")))?;
            learn(name, games, &family, args, output)
        }
        None => Ok(()),
    }
}

#[derive(Serialize)]
struct LessonReport {
    schedule: &'static str,
    won: u32,
    drawn: u32,
    lost: u32,
    discs: f64,
}

fn learn(
    name: &str,
    games: &[(&GameRecord, Color)],
    family: &Estimate,
    args: &Args,
    output: &mut Output,
) -> Result<(), CliError> {
    let mut opponent = family.clone();
    let mut openings = Vec::new();
    for (game, color) in games {
        observe(&mut opponent, game, *color, args);
        openings.extend(game.history.boards().get(args.after).map(|board| board.position));
    }
    openings.retain(|position| position.has_move());
    openings.sort_by_key(|position| (position.mover().0, position.opponent().0));
    openings.dedup();
    openings.truncate(args.openings);
    if openings.is_empty() {
        return Err(CliError::Input(format!("no game of `{name}` is longer than --after")));
    }
    let options = args.engine.options()?;
    let lessons = Lessons { opponent, openings, options, depth: args.own_depth, seed: 1 };
    let bar = progress::steps(SCHEDULES.len() as u64, "schedules");
    let learnt = lessons.learn(&stop_on_interrupt(), &mut || bar.inc(1));
    bar.finish_and_clear();
    let learnt = learnt.map_err(CliError::input)?;
    let learnt = learnt.ok_or_else(|| CliError::Found("interrupted".to_owned()))?;
    output.line(format_args!(
        "\nschedules against {name} as {}, {} openings, depth {}\nschedule    won drawn  lost  discs",
        lessons.opponent.summary(),
        lessons.openings.len(),
        args.own_depth
    ))?;
    for lesson in &learnt {
        let [won, drawn, lost] = lesson.games;
        let (schedule, discs) = (lesson.schedule, lesson.discs.mean());
        output.line(format_args!("{schedule:<9} {won:>5} {drawn:>5} {lost:>5} {discs:>+6.1}"))?;
        output.object(&LessonReport { schedule, won, drawn, lost, discs })?;
    }
    let (Some(file), Some(best)) = (&args.out, learnt.first()) else { return Ok(()) };
    let mut text = format!(
        "description = \"schedule learnt against {}\"\nmethod = \"mixed\"\nschedule = \"{}\"\n",
        name.replace(['"', '\\'], " "),
        best.schedule
    );
    for (option, value) in lessons.model_settings() {
        text += &match value.parse::<f64>() {
            Ok(_) => format!("{option} = {value}\n"),
            Err(_) => format!("{option} = \"{value}\"\n"),
        };
    }
    std::fs::write(file, text)
        .map_err(|error| CliError::Input(format!("{}: {error}", file.display())))?;
    output.line(format_args!("written to {}", file.display()))
}

fn suspects(args: &Args) -> Result<Vec<Suspect>, CliError> {
    let mut options = Options::new();
    let mut names = vec!["discs", "mobility", "shioda", "pattern"];
    if let Some(file) = &args.zebra_coeffs {
        options.set("zebra-coeffs", &file.to_string_lossy()).map_err(CliError::usage)?;
        names.push("zebra");
    }
    let suspect = |name| by_name(name, &options).map(|evaluation| Suspect { name, evaluation });
    names.into_iter().map(suspect).collect::<Result<_, _>>().map_err(CliError::usage)
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
