//! OM search (Iida and others 1993): the opponent's replies are those of its own evaluation.
//!
//! The first player has an evaluation EV_f and a guess EV_g of the opponent's, both larger = better
//! for the first player:
//!
//! ```text
//! g(P) = max g(P_i) | min g(P_i) | EV_g(P)                      own node | opponent's node | leaf
//! F(P) = max F(P_i) | F(P_j) with g(P_j) = min g(P_i) | EV_f(P)
//! ```
//!
//! F is never below the minimax value: where the two evaluations disagree, the opponent's choice is a
//! *mistake* that F counts on. The opponent may look to the leaves of the own search (OM search) or d
//! plies from wherever it stands ((D, d)-OM search). Anything that says how likely each reply is can
//! stand in for the opponent, see [`ReplyModel`]; then F is the mean over the replies, and replies
//! that the model finds equally good are equally likely.
//!
//! **What is pruned.** F of a reply that the opponent does not choose is not needed, and neither is
//! its exact g: the choice is an alpha-beta search of its own with a table, made once for a position
//! where it depends on nothing else. F itself cannot be cut, for nothing bounds F by g. A soft
//! opponent's least likely replies are left out ([`LEAST_LIKELY`]): the one thing that is not exact. **Risk control**: a root move whose minimax value is more than `risk`
//! discs below the best is not considered, however great its F.

use std::collections::HashMap;

use super::forced::{Knowledge, LookAhead};
use crate::eval::Incremental;
use crate::game::{Game, Othello, Side, othello::OthelloState};
use crate::othello::{Move, Position};
use crate::search::expectation::Deviation;
use crate::search::expectation::alpha_beta::AlphaBeta;
use crate::search::expectation::backup::Backup;
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::expectation::settings::ExpectationSettings;
use crate::search::expectation::table::Table;
use crate::search::expectation::tree::{Expansion, GameTree, OthelloNode, OthelloTree, Tree};

/// How likely the opponent plays each move; the weights sum to 1.
pub type Replies<A> = Vec<(A, f64)>;

/// What is expected of the opponent.
pub trait ReplyModel<T: Tree> {
    /// The replies with positive weight at a node with moves, `depth` plies above the leaves of the
    /// search. Never empty; means nothing once the counter is exhausted.
    fn replies(
        &mut self,
        tree: &T,
        node: &T::Node,
        depth: u32,
        counter: &mut NodeCounter<'_>,
    ) -> Replies<T::Action>;
}

/// A soft opponent's reply is left out if it is so many times less likely than the best one: F would
/// follow every one of them, for hardly any weight.
pub const LEAST_LIKELY: f64 = 64.0;
/// Positions whose replies are kept at most; a longer search goes on without remembering more.
const MOST_REMEMBERED: usize = 1 << 18;

/// Trees of the same game whose nodes carry different evaluations.
pub trait Placed: Tree {
    /// A position without evaluation.
    type Place;

    /// Where a node stands.
    fn place(&self, node: &Self::Node) -> Self::Place;

    /// The node of a position.
    fn node(&self, place: Self::Place) -> Self::Node;
}

impl<E: Incremental> Placed for OthelloTree<'_, E> {
    type Place = Position;

    fn place(&self, node: &OthelloNode<E::State>) -> Position {
        node.position
    }

    fn node(&self, place: Position) -> OthelloNode<E::State> {
        self.root(place)
    }
}

impl<G: Game, F: Fn(&G::State) -> f64> Placed for GameTree<'_, G, F> {
    type Place = G::State;

    fn place(&self, node: &G::State) -> G::State {
        node.clone()
    }

    fn node(&self, place: G::State) -> G::State {
        place
    }
}

impl<T: Placed> Placed for &T {
    type Place = T::Place;

    fn place(&self, node: &Self::Node) -> T::Place {
        (**self).place(node)
    }

    fn node(&self, place: T::Place) -> Self::Node {
        (**self).node(place)
    }
}

