//! The catalogue of all options: what every method and every evaluation declares, and the engine's
//! own. Whoever sets options by name starts from [`Options::new`], which is here because only here
//! all of them are known.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::book;
use crate::eval::{self, registry::evaluations};
use crate::options::{Catalogue, OptionError, OptionSpec, Options, TypedOption};
use crate::search::{self, methods};

/// How readily a worse move is played.
pub(super) static SOFTNESS: TypedOption<f64> = TypedOption::number(
    "softness",
    0.0,
    64.0,
    0.0,
    "Discs: how readily a worse move is played; 0 always plays the best found.",
);
/// Where that ends.
pub(super) static SOFT_PLIES: TypedOption<i64> = TypedOption::integer(
    "soft-plies",
    0,
    60,
    60,
    "Moves of a game after which softness ends: variety in the opening, full strength later.",
);
/// Thinking on the opponent's time.
pub(super) static PONDER: TypedOption<bool> =
    TypedOption::switch("ponder", false, "Whether to think on the opponent's time.");
/// Time kept back.
pub(super) static MOVE_OVERHEAD: TypedOption<i64> = TypedOption::integer(
    "move-overhead",
    0,
    10_000,
    50,
    "Milliseconds lost to lag with every move, kept back when a clock runs.",
);
/// What GTP's ambiguous clock means.
pub static FISCHER_TIME: TypedOption<bool> = TypedOption::switch(
    "fischer-time",
    false,
    "GTP time_settings MAIN B 0: B seconds are added per move (off: no time limit).",
);

/// The engine's own: changing them keeps the method and its tables.
pub(super) const OWN: &[&OptionSpec] =
    &[&SOFTNESS.spec, &SOFT_PLIES.spec, &PONDER.spec, &MOVE_OVERHEAD.spec, &FISCHER_TIME.spec];

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let mut catalogue = Catalogue::default();
    catalogue.add(&[&search::METHOD.spec, &eval::EVAL.spec]);
    for method in methods() {
        catalogue.add_method(method.name, method.limits);
        catalogue.add_method(method.name, search::registry::COMMON);
        method.options.iter().for_each(|group| catalogue.add_method(method.name, group));
    }
    for evaluation in evaluations() {
        catalogue.add_evaluation(evaluation.name, evaluation.options);
    }
    catalogue.add(OWN);
    catalogue.add(book::options::OPTIONS);
    catalogue
});

/// Every option there is, with who heeds it.
pub fn catalogue() -> &'static Catalogue {
    &CATALOGUE
}

impl Options {
    /// Every option of Kitai at its default.
    pub fn new() -> Options {
        Options::of(&CATALOGUE)
    }

    /// The description of an option of Kitai.
    ///
    /// # Errors
    /// [`OptionError::UnknownName`] naming the valid ones.
    pub fn spec(name: &str) -> Result<&'static OptionSpec, OptionError> {
        CATALOGUE.spec(name)
    }
}

/// As the names and values that someone set.
impl Serialize for Options {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.changed().map(|(name, value)| (name, value.to_string())))
    }
}

impl<'de> Deserialize<'de> for Options {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Options, D::Error> {
        let mut options = Options::new();
        for (name, value) in BTreeMap::<String, String>::deserialize(deserializer)? {
            options.set(&name, &value).map_err(D::Error::custom)?;
        }
        Ok(options)
    }
}

impl Default for Options {
    fn default() -> Options {
        Options::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{OptionKind, OptionValue, Wire};

    #[test]
    fn every_default_is_valid_and_every_option_described() {
        for entry in catalogue().entries() {
            let spec = entry.spec;
            let default = OptionValue::from(spec.default);
            assert_eq!(spec.parse(&default.to_string()), Ok(default), "{}", spec.name);
            assert!(!spec.help.is_empty());
        }
    }

    #[test]
    fn one_name_is_one_option() {
        let all = methods().flat_map(|method| method.options.iter().copied().flatten());
        let all = all.chain(evaluations().flat_map(|evaluation| evaluation.options));
        for spec in all {
            assert!(std::ptr::eq(catalogue().spec(spec.name).unwrap(), *spec), "{}", spec.name);
        }
    }

    #[test]
    fn no_option_that_names_a_file_may_be_set_over_the_network() {
        for entry in catalogue().entries() {
            let spec = entry.spec;
            assert_eq!(spec.kind == OptionKind::Text, spec.wire == Wire::No, "{}", spec.name);
        }
    }
}
