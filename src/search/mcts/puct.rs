//! The player to use: PUCT guided by the evaluator, on all cores, in a bounded tree that is kept
//! from move to move.
//!
//! A search runs in rounds. In a round every thread walks the shared tree ([`super::walker`]); the
//! calling thread walks too and between simulations watches limits, the stop flag and whether the
//! choice can still change. A round ends early when the tree is full: then, with nobody inside, the
//! least visited branches are folded and the next round begins.
//!
//! Near the end of the game the root itself is solved first, by the endgame solver.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use rand::RngCore;

use super::MEMORY;
use super::parameters::{
    FIRST_REPORT, MOST_VISITS, REPORT_INTERVAL_MS, REUSE_PLIES, ROOT_SOLVER_HASH_MIB,
    ROOT_SOLVER_NODES, ROOT_SOLVER_TIME_SHARE, SIMULATIONS_PER_CLOCK_LOOK,
};
use super::playout::PlayoutPolicy;
use super::root::RootView;
use super::tree::{ROOT, Tree};
use super::walker::{LeafValue, PuctSettings, SearchContext, Walker};
use crate::eval::{self, Evaluation, Incremental, with_evaluator};
use crate::options::{OptionError, Options, TypedOption};
use crate::othello::Position;
use crate::random::{Random, SEED, seeded, seeded_part};
use crate::search::budget::Budget;
use crate::search::endgame::Solver;
use crate::search::limits::PLAYOUT_LIMITS;
use crate::search::minimax::{self, Minimax, MinimaxSettings};
use crate::search::registry::MethodSpec;
use crate::search::report::{Certainty, Event, Outcome};
use crate::search::{Limits, Method, Request, StopFlag, TimeLimit};

/// What the options say.
#[derive(Clone, Copy, Debug)]
struct MctsSettings {
    tree: PuctSettings,
    /// Positions with at most this many empties are solved at the root.
    solve_root: u32,
    threads: usize,
    early_stop: bool,
    seed: u64,
}

/// The strong Monte Carlo player.
pub struct Puct {
    settings: MctsSettings,
    evaluation: Evaluation,
    policy: PlayoutPolicy,
    tree: Tree,
    /// The position at the root of the tree, if it has one.
    rooted: Option<Position>,
    rng: Random,
    /// Solves the root near the end of the game.
    solver: Minimax,
}

static PUCT_C: TypedOption<f64> =
    TypedOption::number("puct-c", 0.0, 100.0, 1.0, "Weight of exploration by prior in PUCT.");
static PRIOR_TEMPERATURE: TypedOption<f64> = TypedOption::number(
    "prior-temperature",
    0.01,
    1000.0,
    3.0,
    "Discs of evaluation by which one move must be better to be e times as likely a priori.",
);
static MINIMAX_WEIGHT: TypedOption<f64> = TypedOption::number(
    "minimax-weight",
    0.0,
    1.0,
    0.3,
    "Weight of the minimax value of the tree against the mean of the simulations.",
);
static LEAF: TypedOption<String> = TypedOption::choice(
    "leaf",
    &["evaluation", "playout", "blend"],
    "evaluation",
    "What a leaf is worth: its evaluation, the result of a playout, or a blend.",
);
static LEAF_BLEND: TypedOption<f64> =
    TypedOption::number("leaf-blend", 0.0, 1.0, 0.5, "Share of the playout in a blended leaf.");
static SOLVE_LEAF: TypedOption<i64> = TypedOption::integer(
    "solve-leaf",
    0,
    20,
    10,
    "Leaves with at most this many empty squares are solved: who wins, and if visited often the exact score.",
);
static SOLVE_ROOT: TypedOption<i64> = TypedOption::integer(
    "solve-root",
    0,
    60,
    18,
    "With at most this many empty squares the root is solved before anything else.",
);
static EARLY_STOP: TypedOption<bool> = TypedOption::switch(
    "early-stop",
    true,
    "Stop when no further simulation could change the choice, unless the time is for this move alone.",
);

