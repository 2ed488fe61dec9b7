//! Results for people: a line while playing, a text at the end, a page to keep.

mod text;

pub use text::{live, text};
