//! The root: iterative deepening, several lines, and when to stop.
//!
//! A search is a list of [`Step`]s, each deeper or surer than the one before: midgame depths first,
//! then the end of the game at rising confidence, then without pruning. Every step leaves its best
//! moves in the table for the next and gives a complete answer, so stopping at any moment is safe.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::line;
use super::parameters::{
    ASPIRATION, ASPIRATION_END, EASY_MARGIN, EASY_STEPS, END_JUMP, END_LEVELS, NEXT_STEP_SHARE,
    SETTLED_STEPS,
};
use super::probcut::Selectivity;
use super::pvs::{Best, Node, Worker};
use super::table::NO_MOVE;
use super::{MinimaxSettings, SCORE_MAX, Value};
use crate::eval::{Incremental, UNIT};
use crate::othello::{Bitboard, Move, Square};
use crate::score::Score;
use crate::search::report::{Bound, Certainty, Event, Line};
use crate::search::{Limits, Request};

/// One iteration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub depth: u32,
    pub selectivity: Selectivity,
}

/// The steps of a search, in order.
pub(super) fn steps(limits: &Limits, settings: &MinimaxSettings, empties: u32) -> Vec<Step> {
    let depth = limits.depth.unwrap_or(60);
    let to_end = limits.exact || limits.outcome || depth >= empties;
    let last_midgame = if to_end { empties.saturating_sub(END_JUMP) } else { depth };
    let mut steps: Vec<Step> = (1..=last_midgame.min(empties.saturating_sub(1)))
        .map(|depth| Step { depth, selectivity: settings.selectivity })
        .collect();
    if to_end {
        let levels = END_LEVELS.iter().filter(|(from, _)| empties >= *from).map(|(_, p)| *p);
        for percent in levels.chain([settings.end_confidence]) {
            let selectivity = Selectivity::from_percent(percent);
            if percent <= settings.end_confidence
                && steps
                    .last()
                    .is_none_or(|step| step.depth < empties || step.selectivity < selectivity)
            {
                steps.push(Step { depth: empties, selectivity });
            }
        }
    }
    steps
}

/// What the root knows so far.
pub(super) struct Answer {
    pub lines: Vec<Line>,
    pub depth: u32,
}

/// Searches the position of a node that has a legal move, step by step.
pub(super) fn iterate<E: Incremental>(
    worker: &mut Worker<'_, E>,
    node: &Node<E::State>,
    request: &Request,
    settings: &MinimaxSettings,
    report: &mut dyn FnMut(&Event),
) -> Answer {
    let legal = request.root_moves();
    let mut answer = Answer { lines: first_guess(worker, node, legal, request.multi_pv), depth: 0 };
    let mut same_best = 0;
    for step in steps(&request.limits, settings, node.empties) {
        let before = answer.lines.first().and_then(|line| line.pv.first().copied());
        worker.run.settled.store(same_best >= SETTLED_STEPS, Ordering::Relaxed);
        let finished = run_step(worker, node, request, step, legal, &mut answer);
        worker.flush_nodes();
        let best = answer.lines.first().and_then(|line| line.pv.first().copied());
        same_best = if best == before { same_best + 1 } else { 0 };
        if !finished {
            break;
        }
        answer.depth = step.depth;
        report(&Event {
            depth: step.depth,
            lines: answer.lines.clone(),
            nodes: worker.run.nodes.load(Ordering::Relaxed),
            playouts: 0,
            elapsed: worker.run.elapsed(),
            opponent: None,
        });
        if enough(worker, node, request, step, legal, &answer, same_best) {
            break;
        }
    }
    answer
}

/// Static order of the root moves: an answer even for a search stopped before its first step.
fn first_guess<E: Incremental>(
    worker: &mut Worker<'_, E>,
    node: &Node<E::State>,
    legal: Bitboard,
    count: usize,
) -> Vec<Line> {
    let mut lines: Vec<Line> = legal
        .into_iter()
        .map(|square| {
            let child = worker.child(node, square, node.position.flips(square).0);
            worker.nodes += 1;
            let score = -worker.evaluate(&child);
            make_line(score, Bound::Exact, Certainty::Estimate, vec![Move::Place(square)])
        })
        .collect();
    lines.sort_by_key(|line| std::cmp::Reverse(line.score));
    lines.truncate(count.max(1));
    lines
}

fn make_line(score: Value, bound: Bound, certainty: Certainty, pv: Vec<Move>) -> Line {
    let score = Score::from_discs(f64::from(score) / f64::from(UNIT));
    Line { score, bound, certainty, pv, visits: 0, uncertainty: None }
}

