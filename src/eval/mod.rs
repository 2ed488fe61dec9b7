//! What a position is worth: evaluators, by name.
//!
//! An [`Evaluator`] gives a value in [`UNIT`]ths of a disc from the mover's point of view. The
//! names are the values of the `eval` option, so every method, config and protocol can use each.
//!
//! The minimax hot path asks through [`Incremental`] instead, which carries what changes little from
//! a position to its child (pattern indices) along the line; evaluators without such a state take
//! part through the implementation for `&dyn Evaluator`.

pub mod discs;
pub mod geometry;
pub mod linear;
pub mod mobility;
pub mod pattern;
pub mod reach;
pub mod shioda;
pub mod zebra;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use crate::options::{OptionError, Options};
use crate::othello::{Position, Square};

/// Evaluation units per disc.
pub const UNIT: i32 = 128;

/// Judges positions without searching.
pub trait Evaluator: Send + Sync {
    /// The value in [`UNIT`]ths of a disc from the mover's point of view, within ±64 discs. The
    /// position need not have a legal move.
    fn evaluate(&self, position: Position) -> i32;
}

/// Judges positions along a line of play, keeping what changes little from move to move.
pub trait Incremental: Send + Sync {
    /// What is carried along; belongs to one position.
    type State: Copy + Send + Sync;

    /// The state of any position.
    fn root(&self, position: Position) -> Self::State;

    /// The state after a disc on `square` that flips `flips`, from the state before it.
    fn child(&self, state: &Self::State, square: Square, flips: u64) -> Self::State;

    /// The state after a pass.
    fn passed(&self, state: &Self::State) -> Self::State;

    /// The value of the position that `state` belongs to, as [`Evaluator::evaluate`] gives it.
    fn value(&self, state: &Self::State, position: Position) -> i32;

    /// The same where it matters to a search with this window: a value that lies outside may be a
    /// rougher one, on the same side of the window.
    #[inline]
    fn value_near(&self, state: &Self::State, position: Position, alpha: i32, beta: i32) -> i32 {
        let _ = (alpha, beta);
        self.value(state, position)
    }
}

/// Any evaluator, asked afresh at every position.
impl Incremental for &dyn Evaluator {
    type State = ();

    fn root(&self, _position: Position) {}

    #[inline]
    fn child(&self, _state: &(), _square: Square, _flips: u64) {}

    #[inline]
    fn passed(&self, _state: &()) {}

    #[inline]
    fn value(&self, _state: &(), position: Position) -> i32 {
        self.evaluate(position)
    }
}

/// An evaluator together with how the search can best ask it.
#[derive(Clone)]
pub enum Evaluation {
    /// `pattern`. Searches should be monomorphic for it and the next.
    Pattern(Arc<pattern::Pattern>),
    /// A plain sum of pattern tables: `zebra`.
    Linear(Arc<linear::Linear>),
    /// Anything else, asked afresh at every position.
    Other(Arc<dyn Evaluator>),
}

impl Evaluation {
    /// The plain view that every method understands.
    pub fn evaluator(&self) -> Arc<dyn Evaluator> {
        match self {
            Evaluation::Pattern(pattern) => pattern.clone(),
            Evaluation::Linear(linear) => linear.clone(),
            Evaluation::Other(other) => other.clone(),
        }
    }
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
    let name = options.text("eval");
    if let Some(ablation) = zebra::Ablation::from_name(&name) {
        return load_zebra(options, ablation);
    }
    if name == "pattern" {
        return load_pattern(options);
    }
    Ok(Evaluation::Other(match name.as_str() {
        "discs" => Arc::new(discs::Discs),
        "shioda" => Arc::new(shioda::Shioda::new(
            options.number("shioda-noise"),
            options.integer("seed") as u64,
        )),
        _ => Arc::new(mobility::Mobility),
    }))
}

