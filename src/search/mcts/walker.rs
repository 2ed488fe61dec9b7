//! One simulation of the strong player: down the tree by PUCT, one expansion, back up.
//!
//! Expanding a leaf evaluates all its children at once: their evaluations are the priors of the
//! moves (softmax), the first estimates of the children and, weighted by the priors, the value of
//! the leaf. Two kinds of knowledge go up besides the mean of the values:
//!
//! * the *minimax value* of the estimates below a node, blended into selection with a weight
//!   (implicit minimax back-up, Lanctot et al. 2014);
//! * *proven bounds* of the final score, from finished games and the endgame solver (score bounded
//!   Monte Carlo tree search, Cazenave and Saffidine 2010): a move whose upper bound does not beat
//!   another's lower bound is never visited again.

use super::formula::puct;
use super::parameters::{EXACT_LEAF_EMPTIES, MARGIN_SHARE, VALUE_SCALE};
use super::playout::PlayoutPolicy;
use super::tree::{Bounds, NewChild, Node, NodeIndex, ROOT, Tree};
use crate::eval::{Incremental, UNIT};
use crate::othello::{Bitboard, Move, Position};
use crate::random::Random;
use crate::search::endgame::Solver;
use crate::search::win_rate::WinRateMap;

/// What a leaf is worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LeafValue {
    /// Share of a playout's result (λ); the evaluation has the rest.
    pub playout_share: f32,
}

/// The numbers that steer a simulation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PuctSettings {
    /// Weight of exploration in PUCT.
    pub exploration: f32,
    /// Temperature of the priors in discs.
    pub temperature: f32,
    /// Weight of the minimax value against the mean.
    pub minimax_weight: f32,
    /// What a leaf is worth.
    pub leaf: LeafValue,
    /// Leaves with at most this many empties are solved.
    pub solve_empties: u32,
}

impl PuctSettings {
    /// A node's worth for the side that moves into it.
    pub fn value(&self, node: &Node) -> f32 {
        let mean = node.mean();
        mean + self.minimax_weight * (node.best() - mean)
    }
}

/// The win rate of an evaluation in discs with so many empties.
pub fn win_rate(discs: f32, empties: u32) -> f32 {
    value_map(empties).win_rate(f64::from(discs)) as f32
}

/// The evaluation in discs of a win rate: the inverse of [`win_rate`].
pub fn discs(win_rate: f32, empties: u32) -> f32 {
    value_map(empties).discs(f64::from(win_rate)) as f32
}

/// The standard error in discs of such a win rate after so many visits.
pub fn standard_error(win_rate: f32, visits: u32, empties: u32) -> f64 {
    value_map(empties).standard_error(f64::from(win_rate), f64::from(visits))
}

fn value_map(empties: u32) -> WinRateMap {
    let scale = VALUE_SCALE.0 + VALUE_SCALE.1 * empties as f32;
    WinRateMap::Logistic { scale: f64::from(scale) }
}

/// What a proven final score is worth: nearly all for winning, a little for the margin.
pub fn value_of_score(score: i8) -> f32 {
    let outcome = f32::from(score.signum());
    let margin = f32::from(score) / 64.0;
    0.5 + 0.5 * ((1.0 - MARGIN_SHARE) * outcome + MARGIN_SHARE * margin)
}

/// One thread's way through the tree.
pub struct Walker<'a, E: Incremental> {
    tree: &'a Tree,
    settings: PuctSettings,
    evaluator: &'a E,
    policy: &'a PlayoutPolicy,
    rng: Random,
    solver: Solver<'a>,
    root: (Position, E::State),
    allowed: Bitboard,
    path: Vec<NodeIndex>,
    evaluated: u64,
    deepest: usize,
    met_full_tree: bool,
}

/// What every walker of a search has in common.
#[derive(Clone, Copy)]
pub struct SearchContext<'a, E> {
    /// The tree.
    pub tree: &'a Tree,
    /// The position of its root.
    pub position: Position,
    /// The root moves to consider.
    pub allowed: Bitboard,
    /// The numbers.
    pub settings: PuctSettings,
    /// Judges positions.
    pub evaluator: &'a E,
    /// Chooses moves in playouts.
    pub policy: &'a PlayoutPolicy,
}

