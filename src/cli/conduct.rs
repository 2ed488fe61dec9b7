//! Conducts a match or tournament from its plan to its result: the part that `match` and
//! `tournament` share.

use std::fs::File;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::common::stop_on_interrupt;
use super::{CliError, Output, progress};
use crate::arena::clock::TimeControl;
use crate::arena::standing::{Games, SprtMonitor};
use crate::arena::{Log, LoggedGame, Plan, PlayerSpec, Standing, archive, report, runner};
use crate::record::ggf;
use crate::statistics::Decision;

/// How often the live score is worked out anew.
const LIVE_EVERY: Duration = Duration::from_millis(250);

/// Where a match writes and how wide it runs.
#[derive(clap::Args, Debug, Clone, Default)]
pub struct Conduct {
    /// Keep the match in NAME.jsonl (log and resume file), NAME.ggf (games) and NAME.html
    /// (report); the same command again resumes it
    #[arg(long, value_name = "NAME")]
    pub out: Option<PathBuf>,
    /// Games at a time [default: 1]
    #[arg(long, short = 'c', value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub concurrency: Option<u32>,
}

/// Plays what is left of the plan and prints the result.
///
/// # Errors
/// If a player or file cannot be used, or the match was interrupted.
pub fn conduct(plan: &Plan, conduct: &Conduct, output: &mut Output) -> Result<(), CliError> {
    let standing = play_out(plan, conduct, output)?;
    output.line(report::text(plan, &standing))?;
    output.object(&standing)?;
    check_complete(&standing, conduct)
}

/// Plays what is left of the plan, as far as it gets.
///
/// # Errors
/// If a player or file cannot be used.
pub fn play_out(plan: &Plan, conduct: &Conduct, output: &mut Output) -> Result<Standing, CliError> {
    let stop = stop_on_interrupt();
    let mut keeper = Keeper::open(plan, conduct.out.as_deref())?;
    let mut games = std::mem::take(&mut keeper.resumed);
    let mut monitor = plan.sprt.map(SprtMonitor::new);
    let mut decided = monitor.as_mut().map_or(Decision::Continue, |m| m.update(&games));
    let pending: Vec<usize> = (0..plan.games()).filter(|game| !games.contains_key(game)).collect();
    if !games.is_empty() {
        output.line(format_args!("resumed with {} of {} games", games.len(), plan.games()))?;
    }
    if decided == Decision::Continue && !pending.is_empty() {
        notes(plan, conduct, output)?;
        for player in &plan.players {
            player
                .try_out(&plan.openings[0], &plan.rules, &stop)
                .map_err(|error| CliError::Input(format!("player {}: {error}", player.name)))?;
        }
    }
    let live = Live::new(plan, games.len());
    if decided == Decision::Continue && !pending.is_empty() {
        let workers = conduct.concurrency.unwrap_or(1) as usize;
        let mut live_since = Instant::now();
        let failure = runner::run(plan, &pending, workers, &stop, |record| {
            if let Err(error) = keeper.keep(plan, &record) {
                return ControlFlow::Break(Some(error));
            }
            games.insert(record.game, record);
            decided = monitor.as_mut().map_or(Decision::Continue, |m| m.update(&games));
            if live_since.elapsed() >= LIVE_EVERY {
                live.show(plan, &games);
                live_since = Instant::now();
            }
            match decided {
                Decision::Continue => ControlFlow::Continue(()),
                _ => ControlFlow::Break(None),
            }
        })
        .map_err(CliError::input)?;
        if let Some(Some(error)) = failure {
            return Err(error);
        }
    }
    live.finish();
    let standing = Standing::of(plan, &games);
    keeper.report(plan, &games, &standing)?;
    Ok(standing)
}

/// Says how to go on if the games are not all played.
///
/// # Errors
/// If they are not.
pub fn check_complete(standing: &Standing, conduct: &Conduct) -> Result<(), CliError> {
    if standing.is_complete() {
        return Ok(());
    }
    let resume = match &conduct.out {
        Some(_) => format!("resume with: {}", command_line()),
        None => "nothing was kept; use --out NAME to be able to resume".to_owned(),
    };
    Err(CliError::Found(format!(
        "interrupted after {} of {} games; {resume}",
        standing.games, standing.planned
    )))
}

