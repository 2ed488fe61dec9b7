//! Games against itself: a random opening, then both sides search, now and then straying from the
//! best move so that the games cover what searches meet.
//!
//! Each game depends on the seed and its number only, and games are written in order. A run that
//! was interrupted therefore goes on after the last whole game in the file and ends with the file
//! that it would have made in one go. Games reach the disk for certain after every
//! [`SYNC`]th and at the end.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use rand::Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Progress;
use super::beginnings::Beginnings;
use super::games::{Game, Ply};
use super::label::LabelError;
use super::positions::GameWriter;
use super::scorer::{Scorer, ScorerSettings};
use crate::eval::UNIT;
use crate::options::Options;
use crate::othello::random::random_move;
use crate::othello::{Move, Position};
use crate::random::{Random, seeded_part};
use crate::record::append::Resumed;
use crate::search::StopFlag;

/// Games played between two writes.
const CHUNK: u32 = 128;
/// Games between two moments at which all games are on the disk for certain.
const SYNC: u32 = 8 * CHUNK;

/// Openings drawn for a game at most.
const MOST_OPENINGS: u32 = 100;

/// How to play.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfPlaySettings {
    /// Method, evaluation and their options.
    pub options: Options,
    /// How many games the file shall have.
    pub games: u32,
    /// Plies to search.
    pub depth: u32,
    /// Play perfectly from so many empties on.
    pub exact_from: u32,
    /// How many moves at the start of each game are not searched, chosen anew for each.
    pub opening: RangeInclusive<u32>,
    /// Games of which one, drawn for each game, gives these moves; without them they are random.
    /// They do not travel to other machines.
    #[serde(skip)]
    pub beginnings: Option<Arc<Beginnings>>,
    /// Draw the opening again while the search thinks one side more than so many discs ahead: games
    /// worth playing are even for long, those after many random moves are not.
    pub balance: f64,
    /// Chance of a random move instead of the best one, until positions are solved.
    pub strays: f64,
    /// The same where positions are solved: their scores are exact whatever is played, and searches meet
    /// more than perfect play.
    pub exact_strays: f64,
    /// Seed of openings and strays.
    pub seed: u64,
}

/// What the file says about how its games were made.
#[derive(Serialize)]
struct Header {
    made_by: &'static str,
    #[serde(flatten)]
    scorer: ScorerSettings,
    opening_min: u32,
    opening_max: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    beginnings: Option<u32>,
    balance: f64,
    strays: f64,
    exact_strays: f64,
    seed: u64,
}

/// The file that games are written to, in order.
pub struct SelfPlayFile {
    writer: GameWriter,
    done: u32,
}

impl SelfPlayFile {
    /// Opens or begins the file for these settings.
    ///
    /// # Errors
    /// If the options or the file cannot be used.
    pub fn open(
        output: &Path,
        settings: &SelfPlaySettings,
    ) -> Result<(SelfPlayFile, Resumed), LabelError> {
        let mut done = 0;
        let (writer, resumed) = GameWriter::open(output, &settings.header()?, |game| {
            done += 1;
            if game.number + 1 == done {
                Ok(())
            } else {
                Err(format!("it is game {}", game.number))
            }
        })?;
        Ok((SelfPlayFile { writer, done }, resumed))
    }

    /// How many games the file has.
    pub fn games(&self) -> u32 {
        self.done
    }

    /// Adds the next games and hands them to the system; after every [`SYNC`]th game all are on the
    /// disk for certain.
    ///
    /// # Errors
    /// If the system takes no more.
    pub fn write(&mut self, games: &[Game]) -> Result<(), LabelError> {
        games.iter().try_for_each(|game| self.writer.write(game))?;
        let until = self.done + games.len() as u32;
        let same = self.done / SYNC == until / SYNC;
        if same { self.writer.flush() } else { self.writer.sync() }?;
        self.done = until;
        Ok(())
    }

    /// Waits until all games are on the disk and says how many there are.
    ///
    /// # Errors
    /// If the system takes no more.
    pub fn close(mut self) -> Result<u32, LabelError> {
        self.writer.sync()?;
        Ok(self.done)
    }
}