fn load_pattern(options: &Options) -> Result<Evaluation, OptionError> {
    let file = options.text("weights");
    if file.is_empty() {
        return Ok(Evaluation::Pattern(pattern::embedded()));
    }
    let load = |file: &Path| {
        let weights = pattern::Weights::load(file)?;
        Ok(Evaluation::Pattern(Arc::new(pattern::Pattern::new(&weights))))
    };
    shared("pattern", Path::new(&file), load).map_err(|error: pattern::WeightsError| {
        OptionError::Unusable { name: "weights", reason: error.to_string() }
    })
}

fn load_zebra(options: &Options, ablation: zebra::Ablation) -> Result<Evaluation, OptionError> {
    let unusable = |reason| OptionError::Unusable { name: "zebra-coeffs", reason };
    let file = options.text("zebra-coeffs");
    if file.is_empty() {
        return Err(unusable("the zebra evaluation needs a file like coeffs2.bin".to_owned()));
    }
    let load = |file: &Path| {
        zebra::load(file, ablation).map(|linear| Evaluation::Linear(Arc::new(linear)))
    };
    shared(&options.text("eval"), Path::new(&file), load)
        .map_err(|error| unusable(error.to_string()))
}

/// Which evaluator a file gave, and when the file was last changed.
#[derive(Clone, PartialEq)]
struct Origin {
    eval: String,
    file: PathBuf,
    modified: Option<SystemTime>,
    bytes: u64,
}

/// The evaluator that `load` makes of a file, taken over from an earlier call if the file is still
/// the same: the games of a match use one after the other what takes a while to read.
fn shared<E>(
    eval: &str,
    file: &Path,
    load: impl FnOnce(&Path) -> Result<Evaluation, E>,
) -> Result<Evaluation, E> {
    /// Evaluators kept, those used last.
    const KEPT: usize = 4;
    static LOADED: Mutex<Vec<(Origin, Evaluation)>> = Mutex::new(Vec::new());

    let Ok(found) = std::fs::metadata(file) else { return load(file) };
    let origin = Origin {
        eval: eval.to_owned(),
        file: file.to_owned(),
        modified: found.modified().ok(),
        bytes: found.len(),
    };
    let lock = || LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let take_known = |loaded: &mut Vec<(Origin, Evaluation)>| {
        let known = loaded.iter().position(|(known, _)| *known == origin);
        known.map(|index| loaded.remove(index).1)
    };
    let known = take_known(&mut lock());
    // Nobody waits for the disk of somebody else: files are read without the lock.
    let evaluation = match known {
        Some(evaluation) => evaluation,
        None => load(file)?,
    };
    let mut loaded = lock();
    // Somebody may have read the same file meanwhile; one of them is enough.
    let evaluation = take_known(&mut loaded).unwrap_or(evaluation);
    loaded.push((origin, evaluation.clone()));
    let surplus = loaded.len().saturating_sub(KEPT);
    loaded.drain(..surplus);
    Ok(evaluation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::OptionKind;
    use crate::testdata::shared_data;

    #[test]
    fn every_name_of_the_eval_option_builds() {
        let OptionKind::Choice(names) = Options::spec("eval").unwrap().kind else { panic!() };
        let coefficients = shared_data("zebra/coeffs2.bin");
        for name in names {
            let mut options = Options::new();
            options.set("eval", name).unwrap();
            if name.starts_with("zebra") {
                let Some(file) = &coefficients else { continue };
                options.set("zebra-coeffs", &file.to_string_lossy()).unwrap();
            }
            let value = build(&options).unwrap().evaluate(Position::START);
            assert!(value.abs() < 8 * UNIT, "{name}: {value} at the start");
        }
    }

    #[test]
    fn an_unchanged_file_is_read_once_and_a_changed_one_anew() {
        let file = std::env::temp_dir().join(format!("kitai-{}-shared.bin", std::process::id()));
        let mut options = Options::new();
        options.set("weights", &file.to_string_lossy()).unwrap();
        let write = |constant| {
            let mut weights = pattern::Weights::zero();
            weights.constants.fill(constant);
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
