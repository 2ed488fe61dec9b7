//! The adaptive level: an opponent that keeps a person's score near one half.
//!
//! The person has a rating on the scale of the levels (docs/levels.md), moved after every game by
//! Elo's rule: by more while few games are known. The next opponent is one of the two levels around
//! that rating, the nearer the likelier, so that the mean of their ratings is the person's.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::config;
use crate::record::whole_file;
use crate::statistics::elo::expected_score;

/// How far one game moves a rating at first and later, Elo.
const FIRST_STEP: f64 = 300.0;
const LAST_STEP: f64 = 60.0;
/// As strong as this a person is taken to be who has played no game yet.
const BEGINNER: &str = "level-2";
/// Games whose score is told.
const RECENT: usize = 20;
/// Largest file taken for a person's rating, bytes.
const LARGEST_FILE: u64 = 1 << 16;

/// What is known of a person.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Person {
    /// Elo above a random mover.
    pub rating: f64,
    /// Games counted.
    pub games: u32,
    /// Scores of the last games, 1 for a win.
    pub recent: Vec<f64>,
}

/// An opponent to choose.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rung {
    /// The preset.
    pub preset: String,
    /// Its measured rating.
    pub rating: f64,
}

/// The rated presets for people, weakest first.
pub(super) fn ladder() -> Vec<Rung> {
    let mut rungs: Vec<Rung> = config::built_in()
        .filter(|preset| preset.name == "random" || preset.name.starts_with("level-"))
        .filter_map(|preset| Some(Rung { rating: preset.rating? as f64, preset: preset.name }))
        .collect();
    rungs.sort_by(|a, b| a.rating.total_cmp(&b.rating));
    rungs
}

impl Person {
    /// Someone who has played no game yet.
    pub(super) fn new(ladder: &[Rung]) -> Person {
        let start = ladder.iter().find(|rung| rung.preset == BEGINNER);
        let rating = start.map_or(0.0, |rung| rung.rating);
        Person { rating, games: 0, recent: Vec::new() }
    }

    /// The person that a file tells of; a new one if there is none, or it cannot be understood.
    pub(super) fn load(path: &Path, ladder: &[Rung]) -> Person {
        let read = crate::files::read(path, LARGEST_FILE).ok();
        read.and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .filter(|person: &Person| person.rating.is_finite())
            .unwrap_or_else(|| Person::new(ladder))
    }

    /// Keeps it.
    pub(super) fn save(&self, path: &Path) -> std::io::Result<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        whole_file::write(path, serde_json::to_string(self)?.as_bytes())
    }

    /// The next opponent; `chance` from 0 to 1 decides between the two around the rating.
    pub(super) fn opponent<'a>(&self, ladder: &'a [Rung], chance: f64) -> Option<&'a Rung> {
        let above = ladder.iter().position(|rung| rung.rating >= self.rating);
        match above {
            None => ladder.last(),
            Some(0) => ladder.first(),
            Some(above) => {
                let (low, high) = (&ladder[above - 1], &ladder[above]);
                let share = (self.rating - low.rating) / (high.rating - low.rating).max(1e-9);
                Some(if chance < share { high } else { low })
            }
        }
    }

    /// Counts a game: 1 for a win, ½ for a draw, 0 for a loss.
    pub(super) fn count(&mut self, opponent: f64, score: f64) {
        let step = (FIRST_STEP / f64::from(self.games + 1).sqrt()).max(LAST_STEP);
        self.rating += step * (score - expected_score(self.rating - opponent));
        self.games += 1;
        self.recent.push(score);
        if self.recent.len() > RECENT {
            self.recent.remove(0);
        }
    }

    /// `rating 512 after 7 games, 54 % of the last 7`.
    pub(super) fn summary(&self) -> String {
        let share = self.recent.iter().sum::<f64>() / self.recent.len().max(1) as f64;
        format!(
            "rating {:.0} after {}, {:.0} % of the last {}",
            self.rating,
            crate::text::count(u64::from(self.games), "game"),
            100.0 * share,
            self.recent.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::seeded;
    use rand::Rng;

    #[test]
    fn whoever_plays_scores_near_one_half_in_the_last_games() {
        let ladder = ladder();
        assert!(ladder.len() >= 12, "{ladder:?}");
        let (low, high) = (ladder[0].rating, ladder[ladder.len() - 1].rating);
        for (index, truth) in [low + 20.0, 150.0, 400.0, 900.0, high - 20.0].into_iter().enumerate()
        {
            let mut random = seeded(index as u64);
            let mut person = Person::new(&ladder);
            let (games, watched) = (400, 200);
            let mut points = 0.0;
            for game in 0..games {
                let rung = person.opponent(&ladder, random.random()).unwrap();
                let won = random.random::<f64>() < expected_score(truth - rung.rating);
                let score = if won { 1.0 } else { 0.0 };
                points += if game >= games - watched { score } else { 0.0 };
                person.count(rung.rating, score);
            }
            let share = points / f64::from(watched);
            assert!((0.4..=0.6).contains(&share), "rated {truth}: {share}");
        }
    }

    #[test]
    fn the_ends_of_the_ladder_hold_and_files_are_kept() {
        let ladder = ladder();
        let mut person = Person::new(&ladder);
        person.rating = -500.0;
        assert_eq!(person.opponent(&ladder, 0.5).unwrap().preset, "random");
        person.rating = 1e6;
        assert_eq!(person.opponent(&ladder, 0.5), ladder.last());
        person.count(0.0, 1.0);
        let folder = std::env::temp_dir().join(format!("kitai-{}-person", std::process::id()));
        let path = folder.join("deep/person.json");
        person.save(&path).unwrap();
        assert_eq!(Person::load(&path, &ladder), person);
        std::fs::write(&path, "{").unwrap();
        assert_eq!(Person::load(&path, &ladder), Person::new(&ladder));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
