//! One game as whoever plays, serves or referees it needs it: moves, undo, clocks, pondering,
//! whose turn, result.
//!
//! A [`GameState`] holds a [`GameRecord`] and what a record cannot: the running clocks, how many
//! plies each step made, and the position the engine thinks about on the opponent's time. Clients
//! differ in how they treat passes: some send every pass, some send none (the same colour just
//! moves again), some send passes after the end. All of them drive the same history; a pass that
//! had to be inserted belongs to the move it was inserted for and is taken back with it.

use std::time::Duration;

use thiserror::Error;

use super::clock::Clock;
use super::limits::{self, Task};
use crate::options::Options;
use crate::othello::{Color, Move, Position};
use crate::random::{self, SEED};
use crate::record::{Board, GameRecord, GameResult, History, IllegalMove, Note};

/// The move is not allowed, or it is not that colour's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("illegal move")]
pub struct Illegal;

/// What a colour can do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnState {
    /// It has a move in this position (the other side may have to pass first).
    Ready(Position),
    /// It must pass.
    MustPass,
    /// Nobody can move.
    Over,
    /// The other side is to move and can.
    OthersMove,
}

/// A game that is being played.
#[derive(Clone, Debug, PartialEq)]
pub struct GameState {
    record: GameRecord,
    /// Plies per step: 2 where a pass was inserted.
    steps: Vec<usize>,
    clocks: [Option<Clock>; 2],
    /// How much later than its clock a move may come and still count.
    margin: Duration,
    pondering: Option<Position>,
    /// Seed of this game's random choices unless the option `seed` gives one.
    seed: u64,
}

/// The usual start, no clocks.
impl Default for GameState {
    fn default() -> GameState {
        GameState::of(GameRecord::default())
    }
}

impl GameState {
    /// A game with no moves and no clocks.
    pub fn new(start: Board) -> GameState {
        GameState::of(GameRecord::of_board(start))
    }

    /// A game that was begun elsewhere: each of its moves is a step. Clocks that the record gives
    /// are charged with the times of its moves.
    pub fn of(record: GameRecord) -> GameState {
        let steps = vec![1; record.history.moves().len()];
        let clocks = [Color::Black, Color::White].map(|color| clock_of(&record, color));
        let mut state = GameState {
            record,
            steps,
            clocks,
            margin: Duration::ZERO,
            pondering: None,
            seed: random::fresh_seed(),
        };
        for ply in 0..state.steps.len() {
            let color = state.record.history.boards()[ply].turn;
            state.charge(color, state.record.note(ply));
        }
        state
    }

    /// The same game with both clocks set so, and moves that come late by up to `margin` counted
    /// as in time.
    #[must_use]
    pub fn with_clocks(mut self, clock: Option<Clock>, margin: Duration) -> GameState {
        self.clocks = [clock; 2];
        self.margin = margin;
        self
    }

    /// The game as records keep it.
    pub fn record(&self) -> &GameRecord {
        &self.record
    }

    /// The moves and boards.
    pub fn history(&self) -> &History {
        &self.record.history
    }

    /// The board now.
    pub fn board(&self) -> Board {
        self.record.history.board()
    }

    /// How the game ended: as someone said, or by the board; `None` while it goes on.
    pub fn result(&self) -> Option<GameResult> {
        self.record.result_or_score()
    }

    /// Ends the game with a result that the board does not show (someone resigned or left).
    pub fn end(&mut self, result: GameResult) {
        self.record.result = Some(result);
    }

    /// What this colour can do now.
    pub fn turn_of(&self, color: Color) -> TurnState {
        let Board { position, turn } = self.board();
        if position.is_over() {
            TurnState::Over
        } else if turn == color {
            if position.has_move() { TurnState::Ready(position) } else { TurnState::MustPass }
        } else if position.must_pass() {
            TurnState::Ready(position.pass())
        } else {
            TurnState::OthersMove
        }
    }

    /// Plays a move of a colour, inserting the pass of the other side if that is what it takes,
    /// and charges its clock with the time that the note names. A pass that was made already, or
    /// comes after the end, changes nothing.
    ///
    /// # Errors
    /// If the rules forbid it; the game is then unchanged.
    pub fn play(&mut self, color: Color, played: Move, note: Note) -> Result<(), Illegal> {
        if played == Move::Pass {
            let already_passed =
                self.board().turn != color && self.history().moves().last() == Some(&Move::Pass);
            match self.turn_of(color) {
                TurnState::MustPass => {}
                TurnState::Over => return Ok(()),
                _ if already_passed => return Ok(()),
                _ => return Err(Illegal),
            }
        } else if !matches!(self.turn_of(color), TurnState::Ready(_)) {
            return Err(Illegal);
        }
        self.push(played, note).map_err(|_| Illegal)
    }

