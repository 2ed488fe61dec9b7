//! The one look of progress bars: on standard error, and only if a person is looking.

use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};

use crate::training::Progress;

/// A bar over so many bytes of input.
pub(super) fn bytes(total: u64) -> ProgressBar {
    bar(total, "{bytes}/{total_bytes}  {msg}  {bar:20}  ETA {eta}")
}

/// A bar over so many steps of what `unit` names.
pub(super) fn steps(total: u64, unit: &str) -> ProgressBar {
    bar(total, &format!("{{pos}}/{{len}} {unit}  {{prefix}}{{msg}}  {{bar:20}}  ETA {{eta}}"))
}

/// Shows how far work on a file has come that goes on where it was interrupted. What was cut off is
/// said in any case.
pub(super) fn resumable(bar: &ProgressBar, file: &Path, progress: Progress) {
    match progress {
        Progress::Resumed(resumed) if resumed.torn > 0 => {
            bar.suspend(|| eprintln!("kitai: {}: {resumed}", file.display()));
        }
        Progress::Resumed(_) => {}
        Progress::Done(done) => bar.set_position(done),
    }
}

fn bar(total: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(total);
    bar.set_style(ProgressStyle::with_template(template).expect("the template is well formed"));
    bar
}
