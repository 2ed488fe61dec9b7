//! Small charts as SVG text, without scripts or fonts to fetch.

use std::fmt::Write;

use crate::plot::{escape, tick_label as label, ticks};

/// Size of every chart, in SVG units.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 260.0;
/// Room for labels on the left and below.
const LEFT: f64 = 64.0;
const BELOW: f64 = 36.0;
/// Room above, where the vertical axis is named.
const ABOVE: f64 = 22.0;
/// Room on the right.
const RIM: f64 = 14.0;
/// Height of one row of a chart of intervals.
const ROW: f64 = 26.0;
/// Most points drawn of a series; more cannot be told apart.
const MOST_POINTS: usize = 600;

/// Colours of the series, told apart by most eyes (Okabe and Ito's order).
pub const COLORS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999"];

/// A named line, with a band around it if its points have a margin.
pub struct Series {
    /// Shown in the legend.
    pub name: String,
    /// Points `(x, low, middle, high)`; low and high equal to middle draw no band.
    pub points: Vec<(f64, f64, f64, f64)>,
}

struct Frame {
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    fn new(x: (f64, f64), y: (f64, f64)) -> Frame {
        let widen = |(low, high): (f64, f64)| {
            if high - low > 1e-9 { (low, high) } else { (low - 1.0, high + 1.0) }
        };
        Frame { x: widen(x), y: widen(y) }
    }

    fn px(&self, x: f64) -> f64 {
        LEFT + (x - self.x.0) / (self.x.1 - self.x.0) * (WIDTH - LEFT - RIM)
    }

    fn py(&self, y: f64) -> f64 {
        let held = y.clamp(self.y.0, self.y.1);
        HEIGHT - BELOW - (held - self.y.0) / (self.y.1 - self.y.0) * (HEIGHT - BELOW - ABOVE)
    }

    fn open(&self, x_label: &str, y_label: &str) -> String {
        let mut out = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">");
        for y in ticks(self.y) {
            let py = self.py(y);
            let _ = write!(
                out,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{py:.1}\" y2=\"{py:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                WIDTH - RIM,
                LEFT - 6.0,
                py + 4.0,
                label(y)
            );
        }
        for x in ticks(self.x) {
            let _ = write!(
                out,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                self.px(x),
                HEIGHT - BELOW + 16.0,
                label(x)
            );
        }
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <text x=\"4\" y=\"10\">{}</text>",
            WIDTH - RIM,
            HEIGHT - 4.0,
            escape(x_label),
            escape(y_label)
        );
        out
    }
}

/// The names of the series in their colours.
fn legend(names: &[&str]) -> String {
    let mut out = String::from("<p>");
    for (name, color) in names.iter().zip(COLORS.iter().cycle()) {
        let _ = write!(out, "<span style=\"color:{color}\">■ {}</span> ", escape(name));
    }
    out + "</p>"
}

fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|value| value.is_finite()).fold(None, |found, value| match found {
        None => Some((value, value)),
        Some((low, high)) => Some((f64::min(low, value), f64::max(high, value))),
    })
}

/// Lines over a common axis; `within` holds the y axis inside these values whatever the points
/// say. Nothing if there is nothing to draw.
pub fn lines(
    series: &[Series],
    x_label: &str,
    y_label: &str,
    within: Option<(f64, f64)>,
) -> Option<String> {
    let points = || series.iter().flat_map(|line| &line.points);
    let x = bounds(points().map(|p| p.0))?;
    let (low, high) = bounds(points().flat_map(|p| [p.1, p.2, p.3]))?;
    let y = within.map_or((low, high), |(least, most)| (low.max(least), high.min(most)));
    let frame = Frame::new(x, y);
    let mut out = frame.open(x_label, y_label);
    for (index, line) in series.iter().enumerate() {
        let color = COLORS[index % COLORS.len()];
        let every = line.points.len().div_ceil(MOST_POINTS).max(1);
        let last = line.points.len().saturating_sub(1);
        let shown: Vec<_> = line
            .points
            .iter()
            .enumerate()
            .filter(|(i, p)| (i % every == 0 || *i == last) && p.2.is_finite())
            .map(|(_, p)| *p)
            .collect();
        let path = |value: fn(&(f64, f64, f64, f64)) -> f64,
                    points: &mut dyn Iterator<Item = &(f64, f64, f64, f64)>| {
            points
                .map(|p| format!("{:.1},{:.1}", frame.px(p.0), frame.py(value(p))))
                .collect::<Vec<_>>()
                .join(" ")
        };
        if shown.iter().any(|p| p.3 > p.1) {
            let upper = path(|p| p.3, &mut shown.iter());
            let lower = path(|p| p.1, &mut shown.iter().rev());
            let _ = write!(
                out,
                "<polygon points=\"{upper} {lower}\" fill=\"{color}\" opacity=\"0.18\"/>"
            );
        }
        let middle = path(|p| p.2, &mut shown.iter());
        let _ = write!(
            out,
            "<polyline points=\"{middle}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"1.8\"/>"
        );
    }
    out.push_str("</svg>");
    if series.len() > 1 {
        let names: Vec<&str> = series.iter().map(|line| line.name.as_str()).collect();
        out.push_str(&legend(&names));
    }
    Some(out)
}

