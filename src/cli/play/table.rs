//! The board between the two: moves in turn, and what a person wants besides.

use std::io::Write;
use std::path::Path;

use super::opponent::{Opponent, PlayError};
use super::typed::Typed;
use super::wish::{Wish, understand};
use crate::book::{self, Learner};
use crate::cli::input;
use crate::cli::show::{disc, drawn};
use crate::engine::review::{Accuracy, Mark, review};
use crate::engine::{GameState, Task};
use crate::options::Options;
use crate::othello::{Color, Move};
use crate::record::{
    Board, Ending, Format, GameRecord, GameResult, Margin, Note, ggf, sgf, transcript, whole_file,
};
use crate::score::Score;
use crate::search::report::DepthLabel;
use crate::search::{self, Limits, Origin, Outcome, StopFlag};
use crate::text;

/// How things are shown.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub color: bool,
    /// Columns.
    pub width: usize,
    /// For the records that are kept.
    pub today: String,
}

/// The board between the two, and where the talking goes.
pub(super) struct Table<W> {
    typed: Box<dyn Typed>,
    out: W,
    opponent: Opponent,
    game: GameState,
    human: Color,
    view: View,
    /// Whether the result of this game has been told and counted.
    told: bool,
    counted: bool,
    /// The opening's name as it was said last.
    opening: Option<&'static str>,
    /// Learns the games that are played to their end.
    learner: Option<Learner>,
    /// Whether it was given one.
    learning: bool,
}

/// How deep a hint looks, plies: a moment's thought, and better than the weak levels' own.
const HINT_DEPTH: u32 = 12;
/// How many moves a hint shows.
const HINTS: usize = 4;
/// How deep the review at the end looks, and from how many empties it is exact.
const REVIEW_DEPTH: u32 = 10;
const REVIEW_EXACT: u32 = 16;
/// How many costly moves the review names.
const COSTLY: usize = 3;

impl<W: Write> Table<W> {
    pub(super) fn new(
        typed: Box<dyn Typed>,
        out: W,
        opponent: Opponent,
        human: Color,
        record: GameRecord,
        view: View,
    ) -> Table<W> {
        let game = GameState::of(record);
        Table {
            typed,
            out,
            opponent,
            game,
            human,
            view,
            told: false,
            counted: false,
            opening: None,
            learner: None,
            learning: false,
        }
    }

    /// The same table, its games learnt.
    pub(super) fn learning_with(mut self, learner: Option<Learner>) -> Table<W> {
        self.learner = learner;
        self
    }

    /// Plays until the person leaves, and learns the games; what is interrupted then is learnt the
    /// next time.
    ///
    /// # Errors
    /// If the terminal, the search or the book fails.
    pub(super) fn play(&mut self) -> Result<(), PlayError> {
        self.sit()?;
        self.leave_game()?;
        if let Some(learner) = self.learner.as_ref().filter(|_| self.learning) {
            eprintln!("Learning the game; Ctrl-C leaves the rest for the next time.");
            learner.finish();
        }
        Ok(())
    }

    /// Gives a game that has ended to the learner before another takes its place.
    fn leave_game(&mut self) -> Result<(), PlayError> {
        if let Some(learner) = self.learner.as_ref().filter(|_| self.is_over()) {
            learner.learn(&self.record(), "play")?;
            self.learning = true;
        }
        Ok(())
    }

    /// Plays until the person leaves.
    fn sit(&mut self) -> Result<(), PlayError> {
        self.greet()?;
        loop {
            let board = self.game.board();
            let over = self.is_over();
            if over && !self.told {
                self.tell_result()?;
            } else if !over && board.position.must_pass() {
                let who = if board.turn == self.human { "You have" } else { "Kitai has" };
                writeln!(self.out, "{who} no legal move and must pass.")?;
                self.note(Move::Pass, Note::default());
                continue;
            } else if !over && board.turn != self.human {
                self.reply(board)?;
                continue;
            } else if !over {
                self.show()?;
            }
            let Some(line) = self.typed.next(&mut self.out)? else { return Ok(()) };
            // Enter leaves a game that is over.
            if over && line.trim().is_empty() {
                return Ok(());
            }
            match understand(&line) {
                Ok(Wish::Quit) => return Ok(()),
                Ok(wish) => self.grant(wish, over)?,
                Err(help) => writeln!(self.out, "{help}")?,
            }
        }
    }

