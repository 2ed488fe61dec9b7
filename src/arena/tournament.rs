//! Tournament files: many players and the terms of their games.
//!
//! ```toml
//! description = "three methods"   # optional
//! kind = "round-robin"            # or "gauntlet" (with hero = "name"), "head-to-head",
//!                                 # "pairings" (with pairings = [["name", "other"], …])
//! games = 100                     # in each pairing; every other term of `kitai match` too
//! openings = "random:8"
//! time = "0.1/move"
//! anchors = ["minimax"]           # optional: rate the others as the 2017 paper does
//! zero = "minimax"                # optional: the player whose rating is 0 (else the mean is)
//!
//! [players]                       # name = player, as on the command line of `kitai match`
//! minimax = "method=minimax"
//! rhino = "gtp:/usr/games/gtp-rhino -l 1"
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use thiserror::Error;

use super::terms::{MatchTerms, TermsError, parse_sprt};
use super::{Kind, Plan, PlayerSpec, SpecError};

/// A tournament file.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
pub struct TournamentFile {
    #[serde(default)]
    #[allow(dead_code, reason = "for readers of the file")]
    description: String,
    kind: Kind,
    hero: Option<String>,
    #[serde(default)]
    pairings: Vec<(String, String)>,
    zero: Option<String>,
    games: Option<usize>,
    openings: Option<String>,
    time: Option<String>,
    margin: Option<u64>,
    patience: Option<u64>,
    adjudicate: Option<u32>,
    resign: Option<String>,
    draw: Option<String>,
    seed: Option<u64>,
    depth: Option<u32>,
    nodes: Option<u64>,
    playouts: Option<u64>,
    threads: Option<u32>,
    sprt: Option<String>,
    /// Games at a time.
    pub concurrency: Option<u32>,
    /// Where the match is kept.
    pub out: Option<PathBuf>,
    #[serde(default)]
    anchors: Vec<String>,
    players: BTreeMap<String, String>,
}

impl TournamentFile {
    fn terms(&self, over: &Overrides) -> MatchTerms {
        let usual = MatchTerms::default();
        MatchTerms {
            games: over.games.or(self.games).unwrap_or(usual.games),
            openings: over
                .openings
                .clone()
                .or_else(|| self.openings.clone())
                .unwrap_or(usual.openings),
            time: self.time.clone().unwrap_or(usual.time),
            margin: self.margin.unwrap_or(usual.margin),
            patience: self.patience.unwrap_or(usual.patience),
            adjudicate: self.adjudicate,
            resign: self.resign.clone(),
            draw: self.draw.clone(),
            seed: over.seed.or(self.seed).unwrap_or(usual.seed),
            depth: self.depth,
            nodes: self.nodes,
            playouts: self.playouts,
            threads: self.threads,
        }
    }

    /// The players in order: by name, the hero of a gauntlet first.
    fn players(&self) -> Result<Vec<PlayerSpec>, TournamentError> {
        let mut players = Vec::new();
        for (name, text) in &self.players {
            let mut player = PlayerSpec::parse(text)?;
            player.name.clone_from(name);
            players.push(player);
        }
        match (self.kind, &self.hero) {
            (Kind::Gauntlet, Some(hero)) => match players.iter().position(|p| p.name == *hero) {
                Some(index) => players[..=index].rotate_right(1),
                None => return Err(TournamentError::unknown("hero", hero)),
            },
            (Kind::Gauntlet, None) => {
                return Err(TournamentError::Form("a gauntlet needs hero = \"NAME\""));
            }
            (_, Some(_)) => return Err(TournamentError::Form("only a gauntlet has a hero")),
            (_, None) => {}
        }
        if (self.kind == Kind::Pairings) == self.pairings.is_empty() {
            return Err(TournamentError::Form(
                "kind = \"pairings\" and a list of pairings go together",
            ));
        }
        match (self.kind, players.len()) {
            (_, 0 | 1) => Err(TournamentError::Form("at least two players are needed")),
            (Kind::HeadToHead, 2) => Ok(players),
            (Kind::HeadToHead, _) => Err(TournamentError::Form("head-to-head is for two players")),
            _ => Ok(players),
        }
    }
}

/// What is said beside the file and goes before it.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// Games in each pairing.
    pub games: Option<usize>,
    /// Openings.
    pub openings: Option<String>,
    /// Seed.
    pub seed: Option<u64>,
}

