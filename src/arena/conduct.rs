//! Conducts a match or tournament from its plan to its standing: resumes what is logged, plays what
//! is left, and keeps log, games and report up to date.

use std::fs::File;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::follow::live_path;
use super::live::LiveGames;
use super::runner::{Spectators, Venue, VenueError};
use super::standing::{Games, SprtMonitor};
use super::{Log, LoggedGame, Plan, Standing, archive, report};
use crate::book::{BookError, Learner, SharedBook};
use crate::options::Options;
use crate::record::append::AppendError;
use crate::record::{ggf, whole_file};
use crate::search::StopFlag;
use crate::statistics::Decision;
use crate::text::count;

/// Where a match writes and where it is played.
pub struct Conduct<'a> {
    /// Keep the match in NAME.jsonl (log and resume file), NAME.ggf and NAME.html.
    pub out: Option<PathBuf>,
    /// Where the games are played.
    pub venue: &'a mut dyn Venue,
    /// Play the logged games of these workers of a fleet again.
    pub replay: Vec<String>,
    /// Learn the games.
    pub learn: Option<Learning>,
    /// Keep what engines say in files here.
    pub logs: Option<PathBuf>,
}

/// How the games of a match are learnt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learning {
    /// The opening book; begun if there is none.
    pub book: PathBuf,
    /// Depth of the searches that learn, plies.
    pub depth: u32,
}

impl Learning {
    fn start(&self) -> Result<Learner, ConductError> {
        let book = SharedBook::open_to_learn(&self.book)?;
        Ok(Learner::start(book, &Options::new(), self.depth).map_err(VenueError::Option)?)
    }
}

/// Learns a game to its end; a match goes on if it cannot.
fn learn(plan: &Plan, game: &LoggedGame, learner: &Learner) {
    let Some(record) = archive::record(plan, game) else { return };
    match learner.learn(&record, &format!("match game {}", game.game + 1)) {
        Ok(_) => learner.finish(),
        Err(problem) => tracing::error!(%problem, "a game was not learnt"),
    }
}

/// What a conducted match tells as it goes.
pub enum Progress<'a> {
    /// The log ended in the middle of a line, which was cut off.
    Torn(String),
    /// So many games were in the log already.
    Resumed(usize),
    /// So many logged games are played again.
    Dropped(usize),
    /// Something that makes the result less telling than it looks.
    Note(String),
    /// The games so far.
    Played(&'a Games),
}