impl SelfPlaySettings {
    /// What decides the games, as the file's header keeps it.
    ///
    /// # Errors
    /// If the options cannot be used.
    pub fn header(&self) -> Result<impl Serialize + use<>, LabelError> {
        Ok(Header {
            made_by: "kitai selfplay",
            scorer: ScorerSettings::new(&self.options, self.depth, self.exact_from)?,
            opening_min: *self.opening.start(),
            opening_max: *self.opening.end(),
            beginnings: self.beginnings.as_ref().map(|games| games.checksum()),
            balance: self.balance,
            strays: self.strays,
            exact_strays: self.exact_strays,
            seed: self.seed,
        })
    }

    /// A searcher for these games.
    ///
    /// # Errors
    /// If the options cannot be used.
    pub fn scorer(&self) -> Result<Scorer, LabelError> {
        Ok(Scorer::new(&self.options, self.depth, self.exact_from)?)
    }
}

/// Plays the games that `output` does not have yet and writes them with the searched score of every
/// position after the opening. Returns how many games there are in the end; fewer than asked for
/// if stopped.
///
/// # Errors
/// If the options or the output cannot be used.
pub fn selfplay(
    output: &Path,
    settings: &SelfPlaySettings,
    stop: &StopFlag,
    mut progress: impl FnMut(Progress),
) -> Result<u32, LabelError> {
    let (mut file, resumed) = SelfPlayFile::open(output, settings)?;
    progress(Progress::Resumed(resumed));
    progress(Progress::Done(file.games().into()));
    while file.games() < settings.games {
        let until = (file.games() + CHUNK).min(settings.games);
        let games: Option<Vec<Game>> = (file.games()..until)
            .into_par_iter()
            .map_init(
                || settings.scorer().ok(),
                |scorer, game| play(scorer.as_mut()?, settings, game, stop),
            )
            .collect();
        let Some(games) = games else { break };
        file.write(&games)?;
        progress(Progress::Done(until.into()));
    }
    file.close()
}

/// The moves at the start of a game.
fn opening(settings: &SelfPlaySettings, number: u32, rng: &mut Random) -> (Game, Position) {
    let mut game = Game::new(number);
    let mut position = Position::START;
    let plies = rng.random_range(settings.opening.clone()) as usize;
    let model = settings.beginnings.as_ref().map(|beginnings| {
        let games = beginnings.games();
        &*games[rng.random_range(0..games.len())]
    });
    for ply in 0..plies {
        let chosen = match model {
            Some(moves) => moves.get(ply).copied(),
            None => random_move(position, rng),
        };
        let Some(chosen) = chosen else { break };
        if let Move::Place(square) = chosen {
            game.push(Ply { random: true, ..Ply::new(position, None, Some(square)) });
        }
        position = position.after_unchecked(chosen);
    }
    (game, position)
}

