//! Which evaluations there are: one line for each file.

use std::sync::Arc;

use super::{Evaluation, Evaluator, discs, mobility, pattern, shioda, zebra};
use crate::options::{OptionError, OptionSpec, Options, TypedOption};

/// An evaluation as the registry knows it.
pub struct EvaluationSpec {
    /// The value of the `eval` option.
    pub name: &'static str,
    /// A few words for lists.
    pub help: &'static str,
    /// The options it heeds.
    pub options: &'static [&'static OptionSpec],
    /// Makes it from option values.
    pub build: fn(&Options) -> Result<Evaluation, OptionError>,
}

/// Every evaluation; adding one is its file and a line here.
const EVALUATIONS: &[&[EvaluationSpec]] = &[
    pattern::EVALUATIONS,
    mobility::EVALUATIONS,
    discs::EVALUATIONS,
    shioda::EVALUATIONS,
    zebra::EVALUATIONS,
    #[cfg(test)]
    super::dummy::EVALUATIONS,
];

const COUNT: usize = {
    let (mut count, mut file) = (0, 0);
    while file < EVALUATIONS.len() {
        count += EVALUATIONS[file].len();
        file += 1;
    }
    count
};

static NAMES: [&str; COUNT] = {
    let (mut names, mut count, mut file) = ([""; COUNT], 0, 0);
    while file < EVALUATIONS.len() {
        let mut index = 0;
        while index < EVALUATIONS[file].len() {
            names[count] = EVALUATIONS[file][index].name;
            count += 1;
            index += 1;
        }
        file += 1;
    }
    names
};

/// The names of all evaluations after `same`, which stands for the one that [`EVAL`] names.
pub(crate) static EVAL_OR_SAME: [&str; COUNT + 1] = {
    let (mut names, mut index) = (["same"; COUNT + 1], 0);
    while index < COUNT {
        names[index + 1] = NAMES[index];
        index += 1;
    }
    names
};

/// Which evaluation to use.
pub static EVAL: TypedOption<String> = TypedOption::choice(
    "eval",
    &NAMES,
    "pattern",
    "What positions are worth: pattern (trained tables), mobility (simple, no weights), discs \
     (disc difference), shioda (square values, stable edges, moves), zebra (a coefficient file; w1 \
     to w9 leave patterns out).",
);

/// All evaluations.
pub fn evaluations() -> impl Iterator<Item = &'static EvaluationSpec> {
    EVALUATIONS.iter().copied().flatten()
}

/// The evaluator that the options choose.
///
/// # Errors
/// If it needs a file that cannot be read.
pub fn build(options: &Options) -> Result<Arc<dyn Evaluator>, OptionError> {
    choose(options).map(|evaluation| evaluation.evaluator())
}

/// The evaluator that the options choose, for searches that keep its state along their lines.
///
/// # Errors
/// If it needs a file that cannot be read.
pub fn choose(options: &Options) -> Result<Evaluation, OptionError> {
    by_name(&options.get(&EVAL), options)
}

