//! How people name a player: a preset with changed options, or an engine's command line.
//!
//! ```text
//! default                                  a preset, or a preset's file
//! default,depth=6,name=six                 with options changed and a name of its own
//! method=minimax,depth=4                   options on top of the defaults
//! gtp:/usr/games/gtp-rhino -l 1            an engine that speaks GTP
//! name=Rhino,gtp:/usr/games/gtp-rhino      the same with a name
//! depth=12,nboard:./ntest                  an engine that speaks NBoard, told this depth
//! default,time=1/move                      any player with a clock of its own
//! ```

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::builtin::BuiltIn;
use super::clock::{TimeControl, TimeControlError};
use super::engine_log::EngineLog;
use super::gtp::GtpPlayer;
use super::nboard::NBoardPlayer;
use super::openings::Opening;
use super::player::{Contestant, GameStart};
use super::referee::Rules;
use crate::config::{self, ConfigError};
use crate::options::{OptionError, Options};
use crate::search::METHOD;
use crate::search::StopFlag;
use crate::search::limits::DEPTH;
use crate::search::minimax::THREADS;

/// A player as the command line or a tournament file names it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlayerSpec {
    /// Name in results; unique within a match.
    pub name: String,
    /// What plays.
    pub engine: Engine,
    /// Its own clock instead of the match's.
    #[serde(default)]
    pub time: Option<TimeControl>,
}

/// What plays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// One of Kitai's methods.
    BuiltIn(Options),
    /// A process that speaks GTP.
    Gtp {
        /// Program and arguments.
        command: Vec<String>,
    },
    /// A process that speaks NBoard.
    NBoard {
        /// Program and arguments.
        command: Vec<String>,
        /// The value of its `set depth`, if it shall be told one.
        depth: Option<u32>,
    },
}

/// A player as it stands in a log: everything that changes how it plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerRecord {
    /// Name in results.
    pub name: String,
    /// `method=…,depth=…` or the engine's protocol and command line.
    pub plays: String,
}

/// Why a player cannot be had.
#[derive(Debug, Error)]
pub enum SpecError {
    /// The text is empty.
    #[error("an empty player: name a preset, options (depth=4) or an engine (gtp:COMMAND)")]
    Empty,
    /// A part that is neither the preset nor `option=value`.
    #[error("player `{spec}`: `{part}` is no option=value")]
    BadPart {
        /// The whole text.
        spec: String,
        /// The part.
        part: String,
    },
    /// The preset cannot be read.
    #[error("player `{spec}`: {source}")]
    Preset {
        /// The whole text.
        spec: String,
        /// Why.
        source: ConfigError,
    },
    /// An option was refused.
    #[error("player `{spec}`: {source}")]
    Option {
        /// The whole text.
        spec: String,
        /// Why.
        source: OptionError,
    },
    /// Not a clock.
    #[error("player `{spec}`: {source}")]
    Time {
        /// The whole text.
        spec: String,
        /// Why.
        source: TimeControlError,
    },
    /// An external engine takes only `name`, `time` and, with NBoard, `depth`.
    #[error("player `{spec}`: an external engine has no option `{key}` here; use its command line")]
    NotForEngines {
        /// The whole text.
        spec: String,
        /// The key.
        key: String,
    },
    /// No command after the protocol, or an open quote in it.
    #[error("player `{spec}`: {reason}")]
    BadCommand {
        /// The whole text.
        spec: String,
        /// What is wrong.
        reason: &'static str,
    },
}