/// One step: the best move, then the best of the rest, … Returns whether it ran to its end; if
/// not, a better first move found on the way is still taken over.
fn run_step<E: Incremental>(
    worker: &mut Worker<'_, E>,
    node: &Node<E::State>,
    request: &Request,
    step: Step,
    legal: Bitboard,
    answer: &mut Answer,
) -> bool {
    let solving = step.depth >= node.empties;
    worker.selectivity = step.selectivity;
    let certainty = match (solving, step.selectivity) {
        (false, _) => Certainty::Estimate,
        (true, Selectivity::NONE) if request.limits.outcome => Certainty::Outcome,
        (true, Selectivity::NONE) => Certainty::Exact,
        (true, selectivity) => Certainty::Probable(selectivity.percent()),
    };
    let mut rest = legal;
    let mut lines = Vec::new();
    while lines.len() < request.multi_pv.max(1) && !rest.is_empty() {
        let guess = answer.lines.get(lines.len()).map(|line| to_value(line.score));
        let best = if request.limits.outcome && solving {
            worker.root(node, rest, step.depth, -UNIT, UNIT)
        } else {
            aspirate(worker, node, rest, step.depth, solving, guess)
        };
        let aborted = worker.aborted();
        if best.square == NO_MOVE || (aborted && !lines.is_empty()) {
            return false;
        }
        let square = Square::lowest_of(1 << best.square);
        let score =
            if certainty == Certainty::Outcome { sign_score(best.score) } else { best.score };
        let pv = if aborted {
            vec![Move::Place(square)]
        } else {
            line::from_root(worker, node, square, best.score, step, certainty)
        };
        if aborted {
            // The move is the best so far of a surer look, its score no surer than before. The
            // remaining lines of the last step stay, without a second entry for this move.
            let certainty = answer.lines.first().map_or(Certainty::Estimate, |line| line.certainty);
            let line = make_line(score, Bound::Exact, certainty, pv);
            answer.lines.retain(|old| old.pv.first() != line.pv.first());
            answer.lines.insert(0, line);
            answer.lines.truncate(request.multi_pv.max(1));
            return false;
        }
        lines.push(make_line(score, Bound::Exact, certainty, pv));
        rest = rest - Bitboard::from(square);
    }
    lines.sort_by_key(|line| std::cmp::Reverse(line.score));
    answer.lines = lines;
    true
}

fn to_value(score: Score) -> Value {
    (score.discs() * f64::from(UNIT)).round() as Value
}

/// Win, draw or loss as a score: two discs either way stand for "at least".
fn sign_score(score: Value) -> Value {
    score.signum() * 2 * UNIT
}

/// The root search with a window around the guess, widened on the side that fails.
fn aspirate<E: Incremental>(
    worker: &mut Worker<'_, E>,
    node: &Node<E::State>,
    moves: Bitboard,
    depth: u32,
    solving: bool,
    guess: Option<Value>,
) -> Best {
    let Some(guess) = guess.filter(|_| depth > 4) else {
        return worker.root(node, moves, depth, -SCORE_MAX, SCORE_MAX);
    };
    let (mut below, mut above) =
        if solving { (ASPIRATION_END, ASPIRATION_END) } else { (ASPIRATION, ASPIRATION) };
    let mut centre = guess;
    // Neither side ever shrinks again: what the table knows from deeper searches can make the
    // search fail on both sides in turn.
    loop {
        let alpha = (centre - below).max(-SCORE_MAX);
        let beta = (centre + above).min(SCORE_MAX);
        let best = worker.root(node, moves, depth, alpha, beta);
        if worker.aborted() {
            // Only a move that beat the window's floor is known to be good.
            let known = best.score > alpha;
            return if known { best } else { Best { square: NO_MOVE, ..best } };
        }
        if best.score <= alpha && alpha > -SCORE_MAX {
            // Worse than thought: the choice may change.
            worker.run.settled.store(false, Ordering::Relaxed);
            below *= 2;
            centre = best.score.max(-SCORE_MAX);
        } else if best.score >= beta && beta < SCORE_MAX {
            above *= 2;
            centre = best.score.min(SCORE_MAX);
        } else {
            return best;
        }
    }
}

/// Whether another step is not worth starting.
fn enough<E: Incremental>(
    worker: &mut Worker<'_, E>,
    node: &Node<E::State>,
    request: &Request,
    step: Step,
    legal: Bitboard,
    answer: &Answer,
    same_best: u32,
) -> bool {
    worker.run.check_limits();
    if worker.run.halted() {
        return true;
    }
    let Some(time) = request.limits.time else { return false };
    if request.multi_pv > 1 {
        return worker.run.elapsed() >= time.soft;
    }
    if legal.count() == 1 {
        return step.depth >= 6;
    }
    let elapsed = worker.run.elapsed();
    let plans_ahead = time.soft < time.hard;
    if elapsed >= time.soft || (plans_ahead && elapsed > time.soft.mul_f64(NEXT_STEP_SHARE)) {
        return true;
    }
    plans_ahead
        && elapsed > time.soft / 4
        && same_best >= EASY_STEPS
        && step.depth < node.empties
        && is_clearly_best(worker, node, step, legal, answer, time.soft)
}

/// Whether every other move is worse by a margin at half the depth.
fn is_clearly_best<E: Incremental>(
    worker: &mut Worker<'_, E>,
    node: &Node<E::State>,
    step: Step,
    legal: Bitboard,
    answer: &Answer,
    soft: Duration,
) -> bool {
    let Some(Move::Place(best)) = answer.lines.first().and_then(|line| line.pv.first().copied())
    else {
        return false;
    };
    let bar = to_value(answer.lines[0].score) - EASY_MARGIN;
    if bar <= -SCORE_MAX || worker.run.elapsed() > soft {
        return false;
    }
    let others = legal - Bitboard::from(best);
    let second = worker.root(node, others, step.depth / 2, bar, bar + 1);
    !worker.aborted() && second.score <= bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_deepen_then_grow_surer_and_end_exactly_where_asked() {
        let settings = MinimaxSettings::default();
        for empties in 1..=60 {
            for limits in [Limits::solve(), Limits::default(), Limits::depth(7), Limits::depth(60)]
            {
                let steps = steps(&limits, &settings, empties);
                for pair in steps.windows(2) {
                    let deeper = pair[1].depth > pair[0].depth;
                    let surer =
                        pair[1].depth == pair[0].depth && pair[1].selectivity > pair[0].selectivity;
                    assert!(deeper || surer, "{empties} {limits:?} {pair:?}");
                }
                let last = steps.last().unwrap();
                if limits == Limits::depth(7) && empties > 7 {
                    assert_eq!(last.depth, 7);
                } else {
                    assert_eq!((last.depth, last.selectivity), (empties, Selectivity::NONE));
                }
            }
        }
    }
}