/// Why a match cannot be conducted.
#[derive(Debug, Error)]
pub enum ConductError {
    /// A file cannot be written.
    #[error("{file}: {source}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The log cannot be used.
    #[error(transparent)]
    Log(#[from] AppendError),
    /// A logged game breaks the rules.
    #[error("the log holds an illegal game {0}")]
    IllegalGame(usize),
    /// A player does not start.
    #[error("player {name}: {reason}")]
    Player {
        /// Which.
        name: String,
        /// What went wrong.
        reason: String,
    },
    /// The games cannot be played there.
    #[error(transparent)]
    Venue(#[from] VenueError),
    /// The book to learn into cannot be used.
    #[error(transparent)]
    Book(#[from] BookError),
}

fn io(file: &Path, source: std::io::Error) -> ConductError {
    ConductError::Io { file: file.display().to_string(), source }
}

/// Plays what is left of the plan, as far as it gets before `stop` or a decision.
///
/// # Errors
/// If a player or file cannot be used.
pub fn conduct(
    plan: &Plan,
    how: Conduct<'_>,
    stop: &StopFlag,
    watch: &mut dyn FnMut(Progress),
) -> Result<Standing, ConductError> {
    let mut keeper = Keeper::open(plan, how.out.as_deref(), &how.replay)?;
    if let Some(torn) = keeper.torn.take() {
        watch(Progress::Torn(torn));
    }
    let mut games = std::mem::take(&mut keeper.resumed);
    let mut monitor = plan.sprt.map(SprtMonitor::new);
    let mut decided = monitor.as_mut().map_or(Decision::Continue, |m| m.update(&games));
    let pending: Vec<usize> = (0..plan.games()).filter(|game| !games.contains_key(game)).collect();
    if keeper.dropped > 0 {
        watch(Progress::Dropped(keeper.dropped));
    }
    if !games.is_empty() {
        watch(Progress::Resumed(games.len()));
    }
    if decided == Decision::Continue && !pending.is_empty() {
        notes(plan)
            .into_iter()
            .chain(how.venue.note(plan))
            .for_each(|note| watch(Progress::Note(note)));
        let learner = how.learn.as_ref().map(Learning::start).transpose()?;
        let after_game = |game: &LoggedGame| {
            if let Some(learner) = &learner {
                learn(plan, game, learner);
            }
        };
        for player in plan.players.iter().filter(|player| how.venue.tries_out(player)) {
            player
                .try_out(&plan.openings[0], &player.rules(&plan.rules), stop)
                .map_err(|reason| ConductError::Player { name: player.name.clone(), reason })?;
        }
        if let Some(folder) = &how.logs {
            std::fs::create_dir_all(folder).map_err(|error| io(folder, error))?;
        }
        let live =
            keeper.files.as_ref().map(|files| (LiveGames::default(), files.live_path.clone()));
        let table = live.as_ref().map(|(table, _)| table);
        let mut failure = None;
        let mut on_game = |record: LoggedGame| {
            if let Err(error) = keeper.keep(plan, &record) {
                failure = Some(error);
                return ControlFlow::Break(());
            }
            games.insert(record.game, record);
            decided = monitor.as_mut().map_or(Decision::Continue, |m| m.update(&games));
            watch(Progress::Played(&games));
            match decided {
                Decision::Continue => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            }
        };
        std::thread::scope(|scope| {
            let keeping = live.as_ref().map(|(table, path)| scope.spawn(|| table.keep(path)));
            let spectators =
                Spectators { after_game: &after_game, live: table, logs: how.logs.as_deref() };
            let ended = how.venue.play(plan, &pending, stop, spectators, &mut on_game);
            table.into_iter().for_each(LiveGames::end);
            drop(keeping);
            ended
        })?;
        if let Some(error) = failure {
            return Err(error);
        }
    }
    let standing = Standing::of(plan, &games);
    keeper.report(plan, &games, &standing)?;
    Ok(standing)
}

/// What makes a result less telling than it looks, wherever it is played.
fn notes(plan: &Plan) -> Option<String> {
    (plan.openings.len() < plan.rounds).then(|| {
        format!(
            "{} share {}; players without randomness repeat their games",
            count(plan.rounds as u64, "pair"),
            count(plan.openings.len() as u64, "opening")
        )
    })
}

/// The files of a match. The log is the truth; the games file is written from it on resuming and
/// kept up game by game.
struct Keeper {
    files: Option<Files>,
    resumed: Games,
    /// What was cut off the end of the log.
    torn: Option<String>,
    /// Logged games that are played again.
    dropped: usize,
}

struct Files {
    log: Log,
    archive: File,
    archive_path: PathBuf,
    report_path: PathBuf,
    live_path: PathBuf,
}

impl Keeper {
    fn open(plan: &Plan, out: Option<&Path>, replay: &[String]) -> Result<Keeper, ConductError> {
        let Some(out) = out else {
            return Ok(Keeper { files: None, resumed: Games::new(), torn: None, dropped: 0 });
        };
        if let Some(folder) = out.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(|error| io(folder, error))?;
        }
        let log_path = with_ending(out, "jsonl");
        let (mut log, mut resumed, found) = Log::open(&log_path, plan)?;
        let before = resumed.len();
        resumed
            .retain(|_, game| !game.worker.as_ref().is_some_and(|worker| replay.contains(worker)));
        let dropped = before - resumed.len();
        if dropped > 0 {
            drop(log);
            log = rewrite(&log_path, plan, &resumed)?;
        }
        let torn = (found.torn > 0).then(|| format!("{}: {found}", log_path.display()));
        let archive_path = with_ending(out, "ggf");
        let archive = File::create(&archive_path).map_err(|error| io(&archive_path, error))?;
        let report_path = with_ending(out, "html");
        let live_path = live_path(&log_path);
        let mut files = Files { log, archive, archive_path, report_path, live_path };
        for game in resumed.values() {
            files.archive(plan, game)?;
        }
        Ok(Keeper { files: Some(files), resumed, torn, dropped })
    }

    fn keep(&mut self, plan: &Plan, game: &LoggedGame) -> Result<(), ConductError> {
        let Some(files) = &mut self.files else { return Ok(()) };
        files.log.append(game)?;
        files.archive(plan, game)
    }

    fn report(&self, plan: &Plan, games: &Games, standing: &Standing) -> Result<(), ConductError> {
        let Some(files) = &self.files else { return Ok(()) };
        let page = report::html(plan, games, standing);
        whole_file::write(&files.report_path, page.as_bytes())
            .map_err(|error| io(&files.report_path, error))
    }
}

impl Files {
    fn archive(&mut self, plan: &Plan, game: &LoggedGame) -> Result<(), ConductError> {
        let Some(record) = archive::record(plan, game) else {
            return Err(ConductError::IllegalGame(game.game));
        };
        let line = ggf::write_line(&[&record]) + "\n";
        self.archive.write_all(line.as_bytes()).map_err(|error| io(&self.archive_path, error))
    }
}

/// Replaces the log by one with these games only: whole beside it first, then under its name.
fn rewrite(path: &Path, plan: &Plan, games: &Games) -> Result<Log, ConductError> {
    let beside = with_ending(path, "new");
    if beside.exists() {
        std::fs::remove_file(&beside).map_err(|error| io(&beside, error))?;
    }
    let (mut log, ..) = Log::open(&beside, plan)?;
    games.values().try_for_each(|game| log.append(game))?;
    drop(log);
    std::fs::rename(&beside, path).map_err(|error| io(path, error))?;
    Ok(Log::open(path, plan)?.0)
}

fn with_ending(out: &Path, ending: &str) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}
