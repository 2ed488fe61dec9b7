//! A session on the test's bench: inputs by hand, actions looked at one by one, time as it is set.

use std::time::{Duration, Instant};

use super::{Action, Actions, Input, InputLine, Phase, Session};
use crate::engine::{EngineEvent, GameId, SearchId, SearchUpdate, Task};
use crate::othello::Move;
use crate::score::Score;
use crate::search::{Bound, Certainty, Event, Line, Origin, Outcome};

/// A session and its clock.
pub(super) struct Bench<S> {
    pub(super) session: S,
    now: Instant,
}

impl<S: Session> Bench<S> {
    pub(super) fn new(session: S) -> Bench<S> {
        Bench { session, now: Instant::now() }
    }

    /// Lets time pass.
    pub(super) fn wait(&mut self, time: Duration) {
        self.now += time;
    }

    pub(super) fn give(&mut self, input: Input<'_>) -> Vec<Action> {
        let mut actions = Actions::default();
        self.session.take(input, self.now, &mut actions);
        actions.drain().collect()
    }

    pub(super) fn say(&mut self, line: &str) -> Vec<Action> {
        self.give(Input::Line(InputLine::Text(line)))
    }

    /// What the session says at once to a line.
    pub(super) fn ask(&mut self, line: &str) -> String {
        said(&self.say(line))
    }

    /// What comes of an event of the first game.
    pub(super) fn update(&mut self, search: SearchId, update: SearchUpdate) -> Vec<Action> {
        self.give(Input::Event(EngineEvent { game: GameId(0), search, update }))
    }

    /// The end of a search with this move.
    pub(super) fn finish(&mut self, search: SearchId, best: &str) -> Vec<Action> {
        self.update(search, SearchUpdate::Done(outcome(best)))
    }

    pub(super) fn phase(&self) -> Phase {
        self.session.phase()
    }
}

/// The text of some actions.
pub(super) fn said(actions: &[Action]) -> String {
    let text = |action: &Action| match action {
        Action::Send(text) => text.clone(),
        _ => String::new(),
    };
    actions.iter().map(text).collect()
}

/// The one search that some actions start.
pub(super) fn thinks(actions: &[Action]) -> (SearchId, &Task) {
    let mut searches = actions.iter().filter_map(|action| match action {
        Action::Think { search, task, .. } => Some((*search, &**task)),
        _ => None,
    });
    let search = searches.next().expect("a search");
    assert!(searches.next().is_none(), "one search at a time: {actions:?}");
    search
}

/// The one configuration that some actions ask for.
pub(super) fn configures(actions: &[Action]) -> SearchId {
    let found = actions.iter().find_map(|action| match action {
        Action::Configure { search, .. } => Some(*search),
        _ => None,
    });
    found.expect("a configuration")
}

fn line(best: &str) -> Line {
    let best: Move = best.parse().unwrap();
    Line {
        score: Score::whole(2),
        bound: Bound::Exact,
        certainty: Certainty::Estimate,
        pv: vec![best],
        visits: 0,
        uncertainty: None,
    }
}

pub(super) fn outcome(best: &str) -> Outcome {
    Outcome {
        origin: Origin::Search,
        lines: vec![line(best)],
        depth: 5,
        nodes: 100,
        playouts: 0,
        elapsed: Duration::from_millis(10),
    }
}

/// A report of progress.
pub(super) fn progress(best: &str) -> SearchUpdate {
    SearchUpdate::Progress(Event {
        depth: 4,
        lines: vec![line(best)],
        nodes: 50,
        playouts: 0,
        elapsed: Duration::from_millis(5),
        opponent: None,
    })
}