impl<'a, E: Incremental> Walker<'a, E> {
    /// A walker with its own generator and solver.
    pub fn new(context: &SearchContext<'a, E>, rng: Random, solver: Solver<'a>) -> Walker<'a, E> {
        Walker {
            tree: context.tree,
            settings: context.settings,
            evaluator: context.evaluator,
            policy: context.policy,
            rng,
            solver,
            root: (context.position, context.evaluator.root(context.position)),
            allowed: context.allowed,
            path: Vec::new(),
            evaluated: 0,
            deepest: 0,
            met_full_tree: false,
        }
    }

    /// Positions evaluated and visited by the solver.
    pub fn nodes(&self) -> u64 {
        self.evaluated + self.solver.nodes
    }

    /// Plies of the longest way down so far.
    pub fn deepest(&self) -> usize {
        self.deepest
    }

    /// Whether a leaf could not be expanded because the arena is full.
    pub fn met_full_tree(&self) -> bool {
        self.met_full_tree
    }

    /// One way down and up again.
    pub fn simulate(&mut self) {
        let (mut position, mut state) = self.root;
        let mut index = ROOT;
        self.path.clear();
        let value = loop {
            let node = self.tree.node(index);
            self.path.push(index);
            node.begin_visit();
            let bounds = node.bounds();
            if index != ROOT && bounds.is_exact() {
                break value_of_score(bounds.lower);
            }
            let Some((first, children)) = self.tree.children(node) else {
                break self.open(node, position, &state);
            };
            let chosen = self.select(node, children, index == ROOT);
            match children[chosen].played() {
                Move::Place(square) => {
                    let flipped = position.flips(square);
                    state = self.evaluator.child(&state, square, flipped.0);
                    position = position.play_flipping(square, flipped);
                }
                Move::Pass => {
                    state = self.evaluator.passed(&state);
                    position = position.pass();
                }
            }
            index = first + chosen as NodeIndex;
        };
        self.deepest = self.deepest.max(self.path.len() - 1);
        self.back_up(value);
    }

    /// The child PUCT chooses among those that can still matter.
    fn select(&self, node: &Node, children: &[Node], at_root: bool) -> usize {
        let is_allowed = |child: &Node| {
            !at_root || child.played().square().is_none_or(|square| self.allowed.contains(square))
        };
        let floor = children
            .iter()
            .filter(|child| is_allowed(child))
            .map(|child| child.bounds().lower)
            .max()
            .unwrap_or(-64);
        let root_of_total = (node.visits() as f32).sqrt();
        let mut best = (f32::NEG_INFINITY, 0);
        for (number, child) in children.iter().enumerate() {
            if !is_allowed(child) {
                continue;
            }
            let worth = if child.bounds().upper <= floor {
                // Proven to be no better than another: only if everything is proven.
                f32::from(child.bounds().lower) - 1_000.0
            } else {
                puct(
                    self.settings.value(child),
                    child.prior(),
                    child.visits(),
                    root_of_total,
                    self.settings.exploration,
                )
            };
            if worth > best.0 {
                best = (worth, number);
            }
        }
        best.1
    }

    /// Judges a leaf and gives it children: its value for the side that moved into it.
    fn open(&mut self, node: &Node, position: Position, state: &E::State) -> f32 {
        let moves = position.legal_moves();
        if moves.is_empty() && !position.pass().has_move() {
            return self.prove(node, -position.final_score());
        }
        if position.empty_count() <= self.settings.solve_empties && self.path.len() > 1 {
            return self.solve_leaf(node, position);
        }
        if !node.claim() {
            return node.estimate();
        }
        let (children, count) = self.judge_children(position, state, moves);
        let children = &children[..count];
        let best = children.iter().map(|child| child.estimate).fold(0.0, f32::max);
        let mean: f32 = children.iter().map(|child| child.prior * child.estimate).sum();
        let share = self.settings.leaf.playout_share;
        let value = if share > 0.0 {
            let score = self.policy.play(position, &mut self.rng);
            mean + share * (value_of_score(score as i8) - mean)
        } else {
            mean
        };
        node.set_best(1.0 - best);
        if !self.tree.grow(node, children) {
            self.met_full_tree = true;
        }
        1.0 - value
    }

    /// Solves a leaf: its value for the side that moved into it. Who wins is enough for most; only
    /// a leaf that is visited often is worth its exact score, which costs many times as much.
    fn solve_leaf(&mut self, node: &Node, position: Position) -> f32 {
        let empties = position.empty_count();
        let exactly = node.visits() >> empties.saturating_sub(EXACT_LEAF_EMPTIES) > 0;
        let expected = discs(node.estimate(), empties).round() as i32;
        let has_winner = |bounds: Bounds| bounds.lower > 0 || bounds.upper < 0;
        if exactly || !has_winner(node.bounds()) {
            let most = if exactly { 64 } else { 1 };
            let score = -self.solver.solve_near(position, -most, most, -expected);
            // A stopped solver knows nothing; the search is over anyway.
            if self.solver.stopped() {
                return node.estimate();
            }
            if exactly || score == 0 {
                return self.prove(node, score);
            }
            node.narrow(if score > 0 {
                Bounds { lower: score as i8, ..Bounds::UNKNOWN }
            } else {
                Bounds { upper: score as i8, ..Bounds::UNKNOWN }
            });
        }
        let Bounds { lower, upper } = node.bounds();
        let value = value_of_score((expected as i8).clamp(lower, upper.max(lower)));
        node.set_best(value);
        value
    }

    fn prove(&self, node: &Node, score: i32) -> f32 {
        node.narrow(Bounds::exactly(score));
        let value = value_of_score(score as i8);
        node.set_best(value);
        value
    }

    /// Estimates and priors of all moves, or of the forced pass.
    fn judge_children(
        &mut self,
        position: Position,
        state: &E::State,
        moves: Bitboard,
    ) -> ([NewChild; 64], usize) {
        let empties = position.empty_count();
        let mut children = [NewChild { played: Move::Pass, estimate: 0.0, prior: 1.0 }; 64];
        if moves.is_empty() {
            let after = self.evaluator.passed(state);
            let value = -self.evaluator.value(&after, position.pass());
            children[0].estimate = win_rate(value as f32 / UNIT as f32, empties);
            self.evaluated += 1;
            return (children, 1);
        }
        let count = moves.count() as usize;
        let mut values = [0.0f32; 64];
        for ((square, child), value) in moves.into_iter().zip(&mut children).zip(&mut values) {
            let flipped = position.flips(square);
            let after = self.evaluator.child(state, square, flipped.0);
            let units = -self.evaluator.value(&after, position.play_flipping(square, flipped));
            *value = units as f32 / UNIT as f32;
            child.played = Move::Place(square);
            child.estimate = win_rate(*value, empties - 1);
        }
        self.evaluated += count as u64;
        let best = values[..count].iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let mut sum = 0.0;
        for (child, value) in children[..count].iter_mut().zip(&values) {
            child.prior = ((value - best) / self.settings.temperature).exp();
            sum += child.prior;
        }
        for child in &mut children[..count] {
            child.prior /= sum;
        }
        (children, count)
    }

    /// Takes a value, given for the side that moved into the last node of the path, up to the root.
    fn back_up(&mut self, mut value: f32) {
        let mut news = true;
        for (step, &index) in self.path.iter().rev().enumerate() {
            let node = self.tree.node(index);
            if step > 0 && news {
                news = self.refresh(node);
            }
            let Bounds { lower, upper } = node.bounds();
            value = value.clamp(value_of_score(lower), value_of_score(upper.max(lower)));
            node.end_visit(value);
            value = 1.0 - value;
        }
    }

    /// Recomputes minimax value and bounds from the children; whether anything changed.
    fn refresh(&self, node: &Node) -> bool {
        let Some((_, children)) = self.tree.children(node) else { return false };
        let (mut best, mut bounds) = (0.0f32, Bounds { lower: -64, upper: -64 });
        for child in children {
            let below = child.bounds();
            best = best.max(child.best());
            bounds.lower = bounds.lower.max(below.lower);
            bounds.upper = bounds.upper.max(below.upper);
        }
        let narrowed = node.narrow(Bounds { lower: -bounds.upper, upper: -bounds.lower });
        node.set_best(1.0 - best) || narrowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluator;
    use crate::eval::discs::Discs;
    use crate::eval::mobility::Mobility;
    use crate::othello::random::{random_position, scattered_position};
    use crate::random::seeded;
    use crate::search::endgame;
    use std::sync::atomic::AtomicBool;

    static RUNNING: AtomicBool = AtomicBool::new(false);

    const SETTINGS: PuctSettings = PuctSettings {
        exploration: 1.0,
        temperature: 2.0,
        minimax_weight: 0.5,
        leaf: LeafValue { playout_share: 0.0 },
        solve_empties: 0,
    };

    fn context<'a, E>(
        tree: &'a Tree,
        evaluator: &'a E,
        position: Position,
        settings: PuctSettings,
    ) -> SearchContext<'a, E> {
        let policy = &PlayoutPolicy::Uniform;
        SearchContext { tree, position, allowed: Bitboard::FULL, settings, evaluator, policy }
    }

    fn walk(tree: &Tree, position: Position, settings: PuctSettings, simulations: u32) {
        let evaluator: &dyn Evaluator = &Mobility;
        let context = context(tree, &evaluator, position, settings);
        let mut walker = Walker::new(&context, seeded(1), Solver::new(&RUNNING));
        (0..simulations).for_each(|_| walker.simulate());
    }

    #[test]
    fn win_rates_and_discs_are_inverse_and_proven_scores_are_ordered() {
        assert_eq!(win_rate(0.0, 30), 0.5);
        for empties in [0, 20, 60] {
            assert!((discs(win_rate(4.0, empties), empties) - 4.0).abs() < 1e-3);
        }
        let scores = [-64, -2, 0, 2, 64];
        let values = scores.map(value_of_score);
        assert!(values.is_sorted());
        assert_eq!((values[0], values[2], values[4]), (0.0, 0.5, 1.0));
        assert!(values[3] > 0.97);
    }

    #[test]
    fn priors_are_the_softmax_of_the_evaluations() {
        // Discs only: a move that flips two discs more is four discs better for the mover.
        let position = random_position(40, &mut seeded(6));
        let evaluator: &dyn Evaluator = &Discs;
        let tree = Tree::new(1 << 20).unwrap();
        let context = context(&tree, &evaluator, position, SETTINGS);
        let mut walker = Walker::new(&context, seeded(1), Solver::new(&RUNNING));
        let moves = position.legal_moves();
        let (children, count) = walker.judge_children(position, &(), moves);
        assert_eq!(count, moves.count() as usize);
        assert!(
            (children[..count].iter().map(|child| child.prior).sum::<f32>() - 1.0).abs() < 1e-5
        );
        let flipped =
            |child: &NewChild| position.flips(child.played.square().unwrap()).count() as f32;
        for pair in children[..count].windows(2) {
            let gap = 2.0 * (flipped(&pair[0]) - flipped(&pair[1]));
            let ratio = pair[0].prior / pair[1].prior;
            assert!((ratio.ln() - gap / SETTINGS.temperature).abs() < 1e-4, "{ratio} at {gap}");
        }
    }

    #[test]
    fn selection_weighs_value_prior_and_visits_on_a_hand_computed_node() {
        let tree = Tree::new(1 << 20).unwrap();
        let evaluator: &dyn Evaluator = &Discs;
        let settings = PuctSettings { minimax_weight: 0.0, ..SETTINGS };
        let context = context(&tree, &evaluator, Position::START, settings);
        let walker = Walker::new(&context, seeded(1), Solver::new(&RUNNING));
        let root = tree.node(ROOT);
        let moves: Vec<Move> = Position::START.children().map(|entry| entry.0).collect();
        let child =
            |number: usize, estimate, prior| NewChild { played: moves[number], estimate, prior };
        assert!(root.claim());
        assert!(tree.grow(root, &[child(0, 0.5, 0.6), child(1, 0.55, 0.3), child(2, 0.4, 0.1)]));
        let children = tree.children(root).unwrap().1;
        (0..4).for_each(|_| root.begin_visit());
        // √4 = 2: 0.5 + 0.6·2 = 1.7, 0.55 + 0.3·2 = 1.15, 0.4 + 0.1·2 = 0.6.
        assert_eq!(walker.select(root, children, true), 0);
        // Two visits that both won half: 0.5 + 0.6·2/3 = 0.9, below 1.15.
        for _ in 0..2 {
            children[0].begin_visit();
            children[0].end_visit(0.5);
        }
        assert_eq!(walker.select(root, children, true), 1);
        // One under way there: 0 + 0.3·2/2 = 0.3, and the first leads again.
        children[1].begin_visit();
        assert_eq!(walker.select(root, children, true), 0);
        // The first is proven a draw, the second cannot win: only the third can still matter.
        children[0].narrow(Bounds::exactly(0));
        children[1].narrow(Bounds { lower: -64, upper: -2 });
        assert_eq!(walker.select(root, children, true), 2);
    }

    #[test]
    fn bounds_backed_up_from_finished_games_are_the_exact_score() {
        let mut rng = seeded(9);
        let mut proven = 0;
        for round in 0..60 {
            let position = if round % 2 == 0 {
                random_position(6, &mut rng)
            } else {
                scattered_position(6, &mut rng)
            };
            if position.is_over() {
                continue;
            }
            let tree = Tree::new(4 << 20).unwrap();
            let solve_empties = round % 3;
            walk(&tree, position, PuctSettings { solve_empties, ..SETTINGS }, 6_000);
            let bounds = tree.node(ROOT).bounds();
            let score = -endgame::solve(position) as i8;
            assert!((bounds.lower..=bounds.upper).contains(&score), "{bounds:?} {score}");
            proven += u32::from(bounds.is_exact());
        }
        assert!(proven > 40, "{proven} of 60 proven");
    }

    #[test]
    fn a_solved_leaf_knows_its_winner_at_once_and_its_score_when_visited_often() {
        let mut rng = seeded(12);
        for _ in 0..30 {
            let position = random_position(8, &mut rng);
            if position.is_over() || position.must_pass() {
                continue;
            }
            let evaluator: &dyn Evaluator = &Mobility;
            let tree = Tree::new(1 << 20).unwrap();
            let settings = PuctSettings { solve_empties: 8, ..SETTINGS };
            let context = context(&tree, &evaluator, position, settings);
            let mut walker = Walker::new(&context, seeded(1), Solver::new(&RUNNING));
            let node = tree.node(ROOT);
            let score = -endgame::solve(position) as i8;
            node.begin_visit();
            let value = walker.solve_leaf(node, position);
            let Bounds { lower, upper } = node.bounds();
            assert!(lower <= score && score <= upper, "{position:?}");
            assert!(if score > 0 { lower > 0 } else { upper <= 0 }, "{position:?}");
            assert_eq!(value > 0.5, score > 0, "{position:?}");
            let solved = walker.nodes();
            node.begin_visit();
            assert_eq!(walker.solve_leaf(node, position), value, "{position:?}");
            if score != 0 {
                assert_eq!(walker.nodes(), solved, "the winner is known: nothing to solve");
            }
            (0..14).for_each(|_| node.begin_visit());
            assert_eq!(walker.solve_leaf(node, position), value_of_score(score), "{position:?}");
            assert_eq!(node.bounds(), Bounds::exactly(score.into()));
        }
    }

    #[test]
    fn the_minimax_value_is_that_of_the_tree() {
        let position = random_position(30, &mut seeded(2));
        let tree = Tree::new(16 << 20).unwrap();
        walk(&tree, position, SETTINGS, 2_000);
        fn check(tree: &Tree, node: &Node) -> f32 {
            let Some((_, children)) = tree.children(node) else { return node.best() };
            let best = children.iter().map(|child| check(tree, child)).fold(0.0, f32::max);
            assert!((node.best() - (1.0 - best)).abs() < 1e-6);
            assert_eq!(node.bounds(), Bounds::UNKNOWN);
            // The visit that opened the node went no further.
            let below: u32 = children.iter().map(Node::visits).sum();
            assert_eq!(below + 1, node.visits());
            node.best()
        }
        check(&tree, tree.node(ROOT));
    }

    #[test]
    fn playouts_at_leaves_are_mixed_in_by_their_share() {
        let position = random_position(30, &mut seeded(3));
        let means: Vec<f32> = [0.0, 0.5, 1.0]
            .into_iter()
            .map(|playout_share| {
                let tree = Tree::new(1 << 20).unwrap();
                let leaf = LeafValue { playout_share };
                walk(&tree, position, PuctSettings { leaf, ..SETTINGS }, 1);
                tree.node(ROOT).mean()
            })
            .collect();
        // The same seed, hence the same playout.
        assert!(means[0] != means[2]);
        assert!((means[1] - (means[0] + means[2]) / 2.0).abs() < 1e-5, "{means:?}");
    }
}
