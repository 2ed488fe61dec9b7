//! Kajihara and Iida's players on the Othello board.
//!
//! With game ends as its only knowledge such a player differs from a random one only in the last
//! moves; a threshold in discs (`win-threshold`) makes its evaluation call positions won and lost
//! before that. Choices among equal moves depend on the seed and the position alone.
//!
//! Scores are chances, not discs: 64 times the chance of winning that the player sees, so 0 says
//! that nothing is decided.

use std::sync::Arc;

use rand::Rng;

use super::forced::{Knowledge, LookAhead, Outlook};
use super::speculative::{Reading, Speculation};
use crate::eval::{Evaluator, UNIT};
use crate::game::{Othello, Side, othello::OthelloState};
use crate::othello::{Move, Position};
use crate::random::seeded_part;
use crate::score::Score;
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::minimax;
use crate::search::report::{Bound, Certainty, Event, Line, Origin, Outcome};
use crate::search::{Method, Request, StopFlag};

/// What every player of the paper is told.
#[derive(Clone, Copy, Debug)]
pub(super) struct PaperSettings {
    /// d or d_x, plies.
    pub look_ahead: u32,
    /// Discs that count as won; 0 knows only finished games.
    pub threshold: f64,
    /// Seed of its choices.
    pub seed: u64,
}

/// Finished games, and an evaluation beyond a threshold if there is one.
pub(super) struct OthelloKnowledge {
    pub evaluator: Arc<dyn Evaluator>,
    pub threshold: f64,
}

impl Knowledge<Othello> for OthelloKnowledge {
    fn judge(&self, _game: &Othello, state: &OthelloState) -> Outlook {
        if self.threshold <= 0.0 {
            return Outlook::Open;
        }
        let discs = f64::from(self.evaluator.evaluate(state.position)) / f64::from(UNIT);
        Outlook::of(discs, self.threshold)
    }
}

/// A semi-random player, or a speculative one.
pub(super) struct PaperPlayer {
    settings: PaperSettings,
    /// d_y and the reading, if it speculates.
    speculation: Option<(u32, Reading)>,
    evaluator: Arc<dyn Evaluator>,
}

impl PaperPlayer {
    pub(super) fn new(
        settings: PaperSettings,
        speculation: Option<(u32, Reading)>,
        evaluator: Arc<dyn Evaluator>,
    ) -> PaperPlayer {
        PaperPlayer { settings, speculation, evaluator }
    }

    /// One of the moves, by seed and position.
    fn pick(&self, actions: &[Move], position: Position) -> usize {
        let place = position.mover().0 ^ position.opponent().0.rotate_left(32);
        seeded_part(self.settings.seed, place).random_range(0..actions.len().max(1))
    }
}

/// The root moves, or the forced pass.
fn actions(request: &Request) -> Vec<Move> {
    if request.position.must_pass() {
        return vec![Move::Pass];
    }
    request.root_moves().into_iter().map(Move::Place).collect()
}

impl Method for PaperPlayer {
    fn search(
        &mut self,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        let position = request.position;
        if position.is_over() {
            return minimax::finished(request);
        }
        let mut counter = NodeCounter::new(&request.limits, stop);
        let own_depth = self.settings.look_ahead.min(request.limits.depth.unwrap_or(u32::MAX));
        let state = OthelloState { position, player: Side::First };
        let threshold = self.settings.threshold;
        let knowledge = OthelloKnowledge { evaluator: self.evaluator.clone(), threshold };
        let mut look = LookAhead::new(&Othello, knowledge);
        let all = actions(request);
        let trap = self.speculation.and_then(|(opponent_depth, reading)| {
            let speculation = Speculation { own_depth, opponent_depth, reading };
            look.speculate(&state, &all, &speculation, &mut counter)
        });
        let (best, chance, depth) = match trap {
            Some((action, chance)) => (action, chance, own_depth),
            None => {
                let list = look.candidates(&state, all.clone(), own_depth, own_depth, &mut counter);
                let best = list.actions[self.pick(&list.actions, position)];
                (best, f64::from(u8::from(list.win)), list.depth)
            }
        };
        let line = |action: Move, bound: Bound| Line {
            score: Score::from_discs(64.0 * chance),
            bound,
            certainty: Certainty::Estimate,
            pv: vec![action],
            visits: 0,
            uncertainty: None,
        };
        let others = all.iter().filter(|action| **action != best);
        let lines: Vec<Line> = std::iter::once(line(best, Bound::Exact))
            .chain(others.map(|action| line(*action, Bound::Upper)))
            .take(request.multi_pv.max(1))
            .collect();
        let (nodes, elapsed) = (counter.nodes, counter.budget.elapsed());
        let lines_so_far = lines.clone();
        let event =
            Event { depth, lines: lines_so_far, nodes, playouts: 0, elapsed, opponent: None };
        report(&event);
        Outcome { origin: Origin::Search, lines, depth, nodes, playouts: 0, elapsed }
    }

    fn clear(&mut self) {}
}
