//! What the operator wants: the file `configs/ggs.toml` explains every line.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use thiserror::Error;

use super::words::{GameType, Kind};
use super::writer::is_sayable_name;
use crate::book::options::use_builtin_by_default;
use crate::config;
use crate::options::Options;
use crate::record::{BareNumber, ClockSettings};

/// Why the settings cannot be used.
#[derive(Debug, Error)]
pub enum SettingsError {
    /// Not TOML, or a name or kind of value that is not known.
    #[error("{0}")]
    Toml(#[from] Box<toml::de::Error>),
    /// A value that cannot be.
    #[error("`{name}`: {reason}")]
    Value {
        /// Which setting.
        name: &'static str,
        /// What is wrong with it.
        reason: String,
    },
}

/// Everything the operator can set.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Settings {
    /// The server.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The account.
    pub login: String,
    /// File whose first line is the password.
    pub password_file: Option<PathBuf>,
    /// Environment variable that holds it, if there is no file.
    pub password_env: String,
    /// Folder for games and results.
    pub records: PathBuf,
    /// Whether the server charges the thinking time that the bot sends.
    pub trust: bool,
    /// Whether games count for ratings.
    pub rated: bool,
    /// Who may command the bot.
    pub operators: Vec<String>,
    /// Tournaments to join after login.
    pub tournaments: Vec<String>,
    /// How to think.
    pub engine: Engines,
    /// Which challenges to take.
    pub accept: Accept,
    /// What to do when nobody challenges.
    pub idle: Idle,
    /// What to say to questions during a game.
    pub answers: Answers,
    /// Timing of the connection, seconds.
    pub connection: Connection,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            host: "skatgame.net".to_owned(),
            port: 5000,
            login: String::new(),
            password_file: None,
            password_env: "KITAI_GGS_PASSWORD".to_owned(),
            records: PathBuf::from("ggs-records"),
            trust: true,
            rated: true,
            operators: Vec::new(),
            tournaments: Vec::new(),
            engine: Engines::default(),
            accept: Accept::default(),
            idle: Idle::default(),
            answers: Answers::default(),
            connection: Connection::default(),
        }
    }
}

/// Presets: one for everything, others for single kinds of games.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Engines {
    /// Preset by name or file.
    pub preset: Option<String>,
    /// Option values on top of it.
    pub set: toml::Table,
    /// For normal games.
    pub normal: Option<EngineChoice>,
    /// For synchro games.
    pub synchro: Option<EngineChoice>,
    /// For random starts.
    pub random: Option<EngineChoice>,
    /// For komi games.
    pub komi: Option<EngineChoice>,
}

/// A preset and option values on top of it.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct EngineChoice {
    /// Preset by name or file; the common one if it is not given.
    pub preset: Option<String>,
    /// Option values on top of it.
    pub set: toml::Table,
}

/// Which challenges to take.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Accept {
    /// Most matches at once.
    pub matches: u32,
    /// Kinds of games.
    pub kinds: Vec<Kind>,
    /// For ratings or not.
    pub rated: Which,
    /// Least main time of the bot, as the server writes clocks.
    pub least_time: String,
    /// Most main time of either side.
    pub most_time: String,
    /// Least rating of the opponent.
    pub least_rating: f64,
    /// Greatest rating of the opponent.
    pub greatest_rating: f64,
    /// If not empty, only these.
    pub allow: Vec<String>,
    /// Never these.
    pub deny: Vec<String>,
    /// Whether to take up challenges that are meant for everybody.
    pub open_challenges: bool,
    /// What to do about games that were adjourned.
    pub stored: Stored,
    /// Said after every refusal; nothing is said if it is empty.
    pub refusal: String,
}

impl Default for Accept {
    fn default() -> Accept {
        Accept {
            matches: 1,
            kinds: vec![Kind::Normal, Kind::Synchro, Kind::Random, Kind::Komi],
            rated: Which::Both,
            least_time: "1:00".to_owned(),
            most_time: "30:00".to_owned(),
            least_rating: 0.0,
            greatest_rating: 9999.0,
            allow: Vec::new(),
            deny: Vec::new(),
            open_challenges: false,
            stored: Stored::Accept,
            refusal: "Sorry.".to_owned(),
        }
    }
}

