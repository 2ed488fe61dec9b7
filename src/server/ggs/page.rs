//! One page of a bot's records: rating over time, score by opponent, type and colour, time use,
//! worst moves.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use super::keeper::{HISTORY, HistoryLine};
use crate::othello::{Color, Move};
use crate::plot::{self, Axes, Look, Series, escape};
use crate::protocol::ggs::report::ResultLine;
use crate::record::{Format, GameRecord, date, sealed::Records};
use crate::text::signed;

/// Worst moves listed.
const WORST: usize = 20;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:860px;margin:2em auto;\
padding:0 1em}table{border-collapse:collapse}td,th{border:1px solid #bbb;padding:.2em .6em;\
text-align:right}td:first-child,th:first-child{text-align:left}svg{width:100%;height:auto}";

/// What the records of a bot hold.
pub struct Found {
    history: Vec<HistoryLine>,
    games: Vec<GameRecord>,
}

/// Points of a bot against someone or in some kind of game.
#[derive(Clone, Copy, Default)]
struct Tally {
    wins: u32,
    draws: u32,
    losses: u32,
    discs: f64,
    moves: usize,
    seconds: f64,
}

impl Tally {
    fn add(&mut self, line: &ResultLine) {
        let Some(result) = line.result else { return };
        self.wins += u32::from(result > 0.0);
        self.draws += u32::from(result == 0.0);
        self.losses += u32::from(result < 0.0);
        self.discs += result;
        self.moves += line.moves;
        self.seconds += line.seconds;
    }
}

impl Found {
    /// Reads a folder of records. The bot may be running.
    ///
    /// # Errors
    /// If there is no history, or it is damaged.
    pub fn read(folder: &Path) -> Result<Found, String> {
        let path = folder.join("history.jsonl");
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let file = File::open(&path).map_err(|error| wrong(&error))?;
        let (mut records, _) =
            Records::open(BufReader::new(file), HISTORY).map_err(|error| wrong(&error))?;
        let mut history = Vec::new();
        while let Some(record) = records.next_record().map_err(|error| wrong(&error))? {
            history.push(serde_json::from_slice(record).map_err(|error| wrong(&error))?);
        }
        let games = match File::open(folder.join("games.ggf")) {
            Ok(file) => {
                Format::Ggf.read(BufReader::new(file), Default::default()).flatten().collect()
            }
            Err(_) => Vec::new(),
        };
        Ok(Found { history, games })
    }

    /// The results, oldest first.
    pub fn results(&self) -> impl Iterator<Item = &ResultLine> {
        self.history.iter().filter_map(|line| match line {
            HistoryLine::Result { line, .. } => Some(line),
            HistoryLine::Rating { .. } => None,
        })
    }

    /// How many games there are.
    pub fn games(&self) -> usize {
        self.games.len()
    }

    /// The bot's name: the one that is in every game.
    fn name(&self) -> Option<&str> {
        let first = self.games.first()?;
        let names = [&first.black.name, &first.white.name];
        let everywhere = |name: &&&String| {
            self.games.iter().all(|game| [&game.black.name, &game.white.name].contains(*name))
        };
        let opponent = self.results().next().map(|line| line.opponent.as_str());
        let mut found = names.iter().filter(everywhere).map(|name| name.as_str());
        found.find(|name| Some(*name) != opponent)
    }

