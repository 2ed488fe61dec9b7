//! The terms of a match as people state them, and the plan that follows from them.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::clock::{TimeControl, TimeControlError};
use super::opinions::{Opinion, OpinionError};
use super::spec::{Engine, make_names_unique};
use super::{Kind, OpeningError, OpeningSource, Plan, PlayerSpec, Rules};
use crate::options::OptionError;
use crate::statistics::Sprt;
use crate::statistics::sprt::SprtError;

/// The terms of a match, all of them also keys of a tournament file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchTerms {
    /// Games to play (in each pairing), an even number
    pub games: usize,
    /// `start`, `random:PLIES` (balanced, by seed), or `FILE[:PLIES]` of transcripts, boards or games
    pub openings: String,
    /// Clock: none (players' own limits), SECONDS/move, SECONDS or SECONDS+INCREMENT for a game
    pub time: String,
    /// How many milliseconds later than its clock a move may arrive
    pub margin: u64,
    /// How many seconds to wait for an engine beyond its time (without a clock: for any move)
    /// before it counts as hung
    pub patience: u64,
    /// Solve games exactly when so few squares are empty, and end them
    pub adjudicate: Option<u32>,
    /// DISCS,MOVES: a player that thinks so badly of its game for so many own moves has lost it
    pub resign: Option<String>,
    /// DISCS,MOVES: a game that both players think so even for so many own moves each is drawn
    pub draw: Option<String>,
    /// Seed of the openings and of every game
    pub seed: u64,
    /// Greatest depth of every built-in player
    pub depth: Option<u32>,
    /// Greatest number of nodes per move of every built-in player
    pub nodes: Option<u64>,
    /// Greatest number of playouts per move of every built-in player
    pub playouts: Option<u64>,
    /// Search threads of every built-in player
    pub threads: Option<u32>,
}

/// Why terms make no plan.
#[derive(Debug, Error)]
pub enum TermsError {
    /// An odd number of games, or none.
    #[error("games are played in pairs: their number must be even and at least 2, not {0}")]
    Games(usize),
    /// Not a clock.
    #[error(transparent)]
    Time(#[from] TimeControlError),
    /// Not a rule for opinions.
    #[error(transparent)]
    Opinion(#[from] OpinionError),
    /// Openings that cannot be read.
    #[error(transparent)]
    Openings(#[from] OpeningError),
    /// An option that the terms set for every built-in player.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// Not a sequential test.
    #[error("`{0}` is no test: ELO0,ELO1 or ELO0,ELO1,ALPHA,BETA, e.g. 0,20 or 0,20,0.05,0.05")]
    TestForm(String),
    /// A sequential test that cannot decide.
    #[error(transparent)]
    Test(#[from] SprtError),
}

pub(crate) const DEFAULT_GAMES: usize = 100;
/// Eight plies are off the trodden path and still far from the ending.
pub(crate) const DEFAULT_OPENINGS: &str = "random:8";
pub(crate) const DEFAULT_TIME: &str = "none";
pub(crate) const DEFAULT_SEED: u64 = 1;

/// Default margin: a pipe, a wake-up and a busy machine, with room to spare.
pub(crate) const DEFAULT_MARGIN_MS: u64 = 50;

/// Default patience: longer than any engine needs to start or to answer without a clock.
pub(crate) const DEFAULT_PATIENCE_S: u64 = 60;

/// Default error rates of a sequential test.
pub(crate) const DEFAULT_ERROR_RATE: f64 = 0.05;

/// What the flags of `kitai match` default to.
impl Default for MatchTerms {
    fn default() -> MatchTerms {
        MatchTerms {
            games: DEFAULT_GAMES,
            openings: DEFAULT_OPENINGS.to_owned(),
            time: DEFAULT_TIME.to_owned(),
            margin: DEFAULT_MARGIN_MS,
            patience: DEFAULT_PATIENCE_S,
            adjudicate: None,
            resign: None,
            draw: None,
            seed: DEFAULT_SEED,
            depth: None,
            nodes: None,
            playouts: None,
            threads: None,
        }
    }
}

impl MatchTerms {
    /// The plan of these terms for these players.
    ///
    /// # Errors
    /// If a term makes no sense or the openings cannot be read.
    pub fn plan(&self, mut players: Vec<PlayerSpec>, kind: Kind) -> Result<Plan, TermsError> {
        if self.games == 0 || self.games % 2 == 1 {
            return Err(TermsError::Games(self.games));
        }
        make_names_unique(&mut players);
        for player in &mut players {
            self.override_options(player)?;
        }
        let control: TimeControl = self.time.parse()?;
        let rounds = self.games / 2;
        let openings = OpeningSource::parse(&self.openings)
            .and_then(|source| source.openings(rounds, self.seed))?;
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
                resign: opinion(&self.resign)?,
                draw: opinion(&self.draw)?,
            },
            seed: self.seed,
            sprt: None,
            anchors: Vec::new(),
            zero: None,
        })
    }

    fn override_options(&self, player: &mut PlayerSpec) -> Result<(), TermsError> {
        let Engine::BuiltIn(options) = &mut player.engine else { return Ok(()) };
        let overrides = [
            ("depth", self.depth.map(u64::from)),
            ("nodes", self.nodes),
            ("playouts", self.playouts),
            ("threads", self.threads.map(u64::from)),
        ];
        for (name, value) in overrides {
            if let Some(value) = value {
                options.set(name, &value.to_string())?;
            }
        }
        Ok(())
    }
}

fn opinion(text: &Option<String>) -> Result<Option<Opinion>, OpinionError> {
    text.as_deref().map(str::parse).transpose()
}

/// Reads `ELO0,ELO1` or `ELO0,ELO1,ALPHA,BETA`.
///
/// # Errors
/// If it is neither, or makes no test.
pub fn parse_sprt(text: &str) -> Result<Sprt, TermsError> {
    let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    let test = match numbers.as_deref() {
        Some([elo0, elo1]) => Sprt::new(*elo0, *elo1, DEFAULT_ERROR_RATE, DEFAULT_ERROR_RATE),
        Some([elo0, elo1, alpha, beta]) => Sprt::new(*elo0, *elo1, *alpha, *beta),
        _ => {
            return Err(TermsError::TestForm(text.to_owned()));
        }
    };
    Ok(test?)
}
