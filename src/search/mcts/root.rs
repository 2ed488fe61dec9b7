//! What the root's statistics say: which move to play, the lines to show, whether more simulations
//! could change the choice.

use super::tree::{Bounds, Node, ROOT, Tree};
use super::walker::{PuctSettings, discs, standard_error, value_of_score};
use crate::othello::{Bitboard, Move};
use crate::score::Score;
use crate::search::report::{Bound, Certainty, Line};

/// The root of a tree, looked at with the moves that are considered.
pub struct RootView<'a> {
    tree: &'a Tree,
    settings: PuctSettings,
    allowed: Bitboard,
    empties: u32,
}

impl<'a> RootView<'a> {
    /// A view of the tree's root, a position with so many empties.
    pub fn new(tree: &'a Tree, settings: PuctSettings, allowed: Bitboard, empties: u32) -> Self {
        RootView { tree, settings, allowed, empties }
    }

    /// The moves from best to worst. Visits rank what is not decided; a proven move stands before
    /// the first undecided one that is worth no more.
    fn ranked(&self) -> Vec<&'a Node> {
        let allowed = |node: &&Node| {
            node.played().square().is_none_or(|square| self.allowed.contains(square))
        };
        let children = self.tree.children(self.tree.node(ROOT)).map_or(&[][..], |found| found.1);
        rank(self.settings, children.iter().filter(allowed))
    }

    /// The best moves with their lines, at most `count`.
    pub fn lines(&self, count: usize) -> Vec<Line> {
        self.ranked().into_iter().take(count.max(1)).map(|node| self.line(node)).collect()
    }

    fn line(&self, node: &Node) -> Line {
        let Bounds { lower, upper } = node.bounds();
        let estimate = discs(self.settings.value(node), self.empties);
        let (score, certainty) = if lower >= upper {
            (f32::from(lower), Certainty::Exact)
        } else if lower > 0 || upper < 0 {
            (estimate.clamp(lower.into(), upper.into()), Certainty::Outcome)
        } else {
            (estimate, Certainty::Estimate)
        };
        let error = standard_error(self.settings.value(node), node.visits(), self.empties);
        let mut pv = vec![node.played()];
        let mut last = node;
        while let Some((_, children)) = self.tree.children(last) {
            let ranked = rank(self.settings, children.iter());
            let Some(next) = ranked.first().filter(|next| next.visits() > 0) else { break };
            pv.push(next.played());
            last = next;
        }
        Line {
            score: Score::from_discs(score.into()),
            bound: Bound::Exact,
            certainty,
            pv,
            visits: node.visits().into(),
            uncertainty: (certainty == Certainty::Estimate).then_some(error),
        }
    }

    /// Whether one move is proven to be best: its lower bound reaches every other's upper bound.
    pub fn is_proven(&self) -> bool {
        let moves = self.ranked();
        let floor = moves.iter().map(|node| node.bounds().lower).max();
        floor.is_some_and(|floor| moves.iter().all(|node| node.bounds().upper <= floor))
    }

    /// Whether the most visited move is also the one of the highest value.
    pub fn is_settled(&self) -> bool {
        let moves = self.ranked();
        let value = |node: &Node| worth(self.settings, node);
        moves.first().is_some_and(|best| moves.iter().all(|node| value(node) <= value(best)))
    }

    /// Whether the first move stays first if all of `left` further visits go to the second.
    pub fn is_decided(&self, left: u64) -> bool {
        match self.ranked()[..] {
            [] | [_] => true,
            [first, second, ..] => {
                !first.bounds().is_exact()
                    && !second.bounds().is_exact()
                    && u64::from(first.visits()) > u64::from(second.visits()) + left
            }
        }
    }

    /// The move to play.
    pub fn best_move(&self) -> Option<Move> {
        self.ranked().first().map(|node| node.played())
    }
}

/// A node's worth to the side that moves into it: proven if it is, else estimated.
fn worth(settings: PuctSettings, node: &Node) -> f32 {
    let Bounds { lower, upper } = node.bounds();
    settings.value(node).clamp(value_of_score(lower), value_of_score(upper.max(lower)))
}

