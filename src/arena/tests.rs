//! Matches of fast players, end to end inside one process.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use super::adjudicate::Adjudicator;
use super::builtin::BuiltIn;
use super::plan::tests::small_plan;
use super::player::FaultKind;
use super::referee::{PlayedGame, Side};
use super::spec::{Engine, PlayerSpec};
use super::standing::{Games, SprtMonitor};
use super::{Ending, Kind, LoggedGame, Plan, Standing, archive, referee, report, runner};
use crate::engine;
use crate::engine::time::testing::TestTime;
use crate::options::Options;
use crate::othello::Position;
use crate::record::{GameResult, History, ggf};
use crate::search::{Limits, StopFlag};
use crate::statistics::paper::{self, AnchorResult};
use crate::statistics::{Decision, Sprt};

fn play_all(plan: &Plan, workers: usize) -> Games {
    let numbers: Vec<usize> = (0..plan.games()).collect();
    let mut games = Games::new();
    let nobody = runner::Spectators::default();
    runner::run(plan, &numbers, workers, &StopFlag::new(), nobody, |record| {
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
    let broken = runner::run(&plan, &numbers, 2, &stop, runner::Spectators::default(), |_| {
        finished += 1;
        if finished == 3 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
    });
    assert_eq!(broken.unwrap(), Some("enough"));
    assert_eq!(finished, 3);
}

#[test]
fn a_sequential_test_decides_alike_however_the_games_are_spread() {
    let mut plan = small_plan(&["depth=3", "depth=1"], Kind::HeadToHead, 40);
    plan.sprt = Some(Sprt::new(0.0, 100.0, 0.05, 0.05).unwrap());
    let games = play_all(&plan, 2);
    let whole = Standing::of(&plan, &games);
    let state = whole.sprt.unwrap();
    assert_eq!(state.decision, Decision::AcceptElo1);
    assert!(state.pairs < 40 && whole.games == 2 * state.pairs && whole.is_complete());
    assert_eq!(whole.after_decision, games.len() - whole.games);
    // Games after a gap do not count before it is filled.
    let mut gap = games.clone();
    gap.remove(&0);
    assert_eq!(Standing::of(&plan, &gap).sprt.unwrap().pairs, 0);
    // A monitor fed game by game, in any order, ends where the whole does.
    let mut monitor = SprtMonitor::new(plan.sprt.unwrap());
    let mut fed = Games::new();
    for (&number, game) in games.iter().rev() {
        fed.insert(number, game.clone());
        monitor.update(&fed);
    }
    assert_eq!(monitor.state(), state);
}

/// Perfect play by looking at everything; for a handful of empties.
fn solve_slowly(position: Position) -> i32 {
    let best = position.children().map(|(_, child)| -solve_slowly(child)).max();
    best.unwrap_or_else(|| position.final_score())
}

#[test]
fn adjudicated_games_get_the_score_of_perfect_play() {
    let mut plan = small_plan(&["depth=1", "depth=2"], Kind::HeadToHead, 4);
    plan.rules.adjudicate = Some(6);
    let mut adjudicated = 0;
    for game in play_all(&plan, 1).values() {
        let record = archive::record(&plan, game).unwrap();
        let board = record.history.board();
        if game.ending == Ending::Adjudicated {
            adjudicated += 1;
            assert_eq!(board.position.empty_count(), 6);
            assert_eq!(game.discs, Some(solve_slowly(board.position) * board.turn.sign()));
        }
    }
    assert!(adjudicated >= 6, "{adjudicated}");
}

#[test]
fn the_archive_reads_back_as_the_same_games() {
    let plan = small_plan(&["depth=1,name=a]b", "depth=2"], Kind::HeadToHead, 2);
    for game in play_all(&plan, 1).values() {
        let record = archive::record(&plan, game).unwrap();
        let read = ggf::parse(&ggf::write(&record)).unwrap();
        assert_eq!(read.history, record.history);
        assert_eq!(read.result, Some(GameResult::scored(game.discs.unwrap())));
        let opening = plan.openings[plan.game(game.game).opening].history.moves().len();
        assert_eq!(read.note(opening).eval, game.evals[0]);
    }
}

#[test]
fn anchored_ratings_are_the_papers_average() {
    let mut plan = small_plan(&["depth=1", "depth=2", "depth=3"], Kind::RoundRobin, 6);
    plan.anchors = vec![0, 1];
    let standing = Standing::of(&plan, &play_all(&plan, 2));
    let anchors: Vec<f64> = standing.players[..2].iter().map(|p| p.paper.unwrap()).collect();
    assert!((anchors[0] + anchors[1]).abs() < 1e-6);
    assert!(report::text(&plan, &standing).contains("anchored"));
    // Pairings 1 and 2 are the anchors against the third player.
    let results = [1, 2].map(|index| AnchorResult {
        anchor: anchors[index - 1],
        score: 1.0 - standing.pairings[index].score,
    });
    assert_eq!(standing.players[2].paper, paper::rating(&results));
    plan.anchors.clear();
    let standing = Standing::of(&plan, &play_all(&plan, 2));
    assert!(standing.players.iter().all(|player| player.paper.is_none()));
    assert!(!report::text(&plan, &standing).contains("anchored"));
}

#[test]
fn reports_name_every_player_and_hold_every_chart() {
    for (players, kind) in
        [(&["depth=1", "a<b,depth=2"][..], Kind::HeadToHead), (&["x", "y", "z"], Kind::RoundRobin)]
    {
        let specs: Vec<String> = players
            .iter()
            .map(|name| format!("name={},depth=1", name.split(',').next().unwrap_or_default()))
            .collect();
        let specs: Vec<&str> = specs.iter().map(String::as_str).collect();
        let plan = small_plan(&specs, kind, 3);
        let games = play_all(&plan, 1);
        let standing = Standing::of(&plan, &games);
        let page = report::html(&plan, &games, &standing);
        assert_eq!(page.matches("<svg").count(), 4);
        assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
        assert_eq!(page.matches("<tr>").count(), page.matches("</tr>").count());
        assert!(!page.contains("NaN") && !page.contains("a<b") && !page.contains("+inf"));
        assert!(page.contains("id=\"games\"") && page.contains("function replay("));
        let text = report::text(&plan, &standing);
        for player in &plan.players {
            assert!(text.contains(&player.name));
        }
        assert!(!report::live(&standing).is_empty());
    }
}

/// One game between two built-in players, the first of whose moves take as long as the time says.
fn timed_game(control: &str, step: Duration) -> PlayedGame {
    let mut plan = small_plan(&["depth=1", "depth=1"], Kind::HeadToHead, 1);
    plan.rules.control = control.parse().unwrap();
    plan.rules.margin = Duration::from_millis(50);
    let mut options = Options::new();
    options.set("depth", "1").unwrap();
    let player = || BuiltIn::new(&options).unwrap();
    let mut slow = player().timed_by(Arc::new(TestTime::stepping(step)));
    let mut quick = player().timed_by(Arc::new(TestTime::stepping(Duration::ZERO)));
    let opening = &plan.openings[0];
    let stop = StopFlag::new();
    referee::play(
        [&mut slow, &mut quick],
        opening,
        &[plan.rules, plan.rules],
        [1, 1],
        &mut Adjudicator::default(),
        &stop,
    )
    .unwrap()
}

#[test]
fn a_built_in_player_that_oversleeps_its_clock_loses_on_time() {
    let late = timed_game("1/move", Duration::from_millis(1051));
    let Ending::Failed(Side::Black, fault) = &late.ending else { panic!("{:?}", late.ending) };
    assert_eq!(fault.kind, FaultKind::TimeOut);
    assert_eq!(late.black_half_points(), 0);
    assert_eq!(fault.late_ms, Some(1051.0));
    let in_time = timed_game("1/move", Duration::from_millis(1050));
    assert_eq!(in_time.ending, Ending::Finished);
    // Thirty moves of a tenth of a second do not fit into one second.
    let slow = timed_game("1", Duration::from_millis(100));
    assert!(matches!(slow.ending, Ending::Failed(Side::Black, _)), "{:?}", slow.ending);
}

#[test]
fn a_player_without_any_limit_of_its_own_still_moves() {
    // Forced moves are quick; the others get the second that every method gets.
    let options = PlayerSpec::parse("method=uct").unwrap();
    let Engine::BuiltIn(options) = &options.engine else { panic!("built-in") };
    let limits = engine::move_limits(options, Position::START, None);
    assert_ne!(limits, Limits::default());
}

#[test]
fn games_that_a_player_thinks_lost_end_there_and_come_back_from_the_log() {
    let mut plan = small_plan(&["depth=1", "depth=2"], Kind::HeadToHead, 4);
    plan.rules.resign = Some("6,2".parse().unwrap());
    plan.rules.draw = Some("0,60".parse().unwrap());
    let mut ended = 0;
    for game in play_all(&plan, 1).values() {
        game.check(&plan).unwrap();
        if let Ending::Opinions(loser) = &game.ending {
            ended += 1;
            let points = if *loser == Some(Side::Black) { 0 } else { 2 };
            assert_eq!((game.half_points, game.discs), (points, None));
            assert!(archive::record(&plan, game).unwrap().result.is_some());
        }
    }
    assert!(ended > 0);
}

#[test]
fn every_player_may_have_its_own_clock() {
    let plan = small_plan(&["depth=1", "depth=1,time=5+1"], Kind::HeadToHead, 1);
    let clocks = |game| plan.rules_of(&plan.game(game)).map(|rules| rules.control.to_string());
    assert_eq!(clocks(0), ["none", "5+1"]);
    assert_eq!(clocks(1), ["5+1", "none"]);
    assert_eq!(play_all(&plan, 1).len(), 2);
}

#[test]
fn few_games_are_said_to_be_few() {
    let plan = small_plan(&["depth=2", "depth=1"], Kind::HeadToHead, 5);
    let games = play_all(&plan, 1);
    let two: Games = games.iter().take(2).map(|(&number, game)| (number, game.clone())).collect();
    let text = |games: &Games| report::text(&plan, &Standing::of(&plan, games));
    assert!(text(&two).contains("too few games to tell") && !text(&two).contains("LOS"));
    assert!(text(&games).contains("LOS") && !text(&games).contains("too few"));
    // One pair has no margin, several have.
    assert!(!text(&two).contains('±') && text(&games).contains('±'));
}

#[test]
fn pairs_that_are_all_alike_are_told_without_infinite_margins() {
    let plan = small_plan(&["depth=1", "depth=1"], Kind::HeadToHead, 6);
    let text = report::text(&plan, &Standing::of(&plan, &play_all(&plan, 1)));
    assert!(text.contains("Elo +0.0") && !text.contains("inf"), "{text}");
}
