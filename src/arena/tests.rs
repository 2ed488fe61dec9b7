//! Matches of fast players, end to end inside one process.

use std::ops::ControlFlow;

use super::plan::tests::small_plan;
use super::standing::Games;
use super::{Kind, LoggedGame, Plan, Standing, runner};
use crate::record::History;
use crate::search::StopFlag;

fn play_all(plan: &Plan, workers: usize) -> Games {
    let numbers: Vec<usize> = (0..plan.games()).collect();
    let mut games = Games::new();
    runner::run(plan, &numbers, workers, &StopFlag::new(), |record| {
        games.insert(record.game, record);
        ControlFlow::<()>::Continue(())
    })
    .unwrap();
    games
}

/// What must repeat from run to run: everything but the times.
fn without_times(games: &Games) -> Vec<LoggedGame> {
    games.values().map(|game| LoggedGame { times: Vec::new(), ..game.clone() }).collect()
}

#[test]
fn the_number_of_workers_changes_nothing_about_the_games() {
    let plan = small_plan(&["depth=1", "depth=2", "depth=1,eval=discs"], Kind::RoundRobin, 3);
    let one = play_all(&plan, 1);
    assert_eq!(one.len(), 18);
    assert_eq!(without_times(&one), without_times(&play_all(&plan, 3)));
}

#[test]
fn every_recorded_game_replays_to_its_recorded_score() {
    let plan = small_plan(&["depth=1", "depth=2"], Kind::HeadToHead, 5);
    for game in play_all(&plan, 1).values() {
        let mut history: History = plan.openings[plan.game(game.game).opening].history.clone();
        for index in 0..game.moves.len() / 2 {
            history.play(game.moves[2 * index..2 * index + 2].parse().unwrap()).unwrap();
        }
        assert!(history.is_over());
        assert_eq!(Some(history.board().final_score_for_black()), game.discs);
        assert_eq!(game.times.len(), game.moves.len() / 2);
    }
}

#[test]
fn a_player_against_itself_scores_exactly_half() {
    let plan = small_plan(&["depth=2", "depth=2"], Kind::HeadToHead, 6);
    let standing = Standing::of(&plan, &play_all(&plan, 2));
    assert!(standing.is_complete());
    let result = &standing.pairings[0];
    assert_eq!((result.games, result.score), (12, 0.5));
    assert_eq!(result.pairs.counts, [0, 0, 6, 0, 0]);
    assert_eq!(result.discs.mean, 0.0);
}

#[test]
fn raising_the_stop_flag_hands_over_no_half_game() {
    let plan = small_plan(&["depth=3", "depth=3"], Kind::HeadToHead, 10);
    let numbers: Vec<usize> = (0..plan.games()).collect();
    let stop = StopFlag::new();
    let mut finished = 0;
    let broken = runner::run(&plan, &numbers, 2, &stop, |_| {
        finished += 1;
        if finished == 3 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
    });
    assert_eq!(broken.unwrap(), Some("enough"));
    assert_eq!(finished, 3);
}