/// Named values with their intervals, one row each.
pub fn intervals(rows: &[(String, f64, f64, f64)], x_label: &str) -> Option<String> {
    let x = bounds(rows.iter().flat_map(|row| [row.1, row.2, row.3]))?;
    let frame = Frame::new(x, (0.0, 1.0));
    let height = ROW * rows.len() as f64 + BELOW;
    let mut out = format!("<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">");
    let base = height - BELOW;
    for x in ticks(frame.x) {
        let px = frame.px(x);
        let _ = write!(
            out,
            "<line class=\"grid\" x1=\"{px:.1}\" x2=\"{px:.1}\" y1=\"0\" y2=\"{base:.1}\"/>\
             <text x=\"{px:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            base + 16.0,
            label(x)
        );
    }
    for (index, (name, low, middle, high)) in rows.iter().enumerate() {
        let y = ROW * (index as f64 + 0.5);
        let held = |value: f64| frame.px(value.clamp(frame.x.0, frame.x.1));
        let color = COLORS[index % COLORS.len()];
        let _ = write!(
            out,
            "<line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"{color}\" \
             stroke-width=\"3\" opacity=\"0.5\"/>\
             <circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"{color}\"/>\
             <text x=\"4\" y=\"{:.1}\">{}</text>",
            held(*low),
            held(*high),
            held(*middle),
            y - 7.0,
            escape(name)
        );
    }
    let _ = write!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text></svg>",
        WIDTH - RIM,
        height - 4.0,
        escape(x_label)
    );
    Some(out)
}

/// Bars from zero, one per `(x, height, hint)`.
pub fn bars(bars: &[(f64, f64, String)], x_label: &str, y_label: &str) -> Option<String> {
    let x = bounds(bars.iter().map(|bar| bar.0))?;
    let (low, high) = bounds(bars.iter().map(|bar| bar.1))?;
    let frame = Frame::new((x.0 - 0.5, x.1 + 0.5), (low.min(0.0), high.max(0.0)));
    let mut out = frame.open(x_label, y_label);
    let width = ((WIDTH - LEFT - RIM) / bars.len().max(1) as f64 * 0.8).clamp(0.6, 40.0);
    for (x, height, hint) in bars {
        let (top, base) = (frame.py(height.max(0.0)), frame.py(height.min(0.0)));
        let _ = write!(
            out,
            "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{}\">\
             <title>{}</title></rect>",
            frame.px(*x) - width / 2.0,
            (base - top).max(0.5),
            if *height < 0.0 { COLORS[1] } else { COLORS[0] },
            escape(hint)
        );
    }
    out.push_str("</svg>");
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_hold_every_series_and_no_broken_numbers() {
        let wild = vec![(1.0, f64::NEG_INFINITY, 3.0, f64::INFINITY), (2.0, 0.0, f64::NAN, 1.0)];
        let series = [
            Series { name: "a<b".to_owned(), points: wild },
            Series { name: "c".to_owned(), points: vec![(1.0, 1.0, 2.0, 3.0)] },
        ];
        let chart = lines(&series, "game", "Elo", Some((-100.0, 100.0))).unwrap();
        assert!(chart.contains("a&lt;b") && chart.contains("</svg>"));
        assert!(!chart.contains("NaN") && !chart.contains("inf"), "{chart}");
        assert_eq!(lines(&[], "x", "y", None), None);
        let rows =
            [("x".to_owned(), f64::NEG_INFINITY, 0.0, 5.0), ("y".to_owned(), -9.0, -3.0, 1.0)];
        let dots = intervals(&rows, "Elo").unwrap();
        assert_eq!(dots.matches("<circle").count(), 2);
        assert!(!dots.contains("inf"), "{dots}");
        let one = bars(&[(1.0, -2.0, "two".to_owned())], "x", "y").unwrap();
        assert!(one.contains("<title>two</title>"));
    }
}
