//! `kitai options`: every engine option and every preset.

use serde::Serialize;

use super::{CliError, Output};
use crate::config;
use crate::options::{OPTIONS, OptionSpec};
use crate::search;

/// List the engine's options, methods and presets
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  kitai options\n  kitai options --json")]
pub struct Args {}

#[derive(Serialize)]
struct Report {
    options: Vec<OptionReport>,
    methods: Vec<Named>,
    presets: Vec<Named>,
}

#[derive(Serialize)]
struct OptionReport {
    name: &'static str,
    accepts: String,
    default: &'static str,
    help: &'static str,
    methods: &'static [&'static str],
}

#[derive(Serialize)]
struct Named {
    name: String,
    help: String,
}

/// Runs the command.
///
/// # Errors
/// If standard output cannot be written.
pub fn run(_args: &Args, output: &mut Output) -> Result<(), CliError> {
    let methods: Vec<Named> = search::methods()
        .iter()
        .map(|method| Named { name: method.name.to_owned(), help: method.help.to_owned() })
        .collect();
    let presets: Vec<Named> = config::built_in()
        .map(|preset| Named { name: preset.name, help: preset.description })
        .collect();
    output.line("Options (--set NAME=VALUE, kitai-set NAME VALUE in GTP, presets):")?;
    for spec in OPTIONS {
        output.line(describe(spec))?;
    }
    for (title, entries) in
        [("\nMethods (--set method=NAME):", &methods), ("\nPresets (--config NAME):", &presets)]
    {
        output.line(title)?;
        for entry in entries {
            output.line(format_args!("  {:<16} {}", entry.name, entry.help))?;
        }
    }
    let options = OPTIONS
        .iter()
        .map(|spec| OptionReport {
            name: spec.name,
            accepts: spec.kind.expected(),
            default: spec.default,
            help: spec.help,
            methods: spec.methods,
        })
        .collect();
    output.object(&Report { options, methods, presets })
}

fn describe(spec: &OptionSpec) -> String {
    let default = if spec.default.is_empty() { "empty" } else { spec.default };
    let heeded_by = match spec.methods {
        [] => String::new(),
        methods => format!(" [{}]", methods.join(", ")),
    };
    format!(
        "  {:<16} {}\n  {:<16} {}; default {default}{heeded_by}",
        spec.name,
        spec.help,
        "",
        spec.kind.expected()
    )
}
