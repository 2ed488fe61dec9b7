//! Results as text: one line while the match runs, a table at its end.

use std::fmt::Write;

use super::super::plan::Plan;
use super::super::standing::{PairingResult, PlayerStanding, SprtState, Standing};
use crate::statistics::{Decision, EloEstimate, MeanEstimate};
use crate::text::{count, signed};

/// The score so far in one line.
pub fn live(standing: &Standing) -> String {
    match standing.pairings.as_slice() {
        [only] => {
            let mut line =
                format!("+{} ={} -{}  {}", only.wins, only.draws, only.losses, verdict(only));
            if let Some(sprt) = &standing.sprt {
                let _ =
                    write!(line, "  LLR {:.2} ({:.2}, {:.2})", sprt.ratio, sprt.lower, sprt.upper);
            }
            line
        }
        _ => {
            let best = ranking(standing).into_iter().take(3).map(|player| {
                format!(
                    "{} {:.1}/{} ({})",
                    player.name,
                    player.points,
                    player.games,
                    whole_elo(player.bayes.elo)
                )
            });
            best.collect::<Vec<_>>().join("  ")
        }
    }
}

/// The whole result.
pub fn text(plan: &Plan, standing: &Standing) -> String {
    let mut text = String::new();
    if let [only] = standing.pairings.as_slice() {
        head_to_head(&mut text, only);
    } else {
        table(&mut text, standing);
        crosstable(&mut text, plan, standing);
    }
    if let Some(sprt) = &standing.sprt {
        let _ = writeln!(text, "{}", sprt_line(sprt));
    }
    for player in &standing.players {
        let _ = write!(
            text,
            "{}: {}; {:.2} ms a move, longest {:.1} ms",
            player.name, player.plays, player.move_time.mean, player.longest_move
        );
        for (kind, count) in &player.failures.kinds {
            let _ = write!(text, "; {kind}: {count}");
        }
        text.push('\n');
    }
    let _ = write!(
        text,
        "{} of {} games; openings {}, time {}, seed {}",
        standing.games, standing.planned, plan.opening_source, plan.rules.control, plan.seed
    );
    if standing.after_decision > 0 {
        let _ = write!(text, "; {} more after the decision not counted", standing.after_decision);
    }
    text
}

fn head_to_head(text: &mut String, result: &PairingResult) {
    let _ = writeln!(
        text,
        "{} against {}: +{} ={} -{}, score {:.1} %",
        result.first,
        result.second,
        result.wins,
        result.draws,
        result.losses,
        100.0 * result.score
    );
    let _ = writeln!(
        text,
        "{}{}",
        verdict(result),
        match result.elo {
            // Pairs that are all alike have no spread to measure by.
            EloEstimate { normalized, normalized_margin, .. }
                if !few(result) && normalized_margin.is_finite() =>
            {
                format!(", normalized {} ± {normalized_margin:.1}", signed(normalized, 1))
            }
            _ => String::new(),
        }
    );
    let _ =
        writeln!(text, "pairs 0–2: {:?}, mean discs {}", result.pairs.counts, mean(&result.discs));
}

/// A mean with its margin; one value alone has none.
pub(super) fn mean(estimate: &MeanEstimate) -> String {
    let value = signed(estimate.mean, 2);
    if estimate.count < 2 { value } else { format!("{value} ± {:.2}", estimate.margin) }
}

/// Fewer pairs than this say nothing that an interval or a likelihood could put better.
const FEW_PAIRS: u64 = 5;

/// Whether there are too few games to draw conclusions.
pub(super) fn few(result: &PairingResult) -> bool {
    result.pairs.total() < FEW_PAIRS
}

/// Elo with its interval and the likelihood of superiority, or that there are too few games.
pub(super) fn verdict(result: &PairingResult) -> String {
    if few(result) {
        return format!("too few games to tell ({} of {FEW_PAIRS} pairs)", result.pairs.total());
    }
    format!("{}, LOS {:.1} %", elo(result), 100.0 * result.elo.superiority)
}

/// `Elo +37.2 [+12.0, +63.1]`; without a loss or without a win, the one end that the interval has.
pub(super) fn elo(result: &PairingResult) -> String {
    let elo = &result.elo;
    match (elo.low.is_finite(), elo.high.is_finite()) {
        (true, true) => {
            let [value, low, high] = [elo.elo, elo.low, elo.high].map(|elo| signed(elo, 1));
            format!("Elo {value} [{low}, {high}]")
        }
        (true, false) => format!("Elo at least {}", signed(elo.low, 1)),
        (false, true) => format!("Elo at most {}", signed(elo.high, 1)),
        (false, false) => "Elo unknown".to_owned(),
    }
}

