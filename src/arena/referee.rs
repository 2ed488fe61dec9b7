//! The referee: plays one game between two players and trusts neither.
//!
//! It keeps the board by our own rules, passes for a side that has no move, measures the time,
//! and ends the game with a recorded reason when a player fails.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::adjudicate::Adjudicator;
use super::clock::TimeControl;
use super::openings::Opening;
use super::opinions::{Opinion, Opinions};
use super::player::{Choice, Contestant, Fault, FaultKind, GameStart, Turn};
use crate::engine::GameState;
use crate::othello::{Color, Move};
use crate::record::{GameRecord, History, Note};
use crate::score::Score;
use crate::search::StopFlag;

/// What holds for every game of a match.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rules {
    /// The clock.
    pub control: TimeControl,
    /// How much later than its clock a move may arrive.
    pub margin: Duration,
    /// How long to wait for an engine beyond its time before it counts as hung; without a clock,
    /// how long any move may take.
    pub patience: Duration,
    /// Solve and end the game when so few squares are empty.
    pub adjudicate: Option<u32>,
    /// A side that thinks so badly of its game for so long has lost it.
    #[serde(default)]
    pub resign: Option<Opinion>,
    /// A game that both sides think so even for so long is drawn.
    #[serde(default)]
    pub draw: Option<Opinion>,
}

/// How a game ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Neither side can move.
    Finished,
    /// Solved exactly by the referee.
    Adjudicated,
    /// Decided by what the players thought of it: this side lost, or nobody.
    Opinions(Option<Side>),
    /// This side gave up.
    Resigned(Side),
    /// This side failed.
    Failed(Side, Fault),
}

/// A colour as logs write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Black.
    Black,
    /// White.
    White,
}

impl From<Color> for Side {
    fn from(color: Color) -> Side {
        match color {
            Color::Black => Side::Black,
            Color::White => Side::White,
        }
    }
}

/// A move of a game with what its player said and used; nothing for passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveNote {
    /// The mover's opinion, mover's view.
    pub score: Option<Score>,
    /// Time used.
    pub time: Duration,
}

/// A game played to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// Opening and moves.
    pub history: History,
    /// How many of the moves were the opening.
    pub opening_plies: usize,
    /// One entry for every move after the opening.
    pub notes: Vec<MoveNote>,
    /// Why it ended.
    pub ending: Ending,
    /// Final disc difference for Black, if the game was finished or solved.
    pub discs: Option<i32>,
}

impl PlayedGame {
    /// Black's half points: 2 for a win, 1 for a draw.
    pub fn black_half_points(&self) -> u8 {
        match (&self.ending, self.discs) {
            (Ending::Opinions(None), _) => 1,
            (
                Ending::Opinions(Some(side)) | Ending::Resigned(side) | Ending::Failed(side, _),
                _,
            ) => match side {
                Side::Black => 0,
                Side::White => 2,
            },
            (_, discs) => half_points(discs.unwrap_or(0)),
        }
    }
}

/// Black's half points for this disc difference.
pub(super) fn half_points(discs: i32) -> u8 {
    match discs.signum() {
        1 => 2,
        0 => 1,
        _ => 0,
    }
}