impl PlayerSpec {
    /// Reads a player.
    ///
    /// # Errors
    /// Whatever is wrong with it, naming the part.
    pub fn parse(spec: &str) -> Result<PlayerSpec, SpecError> {
        let mut rest = spec.trim();
        if rest.is_empty() {
            return Err(SpecError::Empty);
        }
        let mut preset: Option<&str> = None;
        let mut settings: Vec<(&str, &str)> = Vec::new();
        while !rest.is_empty() {
            if rest.starts_with("gtp:") || rest.starts_with("nboard:") {
                if let Some(part) = preset {
                    return Err(SpecError::BadPart {
                        spec: spec.to_owned(),
                        part: part.to_owned(),
                    });
                }
                return engine(spec, rest, &settings);
            }
            let (part, after) = rest.split_once(',').unwrap_or((rest, ""));
            match part.split_once('=') {
                Some((key, value)) => settings.push((key.trim(), value.trim())),
                None if preset.is_none() && settings.is_empty() => preset = Some(part.trim()),
                None => {
                    return Err(SpecError::BadPart {
                        spec: spec.to_owned(),
                        part: part.to_owned(),
                    });
                }
            }
            rest = after.trim_start();
        }
        let mut options = match preset {
            Some(name) => {
                config::load(name)
                    .map_err(|source| SpecError::Preset { spec: spec.to_owned(), source })?
                    .options
            }
            None => Options::new(),
        };
        let (mut name, mut time) = (None, None);
        for &(key, value) in &settings {
            if key == "name" {
                name = Some(value.to_owned());
            } else if key == "time" {
                time = Some(control(spec, value)?);
            } else {
                options
                    .set(key, value)
                    .map_err(|source| SpecError::Option { spec: spec.to_owned(), source })?;
            }
        }
        let name = name.unwrap_or_else(|| spec.trim().to_owned());
        Ok(PlayerSpec { name, engine: Engine::BuiltIn(options), time })
    }

    /// The rules of a match with this player's own clock, if it has one.
    pub fn rules(&self, of_match: &Rules) -> Rules {
        Rules { control: self.time.unwrap_or(of_match.control), ..*of_match }
    }

    /// Makes the player; an external engine is not started before its first game, and what is said
    /// to it and by it is kept in `log`.
    ///
    /// # Errors
    /// If a built-in player's options cannot be used.
    pub fn build(&self, log: Option<EngineLog>) -> Result<Box<dyn Contestant>, OptionError> {
        Ok(match &self.engine {
            Engine::BuiltIn(options) => Box::new(BuiltIn::new(options)?),
            Engine::Gtp { command } => Box::new(GtpPlayer::new(command, log)),
            Engine::NBoard { command, depth } => Box::new(NBoardPlayer::new(command, *depth, log)),
        })
    }

    /// Starts the player once from an opening, so that a wrong command or option is told before the
    /// first game and not a hundred times after it.
    ///
    /// # Errors
    /// What went wrong.
    pub fn try_out(&self, opening: &Opening, rules: &Rules, stop: &StopFlag) -> Result<(), String> {
        let start = GameStart { opening: &opening.history, rules, seed: 1, stop };
        self.build(None)
            .map_err(|error| error.to_string())?
            .start(&start)
            .map_err(|fault| format!("{}: {}", fault.kind.name(), fault.detail))
    }

    /// Search threads of a built-in player; an engine's own are unknown and count as one.
    pub fn threads(&self) -> usize {
        match &self.engine {
            Engine::BuiltIn(options) => options.get(&THREADS) as usize,
            Engine::Gtp { .. } | Engine::NBoard { .. } => 1,
        }
    }

    /// The player as logs keep it.
    pub fn record(&self) -> PlayerRecord {
        let plays = match &self.engine {
            Engine::BuiltIn(options) => {
                let mut parts = vec![format!("method={}", options.get(&METHOD))];
                parts.extend(
                    options
                        .changed()
                        .filter(|(name, _)| *name != "method")
                        .map(|(name, value)| format!("{name}={value}")),
                );
                parts.join(",")
            }
            Engine::Gtp { command } => format!("gtp:{}", command.join(" ")),
            Engine::NBoard { command, depth } => {
                let depth = depth.map_or(String::new(), |depth| format!("depth={depth},"));
                format!("{depth}nboard:{}", command.join(" "))
            }
        };
        let plays = match self.time {
            Some(time) => format!("time={time},{plays}"),
            None => plays,
        };
        PlayerRecord { name: self.name.clone(), plays }
    }
}

fn engine(
    spec: &str,
    protocol_and_command: &str,
    settings: &[(&str, &str)],
) -> Result<PlayerSpec, SpecError> {
    let bad = |reason| SpecError::BadCommand { spec: spec.to_owned(), reason };
    let (protocol, text) =
        protocol_and_command.split_once(':').ok_or_else(|| bad("no protocol"))?;
    let command = split_command(text).ok_or_else(|| bad("a quote in the command is not closed"))?;
    let program = command.first().ok_or_else(|| bad("no command after the protocol"))?;
    let (mut name, mut depth, mut time) = (None, None, None);
    for &(key, value) in settings {
        match key {
            "name" => name = Some(value.to_owned()),
            "time" => time = Some(control(spec, value)?),
            "depth" if protocol == "nboard" => {
                let mut checked = Options::new();
                checked
                    .set("depth", value)
                    .map_err(|source| SpecError::Option { spec: spec.to_owned(), source })?;
                depth = Some(checked.get(&DEPTH) as u32);
            }
            _ => {
                return Err(SpecError::NotForEngines {
                    spec: spec.to_owned(),
                    key: key.to_owned(),
                });
            }
        }
    }
    let file = program.rsplit('/').next().unwrap_or(program).to_owned();
    let engine =
        if protocol == "gtp" { Engine::Gtp { command } } else { Engine::NBoard { command, depth } };
    Ok(PlayerSpec { name: name.unwrap_or(file), engine, time })
}

