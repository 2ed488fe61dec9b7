//! What commands share: engine options on the command line, outputs, dates, Ctrl-C.

use std::path::Path;

use super::CliError;
use crate::config;
use crate::options::Options;
use crate::record::date;
use crate::search::StopFlag;
use crate::search::limits::{DEPTH, MOVE_TIME, NODES, PLAYOUTS};
use crate::search::minimax::THREADS;
use crate::server;

/// Engine options of a command.
#[derive(clap::Args, Debug, Clone, Default, PartialEq)]
pub(super) struct EngineArgs {
    /// A preset by name or a TOML file of option values
    #[arg(long, value_name = "PRESET")]
    pub config: Option<String>,
    /// Set an engine option (see `kitai options`); may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
}

impl EngineArgs {
    /// The preset's values with the settings on top; without a preset, the bare defaults.
    ///
    /// # Errors
    /// An unknown preset, option or value.
    pub(super) fn options(&self) -> Result<Options, CliError> {
        match &self.config {
            Some(name) => self.on_top_of(name),
            None => self.apply(Options::new()),
        }
    }

    /// The same for playing a game: without a preset, the preset `default`, whose second a move
    /// gives way to any limit that is set. A search by depth then answers the same however busy the
    /// machine is.
    ///
    /// # Errors
    /// An unknown preset, option or value.
    pub(super) fn options_for_play(&self) -> Result<Options, CliError> {
        let Some(preset) = &self.config else {
            let mut options = self.on_top_of("default")?;
            let own = self.apply(Options::new())?;
            let limited = [&DEPTH, &NODES, &PLAYOUTS].iter().any(|&limit| own.get(limit) > 0);
            if limited && own.chosen(&MOVE_TIME).is_none() {
                options.unset(&MOVE_TIME.spec);
            }
            return Ok(options);
        };
        self.on_top_of(preset)
    }

    /// The same for work that a person waits for: all cores unless `threads` is set.
    ///
    /// # Errors
    /// An unknown preset, option or value.
    pub(super) fn options_for_a_person(&self) -> Result<Options, CliError> {
        with_all_cores(self.options_for_play()?)
    }

    fn on_top_of(&self, preset: &str) -> Result<Options, CliError> {
        self.apply(config::load(preset).map_err(CliError::usage)?.options)
    }

    fn apply(&self, mut options: Options) -> Result<Options, CliError> {
        for setting in &self.settings {
            let (name, value) = setting.split_once('=').ok_or_else(|| {
                CliError::usage(format!("`{setting}` is not of the form NAME=VALUE"))
            })?;
            options.set(name.trim(), value).map_err(CliError::usage)?;
        }
        Ok(options)
    }

    /// As [`EngineArgs::options`], for work that makes a searcher per thread and forgets all
    /// between positions: a small transposition table unless one is asked for.
    ///
    /// # Errors
    /// As [`EngineArgs::options`].
    pub(super) fn training_options(&self) -> Result<Options, CliError> {
        self.options_with_hash(1)
    }

    /// As [`EngineArgs::options`], with a transposition table of so many MiB unless another is
    /// asked for.
    ///
    /// # Errors
    /// As [`EngineArgs::options`].
    pub(super) fn options_with_hash(&self, mib: u32) -> Result<Options, CliError> {
        let mut options = self.options()?;
        if !options.changed().any(|(name, _)| name == "hash") {
            options.set("hash", &mib.to_string()).map_err(CliError::usage)?;
        }
        Ok(options)
    }
}

/// These options with every core at work, unless `threads` is set.
///
/// # Errors
/// None that a valid set of options can cause.
pub(super) fn with_all_cores(mut options: Options) -> Result<Options, CliError> {
    if options.chosen(&THREADS).is_none() {
        options.set(THREADS.spec.name, "auto").map_err(CliError::usage)?;
    }
    Ok(options)
}

/// Today in UTC: `2026-11-18`.
pub(super) fn today() -> String {
    let (year, month, day) = date::of_days(date::now() / 86_400);
    format!("{year:04}-{month:02}-{day:02}")
}

/// That a file can be put there, said before the work rather than after it.
///
/// # Errors
/// If its directory does not exist, or the name is a directory's.
pub(super) fn check_output(path: &Path) -> Result<(), CliError> {
    let missing = |what: &Path, why: &str| {
        let error = std::io::Error::new(std::io::ErrorKind::NotFound, why.to_owned());
        Err(CliError::io(what.display().to_string(), error))
    };
    match path.parent() {
        _ if path.is_dir() => missing(path, "is a directory"),
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            missing(folder, "there is no such directory to write into")
        }
        _ => Ok(()),
    }
}

/// A flag that Ctrl-C raises; the process ends when the work has stopped cleanly.
pub(super) fn stop_on_interrupt() -> StopFlag {
    let stop = StopFlag::new();
    let flag = stop.clone();
    if let Err(problem) = server::on_interrupt(move || flag.stop()) {
        // Ctrl-C then ends the process at once, as it does by itself.
        tracing::warn!(%problem, "signals cannot be watched");
    }
    stop
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::minimax::HASH;

    fn options(settings: &[&str]) -> Result<Options, CliError> {
        let settings = settings.iter().map(|&setting| setting.to_owned()).collect();
        EngineArgs { config: None, settings }.options_for_play()
    }

    #[test]
    fn settings_come_on_top_of_the_preset() {
        let limits = |settings: &[&str]| {
            let options = options(settings).unwrap();
            (options.get(&DEPTH), options.get(&HASH), options.get(&MOVE_TIME))
        };
        assert_eq!(limits(&["hash = 2"]), (0, 2, 1000));
        // A limit of one's own takes the place of the default's time.
        assert_eq!(limits(&["depth=3", "hash = 2"]), (3, 2, 0));
        assert_eq!(limits(&["depth=3", "hash = 2", "move-time=50"]), (3, 2, 50));
    }

    #[test]
    fn a_table_of_another_size_gives_way_to_one_asked_for() {
        let hash = |settings: &[&str]| {
            let settings = settings.iter().map(|&setting| setting.to_owned()).collect();
            EngineArgs { config: None, settings }.options_with_hash(256).unwrap().get(&HASH)
        };
        assert_eq!((hash(&[]), hash(&["hash=8"])), (256, 8));
    }

    #[test]
    fn outputs_need_a_directory() {
        assert!(check_output(Path::new("plain.txt")).is_ok());
        assert!(check_output(&std::env::temp_dir().join("x.txt")).is_ok());
        for bad in [Path::new("/nonexistent/x.txt"), &std::env::temp_dir()] {
            assert!(matches!(check_output(bad), Err(CliError::Io { .. })), "{}", bad.display());
        }
    }

    #[test]
    fn where_a_person_waits_all_cores_work_unless_told_otherwise() {
        let threads = |settings: &[&str]| {
            let settings = settings.iter().map(|&setting| setting.to_owned()).collect();
            EngineArgs { config: None, settings }.options_for_a_person().unwrap().get(&THREADS)
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from) as i64;
        assert_eq!((threads(&[]), threads(&["threads=3"])), (cores.min(256), 3));
        assert_eq!(options(&[]).unwrap().get(&THREADS), 1);
    }

    #[test]
    fn errors_name_what_is_wrong() {
        let error = |setting| options(&[setting]).unwrap_err().to_string();
        assert_eq!(error("depth"), "`depth` is not of the form NAME=VALUE");
        assert!(error("dept=3").starts_with("unknown option `dept`"));
        assert!(error("depth=x").contains("`x` is not a whole number"));
    }
}
