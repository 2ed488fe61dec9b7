//! A player's clock, and the plan it makes for the rest of the game.
//!
//! [`Clock`] holds what is left in the ways GTP and GGS give time: main time, an increment per
//! move, overtime periods of so many moves (Canadian byo-yomi; one move per period is the usual
//! byo-yomi). [`Clock::plan`] turns it into the [`TimeLimit`] of one move. Everything here is
//! arithmetic on numbers: nobody reads a real clock, so a whole game can be simulated in a test.
//!
//! The plan divides the main time over the moves the player still has, each with a weight by the
//! number of empties: little in the opening, most where the search comes within reach of the end,
//! next to nothing once the game is solved. Whatever happens, `hard` leaves enough for the lag of
//! every move that may still come, so a player that always thinks up to `hard` never loses on time.
//! On a clock so short that the lag alone would use it up, half of the game's time is kept for lag
//! and the rest is played with: reserving all of it would mean never to think.

use std::time::Duration;

use crate::search::TimeLimit;

/// Numbers of the plan.
mod parameters {
    use std::time::Duration;

    /// Thinking time when there is none to spend: enough for a method to name a legal move.
    pub(super) const INSTANT: Duration = Duration::from_millis(1);
    /// A move may take at most this many times its planned share when the choice is hard.
    pub(super) const STRETCH: u32 = 4;
    /// At most this part of the usable time goes into one move: 1 / `LARGEST_PART`.
    pub(super) const LARGEST_PART: u32 = 2;
    /// Own moves beyond alternate play that the lag reserve covers (the opponent may pass).
    pub(super) const EXTRA_MOVES: u32 = 6;
    /// Own moves of a whole game, if turns alternate.
    pub(super) const GAME_MOVES: u32 = 30;
    /// At most this part of the whole game's time is reserved for lag: 1 / `LARGEST_LAG_PART`.
    pub(super) const LARGEST_LAG_PART: u32 = 2;
    /// Part of a period's time kept back when a single move must fit into it.
    pub(super) const PERIOD_RESERVE: f64 = 0.05;
    /// The most that is kept back of such a period (the GTP advice for whole-second clocks).
    pub(super) const PERIOD_RESERVE_MOST: Duration = Duration::from_millis(500);

    /// How much a move with this many empties deserves, relative to the others. Chosen by
    /// reasoning: the opening is known ground, from about 36 empties the search decides the game.
    /// Measured is where the need ends: with 5 s for the game the end was solved at 24 empties,
    /// and a plan that gave as much to the moves after it kept 2.2 s to no use.
    pub(super) const fn weight(empties: u32) -> f64 {
        match empties {
            0..=13 => 0.05,
            14..=19 => 0.3,
            20..=23 => 1.0,
            24..=36 => 1.6,
            37..=46 => 1.0,
            _ => 0.6,
        }
    }
}
use parameters::{
    EXTRA_MOVES, GAME_MOVES, INSTANT, LARGEST_LAG_PART, LARGEST_PART, PERIOD_RESERVE,
    PERIOD_RESERVE_MOST, STRETCH,
};

/// Overtime after the main time: every `period` must hold `stones` moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overtime {
    /// Length of a period.
    pub period: Duration,
    /// Moves to make within it; at least 1.
    pub stones: u32,
}

/// What one player has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Main time left, or what is left of the running overtime period if `stones` is not 0.
    pub left: Duration,
    /// Main time at the start of the game: what the reserve for lag is measured against, so that
    /// it does not melt away as the time does.
    pub initial: Duration,
    /// Added after each own move of the main time.
    pub increment: Duration,
    /// What follows the main time; without it, an empty clock loses.
    pub overtime: Option<Overtime>,
    /// Moves still to make in the running overtime period; 0 while the main time runs.
    pub stones: u32,
    /// The true time may be less than `left` by up to this much (whole seconds rounded up).
    pub uncertainty: Duration,
}

/// Own moves still to come with this many empties on the own turn, if turns alternate.
const fn moves_left(empties: u32) -> u32 {
    if empties == 0 { 1 } else { empties.div_ceil(2) }
}

