//! The players of the 2017 paper, as published: UCT with playouts to the end of the game.
//!
//! * *plain*: UCB1, uniform playouts (`prior-weight = 0`, `playout-policy = uniform`)
//! * *T*: the evaluation as W virtual playouts in UCB1, uniform playouts
//! * *E*: the same tree, playouts ranked by evaluation
//!
//! A leaf is expanded by the playout that passes the expansion threshold; that playout then
//! starts from the child the formula chooses. Where the paper is silent: n is the parent's playout
//! count, a draw counts half, the move with most playouts is played, every search grows a new tree.
//! One thread, because that is the method; for play see [`super::puct`].

use std::cmp::Ordering;
use std::sync::Arc;

use super::formula::{PriorLog, VirtualPlayouts, ucb1, ucb1_with_prior};
use super::parameters::{FIRST_REPORT, PLAYOUTS_PER_CLOCK_LOOK};
use super::playout::PlayoutPolicy;
use crate::eval::{self, Evaluator, UNIT};
use crate::memory::has_room;
use crate::options::{OptionError, Options, TypedOption};
use crate::othello::{Bitboard, Move, Position};
use crate::random::{Random, SEED, seeded};
use crate::score::Score;
use crate::search::budget::Budget;
use crate::search::limits::PLAYOUT_LIMITS;
use crate::search::registry::MethodSpec;
use crate::search::report::{Bound, Certainty, Event, Line, Outcome};
use crate::search::view::View;
use crate::search::win_rate::WinRateMap;
use crate::search::{Method, Request, StopFlag};

/// What makes one player of the paper differ from another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct UctSettings {
    /// Weight of exploration (C).
    pub exploration: f64,
    /// The evaluation in UCB1; a weight of 0 is the plain formula.
    pub prior: VirtualPlayouts,
    /// What the virtual playouts won.
    pub estimate: PriorEstimate,
    /// How the evaluation is asked about a position for the side that is not to move.
    pub view: View,
    /// How evaluations become win rates.
    pub map: WinRateMap,
    /// Playouts after which a leaf gets children.
    pub expand_threshold: u32,
    /// Most nodes the tree may have; when it is full leaves stay leaves.
    pub most_nodes: usize,
}

/// What E(s), the win rate of the virtual playouts, is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PriorEstimate {
    /// Even chances whatever the position: no evaluation at all.
    Even,
    /// By evaluation, for the side that moves into s.
    Mover,
    /// By evaluation, always for the player who searches, in the opponent's choices too.
    Root,
}

impl UctSettings {
    fn from_options(options: &Options) -> UctSettings {
        let range = options.get(&WIN_RATE_RANGE) / f64::from(UNIT);
        let log = match options.get(&PRIOR_LOG).as_str() {
            "inside" => PriorLog::Inside,
            _ => PriorLog::Outside,
        };
        UctSettings {
            exploration: options.get(&UCB_C),
            prior: VirtualPlayouts { weight: options.get(&PRIOR_WEIGHT), log },
            estimate: match options.get(&PRIOR).as_str() {
                "even" => PriorEstimate::Even,
                "root" => PriorEstimate::Root,
                _ => PriorEstimate::Mover,
            },
            view: View::from_options(options),
            map: match options.get(&WIN_RATE_MAP).as_str() {
                "logistic" => WinRateMap::Logistic { scale: range / 2.0 },
                _ => WinRateMap::Linear { range },
            },
            expand_threshold: options.get(&EXPAND_THRESHOLD) as u32,
            most_nodes: (super::memory(options) / size_of::<Node>()).min(u32::MAX as usize),
        }
    }
}

/// One of the paper's players.
pub struct Uct {
    settings: UctSettings,
    evaluator: Arc<dyn Evaluator>,
    policy: PlayoutPolicy,
    seed: u64,
    rng: Random,
}

static UCB_C: TypedOption<f64> =
    TypedOption::number("ucb-c", 0.0, 100.0, 0.1, "Weight C of exploration in UCB1.");