/// Rated games, unrated games or both.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Which {
    /// Any.
    Both,
    /// Only rated ones.
    Rated,
    /// Only unrated ones.
    Unrated,
}

/// What to do about adjourned games.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Stored {
    /// Never go on with them.
    Never,
    /// Go on when the opponent asks.
    Accept,
    /// Ask the opponent to go on, too.
    Resume,
}

/// What to do when nobody challenges.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Idle {
    /// Whom to ask.
    pub ask: Ask,
    /// Seconds without a match before asking.
    pub after: f64,
    /// Seconds to wait for an answer before the next is asked.
    pub patience: f64,
    /// Types to ask for, in turn.
    pub types: Vec<String>,
    /// The clock to ask for.
    pub clock: String,
    /// Whom to ask, in turn.
    pub opponents: Vec<String>,
}

impl Default for Idle {
    fn default() -> Idle {
        Idle {
            ask: Ask::Nobody,
            after: 60.0,
            patience: 60.0,
            types: vec!["8".to_owned()],
            clock: "5:00//2:00".to_owned(),
            opponents: Vec::new(),
        }
    }
}

/// Whom to ask for a game.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// Wait to be asked.
    Nobody,
    /// Everybody, with an open challenge.
    Everybody,
    /// The opponents listed, in turn.
    Opponents,
}

/// What to say to questions during a game.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Answers {
    /// To `undo`.
    pub undo: Consent,
    /// To `abort`.
    pub abort: Consent,
    /// To an offered score: whether to offer the solved score in return.
    pub score: bool,
}

impl Default for Answers {
    fn default() -> Answers {
        Answers { undo: Consent::Never, abort: Consent::Unrated, score: false }
    }
}

/// Whether to agree.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Consent {
    /// No.
    Never,
    /// In games that do not count.
    Unrated,
    /// Yes.
    Always,
}

/// Timing of the connection, in seconds.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Connection {
    /// Something is sent at least this often.
    pub keepalive: f64,
    /// The connection is dead if nothing comes for so long after that.
    pub silence: f64,
    /// First wait before connecting again; doubled each time.
    pub reconnect_first: f64,
    /// Longest wait before connecting again.
    pub reconnect_most: f64,
    /// Whether to look, as a guest, if someone else uses the account before logging in again.
    pub look_first: bool,
}

impl Default for Connection {
    fn default() -> Connection {
        Connection {
            keepalive: 50.0,
            silence: 30.0,
            reconnect_first: 5.0,
            reconnect_most: 300.0,
            look_first: true,
        }
    }
}

/// Seconds that were checked to be sensible.
pub(super) fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value).unwrap_or(Duration::from_secs(60))
}

