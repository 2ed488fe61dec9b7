//! What commands share: engine options on the command line, Ctrl-C.

use super::CliError;
use crate::config;
use crate::options::Options;
use crate::search::StopFlag;

/// Engine options of a command.
#[derive(clap::Args, Debug, Clone, Default)]
pub struct EngineArgs {
    /// A preset by name or a TOML file of option values
    #[arg(long, value_name = "PRESET")]
    pub config: Option<String>,
    /// Set an engine option (see `kitai options`); may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
}

impl EngineArgs {
    /// The preset's values with the settings on top.
    ///
    /// # Errors
    /// An unknown preset, option or value.
    pub fn options(&self) -> Result<Options, CliError> {
        let mut options = match &self.config {
            Some(name) => config::load(name).map_err(CliError::input)?.options,
            None => Options::new(),
        };
        for setting in &self.settings {
            let (name, value) = setting.split_once('=').ok_or_else(|| {
                CliError::Input(format!("`{setting}` is not of the form NAME=VALUE"))
            })?;
            options.set(name.trim(), value).map_err(CliError::input)?;
        }
        Ok(options)
    }
}

/// A flag that Ctrl-C raises; the process ends when the work has stopped cleanly.
pub fn stop_on_interrupt() -> StopFlag {
    let stop = StopFlag::new();
    let flag = stop.clone();
    // Fails only if a handler is already installed (several commands in one test process).
    let _ = ctrlc::set_handler(move || flag.stop());
    stop
}