static PRIOR_WEIGHT: TypedOption<f64> = TypedOption::number(
    "prior-weight",
    0.0,
    1_000_000.0,
    5.0,
    "Virtual playouts W that the evaluation counts for in UCB1; 0 is plain UCT.",
);
static PRIOR: TypedOption<String> = TypedOption::choice(
    "prior",
    &["mover", "root", "even"],
    "mover",
    "Win rate E(s) of the virtual playouts: by evaluation for the side that moves into s (mover) or \
     always for the searching player (root), or one half (even).",
);
static PRIOR_LOG: TypedOption<String> = TypedOption::choice(
    "prior-log",
    &["outside", "inside"],
    "outside",
    "Where W stands in UCB1's numerator: ln n + W (as printed) or ln(n + W).",
);
static EXPAND_THRESHOLD: TypedOption<i64> = TypedOption::integer(
    "expand-threshold",
    1,
    1_000_000_000,
    31,
    "Playouts after which a leaf of the tree gets children.",
);
static WIN_RATE_MAP: TypedOption<String> = TypedOption::choice(
    "win-rate-map",
    &["linear", "logistic"],
    "linear",
    "How an evaluation becomes a win rate: linear with ends, or a logistic curve.",
);
static WIN_RATE_RANGE: TypedOption<f64> = TypedOption::number(
    "win-rate-range",
    1.0,
    1_000_000.0,
    5000.0,
    "The evaluation, in 1/128 disc, at which the linear map reaches certainty.",
);

pub(super) const METHOD: MethodSpec = MethodSpec {
    name: "uct",
    help: "UCT as in the 2017 MCTS paper: players plain, T and E by prior and playout policy.",
    limits: PLAYOUT_LIMITS,
    options: &[
        super::COMMON,
        &[
            &UCB_C.spec,
            &PRIOR_WEIGHT.spec,
            &PRIOR.spec,
            &PRIOR_LOG.spec,
            &EXPAND_THRESHOLD.spec,
            &WIN_RATE_MAP.spec,
            &WIN_RATE_RANGE.spec,
        ],
    ],
    build,
};

fn build(options: &Options) -> Result<Box<dyn Method>, OptionError> {
    let evaluation = eval::choose(options)?;
    let policy = super::policy_from_options(options, &evaluation);
    let evaluator = evaluation.evaluator();
    let seed = options.get(&SEED) as u64;
    let settings = UctSettings::from_options(options);
    Ok(Box::new(Uct { settings, evaluator, policy, seed, rng: seeded(seed) }))
}

/// A position of the tree with what the playouts through it found.
struct Node {
    position: Position,
    /// The move that led here.
    played: Move,
    first_child: u32,
    child_count: u8,
    /// Whether the player who searches is to move.
    is_own_turn: bool,
    /// Playouts through this node (n_s).
    visits: u32,
    /// Their wins for the side that moved here (sum(X(s))).
    wins: f64,
    /// The evaluation's win rate for the side that moved here (E(s)).
    estimate: f64,
}

const ROOT: usize = 0;
/// Nodes that there is always room for: the root, its children and some of theirs.
const FIRST_NODES: usize = 1 << 10;

/// The tree of one search and the player that grows it.
struct UctTree<'a> {
    player: &'a mut Uct,
    nodes: Vec<Node>,
    path: Vec<usize>,
    deepest: usize,
    visited: u64,
}