impl Settings {
    /// Reads and checks settings.
    ///
    /// # Errors
    /// Whatever cannot be used, by name.
    pub fn parse(text: &str) -> Result<Settings, SettingsError> {
        let settings: Settings = toml::from_str(text).map_err(Box::new)?;
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), SettingsError> {
        let wrong = |name, reason: &str| SettingsError::Value { name, reason: reason.to_owned() };
        if !is_login(&self.login) {
            let rule = "2 to 8 printable characters without blanks, `,` and `\\`, not starting \
                        with `.` or `_`";
            return Err(wrong("login", rule));
        }
        let lists = [("operators", &self.operators), ("idle.opponents", &self.idle.opponents)];
        for (name, list) in lists {
            if let Some(bad) = list.iter().find(|login| !is_sayable_name(login)) {
                return Err(wrong(name, &format!("`{bad}` cannot be written in a command safely")));
            }
        }
        for (name, value) in [
            ("connection.keepalive", self.connection.keepalive),
            ("connection.silence", self.connection.silence),
            ("connection.reconnect-first", self.connection.reconnect_first),
            ("connection.reconnect-most", self.connection.reconnect_most),
            ("idle.after", self.idle.after),
            ("idle.patience", self.idle.patience),
        ] {
            if !(0.01..=86_400.0).contains(&value) {
                return Err(wrong(name, "seconds, from 0.01 to 86400"));
            }
        }
        if !(1..=16).contains(&self.accept.matches) {
            return Err(wrong("accept.matches", "1 to 16"));
        }
        for text in &self.idle.types {
            let found = GameType::parse(text);
            if found.as_ref().is_none_or(|found| !found.is_playable()) {
                return Err(wrong("idle.types", &format!("`{text}` is no type that Kitai plays")));
            }
            if found.is_some_and(|found| !found.is_askable()) {
                return Err(wrong(
                    "idle.types",
                    &format!("the server has no games of type `{text}`"),
                ));
            }
        }
        if self.idle.ask != Ask::Nobody && self.idle.types.is_empty() {
            return Err(wrong("idle.types", "there is nothing to ask for"));
        }
        if self.idle.ask == Ask::Opponents && self.idle.opponents.is_empty() {
            return Err(wrong("idle.opponents", "there is nobody to ask"));
        }
        let bad_clock =
            |name| move |error| SettingsError::Value { name, reason: format!("{error}") };
        let clock = |text: &str| ClockSettings::parse(text, BareNumber::Minutes);
        clock(&self.idle.clock).map_err(bad_clock("idle.clock"))?;
        clock(&self.accept.least_time).map_err(bad_clock("accept.least-time"))?;
        clock(&self.accept.most_time).map_err(bad_clock("accept.most-time"))?;
        for tournament in &self.tournaments {
            if tournament.is_empty() || !tournament.bytes().all(|b| b.is_ascii_alphanumeric()) {
                return Err(wrong("tournaments", "letters and digits"));
            }
        }
        for kind in [Kind::Normal, Kind::Synchro, Kind::Random, Kind::Komi] {
            self.options(kind)?;
        }
        Ok(())
    }

