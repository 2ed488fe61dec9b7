//! Measuring a sigma table stage by stage, into a file that a later run goes on with.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::spread::{Differences, Measure, Model};
use crate::eval::Evaluation;
use crate::files::{self, FileError};
use crate::othello::Position;
use crate::record::{History, whole_file};
use crate::search::StopFlag;
use crate::search::expectation::settings::Spread;
use crate::search::expectation::sigma::{SigmaTable, SigmaTableError};
use crate::training::recorded::sample;

/// Largest table read, bytes: 60 rows for each number of plies ahead are a few thousand.
const LARGEST_TABLE: u64 = 1 << 20;
/// What the first line of a table says before its settings.
const TITLE: &str = "# kitai sigma, ";
/// Discs played in a whole game.
const GAME_MOVES: u32 = 60;

/// Why a table cannot be measured.
#[derive(Debug, Error)]
pub enum SigmaRunError {
    /// The table there cannot be read.
    #[error("{0}")]
    File(#[from] FileError),
    /// The file there is no table.
    #[error("{path}: {problem}")]
    NoTable {
        /// The file.
        path: String,
        /// What is wrong with it.
        problem: SigmaTableError,
    },
    /// The table there was measured otherwise.
    #[error("{path} was measured with other settings: `{found}`, now `{wanted}`")]
    OtherSettings {
        /// The file.
        path: String,
        /// Its settings.
        found: String,
        /// Those asked for.
        wanted: String,
    },
    /// The table cannot be written.
    #[error("{path}: {problem}")]
    Write {
        /// The file.
        path: String,
        /// What the system says.
        problem: std::io::Error,
    },
    /// Stopped before the stage was complete.
    #[error("interrupted; the same command goes on from here")]
    Interrupted,
}

/// What to measure at which stages.
#[derive(Clone, Debug)]
pub struct SigmaPlan {
    /// The measurement at each stage.
    pub measure: Measure,
    /// How rows are made of it.
    pub model: Model,
    /// Discs played at the roots of the stages.
    pub after: RangeInclusive<u32>,
    /// Positions per stage.
    pub positions: usize,
    /// The evaluation's name, for the table's title.
    pub evaluation: String,
}

impl SigmaPlan {
    fn title(&self) -> String {
        let Measure { tree_depth, most_leaves, seed, .. } = &self.measure;
        let leaves = most_leaves.map_or("all".to_owned(), |most| format!("at most {most}"));
        format!(
            "{TITLE}eval {}: {} positions a stage, {leaves} leaves of each {tree_depth} plies deep, \
             model {}, seed {seed}",
            self.evaluation,
            self.positions,
            self.model.name(),
        )
    }
}

/// Positions of one stage.
pub struct Stage {
    /// Discs played at the roots.
    pub discs: u32,
    /// Discs played at the leaves: the row of the table.
    pub leaf_move: u32,
    /// The roots.
    pub positions: Vec<Position>,
}

/// A table being measured.
pub struct SigmaRun {
    plan: SigmaPlan,
    file: Option<PathBuf>,
    table: SigmaTable,
}

impl SigmaRun {
    /// Goes on with the table in the file, if there is one.
    ///
    /// # Errors
    /// If the file is no table or was measured with other settings.
    pub fn open(plan: SigmaPlan, file: Option<&Path>) -> Result<SigmaRun, SigmaRunError> {
        let mut table = SigmaTable::default();
        if let Some(path) = file.filter(|path| path.exists()) {
            let bytes = files::read(path, LARGEST_TABLE)?;
            let text = String::from_utf8_lossy(&bytes);
            let wanted = plan.title();
            let path = path.display().to_string();
            if let Some(found) = text.lines().find(|line| line.starts_with(TITLE))
                && found != wanted
            {
                let found = found.to_owned();
                return Err(SigmaRunError::OtherSettings { path, found, wanted });
            }
            table = SigmaTable::parse(&text)
                .map_err(|problem| SigmaRunError::NoTable { path, problem })?;
        }
        Ok(SigmaRun { plan, file: file.map(Path::to_owned), table })
    }

