//! What a book holds: one position, the whole in figures, and whether it is sound.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::open_to_read;
use crate::book::options::BUILTIN;
use crate::book::{self, Lookup, Value, grow};
use crate::cli::{CliError, Output};
use crate::othello::Position;
use crate::record::transcript;
use crate::search::report::DepthLabel;
use crate::text;

/// Show what the book knows about a position
#[derive(clap::Args, Debug)]
pub(in crate::cli) struct ShowArgs {
    /// Moves from the usual start (f5d6c3), or 64 squares and the side to move; nothing for the
    /// start
    #[arg(default_value = "", allow_hyphen_values = true)]
    position: String,
    /// The book
    #[arg(long, short, value_name = "BOOK", default_value = BUILTIN)]
    book: PathBuf,
}

/// Figures of a book: positions by ply, games, depths
#[derive(clap::Args, Debug)]
pub(in crate::cli) struct StatsArgs {
    /// The book
    #[arg(default_value = BUILTIN)]
    book: PathBuf,
}

/// Check a book: checksums, every value against what follows it, every move
#[derive(clap::Args, Debug)]
pub(in crate::cli) struct CheckArgs {
    /// The book
    #[arg(default_value = BUILTIN)]
    book: PathBuf,
}

#[derive(Serialize)]
struct Shown {
    opening: Option<&'static str>,
    found: Option<Lookup>,
}

fn label(value: Value) -> String {
    DepthLabel(value.depth.into(), value.certainty()).to_string()
}

/// One position.
pub(super) fn show(args: &ShowArgs, output: &mut Output) -> Result<(), CliError> {
    let history = match args.position.trim() {
        "" => Default::default(),
        text => transcript::parse(text).map_err(CliError::usage)?,
    };
    let book = open_to_read(&args.book)?;
    let found = book.lookup(history.board().position);
    let opening = book::opening_name(&history);
    if let Some(name) = opening {
        output.line(format_args!("{name}"))?;
    }
    match &found {
        None => output.line("not in the book")?,
        Some(found) => print(found, output)?,
    }
    output.object(&Shown { opening, found })
}

fn print(found: &Lookup, output: &mut Output) -> Result<(), CliError> {
    let value = |value: Option<Value>| match value {
        Some(value) => format!("{} (depth {})", value.score, label(value)),
        None => "unknown".to_owned(),
    };
    let results = found.results;
    output.line(format_args!(
        "value {}, searched by itself {}; games +{} ={} -{} for the side to move",
        value(found.value),
        value(found.searched),
        results.wins,
        results.draws,
        results.losses
    ))?;
    for known in &found.moves {
        output.line(format_args!(
            "  {} {:>7}  depth {:<6} {:>6} games{}",
            known.played,
            known.value.score.to_string(),
            label(known.value),
            known.games,
            if known.leaves { "  leads out of the book" } else { "" }
        ))?;
    }
    Ok(())
}

#[derive(Serialize)]
struct Stats {
    positions: usize,
    valued: usize,
    exact: usize,
    learnt_positions: usize,
    learnt_games: usize,
    games_at_start: u32,
    by_ply: BTreeMap<u32, usize>,
    by_depth: BTreeMap<u8, usize>,
}

/// The whole in figures.
pub(super) fn stats(args: &StatsArgs, output: &mut Output) -> Result<(), CliError> {
    let book = open_to_read(&args.book)?;
    let start = book.find(Position::START).map(|(entry, _)| entry.results.games());
    let mut stats = Stats {
        positions: book.len(),
        valued: 0,
        exact: 0,
        learnt_positions: 0,
        learnt_games: book.games().len(),
        games_at_start: start.unwrap_or(0),
        by_ply: BTreeMap::new(),
        by_depth: BTreeMap::new(),
    };
    for (position, entry) in book.entries() {
        stats.valued += usize::from(entry.value.is_some());
        stats.exact += usize::from(entry.value.is_some_and(Value::is_exact));
        stats.learnt_positions += usize::from(entry.learnt);
        *stats.by_ply.entry(60u32.saturating_sub(position.empty_count())).or_default() += 1;
        if let Some(alternative) = entry.alternative {
            *stats.by_depth.entry(alternative.value.depth).or_default() += 1;
        }
    }
    output.line(format_args!(
        "{}, {} with a value, {} of them exact; {} from {}; {} counted",
        text::count(stats.positions as u64, "position"),
        stats.valued,
        stats.exact,
        stats.learnt_positions,
        text::count(stats.learnt_games as u64, "learnt game"),
        text::count(u64::from(stats.games_at_start), "game")
    ))?;
    let list = |counts: Vec<String>| counts.join(", ");
    let by_ply = stats.by_ply.iter().map(|(ply, count)| format!("{ply}: {count}")).collect();
    output.line(format_args!("positions by ply: {}", list(by_ply)))?;
    let by_depth =
        stats.by_depth.iter().map(|(depth, count)| format!("{depth}: {count}")).collect();
    output
        .line(format_args!("best moves out of the book by depth of search: {}", list(by_depth)))?;
    output.object(&stats)
}

#[derive(Serialize)]
struct Checked {
    positions: usize,
    wrong_values: usize,
    illegal_moves: usize,
}

/// Whether it is sound.
pub(super) fn check(args: &CheckArgs, output: &mut Output) -> Result<(), CliError> {
    let book = open_to_read(&args.book)?;
    let illegal = |(position, entry): &(Position, book::Entry)| {
        entry.alternative.is_some_and(|a| position.after(a.played).is_none())
    };
    let checked = Checked {
        positions: book.len(),
        wrong_values: grow::wrong_values(&book),
        illegal_moves: book.entries().filter(illegal).count(),
    };
    output.line(format_args!(
        "{}: {} with a value that does not agree with what follows, {} with a move that is not legal",
        text::count(checked.positions as u64, "position"),
        checked.wrong_values,
        checked.illegal_moves
    ))?;
    output.object(&checked)?;
    if checked.wrong_values + checked.illegal_moves > 0 {
        return Err(CliError::Found("the book is not sound".to_owned()));
    }
    Ok(())
}
