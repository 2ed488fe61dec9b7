//! The mechanism of options: kinds, typed handles, parsing, and what a network client may set.
//!
//! There is no list of names here. Each method, evaluation and room declares its options beside its
//! code as [`TypedOption`]s, which are also the only way to read them; the [`Catalogue`] of all of
//! them is assembled from the registries ([`crate::engine::catalogue`]). Command line,
//! `configs/*.toml`, GTP, NBoard and matches set options by name through [`Options`]; an unknown
//! name or a value out of range is an error that names the valid ones.

mod catalogue;
mod handle;

use std::collections::BTreeMap;
use std::fmt;

use thiserror::Error;

pub use catalogue::{Catalogue, CatalogueEntry};
pub use handle::{OptionType, TypedOption};

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
    /// A number of threads from 1, or `auto` for every core the machine has.
    Cores {
        /// Greatest value.
        max: i64,
    },
    /// `true` or `false`.
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text, e.g. a file name; may be empty.
    Text,
}

/// One option as its room describes it.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// Lower case with hyphens.
    pub name: &'static str,
    /// Type and range.
    pub kind: OptionKind,
    /// The default.
    pub default: DefaultValue,
    /// One sentence: what it does and its unit.
    pub help: &'static str,
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

/// A default, known at compile time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DefaultValue {
    /// Of an [`OptionKind::Integer`].
    Integer(i64),
    /// Of an [`OptionKind::Number`].
    Number(f64),
    /// Of an [`OptionKind::Switch`].
    Switch(bool),
    /// Of a choice or text.
    Text(&'static str),
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
        /// The text.
        value: String,
        /// What it must be.
        expected: String,
    },
    /// The value is valid but cannot be used, such as a weights file that cannot be read.
    #[error("option `{name}`: {reason}")]
    Unusable {
        /// The option.
        name: &'static str,
        /// Why not.
        reason: String,
    },
}

