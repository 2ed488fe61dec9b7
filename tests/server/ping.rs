//! Pings while a search runs: every one answered, in order, and nothing old after it.

use super::client::Client;

#[test]
fn a_thousand_pings_during_searches_are_answered_in_order() {
    let mut client = Client::kitai(["nboard", "--set", "threads=2", "--set", "hash=4"]);
    client.send("nboard 2");
    client.send("set depth 40");
    for number in 1..=1000 {
        client.send("hint 2");
        // The search is known to run when it has reported.
        client.line_starting("search ");
        client.send(&format!("ping {number}"));
        loop {
            let line = client.line().expect("a pong");
            if let Some(pong) = line.strip_prefix("pong ") {
                assert_eq!(pong, number.to_string());
                break;
            }
        }
    }
    client.send("ping 1001");
    assert_eq!(client.line().as_deref(), Some("pong 1001"), "nothing may follow the last pong");
    client.send("quit");
    assert_eq!(client.wait().code(), Some(0));
}

#[test]
fn an_abandoned_go_never_answers_after_the_pong() {
    let mut client = Client::kitai(["nboard", "--set", "book=none", "--set", "hash=4"]);
    client.send("set depth 3");
    for number in 0..200 {
        // Both orders happen: the move before the ping was read, or never.
        client.send(&format!("go\nping {number}\nset contempt 0\nping {}", 1_000_000 + number));
        client.line_starting(&format!("pong {number}"));
        assert_eq!(client.line(), Some(format!("pong {}", 1_000_000 + number)));
    }
}