    /// The stages that the table has no row of yet and the games have positions of.
    pub fn stages(&self, games: &[History]) -> Vec<Stage> {
        let Measure { tree_depth, ahead, seed, .. } = self.plan.measure;
        let missing = |discs: &u32| {
            let leaf_move = discs + tree_depth;
            leaf_move <= GAME_MOVES && self.table.row(ahead, leaf_move as usize).is_none()
        };
        let stage = |discs| Stage {
            discs,
            leaf_move: discs + tree_depth,
            positions: sample(games, discs, self.plan.positions, seed),
        };
        let stages = self.plan.after.clone().filter(missing).map(stage);
        stages.filter(|stage| !stage.positions.is_empty()).collect()
    }

    /// Measures a stage and writes the table with its row. `progress` is told of every position.
    ///
    /// # Errors
    /// If stopped, or if the table cannot be written.
    pub fn measure(
        &mut self,
        stage: &Stage,
        evaluation: &Evaluation,
        stop: &StopFlag,
        progress: &(dyn Fn() + Sync),
    ) -> Result<(Differences, Spread), SigmaRunError> {
        let found = self
            .plan
            .measure
            .run(evaluation, &stage.positions, stop, progress)
            .ok_or(SigmaRunError::Interrupted)?;
        let spread = found.spread(self.plan.model);
        self.table.insert(self.plan.measure.ahead, stage.leaf_move as usize, spread);
        if let Some(path) = &self.file {
            let text = format!("{}\n{}", self.plan.title(), self.table.to_text());
            whole_file::write(path, text.as_bytes()).map_err(|problem| SigmaRunError::Write {
                path: path.display().to_string(),
                problem,
            })?;
        }
        Ok((found, spread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::discs::Discs;
    use crate::othello::random::random_move;
    use crate::random::seeded;
    use crate::search::expectation::Deviation;
    use crate::search::expectation::settings::ExpectationSettings;
    use std::sync::Arc;

    fn games() -> Vec<History> {
        let mut rng = seeded(4);
        let game = |_| {
            let mut game = History::default();
            while let Some(chosen) = random_move(game.board().position, &mut rng) {
                game.play(chosen).unwrap();
            }
            game
        };
        (0..5).map(game).collect()
    }

    fn plan(seed: u64) -> SigmaPlan {
        let settings = ExpectationSettings::with_sigma(Deviation::ZERO);
        let measure = Measure { tree_depth: 1, ahead: 1, most_leaves: Some(3), seed, settings };
        SigmaPlan {
            measure,
            model: Model::Paper,
            after: 50..=53,
            positions: 2,
            evaluation: "discs".to_owned(),
        }
    }

    /// Measures some stages of the plan into the file.
    fn measure(file: &Path, stages: usize) {
        let discs = Evaluation::Other(Arc::new(Discs));
        let mut run = SigmaRun::open(plan(1), Some(file)).unwrap();
        for stage in run.stages(&games()).iter().take(stages) {
            run.measure(stage, &discs, &StopFlag::new(), &|| ()).unwrap();
        }
    }

    #[test]
    fn an_interrupted_table_is_completed_to_the_same_file_and_other_settings_are_refused() {
        let folder = std::env::temp_dir().join(format!("kitai-{}-sigma", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (whole, resumed) = (folder.join("whole.csv"), folder.join("resumed.csv"));
        measure(&whole, 4);
        measure(&resumed, 2);
        measure(&resumed, 4);
        let read = |path: &Path| std::fs::read_to_string(path).unwrap();
        assert_eq!(read(&whole), read(&resumed));
        assert_eq!(SigmaTable::parse(&read(&whole)).unwrap().aheads(), [1]);
        let refused = SigmaRun::open(plan(2), Some(&whole)).err().unwrap().to_string();
        assert!(refused.contains("other settings") && refused.contains("seed 2"), "{refused}");
        std::fs::write(&resumed, "no table").unwrap();
        assert!(matches!(
            SigmaRun::open(plan(1), Some(&resumed)),
            Err(SigmaRunError::NoTable { .. })
        ));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
