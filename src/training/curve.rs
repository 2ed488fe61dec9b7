//! The learning curve as files: CSV for programs, SVG for people.

use std::fmt::Write;

use super::fit::Epoch;
use crate::plot::{Axes, Series, lines};

/// One line per pass: number, training error, validation error.
pub fn csv(curve: &[Epoch]) -> String {
    let mut text = String::from("epoch,train_rmse,validation_rmse\n");
    for Epoch { number, train_rmse, validation_rmse } in curve {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{number},{train_rmse:.4},{validation_rmse:.4}");
    }
    text
}

/// Both errors over the passes. The point before any learning is left out: it would flatten the
/// rest.
pub fn svg(curve: &[Epoch]) -> String {
    let y = "root mean square error in discs";
    let axes = Axes { title: "Learning curve", x: "pass", y, ..Axes::default() };
    let line = |name: &str, error: fn(&Epoch) -> f64| {
        let points = curve.iter().skip(1).map(|epoch| (epoch.number as f64, error(epoch)));
        Series::line(name, points)
    };
    lines(
        &axes,
        &[
            line("training", |epoch| epoch.train_rmse),
            line("validation", |epoch| epoch.validation_rmse),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_files_hold_every_pass() {
        let curve: Vec<Epoch> = (0..4)
            .map(|number| Epoch {
                number,
                train_rmse: 9.0 - number as f64,
                validation_rmse: 9.5 - number as f64,
            })
            .collect();
        assert_eq!(csv(&curve).lines().nth(2), Some("1,8.0000,8.5000"));
        let drawing = svg(&curve);
        assert!(drawing.contains("training") && drawing.contains("validation"));
        assert!(!svg(&curve[..1]).contains("NaN"));
    }
}