/// Plain minimax with a table.
pub(super) fn minimax<T: Tree>(table: Table) -> AlphaBeta<T> {
    AlphaBeta::new(ExpectationSettings::with_sigma(Deviation::ZERO), table)
}

/// Equal shares.
fn uniform<A>(actions: Vec<A>) -> Replies<A> {
    let share = 1.0 / actions.len().max(1) as f64;
    actions.into_iter().map(|action| (action, share)).collect()
}

/// How far the modelled opponent looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ModelDepth {
    /// To the leaves of the own search: OM search.
    ToLeaves,
    /// So many plies, at least 1, its own move included: (D, d)-OM search.
    Plies(u32),
}

impl ModelDepth {
    fn below(self, depth: u32) -> u32 {
        match self {
            ModelDepth::ToLeaves => depth,
            ModelDepth::Plies(plies) => plies.max(1),
        }
    }
}

/// An opponent who plays minimax on an evaluation of its own.
pub struct MinimaxModel<M: Tree> {
    tree: M,
    search: AlphaBeta<M>,
    depth: ModelDepth,
    /// As the engine's `softness`: a move d discs below the best is exp(−d/softness) times as
    /// likely; 0 plays only the best.
    softness: f64,
    /// What was found, where it does not depend on how far the own search looks.
    known: HashMap<(u64, u64), Replies<M::Action>>,
}

impl<M: Placed> MinimaxModel<M> {
    /// With its evaluation, its depth, its softness in discs and a table for its search.
    pub fn new(tree: M, depth: ModelDepth, softness: f64, table: Table) -> MinimaxModel<M> {
        let known = HashMap::new();
        MinimaxModel { tree, search: minimax(table), depth, softness, known }
    }

    fn replies_at(
        &mut self,
        place: M::Place,
        depth: u32,
        counter: &mut NodeCounter<'_>,
    ) -> Replies<M::Action> {
        let node = self.tree.node(place);
        let key = self.tree.key(&node);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let replies = self.search_replies(&node, self.depth.below(depth) - 1, counter);
        let lasting = self.depth != ModelDepth::ToLeaves && self.known.len() < MOST_REMEMBERED;
        if lasting && !counter.is_exhausted() {
            self.known.insert(key, replies.clone());
        }
        replies
    }

    fn search_replies(
        &mut self,
        node: &M::Node,
        below: u32,
        counter: &mut NodeCounter<'_>,
    ) -> Replies<M::Action> {
        let mut children = Vec::new();
        self.tree.expand(node, &mut children);
        let least = self.softness * LEAST_LIKELY.ln();
        let mut best = f64::NEG_INFINITY;
        let mut values = Vec::with_capacity(children.len());
        for (_, child) in &children {
            // Just below what matters, so that equals are told from worse ones.
            let floor = (best - least).next_down();
            let value = self.search.child_value(&self.tree, child, below, floor, counter);
            best = best.max(value);
            values.push(value);
        }
        let chosen = children.iter().zip(&values).filter(|(_, value)| **value >= best - least);
        if self.softness <= 0.0 {
            return uniform(chosen.map(|((action, _), _)| *action).collect());
        }
        let weight = |value: f64| ((value - best) / self.softness).exp();
        let mut replies: Replies<M::Action> =
            chosen.map(|((action, _), value)| (*action, weight(*value))).collect();
        let sum: f64 = replies.iter().map(|(_, weight)| weight).sum();
        replies.iter_mut().for_each(|(_, weight)| *weight /= sum);
        replies
    }
}

impl<T: Placed, M: Placed<Place = T::Place, Action = T::Action>> ReplyModel<T> for MinimaxModel<M> {
    fn replies(
        &mut self,
        tree: &T,
        node: &T::Node,
        depth: u32,
        counter: &mut NodeCounter<'_>,
    ) -> Replies<T::Action> {
        self.replies_at(tree.place(node), depth, counter)
    }
}