impl Clock {
    /// So much for the whole game.
    pub const fn absolute(main: Duration) -> Clock {
        Clock {
            left: main,
            initial: main,
            increment: Duration::ZERO,
            overtime: None,
            stones: 0,
            uncertainty: Duration::ZERO,
        }
    }

    /// Main time and so much more after each own move.
    pub const fn fischer(main: Duration, increment: Duration) -> Clock {
        Clock { increment, ..Clock::absolute(main) }
    }

    /// Main time, then overtime periods; with no main time the first period runs at once.
    /// Periods of no moves mean no overtime.
    pub const fn with_overtime(main: Duration, period: Duration, stones: u32) -> Clock {
        if stones == 0 {
            return Clock::absolute(main);
        }
        let overtime = Some(Overtime { period, stones });
        if main.is_zero() {
            Clock { stones, overtime, ..Clock::absolute(period) }
        } else {
            Clock { overtime, ..Clock::absolute(main) }
        }
    }

    /// A GGS clock. There the extension is no thinking time: a player who needs it has lost, so it
    /// is not planned with, unless the main time carries the `N` flag (`free_extension`), which
    /// makes it one overtime period for the rest of the game.
    pub const fn ggs(
        main: Duration,
        increment: Duration,
        extension: Duration,
        free_extension: bool,
    ) -> Clock {
        /// More moves than a player can have.
        const REST_OF_THE_GAME: u32 = 64;
        let clock = Clock::fischer(main, increment);
        if free_extension && !extension.is_zero() {
            let overtime = Overtime { period: extension, stones: REST_OF_THE_GAME };
            return Clock { overtime: Some(overtime), ..clock };
        }
        clock
    }

    /// Charges one own move that took `used`; false if that was more than there was (the flag
    /// has fallen; what is left is then nothing).
    pub fn spend(&mut self, used: Duration) -> bool {
        let mut used = used;
        if self.stones == 0 {
            if used <= self.left {
                self.left = self.left - used + self.increment;
                return true;
            }
            let Some(overtime) = self.overtime else {
                self.left = Duration::ZERO;
                return false;
            };
            used -= self.left;
            self.left = overtime.period;
            self.stones = overtime.stones;
        }
        let in_time = used <= self.left;
        self.left = self.left.saturating_sub(used);
        self.stones -= 1;
        if self.stones == 0
            && let Some(overtime) = self.overtime
        {
            self.left = overtime.period;
            self.stones = overtime.stones;
        }
        in_time
    }

    /// Charges one own move as a referee does: late by no more than `margin`, it counts as having
    /// taken exactly what there was. False if it was later than that.
    pub fn charge(&mut self, used: Duration, margin: Duration) -> bool {
        let overtime = self.overtime.filter(|_| self.stones == 0);
        let most = self.left + overtime.map_or(Duration::ZERO, |overtime| overtime.period);
        let late = used.saturating_sub(most);
        if late > margin {
            self.spend(used);
            return false;
        }
        self.spend(used - late)
    }

    /// How long to think about the next move, with `empties` empty squares on the board and up to
    /// `overhead` lost to lag with every move.
    pub fn plan(&self, empties: u32, overhead: Duration) -> TimeLimit {
        let known = self.left.saturating_sub(self.uncertainty);
        let limit = if self.stones > 0 {
            plan_period(known, self.stones.min(empties.max(1)), overhead)
        } else {
            self.plan_main(known, empties, overhead)
        };
        let hard = limit.hard.max(INSTANT);
        TimeLimit { soft: limit.soft.clamp(INSTANT, hard), hard }
    }

    fn plan_main(&self, known: Duration, empties: u32, overhead: Duration) -> TimeLimit {
        let moves = moves_left(empties);
        let to_come = self.increment * (moves - 1);
        let lag = (self.planned_lag(overhead) + INSTANT) * (moves + EXTRA_MOVES);
        let usable = known.saturating_sub(lag.saturating_sub(to_come).max(overhead + INSTANT));
        // A move may run over into the first overtime period by its share of that period.
        let per_stone = match self.overtime {
            Some(Overtime { period, stones }) => plan_period(period, stones, overhead).soft,
            None => Duration::ZERO,
        };
        let weights: f64 =
            (0..moves).map(|index| parameters::weight(empties.saturating_sub(2 * index))).sum();
        let share = parameters::weight(empties) / weights;
        let soft = (usable + to_come).mul_f64(share) + per_stone;
        let largest = usable / LARGEST_PART + per_stone;
        let hard = (soft * STRETCH).min(largest);
        TimeLimit { soft: soft.min(hard), hard }
    }

