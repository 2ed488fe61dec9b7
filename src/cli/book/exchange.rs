//! Games and other programs' books in, other programs' books out.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{open_to_read, open_to_write};
use crate::book::foreign::{self, Foreign};
use crate::book::games::{Tally, scored_line};
use crate::book::{self, BookFile, builtin, grow};
use crate::cli::{CliError, Output};
use crate::record::{self, whole_file};
use crate::text;

/// Take games or another program's book in: positions with results, values and best moves
#[derive(clap::Args, Debug)]
pub(in crate::cli) struct ImportArgs {
    /// The book; begun if there is none
    book: PathBuf,
    /// Books of Edax (dat) and Egaroucid (egbk3), and games (ggf, sgf, txt, obf, wtb); a line of a
    /// txt file may carry a score for Black
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Take in positions of at least so many games
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_games: u32,
    /// Look at so many plies of each game
    #[arg(long, value_name = "N", default_value_t = 36)]
    plies: usize,
}

/// Write a book for Edax (.dat) or Egaroucid (.egbk3), by the extension
#[derive(clap::Args, Debug)]
pub(in crate::cli) struct ExportArgs {
    /// The book
    book: PathBuf,
    /// The file to write
    output: PathBuf,
}

/// Take all positions of other books in; what was searched deeper stays
#[derive(clap::Args, Debug)]
pub(in crate::cli) struct MergeArgs {
    /// The book to change; begun if there is none
    book: PathBuf,
    /// Books to read: files, or `builtin`
    #[arg(required = true)]
    from: Vec<PathBuf>,
}

/// Remove positions that good play does not reach
#[derive(clap::Args, Debug)]
pub(in crate::cli) struct PruneArgs {
    /// The book
    book: PathBuf,
    /// Keep positions whose every move on some way gave away at most so many discs
    #[arg(long, value_name = "DISCS", default_value_t = 4.0)]
    move_error: f64,
    /// Keep positions that some way leads to on which at most so many discs were given away
    #[arg(long, value_name = "DISCS", default_value_t = 8.0)]
    line_error: f64,
    /// Also remove positions with fewer empty squares
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_empties: u32,
}

/// Pack a book as the program embeds it (src/book/builtin.bin)
#[derive(clap::Args, Debug)]
pub(in crate::cli) struct PackArgs {
    /// The book
    book: PathBuf,
    /// The packed file
    output: PathBuf,
}

#[derive(Serialize)]
struct Imported {
    games: u64,
    skipped: u64,
    positions: usize,
}

/// Games into a book.
pub(super) fn import(args: &ImportArgs, output: &mut Output) -> Result<(), CliError> {
    let mut file = open_to_write(&args.book)?;
    let (mut tally, mut skipped) = (Tally::default(), 0);
    for path in &args.files {
        if let Some(format) = Foreign::of_path(path) {
            let named = |error| CliError::Input(format!("{}: {error}", path.display()));
            let other = format.open(path).map_err(named)?;
            foreign::merge(file.book_mut(), &other);
            continue;
        }
        skipped += count(path, args.plies, &mut tally)?;
    }
    for change in tally.changes(file.book(), args.min_games) {
        file.book_mut().apply(&change);
    }
    book::negamax(file.book_mut());
    file.compact()?;
    let imported = Imported { games: tally.games(), skipped, positions: file.book().len() };
    output.line(format_args!(
        "{}: {} ({} could not be read), {}",
        args.book.display(),
        text::count(imported.games, "game"),
        imported.skipped,
        text::count(imported.positions as u64, "position")
    ))?;
    output.object(&imported)
}

/// Counts the games of a file; how many could not be read.
fn count(path: &Path, plies: usize, tally: &mut Tally) -> Result<u64, CliError> {
    let mut skipped = 0;
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("txt")) {
        let text = crate::files::read(path, 1 << 30)
            .map_err(|error| CliError::io(path.display().to_string(), error.into()))?;
        for line in String::from_utf8_lossy(&text).lines() {
            let line = line.trim();
            if line.is_empty() || line.starts_with(['#', '%']) {
                continue;
            }
            let plain = || record::transcript::parse(line).ok().map(record::GameRecord::of);
            match scored_line(line).or_else(plain) {
                Some(game) => tally.add(&game, plies),
                None => skipped += 1,
            }
        }
        return Ok(skipped);
    }
    for game in record::open(path).map_err(CliError::input)? {
        match game {
            Ok(game) => tally.add(&game, plies),
            Err(_) => skipped += 1,
        }
    }
    Ok(skipped)
}

/// How many positions a book has, in words.
fn positions(book: &book::Book) -> String {
    text::count(book.len() as u64, "position")
}

/// A book for another program.
pub(super) fn export(args: &ExportArgs, output: &mut Output) -> Result<(), CliError> {
    let format = Foreign::of_path(&args.output).ok_or_else(|| {
        CliError::usage(format!("{}: the extension must be dat or egbk3", args.output.display()))
    })?;
    let book = open_to_read(&args.book)?;
    let bytes = format.write(&book);
    let name = args.output.display().to_string();
    whole_file::write(&args.output, &bytes).map_err(|error| CliError::io(&name, error))?;
    output.line(format_args!("{name}: {} bytes from {}", bytes.len(), positions(&book)))
}

/// Other books into one.
pub(super) fn merge(args: &MergeArgs, output: &mut Output) -> Result<(), CliError> {
    let mut file = open_to_write(&args.book)?;
    for from in &args.from {
        let other = open_to_read(from)?;
        let new = foreign::merge(file.book_mut(), &other);
        output.line(format_args!(
            "{}: {}",
            from.display(),
            text::count(new as u64, "new position")
        ))?;
    }
    file.compact()?;
    output.line(format_args!("{}: {}", args.book.display(), positions(file.book())))
}

/// A smaller book.
pub(super) fn prune(args: &PruneArgs, output: &mut Output) -> Result<(), CliError> {
    let mut file = BookFile::open(&args.book)?;
    let before = file.book().len();
    let removed = grow::prune(file.book_mut(), args.move_error, args.line_error, args.min_empties);
    file.compact()?;
    let before = text::count(before as u64, "position");
    output.line(format_args!("{}: {removed} of {before} removed", args.book.display()))
}

/// A book for embedding.
pub(super) fn pack(args: &PackArgs, output: &mut Output) -> Result<(), CliError> {
    let book = open_to_read(&args.book)?;
    let name = args.output.display().to_string();
    let bytes = builtin::pack(&book).map_err(|error| CliError::io(&name, error))?;
    whole_file::write(&args.output, &bytes).map_err(|error| CliError::io(&name, error))?;
    output.line(format_args!("{name}: {}, {} bytes", positions(&book), bytes.len()))
}
