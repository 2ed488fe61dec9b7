//! Kitai (期待, "expectation"): an Othello engine server whose search idea is an option.
//!
//! The plan of the house, in the order the data walks through it; dependencies point down only:
//!
//! | room | what it is for |
//! |---|---|
//! | [`cli`] | one file per subcommand |
//! | [`lab`] | the papers' experiments, ours beside theirs |
//! | [`arena`] | engine against engine: referee, matches, tournaments |
//! | [`server`] | standard streams and TCP: lines in, replies out |
//! | [`protocol`] | NBoard and GTP: grammar, session, writer |
//! | [`training`] | how the evaluation learns: scored positions, self-play, the fit |
//! | [`engine`] | a game, its clocks, and the thread that thinks about it |
//! | [`config`] | presets: option values by name |
//! | [`search`] | the methods, behind one trait; limits, events, registry |
//! | [`eval`] | what a position is worth |
//! | [`record`] | boards, games and the formats they are kept in |
//! | [`game`] | the small trait the research searches are generic over |
//! | [`options`] | the one registry of engine options |
//! | [`score`] | discs from the mover's view, the scale shown to people |
//! | [`statistics`] | one Φ, one class of moments, intervals and tests |
//! | [`plot`] | one way to draw a chart |
//! | [`othello`] | the rules |
//! | [`random`] | the one seeded source of randomness |

pub mod arena;
pub mod cli;
pub mod config;
pub mod engine;
pub mod eval;
pub mod game;
pub mod lab;
mod memory;
pub mod options;
pub mod othello;
pub mod plot;
pub mod protocol;
pub mod random;
pub mod record;
pub mod score;
pub mod search;
pub mod server;
pub mod statistics;
pub mod training;

#[cfg(test)]
mod testdata;
