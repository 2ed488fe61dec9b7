//! The whole method: against plain minimax, against the lean solver, under limits and stops.

use super::expected::{Expectation, Normal};
use super::*;
use crate::eval::Evaluator;
use crate::othello::Position;
use crate::othello::random::{random_position, scattered_position, seeded};
use crate::search::Limits;
use crate::search::endgame;
use std::time::Duration;

fn method(settings: MinimaxSettings) -> Minimax {
    Minimax {
        evaluation: eval::Evaluation::Other(std::sync::Arc::new(eval::mobility::Mobility)),
        table: Table::new(4).unwrap(),
        settings,
        expectation: None,
    }
}

fn search(method: &mut Minimax, request: &Request) -> Outcome {
    method.search(request, &StopFlag::new(), &mut |_| {})
}

/// Minimax as the textbook has it, in evaluation units; passes are free.
fn plain(position: Position, depth: u32) -> Value {
    if depth == 0 && (position.has_move() || !position.is_over()) {
        return eval::mobility::Mobility.evaluate(position).clamp(1 - SCORE_MAX, SCORE_MAX - 1);
    }
    if position.must_pass() {
        return -plain(position.pass(), depth);
    }
    let best = position.children().map(|(_, child)| -plain(child, depth - 1)).max();
    best.unwrap_or_else(|| position.final_score() * UNIT)
}

fn score_of(value: Value) -> Score {
    Score::from_discs(f64::from(value) / f64::from(UNIT))
}

#[test]
fn without_pruning_every_depth_gives_the_plain_minimax_score() {
    let settings = MinimaxSettings { selectivity: Selectivity::NONE, ..MinimaxSettings::default() };
    let mut rng = seeded(41);
    for empties in [8, 14, 20, 31, 44, 55] {
        let position = random_position(empties, &mut rng);
        for depth in 1..=4 {
            let mut minimax = method(settings);
            let outcome = search(&mut minimax, &Request::new(position, Limits::depth(depth)));
            assert_eq!(outcome.score(), score_of(plain(position, depth)), "{position:?} {depth}");
        }
    }
}

/// The same with E at the parents of the leaves, all leaves looked at.
fn plain_expectation(expectation: &Expectation, position: Position, depth: u32) -> Value {
    if depth != 1 || !position.has_move() {
        if depth == 0 && !position.is_over() {
            return plain(position, 0);
        }
        if position.must_pass() {
            return -plain_expectation(expectation, position.pass(), depth);
        }
        let children = position.children();
        let best =
            children.map(|(_, child)| -plain_expectation(expectation, child, depth - 1)).max();
        return best.unwrap_or_else(|| position.final_score() * UNIT);
    }
    let mut leaves = Vec::new();
    for (_, child) in position.children() {
        if child.mover().is_empty() {
            return SCORE_MAX;
        }
        leaves.push(-eval::mobility::Mobility.evaluate(child).clamp(1 - SCORE_MAX, SCORE_MAX - 1));
    }
    let moves = position.legal_moves().count();
    let stage = expectation.at_parent(position.empty_count(), moves);
    let rise = stage.rise(leaves.len() as u32);
    (stage.of_all(&mut leaves) - rise).clamp(1 - SCORE_MAX, SCORE_MAX - 1)
}

#[test]
fn expectation_at_the_leaf_parents_gives_the_score_of_its_definition() {
    let settings = MinimaxSettings { selectivity: Selectivity::NONE, ..MinimaxSettings::default() };
    let mut rng = seeded(45);
    let mut differ = 0;
    for round in 0..120 {
        let position = random_position(18 + round % 38, &mut rng);
        let scale = [0.3, 1.0, 2.5][round as usize % 3];
        let mut expectation = Expectation::shipped("mobility", scale).unwrap();
        if round % 2 == 1 {
            expectation = expectation.with_sigma_by_moves(scale);
        }
        for depth in 2..=4 {
            let expectation = Some(expectation.clone());
            let mut minimax = Minimax { expectation, ..method(settings) };
            let outcome = search(&mut minimax, &Request::new(position, Limits::depth(depth)));
            let expectation = minimax.expectation.as_ref().unwrap();
            let wanted = plain_expectation(expectation, position, depth);
            assert_eq!(outcome.score(), score_of(wanted), "{position:?} {depth} {scale}");
            differ += usize::from(wanted != plain(position, depth));
        }
    }
    assert!(differ > 200, "{differ} of 360 differ from plain minimax");
}

