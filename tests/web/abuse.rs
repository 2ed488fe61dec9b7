//! Malformed requests and messages by the thousand: nothing falls over.

use rand::Rng;
use rand::seq::IndexedRandom;

use super::server::Server;
use kitai::random::seeded;

const QUESTIONS: [&str; 8] = [
    r#"{"do":"move","id":1,"game":"f5d6","preset":"level-1","set":{"seed":"4"}}"#,
    r#"{"do":"analyze","id":2,"game":"f5","lines":64,"set":{"method":"mcts"}}"#,
    r#"{"do":"review","id":3,"game":"f5d6c3","from":0}"#,
    r#"{"do":"compare","id":4,"column":1,"game":"","set":{"method":"expectation","depth":"2"}}"#,
    r#"{"do":"stop","what":"all"}"#,
    r#"{"do":"write","id":5,"format":"sgf","game":{"game":"f5","black":"a","evals":[1.5]}}"#,
    r#"{"do":"book","id":6,"game":"f5d6"}"#,
    r#"{"do":"watched","id":7,"number":99999999999}"#,
];

const REQUESTS: [&str; 5] = [
    "GET / HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n",
    "POST /read?name=x.ggf HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nContent-Length: 9\r\n\r\n(;GM[Othe",
    "GET /live HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\u{1}\u{2}",
    "GET /page/main.js HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nAccept-Encoding: gzip\r\n\r\n",
    "PUT /%ff/../%00 HTTP/9.9\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\n\r\nfffffffff\r\n",
];

/// A text with some bytes changed, lost, doubled or moved.
fn mutated(text: &str, rng: &mut impl Rng) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..rng.random_range(0..6) {
        let at = rng.random_range(0..bytes.len().max(1));
        match rng.random_range(0..5) {
            0 if at < bytes.len() => bytes[at] = rng.random(),
            1 if at < bytes.len() => drop(bytes.remove(at)),
            2 => bytes.insert(at.min(bytes.len()), *br#"{}[]":,0-9eE\"#.choose(rng).unwrap()),
            3 => bytes.truncate(at),
            _ => {
                let end = rng.random_range(at..=bytes.len().max(at));
                let part = bytes.get(at..end).unwrap_or_default().to_vec();
                bytes.extend(part);
            }
        }
    }
    bytes
}

fn torment(messages: usize, requests: usize) {
    let server = Server::start(&["--tabs", "4"]);
    let mut rng = seeded(23);
    let mut page = server.page();
    page.hear_of("hello");
    for number in 0..messages {
        let text = mutated(QUESTIONS.choose(&mut rng).unwrap(), &mut rng);
        page.tell(&String::from_utf8_lossy(&text));
        // Now and then everything that was said is heard, so that nobody waits for us.
        if number % 50 == 49 {
            page.tell(r#"{"do":"stop","what":"all"}"#);
            page.tell(&format!(r#"{{"do":"ping","id":{number}}}"#));
            while page.hear_of("pong")["id"] != number {}
        }
    }
    let host = server.address.to_string();
    for _ in 0..requests {
        let text = REQUESTS.choose(&mut rng).unwrap().replace("HOST", &host);
        server.raw(&mutated(&text, &mut rng));
    }
    page.tell(r#"{"do":"move","id":12,"game":"f5","preset":"level-1"}"#);
    while page.hear_of("done")["id"] != 12 {}
    assert_eq!(server.status("GET /", &[], b""), 200);
}

#[test]
fn malformed_messages_and_requests_change_nothing() {
    torment(1_500, 300);
}

/// The whole number that is promised; some minutes.
#[test]
#[ignore = "a hundred thousand messages and requests take minutes"]
fn a_hundred_thousand_malformed_messages_and_requests_change_nothing() {
    torment(80_000, 20_000);
}
