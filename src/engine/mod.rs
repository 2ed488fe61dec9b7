//! The one object every protocol talks to.

pub mod clock;

pub use clock::{Clock, Overtime};
