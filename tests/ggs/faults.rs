//! Two bots play each other while things go wrong: every game ends with the same result for both
//! and for the server, no wrong move is sent, nobody runs out of time.

use std::collections::BTreeMap;
use std::time::Duration;

use kitai::record::Margin;

use super::bots::{Bot, asking, waiting};
use super::server::{Faults, Server};

/// How a run is made.
struct Run {
    name: &'static str,
    games: usize,
    clock: &'static str,
    matches: u32,
    types: &'static str,
    engine: &'static str,
    faults: Faults,
    longest: Duration,
}

const TYPES: &str = "\"8\", \"s8\", \"8b\", \"s8r20\", \"8k\", \"s8\", \"s8r33\"";

fn play(run: &Run) {
    let server = Server::start(0, 17, run.faults);
    let asking = asking("bob", run.clock, run.matches, run.types, run.engine);
    let mut alice = Bot::new(run.name, &server, "alice", &asking);
    let mut bob = Bot::new(run.name, &server, "bob", &waiting(run.matches, run.engine));
    alice.start();
    bob.start();
    let mut memory = Vec::new();
    let step = run.games.div_ceil(10);
    for part in 1..=10 {
        let wanted = (part * step).min(run.games);
        let played = server.wait(run.longest / 10 * 3, |state| state.ended.len() >= wanted);
        memory.push([alice.memory(), bob.memory()]);
        let ended = server.state().ended.len();
        assert!(played, "{ended} of {wanted} games; {}", alice.text("out.log"));
    }
    // Games that are running or stored are finished before the bots leave.
    server.state().closing = true;
    let finished =
        server.wait(run.longest, |state| state.stored.is_empty() && state.matches.is_empty());
    let state = server.state();
    let left: Vec<u32> = state.stored.keys().chain(state.matches.keys()).copied().collect();
    drop(state);
    assert!(finished, "{left:?} are not finished; {}", alice.text("out.log"));
    for bot in [&mut alice, &mut bob] {
        let login = bot.login;
        for said in 0.. {
            if bot.has_ended() {
                break;
            }
            assert!(said < 600, "{login} does not leave");
            // It may be on its way back after a fault; then it has not heard this yet.
            if server.state().is_here(login) && said % 20 == 0 {
                server.state().message(login, "boss", &["quit after this game".to_owned()]);
            }
            server.wait(Duration::from_millis(100), |_| false);
        }
        assert!(bot.finish());
    }
    check(run, &server, &[alice, bob], &memory);
}

fn check(run: &Run, server: &Server, bots: &[Bot], memory: &[[u64; 2]]) {
    let state = server.state();
    println!(
        "{}: {} games, {} adjournments, {} logins, faults {:?}, memory {memory:?}, stood still {:.0?}",
        run.name,
        state.ended.len(),
        state.adjourned,
        state.logins,
        state.faults,
        state.paused
    );
    let mut kinds: BTreeMap<&str, u32> = BTreeMap::new();
    for ended in &state.ended {
        *kinds.entry(&ended.game_type).or_default() += 1;
    }
    println!("{kinds:?}; {} were left before the bids were in", state.unbid);
    let gone = state.unbid + state.aborted;
    assert_eq!(state.ended.len() as u32 + gone, state.begun, "a match is lost");
    assert!(state.timeouts.is_empty(), "{:?}", state.timeouts);
    assert!(state.wrong_moves.is_empty(), "{:?}", state.wrong_moves);
    assert!(state.unknown.is_empty(), "{:?}", state.unknown);
    let tells: Vec<&String> =
        state.tells.iter().filter(|line| !line.starts_with("tell boss")).collect();
    assert!(tells.is_empty(), "{tells:?}");
    let server_results: BTreeMap<u32, &super::server::service::Ended> =
        state.ended.iter().map(|ended| (ended.archive, ended)).collect();
    for bot in bots {
        bot.check_secrecy();
        let found = bot.found();
        let own: BTreeMap<u32, f64> =
            found.results().filter_map(|line| Some((line.archive?, line.result?))).collect();
        for (archive, result) in &own {
            let ended = server_results[archive];
            let sign = if ended.players[0] == bot.login { 1.0 } else { -1.0 };
            assert!((ended.result * sign - result).abs() < 0.006, "{ended:?} {result}");
        }
        // Also those that were told in the very moment the connection was cut.
        let missing: Vec<&u32> =
            server_results.keys().filter(|archive| !own.contains_key(archive)).collect();
        let unknown = found.results().filter(|line| line.ending == "unknown").count();
        let found_again = bot.text("out.log").matches("while we did not hear of it").count();
        println!(
            "{}: {} results, {} missing, {found_again} found again, {unknown} unknown",
            bot.login,
            own.len(),
            missing.len()
        );
        assert!(missing.is_empty(), "{}: {missing:?} are missing", bot.login);
        // Nobody stores a match that is left before the bids are in.
        assert!(unknown as u32 <= state.unbid, "{unknown} results are unknown");
        for game in bot.games() {
            if game.history.is_over() && game.komi.is_none() {
                let score = f64::from(game.history.board().final_score_for_black());
                let said = game.result.map(|result| result.margin);
                assert_eq!(said, Some(Margin::Discs(score)));
            }
        }
        assert!(!found.page().is_empty());
    }
    // The first tenth fills tables; after it memory stays.
    let (early, late) = (memory[memory.len() / 2], memory[memory.len() - 1]);
    for player in 0..2 {
        assert!(late[player] < early[player] * 3 / 2 + 50_000, "memory grows: {memory:?}");
    }
}