/// Says what makes a result less telling than it looks.
fn notes(plan: &Plan, conduct: &Conduct, output: &mut Output) -> Result<(), CliError> {
    if plan.openings.len() < plan.rounds {
        output.line(format_args!(
            "note: {} pairs share {} openings; players without randomness repeat their games",
            plan.rounds,
            plan.openings.len()
        ))?;
    }
    let threads = plan.players.iter().map(PlayerSpec::threads).max().unwrap_or(1);
    let wanted = threads * conduct.concurrency.unwrap_or(1) as usize;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if wanted > cores && plan.rules.control != TimeControl::None {
        output.line(format_args!(
            "note: {wanted} search threads on {cores} cores: timed games will be noisy"
        ))?;
    }
    Ok(())
}

/// This process's command line, quoted so that a shell reads it back.
fn command_line() -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    std::env::args()
        .map(|word| {
            if !word.is_empty() && word.chars().all(plain) {
                word
            } else {
                format!("'{}'", word.replace('\'', r"'\''"))
            }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

/// The files of a match. The log is the truth; the games file is written from it on resuming and
/// kept up game by game.
struct Keeper {
    files: Option<Files>,
    resumed: Games,
}

struct Files {
    log: Log,
    archive: File,
    archive_path: PathBuf,
    report_path: PathBuf,
}

impl Keeper {
    fn open(plan: &Plan, out: Option<&Path>) -> Result<Keeper, CliError> {
        let Some(out) = out else {
            return Ok(Keeper { files: None, resumed: Games::new() });
        };
        if let Some(folder) = out.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .map_err(|error| CliError::io(folder.display().to_string(), error))?;
        }
        let log_path = with_ending(out, "jsonl");
        let (log, resumed, found) = Log::open(&log_path, plan).map_err(CliError::input)?;
        if found.torn > 0 {
            eprintln!("kitai: {}: {found}", log_path.display());
        }
        let archive_path = with_ending(out, "ggf");
        let archive = File::create(&archive_path)
            .map_err(|error| CliError::io(archive_path.display().to_string(), error))?;
        let report_path = with_ending(out, "html");
        let mut files = Files { log, archive, archive_path, report_path };
        for game in resumed.values() {
            files.archive(plan, game)?;
        }
        Ok(Keeper { files: Some(files), resumed })
    }

    fn keep(&mut self, plan: &Plan, game: &LoggedGame) -> Result<(), CliError> {
        let Some(files) = &mut self.files else { return Ok(()) };
        files.log.append(game).map_err(CliError::input)?;
        files.archive(plan, game)
    }

    fn report(&self, plan: &Plan, games: &Games, standing: &Standing) -> Result<(), CliError> {
        let Some(files) = &self.files else { return Ok(()) };
        std::fs::write(&files.report_path, report::html(plan, games, standing))
            .map_err(|error| CliError::io(files.report_path.display().to_string(), error))
    }
}

impl Files {
    fn archive(&mut self, plan: &Plan, game: &LoggedGame) -> Result<(), CliError> {
        let Some(record) = archive::record(plan, game) else {
            return Err(CliError::Input(format!("the log holds an illegal game {}", game.game)));
        };
        let line = ggf::write_line(&[&record]) + "\n";
        self.archive
            .write_all(line.as_bytes())
            .map_err(|error| CliError::io(self.archive_path.display().to_string(), error))
    }
}

fn with_ending(out: &Path, ending: &str) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}

/// The progress line on standard error; nothing if that is no terminal.
struct Live {
    bar: ProgressBar,
}

impl Live {
    fn new(plan: &Plan, done: usize) -> Live {
        let bar = progress::steps(plan.games() as u64, "games");
        bar.set_position(done as u64);
        bar.reset_eta();
        Live { bar }
    }

    fn show(&self, plan: &Plan, games: &Games) {
        self.bar.set_position(games.len() as u64);
        if !self.bar.is_hidden() {
            self.bar.set_message(report::live(&Standing::of(plan, games)));
        }
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
