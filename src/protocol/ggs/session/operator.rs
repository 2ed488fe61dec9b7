//! What operators tell the bot. Everybody else may say what they like: it is logged, never obeyed,
//! and nothing of it is ever sent back.

use super::GgsSession;
use crate::engine::changes_method;
use crate::protocol::ggs::writer::Command;
use crate::protocol::{Actions, Permissions};

/// Operators are on the network: they name no files.
const PERMISSIONS: Permissions = Permissions { files: false, learn: false };

impl GgsSession {
    pub(super) fn told(&mut self, from: &str, lines: &[String], out: &mut Actions) {
        let text = lines.join(" ");
        self.news(format!("{from} says: {text}"), out);
        if !self.settings.operators.iter().any(|operator| operator == from) {
            return;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let answers = match words.as_slice() {
            ["status"] => self.status(),
            ["pause"] | ["pause", "after", "this", "game"] => {
                self.paused = true;
                self.send_open(out);
                vec!["no new games until you say resume".to_owned()]
            }
            ["resume"] | ["resume", "after", "this", "game"] => {
                (self.paused, self.quitting) = (false, false);
                self.send_open(out);
                self.reconsider(out);
                vec!["new games are welcome".to_owned()]
            }
            ["quit"] | ["quit", "after", "this", "game"] => {
                self.quitting = true;
                self.send_open(out);
                vec![format!("leaving after {} running match(es)", self.matches.len())]
            }
            ["set", name, value] => vec![self.set_option(name, value)],
            _ => vec!["status, pause, resume, set NAME VALUE, quit after this game".to_owned()],
        };
        for answer in answers {
            if let Some(command) = Command::tell(from, answer) {
                self.send(&command, out);
            }
        }
    }

    fn status(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "{} match(es), {}{}{} adjourned, lag {} ms",
            self.matches.len(),
            if self.paused { "paused, " } else { "" },
            if self.quitting { "leaving, " } else { "" },
            self.stored.len(),
            self.lag.as_millis()
        )];
        lines.extend(self.game_lines().into_iter().take(8));
        lines
    }

    /// Sets an engine option for all kinds of games: from the next move on, or, if it asks for
    /// another method or other tables, from the next game on.
    fn set_option(&mut self, name: &str, value: &str) -> String {
        let mut changed = self.options.clone();
        for options in changed.values_mut() {
            match PERMISSIONS.with_option(options, name, value) {
                Ok(with) => *options = with,
                // The message quotes what was said; it goes through the filter of every command.
                Err(_) => return "no such option or value".to_owned(),
            }
        }
        let later =
            changed.iter().any(|(kind, options)| changes_method(&self.options[kind], options));
        self.options = changed;
        if later {
            return "set, from the next game on".to_owned();
        }
        let spec = crate::options::Options::spec(name);
        for found in self.matches.values_mut() {
            found.set_option(spec.as_ref().map_or("", |spec| spec.name), value);
        }
        "set, from the next move on".to_owned()
    }
}
