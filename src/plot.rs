//! One way to draw a line chart: a small, self-contained SVG.

use std::fmt::Write;

/// A line of a chart.
pub struct Series<'a> {
    /// What the legend calls it.
    pub name: &'a str,
    /// Points in order of x.
    pub points: Vec<(f64, f64)>,
}

/// What a chart says around its lines.
pub struct Labels<'a> {
    /// Above the chart.
    pub title: &'a str,
    /// Below the x axis.
    pub x: &'a str,
    /// Beside the y axis.
    pub y: &'a str,
}

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 48.0;
/// Line colours that stay apart for colour-blind eyes.
const COLORS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

/// A line chart as SVG text. Points that are not finite are left out.
pub fn line_chart(labels: &Labels, series: &[Series]) -> String {
    let finite =
        || series.iter().flat_map(|s| &s.points).filter(|(x, y)| x.is_finite() && y.is_finite());
    let (x_low, x_high) = range(finite().map(|p| p.0));
    let (y_low, y_high) = range(finite().map(|p| p.1));
    let place = |x: f64, y: f64| {
        (
            LEFT + (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - (y - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM),
        )
    };
    let mut svg = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{}\" y=\"20\" text-anchor=\"middle\" font-size=\"15\">{}</text>\n\
         <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
         <text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        WIDTH / 2.0,
        escape(labels.title),
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 10.0,
        escape(labels.x),
        (TOP + HEIGHT - BOTTOM) / 2.0,
        escape(labels.y),
    );
    for tick in ticks((y_low, y_high)) {
        let (_, y) = place(x_low, tick);
        let strong = if tick == 0.0 { "#888" } else { "#ddd" };
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"{strong}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y + 4.0,
            tick_label(tick)
        );
    }
    for tick in ticks((x_low, x_high)) {
        let (x, _) = place(tick, y_low);
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            HEIGHT - BOTTOM + 16.0,
            tick_label(tick)
        );
    }
    for (index, line) in series.iter().enumerate() {
        let color = COLORS[index % COLORS.len()];
        let points: Vec<String> = line
            .points
            .iter()
            .filter(|(x, y)| x.is_finite() && y.is_finite())
            .map(|&(x, y)| place(x, y))
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" points=\"{}\"/>\n\
             <text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"{color}\">{}</text>",
            points.join(" "),
            WIDTH - RIGHT - 6.0,
            TOP + 14.0 * (index as f64 + 1.0),
            escape(line.name)
        );
    }
    svg.push_str("</svg>\n");
    svg
}

/// Least and greatest value, a little apart if they are equal.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    if low > high {
        (0.0, 1.0)
    } else if low == high {
        (low - 1.0, high + 1.0)
    } else {
        (low, high)
    }
}

/// About six round values inside the range: steps of 1, 2 or 5 times a power of ten.
pub fn ticks((low, high): (f64, f64)) -> Vec<f64> {
    let rough = (high - low) / 6.0;
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = steps.into_iter().find(|&step| step >= rough).unwrap_or(rough);
    let first = (low / step).ceil() as i64;
    let last = (high / step).floor() as i64;
    (first..=last).map(|index| index as f64 * step).collect()
}

/// A tick in as few digits as it needs.
pub fn tick_label(value: f64) -> String {
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
        assert_eq!(ticks((8.0, 59.0)), [10.0, 20.0, 30.0, 40.0, 50.0]);
        assert_eq!(ticks((-0.13, 0.12)), [-0.1, -0.05, 0.0, 0.05, 0.1]);
        let labels = [-0.1, 0.0, -0.00001, 150.0, 2.5].map(tick_label);
        assert_eq!(labels, ["-0.1", "0", "0", "150", "2.5"]);
    }

    #[test]
    fn odd_data_still_gives_a_chart_without_nan() {
        let labels = Labels { title: "a<b", x: "x", y: "y" };
        for points in [vec![], vec![(1.0, 2.0)], vec![(0.0, f64::NAN), (1.0, 1.0), (2.0, 5.0)]] {
            let svg = line_chart(&labels, &[Series { name: "s", points }]);
            assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
            assert!(!svg.contains("NaN") && svg.contains("a&lt;b"));
        }
    }
}
