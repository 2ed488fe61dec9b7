//! `kitai play`: a person against any method, in the terminal.

use std::io::{BufRead, Write};
use std::path::PathBuf;

use thiserror::Error;

use super::common::EngineArgs;
use super::show::drawn;
use super::{CliError, Output};
use crate::book::options::BOOK;
use crate::book::shared::LEARN_DEPTH;
use crate::book::{self, Learner, SharedBook};
use crate::engine::{GameState, Player, Task};
use crate::othello::{Color, Move, Square};
use crate::record::{Board, Ending, GameRecord, GameResult, Margin, Note, ggf, transcript};
use crate::search::report::DepthLabel;
use crate::search::{Limits, Origin, Outcome, StopFlag};

/// Play a game against Kitai
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  kitai play\n  kitai play --color white --config level-3\n  \
kitai play --start f5d6c3 --set method=uct --set playouts=5000\n\nAt the prompt: a square such as \
f5, hint, undo, resign, save FILE, help, quit.")]
pub(super) struct Args {
    /// Your colour
    #[arg(long, value_enum, default_value_t = Side::Black)]
    color: Side,
    /// Begin here: 64 squares and the side to move, or moves from the usual start
    #[arg(long, value_name = "POSITION", allow_hyphen_values = true)]
    start: Option<String>,
    /// Learn the game into this opening book (FILE.kbook), begun if there is none, and play from it
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

/// Runs the command.
///
/// # Errors
/// If the position or an option cannot be used, or the terminal fails.
pub(super) fn run(args: &Args, output: &mut Output) -> Result<(), CliError> {
    if output.is_json() {
        return Err(CliError::Input("play is for people: it has no --json".to_owned()));
    }
    let history = match &args.start {
        Some(text) => transcript::parse(text).map_err(CliError::input)?,
        None => Default::default(),
    };
    let human = match args.color {
        Side::Black => Color::Black,
        Side::White => Color::White,
    };
    let mut record = GameRecord::of(history);
    record.place = "Kitai".to_owned();
    record.player_mut(human).name = "you".to_owned();
    record.player_mut(!human).name = "Kitai".to_owned();
    let mut options = args.engine.options_for_play()?;
    let learner = match &args.learn {
        None => None,
        Some(path) => {
            let book = SharedBook::open_to_learn(path)?;
            if options.get(&BOOK).is_empty() {
                options.put(&BOOK, path.display().to_string()).map_err(CliError::input)?;
            }
            Some(Learner::start(book, &options, LEARN_DEPTH).map_err(CliError::input)?)
        }
    };
    book::options::use_builtin_by_default(&mut options);
    let mut table = Table {
        input: std::io::stdin().lock(),
        out: std::io::stdout().lock(),
        player: Player::new(options),
        game: GameState::of(record),
        human,
        color: output.color(),
        opening: None,
    };
    table.play().map_err(|error| match error {
        PlayError::Io(source) => CliError::io("terminal", source),
        PlayError::Search(source) => CliError::input(source),
    })?;
    match learner {
        Some(learner) if table.game.result().is_some() => learn(&learner, table.game.record()),
        _ => Ok(()),
    }
}

/// Learns the game that was played; an interrupted one is learnt the next time.
fn learn(learner: &Learner, record: &GameRecord) -> Result<(), CliError> {
    learner.learn(record, "play")?;
    eprintln!("Learning the game; Ctrl-C leaves the rest for the next time.");
    learner.finish();
    Ok(())
}

/// Why a game broke off.
#[derive(Debug, Error)]
enum PlayError {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("{0}")]
    Search(#[from] crate::options::OptionError),
}

/// The board between the two, and where the talking goes.
struct Table<R, W> {
    input: R,
    out: W,
    player: Player,
    game: GameState,
    human: Color,
    color: bool,
    /// The opening's name as it was said last.
    opening: Option<&'static str>,
}

/// What the person wants.
enum Wish {
    Play(Square),
    Hint,
    Undo,
    Resign,
    Save(String),
    Quit,
}

/// How deep a hint looks, plies: a moment's thought, and better than the weak levels' own.
const HINT_DEPTH: u32 = 12;
/// How many moves a hint shows.
const HINTS: usize = 4;

impl<R: BufRead, W: Write> Table<R, W> {
    fn play(&mut self) -> Result<(), PlayError> {
        writeln!(self.out, "You are {} ({}). `help` lists what you can type.", self.human, {
            self.human.symbol()
        })?;
        loop {
            let board = self.game.board();
            if board.position.is_over() {
                self.show()?;
                return self.end(None);
            }
            if board.position.must_pass() {
                writeln!(self.out, "{} must pass.", board.turn)?;
                self.note(Move::Pass, Note::default());
                continue;
            }
            if board.turn != self.human {
                self.reply(board)?;
                continue;
            }
            self.show()?;
            match self.ask()? {
                Wish::Play(square) if board.position.is_legal(square) => {
                    self.note(square.into(), Note::default());
                }
                Wish::Play(square) => {
                    writeln!(self.out, "{square} flips nothing; the crosses are your moves.")?;
                }
                Wish::Hint => self.hint(board)?,
                Wish::Undo => self.undo()?,
                Wish::Resign => return self.end(Some(self.human)),
                Wish::Save(file) => self.save(&file)?,
                Wish::Quit => return Ok(()),
            }
        }
    }

