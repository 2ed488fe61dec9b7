//! `kitai play`: a person against any method, in the terminal.

mod adaptive;
mod opponent;
mod table;
mod typed;
mod wish;

use std::io::IsTerminal;
use std::path::PathBuf;

use super::common::EngineArgs;
use super::{CliError, Output, common, input};
use crate::book::options::BOOK;
use crate::book::shared::LEARN_DEPTH;
use crate::book::{self, Learner, SharedBook};
use crate::othello::Color;
use crate::record::GameRecord;
use adaptive::Person;
use opponent::{Opponent, PlayError};
use table::{Table, View};
use typed::{Stream, Terminal, Typed};
use wish::Level;

/// Play a game against Kitai
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  kitai play --level 3\n  kitai play --level adaptive --color white\n  \
kitai play --start f5d6c3 --set method=uct --set playouts=5000\n  kitai play --start game.ggf\n\nAt the prompt: a \
square such as f5, hint, undo, new, level, flip, save, load, review, resign, help, quit."
)]
pub(super) struct Args {
    /// Your colour
    #[arg(long, value_enum, default_value_t = Side::Black)]
    color: Side,
    /// How strong Kitai plays: 0 (for children) to 10, or adaptive (near your own strength)
    #[arg(long, value_name = "LEVEL", conflicts_with = "config")]
    level: Option<Level>,
    /// Begin here: moves, 64 squares and the side to move, a file of any format, or a game's text
    #[arg(long, value_name = "GAME", allow_hyphen_values = true)]
    start: Option<String>,
    /// Learn the games into this opening book (FILE.kbook), begun if there is none, and play from it
    #[arg(long, value_name = "BOOK")]
    learn: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
}

/// Who the person is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Side {
    /// Moves first from the usual start.
    Black,
    /// Moves second.
    White,
}

/// Columns of a terminal that does not tell.
const USUAL_WIDTH: usize = 80;

/// Runs the command.
///
/// # Errors
/// If the position or an option cannot be used, or the terminal fails.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    if output.is_json() {
        return Err(CliError::usage("play is for people: it has no --json"));
    }
    let record = match args.start.as_deref() {
        Some("-") => return Err(CliError::usage("play reads your moves from standard input")),
        Some(text) => input::one(text, 1)?,
        None => GameRecord::default(),
    };
    let human = match args.color {
        Side::Black => Color::Black,
        Side::White => Color::White,
    };
    let mut options = args.engine.options_for_a_person()?;
    let learner = match &args.learn {
        None => None,
        Some(path) => {
            let book = SharedBook::open_to_learn(path)?;
            if options.get(&BOOK).is_empty() {
                options.put(&BOOK, path.display().to_string()).map_err(CliError::usage)?;
            }
            Some(Learner::start(book, &options, LEARN_DEPTH).map_err(CliError::usage)?)
        }
    };
    book::options::use_builtin_by_default(&mut options);
    let level = args.level.unwrap_or(Level::Options);
    let view = View {
        color: output.color(),
        width: console::Term::stdout().size_checked().map_or(USUAL_WIDTH, |(_, w)| w.into()),
        today: common::today(),
    };
    let opponent = Opponent::new(options, level, person_file()).map_err(CliError::usage)?;
    let terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let typed: Box<dyn Typed> = if terminal {
        Box::new(Terminal::new().map_err(|error| CliError::io("terminal", error))?)
    } else {
        Box::new(Stream(std::io::stdin().lock()))
    };
    let mut table = Table::new(typed, std::io::stdout().lock(), opponent, human, record, view)
        .learning_with(learner);
    table.play().map_err(|error| match error {
        PlayError::Io(source) => CliError::io("terminal", source),
        PlayError::Search(source) => CliError::usage(source),
        PlayError::Level(source) => CliError::usage(source),
        PlayError::Book(source) => source.into(),
    })
}

/// Where the adaptive level keeps what it knows of the person; nowhere without a home.
fn person_file() -> Option<PathBuf> {
    Some(dirs::data_local_dir()?.join("kitai").join("person.json"))
}

/// The person that the adaptive level knows.
fn person(file: Option<&PathBuf>, ladder: &[adaptive::Rung]) -> Person {
    file.map_or_else(|| Person::new(ladder), |path| Person::load(path, ladder))
}