impl OptionKind {
    /// What a value must be, in words: `a whole number from 1 to 64`.
    pub fn expected(&self) -> String {
        match self {
            OptionKind::Integer { min, max } => format!("a whole number from {min} to {max}"),
            OptionKind::Number { min, max } => format!("a number from {min} to {max}"),
            OptionKind::Cores { max } => {
                format!("a whole number from 1 to {max}, or auto for every core")
            }
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
            OptionKind::Cores { max } if text.eq_ignore_ascii_case("auto") => {
                let cores = std::thread::available_parallelism().map_or(1, usize::from);
                Some(OptionValue::Integer((cores as i64).min(*max)))
            }
            OptionKind::Cores { max } => OptionKind::Integer { min: 1, max: *max }.parse(text),
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

    /// That a value of this option cannot be used, and why.
    pub fn unusable(&self, reason: impl fmt::Display) -> OptionError {
        OptionError::Unusable { name: self.name, reason: reason.to_string() }
    }
}

/// A set of option values: the defaults, changed where someone set something.
#[derive(Clone, Debug)]
pub struct Options {
    catalogue: &'static Catalogue,
    changed: BTreeMap<&'static str, OptionValue>,
}

/// Equal if every option has the same value.
impl PartialEq for Options {
    fn eq(&self, other: &Options) -> bool {
        self.changed == other.changed
    }
}

impl Options {
    /// Every option of a catalogue at its default.
    pub fn of(catalogue: &'static Catalogue) -> Options {
        Options { catalogue, changed: BTreeMap::new() }
    }

    /// Sets an option from text; on an error nothing changes.
    ///
    /// # Errors
    /// An unknown name, or a value of the wrong type or out of range.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), OptionError> {
        let spec = self.catalogue.spec(name)?;
        let value = spec.parse(text)?;
        self.changed.insert(spec.name, value);
        Ok(())
    }

    /// Sets an option through its handle; on an error nothing changes.
    ///
    /// # Errors
    /// A value out of range.
    pub fn put<T: OptionType>(
        &mut self,
        option: &TypedOption<T>,
        value: T,
    ) -> Result<(), OptionError> {
        let value = option.spec.parse(&value.to_string())?;
        self.changed.insert(option.spec.name, value);
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
        self.changed.remove(self.catalogue.spec(name)?.name);
        Ok(())
    }

    /// Puts an option that the program knows back to its default.
    pub fn unset(&mut self, option: &OptionSpec) {
        self.changed.remove(option.name);
    }

    /// The value of an option.
    pub fn get<T: OptionType>(&self, option: &TypedOption<T>) -> T {
        handle::note_read(option.spec.name);
        self.changed
            .get(option.spec.name)
            .and_then(T::of_value)
            .unwrap_or_else(|| option.default.into())
    }

    /// The value that someone set, if anyone did.
    pub fn chosen<T: OptionType>(&self, option: &TypedOption<T>) -> Option<T> {
        handle::note_read(option.spec.name);
        self.changed.get(option.spec.name).and_then(T::of_value)
    }

    /// The value of an option of any type, for lists.
    pub fn value(&self, spec: &OptionSpec) -> OptionValue {
        self.changed.get(spec.name).cloned().unwrap_or_else(|| spec.default.into())
    }

    /// The value of the option of this name, for people who asked for it.
    ///
    /// # Errors
    /// An unknown name.
    pub fn value_of(&self, name: &str) -> Result<OptionValue, OptionError> {
        self.catalogue.spec(name).map(|spec| self.value(spec))
    }

    /// The options that someone set, by name.
    pub fn changed(&self) -> impl Iterator<Item = (&'static str, &OptionValue)> {
        self.changed.iter().map(|(&name, value)| (name, value))
    }
}

impl From<DefaultValue> for OptionValue {
    fn from(default: DefaultValue) -> OptionValue {
        match default {
            DefaultValue::Integer(value) => OptionValue::Integer(value),
            DefaultValue::Number(value) => OptionValue::Number(value),
            DefaultValue::Switch(value) => OptionValue::Switch(value),
            DefaultValue::Text(value) => OptionValue::Text(value.to_owned()),
        }
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
pub(crate) use handle::reads_during;

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::LazyLock;

    static COUNT: TypedOption<i64> = TypedOption::integer("count", 1, 256, 1, "How many.");
    static WORD: TypedOption<String> =
        TypedOption::choice("word", &["yes", "maybe"], "yes", "Which.");
    static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
        let mut catalogue = Catalogue::default();
        catalogue.add(&[&COUNT.spec, &WORD.spec]);
        catalogue
    });

    #[test]
    fn errors_name_the_valid_values_and_change_nothing() {
        let mut options = Options::of(&CATALOGUE);
        let unknown = options.set("cuont", "3").unwrap_err().to_string();
        assert!(unknown.contains("`cuont`") && unknown.contains("count, word"), "{unknown}");
        let bad = options.set("count", "0").unwrap_err().to_string();
        assert!(bad.contains("`0` is not a whole number from 1 to 256"), "{bad}");
        assert!(options.put(&COUNT, 257).is_err());
        assert!(options.set("word", "magic").unwrap_err().to_string().contains("yes, maybe"));
        assert_eq!(options, Options::of(&CATALOGUE));
    }

    #[test]
    fn setting_and_resetting_works_by_name_in_any_case_and_by_handle() {
        let mut options = Options::of(&CATALOGUE);
        options.set("Count", " 2 ").unwrap();
        assert_eq!(options.get(&COUNT), 2);
        options.reset("count").unwrap();
        assert_eq!(options, Options::of(&CATALOGUE));
        options.put(&WORD, "maybe".to_owned()).unwrap();
        assert_eq!((options.get(&COUNT), options.get(&WORD).as_str()), (1, "maybe"));
        options.unset(&WORD.spec);
        assert_eq!(options.value(&WORD.spec), OptionValue::Text("yes".to_owned()));
    }
}