/// A rating in whole Elo; a dash where there is none.
pub(super) fn whole_elo(elo: f64) -> String {
    if elo.is_finite() { signed(elo, 0) } else { "–".to_owned() }
}

/// The test in a line.
pub(super) fn sprt_line(sprt: &SprtState) -> String {
    let verdict = match sprt.decision {
        Decision::Continue => "undecided".to_owned(),
        Decision::AcceptElo0 => format!("accepted: {} Elo, not {}", sprt.test.elo0, sprt.test.elo1),
        Decision::AcceptElo1 => format!("accepted: {} Elo, not {}", sprt.test.elo1, sprt.test.elo0),
    };
    let where_ = if sprt.decision == Decision::Continue { "within" } else { "beyond" };
    format!(
        "SPRT {} against {} Elo (α {}, β {}): LLR {:.2} {where_} ({:.2}, {:.2}) after {}, {verdict}",
        sprt.test.elo0,
        sprt.test.elo1,
        sprt.test.alpha,
        sprt.test.beta,
        sprt.ratio,
        sprt.lower,
        sprt.upper,
        count(sprt.pairs as u64, "pair")
    )
}

/// Players by rating, best first.
pub(super) fn ranking(standing: &Standing) -> Vec<&PlayerStanding> {
    let mut ranked: Vec<_> = standing.players.iter().collect();
    ranked.sort_by(|a, b| b.bayes.elo.total_cmp(&a.bayes.elo));
    ranked
}

fn table(text: &mut String, standing: &Standing) {
    let width = standing.players.iter().map(|p| p.name.chars().count()).max().unwrap_or(0).max(6);
    let with_anchors = any_anchored(standing);
    let _ = writeln!(
        text,
        "{:>3} {:width$} {:>7} {:>6} {:>9} {:>7} {:>7} {:>8}{}",
        "#",
        "player",
        "points",
        "games",
        "score %",
        "Elo",
        "±",
        "ML Elo",
        if with_anchors { " anchored" } else { "" }
    );
    for (place, player) in ranking(standing).into_iter().enumerate() {
        let _ = writeln!(
            text,
            "{:>3} {:width$} {:>7.1} {:>6} {:>9.1} {:>7} {:>7.0} {:>8}{}",
            place + 1,
            player.name,
            player.points,
            player.games,
            100.0 * player.points / player.games.max(1) as f64,
            whole_elo(player.bayes.elo),
            player.bayes.margin,
            whole_elo(player.maximum_likelihood.elo),
            if with_anchors { format!(" {:>8}", anchored(player)) } else { String::new() }
        );
    }
}

/// Whether any player has the 2017 paper's rating.
pub(super) fn any_anchored(standing: &Standing) -> bool {
    standing.players.iter().any(|player| player.paper.is_some())
}

/// The 2017 paper's rating, or a dot.
pub(super) fn anchored(player: &PlayerStanding) -> String {
    player.paper.map_or("·".to_owned(), whole_elo)
}

fn crosstable(text: &mut String, plan: &Plan, standing: &Standing) {
    let ranked = ranking(standing);
    let width = ranked.iter().map(|p| p.name.chars().count()).max().unwrap_or(0).max(6);
    let _ = write!(text, "\n{:width$}", "");
    for place in 1..=ranked.len() {
        let _ = write!(text, " {place:>11}");
    }
    text.push('\n');
    for row in &ranked {
        let _ = write!(text, "{:width$}", row.name);
        for column in &ranked {
            let _ = write!(text, " {:>11}", cell(plan, standing, &row.name, &column.name));
        }
        text.push('\n');
    }
    text.push('\n');
}

/// What one player scored against another: `+12=1-7`, or a dot.
pub(super) fn cell(plan: &Plan, standing: &Standing, row: &str, column: &str) -> String {
    let mut score = (0, 0, 0);
    for (result, &(first, second)) in standing.pairings.iter().zip(&plan.pairings) {
        let names = (plan.players[first].name.as_str(), plan.players[second].name.as_str());
        if names == (row, column) {
            score = (score.0 + result.wins, score.1 + result.draws, score.2 + result.losses);
        } else if names == (column, row) {
            score = (score.0 + result.losses, score.1 + result.draws, score.2 + result.wins);
        }
    }
    match score {
        (0, 0, 0) => "·".to_owned(),
        (wins, draws, losses) => format!("+{wins}={draws}-{losses}"),
    }
}