/// A player's own clock.
fn control(spec: &str, text: &str) -> Result<TimeControl, SpecError> {
    text.parse().map_err(|source| SpecError::Time { spec: spec.to_owned(), source })
}

/// Splits a command line at blanks; `'…'` and `"…"` hold words together. `None` if a quote stays
/// open.
fn split_command(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in text.chars() {
        match quote {
            Some(open) if character == open => quote = None,
            Some(_) => word.get_or_insert_default().push(character),
            None if character == '\'' || character == '"' => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            None if character.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// Gives players of the same name a number, so that every name is unique.
pub fn make_names_unique(players: &mut [PlayerSpec]) {
    for index in 1..players.len() {
        let wanted = players[index].name.clone();
        let mut number = 1;
        while players[..index].iter().any(|earlier| earlier.name == players[index].name) {
            number += 1;
            players[index].name = format!("{wanted} #{number}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::limits::MOVE_TIME;

    #[test]
    fn presets_options_and_engines_are_read() {
        let plain = PlayerSpec::parse("default").unwrap();
        assert_eq!(plain.name, "default");
        let changed = PlayerSpec::parse("default, depth=6, name=six").unwrap();
        assert_eq!(changed.name, "six");
        let Engine::BuiltIn(options) = &changed.engine else { panic!("built-in") };
        assert_eq!((options.get(&DEPTH), options.get(&MOVE_TIME)), (6, 1000));
        let bare = PlayerSpec::parse("depth=3").unwrap();
        assert_eq!(bare.record().plays, "method=minimax,depth=3");
        let rhino = PlayerSpec::parse("name=Rhino,gtp:/usr/games/gtp-rhino -l 1").unwrap();
        assert_eq!(rhino.name, "Rhino");
        assert_eq!(rhino.record().plays, "gtp:/usr/games/gtp-rhino -l 1");
        let ntest = PlayerSpec::parse("depth=9,nboard:sh -c 'exec a,b=\"c d\"'").unwrap();
        let Engine::NBoard { command, depth: Some(9) } = &ntest.engine else { panic!("{ntest:?}") };
        assert_eq!(command[2], "exec a,b=\"c d\"");
        assert_eq!(ntest.name, "sh");
        let plain = PlayerSpec::parse("time=1/move,nboard:./ntest").unwrap();
        assert_eq!(plain.record().plays, "time=1/move,nboard:./ntest");
        let timed = PlayerSpec::parse("depth=2,time=5+1").unwrap();
        assert_eq!(timed.record().plays, "time=5+1,method=minimax,depth=2");
    }

    #[test]
    fn errors_name_the_player_and_the_part() {
        let error = |text: &str| PlayerSpec::parse(text).unwrap_err().to_string();
        assert!(error(" ").starts_with("an empty player"));
        assert!(error("default,fast").contains("`fast` is no option=value"));
        assert!(error("nobody").contains("player `nobody`: no preset or file `nobody`"));
        assert!(error("default,depth=x").contains("option `depth`: `x`"));
        assert!(error("depth=3,gtp:a").contains("no option `depth` here"));
        assert!(error("default,gtp:a").contains("`default` is no option=value"));
        assert!(error("default,time=x").contains("`x` is no time control"));
        assert!(error("gtp: ").contains("no command"));
        assert!(error("gtp:a 'b").contains("quote"));
    }

    #[test]
    fn equal_names_get_numbers() {
        let mut players = vec![PlayerSpec::parse("default").unwrap(); 3];
        make_names_unique(&mut players);
        let names: Vec<_> = players.iter().map(|player| player.name.as_str()).collect();
        assert_eq!(names, ["default", "default #2", "default #3"]);
    }
}