pub(super) const METHOD: MethodSpec = MethodSpec {
    name: "mcts",
    help: "Monte Carlo tree search for play: PUCT with evaluated leaves and proven endings.",
    limits: PLAYOUT_LIMITS,
    options: &[
        super::COMMON,
        &[
            &PUCT_C.spec,
            &PRIOR_TEMPERATURE.spec,
            &MINIMAX_WEIGHT.spec,
            &LEAF.spec,
            &LEAF_BLEND.spec,
            &SOLVE_LEAF.spec,
            &SOLVE_ROOT.spec,
            &EARLY_STOP.spec,
        ],
        minimax::SOLVER_OPTIONS,
    ],
    build,
};

fn build(options: &Options) -> Result<Box<dyn Method>, OptionError> {
    make(options).map(|player| Box::new(player) as Box<dyn Method>)
}

fn make(options: &Options) -> Result<Puct, OptionError> {
    let evaluation = eval::choose(options)?;
    let blend = options.get(&LEAF_BLEND) as f32;
    let playout_share = match options.get(&LEAF).as_str() {
        "playout" => 1.0,
        "blend" => blend,
        _ => 0.0,
    };
    let solver_settings = MinimaxSettings::from_options(options);
    let settings = MctsSettings {
        tree: PuctSettings {
            exploration: options.get(&PUCT_C) as f32,
            temperature: options.get(&PRIOR_TEMPERATURE) as f32,
            minimax_weight: options.get(&MINIMAX_WEIGHT) as f32,
            leaf: LeafValue { playout_share },
            solve_empties: options.get(&SOLVE_LEAF) as u32,
        },
        solve_root: options.get(&SOLVE_ROOT) as u32,
        threads: solver_settings.threads,
        early_stop: options.get(&EARLY_STOP),
        seed: options.get(&SEED) as u64,
    };
    // The tree and the solver's table together are what the option grants.
    let solver_hash = ROOT_SOLVER_HASH_MIB.min((options.get(&MEMORY) / 4).max(1));
    let tree_bytes = super::memory(options).saturating_sub((solver_hash as usize) << 20);
    let tree = Tree::new(tree_bytes).map_err(|error| MEMORY.spec.unusable(error))?;
    Ok(Puct {
        policy: super::policy_from_options(options, &evaluation),
        solver: Minimax::new(evaluation.clone(), solver_settings, solver_hash)?,
        evaluation,
        tree,
        rooted: None,
        rng: seeded(settings.seed),
        settings,
    })
}

/// What the threads of a search tell each other.
#[derive(Default)]
struct Progress {
    /// The round is over.
    end: AtomicBool,
    /// Some leaf found no room for its children.
    full: AtomicBool,
    playouts: AtomicU64,
    nodes: AtomicU64,
    deepest: AtomicU64,
}

/// One search, as all its threads see it.
struct SearchRun<'a> {
    request: &'a Request,
    settings: MctsSettings,
    budget: Budget<'a>,
    progress: Progress,
}

/// When the next report is due.
struct Reports {
    playouts: u64,
    elapsed: Duration,
}

impl Reports {
    fn is_due(&mut self, playouts: u64, elapsed: Duration) -> bool {
        let due = playouts >= self.playouts || elapsed >= self.elapsed;
        if due {
            self.elapsed = elapsed + Duration::from_millis(REPORT_INTERVAL_MS);
            self.playouts = self.playouts.max(2 * playouts);
        }
        due
    }
}

