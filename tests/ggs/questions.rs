//! A person at a terminal asks the other player things: undo, abort, score, resignation,
//! adjournment.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::bots::{Bot, waiting};
use super::server::{Faults, Server};

/// Somebody with a telnet program.
struct Person {
    stream: TcpStream,
    lines: BufReader<TcpStream>,
}

impl Person {
    /// Logs in and wants text boards and one match.
    fn enter(server: &Server, login: &str) -> Person {
        let stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let lines = BufReader::new(stream.try_clone().unwrap());
        let mut person = Person { stream, lines };
        person.hear("Enter login");
        person.say(login);
        person.hear("Enter your password");
        person.say("something");
        person.hear("READY");
        for text in ["client -", "trust +", "open 1", "stored"] {
            person.say(&format!("tell /os {text}"));
        }
        person.hear("/os: stored 0");
        person
    }

    fn say(&mut self, line: &str) {
        self.stream.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Reads on to a line that holds the text, and gives it.
    fn hear(&mut self, text: &str) -> String {
        let mut before = String::new();
        loop {
            let mut line = String::new();
            let size = self.lines.read_line(&mut line).unwrap_or(0);
            assert!(size > 0, "`{text}` never came; {before}");
            if line.contains(text) {
                return line;
            }
            before += &line;
        }
    }
}

#[test]
fn the_server_knows_undo_score_resignation_and_adjournment() {
    let server = Server::start(0, 1, Faults::default());
    let mut alice = Person::enter(&server, "alice");
    let mut bob = Person::enter(&server, "bob");
    let begin = |alice: &mut Person, bob: &mut Person, kind: &str| {
        alice.say(&format!("tell /os ask {kind} 5:00 bob"));
        let request = bob.hear("/os: + ");
        let id = request.split_whitespace().nth(2).unwrap().to_owned();
        bob.say(&format!("tell /os accept {id}"));
        let line = alice.hear("+ match");
        bob.hear("+ match");
        line.split_whitespace().nth(3).unwrap().to_owned()
    };
    let id = begin(&mut alice, &mut bob, "8b");
    alice.say(&format!("tell /os undo {id}"));
    alice.hear("nothing to undo");
    alice.say(&format!("tell /os play {id} f5"));
    bob.hear("  1: f5");
    alice.say(&format!("tell /os undo {id}"));
    bob.hear("alice is asking");
    bob.say(&format!("tell /os undo {id}"));
    alice.hear("0 move(s)");
    bob.hear("0 move(s)");
    alice.say(&format!("tell /os score {id} 5.5"));
    bob.hear("alice is offering");
    bob.say(&format!("tell /os score {id} -6"));
    assert!(alice.hear("- match").contains("+5.75  .1"));
    bob.hear("- match");
    let id = begin(&mut alice, &mut bob, "s8");
    bob.say(&format!("tell /os undo {id}.0"));
    bob.hear("no undo in synchro games");
    bob.say(&format!("tell /os score {id}.0 2"));
    bob.hear("no score in synchro games");
    bob.say(&format!("tell /os resign {id}"));
    alice.hear("/os: end");
    alice.hear("/os: end");
    assert!(alice.hear("- match").contains("+64.00  .2"));
    bob.hear("- match");
    let id = begin(&mut alice, &mut bob, "8");
    bob.say(&format!("tell /os break {id}"));
    assert!(alice.hear("- match").contains("bob left .3"));
    assert_eq!(server.state().stored.len(), 1);
}

#[test]
fn the_bot_agrees_to_what_its_operator_allows() {
    let server = Server::start(0, 1, Faults::default());
    let settings = waiting(1, "depth = 2, hash = 1")
        .replace("undo = \"never\"", "undo = \"always\"\nabort = \"always\"");
    let mut kitai = Bot::new("questions", &server, "kitai", &settings);
    kitai.start();
    assert!(server.wait(Duration::from_secs(60), |state| state.is_here("kitai")));
    let mut alice = Person::enter(&server, "alice");
    let begin = |alice: &mut Person| loop {
        // The bot may not have said yet that it wants to play.
        alice.say("tell /os ask 8b 5:00 kitai");
        if !alice.hear("/os: ").contains("ERR") {
            let line = alice.hear("+ match");
            return line.split_whitespace().nth(3).unwrap().to_owned();
        }
    };
    let id = begin(&mut alice);
    alice.say(&format!("tell /os play {id} f5"));
    alice.hear("  1: f5");
    alice.hear("  2: ");
    alice.hear("* to move");
    alice.say(&format!("tell /os undo {id}"));
    alice.hear("alice is asking");
    alice.hear("1 move(s)");
    // It moves again, since its move was taken back.
    alice.hear("update");
    alice.hear("  2: ");
    alice.say(&format!("tell /os abort {id}"));
    assert!(alice.hear("- match").contains("aborted"));
    let id = begin(&mut alice);
    alice.say(&format!("tell /os play {id} f5"));
    alice.hear("  2: ");
    alice.say(&format!("tell /os resign {id}"));
    assert!(alice.hear("- match").contains("-64.00"));
    server.state().message("kitai", "boss", &["quit after this game".to_owned()]);
    assert!(kitai.finish());
    let results: Vec<(String, Option<f64>)> =
        kitai.found().results().map(|line| (line.ending.clone(), line.result)).collect();
    assert_eq!(results, [("aborted".to_owned(), None), ("played".to_owned(), Some(64.0))]);
    assert!(server.state().wrong_moves.is_empty(), "{:?}", server.state().wrong_moves);
}
