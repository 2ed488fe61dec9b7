//! The experiments of Kobayashi et al. 2002, *A Game Tree Search Using Expectation*.
//!
//! - [`values`]: E and the generalised mean, tables 1 to 4;
//! - [`one_move`] and [`many_moves`]: moves judged on recorded positions, tables 6 to 10; [`singular`]
//!   is one of the rivals that [`rivals`] compares;
//! - [`tables`]: all of them in the common form, beside [`published`].

pub mod many_moves;
pub mod one_move;
pub mod published;
pub mod rivals;
pub mod singular;
pub mod tables;
pub mod values;