    /// The whole page.
    pub fn page(&self) -> String {
        let title = format!("{} on GGS", self.name().unwrap_or("Kitai"));
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\
             <style>{STYLE}</style></head><body>\n<h1>{0}</h1>\n<p>{1} matches.</p>\n",
            escape(&title),
            self.results().count()
        );
        self.ratings(&mut page);
        self.table(&mut page, "opponent", |line| line.opponent.clone());
        self.table(&mut page, "type", |line| line.game_type.clone());
        self.table(&mut page, "colour", |line| line.color.clone().unwrap_or("both".to_owned()));
        self.time_use(&mut page);
        self.worst_moves(&mut page);
        page.push_str("</body></html>\n");
        page
    }

    fn ratings(&self, page: &mut String) {
        let mut pools: BTreeMap<&str, Vec<(f64, f64, f64, f64)>> = BTreeMap::new();
        let mut first = None;
        for line in &self.history {
            if let HistoryLine::Rating { time, line } = line {
                let start = *first.get_or_insert(*time);
                let days = time.saturating_sub(start) as f64 / 86_400.0;
                let (rating, margin) = (line.rating, line.deviation);
                let point = (days, rating - margin, rating, rating + margin);
                pools.entry(&line.pool).or_default().push(point);
            }
        }
        let Some(start) = first else { return };
        let since = format!("days since {}", date::stamp(start));
        let axes = Axes { x: &since, y: "rating", ..Axes::default() };
        let series: Vec<Series> = pools
            .into_iter()
            .map(|(name, points)| Series { name: name.to_owned(), points, look: Look::Line })
            .collect();
        let _ = writeln!(page, "<h2>Rating</h2>\n{}", plot::lines(&axes, &series));
    }

    fn table(&self, page: &mut String, name: &str, key: impl Fn(&ResultLine) -> String) {
        let mut rows: BTreeMap<String, Tally> = BTreeMap::new();
        for line in self.results() {
            rows.entry(key(line)).or_default().add(line);
        }
        let _ = writeln!(
            page,
            "<h2>By {name}</h2>\n<table><tr><th>{name}</th><th>+ = −</th><th>score</th>\
             <th>mean discs</th><th>seconds a move</th></tr>"
        );
        for (key, Tally { wins, draws, losses, discs, moves, seconds }) in rows {
            let matches = f64::from((wins + draws + losses).max(1));
            let points = f64::from(wins) + 0.5 * f64::from(draws);
            let _ = writeln!(
                page,
                "<tr><td>{}</td><td>{wins} {draws} {losses}</td><td>{:.1} %</td><td>{}</td>\
                 <td>{:.2}</td></tr>",
                escape(&key),
                100.0 * points / matches,
                signed(discs / matches, 2),
                seconds / moves.max(1) as f64
            );
        }
        page.push_str("</table>\n");
    }

    /// The bot's moves of a game: ply, value before the move as it saw it, seconds.
    fn own_moves<'g>(
        &self,
        game: &'g GameRecord,
    ) -> impl Iterator<Item = (usize, Move, Option<f64>, Option<f64>)> + 'g {
        let name = self.name().unwrap_or("").to_owned();
        let plies = game.history.boards().iter().zip(game.history.moves()).enumerate();
        plies.filter_map(move |(ply, (board, &played))| {
            let own = game.player(board.turn).name == name && played != Move::Pass;
            let note = game.note(ply);
            own.then_some((ply, played, note.eval, note.seconds))
        })
    }

    fn time_use(&self, page: &mut String) {
        let mut by_ply: BTreeMap<usize, (f64, u32)> = BTreeMap::new();
        for game in &self.games {
            for (ply, _, _, seconds) in self.own_moves(game) {
                if let Some(seconds) = seconds {
                    let entry = by_ply.entry(ply).or_default();
                    *entry = (entry.0 + seconds, entry.1 + 1);
                }
            }
        }
        if by_ply.is_empty() {
            return;
        }
        let points =
            by_ply.iter().map(|(ply, (sum, count))| (*ply as f64, sum / f64::from(*count)));
        let axes = Axes { x: "move", y: "mean seconds", whole: (true, false), ..Axes::default() };
        let chart = plot::lines(&axes, &[Series::line("time", points)]);
        let _ = writeln!(page, "<h2>Time use</h2>\n{chart}");
    }

    /// Moves after which the bot's own value fell most until its next move.
    fn worst_moves(&self, page: &mut String) {
        let mut found: Vec<(f64, usize, &GameRecord, Move)> = Vec::new();
        for game in &self.games {
            let own: Vec<_> = self.own_moves(game).collect();
            for pair in own.windows(2) {
                if let (Some(before), Some(after)) = (pair[0].2, pair[1].2) {
                    found.push((before - after, pair[0].0, game, pair[0].1));
                }
            }
        }
        found.sort_by(|one, other| other.0.total_cmp(&one.0));
        page.push_str(
            "<h2>Worst moves</h2>\n<p>Where the bot's own value fell most from one of its moves \
             to the next.</p>\n<table><tr><th>game</th><th>move</th><th>discs lost</th></tr>\n",
        );
        for (loss, ply, game, played) in found.into_iter().filter(|f| f.0 > 0.0).take(WORST) {
            let (black, white) = (&game.player(Color::Black).name, &game.player(Color::White).name);
            let _ = writeln!(
                page,
                "<tr><td>{} – {}, {}, {}</td><td>{}. {played}</td><td>{loss:.2}</td></tr>",
                escape(black),
                escape(white),
                escape(&game.game_type),
                escape(&game.date),
                ply + 1
            );
        }
        page.push_str("</table>\n");
    }
}
