//! The one look of progress bars: on standard error, and only if a person is looking.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar over so many bytes of input.
pub fn bytes(total: u64) -> ProgressBar {
    bar(total, "{bytes}/{total_bytes}  {msg}  {bar:20}  ETA {eta}")
}

/// A bar over so many steps of what `unit` names.
pub fn steps(total: u64, unit: &str) -> ProgressBar {
    bar(total, &format!("{{pos}}/{{len}} {unit}  {{msg}}  {{bar:20}}  ETA {{eta}}"))
}

fn bar(total: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(total);
    bar.set_style(ProgressStyle::with_template(template).expect("the template is well formed"));
    bar
}