/// The same with distributions at two levels: the mean and variance of a position so many plies above
/// the leaves, everything looked at.
fn plain_distribution(expectation: &Expectation, position: Position, depth: u32) -> Normal {
    let certain = |mean| Normal { mean, variance: 0.0 };
    if position.is_over() {
        return certain(position.final_score() * UNIT);
    }
    if depth == 0 {
        return certain(plain(position, 0).clamp(1 - SCORE_MAX, SCORE_MAX - 1));
    }
    let turned = |normal: Normal| Normal { mean: -normal.mean, ..normal };
    if position.must_pass() {
        return turned(plain_distribution(expectation, position.pass(), depth));
    }
    let stage = expectation.at(position.empty_count());
    let mut children = Vec::new();
    for (_, child) in position.children() {
        if child.mover().is_empty() {
            return certain(SCORE_MAX);
        }
        let mut value = turned(plain_distribution(expectation, child, depth - 1));
        if depth == 1 && !child.is_over() {
            value.variance = stage.variance();
        }
        children.push(value);
    }
    let count = children.len() as u32;
    match depth {
        1 | 2 => {
            let found = expected::greatest(&mut children, stage.reach());
            let rise = if depth == 1 { stage.rise(count) } else { stage.upper_rise(count) };
            let mean = found.mean - rise;
            let mean = if depth == 2 { mean.clamp(1 - SCORE_MAX, SCORE_MAX - 1) } else { mean };
            Normal { mean, ..found }
        }
        _ => certain(children.iter().map(|child| child.mean).max().unwrap()),
    }
}

#[test]
fn distributions_at_two_levels_give_the_score_of_their_definition() {
    let settings = MinimaxSettings { selectivity: Selectivity::NONE, ..MinimaxSettings::default() };
    let mut rng = seeded(46);
    let mut differ = 0;
    for round in 0..90 {
        let position = random_position(18 + round % 38, &mut rng);
        let scale = [0.3, 1.0, 2.5][round as usize % 3];
        let expectation = Expectation::shipped("mobility", scale).unwrap().with_two_levels();
        for depth in 3..=5 {
            let expectation = Some(expectation.clone());
            let mut minimax = Minimax { expectation, ..method(settings) };
            let outcome = search(&mut minimax, &Request::new(position, Limits::depth(depth)));
            let expectation = minimax.expectation.as_ref().unwrap();
            let wanted = plain_distribution(expectation, position, depth).mean;
            assert_eq!(outcome.score(), score_of(wanted), "{position:?} {depth} {scale}");
            differ += usize::from(wanted != plain_expectation(expectation, position, depth));
        }
    }
    assert!(differ > 150, "{differ} of 270 differ from one level");
}

#[test]
fn every_move_of_a_multi_pv_search_has_its_own_minimax_score() {
    let settings = MinimaxSettings { selectivity: Selectivity::NONE, ..MinimaxSettings::default() };
    let mut rng = seeded(42);
    for empties in [12, 33, 50] {
        let position = random_position(empties, &mut rng);
        let mut request = Request::new(position, Limits::depth(3));
        request.multi_pv = 64;
        let outcome = search(&mut method(settings), &request);
        assert_eq!(outcome.lines.len(), position.children().count());
        for line in &outcome.lines {
            let child = position.after(line.pv[0]).unwrap();
            assert_eq!(line.score, score_of(-plain(child, 2)));
        }
        assert!(outcome.lines.is_sorted_by_key(|line| std::cmp::Reverse(line.score)));
    }
}

#[test]
fn solving_agrees_with_the_lean_solver_and_the_line_leads_to_the_score() {
    let mut rng = seeded(43);
    for round in 0..24 {
        let empties = 1 + round % 15;
        let position = if round % 3 == 0 {
            scattered_position(empties, &mut rng)
        } else {
            random_position(empties, &mut rng)
        };
        let exact = endgame::solve(position);
        for threads in [1, 2] {
            let settings = MinimaxSettings { threads, ..MinimaxSettings::default() };
            let outcome = search(&mut method(settings), &Request::new(position, Limits::solve()));
            assert_eq!(outcome.score(), Score::whole(exact), "{position:?}");
            assert_eq!(outcome.lines[0].certainty, Certainty::Exact);
            let mut end = position;
            for &played in &outcome.lines[0].pv {
                end = end.after(played).expect("the line is legal");
            }
            assert!(end.is_over());
            let sign = if outcome.lines[0].pv.len().is_multiple_of(2) { 1 } else { -1 };
            assert_eq!(end.final_score() * sign, exact);
        }
    }
}

#[test]
fn win_loss_draw_has_the_sign_of_the_exact_score() {
    let mut rng = seeded(44);
    for round in 0..20 {
        let position = random_position(8 + round % 8, &mut rng);
        let limits = Limits { outcome: true, ..Limits::default() };
        let outcome =
            search(&mut method(MinimaxSettings::default()), &Request::new(position, limits));
        assert_eq!(outcome.score().rounded().signum(), endgame::solve(position).signum());
        if !position.is_over() {
            assert_eq!(outcome.lines[0].certainty, Certainty::Outcome);
        }
    }
}

#[test]
fn all_moves_solved_have_exact_scores() {
    let position = random_position(13, &mut seeded(45));
    let mut request = Request::new(position, Limits::solve());
    request.multi_pv = 64;
    let outcome = search(&mut method(MinimaxSettings::default()), &request);
    assert_eq!(outcome.lines.len(), position.children().count());
    for line in &outcome.lines {
        let child = position.after(line.pv[0]).unwrap();
        assert_eq!(line.score, Score::whole(-endgame::solve(child)));
    }
}