impl SearchRun<'_> {
    fn playouts(&self) -> u64 {
        self.progress.playouts.load(Relaxed)
    }

    fn view<'t>(&self, tree: &'t Tree) -> RootView<'t> {
        let empties = self.request.position.empty_count();
        RootView::new(tree, self.settings.tree, self.request.root_moves(), empties)
    }

    fn event(&self, tree: &Tree) -> Event {
        Event {
            depth: self.progress.deepest.load(Relaxed) as u32,
            lines: self.view(tree).lines(self.request.multi_pv),
            nodes: self.progress.nodes.load(Relaxed),
            playouts: self.playouts(),
            elapsed: self.budget.elapsed(),
            opponent: None,
        }
    }

    /// One simulation, and the books.
    fn step<E: Incremental>(&self, walker: &mut Walker<'_, E>) {
        let Progress { end, full, playouts, nodes, deepest } = &self.progress;
        let before = walker.nodes();
        walker.simulate();
        playouts.fetch_add(1, Relaxed);
        nodes.fetch_add(walker.nodes() - before, Relaxed);
        deepest.fetch_max(walker.deepest() as u64, Relaxed);
        if walker.met_full_tree() {
            full.store(true, Relaxed);
            end.store(true, Relaxed);
        }
    }

    /// Whether stop flag or counts end the search.
    fn is_out(&self, tree: &Tree) -> bool {
        self.budget.is_stopped()
            || self.budget.is_counted_out(self.playouts(), self.progress.nodes.load(Relaxed))
            || tree.node(ROOT).visits() >= MOST_VISITS
    }

    /// Whether the clock or the tree itself ends the search.
    fn is_done(&self, tree: &Tree) -> bool {
        let view = self.view(tree);
        self.budget.is_timed_out(view.is_settled())
            || view.is_proven()
            || self.may_stop_early() && self.is_decided(&view)
    }

    /// Someone who asks for several moves wants their values, not only the choice; and time that
    /// is given for this move alone cannot be saved, while the tree grown in it serves the next.
    fn may_stop_early(&self) -> bool {
        let is_fixed = self.request.limits.time.is_some_and(|time| time.soft == time.hard);
        let has_choice = self.request.root_moves().count() > 1;
        self.settings.early_stop && self.request.multi_pv == 1 && !(is_fixed && has_choice)
    }

    fn is_decided(&self, view: &RootView<'_>) -> bool {
        let (playouts, nodes) = (self.playouts(), self.progress.nodes.load(Relaxed));
        playouts >= FIRST_REPORT
            && self.budget.playouts_left(playouts, nodes).is_some_and(|left| view.is_decided(left))
    }

    /// Walks with all threads until the search is over or the tree full.
    fn run_round<E: Incremental>(
        &self,
        context: &SearchContext<'_, E>,
        rng: &mut Random,
        reports: &mut Reports,
        report: &mut dyn FnMut(&Event),
    ) {
        let end = &self.progress.end;
        let seed = rng.next_u64();
        std::thread::scope(|scope| {
            for number in 1..self.settings.threads as u64 {
                let walk = move || {
                    let rng = seeded_part(seed, number);
                    let mut walker =
                        Walker::new(context, rng, Solver::watching(end, self.budget.stop()));
                    let mut since_look = 0;
                    while !end.load(Relaxed) {
                        self.step(&mut walker);
                        // With more threads than cores the calling thread may have to wait long
                        // for its turn; nobody walks on meanwhile.
                        since_look = (since_look + 1) % SIMULATIONS_PER_CLOCK_LOOK;
                        let late = || since_look == 0 && self.budget.is_timed_out(false);
                        if self.is_out(context.tree) || late() {
                            end.store(true, Relaxed);
                        }
                    }
                };
                // A system that grants no more threads makes the search slower, nothing else.
                if std::thread::Builder::new().spawn_scoped(scope, walk).is_err() {
                    break;
                }
            }
            let mut walker = Walker::new(
                context,
                seeded_part(seed, 0),
                Solver::watching(end, self.budget.stop()),
            );
            for number in 1.. {
                self.step(&mut walker);
                let look = number % SIMULATIONS_PER_CLOCK_LOOK == 0;
                if self.is_out(context.tree) || look && self.is_done(context.tree) {
                    end.store(true, Relaxed);
                }
                if end.load(Relaxed) {
                    break;
                }
                if look && reports.is_due(self.playouts(), self.budget.elapsed()) {
                    report(&self.event(context.tree));
                }
            }
        });
    }
}

