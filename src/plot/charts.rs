//! Lines with bands, intervals and bars as SVG text, without scripts or fonts to fetch.

use std::fmt::Write;

use super::{escape, tick_label, ticks};

/// Size of every chart, in SVG units.
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 320.0;
/// Room for labels on the left and below.
const LEFT: f64 = 64.0;
const BELOW: f64 = 36.0;
/// Room above, for the title and the name of the vertical axis.
const ABOVE: f64 = 40.0;
/// Room on the right.
const RIM: f64 = 14.0;
/// Height of one row of a chart of intervals.
const ROW: f64 = 26.0;
/// Height of one row of a legend.
const LEGEND_ROW: f64 = 20.0;
/// Width of the piece of a series that stands before its name in a legend.
const SAMPLE: f64 = 26.0;
/// The outline of discs.
const RING: &str = "#222";
/// Width of a letter, about.
const LETTER: f64 = 7.4;
/// Most points drawn of a series; more cannot be told apart.
const MOST_POINTS: usize = 600;

/// Colours of the series, told apart by most eyes (Okabe and Ito's order).
const COLORS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#999999"];

/// What a chart says around its data.
#[derive(Clone, Copy, Debug, Default)]
pub struct Axes<'a> {
    /// Above the chart; may be empty.
    pub title: &'a str,
    /// Below the horizontal axis.
    pub x: &'a str,
    /// Above the vertical axis.
    pub y: &'a str,
    /// Holds the vertical axis inside these values whatever the points say.
    pub within: Option<(f64, f64)>,
    /// Whether the horizontal and the vertical axis count whole things.
    pub whole: (bool, bool),
}

/// The colour of what belongs to nobody.
pub const NEUTRAL: usize = 6;

/// A named value with its interval.
pub struct Interval {
    /// Its name.
    pub name: String,
    /// Lower end.
    pub low: f64,
    /// The value.
    pub middle: f64,
    /// Upper end.
    pub high: f64,
    /// Which colour: that of a series with this index.
    pub color: usize,
}

/// A bar from zero.
pub struct Bar {
    /// Where it stands.
    pub x: f64,
    /// How high it is; may be negative.
    pub height: f64,
    /// What it says when pointed at.
    pub hint: String,
    /// Which colour: that of a series with this index.
    pub color: usize,
}

/// A named line, with a band around it if its points have a margin.
pub struct Series {
    /// Shown in the legend.
    pub name: String,
    /// Points `(x, low, middle, high)`; low and high equal to middle draw no band.
    pub points: Vec<(f64, f64, f64, f64)>,
    /// How its points are drawn.
    pub look: Look,
}

/// How the points of a series are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Look {
    /// Joined by a line in the colour of the series.
    Line,
    /// Each alone, as a dot in the colour of the series.
    Marks,
    /// Each alone, as a disc of a player.
    Discs {
        /// What the disc is filled with.
        fill: &'static str,
        /// Half its width, in SVG units.
        radius: f64,
    },
}

impl Series {
    /// A line without a band.
    pub fn line(name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
        let points = points.into_iter().map(|(x, y)| (x, y, y, y)).collect();
        Series { name: name.to_owned(), points, look: Look::Line }
    }

    /// Points that stand alone.
    pub fn marks(name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
        Series { look: Look::Marks, ..Series::line(name, points) }
    }

    /// Points that stand alone, drawn as a player's discs.
    pub fn discs(
        name: &str,
        fill: &'static str,
        radius: f64,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Series {
        Series { look: Look::Discs { fill, radius }, ..Series::line(name, points) }
    }
}

/// Where values lie on the drawing.
struct Scale {
    x: (f64, f64),
    y: (f64, f64),
    /// Room on the left.
    left: f64,
}

fn open(height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         font-family=\"sans-serif\" font-size=\"14\">\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    )
}

impl Scale {
    fn new(x: (f64, f64), y: (f64, f64)) -> Scale {
        let widen = |(low, high): (f64, f64)| {
            if high - low > 1e-9 { (low, high) } else { (low - 1.0, high + 1.0) }
        };
        Scale { x: widen(x), y: widen(y), left: LEFT }
    }

    fn px(&self, x: f64) -> f64 {
        self.left + (x - self.x.0) / (self.x.1 - self.x.0) * (WIDTH - self.left - RIM)
    }

    fn py(&self, y: f64) -> f64 {
        let held = y.clamp(self.y.0, self.y.1);
        HEIGHT - BELOW - (held - self.y.0) / (self.y.1 - self.y.0) * (HEIGHT - BELOW - ABOVE)
    }