#[test]
fn one_thread_repeats_itself_node_for_node() {
    let position = random_position(36, &mut seeded(46));
    let request = Request::new(position, Limits::depth(9));
    let mut minimax = method(MinimaxSettings::default());
    let first = search(&mut minimax, &request);
    minimax.clear();
    let second = search(&mut minimax, &request);
    assert_eq!((first.lines, first.nodes), (second.lines, second.nodes));
}

#[test]
fn a_stopped_search_still_answers_with_a_legal_move() {
    let position = random_position(40, &mut seeded(47));
    let stop = StopFlag::new();
    stop.stop();
    let request = Request::new(position, Limits::default());
    let outcome = method(MinimaxSettings::default()).search(&request, &stop, &mut |_| {});
    assert!(position.is_legal(outcome.best_move().unwrap().square().unwrap()));
    for nodes in [1, 100, 5_000] {
        let outcome = search(
            &mut method(MinimaxSettings::default()),
            &Request::new(position, Limits::nodes(nodes)),
        );
        assert!(position.is_legal(outcome.best_move().unwrap().square().unwrap()));
        assert!(outcome.nodes < nodes + 200_000);
    }
    let time = Limits::time(Duration::from_millis(1));
    let outcome = search(&mut method(MinimaxSettings::default()), &Request::new(position, time));
    assert!(outcome.best_move().is_some());
}

#[test]
fn stopping_from_inside_a_report_ends_the_search_with_that_report() {
    let position = random_position(40, &mut seeded(48));
    let stop = StopFlag::new();
    let mut depths = Vec::new();
    let request = Request::new(position, Limits::default());
    let outcome = method(MinimaxSettings::default()).search(&request, &stop, &mut |event| {
        depths.push(event.depth);
        if event.depth == 5 {
            stop.stop();
        }
    });
    assert_eq!(depths, [1, 2, 3, 4, 5]);
    assert_eq!(outcome.depth, 5);
}

#[test]
fn passes_and_finished_games_are_answered_as_such() {
    let mut rng = seeded(49);
    let passing = std::iter::repeat_with(|| scattered_position(9, &mut rng))
        .find(|position| position.must_pass())
        .unwrap();
    let outcome =
        search(&mut method(MinimaxSettings::default()), &Request::new(passing, Limits::solve()));
    assert_eq!(outcome.best_move(), Some(Move::Pass));
    assert_eq!(outcome.score(), Score::whole(endgame::solve(passing)));
    let over = Position::from_disjoint(!1, 0);
    let outcome =
        search(&mut method(MinimaxSettings::default()), &Request::new(over, Limits::depth(3)));
    assert_eq!((outcome.best_move(), outcome.score()), (None, Score::MAX));
}

#[test]
fn only_the_moves_asked_for_are_considered() {
    let position = Position::START;
    let mut request = Request::new(position, Limits::depth(4));
    request.only = Some("d3".parse::<crate::othello::Square>().unwrap().into());
    request.multi_pv = 10;
    let outcome = search(&mut method(MinimaxSettings::default()), &request);
    assert_eq!(outcome.lines.len(), 1);
    assert_eq!(outcome.best_move().unwrap().to_string(), "d3");
}

#[test]
fn the_table_of_an_earlier_solve_does_not_trap_the_window() {
    // Two positions of one game, two plies apart: mover X.
    let boards = [
        "--OO------OOOO-X--OOOOXX-OOOXXOXOOXOXXOX-OXXXXXX--OXXXXX-OOOOO-- X",
        "--OO------OOOO-X--OOOOXX-OOOXXOXOOXOXXOX-OOXXXXXXOOXXXXX-OOOOO-- X",
    ];
    let mut method = build(&Options::new()).unwrap();
    for board in boards {
        let board: crate::record::Board = board.parse().unwrap();
        let request = Request::new(board.position, Limits::solve());
        let outcome = method.search(&request, &StopFlag::new(), &mut |_| {});
        assert_eq!(outcome.score(), Score::whole(28));
    }
}

#[test]
fn a_solve_cut_short_keeps_its_best_move_and_claims_no_more_than_it_finished() {
    let mut rng = seeded(47);
    let (mut cut_short, mut solved) = (0, 0);
    for empties in [13, 15, 17] {
        let position = random_position(empties, &mut rng);
        let exact = endgame::solve(position);
        for shift in 4..22 {
            let request = Request::new(position, Limits::nodes(1 << shift));
            let outcome = search(&mut method(MinimaxSettings::default()), &request);
            assert!(outcome.best_move().is_some_and(|best| position.after(best).is_some()));
            if outcome.lines[0].certainty == Certainty::Exact {
                assert_eq!(outcome.score(), Score::whole(exact), "{position:?} {shift}");
                assert_eq!(outcome.depth, empties);
                solved += 1;
            } else {
                cut_short += 1;
            }
        }
    }
    assert!(cut_short > 10 && solved > 3, "{cut_short} {solved}");
}
