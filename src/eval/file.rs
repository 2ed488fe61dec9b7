//! Evaluators that come from a file: read with care, kept for the next who asks.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use super::Evaluation;
use crate::files;

/// Which evaluator a file gave, and when the file was last changed.
#[derive(Clone, PartialEq)]
struct Origin {
    eval: String,
    file: PathBuf,
    modified: Option<SystemTime>,
    bytes: u64,
}

/// The evaluator that `make` makes of a file's bytes, at most `most` of them, taken over from an
/// earlier call if the file is still the same: the games of a match use one after the other what
/// takes a while to read. Nobody waits for another's file.
///
/// # Errors
/// Why the file cannot be read or used, beginning with its name.
pub(super) fn shared<E: std::fmt::Display>(
    eval: &str,
    file: &Path,
    most: u64,
    make: impl FnOnce(&[u8]) -> Result<Evaluation, E>,
) -> Result<Evaluation, String> {
    /// Evaluators kept, those used last.
    const KEPT: usize = 4;
    static LOADED: Mutex<Vec<(Origin, Evaluation)>> = Mutex::new(Vec::new());

    let named = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let found = std::fs::metadata(file).map_err(|error| named(&error))?;
    let origin = Origin {
        eval: eval.to_owned(),
        file: file.to_owned(),
        modified: found.modified().ok(),
        bytes: found.len(),
    };
    // Held only to look and to put away, never while reading.
    let kept = || LOADED.lock().unwrap_or_else(PoisonError::into_inner);
    let known = kept().iter().find(|(known, _)| *known == origin).map(|(_, made)| made.clone());
    let evaluation = match known {
        Some(evaluation) => evaluation,
        None => {
            let bytes = files::read(file, most).map_err(|error| named(&error))?;
            make(&bytes).map_err(|error| named(&error))?
        }
    };
    let mut kept = kept();
    kept.retain(|(known, _)| *known != origin);
    kept.push((origin, evaluation.clone()));
    let surplus = kept.len().saturating_sub(KEPT);
    kept.drain(..surplus);
    Ok(evaluation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::mobility::Mobility;
    use std::sync::Arc;

    #[test]
    fn one_file_that_takes_long_holds_nobody_up() {
        let path = |name: &str| {
            std::env::temp_dir().join(format!("kitai-{}-{name}.bin", std::process::id()))
        };
        let (slow, quick) = (path("slow"), path("quick"));
        std::fs::write(&slow, b"1").unwrap();
        std::fs::write(&quick, b"2").unwrap();
        let make = || Ok::<_, String>(Evaluation::Other(Arc::new(Mobility)));
        let made = shared("slow", &slow, 10, |_| {
            // While one is being made another is had.
            shared("quick", &quick, 10, |_| make())?;
            make()
        });
        assert!(made.is_ok());
        std::fs::remove_file(slow).unwrap();
        std::fs::remove_file(quick).unwrap();
    }
}
