//! The bot on a game server: the real binary against the loopback server in [`server`], with
//! everything going wrong that can.
//!
//! The short forms run with every `cargo test`; the long ones are ignored tests named `long_…`.

#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod bots;
mod faults;
mod kills;
mod questions;
mod server;