#[test]
fn games_end_rightly_while_everything_goes_wrong() {
    play(&Run {
        name: "short",
        games: 20,
        clock: "1:00//0:30",
        matches: 2,
        types: TYPES,
        engine: "depth = 2, hash = 1",
        faults: Faults {
            every: Duration::from_millis(700),
            split: true,
            cuts: true,
            restarts: true,
            ..Faults::default()
        },
        longest: Duration::from_secs(300),
    });
}

#[test]
#[ignore = "takes minutes: half of the 500 games, at a fixed depth"]
fn long_fixed_depth_games_with_faults() {
    play(&Run {
        name: "depth",
        games: 250,
        clock: "2:00//0:30",
        matches: 4,
        types: TYPES,
        engine: "depth = 4, hash = 1",
        faults: Faults {
            every: Duration::from_secs(2),
            split: true,
            cuts: true,
            restarts: true,
            ..Faults::default()
        },
        longest: Duration::from_secs(3600),
    });
}

#[test]
#[ignore = "takes many minutes: half of the 500 games, ten seconds a side and nothing but the clock"]
fn long_clock_games_with_faults_and_lag() {
    play(&Run {
        name: "clock",
        games: 250,
        clock: "0:10//0:30",
        matches: 8,
        types: TYPES,
        engine: "hash = 4, ponder = true, move-time = 0",
        faults: Faults {
            every: Duration::from_secs(3),
            split: true,
            lag: Duration::from_millis(300),
            cuts: true,
            restarts: true,
        },
        longest: Duration::from_secs(7200),
    });
}

#[test]
fn a_second_login_is_left_in_peace() {
    let server = Server::start(0, 3, Faults::default());
    let mut bob = Bot::new("kicked", &server, "bob", &waiting(1, "depth = 1, hash = 1"));
    bob.start();
    let minute = Duration::from_secs(60);
    // Until the bot knows it: cut off before, it would take that for a failed connection and try again.
    let knows = || bob.text("out.log").contains("logged in as bob");
    assert!(server.wait(minute, |state| state.is_here("bob") && knows()));
    // The same account from elsewhere: its connection stays open and is never kicked.
    let mut other = std::net::TcpStream::connect(server.address).unwrap();
    use std::io::{Read, Write};
    let mut buffer = [0; 1000];
    let _ = other.read(&mut buffer).unwrap();
    other.write_all(b"bob\n").unwrap();
    let _ = other.read(&mut buffer).unwrap();
    other.write_all(b"very-secret\n").unwrap();
    assert!(bob.finish());
    assert!(bob.text("out.log").contains("someone else has logged in as bob"));
    assert!(server.state().is_here("bob"));
}

#[test]
fn a_wrong_password_ends_the_bot_at_once() {
    let server = Server::start(0, 3, Faults::default());
    let mut first = Bot::new("password", &server, "bob", &waiting(1, "depth = 1, hash = 1"));
    {
        use std::io::{Read, Write};
        let mut other = std::net::TcpStream::connect(server.address).unwrap();
        let mut buffer = [0; 1000];
        let _ = other.read(&mut buffer).unwrap();
        other.write_all(b"bob\n").unwrap();
        let _ = other.read(&mut buffer).unwrap();
        other.write_all(b"another\n").unwrap();
        assert!(server.wait(Duration::from_secs(60), |state| state.is_here("bob")));
    }
    first.start();
    assert!(first.finish());
    assert!(first.text("out.log").contains("refuses login or password"));
}
