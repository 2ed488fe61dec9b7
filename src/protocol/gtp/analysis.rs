//! Reports of an analysis, not more often than the client wants them; the newest is never lost.

use std::time::{Duration, Instant};

use super::writer;
use crate::protocol::{Action, Actions, Numbers, RequestId};
use crate::search::Event;

/// A stream of reports.
pub(super) struct Analysis {
    interval: Duration,
    last: Option<Instant>,
    /// The newest report that came too early, and the timer that will send it.
    held: Option<(RequestId, Event)>,
}

impl Analysis {
    /// A stream with at least this long between two reports.
    pub(super) fn new(interval: Duration) -> Analysis {
        Analysis { interval, last: None, held: None }
    }

    /// Sends a report, or keeps it until the interval has passed. One of a search that has no move
    /// to tell yet is dropped: its empty line would end the reply.
    pub(super) fn report(
        &mut self,
        event: Event,
        now: Instant,
        numbers: &mut Numbers,
        out: &mut Actions,
    ) {
        if event.lines.is_empty() {
            return;
        }
        let since = self.last.map(|last| now.saturating_duration_since(last));
        match (since.filter(|since| *since < self.interval), &mut self.held) {
            (None, _) => self.send(&event, now, out),
            (Some(_), Some((_, older))) => *older = event,
            (Some(since), none) => {
                let request = numbers.request();
                out.push(Action::Later { request, after: self.interval - since });
                *none = Some((request, event));
            }
        }
    }

    /// The time for the report that was kept, if this is its timer.
    pub(super) fn timer(&mut self, timer: RequestId, now: Instant, out: &mut Actions) {
        if let Some((_, event)) = self.held.take_if(|(request, _)| *request == timer) {
            self.send(&event, now, out);
        }
    }

    fn send(&mut self, event: &Event, now: Instant, out: &mut Actions) {
        self.last = Some(now);
        self.held = None;
        out.text().push_str(&writer::analysis(event));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_without_a_move_does_not_end_the_reply() {
        let nothing = Event {
            depth: 0,
            lines: Vec::new(),
            nodes: 1,
            playouts: 0,
            elapsed: Duration::ZERO,
            opponent: None,
        };
        let (mut numbers, mut out) = (Numbers::default(), Actions::default());
        Analysis::new(Duration::ZERO).report(nothing, Instant::now(), &mut numbers, &mut out);
        assert!(out.is_empty());
    }
}