/// The evaluation of this name, made with the options' values.
///
/// # Errors
/// If it needs a file that cannot be read.
pub(crate) fn by_name(name: &str, options: &Options) -> Result<Evaluation, OptionError> {
    let chosen = evaluations().find(|evaluation| evaluation.name == name);
    let chosen =
        chosen.ok_or_else(|| EVAL.spec.unusable(format_args!("no evaluation `{name}`")))?;
    // One that has several names looks here which of them it is asked by.
    let mut named = options.clone();
    named.set(EVAL.spec.name, name)?;
    (chosen.build)(&named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::UNIT;
    use crate::options::reads_during;
    use crate::othello::Position;
    use crate::testdata::shared_data;

    #[test]
    fn every_name_of_the_eval_option_builds() {
        for EvaluationSpec { name, .. } in evaluations() {
            let mut options = Options::new();
            options.set("eval", name).unwrap();
            if name.starts_with("zebra") {
                continue;
            }
            let value = build(&options).unwrap().evaluate(Position::START);
            assert!(value.abs() < 8 * UNIT, "{name}: {value} at the start");
        }
    }

    #[test]
    #[ignore = "needs shared data (KITAI_DATA)"]
    fn zebra_is_found_by_name_whatever_eval_says_with_shared_data() {
        let mut options = Options::new();
        let file = shared_data("zebra/coeffs2.bin");
        options.set("zebra-coeffs", &file.to_string_lossy()).unwrap();
        let by_name = by_name("zebra-w3", &options).unwrap().evaluator();
        options.set("eval", "zebra-w3").unwrap();
        let chosen = build(&options).unwrap();
        let position = Position::START.play("f5".parse().unwrap()).unwrap();
        assert_eq!(by_name.evaluate(position), chosen.evaluate(position));
    }

    #[test]
    #[ignore = "needs shared data (KITAI_DATA)"]
    fn every_zebra_evaluation_builds_with_shared_data() {
        let coefficients = shared_data("zebra/coeffs2.bin");
        for EvaluationSpec { name, .. } in evaluations() {
            let mut options = Options::new();
            options.set("eval", name).unwrap();
            if !name.starts_with("zebra") {
                continue;
            }
            options.set("zebra-coeffs", &coefficients.to_string_lossy()).unwrap();
            let value = build(&options).unwrap().evaluate(Position::START);
            assert!(value.abs() < 8 * UNIT, "{name}: {value} at the start");
        }
    }

    #[test]
    fn evaluations_declare_exactly_the_options_they_read() {
        for evaluation in evaluations() {
            let mut options = Options::new();
            options.set("eval", evaluation.name).unwrap();
            let read = reads_during(|| {
                // Zebra lacks its file here, which is a value of the option all the same.
                let _ = choose(&options);
            });
            let declared = evaluation.options.iter().map(|spec| spec.name);
            assert_eq!(read, declared.chain(["eval"]).collect(), "{}", evaluation.name);
        }
    }

    /// The dummy of [`super::super::dummy`] is one file and one line above.
    #[test]
    fn a_new_evaluation_needs_its_file_and_a_registry_line() {
        let mut options = Options::new();
        options.set("eval", "dummy").unwrap();
        options.set("dummy-value", "7").unwrap();
        assert_eq!(build(&options).unwrap().evaluate(Position::START), 7);
    }

    #[test]
    fn an_unchanged_file_is_read_once_and_a_changed_one_anew() {
        let file = std::env::temp_dir().join(format!("kitai-{}-shared.bin", std::process::id()));
        let mut options = Options::new();
        options.set("weights", &file.to_string_lossy()).unwrap();
        let write = |constant| {
            let mut weights = pattern::Weights::zero();
            for read_out in &mut weights.read_outs {
                read_out.constant = constant;
            }
            // Another length too: the clock of the file system may be coarse.
            weights.constants[..constant as usize].fill(-constant);
            std::fs::write(&file, weights.to_bytes()).unwrap();
        };
        let chosen = || match choose(&options).unwrap() {
            Evaluation::Pattern(pattern) => pattern,
            _ => panic!("`pattern` is the default"),
        };
        write(5);
        let first = chosen();
        assert!(Arc::ptr_eq(&first, &chosen()));
        write(50);
        let second = chosen();
        assert!(!Arc::ptr_eq(&first, &second));
        assert_ne!(first.evaluate(Position::START), second.evaluate(Position::START));
        std::fs::remove_file(&file).unwrap();
    }

    #[test]
    fn a_weights_file_that_cannot_be_read_is_named() {
        let mut options = Options::new();
        options.set("eval", "pattern").unwrap();
        options.set("weights", "no/such/file").unwrap();
        let error = build(&options).err().unwrap().to_string();
        assert!(error.contains("`weights`") && error.contains("no/such/file"), "{error}");
    }

    #[test]
    fn zebra_without_a_file_says_which_option_is_missing() {
        let mut options = Options::new();
        options.set("eval", "zebra").unwrap();
        assert!(build(&options).err().unwrap().to_string().contains("`zebra-coeffs`"));
        options.set("zebra-coeffs", "no/such/file").unwrap();
        assert!(build(&options).err().unwrap().to_string().contains("no/such/file"));
    }
}