    /// Plays a move of whoever can make it, passing first for a side that must.
    ///
    /// # Errors
    /// If the rules forbid it; the game is then unchanged.
    pub fn push(&mut self, played: Move, note: Note) -> Result<(), IllegalMove> {
        let before = self.history().moves().len();
        self.record.push(played, note)?;
        self.steps.push(self.history().moves().len() - before);
        self.charge(!self.board().turn, note);
        if self.pondering != Some(self.board().position) {
            self.pondering = None;
        }
        Ok(())
    }

    /// Takes back the last step; false if there is none. Time that was used stays used.
    pub fn undo(&mut self) -> bool {
        let Some(plies) = self.steps.pop() else { return false };
        for _ in 0..plies {
            self.record.history.undo();
        }
        self.record.notes.truncate(self.record.history.moves().len());
        self.pondering = None;
        true
    }

    /// Takes back moves up to this colour's last choice between moves; false if there was none.
    pub fn undo_choice(&mut self, color: Color) -> bool {
        let boards = self.history().boards();
        let chose = |ply: &usize| boards[*ply].turn == color && boards[*ply].position.has_move();
        let Some(back) = (0..self.history().moves().len()).rev().find(chose) else { return false };
        while self.history().moves().len() > back && self.undo() {}
        true
    }

    /// The clock of a colour, if one runs.
    pub fn clock(&self, color: Color) -> Option<Clock> {
        self.clocks[color as usize]
    }

    /// Sets the clock of a colour.
    pub fn set_clock(&mut self, color: Color, clock: Option<Clock>) {
        self.clocks[color as usize] = clock;
    }

    /// Whether a move of this colour that took so long comes in time.
    pub fn is_in_time(&self, color: Color, used: Duration) -> bool {
        self.clock(color).is_none_or(|mut clock| clock.charge(used, self.margin))
    }

    fn charge(&mut self, color: Color, note: Note) {
        let used = note.seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        if let (Some(clock), Some(used)) = (&mut self.clocks[color as usize], used) {
            clock.charge(used, self.margin);
        }
    }

    /// The search for the move of a side to move in `position`, within the options and its clock.
    /// Unless the option `seed` is set, what is left to chance differs from game to game.
    pub fn task(&self, options: &Options, color: Color, position: Position) -> Task {
        let task = Task::play(options, position, self.clock(color).as_ref());
        Task { seed: self.seed(options), ..task }
    }

    /// The seed of this game's random choices: the option `seed`, or one of its own.
    pub fn seed(&self, options: &Options) -> u64 {
        options.chosen(&SEED).map_or(self.seed, |seed| seed as u64)
    }

    /// The search on the opponent's time, if the option `ponder` wants one: about the board now,
    /// or as it will be after a move that was announced but not played here yet.
    pub fn ponder(&mut self, options: &Options, announced: Option<Move>) -> Option<Task> {
        let now = self.board().position;
        let position = announced.map_or(Some(now), |played| now.after(played))?;
        let task = limits::ponder_task(options, position);
        self.pondering = task.as_ref().map(|_| position);
        task
    }

    /// Whether the engine was given this game's board to think about on the opponent's time.
    pub fn is_pondering(&self) -> bool {
        self.pondering.is_some()
    }

    /// The thinking on the opponent's time has been ended.
    pub fn stop_pondering(&mut self) {
        self.pondering = None;
    }
}

