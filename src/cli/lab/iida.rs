//! `kitai lab iida-candidates`, `iida-games` and `iida-correction`: the shared-search paper's tables.

use serde::Serialize;

use crate::arena::openings::OpeningSource;
use crate::cli::common::stop_on_interrupt;
use crate::cli::{CliError, Output, progress};
use crate::lab::iida::correction::Corrections;
use crate::lab::iida::domain::{Domain, OthelloDomain};
use crate::lab::iida::games::{self, ListGames};
use crate::lab::iida::{CandidateLists, Class, LISTS, Result as ListsResult, makers, published};
use crate::options::Options;
use crate::statistics::EloEstimate;
use crate::statistics::normal::Z95;

/// The games of the experiments.
#[derive(Clone, Copy, clap::ValueEnum, Debug, PartialEq, Eq)]
enum GameName {
    Othello,
    /// In builds with the cargo feature `shogi`
    Shogi,
}

#[derive(clap::Args, Debug)]
struct Common {
    /// The game
    #[arg(long, value_enum, default_value_t = GameName::Othello)]
    game: GameName,
    /// Candidates of a list, K
    #[arg(long, default_value_t = 6, value_name = "K",
          value_parser = clap::value_parser!(u32).range(1..=10))]
    candidates: u32,
    /// The evaluation of the lists and of the judge, in Othello
    #[arg(long, default_value = "pattern")]
    eval: String,
    /// Seed of the positions
    #[arg(long, default_value_t = 1992)]
    seed: u64,
}

impl Common {
    fn options(&self) -> Result<Options, CliError> {
        let mut options = Options::new();
        options.set("eval", &self.eval).map_err(CliError::usage)?;
        options.set("hash", "4").map_err(CliError::usage)?;
        Ok(options)
    }

    fn othello(&self, depth: u32) -> Result<OthelloDomain, CliError> {
        OthelloDomain::new(self.options()?, depth).map_err(CliError::usage)
    }
}

/// Calls a function with the domain of the chosen game.
macro_rules! with_domain {
    ($common:expr, $depth:expr, $othello:expr, |$domain:ident| $run:expr) => {
        match $common.game {
            GameName::Othello => {
                let $domain = &$othello;
                $run
            }
            #[cfg(feature = "shogi")]
            GameName::Shogi => {
                let $domain = &crate::lab::iida::shogi::ShogiDomain { depth: $depth };
                $run
            }
            #[cfg(not(feature = "shogi"))]
            GameName::Shogi => Err(CliError::usage(
                "this build has no shogi; build with: cargo build --release --features shogi"
                    .to_owned(),
            )),
        }
    };
}

/// Iida and Kotani 1992, tables 1 and 2: which of four lists of candidate moves is the best
///
/// A deep search judges instead of people. Positions come from random play (Othello) or from the play
/// of a weak player (shogi). All lists of a position take the same number of nodes.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  kitai lab iida-candidates --positions 2000 --judge-depth 8\n  \
kitai lab iida-candidates --game shogi --positions 500 --judge-depth 4"
)]
pub(super) struct CandidatesArgs {
    #[command(flatten)]
    common: Common,
    /// Positions
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Plies that the judge looks ahead [default: 8, in shogi 4]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=60))]
    judge_depth: Option<u32>,
}

/// Runs `iida-candidates`.
///
/// # Errors
/// If an option cannot be used, or the work was interrupted.
pub(super) fn candidates(args: &CandidatesArgs, output: &mut Output) -> Result<(), CliError> {
    let common = &args.common;
    let usual = if common.game == GameName::Othello { 8 } else { 4 };
    let depth = args.judge_depth.unwrap_or(usual);
    output.line(format_args!(
        "{:?}, {} positions with more than {} moves, judge {depth} plies, seed {}",
        common.game, args.positions, common.candidates, common.seed
    ))?;
    with_domain!(common, depth, common.othello(depth)?, |domain| lists(args, domain, output))
}

fn lists<D: Domain>(
    args: &CandidatesArgs,
    domain: &D,
    output: &mut Output,
) -> Result<(), CliError> {
    let count = args.common.candidates as usize;
    let (positions, seed) = (args.positions, args.common.seed);
    let experiment = CandidateLists { domain, positions, count, seed };
    let bar = progress::steps(u64::from(positions), "positions");
    let result = experiment.run(&stop_on_interrupt(), &|| bar.inc(1)).map_err(CliError::input)?;
    bar.finish_and_clear();
    let result = result.ok_or_else(|| CliError::Found("interrupted".to_owned()))?;
    print_lists(&result, positions, output)?;
    output.object(&result)
}

