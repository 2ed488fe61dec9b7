//! Presets: option values by name, from a TOML file or from the ones built into the binary.
//!
//! A preset is a flat table. `description` is one sentence for lists; every other key is an engine
//! option (see [`crate::options`]) with its value:
//!
//! ```toml
//! description = "expectation search, three plies"
//! method = "expectation"
//! depth = 3
//! sigma = 8.5
//! ```

use std::path::Path;

use thiserror::Error;

use crate::options::{OptionError, Options};

/// A named set of option values.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// File name without `.toml`.
    pub name: String,
    /// One sentence for lists.
    pub description: String,
    /// The values.
    pub options: Options,
}

/// Why a preset cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// Neither a file nor a built-in name.
    #[error("no preset or file `{name}`; built-in presets: {valid}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// The built-in names.
        valid: String,
    },
    /// The file cannot be read.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Not TOML.
    #[error("{file}: {source}")]
    Toml {
        /// The file.
        file: String,
        /// Where and what.
        source: Box<toml::de::Error>,
    },
    /// A key or value the registry does not accept.
    #[error("{file}: {source}")]
    Option {
        /// The file.
        file: String,
        /// Which and why.
        source: OptionError,
    },
    /// A value that is neither text, number nor boolean.
    #[error("{file}: `{key}` must be a text, a number, true or false")]
    BadType {
        /// The file.
        file: String,
        /// The key.
        key: String,
    },
}

/// A preset of `configs/`, built into the binary: name and text.
macro_rules! preset {
    ($name:literal) => {
        ($name, include_str!(concat!("../configs/", $name, ".toml")))
    };
}

/// The presets in `configs/`.
const BUILT_IN: &[(&str, &str)] = &[
    preset!("default"),
    preset!("expectation"),
    preset!("kobayashi-2002"),
    preset!("kobayashi-2002-moves"),
    preset!("tebika"),
    preset!("level-1"),
    preset!("level-2"),
    preset!("level-3"),
    preset!("level-4"),
    preset!("level-5"),
    preset!("level-6"),
    preset!("level-7"),
    preset!("level-8"),
    preset!("level-9"),
    preset!("level-10"),
    preset!("mcts"),
    preset!("mixed"),
    preset!("om"),
    preset!("semi-random"),
    preset!("speculative"),
    preset!("shared"),
    preset!("uct-e-1000"),
    preset!("uct-e-10000"),
    preset!("uct-plain-1000"),
    preset!("uct-plain-10000"),
    preset!("uct-t-1000"),
    preset!("uct-t-10000"),
];

/// Largest file taken for a preset, bytes.
const LARGEST_FILE: u64 = 1 << 20;

/// The names of the built-in presets.
pub fn built_in_names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|(name, _)| *name)
}

/// The built-in presets.
pub fn built_in() -> impl Iterator<Item = Preset> {
    BUILT_IN
        .iter()
        .map(|(name, text)| parse(name, text).expect("built-in presets are valid (tested)"))
}

/// The preset in this file, or the built-in one of this name.
///
/// # Errors
/// If there is neither, or the file is not a valid preset.
pub fn load(name: &str) -> Result<Preset, ConfigError> {
    if let Some((name, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
        return parse(name, text);
    }
    let path = Path::new(name);
    if !path.exists() {
        return Err(unknown(name));
    }
    let bytes = crate::files::read(path, LARGEST_FILE)
        .map_err(|error| ConfigError::Io { file: name.to_owned(), source: error.into() })?;
    parse(name, &String::from_utf8_lossy(&bytes))
}

/// The built-in preset `level-N` for human opponents.
///
/// # Errors
/// If there is no such level.
pub fn load_level(level: u32) -> Result<Preset, ConfigError> {
    let name = format!("level-{level}");
    // Clients on the network choose levels: a file of that name is nothing to them.
    match BUILT_IN.iter().find(|(known, _)| *known == name) {
        Some((name, text)) => parse(name, text),
        None => Err(unknown(&name)),
    }
}

fn unknown(name: &str) -> ConfigError {
    let valid = built_in_names().collect::<Vec<_>>().join(", ");
    ConfigError::Unknown { name: name.to_owned(), valid }
}

/// The preset in this text; `file` is for its name and for messages.
///
/// # Errors
/// If it is not a valid preset.
pub fn parse(file: &str, text: &str) -> Result<Preset, ConfigError> {
    let table: toml::Table = text
        .parse()
        .map_err(|source| ConfigError::Toml { file: file.to_owned(), source: Box::new(source) })?;
    let name = Path::new(file).file_stem().map_or(file.into(), |stem| stem.to_string_lossy());
    let mut preset =
        Preset { name: name.into_owned(), description: String::new(), options: Options::new() };
    for (key, value) in &table {
        let text = match value {
            toml::Value::String(text) => text.clone(),
            toml::Value::Integer(number) => number.to_string(),
            toml::Value::Float(number) => number.to_string(),
            toml::Value::Boolean(switch) => switch.to_string(),
            _ => return Err(ConfigError::BadType { file: file.to_owned(), key: key.clone() }),
        };
        if key == "description" {
            preset.description = text;
        } else {
            preset
                .options
                .set(key, &text)
                .map_err(|source| ConfigError::Option { file: file.to_owned(), source })?;
        }
    }
    Ok(preset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_file_in_configs_is_a_valid_built_in_preset() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter(|entry| entry.as_ref().unwrap().file_type().unwrap().is_file())
            // Settings of the bot, which name presets.
            .filter(|entry| entry.as_ref().unwrap().file_name() != "ggs.toml")
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        assert_eq!(files, built_in_names().map(str::to_owned).collect());
        for preset in built_in() {
            assert!(!preset.description.is_empty(), "{}", preset.name);
        }
    }

    #[test]
    fn every_level_replaces_every_other() {
        let names =
            |preset: Preset| -> Vec<_> { preset.options.changed().map(|(name, _)| name).collect() };
        let first = names(load_level(1).unwrap());
        for level in 2..=10 {
            assert_eq!(names(load_level(level).unwrap()), first, "level {level}");
        }
    }

    #[test]
    fn errors_name_file_and_key() {
        let error = |text: &str| parse("my.toml", text).unwrap_err().to_string();
        assert!(error("depht = 3").contains("my.toml: unknown option `depht`"));
        assert!(error("depth = 99").contains("`99` is not a whole number from 0 to 60"));
        assert!(error("depth = [3]").contains("`depth` must be"));
        assert!(error("depth 3").contains("my.toml"));
        let unknown = load("no-such-preset").unwrap_err().to_string();
        assert!(unknown.contains("built-in presets: ") && unknown.contains("default"));
    }
}