    /// Adds a move known to be legal.
    fn note(&mut self, played: Move, note: Note) {
        self.game.push(played, note).expect("only legal moves are played here");
    }

    fn reply(&mut self, board: Board) -> Result<(), PlayError> {
        write!(self.out, "Kitai thinks …")?;
        self.out.flush()?;
        let task = self.game.task(self.player.options(), board.turn, board.position);
        let outcome = self.player.search(&task, &StopFlag::new(), &mut |_| {})?;
        let played = outcome.best_move().unwrap_or(Move::Pass);
        let book = if outcome.origin == Origin::Book { " from the book" } else { "" };
        writeln!(self.out, "\rKitai plays {played}{book}. {}", evaluation(&outcome))?;
        let seconds = Some(outcome.elapsed.as_secs_f64());
        self.note(played, Note { eval: Some(outcome.score().discs()), seconds });
        self.name_opening()
    }

    /// Says the opening's name when the last moves gave it one.
    fn name_opening(&mut self) -> Result<(), PlayError> {
        let now = book::opening_name(self.game.history());
        if let Some(name) = now.filter(|_| now != self.opening) {
            writeln!(self.out, "Opening: {name}.")?;
        }
        self.opening = now;
        Ok(())
    }

    fn hint(&mut self, board: Board) -> Result<(), PlayError> {
        let task = Task::hint(board.position, Limits::depth(HINT_DEPTH), HINTS);
        let outcome = self.player.search(&task, &StopFlag::new(), &mut |_| {})?;
        for line in &outcome.lines {
            let label = DepthLabel(outcome.depth, line.certainty);
            writeln!(self.out, "  {} for you, depth {label}: {}", line.score, line.pv_text())?;
        }
        Ok(())
    }

    /// Back to the person's last decision.
    fn undo(&mut self) -> Result<(), PlayError> {
        if !self.game.undo_choice(self.human) {
            writeln!(self.out, "There is nothing to take back.")?;
        }
        Ok(())
    }

    fn save(&mut self, file: &str) -> Result<(), PlayError> {
        let text = ggf::write_line(&[self.game.record()]);
        match std::fs::write(file, format!("{}\n", text.trim_end())) {
            Ok(()) => writeln!(self.out, "Saved as {file}.")?,
            Err(error) => writeln!(self.out, "{file}: {error}")?,
        }
        Ok(())
    }

    /// Says the result, and offers to keep the game.
    fn end(&mut self, resigned: Option<Color>) -> Result<(), PlayError> {
        if let Some(loser) = resigned {
            self.game.end(GameResult { margin: Margin::WonBy(!loser), ending: Ending::Resigned });
            writeln!(self.out, "You resign; Kitai wins.")?;
        } else {
            let board = self.game.board();
            let points = board.final_score_for_black() * self.human.sign();
            self.game.end(GameResult::scored(board.final_score_for_black()));
            match points {
                0 => writeln!(self.out, "A draw.")?,
                won if won > 0 => writeln!(self.out, "You win by {won}.")?,
                lost => writeln!(self.out, "Kitai wins by {}.", -lost)?,
            }
        }
        writeln!(self.out, "`save FILE` keeps the game; Enter leaves.")?;
        match self.ask_once()? {
            Some(Ok(Wish::Save(file))) => self.save(&file),
            _ => Ok(()),
        }
    }

    fn show(&mut self) -> Result<(), PlayError> {
        let text = drawn(self.game.history(), self.color);
        writeln!(self.out, "\n{}", text.trim_end())?;
        Ok(())
    }

