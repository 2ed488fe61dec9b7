//! Iida and Kotani 1992, tables 1 and 2: which of four candidate lists is the best?
//!
//! The paper lets people rank the lists; here a much deeper search does. A list is as good as its
//! best move, equal ones as the mean of their three best. First places are counted, ties shared. A
//! position is quiet if the judge's best move is the same two plies shallower. All lists of a
//! position take the same number of nodes.
//!
//! - [`domain`]: what an experiment needs of a game, and Othello; `shogi` is the other one;
//! - [`games`]: table 3, lists against each other in games;
//! - [`correction`]: what the full-width correction changes, for better and for worse;
//! - [`tables`]: tables 1 to 3 in the common form.

pub mod correction;
pub mod domain;
pub mod games;
#[cfg(feature = "shogi")]
pub mod shogi;
pub mod tables;

use rayon::prelude::*;
use serde::Serialize;

use crate::game::Game;
use crate::lab::printed::table;
use crate::options::OptionError;
use crate::search::expectation::node_counter::NodeCounter;
use crate::search::expectation::tree::GameTree;
use crate::search::shared::candidates::{Candidates, DEEPEST, List};
use crate::search::{Limits, StopFlag};
use crate::statistics::Moments;
use domain::{ActionOf, Domain, StateOf};

/// The lists in the order of the tables.
pub const LISTS: [&str; 4] = ["standard", "down_type1", "down_type2", "down_type3"];
/// How many of a list's moves decide between lists with equally good best moves.
const TOP: usize = 3;

/// How each of [`LISTS`] is made.
pub fn makers(count: usize) -> [Candidates; 4] {
    let down = |kind| Candidates::down(kind, count);
    [Candidates::standard(count), down(1), down(2), down(3)]
}

/// The list of one maker and the nodes it took.
fn list_of<D: Domain>(
    domain: &D,
    maker: &Candidates,
    state: &StateOf<D>,
) -> (List<ActionOf<D>>, u64) {
    let evaluate = |state: &StateOf<D>| domain.evaluate(state);
    let most_moves = domain.most_moves();
    let tree = GameTree { game: domain.game(), evaluate, most_moves };
    let stop = StopFlag::new();
    let mut counter = NodeCounter::new(&Limits::default(), &stop);
    let list = maker.list(&tree, state, &domain.game().actions(state), &mut counter);
    (list, counter.nodes)
}

/// The nodes that every list of a position is given: what the dearest of the makers takes by the
/// paper's orderings.
fn equal_nodes<D: Domain>(domain: &D, makers: &[Candidates], state: &StateOf<D>) -> u64 {
    makers.iter().map(|maker| list_of(domain, maker, state).1).max().unwrap_or(0)
}

/// The paper's first places of a list, of 43: all, quiet and violent positions.
pub fn published(list: &str) -> Option<[f64; 3]> {
    let (all, split) = (table("iida1992-table1"), table("iida1992-table2"));
    let (all, split) = (all.find(&[("method", list)])?, split.find(&[("method", list)])?);
    Some([all.figure("first_place_count"), split.figure("quiet"), split.figure("violent")])
}

/// What one list did in some class of positions.
#[derive(Clone, Copy, Default, Debug, Serialize)]
pub struct Tally {
    /// First places, ties shared.
    pub first_places: f64,
    /// Positions whose best move was in the list.
    pub best_included: u32,
    /// Discs by which the list's best move falls short of the best, in all.
    pub lost: f64,
}

/// The figures of one class of positions.
#[derive(Clone, Copy, Default, Debug, Serialize)]
pub struct Class {
    /// Positions.
    pub positions: u32,
    /// One for each of [`LISTS`].
    pub lists: [Tally; 4],
}

/// The result of the experiment.
#[derive(Clone, Copy, Default, Debug, Serialize)]
pub struct Result {
    /// Positions whose best move did not change in the judge's last two plies.
    pub quiet: Class,
    /// The others.
    pub violent: Class,
    /// Nodes that each kind of list took in all.
    pub nodes: [u64; 4],
    /// Looks for a shared move by plies below the position, those of type 1: how many, and how many
    /// found one.
    #[serde(skip)]
    pub looks: [(u32, u32); DEEPEST as usize + 1],
}

impl Class {
    /// Counts one position: the judged values of the lists' moves, and the best of all.
    fn add(&mut self, lists: &[Vec<f64>; 4], best: f64) {
        self.positions += 1;
        let qualities: Vec<(f64, f64)> = lists.iter().map(|values| quality(values)).collect();
        let first = qualities.iter().copied().fold((f64::MIN, f64::MIN), |a, b| {
            if b.partial_cmp(&a) == Some(std::cmp::Ordering::Greater) { b } else { a }
        });
        let winners = qualities.iter().filter(|quality| **quality == first).count() as f64;
        for (tally, quality) in self.lists.iter_mut().zip(&qualities) {
            tally.first_places += if *quality == first { 1.0 / winners } else { 0.0 };
            tally.best_included += u32::from(quality.0 >= best);
            tally.lost += best - quality.0;
        }
    }

    /// Both classes together.
    pub fn merge(mut self, other: Class) -> Class {
        self.positions += other.positions;
        for (own, its) in self.lists.iter_mut().zip(&other.lists) {
            own.first_places += its.first_places;
            own.best_included += its.best_included;
            own.lost += its.lost;
        }
        self
    }
}

