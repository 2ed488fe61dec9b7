//! One open page: its questions in, what it should hear out. Knows neither sockets nor files.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::Receiver;

use super::book;
use super::games;
use super::house::{House, SLOTS_PER_TAB, Size};
use super::message::{Ask, ClockLeft, Say, What};
use super::review::Review;
use super::slot::{Job, News, Slot, report_of_outcome};
use crate::book::options::use_builtin_by_default;
use crate::engine::{Clock, Engine, EngineEvent, GameId, Task};
use crate::options::Options;
use crate::record::{History, transcript};
use crate::search::Limits;
use crate::search::limits::MOVE_TIME;

/// Longest analysis of one position: nobody's computer should run hot for a page left open.
const LONGEST_ANALYSIS: Duration = Duration::from_secs(600);
/// Longest search of a column of the comparison.
const LONGEST_COLUMN: Duration = Duration::from_secs(20);
/// Longest move without a clock, longest step of a review.
const LONGEST_MOVE: Duration = Duration::from_secs(60);
/// Longest text of a game: a board, sixty moves with passes, and room for spaces.
const LONGEST_GAME: usize = 1000;
/// Options of a review: deep enough to tell a mistake, quick enough to see the whole game.
const REVIEW: [(&str, &str); 2] = [("depth", "12"), ("exact-from", "18")];

/// The slots of a page.
const MOVE: usize = 0;
const ANALYSIS: usize = 1;
const REVIEWING: usize = 2;
const COLUMNS: usize = 3;

/// One page.
pub(super) struct Tab {
    house: Arc<House>,
    engine: Engine,
    next: u64,
    slots: Vec<Slot>,
    review: Option<Review>,
    watches: bool,
    out: Vec<Say>,
}

impl Tab {
    /// A page that has just been opened, and the events of its engine.
    pub(super) fn new(house: Arc<House>) -> (Tab, Receiver<EngineEvent>) {
        let (engine, events) = Engine::with_channel(house.budget.clone());
        let slots = (0..SLOTS_PER_TAB).map(|slot| Slot::new(GameId(slot as u32))).collect();
        let out = vec![house.hello()];
        (Tab { house, engine, next: 0, slots, review: None, watches: false, out }, events)
    }

