//! `kitai --help`: the subcommands by what they are for, instead of one long list.

use std::fmt::Write;

use clap::Command;

/// What subcommands are for, and which do it. Those named nowhere come last.
const GROUPS: &[(&str, &[&str])] = &[
    ("Play and analyse", &["play", "analyze", "move", "solve", "show", "convert", "book"]),
    ("Serve", &["gtp", "nboard", "ggs", "web"]),
    ("Test engines", &["match", "tournament", "bench", "perft", "fleet", "worker"]),
    ("Research", &["lab", "expect", "opponent", "sigma", "siblings", "probcut", "eval-test"]),
    ("Train", &["selfplay", "label", "train"]),
    ("Set up", &["options", "completions", "man"]),
];

/// The same command line with a help text in groups.
pub(super) fn grouped(command: Command) -> Command {
    let text = list(&command);
    command
        .help_template(
            "{about-with-newline}\n{usage-heading} {usage}{after-help}\n\nOptions:\n{options}",
        )
        .after_help(text)
}

fn list(command: &Command) -> String {
    let about = |name: &str| {
        let found = command.get_subcommands().find(|sub| sub.get_name() == name)?;
        let about = found.get_about().map(ToString::to_string).unwrap_or_default();
        Some(about.lines().next().unwrap_or_default().trim_end_matches('.').to_owned())
    };
    let named = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let rest: Vec<&str> = command
        .get_subcommands()
        .filter(|sub| !sub.is_hide_set() && sub.get_name() != "help")
        .map(Command::get_name)
        .filter(|name| !named(name))
        .collect();
    let groups = GROUPS.iter().copied().chain([("More", rest.as_slice())]);
    let mut text = String::new();
    for (title, names) in groups {
        let lines: Vec<_> = names.iter().filter_map(|name| Some((name, about(name)?))).collect();
        if !lines.is_empty() {
            let _ = write!(text, "\n{title}:\n");
            for (name, about) in lines {
                let _ = writeln!(text, "  {name:<12} {about}");
            }
        }
    }
    text + "\n`kitai SUBCOMMAND --help` shows the flags and examples of each."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subcommand_is_listed_once() {
        let command = Command::new("x")
            .subcommand(Command::new("play").about("Play a game.\nAt length."))
            .subcommand(Command::new("odd").about("Something else"))
            .subcommand(Command::new("secret").hide(true));
        let text = list(&command);
        assert_eq!(text.matches("play ").count(), 1, "{text}");
        assert!(text.contains("Play and analyse:\n  play         Play a game\n"), "{text}");
        assert!(text.contains("More:\n  odd          Something else\n"), "{text}");
        assert!(!text.contains("secret") && !text.contains("Train"), "{text}");
    }
}
