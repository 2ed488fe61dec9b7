//! `kitai book`: look into an opening book, make it larger, take games and other books in.

mod exchange;
mod grow;
mod learning;
mod show;

use std::path::Path;

use super::{CliError, Output};
use crate::book::options::BUILTIN;
use crate::book::{self, Book, BookError, BookFile, builtin};

/// Look into opening books, make, grow and exchange them
#[derive(clap::Args, Debug)]
#[command(
    after_help = "A book is a file, or `builtin` for the one that comes with the program.\n\n\
Examples:\n  kitai book show f5d6c3\n  kitai book import my.kbook games.wtb --min-games 20\n  \
kitai book grow my.kbook --hours 8 --depth 18"
)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    Show(show::ShowArgs),
    Stats(show::StatsArgs),
    Check(show::CheckArgs),
    Grow(Box<grow::Args>),
    Import(exchange::ImportArgs),
    Export(exchange::ExportArgs),
    Merge(exchange::MergeArgs),
    Prune(exchange::PruneArgs),
    Learn(learning::LearnArgs),
    Learnt(learning::LearntArgs),
    Undo(learning::UndoArgs),
    Pack(exchange::PackArgs),
}

/// Runs the command.
///
/// # Errors
/// If a book or another file cannot be used.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    match &args.command {
        Command::Show(args) => show::show(args, output),
        Command::Stats(args) => show::stats(args, output),
        Command::Check(args) => show::check(args, output),
        Command::Grow(args) => grow::run(args, output),
        Command::Import(args) => exchange::import(args, output),
        Command::Export(args) => exchange::export(args, output),
        Command::Merge(args) => exchange::merge(args, output),
        Command::Prune(args) => exchange::prune(args, output),
        Command::Learn(args) => learning::learn(args, output),
        Command::Learnt(args) => learning::learnt(args, output),
        Command::Undo(args) => learning::undo(args, output),
        Command::Pack(args) => exchange::pack(args, output),
    }
}

impl From<BookError> for CliError {
    fn from(error: BookError) -> CliError {
        CliError::input(error)
    }
}

/// A book to read: a file, or the built-in one.
fn open_to_read(name: &Path) -> Result<Book, CliError> {
    if name == Path::new(BUILTIN) {
        return Ok(builtin::book());
    }
    Ok(book::open_to_read(name)?)
}

/// A book to change, begun if there is none of this name.
fn open_to_write(name: &Path) -> Result<BookFile, CliError> {
    if name == Path::new(BUILTIN) {
        let text = "the built-in book cannot be changed: name a file";
        return Err(CliError::Input(text.to_owned()));
    }
    Ok(BookFile::open_or_create(name, Book::new)?)
}
