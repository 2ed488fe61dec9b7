//! The one registry of engine options: name, type, range, default, help.
//!
//! Command line, `configs/*.toml`, GTP, NBoard and matches all read and set options through
//! [`Options`]; an unknown name or a value out of range is an error that names the valid ones.
//! The options themselves stand in [`table`].

pub mod table;

use std::collections::BTreeMap;
use std::fmt;

use thiserror::Error;

pub use table::OPTIONS;

/// Type and range of an option.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OptionKind {
    /// A whole number within these bounds, both included.
    Integer {
        /// Least value.
        min: i64,
        /// Greatest value.
        max: i64,
    },
    /// A number within these bounds, both included.
    Number {
        /// Least value.
        min: f64,
        /// Greatest value.
        max: f64,
    },
    /// `true` or `false`.
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text, e.g. a file name; may be empty.
    Text,
}

/// One option as the registry describes it.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// Lower case with hyphens.
    pub name: &'static str,
    /// Type and range.
    pub kind: OptionKind,
    /// The default, as text that the kind accepts.
    pub default: &'static str,
    /// One sentence: what it does and its unit.
    pub help: &'static str,
    /// The methods that heed it; empty if all do.
    pub methods: &'static [&'static str],
    /// Whether a client on the network may set it.
    pub wire: Wire,
}

/// What a client on the network may do with an option; local users (command line, presets,
/// standard streams) may set all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// Set it freely.
    Yes,
    /// Not set it: it names a file of the machine that the server runs on.
    No,
    /// Set it within what the server grants to all its clients together: threads and memory.
    Budgeted,
}

/// A checked value.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    /// Of an [`OptionKind::Integer`].
    Integer(i64),
    /// Of an [`OptionKind::Number`].
    Number(f64),
    /// Of an [`OptionKind::Switch`].
    Switch(bool),
    /// Of a choice or text.
    Text(String),
}

/// Why an option was not set.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum OptionError {
    /// No such option.
    #[error("unknown option `{name}`; valid options: {valid}")]
    UnknownName {
        /// What was asked for.
        name: String,
        /// All names, separated by commas.
        valid: String,
    },
    /// The text is not of the option's type or outside its range.
    #[error("option `{name}`: `{value}` is not {expected}")]
    BadValue {
        /// The option.
        name: &'static str,
        /// The text given.
        value: String,
        /// What would do.
        expected: String,
    },
    /// The value is well formed but cannot be used (a file that cannot be read, …).
    #[error("option `{name}`: {reason}")]
    Unusable {
        /// The option.
        name: &'static str,
        /// Why not.
        reason: String,
    },
}

impl OptionError {
    /// An option that asks for more memory, in MiB, than there is.
    pub fn no_memory(name: &'static str, options: &Options) -> OptionError {
        let reason = format!("this machine has not {} MiB to give", options.get(name));
        OptionError::Unusable { name, reason }
    }
}

impl OptionKind {
    /// What a value must be, in words: `a whole number from 1 to 64`.
    pub fn expected(&self) -> String {
        match self {
            OptionKind::Integer { min, max } => format!("a whole number from {min} to {max}"),
            OptionKind::Number { min, max } => format!("a number from {min} to {max}"),
            OptionKind::Switch => "true or false".to_owned(),
            OptionKind::Choice(words) => format!("one of {}", words.join(", ")),
            OptionKind::Text => "a text".to_owned(),
        }
    }

    fn parse(&self, text: &str) -> Option<OptionValue> {
        let text = text.trim();
        match self {
            OptionKind::Integer { min, max } => text
                .parse()
                .ok()
                .filter(|value| (min..=max).contains(&value))
                .map(OptionValue::Integer),
            OptionKind::Number { min, max } => text
                .parse()
                .ok()
                .filter(|value: &f64| value >= min && value <= max)
                .map(OptionValue::Number),
            OptionKind::Switch => match text.to_ascii_lowercase().as_str() {
                "true" | "on" | "yes" | "1" => Some(OptionValue::Switch(true)),
                "false" | "off" | "no" | "0" => Some(OptionValue::Switch(false)),
                _ => None,
            },
            OptionKind::Choice(words) => words
                .iter()
                .find(|word| word.eq_ignore_ascii_case(text))
                .map(|word| OptionValue::Text((*word).to_owned())),
            OptionKind::Text => Some(OptionValue::Text(text.to_owned())),
        }
    }
}

impl OptionSpec {
    /// Checks a text against type and range.
    ///
    /// # Errors
    /// [`OptionError::BadValue`] naming what is accepted.
    pub fn parse(&self, text: &str) -> Result<OptionValue, OptionError> {
        self.kind.parse(text).ok_or_else(|| OptionError::BadValue {
            name: self.name,
            value: text.to_owned(),
            expected: self.kind.expected(),
        })
    }
}

