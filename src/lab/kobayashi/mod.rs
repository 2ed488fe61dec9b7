//! The experiments of Kobayashi et al. 2002, *A Game Tree Search Using Expectation*.

pub mod one_move;
pub mod published;
pub mod values;
