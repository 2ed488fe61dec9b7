//! The server over TCP on the loopback interface.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A listening server and its address.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_kitai"))
            .args(["--listen", "0", "--set", "depth=1", "--set", "hash=1"])
            .args(arguments)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().rsplit(' ').next().unwrap().to_owned();
        assert!(address.starts_with("127.0.0.1:"), "{line}");
        Server { child, address }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.address).unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn talk(stream: &mut TcpStream, text: &str) -> String {
    stream.write_all(text.as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    reply
}

#[test]
fn clients_have_games_of_their_own_and_any_protocol() {
    let server = Server::start(&[]);
    let (mut first, mut second) = (server.connect(), server.connect());
    first.write_all(b"play b f5\n").unwrap();
    assert_eq!(talk(&mut second, "nboard 2\nping 7\n"), "set myname Kitai\nstatus\npong 7\n");
    assert_eq!(talk(&mut first, "play b f5\nplay w d6\n"), "=\n\n? illegal move\n\n=\n\n");
}

#[test]
fn a_client_too_many_is_turned_away_and_files_are_not_read() {
    let server = Server::start(&["--connections", "1"]);
    let mut first = server.connect();
    first.write_all(b"name\n").unwrap();
    let mut reply = [0; 9];
    first.read_exact(&mut reply).unwrap();
    assert_eq!(&reply, b"= Kitai\n\n");
    let mut turned_away = String::new();
    assert_eq!(server.connect().read_to_string(&mut turned_away).unwrap_or(0), 0);
    let refused = talk(&mut first, "loadsgf /etc/passwd\n");
    assert_eq!(refused, "? cannot load file: no files over the network\n\n");
}
