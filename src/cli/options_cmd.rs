//! `kitai options`: every engine option and every preset.

use serde::Serialize;

use super::{CliError, Output};
use crate::config;
use crate::engine::catalogue::catalogue;
use crate::eval::registry::evaluations;
use crate::options::{CatalogueEntry, OptionValue, Wire};
use crate::search;

/// List the engine's options, methods and presets
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  kitai options\n  kitai options --json")]
pub(super) struct Args {}

#[derive(Serialize)]
struct Report {
    options: Vec<OptionReport>,
    methods: Vec<Named>,
    evaluations: Vec<Named>,
    presets: Vec<Named>,
}

#[derive(Serialize)]
struct OptionReport {
    name: &'static str,
    accepts: String,
    default: String,
    help: &'static str,
    /// The methods that heed it.
    methods: &'static [&'static str],
    /// The evaluations that heed it.
    evaluations: &'static [&'static str],
    /// Whether a client on the network may set it.
    wire: &'static str,
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
pub(super) fn run(_args: &Args, output: &mut Output) -> Result<(), CliError> {
    let methods: Vec<Named> = search::methods()
        .map(|method| Named { name: method.name.to_owned(), help: method.help.to_owned() })
        .collect();
    let evaluations: Vec<Named> = evaluations()
        .map(|entry| Named { name: entry.name.to_owned(), help: entry.help.to_owned() })
        .collect();
    let presets: Vec<Named> = config::built_in()
        .chain(config::user_presets())
        .map(|preset| Named {
            help: match preset.rating {
                Some(rating) => format!("{} (rated {rating})", preset.description),
                None => preset.description,
            },
            name: preset.name,
        })
        .collect();
    output.line("Options (--set NAME=VALUE, kitai-set NAME VALUE in GTP, presets):")?;
    for entry in catalogue().entries() {
        output.line(describe(entry, methods.len()))?;
    }
    for (title, entries) in [
        ("\nMethods (--set method=NAME):", &methods),
        ("\nEvaluations (--set eval=NAME):", &evaluations),
        ("\nPresets (--config NAME):", &presets),
    ] {
        output.line(title)?;
        for entry in entries {
            output.line(format_args!("  {:<16} {}", entry.name, entry.help))?;
        }
    }
    let options = catalogue()
        .entries()
        .iter()
        .map(|entry| OptionReport {
            name: entry.spec.name,
            accepts: entry.spec.kind.expected(),
            default: OptionValue::from(entry.spec.default).to_string(),
            help: entry.spec.help,
            methods: &entry.methods,
            evaluations: &entry.evaluations,
            wire: match entry.spec.wire {
                Wire::Yes => "yes",
                Wire::No => "no",
                Wire::Budgeted => "budgeted",
            },
        })
        .collect();
    output.object(&Report { options, methods, evaluations, presets })
}

fn describe(entry: &CatalogueEntry, all_methods: usize) -> String {
    let spec = entry.spec;
    let default = OptionValue::from(spec.default).to_string();
    let default = if default.is_empty() { "empty" } else { &default };
    let methods = if entry.methods.len() < all_methods { entry.methods.as_slice() } else { &[] };
    let names = [methods, &entry.evaluations].concat();
    let heeded_by =
        if names.is_empty() { String::new() } else { format!(" [{}]", names.join(", ")) };
    format!(
        "  {:<16} {}\n  {:<16} {}; default {default}{heeded_by}",
        spec.name,
        spec.help,
        "",
        spec.kind.expected()
    )
}