impl Puct {
    /// Makes `position` the root of the tree, keeping its subtree if the tree has it.
    fn plant(&mut self, position: Position) {
        let found = self.rooted.and_then(|rooted| find(&self.tree, rooted, position));
        match found {
            Some(index) => self.tree.make_root(index),
            None => self.tree.forget(),
        }
        self.rooted = Some(position);
    }

    /// The exact answer, if the end is near enough and the time allows.
    fn solve(
        &mut self,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Option<Outcome> {
        let asked = request.limits.exact || request.limits.outcome;
        let wanted = asked || request.position.empty_count() <= self.settings.solve_root;
        if !wanted || !request.position.has_move() {
            return None;
        }
        // Unless asked to solve, the solver may use only part of the time.
        let share = if asked { 1.0 } else { ROOT_SOLVER_TIME_SHARE };
        let time = request.limits.time.map(|time| TimeLimit {
            soft: time.soft.mul_f64(share),
            hard: time.hard.mul_f64(share),
        });
        // Nobody who limits playouts or depth means to wait for a solver.
        let bounded = asked || time.is_some();
        let nodes = request.limits.nodes.or((!bounded).then_some(ROOT_SOLVER_NODES));
        let exact = !request.limits.outcome;
        let limits = Limits { exact, time, nodes, playouts: None, ..request.limits };
        let mut last = None;
        let outcome = self.solver.search(&Request { limits, ..request.clone() }, stop, &mut |e| {
            last = Some(e.clone());
        });
        let solved = if exact { Certainty::Exact } else { Certainty::Outcome };
        let is_solved = outcome.lines.iter().all(|line| line.certainty == solved);
        if let (true, Some(event)) = (is_solved, last) {
            report(&event);
        }
        is_solved.then_some(outcome)
    }

    fn run<E: Incremental>(
        &mut self,
        evaluator: &E,
        run: &SearchRun<'_>,
        report: &mut dyn FnMut(&Event),
    ) -> Event {
        let mut reports =
            Reports { playouts: FIRST_REPORT, elapsed: Duration::from_millis(REPORT_INTERVAL_MS) };
        loop {
            let context = SearchContext {
                tree: &self.tree,
                position: run.request.position,
                allowed: run.request.root_moves(),
                settings: self.settings.tree,
                evaluator,
                policy: &self.policy,
            };
            run.run_round(&context, &mut self.rng, &mut reports, report);
            let was_full = run.progress.full.swap(false, Relaxed);
            if !was_full || run.is_out(&self.tree) || run.is_done(&self.tree) {
                break;
            }
            run.progress.end.store(false, Relaxed);
            self.tree.fold(|| run.budget.is_stopped());
        }
        let last = run.event(&self.tree);
        report(&last);
        last
    }
}

/// The place of `position` in a tree rooted at `rooted`, a few plies down.
fn find(tree: &Tree, rooted: Position, position: Position) -> Option<u32> {
    let target = position.mover() | position.opponent();
    let mut level = vec![(ROOT, rooted)];
    for _ in 0..=REUSE_PLIES {
        let mut next = Vec::new();
        for (index, here) in level {
            if here == position {
                return Some(index);
            }
            // Discs never leave the board: a way with a disc too many leads elsewhere.
            if !((here.mover() | here.opponent()) - target).is_empty() {
                continue;
            }
            if let Some((first, children)) = tree.children(tree.node(index)) {
                let after = |played| here.after_unchecked(played);
                next.extend((first..).zip(children.iter().map(|child| after(child.played()))));
            }
        }
        level = next;
    }
    None
}

impl Method for Puct {
    fn search(
        &mut self,
        request: &Request,
        stop: &StopFlag,
        report: &mut dyn FnMut(&Event),
    ) -> Outcome {
        if request.position.is_over() {
            return super::game_over(request.position);
        }
        let run = SearchRun {
            request,
            settings: self.settings,
            budget: Budget::new(&super::playout_limits(&request.limits), stop),
            progress: Progress::default(),
        };
        if let Some(solved) = self.solve(request, stop, report) {
            return solved;
        }
        self.plant(request.position);
        let evaluation = self.evaluation.clone();
        let last = with_evaluator!(&evaluation, |evaluator| self.run(evaluator, &run, report));
        super::outcome(last)
    }

