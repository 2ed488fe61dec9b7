//! The command line: one file per subcommand, each an `Args` struct and a `run` function.
//!
//! Every command that prints results also takes `--json` (one object, or one per line for
//! streams). Errors go to stderr as one line; exit code 0 is success, 1 a failure or a mismatch
//! found, 2 a wrong command line.

mod analyze;
mod bench;
mod book;
mod common;
mod completions;
mod conduct;
mod convert;
mod eval_test;
mod expect;
#[cfg(feature = "fleet")]
mod fleet;
mod ggs;
mod groups;
mod input;
mod lab;
mod label;
mod logging;
mod man;
mod match_cmd;
mod move_cmd;
#[cfg(feature = "fleet")]
mod nats;
mod opponent;
mod options_cmd;
mod output;
mod perft;
mod play;
mod probcut;
mod progress;
mod selfplay;
mod serve;
mod show;
mod siblings;
mod sigma;
mod solve;
mod tournament;
mod train;
#[cfg(feature = "web")]
mod web;
#[cfg(feature = "fleet")]
mod worker;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use thiserror::Error;

use crate::server::Protocol;
pub use output::Output;

/// An Othello engine server whose search idea is an option.
///
/// Without a subcommand it serves an Othello program on standard input and output, in GTP or NBoard
/// as the program's first line says.
#[derive(Parser, Debug)]
#[command(name = "kitai", version = crate::launch::VERSION, about, max_term_width = 100)]
struct Cli {
    /// Print results as JSON, one documented object or one per line
    #[arg(long, global = true)]
    json: bool,
    #[command(flatten)]
    log: logging::LogArgs,
    #[command(flatten)]
    serve: serve::Args,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    Analyze(analyze::Args),
    Bench(bench::Args),
    Book(book::Args),
    Completions(completions::Args),
    Convert(convert::Args),
    EvalTest(eval_test::Args),
    Expect(expect::Args),
    Ggs(ggs::Args),
    #[cfg(feature = "fleet")]
    Fleet(fleet::Args),
    /// Serve a GTP client
    Gtp(serve::Args),
    Label(label::Args),
    Man(man::Args),
    Match(match_cmd::Args),
    Move(move_cmd::Args),
    /// Serve an NBoard client
    Nboard(serve::Args),
    Opponent(opponent::Args),
    Options(options_cmd::Args),
    Lab(lab::Args),
    Perft(perft::Args),
    Play(play::Args),
    Sigma(sigma::Args),
    Siblings(siblings::Args),
    Show(show::Args),
    Selfplay(selfplay::Args),
    Probcut(probcut::Args),
    Solve(solve::Args),
    Tournament(tournament::Args),
    Train(train::Args),
    #[cfg(feature = "web")]
    Web(web::Args),
    #[cfg(feature = "fleet")]
    Worker(worker::Args),
}

/// Why a command failed; printed as one line on stderr.
#[derive(Debug, Error)]
pub enum CliError {
    /// Reading or writing failed.
    #[error("{context}: {source}")]
    Io {
        /// The file or stream.
        context: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A position, record or argument could not be read.
    #[error("{0}")]
    Input(String),
    /// The command line asks for something that makes no sense: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// The work was done and found something wrong (a mismatch, bad games): already reported.
    #[error("{0}")]
    Found(String),
}

impl CliError {
    /// An I/O error with the name of its file or stream.
    pub fn io(context: impl Into<String>, source: std::io::Error) -> CliError {
        CliError::Io { context: context.into(), source }
    }

    /// A wrong command line.
    pub fn usage(error: impl std::fmt::Display) -> CliError {
        CliError::Usage(error.to_string())
    }

    /// An input error from anything that prints as one.
    pub fn input(error: impl std::fmt::Display) -> CliError {
        CliError::Input(error.to_string())
    }
}

impl Cli {
    /// What comes before every command: the log, and a look at flags that would be ignored.
    fn prepare(&self) -> Result<(), CliError> {
        if self.command.is_some() && self.serve != serve::Args::default() {
            let hint =
                "flags of the server (--config, --set, --listen, …) stand after a subcommand";
            return Err(CliError::usage(hint));
        }
        self.log.start()
    }
}

/// The command line, its subcommands shown by what they are for.
fn command() -> clap::Command {
    groups::grouped(Cli::command())
}

/// Parses the command line and runs it.
pub fn main() -> ExitCode {
    let cli = Cli::from_arg_matches(&command().get_matches()).unwrap_or_else(|error| error.exit());
    let mut output = Output::new(cli.json, std::io::stdout().is_terminal());
    let result = cli.prepare().and_then(|()| match &cli.command {
        Some(Command::Analyze(args)) => analyze::run(args, &mut output),
        Some(Command::Bench(args)) => bench::run(args, &mut output),
        Some(Command::Book(args)) => book::run(args, &mut output),
        Some(Command::Completions(args)) => completions::run(args, command()),
        Some(Command::Convert(args)) => convert::run(args, &mut output),
        Some(Command::EvalTest(args)) => eval_test::run(args, &mut output),
        Some(Command::Expect(args)) => expect::run(args, &mut output),
        Some(Command::Ggs(args)) => ggs::run(args, &mut output),
        #[cfg(feature = "fleet")]
        Some(Command::Fleet(args)) => fleet::run(args, &mut output),
        Some(Command::Gtp(args)) => serve::run(args, Protocol::Gtp),
        Some(Command::Label(args)) => label::run(args, &mut output),
        Some(Command::Man(args)) => man::run(args, command()),
        Some(Command::Match(args)) => match_cmd::run(args, &mut output),
        Some(Command::Move(args)) => move_cmd::run(args, &mut output),
        Some(Command::Nboard(args)) => serve::run(args, Protocol::NBoard),
        Some(Command::Opponent(args)) => opponent::run(args, &mut output),
        Some(Command::Options(args)) => options_cmd::run(args, &mut output),
        Some(Command::Lab(args)) => lab::run(args, &mut output),
        Some(Command::Perft(args)) => perft::run(args, &mut output),
        Some(Command::Play(args)) => play::run(args, &mut output),
        Some(Command::Sigma(args)) => sigma::run(args, &mut output),
        Some(Command::Siblings(args)) => siblings::run(args, &mut output),
        Some(Command::Show(args)) => show::run(args, &mut output),
        Some(Command::Selfplay(args)) => selfplay::run(args, &mut output),
        Some(Command::Probcut(args)) => probcut::run(args, &mut output),
        Some(Command::Solve(args)) => solve::run(args, &mut output),
        Some(Command::Tournament(args)) => tournament::run(args, &mut output),
        Some(Command::Train(args)) => train::run(args, &mut output),
        #[cfg(feature = "web")]
        Some(Command::Web(args)) => web::run(args),
        #[cfg(feature = "fleet")]
        Some(Command::Worker(args)) => worker::run(args, &mut output),
        None => serve::run(&cli.serve, Protocol::Auto),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // A reader that went away (`kitai … | head`) is not a failure.
        Err(CliError::Io { source, .. }) if source.kind() == std::io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("kitai: {error}");
            if matches!(error, CliError::Usage(_)) { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        command().debug_assert();
    }
}