fn print_lists(result: &ListsResult, positions: u32, output: &mut Output) -> Result<(), CliError> {
    let classes = [
        ("all", result.quiet.merge(result.violent)),
        ("quiet", result.quiet),
        ("violent", result.violent),
    ];
    for (column, (name, class)) in classes.iter().enumerate() {
        print_class(name, class, column, output)?;
    }
    output.line("\nnodes a list")?;
    for (list, nodes) in LISTS.iter().zip(result.nodes) {
        let mean = nodes as f64 / f64::from(positions);
        output.line(format_args!("{list:<12} {mean:>8.1}"))?;
    }
    output.line("\nply  looks for a shared move  found (type 1)")?;
    for (ply, (looks, found)) in result.looks.iter().enumerate().filter(|(_, look)| look.0 > 0) {
        let share = 100.0 * f64::from(*found) / f64::from(*looks);
        output.line(format_args!("{ply:>3}  {looks:>23}  {share:>5.1} %"))?;
    }
    Ok(())
}

fn print_class(
    name: &str,
    class: &Class,
    column: usize,
    output: &mut Output,
) -> Result<(), CliError> {
    let positions = f64::from(class.positions.max(1));
    output.line(format_args!(
        "\n{name}: {} positions\n{:<12} {:>12} {:>16} {:>16} {:>10} {:>14}",
        class.positions, "", "first places", "share", "best included", "lost", "paper, share"
    ))?;
    let paper = LISTS.map(|list| published(list).map_or(0.0, |places| places[column]));
    let paper_sum: f64 = paper.iter().sum();
    let percent = |count: f64| {
        let share = count / positions;
        let margin = Z95 * (share * (1.0 - share) / positions).sqrt();
        format!("{:.1} ± {:.1} %", 100.0 * share, 100.0 * margin)
    };
    for ((list, tally), places) in LISTS.iter().zip(&class.lists).zip(paper) {
        output.line(format_args!(
            "{list:<12} {:>12.1} {:>16} {:>16} {:>10.3} {places:>5.1} {:>6.1} %",
            tally.first_places,
            percent(tally.first_places),
            percent(f64::from(tally.best_included)),
            tally.lost / positions,
            100.0 * places / paper_sum,
        ))?;
    }
    Ok(())
}

/// Iida and Kotani 1992, table 3 and the games: standard against down-forward pruning
///
/// Each side's list offers its candidates, the same fixed search picks one. Every opening is played
/// twice with the sides changed.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  kitai lab iida-games --games 400 --openings xot-large.txt\n  \
kitai lab iida-games --game shogi --games 40 --depth 3"
)]
pub(super) struct GamesArgs {
    #[command(flatten)]
    common: Common,
    /// Games, an even number
    #[arg(long, short = 'n', default_value_t = 400,
          value_parser = clap::value_parser!(u32).range(2..))]
    games: u32,
    /// Plies of the search that picks [default: 6, in shogi 3]
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u32).range(1..=20))]
    depth: Option<u32>,
    /// The paper's type, or all three one after another
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=3))]
    kind: Option<u32>,
    /// Openings of Othello, a file or random:PLIES
    #[arg(long, default_value = "random:8", value_name = "SOURCE")]
    openings: String,
}

#[derive(Serialize)]
struct GamesReport {
    list: &'static str,
    won: u32,
    drawn: u32,
    lost: u32,
    #[serde(flatten)]
    elo: EloEstimate,
}

/// Runs `iida-games`.
///
/// # Errors
/// If an option cannot be used, or the work was interrupted.
pub(super) fn games(args: &GamesArgs, output: &mut Output) -> Result<(), CliError> {
    let common = &args.common;
    let usual = if common.game == GameName::Othello { 6 } else { 3 };
    let depth = args.depth.unwrap_or(usual);
    output.line(format_args!(
        "{:?}, {} games, {depth} plies pick among {}, seed {}\nvotes of table 3 for standard and \
         type 1, of 43: {}; both of the paper's games were won by type 1",
        common.game,
        args.games,
        common.candidates,
        common.seed,
        games::published().iter().map(|[a, b]| format!("{a}–{b}")).collect::<Vec<_>>().join(", ")
    ))?;
    let othello = || -> Result<OthelloDomain, CliError> {
        let mut domain = common.othello(depth)?;
        let source = OpeningSource::parse(&args.openings).map_err(CliError::usage)?;
        let openings = source.openings((args.games / 2) as usize, common.seed);
        let positions = openings.map_err(CliError::input)?;
        domain.openings =
            positions.iter().map(|opening| opening.history.board().position).collect();
        Ok(domain)
    };
    with_domain!(common, depth, othello()?, |domain| list_games(args, domain, output))
}

