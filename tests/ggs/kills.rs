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