    /// The options of a kind of game.
    ///
    /// # Errors
    /// An unknown preset, option or value.
    pub fn options(&self, kind: Kind) -> Result<Options, SettingsError> {
        let wrong = |reason: String| SettingsError::Value { name: "engine", reason };
        let own = match kind {
            Kind::Normal => &self.engine.normal,
            Kind::Synchro => &self.engine.synchro,
            Kind::Random => &self.engine.random,
            Kind::Komi => &self.engine.komi,
        };
        let preset = own.as_ref().and_then(|own| own.preset.as_ref());
        let preset = preset.or(self.engine.preset.as_ref()).map_or("default", String::as_str);
        let mut options = config::load(preset).map_err(|error| wrong(error.to_string()))?.options;
        let tables = [Some(&self.engine.set), own.as_ref().map(|own| &own.set)];
        for (name, value) in tables.into_iter().flatten().flatten() {
            let text = match value {
                toml::Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            options.set(name, &text).map_err(|error| wrong(error.to_string()))?;
        }
        use_builtin_by_default(&mut options);
        Ok(options)
    }

    /// Main time bounds of [`Accept`].
    pub(super) fn time_bounds(&self) -> (Duration, Duration) {
        let main = |text: &str| {
            ClockSettings::parse(text, BareNumber::Minutes).map_or(Duration::ZERO, |c| c.main.time)
        };
        (main(&self.accept.least_time), main(&self.accept.most_time))
    }

    /// In words, what the bot will do.
    pub fn describe(&self) -> Vec<String> {
        let Settings { accept, idle, answers, connection, .. } = self;
        let list = |names: &[String]| names.join(", ");
        let kinds: Vec<String> = accept.kinds.iter().map(Kind::to_string).collect();
        let mut said = vec![
            format!("connects to {} port {} as {}", self.host, self.port, self.login),
            match &self.password_file {
                Some(file) => format!("takes the password from the file {}", file.display()),
                None => format!("takes the password from the variable {}", self.password_env),
            },
            format!("plays at most {} match(es) at once: {}", accept.matches, list(&kinds)),
            format!(
                "accepts {} games with {} to {} of main time, opponents rated {} to {}",
                match accept.rated {
                    Which::Both => "rated and unrated",
                    Which::Rated => "rated",
                    Which::Unrated => "unrated",
                },
                accept.least_time,
                accept.most_time,
                accept.least_rating,
                accept.greatest_rating
            ),
        ];
        if !accept.allow.is_empty() {
            said.push(format!("accepts challenges only of {}", list(&accept.allow)));
        }
        if !accept.deny.is_empty() {
            said.push(format!("never plays {}", list(&accept.deny)));
        }
        said.push(
            match (accept.open_challenges, accept.stored) {
                (true, _) => "takes up challenges meant for everybody",
                (false, _) => "leaves challenges meant for everybody alone",
            }
            .to_owned(),
        );
        said.push(
            match accept.stored {
                Stored::Never => "never goes on with adjourned games",
                Stored::Accept => "goes on with an adjourned game when its opponent asks",
                Stored::Resume => "asks opponents to go on with adjourned games",
            }
            .to_owned(),
        );
        said.push(match idle.ask {
            Ask::Nobody => "waits to be challenged".to_owned(),
            Ask::Everybody => format!(
                "after {} s without a match challenges everybody: {} with {}",
                idle.after,
                list(&idle.types),
                idle.clock
            ),
            Ask::Opponents => format!(
                "after {} s without a match asks {} in turn: {} with {}",
                idle.after,
                list(&idle.opponents),
                list(&idle.types),
                idle.clock
            ),
        });
        let consent = |consent| match consent {
            Consent::Never => "never",
            Consent::Unrated => "in unrated games",
            Consent::Always => "always",
        };
        said.push(format!(
            "agrees to undo {}, to abort {}, {} offered scores",
            consent(answers.undo),
            consent(answers.abort),
            if answers.score { "answers solved" } else { "ignores" }
        ));
        said.push(match self.operators.as_slice() {
            [] => "takes commands from nobody".to_owned(),
            operators => format!("takes commands from {}", list(operators)),
        });
        said.push(format!(
            "sends something every {} s, connects again after {} to {} s",
            connection.keepalive, connection.reconnect_first, connection.reconnect_most
        ));
        said.push(format!("keeps games and results in {}", self.records.display()));
        said
    }
}

/// Whether the server takes this as a login.
fn is_login(text: &str) -> bool {
    (2..=8).contains(&text.len())
        && text.bytes().all(|b| (b'!'..=b'~').contains(&b) && b != b',' && b != b'\\')
        && !text.starts_with(['.', '_'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_valid_and_says_what_it_does() {
        let settings = Settings::parse(include_str!("../../../configs/ggs.toml")).unwrap();
        let said = settings.describe().join("\n");
        assert!(said.contains("connects to skatgame.net port 5000"), "{said}");
        assert!(said.contains("never plays"), "{said}");
    }

    #[test]
    fn errors_name_the_setting() {
        let error = |text: &str| Settings::parse(text).unwrap_err().to_string();
        assert!(error("login = \"a b\"").starts_with("`login`: 2 to 8"));
        assert!(error("login = \"kitai\"\nlogon = 1").contains("logon"));
        assert!(error("login = \"kitai\"\noperators = [\"a\\\\b\"]").starts_with("`operators`"));
        assert!(error("login = \"kitai\"\n[accept]\nmatches = 0").starts_with("`accept.matches`"));
        assert!(error("login = \"kitai\"\n[idle]\ntypes = [\"10\"]").contains("`10` is no type"));
        let random = error("login = \"kitai\"\n[idle]\ntypes = [\"8r20\"]");
        assert!(random.contains("no games of type `8r20`"), "{random}");
        assert!(error("login = \"kitai\"\n[idle]\nclock = \"x\"").contains("`x` is no clock"));
        assert!(error("login = \"kitai\"\n[engine]\npreset = \"no\"").contains("no preset"));
        let engine = "login = \"kitai\"\n[engine.komi]\nset = { depth = 99 }";
        assert!(error(engine).contains("`99`"));
    }

    #[test]
    fn each_kind_has_its_engine() {
        let text = "login = \"kitai\"\n[engine]\nset = { depth = 9, hash = 2 }\n\
                    [engine.synchro]\nset = { depth = 7 }";
        let settings = Settings::parse(text).unwrap();
        let depth = |kind| settings.options(kind).unwrap().value_of("depth").unwrap().to_string();
        assert_eq!((depth(Kind::Normal), depth(Kind::Synchro)), ("9".into(), "7".into()));
    }
}
