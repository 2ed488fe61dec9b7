//! Which methods there are: one line for each folder.

use super::uncertainty::{Judged, ROOT_CHOICE};
use super::{Method, alpha_beta, expectation, mcts, minimax, opponent, shared};
use crate::options::{OptionError, OptionSpec, Options, TypedOption};

/// A method as the registry knows it.
pub struct MethodSpec {
    /// The value of the `method` option.
    pub name: &'static str,
    /// One sentence for lists.
    pub help: &'static str,
    /// The limits it heeds.
    pub limits: &'static [&'static OptionSpec],
    /// The other options it heeds, in groups; those of the evaluation are the evaluation's.
    pub options: &'static [&'static [&'static OptionSpec]],
    /// Makes a searcher from option values.
    pub build: fn(&Options) -> Result<Box<dyn Method>, OptionError>,
}

/// Every method; adding one is its folder and a line here.
const METHODS: &[&[MethodSpec]] = &[
    minimax::METHODS,
    mcts::METHODS,
    expectation::METHODS,
    opponent::METHODS,
    shared::METHODS,
    alpha_beta::METHODS,
    #[cfg(test)]
    super::dummy::METHODS,
];

const COUNT: usize = {
    let (mut count, mut folder) = (0, 0);
    while folder < METHODS.len() {
        count += METHODS[folder].len();
        folder += 1;
    }
    count
};

static NAMES: [&str; COUNT] = {
    let (mut names, mut count, mut folder) = ([""; COUNT], 0, 0);
    while folder < METHODS.len() {
        let mut index = 0;
        while index < METHODS[folder].len() {
            names[count] = METHODS[folder][index].name;
            count += 1;
            index += 1;
        }
        folder += 1;
    }
    names
};

/// Which method to use.
pub static METHOD: TypedOption<String> =
    TypedOption::choice("method", &NAMES, "minimax", "The idea behind the search.");

/// What every method heeds, because it is built here.
pub const COMMON: &[&OptionSpec] = &[&ROOT_CHOICE.spec];

/// All methods.
pub fn methods() -> impl Iterator<Item = &'static MethodSpec> {
    METHODS.iter().copied().flatten()
}

/// The method that the options choose.
///
/// # Errors
/// If there is no such method, which the option itself does not accept.
pub fn chosen(options: &Options) -> Result<&'static MethodSpec, OptionError> {
    let name = options.get(&METHOD);
    let found = methods().find(|method| method.name == name);
    found.ok_or_else(|| METHOD.spec.unusable(format_args!("no method `{name}`")))
}

/// The method that the options choose, made with their values.
///
/// # Errors
/// A value that cannot be used, such as a weights file that cannot be read.
pub fn build(options: &Options) -> Result<Box<dyn Method>, OptionError> {
    let method = (chosen(options)?.build)(options)?;
    Ok(Box::new(Judged::new(method, options)))
}

impl MethodSpec {
    /// Whether a search of this method looks at a limit or another option.
    pub fn heeds(&self, option: &OptionSpec) -> bool {
        let all = self.limits.iter().chain(self.options.iter().copied().flatten());
        let all = all.chain(COMMON);
        all.into_iter().any(|own| own.name == option.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::reads_during;
    use crate::othello::Position;
    use crate::search::{Limits, Request, StopFlag};

    #[test]
    fn methods_declare_exactly_the_options_they_read() {
        for method in methods() {
            let mut options = Options::new();
            options.set("method", method.name).unwrap();
            // Without options of its own.
            options.set("eval", "discs").unwrap();
            let read = reads_during(|| drop(build(&options).unwrap()));
            let declared = method.options.iter().copied().flatten().map(|spec| spec.name);
            let declared = declared.chain(COMMON.iter().map(|spec| spec.name));
            let declared = declared.chain(["method", "eval"]).collect();
            assert_eq!(read, declared, "{}", method.name);
        }
    }

    /// The dummy of [`super::super::dummy`] is one folder and one line above.
    #[test]
    fn a_new_method_needs_its_folder_and_a_registry_line() {
        let mut options = Options::new();
        options.set("method", "dummy").unwrap();
        options.set("dummy-choice", "2").unwrap();
        let request = Request::new(Position::START, Limits::default());
        let outcome = build(&options).unwrap().search(&request, &StopFlag::new(), &mut |_| {});
        let third = Position::START.children().nth(2).unwrap().0;
        assert_eq!(outcome.best_move(), Some(third));
    }
}
