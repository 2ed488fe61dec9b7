//! The full-width correction of shared search (Iida and Kotani 1992, section 5): the best move at the
//! end of the main line, tried at the root.
//!
//! The search proper gets most of the nodes and of the time. If what is left does not suffice for a
//! complete comparison, its move stays.

use super::Minimax;
use crate::game::othello::OthelloState;
use crate::game::{Game, Othello, Side};
use crate::othello::{Bitboard, Move, Position};
use crate::score::Score;
use crate::search::report::{Bound, Certainty, Event, Outcome};
use crate::search::shared::correction::{Correction, Expected, LineSearch, Ties, rest};
use crate::search::{Limits, Request, StopFlag};

impl Minimax {
    /// Whether a correction is asked for and makes sense: one best move, by an estimate.
    pub(super) fn is_corrected(&self, request: &Request) -> bool {
        let Limits { exact, outcome, .. } = request.limits;
        self.settings.shared_correction > 0 && request.multi_pv <= 1 && !exact && !outcome
    }

    /// The search and its correction.
    pub(super) fn search_corrected(
        &self,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        let correction = Correction { depth: self.settings.shared_correction, ties: Ties::Shared };
        let limits = correction.reserve(&request.limits);
        let mut outcome = self.search_plain(&Request { limits, ..request.clone() }, stop, report);
        let depth = outcome.depth;
        let Some(first) = outcome.lines.first_mut() else { return outcome };
        if first.certainty != Certainty::Estimate || depth == 0 {
            return outcome;
        }
        let found = (first.score.discs(), first.pv.clone());
        let root = state(request.position);
        let squares = request.root_moves();
        let mut allowed = Othello.actions(&root);
        allowed.retain(|action| action.square().is_some_and(|square| squares.contains(square)));
        let mut search = Asked {
            minimax: self,
            limits: request.limits,
            stop,
            nodes: outcome.nodes,
            elapsed: outcome.elapsed,
        };
        let better = search.complete(request.position, depth, found).and_then(|found| {
            correction.better(&Othello, &mut search, &root, &allowed, depth, &found)
        });
        if let Some(better) = better {
            first.score = Score::from_discs(better.value);
            first.bound = Bound::Exact;
            first.pv = better.line;
        }
        (outcome.nodes, outcome.elapsed) = (search.nodes, search.elapsed);
        outcome
    }
}

fn state(position: Position) -> OthelloState {
    OthelloState { position, player: Side::First }
}

/// The same search as the correction asks it, with what the limits leave.
struct Asked<'a> {
    minimax: &'a Minimax,
    limits: Limits,
    stop: &'a StopFlag,
    nodes: u64,
    elapsed: std::time::Duration,
}

impl Asked<'_> {
    /// A complete search of so many plies, or to the end if that is nearer.
    fn search(
        &mut self,
        position: Position,
        depth: u32,
        only: Option<Bitboard>,
        multi_pv: usize,
    ) -> Option<Outcome> {
        if self.stop.is_stopped() {
            return None;
        }
        let left = rest(&self.limits, self.nodes, self.elapsed)?;
        let request =
            Request { position, limits: Limits { depth: Some(depth), ..left }, multi_pv, only };
        let outcome = self.minimax.search_plain(&request, self.stop, &mut |_| {});
        self.nodes += outcome.nodes;
        self.elapsed += outcome.elapsed;
        (outcome.depth >= depth.min(position.empty_count())).then_some(outcome)
    }
}

impl Asked<'_> {
    /// The whole line of a search of so many plies, of which the table keeps the upper part only:
    /// the rest is searched again from where it breaks off.
    fn complete(
        &mut self,
        position: Position,
        depth: u32,
        (value, mut line): (f64, Vec<Move>),
    ) -> Option<Expected<Move>> {
        let mut end = line.iter().fold(position, |end, &played| end.after_unchecked(played));
        while !end.is_over() {
            let placed = line.iter().filter(|played| **played != Move::Pass).count() as u32;
            if placed >= depth {
                break;
            }
            let next = if end.has_move() {
                self.search(end, depth - placed, None, 1)?.best_move()?
            } else {
                Move::Pass
            };
            line.push(next);
            end = end.after_unchecked(next);
        }
        Some(Expected { value, line })
    }
}

impl LineSearch<Othello> for Asked<'_> {
    fn line(
        &mut self,
        state: &OthelloState,
        depth: u32,
        first: Option<Move>,
    ) -> Option<Expected<Move>> {
        if !state.position.has_move() {
            // A pass at the end of a line: the search beyond it, turned round.
            let after = Othello.apply(state, Move::Pass);
            let mut expected = self.line(&after, depth, None)?;
            expected.line.insert(0, Move::Pass);
            return Some(Expected { value: -expected.value, ..expected });
        }
        let only = first.and_then(Move::square).map(|square| Bitboard(square.bit()));
        let outcome = self.search(state.position, depth, only, 1)?;
        let line = outcome.lines.into_iter().next()?;
        match first {
            Some(_) => self.complete(state.position, depth, (line.score.discs(), line.pv)),
            None => Some(Expected { value: line.score.discs(), line: line.pv }),
        }
    }

    fn ranking(&mut self, state: &OthelloState, depth: u32) -> Option<Vec<(Move, f64)>> {
        let count = state.position.legal_moves().count() as usize;
        if count == 0 {
            // No move of the root's side, so none to share.
            return Some(Vec::new());
        }
        let outcome = self.search(state.position, depth, None, count)?;
        let ranked = outcome.lines.iter().filter_map(|line| {
            let action = line.pv.first().copied()?;
            Some((action, line.score.discs()))
        });
        Some(ranked.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::othello::random::{random_position, seeded};
    use crate::search::Method;

    fn method(depth: &str) -> Box<dyn Method> {
        let mut options = Options::new();
        let settings = [("eval", "mobility"), ("hash", "1"), ("shared-correction", depth)];
        for (name, value) in settings {
            options.set(name, value).unwrap();
        }
        crate::search::build(&options).unwrap()
    }

    #[test]
    fn a_corrected_move_is_legal_and_sometimes_another_one() {
        let (mut plain, mut corrected) = (method("0"), method("2"));
        let mut rng = seeded(1992);
        let stop = StopFlag::new();
        let mut changed = 0;
        for _ in 0..60 {
            let position = random_position(32, &mut rng);
            let request = Request::new(position, Limits::depth(4));
            plain.clear();
            corrected.clear();
            let found = plain.search(&request, &stop, &mut |_| {});
            let outcome = corrected.search(&request, &stop, &mut |_| {});
            let best = outcome.best_move();
            assert!(position.children().any(|(legal, _)| Some(legal) == best));
            assert!(outcome.nodes >= found.nodes);
            changed += usize::from(best != found.best_move());
            // Nothing but the move found is allowed: nothing else is tried.
            let only = found.best_move().and_then(Move::square).unwrap();
            let request = Request { only: Some(Bitboard(only.bit())), ..request };
            let outcome = corrected.search(&request, &stop, &mut |_| {});
            assert_eq!(outcome.best_move(), found.best_move());
        }
        assert!((1..60).contains(&changed), "{changed} of 60 changed");
    }

    #[test]
    fn the_correction_keeps_to_the_nodes_of_the_whole_search() {
        let mut corrected = method("4");
        let mut rng = seeded(5);
        for _ in 0..10 {
            let request = Request::new(random_position(36, &mut rng), Limits::nodes(20_000));
            let outcome = corrected.search(&request, &StopFlag::new(), &mut |_| {});
            assert!((10_000..40_000).contains(&outcome.nodes), "{} nodes", outcome.nodes);
        }
    }
}
