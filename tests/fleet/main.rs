//! Work on many machines against a real `nats-server -js` on loopback.
//!
//! All of these are marked as ignored because they need that server (Debian package `nats-server`);
//! `.ci/run` installs it and runs those named `with_nats_server`. The long ones are named
//! `chaos_…`, `overhead_…` and `a_million_…`; run them by name.
#![cfg(all(unix, feature = "fleet"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod broker;
mod chaos;
mod cost;
mod engines;
mod hostile;
mod kinds;
mod processes;
mod scaling;
mod security;
mod view;
