//! `kitai match`: two players, many games, one answer to who is stronger.

use std::time::Duration;

use super::conduct::{Conduct, conduct};
use super::{CliError, Output};
use crate::arena::clock::TimeControl;
use crate::arena::spec::{Engine, make_names_unique};
use crate::arena::{Kind, OpeningSource, Plan, PlayerSpec, Rules};
use crate::statistics::Sprt;

/// Play two engines against each other and say how sure the result is.
///
/// A player is a preset with changed options (default,depth=6), options on top of the defaults
/// (method=minimax,depth=4), or an engine: gtp:COMMAND or nboard:COMMAND, with name=NAME in front
/// if wanted (name=Rhino,gtp:/usr/games/gtp-rhino -l 1). Each opening is played twice with the
/// colours swapped; the Elo interval counts these pairs.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
kitai match depth=4 depth=2 --games 200 --openings xot-large.txt\n  \
kitai match default 'gtp:/usr/games/gtp-rhino -l 3' --time 1/move --out runs/rhino\n  \
kitai match default,seed=2 default --sprt 0,20 --games 20000 -c 2 --out runs/sprt")]
pub struct Args {
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
pub struct Terms {
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

const DEFAULT_GAMES: usize = 100;
/// Eight plies are off the trodden path and still far from the ending.
const DEFAULT_OPENINGS: &str = "random:8";
const DEFAULT_TIME: &str = "none";
const DEFAULT_SEED: u64 = 1;

/// Default margin: a pipe, a wake-up and a busy machine, with room to spare.
const DEFAULT_MARGIN_MS: u64 = 50;

/// Default patience: longer than any engine needs to start or to answer without a clock.
const DEFAULT_PATIENCE_S: u64 = 60;

/// Default error rates of a sequential test.
const DEFAULT_ERROR_RATE: f64 = 0.05;

/// What the flags of `kitai match` default to.
impl Default for Terms {
    fn default() -> Terms {
        Terms {
            games: DEFAULT_GAMES,
            openings: DEFAULT_OPENINGS.to_owned(),
            time: DEFAULT_TIME.to_owned(),
            margin: DEFAULT_MARGIN_MS,
            patience: DEFAULT_PATIENCE_S,
            adjudicate: None,
            seed: DEFAULT_SEED,
            depth: None,
            nodes: None,
            playouts: None,
            threads: None,
        }
    }
}

impl Terms {
    /// The plan of these terms for these players.
    ///
    /// # Errors
    /// If a term makes no sense or the openings cannot be read.
    pub fn plan(&self, mut players: Vec<PlayerSpec>, kind: Kind) -> Result<Plan, CliError> {
        if self.games == 0 || self.games % 2 == 1 {
            return Err(CliError::Input(format!(
                "games are played in pairs: --games must be even and at least 2, not {}",
                self.games
            )));
        }
        make_names_unique(&mut players);
        for player in &mut players {
            self.override_options(player)?;
        }
        let control: TimeControl = self.time.parse().map_err(CliError::input)?;
        let rounds = self.games / 2;
        let openings = OpeningSource::parse(&self.openings)
            .and_then(|source| source.openings(rounds, self.seed))
            .map_err(CliError::input)?;
        Ok(Plan {
            pairings: kind.pairings(players.len()),
            players,
            rounds,
            openings,
            opening_source: self.openings.clone(),
            rules: Rules {
                control,
                margin: Duration::from_millis(self.margin),
                patience: Duration::from_secs(self.patience),
                adjudicate: self.adjudicate,
            },
            seed: self.seed,
            sprt: None,
            anchors: Vec::new(),
        })
    }

    fn override_options(&self, player: &mut PlayerSpec) -> Result<(), CliError> {
        let Engine::BuiltIn(options) = &mut player.engine else { return Ok(()) };
        let overrides = [
            ("depth", self.depth.map(u64::from)),
            ("nodes", self.nodes),
            ("playouts", self.playouts),
            ("threads", self.threads.map(u64::from)),
        ];
        for (name, value) in overrides {
            if let Some(value) = value {
                options.set(name, &value.to_string()).map_err(CliError::input)?;
            }
        }
        Ok(())
    }
}

/// Reads `ELO0,ELO1` or `ELO0,ELO1,ALPHA,BETA`.
///
/// # Errors
/// If it is neither, or makes no test.
pub fn parse_sprt(text: &str) -> Result<Sprt, CliError> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    let test = match numbers.as_deref() {
        Some([elo0, elo1]) => Sprt::new(*elo0, *elo1, DEFAULT_ERROR_RATE, DEFAULT_ERROR_RATE),
        Some([elo0, elo1, alpha, beta]) => Sprt::new(*elo0, *elo1, *alpha, *beta),
        _ => {
            return Err(CliError::Input(format!(
                "`{text}` is no test: ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA, e.g. 0,20 or 0,20,0.05,0.05"
            )));
        }
    };
    test.map_err(CliError::input)
}

/// Runs the command.
///
/// # Errors
/// If a player, opening or file cannot be used, or the match was interrupted.
pub fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let players = [&args.first, &args.second]
        .into_iter()
        .map(|text| PlayerSpec::parse(text).map_err(CliError::input))
        .collect::<Result<_, _>>()?;
    let mut plan = args.terms.plan(players, Kind::HeadToHead)?;
    plan.sprt = args.sprt.as_deref().map(parse_sprt).transpose()?;
    conduct(&plan, &args.conduct, output)
}
