//! Results for people: a line while playing, a text at the end, a page to keep.

mod html;
mod text;

pub use html::html;
pub use text::{live, text};
