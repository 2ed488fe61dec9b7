//! Shared search (Iida and Kotani 1992): a good move found in one position is a candidate in another
//! where it is legal.
//!
//! Killer moves and transposition tables rest on the identity of positions; sharing rests on the
//! identity of moves ([`crate::game::MoveIdentity`]) at different depths of one line. Read in this
//! order:
//!
//! - [`candidates`]: which few moves to look at, by ordering (`standard`) or by moves found further
//!   down the line (`down`).

pub mod candidates;