/// The value of the best move and the mean of the best three.
fn quality(values: &[f64]) -> (f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let mut top = Moments::default();
    sorted.iter().take(TOP).for_each(|&value| top.add(value));
    (sorted.first().copied().unwrap_or(f64::MIN), top.mean())
}

/// The experiment's settings.
#[derive(Clone, Debug)]
pub struct CandidateLists<'d, D> {
    /// The game, its positions and its judge.
    pub domain: &'d D,
    /// Positions.
    pub positions: u32,
    /// K: moves of a list.
    pub count: usize,
    /// Seed of the positions.
    pub seed: u64,
}

impl<D: Domain> CandidateLists<'_, D> {
    /// Runs it on all cores; `Ok(None)` if stopped.
    ///
    /// # Errors
    /// If an option cannot be used.
    pub fn run(
        &self,
        stop: &StopFlag,
        progress: &(dyn Fn() + Sync),
    ) -> std::result::Result<Option<Result>, OptionError> {
        let judged = (0..self.positions).into_par_iter().map(|index| {
            if stop.is_stopped() {
                return Ok(Result::default());
            }
            let state = self.domain.position(index, self.seed, self.count);
            let result = self.one(&state, stop);
            progress();
            result
        });
        let result = judged.try_reduce(Result::default, |a, b| Ok(merged(a, &b)))?;
        Ok((!stop.is_stopped()).then_some(result))
    }

    fn one(&self, state: &StateOf<D>, stop: &StopFlag) -> std::result::Result<Result, OptionError> {
        let mut result = Result::default();
        let makers = makers(self.count);
        let nodes = Some(equal_nodes(self.domain, &makers, state));
        let lists = makers.map(|maker| {
            let maker = Candidates { nodes, ..maker };
            list_of(self.domain, &maker, state)
        });
        for look in &lists[1].0.looks {
            let (looks, found) = &mut result.looks[look.ply as usize];
            *looks += 1;
            *found += u32::from(look.found);
        }
        result.nodes = [0, 1, 2, 3].map(|list| lists[list].1);
        let lists = lists.map(|(list, _)| list.moves);
        let judged = self.domain.judge(state, &lists.concat(), stop)?;
        let values = lists.map(|moves| moves.iter().map(|&action| judged.value(action)).collect());
        let class = if judged.is_quiet { &mut result.quiet } else { &mut result.violent };
        class.add(&values, judged.best);
        Ok(result)
    }
}

fn merged(mut a: Result, b: &Result) -> Result {
    a.quiet = a.quiet.merge(b.quiet);
    a.violent = a.violent.merge(b.violent);
    a.nodes.iter_mut().zip(b.nodes).for_each(|(own, its)| *own += its);
    for (own, its) in a.looks.iter_mut().zip(&b.looks) {
        own.0 += its.0;
        own.1 += its.1;
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use domain::OthelloDomain;

    #[test]
    fn the_published_places_add_up() {
        let rows = LISTS.map(|list| published(list).unwrap());
        let sum = |column: usize| rows.iter().map(|row| row[column]).sum::<f64>();
        assert!((sum(0) - 43.0).abs() < 0.01, "{}", sum(0));
        for [all, quiet, violent] in rows {
            assert!((all - quiet - violent).abs() < 0.15, "{all} {quiet} {violent}");
        }
    }

    #[test]
    fn equal_lists_share_a_first_place_and_a_better_second_move_decides() {
        let mut class = Class::default();
        let lists = [vec![1.0, 4.0], vec![4.0, 1.0], vec![4.0, 2.0], vec![4.0, 2.0]];
        class.add(&lists, 5.0);
        assert_eq!(class.lists.map(|tally| tally.first_places), [0.0, 0.0, 0.5, 0.5]);
        assert_eq!(class.lists.map(|tally| tally.lost), [1.0; 4]);
        class.add(&[vec![5.0], vec![4.0], vec![3.0], vec![2.0]], 5.0);
        assert_eq!(class.lists.map(|tally| tally.best_included), [1, 0, 0, 0]);
    }

    #[test]
    fn a_run_repeats_and_counts_every_position() {
        let mut options = Options::new();
        options.set("eval", "mobility").unwrap();
        options.set("hash", "1").unwrap();
        let domain = OthelloDomain::new(options, 4).unwrap();
        let experiment = CandidateLists { domain: &domain, positions: 12, count: 4, seed: 1992 };
        let run = || experiment.run(&StopFlag::new(), &|| ()).unwrap().unwrap();
        let (first, second) = (run(), run());
        let all = first.quiet.merge(first.violent);
        assert_eq!(all.positions, 12);
        let places: f64 = all.lists.iter().map(|tally| tally.first_places).sum();
        assert!((places - 12.0).abs() < 1e-9, "{places}");
        assert_eq!(first.nodes, second.nodes);
        let (least, most) = (first.nodes.iter().min().unwrap(), first.nodes.iter().max().unwrap());
        assert!(*most as f64 <= 1.1 * *least as f64, "{:?}", first.nodes);
        assert!(first.looks.iter().any(|look| look.1 > 0));
        assert_eq!(format!("{first:?}"), format!("{second:?}"));
    }
}
