//! The server over TCP on the loopback interface.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStderr, Command, Stdio};

/// A listening server and its address.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(arguments: &[&str]) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kitai"));
        command.args(["--listen", "0", "--set", "depth=1", "--set", "hash=1"]).args(arguments);
        Server::run(command).0
    }

    /// Runs a command that listens; also what it says on standard error after that.
    fn run(mut command: Command) -> (Server, BufReader<ChildStderr>) {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        errors.read_line(&mut line).unwrap();
        let address = line.trim().rsplit(' ').next().unwrap().replace("0.0.0.0", "127.0.0.1");
        assert!(address.starts_with("127.0.0.1:"), "{line}");
        (Server { child, address }, errors)
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
fn a_client_too_many_is_told_so_and_files_are_not_read() {
    let server = Server::start(&["--connections", "1"]);
    let mut first = server.connect();
    first.write_all(b"name\n").unwrap();
    let mut reply = [0; 9];
    first.read_exact(&mut reply).unwrap();
    assert_eq!(&reply, b"= Kitai\n\n");
    let told = talk(&mut server.connect(), "name\n");
    assert_eq!(told, "? busy: 1 clients are being served, try again later\n\n");
    let refused = talk(&mut first, "loadsgf /etc/passwd\n");
    assert_eq!(refused, "? cannot load file: no files over the network\n\n");
}

#[test]
fn strangers_who_say_nothing_keep_nobody_out() {
    let server = Server::start(&["--connections", "1"]);
    let _silent: Vec<TcpStream> = (0..20).map(|_| server.connect()).collect();
    assert_eq!(talk(&mut server.connect(), "name\n"), "= Kitai\n\n");
}

#[test]
fn no_option_over_the_network_names_a_file() {
    let server = Server::start(&[]);
    let asked = "kitai-set method expectation\nkitai-set sigma-table /etc/passwd\n\
                 kitai-set weights /etc/passwd\nkitai-set zebra-coeffs /etc/passwd\ngenmove b\n";
    let told = talk(&mut server.connect(), asked);
    assert_eq!(told.matches("names a file, which clients on the network may not").count(), 3);
    assert!(!told.contains("root"), "{told}");
    let told = talk(&mut server.connect(), "nboard 2\nset option weights /etc/passwd\nping 1\n");
    assert!(told.contains("status option `weights`: names a file"), "{told}");
}

#[test]
fn a_request_of_a_web_page_is_not_taken_for_commands() {
    let server = Server::start(&[]);
    for method in ["POST / HTTP/1.1", "GET /genmove HTTP/1.0", "PUT /x"] {
        let request = format!("{method}\r\nHost: localhost\r\n\r\nname\ngenmove b\n");
        let mut stream = server.connect();
        stream.write_all(request.as_bytes()).unwrap();
        let mut reply = Vec::new();
        // The connection may be reset: nobody read the rest.
        let _ = stream.read_to_end(&mut reply);
        assert_eq!(reply, b"", "{method}");
    }
    assert_eq!(talk(&mut server.connect(), "name\n"), "= Kitai\n\n");
}

#[test]
fn one_client_wanting_too_much_is_refused_and_nobody_else_notices() {
    let server = Server::start(&["--max-memory", "64", "--max-threads", "10"]);
    let mut other = server.connect();
    other.write_all(b"name\n").unwrap();
    let mut greedy = server.connect();
    let told = talk(
        &mut greedy,
        "kitai-set hash 65536\ngenmove b\nkitai-set threads 200\nkitai-set hash 32\ngenmove w\n",
    );
    let replies: Vec<&str> = told.split("\n\n").collect();
    assert!(replies[0].starts_with("? option `hash`: 65535 MiB more"), "{told}");
    assert!(replies[1].starts_with("= "), "{told}");
    assert!(replies[2].starts_with("? option `threads`: 199 more"), "{told}");
    assert_eq!(replies[3], "=", "{told}");
    assert!(replies[4].starts_with("= "), "{told}");
    assert_eq!(talk(&mut other, "version\n").matches('=').count(), 2);
}

#[test]
fn other_machines_need_the_token_first() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kitai"));
    command.args(["gtp", "--listen", "0.0.0.0:0", "--set", "hash=1"]).env_remove("KITAI_TOKEN");
    let refused = command.output().unwrap();
    assert!(!refused.status.success());
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(text.contains("a token is needed"), "{text}");

    command.args(["--token", "secret"]);
    let (server, mut errors) = Server::run(command);
    let mut warning = String::new();
    errors.read_line(&mut warning).unwrap();
    assert!(warning.contains("warning: other machines can connect"), "{warning}");
    let refusal = "? the first line must be: kitai-token TOKEN\n\n";
    for wrong in ["name\n", "kitai-token guess\nname\n"] {
        let mut stream = server.connect();
        stream.write_all(wrong.as_bytes()).unwrap();
        let mut reply = vec![0; refusal.len()];
        stream.read_exact(&mut reply).unwrap();
        assert_eq!(String::from_utf8(reply).unwrap(), refusal);
        assert_eq!(stream.read(&mut [0; 8]).unwrap_or(0), 0, "and nothing else");
    }
    assert_eq!(talk(&mut server.connect(), "kitai-token secret\nname\n"), "= Kitai\n\n");
}

