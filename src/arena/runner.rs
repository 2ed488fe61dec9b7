//! Plays the games of a plan on a fixed number of workers.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use thiserror::Error;

use super::adjudicate::Adjudicator;
use super::clock::TimeControl;
use super::engine_log::EngineLog;
use super::live::{LiveGames, Watched};
use super::logged::LoggedGame;
use super::plan::Plan;
use super::player::Contestant;
use super::referee;
use super::spec::PlayerSpec;
use crate::options::OptionError;
use crate::search::StopFlag;

/// Stack of a worker, bytes: room for the deepest recursive search.
const WORKER_STACK: usize = 32 << 20;

/// Who is told of the games besides the caller of [`run`]; by default nobody.
#[derive(Clone, Copy)]
pub struct Spectators<'a> {
    /// Told of a worker's last game before the worker begins its next.
    pub after_game: &'a (dyn Fn(&LoggedGame) + Sync),
    /// The table in which the games under way stand.
    pub live: Option<&'a LiveGames>,
    /// The directory in which what engines say is kept.
    pub logs: Option<&'a Path>,
}

impl Default for Spectators<'_> {
    fn default() -> Self {
        Spectators { after_game: &|_| {}, live: None, logs: None }
    }
}

/// Where the games of a plan are played.
pub trait Venue {
    /// Whether players are started here, so that a wrong command or option is told before the first
    /// game.
    fn tries_out(&self, player: &PlayerSpec) -> bool;

    /// What makes a result from here less telling than it looks.
    fn note(&self, plan: &Plan) -> Option<String>;

    /// Plays the games with these numbers and hands over every finished one; `on_game` may break
    /// off, and so does raising `stop`.
    ///
    /// # Errors
    /// If a player cannot be made or the place cannot be used.
    fn play(
        &mut self,
        plan: &Plan,
        games: &[usize],
        stop: &StopFlag,
        spectators: Spectators<'_>,
        on_game: &mut dyn FnMut(LoggedGame) -> ControlFlow<()>,
    ) -> Result<(), VenueError>;
}

/// Why games cannot be played somewhere.
#[derive(Debug, Error)]
pub enum VenueError {
    /// A built-in player cannot be made.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// The place cannot be used.
    #[error("{0}")]
    Place(String),
}

/// This process: so many games at a time, at least one.
#[derive(Clone, Copy, Debug)]
pub struct Here(pub usize);

impl Venue for Here {
    fn tries_out(&self, _: &PlayerSpec) -> bool {
        true
    }

    fn note(&self, plan: &Plan) -> Option<String> {
        let wanted = plan.threads() * self.0.max(1);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let mut controls = plan.players.iter().map(|player| player.rules(&plan.rules).control);
        (wanted > cores && controls.any(|control| control != TimeControl::None))
            .then(|| format!("{wanted} search threads on {cores} cores: timed games will be noisy"))
    }

    fn play(
        &mut self,
        plan: &Plan,
        games: &[usize],
        stop: &StopFlag,
        spectators: Spectators<'_>,
        on_game: &mut dyn FnMut(LoggedGame) -> ControlFlow<()>,
    ) -> Result<(), VenueError> {
        run(plan, games, self.0, stop, spectators, on_game)?;
        Ok(())
    }
}

/// Plays the games with these numbers, each worker one at a time, and hands every finished game to
/// `on_game` in the order they end. `on_game` may break off; so does raising `stop`; games under
/// way are then abandoned and not handed over.
///
/// # Errors
/// If a built-in player cannot be made.
pub fn run<B>(
    plan: &Plan,
    games: &[usize],
    workers: usize,
    stop: &StopFlag,
    spectators: Spectators<'_>,
    mut on_game: impl FnMut(LoggedGame) -> ControlFlow<B>,
) -> Result<Option<B>, OptionError> {
    // Refuse bad options before anything is played.
    for player in &plan.players {
        player.build(None)?;
    }
    let next = AtomicUsize::new(0);
    let (sender, finished) = mpsc::channel();
    std::thread::scope(|scope| {
        for worker in 1..=workers.clamp(1, games.len().max(1)) {
            let (sender, next) = (sender.clone(), &next);
            std::thread::Builder::new()
                .stack_size(WORKER_STACK)
                .spawn_scoped(scope, move || {
                    let log = |name: &str| Some(EngineLog::new(spectators.logs?, name, worker));
                    work(plan, games, next, &log, stop, spectators, &sender);
                })
                .expect("the system can start a thread");
        }
        drop(sender);
        let mut broken = None;
        for game in &finished {
            if let ControlFlow::Break(value) = on_game(game) {
                broken = Some(value);
                stop.stop();
                break;
            }
        }
        Ok(broken)
    })
}

fn work(
    plan: &Plan,
    games: &[usize],
    next: &AtomicUsize,
    log: &dyn Fn(&str) -> Option<EngineLog>,
    stop: &StopFlag,
    spectators: Spectators<'_>,
    sender: &mpsc::Sender<LoggedGame>,
) {
    let mut seats = Seats { players: &plan.players, log, made: HashMap::new() };
    let mut adjudicator = Adjudicator::default();
    while let Some(&number) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
        if stop.is_stopped() {
            return;
        }
        let scheduled = plan.game(number);
        let players = seats.both(scheduled.black, scheduled.white);
        let opening = &plan.openings[scheduled.opening];
        let rules = plan.rules_of(&scheduled);
        let mut play = |players| {
            let seeds = scheduled.seeds;
            referee::play(players, opening, &rules, seeds, &mut adjudicator, stop)
        };
        let played = match spectators.live {
            None => play(players),
            Some(table) => {
                let names =
                    [scheduled.black, scheduled.white].map(|i| plan.players[i].name.as_str());
                let number = number + 1;
                let [mut black, mut white] =
                    players.map(|player| Watched { player, table, number, names });
                let played = play([&mut black, &mut white]);
                table.remove(number);
                played
            }
        };
        let Some(played) = played else { return };
        let logged = LoggedGame::new(plan, &scheduled, &played);
        (spectators.after_game)(&logged);
        if sender.send(logged).is_err() {
            return;
        }
    }
}

/// A worker's own players, made when first needed and kept for the games to come.
struct Seats<'a> {
    players: &'a [PlayerSpec],
    log: &'a dyn Fn(&str) -> Option<EngineLog>,
    made: HashMap<usize, Box<dyn Contestant>>,
}

impl Seats<'_> {
    fn both(&mut self, black: usize, white: usize) -> [&mut dyn Contestant; 2] {
        for index in [black, white] {
            self.made.entry(index).or_insert_with(|| {
                let player = &self.players[index];
                player
                    .build((self.log)(&player.name))
                    .expect("built once already before the first game")
            });
        }
        let [first, second] = self.made.get_disjoint_mut([&black, &white]);
        match (first, second) {
            (Some(first), Some(second)) => [first.as_mut(), second.as_mut()],
            _ => unreachable!("both were just made"),
        }
    }
}
