//! What `match`, `tournament` and the lab's matches share: the flags, the live line and the result.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::common::stop_on_interrupt;
#[cfg(feature = "fleet")]
use super::nats::{FleetArgs, FleetView};
use super::{CliError, Output, progress};
use crate::arena::conduct::{self, ConductError, Learning, Progress};
use crate::arena::runner::Here;
use crate::arena::standing::Games;
use crate::arena::{Plan, Standing, report};
use crate::book::SharedBook;
use crate::book::shared::LEARN_DEPTH;
#[cfg(feature = "fleet")]
use crate::fleet::work::games::FleetVenue;

/// How often the live score is worked out anew.
const LIVE_EVERY: Duration = Duration::from_millis(250);

/// Where a match writes and how wide it runs.
#[derive(clap::Args, Debug, Clone, Default)]
pub(super) struct Conduct {
    /// Keep the match in NAME.jsonl (log and resume file), NAME.ggf (games) and NAME.html
    /// (report); the same command again resumes it
    #[arg(long, value_name = "NAME")]
    pub out: Option<PathBuf>,
    /// Games at a time [default: 1]
    #[arg(long, short = 'c', value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub concurrency: Option<u32>,
    /// Keep each engine's conversation (NAME-WORKER.log) and standard error (NAME-WORKER.stderr)
    /// in this directory
    #[arg(long, value_name = "DIRECTORY")]
    #[cfg_attr(feature = "fleet", arg(conflicts_with = "nats"))]
    pub log_dir: Option<PathBuf>,
    /// Learn every game into this opening book (begun if there is none) before the next begins;
    /// players use it with book=BOOK
    #[arg(long, value_name = "BOOK")]
    pub learn: Option<PathBuf>,
    /// Depth of the searches that learn, plies [default: 14]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=60))]
    pub learn_depth: Option<u32>,
    #[cfg(feature = "fleet")]
    #[command(flatten)]
    pub fleet: FleetArgs,
}

/// Plays what is left of the plan and prints the result.
///
/// # Errors
/// If a player or file cannot be used, or the match was interrupted.
pub(super) fn conduct(plan: &Plan, conduct: &Conduct, output: &mut Output) -> Result<(), CliError> {
    let standing = play_out(plan, conduct, output)?;
    output.line(report::text(plan, &standing))?;
    output.object(&standing)?;
    check_complete(&standing, conduct)
}

/// Plays what is left of the plan, as far as it gets.
///
/// # Errors
/// If a player or file cannot be used.
pub(super) fn play_out(
    plan: &Plan,
    conduct: &Conduct,
    output: &mut Output,
) -> Result<Standing, CliError> {
    if let Some(book) = &conduct.learn {
        // Begun before the players look for it.
        SharedBook::open_to_learn(book)?;
    }
    let mut live = Live::new(plan);
    let mut printed = Ok(());
    let bar = live.bar.clone();
    let mut watch = |news: Progress| {
        let line = match news {
            Progress::Played(games) => return live.show(plan, games),
            Progress::Resumed(games) => {
                live.start(games);
                format!("resumed with {games} of {} games", plan.games())
            }
            Progress::Dropped(games) => format!("{games} logged games are played again"),
            Progress::Torn(found) => return eprintln!("kitai: {found}"),
            Progress::Note(note) => format!("note: {note}"),
        };
        if printed.is_ok() {
            printed = output.line(line);
        }
    };
    let standing = in_place(plan, conduct, &bar, &mut watch);
    bar.finish_and_clear();
    printed.and(standing.map_err(CliError::input))
}

/// Plays here, or on the workers of a fleet.
fn in_place(
    plan: &Plan,
    conduct: &Conduct,
    #[cfg_attr(not(feature = "fleet"), allow(unused))] bar: &ProgressBar,
    watch: &mut dyn FnMut(Progress),
) -> Result<Standing, ConductError> {
    let (out, stop) = (conduct.out.clone(), stop_on_interrupt());
    let learn = conduct
        .learn
        .clone()
        .map(|book| Learning { book, depth: conduct.learn_depth.unwrap_or(LEARN_DEPTH) });
    #[cfg(feature = "fleet")]
    if let Some(access) = conduct.fleet.access() {
        let mut view = FleetView::new(bar);
        let mut venue = FleetVenue {
            access: &access,
            settings: conduct.fleet.settings(),
            resumes: out.is_some(),
            news: &mut |news| view.show(news),
        };
        let replay = conduct.fleet.excluded();
        let how = conduct::Conduct { out, venue: &mut venue, replay, learn, logs: None };
        let standing = conduct::conduct(plan, how, &stop, watch);
        bar.finish_and_clear();
        view.finish();
        return standing;
    }
    let mut here = Here(conduct.concurrency.unwrap_or(1) as usize);
    let logs = conduct.log_dir.clone();
    let how = conduct::Conduct { out, venue: &mut here, replay: Vec::new(), learn, logs };
    conduct::conduct(plan, how, &stop, watch)
}

/// Says how to go on if the games are not all played.
///
/// # Errors
/// If they are not.
pub(super) fn check_complete(standing: &Standing, conduct: &Conduct) -> Result<(), CliError> {
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

/// The progress line on standard error; nothing if that is no terminal.
struct Live {
    bar: ProgressBar,
    since: Instant,
}

impl Live {
    fn new(plan: &Plan) -> Live {
        let bar = progress::steps(plan.games() as u64, "games");
        Live { bar, since: Instant::now() }
    }

    fn start(&self, done: usize) {
        self.bar.set_position(done as u64);
        self.bar.reset_eta();
    }

    fn show(&mut self, plan: &Plan, games: &Games) {
        if self.since.elapsed() < LIVE_EVERY {
            return;
        }
        self.since = Instant::now();
        self.bar.set_position(games.len() as u64);
        if !self.bar.is_hidden() {
            self.bar.set_message(report::live(&Standing::of(plan, games)));
        }
    }
}
