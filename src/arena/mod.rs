//! Engine against engine: matches and tournaments whose results can be trusted.
//!
//! A [`Plan`] fixes every game in advance from a seed. The [`runner`] plays the games on several
//! workers; in each the [`referee`] keeps board and clock and ends the game with a recorded reason
//! when a [`Player`] fails. Finished games go to the [`log`], which is also the way to resume, and
//! [`standing`] sums them up with the arithmetic of [`stats`].
//!
//! | part | what it is for |
//! |---|---|
//! | [`spec`] | how people name players |
//! | [`builtin`] | Kitai's own methods as players |
//! | [`openings`], [`plan`] | what is played |
//! | [`clock`], [`referee`], [`adjudicate`] | how a game goes |
//! | [`runner`], [`log`], [`record`] | how a match goes |
//! | [`standing`], [`stats`], [`report`] | what it says |

pub mod adjudicate;
pub mod builtin;
pub mod clock;
pub mod log;
pub mod openings;
pub mod plan;
pub mod player;
pub mod record;
pub mod referee;
pub mod report;
pub mod runner;
pub mod spec;
pub mod standing;
pub mod stats;

#[cfg(test)]
mod tests;

pub use log::{Log, LogError};
pub use openings::{Opening, OpeningError, OpeningSource};
pub use plan::{Kind, Plan};
pub use player::{Fault, FaultKind, Player};
pub use record::GameRecord;
pub use referee::{Ending, Rules};
pub use spec::{PlayerSpec, SpecError};
pub use standing::Standing;
