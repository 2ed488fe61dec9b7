//! All experiments one after another: what is missing is run, what is there is kept.
//!
//! A finished experiment is one file, written whole or not at all, so that a run that is killed at
//! any moment goes on where it was; experiments that play matches go on inside them by their logs.

use std::path::{Path, PathBuf};

use thiserror::Error;

use super::bench::{Bench, Data, LabError, Need};
use super::outcome::Outcome;
use super::registry::{EXPERIMENTS, Experiment};
use crate::files;
use crate::record::whole_file;
use crate::search::StopFlag;

/// Bytes that a result may have.
const MOST_BYTES: u64 = 64 << 20;

/// What to run.
pub struct RunAll<'a> {
    /// Where results and logs stand.
    pub folder: &'a Path,
    /// The quick sizes.
    pub quick: bool,
    /// The data that is there.
    pub data: &'a Data,
    /// Only these experiments; all if empty.
    pub only: &'a [String],
    /// Games at a time.
    pub workers: usize,
    /// Raised to stop.
    pub stop: &'a StopFlag,
}

/// What happens, as it happens.
pub enum News<'a> {
    /// It lacks this data and is left out.
    Skipped(&'a Experiment, Need),
    /// Its result is there already.
    Kept(&'a Experiment),
    /// It begins.
    Begun(&'a Experiment),
    /// So many of so many steps of it are done.
    Step(&'a Experiment, u64, u64),
    /// It is finished.
    Finished(&'a Experiment, &'a Outcome),
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Experiments run now.
    pub run: usize,
    /// Experiments whose results were there.
    pub kept: usize,
    /// Experiments left out for want of data.
    pub skipped: usize,
}

/// Why a run ended early.
#[derive(Debug, Error)]
pub enum RunError {
    /// No experiment of this name.
    #[error("no experiment `{0}`; `kitai lab` lists them")]
    Unknown(String),
    /// An experiment failed.
    #[error("{name}: {source}")]
    Experiment {
        /// Which.
        name: &'static str,
        /// Why.
        source: Box<LabError>,
    },
    /// A file cannot be used.
    #[error("{file}: {reason}")]
    File {
        /// Which.
        file: String,
        /// Why.
        reason: String,
    },
}

fn file_error(file: &Path, reason: impl ToString) -> RunError {
    RunError::File { file: file.display().to_string(), reason: reason.to_string() }
}

/// The file of a result.
fn path(folder: &Path, name: &str, quick: bool) -> PathBuf {
    folder.join(format!("{name}{}.json", if quick { ".quick" } else { "" }))
}

/// The result of an experiment, if it is there.
///
/// # Errors
/// If the file is not what [`RunAll::run`] writes.
pub fn load(folder: &Path, name: &str, quick: bool) -> Result<Option<Outcome>, RunError> {
    let path = path(folder, name, quick);
    if !path.exists() {
        return Ok(None);
    }
    let bytes = files::read(&path, MOST_BYTES).map_err(|error| file_error(&path, error))?;
    let outcome = serde_json::from_slice(&bytes);
    outcome.map(Some).map_err(|_| file_error(&path, "no result of an experiment"))
}

impl RunAll<'_> {
    /// The experiments asked for.
    ///
    /// # Errors
    /// If one of the names is unknown.
    pub fn experiments(&self) -> Result<Vec<&'static Experiment>, RunError> {
        for name in self.only {
            super::registry::find(name).ok_or_else(|| RunError::Unknown(name.clone()))?;
        }
        let wanted = |entry: &&Experiment| {
            self.only.is_empty() || self.only.iter().any(|name| name == entry.name)
        };
        Ok(EXPERIMENTS.iter().filter(wanted).collect())
    }

    /// Runs what is missing.
    ///
    /// # Errors
    /// If an experiment fails or is interrupted, or the folder cannot be used.
    pub fn run(&self, tell: &(dyn Fn(News<'_>) + Sync)) -> Result<Counts, RunError> {
        std::fs::create_dir_all(self.folder).map_err(|error| file_error(self.folder, error))?;
        let mut counts = Counts::default();
        for experiment in self.experiments()? {
            if load(self.folder, experiment.name, self.quick)?.is_some() {
                counts.kept += 1;
                tell(News::Kept(experiment));
                continue;
            }
            if let Some(&need) = experiment.needs.iter().find(|&&need| !self.data.has(need)) {
                counts.skipped += 1;
                tell(News::Skipped(experiment, need));
                continue;
            }
            tell(News::Begun(experiment));
            let outcome = self.one(experiment, tell)?;
            let text = serde_json::to_string_pretty(&outcome)
                .map_err(|error| file_error(self.folder, error))?;
            let path = path(self.folder, experiment.name, self.quick);
            whole_file::write(&path, text.as_bytes()).map_err(|error| file_error(&path, error))?;
            counts.run += 1;
            tell(News::Finished(experiment, &outcome));
        }
        Ok(counts)
    }

    fn one(
        &self,
        experiment: &'static Experiment,
        tell: &(dyn Fn(News<'_>) + Sync),
    ) -> Result<Outcome, RunError> {
        let bench = Bench {
            quick: self.quick,
            data: self.data,
            folder: Some(self.folder),
            name: experiment.name,
            workers: self.workers,
            stop: self.stop,
            progress: &|done, all| tell(News::Step(experiment, done, all)),
        };
        let outcome = (experiment.run)(&bench).map_err(|source| RunError::Experiment {
            name: experiment.name,
            source: Box::new(source),
        })?;
        Ok(Outcome { experiment: experiment.name.to_owned(), quick: self.quick, ..outcome })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("kitai-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn what_is_there_is_kept_what_lacks_data_is_counted_and_the_rest_is_run() {
        let folder = folder("lab-all");
        let (data, stop) = (Data::default(), StopFlag::new());
        let only = ["kobayashi-values", "kobayashi-moves"].map(str::to_owned);
        let all = RunAll {
            folder: &folder,
            quick: true,
            data: &data,
            only: &only,
            workers: 1,
            stop: &stop,
        };
        let heard = Mutex::new(Vec::new());
        let tell = |news: News<'_>| {
            let word = match news {
                News::Skipped(entry, Need::Wthor) => format!("skipped {}", entry.name),
                News::Kept(entry) => format!("kept {}", entry.name),
                News::Finished(entry, outcome) => {
                    assert!(outcome.quick && outcome.experiment == entry.name);
                    format!("finished {}", entry.name)
                }
                _ => return,
            };
            heard.lock().unwrap().push(word);
        };
        let first = all.run(&tell).unwrap();
        assert_eq!(first, Counts { run: 1, kept: 0, skipped: 1 });
        let before = load(&folder, "kobayashi-values", true).unwrap().unwrap();
        assert_eq!(all.run(&tell).unwrap(), Counts { run: 0, kept: 1, skipped: 1 });
        let words = heard.into_inner().unwrap();
        assert_eq!(words[0], "finished kobayashi-values");
        assert_eq!(words[2], "kept kobayashi-values");
        // A second run from nothing gives the same file to the letter.
        let file = path(&folder, "kobayashi-values", true);
        let text = std::fs::read(&file).unwrap();
        std::fs::remove_file(&file).unwrap();
        assert_eq!(all.run(&|_| ()).unwrap().run, 1);
        assert_eq!(std::fs::read(&file).unwrap(), text);
        assert_eq!(load(&folder, "kobayashi-values", true).unwrap().unwrap(), before);
        std::fs::write(&file, "{").unwrap();
        assert!(all.run(&|_| ()).unwrap_err().to_string().contains("no result"));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn an_unknown_name_is_told() {
        let folder = folder("lab-unknown");
        let (data, stop) = (Data::default(), StopFlag::new());
        let only = ["kobayashi-42".to_owned()];
        let all = RunAll {
            folder: &folder,
            quick: true,
            data: &data,
            only: &only,
            workers: 1,
            stop: &stop,
        };
        assert!(all.run(&|_| ()).unwrap_err().to_string().contains("kobayashi-42"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
