//! Matches and tournaments: a job is an opening with both colours, or what is left of that pair.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AllKinds, refused, result};
use crate::arena::clock::TimeControl;
use crate::arena::job::{GamesJob, JobGame};
use crate::arena::referee::Ending;
use crate::arena::runner::{Spectators, Venue, VenueError};
use crate::arena::spec::Engine;
use crate::arena::{LoggedGame, Opening, Plan, PlayerSpec, Rules};
use crate::fleet::FleetError;
use crate::fleet::connect::Access;
use crate::fleet::coordinator::{self, News, Settings, TakeError, Taken, Work};
use crate::fleet::files::Outgoing;
use crate::fleet::residuals::Measure;
use crate::fleet::wire::{Name, RunId};
use crate::fleet::worker::Circumstances;
use crate::options::Options;
use crate::search::StopFlag;

/// As jobs name it.
pub const KIND: &str = "games";
/// Games of one job.
const MOST: usize = 2;

/// A job as it travels. There is no place in it for a command line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Body {
    players: [TravellingPlayer; 2],
    opening: Opening,
    rules: Rules,
    games: Vec<JobGame>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TravellingPlayer {
    name: String,
    engine: TravellingEngine,
    /// Its own clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    time: Option<TimeControl>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum TravellingEngine {
    /// One of Kitai's methods.
    BuiltIn(Options),
    /// An external engine that the worker knows by this name.
    Named(Name),
}

/// The worker's side.
pub(super) fn perform(
    worker: &mut AllKinds,
    body: Body,
    at: &Circumstances,
) -> Result<Option<Vec<LoggedGame>>, String> {
    if body.games.is_empty() || body.games.len() > MOST {
        return Err(format!("{} games are not a pair", body.games.len()));
    }
    let [first, second] = body.players.each_ref().map(|player| seat(worker, player, at));
    let job = GamesJob {
        players: [first?, second?],
        opening: body.opening,
        rules: body.rules,
        games: body.games,
    };
    worker.table.play(&job, &at.stop).map_err(|error| error.to_string())
}

fn seat(
    worker: &AllKinds,
    player: &TravellingPlayer,
    at: &Circumstances,
) -> Result<PlayerSpec, String> {
    let equipment = &worker.equipment;
    let engine = match &player.engine {
        TravellingEngine::BuiltIn(options) => Engine::BuiltIn(equipment.admit(options, &at.files)?),
        TravellingEngine::Named(name) => match equipment.engines.get(name) {
            Some(spec) => spec.engine.clone(),
            None => return Err(format!("there is no engine `{name}` here")),
        },
    };
    Ok(PlayerSpec { name: player.name.clone(), engine, time: player.time })
}

/// The workers of a fleet as the place where games are played.
pub struct FleetVenue<'a> {
    /// The broker.
    pub access: &'a Access,
    /// How the coordinator goes about it.
    pub settings: Settings,
    /// Whether the match is kept, so that it can be taken up again.
    pub resumes: bool,
    /// What is told as it goes.
    pub news: &'a mut dyn FnMut(News<'_>),
}

impl Venue for FleetVenue<'_> {
    fn tries_out(&self, player: &PlayerSpec) -> bool {
        matches!(player.engine, Engine::BuiltIn(_))
    }

    fn note(&self, _: &Plan) -> Option<String> {
        None
    }

    fn play(
        &mut self,
        plan: &Plan,
        games: &[usize],
        stop: &StopFlag,
        spectators: Spectators<'_>,
        on_game: &mut dyn FnMut(LoggedGame) -> ControlFlow<()>,
    ) -> Result<(), VenueError> {
        // Games under way elsewhere are not seen; finished ones are told of as they arrive.
        let on_game = &mut |game: LoggedGame| {
            (spectators.after_game)(&game);
            on_game(game)
        };
        let place = |error: FleetError| VenueError::Place(error.to_string());
        let run = if self.resumes { RunId::of(KIND, &plan.settings()) } else { RunId::fresh() };
        let mut work = GamesWork::new(plan, games, run, on_game).map_err(place)?;
        work.resumes = self.resumes;
        coordinator::conduct(self.access, self.settings.clone(), &mut work, stop, self.news)
            .map_err(place)
    }
}

/// The coordinator's side.
pub struct GamesWork<'a> {
    plan: &'a Plan,
    players: Vec<TravellingPlayer>,
    files: Outgoing,
    run: RunId,
    resumes: bool,
    /// Games to play, by pair.
    pending: BTreeMap<u64, Vec<usize>>,
    /// The first pair not handed out.
    next: u64,
    total: u64,
    decided: bool,
    on_game: &'a mut dyn FnMut(LoggedGame) -> ControlFlow<()>,
}

