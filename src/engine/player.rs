//! A player: options, and the method they choose, kept with what it has learnt.
//!
//! The search thread, the command line and `kitai play` all choose their moves through
//! [`Player::search`], which is why they choose the same ones.

use super::choice;
use super::limits::Task;
use crate::options::{OptionError, Options};
use crate::search::{self, Event, Method, Outcome, Request, StopFlag};

/// Options that are limits or belong to the engine: changing them keeps the method and its tables.
const NOT_THE_METHODS: &[&str] = &[
    "depth",
    "nodes",
    "playouts",
    "move-time",
    "move-overhead",
    "ponder",
    "softness",
    "fischer-time",
];

/// Chooses moves with the method its options name.
pub struct Player {
    options: Options,
    /// The method and the options it was built from; `None` until the first search and after a
    /// change that asks for another.
    method: Option<(Options, Box<dyn Method>)>,
}

impl Player {
    /// A player with these options; the method is built at the first search.
    pub fn new(options: Options) -> Player {
        Player { options, method: None }
    }

    /// The options now.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Takes these options from the next search on. The method keeps what it has learnt unless
    /// one of its own options changed.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
    }

    /// Forgets everything learnt in earlier searches.
    pub fn clear(&mut self) {
        if let Some((_, method)) = &mut self.method {
            method.clear();
        }
    }

    /// Gives the method up altogether (after it failed); the next search builds a new one.
    pub fn discard_method(&mut self) {
        self.method = None;
    }

    /// Builds the method now, so that the first search need not.
    ///
    /// # Errors
    /// If it cannot be built from the options (a weights file that cannot be read, …).
    pub fn prepare(&mut self) -> Result<(), OptionError> {
        self.method().map(|_| ())
    }

    fn method(&mut self) -> Result<&mut Box<dyn Method>, OptionError> {
        let own = method_options(&self.options);
        if self.method.as_ref().is_none_or(|(built_from, _)| *built_from != own) {
            // The old tables go before the new ones come.
            self.method = None;
        }
        match &mut self.method {
            Some((_, method)) => Ok(method),
            none => {
                let built = search::build(&self.options)?;
                Ok(&mut none.insert((own, built)).1)
            }
        }
    }

    /// Thinks about a task.
    ///
    /// # Errors
    /// If the method cannot be built from the options (a weights file that cannot be read, …).
    pub fn search(
        &mut self,
        task: &Task,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Result<Outcome, OptionError> {
        let softness = if task.soften { self.options.number("softness") } else { 0.0 };
        let seed = self.options.integer("seed") as u64;
        let method = self.method()?;
        if softness <= 0.0 {
            return Ok(method.search(&task.request, stop, report));
        }
        let every_move = Request { multi_pv: 64, ..task.request.clone() };
        let mut outcome = method.search(&every_move, stop, report);
        let chosen = choice::soft_choice(&outcome.lines, softness, seed, task.request.position);
        outcome.lines.swap(0, chosen);
        outcome.lines.truncate(task.request.multi_pv.max(1));
        Ok(outcome)
    }
}

fn method_options(options: &Options) -> Options {
    let mut own = options.clone();
    for name in NOT_THE_METHODS {
        own.reset(name).expect("the engine's options are registered (tested)");
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::Position;

    fn options(settings: &[(&str, &str)]) -> Options {
        let mut options = Options::new();
        for (name, value) in settings {
            options.set(name, value).unwrap();
        }
        options
    }

    #[test]
    fn the_engines_options_are_registered() {
        assert_eq!(method_options(&options(&[("depth", "3"), ("softness", "2")])), Options::new());
    }

    #[test]
    fn the_method_is_kept_when_only_limits_change() {
        let mut player = Player::new(options(&[("depth", "2")]));
        let task = |player: &Player| Task::play(player.options(), Position::START, None);
        let search = |player: &mut Player| {
            let task = task(player);
            player.search(&task, &StopFlag::new(), &mut |_| {}).unwrap();
            let (_, method) = player.method.as_ref().unwrap();
            std::ptr::from_ref::<dyn Method>(&**method).cast::<()>()
        };
        let first = search(&mut player);
        player.set_options(options(&[("depth", "3")]));
        assert_eq!(search(&mut player), first);
        player.set_options(options(&[("depth", "3"), ("eval", "discs")]));
        search(&mut player);
        assert_eq!(player.method.as_ref().unwrap().0, options(&[("eval", "discs")]));
    }

    #[test]
    fn softness_repeats_with_the_seed_and_varies_without() {
        let chosen = |softness: &str, seed: &str| {
            let mut player =
                Player::new(options(&[("depth", "2"), ("softness", softness), ("seed", seed)]));
            let position = Position::START.play("f5".parse().unwrap()).unwrap();
            let task = Task::play(player.options(), position, None);
            let outcome = player.search(&task, &StopFlag::new(), &mut |_| {}).unwrap();
            assert_eq!(outcome.lines.len(), 1);
            outcome.best_move().unwrap()
        };
        let seeds: Vec<String> = (0..40).map(|seed| seed.to_string()).collect();
        let hard: Vec<_> = seeds.iter().map(|seed| chosen("0", seed)).collect();
        let soft: Vec<_> = seeds.iter().map(|seed| chosen("20", seed)).collect();
        let again: Vec<_> = seeds.iter().map(|seed| chosen("20", seed)).collect();
        assert!(hard.iter().all(|m| *m == hard[0]));
        assert!(soft.iter().any(|m| *m != soft[0]));
        assert_eq!(soft, again);
    }
}
