//! `kitai analyze`: what each move of a game gave away, and what would have been better.

use std::path::PathBuf;

use super::common::{EngineArgs, check_output, stop_on_interrupt, with_all_cores};
use super::input::GameArgs;
use super::{CliError, Output, progress};
use crate::book;
use crate::engine::review::{Accuracy, Mark, MoveReview, review};
use crate::othello::Color;
use crate::plot::{Axes, Series, lines};
use crate::record::{GameRecord, whole_file};
use crate::score::Score;
use crate::search::limits::{DEPTH, MOVE_TIME, NODES, PLAYOUTS};
use crate::search::{Limits, build};

/// Analyze every move of a game: its loss, the best line, the course of the score
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
kitai analyze f5d6c3d3c4f4c5b3c2\n  \
kitai analyze game.ggf --svg game.svg\n  \
kitai analyze games.wtb --number 3 --set depth=22 --set exact-from=26\n\n\
Moves that give away discs are marked: ?! two or more, ? five or more, ?? ten or more. Accuracy is \
the mean\nof exp(-loss/10) over the moves with a choice. With --json one object per move, then one \
per player.")]
pub(super) struct Args {
    #[command(flatten)]
    game: GameArgs,
    /// Write the course of the score as an SVG chart
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Depth in plies and empties to solve from when no limit is given.
const DEFAULT_DEPTH: &str = "20";
const DEFAULT_EXACT_FROM: &str = "24";

/// Runs the command.
///
/// # Errors
/// If the game cannot be read, an option is wrong or a file cannot be written.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    args.svg.as_deref().map_or(Ok(()), check_output)?;
    let record = args.game.read()?;
    let mut options = with_all_cores(args.engine.options()?)?;
    let limited =
        [&DEPTH, &NODES, &PLAYOUTS, &MOVE_TIME].iter().any(|limit| options.get(limit) > 0);
    if !limited {
        options.set("depth", DEFAULT_DEPTH).map_err(CliError::usage)?;
        options.set("exact-from", DEFAULT_EXACT_FROM).map_err(CliError::input)?;
    }
    let limits = Limits::from_options(&options);
    let mut method = build(&options).map_err(CliError::usage)?;
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
        whole_file::write(path, chart.as_bytes())
            .map_err(|error| CliError::io(path.display().to_string(), error))?;
    }
    if stop.is_stopped() {
        let text = format!("stopped: {} of {} moves analyzed", rows.len(), moves.len());
        return Err(CliError::Found(text));
    }
    Ok(())
}

/// Half-width of the terminal graph, characters; one stands for two discs.
const BAR: usize = 16;

fn print(rows: &[MoveReview], output: &mut Output) -> Result<(), CliError> {
    output.line(format_args!(
        "  #        move      score    loss  best   score   depth  {:^33}  best line",
        "white ahead | black ahead"
    ))?;
    for row in rows {
        output.line(format_args!(
            "{:>3} {:>6} {:>5}{:<3} {:>7} {:>7} {:>5} {:>7} {:>7}  {}  {}",
            row.number,
            row.color.to_string(),
            row.played,
            row.mark,
            row.score.to_string(),
            if row.loss.hundredths() == 0 {
                String::new()
            } else {
                format!("-{:.2}", row.loss.discs())
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
        if let Some(accuracy) = Accuracy::of(rows, color) {
            output.line(format_args!("{color}: {accuracy}"))?;
            output.object(&accuracy)?;
        }
    }
    Ok(())
}

/// A bar to the right for Black's lead, to the left for White's.
fn bar(score: Score) -> String {
    let length = ((score.discs().abs() / 2.0).round() as usize).min(BAR);
    let (left, right) = if score.hundredths() < 0 { (length, 0) } else { (0, length) };
    format!("{:>BAR$}|{:<BAR$}", "#".repeat(left), "#".repeat(right))
}

/// Half the width of a mistake's disc in the chart, in SVG units: the greater, the worse.
const MARKED: [(Mark, f64); 3] =
    [(Mark::Inaccuracy, 3.0), (Mark::Mistake, 4.5), (Mark::Blunder, 6.5)];

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
    let mut series = vec![Series::line(
        "score after the move",
        rows.iter().map(|row| (row.number as f64, row.black_score.discs())),
    )];
    for (color, fill) in [(Color::Black, "black"), (Color::White, "white")] {
        for (mark, radius) in MARKED {
            let marked = rows.iter().filter(|row| row.color == color && row.mark == mark);
            let points: Vec<_> =
                marked.map(|row| (row.number as f64, row.black_score.discs())).collect();
            if !points.is_empty() {
                series.push(Series::discs(&format!("{color} {mark}"), fill, radius, points));
            }
        }
    }
    lines(&Axes { title: &title, x: "move", y: "discs, Black's view", ..Axes::default() }, &series)
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
