//! `kitai web` from outside: plain requests, and a real browser.
//!
//! Tests whose names end in `in_a_browser` are ignored: they need Chromium, which `.ci/run` installs
//! where it can be had. `screenshots_of_every_place_in_a_browser` leaves its pictures in
//! `target/screenshots`.

#![cfg(feature = "web")]
#![allow(clippy::unwrap_used)]

mod abuse;
mod access;
mod browser;
mod compare;
mod limits;
mod places;
mod requests;
mod server;