/// A set of option values: the defaults, changed where someone set something.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Options {
    changed: BTreeMap<&'static str, OptionValue>,
}

impl Options {
    /// Every option at its default.
    pub fn new() -> Options {
        Options::default()
    }

    /// The description of an option.
    ///
    /// # Errors
    /// [`OptionError::UnknownName`] naming the valid ones.
    pub fn spec(name: &str) -> Result<&'static OptionSpec, OptionError> {
        OPTIONS.iter().find(|spec| spec.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
            OptionError::UnknownName {
                name: name.to_owned(),
                valid: OPTIONS.iter().map(|s| s.name).collect::<Vec<_>>().join(", "),
            }
        })
    }

    /// Sets an option from text; on an error nothing changes.
    ///
    /// # Errors
    /// An unknown name, or a value of the wrong type or out of range.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), OptionError> {
        let spec = Options::spec(name)?;
        let value = spec.parse(text)?;
        self.changed.insert(spec.name, value);
        Ok(())
    }

    /// Takes over every value that `other` sets; the others stay.
    pub fn overlay(&mut self, other: &Options) {
        self.changed.extend(other.changed.iter().map(|(&name, value)| (name, value.clone())));
    }

    /// Puts an option back to its default.
    ///
    /// # Errors
    /// An unknown name.
    pub fn reset(&mut self, name: &str) -> Result<(), OptionError> {
        self.changed.remove(Options::spec(name)?.name);
        Ok(())
    }

    /// The value of a registered option.
    ///
    /// # Panics
    /// If no such option is registered: names are written in the program, not by users.
    pub fn get(&self, name: &str) -> OptionValue {
        let spec = Options::spec(name).expect("options read by the program are registered");
        self.changed.get(spec.name).cloned().unwrap_or_else(|| {
            spec.parse(spec.default).expect("every registered default is valid (tested)")
        })
    }

    /// A whole-number option.
    pub fn integer(&self, name: &str) -> i64 {
        match self.get(name) {
            OptionValue::Integer(value) => value,
            other => unreachable!("option {name} is no integer: {other:?}"),
        }
    }

    /// A number option.
    pub fn number(&self, name: &str) -> f64 {
        match self.get(name) {
            OptionValue::Number(value) => value,
            other => unreachable!("option {name} is no number: {other:?}"),
        }
    }

    /// A switch.
    pub fn switch(&self, name: &str) -> bool {
        match self.get(name) {
            OptionValue::Switch(value) => value,
            other => unreachable!("option {name} is no switch: {other:?}"),
        }
    }

    /// A choice or text.
    pub fn text(&self, name: &str) -> String {
        match self.get(name) {
            OptionValue::Text(value) => value,
            other => unreachable!("option {name} is no text: {other:?}"),
        }
    }

    /// The options that differ from their defaults, by name.
    pub fn changed(&self) -> impl Iterator<Item = (&'static str, &OptionValue)> {
        self.changed.iter().map(|(&name, value)| (name, value))
    }
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Integer(value) => value.fmt(f),
            OptionValue::Number(value) => value.fmt(f),
            OptionValue::Switch(value) => value.fmt(f),
            OptionValue::Text(value) => value.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_valid_and_every_name_unique() {
        let mut names: Vec<_> = OPTIONS.iter().map(|spec| spec.name).collect();
        for spec in OPTIONS {
            assert!(spec.parse(spec.default).is_ok(), "{}", spec.name);
            assert!(!spec.help.is_empty());
        }
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), OPTIONS.len());
    }

    #[test]
    fn no_option_that_takes_free_text_may_be_set_over_the_network() {
        for spec in OPTIONS {
            assert!(spec.kind != OptionKind::Text || spec.wire == Wire::No, "{}", spec.name);
        }
    }

    #[test]
    fn errors_name_the_valid_values_and_change_nothing() {
        let mut options = Options::new();
        let unknown = options.set("dept", "3").unwrap_err().to_string();
        assert!(unknown.contains("`dept`") && unknown.contains("threads"), "{unknown}");
        let bad = options.set("threads", "0").unwrap_err().to_string();
        assert!(bad.contains("`0` is not a whole number from 1 to"), "{bad}");
        assert!(options.set("method", "magic").unwrap_err().to_string().contains("minimax"));
        assert_eq!(options, Options::new());
    }

    #[test]
    fn setting_and_resetting_works_by_name_in_any_case() {
        let mut options = Options::new();
        options.set("Threads", " 2 ").unwrap();
        assert_eq!(options.integer("threads"), 2);
        options.reset("threads").unwrap();
        assert_eq!(options, Options::new());
    }
}