/// Siblings from best to worst.
fn rank<'a>(settings: PuctSettings, siblings: impl Iterator<Item = &'a Node>) -> Vec<&'a Node> {
    let is_decided = |node: &Node| node.bounds().is_exact() || node.bounds().lower > 0;
    let (mut decided, mut order): (Vec<&Node>, Vec<&Node>) =
        siblings.partition(|node| is_decided(node));
    // Stable sorts: among equals the first square stays first.
    order.sort_by_key(|node| std::cmp::Reverse(node.visits()));
    decided.sort_by(|a, b| worth(settings, b).total_cmp(&worth(settings, a)));
    for node in decided {
        let value = worth(settings, node);
        let place =
            order.iter().position(|other| worth(settings, other) < value).unwrap_or(order.len());
        // Undecided moves keep their order; earlier decided ones are worth at least as much.
        order.insert(place, node);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::mcts::tree::NewChild;
    use crate::search::mcts::walker::LeafValue;

    const SETTINGS: PuctSettings = PuctSettings {
        exploration: 1.0,
        temperature: 2.0,
        minimax_weight: 0.0,
        leaf: LeafValue { playout_share: 0.0 },
        solve_empties: 0,
    };

    /// A root with moves a1, b1, … of these visits and mean values.
    fn tree(moves: &[(u32, f32)]) -> Tree {
        let tree = Tree::new(1 << 20).unwrap();
        let square = |number: usize| Bitboard(1 << number).first().unwrap();
        let children: Vec<NewChild> = (0..moves.len())
            .map(|number| NewChild { played: square(number).into(), estimate: 0.5, prior: 0.1 })
            .collect();
        let root = tree.node(ROOT);
        assert!(root.claim() && tree.grow(root, &children));
        for (child, (visits, value)) in tree.children(root).unwrap().1.iter().zip(moves) {
            for _ in 0..*visits {
                child.begin_visit();
                child.end_visit(*value);
            }
        }
        tree
    }

    fn view(tree: &Tree) -> RootView<'_> {
        RootView::new(tree, SETTINGS, Bitboard::FULL, 20)
    }

    fn order(tree: &Tree) -> String {
        view(tree).lines(9).iter().map(|line| line.pv[0].to_string()).collect()
    }

    fn child(tree: &Tree, number: usize) -> &Node {
        &tree.children(tree.node(ROOT)).unwrap().1[number]
    }

    #[test]
    fn undecided_moves_rank_by_visits() {
        let tree = tree(&[(10, 0.6), (30, 0.5), (20, 0.7)]);
        assert_eq!(order(&tree), "b1c1a1");
        assert!(!view(&tree).is_settled(), "c1 is worth more");
        assert_eq!(view(&tree).best_move().unwrap().to_string(), "b1");
        let lines = view(&tree).lines(2);
        assert_eq!((lines.len(), lines[0].visits, lines[0].score), (2, 30, Score::default()));
        assert_eq!(lines[0].certainty, Certainty::Estimate);
    }

    #[test]
    fn proven_moves_stand_where_their_score_puts_them() {
        let tree = tree(&[(5, 0.4), (30, 0.6), (20, 0.3), (10, 0.9)]);
        child(&tree, 0).narrow(Bounds::exactly(0));
        assert_eq!(order(&tree), "b1a1c1d1", "a draw is better than 0.3, worse than 0.6");
        child(&tree, 3).narrow(Bounds::exactly(-10));
        assert_eq!(order(&tree), "b1a1c1d1", "a proven loss comes last");
        child(&tree, 2).narrow(Bounds::exactly(4));
        assert_eq!(order(&tree), "c1b1a1d1", "a proven win comes first");
        let line = &view(&tree).lines(1)[0];
        assert_eq!((line.score, line.certainty), (Score::whole(4), Certainty::Exact));
        assert!(!view(&tree).is_proven(), "b1 may still win by more");
        child(&tree, 1).narrow(Bounds { lower: -64, upper: 4 });
        assert!(view(&tree).is_proven());
    }

    #[test]
    fn a_choice_is_decided_when_the_visits_left_cannot_change_it() {
        let tree = tree(&[(10, 0.6), (30, 0.5)]);
        assert!(view(&tree).is_decided(19));
        assert!(!view(&tree).is_decided(20));
        let only_first = RootView::new(&tree, SETTINGS, Bitboard(1), 20);
        assert!(only_first.is_decided(u64::MAX), "one move is no choice");
        child(&tree, 0).narrow(Bounds::exactly(0));
        assert!(!view(&tree).is_decided(0), "what a proven move is up to is not counted in visits");
    }
}
