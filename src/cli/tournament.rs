//! `kitai tournament`: many players, from a file.
//!
//! ```toml
//! description = "three methods"   # optional
//! kind = "round-robin"            # or "gauntlet" (with hero = "name"), "head-to-head"
//! games = 100                     # in each pairing; every other term of `kitai match` too
//! openings = "random:8"
//! time = "0.1/move"
//! anchors = ["minimax"]           # optional: rate the others as the 2017 paper does
//!
//! [players]                       # name = player, as on the command line of `kitai match`
//! minimax = "method=minimax"
//! rhino = "gtp:/usr/games/gtp-rhino -l 1"
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::conduct::{Conduct, conduct};
use super::match_cmd::{Terms, parse_sprt};
use super::{CliError, Output};
use crate::arena::{Kind, Plan, PlayerSpec};

/// Play a tournament described in a file: round-robin, gauntlet or head-to-head.
///
/// The file names the players as `kitai match` does, and the same terms; flags override the file.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
kitai tournament configs/tournaments/methods.toml\n  \
kitai tournament configs/tournaments/methods.toml --games 20 --out runs/methods -c 2")]
pub struct Args {
    /// The tournament file (TOML)
    file: PathBuf,
    /// Games in each pairing, instead of the file's
    #[arg(long, short = 'n')]
    games: Option<usize>,
    /// Openings, instead of the file's
    #[arg(long, value_name = "SOURCE")]
    openings: Option<String>,
    /// Seed, instead of the file's
    #[arg(long)]
    seed: Option<u64>,
    #[command(flatten)]
    conduct: Conduct,
}

/// A tournament file.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct TournamentFile {
    #[serde(default)]
    #[allow(dead_code, reason = "for readers of the file")]
    description: String,
    kind: Kind,
    hero: Option<String>,
    games: Option<usize>,
    openings: Option<String>,
    time: Option<String>,
    margin: Option<u64>,
    patience: Option<u64>,
    adjudicate: Option<u32>,
    seed: Option<u64>,
    depth: Option<u32>,
    nodes: Option<u64>,
    playouts: Option<u64>,
    threads: Option<u32>,
    sprt: Option<String>,
    concurrency: Option<u32>,
    out: Option<PathBuf>,
    #[serde(default)]
    anchors: Vec<String>,
    players: BTreeMap<String, String>,
}

impl TournamentFile {
    fn terms(&self, args: &Args) -> Terms {
        let usual = Terms::default();
        Terms {
            games: args.games.or(self.games).unwrap_or(usual.games),
            openings: args
                .openings
                .clone()
                .or_else(|| self.openings.clone())
                .unwrap_or(usual.openings),
            time: self.time.clone().unwrap_or(usual.time),
            margin: self.margin.unwrap_or(usual.margin),
            patience: self.patience.unwrap_or(usual.patience),
            adjudicate: self.adjudicate,
            seed: args.seed.or(self.seed).unwrap_or(usual.seed),
            depth: self.depth,
            nodes: self.nodes,
            playouts: self.playouts,
            threads: self.threads,
        }
    }

    /// The players in order: by name, the hero of a gauntlet first.
    fn players(&self) -> Result<Vec<PlayerSpec>, String> {
        let mut players = Vec::new();
        for (name, text) in &self.players {
            let mut player = PlayerSpec::parse(text).map_err(|error| error.to_string())?;
            player.name.clone_from(name);
            players.push(player);
        }
        match (self.kind, &self.hero) {
            (Kind::Gauntlet, Some(hero)) => match players.iter().position(|p| p.name == *hero) {
                Some(index) => players[..=index].rotate_right(1),
                None => return Err(format!("the hero `{hero}` is not among the players")),
            },
            (Kind::Gauntlet, None) => return Err("a gauntlet needs hero = \"NAME\"".to_owned()),
            (_, Some(_)) => return Err("only a gauntlet has a hero".to_owned()),
            (_, None) => {}
        }
        match (self.kind, players.len()) {
            (_, 0 | 1) => Err("at least two players are needed".to_owned()),
            (Kind::HeadToHead, 2) => Ok(players),
            (Kind::HeadToHead, count) => {
                Err(format!("head-to-head is for two players, not {count}"))
            }
            _ => Ok(players),
        }
    }
}

/// The plan of a tournament file, with what the flags change.
fn plan(text: &str, args: &Args) -> Result<(Plan, Conduct), CliError> {
    let shown = args.file.display();
    let bad = |reason: String| CliError::Input(format!("{shown}: {reason}"));
    let file: TournamentFile = toml::from_str(text).map_err(|error| bad(error.to_string()))?;
    let players = file.players().map_err(bad)?;
    let mut plan = file.terms(args).plan(players, file.kind)?;
    for name in &file.anchors {
        let index = plan.players.iter().position(|player| player.name == *name);
        let index =
            index.ok_or_else(|| bad(format!("the anchor `{name}` is not among the players")))?;
        plan.anchors.push(index);
    }
    if let Some(test) = &file.sprt {
        if plan.pairings.len() != 1 {
            return Err(bad("a sequential test needs exactly two players".to_owned()));
        }
        plan.sprt = Some(parse_sprt(test)?);
    }
    let conduct = Conduct {
        out: args.conduct.out.clone().or(file.out),
        concurrency: args.conduct.concurrency.or(file.concurrency),
    };
    Ok((plan, conduct))
}

/// Runs the command.
///
/// # Errors
/// If the file, a player or an opening cannot be used, or the tournament was interrupted.
pub fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let text = read(&args.file)?;
    let (plan, how) = plan(&text, args)?;
    conduct(&plan, &how, output)
}

fn read(path: &Path) -> Result<String, CliError> {
    std::fs::read_to_string(path).map_err(|error| CliError::io(path.display().to_string(), error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Plan, String> {
        let args = Args {
            file: "t.toml".into(),
            games: None,
            openings: None,
            seed: None,
            conduct: Conduct::default(),
        };
        plan(text, &args).map(|(plan, _)| plan).map_err(|error| error.to_string())
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
            let args = Args {
                file: path.clone(),
                games: Some(2),
                openings: Some("start".to_owned()),
                seed: None,
                conduct: Conduct::default(),
            };
            let text = std::fs::read_to_string(&path).unwrap();
            let checked = plan(&text, &args);
            assert!(checked.is_ok(), "{}: {:?}", path.display(), checked.err());
            found += 1;
        }
        assert!(found > 0);
    }
}