    /// What the page should hear, in order.
    pub(super) fn drain(&mut self) -> std::vec::Drain<'_, Say> {
        self.out.drain(..)
    }

    /// Whether the page wants to hear of the watched match.
    pub(super) fn watches(&self) -> bool {
        self.watches
    }

    /// Tells the page about the watched match.
    pub(super) fn tell_match(&mut self, state: serde_json::Value) {
        self.out.push(Say::Match { state });
    }

    /// Takes a message.
    pub(super) fn receive(&mut self, text: &str, now: Instant) {
        match serde_json::from_str::<Ask>(text) {
            Ok(ask) => {
                let id = number(&ask);
                if let Err(reason) = self.answer(ask, now) {
                    self.out.push(Say::Refused { id, reason });
                }
            }
            Err(error) => {
                self.out.push(Say::Refused { id: None, reason: format!("no question: {error}") });
            }
        }
    }

    fn answer(&mut self, ask: Ask, now: Instant) -> Result<(), String> {
        match ask {
            Ask::Move { id, game, preset, set, clock } => {
                let position = history(&game)?.board().position;
                let options =
                    self.house.preset(&preset).ok_or_else(|| format!("no preset `{preset}`"))?;
                let mut options = self.house.with(options, &set, Size::Roomy).map_err(text)?;
                use_builtin_by_default(&mut options);
                let clock = clock.map(clock_of);
                let task = Task::play(&options, position, clock.as_ref());
                let longest = if clock.is_some() { LONGEST_ANALYSIS } else { LONGEST_MOVE };
                self.begin(MOVE, id, options, task, longest, now)
            }
            Ask::Analyze { id, game, set, lines, time } => {
                let position = history(&game)?.board().position;
                let options =
                    self.house.with(self.house.options(), &set, Size::Roomy).map_err(text)?;
                let longest = time.map_or(LONGEST_ANALYSIS, Duration::from_millis);
                let task = Task::hint(position, Limits::default(), usize::from(lines));
                self.begin(ANALYSIS, id, options, task, longest.min(LONGEST_ANALYSIS), now)
            }
            Ask::Review { id, game, from } => self.start_review(id, history(&game)?, from, now),
            Ask::Compare { id, column, game, set } => {
                let slot = COLUMNS + usize::from(column);
                if slot >= SLOTS_PER_TAB {
                    return Err(format!("no column {column}"));
                }
                let history = history(&game)?;
                let options =
                    self.house.with(self.house.options(), &set, Size::Lean).map_err(text)?;
                let mut task = Task::play(&options, history.board().position, None);
                task.request.multi_pv = 64;
                task.explain = true;
                let command = command(&history, &options);
                self.out.push(Say::Command { id, command });
                let job =
                    Job { id, options, lean: None, task, fresh: true, longest: LONGEST_COLUMN };
                self.slots[slot].begin(job, &mut self.engine, &mut self.next, now)
            }
            Ask::Stop { what } => {
                self.stop(what, now);
                Ok(())
            }
            Ask::Write { id, format, game } => {
                let (name, text) = games::write(format, &game)?;
                self.out.push(Say::Written { id, name, text });
                Ok(())
            }
            Ask::Book { id, game } => {
                let view = book::view(&history(&game)?, self.house.options()).map_err(text)?;
                self.out.push(Say::Book { id, view });
                Ok(())
            }
            Ask::Watch { on } => {
                self.watches = on;
                if let Some(watcher) = self.house.watcher.as_ref().filter(|_| on) {
                    self.out.push(Say::Match { state: watcher.state() });
                }
                Ok(())
            }
            Ask::Watched { id, number } => {
                let watcher = self.house.watcher.as_ref().ok_or("no match is watched")?;
                let game = watcher.game(number).ok_or_else(|| format!("no game {number} yet"))?;
                self.out.push(Say::Game { id, game });
                Ok(())
            }
            Ask::Ping { id } => {
                self.out.push(Say::Pong { id });
                Ok(())
            }
        }
    }

    fn begin(
        &mut self,
        slot: usize,
        id: u64,
        options: Options,
        task: Task,
        longest: Duration,
        now: Instant,
    ) -> Result<(), String> {
        let lean = Some(self.house.sized(options.clone(), Size::Lean).map_err(text)?);
        let job = Job { id, options, lean, task, fresh: false, longest };
        self.slots[slot].begin(job, &mut self.engine, &mut self.next, now)
    }

    fn start_review(
        &mut self,
        id: u64,
        history: History,
        from: usize,
        now: Instant,
    ) -> Result<(), String> {
        let mut options = self.house.options();
        for (name, value) in REVIEW {
            options.set(name, value).map_err(text)?;
        }
        let limits = Limits::from_options(&options);
        self.review = Some(Review::new(id, history, from, limits));
        self.next_review_step(now)
    }

    fn next_review_step(&mut self, now: Instant) -> Result<(), String> {
        let Some(review) = &self.review else { return Ok(()) };
        let id = review.id;
        let Some(task) = review.task() else {
            self.review = None;
            self.out.push(Say::ReviewDone { id });
            return Ok(());
        };
        let mut options = self.house.sized(self.house.options(), Size::Roomy).map_err(text)?;
        for (name, value) in REVIEW {
            options.set(name, value).map_err(text)?;
        }
        self.begin(REVIEWING, id, options, task, LONGEST_MOVE, now)
    }

    fn stop(&mut self, what: What, now: Instant) {
        let engine = &mut self.engine;
        let (move_, analysis) = (What::Move, What::Analyze);
        for (slot, kind) in [(MOVE, move_), (ANALYSIS, analysis)] {
            if what == kind || what == What::All {
                self.slots[slot].stop(engine, now);
            }
        }
        if matches!(what, What::Review | What::All) {
            self.review = None;
            self.slots[REVIEWING].drop_job(engine, now);
        }
        if matches!(what, What::Compare | What::All) {
            for slot in &mut self.slots[COLUMNS..] {
                slot.drop_job(engine, now);
            }
        }
    }

    /// Takes an event of the page's engine.
    pub(super) fn event(&mut self, event: EngineEvent, now: Instant) {
        let index = event.game.0 as usize;
        let Some(slot) = self.slots.get_mut(index) else { return };
        let Some(id) = slot.id() else {
            // The page has lost interest; the slot still has to know how far it is.
            let _ = slot.event(event, &mut self.engine, &mut self.next, now);
            return;
        };
        let Some(news) = slot.event(event, &mut self.engine, &mut self.next, now) else { return };
        match news {
            News::Behind(behind) => self.out.push(Say::Behind { id, behind }),
            News::Failed(reason) => {
                if index == REVIEWING {
                    self.review = None;
                }
                self.out.push(Say::Refused { id: Some(id), reason });
            }
            News::Done { outcome, .. } if index == REVIEWING => {
                let verdict = self.review.as_mut().and_then(|review| review.answer(outcome));
                if let Some(review) = verdict {
                    self.out.push(Say::Reviewed { id, review });
                }
                if let Err(reason) = self.next_review_step(now) {
                    self.out.push(Say::Refused { id: Some(id), reason });
                }
            }
            News::Done { outcome, stopped } => {
                self.out.push(Say::Done { id, report: report_of_outcome(outcome), stopped });
            }
        }
    }

    /// Tells how far the searches are; called some times a second.
    pub(super) fn tick(&mut self, now: Instant) {
        for (index, slot) in self.slots.iter_mut().enumerate() {
            slot.stop_overdue(&mut self.engine, now);
            if index == REVIEWING {
                continue;
            }
            match slot.progress(now) {
                Some((id, Some(report), _)) => self.out.push(Say::Progress { id, report }),
                Some((id, None, seconds)) => self.out.push(Say::Tick { id, seconds }),
                None => {}
            }
        }
        for event in self.engine.give_up_overdue(now) {
            self.event(event, now);
        }
    }
}

