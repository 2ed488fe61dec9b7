//! What the searches of this room walk on: a game tree with static values.
//!
//! [`Tree`] is smaller and quicker than [`Game`]: positions carry the state of an incremental
//! evaluation, and children go into a buffer that the search reuses. [`OthelloTree`] is the fast
//! path; [`GameTree`] puts any [`Game`] with a static evaluation behind the same trait, so that the
//! very same search code is tested on synthetic trees and small games.

use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use crate::eval::{Incremental, UNIT};
use crate::game::Game;
use crate::othello::{Bitboard, Move, Position};

/// What the side to move can do.
pub enum Expansion<A, N> {
    /// It has moves; they were visited in the tree's own order.
    Moves,
    /// It must pass.
    Pass(A, N),
    /// The game is over, with this value for the side to move.
    Over(f64),
}

/// A game tree with static values; every value is in discs from the mover's point of view.
pub trait Tree {
    /// A position, with whatever the evaluation carries along.
    type Node: Clone;
    /// A move.
    type Action: Copy + Eq + Debug;

    /// Hands the moves with the positions after them to `visitor`, one by one until it has seen
    /// enough, each with the number of all moves.
    fn visit(
        &self,
        node: &Self::Node,
        visitor: impl FnMut(usize, Self::Action, Self::Node) -> ControlFlow<()>,
    ) -> Expansion<Self::Action, Self::Node>;

    /// Puts all moves with the positions after them into `children` (given empty).
    fn expand(
        &self,
        node: &Self::Node,
        children: &mut Vec<(Self::Action, Self::Node)>,
    ) -> Expansion<Self::Action, Self::Node> {
        self.visit(node, |_, action, child| {
            children.push((action, child));
            ControlFlow::Continue(())
        })
    }

    /// The value of a finished game, `None` while it goes on.
    fn final_value(&self, node: &Self::Node) -> Option<f64>;

    /// The static value h.
    fn evaluate(&self, node: &Self::Node) -> f64;

    /// How many moves have been played: the row of a sigma table.
    fn stage(&self, node: &Self::Node) -> usize;

    /// Two words that tell positions apart.
    fn key(&self, node: &Self::Node) -> (u64, u64);

    /// A guess how good a position is for the side that just moved, for move ordering only.
    fn promise(&self, node: &Self::Node) -> f64 {
        -self.evaluate(node)
    }

    /// No position below `node` has more moves than this.
    fn most_moves(&self, node: &Self::Node) -> usize;
}

impl<T: Tree> Tree for &T {
    type Node = T::Node;
    type Action = T::Action;

    fn visit(
        &self,
        node: &Self::Node,
        visitor: impl FnMut(usize, Self::Action, Self::Node) -> ControlFlow<()>,
    ) -> Expansion<Self::Action, Self::Node> {
        (**self).visit(node, visitor)
    }

    fn final_value(&self, node: &Self::Node) -> Option<f64> {
        (**self).final_value(node)
    }

    fn evaluate(&self, node: &Self::Node) -> f64 {
        (**self).evaluate(node)
    }

    fn stage(&self, node: &Self::Node) -> usize {
        (**self).stage(node)
    }

    fn key(&self, node: &Self::Node) -> (u64, u64) {
        (**self).key(node)
    }

    fn promise(&self, node: &Self::Node) -> f64 {
        (**self).promise(node)
    }

    fn most_moves(&self, node: &Self::Node) -> usize {
        (**self).most_moves(node)
    }
}

/// Othello with an incremental evaluation.
pub struct OthelloTree<'e, E: Incremental> {
    /// What positions are worth.
    pub evaluation: &'e E,
}

/// An Othello position and its evaluation state.
#[derive(Clone, Copy)]
pub struct OthelloNode<S> {
    /// The discs.
    pub position: Position,
    state: S,
}

/// The greatest number of legal moves any reachable position has.
const MOST_OTHELLO_MOVES: usize = 33;

/// How many discs an opponent's move is worth in the ordering guess; not tuned.
const DISCS_PER_REPLY: f64 = 1.0;

