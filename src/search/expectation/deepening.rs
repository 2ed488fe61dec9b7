//! Iterative deepening at the root, the same for every back-up rule: as many best moves as asked
//! for, each exact; moves of equal value in the tree's own order, whatever order they were tried in.

use super::backup::Backup;
use super::node_counter::NodeCounter;
use super::tree::Tree;

/// A root move and what is known of it.
#[derive(Clone)]
pub struct RootMove<T: Tree> {
    /// The move.
    pub action: T::Action,
    /// Place in the tree's own order: the first of equal moves is the better one.
    index: usize,
    node: T::Node,
    /// Value for the side to move at the root, or an upper bound.
    pub value: f64,
    /// Whether `value` is the value itself.
    pub is_exact: bool,
    /// The play expected after the move.
    pub reply_line: Vec<T::Action>,
}

/// All root moves as ranked by the deepest iteration.
pub struct Ranking<T: Tree> {
    /// Best first; at least as many exact ones as were asked for (or exist).
    pub moves: Vec<RootMove<T>>,
    /// Depth in plies completed; 0 if not even one was.
    pub depth: u32,
}

/// Searches the root moves 1, 2, … `most_depth` plies deep until the budget is exhausted or `report`
/// says to end. Whatever happens every move is in the ranking, in the tree's order if unsearched.
pub fn deepen<T: Tree, B: Backup<T>>(
    tree: &T,
    moves: Vec<(T::Action, T::Node)>,
    best: usize,
    most_depth: u32,
    rule: &mut B,
    counter: &mut NodeCounter,
    report: &mut dyn FnMut(&Ranking<T>, &NodeCounter) -> bool,
) -> Ranking<T> {
    let unsearched = |(index, (action, node))| RootMove {
        action,
        index,
        node,
        value: f64::NEG_INFINITY,
        is_exact: false,
        reply_line: Vec::new(),
    };
    let mut ranking =
        Ranking { moves: moves.into_iter().enumerate().map(unsearched).collect(), depth: 0 };
    for depth in 1..=most_depth {
        // The first ply is quick and always completed, so that there is always a choice.
        counter.set_binding(depth > 1);
        if !iterate(tree, &mut ranking.moves, best.max(1), depth, rule, counter) {
            break;
        }
        ranking.depth = depth;
        if !report(&ranking, counter) {
            break;
        }
    }
    ranking
}

/// One iteration; `false` if it was cut short. The moves searched before that are ranked anew, ahead
/// of the others: the first of them was the best so far, so the first is never worse than before.
fn iterate<T: Tree, B: Backup<T>>(
    tree: &T,
    moves: &mut Vec<RootMove<T>>,
    best: usize,
    depth: u32,
    rule: &mut B,
    counter: &mut NodeCounter,
) -> bool {
    let mut ranked: Vec<RootMove<T>> = Vec::with_capacity(moves.len());
    let mut rest = Vec::new();
    let mut waiting = std::mem::take(moves).into_iter();
    for mut root_move in waiting.by_ref() {
        let floor = match ranked.get(best - 1) {
            None => f64::NEG_INFINITY,
            // An equal value suffices for a move that comes first in the tree's order.
            Some(worst) if root_move.index < worst.index => worst.value.next_down(),
            Some(worst) => worst.value,
        };
        let value = rule.child_value(tree, &root_move.node, depth - 1, floor, counter);
        if counter.is_exhausted() {
            rest.push(root_move);
            break;
        }
        root_move.value = value;
        root_move.is_exact = value > floor;
        if !root_move.is_exact {
            rest.push(root_move);
            continue;
        }
        root_move.reply_line = rule.reply_line().to_vec();
        let place = ranked.partition_point(|other| {
            (other.value, -(other.index as f64)) >= (value, -(root_move.index as f64))
        });
        ranked.insert(place, root_move);
        if ranked.len() > best {
            rest.extend(ranked.pop());
        }
    }
    let complete = !counter.is_exhausted();
    if complete {
        // Best bounds first: they are tried first next time.
        rest.sort_by(|a, b| b.value.total_cmp(&a.value).then(a.index.cmp(&b.index)));
    }
    *moves = ranked;
    moves.append(&mut rest);
    moves.extend(waiting);
    complete
}
