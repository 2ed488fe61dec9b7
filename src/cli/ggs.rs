//! `kitai ggs`: the bot on a game server, the check of its settings, and the report of its games.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use indicatif::{MultiProgress, ProgressBar};
use serde_json::json;

use super::{CliError, Output};
use crate::files;
use crate::protocol::ggs::{Report, Settings};
use crate::record::{date, ggf};
use crate::server::ggs as bot;
use crate::text;

/// Largest settings file, bytes.
const LARGEST_SETTINGS: u64 = 1 << 20;
/// Largest password file, bytes.
const LARGEST_PASSWORD: u64 = 4096;

/// Play on a Generic Game Server (GGS) as a bot that can be left alone.
///
/// Everything is in one settings file; `configs/ggs.toml` explains it, `docs/ggs.md` tells the rest.
#[derive(clap::Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
kitai ggs --config my-ggs.toml --check\n  \
KITAI_GGS_PASSWORD=… kitai ggs --config my-ggs.toml\n  \
kitai ggs report ggs-records -o report.html"
)]
pub(super) struct Args {
    /// The settings (TOML) [default: ggs.toml]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Only check the settings and say in words what the bot will do
    #[arg(long)]
    check: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    /// Make one page of a bot's records: ratings, scores, time use, worst moves
    Report {
        /// The folder of records
        records: PathBuf,
        /// The page
        #[arg(long, short, value_name = "FILE", default_value = "ggs-report.html")]
        out: PathBuf,
    },
}

/// Runs the command.
///
/// # Errors
/// If settings, password or records cannot be used.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    if let Some(Command::Report { records, out }) = &args.command {
        return report(records, out, output);
    }
    let file = args.config.clone().unwrap_or_else(|| PathBuf::from("ggs.toml"));
    let name = file.display().to_string();
    let text =
        files::read(&file, LARGEST_SETTINGS).map_err(|error| CliError::io(&name, error.into()))?;
    let settings = Settings::parse(&String::from_utf8_lossy(&text))
        .map_err(|error| CliError::Input(format!("{name}: {error}")))?;
    if args.check {
        output.line(format_args!("{name} is good. The bot"))?;
        for said in settings.describe() {
            output.line(format_args!("- {said}"))?;
        }
        return output.object(&json!({ "file": name, "does": settings.describe() }));
    }
    let password = password(&settings)?;
    let mut display = Display::new(output.is_json());
    let reason = bot::run(settings, password, date::now(), move |report| display.show(report))
        .map_err(CliError::input)?;
    output.line(format_args!("stopped: {reason}"))?;
    output.object(&json!({ "event": "stopped", "reason": reason }))
}

/// The first line of the file, or else the environment variable.
fn password(settings: &Settings) -> Result<String, CliError> {
    let found = match &settings.password_file {
        Some(file) => {
            let bytes = files::read(file, LARGEST_PASSWORD)
                .map_err(|error| CliError::io(file.display().to_string(), error.into()))?;
            String::from_utf8_lossy(&bytes).lines().next().unwrap_or("").trim().to_owned()
        }
        None => std::env::var(&settings.password_env).unwrap_or_default(),
    };
    if found.is_empty() || found.contains(|c: char| c.is_control()) {
        let place = match &settings.password_file {
            Some(file) => format!("the file {}", file.display()),
            None => format!("the environment variable {}", settings.password_env),
        };
        return Err(CliError::Input(format!("there is no password in {place}")));
    }
    Ok(found)
}

/// News as they come, and one line for each game on a terminal.
struct Display {
    json: bool,
    lines: Option<MultiProgress>,
    games: BTreeMap<String, (u32, ProgressBar)>,
}

impl Display {
    fn new(json: bool) -> Display {
        let lines = (!json && std::io::stderr().is_terminal()).then(MultiProgress::new);
        Display { json, lines, games: BTreeMap::new() }
    }

    fn show(&mut self, report: &Report) {
        if self.json {
            // A reader that went away does not stop the bot.
            let _ = print(&event(report).to_string());
            return;
        }
        match (report, &self.lines) {
            (Report::News(text), Some(lines)) => {
                let _ = lines.println(text);
            }
            (Report::News(text), None) => {
                let _ = print(text);
            }
            (Report::State(state), Some(lines)) => {
                let (_, line) = self.games.entry(state.game.clone()).or_insert_with(|| {
                    let style = indicatif::ProgressStyle::with_template("{msg}");
                    let line = lines.add(ProgressBar::no_length());
                    line.set_style(
                        style.unwrap_or_else(|_| indicatif::ProgressStyle::default_bar()),
                    );
                    (state.number, line)
                });
                line.set_message(state.to_string());
                line.tick();
            }
            (Report::Gone { number }, Some(lines)) => {
                self.games.retain(|_, (own, line)| {
                    if own == number {
                        line.finish_and_clear();
                        lines.remove(line);
                    }
                    own != number
                });
            }
            _ => {}
        }
    }
}

fn print(text: &str) -> std::io::Result<()> {
    use std::io::Write;
    writeln!(std::io::stdout().lock(), "{text}")
}

/// A report as programs read it.
fn event(report: &Report) -> serde_json::Value {
    let games = |records: &[crate::record::GameRecord]| -> Vec<String> {
        records.iter().map(ggf::write).collect()
    };
    let time = date::now();
    match report {
        Report::Unfinished { tag, records } => {
            json!({ "event": "moves", "time": time, "match": tag, "games": games(records) })
        }
        Report::Finished { tag, records, result } => json!({
            "event": "result", "time": time, "match": tag, "games": games(records), "result": result
        }),
        Report::Rating(line) => json!({ "event": "rating", "time": time, "rating": line }),
        Report::State(state) => json!({ "event": "state", "time": time, "state": state }),
        Report::Gone { number } => json!({ "event": "gone", "time": time, "number": number }),
        Report::News(text) => json!({ "event": "news", "time": time, "text": text }),
    }
}

fn report(records: &Path, out: &Path, output: &mut Output) -> Result<(), CliError> {
    let found = bot::Found::read(records).map_err(CliError::input)?;
    crate::record::whole_file::write(out, found.page().as_bytes())
        .map_err(|error| CliError::io(out.display().to_string(), error))?;
    let (matches, games) = (found.results().count(), found.games());
    let both = [(matches, "result"), (games, "game")];
    let [results, played] = both.map(|(count, thing)| text::count(count as u64, thing));
    output.line(format_args!("{}: {results}, {played}", out.display()))?;
    output.object(&json!({ "page": out.display().to_string(), "results": matches, "games": games }))
}
