//! What a fit learns from and what it is validated on: the positions of many files, each once.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::network::{Sample, targets};
use super::positions::{self, PositionsError};
use crate::othello::hash::hash;
use crate::othello::symmetry::canonical;

/// Position files that are read together.
const FILES_AT_ONCE: usize = 4;

/// Position files and how to use them.
#[derive(Clone, Debug)]
pub struct Collection {
    /// Files whose positions are learnt from once in a pass.
    pub once: Vec<PathBuf>,
    /// Files whose positions are learnt from several times in a pass …
    pub often: Vec<PathBuf>,
    /// … so many times.
    pub times: usize,
    /// Files to validate on; if there is none, one game in `split` of the other files.
    pub validation: Vec<PathBuf>,
    /// See `validation`.
    pub split: u32,
    /// What the next position's target counts, see [`targets`].
    pub follow: f32,
}

/// The positions of a collection with their targets. No position, up to symmetry, is both learnt from
/// and validated on.
#[derive(Clone, Debug, PartialEq)]
pub struct Samples {
    /// To learn from.
    pub train: Vec<Sample>,
    /// To validate on.
    pub validation: Vec<Sample>,
    /// How many were left out because one met earlier is the same up to symmetry.
    pub repeated: usize,
}

/// What a file is there for.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Validation,
    Often,
    Once,
}

/// A position of a file.
struct Prepared {
    sample: Sample,
    /// Of the position up to symmetry.
    hash: u64,
    kept_back: bool,
    /// How many times it is learnt from in a pass.
    times: usize,
}

impl Collection {
    /// Reads the files. What is met first counts: positions to validate on come before those that
    /// count often, and these before the rest.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged.
    pub fn read(&self) -> Result<Samples, PositionsError> {
        let with = |role: Role| move |file| (file, role);
        let files: Vec<(&PathBuf, Role)> = (self.validation.iter().map(with(Role::Validation)))
            .chain(self.often.iter().map(with(Role::Often)))
            .chain(self.once.iter().map(with(Role::Once)))
            .collect();
        let mut samples = Samples { train: Vec::new(), validation: Vec::new(), repeated: 0 };
        let mut seen = HashSet::new();
        // A few files at a time: all positions of all files at once would need twice the memory.
        for some in files.chunks(FILES_AT_ONCE) {
            let prepared: Result<Vec<Vec<Prepared>>, PositionsError> =
                some.par_iter().map(|&(file, role)| self.prepare(file, role)).collect();
            for Prepared { sample, hash, kept_back, times } in prepared?.into_iter().flatten() {
                if !seen.insert(hash) {
                    samples.repeated += 1;
                } else if kept_back {
                    samples.validation.push(sample);
                } else {
                    samples.train.extend(std::iter::repeat_n(sample, times));
                }
            }
        }
        Ok(samples)
    }

    /// The positions of a file with their targets.
    fn prepare(&self, file: &Path, role: Role) -> Result<Vec<Prepared>, PositionsError> {
        let scored = positions::read(file)?;
        let by_games = self.validation.is_empty();
        let prepared = targets(&scored, self.follow).into_par_iter().zip(&scored);
        let prepared = prepared.map(|(sample, scored)| Prepared {
            sample,
            hash: hash(canonical(sample.position).0),
            kept_back: role == Role::Validation
                || by_games && scored.game.is_multiple_of(self.split),
            times: if role == Role::Often { self.times } else { 1 },
        });
        Ok(prepared.collect())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::options::Options;
    use crate::othello::Position;
    use crate::search::StopFlag;
    use crate::training::positions::tests::TempFile;
    use crate::training::selfplay::{SelfPlaySettings, selfplay};

    fn games(name: &str, seed: u64) -> TempFile {
        let mut options = Options::new();
        options.set("hash", "1").unwrap();
        options.set("eval", "mobility").unwrap();
        let settings = SelfPlaySettings {
            options,
            games: 30,
            depth: 1,
            exact_from: 4,
            opening: 2..=6,
            beginnings: None,
            balance: 64.0,
            strays: 0.1,
            exact_strays: 0.0,
            seed,
        };
        let file = TempFile::new(name);
        selfplay(&file.0, &settings, &StopFlag::new(), |_| {}).unwrap();
        file
    }

    fn keys(samples: &[Sample]) -> HashSet<Position> {
        samples.iter().map(|sample| canonical(sample.position).0).collect()
    }

    #[test]
    fn every_position_counts_once_or_as_often_as_asked_and_none_is_learnt_and_validated() {
        let (one, other) = (games("once", 3), games("often", 4));
        let collection = Collection {
            once: vec![one.0.clone(), one.0.clone()],
            often: vec![other.0.clone()],
            times: 3,
            validation: Vec::new(),
            split: 5,
            follow: 0.5,
        };
        let samples = collection.read().unwrap();
        let all: usize =
            [&one, &one, &other].iter().map(|file| positions::read(&file.0).unwrap().len()).sum();
        let (learnt, validated) = (keys(&samples.train), keys(&samples.validation));
        assert_eq!(samples.validation.len(), validated.len());
        assert_eq!(learnt.len() + validated.len() + samples.repeated, all);
        assert!(learnt.is_disjoint(&validated));
        // The second reading of a file repeats all of it.
        assert!(samples.repeated >= positions::read(&one.0).unwrap().len());
        let often = keys(&Collection { once: Vec::new(), ..collection }.read().unwrap().train);
        let mut counts: HashMap<Position, usize> = HashMap::new();
        for sample in &samples.train {
            *counts.entry(canonical(sample.position).0).or_default() += 1;
        }
        for (position, count) in counts {
            assert_eq!(count, if often.contains(&position) { 3 } else { 1 });
        }
    }

    #[test]
    fn files_to_validate_on_come_first_and_are_not_learnt_from() {
        let (one, other) = (games("learnt", 5), games("validated", 6));
        let collection = Collection {
            once: vec![one.0.clone(), other.0.clone()],
            often: Vec::new(),
            times: 1,
            validation: vec![other.0.clone()],
            split: 2,
            follow: 0.0,
        };
        let samples = collection.read().unwrap();
        assert_eq!(keys(&samples.validation), {
            let alone = targets(&positions::read(&other.0).unwrap(), 0.0);
            keys(&alone)
        });
        assert!(keys(&samples.train).is_disjoint(&keys(&samples.validation)));
        assert!(!samples.train.is_empty());
    }
}