impl<'a> GamesWork<'a> {
    /// The games of the plan with these numbers; each finished one goes to `on_game`.
    ///
    /// # Errors
    /// If a player cannot travel.
    pub fn new(
        plan: &'a Plan,
        games: &[usize],
        run: RunId,
        on_game: &'a mut dyn FnMut(LoggedGame) -> ControlFlow<()>,
    ) -> Result<GamesWork<'a>, FleetError> {
        let mut files = Outgoing::default();
        let travelling = |player: &PlayerSpec| {
            let engine = match &player.engine {
                Engine::BuiltIn(options) => TravellingEngine::BuiltIn(files.pack(options)?),
                Engine::Gtp { .. } | Engine::NBoard { .. } => {
                    TravellingEngine::Named(player.name.parse()?)
                }
            };
            Ok(TravellingPlayer { name: player.name.clone(), engine, time: player.time })
        };
        let players = plan.players.iter().map(travelling).collect::<Result<_, FleetError>>()?;
        let mut pending: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for &game in games {
            pending.entry(game as u64 / 2).or_default().push(game);
        }
        let total = pending.len() as u64;
        Ok(GamesWork {
            plan,
            players,
            files,
            run,
            resumes: false,
            pending,
            next: 0,
            total,
            decided: false,
            on_game,
        })
    }

    /// Whether these are the games asked for, as they can have been played.
    fn check(&self, asked: &[usize], games: &[LoggedGame]) -> Result<(), TakeError> {
        for &number in asked {
            if games.iter().filter(|game| game.game == number).count() != 1 {
                return Err(refused(format!("game {number} is not there once")));
            }
        }
        for game in games {
            game.check(self.plan).map_err(refused)?;
            let sound = |value: &f64| value.is_finite() && *value >= 0.0;
            let opinion = |value: &f64| value.is_finite() && value.abs() <= 64.0;
            let late = match &game.ending {
                Ending::Failed(_, fault) => fault.late_ms,
                _ => None,
            };
            let sound_times = game.times.iter().chain(&late).all(sound);
            if !sound_times || !game.evals.iter().flatten().all(opinion) {
                return Err(refused(format!("game {} has impossible notes", game.game)));
            }
        }
        Ok(())
    }
}

impl Work for GamesWork<'_> {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn run(&self) -> RunId {
        self.run.clone()
    }

    fn resumes(&self) -> bool {
        self.resumes
    }

    fn total(&self) -> u64 {
        self.total
    }

    fn done(&self) -> u64 {
        self.total - self.pending.len() as u64
    }

    fn threads(&self) -> u32 {
        self.plan.threads() as u32
    }

    fn engines(&self) -> Vec<Name> {
        let named = |player: &TravellingPlayer| match &player.engine {
            TravellingEngine::Named(name) => Some(name.clone()),
            TravellingEngine::BuiltIn(_) => None,
        };
        self.players.iter().filter_map(named).collect()
    }

    fn files(&mut self) -> Outgoing {
        std::mem::take(&mut self.files)
    }

    fn next(&mut self) -> Option<u64> {
        let (&pair, _) = self.pending.range(self.next..).next()?;
        self.next = pair + 1;
        Some(pair)
    }

    fn body(&self, number: u64) -> Value {
        let Some(games) = self.pending.get(&number) else { return Value::Null };
        let job = GamesJob::of(self.plan, games);
        let one = self.plan.game(games[0]);
        let (first, second) = self.plan.pairings[one.pairing];
        let players = [self.players[first].clone(), self.players[second].clone()];
        let body = Body { players, opening: job.opening, rules: job.rules, games: job.games };
        serde_json::to_value(body).unwrap_or_default()
    }

    fn take(&mut self, number: u64, worker: &Name, found: Value) -> Result<Taken, TakeError> {
        let Some(asked) = self.pending.get(&number) else {
            let known = number < self.plan.games() as u64 / 2;
            return if known { Ok(Taken::Known) } else { Err(refused("no such pair")) };
        };
        let games: Vec<LoggedGame> = result(found)?;
        if games.len() > MOST {
            return Err(refused(format!("{} games are not a pair", games.len())));
        }
        self.check(asked, &games)?;
        let asked = self.pending.remove(&number).unwrap_or_default();
        let mut measure = Measure { amount: 0.0, figure: None };
        let mut points = 0;
        for game in &games {
            measure.amount += game.times.len() as f64;
            let swapped = game.game % 2 == 1;
            points += if swapped { 2 - game.half_points } else { game.half_points };
        }
        measure.figure = (games.len() == MOST).then(|| f64::from(points) / 4.0);
        for game in games.into_iter().filter(|game| asked.contains(&game.game)) {
            let game = LoggedGame { worker: Some(worker.to_string()), ..game };
            if (self.on_game)(game).is_break() {
                self.decided = true;
                break;
            }
        }
        Ok(Taken::Counted(measure))
    }

    fn is_written(&self, _: u64) -> bool {
        true
    }

    fn is_decided(&self) -> bool {
        self.decided
    }
}