#[test]
fn out_of_descriptors_the_server_waits_instead_of_shouting() {
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -n 24; exec \"$0\" gtp --listen 0 --connections 100 --set hash=1"]);
    shell.arg(env!("CARGO_BIN_EXE_kitai")).env("KITAI_LOG", "warn");
    let (mut server, mut errors) = Server::run(shell);
    let crowd: Vec<TcpStream> = (0..40).map(|_| server.connect()).collect();
    // One failed accept is known to have happened; then those who leave make room again.
    let mut complaint = String::new();
    errors.read_line(&mut complaint).unwrap();
    assert!(complaint.contains("a connection failed"), "{complaint}");
    drop(crowd);
    // Whoever comes while the crowd is still on its way out is told so.
    let mut replies = (0..1000).map(|_| talk(&mut server.connect(), "name\n"));
    let served = replies.find(|reply| !reply.starts_with("? busy: Too many open files"));
    assert_eq!(served.as_deref(), Some("= Kitai\n\n"));
    server.child.kill().unwrap();
    let mut rest = String::new();
    errors.read_to_string(&mut rest).unwrap();
    let complaints = rest.matches("a connection failed").count();
    assert!(complaints < 50, "{complaints} complaints");
}

#[test]
fn what_clients_have_learnt_is_kept_or_they_are_told() {
    let folder = std::env::temp_dir().join(format!("kitai-tcp-learn-{}", std::process::id()));
    let server = Server::start(&["--learn", folder.to_str().unwrap()]);
    let told = talk(&mut server.connect(), "nboard 2\nmove F5\nlearn\nlearn\n");
    assert_eq!(told.matches("learned\n").count(), 2, "{told}");
    assert_eq!(std::fs::read_to_string(&folder).unwrap().lines().count(), 2);
    std::fs::remove_file(&folder).unwrap();
    let server = Server::start(&["--learn", "/dev/full"]);
    let told = talk(&mut server.connect(), "nboard 2\nmove F5\nlearn\n");
    assert!(told.contains("status not learned: ") && !told.contains("\nlearned"), "{told}");
}

#[test]
fn a_silent_client_is_disconnected() {
    let server = Server::start(&["--idle", "1"]);
    let mut silent = server.connect();
    silent.write_all(b"name\n").unwrap();
    let mut said = String::new();
    silent.read_to_string(&mut said).unwrap();
    assert_eq!(said, "= Kitai\n\n");
}

#[test]
fn a_client_that_never_reads_its_replies_is_disconnected() {
    let server = Server::start(&["--idle", "1", "--connections", "1"]);
    let mut deaf = server.connect();
    deaf.set_nonblocking(true).unwrap();
    // Replies are forty times as long: when no more commands go out, they have long piled up.
    let commands = "list_commands\n".repeat(1000);
    while deaf.write(commands.as_bytes()).is_ok() {}
    // Each look is a conversation of its own; a place that is never given back would be waited for
    // without end.
    while talk(&mut server.connect(), "name\n") != "= Kitai\n\n" {}
}

/// Threads of a process.
#[cfg(target_os = "linux")]
fn threads(server: &Server) -> usize {
    std::fs::read_dir(format!("/proc/{}/task", server.child.id())).unwrap().count()
}

#[test]
#[cfg(target_os = "linux")]
fn the_threads_of_clients_that_left_end() {
    let server = Server::start(&["--idle", "1", "--set", "depth=0", "--set", "threads=2"]);
    for _ in 0..5 {
        let mut leaving = server.connect();
        leaving.write_all(b"kitai-set move-time 86400000\ngenmove b\n").unwrap();
        let mut reply = [0; 3];
        leaving.read_exact(&mut reply).unwrap();
        assert_eq!(&reply, b"=\n\n");
    }
    // Each look is a conversation of its own, so this does not turn idly; a thread that stays would
    // be waited for without end.
    let alone = || talk(&mut server.connect(), "name\n").contains("Kitai") && threads(&server) <= 4;
    while !alone() {}
}