    /// The beginning of a chart: title, axes and grid.
    fn open(&self, axes: &Axes, height: f64) -> String {
        let mut out = open(height);
        for y in ticks(self.y, axes.whole.1) {
            let py = self.py(y);
            let _ = write!(
                out,
                "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{py:.1}\" y2=\"{py:.1}\" stroke=\"{}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                WIDTH - RIM,
                if y == 0.0 { "#888" } else { "#ddd" },
                LEFT - 6.0,
                py + 4.0,
                tick_label(y)
            );
        }
        for x in ticks(self.x, axes.whole.0) {
            let _ = write!(
                out,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                self.px(x),
                HEIGHT - BELOW + 16.0,
                tick_label(x)
            );
        }
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"16\" text-anchor=\"middle\" font-size=\"17\">{}</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <text x=\"4\" y=\"30\">{}</text>",
            WIDTH / 2.0,
            escape(axes.title),
            WIDTH - RIM,
            HEIGHT - 4.0,
            escape(axes.x),
            escape(axes.y)
        );
        out
    }
}

fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.filter(|value| value.is_finite()).fold(None, |found, value| match found {
        None => Some((value, value)),
        Some((low, high)) => Some((f64::min(low, value), f64::max(high, value))),
    })
}

/// Lines over a common axis, with a legend if there are several; without points, empty axes.
pub fn lines(axes: &Axes, series: &[Series]) -> String {
    let points = || series.iter().flat_map(|line| &line.points);
    let x = bounds(points().map(|p| p.0)).unwrap_or((0.0, 1.0));
    let (low, high) = bounds(points().flat_map(|p| [p.1, p.2, p.3])).unwrap_or((0.0, 1.0));
    let y = axes.within.map_or((low, high), |(least, most)| (low.max(least), high.min(most)));
    let scale = Scale::new(x, y);
    let named = if series.len() > 1 { series } else { &[] };
    let (legend, legend_height) = legend(named);
    let mut out = scale.open(axes, HEIGHT + legend_height);
    for (index, line) in series.iter().enumerate() {
        let color = COLORS[index % COLORS.len()];
        let every = line.points.len().div_ceil(MOST_POINTS).max(1);
        let last = line.points.len().saturating_sub(1);
        let shown: Vec<_> = line
            .points
            .iter()
            .enumerate()
            .filter(|(i, p)| (i % every == 0 || *i == last) && p.0.is_finite() && p.2.is_finite())
            .map(|(_, p)| *p)
            .collect();
        let path = |value: fn(&(f64, f64, f64, f64)) -> f64,
                    points: &mut dyn Iterator<Item = &(f64, f64, f64, f64)>| {
            points
                .map(|p| format!("{:.1},{:.1}", scale.px(p.0), scale.py(value(p))))
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
        if line.look != Look::Line {
            for p in &shown {
                let title = format!("{}: {}", line.name, tick_label(p.0));
                out.push_str(&circle(line.look, color, (scale.px(p.0), scale.py(p.2)), &title));
            }
        } else {
            let middle = path(|p| p.2, &mut shown.iter());
            let _ = write!(
                out,
                "<polyline points=\"{middle}\" fill=\"none\" stroke=\"{color}\" \
                 stroke-width=\"1.8\"/>"
            );
        }
    }
    out.push_str(&legend);
    out.push_str("</svg>\n");
    out
}

/// A point that stands alone, with what it says when pointed at.
fn circle(look: Look, color: &str, (x, y): (f64, f64), title: &str) -> String {
    let (fill, radius, ring) = match look {
        Look::Discs { fill, radius } => (fill, radius, RING),
        Look::Line | Look::Marks => (color, 4.0, "none"),
    };
    format!(
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{ring}\">\
         <title>{}</title></circle>",
        escape(title)
    )
}

/// The names of the series beside a piece of each, in rows below the chart, and how high they are.
fn legend(series: &[Series]) -> (String, f64) {
    let mut out = String::new();
    let (mut x, mut y) = (LEFT, HEIGHT + LEGEND_ROW / 2.0);
    for (index, line) in series.iter().enumerate() {
        let width = SAMPLE + LETTER * line.name.chars().count() as f64;
        if x > LEFT && x + width > WIDTH - RIM {
            (x, y) = (LEFT, y + LEGEND_ROW);
        }
        let color = COLORS[index % COLORS.len()];
        let _ = match line.look {
            Look::Line => write!(
                out,
                "<line x1=\"{x:.1}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"{color}\" \
                 stroke-width=\"3\"/>",
                x + SAMPLE - 8.0
            ),
            look => write!(out, "{}", circle(look, color, (x + (SAMPLE - 8.0) / 2.0, y), "")),
        };
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x + SAMPLE - 2.0,
            y + 4.0,
            escape(&line.name)
        );
        x += width + 2.0 * RIM;
    }
    let height = if series.is_empty() { 0.0 } else { y + LEGEND_ROW / 2.0 - HEIGHT };
    (out, height)
}

