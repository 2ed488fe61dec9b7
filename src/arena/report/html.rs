//! The report: one HTML page with everything in it, to keep or to send.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::super::plan::Plan;
use super::super::referee::{Ending, Side};
use super::super::standing::{Games, Standing};
use super::text::{anchored, any_anchored, cell, elo, few, mean, ranking, sprt_line, whole_elo};
use crate::arena::replay::ReplayGame;
use crate::book;
use crate::othello::Color;
use crate::page;
use crate::plot::{self, Axes, Bar, Interval, Look, NEUTRAL, Series, escape};
use crate::statistics::ratings::Rating;
use crate::statistics::{EloEstimate, Pairs};

/// Elo beyond this is drawn at the rim.
const MOST_ELO: f64 = 800.0;
/// Failures listed one by one.
const MOST_FAILURES: usize = 200;

/// Games that can be replayed; more would make the page heavy.
const MOST_REPLAYS: usize = 2000;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:860px;margin:2em auto;\
padding:0 1em;color:#222;background:#fff}.table{overflow-x:auto}table{border-collapse:collapse;\
margin:.6em 0}td,th{border:1px solid #bbb;padding:.2em .6em;text-align:right;white-space:nowrap}\
td:first-child,th:first-child{text-align:left}h1{overflow-wrap:anywhere}.chart{overflow-x:auto}\
.chart svg{width:100%;min-width:30em;height:auto}.games{display:grid;gap:1.2em;\
grid-template-columns:repeat(auto-fit,minmax(min(100%,19em),1fr));align-items:start}\
#list{max-height:32em;overflow:auto;border:1px solid #bbb}#list button{display:block;width:100%;\
text-align:left;border:0;background:none;color:inherit;font:inherit;padding:.25em .6em;cursor:pointer}\
#list button[aria-pressed=true]{background:#8883}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}td,th,#list{border-color:#555}}";

/// Lists the games of the page and replays the one that is chosen.
const LIST_SCRIPT: &str = "const games = JSON.parse(document.getElementById('games').textContent);
const list = document.getElementById('list');
const open = (index) => {
  document.getElementById('replay').replaceChildren(replay(games[index]));
  [...list.children].forEach((b, i) => b.setAttribute('aria-pressed', String(i === index)));
};
games.forEach((game, index) => {
  const item = document.createElement('button');
  item.type = 'button';
  item.textContent = `${game.number}. ${game.black} – ${game.white} ${resultText(game)}`;
  item.addEventListener('click', () => open(index));
  list.append(item);
});
if (games.length > 0) open(0);
";

/// The whole page.
pub fn html(plan: &Plan, games: &Games, standing: &Standing) -> String {
    let names: Vec<String> = plan.players.iter().map(|player| escape(&player.name)).collect();
    let title = names.join(" – ");
    let board = page::STYLE;
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>{title}</title>\
         <style>{STYLE}{board}</style></head><body>\n<h1>{title}</h1>\n"
    );
    let _ = writeln!(
        page,
        "<p>{} of {} games played with Kitai {}.</p>",
        standing.games,
        standing.planned,
        env!("CARGO_PKG_VERSION")
    );
    results(&mut page, plan, standing);
    let counted = counted(standing, games);
    let elo =
        if plan.players.len() > 2 { rating_chart(standing) } else { elo_chart(plan, &counted) };
    section(&mut page, "Elo", elo);
    section(&mut page, "Score by opening", opening_chart(plan, &counted));
    section(&mut page, "Openings by name", opening_names(plan, &counted));
    section(&mut page, "Final discs", disc_chart(plan, &counted));
    section(&mut page, "Time use", time_chart(plan, &counted));
    games_list(&mut page, &counted);
    failures(&mut page, plan, &counted);
    settings(&mut page, plan);
    page.push_str("</body></html>\n");
    page
}

/// The games that count: all, or those up to the decision of the test.
fn counted(standing: &Standing, games: &Games) -> Games {
    games.iter().take(standing.games).map(|(&number, game)| (number, game.clone())).collect()
}

fn section(page: &mut String, title: &str, chart: Option<String>) {
    if let Some(chart) = chart {
        let _ = writeln!(page, "<h2>{title}</h2>\n<div class=\"chart\">{chart}</div>");
    }
}

