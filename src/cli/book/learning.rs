//! Games into a book one by one, the list of them, and taking one back.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::{open_to_read, open_to_write};
use crate::book::study::Judge;
use crate::book::{self, BookFile, LearntGame, learn};
use crate::cli::common::{EngineArgs, stop_on_interrupt};
use crate::cli::{CliError, Output, progress};
use crate::record::{self, transcript};
use crate::search::{Limits, build};
use crate::text;

/// Learn games: every position with the best move that was not played, the result carried back
#[derive(clap::Args, Debug)]
#[command(after_help = "Without games it goes on with those that an interrupted run or a server \
left unfinished.\n\nExample:\n  kitai book learn my.kbook lost.ggf --depth 16")]
pub(in crate::cli) struct LearnArgs {
    /// The book; begun if there is none
    book: PathBuf,
    /// Files of games (ggf, sgf, txt, obf, wtb)
    files: Vec<PathBuf>,
    /// Depth of the searches, plies
    #[arg(long, default_value_t = 14)]
    depth: u32,
    /// Solve positions with so few empty squares
    #[arg(long, value_name = "N", default_value_t = 18)]
    exact_from: u32,
    #[command(flatten)]
    engine: EngineArgs,
}

/// List the games that a book has learnt
#[derive(clap::Args, Debug)]
pub(in crate::cli) struct LearntArgs {
    /// The book
    book: PathBuf,
}

/// Take a learnt game back
#[derive(clap::Args, Debug)]
pub(in crate::cli) struct UndoArgs {
    /// The book
    book: PathBuf,
    /// The number of the game in `kitai book learnt`
    #[arg(required = true)]
    games: Vec<u32>,
}

/// Games into a book.
pub(super) fn learn(args: &LearnArgs, output: &mut Output) -> Result<(), CliError> {
    let mut file = open_to_write(&args.book)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    for path in &args.files {
        let name = path.display().to_string();
        for game in record::open(path).map_err(CliError::input)? {
            let game = game.map_err(|error| CliError::input(error.in_file(&name)))?;
            learn::enter(&mut file, &game, &name, now)?;
        }
    }
    let waiting = file.book().games().values().filter(|game| !game.is_done()).count();
    let mut options = args.engine.options()?;
    options.set("exact-from", &args.exact_from.to_string()).map_err(CliError::usage)?;
    let mut method = build(&options).map_err(CliError::usage)?;
    let stop = stop_on_interrupt();
    let limits = Limits::depth(args.depth);
    let mut judge = Judge { method: method.as_mut(), limits, stop: &stop };
    let bar = progress::steps(waiting as u64, "games");
    let mut last = None;
    learn::learn_all(&mut file, &mut judge, args.exact_from, &mut |game| {
        if last.replace(game.number).is_some_and(|last| last != game.number) {
            bar.inc(1);
        }
    })?;
    bar.finish_and_clear();
    let left = file.book().games().values().filter(|game| !game.is_done()).count();
    output.line(format_args!(
        "{}: {} learnt, {}",
        args.book.display(),
        text::count((waiting - left) as u64, "game"),
        text::count(file.book().len() as u64, "position")
    ))?;
    file.close()?;
    if left > 0 {
        return Err(CliError::Found(format!(
            "stopped, {} to go; the same command without games goes on",
            text::count(left as u64, "game")
        )));
    }
    Ok(())
}

#[derive(Serialize)]
struct Listed<'a> {
    number: u32,
    source: &'a str,
    learnt_at: u64,
    moves: String,
    result: Option<i32>,
    opening: Option<&'static str>,
    done: bool,
}

/// The list.
pub(super) fn learnt(args: &LearntArgs, output: &mut Output) -> Result<(), CliError> {
    let book = open_to_read(&args.book)?;
    for game in book.games().values() {
        let listed = Listed {
            number: game.number,
            source: &game.source,
            learnt_at: game.learnt_at,
            moves: transcript::write(&game.history),
            result: game.result,
            opening: book::opening_name(&game.history),
            done: game.is_done(),
        };
        output.line(format_args!(
            "{:>4}  {}  {}{}  {}{}",
            listed.number,
            listed.source,
            listed.result.map_or("?".to_owned(), |discs| format!("{discs:+}")),
            listed.opening.map_or(String::new(), |name| format!("  {name}")),
            listed.moves,
            if listed.done { "" } else { "  (not all learnt yet)" }
        ))?;
        output.object(&listed)?;
    }
    let waiting = book.games().values().filter(|game: &&LearntGame| !game.is_done()).count();
    let games = text::count(book.games().len() as u64, "game");
    output.line(format_args!("{games}, {waiting} of them not all learnt"))
}

/// One game less.
pub(super) fn undo(args: &UndoArgs, output: &mut Output) -> Result<(), CliError> {
    let mut file = BookFile::open(&args.book)?;
    for &number in &args.games {
        let before = file.book().len();
        let changes = learn::take_back(file.book(), number).map_err(CliError::input)?;
        file.commit(&changes)?;
        output.line(format_args!(
            "game {number} taken back; {} left the book",
            text::count((before - file.book().len()) as u64, "position")
        ))?;
    }
    file.negamax()?;
    Ok(file.close()?)
}