    fn clear(&mut self) {
        self.tree.forget();
        self.rooted = None;
        self.rng = seeded(self.settings.seed);
        self.solver.clear();
    }

    fn make_ready(&mut self) {
        self.solver.make_ready();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::othello::random::random_position;
    use crate::othello::{Bitboard, Move};
    use crate::score::Score;
    use crate::search::endgame;

    fn player(settings: &[(&str, &str)]) -> Puct {
        let mut options = Options::new();
        options.set("eval", "mobility").unwrap();
        for (name, value) in settings {
            options.set(name, value).unwrap();
        }
        make(&options).unwrap()
    }

    fn search(player: &mut Puct, request: &Request) -> Outcome {
        player.search(request, &StopFlag::new(), &mut |_| {})
    }

    fn visits(outcome: &Outcome) -> Vec<(Move, u64)> {
        outcome.lines.iter().map(|line| (line.pv[0], line.visits)).collect()
    }

    #[test]
    fn one_thread_and_one_seed_repeat_every_visit() {
        let position = random_position(30, &mut seeded(1));
        let limits = Limits::playouts(3_000);
        let request = Request { multi_pv: 64, ..Request::new(position, limits) };
        for leaf in ["evaluation", "blend"] {
            let mut player = player(&[("leaf", leaf)]);
            let first = search(&mut player, &request);
            // The first simulation opens the root and passes no move.
            let total: u64 = first.lines.iter().map(|line| line.visits).sum();
            assert_eq!((first.playouts, total), (3_000, 2_999));
            player.clear();
            assert_eq!(visits(&search(&mut player, &request)), visits(&first));
        }
    }

    #[test]
    fn several_threads_share_the_work_and_count_it_once() {
        let position = random_position(30, &mut seeded(1));
        let mut player = player(&[("threads", "3")]);
        let request = Request { multi_pv: 64, ..Request::new(position, Limits::playouts(5_000)) };
        let outcome = search(&mut player, &request);
        let total: u64 = outcome.lines.iter().map(|line| line.visits).sum();
        assert!(outcome.playouts >= 5_000);
        assert!(total < outcome.playouts && total + 3 >= outcome.playouts, "{total}");
        assert_eq!(outcome.lines.len(), position.legal_moves().count() as usize);
    }

    #[test]
    fn a_tree_many_times_too_small_is_folded_and_stays_inside_its_cap() {
        let position = random_position(40, &mut seeded(2));
        let mut player = player(&[("memory", "1"), ("early-stop", "false")]);
        let outcome = search(&mut player, &Request::new(position, Limits::playouts(60_000)));
        assert_eq!(outcome.playouts, 60_000);
        assert!(player.tree.bytes() <= 1 << 20, "{} bytes", player.tree.bytes());
        assert!(outcome.nodes as usize > 10 * player.tree.bytes() / 32, "{}", outcome.nodes);
        assert!(position.legal_moves().contains(outcome.best_move().unwrap().square().unwrap()));
    }

    #[test]
    fn the_tree_below_the_moves_played_is_kept() {
        let mut player = player(&[("early-stop", "false")]);
        let request = Request::new(Position::START, Limits::playouts(2_000));
        let line = search(&mut player, &request).lines.remove(0);
        let later = line.pv[..2].iter().fold(Position::START, |p, &m| p.after(m).unwrap());
        let known = player.tree.node(find(&player.tree, Position::START, later).unwrap()).visits();
        assert!(known > 100);
        player.plant(later);
        assert_eq!(player.tree.node(ROOT).visits(), known);
        player.plant(random_position(30, &mut seeded(3)));
        assert_eq!(player.tree.node(ROOT).visits(), 0, "another game begins with nothing");
    }

    #[test]
    fn near_the_end_the_answer_is_exact_with_and_without_the_root_solver() {
        let mut rng = seeded(4);
        for root in ["12", "0"] {
            let mut player = player(&[("solve-root", root), ("solve-leaf", "6")]);
            for _ in 0..10 {
                let position = random_position(9, &mut rng);
                if position.is_over() {
                    continue;
                }
                let outcome = search(&mut player, &Request::new(position, Limits::playouts(4_000)));
                let line = &outcome.lines[0];
                let exact = endgame::solve(position);
                if line.certainty == Certainty::Exact {
                    assert_eq!(line.score.rounded(), exact);
                }
                let after = position.after(line.pv[0]).unwrap();
                assert_eq!(-endgame::solve(after).signum(), exact.signum(), "{position:?}");
            }
        }
    }

    #[test]
    fn an_early_stop_saves_playouts_and_chooses_the_same_move() {
        let position = random_position(36, &mut seeded(5));
        let request = Request::new(position, Limits::playouts(6_000));
        let early = search(&mut player(&[]), &request);
        let full = search(&mut player(&[("early-stop", "false")]), &request);
        assert!(early.playouts < full.playouts);
        assert_eq!(early.best_move(), full.best_move());
    }

    #[test]
    fn time_for_one_move_is_used_up_and_time_of_a_clock_is_saved() {
        let ms = Duration::from_millis;
        let fixed = Limits::time(ms(100));
        let planned = TimeLimit { soft: ms(100), hard: ms(200) };
        let planned = Limits { time: Some(planned), ..Limits::default() };
        let may_stop = |limits: Limits, only| {
            let request = Request { only, ..Request::new(Position::START, limits) };
            let stop = StopFlag::new();
            let run = SearchRun {
                request: &request,
                settings: player(&[]).settings,
                budget: Budget::new(&limits, &stop),
                progress: Progress::default(),
            };
            run.may_stop_early()
        };
        assert!(!may_stop(fixed, None));
        assert!(may_stop(fixed, Some(Bitboard(1 << 37))), "nothing to choose");
        assert!(may_stop(planned, None) && may_stop(Limits::playouts(100), None));
    }

    #[test]
    fn stops_ends_passes_and_restrictions_get_legal_answers() {
        let mut player = player(&[]);
        let stopped = StopFlag::new();
        stopped.stop();
        let request = Request::new(Position::START, Limits::default());
        let outcome = player.search(&request, &stopped, &mut |_| {});
        assert!(outcome.playouts <= 1);
        assert!(outcome.best_move().is_some_and(|m| Position::START.after(m).is_some()));

        let over = random_position(0, &mut seeded(1));
        let outcome = search(&mut player, &Request::new(over, Limits::playouts(10)));
        assert_eq!(
            (outcome.best_move(), outcome.score()),
            (None, Score::whole(over.final_score()))
        );

        let pass = Position::from_disjoint(0b10, 0b01);
        let outcome = search(&mut player, &Request::new(pass, Limits::playouts(100)));
        assert_eq!(outcome.best_move(), Some(Move::Pass));

        let only = Some(Bitboard(1 << 37));
        let limits = Limits::playouts(300);
        let request = Request { only, multi_pv: 4, ..Request::new(Position::START, limits) };
        let outcome = search(&mut player, &request);
        assert_eq!(visits(&outcome), [("f5".parse().unwrap(), 299)]);
    }
}
