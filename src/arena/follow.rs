//! Reading the log of a match that someone else plays: what it says so far, without its lock.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Duration;

use thiserror::Error;

use super::clock::TimeControl;
use super::log::LOG;
use super::logged::LoggedGame;
use super::openings::Opening;
use super::plan::{MatchSettings, Plan};
use super::referee::Rules;
use super::spec::{Engine, PlayerSpec};
use super::standing::{Games, Standing};
use crate::options::Options;
use crate::record::History;
use crate::record::sealed::{Damage, Records};

/// A match as its log tells it.
#[derive(Clone, Debug)]
pub struct Followed {
    /// What is played.
    pub settings: MatchSettings,
    /// The games so far.
    pub games: Games,
}

/// Why a log cannot be followed.
#[derive(Debug, Error)]
pub enum FollowError {
    /// The system says no.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// It is no log, or damaged.
    #[error("{0}")]
    Damage(#[from] Damage),
    /// A line that no match writes.
    #[error("{0}")]
    Line(String),
}

/// Reads a log as far as it goes; a last line that is being written does not count yet.
///
/// # Errors
/// If it cannot be read or is no log.
pub fn read(path: &Path) -> Result<Followed, FollowError> {
    let (mut records, settings) = Records::open(BufReader::new(File::open(path)?), LOG)?;
    let settings: MatchSettings =
        serde_json::from_value(settings).map_err(|error| FollowError::Line(error.to_string()))?;
    let players = settings.players.len();
    let fits = |&(one, two): &(usize, usize)| one != two && one < players && two < players;
    if settings.pairings.is_empty() || !settings.pairings.iter().all(fits) {
        return Err(FollowError::Line("the log's pairings make no sense".to_owned()));
    }
    let most = settings.pairings.len().saturating_mul(settings.games);
    let mut games = Games::new();
    while let Some(line) = records.next_record()? {
        let game: LoggedGame =
            serde_json::from_slice(line).map_err(|error| FollowError::Line(error.to_string()))?;
        if game.game >= most || game.half_points > 2 {
            return Err(FollowError::Line(format!("game {} is not in the plan", game.game)));
        }
        games.insert(game.game, game);
    }
    Ok(Followed { settings, games })
}

impl Followed {
    /// A plan with the same games, as far as a standing needs it: the log does not hold openings
    /// and options.
    fn plan(&self) -> Plan {
        let player = |name: &String| PlayerSpec {
            name: name.clone(),
            engine: Engine::BuiltIn(Options::new()),
            time: None,
        };
        Plan {
            players: self.settings.players.iter().map(|record| player(&record.name)).collect(),
            pairings: self.settings.pairings.clone(),
            rounds: self.settings.games / 2,
            openings: vec![Opening { history: History::default() }],
            opening_source: self.settings.openings.clone(),
            rules: Rules {
                control: TimeControl::None,
                margin: Duration::ZERO,
                patience: Duration::ZERO,
                adjudicate: self.settings.adjudicate,
                resign: self.settings.resign,
                draw: self.settings.draw,
            },
            seed: self.settings.seed,
            sprt: self.settings.sprt,
            anchors: Vec::new(),
            zero: None,
        }
    }

    /// What the games so far say.
    pub fn standing(&self) -> Standing {
        let mut standing = Standing::of(&self.plan(), &self.games);
        for (player, record) in standing.players.iter_mut().zip(&self.settings.players) {
            player.plays.clone_from(&record.plays);
        }
        standing
    }
}

/// Where a match whose log this is tells of the games under way.
pub fn live_path(log: &Path) -> PathBuf {
    log.with_extension("live.json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::adjudicate::Adjudicator;
    use crate::arena::log::Log;
    use crate::arena::plan::Kind;
    use crate::arena::plan::tests::small_plan;
    use crate::arena::referee;
    use crate::search::StopFlag;

    #[test]
    fn a_log_that_is_being_written_tells_what_the_match_itself_knows() {
        let path = std::env::temp_dir().join(format!("kitai-follow-{}.jsonl", std::process::id()));
        let plan = small_plan(&["name=a,depth=1", "name=b,depth=2"], Kind::HeadToHead, 2);
        let (mut log, mut games, _) = Log::open(&path, &plan).unwrap();
        for number in 0..3 {
            let scheduled = plan.game(number);
            let [mut black, mut white] =
                [scheduled.black, scheduled.white].map(|i| plan.players[i].build(None).unwrap());
            let played = referee::play(
                [black.as_mut(), white.as_mut()],
                &plan.openings[scheduled.opening],
                &plan.rules_of(&scheduled),
                scheduled.seeds,
                &mut Adjudicator::default(),
                &StopFlag::new(),
            );
            let game = LoggedGame::new(&plan, &scheduled, &played.unwrap());
            log.append(&game).unwrap();
            games.insert(number, game);
        }
        // The match still holds its lock.
        let followed = read(&path).unwrap();
        assert_eq!(followed.games, games);
        let (own, theirs) = (Standing::of(&plan, &games), followed.standing());
        assert_eq!(
            serde_json::to_value(&own.pairings).unwrap(),
            serde_json::to_value(&theirs.pairings).unwrap()
        );
        assert_eq!(own.players[1].plays, theirs.players[1].plays);
        assert!(!theirs.is_complete());
        // A line that is half written does not count yet.
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 9]).unwrap();
        assert_eq!(read(&path).unwrap().games.len(), 2);
        std::fs::write(&path, "{}\n").unwrap();
        assert!(read(&path).is_err());
        drop(log);
        std::fs::remove_file(&path).unwrap();
    }
}
