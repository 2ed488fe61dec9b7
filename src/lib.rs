//! Kitai (期待, "expectation"): an Othello engine server whose search idea is an option.
//!
//! The plan of the house, in the order the data walks through it; dependencies point down only:
//!
//! | room | what it is for |
//! |---|---|
//! | [`cli`] | one file per subcommand: flags to a request, the result to print |
//! | [`launch`] | names the build, hands over to a faster build of Kitai where there is one |
//! | `web` | the board in the browser: pages, their engines, the embedded scripts (feature `web`) |
//! | `fleet` | jobs for many machines over NATS JetStream |
//! | [`lab`] | the papers' experiments, ours beside theirs |
//! | [`arena`] | engine against engine: referee, matches, tournaments |
//! | [`server`] | standard streams, TCP in and out: carries out what sessions want |
//! | [`protocol`] | NBoard, GTP and GGS: grammar, session (inputs to actions), writer |
//! | [`training`] | how the evaluation learns: scored positions, self-play, the fit, calibration |
//! | [`config`] | presets: option values by name |
//! | [`engine`] | games, their clocks and limits, the threads that think about them, all options |
//! | [`book`] | openings: their names, values and what games taught, safely on disk
//! | [`search`] | the methods, behind one trait; limits, events, registry |
//! | [`eval`] | what a position is worth; registry |
//! | [`game`] | the small trait the research searches are generic over |
//! | [`page`] | the board in a web page: what reports and `web` draw with |
//! | [`record`] | boards, games and the formats they are kept in |
//! | [`score`] | discs from the mover's view, the scale shown to people |
//! | [`statistics`] | one Φ, one class of moments, intervals and tests |
//! | [`plot`] | one way to draw a chart |
//! | [`othello`] | the rules |
//! | [`random`] | the one seeded source of randomness |
//! | [`options`] | the mechanism of options: kinds, typed handles, what the network may set |
//! | [`files`] | regular files of bounded size, read whole |
//! | `memory` | large blocks, asked for without ending the process |
//! | `text` | values that travel as the text they print; counted things |
//!
//! A position, a search and a score:
//!
//! ```
//! use kitai::options::Options;
//! use kitai::record::transcript;
//! use kitai::search::{self, Limits, Request, StopFlag};
//!
//! let game = transcript::parse("f5d6c3d3c4")?;
//! let mut options = Options::new();
//! options.set("method", "minimax")?;
//! let request = Request::new(game.board().position, Limits::depth(6));
//! let outcome = search::build(&options)?.search(&request, &StopFlag::new(), &mut |_| {});
//! let best = outcome.best_move().expect("the game is not over");
//! println!("{best} {} for the side to move", outcome.score());
//! assert!(game.board().position.children().any(|(legal, _)| legal == best));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod arena;
pub mod book;
pub mod cli;
pub mod config;
pub mod engine;
pub mod eval;
pub mod files;
#[cfg(feature = "fleet")]
pub mod fleet;
pub mod game;
pub mod lab;
pub mod launch;
mod memory;
pub mod options;
pub mod othello;
pub mod page;
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
#[cfg(feature = "web")]
pub mod web;

#[cfg(test)]
mod testdata;