    /// Asks until the answer means something; the end of input means leaving.
    fn ask(&mut self) -> Result<Wish, PlayError> {
        loop {
            match self.ask_once()? {
                None => return Ok(Wish::Quit),
                Some(Ok(wish)) => return Ok(wish),
                Some(Err(help)) => writeln!(self.out, "{help}")?,
            }
        }
    }

    fn ask_once(&mut self) -> Result<Option<Result<Wish, String>>, PlayError> {
        write!(self.out, "> ")?;
        self.out.flush()?;
        let mut line = String::new();
        if self.input.read_line(&mut line)? == 0 {
            writeln!(self.out)?;
            return Ok(None);
        }
        Ok(Some(understand(&line)))
    }
}

fn understand(line: &str) -> Result<Wish, String> {
    const HELP: &str = "Type a square (f5), hint, undo, resign, save FILE or quit.";
    let line = line.trim();
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match (word.to_ascii_lowercase().as_str(), rest.trim()) {
        ("hint" | "h", "") => Ok(Wish::Hint),
        ("undo" | "u", "") => Ok(Wish::Undo),
        ("resign", "") => Ok(Wish::Resign),
        ("save", "") => Err("save needs a file name: save game.ggf".to_owned()),
        ("save", file) => Ok(Wish::Save(file.to_owned())),
        ("quit" | "q" | "exit", "") => Ok(Wish::Quit),
        ("help" | "?" | "", "") => Err(HELP.to_owned()),
        (square, "") => square
            .parse()
            .map(Wish::Play)
            .map_err(|_| format!("`{square}` is no square from a1 to h8. {HELP}")),
        _ => Err(HELP.to_owned()),
    }
}

/// `You are ahead by 3.40 (depth 14): d6c3…`
fn evaluation(outcome: &Outcome) -> String {
    let Some(line) = outcome.lines.first() else { return String::new() };
    let discs = -line.score.discs();
    let standing = if discs > 0.0 {
        format!("You are ahead by {discs:.2}")
    } else if discs < 0.0 {
        format!("You are behind by {:.2}", -discs)
    } else {
        "It is even".to_owned()
    };
    format!("{standing} (depth {}): {}", DepthLabel(outcome.depth, line.certainty), line.pv_text())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;

    /// Plays with these lines typed; returns what was shown and the game.
    fn game(typed: &str, human: Color, start: &str) -> (String, GameRecord) {
        let mut options = Options::new();
        for (name, value) in [("depth", "1"), ("hash", "1")] {
            options.set(name, value).unwrap();
        }
        let history =
            if start.is_empty() { Default::default() } else { transcript::parse(start).unwrap() };
        let mut out = Vec::new();
        let mut table = Table {
            input: typed.as_bytes(),
            out: &mut out,
            player: Player::new(options),
            game: GameState::of(GameRecord::of(history)),
            human,
            color: false,
            opening: None,
        };
        table.play().unwrap();
        let record = table.game.record().clone();
        (String::from_utf8(out).unwrap(), record)
    }

    #[test]
    fn a_person_can_play_take_back_and_be_corrected() {
        let (shown, record) = game("a1\nxyz\nf5\nundo\nundo\nhint\nd3\nquit\n", Color::Black, "");
        assert!(shown.contains("a1 flips nothing"), "{shown}");
        assert!(shown.contains("`xyz` is no square"), "{shown}");
        assert!(shown.contains("There is nothing to take back"), "{shown}");
        assert!(shown.contains(" for you, depth "), "{shown}");
        assert!(shown.contains("Kitai plays "), "{shown}");
        assert_eq!(record.history.moves()[0].to_string(), "d3");
        assert_eq!(record.history.moves().len(), 2);
        assert_eq!(record.notes.len(), 2);
    }

    #[test]
    fn the_end_of_input_leaves_and_white_lets_kitai_begin() {
        let (shown, record) = game("", Color::White, "");
        assert!(shown.contains("You are white (O)"));
        assert_eq!(record.history.moves().len(), 1);
    }

    #[test]
    fn a_finished_game_is_scored_and_a_resigned_one_lost() {
        let over = "XO".to_owned() + &"-".repeat(62) + " X";
        let (shown, record) = game("c1\n\n", Color::Black, &over);
        assert!(shown.contains("You win by 64."), "{shown}");
        assert_eq!(record.result, Some(GameResult::scored(64)));
        let (shown, record) = game("resign\n", Color::Black, "");
        assert!(shown.contains("You resign"));
        assert_eq!(record.result.unwrap().ending, Ending::Resigned);
    }
}
