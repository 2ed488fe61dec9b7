//! Shared search (Iida and Kotani 1992): a good move found in one position is a candidate in another
//! where it is legal.
//!
//! Killer moves and transposition tables rest on the identity of positions; sharing rests on the
//! identity of moves ([`crate::game::MoveIdentity`]) at different depths of one line. Read in this
//! order:
//!
//! - [`order`]: moves by a short search; [`quiet`]: whether a position is settled;
//! - [`candidates`]: which few moves to look at, by ordering (`standard`) or by moves found further
//!   down the line (`down`);
//! - [`pruned`]: the search that looks at those only;
//! - [`correction`]: the move found at the end of the expected line, tried at the root;
//! - [`method`]: options in, lines out.

pub mod candidates;
pub mod correction;
mod method;
pub mod order;
pub mod pruned;
pub mod quiet;

pub(super) use method::METHODS;