impl<'a> UctTree<'a> {
    fn new(player: &'a mut Uct, root: Position, root_moves: Bitboard) -> UctTree<'a> {
        let mut tree = UctTree {
            player,
            nodes: Vec::with_capacity(FIRST_NODES),
            path: Vec::new(),
            deepest: 0,
            visited: 0,
        };
        tree.push(root, Move::Pass, true);
        tree.expand(ROOT, root_moves);
        tree
    }

    fn push(&mut self, position: Position, played: Move, is_own_turn: bool) {
        let UctSettings { prior, map, estimate, view, .. } = self.player.settings;
        let rate = |for_mover: bool| {
            let units = view.value(&*self.player.evaluator, position, for_mover);
            map.win_rate(f64::from(units) / f64::from(UNIT))
        };
        let estimate = match estimate {
            _ if prior.weight <= 0.0 => 0.5,
            PriorEstimate::Even => 0.5,
            PriorEstimate::Mover => rate(false),
            PriorEstimate::Root => rate(is_own_turn),
        };
        self.nodes.push(Node {
            position,
            played,
            first_child: 0,
            child_count: 0,
            is_own_turn,
            visits: 0,
            wins: 0.0,
            estimate,
        });
    }

    /// Gives a node its children, those of `allowed` and forced passes.
    fn expand(&mut self, index: usize, allowed: Bitboard) {
        let first = self.nodes.len();
        let is_own_turn = !self.nodes[index].is_own_turn;
        for (played, position) in self.nodes[index].position.children() {
            if played.square().is_none_or(|square| allowed.contains(square)) {
                self.push(position, played, is_own_turn);
            }
        }
        self.nodes[index].first_child = first as u32;
        self.nodes[index].child_count = (self.nodes.len() - first) as u8;
    }

    fn children(&self, index: usize) -> std::ops::Range<usize> {
        let node = &self.nodes[index];
        node.first_child as usize..node.first_child as usize + usize::from(node.child_count)
    }

    /// The child the formula chooses; the first of equals.
    fn select(&self, index: usize) -> usize {
        let UctSettings { exploration, prior, .. } = self.player.settings;
        let total = self.nodes[index].visits;
        // Whatever the bounds, the way leads down.
        let mut best = (f64::NEG_INFINITY, self.children(index).start);
        for child in self.children(index) {
            let Node { visits, wins, estimate, .. } = self.nodes[child];
            let bound = if prior.weight > 0.0 {
                ucb1_with_prior(estimate, prior, wins, visits, total, exploration)
            } else {
                ucb1(wins, visits, total, exploration)
            };
            if bound > best.0 {
                best = (bound, child);
            }
        }
        best.1
    }

    /// Whether the leaf gets children now.
    fn is_ripe(&mut self, index: usize) -> bool {
        self.nodes[index].visits >= self.player.settings.expand_threshold && self.make_room()
    }

    /// Whether one more node can get children: the tree may be as large as its settings say and no
    /// larger than the machine has memory for.
    fn make_room(&mut self) -> bool {
        const MOST_CHILDREN: usize = 64;
        let most_nodes = self.player.settings.most_nodes;
        if self.nodes.capacity() - self.nodes.len() >= MOST_CHILDREN {
            return self.nodes.len() + MOST_CHILDREN <= most_nodes;
        }
        let more = (self.nodes.len() / 2).min(most_nodes.saturating_sub(self.nodes.len()));
        more >= MOST_CHILDREN
            && has_room(more * size_of::<Node>())
            && self.nodes.try_reserve_exact(more).is_ok()
    }

    /// One playout: down the tree, to the end of the game, back up.
    fn run_playout(&mut self) {
        self.path.clear();
        self.path.push(ROOT);
        let mut index = ROOT;
        loop {
            if self.nodes[index].child_count == 0 {
                if !self.is_ripe(index) {
                    break;
                }
                self.expand(index, Bitboard::FULL);
                if self.nodes[index].child_count == 0 {
                    break;
                }
            }
            index = self.select(index);
            self.path.push(index);
        }
        self.deepest = self.deepest.max(self.path.len() - 1);
        self.visited += self.path.len() as u64;
        let score = self.player.policy.play(self.nodes[index].position, &mut self.player.rng);
        self.back_up(win_of(-score));
    }

    /// Adds a result, given for the side that moved into the last node of the path.
    fn back_up(&mut self, mut win: f64) {
        for &index in self.path.iter().rev() {
            self.nodes[index].visits += 1;
            self.nodes[index].wins += win;
            win = 1.0 - win;
        }
    }

    /// The child with most playouts; among equals the one with more wins, then the first.
    fn most_visited(&self, index: usize) -> Option<usize> {
        let key = |child: &usize| (self.nodes[*child].visits, self.nodes[*child].wins);
        self.children(index)
            .rev()
            .max_by(|a, b| key(a).partial_cmp(&key(b)).unwrap_or(Ordering::Equal))
    }

    fn lines(&self, count: usize) -> Vec<Line> {
        let mut order: Vec<usize> = self.children(ROOT).collect();
        order.sort_by(|&a, &b| {
            let key = |child: usize| (self.nodes[child].visits, self.nodes[child].wins);
            key(b).partial_cmp(&key(a)).unwrap_or(Ordering::Equal)
        });
        order.truncate(count.max(1));
        order.into_iter().map(|child| self.line(child)).collect()
    }

    fn line(&self, child: usize) -> Line {
        let Node { visits, wins, estimate, .. } = self.nodes[child];
        let rate = if visits == 0 { estimate } else { wins / f64::from(visits) };
        let mut pv = vec![self.nodes[child].played];
        let mut index = child;
        while let Some(next) = self.most_visited(index).filter(|&n| self.nodes[n].visits > 0) {
            pv.push(self.nodes[next].played);
            index = next;
        }
        Line {
            score: Score::from_discs(self.player.settings.map.discs(rate)),
            bound: Bound::Exact,
            certainty: Certainty::Estimate,
            pv,
            visits: u64::from(visits),
            uncertainty: Some(self.player.settings.map.standard_error(rate, visits.into())),
        }
    }
}

/// A final score as a win: 1, draw: ½ or loss: 0.
fn win_of(score: i32) -> f64 {
    0.5 + 0.5 * f64::from(score.signum())
}

impl Method for Uct {
    fn search(
        &mut self,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        let budget = Budget::new(&super::playout_limits(&request.limits), stop);
        if request.position.is_over() {
            return super::game_over(request.position);
        }
        let mut tree = UctTree::new(self, request.position, request.root_moves());
        let (mut playouts, mut next_report) = (0, FIRST_REPORT);
        let event = |tree: &UctTree, playouts| Event {
            depth: tree.deepest as u32,
            lines: tree.lines(request.multi_pv),
            nodes: tree.visited,
            playouts,
            elapsed: budget.elapsed(),
            opponent: None,
        };
        // Counts of a node are 32-bit numbers.
        while !budget.is_counted_out(playouts, tree.visited) && playouts < u64::from(u32::MAX) {
            tree.run_playout();
            playouts += 1;
            let look = playouts % PLAYOUTS_PER_CLOCK_LOOK == 0;
            if budget.is_stopped() || look && budget.is_timed_out(true) {
                break;
            }
            if playouts == next_report {
                next_report *= 2;
                report(&event(&tree, playouts));
            }
        }
        let last = event(&tree, playouts);
        report(&last);
        super::outcome(last)
    }