    fn greet(&mut self) -> Result<(), PlayError> {
        let (human, symbol) = (self.human, disc(self.human, self.view.color));
        let introduction = self.opponent.introduction();
        writeln!(self.out, "You are {human} ({symbol}). {introduction}")?;
        Ok(writeln!(self.out, "`help` lists what you can type.")?)
    }

    fn grant(&mut self, wish: Wish, over: bool) -> Result<(), PlayError> {
        let board = self.game.board();
        match wish {
            Wish::Play(_) | Wish::Hint | Wish::Resign if over => {
                writeln!(self.out, "The game is over: undo, new, save FILE, review or quit.")?;
            }
            Wish::Play(square) if board.position.is_legal(square) => {
                self.note(square.into(), Note::default());
            }
            Wish::Play(square) => {
                writeln!(self.out, "{square} flips nothing; the crosses are your moves.")?;
            }
            Wish::Hint => self.hint(board)?,
            Wish::Undo => self.undo()?,
            Wish::Resign => {
                let margin = Margin::WonBy(!self.human);
                self.game.end(GameResult { margin, ending: Ending::Resigned });
            }
            Wish::New(color) => self.begin(color)?,
            Wish::Level(level) => {
                self.opponent.level = level;
                self.opponent.sit_down()?;
                let introduction = self.opponent.introduction();
                writeln!(self.out, "{introduction}")?;
            }
            Wish::Flip => {
                self.human = !self.human;
                let (human, symbol) = (self.human, disc(self.human, self.view.color));
                writeln!(self.out, "You are {human} ({symbol}) now.")?;
            }
            Wish::Save(file) => self.save(&file)?,
            Wish::Load(file) => self.load(&file)?,
            Wish::Moves => {
                let moves = transcript::write(self.game.history());
                writeln!(self.out, "{moves}")?;
            }
            Wish::Review => self.review()?,
            Wish::Quit => {}
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.game.result().is_some()
    }

    /// Adds a move known to be legal.
    fn note(&mut self, played: Move, note: Note) {
        self.game.push(played, note).expect("only legal moves are played here");
    }

    fn begin(&mut self, color: Option<Color>) -> Result<(), PlayError> {
        self.leave_game()?;
        self.human = color.unwrap_or(self.human);
        self.game = GameState::default();
        (self.told, self.counted, self.opening) = (false, false, None);
        self.opponent.sit_down()?;
        self.greet()
    }

    fn reply(&mut self, board: Board) -> Result<(), PlayError> {
        write!(self.out, "Kitai thinks …")?;
        self.out.flush()?;
        let player = &mut self.opponent.player;
        let task = self.game.task(player.options(), board.turn, board.position);
        let outcome = player.search(&task, &StopFlag::new(), &mut |_| {})?;
        let played = outcome.best_move().unwrap_or(Move::Pass);
        let book = if outcome.origin == Origin::Book { " from the book" } else { "" };
        let text = format!("Kitai plays {played}{book}. {}", evaluation(&outcome));
        writeln!(self.out, "\r{}", cut(&text, self.view.width))?;
        let seconds = Some(outcome.elapsed.as_secs_f64());
        self.note(played, Note { eval: Some(outcome.score().discs()), seconds });
        self.name_opening()
    }

    /// Says the opening's name when the last moves gave it one.
    fn name_opening(&mut self) -> Result<(), PlayError> {
        let now = book::opening_name(self.game.history());
        if let Some(name) = now.filter(|_| now != self.opening) {
            writeln!(self.out, "{}", cut(&format!("Opening: {name}."), self.view.width))?;
        }
        self.opening = now;
        Ok(())
    }

    fn hint(&mut self, board: Board) -> Result<(), PlayError> {
        let task = Task::hint(board.position, Limits::depth(HINT_DEPTH), HINTS);
        let outcome = self.opponent.player.search(&task, &StopFlag::new(), &mut |_| {})?;
        for line in &outcome.lines {
            let label = DepthLabel(outcome.depth, line.certainty);
            let text = format!("  {} for you, depth {label}: {}", line.score, line.pv_text());
            writeln!(self.out, "{}", cut(&text, self.view.width))?;
        }
        Ok(())
    }

    /// Back to the person's last decision, also after the end.
    fn undo(&mut self) -> Result<(), PlayError> {
        let resigned = self.game.record().result.is_some() && !self.game.board().position.is_over();
        let mut record = self.game.record().clone();
        record.result = None;
        self.game = GameState::of(record);
        self.told = false;
        if !resigned && !self.game.undo_choice(self.human) {
            writeln!(self.out, "There is nothing to take back.")?;
        }
        Ok(())
    }

    /// The game as it is kept: who played, at which level, and when.
    fn record(&self) -> GameRecord {
        let mut record = self.game.record().clone();
        record.place = "Kitai".to_owned();
        record.date.clone_from(&self.view.today);
        let rating = self.opponent.rung.as_ref().map(|rung| rung.rating);
        let kitai = record.player_mut(!self.human);
        (kitai.name, kitai.rating) = (self.opponent.name(), rating);
        record.player_mut(self.human).name = "you".to_owned();
        record
    }

    fn save(&mut self, file: &str) -> Result<(), PlayError> {
        let path = Path::new(file);
        let record = self.record();
        let text = match Format::of_path(path) {
            Some(Format::Ggf) | None => ggf::write_line(&[&record]),
            Some(Format::Sgf) => sgf::write(&record),
            Some(Format::Transcript) => transcript::write(&record.history),
            Some(_) => {
                return Ok(writeln!(self.out, "A game is kept as .ggf, .sgf or .txt.")?);
            }
        };
        match whole_file::write(path, format!("{}\n", text.trim_end()).as_bytes()) {
            Ok(()) => writeln!(self.out, "Saved as {file}.")?,
            Err(error) => writeln!(self.out, "{file}: {error}")?,
        }
        Ok(())
    }

    fn load(&mut self, file: &str) -> Result<(), PlayError> {
        match input::one(file, 1) {
            Ok(mut record) => {
                self.leave_game()?;
                record.result = None;
                self.game = GameState::of(record);
                (self.told, self.counted, self.opening) = (false, true, None);
                let moves = self.game.history().moves().len();
                writeln!(self.out, "Loaded: {}.", text::count(moves as u64, "move"))?;
            }
            Err(error) => writeln!(self.out, "{error}")?,
        }
        Ok(())
    }

    /// Says the result, what the moves gave away, and what can be done next.
    fn tell_result(&mut self) -> Result<(), PlayError> {
        self.show()?;
        self.told = true;
        let board = self.game.board();
        let resigned = !board.position.is_over();
        let points = board.final_score_for_black() * self.human.sign();
        if resigned {
            writeln!(self.out, "You resign; Kitai wins.")?;
        } else {
            self.game.end(GameResult::scored(board.final_score_for_black()));
            match points {
                0 => writeln!(self.out, "A draw.")?,
                won if won > 0 => writeln!(self.out, "You win by {won}.")?,
                lost => writeln!(self.out, "Kitai wins by {}.", -lost)?,
            }
        }
        if !self.counted {
            self.counted = true;
            let score = if resigned { 0.0 } else { f64::from(points.signum() + 1) / 2.0 };
            if let Some(learnt) = self.opponent.learn(score) {
                writeln!(self.out, "{learnt}")?;
            }
        }
        self.review()?;
        Ok(writeln!(self.out, "`new`, `undo`, `save FILE`, `help`; Enter leaves.")?)
    }

    /// What the moves gave away, in a few lines.
    fn review(&mut self) -> Result<(), PlayError> {
        let mut options = Options::new();
        options.set("exact-from", &REVIEW_EXACT.to_string())?;
        let limits = Limits { depth: Some(REVIEW_DEPTH), ..Limits::from_options(&options) };
        let mut method = search::build(&options)?;
        let rows =
            review(self.game.history(), method.as_mut(), limits, &StopFlag::new(), &mut || {});
        for color in [self.human, !self.human] {
            let who = if color == self.human { "You" } else { "Kitai" };
            if let Some(accuracy) = Accuracy::of(&rows, color) {
                writeln!(self.out, "{who}: {accuracy}")?;
            }
        }
        let mut costly: Vec<_> =
            rows.iter().filter(|row| row.color == self.human && row.mark != Mark::None).collect();
        costly.sort_by_key(|row| std::cmp::Reverse(row.loss));
        for row in costly.into_iter().take(COSTLY) {
            writeln!(
                self.out,
                "  move {}: {}{} lost {:.0}; {} was better",
                row.number,
                row.played,
                row.mark,
                row.loss.discs(),
                row.best
            )?;
        }
        Ok(())
    }

    fn show(&mut self) -> Result<(), PlayError> {
        let text = drawn(self.game.history(), self.view.color);
        writeln!(self.out, "\n{}", text.trim_end())?;
        Ok(())
    }
}

/// The text in one line of so many columns.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// `You are ahead by 3.40 (depth 14): d6c3…`
fn evaluation(outcome: &Outcome) -> String {
    let Some(line) = outcome.lines.first() else { return String::new() };
    let yours = Score::from_hundredths(-line.score.hundredths());
    let standing = match yours.hundredths() {
        0 => "It is even".to_owned(),
        1.. => format!("You are ahead by {:.2}", yours.discs()),
        _ => format!("You are behind by {:.2}", -yours.discs()),
    };
    format!("{standing} (depth {}): {}", DepthLabel(outcome.depth, line.certainty), line.pv_text())
}

#[cfg(test)]
mod tests {
    use super::super::typed::Stream;
    use super::super::wish::HELP;
    use super::*;
    use crate::cli::play::wish::Level;