/// Named values with their intervals, one row each.
pub fn intervals(rows: &[Interval], x_label: &str) -> Option<String> {
    let x = bounds(rows.iter().flat_map(|row| [row.low, row.middle, row.high]))?;
    let longest = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0);
    let left = (LETTER * longest as f64 + 2.0 * RIM).clamp(LEFT, WIDTH / 2.0);
    let scale = Scale { left, ..Scale::new(x, (0.0, 1.0)) };
    let height = ROW * rows.len() as f64 + BELOW;
    let mut out = open(height);
    let base = height - BELOW;
    for x in ticks(scale.x, false) {
        let px = scale.px(x);
        let _ = write!(
            out,
            "<line x1=\"{px:.1}\" x2=\"{px:.1}\" y1=\"0\" y2=\"{base:.1}\" stroke=\"{}\"/>\
             <text x=\"{px:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            if x == 0.0 { "#888" } else { "#ddd" },
            base + 16.0,
            tick_label(x)
        );
    }
    for (index, Interval { name, low, middle, high, color }) in rows.iter().enumerate() {
        let y = ROW * (index as f64 + 0.5);
        let held = |value: f64| scale.px(value.clamp(scale.x.0, scale.x.1));
        let color = COLORS[color % COLORS.len()];
        let _ = write!(
            out,
            "<line x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"{color}\" \
             stroke-width=\"3\" opacity=\"0.5\"/>\
             <circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"{color}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            held(*low),
            held(*high),
            held(*middle),
            left - RIM,
            y + 4.0,
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

/// Bars from zero.
pub fn bars(axes: &Axes, bars: &[Bar]) -> Option<String> {
    let x = bounds(bars.iter().map(|bar| bar.x))?;
    let (low, high) = bounds(bars.iter().map(|bar| bar.height))?;
    let scale = Scale::new((x.0 - 0.5, x.1 + 0.5), (low.min(0.0), high.max(0.0)));
    let mut out = scale.open(axes, HEIGHT);
    let width = ((WIDTH - LEFT - RIM) / bars.len().max(1) as f64 * 0.8).clamp(0.6, 40.0);
    for Bar { x, height, hint, color } in bars {
        let (top, base) = (scale.py(height.max(0.0)), scale.py(height.min(0.0)));
        let _ = write!(
            out,
            "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{}\">\
             <title>{}</title></rect>",
            scale.px(*x) - width / 2.0,
            (base - top).max(0.5),
            COLORS[color % COLORS.len()],
            escape(hint)
        );
    }
    out.push_str("</svg>");
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(chart: &str) -> bool {
        chart.starts_with("<svg") && !chart.contains("NaN") && !chart.contains("inf")
    }

    #[test]
    fn charts_hold_every_series_and_no_broken_numbers() {
        let within = Some((-100.0, 100.0));
        let axes = Axes { title: "a<b", x: "game", y: "Elo", within, whole: (true, false) };
        let wild = vec![(1.0, f64::NEG_INFINITY, 3.0, f64::INFINITY), (2.0, 0.0, f64::NAN, 1.0)];
        let series = [
            Series { name: "c>d".to_owned(), points: wild, look: Look::Line },
            Series::discs("dots", "white", 4.0, [(1.0, 2.0), (2.0, f64::INFINITY)]),
            Series::line("e", [(1.0, 1.0), (f64::NAN, 2.0)]),
        ];
        let chart = lines(&axes, &series);
        assert!(chart.contains("a&lt;b") && chart.contains("c&gt;d"));
        assert!(clean(&chart), "{chart}");
        // One disc is a point, the other stands in the legend, below everything else.
        assert_eq!(chart.matches("fill=\"white\" stroke").count(), 2, "{chart}");
        assert!(chart.contains("viewBox=\"0 0 760 340\""), "{chart}");
        let many: Vec<_> = (0..9).map(|i| Series::line(&"name ".repeat(4 + i), [])).collect();
        let (names, height) = legend(&many);
        assert_eq!((names.matches("<text x=\"88.0\"").count(), height), (7, 140.0), "{names}");
        for few in [vec![], vec![(1.0, 2.0)]] {
            assert!(clean(&lines(&Axes::default(), &[Series::line("s", few)])));
        }
        let row = |name: &str, low, middle, high, color| Interval {
            name: name.to_owned(),
            low,
            middle,
            high,
            color,
        };
        let rows = [row("x", f64::NEG_INFINITY, 0.0, 5.0, 1), row("y", -9.0, -3.0, 1.0, 0)];
        let dots = intervals(&rows, "Elo").unwrap();
        assert_eq!(dots.matches("<circle").count(), 2);
        assert!(clean(&dots), "{dots}");
        // The first row's name stands wholly inside, left of every circle.
        assert!(dots.contains("y=\"17.0\" text-anchor=\"end\">x</text>"), "{dots}");
        let long = [row("a method with quite a long name", -9.0, -9.0, 1.0, 0)];
        let dots = intervals(&long, "Elo").unwrap();
        assert!(dots.contains("<circle cx=\"257.4\""), "{dots}");
        let bar = Bar { x: 1.0, height: -2.0, hint: "two".to_owned(), color: 1 };
        let one = bars(&axes, &[bar]).unwrap();
        assert!(one.contains("<title>two</title>") && clean(&one));
    }
}
