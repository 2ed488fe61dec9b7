//! `kill -9` during play: what is on disk is whole, and tournament games go on after a restart.

use std::time::Duration;

use kitai::protocol::ggs::words::GameType;
use kitai::record::{BareNumber, ClockSettings};
use rand::Rng;

use super::bots::{Bot, games, waiting};
use super::server::{Faults, Server};

fn kill_and_restart(name: &str, kills: usize) {
    let server = Server::start(0, 5, Faults { split: true, ..Faults::default() });
    let engine = "depth = 3, hash = 1";
    let mut alice = Bot::new(name, &server, "alice", &waiting(4, engine));
    let mut bob = Bot::new(name, &server, "bob", &waiting(4, engine));
    let minute = Duration::from_secs(120);
    let clock = ClockSettings::parse("5:00//2:00", BareNumber::Minutes).unwrap();
    alice.start();
    bob.start();
    assert!(server.wait(minute, |state| state.is_here("alice") && state.is_here("bob")));
    let mut random = kitai::random::seeded(9);
    let mut begun = 0;
    let mut replayed = 0;
    for _ in 0..kills {
        // A tournament game always runs when the bot is killed, after some moves.
        let is_running = !server.state().matches.is_empty();
        if !is_running {
            let kind = ["8", "s8", "s8r24"][begun % 3];
            let players = ["alice".to_owned(), "bob".to_owned()];
            let kind = GameType::parse(kind).unwrap();
            server.state().begin(players, kind, [clock, clock], 'T');
            begun += 1;
        }
        let count = |state: &super::server::service::State| -> usize {
            let games = state.matches.values().flat_map(|found| &found.games);
            games.map(|game| game.history.moves().len()).sum::<usize>() + 1000 * state.ended.len()
        };
        let before = count(&server.state());
        let more = random.random_range(2..20);
        assert!(
            server.wait(minute, |state| count(state) >= before + more || state.matches.is_empty()),
            "the game does not go on: {}",
            alice.text("out.log")
        );
        alice.kill();
        for entry in std::fs::read_dir(alice.records().join("unfinished")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "ggf") {
                let found = games(&path);
                assert!(!found.is_empty() && found.iter().all(|game| !game.black.name.is_empty()));
                replayed += found.iter().map(|game| game.history.moves().len()).sum::<usize>();
            }
        }
        games(&alice.records().join("games.ggf"));
        alice.start();
        assert!(server.wait(minute, |state| state.is_here("alice")));
    }
    assert!(server.wait(minute, |state| state.matches.is_empty()));
    let state = server.state();
    println!("{kills} kills, {} games, {replayed} moves replayed", state.ended.len());
    assert!(replayed > 0);
    assert_eq!(state.ended.len(), begun);
    assert!(state.timeouts.is_empty(), "{:?}", state.timeouts);
    assert!(state.wrong_moves.is_empty(), "{:?}", state.wrong_moves);
}

#[test]
fn records_are_whole_and_tournament_games_go_on_after_a_kill() {
    kill_and_restart("kill", 4);
}

#[test]
#[ignore = "twenty kills take a minute or two"]
fn long_twenty_kills() {
    kill_and_restart("kills", 20);
}

/// A bot is killed or loses its connection, and the match ends without it.
#[test]
fn results_that_were_not_heard_are_found_in_the_archive() {
    let server = Server::start(0, 5, Faults::default());
    let engine = "depth = 1, hash = 1";
    let mut alice = Bot::new("unheard", &server, "alice", &waiting(4, engine));
    let mut bob = Bot::new("unheard", &server, "bob", &waiting(4, engine));
    let minute = Duration::from_secs(120);
    let clock = ClockSettings::parse("5:00//2:00", BareNumber::Minutes).unwrap();
    let players = || ["alice".to_owned(), "bob".to_owned()];
    let here = |state: &super::server::service::State| {
        ["alice", "bob"].iter().all(|login| state.is_here(login))
    };
    alice.start();
    bob.start();
    assert!(server.wait(minute, here));
    // Cut in the moment of the end, of one game and of two at once.
    for kind in ["8", "s8r20"] {
        let kind = GameType::parse(kind).unwrap();
        let mut state = server.state();
        state.users.get_mut("alice").unwrap().cut_at_end = true;
        let ended = state.ended.len();
        state.begin(players(), kind, [clock, clock], 'R');
        drop(state);
        assert!(server.wait(minute, |state| state.ended.len() > ended && here(state)));
    }
    // Killed while a tournament game runs, which the other then resigns.
    let kind = GameType::parse("8").unwrap();
    let number = server.state().begin(players(), kind, [clock, clock], 'T');
    let moves = |state: &super::server::service::State| {
        state.matches[&number].games[0].history.moves().len()
    };
    assert!(server.wait(minute, |state| moves(state) >= 10));
    alice.kill();
    // Else the server tells the killed bot what the new one is to hear.
    assert!(server.wait(minute, |state| !state.is_here("alice")));
    server.state().resign(number, 1);
    alice.start();
    assert!(server.wait(minute, here));
    let ended = server.state().ended.clone();
    server.state().closing = true;
    for bot in [&mut alice, &mut bob] {
        server.state().message(bot.login, "boss", &["quit after this game".to_owned()]);
        assert!(bot.finish(), "{}", bot.text("out.log"));
        let found = bot.found();
        let results: Vec<(Option<u32>, Option<f64>)> =
            found.results().map(|line| (line.archive, line.result)).collect();
        let sign = if bot.login == "alice" { 1.0 } else { -1.0 };
        let told = ended.iter().map(|ended| (Some(ended.archive), Some(ended.result * sign)));
        assert_eq!(results, told.collect::<Vec<_>>(), "{}", bot.text("out.log"));
        // One game, two of the synchro match, and the resigned one, whole or as far as it went.
        assert_eq!(bot.games().len(), 4);
        assert_eq!(std::fs::read_dir(bot.records().join("unfinished")).unwrap().count(), 0);
    }
}