impl<E: Incremental> OthelloTree<'_, E> {
    /// The node of a position.
    pub fn root(&self, position: Position) -> OthelloNode<E::State> {
        OthelloNode { position, state: self.evaluation.root(position) }
    }

    /// The nodes after these moves; after the pass if that is all there is.
    pub fn children(
        &self,
        node: &OthelloNode<E::State>,
        moves: Bitboard,
    ) -> Vec<(Move, OthelloNode<E::State>)> {
        let mut children = Vec::new();
        if let Expansion::Pass(action, next) = self.expand(node, &mut children) {
            children.push((action, next));
        }
        children.retain(|(action, _)| action.square().is_none_or(|square| moves.contains(square)));
        children
    }
}

impl<E: Incremental> Tree for OthelloTree<'_, E> {
    type Node = OthelloNode<E::State>;
    type Action = Move;

    #[inline]
    fn visit(
        &self,
        node: &Self::Node,
        mut visitor: impl FnMut(usize, Move, Self::Node) -> ControlFlow<()>,
    ) -> Expansion<Move, Self::Node> {
        let position = node.position;
        let moves = position.legal_moves();
        if moves.is_empty() {
            let passed = position.pass();
            return if passed.has_move() {
                let state = self.evaluation.passed(&node.state);
                Expansion::Pass(Move::Pass, OthelloNode { position: passed, state })
            } else {
                Expansion::Over(f64::from(position.final_score()))
            };
        }
        let count = moves.count() as usize;
        for square in moves {
            let flips = position.flips(square);
            let child = OthelloNode {
                position: position.play_flipping(square, flips),
                state: self.evaluation.child(&node.state, square, flips.0),
            };
            if visitor(count, Move::Place(square), child).is_break() {
                break;
            }
        }
        Expansion::Moves
    }

    fn final_value(&self, node: &Self::Node) -> Option<f64> {
        node.position.is_over().then(|| f64::from(node.position.final_score()))
    }

    fn evaluate(&self, node: &Self::Node) -> f64 {
        f64::from(self.evaluation.value(&node.state, node.position)) / f64::from(UNIT)
    }

    fn stage(&self, node: &Self::Node) -> usize {
        60usize.saturating_sub(node.position.empty_count() as usize)
    }

    fn key(&self, node: &Self::Node) -> (u64, u64) {
        (node.position.mover().0, node.position.opponent().0)
    }

    fn promise(&self, node: &Self::Node) -> f64 {
        -self.evaluate(node) - DISCS_PER_REPLY * f64::from(node.position.legal_moves().count())
    }

    fn most_moves(&self, node: &Self::Node) -> usize {
        MOST_OTHELLO_MOVES.min(node.position.empty_count() as usize)
    }
}

/// Any game with a static evaluation. A state's stage is 0: games without stages have one sigma.
pub struct GameTree<'g, G, F> {
    /// The rules.
    pub game: &'g G,
    /// The static value, mover's view.
    pub evaluate: F,
    /// No state has more actions than this.
    pub most_moves: usize,
}

impl<G: Game, F: Fn(&G::State) -> f64> Tree for GameTree<'_, G, F> {
    type Node = G::State;
    type Action = G::Action;

    fn visit(
        &self,
        node: &G::State,
        mut visitor: impl FnMut(usize, G::Action, G::State) -> ControlFlow<()>,
    ) -> Expansion<G::Action, G::State> {
        if let Some(value) = self.game.terminal_value(node) {
            return Expansion::Over(value);
        }
        let actions = self.game.actions(node);
        if let &[only] = actions.as_slice()
            && self.game.is_pass(only)
        {
            return Expansion::Pass(only, self.game.apply(node, only));
        }
        for &action in &actions {
            if visitor(actions.len(), action, self.game.apply(node, action)).is_break() {
                break;
            }
        }
        Expansion::Moves
    }

    fn final_value(&self, node: &G::State) -> Option<f64> {
        self.game.terminal_value(node)
    }

    fn evaluate(&self, node: &G::State) -> f64 {
        (self.evaluate)(node)
    }

    fn stage(&self, _node: &G::State) -> usize {
        0
    }

    fn key(&self, node: &G::State) -> (u64, u64) {
        let hash = |salt: u64| {
            let mut hasher = DefaultHasher::new();
            (salt, node).hash(&mut hasher);
            hasher.finish()
        };
        (hash(1), hash(2))
    }

    fn most_moves(&self, _node: &G::State) -> usize {
        self.most_moves
    }
}
