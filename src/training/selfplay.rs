//! Games against itself: a random opening, then both sides search, now and then straying from the
//! best move so that the games cover what searches meet.
//!
//! Each game depends on the seed and its number only. Games are written in order, so an interrupted
//! run goes on with the game after the last one in the file.

use std::ops::RangeInclusive;
use std::path::Path;

use rand::Rng;
use rayon::prelude::*;

use super::label::LabelError;
use super::positions::{self, Scored, Writer};
use super::scorer::Scorer;
use crate::options::Options;
use crate::othello::Position;
use crate::othello::random::random_move;
use crate::random::seeded_part;
use crate::search::StopFlag;

/// Games played between two writes.
const CHUNK: u32 = 32;

/// How to play.
#[derive(Clone, Debug)]
pub struct SelfPlaySettings {
    /// Method, evaluation and their options.
    pub options: Options,
    /// How many games the file shall have.
    pub games: u32,
    /// Plies to search.
    pub depth: u32,
    /// Play perfectly from so many empties on.
    pub exact_from: u32,
    /// Random moves at the start of each game, chosen anew for each.
    pub opening: RangeInclusive<u32>,
    /// Chance of a random move instead of the best one, until the perfect play begins.
    pub strays: f64,
    /// Seed of openings and strays.
    pub seed: u64,
}

/// Plays the games that `output` does not have yet and writes each position after the opening with
/// its searched score. `progress` is told how many games are done. Returns how many there are in
/// the end; fewer than asked for if stopped.
///
/// # Errors
/// If the options or the output cannot be used.
pub fn selfplay(
    output: &Path,
    settings: &SelfPlaySettings,
    stop: &StopFlag,
    mut progress: impl FnMut(u32),
) -> Result<u32, LabelError> {
    let mut done = match output.exists() {
        true => positions::read(output)?.last().map_or(0, |last| last.game + 1),
        false => 0,
    };
    let mut writer = Writer::append(output)?;
    Scorer::new(&settings.options, settings.depth, settings.exact_from)?;
    progress(done);
    while done < settings.games {
        let until = (done + CHUNK).min(settings.games);
        let games: Option<Vec<Vec<Scored>>> = (done..until)
            .into_par_iter()
            .map_init(
                || Scorer::new(&settings.options, settings.depth, settings.exact_from).ok(),
                |scorer, game| play(scorer.as_mut()?, settings, game, stop),
            )
            .collect();
        let Some(games) = games else { break };
        writer.write(&games.concat())?;
        done = until;
        progress(done);
    }
    Ok(done)
}

/// One game; `None` if stopped.
fn play(
    scorer: &mut Scorer,
    settings: &SelfPlaySettings,
    game: u32,
    stop: &StopFlag,
) -> Option<Vec<Scored>> {
    let mut rng = seeded_part(settings.seed, game.into());
    let mut position = Position::START;
    for _ in 0..rng.random_range(settings.opening.clone()) {
        let Some(chosen) = random_move(position, &mut rng) else { break };
        position = position.after_unchecked(chosen);
    }
    let mut scored = Vec::new();
    loop {
        if position.must_pass() {
            position = position.pass();
        }
        if position.is_over() {
            break;
        }
        let verdict = scorer.choose(position, stop)?;
        scored.push(Scored {
            position,
            score: verdict.score,
            source: verdict.source,
            depth: verdict.depth,
            game,
        });
        let stray =
            rng.random::<f64>() < settings.strays && position.empty_count() > settings.exact_from;
        let chosen = if stray { random_move(position, &mut rng) } else { verdict.best };
        position = position.after_unchecked(chosen?);
    }
    Some(scored)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::positions::Source;

    fn settings() -> SelfPlaySettings {
        let mut options = Options::new();
        options.set("hash", "1").unwrap();
        options.set("eval", "mobility").unwrap();
        SelfPlaySettings {
            options,
            games: 40,
            depth: 1,
            exact_from: 6,
            opening: 4..=12,
            strays: 0.1,
            seed: 5,
        }
    }

    #[test]
    fn games_taken_up_again_are_the_games_played_in_one_go() {
        let file = |name: &str| {
            let name = format!("kitai-{}-selfplay-{name}.kpos", std::process::id());
            let path = std::env::temp_dir().join(name);
            let _ = std::fs::remove_file(&path);
            path
        };
        let (whole, parts) = (file("whole"), file("parts"));
        let (settings, stop) = (settings(), StopFlag::new());
        assert_eq!(selfplay(&whole, &settings, &stop, |_| {}).unwrap(), 40);
        let first = SelfPlaySettings { games: 15, ..settings.clone() };
        assert_eq!(selfplay(&parts, &first, &stop, |_| {}).unwrap(), 15);
        let mut seen = Vec::new();
        assert_eq!(selfplay(&parts, &settings, &stop, |done| seen.push(done)).unwrap(), 40);
        assert_eq!(seen, [15, 40]);
        let scored = positions::read(&whole).unwrap();
        assert_eq!(positions::read(&parts).unwrap(), scored);
        assert!(scored.len() > 40 * 40);
        for one in &scored {
            assert_eq!(one.source == Source::Exact, one.position.empty_count() <= 6);
        }
        stop.stop();
        let more = SelfPlaySettings { games: 80, ..settings };
        assert_eq!(selfplay(&parts, &more, &stop, |_| {}).unwrap(), 40);
        for file in [whole, parts] {
            std::fs::remove_file(file).unwrap();
        }
    }
}