/// Why a text is no tournament.
#[derive(Debug, Error)]
pub enum TournamentError {
    /// Not such a file.
    #[error(transparent)]
    Toml(#[from] Box<toml::de::Error>),
    /// A player that cannot be understood.
    #[error(transparent)]
    Player(#[from] SpecError),
    /// Terms that make no sense.
    #[error(transparent)]
    Terms(#[from] TermsError),
    /// A name in `hero`, `anchors`, `pairings` or `zero` that no player has.
    #[error("the {role} `{name}` is not among the players")]
    Unknown {
        /// What the name is for.
        role: &'static str,
        /// The name.
        name: String,
    },
    /// Keys that do not fit each other.
    #[error("{0}")]
    Form(&'static str),
}

impl TournamentFile {
    /// Reads the text of a tournament file.
    ///
    /// # Errors
    /// If it is not TOML or has other keys.
    pub fn parse(text: &str) -> Result<TournamentFile, TournamentError> {
        Ok(toml::from_str(text).map_err(Box::new)?)
    }

    /// The plan of the file, with what is said beside it.
    ///
    /// # Errors
    /// If players or terms make no sense.
    pub fn plan(&self, over: &Overrides) -> Result<Plan, TournamentError> {
        let mut plan = self.terms(over).plan(self.players()?, self.kind)?;
        let names: Vec<_> = plan.players.iter().map(|player| player.name.clone()).collect();
        let index = |role, name: &String| {
            let found = names.iter().position(|known| known == name);
            found.ok_or_else(|| TournamentError::unknown(role, name))
        };
        for name in &self.anchors {
            plan.anchors.push(index("anchor", name)?);
        }
        for (first, second) in &self.pairings {
            let pair =
                (index("player of a pairing", first)?, index("player of a pairing", second)?);
            if pair.0 == pair.1 {
                return Err(TournamentError::Form("nobody plays against itself"));
            }
            plan.pairings.push(pair);
        }
        plan.zero = self.zero.as_ref().map(|name| index("zero", name)).transpose()?;
        if let Some(test) = &self.sprt {
            if plan.pairings.len() != 1 {
                return Err(TournamentError::Form("a sequential test needs exactly two players"));
            }
            plan.sprt = Some(parse_sprt(test)?);
        }
        Ok(plan)
    }
}

impl TournamentError {
    fn unknown(role: &'static str, name: &str) -> TournamentError {
        TournamentError::Unknown { role, name: name.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn parsed(text: &str) -> Result<Plan, String> {
        TournamentFile::parse(text)
            .and_then(|file| file.plan(&Overrides::default()))
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_gauntlet_puts_its_hero_first_and_keeps_the_terms() {
        let text = "kind = 'gauntlet'\nhero = 'b'\ngames = 4\nopenings = 'start'\n\
            time = '5+1'\nanchors = ['a']\n\
            [players]\na = 'depth=1'\nb = 'depth=2'\nc = 'gtp:engine'\n";
        let plan = parsed(text).unwrap();
        let names: Vec<_> = plan.players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names, ["b", "a", "c"]);
        assert_eq!(plan.pairings, [(0, 1), (0, 2)]);
        assert_eq!((plan.rounds, plan.anchors.as_slice()), (2, [1].as_slice()));
        assert_eq!(plan.rules.control.to_string(), "5+1");
    }

    #[test]
    fn mistakes_are_named() {
        let players = "[players]\na = 'depth=1'\nb = 'depth=2'\n";
        let error = |head: &str| parsed(&format!("{head}\n{players}")).unwrap_err();
        assert!(error("kind = 'swiss'").contains("swiss"));
        assert!(error("kind = 'round-robin'\ngame = 3").contains("game"));
        assert!(error("kind = 'gauntlet'").contains("needs hero"));
        assert!(error("kind = 'gauntlet'\nhero = 'x'").contains("`x` is not among"));
        assert!(error("kind = 'round-robin'\nanchors = ['x']").contains("anchor `x`"));
        assert!(error("kind = 'pairings'").contains("list of pairings"));
        assert!(error("kind = 'pairings'\npairings = [['a', 'x']]").contains("`x`"));
        assert!(error("kind = 'pairings'\npairings = [['a', 'a']]").contains("itself"));
        assert!(error("kind = 'round-robin'\nzero = 'x'").contains("zero `x`"));
        assert!(error("kind = 'round-robin'\ngames = 3").contains("even"));
        assert!(error("kind = 'round-robin'\ntime = 'x'").contains("`x` is no time control"));
        let one = parsed("kind = 'round-robin'\n[players]\na = 'depth=1'\n").unwrap_err();
        assert!(one.contains("at least two players"));
    }

    #[test]
    fn every_tournament_in_configs_is_valid() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs/tournaments");
        let mut found = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            // Without its openings: they may be a file of the user's.
            let openings = Some("start".to_owned());
            let over = Overrides { games: Some(2), openings, seed: None };
            let text = std::fs::read_to_string(&path).unwrap();
            let checked = TournamentFile::parse(&text).and_then(|file| file.plan(&over));
            assert!(checked.is_ok(), "{}: {:?}", path.display(), checked.err());
            found += 1;
        }
        assert!(found > 0);
    }
}
