//! The loopback game server of the tests, to run by hand: two bots can play each other on one
//! machine. `cargo run --release --example ggs_server -- [PORT] [SECONDS BETWEEN FAULTS]`

#![allow(clippy::unwrap_used, dead_code, reason = "shared with the tests")]

#[path = "../tests/ggs/server/mod.rs"]
mod server;

use std::time::Duration;

use server::{Faults, Server};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let port = arguments.next().map_or(5000, |text| text.parse().expect("a port"));
    let every = arguments.next().map_or(0.0, |text| text.parse().expect("seconds"));
    let trouble = every > 0.0;
    let faults = Faults {
        every: Duration::from_secs_f64(every),
        split: trouble,
        lag: Duration::ZERO,
        cuts: trouble,
        restarts: trouble,
    };
    let server = Server::start(port, 1, faults);
    println!("listening on {}; any login and password will do", server.address);
    let mut told = 0;
    loop {
        server.wait(Duration::from_secs(3600), |state| state.ended.len() > told);
        for ended in &server.state().ended[told..] {
            println!("{ended:?}");
            told += 1;
        }
    }
}
