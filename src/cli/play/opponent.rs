//! Who sits opposite: Kitai at a level, which may follow the person's own strength.

use std::path::PathBuf;

use rand::Rng;
use thiserror::Error;

use super::adaptive::{self, Person, Rung};
use super::wish::Level;
use crate::book::BookError;
use crate::config::{self, ConfigError};
use crate::engine::Player;
use crate::options::{OptionError, Options};
use crate::random::{self, SEED};

/// Why a game broke off.
#[derive(Debug, Error)]
pub(super) enum PlayError {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("{0}")]
    Search(#[from] OptionError),
    #[error("{0}")]
    Level(#[from] ConfigError),
    #[error("{0}")]
    Book(#[from] BookError),
}

/// Who sits opposite.
pub(super) struct Opponent {
    pub(super) player: Player,
    /// What the command line asked for, without a level.
    base: Options,
    pub(super) level: Level,
    /// The level being played and its rating.
    pub(super) rung: Option<Rung>,
    person: Person,
    person_file: Option<PathBuf>,
    ladder: Vec<Rung>,
}

impl Opponent {
    /// An opponent of this level, whose options lie on top of `base`.
    ///
    /// # Errors
    /// If the options cannot be used.
    pub(super) fn new(
        base: Options,
        level: Level,
        person_file: Option<PathBuf>,
    ) -> Result<Opponent, PlayError> {
        let ladder = adaptive::ladder();
        let person = super::person(person_file.as_ref(), &ladder);
        let player = Player::new(base.clone());
        let mut new = Opponent { player, base, level, rung: None, person, person_file, ladder };
        new.sit_down()?;
        Ok(new)
    }

    /// Takes its place for a new game: the level's options, and a seed of its own.
    pub(super) fn sit_down(&mut self) -> Result<(), PlayError> {
        let preset = match self.level {
            Level::Options => None,
            Level::Fixed(level) => Some(format!("level-{level}")),
            Level::Adaptive => {
                let chance = random::seeded(random::fresh_seed()).random();
                self.person.opponent(&self.ladder, chance).map(|rung| rung.preset.clone())
            }
        };
        let mut options = self.base.clone();
        if let Some(name) = &preset {
            options.overlay(&config::load(name)?.options);
        }
        if options.chosen(&SEED).is_none() {
            options.put(&SEED, (random::fresh_seed() >> 1) as i64)?;
        }
        self.player.configure(options)?;
        self.rung =
            preset.and_then(|name| self.ladder.iter().find(|rung| rung.preset == name).cloned());
        Ok(())
    }

    /// `Kitai`, or `Kitai level-3`.
    pub(super) fn name(&self) -> String {
        self.rung.as_ref().map_or("Kitai".to_owned(), |rung| format!("Kitai {}", rung.preset))
    }

    /// For the greeting: `Kitai plays as level-3, rated 700.`
    pub(super) fn introduction(&self) -> String {
        let Some(rung) = &self.rung else { return String::new() };
        let known = if self.level == Level::Adaptive && self.person.games > 0 {
            format!("\nYou: {}.", self.person.summary())
        } else {
            String::new()
        };
        format!("Kitai plays as {}, rated {:.0}.{known}", rung.preset, rung.rating)
    }

    /// Learns how a game against the person ended; what it thinks of them then.
    pub(super) fn learn(&mut self, score: f64) -> Option<String> {
        let (Level::Adaptive, Some(rung)) = (self.level, &self.rung) else { return None };
        self.person.count(rung.rating, score);
        let kept = self.person_file.as_ref().map_or(Ok(()), |path| self.person.save(path));
        let problem = kept.err().map_or(String::new(), |error| format!(" (not kept: {error})"));
        Some(format!("You: {}{problem}.", self.person.summary()))
    }
}
