//! The one look of progress bars: on standard error, and only if a person is looking. A bar is one
//! line whatever the terminal's width: the message at its end is cut.

use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::search::Event;
use crate::training::Progress;

/// A bar over so many bytes of input.
pub(super) fn bytes(total: u64) -> ProgressBar {
    bar(total, "{bytes}/{total_bytes}  {bar:10}  ETA {eta}  {wide_msg}")
}

/// A bar over so many steps of what `unit` names.
pub(super) fn steps(total: u64, unit: &str) -> ProgressBar {
    bar(total, &format!("{{pos}}/{{len}} {unit}  {{bar:10}}  ETA {{eta}}  {{prefix}}{{wide_msg}}"))
}

/// A sign of life for work whose length nobody knows.
pub(super) fn spinner(what: &str) -> ProgressBar {
    let bar = ProgressBar::new_spinner();
    bar.set_style(
        ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}")
            .expect("the template is well formed"),
    );
    bar.set_message(what.to_owned());
    bar.enable_steady_tick(TICK);
    bar
}

/// Shows how deep a search has come.
pub(super) fn thinking(bar: &ProgressBar, event: &Event) {
    if !bar.is_hidden() {
        bar.set_message(format!("depth {}", event.depth));
        bar.tick();
    }
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

/// How often the clock of a bar is shown anew while nothing else happens.
const TICK: Duration = Duration::from_millis(200);

fn bar(total: u64, template: &str) -> ProgressBar {
    let bar = ProgressBar::new(total);
    bar.set_style(ProgressStyle::with_template(template).expect("the template is well formed"));
    bar
}