fn list_games<D: Domain>(
    args: &GamesArgs,
    domain: &D,
    output: &mut Output,
) -> Result<(), CliError> {
    let makers = makers(args.common.candidates as usize);
    output.line("\nagainst standard    won drawn  lost   score  Elo, 95 %")?;
    let stop = stop_on_interrupt();
    for kind in args.kind.map_or(1..=3, |kind| kind..=kind) {
        let kind = kind as usize;
        let pairs = (args.games / 2) as usize;
        let bar = progress::steps(pairs as u64, "pairs of games");
        let experiment =
            ListGames { domain, makers: [makers[kind], makers[0]], pairs, seed: args.common.seed };
        let score = experiment.run(&stop, &|| bar.inc(1)).map_err(CliError::input)?;
        bar.finish_and_clear();
        let score = score.ok_or_else(|| CliError::Found("interrupted".to_owned()))?;
        let elo = EloEstimate::of(&score.pairs);
        let [won, drawn, lost] = score.games;
        output.line(format_args!(
            "{:<17} {won:>5} {drawn:>5} {lost:>5}  {:>5.1} %  {:+.0} [{:+.0}, {:+.0}]",
            LISTS[kind],
            100.0 * score.pairs.score(),
            elo.elo,
            elo.low,
            elo.high
        ))?;
        output.object(&GamesReport { list: LISTS[kind], won, drawn, lost, elo })?;
    }
    Ok(())
}

/// Iida and Kotani 1992, section 5: what the full-width correction changes, by a deep judge
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  kitai lab iida-correction --positions 2000 --depth 6 --look 4")]
pub(super) struct CorrectionArgs {
    /// Positions
    #[arg(long, default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// D: plies of the search
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=20))]
    depth: u32,
    /// D1: plies searched at the ends of the lines
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=10))]
    look: u32,
    /// Plies that the judge looks ahead
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=60))]
    judge_depth: u32,
    /// The evaluation
    #[arg(long, default_value = "pattern")]
    eval: String,
    /// Seed of the positions
    #[arg(long, default_value_t = 1992)]
    seed: u64,
}

/// Runs `iida-correction`.
///
/// # Errors
/// If an option cannot be used, or the work was interrupted.
pub(super) fn correction(args: &CorrectionArgs, output: &mut Output) -> Result<(), CliError> {
    let mut options = Options::new();
    for (name, value) in [("eval", args.eval.as_str()), ("hash", "4")] {
        options.set(name, value).map_err(CliError::usage)?;
    }
    let judge = OthelloDomain::new(options.clone(), args.judge_depth).map_err(CliError::usage)?;
    let (depth, look, positions, seed) = (args.depth, args.look, args.positions, args.seed);
    let experiment = Corrections { judge: &judge, options, depth, look, positions, seed };
    let bar = progress::steps(u64::from(positions), "positions");
    let result = experiment.run(&stop_on_interrupt(), &|| bar.inc(1)).map_err(CliError::input)?;
    bar.finish_and_clear();
    let found = result.ok_or_else(|| CliError::Found("interrupted".to_owned()))?;
    let share = |count: u32, all: u32| 100.0 * f64::from(count) / f64::from(all.max(1));
    output.line(format_args!(
        "{positions} positions of 20 to 40 empties, eval={}, D = {depth}, D1 = {look}, judge {} \
         plies, seed {seed}\nchanged {} ({:.1} %): better {} ({:.1} %), equal {} ({:.1} %), worse {} \
         ({:.1} %)\ngain of a changed move {:+.3} ± {:.3} discs; nodes {:.0} without, {:.0} with",
        args.eval,
        args.judge_depth,
        found.changed,
        share(found.changed, found.positions),
        found.better,
        share(found.better, found.changed),
        found.equal,
        share(found.equal, found.changed),
        found.worse,
        share(found.worse, found.changed),
        found.gain.mean(),
        Z95 * found.gain.standard_error(),
        found.nodes[0] as f64 / f64::from(positions),
        found.nodes[1] as f64 / f64::from(positions),
    ))?;
    output.object(&found)
}
