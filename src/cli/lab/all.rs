//! `kitai lab`, `kitai lab all` and `kitai lab report`: all experiments, one after another.

use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::cli::common::stop_on_interrupt;
use crate::cli::{CliError, Output, progress};
use crate::lab::all::{News, RunAll, load};
use crate::lab::bench::Data;
use crate::lab::registry::{EXPERIMENTS, Experiment};
use crate::lab::report::Report;

/// Run all experiments that have no result yet; again after an interruption goes on
///
/// Every finished experiment is a file in DIR, and matches go on inside by their logs. What needs
/// data that is not there is left out and counted.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  kitai lab all --quick --out runs/lab --data data\n  kitai lab all --only \
kobayashi-moves,tebika-trees --out runs/lab --data data\n  kitai lab report runs/lab"
)]
pub(super) struct AllArgs {
    /// Where results and match logs are kept
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Small sizes: everything in a few minutes
    #[arg(long)]
    quick: bool,
    /// Only these experiments
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    only: Vec<String>,
    /// Folder with wthor/WTH_….wtb and zebra/coeffs2.bin [default: $KITAI_DATA]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Games at a time [default: one for each core]
    #[arg(long, short = 'c', value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    concurrency: Option<u32>,
}

/// Write one HTML page, Markdown, CSV and SVG from the results in a folder
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  kitai lab report runs/lab")]
pub(super) struct ReportArgs {
    /// The folder that `kitai lab all` filled
    folder: PathBuf,
    /// Where report.html, report.md, data/ and figures/ go [default: the same folder]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

fn minutes(seconds: u32) -> String {
    if seconds < 120 { format!("{seconds} s") } else { format!("{} min", seconds.div_ceil(60)) }
}

/// Lists the experiments.
///
/// # Errors
/// If standard output cannot be written.
pub(super) fn list(output: &mut Output) -> Result<(), CliError> {
    let mut paper = None;
    for experiment in EXPERIMENTS {
        if paper != Some(experiment.paper) {
            paper = Some(experiment.paper);
            output.line(format_args!("{}", experiment.paper.name()))?;
        }
        let needs: Vec<&str> = experiment.needs.iter().map(|need| need.name()).collect();
        let [quick, full] = experiment.seconds.map(minutes);
        output.line(format_args!(
            "  {:<24} {:>6} quick, {:>7} full  {}{}{}",
            experiment.name,
            quick,
            full,
            experiment.about,
            if experiment.by_clock { " (by the clock: no two runs are equal)" } else { "" },
            if needs.is_empty() { String::new() } else { format!(" (needs {})", needs.join(", ")) }
        ))?;
        output.object(&serde_json::json!({
            "name": experiment.name,
            "paper": experiment.paper.name(),
            "about": experiment.about,
            "needs": needs,
            "by_clock": experiment.by_clock,
            "quick_seconds": experiment.seconds[0],
            "full_seconds": experiment.seconds[1],
        }))?;
    }
    output.line("\nTimes are those of two cores. Run them with: kitai lab all --out DIR [--quick]")
}

/// How long the rest will take, from what was announced and what was taken.
struct Eta {
    began: Instant,
    announced_done: f64,
    announced_left: f64,
}

impl Eta {
    fn left(&self, of_current: f64) -> Duration {
        let done = self.announced_done + of_current;
        let pace = if done > 0.0 { self.began.elapsed().as_secs_f64() / done } else { 1.0 };
        Duration::from_secs_f64((pace * (self.announced_left - of_current)).max(0.0))
    }
}

/// Runs `lab all`.
///
/// # Errors
/// If an experiment or a file cannot be used, or the work was interrupted.
pub(super) fn all(args: &AllArgs, output: &mut Output) -> Result<(), CliError> {
    let folder = args.data.clone().or_else(|| std::env::var_os("KITAI_DATA").map(PathBuf::from));
    let (data, stop) = (Data::in_folder(folder), stop_on_interrupt());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = args.concurrency.map_or(cores, |workers| workers as usize);
    let all = RunAll {
        folder: &args.out,
        quick: args.quick,
        data: &data,
        only: &args.only,
        workers,
        stop: &stop,
    };
    let announced =
        |experiment: &Experiment| f64::from(experiment.seconds[usize::from(!args.quick)]);
    let mut left = 0.0;
    for experiment in all.experiments().map_err(CliError::usage)? {
        let is_done = load(&args.out, experiment.name, args.quick).map_err(CliError::input)?;
        if is_done.is_none() && experiment.needs.iter().all(|&need| data.has(need)) {
            left += announced(experiment);
        }
    }
    let eta = Mutex::new(Eta { began: Instant::now(), announced_done: 0.0, announced_left: left });
    let bar = progress::steps(1, "steps");
    let say = |text: String| {
        if !output.is_json() {
            bar.suspend(|| println!("{text}"));
        }
    };
    let tell = |news: News<'_>| match news {
        News::Skipped(experiment, need) => {
            say(format!("{}: left out, needs {}", experiment.name, need.describe()));
        }
        News::Kept(experiment) => say(format!("{}: is there", experiment.name)),
        News::Begun(experiment) => {
            bar.set_position(0);
            bar.set_message(experiment.name.to_owned());
        }
        News::Step(experiment, done, total) => {
            bar.set_length(total);
            bar.set_position(done);
            if !bar.is_hidden()
                && let Ok(eta) = eta.try_lock()
            {
                let part = announced(experiment) * done as f64 / total.max(1) as f64;
                let left = eta.left(part).as_secs();
                bar.set_message(format!("{}; all in {} min", experiment.name, left.div_ceil(60)));
            }
        }
        News::Finished(experiment, outcome) => {
            if let Ok(mut eta) = eta.lock() {
                eta.announced_done += announced(experiment);
                eta.announced_left -= announced(experiment);
            }
            let verdicts: Vec<String> = outcome
                .verdicts()
                .map(|(table, verdict)| format!("\n    {}: {}", table.title, verdict.name()))
                .collect();
            say(format!("{}: done{}", experiment.name, verdicts.concat()));
        }
    };
    let counts = all.run(&tell).map_err(CliError::input);
    bar.finish_and_clear();
    let counts = counts?;
    let summary = Report::read(&args.out).map_err(CliError::input)?.summary();
    output.line(format_args!(
        "{} run, {} kept, {} left out for want of data; tables: {} reproduced, {} differ, {} cannot be \
         told\nkitai lab report {} writes the report",
        counts.run,
        counts.kept,
        counts.skipped,
        summary.tables.reproduced,
        summary.tables.differs,
        summary.tables.undecided,
        args.out.display()
    ))?;
    output.object(&serde_json::json!({
        "run": counts.run,
        "kept": counts.kept,
        "skipped": counts.skipped,
        "tables": summary.tables,
        "figures": summary.figures,
    }))
}

/// Runs `lab report`.
///
/// # Errors
/// If a file cannot be read or written.
pub(super) fn report(args: &ReportArgs, output: &mut Output) -> Result<(), CliError> {
    let report = Report::read(&args.folder).map_err(CliError::input)?;
    let out = args.out.as_ref().unwrap_or(&args.folder);
    report.write(out).map_err(CliError::input)?;
    output.line(format_args!("{}", out.join("report.html").display()))
}
