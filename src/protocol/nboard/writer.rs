//! The words of NBoard's replies. The GUI is strict: plain ASCII, decimals without exponents, one
//! depth text per iteration; a malformed line opens an error dialog.

use std::fmt::Write;
use std::time::Duration;

use crate::othello::Move;
use crate::score::Score;
use crate::search::report::DepthLabel;
use crate::search::{Certainty, Line};

/// Longest status text, in characters.
const LONGEST_STATUS: usize = 200;

/// `status TEXT`; an empty text clears the GUI's status.
pub(super) fn status(out: &mut String, text: &str) {
    out.push_str("status");
    if !text.is_empty() {
        out.push(' ');
        out.extend(
            text.chars()
                .take(LONGEST_STATUS)
                .map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' }),
        );
    }
    out.push('\n');
}

/// `set myname NAME`, one word.
pub(super) fn my_name(out: &mut String, depth: Option<u32>) {
    out.push_str("set myname Kitai");
    if let Some(depth) = depth {
        let _ = write!(out, "{depth}");
    }
    out.push('\n');
}

/// `pong K`.
pub(super) fn pong(out: &mut String, number: i64) {
    let _ = writeln!(out, "pong {number}");
}

/// `nodestats NODES SECONDS`.
pub(super) fn node_stats(out: &mut String, nodes: u64, elapsed: Duration) {
    let _ = writeln!(out, "nodestats {nodes} {:.3}", elapsed.as_secs_f64());
}

/// One `search` line per root move, all with the depth text of the least certain.
pub(super) fn hints(out: &mut String, lines: &[Line], depth: u32) {
    let Some(certainty) = lines.iter().map(|line| line.certainty).min_by_key(|c| rank(*c)) else {
        return;
    };
    for line in lines {
        let _ = writeln!(
            out,
            "search {} {} 0 {}",
            line.pv_text().to_ascii_uppercase(),
            decimal(line.score),
            DepthLabel(depth.max(1), certainty)
        );
    }
}

/// `book PV EVAL GAMES DEPTH`: the book knew this move.
pub(super) fn book_move(out: &mut String, lines: &[Line], depth: u32) {
    for line in lines {
        let _ = writeln!(
            out,
            "book {} {} {} {}",
            line.pv_text().to_ascii_uppercase(),
            decimal(line.score),
            line.visits,
            DepthLabel(depth.max(1), line.certainty)
        );
    }
}

/// How much a certainty says, for comparing.
fn rank(certainty: Certainty) -> u8 {
    match certainty {
        Certainty::Estimate => 0,
        Certainty::Probable(percent) => percent.min(100),
        Certainty::Outcome => 101,
        Certainty::Exact => 102,
    }
}

/// `=== MOVE/EVAL/TIME`.
pub(super) fn chosen(out: &mut String, played: Move, score: Option<Score>, elapsed: Duration) {
    let _ = write!(out, "=== {}/", played.to_string().to_ascii_uppercase());
    if let Some(score) = score {
        out.push_str(&decimal(score));
    }
    let _ = writeln!(out, "/{:.3}", elapsed.as_secs_f64());
}

/// `analysis K EVAL`: the value before the move after `made` moves, for the side to move.
pub(super) fn analysis(out: &mut String, made: usize, score: Score) {
    let _ = writeln!(out, "analysis {made} {}", decimal(score));
}

fn decimal(score: Score) -> String {
    score.to_string().trim_start_matches('+').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Bound;

    fn line(text: &str, score: f64, certainty: Certainty) -> Line {
        let pv = text
            .as_bytes()
            .chunks(2)
            .map(|pair| std::str::from_utf8(pair).unwrap().parse().unwrap())
            .collect();
        Line {
            score: Score::from_discs(score),
            bound: Bound::Exact,
            certainty,
            pv,
            visits: 0,
            uncertainty: None,
        }
    }

    #[test]
    fn hints_of_one_iteration_share_their_depth_text() {
        let mut out = String::new();
        let lines =
            [line("f5d6pa", 1.25, Certainty::Exact), line("c4", -0.5, Certainty::Probable(98))];
        hints(&mut out, &lines, 20);
        assert_eq!(out, "search F5D6PA 1.25 0 20@98%\nsearch C4 -0.50 0 20@98%\n");
    }

    #[test]
    fn moves_are_written_as_the_gui_wants_them() {
        let mut out = String::new();
        let time = Duration::from_micros(1_234_567);
        chosen(&mut out, "d6".parse().unwrap(), Some(Score::from_discs(0.5)), time);
        chosen(&mut out, Move::Pass, None, Duration::ZERO);
        assert_eq!(out, "=== D6/0.50/1.235\n=== PA//0.000\n");
    }

    #[test]
    fn status_lines_are_short_plain_ascii() {
        let mut out = String::new();
        status(&mut out, &format!("caf\u{e9}\n{}", "x".repeat(500)));
        assert!(out.starts_with("status caf??xxx") && out.len() < 220);
        out.clear();
        status(&mut out, "");
        assert_eq!(out, "status\n");
    }
}
