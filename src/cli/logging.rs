//! Where the log goes: a file or stderr, never stdout.
//!
//! Serving is silent unless asked, because NBoard reads stderr as if it were the protocol.

use std::fs::OpenOptions;
use std::path::PathBuf;
use std::sync::Mutex;

use tracing_subscriber::EnvFilter;

use super::CliError;

/// Environment variable with a level or filter, such as `debug` or `kitai::wire=trace`.
const VARIABLE: &str = "KITAI_LOG";

/// What to log and where.
#[derive(clap::Args, Debug, Clone, Default)]
pub(super) struct LogArgs {
    /// Add the log to this file instead of writing it to stderr
    #[arg(long, global = true, value_name = "FILE")]
    log: Option<PathBuf>,
    /// error, warn, info (searches), debug, trace (every protocol line), or a filter; also by the
    /// environment variable KITAI_LOG [default: info with --log, else nothing]
    #[arg(long, global = true, value_name = "LEVEL")]
    log_level: Option<String>,
}

impl LogArgs {
    /// Starts logging as asked.
    ///
    /// # Errors
    /// If the level is none, or the file cannot be written.
    pub(super) fn start(&self) -> Result<(), CliError> {
        let from_environment = std::env::var(VARIABLE).ok().filter(|text| !text.is_empty());
        let level = self.log_level.clone().or(from_environment);
        let level = match (level, &self.log) {
            (Some(level), _) => level,
            (None, Some(_)) => "info".to_owned(),
            (None, None) => return Ok(()),
        };
        let filter = EnvFilter::builder()
            .parse(&level)
            .map_err(|error| CliError::usage(format!("log level `{level}`: {error}")))?;
        let builder = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false);
        // A second start in one process (tests) keeps the first.
        match &self.log {
            None => drop(builder.with_writer(std::io::stderr).try_init()),
            Some(path) => {
                let file = OpenOptions::new()
                    .create(true)
                    .append(true)
                    .open(path)
                    .map_err(|error| CliError::io(path.display().to_string(), error))?;
                drop(builder.with_writer(Mutex::new(file)).try_init());
            }
        }
        Ok(())
    }
}