    fn clear(&mut self) {
        self.rng = seeded(self.seed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluation;
    use crate::eval::mobility::Mobility;
    use crate::game::othello::OthelloState;
    use crate::game::{self, Othello, Side};
    use crate::othello::random::random_position;
    use crate::search::Limits;

    const PLAIN: UctSettings = UctSettings {
        exploration: 0.1,
        prior: VirtualPlayouts { weight: 0.0, log: PriorLog::Outside },
        estimate: PriorEstimate::Mover,
        view: View::Mover,
        map: WinRateMap::Linear { range: 5000.0 / UNIT as f64 },
        expand_threshold: 31,
        most_nodes: 1_000_000,
    };

    fn player(settings: UctSettings, policy: PlayoutPolicy) -> Uct {
        Uct { settings, evaluator: Arc::new(Mobility), policy, seed: 7, rng: seeded(7) }
    }

    fn plain() -> Uct {
        player(PLAIN, PlayoutPolicy::Uniform)
    }

    fn with_prior() -> UctSettings {
        UctSettings { prior: VirtualPlayouts { weight: 5.0, log: PriorLog::Outside }, ..PLAIN }
    }

    fn all_visits(player: &mut Uct, position: Position, limits: Limits) -> Vec<(Move, u64)> {
        let request = Request { multi_pv: 64, ..Request::new(position, limits) };
        let outcome = player.search(&request, &StopFlag::new(), &mut |_| {});
        outcome.lines.iter().map(|line| (line.pv[0], line.visits)).collect()
    }

    #[test]
    fn a_result_is_a_win_at_every_second_node_of_the_path() {
        let mut player = plain();
        let mut tree = UctTree::new(&mut player, Position::START, Bitboard::FULL);
        tree.expand(1, Bitboard::FULL);
        let grandchild = tree.children(1).start;
        tree.path = vec![ROOT, 1, grandchild];
        tree.back_up(1.0);
        tree.back_up(0.5);
        tree.path = vec![ROOT, 1];
        tree.back_up(1.0);
        let of = |index: usize| (tree.nodes[index].visits, tree.nodes[index].wins);
        assert_eq!((of(ROOT), of(1), of(grandchild)), ((3, 1.5), (3, 1.5), (2, 1.5)));
    }

    #[test]
    fn selection_follows_the_formula_on_a_hand_computed_tree() {
        let mut player = player(with_prior(), PlayoutPolicy::Uniform);
        let mut tree = UctTree::new(&mut player, Position::START, Bitboard::FULL);
        // Visits, wins and estimates of the four moves; n = 100, C = 0.1, W = 5. Equation 2:
        // (3.5 + 6)/15 + 0.1·√(9.60517/15) = 0.713355, (0.5·5 + 40)/65 + 0.1·√(9.60517/65)
        // = 0.692287, (0 + 15)/30 + 0.1·√(9.60517/30) = 0.556584, (5 + 0)/10 + 0.098006 = 0.598006.
        tree.nodes[ROOT].visits = 100;
        for (child, (visits, wins, estimate)) in
            [(10, 6.0, 0.7), (60, 40.0, 0.5), (25, 15.0, 0.0), (5, 0.0, 1.0)]
                .into_iter()
                .enumerate()
        {
            let node = &mut tree.nodes[child + 1];
            (node.visits, node.wins, node.estimate) = (visits, wins, estimate);
        }
        assert_eq!(tree.select(ROOT), 1);
        // Three more losses there (9.5/18 + 0.1·√(9.60517/18) = 0.600827) and the second leads.
        tree.nodes[1].visits = 13;
        assert_eq!(tree.select(ROOT), 2);
        // Equation 1 asks the fewest assumptions: 0.6 + 0.067861 at 10 visits, 2/3 + 0.027704 at 60.
        tree.player.settings = PLAIN;
        tree.nodes[1].visits = 10;
        assert_eq!(tree.select(ROOT), 2);
        tree.nodes[4].visits = 0;
        assert_eq!(tree.select(ROOT), 4, "an unvisited child comes first");
    }

    #[test]
    fn the_estimates_are_for_the_side_that_moved_for_the_root_or_even() {
        let position = random_position(30, &mut seeded(5));
        let evaluator = Mobility;
        let rate = |units: i32| PLAIN.map.win_rate(f64::from(units) / f64::from(UNIT));
        for estimate in [PriorEstimate::Mover, PriorEstimate::Root, PriorEstimate::Even] {
            let mut player =
                player(UctSettings { estimate, ..with_prior() }, PlayoutPolicy::Uniform);
            let mut tree = UctTree::new(&mut player, position, Bitboard::FULL);
            tree.expand(1, Bitboard::FULL);
            for (children, is_own_turn) in [(tree.children(ROOT), false), (tree.children(1), true)]
            {
                for node in &tree.nodes[children] {
                    let for_mover = rate(evaluator.evaluate(node.position));
                    let wanted = match estimate {
                        PriorEstimate::Even => 0.5,
                        PriorEstimate::Root if is_own_turn => for_mover,
                        _ => 1.0 - for_mover,
                    };
                    assert_eq!(node.is_own_turn, is_own_turn);
                    assert!((node.estimate - wanted).abs() < 1e-12, "{estimate:?}");
                }
            }
        }
    }

    #[test]
    fn the_playout_that_passes_the_threshold_expands_the_leaf() {
        let mut player =
            player(UctSettings { expand_threshold: 3, ..PLAIN }, PlayoutPolicy::Uniform);
        let forced = Bitboard(Position::START.legal_moves().first().unwrap().bit());
        let mut tree = UctTree::new(&mut player, Position::START, forced);
        for _ in 0..3 {
            tree.run_playout();
        }
        assert_eq!((tree.nodes[1].visits, tree.nodes[1].child_count), (3, 0));
        tree.run_playout();
        assert_eq!((tree.nodes[1].visits, tree.nodes[1].child_count), (4, 3));
        let below: u32 = tree.children(1).map(|child| tree.nodes[child].visits).sum();
        assert_eq!(below, 1, "the expanding playout went one step down");
    }

    #[test]
    fn every_playout_passes_one_root_move_and_the_same_seed_repeats_them_all() {
        let position = random_position(24, &mut seeded(3));
        let ranked = PlayoutPolicy::Ranked(Evaluation::Other(Arc::new(Mobility)), View::Mover);
        for (settings, policy) in [
            (PLAIN, PlayoutPolicy::Uniform),
            (with_prior(), PlayoutPolicy::Uniform),
            (with_prior(), ranked),
        ] {
            let mut player = player(settings, policy);
            let first = all_visits(&mut player, position, Limits::playouts(500));
            assert_eq!(first.iter().map(|line| line.1).sum::<u64>(), 500);
            let second = all_visits(&mut player, position, Limits::playouts(500));
            assert_ne!(first, second, "the generator runs on from search to search");
            player.clear();
            assert_eq!(all_visits(&mut player, position, Limits::playouts(500)), first);
        }
    }

    #[test]
    fn enough_playouts_find_a_winning_move_near_the_end() {
        let mut rng = seeded(11);
        let settings = UctSettings { exploration: 0.5, expand_threshold: 1, ..PLAIN };
        let (mut player, mut decided) = (player(settings, PlayoutPolicy::Uniform), 0);
        for _ in 0..40 {
            let position = random_position(6, &mut rng);
            let value = |position: Position| {
                -game::solve(&Othello, &OthelloState { position, player: Side::First })
            };
            let scores: Vec<(Move, f64)> =
                position.children().map(|(played, after)| (played, value(after))).collect();
            let best = scores.iter().map(|entry| entry.1.signum() as i32).max();
            let worst = scores.iter().map(|entry| entry.1.signum() as i32).min();
            if best == worst {
                continue;
            }
            decided += 1;
            let chosen = all_visits(&mut player, position, Limits::playouts(3_000))[0].0;
            let found = scores.iter().find(|entry| entry.0 == chosen).unwrap().1;
            assert_eq!(Some(found.signum() as i32), best, "{position:?} {chosen}");
        }
        assert!(decided > 5);
    }

    #[test]
    fn a_full_tree_grows_no_further_and_the_search_goes_on() {
        let settings = UctSettings { expand_threshold: 1, most_nodes: 100, ..PLAIN };
        let mut player = player(settings, PlayoutPolicy::Uniform);
        let mut tree = UctTree::new(&mut player, Position::START, Bitboard::FULL);
        for _ in 0..2_000 {
            tree.run_playout();
        }
        assert!(tree.nodes.len() <= 100);
        assert_eq!(tree.nodes[ROOT].visits, 2_000);
    }

    #[test]
    fn ends_passes_and_restricted_roots_get_their_answers() {
        let mut player = plain();
        let mut search = |request: &Request| player.search(request, &StopFlag::new(), &mut |_| {});
        let over = random_position(0, &mut seeded(1));
        let outcome = search(&Request::new(over, Limits::playouts(10)));
        assert_eq!(outcome.best_move(), None);
        assert_eq!(outcome.score(), Score::whole(over.final_score()));

        // Mover a1, opponent b1: the mover takes c1 and the opponent, asked first, must pass.
        let pass = Position::from_disjoint(0b01, 0b10).pass();
        assert!(pass.must_pass());
        let outcome = search(&Request::new(pass, Limits::playouts(50)));
        assert_eq!(outcome.best_move(), Some(Move::Pass));
        assert_eq!(outcome.lines[0].visits, 50);

        let only = Bitboard(1 << 37);
        let request = Request {
            only: Some(only),
            multi_pv: 5,
            ..Request::new(Position::START, Limits::playouts(50))
        };
        let outcome = search(&request);
        assert_eq!(outcome.lines.len(), 1);
        assert_eq!(outcome.best_move().unwrap().to_string(), "f5");
    }
}