    /// The lag to reserve for each move to come: the overhead, unless that many overheads would
    /// take most of the game's time.
    fn planned_lag(&self, overhead: Duration) -> Duration {
        let game = self.initial + self.increment * (GAME_MOVES - 1);
        overhead.min(game / LARGEST_LAG_PART / (GAME_MOVES + EXTRA_MOVES))
    }
}

/// Time of one of `moves` moves that share the rest of a period.
fn plan_period(left: Duration, moves: u32, overhead: Duration) -> TimeLimit {
    let usable = left.saturating_sub((overhead + INSTANT) * moves);
    if moves == 1 {
        let reserve = usable.mul_f64(PERIOD_RESERVE).min(PERIOD_RESERVE_MOST);
        return TimeLimit::fixed(usable - reserve);
    }
    let even = usable / moves;
    TimeLimit { soft: even, hard: (even * STRETCH).min(usable / LARGEST_PART) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// Plays a game in which every move takes `hard` and `lag`; the turns of the opponent with
    /// these numbers of empties are passes. `whole_seconds`: the player sees rounded-up seconds.
    fn survives(
        clock: Clock,
        overhead: Duration,
        lag: Duration,
        passes: &[u32],
        whole_seconds: bool,
    ) -> Result<(), String> {
        let mut referee = clock;
        let mut empties = 60u32;
        while empties > 0 {
            let mut seen = referee;
            if whole_seconds {
                seen.left = Duration::from_secs(referee.left.as_millis().div_ceil(1000) as u64);
                seen.uncertainty = Duration::from_secs(1);
            }
            let limit = seen.plan(empties, overhead);
            assert!(limit.soft <= limit.hard, "{limit:?}");
            if !referee.spend(limit.hard + lag) {
                return Err(format!("{clock:?} fell at {empties} empties with {limit:?}"));
            }
            empties -= 1;
            if !passes.contains(&empties) {
                empties = empties.saturating_sub(1);
            }
        }
        Ok(())
    }

    fn clocks() -> Vec<Clock> {
        let mut clocks = Vec::new();
        for main in [0, 1, 2, 5, 10, 60, 300, 900, 7200].map(Duration::from_secs) {
            if !main.is_zero() {
                clocks.push(Clock::absolute(main));
            }
            for increment in [10, 100, 1000, 5000, 12_000].map(ms) {
                clocks.push(Clock::fischer(main.max(increment), increment));
            }
            for (period, stones) in [(1, 1), (2, 1), (5, 1), (15, 1), (10, 5), (30, 25), (300, 10)]
            {
                clocks.push(Clock::with_overtime(main, Duration::from_secs(period), stones));
            }
            clocks.push(Clock::ggs(main.max(ms(1)), ms(0), ms(120_000), true));
        }
        clocks
    }

    #[test]
    fn a_player_who_always_thinks_up_to_hard_never_runs_out_of_time() {
        let passes: [&[u32]; 4] = [&[], &[9, 5], &[21, 20, 19, 7], &[40, 30, 20, 10, 8, 6, 4, 2]];
        for clock in clocks() {
            for passes in passes {
                for overhead in [0, 10, 50, 200].map(ms) {
                    // As much real lag as a move may have, where that alone does not lose.
                    let bearable = match clock.overtime {
                        Some(overtime) => overtime.period / overtime.stones / 2,
                        None => clock.left / 80 + clock.increment / 2,
                    };
                    let lag = overhead.min(bearable.saturating_sub(ms(2)));
                    survives(clock, overhead, lag, passes, false).unwrap();
                }
            }
        }
    }

    #[test]
    fn whole_seconds_rounded_up_do_not_lose_either() {
        for main in [1, 2, 3, 10, 60, 300].map(Duration::from_secs) {
            let clock = Clock::absolute(main);
            survives(clock, ms(50), ms(2), &[], true).unwrap();
            survives(clock, ms(50), ms(2), &[30, 20, 10, 5], true).unwrap();
        }
    }

    #[test]
    fn a_short_clock_is_played_with_although_the_overhead_of_all_moves_would_eat_it() {
        let mut clock = Clock::fischer(ms(1000), ms(10));
        for empties in (1..=60).rev().step_by(2) {
            let limit = clock.plan(empties, ms(50));
            assert!(empties < 12 || limit.soft >= ms(5), "{limit:?} at {empties} empties");
            assert!(clock.spend(limit.soft + ms(10)), "{clock:?}");
        }
        assert!(clock.left < ms(500), "{clock:?}");
    }

    #[test]
    fn no_time_at_all_still_means_an_instant_move() {
        for empties in 0..=60 {
            let limit = Clock::absolute(Duration::ZERO).plan(empties, ms(50));
            assert_eq!(limit, TimeLimit::fixed(INSTANT));
        }
    }

    #[test]
    fn most_of_a_long_clock_is_used_by_a_player_who_stops_at_soft() {
        let mut clock = Clock::absolute(Duration::from_secs(300));
        for empties in (1..=60).rev().step_by(2) {
            let soft = clock.plan(empties, ms(50)).soft;
            assert!(clock.spend(soft));
        }
        assert!(clock.left < Duration::from_secs(60), "{clock:?}");
    }

    #[test]
    fn the_middle_game_gets_more_than_the_opening_and_the_solved_end() {
        let soft = |empties| Clock::absolute(Duration::from_secs(300)).plan(empties, ms(50)).soft;
        let mut clock = Clock::absolute(Duration::from_secs(300));
        let mut spent = Vec::new();
        for empties in (2..=60).rev().step_by(2) {
            let used = clock.plan(empties, ms(50)).soft;
            clock.spend(used);
            spent.push((empties, used));
        }
        let at = |empties| spent.iter().find(|entry| entry.0 == empties).unwrap().1;
        assert!(at(30) > at(58) && at(30) > at(10), "{spent:?}");
        assert!(soft(60) > ms(2000) && soft(60) < ms(10_000), "{:?}", soft(60));
    }

    #[test]
    fn fixed_time_per_move_is_used_nearly_whole() {
        let clock = Clock::with_overtime(Duration::ZERO, Duration::from_secs(15), 1);
        let limit = clock.plan(40, ms(50));
        assert!(limit.soft >= ms(14_000) && limit.hard < ms(14_951), "{limit:?}");
        let mut after = clock;
        assert!(after.spend(ms(14_000)));
        assert_eq!(after, clock);
    }

    #[test]
    fn a_ggs_extension_is_not_planned_with() {
        let plain = Clock::fischer(ms(60_000), ms(1000));
        assert_eq!(Clock::ggs(ms(60_000), ms(1000), ms(120_000), false), plain);
    }

    #[test]
    fn a_margin_forgives_lateness_without_giving_time() {
        let mut clock = Clock::fischer(ms(8000), ms(2000));
        assert!(clock.charge(ms(9000), ms(1000)));
        assert_eq!(clock.left, ms(2000));
        assert!(!clock.charge(ms(3001), ms(1000)));
        assert_eq!(clock.left, ms(0));
        let mut each = Clock::with_overtime(ms(0), ms(100), 1);
        for _ in 0..3 {
            assert!(each.charge(ms(150), ms(50)));
            assert_eq!(each.left, ms(100));
        }
        assert!(!each.charge(ms(151), ms(50)));
    }

    #[test]
    fn spending_walks_from_main_time_through_the_periods() {
        let mut clock = Clock::with_overtime(ms(1000), ms(500), 2);
        assert!(clock.spend(ms(900)));
        assert_eq!((clock.left, clock.stones), (ms(100), 0));
        assert!(clock.spend(ms(300)));
        assert_eq!((clock.left, clock.stones), (ms(300), 1));
        assert!(clock.spend(ms(300)));
        assert_eq!((clock.left, clock.stones), (ms(500), 2));
        assert!(!clock.spend(ms(501)));
        let mut sudden = Clock::absolute(ms(100));
        assert!(!sudden.spend(ms(101)));
        assert_eq!(sudden.left, ms(0));
    }
}