/// The clock that a record gives a colour at the start.
fn clock_of(record: &GameRecord, color: Color) -> Option<Clock> {
    let start = record.player(color).clock.filter(|clock| !clock.main.time.is_zero())?;
    let part = |period: Option<crate::record::Period>| period.map_or(Duration::ZERO, |p| p.time);
    Some(Clock::ggs(start.main.time, part(start.increment), part(start.extension), start.main.flag))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{ClockSettings, transcript};

    /// White must pass after it; then g8 is Black's.
    const BEFORE_A_PASS: &str = "e6f4d3c4c3d6e3c2b3d2c5f5f3f6g4e2f2g5e1c1f1h4d1g1e7b1g3h3h6g6f7f8\
                                 b2a1b4c7a2b6b5c6d7a6a5a4a3b7h7c8d8e8a8h5a7h8b8";

    fn before_a_pass() -> GameState {
        let history = transcript::parse(BEFORE_A_PASS).unwrap();
        assert_eq!(history.board().turn, Color::White);
        assert!(history.board().position.must_pass());
        GameState::of(GameRecord::of(history))
    }

    fn play(game: &mut GameState, color: Color, text: &str) -> Result<(), Illegal> {
        game.play(color, text.parse().unwrap(), Note::default())
    }

    fn took(seconds: f64) -> Note {
        Note { eval: None, seconds: Some(seconds) }
    }

    #[test]
    fn both_schools_of_passing_reach_the_same_board() {
        let mut explicit = before_a_pass();
        assert_eq!(explicit.turn_of(Color::White), TurnState::MustPass);
        play(&mut explicit, Color::White, "pass").unwrap();
        play(&mut explicit, Color::White, "pass").unwrap();
        play(&mut explicit, Color::Black, "g8").unwrap();
        let mut implicit = before_a_pass();
        play(&mut implicit, Color::Black, "g8").unwrap();
        assert_eq!(implicit.history(), explicit.history());
        assert!(implicit.undo() && explicit.undo());
        assert_eq!(implicit.history(), before_a_pass().history());
        assert_eq!(explicit.board().turn, Color::Black);
        assert!(explicit.undo());
        assert_eq!(explicit.history(), before_a_pass().history());
    }

    #[test]
    fn the_end_takes_passes_but_no_moves_and_has_a_result() {
        let mut game = before_a_pass();
        assert_eq!(game.result(), None);
        for (color, text) in [
            (Color::Black, "g8"),
            (Color::White, "g7"),
            (Color::Black, "h2"),
            (Color::White, "h1"),
            (Color::Black, "g2"),
        ] {
            if play(&mut game, color, text).is_err() {
                play(&mut game, !color, text).unwrap();
            }
        }
        assert_eq!(game.turn_of(Color::Black), TurnState::Over);
        assert_eq!(game.result(), Some(GameResult::scored(10)));
        let over = game.clone();
        play(&mut game, Color::White, "pass").unwrap();
        play(&mut game, Color::Black, "pass").unwrap();
        assert_eq!(play(&mut game, Color::Black, "a1"), Err(Illegal));
        assert_eq!(game, over);
    }

    #[test]
    fn wrong_colours_free_passes_and_illegal_squares_change_nothing() {
        let fresh = GameState::default();
        let mut game = fresh.clone();
        for (color, text) in [(Color::White, "d6"), (Color::Black, "pass"), (Color::Black, "a1")] {
            assert_eq!(play(&mut game, color, text), Err(Illegal));
        }
        assert_eq!(game.turn_of(Color::White), TurnState::OthersMove);
        assert!(!game.undo());
        assert_eq!(game, fresh);
    }

    #[test]
    fn a_choice_is_taken_back_with_what_followed_it() {
        let mut game = before_a_pass();
        let plies = game.history().moves().len();
        play(&mut game, Color::Black, "g8").unwrap();
        assert!(game.undo_choice(Color::White));
        // White's last choice was before b8 and its own pass.
        assert_eq!(game.history().moves().len(), plies - 2);
        assert!(!GameState::default().undo_choice(Color::Black));
    }

    #[test]
    fn moves_charge_the_clock_of_their_colour_and_only_late_ones_are_late() {
        let clock = Clock::fischer(Duration::from_secs(10), Duration::from_secs(2));
        let mut game = GameState::default().with_clocks(Some(clock), Duration::from_secs(1));
        game.play(Color::Black, "f5".parse().unwrap(), took(4.0)).unwrap();
        assert_eq!(game.clock(Color::Black).unwrap().left, Duration::from_secs(8));
        assert_eq!(game.clock(Color::White), Some(clock));
        assert!(game.is_in_time(Color::Black, Duration::from_secs(9)), "the margin saves it");
        assert!(!game.is_in_time(Color::Black, Duration::from_millis(9001)));
        game.play(Color::White, "d6".parse().unwrap(), Note::default()).unwrap();
        game.play(Color::Black, "c3".parse().unwrap(), took(9.0)).unwrap();
        let left = game.clock(Color::Black).unwrap().left;
        assert_eq!(left, Duration::from_secs(2), "the margin is not given as time");
        assert!(GameState::default().is_in_time(Color::Black, Duration::MAX));
    }

    #[test]
    fn a_record_with_clocks_and_times_is_taken_over_with_what_is_left() {
        let mut record = GameRecord::default();
        record.black.clock = Some(ClockSettings::of(Duration::from_secs(60)));
        record.push("f5".parse().unwrap(), took(5.0)).unwrap();
        record.push("d6".parse().unwrap(), took(7.0)).unwrap();
        let game = GameState::of(record);
        let left = |color| game.clock(color).map(|clock| clock.left);
        assert_eq!(left(Color::Black), Some(Duration::from_secs(55)));
        assert_eq!(left(Color::White), None);
    }

    #[test]
    fn pondering_lasts_until_another_move_comes() {
        let mut options = Options::new();
        let mut game = GameState::default();
        assert!(game.ponder(&options, None).is_none() && !game.is_pondering());
        options.set("ponder", "true").unwrap();
        let f5 = "f5".parse().unwrap();
        let task = game.ponder(&options, Some(f5)).unwrap();
        game.push(f5, Note::default()).unwrap();
        assert_eq!(task.request.position, game.board().position);
        assert!(game.is_pondering(), "the announced move was played");
        game.push("d6".parse().unwrap(), Note::default()).unwrap();
        assert!(!game.is_pondering());
    }
}