/// One game; `None` if stopped.
pub fn play(
    scorer: &mut Scorer,
    settings: &SelfPlaySettings,
    number: u32,
    stop: &StopFlag,
) -> Option<Game> {
    let mut rng = seeded_part(settings.seed, number.into());
    scorer.forget();
    let (mut game, mut position) = opening(settings, number, &mut rng);
    for _ in 0..MOST_OPENINGS {
        if !position.has_move() {
            break;
        }
        let verdict = scorer.choose(position, stop)?;
        if f64::from(verdict.score.unsigned_abs()) <= settings.balance * f64::from(UNIT) {
            break;
        }
        (game, position) = opening(settings, number, &mut rng);
    }
    loop {
        if position.must_pass() {
            position = position.pass();
        }
        if position.is_over() {
            break;
        }
        let verdict = scorer.choose(position, stop)?;
        let solved = position.empty_count() <= settings.exact_from;
        let strays = if solved { settings.exact_strays } else { settings.strays };
        let random = rng.random::<f64>() < strays;
        let chosen = if random { random_move(position, &mut rng) } else { verdict.best };
        let square = chosen?.square()?;
        game.push(Ply { random, ..Ply::new(position, Some(verdict.label()), Some(square)) });
        position = position.play(square)?;
    }
    game.finish();
    Some(game)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::positions::tests::TempFile;
    use crate::training::positions::{self, GameReader, Source};

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
            beginnings: None,
            balance: 64.0,
            strays: 0.1,
            exact_strays: 0.0,
            seed: 5,
        }
    }

    fn beginnings(transcripts: &str) -> Beginnings {
        let name = format!("kitai-{}-{}-games.txt", std::process::id(), transcripts.len());
        let file = TempFile(std::env::temp_dir().join(name));
        std::fs::write(&file.0, transcripts).unwrap();
        Beginnings::read(std::slice::from_ref(&file.0)).unwrap()
    }

    #[test]
    fn games_begin_like_those_given() {
        let given = ["f5d6c3d3c4f4f6", "c4c3d3c5b4"];
        let beginnings = Some(Arc::new(beginnings(&given.join("\n"))));
        let file = TempFile::new("begin");
        let settings = SelfPlaySettings { opening: 3..=6, beginnings, ..settings() };
        selfplay(&file.0, &settings, &StopFlag::new(), |_| {}).unwrap();
        let mut reader = GameReader::open(&file.0).unwrap();
        let mut openings = std::collections::BTreeSet::new();
        while let Some(game) = reader.next_game().unwrap() {
            let played = game.plies[..game.opening()].iter().filter_map(|ply| ply.played);
            openings.insert(played.map(|square| square.to_string()).collect::<String>());
        }
        // All that there are; the second game is over after five moves.
        let expected = [3, 4, 5, 6]
            .map(|plies| given.map(|game| game[..game.len().min(2 * plies)].to_owned()));
        assert_eq!(openings, expected.into_iter().flatten().collect());
    }

    #[test]
    fn games_taken_up_again_are_the_games_played_in_one_go() {
        let (whole, parts) = (TempFile::new("whole"), TempFile::new("parts"));
        let (settings, stop) = (settings(), StopFlag::new());
        assert_eq!(selfplay(&whole.0, &settings, &stop, |_| {}).unwrap(), 40);
        let first = SelfPlaySettings { games: 15, ..settings.clone() };
        assert_eq!(selfplay(&parts.0, &first, &stop, |_| {}).unwrap(), 15);
        let mut seen = Vec::new();
        let progress = |progress| match progress {
            Progress::Done(done) => seen.push(done),
            Progress::Resumed(resumed) => assert_eq!((resumed.records, resumed.torn), (15, 0)),
        };
        assert_eq!(selfplay(&parts.0, &settings, &stop, progress).unwrap(), 40);
        assert_eq!(seen, [15, 40]);
        assert_eq!(std::fs::read(&parts.0).unwrap(), std::fs::read(&whole.0).unwrap());
        stop.stop();
        let more = SelfPlaySettings { games: 80, ..settings };
        assert_eq!(selfplay(&parts.0, &more, &stop, |_| {}).unwrap(), 40);
    }

    #[test]
    fn random_moves_are_marked_and_every_game_has_its_result() {
        let file = TempFile::new("marked");
        let settings = settings();
        selfplay(&file.0, &settings, &StopFlag::new(), |_| {}).unwrap();
        let mut reader = GameReader::open(&file.0).unwrap();
        let (mut strays, mut positions) = (0, 0);
        while let Some(game) = reader.next_game().unwrap() {
            assert!((4..=12).contains(&game.opening()), "{}", game.opening());
            assert!(game.result.is_some());
            let searched = &game.plies[game.opening()..];
            strays += searched.iter().filter(|ply| ply.random).count();
            positions += searched.len();
            for (index, ply) in game.plies.iter().enumerate().skip(game.settled_from()) {
                let label = ply.label.unwrap();
                let exact = ply.position.empty_count() <= settings.exact_from;
                assert_eq!(label.source == Source::Exact, exact);
                if exact {
                    let result = i16::from(game.result_at(index).unwrap());
                    assert_eq!(label.score, 128 * result);
                }
            }
        }
        let share = strays as f64 / positions as f64;
        assert!((0.05..0.15).contains(&share), "{share}");
        assert_eq!(positions::read(&file.0).unwrap().len(), positions);
    }

    #[test]
    fn other_seeds_depths_openings_and_evaluations_are_refused() {
        let file = TempFile::new("refused");
        let (settings, stop) = (settings(), StopFlag::new());
        selfplay(&file.0, &settings, &stop, |_| {}).unwrap();
        let refused = |other: SelfPlaySettings| {
            selfplay(&file.0, &other, &stop, |_| {}).unwrap_err().to_string()
        };
        let seed = refused(SelfPlaySettings { seed: 6, ..settings.clone() });
        assert!(seed.contains("`seed` was 5 and is now 6"), "{seed}");
        let depth = refused(SelfPlaySettings { depth: 2, ..settings.clone() });
        assert!(depth.contains("`depth` was 1 and is now 2"), "{depth}");
        refused(SelfPlaySettings { exact_from: 7, ..settings.clone() });
        refused(SelfPlaySettings { opening: 4..=13, ..settings.clone() });
        refused(SelfPlaySettings { strays: 0.2, ..settings.clone() });
        let beginnings = Some(Arc::new(beginnings("f5d6c3d3c4\n")));
        let other = refused(SelfPlaySettings { beginnings, ..settings.clone() });
        assert!(other.contains("`beginnings`"), "{other}");
        let mut other = settings.clone();
        other.options.set("eval", "discs").unwrap();
        let eval = refused(other);
        assert!(eval.contains("`evaluation` was"), "{eval}");
    }

    #[test]
    fn games_begin_as_even_as_asked_for() {
        let file = TempFile::new("even");
        let settings = SelfPlaySettings { balance: 3.0, strays: 0.0, ..settings() };
        selfplay(&file.0, &settings, &StopFlag::new(), |_| {}).unwrap();
        let mut reader = GameReader::open(&file.0).unwrap();
        let mut even = 0;
        while let Some(game) = reader.next_game().unwrap() {
            let first = &game.plies[game.opening()];
            even += u32::from(i32::from(first.label.unwrap().score).abs() <= 3 * 128);
        }
        // A search that knows of deeper ones from openings drawn before may say something else.
        assert!(even + 1 >= settings.games, "{even} of {} games", settings.games);
    }

    #[test]
    fn strays_from_perfect_play_leave_the_scores_of_solved_positions_exact() {
        let file = TempFile::new("wild");
        let settings = SelfPlaySettings { exact_strays: 0.5, strays: 0.0, ..settings() };
        selfplay(&file.0, &settings, &StopFlag::new(), |_| {}).unwrap();
        let mut reader = GameReader::open(&file.0).unwrap();
        let (mut strays, mut losses) = (0, 0);
        while let Some(game) = reader.next_game().unwrap() {
            for (index, ply) in game.plies.iter().enumerate().skip(game.opening()) {
                let solved = ply.position.empty_count() <= settings.exact_from;
                assert!(solved || !ply.random);
                strays += usize::from(ply.random);
                if solved {
                    let score = i32::from(ply.label.unwrap().score) / 128;
                    assert_eq!(score, crate::search::endgame::solve(ply.position));
                    losses += usize::from(i32::from(game.result_at(index).unwrap()) < score);
                }
            }
        }
        assert!(strays > 40 && losses > 20, "{strays} random moves, {losses} scores not reached");
    }

    /// Cut at a hundred random places, the file resumed is the file made in one go; with a byte
    /// changed, that is noticed, or the end is cut off and made again.
    #[test]
    fn a_hundred_cuts_and_changed_bytes_are_made_good_or_noticed() {
        let file = TempFile::new("hundred");
        let (settings, stop) = (SelfPlaySettings { depth: 1, ..settings() }, StopFlag::new());
        selfplay(&file.0, &settings, &stop, |_| {}).unwrap();
        let whole = std::fs::read(&file.0).unwrap();
        let mut rng = crate::random::seeded(4);
        for _ in 0..100 {
            let cut = rng.random_range(0..whole.len());
            std::fs::write(&file.0, &whole[..cut]).unwrap();
            selfplay(&file.0, &settings, &stop, |_| {}).unwrap();
            assert_eq!(std::fs::read(&file.0).unwrap(), whole, "cut at {cut}");
        }
        let (mut noticed, mut remade) = (0, 0);
        for _ in 0..200 {
            let mut hurt = whole.clone();
            let place = rng.random_range(0..hurt.len());
            hurt[place] ^= rng.random_range(1..=255);
            std::fs::write(&file.0, &hurt).unwrap();
            match selfplay(&file.0, &settings, &stop, |_| {}) {
                Err(_) => noticed += 1,
                Ok(_) => {
                    assert_eq!(std::fs::read(&file.0).unwrap(), whole, "byte {place}");
                    remade += 1;
                }
            }
        }
        assert!(noticed > 150 && noticed + remade == 200, "{noticed} {remade}");
    }
}
