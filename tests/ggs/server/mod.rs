//! A small game server for one machine, true to the reference server in everything a client sees:
//! login, prompts, messages, requests, matches, synchro, komi, trust, questions, stored and tournament
//! games.
//! It also makes trouble on request: see [`Faults`].

mod matches;
pub(crate) mod play;
mod requests;
pub(crate) mod service;
pub(crate) mod text;
mod trouble;

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use kitai::random::{Random, seeded};
use rand::Rng;

use service::State;

/// What trouble to make.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    /// Something happens about this often; never if zero.
    pub every: Duration,
    /// Bytes arrive in pieces of any size.
    pub split: bool,
    /// The way to the client and back, both together.
    pub lag: Duration,
    /// Connections are cut.
    pub cuts: bool,
    /// The service goes down and comes back.
    pub restarts: bool,
}

/// A server that runs until the process ends.
#[derive(Clone)]
pub(crate) struct Server {
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    faults: Faults,
}

impl Server {
    /// Listens on a port of this machine; 0 for any.
    pub(crate) fn start(port: u16, seed: u64, faults: Faults) -> Server {
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        let address = listener.local_addr().unwrap();
        let state = Mutex::new(State::new(seed));
        let shared = Arc::new(Shared { state, changed: Condvar::new(), faults });
        let server = Server { address, shared };
        let accepting = server.clone();
        std::thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let server = accepting.clone();
                std::thread::spawn(move || server.serve(stream, seed ^ number as u64));
            }
        });
        let ticking = server.clone();
        std::thread::spawn(move || ticking.tick(seed));
        server
    }

    /// The state, for a look or a change.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap()
    }

    /// Waits until the state is as wanted; false if it is not within the time.
    pub(crate) fn wait(&self, time: Duration, mut wanted: impl FnMut(&State) -> bool) -> bool {
        let until = Instant::now() + time;
        let mut state = self.state();
        while !wanted(&state) {
            let Some(left) = until.checked_duration_since(Instant::now()) else { return false };
            state = self.shared.changed.wait_timeout(state, left).unwrap().0;
        }
        true
    }

    /// Flags fall and faults happen.
    fn tick(&self, seed: u64) {
        let mut random = seeded(seed ^ 0xfa17);
        let mut next = Instant::now() + self.shared.faults.every;
        loop {
            std::thread::sleep(Duration::from_millis(50));
            let mut state = self.state();
            state.notice_pause(Instant::now());
            state.flags(Instant::now());
            if !self.shared.faults.every.is_zero() && Instant::now() >= next {
                next += self.shared.faults.every.mul_f64(random.random_range(0.5..1.5));
                let faults = self.shared.faults;
                state.trouble(&mut random, faults);
            }
            drop(state);
            self.shared.changed.notify_all();
        }
    }

    fn serve(&self, stream: TcpStream, seed: u64) {
        let Faults { split, lag, .. } = self.shared.faults;
        let _ = stream.set_nodelay(true);
        let (out, coming) = channel::<(Instant, Vec<u8>)>();
        let writer = stream.try_clone().unwrap();
        let random = seeded(seed);
        std::thread::spawn(move || write(&writer, &coming, random, split, lag / 2));
        let send = Outgoing(out, Arc::new(stream.try_clone().unwrap()));
        let mut lines = BufReader::new(stream).lines();
        send.text("\r\nWelcome to the loopback server.\r\n\r\n");
        let Some(login) = self.log_in(&send, &mut lines) else { return };
        let (arrived, coming) = channel::<(Instant, String)>();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if arrived.send((Instant::now(), line)).is_err() {
                    return;
                }
            }
        });
        for (at, line) in coming {
            if let Some(early) = (at + lag / 2).checked_duration_since(Instant::now()) {
                std::thread::sleep(early);
            }
            let mut state = self.state();
            if !state.is_connection(&login, &send) {
                return;
            }
            state.notice_pause(Instant::now());
            state.command(&login, line.trim_end_matches('\r'));
            drop(state);
            self.shared.changed.notify_all();
        }
        let mut state = self.state();
        if state.is_connection(&login, &send) {
            state.leave(&login);
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    fn log_in(
        &self,
        send: &Outgoing,
        lines: &mut impl Iterator<Item = std::io::Result<String>>,
    ) -> Option<String> {
        loop {
            send.text(": Enter login (yours, or one you'd like to use).\r\n");
            let login = lines.next()?.ok()?.trim().to_owned();
            if !(2..=8).contains(&login.len()) || login.starts_with(['.', '_']) {
                send.text(": ERR Login (2-8 chars) can not start with . or _\r\n");
                continue;
            }
            send.text(": Enter your password.\r\n");
            let password = lines.next()?.ok()?;
            let mut state = self.state();
            if !state.enter(&login, password.trim(), send.clone()) {
                send.text(": ERR Password is incorrect.\r\n");
                continue;
            }
            drop(state);
            self.shared.changed.notify_all();
            return Some(login);
        }
    }
}

/// The way to a client.
#[derive(Clone)]
pub(crate) struct Outgoing(Sender<(Instant, Vec<u8>)>, Arc<TcpStream>);

impl Outgoing {
    pub(crate) fn text(&self, text: &str) {
        let _ = self.0.send((Instant::now(), text.as_bytes().to_vec()));
    }

    pub(crate) fn cut(&self) {
        let _ = self.1.shutdown(Shutdown::Both);
    }

    pub(crate) fn is_same(&self, other: &Outgoing) -> bool {
        Arc::ptr_eq(&self.1, &other.1)
    }
}

/// Writes what comes, late and in pieces if that is wanted.
fn write(
    mut stream: &TcpStream,
    coming: &Receiver<(Instant, Vec<u8>)>,
    mut random: Random,
    split: bool,
    lag: Duration,
) {
    for (at, bytes) in coming {
        if let Some(early) = (at + lag).checked_duration_since(Instant::now()) {
            std::thread::sleep(early);
        }
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            let most = if split && random.random_bool(0.2) { 40 } else { rest.len() };
            let size = random.random_range(1..=rest.len().min(most));
            let (part, after) = rest.split_at(if split { size } else { rest.len() });
            if stream.write_all(part).is_err() {
                return;
            }
            rest = after;
        }
    }
    let _ = stream.shutdown(Shutdown::Both);
}
