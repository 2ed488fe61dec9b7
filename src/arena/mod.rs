//! Engine against engine: matches and tournaments whose results can be trusted.
//!
//! A [`Plan`] fixes every game in advance from a seed. The [`runner`] plays the games on several
//! workers; in each the [`referee`] keeps board and clock and ends the game with a recorded reason
//! when a [`Contestant`] fails. Finished games go to the [`log`], which is also the way to resume, and
//! [`standing`] sums them up with the arithmetic of [`crate::statistics`]; [`conduct`] does it all.
//!
//! | part | what it is for |
//! |---|---|
//! | [`spec`] | how people name players |
//! | [`builtin`], [`gtp`], [`nboard`], [`process`], [`engine_log`] | Kitai's own methods and other engines as players |
//! | [`openings`], [`plan`], [`terms`], [`tournament`] | what is played |
//! | [`clock`], [`referee`], [`adjudicate`], [`opinions`] | how a game goes |
//! | [`job`] | games for another machine |
//! | [`runner`], [`log`], [`logged`], [`archive`], [`conduct`] | how a match goes and is kept |
//! | [`live`], [`follow`], [`replay`] | how others watch it and see its games again |
//! | [`standing`], [`report`] | what it says |

pub mod adjudicate;
pub mod archive;
pub mod builtin;
pub mod clock;
pub mod conduct;
#[cfg_attr(not(target_os = "linux"), path = "descendants_elsewhere.rs")]
mod descendants;
pub mod engine_log;
pub mod follow;
pub mod gtp;
pub mod job;
pub mod live;
pub mod log;
pub mod logged;
pub mod nboard;
pub mod openings;
pub mod opinions;
pub mod plan;
pub mod player;
pub mod process;
pub mod referee;
pub mod replay;
pub mod report;
pub mod runner;
pub mod spec;
pub mod standing;
pub mod terms;
pub mod tournament;

#[cfg(test)]
#[cfg(target_os = "linux")]
mod misbehaving_engines;
#[cfg(test)]
mod tests;

pub use log::Log;
pub use logged::LoggedGame;
pub use openings::{Opening, OpeningError, OpeningSource};
pub use plan::{Kind, Plan};
pub use player::{Contestant, Fault, FaultKind};
pub use referee::{Ending, Rules};
pub use spec::{PlayerSpec, SpecError};
pub use standing::Standing;