/// Plays a game by Black's and White's rules; `None` if the stop flag was raised before it ended.
pub fn play(
    players: [&mut dyn Contestant; 2],
    opening: &Opening,
    rules: &[Rules; 2],
    seeds: [u64; 2],
    adjudicator: &mut Adjudicator,
    stop: &StopFlag,
) -> Option<PlayedGame> {
    let [black_rules, white_rules] = rules;
    let mut game = GameState::of(GameRecord::of(opening.history.clone()))
        .with_clocks(black_rules.control.clock(), black_rules.margin);
    game.set_clock(Color::White, white_rules.control.clock());
    let opinions = Opinions::default();
    let mut table = Table { game, opening_plies: opening.history.moves().len(), opinions };
    let [black, white] = players;
    for (color, player, rules, seed) in [
        (Color::Black, &mut *black, black_rules, seeds[0]),
        (Color::White, &mut *white, white_rules, seeds[1]),
    ] {
        let start = GameStart { opening: &opening.history, rules, seed, stop };
        if let Err(fault) = player.start(&start) {
            player.discard();
            return (!stop.is_stopped())
                .then(|| table.end(Ending::Failed(color.into(), fault), None));
        }
    }
    loop {
        let board = table.game.board();
        if board.position.is_over() {
            return Some(table.end(Ending::Finished, Some(board.final_score_for_black())));
        }
        if board.position.must_pass() {
            table.record(Move::Pass, Note::default());
            continue;
        }
        if black_rules.adjudicate.is_some_and(|empties| board.position.empty_count() <= empties)
            && let Some(score) = adjudicator.solve(board.position, stop)
        {
            return Some(table.end(Ending::Adjudicated, Some(score * board.turn.sign())));
        }
        if let Some(ending) = table.thought_decided(black_rules) {
            return Some(table.end(ending, None));
        }
        let (player, rules) = match board.turn {
            Color::Black => (&mut *black, black_rules),
            Color::White => (&mut *white, white_rules),
        };
        let answer = table.ask(player, board.turn, rules, stop);
        if stop.is_stopped() {
            return None;
        }
        match answer {
            Ok(()) => {}
            Err(Ending::Failed(side, fault)) => {
                player.discard();
                return Some(table.end(Ending::Failed(side, fault), None));
            }
            Err(ending) => return Some(table.end(ending, None)),
        }
    }
}

/// The game on the referee's table.
struct Table {
    game: GameState,
    opening_plies: usize,
    opinions: Opinions,
}

impl Table {
    /// Asks for a move and plays it if everything is in order.
    fn ask(
        &mut self,
        player: &mut dyn Contestant,
        color: Color,
        rules: &Rules,
        stop: &StopFlag,
    ) -> Result<(), Ending> {
        let turn = Turn { game: &self.game, rules, color, stop };
        let failed = |fault| Ending::Failed(color.into(), fault);
        let reply = player.choose(&turn).map_err(failed)?;
        if !self.game.is_in_time(color, reply.elapsed) {
            let left = self.game.clock(color).map(|clock| clock.left);
            let detail = format!(
                "took {:.3} s of {:.3} s left (margin {:.3} s)",
                reply.elapsed.as_secs_f64(),
                left.unwrap_or_default().as_secs_f64(),
                rules.margin.as_secs_f64()
            );
            return Err(failed(Fault::late(reply.elapsed, detail)));
        }
        let played = match reply.choice {
            Choice::Play(played) => played,
            Choice::Resign => return Err(Ending::Resigned(color.into())),
        };
        if self.game.board().position.after(played).is_none() {
            let detail = format!("{color} cannot play {played}");
            return Err(failed(Fault::new(FaultKind::IllegalMove, detail)));
        }
        let eval = reply.score.map(|score| score.discs());
        self.opinions.add(color, eval);
        self.record(played, Note { eval, seconds: Some(reply.elapsed.as_secs_f64()) });
        Ok(())
    }

    /// How the game ends if the players think it decided and the rules heed that.
    fn thought_decided(&self, rules: &Rules) -> Option<Ending> {
        let loser = rules.resign.and_then(|rule| self.opinions.loser(rule));
        let drawn = rules.draw.is_some_and(|rule| self.opinions.drawn(rule));
        loser.map(|side| Ending::Opinions(Some(side))).or(drawn.then_some(Ending::Opinions(None)))
    }

    fn record(&mut self, played: Move, note: Note) {
        self.game.push(played, note).expect("the referee checked the move");
    }

    fn end(self, ending: Ending, discs: Option<i32>) -> PlayedGame {
        let opening_plies = self.opening_plies;
        let history = self.game.history().clone();
        let notes = (opening_plies..history.moves().len())
            .map(|ply| {
                let Note { eval, seconds } = self.game.record().note(ply);
                let time = Duration::try_from_secs_f64(seconds.unwrap_or(0.0));
                MoveNote { score: eval.map(Score::from_discs), time: time.unwrap_or_default() }
            })
            .collect();
        PlayedGame { history, opening_plies, notes, ending, discs }
    }
}
