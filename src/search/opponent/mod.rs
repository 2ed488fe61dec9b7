//! Opponents that are not perfect, and players who make use of that.
//!
//! Minimax expects the best reply. Whoever knows the opponent better can do better: Kajihara and Iida
//! set traps for players who see only a few plies, Iida and others' OM search follows the replies
//! that the opponent's own evaluation picks.
//!
//! Read in this order:
//!
//! - [`forced`]: who can force a win within so many plies; the only knowledge of these players;
//! - [`semi_random`]: P_d, who plays at random except for what it sees within d plies;
//! - [`speculative`]: X, who chooses by how likely the modelled P_d is to go wrong;
//! - [`schedule`]: when to speculate and when to play safe;
//! - [`learned`]: which schedule to use against an opponent, from earlier games;
//! - [`om`]: OM search and (D, d)-OM search with any model of the opponent's replies;
//! - [`estimate`]: who the opponent is, from its moves; [`watch`]: the same during a game;
//! - [`method`]: all of them as methods of Othello, options in, lines out.

pub mod estimate;
pub mod forced;
pub mod learned;
pub mod method;
mod mixed;
pub mod om;
mod om_method;
mod paper_player;
pub mod schedule;
pub mod semi_random;
pub mod speculative;
pub mod watch;

#[cfg(test)]
mod figure;
#[cfg(test)]
mod om_tests;

pub(super) use method::METHODS;
