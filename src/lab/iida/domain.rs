//! What the experiments on candidate lists need of a game: positions, an evaluation, a judge who looks
//! much deeper than the lists, and a player who picks one of a list.

use crate::eval::{self, Evaluator, UNIT};
use crate::game::othello::OthelloState;
use crate::game::{Game, MoveIdentity, Othello, Side};
use crate::options::{OptionError, Options};
use crate::othello::random::random_position;
use crate::othello::{Bitboard, Move, Position};
use crate::random::seeded_part;
use crate::search::{self, Limits, Request, StopFlag};
use std::sync::Arc;

/// A position of a domain's game.
pub type StateOf<D> = <<D as Domain>::Game as Game>::State;
/// A move of a domain's game.
pub type ActionOf<D> = <<D as Domain>::Game as Game>::Action;
/// Picks one of a list of moves.
pub type Picker<'a, D> = Box<dyn FnMut(&StateOf<D>, &[ActionOf<D>]) -> ActionOf<D> + 'a>;

/// What the judge says of a position.
pub struct Judged<A> {
    /// The moves asked about with their values.
    pub values: Vec<(A, f64)>,
    /// The value of the best of all moves.
    pub best: f64,
    /// Whether the best move was the same two plies shallower.
    pub is_quiet: bool,
}

impl<A: Copy + PartialEq> Judged<A> {
    /// The value of a move that was asked about.
    pub fn value(&self, action: A) -> f64 {
        let found = self.values.iter().find(|(known, _)| *known == action);
        found.map_or(f64::MIN, |(_, value)| *value)
    }
}

/// A game with all that the experiments need.
pub trait Domain: Sync {
    /// The rules.
    type Game: MoveIdentity<State: Send + Sync, Action: Send>;

    /// The rules.
    fn game(&self) -> &Self::Game;

    /// No position has more moves.
    fn most_moves(&self) -> usize;

    /// The evaluation of the lists, mover's view.
    fn evaluate(&self, state: &StateOf<Self>) -> f64;

    /// The `index`-th position of a seeded experiment, with more than `count` moves.
    fn position(&self, index: u32, seed: u64, count: usize) -> StateOf<Self>;

    /// Where the `index`-th pair of games begins.
    fn opening(&self, index: usize, seed: u64) -> StateOf<Self>;

    /// After so many plies a game counts as drawn.
    fn most_plies(&self) -> usize;

    /// Values moves by the deep search.
    ///
    /// # Errors
    /// If an option cannot be used.
    fn judge(
        &self,
        state: &StateOf<Self>,
        moves: &[ActionOf<Self>],
        stop: &StopFlag,
    ) -> Result<Judged<ActionOf<Self>>, OptionError>;

    /// Someone who picks from a list by the same fixed search.
    ///
    /// # Errors
    /// If an option cannot be used.
    fn picker(&self) -> Result<Picker<'_, Self>, OptionError>;
}

/// Othello: positions from random play, so that no player's taste is in them; the judge is minimax.
pub struct OthelloDomain {
    options: Options,
    evaluator: Arc<dyn Evaluator>,
    /// Plies that the judge or the picking player looks ahead.
    depth: u32,
    /// Fewest and most empties of the positions.
    pub empties: (u32, u32),
    /// Where games begin, in turn; random positions if empty.
    pub openings: Vec<Position>,
}

/// Plies of random play before a game where no openings are given.
const RANDOM_OPENING: u32 = 8;

impl OthelloDomain {
    /// With the evaluation and the search of these options.
    ///
    /// # Errors
    /// If an option cannot be used.
    pub fn new(options: Options, depth: u32) -> Result<OthelloDomain, OptionError> {
        let evaluator = eval::build(&options)?;
        Ok(OthelloDomain { options, evaluator, depth, empties: (20, 40), openings: Vec::new() })
    }
}

impl Domain for OthelloDomain {
    type Game = Othello;

    fn game(&self) -> &Othello {
        &Othello
    }

    fn most_moves(&self) -> usize {
        33
    }

    fn evaluate(&self, state: &OthelloState) -> f64 {
        f64::from(self.evaluator.evaluate(state.position)) / f64::from(UNIT)
    }

    fn position(&self, index: u32, seed: u64, count: usize) -> OthelloState {
        let mut rng = seeded_part(seed, u64::from(index));
        let (least, most) = self.empties;
        let empties = least + index % (most.max(least) - least + 1);
        // Where there are no more moves than candidates every list is the same.
        loop {
            let position = random_position(empties, &mut rng);
            if position.legal_moves().count() as usize > count {
                return OthelloState { position, player: Side::First };
            }
        }
    }

    fn opening(&self, index: usize, seed: u64) -> OthelloState {
        let position = match self.openings.as_slice() {
            [] => {
                let mut rng = seeded_part(seed, index as u64);
                loop {
                    let position = random_position(60 - RANDOM_OPENING, &mut rng);
                    if position.has_move() {
                        break position;
                    }
                }
            }
            openings => openings[index % openings.len()],
        };
        OthelloState { position, player: Side::First }
    }

    fn most_plies(&self) -> usize {
        200
    }

    fn judge(
        &self,
        state: &OthelloState,
        _moves: &[Move],
        stop: &StopFlag,
    ) -> Result<Judged<Move>, OptionError> {
        let mut judge = search::build(&self.options)?;
        let position = state.position;
        let earlier = Request::new(position, Limits::depth(self.depth.saturating_sub(2).max(1)));
        let earlier = judge.search(&earlier, stop, &mut |_| {}).best_move();
        let multi_pv = position.legal_moves().count() as usize;
        let request = Request { multi_pv, ..Request::new(position, Limits::depth(self.depth)) };
        let outcome = judge.search(&request, stop, &mut |_| {});
        let value = |line: &search::Line| Some((*line.pv.first()?, line.score.discs()));
        Ok(Judged {
            values: outcome.lines.iter().filter_map(value).collect(),
            best: outcome.score().discs(),
            is_quiet: earlier == outcome.best_move(),
        })
    }

    fn picker(&self) -> Result<Picker<'_, OthelloDomain>, OptionError> {
        let mut method = search::build(&self.options)?;
        let depth = self.depth;
        Ok(Box::new(move |state, moves| {
            let squares = moves.iter().filter_map(|action| action.square());
            let only = squares.fold(0, |bits, square| bits | square.bit());
            let request = Request {
                only: Some(Bitboard(only)),
                ..Request::new(state.position, Limits::depth(depth))
            };
            let outcome = method.search(&request, &StopFlag::new(), &mut |_| {});
            outcome.best_move().filter(|best| moves.contains(best)).unwrap_or(moves[0])
        }))
    }
}