fn results(page: &mut String, plan: &Plan, standing: &Standing) {
    let with_anchors = any_anchored(standing);
    let _ = writeln!(
        page,
        "<div class=\"table\"><table><tr><th>player</th><th>points</th><th>games</th><th>score</th><th>Elo</th>\
         <th>95 %</th><th>ML Elo</th>{}<th>ms a move</th><th>longest</th><th>failures</th></tr>",
        if with_anchors { "<th>anchored</th>" } else { "" }
    );
    for player in ranking(standing) {
        let failures: u64 = player.failures.kinds.values().sum();
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{:.1}</td><td>{}</td><td>{:.1} %</td><td>{}</td>\
             <td>± {:.0}</td><td>{}</td>{}<td>{:.2}</td><td>{:.1}</td><td>{failures}</td></tr>",
            escape(&player.name),
            player.points,
            player.games,
            100.0 * player.points / player.games.max(1) as f64,
            whole_elo(player.bayes.elo),
            player.bayes.margin,
            whole_elo(player.maximum_likelihood.elo),
            if with_anchors { format!("<td>{}</td>", anchored(player)) } else { String::new() },
            player.move_time.mean,
            player.longest_move
        );
    }
    page.push_str(
        "</table></div>\n<div class=\"table\"><table><tr><th>pairing</th><th>+ = −</th><th>score</th>\
        <th>Elo, 95 % interval by pairs</th><th>LOS</th><th>mean discs</th></tr>\n",
    );
    for result in &standing.pairings {
        let _ = writeln!(
            page,
            "<tr><td>{} – {}</td><td>{} {} {}</td><td>{:.1} %</td><td>{}</td><td>{}</td>\
             <td>{}</td></tr>",
            escape(&result.first),
            escape(&result.second),
            result.wins,
            result.draws,
            result.losses,
            100.0 * result.score,
            if few(result) { "too few games".to_owned() } else { elo(result) },
            if few(result) {
                "–".to_owned()
            } else {
                format!("{:.1} %", 100.0 * result.elo.superiority)
            },
            mean(&result.discs)
        );
    }
    page.push_str("</table></div>\n");
    if let Some(sprt) = &standing.sprt {
        let _ = writeln!(page, "<p>{}</p>", escape(&sprt_line(sprt)));
    }
    if standing.players.len() > 2 {
        crosstable(page, plan, standing);
    }
}

