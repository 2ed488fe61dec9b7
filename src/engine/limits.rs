//! What a search is asked to do and how long it may take: the one place that turns options and a
//! clock into [`Limits`], so that command line, protocols and matches cannot differ.

use std::time::Duration;

use super::catalogue::{MOVE_OVERHEAD, PONDER, SOFT_PLIES, SOFTNESS};
use super::clock::Clock;
use crate::book::BookTask;
use crate::options::Options;
use crate::othello::Position;
use crate::random::SEED;
use crate::search;
use crate::search::limits::{DEPTH, MOVE_TIME, NODES, PLAYOUTS};
use crate::search::{Limits, Request, TimeLimit};

/// Numbers of the way limits are made.
mod parameters {
    use std::time::Duration;

    /// Thinking time of a move when neither options nor a clock give a limit that the method heeds.
    pub(super) const UNLIMITED_MOVE: Duration = Duration::from_secs(1);
    /// Thinking time of the only legal move: just enough for a score to show.
    pub(super) const FORCED_MOVE: Duration = Duration::from_millis(10);
    /// Playouts of the only legal move, for the same reason.
    pub(super) const FORCED_PLAYOUTS: u64 = 100;
    /// How long to go on pondering when the opponent never moves: nobody's computer should run hot
    /// for a game that was left.
    pub(super) const LONGEST_PONDERING: Duration = Duration::from_secs(600);
}

/// One thing to think about.
#[derive(Clone, Debug)]
pub struct Task {
    /// Position, limits, and how many moves to report.
    pub request: Request,
    /// Discs: how readily a worse move is chosen to play; 0 always plays the best.
    pub softness: f64,
    /// Seed of that choice.
    pub seed: u64,
    /// The opening book to ask first, if any.
    pub book: Option<BookTask>,
    /// Whether to tell what lies behind the value of the first line, before the search is done.
    pub explain: bool,
}

impl Task {
    /// The move to play in a position, within the limits of the options and the clock.
    pub fn play(options: &Options, position: Position, clock: Option<&Clock>) -> Task {
        let limits = move_limits(options, position, clock);
        let plies = i64::from(60 - position.empty_count().min(60));
        let soft = plies < options.get(&SOFT_PLIES);
        Task {
            request: Request::new(position, limits),
            softness: if soft { options.get(&SOFTNESS) } else { 0.0 },
            seed: options.get(&SEED) as u64,
            // Who plays below strength does not know the openings either.
            book: BookTask::of(options).filter(|_| options.get(&SOFTNESS) <= 0.0),
            explain: false,
        }
    }

    /// The best `count` moves of a position within these limits, told as they are.
    pub fn hint(position: Position, limits: Limits, count: usize) -> Task {
        let request = Request { multi_pv: count.max(1), ..Request::new(position, limits) };
        Task { request, softness: 0.0, seed: 0, book: None, explain: false }
    }
}

/// The limits of one move. A clock takes the place of `move-time`; with no limit that the method
/// heeds a move takes a second; the only legal move is played at once, by the clock only if there is
/// one: a player of so many playouts or nodes plays the same game on every machine.
pub fn move_limits(options: &Options, position: Position, clock: Option<&Clock>) -> Limits {
    let mut limits = unforced_limits(options, position, clock);
    if position.legal_moves().count() <= 1 {
        limits.depth = Some(1);
        limits.playouts = limits.playouts.map(|count| count.min(parameters::FORCED_PLAYOUTS));
        let short = |time: TimeLimit| TimeLimit::fixed(time.hard.min(parameters::FORCED_MOVE));
        limits.time = limits.time.map(short);
    }
    limits
}

/// The limits of valuing a position: those of a move, but an only move is searched like any other.
pub fn unforced_limits(options: &Options, position: Position, clock: Option<&Clock>) -> Limits {
    let mut limits = heeded_limits(options);
    if let Some(clock) = clock {
        let overhead = Duration::from_millis(options.get(&MOVE_OVERHEAD) as u64);
        limits.time = Some(clock.plan(position.empty_count(), overhead));
    }
    if limits == Limits::default() {
        limits.time = Some(TimeLimit::fixed(parameters::UNLIMITED_MOVE));
    }
    limits
}

/// The limits that the options set, without those that their method does not look at.
fn heeded_limits(options: &Options) -> Limits {
    let method = search::chosen(options);
    let heeded = |option| method.as_ref().is_ok_and(|method| method.heeds(option));
    let limits = Limits::from_options(options);
    Limits {
        depth: limits.depth.filter(|_| heeded(&DEPTH.spec)),
        nodes: limits.nodes.filter(|_| heeded(&NODES.spec)),
        playouts: limits.playouts.filter(|_| heeded(&PLAYOUTS.spec)),
        time: limits.time.filter(|_| heeded(&MOVE_TIME.spec)),
        ..limits
    }
}

/// The search on the opponent's time, if the option `ponder` wants one and there is something to
/// think about. Nothing of it is reported; its gain is what the method remembers.
pub(super) fn ponder_task(options: &Options, position: Position) -> Option<Task> {
    (options.get(&PONDER) && position.has_move()).then(|| {
        let time = Some(TimeLimit::fixed(parameters::LONGEST_PONDERING));
        Task::hint(position, Limits { time, ..Limits::default() }, 1)
    })
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
    fn softness_may_be_for_the_opening_only() {
        let options = options(&[("softness", "2"), ("soft-plies", "1")]);
        assert_eq!(Task::play(&options, Position::START, None).softness, 2.0);
        let next = Position::START.play("f5".parse().unwrap()).unwrap();
        assert_eq!(Task::play(&options, next, None).softness, 0.0);
    }

    #[test]
    fn without_a_limit_that_the_method_heeds_a_move_still_ends() {
        let second = Limits::time(parameters::UNLIMITED_MOVE);
        for settings in [
            &[][..],
            &[("method", "uct")],
            &[("method", "expectation")],
            // Playouts mean nothing to methods that make none.
            &[("playouts", "5")],
            &[("method", "expectation"), ("playouts", "5")],
        ] {
            assert_eq!(move_limits(&options(settings), Position::START, None), second);
        }
        let counted = options(&[("method", "uct"), ("playouts", "5")]);
        assert_eq!(move_limits(&counted, Position::START, None), Limits::playouts(5));
    }

    #[test]
    fn the_overhead_is_kept_back_from_the_clock() {
        let clock = Clock::with_overtime(Duration::ZERO, Duration::from_millis(200), 1);
        let hard = |overhead: &str| {
            let options = options(&[("move-overhead", overhead)]);
            move_limits(&options, Position::START, Some(&clock)).time.unwrap().hard
        };
        assert!(hard("0") <= Duration::from_millis(200));
        assert!(hard("150") <= Duration::from_millis(50));
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
    fn a_forced_move_of_so_many_playouts_does_not_look_at_the_clock() {
        let board: Board = format!("XO{} X", "-".repeat(62)).parse().unwrap();
        let fixed = options(&[("method", "uct"), ("playouts", "10000")]);
        let limits = move_limits(&fixed, board.position, None);
        assert_eq!((limits.playouts, limits.time), (Some(parameters::FORCED_PLAYOUTS), None));
    }
}