/// An opponent who searches with a model of us in turn: the recursive model.
pub struct RecursiveModel<'t, M: Tree> {
    /// The opponent's own search.
    pub search: OmSearch<'t, M>,
    /// How far it looks.
    pub depth: ModelDepth,
}

impl<T: Placed, M: Placed<Place = T::Place, Action = T::Action>> ReplyModel<T>
    for RecursiveModel<'_, M>
{
    fn replies(
        &mut self,
        tree: &T,
        node: &T::Node,
        depth: u32,
        counter: &mut NodeCounter<'_>,
    ) -> Replies<T::Action> {
        let mut children = Vec::new();
        self.search.tree.expand(&self.search.tree.node(tree.place(node)), &mut children);
        let below = self.depth.below(depth) - 1;
        let mut line = Vec::new();
        let values: Vec<f64> = children
            .iter()
            .map(|(_, child)| self.search.value(child, below, false, &mut line, counter))
            .collect();
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let equal = children.iter().zip(&values).filter(|(_, value)| **value == best);
        uniform(equal.map(|((action, _), _)| *action).collect())
    }
}

/// A semi-random opponent P_d of Othello.
pub struct SemiRandomModel<'g, K> {
    /// What it sees.
    pub look: LookAhead<'g, Othello, K>,
    /// d, plies.
    pub depth: u32,
}

impl<E: Incremental, K: Knowledge<Othello>> ReplyModel<OthelloTree<'_, E>>
    for SemiRandomModel<'_, K>
{
    fn replies(
        &mut self,
        _tree: &OthelloTree<'_, E>,
        node: &OthelloNode<E::State>,
        _depth: u32,
        counter: &mut NodeCounter<'_>,
    ) -> Replies<Move> {
        let state = OthelloState { position: node.position, player: Side::Second };
        uniform(self.look.semi_random(&state, self.depth, counter).actions)
    }
}

/// An opponent who is one of several with these probabilities (which sum to 1): a move is as likely
/// as they together say. F over it is Donkers' probabilistic OM search.
pub struct MixtureModel<'t, T: Tree> {
    /// Probability and model.
    pub parts: Vec<(f64, Box<dyn ReplyModel<T> + 't>)>,
}

impl<T: Tree> ReplyModel<T> for MixtureModel<'_, T> {
    fn replies(
        &mut self,
        tree: &T,
        node: &T::Node,
        depth: u32,
        counter: &mut NodeCounter<'_>,
    ) -> Replies<T::Action> {
        let mut sum: Replies<T::Action> = Vec::new();
        for (probability, model) in &mut self.parts {
            for (action, weight) in model.replies(tree, node, depth, counter) {
                match sum.iter_mut().find(|(known, _)| *known == action) {
                    Some((_, share)) => *share += *probability * weight,
                    None => sum.push((action, *probability * weight)),
                }
            }
        }
        sum
    }
}

/// The search of F.
pub struct OmSearch<'t, T: Tree> {
    tree: &'t T,
    model: Box<dyn ReplyModel<T> + 't>,
}

/// A root move as OM search sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct OmMove<A> {
    /// The move.
    pub action: A,
    /// F, or the minimax value (or a bound of it) of a move that is too risky.
    pub value: f64,
    /// Whether the move is within the risk; the others come last.
    pub is_considered: bool,
    /// The play that the model expects, the move first.
    pub line: Vec<A>,
}