fn crosstable(page: &mut String, plan: &Plan, standing: &Standing) {
    let ranked = ranking(standing);
    page.push_str("<h2>Crosstable</h2>\n<div class=\"table\"><table><tr><th></th>");
    for player in &ranked {
        let _ = write!(page, "<th>{}</th>", escape(&player.name));
    }
    page.push_str("</tr>\n");
    for row in &ranked {
        let _ = write!(page, "<tr><td>{}</td>", escape(&row.name));
        for column in &ranked {
            let _ = write!(page, "<td>{}</td>", cell(plan, standing, &row.name, &column.name));
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</table></div>\n");
}

/// Every player's rating with its interval, best first.
fn rating_chart(standing: &Standing) -> Option<String> {
    let rows: Vec<_> = ranking(standing)
        .into_iter()
        .map(|player| {
            let Rating { elo, margin } = player.bayes;
            let color = standing.players.iter().position(|other| other.name == player.name);
            Interval {
                name: player.name.clone(),
                low: elo - margin,
                middle: elo,
                high: elo + margin,
                color: color.unwrap_or(NEUTRAL),
            }
        })
        .collect();
    plot::intervals(&rows, "Elo, 95 % interval")
}

/// Elo of the first player as the pairs came in, with the interval.
fn elo_chart(plan: &Plan, games: &Games) -> Option<String> {
    let mut pairs = Pairs::default();
    let mut points = Vec::new();
    for round in 0..plan.rounds {
        let (Some(one), Some(two)) = (games.get(&(2 * round)), games.get(&(2 * round + 1))) else {
            continue;
        };
        pairs.add(usize::from(one.half_points) + usize::from(2 - two.half_points));
        // A single pair says nothing worth drawing.
        if pairs.total() > 1 {
            let estimate = EloEstimate::of(&pairs);
            let held = |value: f64| value.clamp(-MOST_ELO, MOST_ELO);
            let played = (2 * pairs.total()) as f64;
            points.push((played, held(estimate.low), held(estimate.elo), held(estimate.high)));
        }
    }
    let name = plan.players[plan.pairings[0].0].name.clone();
    let within = Some((-MOST_ELO, MOST_ELO));
    let axes = Axes { x: "games", y: "Elo", within, whole: (true, false), ..Axes::default() };
    (!points.is_empty()).then(|| plot::lines(&axes, &[Series { name, points, look: Look::Line }]))
}

/// For two players, the first one's points from each opening; for more, Black's share of them.
fn opening_chart(plan: &Plan, games: &Games) -> Option<String> {
    let two = plan.pairings.len() == 1;
    let mut openings: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
    for game in games.values() {
        let scheduled = plan.game(game.game);
        let of_first = scheduled.black == plan.pairings[scheduled.pairing].0;
        let half_points = if of_first || !two { game.half_points } else { 2 - game.half_points };
        let entry = openings.entry(scheduled.opening).or_default();
        *entry = (entry.0 + f64::from(half_points) / 2.0, entry.1 + 1.0);
    }
    let bars: Vec<_> = openings
        .iter()
        .map(|(&index, &(points, played))| {
            let label = plan.openings[index].label();
            // Above or below an even score.
            let height = points / played - 0.5;
            // Whose points they are: the first player's above the line, the second's below.
            let color = if !two { NEUTRAL } else { usize::from(height < 0.0) };
            let hint = format!("{label}: {points} of {played}");
            Bar { x: (index + 1) as f64, height, hint, color }
        })
        .collect();
    let what = if two {
        format!("score of {} minus ½", plan.players[plan.pairings[0].0].name)
    } else {
        "Black's score minus ½".to_owned()
    };
    let axes = Axes { x: "opening", y: &what, whole: (true, false), ..Axes::default() };
    plot::bars(&axes, &bars)
}

/// The named openings that the games went through, most frequent first, with Black's score.
fn opening_names(plan: &Plan, games: &Games) -> Option<String> {
    let mut names: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for game in games.values() {
        let history = game.history(plan)?;
        let (played, half_points) =
            names.entry(book::opening_name(&history).unwrap_or("no name")).or_default();
        *played += 1;
        *half_points += u32::from(game.half_points);
    }
    let mut rows: Vec<_> = names.into_iter().collect();
    rows.sort_by_key(|(_, (played, _))| std::cmp::Reverse(*played));
    let rows: String = rows
        .into_iter()
        .map(|(name, (played, half_points))| {
            let score = 50.0 * f64::from(half_points) / f64::from(played);
            format!("<tr><td>{}</td><td>{played}</td><td>{score:.1} %</td></tr>\n", escape(name))
        })
        .collect();
    let head = "<tr><th>opening</th><th>games</th><th>Black's score</th></tr>";
    (!rows.is_empty()).then(|| format!("<table>{head}\n{rows}</table>"))
}

/// How often each final disc difference came, for the first player or for Black.
fn disc_chart(plan: &Plan, games: &Games) -> Option<String> {
    let two = plan.pairings.len() == 1;
    let mut counts: BTreeMap<i32, u32> = BTreeMap::new();
    for game in games.values() {
        let scheduled = plan.game(game.game);
        let of_first = scheduled.black == plan.pairings[scheduled.pairing].0;
        let Some(discs) = game.discs else { continue };
        *counts.entry(if of_first || !two { discs } else { -discs }).or_default() += 1;
    }
    let bars: Vec<_> = counts
        .iter()
        .map(|(&discs, &count)| {
            let color = if !two || discs == 0 { NEUTRAL } else { usize::from(discs < 0) };
            let hint = format!("{discs:+}: {count} games");
            Bar { x: f64::from(discs), height: f64::from(count), hint, color }
        })
        .collect();
    let who = if two { plan.players[plan.pairings[0].0].name.as_str() } else { "Black" };
    let what = format!("final disc difference for {who}");
    let axes = Axes { x: &what, y: "games", whole: (true, true), ..Axes::default() };
    plot::bars(&axes, &bars)
}

/// Mean time per move by the number of empties, for every player.
fn time_chart(plan: &Plan, games: &Games) -> Option<String> {
    let mut sums: Vec<BTreeMap<u32, (f64, f64)>> = vec![BTreeMap::new(); plan.players.len()];
    for game in games.values() {
        let scheduled = plan.game(game.game);
        let board = plan.openings[scheduled.opening].history.board();
        let (mut turn, mut empties) = (board.turn, board.position.empty_count());
        for (index, &time) in game.times.iter().enumerate() {
            if game.moves.get(2 * index..2 * index + 2) != Some("pa") {
                let player = if turn == Color::Black { scheduled.black } else { scheduled.white };
                let entry = sums[player].entry(60 - empties.min(60)).or_default();
                *entry = (entry.0 + time, entry.1 + 1.0);
                empties = empties.saturating_sub(1);
            }
            turn = !turn;
        }
    }
    let series: Vec<Series> = sums
        .iter()
        .zip(&plan.players)
        .map(|(sums, player)| {
            let means = sums.iter().map(|(&disc, &(sum, count))| (f64::from(disc), sum / count));
            Series::line(&player.name, means)
        })
        .collect();
    let whole = (true, false);
    let axes = Axes { x: "moves made", y: "mean ms", whole, ..Axes::default() };
    series.iter().any(|line| !line.points.is_empty()).then(|| plot::lines(&axes, &series))
}

/// The games, each to be replayed with both players' values.
fn games_list(page: &mut String, games: &Games) {
    let shown: Vec<ReplayGame> = games.values().take(MOST_REPLAYS).map(ReplayGame::of).collect();
    if shown.is_empty() {
        return;
    }
    // Inside a script element only `</` and `<!` would be misread.
    let data = serde_json::to_string(&shown).unwrap_or_default().replace('<', "\\u003c");
    let _ = writeln!(
        page,
        "<h2>Games</h2>\n<div class=\"games\"><div id=\"list\" role=\"group\" \
         aria-label=\"Games\"></div><div id=\"replay\"></div></div>\n\
         <script type=\"application/json\" id=\"games\">{data}</script>\n\
         <script type=\"module\">\n{}{LIST_SCRIPT}</script>",
        page::bundle()
    );
    if games.len() > shown.len() {
        let _ = writeln!(page, "<p>The first {} of {} games.</p>", shown.len(), games.len());
    }
}

fn failures(page: &mut String, plan: &Plan, games: &Games) {
    let failed: Vec<_> =
        games.values().filter(|game| matches!(game.ending, Ending::Failed(..))).collect();
    if failed.is_empty() {
        return;
    }
    let _ = writeln!(
        page,
        "<h2>Failures</h2>\n<div class=\"table\"><table><tr><th>game</th><th>player</th>\
        <th>what</th><th>move</th><th>detail</th></tr>"
    );
    for game in failed.iter().take(MOST_FAILURES) {
        let Ending::Failed(side, fault) = &game.ending else { continue };
        let name = if *side == Side::Black { &game.black } else { &game.white };
        let opening = &plan.openings[plan.game(game.game).opening];
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            game.game + 1,
            escape(name),
            fault.kind.name(),
            opening.history.moves().len() + game.times.len() + 1,
            escape(&fault.detail)
        );
    }
    page.push_str("</table></div>\n");
    if failed.len() > MOST_FAILURES {
        let _ = writeln!(page, "<p>… and {} more.</p>", failed.len() - MOST_FAILURES);
    }
}

fn settings(page: &mut String, plan: &Plan) {
    page.push_str("<h2>Settings</h2>\n<div class=\"table\"><table>\n");
    let settings = plan.settings();
    for player in &settings.players {
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}</td></tr>",
            escape(&player.name),
            escape(&player.plays)
        );
    }
    let rows = [
        ("games in each pairing", settings.games.to_string()),
        ("openings", format!("{} ({} used)", settings.openings, plan.openings.len())),
        ("time", settings.time),
        ("margin", format!("{} ms", settings.margin_ms)),
        ("patience", format!("{} ms", settings.patience_ms)),
        ("solved from", settings.adjudicate.map_or("never".to_owned(), |e| format!("{e} empties"))),
        ("seed", settings.seed.to_string()),
    ];
    for (name, value) in rows {
        let _ = writeln!(page, "<tr><td>{name}</td><td>{}</td></tr>", escape(&value));
    }
    page.push_str("</table></div>\n");
}
