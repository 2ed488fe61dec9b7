//! `kitai analyze`: what each move of a game gave away, and what would have been better.

use std::path::{Path, PathBuf};

use super::common::{EngineArgs, stop_on_interrupt};
use super::{CliError, Output, progress};
use crate::book;
use crate::engine::review::{MoveReview, review};
use crate::othello::Color;
use crate::plot::{Axes, Series, lines};
use crate::record::{self, GameRecord, transcript};
use crate::score::Score;
use crate::search::limits::{DEPTH, MOVE_TIME, NODES, PLAYOUTS};
use crate::search::{Limits, build};

/// Analyze every move of a game: its loss, the best line, the course of the score.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
kitai analyze f5d6c3d3c4f4c5b3c2\n  \
kitai analyze game.ggf --svg game.svg\n  \
kitai analyze games.wtb --number 3 --set depth=16 --set exact-from=22")]
pub(super) struct Args {
    /// A transcript (f5d6c3…), or a file with games in any format Kitai reads
    game: String,
    /// Which game of the file, from 1
    #[arg(long, default_value_t = 1)]
    number: usize,
    /// Write the course of the score as an SVG chart
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Depth in plies and empties to solve from when no limit is given.
const DEFAULT_DEPTH: &str = "14";
const DEFAULT_EXACT_FROM: &str = "20";

/// Runs the command.
///
/// # Errors
/// If the game cannot be read, an option is wrong or a file cannot be written.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    let record = read(args)?;
    let mut options = args.engine.options()?;
    let limited =
        [&DEPTH, &NODES, &PLAYOUTS, &MOVE_TIME].iter().any(|limit| options.get(limit) > 0);
    if !limited {
        options.set("depth", DEFAULT_DEPTH).map_err(CliError::input)?;
        options.set("exact-from", DEFAULT_EXACT_FROM).map_err(CliError::input)?;
    }
    let limits = Limits::from_options(&options);
    let mut method = build(&options).map_err(CliError::input)?;
    let stop = stop_on_interrupt();
    let moves = record.history.moves();
    let bar = progress::steps(moves.len() as u64, "moves");
    let rows = review(&record.history, method.as_mut(), limits, &stop, &mut || bar.inc(1));
    bar.finish_and_clear();
    if let Some(name) = book::opening_name(&record.history) {
        output.line(format_args!("Opening: {name}"))?;
    }
    print(&rows, output)?;
    if let Some(path) = &args.svg {
        let chart = chart(&record, &rows);
        std::fs::write(path, chart)
            .map_err(|error| CliError::io(path.display().to_string(), error))?;
    }
    if stop.is_stopped() {
        let text = format!("stopped: {} of {} moves analyzed", rows.len(), moves.len());
        return Err(CliError::Found(text));
    }
    Ok(())
}

fn read(args: &Args) -> Result<GameRecord, CliError> {
    let path = Path::new(&args.game);
    if !path.exists() {
        return transcript::parse(&args.game).map(GameRecord::of).map_err(|error| {
            CliError::Input(format!("`{}` is no file and no transcript: {error}", args.game))
        });
    }
    let mut games = record::open(path).map_err(CliError::input)?;
    match games.nth(args.number.max(1) - 1) {
        Some(game) => game.map_err(|error| CliError::input(error.in_file(&args.game))),
        None => Err(CliError::Input(format!("{} has no game {}", args.game, args.number))),
    }
}

/// Half-width of the terminal graph, characters; one stands for two discs.
const BAR: usize = 16;

fn print(rows: &[MoveReview], output: &mut Output) -> Result<(), CliError> {
    output.line(format_args!(
        "  #        move   score    loss  best   score   depth  {:^33}  best line",
        "white ahead | black ahead"
    ))?;
    for row in rows {
        output.line(format_args!(
            "{:>3} {:>6} {:>5} {:>7} {:>7} {:>5} {:>7} {:>7}  {}  {}",
            row.number,
            row.color.to_string(),
            row.played,
            row.score.to_string(),
            if row.loss.hundredths() == 0 {
                String::new()
            } else {
                format!("-{}", row.loss.discs())
            },
            row.best,
            row.best_score.to_string(),
            row.depth,
            bar(row.black_score),
            row.best_line
        ))?;
        output.object(row)?;
    }
    for color in [Color::Black, Color::White] {
        let losses: Vec<f64> =
            rows.iter().filter(|row| row.color == color).map(|row| row.loss.discs()).collect();
        output.line(format_args!(
            "{color}: {:.2} discs given away in {} moves",
            losses.iter().sum::<f64>(),
            losses.len()
        ))?;
    }
    Ok(())
}

/// A bar to the right for Black's lead, to the left for White's.
fn bar(score: Score) -> String {
    let length = ((score.discs().abs() / 2.0).round() as usize).min(BAR);
    let (left, right) = if score.hundredths() < 0 { (length, 0) } else { (0, length) };
    format!("{:>BAR$}|{:<BAR$}", "#".repeat(left), "#".repeat(right))
}

fn chart(record: &GameRecord, rows: &[MoveReview]) -> String {
    let name = |text: &str, color: Color| {
        if text.is_empty() { color.to_string() } else { text.to_owned() }
    };
    let title = format!(
        "{} v {}{}",
        name(&record.black.name, Color::Black),
        name(&record.white.name, Color::White),
        book::opening_name(&record.history).map_or(String::new(), |opening| format!(", {opening}"))
    );
    let curve = |pick: fn(&MoveReview) -> f64| -> Vec<(f64, f64)> {
        rows.iter().map(|row| (row.number as f64, pick(row))).collect()
    };
    lines(
        &Axes { title: &title, x: "move", y: "discs, Black's view", ..Axes::default() },
        &[
            Series::line("score after the move", curve(|row| row.black_score.discs())),
            Series::line("given away by the move", curve(|row| row.loss.discs())),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_leans_to_the_side_that_leads() {
        assert_eq!(bar(Score::whole(0)).trim(), "|");
        assert_eq!(bar(Score::whole(6)).trim(), "|###");
        assert_eq!(bar(Score::whole(-4)).trim(), "##|");
        assert_eq!(bar(Score::whole(64)).chars().count(), 2 * BAR + 1);
    }
}
