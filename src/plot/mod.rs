//! One way to draw charts: small, self-contained SVG, good inside a page and as a file.

mod charts;

pub use charts::{Axes, Bar, Interval, Look, NEUTRAL, Series, bars, intervals, lines};

/// About six round values inside the range: steps of 1, 2 or 5 times a power of ten, and none below 1
/// for an axis that counts whole things.
fn ticks((low, high): (f64, f64), whole: bool) -> Vec<f64> {
    let rough = (high - low) / 6.0;
    let rough = if whole { rough.max(1.0) } else { rough };
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = steps.into_iter().find(|&step| step >= rough).unwrap_or(rough);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).map(|index| index as f64 * step).collect()
}

/// A tick in as few digits as it needs.
fn tick_label(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text safe inside SVG and HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks((8.0, 59.0), false), [10.0, 20.0, 30.0, 40.0, 50.0]);
        assert_eq!(ticks((-0.13, 0.12), false), [-0.1, -0.05, 0.0, 0.05, 0.1]);
        assert_eq!(ticks((0.5, 2.5), true), [1.0, 2.0]);
        let labels = [-0.1, 0.0, -0.00001, 150.0, 2.5].map(tick_label);
        assert_eq!(labels, ["-0.1", "0", "0", "150", "2.5"]);
    }
}
