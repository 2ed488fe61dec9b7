//! Minimax: alpha-beta over the game tree.

pub mod endgame;
mod parameters;

use std::sync::Arc;
use std::time::Instant;

use super::report::{Bound, Certainty, Event, Line, Outcome};
use super::{Method, Request, StopFlag};
use crate::eval::{self, Evaluator, UNIT};
use crate::options::{OptionError, Options};
use crate::othello::{Move, Position};
use crate::score::Score;

/// Plain fixed-depth alpha-beta.
pub struct Minimax {
    evaluator: Arc<dyn Evaluator>,
}

/// Makes the method from option values.
///
/// # Errors
/// If the evaluator cannot be made.
pub fn build(options: &Options) -> Result<Box<dyn Method>, OptionError> {
    Ok(Box::new(Minimax { evaluator: eval::build(options)? }))
}

impl Minimax {
    fn value(
        &self,
        position: Position,
        depth: u32,
        mut alpha: i32,
        beta: i32,
        nodes: &mut u64,
    ) -> i32 {
        *nodes += 1;
        if depth == 0 && position.has_move() {
            return self.evaluator.evaluate(position);
        }
        let mut best = i32::MIN;
        for (_, child) in position.children() {
            best = best.max(-self.value(child, depth.saturating_sub(1), -beta, -alpha, nodes));
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        if best == i32::MIN { position.final_score() * UNIT } else { best }
    }
}

impl Method for Minimax {
    fn search(
        &mut self,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        let began = Instant::now();
        let mut nodes = 0;
        let mut lines: Vec<Line> = Vec::new();
        let mut depth = 0;
        for d in 1..=request.limits.depth.unwrap_or(6) {
            let mut found: Vec<Line> = request
                .position
                .children()
                .filter(|(m, _)| m.square().is_none_or(|s| request.root_moves().contains(s)))
                .map(|(chosen, child): (Move, Position)| Line {
                    score: Score::from_discs(
                        -f64::from(self.value(child, d - 1, -64 * UNIT, 64 * UNIT, &mut nodes))
                            / f64::from(UNIT),
                    ),
                    bound: Bound::Exact,
                    certainty: Certainty::Estimate,
                    pv: vec![chosen],
                    visits: 0,
                })
                .collect();
            found.sort_by_key(|line| -line.score);
            found.truncate(request.multi_pv.max(1));
            lines = found;
            depth = d;
            report(&Event {
                depth,
                lines: lines.clone(),
                nodes,
                playouts: 0,
                elapsed: began.elapsed(),
            });
            if stop.is_stopped() || lines.is_empty() {
                break;
            }
        }
        Outcome { lines, depth, nodes, playouts: 0, elapsed: began.elapsed() }
    }

    fn clear(&mut self) {}
}
