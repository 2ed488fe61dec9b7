//! A player: options, and the method they choose, kept with what it has learnt.
//!
//! The search thread, the command line and `kitai play` all choose their moves through
//! [`Player::search`], which is why they choose the same ones.

use std::time::Duration;

use super::choice;
use super::clock::Clock;
use crate::options::{OptionError, Options};
use crate::othello::Position;
use crate::search::{self, Event, Limits, Method, Outcome, Request, StopFlag, TimeLimit};

/// Numbers of the way a player treats its limits.
mod parameters {
    use std::time::Duration;

    /// Thinking time of a move when neither options nor a clock give any limit.
    pub const UNLIMITED_MOVE: Duration = Duration::from_secs(1);
    /// Thinking time of the only legal move: just enough for a score to show.
    pub const FORCED_MOVE: Duration = Duration::from_millis(10);
}

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

/// One thing to think about.
#[derive(Clone, Debug)]
pub struct Task {
    /// Position, limits, and how many moves to report.
    pub request: Request,
    /// Whether the first line of the outcome is a move to play, chosen as the option `softness`
    /// says, or simply the best.
    pub soften: bool,
}

impl Task {
    /// The move to play in a position, within the limits of the options and the clock.
    pub fn play(options: &Options, position: Position, clock: Option<&Clock>) -> Task {
        let limits = move_limits(options, position, clock);
        Task { request: Request::new(position, limits), soften: true }
    }

    /// The best `count` moves of a position within these limits, told as they are.
    pub fn hint(position: Position, limits: Limits, count: usize) -> Task {
        let request = Request { multi_pv: count.max(1), ..Request::new(position, limits) };
        Task { request, soften: false }
    }
}

/// The limits of one move. A clock takes the place of `move-time`; with no limit at all a move
/// takes a second; the only legal move is played at once.
pub fn move_limits(options: &Options, position: Position, clock: Option<&Clock>) -> Limits {
    let mut limits = unforced_limits(options, position, clock);
    if position.legal_moves().count() <= 1 {
        let longest = limits.time.map_or(parameters::FORCED_MOVE, |time| time.hard);
        limits.depth = Some(1);
        limits.time = Some(TimeLimit::fixed(longest.min(parameters::FORCED_MOVE)));
    }
    limits
}

/// The limits of valuing a position: those of a move, but an only move is searched like any other.
pub fn unforced_limits(options: &Options, position: Position, clock: Option<&Clock>) -> Limits {
    let mut limits = Limits::from_options(options);
    if let Some(clock) = clock {
        let overhead = Duration::from_millis(options.integer("move-overhead") as u64);
        limits.time = Some(clock.plan(position.empty_count(), overhead));
    }
    if limits == Limits::default() {
        limits.time = Some(TimeLimit::fixed(parameters::UNLIMITED_MOVE));
    }
    limits
}

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
    use crate::record::Board;

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
    fn a_clock_takes_the_place_of_the_move_time() {
        let options = options(&[("move-time", "1000"), ("depth", "9")]);
        let clock = Clock::absolute(Duration::from_secs(600));
        let limits = move_limits(&options, Position::START, Some(&clock));
        assert_eq!(limits.depth, Some(9));
        assert!(limits.time.unwrap().soft > Duration::from_secs(2));
        let limits = move_limits(&options, Position::START, None);
        assert_eq!(limits.time, Some(TimeLimit::fixed(Duration::from_secs(1))));
    }

    #[test]
    fn without_any_limit_a_move_still_ends() {
        let limits = move_limits(&Options::new(), Position::START, None);
        assert_eq!(limits.time, Some(TimeLimit::fixed(parameters::UNLIMITED_MOVE)));
    }

    #[test]
    fn the_only_legal_move_takes_no_time() {
        // Black can only play c1 (over b1, which is white).
        let board: Board = format!("XO{} X", "-".repeat(62)).parse().unwrap();
        assert_eq!(board.position.legal_moves().count(), 1);
        let clock = Clock::absolute(Duration::from_secs(600));
        let limits = move_limits(&Options::new(), board.position, Some(&clock));
        assert_eq!(limits.depth, Some(1));
        assert_eq!(limits.time, Some(TimeLimit::fixed(parameters::FORCED_MOVE)));
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
