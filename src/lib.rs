//! Kitai (期待, "expectation"): an Othello engine server whose search idea is an option.
//!
//! The plan of the house, in the order the data walks through it; dependencies point down only:
//!
//! | room | what it is for |
//! |---|---|
//! | [`cli`] | one file per subcommand |
//! | [`lab`] | the papers' experiments, ours beside theirs |
//! | [`arena`] | engine against engine: referee, matches, tournaments |
//! | [`server`] | standard streams, TCP in and out: carries out what sessions want |
//! | [`protocol`] | NBoard and GTP: grammar, session (inputs to actions), writer |
//! | [`training`] | how the evaluation learns: scored positions, self-play, the fit |
//! | [`engine`] | games, their clocks and limits, and the threads that think about them |
//! | [`config`] | presets: option values by name |
//! | [`search`] | the methods, behind one trait; limits, events, registry |
//! | [`eval`] | what a position is worth |
//! | [`record`] | boards, games and the formats they are kept in |
//! | [`game`] | the small trait the research searches are generic over |
//! | [`options`] | the one registry of engine options |
//! | [`score`] | discs from the mover's view, the scale shown to people |
//! | [`statistics`] | one Φ, one class of moments, intervals and tests |
//! | [`plot`] | one way to draw a chart |
//! | [`files`] | regular files of bounded size, read whole |
//! | [`othello`] | the rules |
//! | [`random`] | the one seeded source of randomness |

pub mod arena;
pub mod cli;
pub mod config;
pub mod engine;
pub mod eval;
pub mod files;
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
mod text;
pub mod training;

#[cfg(test)]
mod testdata;