/// The number of a question that has one.
fn number(ask: &Ask) -> Option<u64> {
    match ask {
        Ask::Move { id, .. }
        | Ask::Analyze { id, .. }
        | Ask::Review { id, .. }
        | Ask::Compare { id, .. }
        | Ask::Write { id, .. }
        | Ask::Book { id, .. }
        | Ask::Watched { id, .. }
        | Ask::Ping { id } => Some(*id),
        Ask::Stop { .. } | Ask::Watch { .. } => None,
    }
}

/// A game as it travels.
pub(super) fn history(game: &str) -> Result<History, String> {
    if game.len() > LONGEST_GAME {
        return Err(format!("a game of {} characters is too long", game.len()));
    }
    if game.trim().is_empty() {
        return Ok(History::default());
    }
    transcript::parse(game).map_err(|error| error.to_string())
}

fn clock_of(clock: ClockLeft) -> Clock {
    // A day is longer than any game; more would only overflow somewhere.
    let time = |ms: u64| Duration::from_millis(ms.min(86_400_000));
    Clock::fischer(time(clock.left_ms), time(clock.increment_ms))
}

/// The command line that gives the same answer.
fn command(history: &History, options: &Options) -> String {
    let mut command = format!("kitai move \"{}\" --lines 64 --json", history.board());
    // The preset `default` that the command begins with sets nothing else.
    let mut options = options.clone();
    if options.get(&MOVE_TIME) == 0 {
        let _ = options.put(&MOVE_TIME, 0);
    }
    for (name, value) in options.changed() {
        command += &format!(" --set {name}={value}");
    }
    command
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::super::house::tests::house;
    use super::*;

    struct Bench {
        tab: Tab,
        events: Receiver<EngineEvent>,
    }

    impl Bench {
        fn new() -> Bench {
            let (mut tab, events) = Tab::new(Arc::new(house(1)));
            assert!(matches!(tab.drain().next(), Some(Say::Hello { .. })));
            Bench { tab, events }
        }

        fn ask(&mut self, text: &str) {
            self.tab.receive(text, Instant::now());
        }

        /// Everything said until something of this kind comes.
        fn until(&mut self, wanted: impl Fn(&Say) -> bool) -> Vec<Say> {
            let mut said: Vec<Say> = Vec::new();
            loop {
                said.extend(self.tab.drain());
                if said.iter().any(&wanted) {
                    return said;
                }
                let event = self.events.blocking_recv().unwrap();
                self.tab.event(event, Instant::now());
            }
        }
    }

    fn done(say: &Say) -> bool {
        matches!(say, Say::Done { .. } | Say::Refused { .. })
    }

    #[test]
    fn a_preset_answers_with_a_legal_move() {
        let mut bench = Bench::new();
        bench.ask(r#"{"do":"move","id":7,"game":"f5","preset":"level-2"}"#);
        let said = bench.until(done);
        let Some(Say::Done { id: 7, report, stopped: false }) = said.last() else {
            panic!("{said:?}")
        };
        let reply = report.lines[0].pv[0];
        assert!(history(&format!("f5{reply}")).is_ok());
    }

    #[test]
    fn an_analysis_is_stopped_and_another_question_takes_its_place() {
        let mut bench = Bench::new();
        bench.ask(r#"{"do":"analyze","id":1,"game":"","lines":64}"#);
        bench.ask(r#"{"do":"analyze","id":2,"game":"f5","lines":64}"#);
        bench.ask(r#"{"do":"analyze","id":3,"game":"f5d6","lines":64,"set":{"depth":"60"}}"#);
        while bench.tab.slots[ANALYSIS].progress(Instant::now()).is_none_or(|now| now.0 != 3) {
            let event = bench.events.blocking_recv().unwrap();
            bench.tab.event(event, Instant::now());
        }
        bench.ask(r#"{"do":"stop","what":"analyze"}"#);
        let said = bench.until(done);
        let last = said.last().unwrap();
        assert!(matches!(last, Say::Done { id: 3, stopped: true, .. }), "{last:?}");
    }

    #[test]
    fn a_column_gives_the_answer_of_its_command() {
        let mut bench = Bench::new();
        bench.ask(
            r#"{"do":"compare","id":4,"column":2,"game":"f5d6c3",
                "set":{"method":"expectation","depth":"3"}}"#,
        );
        let said = bench.until(done);
        assert!(said.iter().any(|say| matches!(say, Say::Behind { id: 4, .. })), "{said:?}");
        let Some(Say::Command { command, .. }) = said.first() else { panic!("{said:?}") };
        assert!(command.contains("--set method=expectation") && command.contains("--set hash=8"));
    }

    #[test]
    fn a_review_judges_every_move_from_the_last_on() {
        let mut bench = Bench::new();
        bench.ask(r#"{"do":"review","id":5,"game":"f5f6e6f4","from":1}"#);
        let said = bench.until(|say| matches!(say, Say::ReviewDone { .. }));
        let numbers: Vec<usize> = said
            .iter()
            .filter_map(|say| match say {
                Say::Reviewed { id: 5, review } => Some(review.number),
                _ => None,
            })
            .collect();
        assert_eq!(numbers, [4, 3, 2]);
    }

    #[test]
    fn bad_questions_are_refused_and_change_nothing() {
        let mut bench = Bench::new();
        for (question, reason) in [
            ("", "no question"),
            ("{", "no question"),
            (r#"{"do":"fly"}"#, "unknown variant `fly`"),
            (r#"{"do":"ping","id":-1}"#, "no question"),
            (r#"{"do":"ping","id":1,"x":2}"#, "unknown field"),
            (r#"{"do":"move","id":1,"game":"a1","preset":"level-1"}"#, "a1"),
            (r#"{"do":"move","id":1,"game":"","preset":"/etc/passwd"}"#, "no preset"),
            (r#"{"do":"compare","id":1,"column":9,"game":""}"#, "no column 9"),
            (
                r#"{"do":"analyze","id":1,"game":"","lines":2,"set":{"weights":"x"}}"#,
                "names a file",
            ),
            (r#"{"do":"watched","id":1,"number":0}"#, "no match"),
        ] {
            bench.ask(question);
            let said: Vec<Say> = bench.tab.drain().collect();
            let [Say::Refused { reason: told, .. }] = said.as_slice() else { panic!("{said:?}") };
            assert!(told.contains(reason), "{question}: {told}");
        }
        let long = format!(r#"{{"do":"book","id":1,"game":"{}"}}"#, " ".repeat(2000));
        bench.ask(&long);
        assert!(matches!(bench.tab.drain().next(), Some(Say::Refused { .. })));
        bench.ask(r#"{"do":"ping","id":9}"#);
        assert!(matches!(bench.tab.drain().next(), Some(Say::Pong { id: 9 })));
    }
}