    /// Plays with these lines typed; returns what was shown and the game as it would be kept.
    fn game_at(typed: &str, human: Color, start: &str, level: Level) -> (String, GameRecord) {
        let mut options = Options::new();
        for (name, value) in [("depth", "1"), ("hash", "1")] {
            options.set(name, value).unwrap();
        }
        let record = input::one(start, 1).unwrap();
        let typed = Box::new(Stream(std::io::Cursor::new(typed.to_owned().into_bytes())));
        let view = View { color: false, width: 60, today: "2026-11-18".to_owned() };
        let mut out = Vec::new();
        let opponent = Opponent::new(options, level, None).unwrap();
        let mut table = Table::new(typed, &mut out, opponent, human, record, view);
        table.play().unwrap();
        let record = table.record();
        (String::from_utf8(out).unwrap(), record)
    }

    fn game(typed: &str, human: Color, start: &str) -> (String, GameRecord) {
        game_at(typed, human, start, Level::Options)
    }

    /// One black disc away from the end.
    fn last_move() -> String {
        "XO".to_owned() + &"-".repeat(62) + " X"
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
    fn a_finished_game_is_scored_reviewed_and_can_be_taken_back() {
        let (shown, record) = game("c1\n\n", Color::Black, &last_move());
        assert!(shown.contains("You win by 64."), "{shown}");
        assert!(shown.contains("`new`, `undo`, `save FILE`"), "{shown}");
        assert_eq!(record.result, Some(GameResult::scored(64)));
        let (shown, record) = game("c1\nundo\nquit\n", Color::Black, &last_move());
        assert!(shown.contains("You win by 64."), "{shown}");
        assert_eq!((record.result, record.history.moves().len()), (None, 0));
        let (shown, record) = game("c1\nnew white\nquit\n", Color::Black, &last_move());
        assert!(shown.contains("You are white"), "{shown}");
        assert_eq!(record.history.moves().len(), 1);
    }

    #[test]
    fn a_resigned_game_is_lost_and_can_be_gone_on_with() {
        let (shown, record) = game("resign\n", Color::Black, "");
        assert!(shown.contains("You resign"));
        assert_eq!(record.result.unwrap().ending, Ending::Resigned);
        let (_, record) = game("f5\nresign\nundo\nquit\n", Color::Black, "");
        assert_eq!((record.result, record.history.moves().len()), (None, 2));
    }

    #[test]
    fn a_pass_is_said_in_words() {
        // White has no move; Black passes nothing and goes on.
        let board = format!("XXO{}OOX X", "-".repeat(58));
        let (shown, _) = game("d1\nquit\n", Color::Black, &board);
        assert!(shown.contains("Kitai has no legal move and must pass."), "{shown}");
    }

    #[test]
    fn sides_and_levels_change_and_records_tell_of_them() {
        let (shown, record) =
            game_at("level 3\nf5\nflip\nquit\n", Color::Black, "", Level::Fixed(1));
        assert!(shown.contains("Kitai plays as level-1, rated "), "{shown}");
        assert!(shown.contains("Kitai plays as level-3, rated "), "{shown}");
        assert!(shown.contains("You are white (O) now."), "{shown}");
        // Kitai moves for the side it was given, so Black's second move is its own.
        assert_eq!(record.history.moves().len(), 3);
        assert_eq!(record.black.name, "Kitai level-3");
        assert_eq!((record.white.name.as_str(), record.date.as_str()), ("you", "2026-11-18"));
    }

    #[test]
    fn games_are_kept_and_taken_up_again() {
        let folder = std::env::temp_dir().join(format!("kitai-{}-play", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for name in ["game.ggf", "game.sgf", "game.txt"] {
            let file = folder.join(name).display().to_string();
            let typed = format!("f5\nsave {file}\nnew\nload {file}\nquit\n");
            let (shown, record) = game(&typed, Color::Black, "");
            assert!(shown.contains("Saved as") && shown.contains("Loaded: 2 moves."), "{shown}");
            assert_eq!(record.history.moves().len(), 2);
        }
        let (shown, _) =
            game("load nothing.ggf\nsave /nonexistent/x.ggf\nquit\n", Color::Black, "");
        assert!(
            shown.contains("nothing.ggf: ") && shown.contains("/nonexistent/x.ggf: "),
            "{shown}"
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn two_games_with_the_same_moves_of_the_person_differ() {
        let typed = "f5\nquit\n";
        let replies: std::collections::BTreeSet<String> = (0..12)
            .map(|_| game_at(typed, Color::Black, "", Level::Fixed(1)).1)
            .map(|record| transcript::write(&record.history))
            .collect();
        assert!(replies.len() > 1, "{replies:?}");
    }

    #[test]
    fn everything_fits_into_sixty_columns() {
        let (shown, _) = game("help\nf5\nhint\nresign\n\n", Color::Black, "");
        // What is typed is not echoed here, so that answers stand behind the prompt.
        let lines = shown.split(['\n', '\r']).map(|line| line.trim_start_matches("> "));
        let longest = lines.map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= 60, "{longest}: {shown}");
        assert!(shown.contains(HELP) && shown.contains("You: accuracy "), "{shown}");
    }
}
