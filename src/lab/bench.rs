//! What an experiment is given: how large to be, the data that is there, a place for its match logs,
//! and somebody to tell how far it is.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::arena::conduct::{self, Conduct, ConductError, Progress};
use crate::arena::runner::Here;
use crate::arena::standing::Games;
use crate::arena::{OpeningError, Plan, SpecError, Standing};
use crate::options::OptionError;
use crate::record::{History, OpenError};
use crate::search::StopFlag;
use crate::training::recorded::read_games;

/// Data that does not come with Kitai.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Games of the WTHOR database.
    Wthor,
    /// Zebra's coefficients.
    Zebra,
}

impl Need {
    /// What it is and where a user gets it.
    pub fn describe(self) -> &'static str {
        match self {
            Need::Wthor => {
                "WTHOR games (wthor/WTH_1977.wtb and later years), from the French Othello \
                 federation's site, under La base WTHOR"
            }
            Need::Zebra => {
                "Zebra's coefficients (zebra/coeffs2.bin), in the source archive of Zebra"
            }
        }
    }

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Need::Wthor => "WTHOR games",
            Need::Zebra => "Zebra's coefficients",
        }
    }
}

/// The data that is there.
#[derive(Clone, Debug, Default)]
pub struct Data {
    folder: Option<PathBuf>,
}

impl Data {
    /// What a folder with `wthor/` and `zebra/` holds; without one, nothing.
    pub fn in_folder(folder: Option<PathBuf>) -> Data {
        Data { folder }
    }

    /// Whether this is there.
    pub fn has(&self, need: Need) -> bool {
        match need {
            Need::Wthor => self.wthor(WTHOR_LATER).iter().any(|file| file.is_file()),
            Need::Zebra => self.zebra().is_some_and(|file| file.is_file()),
        }
    }

    /// The files of these years that are there.
    fn wthor(&self, years: std::ops::RangeInclusive<u32>) -> Vec<PathBuf> {
        let Some(folder) = &self.folder else { return Vec::new() };
        let file = |year| folder.join("wthor").join(format!("WTH_{year}.wtb"));
        years.map(file).filter(|file| file.is_file()).collect()
    }

    /// Zebra's coefficients.
    pub fn zebra(&self) -> Option<PathBuf> {
        self.folder.as_ref().map(|folder| folder.join("zebra").join("coeffs2.bin"))
    }
}

/// Years from which the 2002 paper's σ is measured: games of before those that are judged.
pub const WTHOR_EARLY: std::ops::RangeInclusive<u32> = 1977..=1989;
/// Years from which positions are judged.
pub const WTHOR_LATER: std::ops::RangeInclusive<u32> = 1990..=2001;

/// The workbench of one experiment.
pub struct Bench<'a> {
    /// Small sizes, to see that everything works.
    pub quick: bool,
    /// The data.
    pub data: &'a Data,
    /// Where matches keep their logs; without one nothing can be resumed.
    pub folder: Option<&'a Path>,
    /// The experiment's name, for the names of logs.
    pub name: &'a str,
    /// Games at a time.
    pub workers: usize,
    /// Raised to stop.
    pub stop: &'a StopFlag,
    /// Told of steps done and of all.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
}

/// Why an experiment has no result.
#[derive(Debug, Error)]
pub enum LabError {
    /// Stopped before its end.
    #[error("interrupted")]
    Interrupted,
    /// Data that is not there.
    #[error("missing: {}", .0.describe())]
    Missing(Need),
    /// An option cannot be used.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// A player cannot be had.
    #[error(transparent)]
    Player(#[from] SpecError),
    /// There are no openings.
    #[error(transparent)]
    Openings(#[from] OpeningError),
    /// A match cannot be played.
    #[error(transparent)]
    Match(#[from] ConductError),
    /// Games cannot be read.
    #[error(transparent)]
    Games(#[from] OpenError),
}

impl Bench<'_> {
    /// The quick or the full size.
    pub fn size(&self, quick: usize, full: usize) -> usize {
        if self.quick { quick } else { full }
    }

    /// The WTHOR games of these years.
    ///
    /// # Errors
    /// If there are none or a file cannot be read.
    pub fn games(&self, years: std::ops::RangeInclusive<u32>) -> Result<Vec<History>, LabError> {
        let mut files = self.data.wthor(years);
        if files.is_empty() {
            return Err(LabError::Missing(Need::Wthor));
        }
        if self.quick {
            // The last years have the most games.
            files.drain(..files.len().saturating_sub(2));
        }
        Ok(read_games(&files)?.games)
    }

    /// Zebra's coefficients.
    ///
    /// # Errors
    /// If they are not there.
    pub fn zebra(&self) -> Result<PathBuf, LabError> {
        self.data.zebra().filter(|file| file.is_file()).ok_or(LabError::Missing(Need::Zebra))
    }

    /// The result, unless somebody stopped the work.
    ///
    /// # Errors
    /// If somebody did.
    pub fn finished<T>(&self, result: Option<T>) -> Result<T, LabError> {
        match result {
            Some(result) if !self.stop.is_stopped() => Ok(result),
            _ => Err(LabError::Interrupted),
        }
    }

    /// Plays a match to its end, going on where its log ends.
    ///
    /// # Errors
    /// If it cannot be played or was interrupted.
    pub fn play(&self, plan: &Plan, suffix: &str) -> Result<(Games, Standing), LabError> {
        let size = if self.quick { ".quick" } else { "" };
        let out = self.folder.map(|folder| folder.join(format!("{}{suffix}{size}", self.name)));
        let total = plan.games() as u64;
        let mut games = Games::new();
        let mut here = Here(self.workers);
        let how = Conduct {
            out: out.clone(),
            venue: &mut here,
            replay: Vec::new(),
            learn: None,
            logs: None,
        };
        let standing = conduct::conduct(plan, how, self.stop, &mut |news| {
            if let Progress::Played(so_far) = news {
                (self.progress)(so_far.len() as u64, total);
                if so_far.len() as u64 == total {
                    games.clone_from(so_far);
                }
            }
        })?;
        if !standing.is_complete() {
            return Err(LabError::Interrupted);
        }
        if games.is_empty() {
            // All of them were in the log already.
            let Some(out) = out else { return Err(LabError::Interrupted) };
            let mut name = out.into_os_string();
            name.push(".jsonl");
            let (_, logged, _) =
                crate::arena::Log::open(Path::new(&name), plan).map_err(ConductError::Log)?;
            games = logged;
        }
        Ok((games, standing))
    }
}
