//! `kitai match`: two players, many games, one answer to who is stronger.

use super::conduct::{Conduct, conduct};
use super::{CliError, Output};
use crate::arena::terms::{
    DEFAULT_GAMES, DEFAULT_MARGIN_MS, DEFAULT_OPENINGS, DEFAULT_PATIENCE_S, DEFAULT_SEED,
    DEFAULT_TIME, MatchTerms, parse_sprt,
};
use crate::arena::{Kind, PlayerSpec};

/// Play two engines against each other and say how sure the result is.
///
/// A player is a preset with changed options (default,depth=6), options on top of the defaults
/// (method=minimax,depth=4), or an engine: gtp:COMMAND or nboard:COMMAND, with name=NAME in front
/// if wanted (name=Rhino,gtp:/usr/games/gtp-rhino -l 1); time=CONTROL gives a player a clock of its
/// own. Each opening is played twice with the
/// colours swapped; the Elo interval counts these pairs.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
kitai match depth=4 depth=2 --games 200 --openings xot-large.txt\n  \
kitai match default 'gtp:/usr/games/gtp-rhino -l 3' --time 1/move --out runs/rhino\n  \
kitai match default,seed=2 default --sprt 0,20 --games 20000 -c 2 --out runs/sprt")]
pub(super) struct Args {
    /// The first player
    first: String,
    /// The second player
    second: String,
    #[command(flatten)]
    terms: Terms,
    /// Stop as soon as a sequential test decides between two Elo differences
    #[arg(long, value_name = "ELO0,ELO1[,ALPHA,BETA]", allow_hyphen_values = true)]
    sprt: Option<String>,
    #[command(flatten)]
    conduct: Conduct,
}

/// The terms of a match, all of them also keys of a tournament file.
#[derive(clap::Args, Debug, Clone)]
struct Terms {
    /// Games to play (in each pairing), an even number
    #[arg(long, short = 'n', default_value_t = DEFAULT_GAMES)]
    pub games: usize,
    /// start, random:PLIES (balanced, by seed), or FILE[:PLIES] of transcripts, boards or games
    #[arg(long, default_value = DEFAULT_OPENINGS, value_name = "SOURCE")]
    pub openings: String,
    /// Clock: none (players' own limits), SECONDS/move, SECONDS or SECONDS+INCREMENT for a game
    #[arg(long, default_value = DEFAULT_TIME, value_name = "CONTROL")]
    pub time: String,
    /// How many milliseconds later than its clock a move may arrive
    #[arg(long, default_value_t = DEFAULT_MARGIN_MS, value_name = "MS")]
    pub margin: u64,
    /// How many seconds to wait for an engine beyond its time (without a clock: for any move)
    /// before it counts as hung
    #[arg(long, default_value_t = DEFAULT_PATIENCE_S, value_name = "SECONDS",
        value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub patience: u64,
    /// Solve games exactly when so few squares are empty, and end them
    #[arg(long, value_name = "EMPTIES", value_parser = clap::value_parser!(u32).range(1..=30))]
    pub adjudicate: Option<u32>,
    /// End games a player thinks lost: its opinion at or below -DISCS for MOVES own moves, and the
    /// other's not against it
    #[arg(long, value_name = "DISCS,MOVES")]
    pub resign: Option<String>,
    /// End games both players think even: opinions within DISCS for MOVES own moves each
    #[arg(long, value_name = "DISCS,MOVES")]
    pub draw: Option<String>,
    /// Seed of the openings and of every game
    #[arg(long, default_value_t = DEFAULT_SEED)]
    pub seed: u64,
    /// Greatest depth of every built-in player
    #[arg(long, value_name = "PLIES")]
    pub depth: Option<u32>,
    /// Greatest number of nodes per move of every built-in player
    #[arg(long)]
    pub nodes: Option<u64>,
    /// Greatest number of playouts per move of every built-in player
    #[arg(long)]
    pub playouts: Option<u64>,
    /// Search threads of every built-in player
    #[arg(long)]
    pub threads: Option<u32>,
}

impl From<&Terms> for MatchTerms {
    fn from(terms: &Terms) -> MatchTerms {
        let Terms { games, openings, time, margin, patience, adjudicate, seed, .. } = terms.clone();
        let Terms { resign, draw, .. } = terms.clone();
        let Terms { depth, nodes, playouts, threads, .. } = *terms;
        MatchTerms {
            games,
            openings,
            time,
            margin,
            patience,
            adjudicate,
            resign,
            draw,
            seed,
            depth,
            nodes,
            playouts,
            threads,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// If a player, opening or file cannot be used, or the match was interrupted.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let players = [&args.first, &args.second]
        .into_iter()
        .map(|text| PlayerSpec::parse(text).map_err(CliError::usage))
        .collect::<Result<_, _>>()?;
    let mut plan =
        MatchTerms::from(&args.terms).plan(players, Kind::HeadToHead).map_err(CliError::usage)?;
    plan.sprt = args.sprt.as_deref().map(parse_sprt).transpose().map_err(CliError::usage)?;
    conduct(&plan, &args.conduct, output)
}