impl<'t, T: Tree> OmSearch<'t, T> {
    /// With the own evaluation in the tree and a model of the opponent.
    pub fn new(tree: &'t T, model: Box<dyn ReplyModel<T> + 't>) -> OmSearch<'t, T> {
        OmSearch { tree, model }
    }

    /// F of a node for the root side, with the expected play below it put in `line`.
    pub fn value(
        &mut self,
        node: &T::Node,
        depth: u32,
        is_own: bool,
        line: &mut Vec<T::Action>,
        counter: &mut NodeCounter<'_>,
    ) -> f64 {
        line.clear();
        if !counter.spend(1) {
            return 0.0;
        }
        let sign = if is_own { 1.0 } else { -1.0 };
        if depth == 0 {
            let value = self.tree.final_value(node);
            return sign * value.unwrap_or_else(|| self.tree.evaluate(node));
        }
        let mut children = Vec::new();
        match self.tree.expand(node, &mut children) {
            Expansion::Over(score) => sign * score,
            Expansion::Pass(action, next) => {
                let value = self.value(&next, depth, !is_own, line, counter);
                line.insert(0, action);
                value
            }
            Expansion::Moves if is_own => {
                let mut best = f64::NEG_INFINITY;
                let mut below = Vec::new();
                for (action, child) in &children {
                    let value = self.value(child, depth - 1, false, &mut below, counter);
                    if value > best {
                        best = value;
                        follow(line, *action, &below);
                    }
                }
                best
            }
            Expansion::Moves => self.mean_of_replies(node, &children, depth, line, counter),
        }
    }

    fn mean_of_replies(
        &mut self,
        node: &T::Node,
        children: &[(T::Action, T::Node)],
        depth: u32,
        line: &mut Vec<T::Action>,
        counter: &mut NodeCounter<'_>,
    ) -> f64 {
        let replies = self.model.replies(self.tree, node, depth, counter);
        let (mut mean, mut likeliest) = (0.0, 0.0);
        let mut below = Vec::new();
        for (action, weight) in replies {
            let Some((_, child)) = children.iter().find(|(own, _)| *own == action) else {
                continue;
            };
            mean += weight * self.value(child, depth - 1, true, &mut below, counter);
            if weight > likeliest {
                likeliest = weight;
                follow(line, action, &below);
            }
        }
        mean
    }

    /// The root moves (each with the node after it), best first, searched `depth` plies deep: those
    /// whose minimax value by `own` is within `risk` discs of the best, by F; then the others. If the
    /// search had to end, those it got to come first, and none is no answer.
    pub fn rank(
        &mut self,
        moves: &[(T::Action, T::Node)],
        depth: u32,
        risk: f64,
        own: &mut AlphaBeta<T>,
        counter: &mut NodeCounter<'_>,
    ) -> Option<Ranked<T::Action>> {
        let mut safest = f64::NEG_INFINITY;
        let mut values = Vec::with_capacity(moves.len());
        for (_, child) in moves {
            let floor = (safest - risk).next_down();
            let value = if risk.is_finite() {
                own.child_value(self.tree, child, depth - 1, floor, counter)
            } else {
                0.0
            };
            safest = safest.max(value);
            values.push(value);
        }
        let mut ranked = Vec::with_capacity(moves.len());
        for ((action, child), value) in moves.iter().zip(values) {
            let is_considered = value >= safest - risk;
            let mut line = Vec::new();
            let value = if is_considered {
                self.value(child, depth - 1, false, &mut line, counter)
            } else {
                value
            };
            if counter.is_exhausted() {
                break;
            }
            line.insert(0, *action);
            ranked.push(OmMove { action: *action, value, is_considered, line });
        }
        ranked.sort_by(|a, b| {
            b.is_considered.cmp(&a.is_considered).then(b.value.total_cmp(&a.value))
        });
        // Without a considered move there is nothing to choose yet.
        let usable = ranked.first().is_some_and(|first| first.is_considered);
        usable.then_some(Ranked { is_complete: ranked.len() == moves.len(), moves: ranked })
    }
}

/// The root moves of one search.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked<A> {
    /// Best first.
    pub moves: Vec<OmMove<A>>,
    /// Whether all of them were searched.
    pub is_complete: bool,
}

fn follow<A: Copy>(line: &mut Vec<A>, action: A, below: &[A]) {
    line.clear();
    line.push(action);
    line.extend_from_slice(below);
}
